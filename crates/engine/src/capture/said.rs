//! When something was said, as far as notes tell: what is true again after something else was is news.

use jiff::civil::Date;
use text::time::note_date;

/// Where and when a line was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    /// The day it stands under.
    pub day: Date,
    /// The note, relative to the workspace.
    pub path: String,
    /// The line of the note.
    pub line: usize,
}

impl Said {
    /// A line of a note of a day; none in other notes.
    pub(crate) fn in_note(path: &str, line: usize) -> Option<Self> {
        Some(Self { day: note_date(path)?, path: path.to_owned(), line })
    }

    /// Whether this surely came later; nobody knows it of two notes on one day.
    pub(crate) fn is_after(&self, other: &Self) -> bool {
        self.day > other.day || (self.day == other.day && self.path == other.path && self.line > other.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_tell_and_lines_within_a_note() {
        let at = |path: &str, line| Said::in_note(path, line).unwrap();
        let first = at("memory/2026-11-20.md", 3);
        assert!(at("memory/2026-11-21.md", 1).is_after(&first) && at("memory/2026-11-20.md", 4).is_after(&first));
        for other in [first.clone(), at("memory/2026-11-19.md", 9), at("memory/2026-11-20-lamps.md", 9)] {
            assert!(!other.is_after(&first), "{other:?}");
        }
        assert_eq!(Said::in_note("MEMORY.md", 3), None);
    }
}
