//! Words and terms seen so far, each analysed once: most of a text repeats.

use std::{hash::BuildHasher as _, ops::Range};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::analyze::context_term;
use super::compound::{ends, may_be_compound};
use super::fold::{bare, lower_into};
use super::language::{Language, Languages, letters_of, stem, stop_word_as_written};

/// Longest term in characters; longer ones (keys, encoded data) are cut alike in texts and queries.
pub(crate) const MAX_TERM_CHARS: usize = 64;

/// The lower 32 bits of XXH3-64 of the term: the same on every platform and in every version.
#[must_use]
pub fn term_hash(term: &str) -> u32 {
    xxhash_rust::xxh3::xxh3_64(term.as_bytes()) as u32
}

/// Number of a term in a [`Lexicon`].
pub(crate) type TermId = u32;

/// Number of a word in a [`Lexicon`].
pub(crate) type WordId = u32;

const UNKNOWN: TermId = TermId::MAX;

/// Where a text stands in the memory of a lexicon.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: u32,
    end: u32,
}

/// The texts of a lexicon, one behind the other: a word costs no allocation of its own, and what is looked up one after the
/// other stands near to each other.
#[derive(Debug, Default)]
struct Texts(String);

impl Texts {
    fn add(&mut self, text: &str) -> Place {
        let start = self.0.len() as u32;
        self.0.push_str(text);
        Place { start, end: self.0.len() as u32 }
    }

    fn get(&self, place: Place) -> &str {
        let range: Range<usize> = place.start as usize..place.end as usize;
        &self.0[range]
    }
}

/// Numbers by the hash of the texts that they stand for.
#[derive(Debug, Default)]
struct Numbers {
    table: HashTable<(u32, u32)>,
    state: RandomState,
}

impl Numbers {
    fn hash(&self, text: &str) -> u32 {
        self.state.hash_one(text) as u32
    }

    /// The table takes its place from the low bits and its mark from the high ones.
    const fn spread(hash: u32) -> u64 {
        (hash as u64) << 32 | hash as u64
    }

    fn find(&self, hash: u32, is: impl Fn(u32) -> bool) -> Option<u32> {
        self.table.find(Self::spread(hash), |(other, id)| *other == hash && is(*id)).map(|(_, id)| *id)
    }

    fn add(&mut self, hash: u32, id: u32) {
        self.table.insert_unique(Self::spread(hash), (hash, id), |(hash, _)| Self::spread(*hash));
    }
}

/// A term with its hash.
#[derive(Debug, Clone, Copy)]
struct Term {
    /// Letters, digits, marks and `_` only.
    text: Place,
    /// [`term_hash`] of the text.
    hash: u32,
    /// The term that stands for it above a chunk, once that was asked.
    above: TermId,
    /// The terms by which it is found as a compound, once that was asked; itself for one that is too short.
    ends: [TermId; 2],
}

/// What a word stands for in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meant {
    /// Its stem, or the word itself where it has none.
    pub term: TermId,
    /// Whether it is a stop word there.
    pub stop: bool,
    /// Whether it stands for no term at all: nothing but decoration, such as a lone tatweel.
    pub empty: bool,
}

/// What is known about a word as it is written.
#[derive(Debug)]
pub(crate) struct Word {
    /// As written.
    raw: Place,
    /// Lower case with accents.
    lower: Place,
    /// The term of the folded word.
    pub folded: TermId,
    /// The languages in which it is a stop word.
    pub stop: Languages,
    /// The languages its letters hint at.
    pub letters: Languages,
    /// What it meant in the language that was last asked for: texts are in one for long.
    last: Option<(Language, Meant)>,
    /// Whether it has digits: never stemmed.
    pub has_digit: bool,
    /// Whether it has nothing but digits.
    pub numeric: bool,
    /// `fooBar` → foo, bar; `30km` → 30; empty for plain words.
    pub parts: Box<[WordId]>,
}

/// What is seldom asked of a word.
#[derive(Debug)]
struct Stems {
    /// The languages of its script that have a stemmer, preferred first.
    of_script: &'static [Language],
    stems: [TermId; Language::ALL.len()],
}

/// Memory of words and terms. Not shared between threads.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    texts: Texts,
    words: Vec<Word>,
    /// Parallel to `words`.
    stems: Vec<Stems>,
    word_ids: Numbers,
    terms: Vec<Term>,
    term_ids: Numbers,
    scratch: String,
}

impl Lexicon {
    /// Words and terms after which [`Lexicon::trim`] forgets: bounds memory to some 50 MB.
    const MOST: usize = 200_000;

    /// Forgets everything when it has grown too large. Ids from before are void if it returns true.
    pub(crate) fn trim(&mut self) -> bool {
        let full = self.words.len() > Self::MOST || self.terms.len() > Self::MOST;
        if full {
            *self = Self::default();
        }
        full
    }

    /// The text of a term: letters, digits, marks and `_` only.
    #[must_use]
    pub(crate) fn text(&self, id: TermId) -> &str {
        self.texts.get(self.terms[id as usize].text)
    }

    /// [`term_hash`] of a term.
    #[must_use]
    pub(crate) fn hash(&self, id: TermId) -> u32 {
        self.terms[id as usize].hash
    }

    /// A word by its number.
    #[must_use]
    pub(crate) fn word(&self, id: WordId) -> &Word {
        &self.words[id as usize]
    }

    /// A word in lower case with accents.
    #[must_use]
    pub(crate) fn lower(&self, id: WordId) -> &str {
        self.texts.get(self.word(id).lower)
    }

    /// How many terms there are; every id is below it.
    #[must_use]
    pub(crate) const fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// The number of a term; the text must be made of letters, digits, marks and `_`.
    pub(crate) fn intern(&mut self, text: &str) -> TermId {
        let text = clip(text);
        let hash = self.term_ids.hash(text);
        if let Some(id) = self.term_ids.find(hash, |id| self.text(id) == text) {
            return id;
        }
        let id = self.terms.len() as TermId;
        let place = self.texts.add(text);
        self.terms.push(Term { text: place, hash: term_hash(text), above: UNKNOWN, ends: [UNKNOWN; 2] });
        self.term_ids.add(hash, id);
        id
    }

    /// The number of the [`context_term`] of a term.
    pub(crate) fn above(&mut self, id: TermId) -> TermId {
        let known = self.terms[id as usize].above;
        if known != UNKNOWN {
            return known;
        }
        let above = self.intern(&context_term(self.text(id)));
        self.terms[id as usize].above = above;
        above
    }

    /// The numbers of the [`ends`] of a term; none where it is too short to be a compound.
    pub(crate) fn ends(&mut self, id: TermId) -> Option<[TermId; 2]> {
        let known = self.terms[id as usize].ends;
        let known = if known[0] == UNKNOWN {
            let made = Some(self.text(id)).filter(|term| may_be_compound(term)).and_then(ends);
            let known = made.map_or([id; 2], |made| made.map(|end| self.intern(&end)));
            self.terms[id as usize].ends = known;
            known
        } else {
            known
        };
        (known[0] != id).then_some(known)
    }

    /// The number of a word as written (NFKC, case as it is).
    pub(crate) fn word_id(&mut self, raw: &str) -> WordId {
        let raw = clip(raw);
        let hash = self.word_ids.hash(raw);
        if let Some(id) = self.word_ids.find(hash, |id| self.texts.get(self.word(id).raw) == raw) {
            return id;
        }
        let parts: Box<[WordId]> = word_parts(raw).into_iter().map(|part| self.word_id(part)).collect();
        let mut lower = std::mem::take(&mut self.scratch);
        lower.clear();
        lower_into(raw, &mut lower);
        let folded_text = bare(&lower);
        let folded = self.intern(&folded_text);
        // Most words are written as they are folded.
        let mut place_of = |text: &str| {
            if text == self.text(folded) { self.terms[folded as usize].text } else { self.texts.add(text) }
        };
        let word = Word {
            raw: place_of(raw),
            lower: place_of(&lower),
            folded,
            stop: stop_word_as_written(&lower, &folded_text),
            letters: letters_of(&lower),
            last: None,
            has_digit: lower.chars().any(|c| c.is_ascii_digit()),
            numeric: lower.chars().all(|c| c.is_ascii_digit()),
            parts,
        };
        self.stems.push(Stems { of_script: Language::of_script(&lower), stems: [UNKNOWN; Language::ALL.len()] });
        drop(folded_text);
        self.scratch = lower;
        let id = self.words.len() as WordId;
        self.words.push(word);
        self.word_ids.add(hash, id);
        id
    }

    /// What a word means in a text in `language`.
    pub(crate) fn meant(&mut self, id: WordId, language: Language) -> Meant {
        if let Some((last, meant)) = self.word(id).last
            && last == language
        {
            return meant;
        }
        let (term, stop) = match self.language_of(id, language) {
            // A stop word stays as it is: its stem could be the stem of a real word.
            Some(language) if self.word(id).stop.contains(language) => (self.word(id).folded, true),
            Some(language) => (self.stem(id, language), false),
            None => (self.word(id).folded, false),
        };
        let meant = Meant { term, stop, empty: self.text(term).is_empty() };
        self.words[id as usize].last = Some((language, meant));
        meant
    }

    /// The language to stem a word in, for a text in `language`: that language if it is written in the
    /// word's script, else the most likely one of the script; none for words with digits and scripts
    /// without a stemmer.
    fn language_of(&self, id: WordId, language: Language) -> Option<Language> {
        if self.word(id).has_digit {
            return None;
        }
        let of_script = self.stems[id as usize].of_script;
        of_script.iter().copied().find(|l| *l == language).or_else(|| of_script.first().copied())
    }

    /// The term of a word's stem in a language.
    pub(crate) fn stem(&mut self, id: WordId, language: Language) -> TermId {
        let known = self.stems[id as usize].stems[language as usize];
        if known != UNKNOWN {
            return known;
        }
        let stemmed = stem(self.lower(id), language);
        let term = self.intern(&stemmed);
        self.stems[id as usize].stems[language as usize] = term;
        term
    }
}

/// The first [`MAX_TERM_CHARS`] characters.
fn clip(text: &str) -> &str {
    if text.len() <= MAX_TERM_CHARS {
        return text;
    }
    text.char_indices().nth(MAX_TERM_CHARS).map_or(text, |(end, _)| &text[..end])
}

/// The parts of a compound word: `fooBar` and `HTTPServer` at the humps, `30km` its number.
fn word_parts(raw: &str) -> Vec<&str> {
    if !raw.is_ascii() {
        return Vec::new();
    }
    let bytes = raw.as_bytes();
    let mut cuts = vec![0];
    for i in 1..bytes.len() {
        let hump = bytes[i].is_ascii_uppercase()
            && (bytes[i - 1].is_ascii_lowercase()
                || (bytes[i - 1].is_ascii_uppercase() && bytes.get(i + 1).is_some_and(u8::is_ascii_lowercase)));
        if hump {
            cuts.push(i);
        }
    }
    if cuts.len() > 1 {
        cuts.push(bytes.len());
        let parts: Vec<&str> = cuts.windows(2).map(|w| &raw[w[0]..w[1]]).collect();
        // `PDFs`, `iPhone`, `eBay`: a hump after or before a single letter starts no word.
        return if parts.iter().all(|p| p.len() < 2) {
            Vec::new()
        } else {
            parts.into_iter().filter(|p| p.len() > 1).collect()
        };
    }
    let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_amount = digits > 0 && digits < bytes.len() && bytes.len() - digits <= 3;
    if is_amount && bytes[digits..].iter().all(u8::is_ascii_alphabetic) { vec![&raw[..digits]] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_never_change() {
        // Stored in databases: a change here needs a new ANALYZER_VERSION.
        assert_eq!(term_hash(""), 0x2D06_8005_38D3_94C2_u64 as u32);
        assert_eq!(term_hash("memory"), term_hash("memory"));
        assert_ne!(term_hash("memory"), term_hash("memori"));
    }

    #[test]
    fn words_have_parts() {
        for (word, want) in [
            ("fooBar", &["foo", "Bar"][..]),
            ("HTTPServer", &["HTTP", "Server"]),
            ("getURLFor", &["get", "URL", "For"]),
            ("iPhone", &["Phone"]),
            ("30km", &["30"]),
            ("k8s", &[]),
            ("USA", &[]),
            ("Hello", &[]),
        ] {
            assert_eq!(word_parts(word), want, "{word}");
        }
    }

    #[test]
    fn long_words_are_clipped_on_a_character() {
        let mut lexicon = Lexicon::default();
        let id = lexicon.word_id(&"é".repeat(1000));
        assert_eq!(lexicon.lower(id).chars().count(), MAX_TERM_CHARS);
    }
}
