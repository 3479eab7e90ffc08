//! Regular expressions that stay fast on text of every script.

/// A pattern whose `\b` looks at ASCII letters only.
///
/// With Unicode's word boundaries the fast engines give up at the first letter that is not ASCII, and the slow one takes
/// a hundred times as long. Where ASCII stands beside another script without a space, this is also the boundary that is
/// meant: a key behind a Chinese word is a key. A word that itself begins or ends outside ASCII must do without `\b`.
#[must_use]
pub fn ascii_boundaries(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)")
}
