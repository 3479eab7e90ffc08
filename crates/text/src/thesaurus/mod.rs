//! English words of similar meaning, for keyword search without any model at run time.
//!
//! `words.bin` holds, for the whole words of the vocabulary of all-MiniLM-L6-v2 (Apache-2.0), those whose vectors
//! point the same way: the encoder's output for the word alone, minus the mean over all words. Forms of one word are
//! left out (stems match them), and so are numbers, months and days, which are alike without meaning the same.
//! `scripts/thesaurus/build.py` makes it, and `words.sha256`, from the package that the embedded model comes from; the
//! licence is in `model/LICENSE` and `model/NOTICE`.
//!
//! ```text
//! "MCT1"; number of words u32 LE; the words in byte order, each with "\n"
//! per word: n u8, then n × (index of the other word u16 LE, cosine × 255 u8), most similar first
//! ```

pub mod word_signs;

use std::sync::LazyLock;

static DATA: &[u8] = include_bytes!("words.bin");
static THESAURUS: LazyLock<Option<Thesaurus>> = LazyLock::new(|| Thesaurus::read(DATA));

/// A word of similar meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similar {
    /// The word, lower case, as written.
    pub word: &'static str,
    /// Cosine similarity, 0.45–1.
    pub similarity: f32,
}

/// Words of similar meaning, most similar first; none for a word that is not known. `word` is lower case.
pub fn similar(word: &str) -> impl Iterator<Item = Similar> + use<> {
    THESAURUS.as_ref().map(|thesaurus| thesaurus.similar(word)).into_iter().flatten()
}

/// Whether a lower-case word is one of English.
#[must_use]
pub fn knows(word: &str) -> bool {
    THESAURUS.as_ref().is_some_and(|thesaurus| thesaurus.words.binary_search(&word).is_ok())
}

struct Thesaurus {
    words: Vec<&'static str>,
    /// Per word, its pairs.
    pairs: Vec<&'static [[u8; 3]]>,
}

impl Thesaurus {
    fn read(data: &'static [u8]) -> Option<Self> {
        let rest = data.strip_prefix(b"MCT1")?;
        let (count, mut rest) = rest.split_first_chunk::<4>()?;
        let count = u32::from_le_bytes(*count) as usize;
        let mut words = Vec::with_capacity(count);
        for _ in 0..count {
            let end = rest.iter().position(|b| *b == b'\n')?;
            words.push(str::from_utf8(rest.get(..end)?).ok()?);
            rest = rest.get(end + 1..)?;
        }
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            let (n, tail) = rest.split_first()?;
            let (own, tail) = tail.split_at_checked(usize::from(*n) * 3)?;
            pairs.push(own.as_chunks::<3>().0);
            rest = tail;
        }
        rest.is_empty().then_some(Self { words, pairs })
    }

    fn similar(&'static self, word: &str) -> impl Iterator<Item = Similar> + use<> {
        let own = self.words.binary_search(&word).ok().and_then(|i| self.pairs.get(i)).copied().unwrap_or_default();
        own.iter().filter_map(|&[low, high, similarity]| {
            let word = self.words.get(usize::from(u16::from_le_bytes([low, high])))?;
            Some(Similar { word, similarity: f32::from(similarity) / 255.0 })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_is_whole_and_in_order() {
        let Some(thesaurus) = &*THESAURUS else { panic!("words.bin cannot be read") };
        assert!(thesaurus.words.is_sorted() && thesaurus.words.len() > 20_000);
        for word in &thesaurus.words {
            let found: Vec<Similar> = thesaurus.similar(word).collect();
            assert!(found.is_sorted_by(|a, b| a.similarity >= b.similarity), "{word}");
            assert!(found.iter().all(|s| s.word != *word && s.similarity > 0.44), "{word}");
        }
    }

    #[test]
    fn the_data_is_what_the_script_made() {
        use sha2::{Digest, Sha256};
        let made = include_str!("words.sha256").split_once(' ').map(|(sum, _)| sum);
        assert_eq!(Some(hex::encode(Sha256::digest(DATA)).as_str()), made);
    }

    #[test]
    fn people_may_use_another_word() {
        for (word, other) in [("kids", "children"), ("buy", "purchase"), ("instrument", "violin"), ("job", "work")] {
            assert!(similar(word).any(|s| s.word == other), "{word} {other}");
        }
        assert_eq!(similar("xyzzyx").count(), 0);
        assert_eq!(similar("monday").count(), 0);
        assert!(knows("violin") && !knows("kowalczyk"));
    }

    #[test]
    fn damaged_data_is_refused() {
        assert!(Thesaurus::read(&DATA[..DATA.len() - 1]).is_none());
        assert!(Thesaurus::read(b"MCT0").is_none());
    }
}
