//! Taking blocks out of a text, in time that grows with the text alone, however they repeat and nest.

use std::ops::Range;

/// How often a text is gone through. Taking blocks out can bring others about; nothing that a host or a plugin writes is
/// nested that deep.
const ROUNDS: usize = 4;

/// A text without the blocks that `find` sees, which lists them in order and without overlap. One that has some left after
/// a few rounds was made to deceive, and ends at the first of them.
pub(super) fn without(text: &str, find: impl Fn(&str) -> Vec<Range<usize>>) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let blocks = find(&text);
        if blocks.is_empty() {
            return text;
        }
        text = replaced(&text, &blocks, |_| String::new());
    }
    if let Some(first) = find(&text).first() {
        text.truncate(first.start);
    }
    text
}

/// A text with something else in the place of some ranges, which are in order and do not overlap.
pub(super) fn replaced(text: &str, ranges: &[Range<usize>], with: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in ranges {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(&with(text.get(range.clone()).unwrap_or_default()));
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Where a mark stands, from a place on.
pub(super) fn find_from(text: &str, from: usize, mark: &str) -> Option<Range<usize>> {
    let at = from + text.get(from..)?.find(mark)?;
    Some(at..at + mark.len())
}

/// Where text between two marks stands, marks included; an open end reaches to the end of the text.
pub(super) fn delimited(text: &str, begin: &str, end: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = find_from(text, from, begin) {
        from = find_from(text, open.start, end).map_or(text.len(), |close| close.end);
        found.push(open.start..from);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_blocks_leave_no_mark() {
        let find = |text: &str| delimited(text, "ab", "z");
        assert_eq!(without("1ab2z3ab4z5", find), "135");
        assert_eq!(without("1ab2", find), "1");
        // Each round brings one about; after the last the rest goes.
        assert_eq!(without("1aabzbz2", find), "12");
        let deep = format!("1{}abz{}2", "a".repeat(99), "bz".repeat(99));
        assert!(!without(&deep, find).contains("ab"));
    }
}
