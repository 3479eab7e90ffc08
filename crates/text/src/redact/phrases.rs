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

/// Fewest bytes of a phrase: as many of the shortest words, and what separates them.
const LEAST_BYTES: usize = LEAST * 3 + (LEAST - 1);

const fn separates(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b',' | b'|')
}

/// The place and the number in the list of what stands between two separators. No place: numbers and list marks.
struct Part {
    word: Option<(Range<usize>, Option<u16>)>,
}

impl Part {
    fn of(text: &str, part: Range<usize>) -> Self {
        let shown = text.get(part.clone()).unwrap_or_default();
        let word = shown.trim_matches(|c: char| !c.is_alphabetic());
        let start = part.start + (word.as_ptr() as usize - shown.as_ptr() as usize);
        let number = || key(word).and_then(|key| LISTED.get(&key)).copied();
        Self { word: (!word.is_empty()).then(|| (start..start + word.len(), number())) }
    }

    /// Whether no phrase has it.
    fn ends_phrases(&self) -> bool {
        self.word.as_ref().is_some_and(|(_, number)| number.is_none())
    }
}

/// Every seed phrase of a text.
///
/// Wherever a phrase begins, its first [`LEAST_BYTES`] are words of the list. So of so many bytes the last part is looked at
/// first, and where that is no word of it, nothing before it needs a look: prose takes one word in eight.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while let Some(window) = bytes.get(start..start + LEAST_BYTES) {
        match last_stranger(text, window, start) {
            Some(end) => start = end,
            None => start = phrase(text, start, &mut found),
        }
    }
}

/// The end of the last part, of those that end in a window of a text, which no phrase has.
fn last_stranger(text: &str, window: &[u8], start: usize) -> Option<usize> {
    let mut end = window.iter().rposition(|byte| separates(*byte))?;
    loop {
        let before = window.get(..end)?.iter().rposition(|byte| separates(*byte));
        let part = start + before.map_or(0, |before| before + 1)..start + end;
        if Part::of(text, part).ends_phrases() {
            return Some(start + end + 1);
        }
        end = before?;
    }
}

/// Reads words of the list from `start` on to the first that is none, and tells of them when they are a phrase. Gives the
/// place behind what was read.
fn phrase(text: &str, start: usize, found: &mut impl FnMut(Range<usize>)) -> usize {
    let (mut words, mut range, mut at) = (0, start..start, start);
    let mut different: Vec<u16> = Vec::new();
    while let Some(rest) = text.as_bytes().get(at..).filter(|rest| !rest.is_empty()) {
        let end = at + rest.iter().position(|byte| separates(*byte)).unwrap_or(rest.len());
        let part = Part::of(text, at..end);
        at = end + 1;
        match part.word {
            None => {}
            Some((_, None)) => break,
            Some((place, Some(number))) => {
                range = if words == 0 { place } else { range.start..place.end };
                words += 1;
                if different.len() < LEAST_DIFFERENT && !different.contains(&number) {
                    different.push(number);
                }
            }
        }
    }
    if words >= LEAST && different.len() >= LEAST_DIFFERENT {
        found(range);
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
    /// Every word of a text looked at, one after the other.
    fn by_every_word(text: &str) -> Vec<Range<usize>> {
        let (mut at, mut all) = (0, Vec::new());
        while at < text.len() {
            at = phrase(text, at, &mut |range| all.push(range));
        }
        all
    }

    proptest! {
        // Looking at one word in eight must find what looking at all of them finds.
        #[test]
        fn no_phrase_is_passed_over(parts in proptest::collection::vec((0_usize..9, 0_usize..7), 0..90)) {
            let words = ["zoo", "abandon", "able", "act", "add", "age", "1.", "--", "stranger"];
            let text: String = parts.into_iter().map(|(word, gap)| {
                // Mostly words of the list, so that there are phrases.
                let gap = [" ", " ", "\n", ", ", " | ", "", "é "][gap];
                format!("{}{gap}", words[word])
            }).collect();
            let mut all = Vec::new();
            find(&text, |range| all.push(range));
            prop_assert_eq!(all, by_every_word(&text));
        }

        #[test]
        fn phrases_among_prose_are_found(before in ".{0,80}", after in ".{0,80}", n in 11_usize..26) {
            let listed: Vec<&str> = Language::English.word_list()[..n].to_vec();
            let phrase = listed.join(" ");
            let text = format!("{before} stranger {phrase} stranger {after}");
            let mut all = Vec::new();
            find(&text, |range| all.push(text[range].to_owned()));
            prop_assert_eq!(all.contains(&phrase), n >= LEAST);
            prop_assert_eq!(by_every_word(&text).len(), all.len());
        }
    }
}
