//! Tests of the store, by topic. What they share is here.

mod batch_jobs;
mod consolidation;
mod content;
mod crash;
mod generations;
mod lease;
mod lifecycle;
mod processes;
mod properties;
mod usage;

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::{
    OpenOptions, Reader, Store, Tx,
    clock::Clock,
    error::SqlResult,
    files::{Hash, NewChunk, NewFile},
    generations::GenerationId,
    lease::Owner,
    lexical,
};
use model::error::Result;

/// A clock that is set by hand.
#[derive(Debug, Default)]
struct ManualClock(AtomicI64);

impl ManualClock {
    fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// The chunks of a generation that hold a term.
fn holding(reader: &Reader<'_>, generation: GenerationId, term: &str) -> Result<Vec<i64>> {
    Ok(reader.postings_among(generation, &[term], None)?.concat())
}

/// In how many chunks of a generation a term occurs.
fn chunks_with(reader: &Reader<'_>, generation: GenerationId, term: &str) -> Result<u64> {
    Ok(holding(reader, generation, term)?.len() as u64)
}

/// What FTS5 itself says of the full-text index of a generation.
fn check_fts(tx: &Tx<'_>, generation: GenerationId) -> Result<()> {
    let name = lexical::table(generation);
    tx.conn.execute(&format!("INSERT INTO {name} ({name}) VALUES ('integrity-check')"), []).sql()?;
    Ok(())
}

/// A store in a folder of its own, with a clock that is set by hand.
struct Fixture {
    dir: TempDir,
    clock: Arc<ManualClock>,
    store: Arc<Store>,
}

fn options(clock: &Arc<ManualClock>) -> OpenOptions {
    OpenOptions { owner: Owner::this_process(), clock: Arc::clone(clock) as Arc<dyn Clock>, workspace: None }
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock(AtomicI64::new(1_000_000)));
        let store = Store::open(&dir.path().join("index.sqlite"), options(&clock)).unwrap();
        Self { dir, clock, store }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("index.sqlite")
    }

    /// Indexes a file of one chunk per text into the live generation.
    fn put(&self, path: &str, texts: &[&str]) -> i64 {
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
