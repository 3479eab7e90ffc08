//! How a turn is served: not at all, by the search alone, or with the help of a model.

use serde::Serialize;

use super::intent::Intent;
use model::config::active_memory::{ActiveMemory, Mode};

/// How a turn is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// Nothing is shown.
    None,
    /// What the search itself finds fitting.
    Native,
    /// What a model picks among what was found.
    Model,
}

/// The lane for a turn. `best` is the confidence of the best passage that may be shown, none when there is none; `fits`
/// says whether auto-recall would show one. It is strict: of 68 turns for which it shows something 65 are right, so a model
/// that is asked all the same can only make it worse. A question to the world is shown nothing, whatever words it shares.
#[must_use]
pub fn lane(settings: &ActiveMemory, best: Option<f64>, intent: Option<Intent>, fits: bool) -> Lane {
    let Some(best) = best.filter(|best| *best >= settings.floor) else { return Lane::None };
    match settings.mode {
        Mode::Off => Lane::None,
        Mode::Always => Lane::Model,
        Mode::Native | Mode::Escalate if intent == Some(Intent::General) => Lane::None,
        Mode::Native => Lane::Native,
        Mode::Escalate if intent.is_some() && !fits && best <= settings.sure => Lane::Model,
        Mode::Escalate => Lane::Native,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_asked_only_between_floor_and_sure_and_with_intent() {
        let settings = ActiveMemory::default();
        let past = Some(Intent::Past);
        for (best, intent, expected) in [
            (None, past, Lane::None),
            (Some(0.1), past, Lane::None),
            (Some(0.4), None, Lane::Native),
            (Some(0.4), past, Lane::Model),
            (Some(0.15), past, Lane::Model),
            (Some(1.0), past, Lane::Model),
            (Some(1.0), Some(Intent::General), Lane::None),
        ] {
            assert_eq!(lane(&settings, best, intent, false), expected, "{best:?} {intent:?}");
        }
        assert_eq!(lane(&settings, Some(0.4), past, true), Lane::Native);
        let sure = ActiveMemory { sure: 0.75, ..ActiveMemory::default() };
        assert_eq!(lane(&sure, Some(0.8), past, false), Lane::Native);
        let with = |mode| ActiveMemory { mode, ..ActiveMemory::default() };
        assert_eq!(lane(&with(Mode::Always), Some(0.9), None, true), Lane::Model);
        assert_eq!(lane(&with(Mode::Always), Some(0.1), past, true), Lane::None);
        assert_eq!(lane(&with(Mode::Native), Some(0.4), past, false), Lane::Native);
        assert_eq!(lane(&with(Mode::Off), Some(0.9), past, true), Lane::None);
    }
}
