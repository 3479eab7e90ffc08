//! The quantised vectors of chunks, as the vectors in memory are filled with them. Written by the writes that bring a chunk
//! or its vector; where another agent of the tenant has brought the vector, by [`Tx::write_codes`].

use tokio_postgres::types::Type;

use super::agent::{Reader, Tx, column, int8, text};
use crate::{
    generations::GenerationId,
    ids::{ChunkId, SpaceId},
};
use model::error::Result;

/// Codes that are read at a time.
const PAGE: i64 = 2_000;

/// Codes that are written at a time in quiet moments: a fraction of a second of work.
const STEP: usize = 2_000;

// Each vector and each code is looked for by itself: a limit cannot be made a join. Of tables that have just been filled the database
// knows nothing, and it compared each chunk with all codes and vectors.

/// Of the chunks of a write that have ids between two: in the space that searches use, where their vectors are known.
pub(super) const OF_NEW_CHUNKS: &str = "INSERT INTO code (agent, generation, space, seq, chunk, file, code, bits) \
     SELECT c.agent, c.generation, e.space, $3, c.id, c.file, e.code, binary_quantize(e.v)::bit varying FROM chunk c \
     JOIN LATERAL (SELECT e.space, e.code, e.v FROM embedding e WHERE e.tenant = $2 AND e.hash = c.hash \
       AND e.space = (SELECT m.value::bigint FROM meta m WHERE m.agent = $1 AND m.key = 'active_space') LIMIT 1) e ON true \
     WHERE c.agent = $1 AND c.id BETWEEN $4 AND $5 ON CONFLICT (agent, chunk, space) DO NOTHING";

/// Of all chunks with texts that a write has stored vectors of. Its number may not be known yet.
pub(super) const OF_NEW_VECTORS: &str = "INSERT INTO code (agent, generation, space, seq, chunk, file, code, bits) \
     SELECT c.agent, c.generation, e.space, (SELECT a.version FROM agent a WHERE a.id = $1), c.id, c.file, e.code, \
       binary_quantize(e.v)::bit varying \
     FROM generation g JOIN chunk c ON c.agent = $1 AND c.generation = g.id AND c.hash = ANY ($4) \
     JOIN LATERAL (SELECT e.space, e.code, e.v FROM embedding e \
       WHERE e.tenant = $2 AND e.space = $3 AND e.hash = c.hash LIMIT 1) e ON true \
     WHERE g.agent = $1 AND g.state <> 'retired' ON CONFLICT (agent, chunk, space) DO NOTHING";

/// Of the first chunks of a generation after another that have none. Where there are as many codes as chunks with a text nothing is
/// looked for. The sum keeps the planner from the index of hashes, which is in no order of chunks.
pub(super) const OF_SOME: &str = "INSERT INTO code (agent, generation, space, seq, chunk, file, code, bits) \
     SELECT c.agent, c.generation, e.space, $3, c.id, c.file, e.code, binary_quantize(e.v)::bit varying FROM chunk c \
     LEFT JOIN LATERAL (SELECT true AS is_there FROM code k WHERE k.agent = $1 AND k.chunk = c.id AND k.space = $4 LIMIT 1) k ON true \
     JOIN LATERAL (SELECT e.space, e.code, e.v FROM embedding e \
       WHERE e.tenant = $2 AND e.space = $4 AND e.hash = c.hash LIMIT 1) e ON true \
     WHERE ($7 > 0 OR (SELECT count(*) FROM code k WHERE k.agent = $1 AND k.generation = $5 AND k.space = $4) \
         < (SELECT g.hashed FROM generation g WHERE g.agent = $1 AND g.id = $5)) \
       AND c.agent = $1 AND c.id > $7 AND c.generation + 0 = $5 AND k.is_there IS NULL \
     ORDER BY c.id LIMIT $6 ON CONFLICT (agent, chunk, space) DO NOTHING RETURNING chunk";

impl Reader<'_> {
    /// Calls `f` with chunk, source and code of every chunk of a generation that got one in a space after the write with
    /// this number; in the order of the writes. As writers take turns, none comes later with a lower number.
    ///
    /// # Errors
    /// What the database answers, and what `f` gives.
    pub fn for_each_code(
        &self,
        generation: GenerationId,
        space: SpaceId,
        since: i64,
        mut f: impl FnMut(ChunkId, &str, &[u8]) -> Result<()>,
    ) -> Result<()> {
        let sql = "SELECT k.seq, k.chunk, f.source, k.code FROM code k JOIN file f ON f.agent = $1 AND f.id = k.file \
                   WHERE k.agent = $1 AND k.generation = $2 AND k.space = $3 AND (k.seq, k.chunk) > ($4, $5) \
                   ORDER BY k.seq, k.chunk LIMIT $6";
        let (mut seq, mut chunk) = (since, ChunkId::new(i64::MAX));
        loop {
            let params = [
                int8(&self.agent),
                int8(&generation),
                int8(&space),
                int8(&seq),
                int8(&chunk),
                (&PAGE as _, Type::INT8),
            ];
            let rows = self.tx.rows(sql, &params)?;
            for row in &rows {
                f(column(row, 1)?, column(row, 2)?, column(row, 3)?)?;
            }
            let Some(last) = rows.last().filter(|_| rows.len() as i64 == PAGE) else { return Ok(()) };
            (seq, chunk) = (column(last, 0)?, column(last, 1)?);
        }
    }
}

impl Tx<'_> {
    /// Writes up to `limit` codes of chunks of a generation, after one of them, whose vectors were there before: because another
    /// agent of the tenant has brought them, or because the space was not used yet. Gives the chunk to go on after, while there
    /// may be more to do.
    ///
    /// # Errors
    /// What the database answers.
    pub fn write_codes(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: ChunkId,
        limit: usize,
    ) -> Result<Option<ChunkId>> {
        let most = i64::try_from(limit).unwrap_or(i64::MAX);
        let version = self.version()?;
        let params = [
            int8(&self.agent),
            text(&self.tenant),
            int8(&version),
            int8(&space),
            int8(&generation),
            int8(&most),
            int8(&after),
        ];
        let rows = self.tx.rows(OF_SOME, &params)?;
        if rows.len() < limit {
            return Ok(None);
        }
        rows.iter().map(|row| column::<ChunkId>(row, 0)).try_fold(None, |last, chunk| Ok(last.max(Some(chunk?))))
    }

    /// A step of [`Self::write_codes`] for the space that is searched.
    ///
    /// # Errors
    /// What the database answers.
    pub fn pack_codes_step(&self, generation: GenerationId, after: ChunkId) -> Result<Option<ChunkId>> {
        let Some(space) = self.active_space()? else { return Ok(None) };
        self.write_codes(generation, space.id, after, STEP)
    }
}
