//! What a result shows: the head of its chunk (F12).

/// Longest snippet in UTF-16 units.
pub(super) const SNIPPET_UNITS: usize = 700;

/// The longest head of at most [`SNIPPET_UNITS`] that splits no surrogate pair. Graphemes are not kept whole, because
/// diversity (F8) compares these very heads.
pub(super) fn snippet(text: &str) -> &str {
    if text.len() <= SNIPPET_UNITS {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > SNIPPET_UNITS
    });
    end.map_or(text, |(at, _)| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_before_a_pair_that_does_not_fit() {
        let text = format!("{}😀b", "a".repeat(699));
        assert_eq!(snippet(&text), "a".repeat(699));
        let text = format!("{}😀b", "a".repeat(698));
        assert_eq!(snippet(&text), format!("{}😀", "a".repeat(698)));
        let text = "漢".repeat(700);
        assert_eq!(snippet(&text), text);
    }
}
