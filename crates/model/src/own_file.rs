//! Files of our own, below the state folder: they hold private text, so nobody but their owner reads them, whatever the
//! umask says. Only regular files are opened, and none is read without a limit.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    path::Path,
};

use crate::{
    error::{Code, Error, Result},
    unfinished,
};

/// Largest file that is read as a whole, in bytes. Ours end far below it: what grows is rotated.
pub const MAX_BYTES: u64 = 64 << 20;

/// Makes a folder and those above it that are missing, each open to its owner only.
///
/// # Errors
/// When the operating system refuses.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    written(builder.create(folder))
}

/// What this user may not write is read-only for it: so it is told, whatever was to be done.
fn written<T>(done: io::Result<T>) -> io::Result<T> {
    done.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => io::Error::new(ErrorKind::ReadOnlyFilesystem, error),
        _ => error,
    })
}

/// What to open a file of ours with: one that is made is readable and writable for its owner only.
#[must_use]
pub fn options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has more to say"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe of that name must not hold this thread until somebody opens its other end.
        options.mode(0o600).custom_flags(libc::O_NONBLOCK);
    }
    options
}

/// Opens a file for reading and writing. It is made, with its folder, when there is none; one that others may read since
/// an earlier version made it is closed to them.
///
/// # Errors
/// When the operating system refuses, or something else than a file has that name.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    let mut options = options();
    options.read(true).write(true).create(true).truncate(false);
    make(path, &options)
}

/// As [`open_or_create`], for writing at its end only, wherever other processes have brought it meanwhile.
///
/// # Errors
/// As [`open_or_create`].
pub fn open_to_append(path: &Path) -> io::Result<File> {
    make(path, options().append(true).create(true))
}

fn make(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let file = match (options.open(path), path.parent()) {
        (Err(error), Some(folder)) if error.kind() == ErrorKind::NotFound => {
            create_folder(folder)?;
            options.open(path)
        }
        (opened, _) => opened,
    };
    let file = regular(written(file)?)?;
    close_to_others(&file);
    Ok(file)
}

/// Opens a file for reading; none when there is none.
///
/// # Errors
/// As [`open_or_create`].
pub fn open(path: &Path) -> io::Result<Option<File>> {
    match options().read(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        opened => regular(opened?).map(Some),
    }
}

/// The content of a file; none when there is none.
///
/// # Errors
/// [`Code::Path`] when it is no regular file, [`Code::Corrupt`] when it is larger than [`MAX_BYTES`], and when it cannot be
/// read.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match open(path) {
        Ok(Some(mut file)) => read_all(&mut file, path).map(Some),
        Ok(None) => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            Err(Error::new(Code::Path, format!("{}: {error}", path.display())))
        }
        Err(error) => Err(Error::io(path, &error)),
    }
}

/// What is left to read of a file.
///
/// # Errors
/// As [`read`].
pub fn read_all(file: &mut File, path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path, &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::new(Code::Corrupt, format!("{} is larger than {MAX_BYTES} bytes", path.display()))
            .remedy("It must be damaged: move it away, and a new one is begun"));
    }
    Ok(bytes)
}

/// Gives a file new content in one step, also over a power cut: whoever reads it finds the old or the new.
///
/// # Errors
/// When the operating system refuses; nothing is left behind then.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let done = in_one_step(path, content, true);
    if done.is_ok() {
        sync_folder(path);
    }
    written(done)
}

/// The same without waiting for the disk: after a power cut it may be as it was, or empty.
///
/// # Errors
/// As [`replace`].
pub fn replace_at_once(path: &Path, content: &[u8]) -> io::Result<()> {
    written(in_one_step(path, content, false))
}

fn in_one_step(path: &Path, content: &[u8], durable: bool) -> io::Result<()> {
    let attempt = || {
        let unfinished = path.with_file_name(unfinished::name());
        let written = write_new(&unfinished, content, durable).and_then(|()| std::fs::rename(&unfinished, path));
        if written.is_err() {
            // Half a file helps nobody; where it cannot be removed either, the error says enough.
            let _ = std::fs::remove_file(&unfinished);
        }
        written
    };
    match attempt() {
        // Taken for that of a killed process.
        Err(error) if error.kind() == ErrorKind::NotFound => attempt(),
        done => done,
    }
}

/// Writes a file that is not there yet; `durable` says whether it must outlive a power cut.
///
/// # Errors
/// When there is one, or the operating system refuses.
pub fn write_new(path: &Path, content: &[u8], durable: bool) -> io::Result<()> {
    let mut file = written(options().write(true).create_new(true).open(path))?;
    file.write_all(content)?;
    if durable { file.sync_all() } else { Ok(()) }
}

/// A name is only there after a power cut when its folder has been written.
pub fn sync_folder(path: &Path) {
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        // Not every file system can; the content is there all the same.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = path;
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file; move it away"))
    }
}

#[cfg(unix)]
fn close_to_others(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    let others = |mode: u32| mode & 0o077 != 0;
    if file.metadata().is_ok_and(|meta| others(meta.permissions().mode())) {
        // A file system without modes, or another user's file: its owner decides.
        let _ = file.set_permissions(std::fs::Permissions::from_mode(0o600));
    }
}

#[cfg(not(unix))]
fn close_to_others(_: &File) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]
    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    // It was told as an error of input and output, with nothing to do about it.
    #[test]
    fn what_may_not_be_written_is_read_only() {
        let refused = written::<()>(Err(io::Error::from_raw_os_error(libc::EACCES))).unwrap_err();
        let error = Error::io(Path::new("/state/lock"), &refused);
        assert_eq!((error.code(), error.remedy.is_some()), (Code::ReadOnly, true));
        assert_eq!(error.message, "/state/lock: Permission denied (os error 13)");
        // Nobody may, not even root.
        #[cfg(target_os = "linux")]
        for refused in [
            open_or_create(Path::new("/sys/a")).map(drop),
            replace(Path::new("/sys/a"), b""),
            write_new(Path::new("/sys/a"), b"", false),
            create_folder(Path::new("/sys/a")),
        ] {
            assert_eq!(Error::io(Path::new("/sys/a"), &refused.unwrap_err()).code(), Code::ReadOnly);
        }
    }

    #[test]
    fn what_is_made_is_the_owners_and_what_was_open_to_others_is_closed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c.jsonl");
        open_or_create(&path).unwrap();
        assert_eq!([mode(&dir.path().join("a")), mode(&dir.path().join("a/b")), mode(&path)], [0o700, 0o700, 0o600]);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
        open_or_create(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        replace(&path, b"new").unwrap();
        assert_eq!((mode(&path), read(&path).unwrap()), (0o600, Some(b"new".to_vec())));
        assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn pipes_folders_and_endless_files_are_refused_in_words() {
        let dir = tempfile::tempdir().unwrap();
        let [pipe, folder, endless, device] = ["pipe", "folder", "endless", "device"].map(|name| dir.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::fs::create_dir(&folder).unwrap();
        File::create(&endless).unwrap().set_len(1 << 40).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
        for path in [&pipe, &folder, &device] {
            assert_eq!(read(path).unwrap_err().code(), Code::Path, "{}", path.display());
            assert!(open_or_create(path).is_err(), "{}", path.display());
        }
        let error = read(&endless).unwrap_err();
        assert!(error.code() == Code::Corrupt && error.remedy.is_some());
        assert_eq!(read(&dir.path().join("none")).unwrap(), None);
    }
}
