use std::time::SystemTime;

use super::*;
use crate::{OpenOptions, Store};

struct Fixture {
    dir: TempDir,
    store: std::sync::Arc<Store>,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state/index.sqlite"), OpenOptions::default()).unwrap();
        store.write(|tx| tx.set_meta("k", "old")).unwrap();
        store.file().unwrap().backup(&dir.path().join("copy.sqlite"), None).unwrap();
        store.write(|tx| tx.set_meta("k", "new")).unwrap();
        Self { dir, store }
    }

    /// A copy that was changed.
    fn changed(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = fs::read(self.dir.path().join("copy.sqlite")).unwrap();
        change(&mut bytes);
        let path = self.dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn run(&self, name: &str, sql: &str) -> PathBuf {
        let path = self.changed(name, |_| {});
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        path
    }

    fn take(&self, path: &Path) -> Result<Staged> {
        Staged::take(path, self.store.path(), None)
    }

    fn value(&self) -> Option<String> {
        self.store.read(|r| r.meta("k")).unwrap()
    }
}

#[test]
fn what_is_no_sound_copy_of_an_index_is_refused_and_the_index_is_as_it_was() {
    let fixture = Fixture::new();
    let dir = fixture.dir.path();
    fs::write(dir.join("text.sqlite"), "no database").unwrap();
    fs::write(dir.join("empty.sqlite"), "").unwrap();
    fs::create_dir(dir.join("folder.sqlite")).unwrap();
    let cases = [
        (dir.join("none.sqlite"), Code::NotFound),
        (dir.join("folder.sqlite"), Code::Path),
        (dir.join("text.sqlite"), Code::ForeignDatabase),
        (dir.join("empty.sqlite"), Code::ForeignDatabase),
        (fixture.store.path().to_path_buf(), Code::Argument),
        (fixture.changed("short.sqlite", |b| b.truncate(b.len() / 2)), Code::Corrupt),
        (fixture.changed("long.sqlite", |b| b.extend([0; 4096])), Code::Corrupt),
        (fixture.changed("page.sqlite", |b| b[2 * 4096..3 * 4096].fill(0xA5)), Code::Corrupt),
        (fixture.changed("foreign.sqlite", |b| b[68..72].fill(1)), Code::ForeignDatabase),
        (fixture.run("newer.sqlite", "PRAGMA user_version = 4711"), Code::NewerSchema),
        (
            fixture.run("trigger.sqlite", "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM chunk; END"),
            Code::ForeignDatabase,
        ),
        (fixture.run("view.sqlite", "CREATE VIEW v AS SELECT 1"), Code::ForeignDatabase),
        (fixture.run("table.sqlite", "ALTER TABLE file RENAME COLUMN terms TO term5"), Code::Corrupt),
    ];
    for (path, code) in cases {
        let error = fixture.take(&path).unwrap_err();
        assert_eq!(error.code(), code, "{}: {error:?}", path.display());
        assert!(error.remedy.is_some(), "{error:?}");
    }
    assert_eq!(fixture.value().as_deref(), Some("new"));
    let left = fs::read_dir(dir.join("state")).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.into_iter().all(|name| name.to_string_lossy().starts_with("index.sqlite")));
}

#[cfg(unix)]
#[test]
fn a_link_and_a_pipe_are_refused() {
    let fixture = Fixture::new();
    let [link, pipe] = ["link.sqlite", "pipe.sqlite"].map(|name| fixture.dir.path().join(name));
    std::os::unix::fs::symlink(fixture.dir.path().join("copy.sqlite"), &link).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for path in [link, pipe] {
        assert_eq!(fixture.take(&path).unwrap_err().code(), Code::Path);
    }
}

#[test]
fn an_index_in_use_is_no_copy() {
    let fixture = Fixture::new();
    let other = Store::open(&fixture.dir.path().join("other.sqlite"), OpenOptions::default()).unwrap();
    other.write(|tx| tx.set_meta("k", "other")).unwrap();
    assert_eq!(fixture.take(other.path()).unwrap_err().code(), Code::Argument);
    other.close();
    fixture.take(other.path()).unwrap();
}

#[test]
fn restoring_needs_the_lease_and_leaves_it_to_who_took_it_over() {
    let fixture = Fixture::new();
    let copy = fixture.dir.path().join("copy.sqlite");
    assert_eq!(fixture.store.file().unwrap().restore(fixture.take(&copy).unwrap()).unwrap_err().code(), Code::Busy);
    assert_eq!(fixture.value().as_deref(), Some("new"));
    fixture.store.acquire_lease().unwrap();
    // Readers see one or the other, and connections stay good.
    let reading = Store::open(fixture.store.path(), OpenOptions::default()).unwrap();
    reading.read(|_| fixture.store.file().unwrap().restore(fixture.take(&copy)?)).unwrap();
    assert_eq!(fixture.value().as_deref(), Some("old"));
    assert_eq!(reading.read(|r| r.meta("k")).unwrap().as_deref(), Some("old"));
    fixture.store.write_indexed(|tx| tx.set_meta("k", "after")).unwrap();
    assert_eq!(reading.read(|r| r.meta("k")).unwrap().as_deref(), Some("after"));
    fixture.store.release_lease().unwrap();
    reading.acquire_lease().unwrap();
    reading.write_indexed(|tx| tx.set_meta("k", "other")).unwrap();
    reading.close();
}

#[test]
fn what_a_killed_restore_left_goes_in_time() {
    let fixture = Fixture::new();
    let left = fixture.dir.path().join("state").join(format!("{UNFINISHED}old"));
    fs::create_dir(&left).unwrap();
    let copy = fixture.dir.path().join("copy.sqlite");
    fixture.take(&copy).unwrap();
    assert!(left.exists(), "somebody may be at work there");
    File::open(&left).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
    fixture.take(&copy).unwrap();
    assert!(!left.exists());
    // Where something is forgotten it goes at once, and where the index is only emptied nothing else does.
    fs::create_dir(&left).unwrap();
    fixture.store.file().unwrap().scrub(&model::cancel::Cancel::new()).unwrap();
    assert!(left.exists());
    fixture.store.file().unwrap().remove_copies();
    assert!(!left.exists(), "it holds what is forgotten");
}

// A restore keeps the present index first, as a backup; killed there, it left all texts where nobody looked for them.
#[test]
fn what_was_killed_while_it_kept_the_present_index_is_abandoned_too() {
    let fixture = Fixture::new();
    let folder = fixture.dir.path().join("state");
    let left = [".memory-backup-abc", ".memory-backup-abc-journal"].map(|name| folder.join(name));
    left.iter().for_each(|path| fs::write(path, "a text of a note").unwrap());
    let file = fixture.store.file().unwrap();
    assert_eq!(file.abandoned(), [] as [PathBuf; 0], "somebody may be writing them");
    for path in &left {
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(SystemTime::now() - 2 * backup::ABANDONED)
            .unwrap();
    }
    let mut found = file.abandoned();
    found.sort();
    assert_eq!(found, left);
    file.remove_abandoned();
    assert!(!left.iter().any(|path| path.exists()));
    left.iter().for_each(|path| fs::write(path, "a text of a note").unwrap());
    file.remove_copies();
    assert!(!left.iter().any(|path| path.exists()), "they hold what is forgotten");
}

// "Restore a copy from before" was the advice, and the newer index in its place refused that too.
#[test]
fn once_a_newer_index_is_moved_away_as_its_refusal_says_a_copy_takes_its_place() {
    let Fixture { dir, store } = Fixture::new();
    let index = store.path().to_path_buf();
    store.close();
    let next = schema::VERSION + 1;
    let newer = format!("PRAGMA user_version = {next}; UPDATE meta SET value = '{next}' WHERE key = 'schema'");
    Connection::open(&index).unwrap().execute_batch(&newer).unwrap();
    let error = Store::open(&index, OpenOptions::default()).unwrap_err();
    assert_eq!(error.code(), Code::NewerSchema);
    let remedy = error.remedy.unwrap();
    assert!(["-wal", "-shm", "openclaw memory restore"].iter().all(|word| remedy.contains(word)), "{remedy}");
    for end in ["", "-wal", "-shm"] {
        // SQLite removes what it needs no more.
        let _ = fs::rename(with_suffix(&index, end), with_suffix(&dir.path().join("away.sqlite"), end));
    }
    let store = Store::open(&index, OpenOptions::default()).unwrap();
    store.acquire_lease().unwrap();
    let staged = Staged::take(&dir.path().join("copy.sqlite"), &index, None).unwrap();
    store.file().unwrap().restore(staged).unwrap();
    assert_eq!(store.read(|r| r.meta("k")).unwrap().as_deref(), Some("old"));
    store.close();
}
