//! Every file that one index has made where the settings put it, for whoever leaves. Links are not followed, and what is not
//! ours is told and not named for removal.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;

use super::{
    Kept,
    backup::half_written,
    header::Header,
    kept_beside, place,
    recover::{CORRUPT, earlier_copies, with_suffix},
    restore::{REPLACED, taken_aside},
    unfinished::folder_of,
};

/// The database itself, what SQLite writes beside it, and a copy that 0.1.0 had not finished.
const OF_SQLITE: [&str; 5] = ["", "-wal", "-shm", "-journal", ".part"];

/// Comes before the date in the names of lists that were set aside as damaged.
const DAMAGED_LIST: &str = "forgotten-damaged-";

/// The files of an index and those of the same agent's other workspaces beside it.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Footprint {
    /// Its files.
    pub files: Vec<OurFile>,
    /// Folders that it has made for some of them, to be removed when they are empty.
    pub folders: Vec<PathBuf>,
    /// What has the name of one of its files and is none: the file of another program, a folder or a link.
    pub foreign: Vec<PathBuf>,
}

/// One file of an index.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct OurFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

impl Footprint {
    /// What there is of the index that the settings put at `configured`. Nothing is written, not even a lock.
    #[must_use]
    pub fn of(configured: &Path) -> Self {
        let mut found = Self::default();
        for database in std::iter::once(configured.to_path_buf()).chain(place::others(configured)) {
            found.add_index(&database);
        }
        let unfinished = half_written(folder_of(configured), Duration::ZERO);
        for copy in unfinished.into_iter().filter(|copy| is_ours(copy)) {
            found.add_file(&copy);
        }
        // Copies that are checked or repaired lie in folders of the index's folder, whichever index they are of.
        let is_here = !found.files.is_empty();
        for folder in taken_aside(configured, Duration::ZERO).into_iter().filter(|_| is_here) {
            found.add_folder(&folder);
        }
        found
    }

    fn add_index(&mut self, database: &Path) {
        if fs::symlink_metadata(database).is_ok() && !is_ours(database) {
            // What lies beside it is of the same program.
            self.foreign.push(database.to_path_buf());
            return;
        }
        let copies = [CORRUPT, REPLACED].into_iter().flat_map(|mark| dated(&with_suffix(database, mark)));
        let beside = OF_SQLITE.map(|end| with_suffix(database, end)).into_iter().chain(copies);
        let kept = [Kept::WorkspaceId, Kept::Exchanged].map(|what| kept_beside(database, what));
        for file in beside.chain(kept) {
            self.add_file(&file);
        }
        self.add_folder(&kept_beside(database, Kept::Forgetting));
        for list in dated(&database.with_extension(DAMAGED_LIST)) {
            self.add_file(&list);
        }
        // Last: as long as anything else is there, it stays forgotten.
        self.add_file(&kept_beside(database, Kept::Forgotten));
    }

    fn add_file(&mut self, file: &Path) {
        match fs::symlink_metadata(file) {
            Err(_) => {}
            Ok(meta) if meta.is_file() => self.files.push(OurFile { path: file.to_path_buf(), bytes: meta.len() }),
            Ok(_) => self.foreign.push(file.to_path_buf()),
        }
    }

    /// A folder that holds nothing but files of ours.
    fn add_folder(&mut self, folder: &Path) {
        let Ok(meta) = fs::symlink_metadata(folder) else { return };
        let (true, Ok(entries)) = (meta.is_dir(), fs::read_dir(folder)) else {
            self.foreign.push(folder.to_path_buf());
            return;
        };
        for entry in entries.flatten() {
            self.add_file(&entry.path());
        }
        self.folders.push(folder.to_path_buf());
    }
}

/// Whether a file says that it is an index, of this version or of a newer one, or is empty. One that says nothing, as a damaged
/// one may, is not taken for ours: what is removed is gone.
fn is_ours(file: &Path) -> bool {
    let says_so = || [Header::read(file), Header::of_log(file)].iter().flatten().any(Header::is_ours);
    fs::symlink_metadata(file).is_ok_and(|meta| meta.is_file() && (meta.len() == 0 || says_so()))
}

/// Copies whose names begin so, with a time after it.
fn dated(prefix: &Path) -> Vec<PathBuf> {
    let length = prefix.file_name().map_or(0, |name| name.to_string_lossy().len());
    let mut found = earlier_copies(prefix);
    found.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.get(length..).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    });
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OpenOptions, Store};

    fn names(files: &[OurFile]) -> Vec<String> {
        let mut names: Vec<_> =
            files.iter().map(|file| file.path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn index(path: &Path) {
        drop(Store::open(path, OpenOptions::default()).unwrap());
    }

    // Where `store.path` named another place, leaving knew nothing of it, and the texts of all notes stayed there.
    #[test]
    fn all_that_an_index_has_made_is_found_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        assert_eq!(Footprint::of(&at("notes.db")), Footprint::default());
        index(&at("notes.db"));
        index(&at("notes.ws-0123456789abcdef.db"));
        fs::copy(at("notes.db"), at(".memory-backup-abc")).unwrap();
        for ours in [
            "notes.db.corrupt-1700000000",
            "notes.db.corrupt-1700000000-wal",
            "notes.db.before-restore-20261128T101010Z",
            "notes.forgotten.jsonl",
            "notes.forgotten-damaged-2026-11-28.jsonl",
            "notes.ws-0123456789abcdef.forgotten.jsonl",
            "notes.notes.json",
            "notes.workspace-id",
        ] {
            fs::write(at(ours), "ours").unwrap();
        }
        for folder in ["notes.forgetting", ".memory-restore-abc"] {
            fs::create_dir(at(folder)).unwrap();
            fs::write(at(folder).join("copy.sqlite"), "ours").unwrap();
        }
        let others = [
            ".memory-backup-mine",
            "notes.txt",
            "notes.db.corrupt-by-hand",
            "notes-2.db",
            "other.db",
            "index.forgotten.jsonl",
        ];
        for other in others {
            fs::write(at(other), "of another program").unwrap();
        }
        let found = Footprint::of(&at("notes.db"));
        let named = names(&found.files);
        assert!(others.iter().all(|other| !named.iter().any(|name| name == other)), "{named:?}");
        let expected = [
            ".memory-backup-abc",
            "copy.sqlite",
            "copy.sqlite",
            "notes.db",
            "notes.db.before-restore-20261128T101010Z",
            "notes.db.corrupt-1700000000",
            "notes.db.corrupt-1700000000-wal",
            "notes.forgotten-damaged-2026-11-28.jsonl",
            "notes.forgotten.jsonl",
            "notes.notes.json",
            "notes.workspace-id",
            "notes.ws-0123456789abcdef.db",
            "notes.ws-0123456789abcdef.forgotten.jsonl",
        ];
        let lasting: Vec<_> = named
            .iter()
            .filter(|name| !name.ends_with("-wal") && !name.ends_with("-shm") || name.contains("corrupt"))
            .collect();
        assert_eq!(lasting, expected);
        assert_eq!(found.folders, [at("notes.forgetting"), at(".memory-restore-abc")]);
        assert_eq!(found.foreign, [] as [PathBuf; 0]);
    }

    #[test]
    fn a_database_of_another_program_stays_with_what_lies_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("app.db");
        let other = rusqlite::Connection::open(&path).unwrap();
        other.execute_batch("PRAGMA application_id = 7; CREATE TABLE customer (x)").unwrap();
        drop(other);
        fs::write(dir.path().join("app.db-wal"), "").unwrap();
        let foreign = |path: &Path| Footprint { foreign: vec![path.to_path_buf()], ..Footprint::default() };
        assert_eq!(Footprint::of(&path), foreign(&path));
        let diary = dir.path().join("diary.db");
        fs::write(&diary, "A long text of somebody, which is no database at all. ".repeat(9)).unwrap();
        assert_eq!(Footprint::of(&diary), foreign(&diary));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = dir.path().join("index.sqlite");
        index(&elsewhere.path().join("index.sqlite"));
        std::os::unix::fs::symlink(elsewhere.path().join("index.sqlite"), &path).unwrap();
        assert_eq!(Footprint::of(&path), Footprint { foreign: vec![path.clone()], ..Footprint::default() });
        fs::remove_file(&path).unwrap();
        index(&path);
        let list = dir.path().join("index.forgotten.jsonl");
        std::os::unix::fs::symlink(elsewhere.path(), &list).unwrap();
        let found = Footprint::of(&path);
        assert_eq!(found.foreign, [list]);
        assert!(found.files.iter().any(|file| file.path == path), "{found:?}");
    }
}
