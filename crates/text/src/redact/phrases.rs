//! Seed phrases of wallets: twelve words or more in a row of the BIP-39 list, whatever separates or numbers them.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use bip39::Language;
use foldhash::fast::RandomState;

/// Fewest words of a phrase.
const LEAST: usize = 12;
/// Fewest different ones: somebody may say one word of the list twelve times.
const LEAST_DIFFERENT: usize = 6;

/// The words of the list by their [`key`], with their numbers. Searching the list by halves, for each word of each text
/// that is embedded, took a sixth of the CPU of an index.
static LISTED: LazyLock<HashMap<u64, u16, RandomState>> = LazyLock::new(|| {
    let words = (0..).zip(Language::English.word_list());
    words.filter_map(|(number, word)| Some((key(word)?, number))).collect()
});

/// A word that can be in the list, in small letters, as a number; none of any other: all in it have three to eight letters.
fn key(word: &str) -> Option<u64> {
    let mut letters = [0; 8];
    letters.get_mut(..word.len()).filter(|_| word.len() >= 3)?.copy_from_slice(word.as_bytes());
    letters.make_ascii_lowercase();
    word.is_ascii().then(|| u64::from_le_bytes(letters))
}

/// Every seed phrase of a text.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>)) {
    if text.len() < LEAST * 4 {
        return;
    }
    let (mut words, mut from, mut to) = (0, 0, 0);
    let mut different: Vec<u16> = Vec::new();
    let mut end_phrase = |words: usize, different: &[u16], range: Range<usize>| {
        if words >= LEAST && different.len() >= LEAST_DIFFERENT {
            found(range);
        }
    };
    for part in text.split([' ', '\n', '\t', ',', '|']).filter(|part| !part.is_empty()) {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        let word = part.trim_matches(|c: char| !c.is_alphabetic());
        if word.is_empty() {
            // Numbers and list marks between words.
            continue;
        }
        let offset = start + (word.as_ptr() as usize - part.as_ptr() as usize);
        if let Some(&index) = key(word).and_then(|key| LISTED.get(&key)) {
            if words == 0 {
                from = offset;
            }
            (words, to) = (words + 1, offset + word.len());
            if different.len() < LEAST_DIFFERENT && !different.contains(&index) {
                different.push(index);
            }
        } else {
            end_phrase(words, &different, from..to);
            words = 0;
            different.clear();
        }
    }
    end_phrase(words, &different, from..to);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_list_is_known_by_its_key_and_no_other() {
        let words = Language::English.word_list();
        assert_eq!(LISTED.len(), words.len());
        for (number, word) in (0..).zip(words) {
            assert_eq!(key(&word.to_uppercase()).and_then(|key| LISTED.get(&key)), Some(&number), "{word}");
        }
        for other in ["", "ab", "abandonedly", "zooo", "äpfel", "aband0n", "abandon "] {
            assert_eq!(key(other).and_then(|key| LISTED.get(&key)), None, "{other}");
        }
    }
}
