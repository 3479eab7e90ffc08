//! Whether a message mentions what an intent waits for. Words are compared as a search compares them: whatever their case,
//! accents and inflection, Chinese and Japanese by pairs of characters.

use std::collections::HashSet;

use serde::Serialize;

use super::intent::StandingIntent;
use text::{
    analyze::Analyzer,
    query::{TermKind, holds_phrase, understand},
};

/// Characters of a message that are looked at.
const MESSAGE_CHARS: usize = 20_000;

/// What brought an intent up, or kept it down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The keyword that the message mentions.
    pub keyword: String,
    /// The keyword of `unless` that it mentions as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unless: Option<String>,
}

/// A message, taken apart once for all intents.
pub(super) struct Message {
    text: String,
    terms: HashSet<String>,
    words: HashSet<String>,
}

impl Message {
    pub(super) fn new(text: &str) -> Self {
        let text: String = text.chars().take(MESSAGE_CHARS).collect();
        let terms = Analyzer::new().terms(&text).into_iter().collect();
        let words = words(&text).collect();
        Self { text, terms, words }
    }

    /// Whether anything in it can be a keyword.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What it mentions of an intent.
    pub(super) fn mentions(&self, intent: &StandingIntent) -> Option<Mention> {
        let found = |keywords: &[String]| keywords.iter().find(|keyword| self.holds(keyword)).cloned();
        let keyword = found(&intent.trigger_keywords)?;
        Some(Mention { keyword, unless: found(&intent.unless) })
    }

    /// All words of a keyword, in the way the host's own engine compares them or by what they mean to a search.
    fn holds(&self, keyword: &str) -> bool {
        if let Some(phrase) = keyword.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            return understand(keyword, 0, "UTC").phrases.iter().any(|phrase| holds_phrase(&self.text, phrase))
                || words(phrase).next().is_some() && holds_words(&self.text, phrase);
        }
        let mut plain = words(keyword).peekable();
        if plain.peek().is_none() {
            return false;
        }
        plain.all(|word| self.words.contains(&word)) || self.holds_terms(keyword)
    }

    fn holds_terms(&self, keyword: &str) -> bool {
        let plan = understand(keyword, 0, "UTC");
        // Single characters and parts are there for ranking; function words alone say nothing.
        let counts = |kind: TermKind| !matches!(kind, TermKind::Character | TermKind::StopWord);
        let mut terms = plan.terms.iter().filter(|term| counts(term.kind)).peekable();
        terms.peek().is_some()
            && terms.all(|term| term.alternatives.iter().any(|spelling| self.terms.contains(&spelling.term)))
    }
}

/// A phrase too short for a search to take it for one.
fn holds_words(text: &str, phrase: &str) -> bool {
    let (text, phrase): (Vec<String>, Vec<String>) = (words(text).collect(), words(phrase).collect());
    text.windows(phrase.len()).any(|run| run == phrase)
}

/// Words as memory-core cuts them: letters, numbers, `_` and `-`, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}
