//! Opening a file of the area without following a link in any component, and without ever opening anything but a
//! regular file (P12). A link that is swapped in between check and open is refused as well.

use std::{fs::File, io, path::Path};

use super::area::Located;
use crate::error::{Code, Error};

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
    pub fn into_error(self, path: &Path) -> Error {
        let shown = path.display();
        match self {
            Self::Missing => Error::new(Code::NotFound, format!("{shown} does not exist")),
            Self::Link => Error::new(Code::Path, format!("{shown} leads through a symbolic link"))
                .remedy("Replace the link by the file or folder itself, or configure its target as an extra path"),
            Self::NotRegular => Error::new(Code::Path, format!("{shown} is not a regular file")),
            Self::Io(error) => Error::io(path, &error),
        }
    }
}

/// Opens a file for reading. The base may be reached through links, nothing below it.
///
/// # Errors
/// A [`Refusal`].
pub fn open(located: &Located) -> Result<File, Refusal> {
    platform::open(located)
}

#[cfg(unix)]
mod platform {
    use std::{ffi::OsStr, fs::File, os::fd::OwnedFd, path::Component};

    use rustix::{
        fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, openat, statat},
        io::Errno,
    };

    use super::Refusal;
    use crate::workspace::area::Located;

    pub fn open(located: &Located) -> Result<File, Refusal> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut folder = openat(CWD, &located.base, flags, Mode::empty()).map_err(refusal)?;
        let mut names = Vec::new();
        for component in located.below.components() {
            match component {
                Component::Normal(name) => names.push(name),
                _ => return Err(Refusal::Missing),
            }
        }
        let Some((file, folders)) = names.split_last() else { return Err(Refusal::NotRegular) };
        for name in folders {
            folder = openat(&folder, *name, flags | OFlags::NOFOLLOW, Mode::empty())
                .map_err(|error| explain(&folder, name, error))?;
        }
        open_regular(&folder, file)
    }

    /// Looks before it opens, because opening a pipe or device can already do something, and looks again at what
    /// was opened, because the name may have changed its meaning in between.
    fn open_regular(folder: &OwnedFd, name: &OsStr) -> Result<File, Refusal> {
        let seen = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(refusal)?;
        match FileType::from_raw_mode(seen.st_mode) {
            FileType::RegularFile => {}
            FileType::Symlink => return Err(Refusal::Link),
            _ => return Err(Refusal::NotRegular),
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(folder, name, flags, Mode::empty()).map_err(|error| explain(folder, name, error))?;
        let opened = fstat(&file).map_err(refusal)?;
        if FileType::from_raw_mode(opened.st_mode) == FileType::RegularFile {
            Ok(File::from(file))
        } else {
            Err(Refusal::NotRegular)
        }
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
}

#[cfg(not(unix))]
mod platform {
    use std::{fs::File, io, path::Component};

    use super::Refusal;
    use crate::workspace::area::Located;

    /// Without `openat` every component is looked at before and after the file is opened. That leaves one gap: a
    /// link swapped in after the first look and out before the second. Making links needs a privilege on Windows.
    pub fn open(located: &Located) -> Result<File, Refusal> {
        check(located)?;
        let file = File::open(located.absolute()).map_err(refusal)?;
        if !file.metadata().map_err(refusal)?.is_file() {
            return Err(Refusal::NotRegular);
        }
        check(located)?;
        Ok(file)
    }

    fn check(located: &Located) -> Result<(), Refusal> {
        let mut path = located.base.clone();
        let mut components = located.below.components().peekable();
        while let Some(component) = components.next() {
            let Component::Normal(name) = component else { return Err(Refusal::Missing) };
            path.push(name);
            let kind = path.symlink_metadata().map_err(refusal)?.file_type();
            if kind.is_symlink() {
                return Err(Refusal::Link);
            }
            if components.peek().is_none() && !kind.is_file() {
                return Err(Refusal::NotRegular);
            }
        }
        Ok(())
    }

    fn refusal(error: io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => Refusal::Missing,
            _ => Refusal::Io(error),
        }
    }
}
