//! A folder with one file for each entry. An entry is put there in one step and without a lock, so that who puts it waits
//! for nobody; who takes or changes entries holds the lock of the folder.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use model::{
    error::{Code, Error, Result},
    own_file,
};

const SUFFIX: &str = ".json";
/// What a file is called until it is complete.
const UNFINISHED: &str = ".new";
const LOCK: &str = "lock";

/// A file that is incomplete for this long belongs to a process that ended.
const ABANDONED: Duration = Duration::from_hours(1);

/// The folder.
#[derive(Debug, Clone)]
pub(super) struct Spool {
    folder: PathBuf,
}

impl Spool {
    pub(super) const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn exists(&self) -> bool {
        self.folder.exists()
    }

    /// Writes an entry, in the place of one with the same name.
    pub(super) fn put(&self, name: &str, text: &str) -> Result<()> {
        let beside = self.folder.join(format!("{}{UNFINISHED}", uuid::Uuid::new_v4()));
        // A hook waits: what a power cut leaves of an entry is known by its content.
        let write = || match own_file::write_new(&beside, text.as_bytes(), false) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                own_file::create_folder(&self.folder)?;
                own_file::write_new(&beside, text.as_bytes(), false)
            }
            written => written,
        };
        let named = write().and_then(|()| std::fs::rename(&beside, self.path(name)));
        named.map_err(|e| {
            // Half an entry helps nobody; when it cannot be removed either, `sweep` tries again.
            let _ = std::fs::remove_file(&beside);
            Error::io(&self.folder, &e)
        })
    }

    /// The names of the complete entries, in order.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> =
            self.files()?.iter().filter_map(|file| file.strip_suffix(SUFFIX)).map(str::to_owned).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// An entry; nothing when somebody has removed it, or when it is nothing that we have written.
    pub(super) fn read(&self, name: &str) -> Result<Option<String>> {
        match own_file::read(&self.path(name)) {
            Err(error) if matches!(error.code(), Code::Path | Code::Corrupt) => Ok(None),
            bytes => Ok(bytes?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
        }
    }

    pub(super) fn remove(&self, name: &str) -> Result<()> {
        removed(&self.path(name))
    }

    /// Runs `work` while nobody else takes or changes entries.
    pub(super) fn locked<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let open = || own_file::open_or_create(&self.folder.join(LOCK)).and_then(|file| file.lock().map(|()| file));
        let _held = open().map_err(|e| Error::io(&self.folder, &e))?;
        work()
    }

    /// Removes what processes left behind that ended while they wrote.
    pub(super) fn sweep(&self) -> Result<()> {
        for file in self.files()?.iter().filter(|file| file.ends_with(UNFINISHED)) {
            let path = self.folder.join(file);
            let age = path.metadata().and_then(|data| data.modified()).map(|at| at.elapsed().unwrap_or_default());
            if age.is_ok_and(|age| age > ABANDONED) {
                removed(&path)?;
            }
        }
        Ok(())
    }

    fn files(&self) -> Result<Vec<String>> {
        match self.folder.read_dir() {
            Ok(entries) => Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::io(&self.folder, &error)),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{SUFFIX}"))
    }
}

fn removed(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io(path, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_puts_an_entry_does_not_wait_for_who_takes_one() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::new(dir.path().join("spool"));
        spool.locked(|| spool.put("a", "1")).unwrap();
        spool.put("a", "2").unwrap();
        assert_eq!(spool.names().unwrap(), ["a"]);
        assert_eq!(spool.read("a").unwrap().as_deref(), Some("2"));
        spool.remove("a").unwrap();
        spool.remove("a").unwrap();
        assert_eq!(spool.read("a").unwrap(), None);
    }

    #[test]
    fn what_is_half_written_is_no_entry_and_goes_when_it_is_old() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::new(dir.path().to_path_buf());
        let [young, old] = ["young", "old"].map(|name| dir.path().join(format!("{name}{UNFINISHED}")));
        std::fs::write(&young, "{").unwrap();
        let file = std::fs::File::create(&old).unwrap();
        file.set_modified(std::time::SystemTime::now() - 2 * ABANDONED).unwrap();
        assert!(spool.names().unwrap().is_empty());
        spool.sweep().unwrap();
        assert!(young.exists() && !old.exists());
    }
}
