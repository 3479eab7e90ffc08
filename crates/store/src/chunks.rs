//! Chunks: reading them by id, and removing their rows.

use rusqlite::{OptionalExtension, Row};

use super::{
    files::Hash,
    generations::GenerationId,
    ids::{ChunkId, FileId, id_list},
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// A stored chunk with its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    /// Id; never used again for another text.
    pub id: ChunkId,
    /// The file it belongs to.
    pub file_id: FileId,
    /// Source of the file.
    pub source: String,
    /// Path of the file.
    pub path: String,
    /// Number of lines of the file.
    pub file_lines: u32,
    /// Modification time of the file, in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// What its embedding is found by; none when there is nothing to embed.
    pub hash: Option<Hash>,
    /// Text as in the file.
    pub text: String,
    /// Encoded terms of its lines.
    pub line_terms: Vec<u8>,
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow {
        id: row.get(0)?,
        file_id: row.get(1)?,
        source: row.get(2)?,
        path: row.get(3)?,
        file_lines: row.get(4)?,
        mtime_ns: row.get(5)?,
        start_line: row.get(6)?,
        end_line: row.get(7)?,
        hash: row.get(8)?,
        text: row.get(9)?,
        line_terms: row.get(10)?,
    })
}

impl Reader<'_> {
    /// Chunks by id, in the order of the ids; ids that are gone are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRow>> {
        or_postgres!(self.chunks(ids));
        // CROSS JOIN fixes the order of the loops: ids first.
        let mut statement = self.conn()?.prepare_cached(
            "SELECT c.id, c.file_id, f.source, f.path, f.lines, f.mtime_ns, c.start_line, c.end_line, c.hash, c.text, l.terms \
             FROM rarray(?1) ids CROSS JOIN chunk c ON c.id = ids.value CROSS JOIN chunk_lines l ON l.chunk_id = c.id \
             CROSS JOIN file f ON f.id = c.file_id",
        ).sql()?;
        let rows = statement.query_map([id_list(ids)], from_row).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// All chunks of a file, in line order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunks_of_file(&self, file_id: FileId) -> Result<Vec<ChunkRow>> {
        or_postgres!(self.chunks_of_file(file_id));
        let mut statement = self.conn()?.prepare_cached(
            "SELECT c.id, c.file_id, f.source, f.path, f.lines, f.mtime_ns, c.start_line, c.end_line, c.hash, c.text, l.terms \
             FROM chunk c JOIN chunk_lines l ON l.chunk_id = c.id JOIN file f ON f.id = c.file_id WHERE c.file_id = ?1 ORDER BY c.start_line, c.id",
        ).sql()?;
        let rows = statement.query_map([file_id], from_row).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Ids of all chunks of a generation, ascending. Reads an index only.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunk_ids(&self, generation: GenerationId) -> Result<Vec<ChunkId>> {
        or_postgres!(self.chunk_ids(generation));
        let mut statement = self.conn()?.prepare_cached("SELECT id FROM chunk WHERE generation = ?1").sql()?;
        let mut ids =
            statement.query_map([generation], |row| row.get(0)).sql()?.collect::<Result<Vec<ChunkId>, _>>().sql()?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// Number of chunks of a generation with a higher id. Reads those only.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunks_after(&self, generation: GenerationId, id: ChunkId) -> Result<u64> {
        or_postgres!(self.chunks_after(generation, id));
        let mut statement =
            self.conn()?.prepare_cached("SELECT count(*) FROM chunk WHERE id > ?2 AND +generation = ?1").sql()?;
        statement.query_row((generation, id), |row| row.get(0)).sql()
    }

    /// Whether a generation has any chunk. Looks at one.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_chunks(&self, generation: GenerationId) -> Result<bool> {
        or_postgres!(self.has_chunks(generation));
        let sql = "SELECT EXISTS (SELECT 1 FROM chunk WHERE generation = ?1)";
        self.conn()?.prepare_cached(sql).sql()?.query_row([generation], |row| row.get(0)).sql()
    }

    /// Number of chunks of a generation.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunk_count(&self, generation: GenerationId) -> Result<u64> {
        or_postgres!(self.chunk_count(generation));
        self.chunk_counts(generation).map(|(chunks, _)| chunks)
    }

    /// The same, and how many of them have something to embed.
    pub(super) fn chunk_counts(&self, generation: GenerationId) -> Result<(u64, u64)> {
        let mut statement = self.conn()?.prepare_cached("SELECT chunks, hashed FROM generation WHERE id = ?1").sql()?;
        let counts = statement.query_row([generation], |row| Ok((row.get(0)?, row.get(1)?))).optional().sql()?;
        Ok(counts.unwrap_or_default())
    }
}

impl Tx<'_> {
    /// Removes chunk rows (not their full-text rows); gives the hashes they had. Their embeddings stay.
    pub(super) fn delete_chunk_rows(&self, ids: &[ChunkId]) -> Result<Vec<Hash>> {
        let mut delete = self.conn()?.prepare_cached("DELETE FROM chunk WHERE id = ?1 RETURNING hash").sql()?;
        let mut delete_lines = self.conn()?.prepare_cached("DELETE FROM chunk_lines WHERE chunk_id = ?1").sql()?;
        let mut hashes = Vec::with_capacity(ids.len());
        for id in ids {
            delete_lines.execute([id]).sql()?;
            hashes.extend(delete.query_row([id], |row| row.get::<_, Option<Hash>>(0)).sql()?);
        }
        Ok(hashes)
    }
}
