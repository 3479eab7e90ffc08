//! The notes that are written here, as files: reached through the guard, read within the limit of indexed files, and
//! changed under a lock that other processes of ours respect.

use std::{
    ffi::OsString,
    fs::{File, TryLockError},
    io::{self, Seek, SeekFrom, Write},
    ops::Range,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

use super::{
    guard::{Access, Folder, Refusal},
    read::{decode, read_bounded},
    roots::Limits,
    take_out::{is_written_elsewhere, take_out},
};
use model::{
    config::settings::Settings,
    error::{Code, Error, Result},
};

/// How long another process that holds a note is waited for. Ours hold one for milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// The notes of a workspace. Paths are relative to it.
#[derive(Debug, Clone)]
pub struct Notes {
    workspace: PathBuf,
    max_bytes: u64,
}

/// A note that this process holds, until it is dropped.
#[derive(Debug)]
pub struct Held {
    /// Open for what was asked for.
    pub file: File,
    /// What it holds.
    pub content: Vec<u8>,
    max_bytes: u64,
    path: PathBuf,
}

impl Notes {
    /// The notes of a workspace. `max_bytes` is the size of the largest note that is read.
    #[must_use]
    pub fn new(workspace: &Path, max_bytes: u64) -> Self {
        Self { workspace: workspace.to_path_buf(), max_bytes }
    }

    /// As [`Self::new`] with the usual limit.
    #[must_use]
    pub fn at(workspace: &Path) -> Self {
        Self::new(workspace, Limits::default().file_bytes)
    }

    /// The notes that the settings describe.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        Self::new(&settings.workspace_dir, settings.max_file_bytes)
    }

    /// The text of a note; none when there is no such note.
    ///
    /// # Errors
    /// [`Code::Path`] when it is a link, lies behind one, is no regular file or is too large, else when it cannot be read.
    pub fn read(&self, relative: &str) -> Result<Option<String>> {
        Ok(self.bytes(relative)?.map(|bytes| decode(bytes).0))
    }

    /// Opens and holds a note; none when there is no such note, and it is not to be made.
    ///
    /// # Errors
    /// As [`Self::read`], and [`Code::Busy`] when another process holds the note for long.
    pub(crate) fn hold(&self, relative: &str, access: Access) -> Result<Option<Held>> {
        let path = self.workspace.join(relative);
        let place = || self.place(relative, access == Access::Append);
        let (folder, name) = match place() {
            Ok(place) => place,
            Err(Refusal::Missing) => return Ok(None),
            Err(refusal) => return Err(refused(refusal, &path)),
        };
        let until = Instant::now() + PATIENCE;
        loop {
            let file = match folder.file(&name, access) {
                Ok(file) => file,
                Err(Refusal::Missing) => return Ok(None),
                Err(refusal) => return Err(refused(refusal, &path)),
            };
            lock(&file, until, &path)?;
            // Somebody replaced the note between open and lock: take the new one.
            if folder.still_names(&name, &file) {
                let mut held = Held { file, content: Vec::new(), max_bytes: self.max_bytes, path };
                held.content = held.read()?;
                return Ok(Some(held));
            }
        }
    }

    /// Makes a note, complete or not at all; false when there is something of that name.
    ///
    /// # Errors
    /// As [`Self::read`], and when it cannot be written.
    pub fn create(&self, relative: &str, text: &str) -> Result<bool> {
        let make = || {
            let (folder, name) = self.place(relative, true)?;
            folder.put(&name, text.as_bytes(), None)
        };
        make().map_err(|refusal| refused(refusal, &self.workspace.join(relative)))
    }

    /// The bytes of a note; none when there is no such note.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn bytes(&self, relative: &str) -> Result<Option<Vec<u8>>> {
        let path = self.workspace.join(relative);
        let open = || {
            let (folder, name) = self.place(relative, false)?;
            folder.file(&name, Access::Read)
        };
        match open() {
            Ok(mut file) => {
                let metadata = file.metadata().map_err(|e| Error::io(&path, &e))?;
                read_bounded(&mut file, &metadata, self.max_bytes, &path).map(Some)
            }
            Err(Refusal::Missing) => Ok(None),
            Err(refusal) => Err(refused(refusal, &path)),
        }
    }

    /// Refuses a note that another program has open for writing, where the system tells: it goes on writing to the old one when the
    /// note is replaced, and nobody finds that again.
    ///
    /// # Errors
    /// [`Code::Busy`] for such a note, and as [`Self::read`].
    pub(crate) fn check_not_written(&self, relative: &str) -> Result<()> {
        let open = || {
            let (folder, name) = self.place(relative, false)?;
            folder.file(&name, Access::Read)
        };
        match open() {
            Ok(file) if is_written_elsewhere(&file) => {
                Err(Error::new(Code::Busy, format!("another program has {relative} open and may write to it"))
                    .remedy("Close the note there and try again"))
            }
            Ok(_) | Err(Refusal::Missing) => Ok(()),
            Err(refusal) => Err(refused(refusal, &self.workspace.join(relative))),
        }
    }

    /// Puts a note in the place of the one that was read before, complete or not at all; none stands for no note. False,
    /// and nothing done, when somebody has changed it meanwhile. What a program appends through a file that it opened
    /// before is carried over.
    ///
    /// # Errors
    /// As [`Self::read`], and when it cannot be written.
    pub fn replace(&self, relative: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Result<bool> {
        self.replace_dated(relative, before, after, None)
    }

    /// [`Self::replace`] with a note that was `modified` elsewhere; none = now.
    ///
    /// # Errors
    /// As [`Self::replace`].
    pub(crate) fn replace_dated(
        &self,
        relative: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
        modified: Option<SystemTime>,
    ) -> Result<bool> {
        let path = self.workspace.join(relative);
        let explain = |refusal| refused(refusal, &path);
        let Some(before) = before else {
            let Some(after) = after else { return Ok(self.bytes(relative)?.is_none()) };
            let (folder, name) = self.place(relative, true).map_err(explain)?;
            return folder.put(&name, after, modified).map_err(explain);
        };
        let Some(held) = self.hold(relative, Access::Change)? else { return Ok(false) };
        if held.content != before {
            return Ok(false);
        }
        let (folder, name) = self.place(relative, false).map_err(explain)?;
        match after {
            Some(after) => folder.replace(&name, after, &held.file, modified).map_err(explain)?,
            None => folder.remove(&name).map_err(explain)?,
        }
        let late = held.read()?;
        if let Some(tail) = late.strip_prefix(before).filter(|tail| !tail.is_empty())
            && let Some(mut now) = self.hold(relative, Access::Append)?
        {
            now.file.write_all(tail).and_then(|()| now.file.sync_all()).map_err(|error| Error::io(&path, &error))?;
        }
        Ok(true)
    }

    /// Gives a note another name in its folder; false when that is taken.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such note, else as [`Self::create`].
    pub fn rename(&self, relative: &str, name: &str) -> Result<bool> {
        let rename = || {
            let (folder, from) = self.place(relative, false)?;
            folder.file(&from, Access::Read)?;
            folder.rename(&from, name.as_ref())
        };
        rename().map_err(|refusal| refused(refusal, &self.workspace.join(relative)))
    }

    /// The names in a folder of the workspace, in no order; empty when there is no such folder.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn names(&self, folder: &str) -> Result<Vec<String>> {
        match Folder::open(&self.workspace, folder.as_ref()).and_then(|folder| folder.names()) {
            Err(Refusal::Missing) => Ok(Vec::new()),
            names => names.map_err(|refusal| refused(refusal, &self.workspace.join(folder))),
        }
    }

    fn place(&self, relative: &str, create: bool) -> Result<(Folder, OsString), Refusal> {
        let relative = Path::new(relative);
        let (Some(parent), Some(name)) = (relative.parent(), relative.file_name()) else {
            return Err(Refusal::NotRegular);
        };
        let folder = if create { Folder::create } else { Folder::open };
        Ok((folder(&self.workspace, parent)?, name.to_owned()))
    }
}

impl Held {
    /// Takes the last line that equals `line` out of the note; false when there is none.
    ///
    /// # Errors
    /// When the note cannot be read or written.
    pub(crate) fn take_line(&self, line: &str) -> Result<bool> {
        self.take(|content| {
            let mut end = content.len();
            content.split_inclusive(|byte| *byte == b'\n').rev().find_map(|piece| {
                let range = end - piece.len()..end;
                end = range.start;
                (piece.trim_ascii_end() == line.as_bytes()).then_some(range)
            })
        })
    }

    /// Takes the lines out of the note whose numbers, from 0, `find` gives for its text; false when it gives none.
    ///
    /// # Errors
    /// As [`Self::take_line`].
    pub(crate) fn take_lines(&self, find: impl Fn(&str) -> Option<Range<usize>>) -> Result<bool> {
        self.take(|content| {
            let lines = find(&String::from_utf8_lossy(content))?;
            let bytes = |lines| content.split_inclusive(|byte| *byte == b'\n').take(lines).map(<[u8]>::len).sum();
            Some(bytes(lines.start)..bytes(lines.end))
        })
    }

    fn take(&self, find: impl Fn(&[u8]) -> Option<Range<usize>>) -> Result<bool> {
        let read = |mut file: &File| {
            file.seek(SeekFrom::Start(0))?;
            self.read().map_err(|error| io::Error::other(error.message))
        };
        take_out(&self.file, read, find).map_err(|error| Error::io(&self.path, &error))
    }

    fn read(&self) -> Result<Vec<u8>> {
        (&self.file).seek(SeekFrom::Start(0)).map_err(|error| Error::io(&self.path, &error))?;
        let metadata = self.file.metadata().map_err(|error| Error::io(&self.path, &error))?;
        read_bounded(&mut &self.file, &metadata, self.max_bytes, &self.path)
    }
}

fn lock(file: &File, until: Instant, path: &Path) -> Result<()> {
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(Code::Busy, format!("another process holds {}", path.display()))
                    .remedy("Close the program that has locked the note"));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io(path, &error)),
        }
    }
}

/// As [`Refusal::into_error`]; a link in the way of a note has its own remedy.
fn refused(refusal: Refusal, path: &Path) -> Error {
    let is_link = matches!(refusal, Refusal::Link);
    let error = refusal.into_error(path);
    if is_link {
        error.remedy(format!("Make {} a plain file in plain folders of the workspace", path.display()))
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_replaced_only_as_it_was_read() {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::at(dir.path());
        assert!(notes.replace("memory/a.md", None, Some(b"one")).unwrap(), "made");
        assert!(!notes.replace("memory/a.md", None, Some(b"two")).unwrap(), "it is there by now");
        assert!(!notes.replace("memory/a.md", Some(b"other"), Some(b"two")).unwrap(), "somebody changed it");
        assert!(notes.replace("memory/a.md", Some(b"one"), Some(b"two")).unwrap());
        assert_eq!(notes.bytes("memory/a.md").unwrap().as_deref(), Some(&b"two"[..]));
        assert_eq!(notes.names("memory").unwrap(), ["a.md"], "nothing unfinished stays");
        assert!(notes.replace("memory/a.md", Some(b"two"), None).unwrap(), "removed");
        assert_eq!(notes.bytes("memory/a.md").unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_links_are_refused() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("MEMORY.md");
        std::fs::write(&path, "one").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let notes = Notes::at(dir.path());
        assert!(notes.replace("MEMORY.md", Some(b"one"), Some(b"two")).unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        symlink(&path, dir.path().join("USER.md")).unwrap();
        assert_eq!(notes.replace("USER.md", Some(b"two"), Some(b"three")).unwrap_err().code(), Code::Path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
    }
}
