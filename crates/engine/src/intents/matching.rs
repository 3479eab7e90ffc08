//! Whether a message mentions what an intent waits for. Words are compared as a search compares them: whatever their case,
//! accents and inflection, Chinese and Japanese by pairs of characters.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, LazyLock},
};

use parking_lot::Mutex;
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
    lower: String,
    terms: HashSet<String>,
    words: HashSet<String>,
}

impl Message {
    pub(super) fn new(text: &str) -> Self {
        let text: String = text.chars().take(MESSAGE_CHARS).collect();
        let terms = Analyzer::new().terms(&text).into_iter().collect();
        let words = words(&text).collect();
        Self { lower: text.to_lowercase(), text, terms, words }
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

    fn holds(&self, keyword: &str) -> bool {
        match &*keyword_of(keyword) {
            Keyword::Phrase { exact: Some(exact), .. } => holds_exactly(&self.lower, exact),
            Keyword::Phrase { folded, words: phrase, .. } => {
                folded.iter().any(|phrase| holds_phrase(&self.text, phrase)) || holds_run(&self.text, phrase)
            }
            Keyword::Words { plain, terms } => {
                let has_all = |terms: &[Vec<String>]| {
                    terms.iter().all(|spellings| spellings.iter().any(|term| self.terms.contains(term)))
                };
                (!plain.is_empty() && plain.iter().all(|word| self.words.contains(word)))
                    || (!terms.is_empty() && has_all(terms))
            }
        }
    }
}

/// What a keyword asks of a message.
enum Keyword {
    /// These words side by side: as a search reads them, and for one too short for that. Where a sign belongs to the word,
    /// as in `c++`, as it stands.
    Phrase { exact: Option<String>, folded: Vec<String>, words: Vec<String> },
    /// All of these words, as memory-core compares them, or each in one of its spellings.
    Words { plain: Vec<String>, terms: Vec<Vec<String>> },
}

/// Keywords that were taken apart: a reply waits, and every message is held against all of them.
static KEYWORDS: LazyLock<Mutex<HashMap<String, Arc<Keyword>>>> = LazyLock::new(Mutex::default);
/// Keywords that are remembered.
const MOST_KEYWORDS: usize = 20_000;

fn keyword_of(text: &str) -> Arc<Keyword> {
    if let Some(known) = KEYWORDS.lock().get(text) {
        return Arc::clone(known);
    }
    let keyword = Arc::new(taken_apart(text));
    let mut known = KEYWORDS.lock();
    if known.len() >= MOST_KEYWORDS {
        known.clear();
    }
    known.insert(text.to_owned(), Arc::clone(&keyword));
    keyword
}

fn taken_apart(text: &str) -> Keyword {
    let plan = understand(text, 0, "UTC");
    if let Some(phrase) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Keyword::Phrase { exact: signed(phrase), folded: plan.phrases, words: words(phrase).collect() };
    }
    // Single characters are there for ranking; function words alone say nothing.
    let counts = |kind: TermKind| !matches!(kind, TermKind::Character | TermKind::StopWord);
    let terms = plan.terms.into_iter().filter(|term| counts(term.kind));
    let spellings = terms.map(|term| term.alternatives.into_iter().map(|one| one.term).collect());
    Keyword::Words { plain: words(text).collect(), terms: spellings.collect() }
}

/// Whether any message can mention a keyword.
pub(super) fn can_be_mentioned(keyword: &str) -> bool {
    match taken_apart(keyword) {
        Keyword::Phrase { words, .. } => !words.is_empty(),
        Keyword::Words { plain, terms } => !plain.is_empty() || !terms.is_empty(),
    }
}

/// Whether a keyword is made of function words alone: any message holds "the" and "I". One between quotation marks is meant
/// as it stands.
pub(super) fn says_nothing(keyword: &str) -> bool {
    let plan = understand(keyword, 0, "UTC");
    let is_quoted = keyword.starts_with('"') && keyword.ends_with('"');
    // Words of time are no terms of a query either.
    !is_quoted && !plan.terms.is_empty() && plan.terms.iter().all(|term| term.kind == TermKind::StopWord)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// A phrase that begins or ends with a sign, in lower case; the end of a sentence is none.
fn signed(phrase: &str) -> Option<String> {
    let phrase = phrase.trim().trim_end_matches(['.', ',', ';', ':', '!', '?', '…', '。', '、', '！', '？']);
    let has_sign = !phrase.starts_with(is_of_word) || !phrase.ends_with(is_of_word);
    (has_sign && phrase.contains(is_of_word)).then(|| phrase.to_lowercase())
}

/// Whether a text in lower case holds a phrase as it stands, and not as a part of a longer word.
fn holds_exactly(lower: &str, phrase: &str) -> bool {
    lower.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (lower.get(..at).unwrap_or_default(), lower.get(at + phrase.len()..).unwrap_or_default());
        let goes_on_before = phrase.starts_with(is_of_word) && before.ends_with(is_of_word);
        let goes_on_after = phrase.ends_with(is_of_word) && after.starts_with(is_of_word);
        !goes_on_before && !goes_on_after
    })
}

/// Whether words stand side by side.
fn holds_run(text: &str, run: &[String]) -> bool {
    let text: Vec<String> = words(text).collect();
    !run.is_empty() && text.windows(run.len()).any(|some| some == run)
}

/// Words as memory-core cuts them: letters, numbers, `_` and `-`, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
