//! The annotated lines of one file.

use std::{borrow::Cow, sync::Arc};

use ::search::factors::Entry;
use text::annotations::{Fault, of_line, stripped};

/// Lines of an entry above the one that is annotated, at most.
const MOST_LINES: usize = 8;

/// A curated file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CuratedFile {
    /// In the order of the file.
    pub(super) entries: Arc<[Entry]>,
    /// When it was written last, in milliseconds since the epoch.
    pub(super) modified_ms: i64,
    /// Whether it says that it is curated.
    pub(super) is_marked: bool,
}

impl CuratedFile {
    /// Reads the comments of a text.
    pub(super) fn read(text: &str, modified_ms: i64) -> Self {
        let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let mut entries: Vec<Entry> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let says = of_line(line);
            if says.is_empty() {
                continue;
            }
            let taken = entries.last().map_or(0, |entry| entry.end_line as usize);
            let first = beginning(&lines, at, taken);
            let shown: Vec<String> = lines
                .get(first..=at)
                .unwrap_or_default()
                .iter()
                .map(|line| stripped(line, true).into_owned())
                .collect();
            entries.push(Entry {
                start_line: number(first),
                end_line: number(at),
                text: shown.join("\n").trim().to_owned(),
                says,
            });
        }
        Self { entries: entries.into(), modified_ms, is_marked: is_marked(text) }
    }

    /// What is wrong in which line.
    pub(super) fn faults(&self) -> impl Iterator<Item = (u32, Fault)> + '_ {
        self.entries.iter().flat_map(|entry| entry.says.faults.iter().map(|fault| (entry.end_line, *fault)))
    }
}

/// Whether a text says that it is curated: in a line of its own, `<!-- curated -->`.
pub(crate) fn is_marked(text: &str) -> bool {
    text.lines().any(is_marker)
}

fn is_marker(line: &str) -> bool {
    let comment = line.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    comment.is_some_and(|words| words.trim().eq_ignore_ascii_case("curated"))
}

/// A curated text as the index has it: without its comments, and without the entries of which nobody can say whose project
/// they belong to. All lines keep their numbers.
pub(crate) fn indexed(text: &str) -> Cow<'_, str> {
    let read = CuratedFile::read(text, 0);
    let hidden: Vec<&Entry> = read.entries.iter().filter(|entry| entry.says.is_hidden).collect();
    if hidden.is_empty() && !read.is_marked {
        return stripped(text, true);
    }
    let lines = text.split('\n').enumerate().map(|(at, line)| {
        let is_hidden = hidden.iter().any(|entry| (entry.start_line..=entry.end_line).contains(&number(at)));
        if is_hidden || is_marker(line) { "" } else { line }
    });
    stripped(&lines.collect::<Vec<_>>().join("\n"), true).into_owned().into()
}

/// Where the entry of an annotated line begins: a wrapped list item is one entry, from its bullet on.
fn beginning(lines: &[&str], at: usize, taken: usize) -> usize {
    let is_wrapped = |line: &str| line.starts_with([' ', '\t']) && !is_item(line) && !line.trim().is_empty();
    let mut first = at;
    while first > taken && at - first < MOST_LINES && lines.get(first).is_some_and(|line| is_wrapped(line)) {
        first -= 1;
    }
    // What hangs below something else than a list item is no part of it.
    if lines.get(first).is_some_and(|line| is_item(line)) { first } else { at }
}

/// What follows the bullet of a list item.
pub(super) fn without_bullet(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "].iter().find_map(|bullet| line.trim_start().strip_prefix(bullet))
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    without_bullet(line).is_some()
        || digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") "))
}

fn number(at: usize) -> u32 {
    u32::try_from(at + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_nobody_is_not_indexed_and_its_neighbours_are() {
        let text = "a\n- b\n  c <!-- project: -->\n- d <!-- trigger: e -->";
        assert_eq!(indexed(text), "a\n\n\n- d");
    }

    #[test]
    fn triggers_belong_to_their_own_entry() {
        let file = CuratedFile::read(
            "# Memory\r\n- Mara owns the roof <!-- trigger: roof -->\r\n- Tea\n- A long entry\n  that goes on <!-- importance: 8 -->\n\ntext\n  hanging <!-- trigger: x -->\n",
            0,
        );
        let read: Vec<(u32, u32, &str)> =
            file.entries.iter().map(|e| (e.start_line, e.end_line, e.text.as_str())).collect();
        assert_eq!(read, [(2, 2, "- Mara owns the roof"), (4, 5, "- A long entry\n  that goes on"), (8, 8, "hanging")]);
    }
}
