//! What labels a line: who says it in a conversation, what it tells in a list of facts.

/// Longest label of a line, in bytes.
const LABEL_BYTES: usize = 40;

/// The words before the first colon of a line (`Ana: …`, `- **Phone:** …`), where those are few and text follows.
#[must_use]
pub fn label(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '>' | '+' | '_'));
    let colon = memchr::memchr(b':', &text.as_bytes()[..text.len().min(LABEL_BYTES)])?;
    text[colon + 1..].starts_with(|c: char| c.is_whitespace() || c == '*').then(|| &text[..colon])
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn a_label_stands_before_a_colon_and_a_space() {
        assert_eq!(label("Ana: Thanks!"), Some("Ana"));
        assert_eq!(label("- **Phone:** 555"), Some("Phone"));
        assert_eq!(label("see https://example.org"), None);
        assert_eq!(label("at 10:30"), None);
        assert_eq!(label("Ana:"), None);
        assert_eq!(label(&format!("{}: no label", "long ".repeat(20))), None);
    }
}
