//! Without calls that take an open folder: every component is looked at before and after. That leaves one gap: a link
//! swapped in after the first look and out before the second. Making links needs a privilege on Windows.

use std::{
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

use super::{Access, Refusal};

#[derive(Debug)]
pub(super) struct Folder {
    base: PathBuf,
    below: PathBuf,
}

impl Folder {
    pub(super) fn open(base: &Path, below: &Path, create: bool) -> Result<Self, Refusal> {
        let folder = Self { base: base.to_path_buf(), below: below.to_path_buf() };
        if create {
            // What is there is looked at first: nothing is made behind a link.
            match folder.check() {
                Err(Refusal::Missing) => std::fs::create_dir_all(folder.path()).map_err(refusal)?,
                checked => checked?,
            }
        }
        folder.check()?;
        Ok(folder)
    }

    pub(super) fn file(&self, name: &OsStr, access: Access) -> Result<File, Refusal> {
        match self.check_file(name) {
            Err(Refusal::Missing) if access == Access::Append => {}
            checked => checked?,
        }
        let mut options = OpenOptions::new();
        options.read(true);
        match access {
            Access::Read => {}
            Access::Append => drop(options.append(true).create(true)),
            Access::Change => drop(options.write(true)),
        }
        let file = options.open(self.path().join(name)).map_err(refusal)?;
        if !file.metadata().map_err(refusal)?.is_file() {
            return Err(Refusal::NotRegular);
        }
        self.check_file(name)?;
        Ok(file)
    }

    /// There is no identity of a file to compare.
    pub(super) fn still_names(&self, name: &OsStr, _: &File) -> bool {
        self.path().join(name).exists()
    }

    pub(super) fn write_new(&self, name: &OsStr, content: &[u8]) -> Result<(), Refusal> {
        self.check()?;
        let mut file = OpenOptions::new().write(true).create_new(true).open(self.path().join(name)).map_err(refusal)?;
        file.write_all(content).and_then(|()| file.sync_all()).map_err(refusal)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<bool, Refusal> {
        self.check_file(from)?;
        let (from, to) = (self.path().join(from), self.path().join(to));
        // A hard link fails when the name is taken, unlike a rename.
        match std::fs::hard_link(&from, &to) {
            Ok(()) => std::fs::remove_file(&from).map(|()| true).map_err(refusal),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(refusal(error)),
        }
    }

    pub(super) fn rename_over(&self, from: &OsStr, to: &OsStr) -> Result<(), Refusal> {
        self.check_file(from)?;
        std::fs::rename(self.path().join(from), self.path().join(to)).map_err(refusal)
    }

    pub(super) fn remove(&self, name: &OsStr) -> Result<(), Refusal> {
        std::fs::remove_file(self.path().join(name)).map_err(refusal)
    }

    pub(super) fn names(&self) -> Result<Vec<String>, Refusal> {
        self.check()?;
        let entries = std::fs::read_dir(self.path()).map_err(refusal)?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn path(&self) -> PathBuf {
        self.base.join(&self.below)
    }

    fn check(&self) -> Result<(), Refusal> {
        let mut path = self.base.clone();
        for component in self.below.components() {
            let Component::Normal(name) = component else { return Err(Refusal::Missing) };
            path.push(name);
            if path.symlink_metadata().map_err(refusal)?.is_symlink() {
                return Err(Refusal::Link);
            }
        }
        Ok(())
    }

    fn check_file(&self, name: &OsStr) -> Result<(), Refusal> {
        self.check()?;
        let kind = self.path().join(name).symlink_metadata().map_err(refusal)?.file_type();
        if kind.is_symlink() {
            return Err(Refusal::Link);
        }
        if kind.is_file() { Ok(()) } else { Err(Refusal::NotRegular) }
    }
}

fn refusal(error: io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => Refusal::Missing,
        _ => Refusal::Io(error),
    }
}
