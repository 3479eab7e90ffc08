//! What English words mean, as one bit a dimension: the signs of the vectors that the words of similar meaning were found
//! with. Any two words can be compared, and alike to any degree.
//!
//! `scripts/thesaurus/build.py` makes `signs.bin`, and `signs.sha256`. Words of one stem have the signs of their mean.
//!
//! ```text
//! "MCS1"; number of stems u32 LE; their term hashes u32 LE, ascending
//! per stem: 48 bytes of signs, the first dimension in the lowest bit
//! ```

use std::{f32::consts::FRAC_PI_2, sync::LazyLock};

/// Dimensions of the vectors.
const DIMS: usize = 384;
const BYTES: usize = DIMS / 8;

static DATA: &[u8] = include_bytes!("signs.bin");
/// The similarity for each number of dimensions that differ.
static SIMILARITY: LazyLock<[f32; DIMS + 1]> =
    LazyLock::new(|| std::array::from_fn(|apart| (FRAC_PI_2 * (1.0 - 2.0 * apart as f32 / DIMS as f32)).sin()));
static WORDS: LazyLock<Option<Words>> = LazyLock::new(|| Words::read(DATA));

/// What a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordSigns(&'static [u8; BYTES]);

impl WordSigns {
    /// Of an English stem, by its [`term_hash`](crate::lexicon::term_hash); none for what is no known word.
    #[must_use]
    pub fn of(hash: u32) -> Option<Self> {
        WORDS.as_ref()?.of(hash).map(Self)
    }

    /// About the cosine of the two vectors: random directions part two vectors as often as their angle is wide.
    #[must_use]
    pub fn similarity(self, other: Self) -> f32 {
        let pairs = self.0.as_chunks::<8>().0.iter().zip(other.0.as_chunks::<8>().0);
        let apart: u32 = pairs.map(|(a, b)| (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones()).sum();
        SIMILARITY[apart as usize]
    }
}

/// Bits of a hash that say where to look for it.
const PREFIX_BITS: u32 = 12;

struct Words {
    hashes: &'static [[u8; 4]],
    /// Where the hashes of each prefix begin, and the end: a binary search of all misses the caches of the processor.
    begins: Vec<u32>,
    signs: &'static [[u8; BYTES]],
}

impl Words {
    fn read(data: &'static [u8]) -> Option<Self> {
        let (count, rest) = data.strip_prefix(b"MCS1")?.split_first_chunk::<4>()?;
        let (hashes, signs) = rest.split_at_checked(4 * usize::try_from(u32::from_le_bytes(*count)).ok()?)?;
        let (hashes, signs) = (hashes.as_chunks::<4>().0, signs.as_chunks::<BYTES>());
        if !signs.1.is_empty() || signs.0.len() != hashes.len() {
            return None;
        }
        let mut begins: Vec<u32> = Vec::with_capacity((1 << PREFIX_BITS) + 1);
        for (at, hash) in (0..).zip(hashes) {
            begins.resize(begins.len().max(prefix(u32::from_le_bytes(*hash)) + 1), at);
        }
        begins.resize((1 << PREFIX_BITS) + 1, u32::try_from(hashes.len()).ok()?);
        Some(Self { hashes, begins, signs: signs.0 })
    }

    fn of(&self, hash: u32) -> Option<&'static [u8; BYTES]> {
        let [begin, end] = *self.begins.get(prefix(hash)..)?.first_chunk::<2>()?;
        let near = self.hashes.get(begin as usize..end as usize)?;
        let at = near.binary_search_by_key(&hash, |bytes| u32::from_le_bytes(*bytes)).ok()?;
        self.signs.get(begin as usize + at)
    }
}

const fn prefix(hash: u32) -> usize {
    (hash >> (u32::BITS - PREFIX_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        language::{Language, stem},
        lexicon::term_hash,
    };

    fn signs(word: &str) -> Option<WordSigns> {
        WordSigns::of(term_hash(&stem(word, Language::English)))
    }

    #[test]
    fn the_data_is_whole_and_in_order() {
        let Some(words) = &*WORDS else { panic!("signs.bin cannot be read") };
        assert!(words.hashes.iter().map(|hash| u32::from_le_bytes(*hash)).is_sorted_by(|a, b| a < b));
        assert!(words.hashes.len() > 10_000);
        assert!(Words::read(&DATA[..DATA.len() - 1]).is_none());
        for (hash, signs) in words.hashes.iter().zip(words.signs) {
            assert_eq!(words.of(u32::from_le_bytes(*hash)), Some(signs));
        }
        let absent = |hash: &u32| words.hashes.binary_search_by_key(hash, |bytes| u32::from_le_bytes(*bytes)).is_err();
        for hash in (0..=u32::MAX).step_by(99_991).chain([0, u32::MAX]).filter(absent) {
            assert_eq!(words.of(hash), None);
        }
    }

    #[test]
    fn the_data_is_what_the_script_made() {
        use sha2::{Digest, Sha256};
        let made = include_str!("signs.sha256").split_once(' ').map(|(sum, _)| sum);
        assert_eq!(Some(hex::encode(Sha256::digest(DATA)).as_str()), made);
    }

    // The script has a stemmer of its own, of another version: "biologist" and a dozen more have another stem there. Where
    // they differed at large, no text would hold the stems of the file.
    #[test]
    fn nearly_every_word_of_the_thesaurus_is_found_by_its_stem() {
        let words = super::super::THESAURUS.as_ref().map(|thesaurus| thesaurus.words.clone()).unwrap_or_default();
        let lost: Vec<&str> = words.into_iter().filter(|word| signs(word).is_none()).collect();
        assert!(lost.len() < 20, "{} {:?}", lost.len(), &lost[..lost.len().min(20)]);
    }

    #[test]
    fn words_are_as_alike_as_they_mean() {
        let alike = |a: &str, b: &str| signs(a).zip(signs(b)).map(|(a, b)| a.similarity(b)).unwrap();
        assert!((alike("violin", "violin") - 1.0).abs() < 1e-6);
        assert!(alike("kids", "children") > alike("kids", "furnace") + 0.3);
        assert!(alike("violin", "instrument") > 0.4);
        assert_eq!(signs("xyzzyx"), None);
    }
}
