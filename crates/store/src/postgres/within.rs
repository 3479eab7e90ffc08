//! The chunks that a search is confined to.

use tokio_postgres::types::Type;

use super::agent::{Reader, column, int8};
use crate::{
    generations::GenerationId,
    ids::{ChunkId, FileId},
    within::{FileFacts, Within},
};
use model::error::Result;

impl Reader<'_> {
    /// The files of a generation that `is_wanted` chooses, with their chunks.
    ///
    /// # Errors
    /// What the database answers.
    pub fn within(&self, generation: GenerationId, mut is_wanted: impl FnMut(FileFacts<'_>) -> bool) -> Result<Within> {
        let sql = "SELECT id, source, path, mtime_ns FROM file WHERE agent = $1 AND generation = $2";
        let mut files: Vec<i64> = Vec::new();
        for row in self.tx.rows(sql, &[int8(&self.agent), int8(&generation)])? {
            if is_wanted(FileFacts { source: column(&row, 1)?, path: column(&row, 2)?, mtime_ns: column(&row, 3)? }) {
                files.push(column(&row, 0)?);
            }
        }
        if files.is_empty() {
            return Ok(Within::default());
        }
        let sql = "SELECT id FROM chunk WHERE agent = $1 AND file = ANY ($2)";
        let rows = self.tx.rows(sql, &[int8(&self.agent), (&files, Type::INT8_ARRAY)])?;
        let chunks: Vec<ChunkId> = rows.iter().map(|row| column(row, 0)).collect::<Result<_>>()?;
        Ok(Within::of(files.into_iter().map(FileId::new), chunks))
    }
}
