//! How patterns for what people write are compiled.

use regex::{Regex, RegexBuilder};
use text::pattern::ascii_boundaries;

/// A pattern without regard to case, for what people write: telephones write apostrophes as quotation marks.
pub(super) fn as_written(pattern: &str) -> Option<Regex> {
    let pattern = pattern.replace('\'', r"['\u{2019}]");
    RegexBuilder::new(&pattern).case_insensitive(true).size_limit(64 << 20).build().ok()
}

/// The same with word boundaries of ASCII alone, which long patterns need: those of Unicode make each of them megabytes.
pub(super) fn with_ascii_boundaries(pattern: &str) -> Option<Regex> {
    as_written(&ascii_boundaries(pattern))
}
