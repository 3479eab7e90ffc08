//! What a text is made of, for a classifier: words, their beginnings and characters.

use text::{
    analyze::term_hash,
    fold::{compose, plain_apostrophes},
};

/// Letters of a word's beginning.
const BEGINNING: usize = 4;
/// Longest run of characters that is a feature, where no spaces stand between words.
const LONGEST_RUN: usize = 3;
/// Of every text.
const ALWAYS: &str = "#";

/// What is known of a text, as hashes in order.
#[derive(Debug, Default)]
pub(crate) struct Features {
    /// All of it.
    pub(super) all: Vec<u32>,
    /// Those of words, or of characters that are no words of letters.
    pub(super) words: Vec<u32>,
}

impl Features {
    /// Those of a text.
    pub(crate) fn of(text: &str) -> Self {
        let text = compose(text);
        let text = plain_apostrophes(&text);
        let mut features = Self::default();
        features.add(ALWAYS, "");
        // A name stands with a capital where no sentence begins.
        let mut begins = true;
        for piece in pieces(&text) {
            if piece.starts_with(is_dense) {
                features.dense(piece);
            } else {
                features.word(piece, begins);
            }
            begins = piece.starts_with(['.', '!', '?', ':', '"', '“', '«']);
        }
        for hashes in [&mut features.all, &mut features.words] {
            hashes.sort_unstable();
            hashes.dedup();
        }
        features
    }

    /// The same and what else is known of the text, by names that are no words.
    pub(crate) fn with<'a>(mut self, marks: impl IntoIterator<Item = &'a str>) -> Self {
        marks.into_iter().for_each(|mark| _ = self.add("p:", mark));
        self.all.sort_unstable();
        self.all.dedup();
        self
    }

    fn add(&mut self, kind: &str, text: &str) -> u32 {
        let hash = term_hash(&format!("{kind}{text}"));
        self.all.push(hash);
        hash
    }

    fn word(&mut self, word: &str, begins: bool) {
        if word.starts_with(|c: char| c.is_uppercase()) && !begins && word.chars().nth(1).is_some() {
            self.add("#name", "");
        }
        if word.contains(|c: char| c.is_numeric()) {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            let is_year = is_number && word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
            self.add(
                if is_year {
                    "#year"
                } else if is_number {
                    "#number"
                } else {
                    "#mixed"
                },
                "",
            );
            return;
        }
        let low = word.to_lowercase();
        let hash = self.add("w:", &low);
        if let Some((end, _)) = low.char_indices().nth(BEGINNING) {
            self.add("b:", low.get(..end).unwrap_or_default());
        }
        if low.starts_with(char::is_alphabetic) {
            self.words.push(hash);
        }
    }

    fn dense(&mut self, run: &str) {
        let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        for length in 1..=LONGEST_RUN {
            for ends in starts.windows(length + 1) {
                let (Some(from), Some(to)) = (ends.first(), ends.last()) else { continue };
                let hash = self.add("c:", run.get(*from..*to).unwrap_or_default());
                if length == 1 {
                    self.words.push(hash);
                }
            }
        }
    }
}

/// Words with their apostrophes, runs of characters of scripts without spaces, and marks that shape a sentence.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !is_mark(c));
        let first = rest.chars().next()?;
        let end = if is_mark(first) {
            first.len_utf8()
        } else {
            let goes_on = |(at, c): (usize, char)| {
                let is_inside =
                    c == '\'' && rest.get(at + 1..).is_some_and(|next| next.starts_with(char::is_alphanumeric));
                is_dense(c) == is_dense(first) && c.is_alphanumeric() || is_inside
            };
            rest.char_indices().find(|at| !goes_on(*at)).map_or(rest.len(), |(at, _)| at)
        };
        let (piece, left) = rest.split_at(end);
        rest = left;
        Some(piece)
    })
}

const fn is_mark(c: char) -> bool {
    matches!(c, '?' | '!' | '.' | ',' | ':' | ';' | '"' | '“' | '”' | '«' | '»' | '(' | ')')
}

const fn is_dense(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}')
}
