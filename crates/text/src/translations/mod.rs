//! Words of other languages that mean the same, for notes and questions that are not in one language: "Zahnarzt" for "dentist".
//!
//! `words.tsv` has a concept a line: the English word, and those of the other languages in the order of its first line, several
//! ones with "/" between them. Language models wrote it for this project, from no dictionary; tests check its form, nobody its
//! every word. What the words of a language are known by is made when one of them is first asked for.

pub mod meant;
mod table;

use table::{COLUMNS, Column, Meaning, concept, known_by, parts, words};
pub use table::{ENGLISH, FUNCTION_WORDS};

use crate::{
    fold::fold,
    language::Language,
    query::{QueryPlan, QueryTerm, TermKind},
    script::{Script, script},
    thesaurus,
    transliteration::in_latin,
};

/// Longest word of Chinese or Japanese that is looked for, in characters.
const LONGEST: usize = 8;
/// Concepts of a word that are put into English.
const GLOSSES: usize = 2;
/// Weight of the terms of a question that are put into English, at least.
const GLOSSED: f32 = 0.5;

/// Weight of a pair of characters that is no ending, at least.
const OWN: f32 = 0.9;

/// A term of the index that may stand for a word of another language.
#[derive(Debug, Clone, PartialEq)]
pub struct Translation {
    /// As in the full-text index.
    pub term: String,
    /// How surely it is that word, 0–1.
    pub surely: f32,
    /// Its language, where that has a stemmer.
    pub language: Option<Language>,
}

/// A question whose words are looked up.
#[derive(Debug)]
pub struct Speech<'q> {
    query: &'q QueryPlan,
    /// The languages it may be in, by their places in the table.
    languages: Vec<usize>,
    /// Its words of Chinese and Japanese that the table knows.
    runs: Vec<&'q str>,
}

impl<'q> Speech<'q> {
    /// A question by its script or its function words; none where neither tells its language, or it is none of the table.
    #[must_use]
    pub fn told(query: &'q QueryPlan) -> Option<Self> {
        let has = |wanted: &dyn Fn(char) -> bool| query.text.chars().any(wanted);
        let is_of: &dyn Fn(Column) -> bool = if has(&|c| script(c) == Script::Hangul) {
            &|column| column == Column::Korean
        } else if has(&|c| matches!(c, '\u{3041}'..='\u{30FF}')) {
            &|column| column == Column::Japanese
        } else if has(&|c| script(c) == Script::Ideographic) {
            &|column| column == Column::Chinese
        } else if query.is_in(Language::English) {
            &|column| column == Column::Of(Language::English)
        } else if let Some(language) = query.language {
            &move |column| column == Column::Of(language)
        } else {
            &|column| query.languages.iter().any(|language| column == Column::Of(*language))
        };
        let languages: Vec<usize> = (0..COLUMNS.len()).filter(|at| is_of(COLUMNS[*at])).collect();
        (!languages.is_empty()).then(|| Self { query, languages, runs: runs(&query.text) })
    }

    /// A question, where nothing tells in the languages that know most of its words. To find those out takes a moment the first time.
    #[must_use]
    pub fn of(query: &'q QueryPlan) -> Self {
        Self::told(query).unwrap_or_else(|| Self { query, languages: knowing_most(query), runs: runs(&query.text) })
    }

    /// Whether it may be in the language at a place of the table.
    #[must_use]
    pub fn may_be_in(&self, at: usize) -> bool {
        self.languages.contains(&at)
    }

    /// Function words of the languages it may be in, which most texts of these hold.
    pub fn function_words(&self) -> impl Iterator<Item = &'static str> {
        self.languages.iter().flat_map(|at| FUNCTION_WORDS[*at]).copied()
    }

    /// Terms of it that notes in another script do not hold: where any of them stands, some are in its language.
    pub fn own_terms(&self) -> impl Iterator<Item = &str> {
        let is_own = |term: &&QueryTerm| match term.kind {
            TermKind::Word => !term.surface.starts_with(|c: char| Language::English.writes(c)),
            TermKind::Pair => term.weight >= OWN,
            _ => false,
        };
        self.query
            .terms
            .iter()
            .filter(is_own)
            .flat_map(|term| &term.alternatives)
            .map(|spelling| spelling.term.as_str())
    }

    /// The word of Chinese or Japanese that a pair of characters is of.
    #[must_use]
    pub fn word_with(&self, pair: &str) -> Option<&'q str> {
        self.runs.iter().find(|run| run.contains(pair)).copied()
    }

    /// What stands for a word of it in those other languages, by their places in the table, that are `wanted`.
    #[must_use]
    pub fn translations(&self, word: &str, wanted: impl Fn(usize) -> bool) -> Vec<Translation> {
        let mut found: Vec<Translation> = Vec::new();
        let Some((from, meanings)) = meanings(word, &self.columns_for(word)) else { return found };
        for Meaning { concepts, surely } in meanings {
            for cells in concepts.into_iter().map(concept) {
                let cells = COLUMNS.iter().zip(cells).enumerate().filter(|(at, _)| *at != from && wanted(*at));
                for mut new in cells.flat_map(|(_, (column, cell))| words(cell).flat_map(|word| column.terms_of(word)))
                {
                    if new.term != word && found.iter().all(|known| known.term != new.term) {
                        new.surely *= surely;
                        found.push(new);
                    }
                }
            }
        }
        found
    }

    /// The question in English words, as far as the table knows those of it; none where it knows less than half of them.
    #[must_use]
    pub fn gloss(&self) -> Option<String> {
        let mut words: Vec<String> = Vec::new();
        let (mut asked, mut known) = (0, 0);
        for term in self.query.terms.iter().filter(|term| term.weight >= GLOSSED) {
            let found = match term.kind {
                TermKind::Pair => match self.word_with(&term.surface) {
                    Some(word) => self.english(word),
                    None => continue,
                },
                TermKind::Word => self.english(&term.surface),
                TermKind::Number | TermKind::Name | TermKind::File => Vec::new(),
                TermKind::Character | TermKind::StopWord => continue,
            };
            asked += 1;
            known += usize::from(!found.is_empty());
            // A name is known in Latin letters if at all.
            let as_name = || in_latin(&term.surface).unwrap_or_else(|| term.surface.clone());
            let spelt = if found.is_empty() { vec![as_name()] } else { found.into_iter().map(str::to_owned).collect() };
            for word in spelt {
                if !words.contains(&word) {
                    words.push(word);
                }
            }
        }
        (known > 0 && 2 * known >= asked).then(|| words.join(" "))
    }

    /// The English words of a word of another language.
    fn english(&self, word: &str) -> Vec<&'static str> {
        let mut columns = self.columns_for(word);
        columns.retain(|at| COLUMNS[*at] != Column::Of(Language::English));
        let meanings = meanings(word, &columns).map(|(_, meanings)| meanings).unwrap_or_default();
        let concepts = meanings.iter().rev().flat_map(|meaning| meaning.concepts.iter().take(GLOSSES));
        concepts.filter_map(|at| concept(*at).first().copied()).collect()
    }

    /// The columns that a word may be of: those of the question, then English, whose words are in questions of any language.
    fn columns_for(&self, word: &str) -> Vec<usize> {
        let Some(written) = word.chars().next().map(script) else { return Vec::new() };
        let is_own = |at: &usize| self.languages.contains(at);
        let is_written = |at: &usize| match COLUMNS[*at] {
            Column::Of(Language::English) => thesaurus::knows(&fold(&word.to_lowercase())),
            Column::Of(_) => written == Script::Spaced && is_own(at),
            Column::Chinese | Column::Japanese => written == Script::Ideographic,
            Column::Korean => written == Script::Hangul,
        };
        let mut columns: Vec<usize> = (0..COLUMNS.len()).filter(is_written).collect();
        columns.sort_by_key(|at| !is_own(at));
        columns
    }
}

/// The languages that know most words of a question; English is told otherwise.
fn knowing_most(query: &QueryPlan) -> Vec<usize> {
    let words = query.terms.iter().filter(|term| term.kind == TermKind::Word);
    let words: Vec<String> = words.map(|term| term.surface.to_lowercase()).collect();
    let knows = |at: usize| {
        let column = COLUMNS[at];
        let is_known = |word: &&String| column.may_write(word) && known_by(at, &column.keys_of_typed(word)).is_some();
        (words.iter().filter(is_known).count(), at)
    };
    let known: Vec<(usize, usize)> = (1..COLUMNS.len()).map(knows).collect();
    let most = known.iter().map(|(count, _)| *count).max().unwrap_or_default();
    known.into_iter().filter(|(count, _)| most > 0 && *count == most).map(|(_, at)| at).collect()
}

/// The first of some columns that knows a word, as a whole or else by its parts, and what it means there.
fn meanings(word: &str, columns: &[usize]) -> Option<(usize, Vec<Meaning>)> {
    let lower = word.to_lowercase();
    let keys = |at: usize| COLUMNS[at].keys_of_typed(&lower);
    let whole = columns.iter().find_map(|at| Some((*at, vec![known_by(*at, &keys(*at))?])));
    whole.or_else(|| columns.iter().find_map(|at| Some((*at, parts(*at, &keys(*at))?))))
}

/// The words of Chinese and Japanese in a text that the table knows, the longest ones, of two characters or more.
fn runs(text: &str) -> Vec<&str> {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let is_known = |word: &str| {
        let mut columns = (0..COLUMNS.len()).filter(|at| matches!(COLUMNS[*at], Column::Chinese | Column::Japanese));
        word.starts_with(|c| script(c) == Script::Ideographic)
            && columns.any(|at| known_by(at, &[word.to_owned()]).is_some())
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 < starts.len() {
        let mut ends = (at + 2..=(at + LONGEST).min(starts.len() - 1)).rev();
        let end = ends.find(|end| is_known(&text[starts[at]..starts[*end]]));
        found.extend(end.map(|end| &text[starts[at]..starts[end]]));
        at = end.unwrap_or(at + 1);
    }
    found
}

#[cfg(test)]
mod tests;
