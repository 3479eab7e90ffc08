//! BERT's uncased WordPiece: text to word piece ids, as the model was trained with.
//!
//! The `tokenizers` crate does the same and is the oracle of the tests; it brings dozens of crates for everything else it can do, and would
//! keep the vocabulary a second time in memory. One deliberate difference: a literal `[MASK]` or `[SEP]` in a text is
//! text here, never a control piece.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

use super::weights::{MAX_PIECES, Weights};

/// `[CLS]`, the first piece of every input.
const FIRST: u32 = 101;
/// `[SEP]`, the last piece of every input.
const LAST: u32 = 102;
/// `[UNK]`, a word that cannot be put together from pieces.
pub const UNKNOWN: u32 = 100;
/// A word of more characters is unknown as a whole.
const MAX_WORD_CHARS: usize = 100;
const CONTINUATION: &[u8] = b"##";

/// The vocabulary, hashed by spelling.
pub struct Tokenizer {
    pieces: Pieces,
    /// Ids of pieces that begin a word.
    starts: HashTable<u32>,
    /// Ids of pieces that continue one, hashed without their `##`.
    continuations: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Bytes of the longest piece.
    longest: usize,
}

/// The spellings, one after another.
struct Pieces {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Whether each continues a word.
    continues: Vec<bool>,
}

impl Pieces {
    /// The spelling of a piece, without the `##` of a continuation.
    fn spelling(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let begin = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[begin..self.ends[id]]
    }
}

impl Tokenizer {
    /// Builds the tables from the vocabulary of the weights file.
    #[must_use]
    pub fn new(weights: &Weights) -> Self {
        let mut pieces = Pieces { text: Vec::new(), ends: Vec::new(), continues: Vec::new() };
        let (mut starts, mut continuations) = (Vec::new(), Vec::new());
        let mut longest = 0;
        for (id, piece) in (0_u32..).zip(weights.vocabulary()) {
            let spelling = piece.strip_prefix(CONTINUATION).filter(|rest| !rest.is_empty());
            let continues = spelling.is_some();
            if continues {
                continuations.push(id)
            } else {
                starts.push(id)
            }
            let spelling = spelling.unwrap_or(piece);
            pieces.text.extend_from_slice(spelling);
            pieces.ends.push(pieces.text.len());
            pieces.continues.push(continues);
            longest = longest.max(spelling.len());
        }
        let hasher = DefaultHashBuilder::default();
        let table = |ids: Vec<u32>| {
            let mut table = HashTable::with_capacity(ids.len());
            for id in ids {
                table.insert_unique(hasher.hash_one(pieces.spelling(id)), id, |&id| {
                    hasher.hash_one(pieces.spelling(id))
                });
            }
            table
        };
        let (starts, continuations) = (table(starts), table(continuations));
        Self { pieces, starts, continuations, hasher, longest }
    }

    /// How a piece is spelled, without the `##` of one that continues a word, and whether it does.
    #[must_use]
    pub fn piece(&self, id: u32) -> Option<(&str, bool)> {
        let continues = *self.pieces.continues.get(id as usize)?;
        Some((std::str::from_utf8(self.pieces.spelling(id)).ok()?, continues))
    }

    /// The ids of a text, `[CLS]` and `[SEP]` included, at most [`MAX_PIECES`].
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let mut pieces = Vec::with_capacity((text.len() / 3 + 2).min(MAX_PIECES));
        pieces.push(FIRST);
        let mut word = String::new();
        for c in text.chars() {
            if is_ignored(c) {
                continue;
            }
            if c.is_whitespace() {
                self.finish_word(&mut word, &mut pieces);
                if pieces.len() >= MAX_PIECES {
                    break;
                }
            } else if c.is_ascii_alphanumeric() {
                word.push(c.to_ascii_lowercase());
            } else if stands_alone(c) {
                self.finish_word(&mut word, &mut pieces);
                push_folded(c, &mut word);
                self.finish_word(&mut word, &mut pieces);
            } else {
                push_folded(c, &mut word);
            }
        }
        self.finish_word(&mut word, &mut pieces);
        pieces.truncate(MAX_PIECES - 1);
        pieces.push(LAST);
        pieces
    }

    /// Cuts a word into its longest pieces from the left; a word with a remainder is unknown as a whole.
    fn finish_word(&self, word: &mut String, pieces: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = pieces.len();
        let mut begin = 0;
        if word.chars().count() > MAX_WORD_CHARS {
            pieces.push(UNKNOWN);
            begin = word.len();
        }
        while begin < word.len() {
            let table = if begin == 0 { &self.starts } else { &self.continuations };
            let Some((id, end)) = self.longest_piece(table, word, begin) else {
                pieces.truncate(before);
                pieces.push(UNKNOWN);
                break;
            };
            pieces.push(id);
            begin = end;
        }
        word.clear();
    }

    fn longest_piece(&self, table: &HashTable<u32>, word: &str, begin: usize) -> Option<(u32, usize)> {
        let furthest = word.len().min(begin + self.longest);
        (begin + 1..=furthest).rev().filter(|&end| word.is_char_boundary(end)).find_map(|end| {
            let spelling = &word.as_bytes()[begin..end];
            let found = table.find(self.hasher.hash_one(spelling), |&id| self.pieces.spelling(id) == spelling);
            found.map(|&id| (id, end))
        })
    }
}

/// Characters the model never saw: controls, formats, private use and the replacement character.
fn is_ignored(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
    }
    let other = [GeneralCategory::Control, GeneralCategory::Format, GeneralCategory::PrivateUse];
    c == char::REPLACEMENT_CHARACTER || other.contains(&c.general_category())
}

/// Punctuation and Chinese characters are words of their own.
fn stands_alone(c: char) -> bool {
    c.is_ascii_punctuation()
        || is_chinese(c)
        || (!c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Punctuation)
}

/// The CJK ideograph blocks as BERT counts them; kana and hangul are not among them.
const fn is_chinese(c: char) -> bool {
    matches!(c as u32,
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x2_A6DF
        | 0x2_A700..=0x2_B81F | 0x2_B920..=0x2_CEAF | 0x2_F800..=0x2_FA1F)
}

/// Adds a character without accents and in lower case. Reordering of combining marks, the other half of NFD, does
/// not matter here: the marks are dropped.
fn push_folded(c: char, word: &mut String) {
    decompose_canonical(c, |part| {
        if part.general_category() != GeneralCategory::NonspacingMark {
            word.extend(part.to_lowercase());
        }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::sync::LazyLock;
    use tokenizers::{
        models::wordpiece::WordPiece, normalizers::BertNormalizer, pre_tokenizers::bert::BertPreTokenizer,
    };

    use super::*;
    use crate::tests::installed_weights;

    /// Ours and the oracle, over the shipped vocabulary.
    static BOTH: LazyLock<(Tokenizer, tokenizers::Tokenizer)> = LazyLock::new(|| {
        let weights = Weights::open(&installed_weights()).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let pieces: Vec<&[u8]> = weights.vocabulary().collect();
        std::fs::write(file.path(), pieces.join(&b"\n"[..])).unwrap();
        let pieces = WordPiece::from_file(file.path().to_str().unwrap()).build().unwrap();
        let mut oracle = tokenizers::Tokenizer::new(pieces);
        oracle.with_normalizer(Some(BertNormalizer::default())).unwrap();
        oracle.with_pre_tokenizer(Some(BertPreTokenizer));
        (Tokenizer::new(&weights), oracle)
    });

    fn oracle(text: &str) -> Vec<u32> {
        let inner = BOTH.1.encode(text, false).unwrap();
        let inner = inner.get_ids().iter().copied().take(MAX_PIECES - 2);
        std::iter::once(FIRST).chain(inner).chain(std::iter::once(LAST)).collect()
    }

    proptest! {
        #[test]
        fn equals_the_tokenizers_crate(
            // Scripts that have been in Unicode for long: the oracle knows fewer characters than we do.
            text in "[ -~\t\n\u{a0}-\u{17f}\u{370}-\u{373}\u{391}-\u{3a1}\u{3b1}-\u{3c9}\u{400}-\u{45f}\u{5d0}-\u{5ea}\
                     \u{621}-\u{64a}\u{905}-\u{939}\u{e01}-\u{e3a}\u{1ea0}-\u{1ef9}\u{2000}-\u{2027}\u{20ac}\u{3041}-\u{3096}\
                     \u{30a1}-\u{30fa}\u{4e00}-\u{4e80}\u{ac00}-\u{ac80}\u{300}-\u{36f}\u{1f600}-\u{1f640}]{0,80}",
            words in proptest::collection::vec("[a-zA-Z'éüß]{1,14}|[0-9.,:%/-]{1,6}", 0..400),
        ) {
            prop_assert_eq!(BOTH.0.encode(&text), oracle(&text));
            let sentence = words.join(" ");
            prop_assert_eq!(BOTH.0.encode(&sentence), oracle(&sentence));
        }
    }

    #[test]
    fn control_pieces_cannot_be_written() {
        let pieces = BOTH.0.encode("[SEP] [MASK] [CLS]");
        assert_eq!(pieces.iter().filter(|&&piece| [FIRST, LAST, 103].contains(&piece)).count(), 2);
    }

    #[test]
    fn a_word_of_more_than_a_hundred_characters_is_unknown() {
        assert_ne!(BOTH.0.encode(&"a".repeat(100))[1], UNKNOWN);
        assert_eq!(BOTH.0.encode(&"a".repeat(101)), [FIRST, UNKNOWN, LAST]);
    }
}
