//! Lines that leave notes of the user's workspace, and come back to their place.
//!
//! Taking out goes line by line, in place, so that no line of another program is lost whenever it is written. Putting back
//! exchanges the note as a whole, only as it was read. Both can be done again after a process was killed: how many lines
//! of the same words are to stay says whether anything is left to do.

use std::collections::HashMap;

use itertools::Itertools;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{capture::daily_note, workspace::notes::Notes};
use model::error::{Code, Error, Result};

/// How often a note is read again that somebody changes at the same moment.
const ATTEMPTS: usize = 20;

/// What leaves a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cut {
    /// The note, relative to the workspace.
    pub path: String,
    /// All of it, as it was; then it goes as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    /// Its lines that go, in their order.
    #[serde(default)]
    pub lines: Vec<CutLine>,
    /// Fingerprint of the note without them.
    #[serde(default)]
    after: String,
}

/// A line that goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CutLine {
    /// Its number, from 1.
    pub number: u32,
    /// The line with its end.
    pub text: String,
    /// Where it began, in bytes.
    at: usize,
    /// The line above it.
    above: Option<String>,
    /// How many lines of these words stay.
    stay: usize,
}

impl CutLine {
    /// The line without its end.
    pub(crate) fn bare(&self) -> &str {
        bare(&self.text)
    }
}

impl Cut {
    /// A whole note.
    pub(crate) fn whole(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), whole: Some(text.to_owned()), lines: Vec::new(), after: String::new() }
    }

    /// The lines of a note that are meant, by number and words; none when no line is. Of equal lines the last go.
    pub(crate) fn of_lines(path: &str, text: &str, is_meant: impl Fn(u32, &str) -> bool) -> Option<Self> {
        let (mut lines, mut rest) = (Vec::new(), String::with_capacity(text.len()));
        let mut staying: HashMap<&str, usize> = HashMap::new();
        let (mut at, mut above) = (0, None);
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            if !bare(line).is_empty() && is_meant(number, bare(line)) {
                let above = above.map(str::to_owned);
                lines.push(CutLine { number, text: line.to_owned(), at, above, stay: 0 });
            } else {
                rest.push_str(line);
                *staying.entry(bare(line)).or_default() += 1;
            }
            at += line.len();
            above = Some(bare(line));
        }
        for line in &mut lines {
            line.stay = staying.get(line.bare()).copied().unwrap_or_default();
        }
        let after = fingerprint(rest.as_bytes());
        (!lines.is_empty()).then(|| Self { path: path.to_owned(), whole: None, lines, after })
    }

    /// Whether a note still has all of it: a whole note as it was, else every line, wherever it stands.
    pub(crate) fn is_as_shown(&self, now: &[u8]) -> bool {
        if let Some(whole) = &self.whole {
            return now == whole.as_bytes();
        }
        let text = String::from_utf8_lossy(now);
        let standing = text.lines().map(bare).counts();
        let going = self.lines.iter().map(CutLine::bare).counts();
        self.lines.iter().all(|line| {
            let count = standing.get(line.bare()).copied().unwrap_or_default();
            count >= line.stay + going[line.bare()]
        })
    }

    /// Takes it out of the note. A whole note that has changed since it was looked at stays, and false is given.
    ///
    /// # Errors
    /// When the note cannot be read or written.
    pub(crate) fn take(&self, notes: &Notes) -> Result<bool> {
        if let Some(whole) = &self.whole {
            let gone = || Ok(notes.bytes(&self.path)?.is_none());
            return if gone()? { Ok(true) } else { notes.replace(&self.path, Some(whole.as_bytes()), None) };
        }
        for line in &self.lines {
            while count_of(notes, &self.path, line.bare())? > line.stay
                && daily_note::remove_line(notes, &self.path, line.bare())?
            {}
        }
        Ok(true)
    }

    /// Puts it back: byte for byte when nobody has changed the note since, else each line below the one it stood below, or
    /// at the end. False when something else has the name of a whole note by now.
    ///
    /// # Errors
    /// When the note cannot be read or written, and [`Code::Busy`] when it never rests.
    pub(crate) fn put_back(&self, notes: &Notes) -> Result<bool> {
        if let Some(whole) = &self.whole {
            let is_there = |bytes: Option<Vec<u8>>| bytes.as_deref() == Some(whole.as_bytes());
            return Ok(is_there(notes.bytes(&self.path)?) || notes.create(&self.path, whole)?);
        }
        for _ in 0..ATTEMPTS {
            let before = notes.bytes(&self.path)?;
            let text = String::from_utf8(before.clone().unwrap_or_default()).map_err(|_| {
                Error::new(Code::Argument, format!("{} is no UTF-8 text by now", self.path))
                    .remedy("Save the file as UTF-8")
            })?;
            let is_as_left = before.as_deref().map(fingerprint).as_ref() == Some(&self.after);
            let after = if is_as_left { self.filled(&text) } else { self.merged(&text) };
            if after == text {
                return Ok(true);
            }
            notes.check_not_written(&self.path)?;
            if notes.replace(&self.path, before.as_deref(), Some(after.as_bytes()))? {
                return Ok(true);
            }
        }
        Err(Error::new(Code::Busy, format!("another program keeps writing {}", self.path))
            .remedy("Close it and try again"))
    }

    /// The note as it was, from what it is without the lines.
    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for line in &self.lines {
            if !text.is_char_boundary(line.at) {
                return self.merged(&text);
            }
            text.insert_str(line.at, &line.text);
        }
        text
    }

    /// The lines in a note that has changed.
    fn merged(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for (number, line) in self.lines.iter().enumerate() {
            let equal = |other: &CutLine| other.bare() == line.bare();
            let wanted = line.stay + self.lines.iter().take(number + 1).filter(|other| equal(other)).count();
            if lines.iter().filter(|there| bare(there) == line.bare()).count() >= wanted {
                continue;
            }
            let place = line.above.as_ref().and_then(|above| lines.iter().rposition(|there| bare(there) == above));
            let at = place.map_or(lines.len(), |place| place + 1);
            if let Some(last) = at.checked_sub(1).and_then(|at| lines.get_mut(at)).filter(|last| !last.ends_with('\n'))
            {
                last.push('\n');
            }
            let end = if line.text.ends_with('\n') { "" } else { "\n" };
            lines.insert(at, format!("{}{end}", line.text));
        }
        lines.concat()
    }
}

fn count_of(notes: &Notes, path: &str, words: &str) -> Result<usize> {
    let text = notes.read(path)?.unwrap_or_default();
    Ok(text.lines().filter(|line| bare(line) == words).count())
}

/// A line without white space at its end, as [`daily_note::remove_line`] compares it.
fn bare(line: &str) -> &str {
    line.trim_end_matches(|c: char| c.is_ascii_whitespace())
}

fn fingerprint(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "memory/a.md";
    const TEXT: &str = "# Day\r\n- mine\n- ours\n  text\n- ours\n- end";

    fn note(text: &str) -> (tempfile::TempDir, Notes) {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::at(dir.path());
        notes.create(NOTE, text).unwrap();
        (dir, notes)
    }

    fn text(notes: &Notes) -> String {
        notes.read(NOTE).unwrap().unwrap_or_default()
    }

    #[test]
    fn lines_go_and_come_back_byte_for_byte_however_often_each_is_done() {
        let (_dir, notes) = note(TEXT);
        let cut = Cut::of_lines(NOTE, TEXT, |number, line| line == "- end" || number == 5).unwrap();
        for _ in 0..2 {
            assert!(cut.take(&notes).unwrap());
            if cfg!(target_os = "linux") {
                assert_eq!(text(&notes), "# Day\r\n- mine\n- ours\n  text\n", "one of two equal lines stays");
            }
        }
        for _ in 0..2 {
            assert!(cut.put_back(&notes).unwrap());
            assert_eq!(text(&notes).lines().count(), TEXT.lines().count());
        }
        if cfg!(target_os = "linux") {
            assert_eq!(text(&notes), TEXT);
        }
    }

    #[test]
    fn what_others_wrote_meanwhile_stays_and_the_line_finds_its_place() {
        let (_dir, notes) = note("# Day\n- mine\n- ours\n");
        let cut = Cut::of_lines(NOTE, &text(&notes), |_, line| line == "- ours").unwrap();
        cut.take(&notes).unwrap();
        notes.replace(NOTE, Some(text(&notes).as_bytes()), Some(b"# Day\n- mine\n- new")).unwrap();
        for _ in 0..2 {
            assert!(cut.put_back(&notes).unwrap());
            assert_eq!(text(&notes), "# Day\n- mine\n- ours\n- new");
        }
        // The line above is gone too.
        cut.take(&notes).unwrap();
        notes.replace(NOTE, Some(text(&notes).as_bytes()), Some(b"other")).unwrap();
        assert!(cut.put_back(&notes).unwrap());
        assert_eq!(text(&notes), "other\n- ours\n");
    }

    // The program went on writing to the former file, and its line was in none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_note_that_a_program_has_open_for_writing_is_not_replaced() {
        use std::io::Write;
        let (dir, notes) = note("# Day\n- mine\n- ours\n");
        let cut = Cut::of_lines(NOTE, &text(&notes), |_, line| line == "- ours").unwrap();
        cut.take(&notes).unwrap();
        let path = dir.path().join(NOTE);
        let reader = std::fs::File::open(&path).unwrap();
        let mut program = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        assert_eq!(cut.put_back(&notes).unwrap_err().code(), Code::Busy);
        program.write_all(b"- theirs\n").unwrap();
        drop(program);
        assert!(cut.put_back(&notes).unwrap());
        assert_eq!(text(&notes), "# Day\n- mine\n- ours\n- theirs\n");
        drop(reader);
    }

    #[test]
    fn a_whole_note_goes_only_as_it_was_shown() {
        let (_dir, notes) = note("one");
        let cut = Cut::whole(NOTE, "other");
        assert!(!cut.take(&notes).unwrap(), "somebody has changed it");
        let cut = Cut::whole(NOTE, "one");
        assert!(cut.take(&notes).unwrap() && cut.take(&notes).unwrap());
        assert_eq!(notes.bytes(NOTE).unwrap(), None);
        assert!(cut.put_back(&notes).unwrap() && cut.put_back(&notes).unwrap());
        assert_eq!(text(&notes), "one");
        notes.replace(NOTE, Some(b"one"), Some(b"two")).unwrap();
        assert!(!cut.put_back(&notes).unwrap(), "another note has its name");
    }
}
