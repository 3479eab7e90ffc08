//! No call to a model that has just failed several times: each would cost a reply its time limit.

use std::num::NonZeroUsize;

use lru::LruCache;
use serde::Serialize;

use model::config::active_memory::ActiveMemory;

/// Models whose failures are remembered.
const MOST_KEYS: NonZeroUsize = NonZeroUsize::new(256).unwrap();
/// Longest pause, in milliseconds.
const LONGEST_MS: u64 = 600_000;

/// Whether a model may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Yes.
    Closed,
    /// No.
    Open,
    /// Once, beside a reply that does not wait for it.
    Probe,
    /// No: the host refused it, and nothing about that was changed since.
    Refused,
}

#[derive(Debug, Clone, Default)]
struct State {
    failures: u64,
    /// Times it opened in a row.
    opened: u32,
    /// Until when nothing is asked.
    until_ms: Option<i64>,
    probing: bool,
    /// Whether the last failure was that it took too long.
    timed_out: bool,
    /// The configuration under which the host refused.
    refused: Option<String>,
}

/// A model that is not asked now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suspended {
    /// The model.
    pub model: String,
    /// Until when, in milliseconds since the epoch, because it failed; none when the host refused it under the present
    /// configuration.
    pub until_ms: Option<i64>,
    /// Whether it took too long.
    pub timed_out: bool,
}

/// The failures of models, by agent and model.
#[derive(Debug)]
pub struct Breaker(LruCache<String, State>);

impl Default for Breaker {
    fn default() -> Self {
        Self(LruCache::new(MOST_KEYS))
    }
}

impl Breaker {
    /// Whether a model may be asked now; `policy` is what the configuration says about asking.
    pub fn gate(&mut self, key: &str, policy: &str, now_ms: i64) -> Gate {
        let Some(state) = self.0.get_mut(key) else { return Gate::Closed };
        if let Some(refused) = &state.refused {
            if refused == policy {
                return Gate::Refused;
            }
            *state = State::default();
        }
        match state.until_ms {
            None => Gate::Closed,
            Some(until) if now_ms < until || state.probing => Gate::Open,
            Some(_) => {
                state.probing = true;
                Gate::Probe
            }
        }
    }

    /// A call answered in time.
    pub fn succeeded(&mut self, key: &str) {
        self.0.pop(key);
    }

    /// A call failed.
    pub fn failed(&mut self, key: &str, settings: &ActiveMemory, now_ms: i64) {
        self.count(key, false, settings, now_ms);
    }

    /// A call took too long.
    pub fn timed_out(&mut self, key: &str, settings: &ActiveMemory, now_ms: i64) {
        self.count(key, true, settings, now_ms);
    }

    fn count(&mut self, key: &str, timed_out: bool, settings: &ActiveMemory, now_ms: i64) {
        let state = self.0.get_or_insert_mut(key.to_owned(), State::default);
        state.failures += 1;
        state.timed_out = timed_out;
        if state.failures < settings.circuit_breaker_max_timeouts && !state.probing {
            return;
        }
        let pause = settings.circuit_breaker_cooldown_ms.saturating_mul(1 << state.opened.min(16)).min(LONGEST_MS);
        state.opened += 1;
        state.failures = 0;
        state.probing = false;
        state.until_ms = Some(now_ms.saturating_add_unsigned(pause));
    }

    /// The host does not let us ask under this configuration.
    pub fn refused(&mut self, key: &str, policy: &str) {
        self.0.put(key.to_owned(), State { refused: Some(policy.to_owned()), ..State::default() });
    }

    /// The models of which none is asked now, and why, for a status; `agent` as in their keys.
    #[must_use]
    pub fn suspended(&self, agent: &str, now_ms: i64) -> Vec<Suspended> {
        let of_agent = |(key, state): (&String, &State)| {
            let model = key.strip_prefix(agent)?.strip_prefix('\n')?.to_owned();
            let until_ms = state.until_ms.filter(|until| now_ms < *until);
            let suspended = Suspended { model, until_ms, timed_out: state.timed_out };
            (state.refused.is_some() || until_ms.is_some()).then_some(suspended)
        };
        self.0.iter().filter_map(of_agent).collect()
    }
}

/// The key of an agent's model.
pub(super) fn key(agent: &str, model: &str) -> String {
    format!("{agent}\n{model}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_open_it_and_the_pause_doubles_until_a_success() {
        let settings = ActiveMemory::default();
        let mut breaker = Breaker::default();
        for at in 0..3 {
            assert_eq!(breaker.gate("k", "", at), Gate::Closed);
            breaker.failed("k", &settings, at);
        }
        assert_eq!(breaker.gate("k", "", 3), Gate::Open);
        assert_eq!(breaker.gate("other", "", 3), Gate::Closed);
        assert_eq!(breaker.gate("k", "", 60_002), Gate::Probe);
        // One probe at a time.
        assert_eq!(breaker.gate("k", "", 60_003), Gate::Open);
        breaker.failed("k", &settings, 60_010);
        assert_eq!(breaker.gate("k", "", 60_010 + 119_999), Gate::Open);
        assert_eq!(breaker.gate("k", "", 60_010 + 120_000), Gate::Probe);
        breaker.succeeded("k");
        assert_eq!(breaker.gate("k", "", 60_010 + 120_001), Gate::Closed);
        for at in 0..60 {
            breaker.failed("k", &settings, at);
        }
        assert_eq!(breaker.gate("k", "", 60 + 600_000), Gate::Probe);
    }

    #[test]
    fn what_is_suspended_is_told_for_the_agent_that_asks() {
        let settings = ActiveMemory { circuit_breaker_max_timeouts: 1, ..ActiveMemory::default() };
        let mut breaker = Breaker::default();
        breaker.failed(&key("main", "slow"), &settings, 5);
        breaker.refused(&key("main", "forbidden"), "p");
        breaker.failed(&key("other", "slow"), &settings, 5);
        breaker.gate(&key("main", "fine"), "p", 5);
        let told = |model: &str, until_ms, timed_out| Suspended { model: model.to_owned(), until_ms, timed_out };
        breaker.timed_out(&key("main", "slower"), &settings, 5);
        assert_eq!(
            breaker.suspended("main", 6),
            [told("slower", Some(60_005), true), told("forbidden", None, false), told("slow", Some(60_005), false)]
        );
        assert_eq!(breaker.suspended("main", 60_005), [told("forbidden", None, false)]);
        assert_eq!(breaker.suspended("mai", 6), []);
    }

    #[test]
    fn a_refusal_lasts_until_the_configuration_changes() {
        let mut breaker = Breaker::default();
        breaker.refused("k", "before");
        assert_eq!(breaker.gate("k", "before", i64::MAX), Gate::Refused);
        assert_eq!(breaker.gate("k", "after", 0), Gate::Closed);
        assert_eq!(breaker.gate("k", "before", 0), Gate::Closed);
    }
}
