//! The table of words: its languages, and what each word of it is known by.

use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

use foldhash::fast::RandomState;

use super::Translation;
use crate::{
    fold::fold,
    hangul::strip_particle,
    language::{Language, stem},
};

pub(super) static TABLE: &str = include_str!("words.tsv");
static CONCEPTS: LazyLock<Vec<Vec<&'static str>>> =
    LazyLock::new(|| TABLE.lines().skip(1).map(|line| line.split('\t').collect()).collect());

/// How surely a pair of characters out of a longer word stands for it, and a single character for its word.
const PART: f32 = 0.5;

/// Katakana that tell little of the word that they stand in.
const SIGNS: &str = "ーッャュョァィゥェォン";
/// Letters of the first word of a compound, and of its last, at least.
const HEAD: usize = 3;
const TAIL: usize = 3;
/// What stands between two words that are joined.
const LINKS: [&str; 6] = ["", "s", "n", "en", "es", "e"];
/// How surely the last word of a compound stands for it, which says what it is, and the first.
const LAST: f32 = 0.8;
const FIRST: f32 = 0.5;

/// A language of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// With a stemmer.
    Of(Language),
    Chinese,
    Japanese,
    Korean,
}

/// The place of English in the table.
pub const ENGLISH: usize = 0;

/// The languages of the table, in its order.
pub(super) const COLUMNS: [Column; 14] = [
    Column::Of(Language::English),
    Column::Of(Language::German),
    Column::Of(Language::Spanish),
    Column::Of(Language::Portuguese),
    Column::Of(Language::French),
    Column::Of(Language::Italian),
    Column::Of(Language::Dutch),
    Column::Of(Language::Swedish),
    Column::Of(Language::Russian),
    Column::Of(Language::Turkish),
    Column::Of(Language::Arabic),
    Column::Chinese,
    Column::Japanese,
    Column::Korean,
];

/// Function words of each language of the table, in its order, which are rare in the others.
pub const FUNCTION_WORDS: [&[&str]; COLUMNS.len()] = [
    &["the", "and", "is", "with", "for"],
    &["und", "der", "die", "ist", "mit"],
    &["los", "las", "una", "del", "el"],
    &["nao", "uma", "dos", "ao", "em"],
    &["les", "des", "est", "une", "pour"],
    &["della", "che", "il", "gli", "per"],
    &["het", "een", "van", "voor", "met"],
    &["och", "att", "ar", "med", "ett"],
    &["и", "в", "на", "не", "с"],
    &["ve", "bir", "icin", "ile", "bu"],
    &["في", "من", "على", "الى", "مع"],
    &["的", "了", "在", "是", "把"],
    &["です", "ます", "した", "して", "から"],
    &["니다", "에서", "는다", "했다", "으로"],
];

/// Of words of one column: what a word is known by → the concepts that have it.
type Known = HashMap<String, Vec<u16>, RandomState>;

/// Parts of a column. Only those that words of a question may be in are made: to find the stems of all words of eleven languages
/// takes 60 ms, and the first search would wait for it.
const PARTS: usize = 32;

static KNOWN: [[OnceLock<Known>; PARTS]; COLUMNS.len()] = [const { [const { OnceLock::new() }; PARTS] }; COLUMNS.len()];

/// The concepts of a column that are known by a key.
fn known(column: usize, key: &str) -> Option<&'static Vec<u16>> {
    let part = COLUMNS[column].part_of(key);
    KNOWN[column][part].get_or_init(|| read(column, part)).get(key)
}

/// What a word means.
#[derive(Debug)]
pub(super) struct Meaning {
    /// Lines of the table.
    pub concepts: Vec<u16>,
    /// How surely, 0–1.
    pub surely: f32,
}

/// The words of a concept, a cell for each language.
pub(super) fn concept(at: u16) -> &'static [&'static str] {
    CONCEPTS.get(usize::from(at)).map_or(&[], Vec::as_slice)
}

/// All concepts, in the order of the table.
pub(super) fn concepts() -> impl Iterator<Item = &'static [&'static str]> {
    CONCEPTS.iter().map(Vec::as_slice)
}

/// What a column knows by any of some keys.
pub(super) fn known_by(column: usize, keys: &[String]) -> Option<Meaning> {
    let mut concepts: Vec<u16> = keys.iter().filter_map(|key| known(column, key)).flatten().copied().collect();
    concepts.sort_unstable();
    concepts.dedup();
    (!concepts.is_empty()).then_some(Meaning { concepts, surely: 1.0 })
}

/// The words that a word is made of, the last one first. Of a Korean word what follows may be its ending.
pub(super) fn parts(column: usize, keys: &[String]) -> Option<Vec<Meaning>> {
    let known = |part: &str, surely: f32| Some(Meaning { concepts: known(column, part)?.clone(), surely });
    match COLUMNS[column] {
        Column::Of(language) if language.joins_words() => keys.iter().find_map(|word| {
            let splits = word.char_indices().map(|(at, _)| word.split_at(at));
            let mut long = splits.filter(|(head, tail)| head.chars().count() >= HEAD && tail.chars().count() >= TAIL);
            // The longest last word comes first.
            long.find_map(|(head, tail)| {
                let last = known(tail, LAST)?;
                let mut heads = LINKS.iter().filter_map(|link| head.strip_suffix(link));
                Some(vec![last, heads.find_map(|head| known(&stem(head, language), FIRST))?])
            })
        }),
        Column::Korean => keys.iter().find_map(|word| {
            let mut ends =
                word.char_indices().rev().map(|(at, _)| at).filter(|at| word[..*at].chars().nth(1).is_some());
            ends.find_map(|end| Some(vec![known(&word[..end], LAST)?]))
        }),
        _ => None,
    }
}

/// The words of a cell.
pub(super) fn words(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split('/').filter(|word| *word != "-")
}

/// A part of a column.
fn read(at: usize, part: usize) -> Known {
    let mut known = Known::default();
    for (concept, cells) in (0..).zip(CONCEPTS.iter()) {
        let of_part = words(cells[at]).filter(|word| COLUMNS[at].part_of(word) == part);
        for key in of_part.flat_map(|word| COLUMNS[at].keys_of(word)) {
            known.entry(key).or_default().push(concept);
        }
    }
    known
}

/// The stem of a word; the word where a letter is left, as of Turkish "dini".
fn key(word: &str, language: Language) -> String {
    let stem = stem(word, language);
    if stem.chars().nth(1).is_some() { stem } else { fold(word) }
}

impl Column {
    /// Whether its language is written in letters of a word.
    pub(super) fn may_write(self, word: &str) -> bool {
        match self {
            Self::Of(language) => word.chars().any(|c| language.writes(c)),
            Self::Chinese | Self::Japanese | Self::Korean => true,
        }
    }

    /// The part that a word is in, and whatever it is known by: by its first letter, which only stems of Arabic leave out.
    fn part_of(self, word: &str) -> usize {
        let first = if self == Self::Of(Language::Arabic) { None } else { word.chars().next() };
        let letter = match first {
            Some(c) if c.is_ascii() => Some(c.to_ascii_lowercase()),
            Some(c) => fold(c.encode_utf8(&mut [0; 4])).chars().next(),
            None => None,
        };
        letter.map_or(0, |c| c as usize % PARTS)
    }

    /// What a lower-case word as it is typed may be known by.
    pub(super) fn keys_of_typed(self, word: &str) -> Vec<String> {
        match self {
            Self::Of(language) => vec![key(word, language), key(&fold(word), language)],
            Self::Korean => vec![word.to_owned(), strip_particle(word).to_owned()],
            Self::Chinese | Self::Japanese => vec![word.to_owned()],
        }
    }

    /// What a word of the table is known by.
    fn keys_of(self, word: &str) -> Vec<String> {
        match self {
            // Several words are found by none of them.
            Self::Of(_) if word.contains(' ') => Vec::new(),
            Self::Of(language) => vec![key(word, language)],
            Self::Japanese => {
                // 食べる: what follows the stem changes.
                let stem = word.strip_suffix(['る', 'う', 'く', 'ぐ', 'す', 'つ', 'ぬ', 'ぶ', 'む', 'い']);
                let stem = stem.filter(|stem| stem.chars().nth(1).is_some());
                [Some(word), stem].into_iter().flatten().map(str::to_owned).collect()
            }
            Self::Chinese | Self::Korean => vec![word.to_owned()],
        }
    }

    /// The terms by which the index has a word.
    pub(super) fn terms_of(self, word: &str) -> Vec<Translation> {
        let language = if let Self::Of(language) = self { Some(language) } else { None };
        let whole = |term: String| Translation { term, surely: 1.0, language };
        let part = |term: String| Translation { term, surely: PART, language };
        match self {
            Self::Of(language) if word.contains(' ') => {
                word.split(' ').map(|word| part(stem(word, language))).collect()
            }
            // A line without function words is read as English.
            Self::Of(language) => {
                let mut terms = vec![whole(stem(word, language)), whole(stem(&fold(word), Language::English))];
                terms.dedup();
                terms
            }
            Self::Korean => vec![whole(word.to_owned())],
            Self::Chinese | Self::Japanese => {
                let characters: Vec<char> = word.chars().collect();
                match characters.as_slice() {
                    [only] => vec![part(only.to_string())],
                    [_, _] => vec![whole(word.to_owned())],
                    // Others of its pairs are in too many words, as those with a sign that makes a vowel long.
                    longer => [longer.first_chunk::<2>(), longer.last_chunk::<2>()]
                        .into_iter()
                        .flatten()
                        .filter(|pair| !pair.iter().any(|c| SIGNS.contains(*c)))
                        .map(|pair| part(pair.iter().collect()))
                        .collect(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A word whose key is looked for in another part would not be known.
    #[test]
    fn a_word_and_what_it_is_known_by_are_in_one_part() {
        for cells in CONCEPTS.iter() {
            for (column, cell) in COLUMNS.iter().zip(cells) {
                for word in words(cell) {
                    let part = column.part_of(word);
                    for key in column.keys_of(word) {
                        assert_eq!(column.part_of(&key), part, "{column:?} {word} {key}");
                    }
                }
            }
        }
    }
}
