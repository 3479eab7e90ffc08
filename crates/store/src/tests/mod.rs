//! Tests of the store, by topic. What they share is here.
//!
//! What must hold of any backend is written for any: those tests take a [`Backend`], and [`for_every_backend`] runs them
//! through each there is: PostgreSQL with the feature `postgres`, where `MEMORY_CORE_TEST_PG` names a server. `crash`,
//! `lifecycle` and `processes` are about SQLite: its file, its log, its damage.

/// Runs tests of this module through every backend; those after `of_files` are about what only a file has, or keeps so.
macro_rules! for_every_backend {
    ($($test:ident),* $(,)? $(; of_files: $($of_files:ident),* $(,)?)?) => {
        mod sqlite {
            $(
                #[test]
                fn $test() {
                    super::$test::<crate::tests::Sqlite>();
                }
            )*
            $($(
                #[test]
                fn $of_files() {
                    super::$of_files::<crate::tests::Sqlite>();
                }
            )*)?
        }

        #[cfg(feature = "postgres")]
        mod postgres {
            $(
                #[test]
                fn $test() {
                    if crate::postgres::tests::server().is_some() {
                        super::$test::<crate::postgres::tests::Backend>();
                    }
                }
            )*
        }
    };
}

mod batch_jobs;
mod code_blocks;
mod consolidation;
mod content;
mod crash;
mod generations;
mod lease;
mod lifecycle;
mod media;
mod processes;
mod properties;
mod usage;

use std::{
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::{
    OpenOptions, Reader, Store, Tx,
    error::SqlResult,
    files::{Hash, NewChunk, NewFile},
    generations::GenerationId,
    ids::ChunkId,
    lease::Owner,
    lexical,
};
use model::{
    clock::{Clock, TestClock},
    error::Result,
};

/// The chunks of a generation that hold a term.
pub(crate) fn holding(reader: &Reader<'_>, generation: GenerationId, term: &str) -> Result<Vec<ChunkId>> {
    Ok(reader.postings_among(generation, &[term], None)?.concat())
}

/// In how many chunks of a generation a term occurs.
fn chunks_with(reader: &Reader<'_>, generation: GenerationId, term: &str) -> Result<u64> {
    Ok(holding(reader, generation, term)?.len() as u64)
}

/// What FTS5 itself says of the full-text index of a generation.
fn check_fts(tx: &Tx<'_>, generation: GenerationId) -> Result<()> {
    let name = lexical::table(generation);
    tx.conn()?.execute(&format!("INSERT INTO {name} ({name}) VALUES ('integrity-check')"), []).sql()?;
    Ok(())
}

/// What keeps a store, as tests need it. All else they do through the store.
pub(crate) trait Backend: Sized {
    /// How many changes of rows it takes to write two files, of two chunks and of one, over one of three.
    const CHANGES: usize;

    /// An empty place of its own.
    fn fresh() -> Self;

    /// The store in this place, opened as by one more process.
    fn open(&self, options: OpenOptions) -> Arc<Store>;

    /// Panics unless the full text of a generation is sound.
    fn check(store: &Store, generation: GenerationId);

    /// Chunks in the full text of a generation; none when it has none.
    fn indexed(reader: &Reader<'_>, generation: GenerationId) -> Option<u64>;

    /// Chunks, of all generations, whose line terms are kept.
    fn line_rows(reader: &Reader<'_>) -> Result<u64>;

    /// Forgets what lines say piece by piece, as an engine that knew no pieces left an index.
    fn drop_pieces(tx: &Tx<'_>) -> Result<()>;

    /// Cuts the vector of a chunk short, as a bug would.
    fn spoil_a_vector(tx: &Tx<'_>) -> Result<()>;

    /// Makes the n-th change of a row from now on fail, inside the present transaction.
    fn fail_at(tx: &Tx<'_>, n: usize) -> Result<()>;

    /// [`Store::read`] by somebody who has read nothing before.
    fn read_fresh<T>(store: &Store, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T>;
}

/// One file in a folder of its own.
struct Sqlite {
    dir: TempDir,
}

impl Sqlite {
    fn path(&self) -> PathBuf {
        self.dir.path().join("index.sqlite")
    }
}

impl Backend for Sqlite {
    // Two files, three chunks and their line terms in; one file, three chunks and their line terms out.
    const CHANGES: usize = 15;

    fn fresh() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn open(&self, options: OpenOptions) -> Arc<Store> {
        Store::open(&self.path(), options).unwrap()
    }

    fn check(store: &Store, generation: GenerationId) {
        store.write(move |tx| check_fts(tx, generation)).unwrap();
    }

    fn indexed(reader: &Reader<'_>, generation: GenerationId) -> Option<u64> {
        reader.fts_count(generation).ok()
    }

    fn line_rows(reader: &Reader<'_>) -> Result<u64> {
        reader.conn()?.query_row("SELECT count(*) FROM chunk_lines", [], |row| row.get(0)).sql()
    }

    fn drop_pieces(tx: &Tx<'_>) -> Result<()> {
        tx.conn()?.execute("DELETE FROM line_pieces", []).map(drop).sql()
    }

    fn spoil_a_vector(tx: &Tx<'_>) -> Result<()> {
        let sql = "UPDATE embedding SET vector = x'00' WHERE hash = (SELECT max(hash) FROM chunk)";
        tx.conn()?.execute(sql, []).map(drop).sql()
    }

    fn fail_at(tx: &Tx<'_>, n: usize) -> Result<()> {
        let mut sql = format!("CREATE TEMP TABLE step (n INTEGER); INSERT INTO step VALUES ({n});");
        for (table, event) in ["file", "chunk", "chunk_lines"].iter().flat_map(|t| [(t, "INSERT"), (t, "DELETE")]) {
            sql.push_str(&format!(
                "CREATE TEMP TRIGGER {table}_{event} BEFORE {event} ON main.{table} BEGIN \
                 UPDATE step SET n = n - 1; SELECT RAISE(ABORT, 'failed on purpose') FROM step WHERE n < 0; END;"
            ));
        }
        tx.conn()?.execute_batch(&sql).sql()
    }

    fn read_fresh<T>(store: &Store, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        store.sqlite().pool.read_fresh(&model::cancel::Cancel::new(), f)
    }
}

/// A store in a place of its own, with a clock that is set by hand.
struct Fixture<B> {
    backend: B,
    clock: Arc<TestClock>,
    store: Arc<Store>,
}

fn options(clock: &Arc<TestClock>) -> OpenOptions {
    OpenOptions { owner: Owner::this_process(), clock: Arc::clone(clock) as Arc<dyn Clock>, workspace: None }
}

impl<B: Backend> Fixture<B> {
    fn new() -> Self {
        let (backend, clock) = (B::fresh(), TestClock::at(1_000_000));
        let store = backend.open(options(&clock));
        Self { backend, clock, store }
    }

    /// The same store, opened once more.
    fn open(&self) -> Arc<Store> {
        self.backend.open(options(&self.clock))
    }

    /// Indexes a file of one chunk per text into the live generation.
    fn put(&self, path: &str, texts: &[&str]) -> GenerationId {
        let (path, texts) = (path.to_owned(), texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        self.store
            .write(move |tx| {
                let generation = tx.begin_building("test")?.id;
                let chunks: Vec<NewChunk> = texts.iter().map(|text| chunk(text)).collect();
                tx.replace_file(generation, &file(&path), &chunks)?;
                Ok(generation)
            })
            .unwrap()
    }
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text.as_bytes()).into()
}

fn chunk(text: &str) -> NewChunk {
    NewChunk {
        start_line: 1,
        end_line: 2,
        hash: hash(text),
        text: text.to_owned(),
        line_terms: text.as_bytes().to_vec(),
        fts_terms: text.to_lowercase(),
    }
}

fn file(path: &str) -> NewFile<'_> {
    NewFile { source: "memory", path, hash: hash(path), mtime_ns: 7, size: 8, lines: 9, terms: 10 }
}
