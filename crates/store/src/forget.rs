//! Removing for good: what is forgotten leaves no row, no vector and no byte behind in the file; a reset leaves only
//! what cannot be made again.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use rusqlite::params;

use super::{
    files::Hash,
    generations::GenerationId,
    lexical,
    reader::{Reader, or_postgres},
    recover,
    skipped::MORE,
    sqlite::Sqlite,
    writer::Tx,
};
use crate::error::SqlResult;
use model::{cancel::Cancel, error::Result};

/// Pages merged or given back in one transaction.
const PAGES_PER_STEP: u32 = 500;

/// How long emptying the log waits for running searches.
const LOG_PATIENCE: Duration = Duration::from_secs(5);

/// Pause between two attempts to empty the log.
const LOG_PAUSE: Duration = Duration::from_millis(20);

/// A file of some generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its generation.
    pub generation: GenerationId,
    /// Its source, as in [`model::source::Source`].
    pub source: String,
    /// Its path.
    pub path: String,
}

impl Reader<'_> {
    /// The files of the live generation and of the one being built.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn files_of_all_generations(&self) -> Result<Vec<StoredFile>> {
        or_postgres!(self.files_of_all_generations());
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT generation, source, path FROM file \
             WHERE generation IN (SELECT id FROM generation WHERE state <> 'retired') ORDER BY id",
            )
            .sql()?;
        let rows = statement
            .query_map([], |row| Ok(StoredFile { generation: row.get(0)?, source: row.get(1)?, path: row.get(2)? }))
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Calls `f` with source, path and text of every chunk of the live generation until it returns false.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn for_each_text(&self, mut f: impl FnMut(&str, &str, &str) -> bool) -> Result<()> {
        or_postgres!(self.for_each_text(f));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT f.source, f.path, c.text FROM generation g CROSS JOIN file f ON f.generation = g.id \
             CROSS JOIN chunk c ON c.file_id = f.id WHERE g.state = 'live'",
            )
            .sql()?;
        let mut rows = statement.query([]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let text = |index| row.get_ref(index)?.as_str().map_err(rusqlite::Error::from);
            if !f(text(0).sql()?, text(1).sql()?, text(2).sql()?) {
                break;
            }
        }
        Ok(())
    }

    /// Hashes of the chunks of a file.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunk_hashes(&self, generation: GenerationId, source: &str, path: &str) -> Result<Vec<Hash>> {
        or_postgres!(self.chunk_hashes(generation, source, path));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT c.hash FROM file f CROSS JOIN chunk c ON c.file_id = f.id \
             WHERE f.generation = ?1 AND f.source = ?2 AND f.path = ?3 AND c.hash IS NOT NULL",
            )
            .sql()?;
        let rows = statement.query_map(params![generation, source, path], |row| row.get(0)).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Number of stored vectors of texts, in all spaces.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn vector_count_of(&self, hashes: &[Hash]) -> Result<u64> {
        or_postgres!(self.vector_count_of(hashes));
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT count(*) FROM space s CROSS JOIN embedding e ON e.space_id = s.id AND e.hash = ?1")
            .sql()?;
        let mut count = 0;
        for hash in hashes {
            count += statement.query_row([hash], |row| row.get::<_, u64>(0)).sql()?;
        }
        Ok(count)
    }
}

impl Tx<'_> {
    /// Removes a file with its chunks, full-text rows and vectors. False when there was none.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn purge_file(&self, file: &StoredFile) -> Result<bool> {
        or_postgres!(self.purge_file(file));
        let hashes = self.chunk_hashes(file.generation, &file.source, &file.path)?;
        let removed = self.delete_file(file.generation, &file.source, &file.path)?;
        self.purge_texts(&hashes)?;
        Ok(removed)
    }

    /// Removes all that is kept of texts beside their chunks, unless a chunk still has them; gives the number of
    /// vectors.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn purge_texts(&self, hashes: &[Hash]) -> Result<usize> {
        or_postgres!(self.purge_texts(hashes));
        let vectors = self.forget_embeddings(hashes)?;
        for table in ["line_vectors", "line_pieces", "refused_text"] {
            let mut delete = self
                .conn()?
                .prepare_cached(&format!(
                    "DELETE FROM {table} WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM generation g CROSS JOIN chunk c \
                 ON c.generation = g.id AND c.hash = ?1 WHERE g.state <> 'retired')"
                ))
                .sql()?;
            for hash in hashes {
                delete.execute([hash]).sql()?;
            }
        }
        Ok(vectors)
    }

    /// Begins a reset: no generation answers searches any more. What remains is removed by [`Tx::retire_step`] and
    /// [`Tx::wipe_step`].
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn begin_reset(&self) -> Result<()> {
        or_postgres!(self.begin_reset());
        self.conn()?.execute("UPDATE generation SET state = 'retired'", []).sql()?;
        self.conn()?.execute("DELETE FROM skipped", []).sql()?;
        self.conn()?.execute("DELETE FROM refused_text", []).sql()?;
        self.delete_meta(MORE)
    }

    /// Removes up to `limit` vectors, and at the end the spaces. True while there is more to do.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn wipe_step(&self, limit: usize) -> Result<bool> {
        or_postgres!(self.wipe_step(limit));
        for table in ["embedding", "line_vectors", "line_pieces"] {
            let sql = format!("DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} LIMIT ?1)");
            if self.conn()?.prepare_cached(&sql).sql()?.execute([limit]).sql()? > 0 {
                return Ok(true);
            }
        }
        self.conn()?.execute("DELETE FROM space", []).sql()?;
        self.delete_meta("active_space")?;
        Ok(false)
    }
}

impl Sqlite {
    /// Overwrites what removed rows left behind: merges the full-text indexes, whose old segments still hold the words
    /// of removed chunks, gives all free pages back and empties the log.
    ///
    /// # Errors
    /// When the database cannot be written, or when cancelled.
    pub(crate) fn scrub(&self, cancel: &Cancel) -> Result<()> {
        let generations = self.read(|r| Ok([r.live()?, r.building()?]))?;
        for generation in generations.into_iter().flatten() {
            for table in lexical::tables(generation.id) {
                let mut start = true;
                let step = move |table: String, start| {
                    self.write_giving(move |tx| tx.merge_step(&table, PAGES_PER_STEP, start))
                };
                while step(table.clone(), start)? {
                    cancel.check()?;
                    start = false;
                }
            }
        }
        while self.write_giving(|tx| tx.vacuum_step(PAGES_PER_STEP))? {
            cancel.check()?;
        }
        let started = Instant::now();
        while !self.empty_log()? && started.elapsed() < LOG_PATIENCE {
            cancel.check()?;
            std::thread::sleep(LOG_PAUSE);
        }
        Ok(())
    }

    /// Moves all committed pages into the database and cuts the log to nothing; false while a reader holds it up.
    fn empty_log(&self) -> Result<bool> {
        self.pool.forget_idle();
        self.wait(self.submit(|writer| Ok(writer.truncate_log()))?)
    }

    /// Damaged files that were set aside, with their logs.
    #[must_use]
    pub(crate) fn set_aside(&self) -> Vec<PathBuf> {
        recover::earlier_copies(&recover::with_suffix(self.path(), recover::CORRUPT))
    }
}
