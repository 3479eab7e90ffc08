//! When and how long to wait before a failed request is sent again (D13).

use std::time::Duration;

/// Attempts for one request, the first included.
pub(crate) const ATTEMPTS: u32 = 3;

const BASE: Duration = Duration::from_millis(500);
const MAX: Duration = Duration::from_secs(8);
const JITTER: f64 = 0.2;

/// Longest wait that a server can impose on us; it may ask for a day.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The wait after attempt number `attempt` (from 1): 500 ms doubled each time, at most 8 s, plus up to 20 % so that
/// requests that failed together do not return together. `random` is in `0..1`.
#[must_use]
pub(crate) fn backoff(attempt: u32, random: f64) -> Duration {
    let doubled = BASE.saturating_mul(1 << attempt.saturating_sub(1).min(16));
    doubled.min(MAX).mul_f64(1.0 + JITTER * random.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_cap_with_jitter_on_top() {
        assert_eq!(backoff(1, 0.0), Duration::from_millis(500));
        assert_eq!(backoff(2, 0.0), Duration::from_secs(1));
        assert_eq!(backoff(9, 0.0), Duration::from_secs(8));
        assert_eq!(backoff(1, 1.0), Duration::from_millis(600));
        assert_eq!(backoff(u32::MAX, 1.0), Duration::from_millis(9600));
    }
}
