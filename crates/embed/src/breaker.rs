//! Circuit breaker: a provider that fails again and again is left alone for a while.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use model::clock::Clock;

/// Requests that must fail in a row, each after its retries, before the breaker opens.
pub(crate) const THRESHOLD: u32 = 3;

/// How long an open breaker refuses requests.
pub(crate) const OPEN_FOR: Duration = Duration::from_secs(60);

#[derive(Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
}

/// Counts failures in a row. After the pause one request may try; its outcome closes or re-opens the breaker.
pub(crate) struct Breaker {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

impl Breaker {
    /// A closed breaker.
    #[must_use]
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// How long requests are refused from now on; none when they may be sent. The first caller after the pause
    /// gets through as the trial; the others are refused until it reports.
    #[must_use]
    pub(crate) fn refuses_for(&self) -> Option<Duration> {
        let mut state = self.state.lock();
        let now = self.clock.now();
        let until = state.open_until?;
        if let Some(left) = until.checked_duration_since(now).filter(|left| !left.is_zero()) {
            return Some(left);
        }
        state.open_until = Some(now + OPEN_FOR);
        None
    }

    /// Whether requests are refused now; never lets a trial through.
    #[must_use]
    pub(crate) fn is_open(&self) -> bool {
        let state = self.state.lock();
        state.open_until.is_some_and(|until| until > self.clock.now())
    }

    /// A request was answered as it should, or refused for a reason of its own.
    pub(crate) fn succeeded(&self) {
        *self.state.lock() = State::default();
    }

    /// A request failed for good.
    pub(crate) fn failed(&self) {
        let mut state = self.state.lock();
        state.failures = state.failures.saturating_add(1);
        if state.failures >= THRESHOLD {
            state.open_until = Some(self.clock.now() + OPEN_FOR);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::clock::TestClock;

    #[test]
    fn opens_after_three_failures_in_a_row_and_lets_one_trial_through() {
        let clock = TestClock::new();
        let breaker = Breaker::new(Arc::clone(&clock) as _);
        breaker.failed();
        breaker.failed();
        breaker.succeeded();
        breaker.failed();
        breaker.failed();
        assert_eq!(breaker.refuses_for(), None);
        breaker.failed();
        assert_eq!(breaker.refuses_for(), Some(OPEN_FOR));
        clock.advance(OPEN_FOR);
        assert_eq!(breaker.refuses_for(), None, "the trial");
        assert!(breaker.refuses_for().is_some(), "only one trial");
        breaker.failed();
        assert!(breaker.is_open());
        clock.advance(OPEN_FOR);
        assert_eq!(breaker.refuses_for(), None);
        breaker.succeeded();
        assert!(!breaker.is_open());
    }
}
