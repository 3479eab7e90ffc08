//! Opening, refusing, closing, and what happens to work that is under way.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64},
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::*;
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    error::{Code, Result},
};

fn refused(path: &Path) -> Code {
    Store::open(path, OpenOptions::default()).unwrap_err().code()
}

/// Opens a path that must be refused, and checks that its bytes and its folder stay as they are.
fn refused_untouched(path: &Path) -> Code {
    let listing = || {
        let mut names: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let (bytes, names) = (fs::read(path).unwrap(), listing());
    let code = refused(path);
    assert_eq!((fs::read(path).unwrap(), listing()), (bytes, names));
    code
}

#[test]
fn another_programs_file_is_refused_untouched() {
    let dir = tempfile::tempdir().unwrap();
    let sqlite = dir.path().join("their # 100%.sqlite");
    let conn = Connection::open(&sqlite).unwrap();
    conn.execute_batch("PRAGMA application_id = 7; CREATE TABLE chunk (x)").unwrap();
    drop(conn);
    assert_eq!(refused_untouched(&sqlite), Code::ForeignDatabase);

    let unmarked = dir.path().join("unmarked.db");
    Connection::open(&unmarked).unwrap().execute_batch("CREATE TABLE notes (x)").unwrap();
    assert_eq!(refused_untouched(&unmarked), Code::ForeignDatabase);

    let text = dir.path().join("MEMORY.md");
    fs::write(&text, "# Remember\n".repeat(200)).unwrap();
    assert_eq!(refused_untouched(&text), Code::ForeignDatabase);
}

/// What each version added, newest first: taking it away again gives a file of the version before.
const ADDED: [(i32, &str); 8] = [
    (
        8,
        "DROP TRIGGER chunk_comes; DROP TRIGGER chunk_goes; DROP TRIGGER embedding_comes; DROP TRIGGER embedding_goes; \
         ALTER TABLE generation DROP COLUMN chunks; ALTER TABLE generation DROP COLUMN hashed; \
         ALTER TABLE space DROP COLUMN embeddings",
    ),
    (7, "DROP TRIGGER code_block_of_embedding; DROP TABLE code_block"),
    (6, "DROP TABLE line_pieces"),
    (5, "DROP TABLE claim; DROP TABLE claim_use; DROP TABLE consolidation_run; DROP TABLE consolidation_clock"),
    (4, "ALTER TABLE refused_text DROP COLUMN refused_ms; ALTER TABLE refused_text DROP COLUMN times"),
    (3, ""),
    (2, "DROP TRIGGER transcript_of_file; DROP TABLE transcript"),
    (1, "DROP TABLE usage"),
];

#[test]
fn every_older_schema_is_brought_forward_with_all_it_holds() {
    for oldest in 1..crate::schema::VERSION {
        let fixture = Fixture::<Sqlite>::new();
        let generation = fixture.put("a.md", &["alpha beta"]);
        let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
        let vector = crate::embeddings::NewEmbedding { hash: hash("x"), vector: vec![1.0, 2.0] };
        fixture.store.write(move |tx| tx.insert_embeddings(space, &[vector])).unwrap();
        fixture.store.close();
        let conn = Connection::open(fixture.backend.path()).unwrap();
        for (version, undo) in ADDED.iter().filter(|(version, _)| *version >= oldest) {
            conn.execute_batch(&format!(
                "{undo}; DELETE FROM meta WHERE key = 'schema'; PRAGMA user_version = {version}"
            ))
            .unwrap();
        }
        drop(conn);
        let store = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
        assert!(!store.opened().created && store.opened().recovery.is_none(), "from version {oldest}");
        let found =
            store.read(|r| Ok((chunks_with(r, generation, "beta")?, r.embedding_count()?, r.chunk_count(generation)?)));
        assert_eq!(found.unwrap(), (1, 1, 1), "from version {oldest}");
        store.write(|tx| tx.add_usage("2026-11-21", "p", "m", &crate::usage::Spent::default())).unwrap();
        store.read(|r| r.transcripts(generation)).unwrap();
        store.file().unwrap().verify(&Cancel::new()).unwrap();
    }
}

// The space of a model had the prefix that a router wants, so that another address of the same model was another space.
#[test]
fn vectors_made_through_a_router_stay_those_of_their_model() {
    let key = |model: &str, dims: &str| {
        format!(
            "{{\"provider\":\"openai\",\"model\":\"{model}\",\"dimensions\":{dims},\"queryInputType\":null,\"documentInputType\":null}}"
        )
    };
    let fixture = Fixture::<Sqlite>::new();
    let put = |key: String, text: &'static str| {
        let vector = crate::embeddings::NewEmbedding { hash: hash(text), vector: vec![1.0, 2.0] };
        fixture
            .store
            .write(move |tx| {
                let space = tx.get_or_create_space(&key)?.id;
                tx.insert_embeddings(space, &[vector])
            })
            .unwrap();
    };
    put(key("openai/m", "null"), "at the router");
    put(key("m", "null"), "at the public address");
    put(key("openai/m", "64"), "at the router only");
    put(key("other/m", "null"), "another model");
    fixture.store.close();
    let later: Vec<&str> = ADDED.iter().filter(|(version, _)| *version >= 3).map(|(_, undo)| *undo).collect();
    let undo = format!("{}; DELETE FROM meta WHERE key = 'schema'; PRAGMA user_version = 3", later.join("; "));
    Connection::open(fixture.backend.path()).unwrap().execute_batch(&undo).unwrap();
    let store = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    let held = |key: &str| {
        let texts = ["at the router", "at the public address", "at the router only", "another model"];
        let held = |text: &&&str| {
            store
                .read(|r| {
                    let Some(space) = r.space(key)? else { return Ok(false) };
                    r.has_embedding(space.id, &hash(text))
                })
                .unwrap()
        };
        texts.iter().filter(held).copied().collect::<Vec<_>>()
    };
    assert_eq!(held(&key("m", "null")), ["at the router", "at the public address"]);
    assert_eq!(held(&key("m", "64")), ["at the router only"]);
    assert_eq!(held(&key("other/m", "null")), ["another model"]);
    store.file().unwrap().verify(&Cancel::new()).unwrap();
}

#[test]
fn a_newer_schema_is_refused_untouched() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["text"]);
    fixture.store.close();
    let conn = Connection::open(fixture.backend.path()).unwrap();
    let newer =
        "PRAGMA journal_mode = DELETE; PRAGMA user_version = 99; UPDATE meta SET value = '99' WHERE key = 'schema'";
    conn.execute_batch(newer).unwrap();
    drop(conn);
    assert_eq!(refused_untouched(&fixture.backend.path()), Code::NewerSchema);
}

#[test]
fn the_hosts_database_and_things_that_are_no_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(refused(&dir.path().join("openclaw-agent.sqlite")), Code::ForeignDatabase);
    assert_eq!(refused(&dir.path().join("OpenClaw-Agent.sqlite")), Code::ForeignDatabase);
    assert_eq!(refused(dir.path()), Code::Path);
    assert_eq!(refused(Path::new("/")), Code::Config);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn an_empty_file_and_an_empty_database_become_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let empty = dir.path().join("empty.sqlite");
    fs::write(&empty, "").unwrap();
    let database = dir.path().join("database.sqlite");
    Connection::open(&database).unwrap().execute_batch("VACUUM; PRAGMA user_version = 0").unwrap();
    for path in [empty, database] {
        let store = Store::open(&path, OpenOptions::default()).unwrap();
        assert!(store.opened().created);
        store.write(|tx| tx.set_meta("k", "v")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_index() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("agents/main/index.sqlite");
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    store.write(|tx| tx.set_meta("k", "v")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&dir.path().join("agents/main/index.sqlite-wal")), 0o600);
}

#[test]
fn a_failed_or_panicking_write_leaves_no_trace_and_the_writer_goes_on() {
    let fixture = Fixture::<Sqlite>::new();
    let failed: Result<()> = fixture.store.write(|tx| {
        tx.set_meta("k", "1")?;
        Err(model::error::Error::new(Code::Argument, "no"))
    });
    assert_eq!(failed.unwrap_err().code(), Code::Argument);
    let panicked: Result<()> = fixture.store.write(|tx| {
        tx.set_meta("k", "2")?;
        panic!("expected in this test")
    });
    assert_eq!(panicked.unwrap_err().code(), Code::Internal);
    assert_eq!(fixture.store.read(|r| r.meta("k")).unwrap(), None);
    fixture.store.write(|tx| tx.set_meta("k", "3")).unwrap();
    assert_eq!(fixture.store.read(|r| r.meta("k")).unwrap().as_deref(), Some("3"));
}

#[test]
fn a_panicking_read_gives_its_connection_back() {
    let fixture = Fixture::<Sqlite>::new();
    for _ in 0..5 {
        let read = || fixture.store.read(|_| -> Result<()> { panic!("expected in this test") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).is_err());
    }
    assert_eq!(fixture.store.read(|r| r.meta("k")).unwrap(), None);
}

#[test]
fn a_write_inside_a_write_is_an_error_and_no_deadlock() {
    let fixture = Fixture::<Sqlite>::new();
    let store = Arc::clone(&fixture.store);
    let inner = fixture.store.write(move |_| Ok(store.write(|_| Ok(())).unwrap_err().code())).unwrap();
    assert_eq!(inner, Code::Internal);
}

#[test]
fn a_reader_sees_one_moment() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["one"]);
    let (before, after) = fixture
        .store
        .read(|r| {
            let before = r.chunk_count(GenerationId::new(1))?;
            fixture.put("b.md", &["two"]);
            Ok((before, r.chunk_count(GenerationId::new(1))?))
        })
        .unwrap();
    assert_eq!((before, after), (1, 1));
    assert_eq!(fixture.store.read(|r| r.chunk_count(GenerationId::new(1))).unwrap(), 2);
}

/// A statement that runs for minutes unless it is interrupted.
fn endless(reader: &crate::Reader<'_>) -> Result<i64> {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n LIMIT 1";
    reader.conn()?.query_row(sql, [], |row| row.get(0)).sql()
}

#[test]
fn a_running_query_stops_at_its_deadline_or_when_cancelled() {
    let fixture = Fixture::<Sqlite>::new();
    let deadline = Cancel::with_deadline(Duration::from_millis(30));
    assert_eq!(fixture.store.read_with(&deadline, endless).unwrap_err().code(), Code::Deadline);
    let cancel = Cancel::new();
    let canceller = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        canceller.cancel();
    });
    assert_eq!(fixture.store.read_with(&cancel, endless).unwrap_err().code(), Code::Cancelled);
    thread.join().unwrap();
    assert_eq!(
        fixture.store.read(|r| r.chunk_count(GenerationId::new(1))).unwrap(),
        0,
        "the connection is good for the next call"
    );
}

#[test]
fn closing_ends_running_queries_and_refuses_later_calls() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["one"]);
    let store = Arc::clone(&fixture.store);
    let started = Arc::new(AtomicBool::new(false));
    let running = Arc::clone(&started);
    let reader = std::thread::spawn(move || {
        store.read(|r| {
            running.store(true, Ordering::SeqCst);
            endless(r)
        })
    });
    while !started.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    fixture.store.close();
    assert_eq!(reader.join().unwrap().unwrap_err().code(), Code::Closed);
    assert_eq!(fixture.store.read(|_| Ok(())).unwrap_err().code(), Code::Closed);
    assert_eq!(fixture.store.write(|_| Ok(())).unwrap_err().code(), Code::Closed);
    assert_eq!(fixture.store.data_version().unwrap_err().code(), Code::Closed);
    fixture.store.close();
    let names: Vec<_> = fs::read_dir(fixture.backend.dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["index.sqlite"], "the log is emptied and removed");
    assert!(!Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap().opened().unclean);
}

#[test]
fn closing_does_what_was_asked_before() {
    let fixture = Fixture::<Sqlite>::new();
    let done = Arc::new(AtomicU64::new(0));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let writes: Vec<_> = (0..50)
        .map(|n: u64| {
            let (store, done) = (Arc::clone(&fixture.store), Arc::clone(&done));
            let write = move |tx: &mut crate::Tx<'_>| {
                done.fetch_add(1, Ordering::SeqCst);
                tx.set_meta(&n.to_string(), "v")
            };
            runtime.spawn(async move { store.write_async(write).await })
        })
        .collect();
    while done.load(Ordering::SeqCst) < 10 {
        std::thread::yield_now();
    }
    fixture.store.close();
    let succeeded = writes.into_iter().filter_map(|write| runtime.block_on(write).unwrap().ok()).count();
    assert!(succeeded >= 10);
    let store = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    let stored = (0..50).filter(|n| store.read(|r| r.meta(&n.to_string())).unwrap().is_some()).count();
    assert_eq!(stored, succeeded, "what succeeded is there, and only that");
}

#[test]
fn closing_interrupts_a_write_that_takes_too_long() {
    let fixture = Fixture::<Sqlite>::new();
    let store = Arc::clone(&fixture.store);
    let started = Arc::new(AtomicBool::new(false));
    let running = Arc::clone(&started);
    let writer = std::thread::spawn(move || {
        store.write(move |tx| {
            running.store(true, Ordering::SeqCst);
            endless(tx)
        })
    });
    while !started.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
    let waiting = Arc::clone(&fixture.store);
    let waiting = std::thread::spawn(move || waiting.write(|tx| tx.set_meta("late", "v")));
    let closing = Instant::now();
    fixture.store.close();
    assert!(closing.elapsed() < Duration::from_secs(30), "the statement would run for hours");
    assert!(writer.join().unwrap().is_err());
    assert!(waiting.join().unwrap().is_err());
}

#[test]
fn dropping_without_closing_loses_nothing_that_was_committed() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["one"]);
    let path = fixture.backend.path();
    let Fixture { backend: Sqlite { dir }, store, .. } = fixture;
    drop(store);
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    assert_eq!(store.read(|r| r.chunk_count(GenerationId::new(1))).unwrap(), 1);
    drop(dir);
}

#[cfg(unix)]
#[test]
fn an_index_that_is_deleted_under_us_comes_back_empty() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["one"]);
    let version = fixture.store.data_version().unwrap();
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
        fs::remove_file(fixture.backend.dir.path().join(name)).unwrap();
    }
    let generation = fixture.put("b.md", &["two"]);
    assert_ne!(fixture.store.data_version().unwrap(), version);
    let files = fixture.store.read(|r| r.files(generation, "memory")).unwrap();
    assert_eq!(files.into_keys().collect::<Vec<_>>(), ["b.md"]);
}

#[test]
fn the_data_version_changes_with_every_commit_of_anyone() {
    let fixture = Fixture::<Sqlite>::new();
    let before = fixture.store.data_version().unwrap();
    assert_eq!(fixture.store.data_version().unwrap(), before);
    fixture.put("a.md", &["one"]);
    let ours = fixture.store.data_version().unwrap();
    assert_ne!(ours, before);
    let other = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    other.write(|tx| tx.set_meta("k", "v")).unwrap();
    assert_ne!(fixture.store.data_version().unwrap(), ours);
}

#[test]
fn a_thousand_open_and_close_cycles_leak_no_descriptor() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    let cycle = || {
        let store = Store::open(&path, OpenOptions::default()).unwrap();
        store.read(|r| r.meta("k")).unwrap();
        store.close();
    };
    cycle();
    // Descriptors of this file only: other tests run beside this one.
    let open = || {
        let Ok(entries) = fs::read_dir("/proc/self/fd") else { return 0 };
        entries.flatten().filter(|e| fs::read_link(e.path()).is_ok_and(|to| to.starts_with(dir.path()))).count()
    };
    for _ in 0..1000 {
        cycle();
    }
    assert_eq!(open(), 0);
}

// Opening and closing waited five seconds for it, and opening failed then, with all searches.
#[test]
fn a_process_that_was_stopped_while_it_wrote_keeps_nobody_from_opening_reading_and_closing() {
    let fixture = Fixture::<Sqlite>::new();
    let generation = fixture.put("a.md", &["one"]);
    let other = Connection::open(fixture.backend.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = Instant::now();
    let late = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    assert_eq!(late.read(|r| r.files(generation, "memory")).unwrap().len(), 1);
    late.close();
    fixture.store.close();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    drop(other);
    let again = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    again.write(|tx| tx.set_meta("k", "v")).unwrap();
}

// A disk that was full while the index was made left a file without tables, which was then taken for a damaged one.
#[test]
fn an_index_that_was_not_made_to_its_end_is_told_from_one_that_can_be_read() {
    let mut conn = Connection::open_in_memory().unwrap();
    assert!(crate::schema::is_unfinished(&conn));
    conn.pragma_update(None, "application_id", crate::schema::APPLICATION_ID).unwrap();
    assert!(crate::schema::is_unfinished(&conn));
    crate::schema::migrate(&mut conn).unwrap();
    assert!(!crate::schema::is_unfinished(&conn));
    conn.pragma_update(None, "user_version", 1).unwrap();
    assert!(crate::schema::is_unfinished(&conn));
    let row = "INSERT INTO file (generation, source, path, hash, mtime_ns, size, lines, terms, indexed_ms) \
               VALUES (1, 'memory', 'a.md', x'00', 0, 0, 0, 0, 0)";
    conn.execute_batch(row).unwrap();
    assert!(!crate::schema::is_unfinished(&conn));
}

#[test]
fn a_backup_is_a_whole_index_and_never_overwrites() {
    let fixture = Fixture::<Sqlite>::new();
    let generation = fixture.put("a.md", &["one"]);
    let target = fixture.backend.dir.path().join("copy.sqlite");
    fixture.store.file().unwrap().backup(&target, None).unwrap();
    fixture.put("b.md", &["two"]);
    let copy = Store::open(&target, OpenOptions::default()).unwrap();
    assert_eq!(copy.read(|r| r.files(generation, "memory")).unwrap().len(), 1);
    assert_eq!(fixture.store.file().unwrap().backup(&target, None).unwrap_err().code(), model::error::Code::Argument);
    let missing = fixture.backend.dir.path().join("nowhere/copy.sqlite");
    assert!(fixture.store.file().unwrap().backup(&missing, None).is_err());
}
