//! A consistent copy while everything runs.

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::Connection;
use tempfile::NamedTempFile;

use super::{open, sqlite::Sqlite};
use crate::{
    error::SqlResult,
    unfinished::{abandoned, folder_of},
};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// Key in `meta` of a copy of the agent whose index it is a copy of: agents may share a workspace, and not their conversations.
pub const AGENT: &str = "copy_of_agent";

/// How the names of unfinished copies begin.
const UNFINISHED: &str = ".memory-backup-";

/// An unfinished copy that nobody has written to for so long was left by a process that was killed.
pub(super) const ABANDONED: Duration = Duration::from_secs(600);

/// Unfinished copies in a folder to which nobody has written for so long, with what SQLite writes beside them.
pub(super) fn half_written(folder: &Path, after: Duration) -> Vec<PathBuf> {
    abandoned(folder, UNFINISHED, after)
}

impl Sqlite {
    /// Writes a compact, consistent copy of the index to a new file. Neither searches nor writes wait for it. Of two at
    /// once to one name, the later is refused. The copy says whose it is where an `agent` is named.
    ///
    /// # Errors
    /// [`Code::Argument`] when the target exists; [`Code::DiskFull`] and others when it cannot be written, in which
    /// case nothing is left behind.
    pub(crate) fn backup(&self, target: &Path, agent: Option<&str>) -> Result<()> {
        self.copy_to(target, agent).map_err(|error| error.context("the copy cannot be written"))
    }

    /// `VACUUM INTO` a file that only this call knows, which then gets the name.
    fn copy_to(&self, target: &Path, agent: Option<&str>) -> Result<()> {
        // Known before a long copy where it can be; what counts is the name at the end.
        if fs::symlink_metadata(target).is_ok() {
            return Err(exists(target));
        }
        let folder = folder_of(target);
        for left in half_written(folder, ABANDONED) {
            // One that cannot be removed costs disk space only.
            let _ = fs::remove_file(left);
        }
        // Private from its first byte on; SQLite fills an empty file as it finds it. Dropping it removes it.
        let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder);
        let unfinished = unfinished.map_err(|error| cannot_hold(folder, error.kind()))?;
        let name = unfinished.path().to_str();
        let name = name.ok_or_else(|| Error::new(Code::Argument, "the name of the copy is not text"))?;
        {
            // A connection of its own: it may take seconds.
            let conn = open::connect_reader(self.path())?;
            conn.pragma_update(None, "query_only", false).sql()?;
            conn.execute("VACUUM INTO ?1", [name]).sql()?;
        }
        if let Some(agent) = agent {
            let copy = Connection::open(name).sql()?;
            copy.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", [AGENT, agent]).sql()?;
        }
        publish(unfinished, target)
    }
}

/// Gives a finished copy its name, durably, unless something has it already.
fn publish(unfinished: NamedTempFile, target: &Path) -> Result<()> {
    unfinished.as_file().sync_all().map_err(|error| Error::io(target, &error))?;
    unfinished.persist_noclobber(target).map_err(|failed| match failed.error.kind() {
        ErrorKind::AlreadyExists => exists(target),
        _ => Error::io(target, &failed.error),
    })?;
    own_file::sync_folder(target);
    Ok(())
}

/// The refusal of a folder. The words of the error itself name a file that nobody asked for.
fn cannot_hold(folder: &Path, fault: ErrorKind) -> Error {
    match fault {
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            Error::new(Code::NotFound, format!("the folder {} does not exist", folder.display()))
                .remedy("Make it, or choose another folder")
        }
        _ => Error::io(folder, &fault.into()),
    }
}

/// The refusal of a name that is taken.
#[must_use]
pub fn exists(target: &Path) -> Error {
    Error::new(Code::Argument, format!("{} exists already", target.display()))
        .remedy("Choose another name for the copy")
}

#[cfg(test)]
mod tests {
    use std::{sync::Barrier, time::SystemTime};

    use super::*;
    use crate::{OpenOptions, Store};

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    // All copies to one name went through one `.part`: of two at once the loser removed the file of the winner.
    #[test]
    fn of_copies_at_once_to_one_name_one_works_and_the_others_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        store.write(|tx| tx.set_meta("k", &"v".repeat(1 << 20))).unwrap();
        let folder = dir.path().join("copies");
        fs::create_dir(&folder).unwrap();
        for round in 0..5 {
            let target = folder.join(format!("{round}.sqlite"));
            let start = Barrier::new(4);
            let outcomes: Vec<_> = std::thread::scope(|scope| {
                let copy = || {
                    start.wait();
                    store.file().unwrap().backup(&target, None)
                };
                let copies: Vec<_> = (0..4).map(|_| scope.spawn(copy)).collect();
                copies.into_iter().map(|copy| copy.join().unwrap()).collect()
            });
            let (done, told): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
            assert_eq!((done.len(), told.len()), (1, 3), "{told:?}");
            assert!(told.iter().all(|e| e.as_ref().is_err_and(|e| e.code() == Code::Argument)), "{told:?}");
            assert_eq!(names(&folder).len(), round + 1);
            let copy = Store::open(&target, OpenOptions::default()).unwrap();
            assert!(copy.read(|r| r.meta("k")).unwrap().is_some());
            copy.close();
        }
    }

    // It said "entity not found", of what and what to do about it not.
    #[test]
    fn a_copy_into_a_folder_that_is_not_there_names_it_and_the_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        let folder = dir.path().join("none");
        let error = store.file().unwrap().backup(&folder.join("copy.sqlite"), None).unwrap_err();
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.message.ends_with(&format!("the folder {} does not exist", folder.display())), "{error}");
        assert!(error.remedy.is_some());
    }

    // What a killed copy left had the name that the next one needed: "exists already", for ever.
    #[test]
    fn what_a_killed_copy_left_is_not_in_the_way_and_goes_in_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        let folder = dir.path().join("copies");
        fs::create_dir(&folder).unwrap();
        let [old, fresh] = ["old", "fresh"].map(|name| folder.join(format!("{UNFINISHED}{name}")));
        for path in [&old, &fresh, &folder.join("copy.sqlite.part")] {
            fs::write(path, "half a copy").unwrap();
        }
        fs::File::options().write(true).open(&old).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        store.file().unwrap().backup(&folder.join("copy.sqlite"), None).unwrap();
        let left = ["copy.sqlite".to_owned(), "copy.sqlite.part".to_owned(), format!("{UNFINISHED}fresh")];
        assert!(names(&folder).iter().all(|name| left.contains(name)), "{:?}", names(&folder));
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(
                &fs::metadata(folder.join("copy.sqlite")).unwrap().permissions(),
            );
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
