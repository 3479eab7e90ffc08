//! When and how long to wait before a failed request is sent again (D13).

use std::time::{Duration, SystemTime};

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

/// The wait that a `Retry-After` header asks for, uncapped: seconds or an HTTP date.
#[must_use]
pub(crate) fn parse_retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        // Beyond a year the number means nothing; the cap keeps the conversion from overflowing.
        return (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(31_536_000.0)));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
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

    #[test]
    fn retry_after_reads_seconds_and_dates() {
        let now = httpdate::parse_http_date("Fri, 20 Nov 2026 18:00:00 GMT").unwrap();
        assert_eq!(parse_retry_after("7", now), Some(Duration::from_secs(7)));
        assert_eq!(parse_retry_after("0.25", now), Some(Duration::from_millis(250)));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 18:00:30 GMT", now), Some(Duration::from_secs(30)));
        assert_eq!(parse_retry_after("Fri, 20 Nov 2026 17:00:00 GMT", now), Some(Duration::ZERO));
        assert_eq!(parse_retry_after("-3", now), None);
        assert_eq!(parse_retry_after("soon", now), None);
        assert!(parse_retry_after("1e300", now).is_some());
    }
}
