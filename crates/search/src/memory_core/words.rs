//! The words of a query and of a text, as memory-core sees them: runs of letters, numbers and underscores.

use std::sync::LazyLock;

use regex::Regex;

/// Unlike `char::is_alphanumeric`, letters here exclude vowel signs that are marks: the reference splits at them.
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").ok());

/// The words of a text, in order, as written.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    WORD.iter().flat_map(move |word| word.find_iter(text)).map(|found| found.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_punctuation_split() {
        let found: Vec<_> = words("a.b_c 2024-05, हिन्दी 漢字かな!").collect();
        assert_eq!(found, ["a", "b_c", "2024", "05", "ह", "न", "द", "漢字かな"]);
        assert_eq!(words("…!?").count(), 0);
    }
}
