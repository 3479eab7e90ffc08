//! Seed phrases of wallets: twelve words or more in a row of the BIP-39 list, whatever separates or numbers them.

use std::ops::Range;

use bip39::Language;

/// Fewest words of a phrase.
const LEAST: usize = 12;

/// Every seed phrase of a text.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>)) {
    if text.len() < LEAST * 4 {
        return;
    }
    let (mut words, mut from, mut to) = (0, 0, 0);
    let mut end_phrase = |words: usize, range: Range<usize>| {
        if words >= LEAST {
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
        let listed = (3..=8).contains(&word.len()) && word.is_ascii() && {
            let lower = word.to_ascii_lowercase();
            Language::English.find_word(&lower).is_some()
        };
        if listed {
            if words == 0 {
                from = offset;
            }
            (words, to) = (words + 1, offset + word.len());
        } else {
            end_phrase(words, from..to);
            words = 0;
        }
    }
    end_phrase(words, from..to);
}
