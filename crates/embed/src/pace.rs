//! How fast a provider may be asked: waits that it imposes hold for every request, and the number of requests in
//! flight follows its refusals (additive increase, multiplicative decrease).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::retry::MAX_RETRY_AFTER;
use model::clock::Clock;

/// Good answers in a row that earn one more request in flight after a rate limit took some away.
const ANSWERS_PER_SLOT: u32 = 8;

struct State {
    not_before: Option<Instant>,
    slots: usize,
    answers: u32,
}

/// Shared by all requests to one provider.
pub(crate) struct Pace {
    clock: Arc<dyn Clock>,
    max_slots: usize,
    state: Mutex<State>,
}

impl Pace {
    /// Allows `max_slots` requests in flight, 1–16.
    #[must_use]
    pub(crate) fn new(clock: Arc<dyn Clock>, max_slots: usize) -> Self {
        let max_slots = max_slots.clamp(1, 16);
        Self { clock, max_slots, state: Mutex::new(State { not_before: None, slots: max_slots, answers: 0 }) }
    }

    /// Requests that may be in flight now.
    #[must_use]
    pub(crate) fn slots(&self) -> usize {
        self.state.lock().slots
    }

    /// Requests that may be in flight at most.
    #[must_use]
    pub(crate) const fn max_slots(&self) -> usize {
        self.max_slots
    }

    /// How long every request has to wait now.
    #[must_use]
    pub(crate) fn wait(&self) -> Option<Duration> {
        let state = self.state.lock();
        state.not_before?.checked_duration_since(self.clock.now()).filter(|left| !left.is_zero())
    }

    /// The provider asked to slow down for `wait`, of which at most 60 s are honoured.
    pub(crate) fn slow_down(&self, wait: Duration) {
        let mut state = self.state.lock();
        let until = self.clock.now() + wait.min(MAX_RETRY_AFTER);
        state.not_before = Some(state.not_before.map_or(until, |before| before.max(until)));
        state.slots = (state.slots / 2).max(1);
        state.answers = 0;
    }

    /// The provider gave a good answer.
    pub(crate) fn answered(&self) {
        let mut state = self.state.lock();
        if state.slots == self.max_slots {
            return;
        }
        state.answers += 1;
        if state.answers >= ANSWERS_PER_SLOT {
            state.answers = 0;
            state.slots += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::clock::TestClock;

    #[test]
    fn a_wait_holds_for_everyone_and_is_capped() {
        let clock = TestClock::new();
        let pace = Pace::new(Arc::clone(&clock) as _, 4);
        assert_eq!(pace.wait(), None);
        pace.slow_down(Duration::from_secs(86_400));
        pace.slow_down(Duration::from_secs(1));
        assert_eq!(pace.wait(), Some(MAX_RETRY_AFTER), "the longer wait holds");
        clock.advance(MAX_RETRY_AFTER);
        assert_eq!(pace.wait(), None);
    }

    #[test]
    fn slots_halve_on_refusal_and_return_one_by_one() {
        let pace = Pace::new(TestClock::new(), 40);
        assert_eq!(pace.slots(), 16);
        pace.slow_down(Duration::ZERO);
        assert_eq!(pace.slots(), 8);
        for _ in 0..ANSWERS_PER_SLOT {
            pace.answered();
        }
        assert_eq!(pace.slots(), 9);
        for _ in 0..10 {
            pace.slow_down(Duration::ZERO);
        }
        assert_eq!(pace.slots(), 1);
    }
}
