//! The ways a word of a query may stand in the index: its stem in every language it may belong to.

use crate::fold::fold;
use crate::language::{Language, stem};
use crate::lexicon::{Lexicon, MAX_TERM_CHARS, WordId};

/// Weight of a part of a name next to the whole.
pub(super) const PART_WEIGHT: f32 = 0.4;
/// Weight of the words of a hyphenated word next to the whole.
pub(super) const COMPOUND_WEIGHT: f32 = 0.8;
/// Names up to this length are also looked for written as one word.
pub(super) const JOINED_CHARS: usize = 32;
/// Weight of a stem in a language the query does not seem to be in: names and loan words are in notes of any.
const FOREIGN: f32 = 0.6;

/// Spellings with weights, each once.
#[derive(Debug, Default)]
pub(super) struct Spellings(Vec<(String, f32)>);

impl Spellings {
    /// Adds a spelling, or raises its weight.
    pub(super) fn add(&mut self, term: String, weight: f32) {
        if term.is_empty() {
            return;
        }
        let term = match term.char_indices().nth(MAX_TERM_CHARS) {
            Some((end, _)) => term[..end].to_string(),
            None => term,
        };
        match self.0.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.max(weight),
            None => self.0.push((term, weight)),
        }
    }

    pub(super) fn into_vec(self) -> Vec<(String, f32)> {
        self.0
    }
}

/// The spellings of a word. `leaders` are the languages the query may be in; empty = any.
pub(super) fn of_word(lexicon: &mut Lexicon, id: WordId, surface: &str, leaders: &[Language]) -> Spellings {
    let mut spellings = Spellings::default();
    let lower = lexicon.lower(id).to_owned();
    let folded = lexicon.text(lexicon.word(id).folded).to_owned();
    if lexicon.word(id).has_digit {
        if let Some(parted) = part_digits(&folded) {
            spellings.add(parted, 0.9);
        }
        spellings.add(folded, 1.0);
        return spellings;
    }
    let candidates = Language::of_script(&lower);
    let likely: Vec<Language> = candidates.iter().copied().filter(|l| leaders.contains(l)).collect();
    let others = candidates.iter().copied().filter(|l| !likely.contains(l));
    for language in likely.iter().copied().chain(others) {
        let is_likely = likely.is_empty() || likely.contains(&language);
        // English is what the analyzer falls back on, so any word may stand there by its English stem.
        let weight = if is_likely || language == Language::English { 1.0 } else { FOREIGN };
        let term = lexicon.stem(id, language);
        let term = lexicon.text(term).to_owned();
        spellings.add(term, weight);
        if is_likely && folded != lower {
            spellings.add(stem(&folded, language), 0.9);
        }
    }
    // Typed ae, oe, ue for ä, ö, ü.
    if likely.is_empty() || likely.contains(&Language::German) {
        let umlauts = folded.replace("ae", "a").replace("oe", "o").replace("ue", "u");
        if umlauts != folded && candidates.contains(&Language::German) {
            spellings.add(stem(&umlauts, Language::German), 0.8);
        }
    }
    spellings.add(folded, 1.0);
    if let Some(snake) = snake(surface) {
        spellings.add(snake, 0.9);
    }
    spellings
}

/// `gpt4` → `gpt_4`: the same name with a border.
fn part_digits(word: &str) -> Option<String> {
    let letters = word.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0)?;
    let (head, tail) = word.split_at(letters);
    tail.bytes().all(|b| b.is_ascii_digit()).then(|| format!("{head}_{tail}"))
}

/// `fooBar` → `foo_bar`.
fn snake(surface: &str) -> Option<String> {
    let mut out = String::new();
    let mut previous_lower = false;
    for c in surface.chars() {
        if c.is_ascii_uppercase() && previous_lower {
            out.push('_');
        }
        previous_lower = c.is_ascii_lowercase();
        out.push(c);
    }
    (out.len() != surface.len()).then(|| fold(&out))
}
