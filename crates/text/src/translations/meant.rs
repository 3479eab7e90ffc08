//! What words mean that are not English, by way of their English words: how alike two words of a language are is how alike
//! those are (`thesaurus`).

use std::sync::{LazyLock, OnceLock};

use super::{
    Speech, Translation, meanings,
    table::{COLUMNS, Column, ENGLISH, Meaning, concept, concepts, known_by, words},
};
use crate::{
    language::{Language, stem},
    lexicon::term_hash,
    thesaurus::{self, word_signs::WordSigns},
};

/// How surely another word of the same concept is meant: a concept is an English word, which may mean several things.
const SAME_CONCEPT: f32 = 0.8;
/// Words of similar meaning of one word, at most.
const MOST_SIMILAR: usize = 16;

/// What the English word of each concept means; of several words the last one says what it is.
static SIGNS: LazyLock<Vec<Option<WordSigns>>> = LazyLock::new(|| {
    let english = concepts().map(|cells| cells[ENGLISH].rsplit(' ').next().unwrap_or_default());
    english.map(|word| WordSigns::of(term_hash(&stem(word, Language::English)))).collect()
});

/// Of each language: terms of the index by their hash, ascending, and the concepts that they stand for.
static TERMS: [OnceLock<Vec<(u32, u16)>>; COLUMNS.len()] = [const { OnceLock::new() }; COLUMNS.len()];

/// What terms of the index mean in some languages of the table.
#[derive(Debug)]
pub struct Meanings {
    others: Vec<&'static [(u32, u16)]>,
    is_english: bool,
}

impl Meanings {
    /// What a term means, by its [`term_hash`]: something different for each word that it may be.
    pub fn of(&self, hash: u32) -> impl Iterator<Item = WordSigns> {
        let of_column = move |terms: &&'static [(u32, u16)]| {
            let begin = terms.partition_point(|(known, _)| *known < hash);
            terms[begin..].iter().take_while(move |(known, _)| *known == hash)
        };
        let others = self.others.iter().flat_map(of_column).filter_map(|(_, concept)| SIGNS[usize::from(*concept)]);
        others.chain(self.is_english.then(|| WordSigns::of(hash)).flatten())
    }
}

impl Speech<'_> {
    /// What terms mean in the languages that the question may be in, and in English where notes are: a word like "hat" is another
    /// one there.
    #[must_use]
    pub fn meanings(&self, is_english: bool) -> Meanings {
        let own = self.languages.iter().filter(|at| **at != ENGLISH);
        Meanings { others: own.map(|at| TERMS[*at].get_or_init(|| read(*at)).as_slice()).collect(), is_english }
    }

    /// What a word of it means, or the words that it is made of.
    #[must_use]
    pub fn meaning(&self, word: &str) -> Vec<WordSigns> {
        let concepts = self.own_meanings(word).into_iter().flat_map(|(_, meaning)| meaning.concepts);
        concepts.filter_map(|concept| SIGNS[usize::from(concept)]).collect()
    }

    /// Words of its language whose meaning is similar to that of a word of it, most similar first.
    #[must_use]
    pub fn similar(&self, word: &str) -> Vec<Translation> {
        let mut found: Vec<Translation> = Vec::new();
        for (column, Meaning { concepts, surely }) in self.own_meanings(word) {
            for cells in concepts.into_iter().map(concept) {
                add(&mut found, column, cells[column], SAME_CONCEPT * surely);
                for similar in thesaurus::similar(cells[ENGLISH]) {
                    let english = stem(similar.word, Language::English);
                    let same = known_by(ENGLISH, &[english]).map(|meaning| meaning.concepts).unwrap_or_default();
                    for cells in same.into_iter().map(self::concept) {
                        add(&mut found, column, cells[column], similar.similarity * surely);
                    }
                }
            }
        }
        found.sort_by(|a, b| b.surely.total_cmp(&a.surely));
        found.truncate(MOST_SIMILAR);
        found
    }

    /// What a word means in the languages that the question may be in, English aside, each by its place in the table.
    fn own_meanings(&self, word: &str) -> Vec<(usize, Meaning)> {
        let mut columns = self.columns_for(word);
        columns.retain(|at| *at != ENGLISH && self.may_be_in(*at));
        let found = meanings(word, &columns);
        found.map(|(at, meanings)| meanings.into_iter().map(|meaning| (at, meaning)).collect()).unwrap_or_default()
    }
}

/// Adds the terms of a cell, each as surely as any word that it is of.
fn add(found: &mut Vec<Translation>, column: usize, cell: &'static str, surely: f32) {
    for new in words(cell).flat_map(|word| COLUMNS[column].terms_of(word)) {
        let surely = surely * new.surely;
        match found.iter_mut().find(|known| known.term == new.term) {
            Some(known) => known.surely = known.surely.max(surely),
            None => found.push(Translation { surely, ..new }),
        }
    }
}

/// The terms of a column, and what they stand for. What is only a part of a word stands for too much.
fn read(at: usize) -> Vec<(u32, u16)> {
    let column: Column = COLUMNS[at];
    let mut terms: Vec<(u32, u16)> = Vec::new();
    for (concept, cells) in (0..).zip(concepts()) {
        let of_cell = words(cells[at]).flat_map(|word| column.terms_of(word)).filter(|term| term.surely >= 1.0);
        terms.extend(of_cell.map(|term| (term_hash(&term.term), concept)));
    }
    terms.sort_unstable();
    terms.dedup();
    terms
}
