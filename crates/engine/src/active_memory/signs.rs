//! What patterns of many languages say of a message. They are matched in linear time.

use std::sync::LazyLock;

use itertools::Itertools;
use regex::{RegexSet, RegexSetBuilder};
use text::{
    cut::head,
    fold::{compose, plain_apostrophes},
    pattern::ascii_boundaries,
};

use super::{
    chat_patterns::CHAT,
    errand_patterns::ERRANDS,
    intent::Intent,
    intent_patterns::{FUTURE, HABIT_OR_ORDER, PATTERNS, RETROSPECTIVE, TO_COME},
    question_patterns::{ASKS, OWN, WORK, WORLD},
};
use crate::capture::given::own_words;

/// Most of a message that is looked at, in UTF-16 units: what somebody asks for stands in a sentence.
const MOST_UNITS: usize = 2000;

/// Longest message, in characters, that may ask by a noun alone or by its last word.
const SHORT: usize = 120;

/// What a message has of what patterns look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Something is to be remembered or done later.
    Later,
    /// Something is to come.
    ToCome,
    /// Something was before.
    Before,
    /// A habit or an order.
    Telling,
    /// A question.
    Asks,
    /// A question as in a chat.
    AsksShortly,
    /// The user's own.
    Own,
    /// The world's.
    World,
    /// Work on a text, or on code.
    Work,
    /// An errand.
    Errand,
}

/// The patterns of each, and its name to a classifier.
static SIGNS: [(Sign, &str, LazyLock<Option<RegexSet>>); 10] = [
    (Sign::Later, "later", LazyLock::new(|| set_of(FUTURE.iter().copied()))),
    (Sign::ToCome, "to come", LazyLock::new(|| set_of(TO_COME.iter().copied()))),
    (Sign::Before, "before", LazyLock::new(|| set_of(RETROSPECTIVE.iter().copied()))),
    (Sign::Telling, "telling", LazyLock::new(|| set_of([HABIT_OR_ORDER].into_iter()))),
    (Sign::Asks, "asks", LazyLock::new(|| set_of(ASKS.iter().copied()))),
    (Sign::AsksShortly, "asks shortly", LazyLock::new(|| set_of(CHAT.iter().copied()))),
    (Sign::Own, "own", LazyLock::new(|| set_of(OWN.iter().copied()))),
    (Sign::World, "world", LazyLock::new(|| set_of(WORLD.iter().copied()))),
    (Sign::Work, "work", LazyLock::new(|| set_of(WORK.iter().copied()))),
    (Sign::Errand, "errand", LazyLock::new(|| set_of(ERRANDS.iter().copied()))),
];

struct Asking {
    set: RegexSet,
    intents: Vec<Intent>,
}

static ASKING: LazyLock<Option<Asking>> = LazyLock::new(|| {
    let all = || PATTERNS.iter().flat_map(|(intent, patterns)| patterns.iter().map(move |pattern| (*intent, *pattern)));
    let set = set_of(all().map(|(_, pattern)| pattern))?;
    Some(Asking { set, intents: all().map(|(intent, _)| intent).collect() })
});

/// Letters of the scripts that write words with spaces: all that Unicode counts as one would take ten times the memory.
const LETTER: &str = "[0-9a-zß-ſа-ё]";

fn set_of<'a>(patterns: impl Iterator<Item = &'a str>) -> Option<RegexSet> {
    let patterns = patterns.map(|pattern| ascii_boundaries(pattern).replace(r"\w", LETTER));
    RegexSetBuilder::new(patterns).case_insensitive(true).size_limit(64 << 20).dfa_size_limit(16 << 20).build().ok()
}

/// What patterns say of a message.
#[derive(Debug, Default)]
pub(super) struct Signs {
    /// Its own words, on one line.
    pub(super) text: String,
    /// Whether it holds a text that is given to be worked on.
    pub(super) has_given: bool,
    /// What it asks for by what it says, each once, the likeliest first.
    pub(super) intents: Vec<Intent>,
    found: Vec<(Sign, &'static str)>,
}

impl Signs {
    /// Those of a message, which is without what the host put around it.
    pub(super) fn of(message: &str) -> Self {
        let message = head(message.trim(), MOST_UNITS);
        let own = own_words(message);
        let plain = compose(own);
        let text = plain_apostrophes(&plain).split_whitespace().collect::<Vec<_>>().join(" ");
        let mut signs = Self { has_given: own.len() < message.len(), text, ..Self::default() };
        if signs.text.is_empty() {
            return signs;
        }
        if let Some(asking) = ASKING.as_ref() {
            let asked = asking.set.matches(&signs.text);
            signs.intents = asked.iter().filter_map(|at| asking.intents.get(at).copied()).unique().collect();
        }
        let is_there = |set: &LazyLock<Option<RegexSet>>| set.as_ref().is_some_and(|set| set.is_match(&signs.text));
        signs.found = SIGNS.iter().filter(|(_, _, set)| is_there(set)).map(|(sign, name, _)| (*sign, *name)).collect();
        signs
    }

    /// Whether one is there.
    pub(super) fn has(&self, sign: Sign) -> bool {
        self.found.iter().any(|(found, _)| *found == sign)
    }

    /// Whether the message is a question, or as short as a question in a chat.
    pub(super) fn asks(&self) -> bool {
        self.has(Sign::Asks) || self.has(Sign::AsksShortly) && self.text.chars().count() <= SHORT
    }

    /// Whether it is about what is still to be done or to come, and asks for nothing that was: "remember to call Ana tomorrow".
    pub(super) fn is_later(&self) -> bool {
        let is_later = self.has(Sign::Later) || self.has(Sign::Telling) || self.has(Sign::ToCome) && !self.asks();
        is_later && !self.has(Sign::Before)
    }

    /// Their names, for a classifier.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        let intents = self.intents.iter().map(|intent| intent.name());
        intents.chain(self.found.iter().map(|(_, name)| *name)).chain(self.has_given.then_some("given"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        assert!(ASKING.is_some());
        assert!(SIGNS.iter().all(|(_, _, set)| set.is_some()));
    }
}
