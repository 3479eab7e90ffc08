//! Seed phrases of wallets: twelve words or more in a row of the BIP-39 list, whatever separates or numbers them.

use std::ops::Range;

use bip39::Language;

/// Fewest words of a phrase.
const LEAST: usize = 12;
/// Fewest different ones: somebody may say one word of the list twelve times.
const LEAST_DIFFERENT: usize = 6;

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
        let fits = (3..=8).contains(&word.len()) && word.is_ascii();
        let listed = fits.then(|| Language::English.find_word(&word.to_ascii_lowercase())).flatten();
        if let Some(index) = listed {
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
