//! The note of the day, `memory/YYYY-MM-DD.md`: facts are added at its end, under a lock, and what is there stays.

use std::io::Write;

use crate::workspace::{guard::Access, notes::Notes, read::utf16};
use model::error::{Code, Error, Result};

/// Path of the note of a day, relative to the workspace.
#[must_use]
pub(crate) fn relative_path(date: jiff::civil::Date) -> String {
    format!("memory/{date}.md")
}

/// Adds lines to a note.
///
/// # Errors
/// [`Code::Path`] when the note is in UTF-16, a link, lies behind one, is no regular file or is too large, else when it
/// cannot be written.
pub(crate) fn append(notes: &Notes, relative: &str, lines: &[String]) -> Result<()> {
    append_with(notes, relative, None, |_| lines.to_vec())
}

/// Adds the lines that `make` wants after what the note holds, with no other writer of ours between. A new note begins
/// with `title`, or else its own name.
///
/// # Errors
/// As [`append`].
pub(super) fn append_with(
    notes: &Notes,
    relative: &str,
    title: Option<&str>,
    make: impl FnOnce(&str) -> Vec<String>,
) -> Result<()> {
    let Some(mut note) = notes.hold(relative, Access::Append)? else { return Ok(()) };
    if utf16(&note.content).is_some() {
        let message = format!("{relative} is in UTF-16, so a line of UTF-8 at its end would be lost");
        return Err(Error::new(Code::Path, message).remedy("Save the file as UTF-8"));
    }
    let lines = make(&String::from_utf8_lossy(&note.content));
    if lines.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    if note.content.is_empty() {
        let name = relative.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
        text.push_str(&format!("# {}\n\n", title.unwrap_or(name)));
    } else if !note.content.ends_with(b"\n") {
        text.push('\n');
    }
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    // One write at the end: other programs that append to the same note lose nothing either.
    let written = note.file.write_all(text.as_bytes()).and_then(|()| note.file.sync_data());
    written.map_err(|e| Error::io(relative.as_ref(), &e))
}

/// The text of a note; empty when there is none.
///
/// # Errors
/// As [`append`], and when it exists but cannot be read.
pub(crate) fn read(notes: &Notes, relative: &str) -> Result<String> {
    Ok(notes.read(relative)?.unwrap_or_default())
}

/// Takes the last line that equals `line` out of a note, on the wish of the user. False when there is none. What other
/// programs append meanwhile stays.
///
/// # Errors
/// As [`append`].
pub(crate) fn remove_line(notes: &Notes, relative: &str, line: &str) -> Result<bool> {
    let Some(note) = notes.hold(relative, Access::Change)? else { return Ok(false) };
    note.take_line(line)
}

/// Takes some lines out of a note, on the wish of the user: those whose numbers, from 0, `find` gives for its text. False
/// when it gives none. What other programs append meanwhile stays.
///
/// # Errors
/// As [`append`].
pub(crate) fn remove_lines(
    notes: &Notes,
    relative: &str,
    find: impl Fn(&str) -> Option<std::ops::Range<usize>>,
) -> Result<bool> {
    let Some(note) = notes.hold(relative, Access::Change)? else { return Ok(false) };
    note.take_lines(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "memory/2026-11-20.md";

    fn notes(dir: &tempfile::TempDir) -> Notes {
        Notes::at(&dir.path().join("w"))
    }

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn what_is_there_stays_and_an_unfinished_line_is_finished() {
        let dir = tempfile::tempdir().unwrap();
        let notes = notes(&dir);
        append(&notes, NOTE, &lines(&["- a"])).unwrap();
        assert_eq!(read(&notes, NOTE).unwrap(), "# 2026-11-20\n\n- a\n");
        std::fs::write(dir.path().join("w").join(NOTE), "mine, no line feed").unwrap();
        append(&notes, NOTE, &lines(&["- b", "- c"])).unwrap();
        assert_eq!(read(&notes, NOTE).unwrap(), "mine, no line feed\n- b\n- c\n");
    }

    #[test]
    fn nothing_is_added_to_a_text_in_another_encoding() {
        let dir = tempfile::tempdir().unwrap();
        let notes = notes(&dir);
        append(&notes, NOTE, &lines(&["- a"])).unwrap();
        let path = dir.path().join("w").join(NOTE);
        for mine in [b"\xff\xfem\0y\0".as_slice(), b"m\0y\0"] {
            std::fs::write(&path, mine).unwrap();
            let error = append(&notes, NOTE, &lines(&["- b"])).unwrap_err();
            assert!(error.code() == Code::Path && error.to_string().contains("Save the file as UTF-8"), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), mine);
        }
    }

    #[test]
    fn only_the_line_itself_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let notes = notes(&dir);
        append(&notes, NOTE, &lines(&["- a", "- ab", "- c"])).unwrap();
        assert!(remove_line(&notes, NOTE, "- a").unwrap());
        assert!(!remove_line(&notes, NOTE, "- a").unwrap());
        assert!(!remove_line(&notes, "memory/none.md", "- a").unwrap());
        let text = read(&notes, NOTE).unwrap();
        // Where the system cannot keep other programs out, an empty line stays.
        let expected =
            if cfg!(target_os = "linux") { "# 2026-11-20\n\n- ab\n- c\n" } else { "# 2026-11-20\n\n   \n- ab\n- c\n" };
        assert_eq!(text, expected);
    }

    #[test]
    fn concurrent_writers_lose_no_line() {
        let dir = tempfile::tempdir().unwrap();
        let notes = notes(&dir);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let notes = &notes;
                scope.spawn(move || (0..25).for_each(|n| append(notes, NOTE, &[format!("- {writer}.{n}")]).unwrap()));
            }
        });
        let text = read(&notes, NOTE).unwrap();
        assert_eq!(text.lines().filter(|l| l.starts_with("- ")).count(), 100);
        assert_eq!(text.matches("# 2026").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_workspace_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let notes = notes(&dir);
        let (workspace, outside) = (dir.path().join("w"), dir.path().join("o"));
        for folder in [&workspace, &outside] {
            std::fs::create_dir(folder).unwrap();
        }
        std::os::unix::fs::symlink(&outside, workspace.join("memory")).unwrap();
        assert_eq!(append(&notes, NOTE, &lines(&["- a"])).unwrap_err().code(), Code::Path);
        std::fs::remove_file(workspace.join("memory")).unwrap();
        std::fs::create_dir(workspace.join("memory")).unwrap();
        std::os::unix::fs::symlink(outside.join("x.md"), workspace.join(NOTE)).unwrap();
        assert_eq!(append(&notes, NOTE, &lines(&["- a"])).unwrap_err().code(), Code::Path);
        assert!(!outside.join("x.md").exists());
        // A link to a note of other people was read, and its lines shown as ours.
        std::fs::write(outside.join("x.md"), "- [fact] SECRET\n").unwrap();
        for refused in [read(&notes, NOTE).map(drop), remove_line(&notes, NOTE, "- [fact] SECRET").map(drop)] {
            let error = refused.unwrap_err();
            assert!(error.code() == Code::Path && error.remedy.is_some(), "{error:?}");
        }
        assert_eq!(std::fs::read_to_string(outside.join("x.md")).unwrap(), "- [fact] SECRET\n");
    }

    // The file beside a note, into which its new content was written, had a known name: a link of that name was
    // followed, and what it led to was overwritten.
    #[cfg(unix)]
    #[test]
    fn a_link_planted_beside_a_note_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let notes = notes(&dir);
        append(&notes, NOTE, &lines(&["- a", "- b"])).unwrap();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "precious").unwrap();
        for name in ["2026-11-20.md.new", "2026-11-20.new", ".2026-11-20.md.tmp", "2026-11-20.md.tmp", "2026-11-20.md~"]
        {
            std::os::unix::fs::symlink(&victim, dir.path().join("w/memory").join(name)).unwrap();
        }
        assert!(remove_line(&notes, NOTE, "- a").unwrap());
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
        assert_eq!(std::fs::read_dir(dir.path().join("w/memory")).unwrap().count(), 6, "nothing else was made");
    }

    #[test]
    fn a_note_beyond_the_limit_is_refused_and_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::new(&dir.path().join("w"), 100);
        append(&notes, NOTE, &lines(&["- a"])).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(dir.path().join("w").join(NOTE)).unwrap();
        file.set_len(1 << 40).unwrap();
        for refused in
            [read(&notes, NOTE).map(drop), append(&notes, NOTE, &[]), remove_line(&notes, NOTE, "").map(drop)]
        {
            let error = refused.unwrap_err();
            assert!(error.code() == Code::Path && error.remedy.is_some(), "{error:?}");
        }
    }
}
