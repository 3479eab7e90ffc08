//! The quantised vectors of chunks, as the vectors in memory are filled with them.

use std::{cmp::Ordering, collections::HashMap};

use rusqlite::{ToSql, types::FromSql};

use super::{
    generations::GenerationId,
    ids::{ChunkId, EmbeddingId, FileId, SpaceId},
    pool::Reader,
};
use crate::error::SqlResult;
use model::error::Result;

/// Up to where codes have been loaded. The default is the beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CodeCursor {
    /// Highest chunk id seen.
    pub chunk_id: ChunkId,
    /// Highest embedding id seen.
    pub embedding_id: EmbeddingId,
}

/// The quantised vector of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CodeRow<'r> {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// Its embedding, which chunks of the same text share. An id is never used again.
    pub embedding_id: EmbeddingId,
    /// Source of its file, as stored.
    pub source: &'r str,
    /// The quantised vector.
    pub code: &'r [u8],
}

/// A text in a row, without a copy.
fn text_at<'r>(row: &'r rusqlite::Row<'_>, column: usize) -> rusqlite::Result<&'r str> {
    Ok(row.get_ref(column)?.as_str()?)
}

/// Bytes in a row, without a copy.
fn blob_at<'r>(row: &'r rusqlite::Row<'_>, column: usize) -> rusqlite::Result<&'r [u8]> {
    Ok(row.get_ref(column)?.as_blob()?)
}

impl Reader<'_> {
    /// Calls `f` for every chunk of a generation that has an embedding in a space and was not seen up to `since`: because
    /// the chunk is new, or its embedding. In no particular order. Gives the cursor for the next call.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn for_each_code(
        &self,
        generation: GenerationId,
        space: SpaceId,
        since: CodeCursor,
        f: impl FnMut(CodeRow<'_>),
    ) -> Result<CodeCursor> {
        if since == CodeCursor::default() {
            self.each_code(generation, space, f)?;
        } else {
            self.each_new_code(generation, space, since, f)?;
        }
        // Chunks without embedding count as seen: it is the embedding that will be new then.
        let chunk_id = self.max_id::<ChunkId>("chunk")?.max(since.chunk_id);
        let embedding_id = self.max_id::<EmbeddingId>("embedding")?.max(since.embedding_id);
        Ok(CodeCursor { chunk_id, embedding_id })
    }

    /// What is new since a cursor: few rows, each looked up in indexes.
    fn each_new_code(
        &self,
        generation: GenerationId,
        space: SpaceId,
        since: CodeCursor,
        mut f: impl FnMut(CodeRow<'_>),
    ) -> Result<()> {
        let mut visit = |sql: &str, parameters: &[&dyn ToSql]| -> Result<()> {
            let mut statement = self.conn.prepare_cached(sql).sql()?;
            let mut rows = statement.query(parameters).sql()?;
            while let Some(row) = rows.next().sql()? {
                let (chunk_id, embedding_id) = (row.get(0).sql()?, row.get(1).sql()?);
                f(CodeRow { chunk_id, embedding_id, source: text_at(row, 2).sql()?, code: blob_at(row, 3).sql()? });
            }
            Ok(())
        };
        visit(
            "SELECT c.id, e.id, f.source, e.code FROM chunk c \
             CROSS JOIN embedding e ON e.space_id = ?2 AND e.hash = c.hash \
             CROSS JOIN file f ON f.id = c.file_id \
             WHERE c.id > ?3 AND +c.generation = ?1",
            &[&generation, &space, &since.chunk_id],
        )?;
        visit(
            "SELECT c.id, e.id, f.source, e.code FROM embedding e \
             CROSS JOIN chunk c ON c.generation = ?1 AND c.hash = e.hash \
             CROSS JOIN file f ON f.id = c.file_id \
             WHERE e.id > ?4 AND +e.space_id = ?2 AND c.id <= ?3 ORDER BY e.id",
            &[&generation, &space, &since.chunk_id, &since.embedding_id],
        )
    }

    /// All of them. Looking up the chunk of each embedding, and its file, took most of the time that reading takes: here
    /// the two indexes by hash are read side by side, and then the table of embeddings from one end to the other.
    fn each_code(&self, generation: GenerationId, space: SpaceId, mut f: impl FnMut(CodeRow<'_>)) -> Result<()> {
        let wanted = self.chunks_by_embedding(generation, space)?;
        let sources = self.sources_of_files(generation)?;
        let mut statement =
            self.conn.prepare_cached("SELECT id, code FROM embedding WHERE +space_id = ?1 ORDER BY id").sql()?;
        let mut rows = statement.query([space]).sql()?;
        let mut at = 0;
        while at < wanted.len()
            && let Some(row) = rows.next().sql()?
        {
            let embedding_id: EmbeddingId = row.get(0).sql()?;
            while let Some((_, chunk_id, file_id)) = wanted.get(at).filter(|(id, ..)| *id == embedding_id) {
                at += 1;
                if let Some(source) = sources.get(file_id) {
                    let code = blob_at(row, 1).sql()?;
                    f(CodeRow { chunk_id: *chunk_id, embedding_id, source, code });
                }
            }
        }
        Ok(())
    }

    /// The chunks of a generation whose texts have an embedding in a space, in the order of the embeddings.
    fn chunks_by_embedding(
        &self,
        generation: GenerationId,
        space: SpaceId,
    ) -> Result<Vec<(EmbeddingId, ChunkId, FileId)>> {
        let mut embeddings =
            self.conn.prepare_cached("SELECT hash, id FROM embedding WHERE space_id = ?1 ORDER BY hash").sql()?;
        let mut chunks = self
            .conn
            .prepare_cached(
                "SELECT hash, id, file_id FROM chunk WHERE generation = ?1 AND hash IS NOT NULL ORDER BY hash",
            )
            .sql()?;
        let (mut embeddings, mut chunks) = (embeddings.query([space]).sql()?, chunks.query([generation]).sql()?);
        let mut found = Vec::new();
        let mut chunk = chunks.next().sql()?;
        while let Some(embedding) = embeddings.next().sql()? {
            let hash = blob_at(embedding, 0).sql()?;
            while let Some(row) = chunk {
                match blob_at(row, 0).sql()?.cmp(hash) {
                    Ordering::Less => {}
                    Ordering::Equal => {
                        found.push((embedding.get(1).sql()?, row.get(1).sql()?, row.get(2).sql()?));
                    }
                    Ordering::Greater => break,
                }
                chunk = chunks.next().sql()?;
            }
            if chunk.is_none() {
                break;
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The source of each file of a generation.
    fn sources_of_files(&self, generation: GenerationId) -> Result<HashMap<FileId, String>> {
        let mut statement = self.conn.prepare_cached("SELECT id, source FROM file WHERE generation = ?1").sql()?;
        let rows = statement.query_map([generation], |row| Ok((row.get(0)?, row.get(1)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Highest id of a table; 0 when it is empty.
    fn max_id<I: FromSql>(&self, table: &'static str) -> Result<I> {
        let sql = format!("SELECT coalesce(max(id), 0) FROM {table}");
        self.conn.prepare_cached(&sql).sql()?.query_row([], |row| row.get(0)).sql()
    }
}
