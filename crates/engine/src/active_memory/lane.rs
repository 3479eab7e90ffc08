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

/// How far the confidence of what fits must be above that of all else to stand out. In the halves of `eval/sets` that may be looked
/// at something right is shown in 118 of 129 turns where it is, and in 19 of 31 where it is not, while what is right is among
/// the first four in 28 of those.
const LEAD: f64 = 0.1;

/// Whether what auto-recall would show stands out of all that was found. `found` has the confidence of each passage, and whether it
/// fits.
#[must_use]
pub fn stands_out(found: impl IntoIterator<Item = (f64, bool)>) -> bool {
    let (mut fitting, mut other) = (f64::NEG_INFINITY, 0.0_f64);
    for (confidence, fits) in found {
        let best = if fits { &mut fitting } else { &mut other };
        *best = best.max(confidence);
    }
    fitting > other + LEAD
}

/// The lane for a turn. `best` is the confidence of the best passage that may be shown, none when there is none; `stands_out` as
/// [`stands_out`] says it: a model that is asked all the same can only make that worse. A question to the world is shown nothing,
/// whatever words it shares.
#[must_use]
pub fn lane(settings: &ActiveMemory, best: Option<f64>, intent: Option<Intent>, stands_out: bool) -> Lane {
    let Some(best) = best.filter(|best| *best >= settings.floor) else { return Lane::None };
    match settings.mode {
        Mode::Off => Lane::None,
        Mode::Always => Lane::Model,
        Mode::Native | Mode::Escalate if intent == Some(Intent::General) => Lane::None,
        Mode::Native => Lane::Native,
        Mode::Escalate if intent.is_some() && !stands_out && best <= settings.sure => Lane::Model,
        Mode::Escalate => Lane::Native,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Of two passages that were nearly as sure the one that shared a word was shown, and the other answered.
    #[test]
    fn what_fits_stands_out_by_a_lead_over_what_does_not() {
        assert!(stands_out([(0.9, true), (0.7, false)]));
        assert!(stands_out([(0.9, true), (0.9, true), (0.2, false)]));
        assert!(stands_out([(0.4, true)]));
        assert!(!stands_out([(0.9, true), (0.85, false)]));
        assert!(!stands_out([(0.95, false), (0.6, true)]));
        assert!(!stands_out([(0.9, false)]));
        assert!(!stands_out([]));
    }

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
