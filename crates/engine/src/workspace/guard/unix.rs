//! With the calls that take an open folder, so that no path is ever walked twice.

use std::{
    ffi::OsStr,
    fs::File,
    io::Write,
    os::fd::OwnedFd,
    path::{Component, Path},
    time::Duration,
};

use rustix::{
    fs::{
        AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, fsync, linkat, mkdirat, openat, renameat, statat, unlinkat,
    },
    io::Errno,
};

use super::{Access, Refusal};

/// How often, and after which pause, a file is opened again that another process keeps to itself. See `take_out`.
const ATTEMPTS: u32 = 200;
const PAUSE: Duration = Duration::from_millis(1);

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    pub(super) fn open(base: &Path, below: &Path, create: bool) -> Result<Self, Refusal> {
        let mut folder = openat(CWD, base, FOLDER, Mode::empty()).map_err(refusal)?;
        for component in below.components() {
            let Component::Normal(name) = component else { return Err(Refusal::Missing) };
            let open = || openat(&folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
            let opened = match open() {
                Err(Errno::NOENT) if create => match mkdirat(&folder, name, Mode::from_raw_mode(0o777)) {
                    // Another process may have been faster.
                    Ok(()) | Err(Errno::EXIST) => open(),
                    Err(error) => Err(error),
                },
                opened => opened,
            };
            folder = opened.map_err(|error| explain(&folder, name, error))?;
        }
        Ok(Self(folder))
    }

    pub(super) fn file(&self, name: &OsStr, access: Access) -> Result<File, Refusal> {
        let mut attempt = 1;
        loop {
            match self.try_file(name, access) {
                // Made or removed by somebody between look and open.
                Err(Refusal::Io(error)) if is(&error, Errno::EXIST) && attempt < ATTEMPTS => {}
                // Another process of ours has it to itself for a moment.
                Err(Refusal::Io(error)) if is(&error, Errno::AGAIN) && attempt < ATTEMPTS => std::thread::sleep(PAUSE),
                outcome => return outcome,
            }
            attempt += 1;
        }
    }

    /// Looks before it opens, because opening a pipe or device can already do something, and looks again at what
    /// was opened, because the name may have changed its meaning in between.
    fn try_file(&self, name: &OsStr, access: Access) -> Result<File, Refusal> {
        let mut flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        flags |= match access {
            Access::Read => OFlags::RDONLY,
            Access::Append => OFlags::RDWR | OFlags::APPEND,
            Access::Change => OFlags::RDWR,
        };
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(seen) => match FileType::from_raw_mode(seen.st_mode) {
                FileType::RegularFile => {}
                FileType::Symlink => return Err(Refusal::Link),
                _ => return Err(Refusal::NotRegular),
            },
            Err(Errno::NOENT) if access == Access::Append => flags |= OFlags::CREATE | OFlags::EXCL,
            Err(error) => return Err(refusal(error)),
        }
        let file =
            openat(&self.0, name, flags, Mode::from_raw_mode(0o666)).map_err(|error| explain(&self.0, name, error))?;
        let opened = fstat(&file).map_err(refusal)?;
        if FileType::from_raw_mode(opened.st_mode) == FileType::RegularFile {
            Ok(File::from(file))
        } else {
            Err(Refusal::NotRegular)
        }
    }

    pub(super) fn still_names(&self, name: &OsStr, file: &File) -> bool {
        match (fstat(file), statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)) {
            (Ok(a), Ok(b)) => a.st_ino == b.st_ino && a.st_dev == b.st_dev,
            _ => false,
        }
    }

    pub(super) fn write_new(&self, name: &OsStr, content: &[u8]) -> Result<(), Refusal> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.0, name, flags, Mode::from_raw_mode(0o666)).map_err(refusal)?;
        let mut file = File::from(file);
        file.write_all(content).and_then(|()| file.sync_all()).map_err(Refusal::Io)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<bool, Refusal> {
        match rename_new(&self.0, from, to) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(error) => return Err(refusal(error)),
        }
        // Not every file system can; the name is there all the same.
        let _ = fsync(&self.0);
        Ok(true)
    }

    pub(super) fn rename_over(&self, from: &OsStr, to: &OsStr) -> Result<(), Refusal> {
        renameat(&self.0, from, &self.0, to).map_err(refusal)?;
        // Not every file system can; the name is there all the same.
        let _ = fsync(&self.0);
        Ok(())
    }

    pub(super) fn remove(&self, name: &OsStr) -> Result<(), Refusal> {
        unlinkat(&self.0, name, AtFlags::empty()).map_err(refusal)
    }

    pub(super) fn names(&self) -> Result<Vec<String>, Refusal> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0).map_err(refusal)? {
            let entry = entry.map_err(refusal)?;
            names
                .extend(entry.file_name().to_str().ok().filter(|name| !matches!(*name, "." | "..")).map(str::to_owned));
        }
        Ok(names)
    }
}

/// A rename that fails when the name is taken.
fn rename_new(folder: &OwnedFd, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    match rustix::fs::renameat_with(folder, from, folder, to, rustix::fs::RenameFlags::NOREPLACE) {
        // A kernel or file system that does not know it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => {}
        outcome => return outcome,
    }
    linkat(folder, from, folder, to, AtFlags::empty())?;
    unlinkat(folder, from, AtFlags::empty())
}

/// Systems disagree on the error for a link that must not be followed, so the name is looked at.
fn explain(folder: &OwnedFd, name: &OsStr, error: Errno) -> Refusal {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => Refusal::Link,
        _ => refusal(error),
    }
}

fn refusal(error: Errno) -> Refusal {
    match error {
        // A name that is too long cannot exist; a file in place of a folder has nothing below it.
        Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => Refusal::Missing,
        Errno::LOOP => Refusal::Link,
        // The kernel has no other answer for a socket or a device without a driver.
        Errno::NXIO | Errno::NODEV => Refusal::NotRegular,
        other => Refusal::Io(other.into()),
    }
}

fn is(error: &std::io::Error, errno: Errno) -> bool {
    error.raw_os_error() == Some(errno.raw_os_error())
}
