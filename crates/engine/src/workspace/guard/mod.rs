//! Files of the memory, opened and made without following a link in any component, and without ever opening anything but
//! a regular file. A link that is swapped in between check and open is refused as well.

use std::{
    ffi::OsStr,
    fs::{File, Metadata},
    io,
    path::Path,
    time::SystemTime,
};

use super::roots::Located;
use model::{
    error::{Code, Error},
    unfinished,
};

#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "fallback.rs"]
mod platform;

/// Why a file was not opened.
#[derive(Debug)]
pub enum Refusal {
    /// There is nothing at that path.
    Missing,
    /// A component of the path is a symbolic link.
    Link,
    /// It is a folder, pipe, socket or device.
    NotRegular,
    /// The operating system refused.
    Io(io::Error),
}

impl Refusal {
    /// The error for a caller to whom even a missing file is one.
    #[must_use]
    pub(crate) fn into_error(self, path: &Path) -> Error {
        let shown = path.display();
        match self {
            Self::Missing => Error::new(Code::NotFound, format!("{shown} does not exist")),
            Self::Link => Error::new(Code::Path, format!("{shown} leads through a symbolic link"))
                .remedy("Replace the link by the file or folder itself, or configure its target as an extra path"),
            Self::NotRegular => Error::new(Code::Path, format!("{shown} is not a regular file"))
                .remedy("Move away the folder, pipe, socket or device of that name"),
            Self::Io(error) => Error::io(path, &error),
        }
    }
}

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reading.
    Read,
    /// Reading, and writing at its end wherever that is by then. The file is made when there is none.
    Append,
    /// Reading and writing anywhere.
    Change,
}

/// Opens a file for reading. The base may be reached through links, nothing below it.
///
/// # Errors
/// A [`Refusal`].
pub fn open(located: &Located) -> Result<File, Refusal> {
    let (Some(parent), Some(name)) = (located.below.parent(), located.below.file_name()) else {
        return Err(Refusal::NotRegular);
    };
    Folder::open(&located.base, parent)?.file(name, Access::Read)
}

/// A folder that was reached without following a link below its base. It stays the same folder whatever becomes of its
/// path.
#[derive(Debug)]
pub(crate) struct Folder(platform::Folder);

impl Folder {
    /// The folder at `below`, which may be empty.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn open(base: &Path, below: &Path) -> Result<Self, Refusal> {
        platform::Folder::open(base, below, false).map(Self)
    }

    /// As [`Self::open`]; makes the folders that are missing.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn create(base: &Path, below: &Path) -> Result<Self, Refusal> {
        std::fs::create_dir_all(base).map_err(Refusal::Io)?;
        platform::Folder::open(base, below, true).map(Self)
    }

    /// A regular file of the folder.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn file(&self, name: &OsStr, access: Access) -> Result<File, Refusal> {
        self.0.file(name, access)
    }

    /// Whether the name still means this open file.
    #[must_use]
    pub(crate) fn still_names(&self, name: &OsStr, file: &File) -> bool {
        self.0.still_names(name, file)
    }

    /// Makes a file, complete and on the disk or not at all; false when the name is taken, by whatever it may be. `modified`: when
    /// it shall have been modified; none = now.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn put(&self, name: &OsStr, content: &[u8], modified: Option<SystemTime>) -> Result<bool, Refusal> {
        self.in_steps(content, |unfinished| {
            if modified.is_some() {
                date(&self.0.file(unfinished, Access::Change)?, modified);
            }
            self.rename(unfinished, name)
        })
    }

    /// Puts a file, complete and on the disk, in the place of another, with the permissions of that one. `modified` as in
    /// [`Self::put`].
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn replace(
        &self,
        name: &OsStr,
        content: &[u8],
        old: &File,
        modified: Option<SystemTime>,
    ) -> Result<(), Refusal> {
        self.in_steps(content, |unfinished| {
            let file = self.0.file(unfinished, Access::Change)?;
            let permissions = old.metadata().map_err(Refusal::Io)?.permissions();
            date(&file, modified);
            file.set_permissions(permissions).map_err(Refusal::Io)?;
            self.0.rename_over(unfinished, name).map(|()| true)
        })
        .map(drop)
    }

    /// Writes a file under a name that nobody can know before, and so can have put no link there, and has it named; false
    /// where it was not, and nothing is left.
    fn in_steps(&self, content: &[u8], name: impl Fn(&OsStr) -> Result<bool, Refusal>) -> Result<bool, Refusal> {
        let attempt = || {
            let unfinished = unfinished::name();
            let named = self.0.write_new(unfinished.as_ref(), content).and_then(|()| name(unfinished.as_ref()));
            if !matches!(named, Ok(true)) {
                // Half a file helps nobody; where it cannot be removed either, the outcome says enough.
                let _ = self.0.remove(unfinished.as_ref());
            }
            named
        };
        match attempt() {
            // Taken for that of a killed process.
            Err(Refusal::Missing) => attempt(),
            named => named,
        }
    }

    /// What is begun and has no name yet, by a process that writes or by one that was killed: plain files with a name of
    /// ours.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn unfinished(&self) -> Result<Vec<(String, Metadata)>, Refusal> {
        let names = self.names()?.into_iter().filter(|name| unfinished::is_name(name));
        // One that cannot be opened is nothing that we left.
        let opened = |name: String| Some((self.file(name.as_ref(), Access::Read).ok()?.metadata().ok()?, name));
        Ok(names.filter_map(opened).map(|(metadata, name)| (name, metadata)).collect())
    }

    /// Removes a file of the folder.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn remove(&self, name: &OsStr) -> Result<(), Refusal> {
        self.0.remove(name)
    }

    /// Gives a file of the folder another name in it; false when that is taken. Nothing is ever written over.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<bool, Refusal> {
        self.0.rename(from, to)
    }

    /// The names in the folder, as far as they are Unicode, in no order.
    ///
    /// # Errors
    /// A [`Refusal`].
    pub(crate) fn names(&self) -> Result<Vec<String>, Refusal> {
        self.0.names()
    }
}

/// Has a file modified at a time, if one is given, before anybody else can know it.
fn date(file: &File, modified: Option<SystemTime>) {
    if let Some(modified) = modified {
        // Not every file system can; the content is there all the same.
        let _ = file.set_modified(modified);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{
        fs,
        io::{Read, Write},
        os::unix::fs::symlink,
    };

    use super::*;

    #[expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]
    fn folder(dir: &Path) -> Folder {
        Folder::create(&dir.join("ws"), Path::new("memory")).unwrap()
    }

    #[test]
    fn a_file_is_made_complete_under_a_name_that_is_free_and_never_over_another() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let made = folder(dir.path());
        let memory = dir.path().join("ws/memory");
        assert!(made.put("a.md".as_ref(), b"one", None).expect("made"));
        assert!(!made.put("a.md".as_ref(), b"two", None).expect("taken"));
        symlink(dir.path().join("outside.md"), memory.join("b.md")).expect("link");
        assert!(!made.put("b.md".as_ref(), b"three", None).expect("taken"));
        assert!(!made.rename("a.md".as_ref(), "b.md".as_ref()).expect("taken"));
        assert!(made.rename("a.md".as_ref(), "c.md".as_ref()).expect("free"));
        assert!(!dir.path().join("outside.md").exists(), "the link was followed");
        assert_eq!(fs::read_to_string(memory.join("c.md")).expect("there"), "one");
        let mut names = made.names().expect("listed");
        names.sort();
        assert_eq!(names, ["b.md", "c.md"], "nothing unfinished stays");
    }

    // Whoever removes what killed processes have left cannot always tell that somebody is still at it.
    #[test]
    fn a_file_that_was_taken_for_that_of_a_killed_process_is_written_once_more() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let made = folder(dir.path());
        let is_first = std::cell::Cell::new(true);
        let named = made.in_steps(b"one", |unfinished| {
            let begun = made.unfinished().expect("listed");
            assert!(begun.len() == 1 && unfinished == begun[0].0.as_str(), "{begun:?}");
            if is_first.take() {
                made.remove(unfinished)?;
            }
            made.rename(unfinished, "a.md".as_ref())
        });
        assert!(named.expect("written"));
        assert_eq!(fs::read_to_string(dir.path().join("ws/memory/a.md")).expect("there"), "one");
        assert!(made.unfinished().expect("listed").is_empty());
    }

    #[test]
    fn links_pipes_and_folders_are_refused_whatever_they_are_opened_for() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let made = folder(dir.path());
        let memory = dir.path().join("ws/memory");
        fs::write(dir.path().join("secret.md"), "SECRET").expect("written");
        symlink(dir.path().join("secret.md"), memory.join("link.md")).expect("link");
        symlink(dir.path().join("nowhere.md"), memory.join("dangling.md")).expect("link");
        fs::create_dir(memory.join("folder.md")).expect("folder");
        let pipe = std::process::Command::new("mkfifo").arg(memory.join("pipe.md")).status().expect("mkfifo");
        assert!(pipe.success());
        for access in [Access::Read, Access::Append, Access::Change] {
            for (name, is_link) in [("link.md", true), ("dangling.md", true), ("folder.md", false), ("pipe.md", false)]
            {
                let refusal = made.file(name.as_ref(), access).expect_err("refused");
                let expected =
                    if is_link { matches!(refusal, Refusal::Link) } else { matches!(refusal, Refusal::NotRegular) };
                assert!(expected, "{name} {access:?}: {refusal:?}");
                assert!(refusal.into_error(Path::new(name)).remedy.is_some(), "{name}");
            }
        }
        assert!(!dir.path().join("nowhere.md").exists(), "the link was followed");
        symlink(dir.path(), dir.path().join("ws/away")).expect("link");
        for create in [Folder::open, Folder::create] {
            assert!(matches!(create(&dir.path().join("ws"), Path::new("away/x")), Err(Refusal::Link)));
            assert!(matches!(create(&dir.path().join("ws"), Path::new("memory/../..")), Err(Refusal::Missing)));
        }
        assert!(!dir.path().join("x").exists(), "a folder was made outside");
    }

    #[test]
    fn a_file_is_appended_to_and_made_where_there_is_none() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let made = folder(dir.path());
        assert!(matches!(made.file("a.md".as_ref(), Access::Change), Err(Refusal::Missing)));
        for line in ["one\n", "two\n"] {
            let mut file = made.file("a.md".as_ref(), Access::Append).expect("opened");
            file.write_all(line.as_bytes()).expect("written");
            assert!(made.still_names("a.md".as_ref(), &file));
        }
        let mut file = made.file("a.md".as_ref(), Access::Read).expect("opened");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("read");
        assert_eq!(text, "one\ntwo\n");
        assert!(made.rename("a.md".as_ref(), "b.md".as_ref()).expect("renamed"));
        assert!(!made.still_names("a.md".as_ref(), &file));
    }
}
