//! Lengths and cuts in UTF-16 units, in which the host counts characters.

use unicode_segmentation::GraphemeCursor;

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
    // From the limit back: forward, the last grapheme is read to its end, which may be that of the text.
    let mut cursor = GraphemeCursor::new(limit, text.len(), true);
    let end = match cursor.is_boundary(text, 0) {
        Ok(true) => limit,
        _ => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
    };
    &text[..if end == 0 { limit } else { end }]
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
    use unicode_segmentation::UnicodeSegmentation;

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

    proptest! {
        #[test]
        fn a_head_is_a_prefix_that_fits(text in "(\\PC|[e\u{301}\u{200d}👩🇵🇹\r\n]){0,40}", units in 0_usize..50) {
            let cut = head(&text, units);
            prop_assert!(text.starts_with(cut));
            prop_assert!(utf16_len(cut) <= units);
            prop_assert_eq!(utf16_len(&text), text.encode_utf16().count());
            // What it was before it looked from the limit back.
            let limit = byte_limit(&text, units);
            let ends = text.grapheme_indices(true).map(|(at, grapheme)| at + grapheme.len());
            let whole = ends.take_while(|end| *end <= limit).last().unwrap_or(limit);
            prop_assert_eq!(head(&text, units), &text[..whole]);
        }
    }
}
