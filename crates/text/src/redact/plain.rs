//! The text that secrets are looked for in: without invisible characters, full-width and ornamental letters as ASCII.

use std::{borrow::Cow, ops::Range};

use unicode_normalization::char::decompose_compatible;

use crate::{script::is_ignorable, shown::is_invisible};

/// A text as a reader sees it, and where each of its bytes stands in the text as it was written.
pub(super) struct Plain<'a> {
    /// The text to look at.
    pub text: Cow<'a, str>,
    /// Of each byte of it, and of its end, the place in the original; none when both are the same.
    origin: Option<Vec<usize>>,
}

impl<'a> Plain<'a> {
    /// Makes the text plain; free when it is.
    pub(super) fn of(original: &'a str) -> Self {
        if original.is_ascii() || !original.contains(|c| folded(c) != Some(c)) {
            return Self { text: Cow::Borrowed(original), origin: None };
        }
        let mut text = String::with_capacity(original.len());
        let mut origin = Vec::with_capacity(original.len() + 1);
        for (at, c) in original.char_indices() {
            if let Some(c) = folded(c) {
                text.push(c);
                origin.resize(text.len(), at);
            }
        }
        origin.push(original.len());
        Self { text: Cow::Owned(text), origin: Some(origin) }
    }

    /// Where a range of the plain text stands in the original, with the invisible characters behind it.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| self.origin.as_ref().map_or(at, |origin| origin.get(at).copied().unwrap_or(at));
        place(range.start)..place(range.end)
    }
}

/// The character to look at; none for one that nobody sees.
fn folded(c: char) -> Option<char> {
    match c {
        _ if c.is_ascii() => Some(c),
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Some(' '),
        _ if is_ignorable(c) || is_invisible(c) => None,
        '\u{2100}'..='\u{214F}' | '\u{2460}'..='\u{24FF}' | '\u{FF01}'..='\u{FF5E}' | '\u{1D400}'..='\u{1D7FF}' => {
            let (mut first, mut count) = (c, 0);
            decompose_compatible(c, |part| {
                (first, count) = (if count == 0 { part } else { first }, count + 1);
            });
            Some(if count == 1 && first.is_ascii() { first } else { c })
        }
        _ => Some(c),
    }
}
