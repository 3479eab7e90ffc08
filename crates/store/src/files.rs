//! Files of a generation, each replaced as a whole together with its chunks.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, Row, params};

use super::{
    compat,
    generations::GenerationId,
    ids::{ChunkId, FileId},
    lexical,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::{error::Result, stamp::Stamp};

/// SHA-256 of some content.
pub type Hash = [u8; 32];

/// What is known of an indexed file, enough to tell whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRow {
    /// Id.
    pub id: FileId,
    /// SHA-256 of the content.
    pub hash: Hash,
    /// Modification time, in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Lines.
    pub lines: u32,
    /// Analysed terms, for length normalisation.
    pub terms: u32,
}

impl FileRow {
    /// What tells whether the file changed since.
    #[must_use]
    pub const fn stamp(&self) -> Stamp {
        Stamp { size: self.size, mtime_ns: self.mtime_ns }
    }
}

/// A file to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewFile<'a> {
    /// Source, as in [`model::source::Source`].
    pub source: &'a str,
    /// Path as shown in results.
    pub path: &'a str,
    /// SHA-256 of the content.
    pub hash: Hash,
    /// Modification time, in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Lines.
    pub lines: u32,
    /// Analysed terms.
    pub terms: u32,
}

/// A chunk to be stored.
#[derive(Debug, Clone)]
pub struct NewChunk {
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// SHA-256 of what is embedded for it.
    pub hash: Hash,
    /// Text as in the file. A blank text is never embedded.
    pub text: String,
    /// Encoded terms of its lines, opaque to the store.
    pub line_terms: Vec<u8>,
    /// Terms for the full-text index, separated by single spaces. Any character but space and control characters
    /// can be part of a term. Naming a term once is enough: the index knows which chunks hold it, not how often.
    pub fts_terms: String,
}

/// A file of six columns, from this one on.
pub(super) fn file_row(row: &Row<'_>, first: usize) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(first)?,
        hash: row.get(first + 1)?,
        mtime_ns: row.get(first + 2)?,
        size: row.get(first + 3)?,
        lines: row.get(first + 4)?,
        terms: row.get(first + 5)?,
    })
}

impl Reader<'_> {
    /// Whether there is any file of a source.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_files(&self, generation: GenerationId, source: &str) -> Result<bool> {
        or_postgres!(self.has_files(generation, source));
        let sql = "SELECT EXISTS (SELECT 1 FROM file WHERE generation = ?1 AND source = ?2)";
        self.conn()?.prepare_cached(sql).sql()?.query_row((generation, source), |row| row.get(0)).sql()
    }

    /// All files of a source, by path.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn files(&self, generation: GenerationId, source: &str) -> Result<HashMap<String, FileRow>> {
        or_postgres!(self.files(generation, source));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT path, id, hash, mtime_ns, size, lines, terms FROM file WHERE generation = ?1 AND source = ?2",
            )
            .sql()?;
        let rows = statement.query_map((generation, source), |row| Ok((row.get(0)?, file_row(row, 1)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// One file of a source.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn file(&self, generation: GenerationId, source: &str, path: &str) -> Result<Option<FileRow>> {
        or_postgres!(self.file(generation, source, path));
        let sql = "SELECT id, hash, mtime_ns, size, lines, terms FROM file \
                   WHERE generation = ?1 AND source = ?2 AND path = ?3";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        statement.query_row((generation, source, path), |row| file_row(row, 0)).optional().sql()
    }

    /// How many files a source has.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn file_count(&self, generation: GenerationId, source: &str) -> Result<u64> {
        or_postgres!(self.file_count(generation, source));
        let sql = "SELECT count(*) FROM file WHERE generation = ?1 AND source = ?2";
        self.conn()?.prepare_cached(sql).sql()?.query_row((generation, source), |row| row.get(0)).sql()
    }

    /// Paths of files by id.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn file_paths(&self, generation: GenerationId) -> Result<Vec<(FileId, String, String)>> {
        or_postgres!(self.file_paths(generation));
        let mut statement =
            self.conn()?.prepare_cached("SELECT id, source, path FROM file WHERE generation = ?1").sql()?;
        let rows = statement.query_map([generation], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}

/// What changes in the full-text index of a generation: written after all other rows. The triggers that count chunks make
/// SQLite set a savepoint for each row, and at a savepoint FTS5 writes what it holds as a segment of its own, which later
/// has to be merged: written between the rows, that took a fifth of the processor time of an index.
#[derive(Default)]
pub(super) struct Words<'a> {
    gone: Vec<ChunkId>,
    come: Vec<(ChunkId, &'a NewChunk)>,
}

impl Tx<'_> {
    /// Stores a file and its chunks in place of what was stored under its path. Gives the id of the file. Several files
    /// are stored sooner by [`Self::replace_files`].
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn replace_file(&self, generation: GenerationId, file: &NewFile<'_>, chunks: &[NewChunk]) -> Result<FileId> {
        or_postgres!(self.replace_file(generation, file, chunks));
        let mut words = Words::default();
        let id = self.replace_rows(generation, file, chunks, &mut words)?;
        self.write_words(generation, &words)?;
        Ok(id)
    }

    /// [`Self::replace_file`] for several files.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn replace_files(&self, generation: GenerationId, files: &[(NewFile<'_>, &[NewChunk])]) -> Result<()> {
        or_postgres!(self.replace_files(generation, files));
        let mut words = Words::default();
        for (file, chunks) in files {
            self.replace_rows(generation, file, chunks, &mut words)?;
        }
        self.write_words(generation, &words)
    }

    /// All rows of [`Self::replace_file`] but those of the full-text index.
    fn replace_rows<'a>(
        &self,
        generation: GenerationId,
        file: &NewFile<'_>,
        chunks: &'a [NewChunk],
        words: &mut Words<'a>,
    ) -> Result<FileId> {
        let removed = self.remove_file(generation, file.source, file.path, words)?;
        let file_id = self.insert_file(generation, file)?;
        self.insert_chunks(generation, file_id, chunks, words)?;
        // After the insert: most texts of an edited file are still in use, and their rows need no write.
        self.mark_unused(removed.as_deref().unwrap_or_default())?;
        Ok(file_id)
    }

    /// Inserts the row of a file; gives its id.
    pub(super) fn insert_file(&self, generation: GenerationId, file: &NewFile<'_>) -> Result<FileId> {
        self.conn()?
            .prepare_cached(
                "INSERT INTO file (generation, source, path, hash, mtime_ns, size, lines, terms, indexed_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )
            .sql()?
            .execute(params![
                generation,
                file.source,
                file.path,
                file.hash,
                file.mtime_ns,
                file.size,
                file.lines,
                file.terms,
                self.now_ms()
            ])
            .sql()?;
        Ok(FileId::new(self.conn()?.last_insert_rowid()))
    }

    /// Inserts chunks of a file; their words are still to be written.
    pub(super) fn insert_chunks<'a>(
        &self,
        generation: GenerationId,
        file_id: FileId,
        chunks: &'a [NewChunk],
        words: &mut Words<'a>,
    ) -> Result<()> {
        let mut insert_chunk = self
            .conn()?
            .prepare_cached(
                "INSERT INTO chunk (generation, file_id, start_line, end_line, hash, text) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .sql()?;
        let mut insert_lines =
            self.conn()?.prepare_cached("INSERT INTO chunk_lines (chunk_id, terms) VALUES (?1, ?2)").sql()?;
        for chunk in chunks {
            let hash = (!chunk.text.trim().is_empty()).then_some(chunk.hash);
            insert_chunk
                .execute(params![generation, file_id, chunk.start_line, chunk.end_line, hash, chunk.text])
                .sql()?;
            let id = ChunkId::new(self.conn()?.last_insert_rowid());
            insert_lines.execute((id, &chunk.line_terms)).sql()?;
            words.come.push((id, chunk));
        }
        Ok(())
    }

    /// Removes chunks; gives the hashes they had. Their words are still to be removed.
    pub(super) fn remove_chunks(&self, ids: Vec<ChunkId>, words: &mut Words<'_>) -> Result<Vec<Hash>> {
        let hashes = self.delete_chunk_rows(&ids)?;
        // What came and goes in one go is nowhere.
        words.come.retain(|(id, _)| !ids.contains(id));
        words.gone.extend(ids);
        Ok(hashes)
    }

    /// Brings the full-text index of a generation up to date with its rows.
    pub(super) fn write_words(&self, generation: GenerationId, words: &Words<'_>) -> Result<()> {
        let conn = self.conn()?;
        let has_compat = self.compat_index(generation)?.is_some();
        lexical::delete_rows(conn, generation, &words.gone)?;
        if has_compat {
            compat::delete_rows(conn, generation, &words.gone)?;
        }
        let mut insert = conn.prepare_cached(&lexical::insert_sql(generation)).sql()?;
        for (id, chunk) in &words.come {
            insert.execute((id, &chunk.fts_terms)).sql()?;
        }
        if has_compat {
            let mut insert = conn.prepare_cached(&compat::insert_sql(generation)).sql()?;
            for (id, chunk) in &words.come {
                insert.execute((id, &chunk.text)).sql()?;
            }
        }
        Ok(())
    }

    /// Notes a new modification time of a file whose content is the same.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn touch_file(&self, file_id: FileId, mtime_ns: i64) -> Result<()> {
        or_postgres!(self.touch_file(file_id, mtime_ns));
        self.conn()?
            .prepare_cached("UPDATE file SET mtime_ns = ?2 WHERE id = ?1")
            .sql()?
            .execute((file_id, mtime_ns))
            .sql()?;
        Ok(())
    }

    /// Removes a file with its chunks and full-text rows. False when there was none. Its vectors stay in the cache.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn delete_file(&self, generation: GenerationId, source: &str, path: &str) -> Result<bool> {
        or_postgres!(self.delete_file(generation, source, path));
        let mut words = Words::default();
        let removed = self.remove_file(generation, source, path, &mut words)?;
        self.mark_unused(removed.as_deref().unwrap_or_default())?;
        self.write_words(generation, &words)?;
        Ok(removed.is_some())
    }

    /// Removes a file with all its rows but its words; gives the hashes of its chunks.
    fn remove_file(
        &self,
        generation: GenerationId,
        source: &str,
        path: &str,
        words: &mut Words<'_>,
    ) -> Result<Option<Vec<Hash>>> {
        let mut find = self
            .conn()?
            .prepare_cached("SELECT id FROM file WHERE generation = ?1 AND source = ?2 AND path = ?3")
            .sql()?;
        let found: Option<FileId> = find.query_row((generation, source, path), |row| row.get(0)).optional().sql()?;
        let Some(file_id) = found else { return Ok(None) };
        let chunks: Vec<ChunkId> = self
            .conn()?
            .prepare_cached("SELECT id FROM chunk WHERE file_id = ?1")
            .sql()?
            .query_map([file_id], |row| row.get(0))
            .sql()?
            .collect::<Result<_, _>>()
            .sql()?;
        let hashes = self.remove_chunks(chunks, words)?;
        self.conn()?.prepare_cached("DELETE FROM file WHERE id = ?1").sql()?.execute([file_id]).sql()?;
        Ok(Some(hashes))
    }
}
