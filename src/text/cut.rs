//! Lengths and cuts in UTF-16 units, in which the host counts characters.

use unicode_segmentation::UnicodeSegmentation;

/// Length in UTF-16 units.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The longest head of at most `units` UTF-16 units that ends between two graphemes.
/// A single grapheme longer than that is cut between two characters rather than lost.
#[must_use]
pub fn head(text: &str, units: usize) -> &str {
    let limit = byte_limit(text, units);
    if limit == text.len() {
        return text;
    }
    let mut end = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        let next = at + grapheme.len();
        if next > limit {
            break;
        }
        end = next;
    }
    &text[..if end == 0 { limit } else { end }]
}

/// The longest head of at most `units` UTF-16 units made of whole lines; when not even the first line
/// fits, [`head`] of it.
#[must_use]
pub fn head_lines(text: &str, units: usize) -> &str {
    let limit = byte_limit(text, units);
    if limit == text.len() {
        return text;
    }
    // A newline right after the limit ends a line that fits.
    match text.as_bytes().get(..=limit).and_then(|b| b.iter().rposition(|b| *b == b'\n')) {
        Some(end) if end > 0 => &text[..end],
        _ => head(text, units),
    }
}

/// Byte offset of the last character border within `units`.
fn byte_limit(text: &str, units: usize) -> usize {
    // No character has more units than bytes.
    if text.len() <= units {
        return text.len();
    }
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > units {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cuts_keep_graphemes_whole() {
        for (text, units, want) in [
            ("hello", 3, "hel"),
            ("hello", 9, "hello"),
            ("a😀b", 2, "a"),
            ("a😀b", 3, "a😀"),
            ("e\u{301}x", 1, "e"),
            ("ae\u{301}x", 2, "a"),
            ("ab👨‍👩‍👧", 5, "ab"),
            ("👨‍👩‍👧", 4, "👨\u{200D}"),
            ("各国語", 2, "各国"),
            ("", 0, ""),
            ("x", 0, ""),
        ] {
            assert_eq!(head(text, units), want, "{text} {units}");
        }
    }

    #[test]
    fn cuts_at_line_borders() {
        assert_eq!(head_lines("one\ntwo\nthree", 8), "one\ntwo");
        assert_eq!(head_lines("one\ntwo\nthree", 7), "one\ntwo");
        assert_eq!(head_lines("one\ntwo\nthree", 6), "one");
        assert_eq!(head_lines("one\ntwo", 2), "on");
        assert_eq!(head_lines("one\n", 9), "one\n");
    }

    proptest! {
        #[test]
        fn a_head_is_a_prefix_that_fits(text in "\\PC{0,40}", units in 0_usize..50) {
            for cut in [head(&text, units), head_lines(&text, units)] {
                prop_assert!(text.starts_with(cut));
                prop_assert!(utf16_len(cut) <= units);
            }
            prop_assert_eq!(utf16_len(&text), text.encode_utf16().count());
        }
    }
}
