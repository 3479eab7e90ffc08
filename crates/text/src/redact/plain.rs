//! The text that secrets are looked for in: without invisible characters, full-width and ornamental letters and the
//! quotation marks of print as ASCII.

use std::{borrow::Cow, ops::Range};

use unicode_normalization::char::decompose_compatible;

use crate::{script::is_ignorable, shown::is_invisible};

/// A text as a reader sees it, and where each part of it stands in the text as it was written.
pub(super) struct Plain<'a> {
    /// The text to look at.
    pub text: Cow<'a, str>,
    /// Where the two move apart, or together: from a place of the text to look at on, the place in the original.
    shifts: Vec<(usize, usize)>,
}

impl<'a> Plain<'a> {
    /// Makes the text plain; free when it is.
    pub(super) fn of(original: &'a str) -> Self {
        let mut plain = Self { text: Cow::Borrowed(original), shifts: Vec::new() };
        if original.is_ascii() {
            return plain;
        }
        let mut text = String::new();
        // What is copied next, as it stands.
        let mut from = 0;
        for (at, c) in original.char_indices().filter(|(_, c)| !c.is_ascii()) {
            let folded = folded(c);
            if folded == Some(c) {
                continue;
            }
            text.push_str(original.get(from..at).unwrap_or_default());
            from = at + c.len_utf8();
            if let Some(folded) = folded {
                plain.shift(text.len(), at);
                text.push(folded);
            }
            plain.shift(text.len(), from);
        }
        if !plain.shifts.is_empty() {
            text.push_str(original.get(from..).unwrap_or_default());
            plain.text = Cow::Owned(text);
        }
        plain
    }

    fn shift(&mut self, plain: usize, original: usize) {
        match self.shifts.last_mut() {
            Some(last) if last.0 == plain => last.1 = original,
            _ => self.shifts.push((plain, original)),
        }
    }

    /// Where a range of the plain text stands in the original, with the invisible characters behind it.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let after = self.shifts.partition_point(|(plain, _)| *plain <= at);
            let last = after.checked_sub(1).and_then(|last| self.shifts.get(last));
            last.map_or(at, |(plain, original)| original + (at - plain))
        };
        place(range.start)..place(range.end)
    }
}

/// The character to look at; none for one that nobody sees.
fn folded(c: char) -> Option<char> {
    match c {
        _ if c.is_ascii() => Some(c),
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Some(' '),
        // Telephones put marks of print where somebody types those of a typewriter.
        '\u{2018}' | '\u{2019}' | '\u{2BC}' => Some('\''),
        '\u{201C}' | '\u{201D}' => Some('"'),
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_character_stands_where_it_was_written(text in "[a-zé\u{200B}\u{AD}Ａｚ①ßи’“\u{3000}\n]{0,40}") {
            let plain = Plain::of(&text);
            let seen: String = text.chars().filter_map(folded).collect();
            prop_assert_eq!(&*plain.text, &seen);
            let mut end = text.find(|c| folded(c).is_some()).unwrap_or(text.len());
            for (at, c) in plain.text.char_indices() {
                let range = plain.original(&(at..at + c.len_utf8()));
                prop_assert_eq!(range.start, end);
                let mut written = text[range.clone()].chars();
                prop_assert_eq!(written.next().and_then(folded), Some(c));
                prop_assert!(written.all(|c| folded(c).is_none()));
                end = range.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
