//! What a query asks for, counted in words: how much of it a text holds.
//!
//! The terms of a query are no such count: in scripts without spaces most pairs of characters are no words, and a Korean
//! word is there as a whole and in pairs. What the notes do not hold of them would outweigh what they do.

use super::{
    candidates::{Candidates, idf},
    lines::Lines,
    plan::{FormKind, Plan},
};
use text::{
    fold::fold,
    language::{Language, stop_word_of},
    query::{QueryTerm, TermKind},
};

/// What a word that every line holds still counts, against one that a single line holds.
const COMMON_SHARE: f64 = 0.25;
/// A Chinese character, or one of katakana, is about half a word …
const CHARACTER: f64 = 0.5;
/// … and one of hiragana mostly an ending.
const HIRAGANA: f64 = 0.1;
/// How surely a character is meant that stands in a text without its neighbours …
const ALONE: f64 = 0.4;
/// … or with one that only shapes the sentence.
const BESIDE_FUNCTION: f64 = 0.6;
/// How surely a Korean word is meant when all pairs of its syllables are there, but not the word.
const IN_PAIRS: f64 = 0.9;
/// What a word counts that no note holds, where the question is in another language than what was found: none could.
const UNREADABLE: f64 = 0.1;
/// Words of a question, each as rare as can be, of which a share says as much as it seems. Of a longer one the same words are a
/// smaller share, and no weaker evidence …
const LONG: f64 = 3.0;
/// … in scripts whose characters are counted one by one …
const LONG_IN_CHARACTERS: f64 = 4.0;
/// … so it counts more by this power of its length beyond that, and of theirs. Measured in docs/ranking.md.
const LENGTH_POWER: f64 = 1.5;
const LENGTH_POWER_IN_CHARACTERS: f64 = 1.0;
/// Lines that are read for their language.
const READ_LINES: usize = 64;
/// Pairs below this weight are made of a character that only shapes the sentence, or of two hiragana.
const FULL_PAIR: f32 = 0.9;

/// The words of a query.
#[derive(Debug)]
pub(crate) struct QueryWords {
    words: Vec<Word>,
    total: f64,
}

/// A word of the query, or a character of a script that does not separate words.
#[derive(Debug)]
struct Word {
    /// Its weight in the query by how rare it is.
    worth: f64,
    /// Concepts that mean it, each with how surely.
    means: Vec<(usize, f64)>,
    /// Concepts that are parts of it, each with its share.
    parts: Vec<(usize, f64)>,
    /// What it is when it is a character.
    character: Option<char>,
}

impl QueryWords {
    /// Reads the words of a query. What is said about the time of the answer, not in it ("latest", 最近), counts nothing.
    #[must_use]
    pub(super) fn of(plan: &Plan, candidates: &Candidates, lines: &Lines<'_>) -> Self {
        let is_foreign = plan.is_foreign.unwrap_or_else(|| is_foreign(plan, lines));
        Self::weighed(plan, candidates, &rarity(plan, candidates, lines), is_foreign)
    }

    /// The same, each word as rare as the others.
    #[must_use]
    pub(super) fn alike(plan: &Plan, candidates: &Candidates) -> Self {
        Self::weighed(plan, candidates, &vec![1.0; plan.concepts.len()], false)
    }

    fn weighed(plan: &Plan, candidates: &Candidates, rarity: &[f64], is_foreign: bool) -> Self {
        let terms = &plan.query.terms;
        let is_about_time =
            |at: usize| plan.concepts[at].in_time || (plan.query.time.wants_recent && candidates.frequency[at] == 0);
        let asked = || (0..plan.concepts.len()).filter(|at| !is_about_time(*at));
        let mut words: Vec<Word> = Vec::new();
        for at in asked() {
            let term = &terms[at];
            if let Some(characters) = characters_of(term) {
                let is_pair = term.kind == TermKind::Pair;
                if !is_pair || term.weight >= FULL_PAIR || characters.iter().all(|c| is_hiragana(*c)) {
                    let surely = if is_pair { 1.0 } else { ALONE };
                    characters.into_iter().for_each(|c| character(&mut words, c).means.push((at, surely)));
                }
            } else if term.kind == TermKind::Pair
                && is_hangul(&term.surface)
                && let Some(word) = words.last_mut().filter(|word| terms[word.first()].surface == term.surface)
            {
                // The pairs of a Korean word follow it.
                word.parts.push((at, 1.0));
            } else {
                words.push(Word { means: vec![(at, 1.0)], ..Word::of(plan.concepts[at].weight, None) });
            }
        }
        for at in asked().filter(|at| terms[*at].weight < FULL_PAIR) {
            for c in characters_of(&terms[at]).filter(|_| terms[at].kind == TermKind::Pair).unwrap_or_default() {
                if let Some(word) = words.iter_mut().find(|word| word.character == Some(c)) {
                    word.means.push((at, BESIDE_FUNCTION));
                }
            }
        }
        for word in &mut words {
            word.weigh(rarity, candidates);
            let mut concepts = word.means.iter().chain(&word.parts).map(|(at, _)| *at);
            // What was looked for in other languages, and is in none, is not there.
            if is_foreign && concepts.all(|at| candidates.frequency[at] == 0 && !plan.concepts[at].is_translated) {
                word.worth *= UNREADABLE;
            }
        }
        let total = words.iter().map(|word| word.worth).sum::<f64>().max(f64::MIN_POSITIVE);
        Self { words, total }
    }

    /// Share of what is asked for that a text holds, 0–1. `held` says of each concept how surely the text holds it.
    #[must_use]
    pub(super) fn coverage(&self, held: &[f64]) -> f64 {
        self.words.iter().map(|word| word.worth * word.held(held)).sum::<f64>() / self.total
    }
}

impl QueryWords {
    /// What a share of the question is worth for the question being long, 1 or more.
    #[must_use]
    pub(super) fn length(&self) -> f64 {
        let is_in_characters = self.words.iter().any(|word| word.character.is_some() || !word.parts.is_empty());
        let (long, power) =
            if is_in_characters { (LONG_IN_CHARACTERS, LENGTH_POWER_IN_CHARACTERS) } else { (LONG, LENGTH_POWER) };
        (self.total / long).max(1.0).powf(power)
    }
}

impl Word {
    /// A word of a weight, for now as rare as can be.
    const fn of(weight: f64, character: Option<char>) -> Self {
        Self { worth: weight, means: Vec::new(), parts: Vec::new(), character }
    }

    /// Its first concept.
    fn first(&self) -> usize {
        self.means.first().map_or(0, |(at, _)| *at)
    }

    /// Makes it worth less the more common it is, and what is more common than the word a lesser sign of it.
    fn weigh(&mut self, rarity: &[f64], candidates: &Candidates) {
        let sure = self.means.iter().filter(|(at, surely)| *surely >= BESIDE_FUNCTION && candidates.frequency[*at] > 0);
        let own = sure.map(|(at, _)| rarity[*at]).reduce(f64::max).unwrap_or(1.0);
        self.worth *= own;
        let share = IN_PAIRS / self.parts.len().max(1) as f64;
        self.parts.iter_mut().for_each(|part| part.1 = share);
        for (at, surely) in self.means.iter_mut().chain(&mut self.parts) {
            *surely *= (rarity[*at] / own).min(1.0);
        }
    }

    fn held(&self, held: &[f64]) -> f64 {
        let whole = self.means.iter().map(|(at, surely)| surely * held[*at]).fold(0.0, f64::max);
        let parts: f64 = self.parts.iter().map(|(at, share)| share * held[*at]).sum();
        whole.max(parts)
    }
}

/// Whether a question is in another language than English, and what holds its words is in English, by their function words.
fn is_foreign(plan: &Plan, lines: &Lines<'_>) -> bool {
    if plan.is_known(Some(Language::English)) {
        return false;
    }
    let (mut english, mut own) = (0, 0);
    for line in lines.lines.iter().filter(|line| !line.counts.is_empty()).take(READ_LINES) {
        for word in line.text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            let speaks = stop_word_of(&fold(word));
            english += usize::from(speaks.contains(Language::English));
            own += usize::from(plan.query.languages.iter().any(|language| speaks.contains(*language)));
        }
    }
    english > 2 * own
}

/// The word of a character; each is one, however often it is asked for.
fn character(words: &mut Vec<Word>, c: char) -> &mut Word {
    let at = words.iter().position(|word| word.character == Some(c)).unwrap_or_else(|| {
        words.push(Word::of(if is_hiragana(c) { HIRAGANA } else { CHARACTER }, Some(c)));
        words.len() - 1
    });
    &mut words[at]
}

/// How rare each concept is: 1 for one that a single line of the index holds, or none, which says no more about any of
/// them. In a small index each chunk holds half of all words, so lines count too, each with the words of its headings.
fn rarity(plan: &Plan, candidates: &Candidates, lines: &Lines<'_>) -> Vec<f64> {
    let owners = plan.owners();
    let own: Vec<bool> = plan.forms().map(|(_, form)| form.kind != FormKind::Similar).collect();
    let mut holders = vec![0_usize; plan.concepts.len()];
    let mut last_holder = vec![usize::MAX; plan.concepts.len()];
    for (number, line) in lines.lines.iter().enumerate() {
        for (form, _) in line.counts.iter().chain(&lines.contexts[line.context].counts) {
            let concept = owners[usize::from(*form)];
            if own[usize::from(*form)] && last_holder[concept] != number {
                last_holder[concept] = number;
                holders[concept] += 1;
            }
        }
    }
    let per_chunk = lines.lines.len() as f64 / lines.chunks.len().max(1) as f64;
    let all_lines = (candidates.total as f64 * per_chunk.max(1.0)) as u64;
    let of = |total: u64, frequency: usize| (idf(total, frequency) / idf(total, 1).max(f64::MIN_POSITIVE)).min(1.0);
    let both = holders.iter().zip(&candidates.frequency);
    both.map(|(lines, chunks)| of(candidates.total, *chunks).min(of(all_lines, *lines)).max(COMMON_SHARE)).collect()
}

/// The characters of a term that is made of Chinese characters and kana, out of a longer run.
fn characters_of(term: &QueryTerm) -> Option<Vec<char>> {
    let is_dense = |c| matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}');
    let is_part = matches!(term.kind, TermKind::Pair | TermKind::Character) && term.surface.chars().all(is_dense);
    is_part.then(|| term.surface.chars().collect())
}

const fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}')
}

fn is_hangul(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'))
}
