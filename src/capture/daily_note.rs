//! The note of the day, `memory/YYYY-MM-DD.md`: facts are added at its end, under a lock, and what is there stays.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

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
    let path = contained(workspace, relative)?;
    let write = || -> std::io::Result<()> {
        // Appending in one write: other programs that append to the same note lose nothing either.
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        file.lock()?;
        let mut text = String::new();
        match last_byte(&mut file)? {
            None => text.push_str(&format!("# {}\n\n", path.file_stem().unwrap_or_default().to_string_lossy())),
            Some(b'\n') => {}
            Some(_) => text.push('\n'),
        }
        for line in lines {
            text.push_str(line);
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
        let mut file = OpenOptions::new().read(true).write(true).open(&path)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut start = text.len();
        for piece in text.split_inclusive('\n').rev() {
            start -= piece.len();
            if piece.trim_end() == line {
                let rest = text.get(start + piece.len()..).unwrap_or_default().to_owned();
                file.set_len(start as u64)?;
                file.seek(SeekFrom::End(0))?;
                file.write_all(rest.as_bytes())?;
                return Ok(true);
            }
        }
        Ok(false)
    };
    change().map_err(|e| Error::io(&path, &e))
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

fn last_byte(file: &mut File) -> std::io::Result<Option<u8>> {
    if file.metadata()?.len() == 0 {
        return Ok(None);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte.first().copied())
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
