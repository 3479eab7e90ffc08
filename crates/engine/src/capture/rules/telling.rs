//! How surely a sentence tells of a life: a logistic regression over its words, their beginnings and its characters, learned
//! from the labelled messages in `eval/sets/capture`. Patterns know the sentences of whoever wrote them: of messages by other
//! hands those that stood here kept 40 % of what should be kept, and one in six of what they kept should not have been.

use crate::classifier::{Classifier, Features};

/// Written by the test of this file.
static LEARNED: Classifier = Classifier { learned: include_bytes!("telling.bin"), least_known: 0.5 };

/// The log-odds that a sentence tells what should still be known in weeks; none where too few of its words were learned.
pub(super) fn odds(sentence: &str) -> Option<f32> {
    LEARNED.odds(&Features::of(sentence))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::{
        capture::tests::set,
        classifier::learn::{Example, assert_is_learned},
    };

    /// What is learned from; `told-unseen.jsonl` is not among it.
    const SETS: [&str; 5] = [
        "messages.jsonl",
        "statements-development.jsonl",
        "statements-held-out.jsonl",
        "statements-independent.jsonl",
        "told.jsonl",
    ];

    #[derive(Deserialize)]
    struct Message {
        text: String,
        keep: bool,
    }

    // `MEMORY_CORE_WRITE=1 cargo test -p engine --lib telling` writes them after a set has changed.
    #[test]
    fn the_weights_are_those_that_the_sets_teach() {
        let messages = SETS.into_iter().flat_map(set::<Message>);
        let examples: Vec<Example> = messages
            .map(|message| Example { features: Features::of(&message.text), is_of_kind: message.keep, weight: 1.0 })
            .collect();
        assert_is_learned(&LEARNED, &examples, "capture/rules/telling.bin");
    }

    #[test]
    fn what_nobody_taught_has_no_odds() {
        for text in ["Μετακομίσαμε στο Λάιπτσιχ την περασμένη άνοιξη", "हम पिछले वसंत में लाइपज़िग चले गए", "Xqzv wkpl vrmth"]
        {
            assert_eq!(odds(text), None, "{text}");
        }
        assert!(odds("we moved to Leipzig last spring").is_some_and(|odds| odds > 0.0));
        assert!(odds("translate this sentence into French please").is_some_and(|odds| odds < 0.0));
        for text in ["", "!!!", "12", &"’".repeat(2000), &"a'".repeat(1000)] {
            let _ = odds(text);
        }
    }
}
