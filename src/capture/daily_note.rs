//! The note of the day, `memory/YYYY-MM-DD.md`: facts are added at its end, under a lock, and what is there stays.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use super::jsonl;
use crate::error::{Code, Error, Result};

/// Path of the note of a day, relative to the workspace.
#[must_use]
pub fn relative_path(date: jiff::civil::Date) -> String {
    format!("memory/{date}.md")
}

/// Adds lines to a note.
///
/// # Errors
/// [`Code::Path`] when the note lies outside the workspace or is a link, else when it cannot be written.
pub fn append(workspace: &Path, relative: &str, lines: &[String]) -> Result<()> {
    append_with(workspace, relative, None, |_| lines.to_vec())
}

/// Adds the lines that `make` wants after what the note holds, with no other writer of ours between. A new note begins
/// with `title`, or else its own name.
///
/// # Errors
/// As [`append`].
pub(super) fn append_with(
    workspace: &Path,
    relative: &str,
    title: Option<&str>,
    make: impl FnOnce(&str) -> Vec<String>,
) -> Result<()> {
    let path = contained(workspace, relative)?;
    let write = || -> std::io::Result<()> {
        // Appending in one write: other programs that append to the same note lose nothing either.
        let (mut file, before) = open_locked(&path, OpenOptions::new().read(true).append(true).create(true))?;
        let lines = make(&String::from_utf8_lossy(&before));
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = String::new();
        if before.is_empty() {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            text.push_str(&format!("# {}\n\n", title.unwrap_or(&name)));
        } else if !before.ends_with(b"\n") {
            text.push('\n');
        }
        for line in lines {
            text.push_str(&line);
            text.push('\n');
        }
        file.write_all(text.as_bytes())?;
        file.sync_data()
    };
    write().map_err(|e| Error::io(&path, &e))
}

/// The text of a note; empty when there is none.
///
/// # Errors
/// When it exists but cannot be read.
pub fn read(workspace: &Path, relative: &str) -> Result<String> {
    let path = workspace.join(relative);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(Error::io(&path, &e)),
    }
}

/// Takes the last line that equals `line` out of a note, on the wish of the user. False when there is none.
///
/// # Errors
/// As [`append`].
pub fn remove_line(workspace: &Path, relative: &str, line: &str) -> Result<bool> {
    let path = contained(workspace, relative)?;
    if !path.exists() {
        return Ok(false);
    }
    let change = || -> std::io::Result<bool> {
        let (_file, text) = open_locked(&path, OpenOptions::new().read(true).write(true))?;
        let mut pieces: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let Some(at) = pieces.iter().rposition(|piece| piece.trim_ascii_end() == line.as_bytes()) else {
            return Ok(false);
        };
        pieces.remove(at);
        replace(&path, &pieces)?;
        Ok(true)
    };
    change().map_err(|e| Error::io(&path, &e))
}

/// Opens and locks a note, and reads it. The lock is held until the file is closed.
fn open_locked(path: &Path, options: &OpenOptions) -> std::io::Result<(File, Vec<u8>)> {
    loop {
        let mut file = options.open(path)?;
        file.lock()?;
        // Another process replaced the note between open and lock: take the new one.
        if !jsonl::still_named(&file, path) {
            continue;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok((file, bytes));
    }
}

/// Gives a note new content in one step: a process that is killed leaves the old note or the new one.
fn replace(path: &Path, parts: &[&[u8]]) -> std::io::Result<()> {
    let beside = path.with_extension("md.new");
    let mut file = File::create(&beside)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.sync_data()?;
    std::fs::set_permissions(&beside, std::fs::metadata(path)?.permissions())?;
    std::fs::rename(&beside, path)
}

/// The absolute path, its folder created, if it really lies in the workspace.
pub(super) fn contained(workspace: &Path, relative: &str) -> Result<PathBuf> {
    let path = workspace.join(relative);
    let folder = path.parent().unwrap_or(workspace);
    let outside = || {
        Error::new(Code::Path, format!("{relative} does not lie in the workspace, or is a link"))
            .remedy("Make memory/ a plain folder of the workspace")
    };
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, &e))?;
    let real = |p: &Path| std::fs::canonicalize(p).map_err(|e| Error::io(p, &e));
    if !real(folder)?.starts_with(real(workspace)?) {
        return Err(outside());
    }
    match std::fs::symlink_metadata(&path) {
        Ok(meta) if !meta.is_file() => Err(outside()),
        _ => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "memory/2026-11-20.md";

    #[test]
    fn what_is_there_stays_and_an_unfinished_line_is_finished() {
        let dir = tempfile::tempdir().unwrap();
        append(dir.path(), NOTE, &["- a".to_owned()]).unwrap();
        assert_eq!(read(dir.path(), NOTE).unwrap(), "# 2026-11-20\n\n- a\n");
        std::fs::write(dir.path().join(NOTE), "mine, no line feed").unwrap();
        append(dir.path(), NOTE, &["- b".to_owned(), "- c".to_owned()]).unwrap();
        assert_eq!(read(dir.path(), NOTE).unwrap(), "mine, no line feed\n- b\n- c\n");
    }

    #[test]
    fn only_the_line_itself_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        append(dir.path(), NOTE, &["- a".to_owned(), "- ab".to_owned(), "- c".to_owned()]).unwrap();
        assert!(remove_line(dir.path(), NOTE, "- a").unwrap());
        assert!(!remove_line(dir.path(), NOTE, "- a").unwrap());
        assert_eq!(read(dir.path(), NOTE).unwrap(), "# 2026-11-20\n\n- ab\n- c\n");
    }

    #[test]
    fn concurrent_writers_lose_no_line() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let dir = dir.path();
                scope.spawn(move || (0..25).for_each(|n| append(dir, NOTE, &[format!("- {writer}.{n}")]).unwrap()));
            }
        });
        let text = read(dir.path(), NOTE).unwrap();
        assert_eq!(text.lines().filter(|l| l.starts_with("- ")).count(), 100);
        assert_eq!(text.matches("# 2026").count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_workspace_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let (workspace, outside) = (dir.path().join("w"), dir.path().join("o"));
        for folder in [&workspace, &outside] {
            std::fs::create_dir(folder).unwrap();
        }
        std::os::unix::fs::symlink(&outside, workspace.join("memory")).unwrap();
        assert_eq!(append(&workspace, NOTE, &["- a".to_owned()]).unwrap_err().code, Code::Path);
        std::fs::remove_file(workspace.join("memory")).unwrap();
        std::fs::create_dir(workspace.join("memory")).unwrap();
        std::os::unix::fs::symlink(outside.join("x.md"), workspace.join(NOTE)).unwrap();
        assert_eq!(append(&workspace, NOTE, &["- a".to_owned()]).unwrap_err().code, Code::Path);
        assert!(!outside.join("x.md").exists());
    }
}
