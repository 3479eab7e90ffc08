//! Whether a message mentions what an intent waits for. Words are compared as a search compares them: whatever their case,
//! accents and inflection, Chinese and Japanese by pairs of characters.

use std::collections::HashSet;

use serde::Serialize;

use super::intent::StandingIntent;
use text::{
    analyze::Analyzer,
    query::{TermKind, as_phrase, understand},
};

/// Characters of a message that are looked at.
const MESSAGE_CHARS: usize = 20_000;

/// Longest message, in characters, whose words are read in every language that it may be in. "Meine Kinder" tells none, and read as
/// English it mentions no "Kind"; a longer one has words of the grammar that tell.
const SHORT_CHARS: usize = 200;

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
    lower: String,
    /// As phrases of a query are written.
    folded: String,
    folded_words: HashSet<String>,
    terms: HashSet<String>,
    /// As memory-core cuts them, in order.
    in_order: Vec<String>,
    words: HashSet<String>,
}

impl Message {
    pub(super) fn new(text: &str) -> Self {
        let text: String = text.chars().take(MESSAGE_CHARS).collect();
        let in_order: Vec<String> = words(&text).collect();
        let folded = as_phrase(&text);
        Self {
            lower: text.to_lowercase(),
            folded_words: text::words::words(&folded).map(str::to_owned).collect(),
            folded,
            terms: Analyzer::new().terms(&text).into_iter().chain(readings(&text)).collect(),
            words: in_order.iter().cloned().collect(),
            in_order,
        }
    }

    /// Whether anything in it can be a keyword.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// What it mentions of an intent that waits for `watched`.
    pub(super) fn mentions(&self, intent: &StandingIntent, watched: &Watched) -> Option<Mention> {
        let found = |keywords: &[String], taken_apart: &[Keyword]| {
            let mut both = keywords.iter().zip(taken_apart);
            both.find(|(_, keyword)| self.holds(keyword)).map(|(text, _)| text.clone())
        };
        let keyword = found(&intent.trigger_keywords, &watched.keywords)?;
        Some(Mention { keyword, unless: found(&intent.unless, &watched.unless) })
    }

    fn holds(&self, keyword: &Keyword) -> bool {
        match keyword {
            Keyword::Phrase { exact: Some(exact), .. } => stands_in(&self.lower, exact, is_of_word),
            Keyword::Phrase { folded, words: phrase, .. } => {
                folded.iter().any(|phrase| self.holds_folded(phrase)) || self.holds_run(phrase)
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

    /// Whether a phrase of a query stands in it.
    fn holds_folded(&self, phrase: &str) -> bool {
        let may_stand = |word: &str| self.folded_words.contains(word) || !word.chars().all(is_of_spaced_word);
        text::words::words(phrase).all(may_stand) && stands_in(&self.folded, phrase, is_of_spaced_word)
    }

    /// Whether words stand side by side.
    fn holds_run(&self, run: &[String]) -> bool {
        // Nearly always one of them is not there at all.
        !run.is_empty()
            && run.iter().all(|word| self.words.contains(word))
            && self.in_order.windows(run.len()).any(|some| some == run)
    }
}

/// What an intent waits for, taken apart once: a reply waits, and every message is held against all of them.
#[derive(Debug)]
pub(super) struct Watched {
    keywords: Vec<Keyword>,
    unless: Vec<Keyword>,
}

impl Watched {
    pub(super) fn of(intent: &StandingIntent) -> Self {
        let all = |keywords: &[String]| keywords.iter().map(|keyword| taken_apart(keyword)).collect();
        Self { keywords: all(&intent.trigger_keywords), unless: all(&intent.unless) }
    }
}

/// What a keyword asks of a message.
#[derive(Debug)]
enum Keyword {
    /// These words side by side: as a search reads them, and for one too short for that. Where a sign belongs to the word,
    /// as in `c++`, as it stands.
    Phrase { exact: Option<String>, folded: Vec<String>, words: Vec<String> },
    /// All of these words, as memory-core compares them, or each in one of its spellings.
    Words { plain: Vec<String>, terms: Vec<Vec<String>> },
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

/// The forms of the words of a short message in the languages that it may be in.
fn readings(message: &str) -> Vec<String> {
    if message.chars().nth(SHORT_CHARS).is_some() {
        return Vec::new();
    }
    let terms = understand(message, 0, "UTC").terms.into_iter().filter(|term| term.kind == TermKind::Word);
    let likely = |term: text::query::QueryTerm| {
        let most = term.alternatives.iter().map(|form| form.weight).fold(0.0, f32::max);
        term.alternatives.into_iter().filter(move |form| form.weight >= most).map(|form| form.term)
    };
    terms.flat_map(likely).collect()
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

/// A character of a word that is written apart from others, with nothing attached to it.
fn is_of_spaced_word(c: char) -> bool {
    // Latin, Greek, Cyrillic and Armenian come first in Unicode; after them come scripts without spaces, or with prefixes.
    c.is_alphanumeric() && c < '\u{0590}'
}

/// Whether a text holds a phrase, and not as a part of a longer word.
fn stands_in(text: &str, phrase: &str, is_of_word: impl Fn(char) -> bool) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + phrase.len()..).unwrap_or_default());
        let goes_on_before = phrase.starts_with(&is_of_word) && before.ends_with(&is_of_word);
        let goes_on_after = phrase.ends_with(&is_of_word) && after.starts_with(&is_of_word);
        !goes_on_before && !goes_on_after
    })
}

/// Words as memory-core cuts them: letters, numbers, `_` and `-`, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions(keyword: &str, message: &str) -> bool {
        Message::new(message).holds(&taken_apart(keyword))
    }

    // Short messages were read as English: "Meine Kinder" mentioned no "Kind".
    #[test]
    fn short_messages_mention_inflected_keywords() {
        for (keyword, message) in [
            ("Kind", "Meine Kinder"),
            ("kind", "Mit den Kindern"),
            ("Kind", "Kinder kommen morgen"),
            ("Steuererklärung", "zwei Steuererklärungen"),
            ("Apfel", "Mit Äpfeln"),
            ("reunião", "duas reuniões"),
            ("boat", "two boats"),
            ("лодка", "две лодки"),
        ] {
            assert!(mentions(keyword, message), "{keyword}: {message}");
        }
        for (keyword, message) in [("art", "a party"), ("luz", "lunes por la tarde")] {
            assert!(!mentions(keyword, message), "{keyword}: {message}");
        }
    }
}
