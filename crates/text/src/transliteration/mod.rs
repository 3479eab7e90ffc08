//! Names in another script: "Sergei" for "Сергей", "田中" for "Tanaka". There is no one way to write a name in other letters,
//! so that each word has a number of spellings, the most usual first, of which an index holds one or none.

mod letters;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use foldhash::fast::RandomState;

use letters::{FROM_CYRILLIC, FROM_GREEK, TO_CYRILLIC, TO_GREEK, Table};

use crate::{
    fold::fold,
    language::{Language, stem},
};

/// Spellings of a word that are gone on with, and returned.
const MOST: usize = 32;
/// What the stems of names have behind them in the first case, in Latin letters.
const CYRILLIC_ENDINGS: &[&str] = &["", "a", "y", "ya", "ia", "i", "iy", "ey", "ei"];
const GREEK_ENDINGS: &[&str] = &["", "os", "is", "as", "a", "i", "o"];
/// Stemmers of languages whose names other scripts are asked for most.
const LATIN: [Language; 6] =
    [Language::English, Language::German, Language::French, Language::Spanish, Language::Portuguese, Language::Italian];

/// Common family names of Japan in Chinese characters and in Latin letters: which reading a name has is in no rule. Of two
/// characters each, as the terms of an index are.
static FAMILY_NAMES: &str = include_str!("family-names.tsv");
/// Them by either way to write them.
static NAMESAKES: LazyLock<HashMap<&str, Vec<&str>, RandomState>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<&str>, RandomState> = HashMap::default();
    for (latin, name) in FAMILY_NAMES.lines().filter_map(|line| line.split_once('\t')) {
        all.entry(latin).or_default().push(name);
        all.entry(name).or_default().push(latin);
    }
    all
});

/// A script that names are spelt in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// Latin letters.
    Latin,
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters.
    Greek,
    /// Chinese characters, of names of Japan.
    Ideographs,
}

impl Alphabet {
    /// The alphabet that a word is written in, where it is one of these.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        let of_char = |c: char| match c {
            'a'..='z' | 'A'..='Z' | '\u{C0}'..='\u{24F}' => Some(Self::Latin),
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Some(Self::Greek),
            '\u{400}'..='\u{52F}' => Some(Self::Cyrillic),
            '\u{3005}' | '\u{4E00}'..='\u{9FFF}' => Some(Self::Ideographs),
            _ => None,
        };
        let mut all = word.chars().map(of_char);
        let first = all.next().flatten()?;
        all.all(|next| next == Some(first)).then_some(first)
    }

    /// Those of which an index is asked whether it has texts in them before names are looked for: words in Latin letters are
    /// in most notes, and family names of Japan are few.
    pub const ASKED_FOR: [Self; 2] = [Self::Cyrillic, Self::Greek];

    /// Words that most texts in it hold, as terms; none of an alphabet that is not asked for.
    #[must_use]
    pub const fn common_terms(self) -> &'static [&'static str] {
        match self {
            Self::Latin | Self::Ideographs => &[],
            Self::Cyrillic => &["и", "в", "на", "не", "с", "у", "по", "що", "та", "я", "је"],
            Self::Greek => &["και", "το", "η", "ο", "να", "με", "τη", "στο"],
        }
    }

    /// Whether it has capital letters, which tell a name.
    #[must_use]
    pub fn has_case(self) -> bool {
        self != Self::Ideographs
    }
}

/// The terms of an index that a word may have as a name in other scripts out of `wanted`, the most usual of each first.
#[must_use]
pub fn spellings(word: &str, wanted: &[Alphabet]) -> Vec<String> {
    let lower = fold(word);
    let Some(own) = Alphabet::of(&lower) else { return Vec::new() };
    let of = |alphabet: &Alphabet| match (own, *alphabet) {
        (Alphabet::Latin, Alphabet::Cyrillic) => terms(spelt(&lower, TO_CYRILLIC, &[]), &[Language::Russian]),
        (Alphabet::Latin, Alphabet::Greek) => terms(spelt(&lower, TO_GREEK, &[]), &[Language::Greek]),
        (Alphabet::Latin, Alphabet::Ideographs) | (Alphabet::Ideographs, Alphabet::Latin) => {
            family_names(&lower).iter().map(|name| (*name).to_owned()).collect()
        }
        (Alphabet::Cyrillic, Alphabet::Latin) => {
            terms(declined(&lower, Language::Russian, FROM_CYRILLIC, CYRILLIC_ENDINGS), &LATIN)
        }
        (Alphabet::Greek, Alphabet::Latin) => {
            terms(declined(&lower, Language::Greek, FROM_GREEK, GREEK_ENDINGS), &LATIN)
        }
        _ => Vec::new(),
    };
    wanted.iter().flat_map(of).collect()
}

/// The most usual way to write a word of another script in Latin letters; none where none is known.
#[must_use]
pub fn in_latin(word: &str) -> Option<String> {
    let lower = fold(word);
    match Alphabet::of(&lower)? {
        Alphabet::Latin => None,
        Alphabet::Ideographs => family_names(&lower).first().map(|name| (*name).to_owned()),
        Alphabet::Cyrillic => spelt(&lower, FROM_CYRILLIC, &[]).into_iter().next(),
        Alphabet::Greek => spelt(&lower, FROM_GREEK, &[]).into_iter().next(),
    }
}

/// A family name of Japan in the other letters.
fn family_names(word: &str) -> &'static [&'static str] {
    NAMESAKES.get(word).map_or(&[], Vec::as_slice)
}

/// What a word becomes as it stands, and as in the first case.
fn declined(lower: &str, language: Language, table: Table, endings: &[&str]) -> Vec<String> {
    let mut all = spelt(lower, table, &[]);
    all.extend(spelt(&stem(lower, language), table, endings));
    all
}

/// What a word becomes by a table, the most usual first, with one of some endings if there are any.
fn spelt(word: &str, table: Table, endings: &[&str]) -> Vec<String> {
    let end = if endings.is_empty() { "$" } else { "" };
    let word = format!("^{word}{end}");
    // Of each place in the word, spellings of what lies before it, and what each costs: the place of what was chosen among
    // what a letter may be.
    let mut up_to: Vec<Vec<(usize, String)>> = vec![Vec::new(); word.len() + 1];
    up_to[0].push((0, String::new()));
    for (at, _) in word.char_indices() {
        let here = cheapest(std::mem::take(&mut up_to[at]));
        for (from, to) in table.iter().filter(|(from, _)| word[at..].starts_with(from)) {
            let there = &mut up_to[at + from.len()];
            for (cost, head) in &here {
                there.extend(to.iter().enumerate().map(|(more, tail)| (cost + more, format!("{head}{tail}"))));
            }
        }
    }
    let whole = cheapest(up_to.pop().unwrap_or_default());
    let with = |(cost, stem): (usize, String)| {
        let endings = endings.iter().enumerate();
        endings.map(move |(more, ending)| (cost + more, format!("{stem}{ending}")))
    };
    let all = if endings.is_empty() { whole } else { cheapest(whole.into_iter().flat_map(with).collect()) };
    all.into_iter().map(|(_, spelling)| spelling).collect()
}

/// The cheapest of some spellings, each once.
fn cheapest(mut all: Vec<(usize, String)>) -> Vec<(usize, String)> {
    all.sort_unstable();
    let mut known = BTreeSet::new();
    all.retain(|(_, spelling)| known.len() < MOST && known.insert(spelling.clone()));
    all
}

/// The terms that stand for words in an index, in the order of the words.
fn terms(words: Vec<String>, languages: &[Language]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let of_word = |word: String| {
        let stems: Vec<String> = languages.iter().map(|language| stem(&word, *language)).collect();
        std::iter::once(word).chain(stems)
    };
    words
        .into_iter()
        .flat_map(of_word)
        .filter(|term| term.chars().nth(1).is_some() && known.insert(term.clone()))
        .collect()
}
