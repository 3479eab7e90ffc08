//! Lines of memory files that were written in a conversation of several people. Hosts before 2026.8 do not remember whose
//! words a file holds; what a stranger in a group had written down must not come up by itself in the user's own chat.
//!
//! Only fingerprints of lines are kept. A line that a person has since put into other words is that person's.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::journal::{Journal, Record};
use model::error::Result;
use text::fold::fold;

/// Letters that make a line one's words; less is structure or a number.
const MIN_LETTERS: usize = 2;
/// Letters and digits of a written text by which the line it has become a part of is found.
const MIN_PART: usize = 4;
/// Words that a heading needs to be more than a title that many notes have.
const MIN_HEADING_WORDS: usize = 4;

/// Remembers the lines of `texts`, which somebody has written into a note. Where the text of the `note` is known, its lines
/// that hold one of them are remembered too: an edit may have changed only a part of a line.
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn remember(journal: &Journal, note: Option<&str>, texts: &[String]) -> Result<()> {
    let written: Vec<String> = texts.iter().flat_map(|text| text.lines()).filter_map(plain).collect();
    let mut marks: HashSet<u64> = written.iter().map(|line| mark(line)).collect();
    if let Some(note) = note {
        let parts: Vec<&String> = written.iter().filter(|part| part.chars().count() >= MIN_PART).collect();
        let concerned = note.lines().filter_map(plain).filter(|line| parts.iter().any(|part| line.contains(*part)));
        marks.extend(concerned.map(|line| mark(&line)));
    }
    let mut held = journal.hold()?;
    marks.retain(|mark| !held.state.marks.contains(mark));
    if marks.is_empty() {
        return Ok(());
    }
    held.add(Record::Marks(marks.iter().map(|mark| format!("{mark:016x}")).collect()))
}

/// The fingerprints of all remembered lines; none where nothing was ever remembered.
///
/// # Errors
/// When the journal exists but cannot be read.
pub(crate) fn of_groups(journal: &Journal) -> Result<HashSet<u64>> {
    Ok(journal.read()?.marks)
}

/// Whether a passage shows a remembered line or a part of one. `source` are the lines of the note that it was taken from:
/// of a long line it may show only some sentences.
#[must_use]
pub(crate) fn shows_one(known: &HashSet<u64>, passage: &str, source: &[&str]) -> bool {
    let is_known = |line: &String| known.contains(&mark(line));
    let shown: Vec<String> = passage.lines().filter_map(plain).collect();
    let mut of_groups = source.iter().filter_map(|line| plain(line)).filter(is_known);
    shown.iter().any(is_known) || of_groups.any(|line| shown.iter().any(|part| line.contains(part)))
}

/// The letters and digits of a line, without case, accents and markup; none of a line that says nothing.
fn plain(line: &str) -> Option<String> {
    let is_title = line.trim_start().starts_with('#') && line.split_whitespace().count() <= MIN_HEADING_WORDS;
    let folded: String = fold(line).chars().filter(|c| c.is_alphanumeric()).collect();
    (!is_title && folded.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS).then_some(folded)
}

fn mark(plain: &str) -> u64 {
    xxh3_64(plain.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remembered(note: Option<&str>, texts: &[&str]) -> HashSet<u64> {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::of_all_agents(dir.path());
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        remember(&journal, note, &texts).unwrap();
        remember(&journal, note, &texts).unwrap();
        let text = std::fs::read_to_string(journal.path()).unwrap();
        assert!(text.matches("marks").count() <= 1, "remembered once");
        of_groups(&journal).unwrap()
    }

    #[test]
    fn a_line_is_known_again_whatever_its_markup_and_its_neighbours_are_not() {
        let known = remembered(None, &["# 2026-11-23\n\n- The **Küche** key is under the mat.\n+ 明天八点开会\n"]);
        assert_eq!(known.len(), 2);
        assert!(shows_one(&known, "- I like tea\n* the kuche key is under the mat", &[]));
        assert!(shows_one(&known, "明天八点开会。", &[]));
        for own in ["# 2026-11-23", "## Notes", "- The key is under the mat", "---", "42"] {
            assert!(!shows_one(&known, own, &[]), "{own}");
        }
    }

    #[test]
    fn an_edit_of_a_part_concerns_the_line_it_is_in() {
        let note = "- Ana lives in Porto\n- Ben lives in Braga\n";
        let known = remembered(Some(note), &["Braga"]);
        assert!(shows_one(&known, "- Ben lives in Braga", &[]));
        assert!(!shows_one(&known, "- Ana lives in Porto", &[]));
    }

    #[test]
    fn some_sentences_of_a_long_line_are_known_by_the_line() {
        let line = "- The gate code is 4711. Tell nobody. The bell is broken.";
        let known = remembered(None, &[line]);
        assert!(shows_one(&known, "…Tell nobody.…", &[line]));
        assert!(!shows_one(&known, "…The lamp is green.…", &[line]));
    }
}
