//! Blocks of quantised vectors: written once in quiet moments, and read in one go by whoever searches first.
//!
//! A block has all vectors of its space between two ids. Vectors never change, and one that is deleted takes its block with
//! it (a trigger); what is in no block is read one by one, and packed when there is enough of it.

use rusqlite::params;

use super::{
    embeddings::SpaceId,
    generations::GenerationId,
    ids::{ChunkId, EmbeddingId},
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::{
    error::SqlResult,
    vectors::arena::{Block, Precision, pack},
};
use model::error::Result;

/// How vectors are packed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packing {
    /// Vectors of a block.
    pub block: usize,
    /// Fewest ids outside of blocks that are worth a look: less is read one by one in a moment.
    pub from: i64,
    /// Fewest vectors left between two blocks that become one of their own.
    pub least: usize,
    /// Most blocks of one transaction.
    pub step: usize,
}

/// A block of 1,536 dimensions is 400 kB: written in few milliseconds.
const PACKING: Packing = Packing { block: 256, from: 512, least: 64, step: 8 };

impl Reader<'_> {
    /// Calls `f` for each block of a space that is as it was made, in the order of its ids. With codes where they are
    /// wanted; blocks without are left out then.
    pub(crate) fn for_each_block(
        &self,
        space: SpaceId,
        dims: usize,
        with_codes: bool,
        mut f: impl FnMut(Block<'_>) -> Result<()>,
    ) -> Result<()> {
        // `codes` is not read where it is not named: it stands behind all else.
        let columns = if with_codes { "b.rows, b.codes" } else { "b.rows, NULL" };
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "SELECT r.last_id, {columns} FROM code_block r INDEXED BY code_block_range \
                 CROSS JOIN code_block b ON b.id = r.id \
                 WHERE r.space_id = ?1 AND r.has_codes >= ?2 ORDER BY r.last_id"
            ))
            .sql()?;
        let mut rows = statement.query(params![space, with_codes]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let blob = |column| row.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from);
            let last: i64 = row.get(0).sql()?;
            let (Some(rows), codes) = (blob(1).sql()?, blob(2).sql()?) else { continue };
            if let Some(block) = Block::of(dims, last, rows, codes) {
                f(block)?;
            }
        }
        Ok(())
    }

    /// First and last id of each block of a space, in order, and whether it has codes.
    fn block_ranges(&self, space: SpaceId) -> Result<Vec<(i64, i64, bool)>> {
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT first_id, last_id, has_codes FROM code_block WHERE space_id = ?1 ORDER BY last_id")
            .sql()?;
        let ranges = statement.query_map([space], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).sql()?;
        ranges.collect::<Result<_, _>>().sql()
    }
}

impl Tx<'_> {
    /// Packs the next vectors of the space that is searched, if there are enough, after a chunk where a database keeps them; the
    /// default one is before all. Gives what the next step is called with while there may be more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn pack_codes_step(&self, generation: GenerationId, after: ChunkId) -> Result<Option<ChunkId>> {
        or_postgres!(self.pack_codes_step(generation, after));
        // A file finds what is left by itself.
        Ok(self.pack_codes(generation, PACKING)?.then_some(after))
    }

    pub(crate) fn pack_codes(&self, generation: GenerationId, packing: Packing) -> Result<bool> {
        let Some((space, dims)) = self.active_space()?.and_then(|space| Some((space.id, space.dims? as usize))) else {
            return Ok(false);
        };
        let count = usize::try_from(self.chunk_count(generation)?).unwrap_or(usize::MAX);
        let with_codes = Precision::of(dims, count) == Precision::Int8;
        self.drop_useless_blocks(space, with_codes)?;
        let ranges = self.block_ranges(space)?;
        let newest = self.max_id::<EmbeddingId>("embedding")?.number();
        // What lies between two blocks, and behind the last one.
        let begins = std::iter::once(0).chain(ranges.iter().map(|(_, last, _)| *last));
        let ends = ranges.iter().map(|(first, ..)| *first).chain([newest + 1]);
        let gaps: Vec<(i64, i64)> = begins.zip(ends).filter(|(begin, end)| end - begin > 1).collect();
        if gaps.iter().map(|(begin, end)| end - begin - 1).sum::<i64>() < packing.from {
            return Ok(false);
        }
        let mut packed = 0;
        for (begin, end) in gaps {
            let least = if end > newest { packing.block } else { packing.least };
            let mut next = Some(begin);
            while let Some(after) = next {
                if packed == packing.step {
                    return Ok(true);
                }
                next = self.pack_between(space, dims, (after, end), with_codes, packing.block, least)?;
                packed += usize::from(next.is_some());
            }
        }
        Ok(false)
    }

    /// Packs the first vectors between two ids, if there are at least so many; gives the id of the last.
    fn pack_between(
        &self,
        space: SpaceId,
        dims: usize,
        (after, before): (i64, i64),
        with_codes: bool,
        most: usize,
        least: usize,
    ) -> Result<Option<i64>> {
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT id, code FROM embedding WHERE id > ?2 AND id < ?3 AND +space_id = ?1 ORDER BY id LIMIT ?4",
            )
            .sql()?;
        let (mut ids, mut codes) = (Vec::with_capacity(most), Vec::with_capacity(most * dims));
        let mut seen: Vec<i64> = Vec::with_capacity(most);
        let mut rows = statement.query(params![space, after, before, most]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let id = row.get(0).sql()?;
            seen.push(id);
            let code = row.get_ref(1).sql()?.as_blob().map_err(rusqlite::Error::from).sql()?;
            // One of another length is found, and told, when it is read by itself.
            if code.len() == dims {
                ids.push(id);
                codes.extend_from_slice(code);
            }
        }
        let (Some(first), Some(last)) = (seen.first(), seen.last()) else { return Ok(None) };
        if seen.len() < least {
            return Ok(None);
        }
        let packed = pack(dims, *last, &ids, &codes);
        self.conn()?
            .prepare_cached(
                "INSERT INTO code_block (space_id, first_id, last_id, has_codes, rows, codes) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .sql()?
            .execute(params![space, first, last, with_codes, packed.rows, with_codes.then_some(packed.codes)])
            .sql()?;
        Ok(Some(*last))
    }

    /// Drops the blocks of other spaces, and those without codes where codes are wanted.
    fn drop_useless_blocks(&self, space: SpaceId, with_codes: bool) -> Result<()> {
        // The index tells of each block in a few bytes.
        let useless = "SELECT id FROM code_block INDEXED BY code_block_range WHERE space_id <> ?1 OR +has_codes < ?2";
        let sql = format!("DELETE FROM code_block WHERE id IN ({useless})");
        self.conn()?.prepare_cached(&sql).sql()?.execute(params![space, with_codes]).sql()?;
        Ok(())
    }
}
