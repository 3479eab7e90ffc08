//! Kill, power loss and damage: what is found again, and what is never wrong.

use std::{fs, path::Path};

use proptest::prelude::*;

use super::*;
use crate::embeddings::{NewEmbedding, from_blob};
use crate::error::SqlResult;
use model::{cancel::Cancel, error::Code};

/// Copies database and log as they lie on the disk, in the middle of work.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    for suffix in ["", "-wal"] {
        let source = format!("{}{suffix}", from.display());
        if Path::new(&source).exists() {
            fs::copy(source, format!("{}{suffix}", to.display())).unwrap();
        }
    }
}

/// What must hold after any crash: every commit is there whole or not at all.
fn check_whole(store: &Store) -> usize {
    store.file().unwrap().verify(&Cancel::new()).unwrap();
    let (files, chunks, rows, count) = store
        .read(|r| {
            let Some(live) = r.live()? else { return Ok((0, 0, 0, 0)) };
            let count = r.meta("files")?.map_or(0, |text| text.parse().unwrap());
            Ok((r.files(live.id, "memory")?.len(), r.chunk_count(live.id)?, r.fts_count(live.id)?, count))
        })
        .unwrap();
    assert_eq!(files, count, "the counter is written in the same transaction");
    assert_eq!(chunks, rows, "every chunk is in the full-text index");
    assert_eq!(chunks, 2 * files as u64);
    if let Some(live) = store.read(|r| r.live()).unwrap() {
        store.write(move |tx| check_fts(tx, live.id)).unwrap();
    }
    files
}

/// Indexes one file more, and counts it in the same transaction.
fn put_counted(store: &Store, n: usize) {
    store
        .write(move |tx| {
            let generation = tx.begin_building("test")?.id;
            let (first, second) = (format!("first {n}"), format!("second {n} {}", "filler ".repeat(n % 7 * 100)));
            tx.replace_file(generation, &file(&format!("{n}.md")), &[chunk(&first), chunk(&second)])?;
            tx.set_meta("files", &(n + 1).to_string())
        })
        .unwrap();
}

#[test]
fn a_copy_taken_at_any_moment_opens_whole() {
    let fixture = Fixture::<Sqlite>::new();
    for n in 0..30 {
        put_counted(&fixture.store, n);
        let copied = fixture.backend.dir.path().join(format!("copy-{n}/index.sqlite"));
        copy(&fixture.backend.path(), &copied);
        let store = Store::open(&copied, OpenOptions::default()).unwrap();
        assert!(store.opened().unclean);
        assert_eq!(check_whole(&store), n + 1);
    }
}

#[test]
fn a_live_writer_elsewhere_is_not_an_unclean_end() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.store.acquire_lease().unwrap();
    fixture.put("a.md", &["one"]);
    let second = Store::open(&fixture.backend.path(), options(&fixture.clock)).unwrap();
    assert!(!second.opened().unclean);
}

/// A closed index with embeddings, as bytes.
fn sample() -> Vec<u8> {
    let fixture = Fixture::<Sqlite>::new();
    let space = fixture.store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
    for n in 0..20 {
        put_counted(&fixture.store, n);
    }
    let embeddings: Vec<_> = (0..20u8)
        .map(|n| NewEmbedding { hash: hash(&format!("first {n}")), vector: vec![f32::from(n) + 0.5; 300] })
        .collect();
    fixture.store.write(move |tx| tx.insert_embeddings(space, &embeddings)).unwrap();
    fixture.store.close();
    fs::read(fixture.backend.path()).unwrap()
}

/// Opens whatever lies at a path and repairs it as the engine does; gives the number of embeddings that are left.
fn open_and_repair(path: &Path) -> u64 {
    let store = match Store::open(path, OpenOptions::default()) {
        Ok(store) => store,
        // Damage in the identity itself cannot be told from another program's file.
        Err(error) => {
            assert!(matches!(error.code(), Code::ForeignDatabase | Code::NewerSchema), "{error:?}");
            return 0;
        }
    };
    if let Err(error) = store.file().unwrap().verify(&Cancel::new()) {
        assert_eq!(error.code(), Code::Corrupt, "{error:?}");
        assert!(store.is_corrupt());
        store.file().unwrap().recover().unwrap();
        assert!(!store.is_corrupt());
    }
    store.file().unwrap().verify(&Cancel::new()).unwrap();
    // Whatever was damaged, indexing works again afterwards.
    store.write(|tx| tx.set_meta("k", "v")).unwrap();
    let count = store
        .read(|r| {
            let mut statement = r.conn()?.prepare("SELECT hash, vector FROM embedding").sql()?;
            let mut rows = statement.query([]).sql()?;
            let mut count = 0;
            while let Some(row) = rows.next().sql()? {
                let vector = from_blob(row.get_ref(1).sql()?.as_blob().unwrap());
                assert_eq!(vector.len(), 300);
                assert!(vector.iter().all(|value| value.is_finite()));
                count += 1;
            }
            Ok(count)
        })
        .unwrap();
    store.close();
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 10))]

    #[test]
    fn a_torn_log_gives_an_earlier_moment(cut in 0.0..1.0f64, flip in proptest::option::of(0.0..1.0f64)) {
        let fixture = Fixture::<Sqlite>::new();
        for n in 0..20 {
            put_counted(&fixture.store, n);
        }
        let copied = fixture.backend.dir.path().join("copy/index.sqlite");
        copy(&fixture.backend.path(), &copied);
        let log = fixture.backend.dir.path().join("copy/index.sqlite-wal");
        let mut bytes = fs::read(&log).unwrap();
        let at = |share: f64, len: usize| (share * len as f64) as usize;
        match flip {
            Some(flip) => {
                let position = at(flip, bytes.len());
                bytes[position] ^= 0x5A;
            }
            None => bytes.truncate(at(cut, bytes.len())),
        }
        fs::write(&log, bytes).unwrap();
        let store = Store::open(&copied, OpenOptions::default()).unwrap();
        prop_assert!(check_whole(&store) <= 20);
    }

    #[test]
    fn a_checkpoint_that_broke_off_costs_nothing(
        written in proptest::collection::vec(any::<bool>(), 1..60),
        torn in 0..8usize,
    ) {
        let fixture = Fixture::<Sqlite>::new();
        for n in 0..20 {
            put_counted(&fixture.store, n);
        }
        let (copied, done) =
            (fixture.backend.dir.path().join("copy/index.sqlite"), fixture.backend.dir.path().join("done/index.sqlite"));
        copy(&fixture.backend.path(), &copied);
        copy(&fixture.backend.path(), &done);
        rusqlite::Connection::open(&done).unwrap().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        let (mut bytes, done) = (fs::read(&copied).unwrap(), fs::read(&done).unwrap());
        prop_assert!(done.len() > bytes.len());
        // Pages reach the disk in any order, the last of them in part.
        let pages: Vec<usize> = written.iter().enumerate().filter(|(_, w)| **w).map(|(n, _)| n * 4096).collect();
        for (n, start) in pages.iter().copied().filter(|start| start + 4096 <= done.len()).enumerate() {
            let end = start + if n + 1 == pages.len() { torn * 512 } else { 4096 };
            bytes.resize(bytes.len().max(end), 0);
            bytes[start..end].copy_from_slice(&done[start..end]);
        }
        fs::write(&copied, bytes).unwrap();
        let store = Store::open(&copied, OpenOptions::default()).unwrap();
        prop_assert_eq!(&store.opened().recovery, &None);
        prop_assert_eq!(check_whole(&store), 20);
    }

    #[test]
    fn damage_anywhere_is_repaired_without_a_crash(
        flips in proptest::collection::vec((0.0..1.0f64, 1..=255u8), 1..40),
        cut in proptest::option::weighted(0.3, 0.0..1.0f64),
    ) {
        static SAMPLE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(sample);
        let mut bytes = SAMPLE.clone();
        for (position, bits) in flips {
            let position = (position * bytes.len() as f64) as usize;
            bytes[position] ^= bits;
        }
        if let Some(cut) = cut {
            bytes.truncate((cut * bytes.len() as f64) as usize);
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index.sqlite");
        fs::write(&path, &bytes).unwrap();
        prop_assert!(open_and_repair(&path) <= 20);
    }
}

#[test]
fn an_index_that_was_merged_under_a_reader_is_not_taken_for_damaged() {
    let fixture = Fixture::<Sqlite>::new();
    let generation = fixture.put("first.md", &["alpha beta"]);
    for n in 0..20 {
        // The connection of the search remembers how the full-text index is made up.
        fixture.store.read(|r| chunks_with(r, generation, "beta")).unwrap();
        fixture.put(&format!("{}.md", n % 3), &[&format!("beta word{n}"), "gamma"]);
        let mut start = true;
        while fixture.store.write(move |tx| tx.merge_fts_step(generation, 200, start)).unwrap() {
            start = false;
        }
        fixture.store.file().unwrap().verify(&Cancel::new()).unwrap();
    }
}

#[test]
fn a_damaged_page_costs_only_the_vectors_on_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    let mut bytes = sample();
    // A leaf page of the table of embeddings: it holds the pattern of a known vector.
    let pattern: Vec<u8> = [7.5f32; 8].iter().flat_map(|value| value.to_le_bytes()).collect();
    let position = bytes.windows(pattern.len()).position(|window| window == pattern).unwrap();
    let page = position / 4096 * 4096;
    bytes[page..page + 64].fill(0xFF);
    fs::write(&path, bytes).unwrap();
    let left = open_and_repair(&path);
    assert!((10..20).contains(&left), "{left} of 20 left");
}

#[test]
fn a_lost_header_is_recovered_at_open_and_one_copy_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    for round in 0..2 {
        let mut bytes = sample();
        bytes[..16].fill(0);
        fs::write(&path, bytes).unwrap();
        let clock = TestClock::at(1_000_000 * (round + 1));
        let store = Store::open(&path, options(&clock)).unwrap();
        let aside = store.opened().recovery.clone().unwrap().set_aside.unwrap();
        assert!(aside.exists());
        store.close();
        let copies = fs::read_dir(dir.path())
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".corrupt-"))
            .count();
        assert_eq!(copies, 1);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_another_process_replaced_is_not_replaced_again() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["one"]);
    let other = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    other.write(|tx| tx.set_meta("k", "v")).unwrap();
    assert!(fixture.store.file().unwrap().recover().unwrap().set_aside.is_some());
    fixture.put("b.md", &["two"]);
    assert_eq!(other.file().unwrap().recover().unwrap().set_aside, None);
    assert_eq!(
        other.read(|r| r.files(GenerationId::new(1), "memory")).unwrap().into_keys().collect::<Vec<_>>(),
        ["b.md"]
    );
}

// A flipped byte in the header was taken for a newer schema or a read-only disk, and healed never; the vectors of a file
// whose header could not be read were lost.
#[test]
fn every_damaged_byte_of_the_header_heals_and_costs_no_vector() {
    let bytes = sample();
    for position in 0..100 {
        for bits in [0x01, 0xFF] {
            let mut bytes = bytes.clone();
            bytes[position] ^= bits;
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("index.sqlite");
            fs::write(&path, &bytes).unwrap();
            let store = Store::open(&path, OpenOptions::default())
                .unwrap_or_else(|error| panic!("byte {position} ^ {bits}: {error:?}"));
            store.close();
            assert_eq!(open_and_repair(&path), 20, "byte {position} ^ {bits}");
        }
    }
}

// Beside a log, or at the end of a file that was cut, the header was taken for that of a newer engine or of another
// program: such an index never healed.
#[test]
fn a_header_that_was_damaged_together_with_something_else_heals() {
    let opens_and_heals = |path: &Path| {
        let store = Store::open(path, OpenOptions::default()).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        store.close();
        open_and_repair(path);
    };
    let dir = tempfile::tempdir().unwrap();
    let fixture = Fixture::<Sqlite>::new();
    put_counted(&fixture.store, 0);
    let path = dir.path().join("logged/index.sqlite");
    copy(&fixture.backend.path(), &path);
    let mut bytes = fs::read(&path).unwrap();
    bytes[60..64].fill(0x35);
    fs::write(&path, bytes).unwrap();
    assert!(fs::metadata(crate::recover::with_suffix(&path, "-wal")).unwrap().len() > 0);
    opens_and_heals(&path);
    // All tables were in the log, and the file was taken for that of another program.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("named/index.sqlite");
    copy(&fixture.backend.path(), &path);
    let mut bytes = fs::read(&path).unwrap();
    bytes[68..72].fill(0x35);
    fs::write(&path, bytes).unwrap();
    opens_and_heals(&path);
    for length in [17, 60, 70, 71, 99, 101, 600, 4096, 5000] {
        let path = dir.path().join(format!("{length}.sqlite"));
        fs::write(&path, &sample()[..length]).unwrap();
        opens_and_heals(&path);
    }
    let mut bytes = sample();
    bytes[60..64].copy_from_slice(&0x0036_0000_i32.to_be_bytes());
    bytes.truncate(4096);
    let path = dir.path().join("both.sqlite");
    fs::write(&path, bytes).unwrap();
    opens_and_heals(&path);
}

// The quick check does not compare an index with its table: 7 of 460 repaired files were not whole.
#[test]
fn an_index_that_misses_rows_of_its_table_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    fs::write(&path, sample()).unwrap();
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "PRAGMA writable_schema = ON; CREATE TABLE kept AS SELECT sql FROM sqlite_schema WHERE name = 'chunk_file'; \
         UPDATE sqlite_schema SET sql = 'CREATE INDEX chunk_file ON chunk (start_line)' WHERE name = 'chunk_file'; \
         PRAGMA schema_version = 4711;",
    )
    .unwrap();
    drop(conn);
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "REINDEX chunk_file; PRAGMA writable_schema = ON; \
         UPDATE sqlite_schema SET sql = (SELECT sql FROM kept) WHERE name = 'chunk_file'; PRAGMA schema_version = 4712;",
    )
    .unwrap();
    drop(conn);
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    let error = store.file().unwrap().verify(&Cancel::new()).unwrap_err();
    assert!(error.code() == Code::Corrupt && error.message.contains("chunk_file"), "{error:?}");
    store.close();
    assert_eq!(open_and_repair(&path), 20);
}

// A table that is not as it was made came back as a fault of the engine.
#[test]
fn a_refused_statement_is_told_as_damage_and_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    fs::write(&path, sample()).unwrap();
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch("ALTER TABLE file RENAME COLUMN terms TO term5").unwrap();
    drop(conn);
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    let error = store
        .read(|r| r.files(GenerationId::new(1), "memory"))
        .and_then(|_| store.read(|r| r.conn()?.query_row("SELECT terms FROM file", [], |_| Ok(())).sql()));
    let error = error.unwrap_err();
    assert!(error.code() == Code::Corrupt && error.remedy.is_some(), "{error:?}");
    assert!(store.is_suspect() && !store.is_corrupt());
    store.close();
    assert_eq!(open_and_repair(&path), 20);
}
