//! The quantised vectors of chunks, as the vectors in memory are filled with them.

use std::{cmp::Ordering, collections::HashMap};

use foldhash::fast::RandomState;
use rusqlite::{ToSql, types::FromSql};

use super::{
    generations::GenerationId,
    ids::{ChunkId, EmbeddingId, FileId, SpaceId},
    reader::Reader,
};
use crate::{
    error::SqlResult,
    vectors::arena::{Arena, PackedRow},
};
use model::{error::Result, source::Source};

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
    pub code: Coded<'r>,
}

/// A quantised vector as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coded<'r> {
    /// By itself.
    Single(&'r [u8]),
    /// With many others.
    Packed(PackedRow<'r>),
}

impl CodeRow<'_> {
    /// Adds it to vectors in memory.
    pub(crate) fn append_to(&self, arena: &mut Arena) -> Result<()> {
        let (chunk_id, embedding_id) = (self.chunk_id.number(), self.embedding_id.number());
        let source = Source::of(self.source);
        match self.code {
            Coded::Single(code) => arena.append(chunk_id, embedding_id, source, code),
            Coded::Packed(row) => arena.append_packed(chunk_id, embedding_id, source, row),
        }
    }
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
    /// the chunk is new, or its embedding. In no particular order; where nobody wants the codes themselves, of some only
    /// the signs. Gives the cursor for the next call.
    ///
    /// # Errors
    /// When the database cannot be read, and what `f` gives.
    pub(crate) fn for_each_code(
        &self,
        generation: GenerationId,
        (space, dims): (SpaceId, usize),
        with_codes: bool,
        since: CodeCursor,
        f: impl FnMut(CodeRow<'_>) -> Result<()>,
    ) -> Result<CodeCursor> {
        if since == CodeCursor::default() {
            self.each_code(generation, (space, dims), with_codes, f)?;
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
        mut f: impl FnMut(CodeRow<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut visit = |sql: &str, parameters: &[&dyn ToSql]| -> Result<()> {
            let mut statement = self.conn()?.prepare_cached(sql).sql()?;
            let mut rows = statement.query(parameters).sql()?;
            while let Some(row) = rows.next().sql()? {
                let (chunk_id, embedding_id) = (row.get(0).sql()?, row.get(1).sql()?);
                let (source, code) = (text_at(row, 2).sql()?, Coded::Single(blob_at(row, 3).sql()?));
                f(CodeRow { chunk_id, embedding_id, source, code })?;
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

    /// All of them: from the blocks, and what is in none by itself. Looking up the chunk of each embedding, and its file,
    /// took most of the time that reading takes: here the two indexes by hash are read side by side.
    fn each_code(
        &self,
        generation: GenerationId,
        (space, dims): (SpaceId, usize),
        with_codes: bool,
        mut f: impl FnMut(CodeRow<'_>) -> Result<()>,
    ) -> Result<()> {
        let wanted = self.chunks_by_embedding(generation, space)?;
        let sources = self.sources_of_files(generation)?;
        let mut give = |(embedding_id, chunk_id, file_id): (EmbeddingId, ChunkId, FileId), code: Coded<'_>| {
            let Some(source) = sources.get(&file_id) else { return Ok(()) };
            f(CodeRow { chunk_id, embedding_id, source, code })
        };
        let (mut rest, mut single) = (&wanted[..], Vec::new());
        self.for_each_block(space, dims, with_codes, |block| {
            for (id, row) in block.rows() {
                let before = rest.iter().take_while(|(embedding_id, ..)| embedding_id.number() < id).count();
                single.extend_from_slice(&rest[..before]);
                rest = &rest[before..];
                while let Some((next, after)) = rest.split_first().filter(|((found, ..), _)| found.number() == id) {
                    give(*next, Coded::Packed(row))?;
                    rest = after;
                }
            }
            Ok(())
        })?;
        single.extend_from_slice(rest);
        let mut statement =
            self.conn()?.prepare_cached("SELECT code FROM embedding WHERE id = ?1 AND +space_id = ?2").sql()?;
        for of_one in single.chunk_by(|a, b| a.0 == b.0) {
            let mut rows = statement.query((of_one[0].0, space)).sql()?;
            if let Some(row) = rows.next().sql()? {
                for wanted in of_one {
                    give(*wanted, Coded::Single(blob_at(row, 0).sql()?))?;
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
            self.conn()?.prepare_cached("SELECT hash, id FROM embedding WHERE space_id = ?1 ORDER BY hash").sql()?;
        let mut chunks = self
            .conn()?
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
    fn sources_of_files(&self, generation: GenerationId) -> Result<HashMap<FileId, String, RandomState>> {
        let mut statement = self.conn()?.prepare_cached("SELECT id, source FROM file WHERE generation = ?1").sql()?;
        let rows = statement.query_map([generation], |row| Ok((row.get(0)?, row.get(1)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Highest id of a table; 0 when it is empty.
    pub(super) fn max_id<I: FromSql>(&self, table: &'static str) -> Result<I> {
        let sql = format!("SELECT coalesce(max(id), 0) FROM {table}");
        self.conn()?.prepare_cached(&sql).sql()?.query_row([], |row| row.get(0)).sql()
    }
}
