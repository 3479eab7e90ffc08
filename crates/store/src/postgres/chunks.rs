//! Chunks by id and by file.

use tokio_postgres::Row;

use super::{
    agent::{Reader, column, int8, natural},
    files::hash,
};
use crate::{
    chunks::ChunkRow,
    generations::GenerationId,
    ids::{ChunkId, FileId},
};
use model::error::{Code, Error, Result};

pub(super) const COLUMNS: &str = "c.id, c.file, f.source, f.path, f.lines, f.mtime_ns, c.start_line, c.end_line, c.hash, c.body, c.lines, \
     f.indexed_ms, f.generation";

pub(super) fn from_row(row: &Row) -> Result<ChunkRow> {
    let body = String::from_utf8(column(row, 9)?);
    Ok(ChunkRow {
        id: column(row, 0)?,
        file_id: column(row, 1)?,
        source: column(row, 2)?,
        path: column(row, 3)?,
        file_lines: natural(row, 4)?,
        mtime_ns: column(row, 5)?,
        start_line: natural(row, 6)?,
        end_line: natural(row, 7)?,
        hash: column::<Option<&[u8]>>(row, 8)?.map(hash).transpose()?,
        text: body.map_err(|_| Error::new(Code::Corrupt, "the database holds a text that is none"))?,
        line_terms: column(row, 10)?,
    })
}

impl Reader<'_> {
    /// Chunks by id, in the order of the ids; ids that are gone are left out.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<ChunkRow>> {
        let rows = self.rows_of(ids.iter().copied());
        let params = rows.params();
        let statements = rows.statements(&params);
        let answers = if statements.is_empty() { Vec::new() } else { self.tx.rows_of_some(&statements)? };
        let rows = rows.with(self, &mut answers.into_iter())?;
        Ok(ids.iter().filter_map(|id| rows.get(id)).map(|row| (**row).clone()).collect())
    }

    /// All chunks of a file, in line order.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunks_of_file(&self, file: FileId) -> Result<Vec<ChunkRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM chunk c JOIN file f ON f.agent = $1 AND f.id = c.file \
             WHERE c.agent = $1 AND c.file = $2 ORDER BY c.start_line, c.id"
        );
        self.tx.rows(&sql, &[int8(&self.agent), int8(&file)])?.iter().map(from_row).collect()
    }

    /// Ids of all chunks of a generation, ascending.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunk_ids(&self, generation: GenerationId) -> Result<Vec<ChunkId>> {
        let sql = "SELECT id FROM chunk WHERE agent = $1 AND generation = $2 ORDER BY id";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation)])?;
        rows.iter().map(|row| column(row, 0)).collect()
    }

    /// Number of chunks of a generation with a higher id.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunks_after(&self, generation: GenerationId, id: ChunkId) -> Result<u64> {
        let sql = "SELECT count(*) FROM chunk WHERE agent = $1 AND generation = $2 AND id > $3";
        let row = self.tx.row(sql, &[int8(&self.agent), int8(&generation), int8(&id)])?;
        row.map_or(Ok(0), |row| natural(&row, 0))
    }

    /// Whether a generation has any chunk.
    ///
    /// # Errors
    /// What the database answers.
    pub fn has_chunks(&self, generation: GenerationId) -> Result<bool> {
        Ok(self.chunk_count(generation)? > 0)
    }

    /// Number of chunks of a generation.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunk_count(&self, generation: GenerationId) -> Result<u64> {
        if let Some(state) = self.state()?
            && let Some((_, chunks)) = state.live.as_ref().filter(|(live, _)| live.id == generation)
        {
            return Ok(u64::try_from(*chunks).unwrap_or_default());
        }
        let sql = "SELECT chunks FROM generation WHERE agent = $1 AND id = $2";
        let row = self.tx.row(sql, &[int8(&self.agent), int8(&generation)])?;
        row.map_or(Ok(0), |row| natural(&row, 0))
    }
}
