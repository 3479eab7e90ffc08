//! Segments of words become fewer in steps, each a short transaction with few blocks in memory. Searches read what was there
//! before until the last step; whoever takes the lease goes on where another has stopped.

use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, Tx, column, int8, natural, the_row},
    blocks::{Merge, Segment, Stored, TermHash},
    connect::Statement,
    words::NewSegment,
};
use crate::generations::GenerationId;
use model::error::Result;

/// Segments that a search may have to look at. With one more, those that are small beside the rest become one.
const MOST_SEGMENTS: usize = 8;

/// Chunks that are gone and still in segments, and their share of those that are there, from which on all segments become
/// one: whoever searches has to know of each.
const MOST_DEAD: u64 = 1_000;
const DEAD_SHARE: u64 = 4;

/// Blocks of the largest segment in a step, some 1 MB; the others have as many at most.
const BLOCKS: i64 = 256;

/// A merge that has begun; see the table.
struct Merging {
    target: i64,
    /// The oldest first.
    sources: Vec<i64>,
    /// The first chunk and the last.
    chunks: (i64, i64),
    begun: i64,
    next: TermHash,
    bytes: i64,
    is_done: bool,
}

impl Merging {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            target: column(row, 0)?,
            sources: column(row, 1)?,
            chunks: (column(row, 2)?, column(row, 3)?),
            begun: column(row, 4)?,
            next: TermHash::new(column(row, 5)?),
            bytes: column(row, 6)?,
            is_done: column(row, 7)?,
        })
    }
}

/// The blocks that hold terms from `$4` on, up to `$5` without that one.
const OF_STEP: &str = "SELECT s.place, b.first, b.data FROM unnest($3) WITH ORDINALITY s (id, place) CROSS JOIN LATERAL (\
       (SELECT l.first, l.data FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = s.id \
        AND l.first <= $4 ORDER BY l.first DESC LIMIT 1) \
     UNION ALL \
       (SELECT l.first, l.data FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = s.id \
        AND l.first > $4 AND l.first < $5)) b ORDER BY s.place, b.first";

impl Reader<'_> {
    /// Whether there are more segments than a search should look at.
    ///
    /// # Errors
    /// What the database answers.
    pub fn is_scattered(&self, generation: GenerationId) -> Result<bool> {
        let sql = "SELECT count(*) FROM segment WHERE agent = $1 AND generation = $2";
        let segments: usize = natural(&the_row(self.tx.row(sql, &[int8(&self.agent), int8(&generation)])?)?, 0)?;
        Ok(segments > MOST_SEGMENTS)
    }
}

impl Tx<'_> {
    /// A step of making one segment of several, when there are more than a search should look at, or too much in them is
    /// gone; false when neither is so. What is small takes one step.
    ///
    /// # Errors
    /// As [`Reader::postings`](super::agent::Reader::postings).
    pub fn merge_words(&self, generation: GenerationId) -> Result<bool> {
        self.merge_words_by(generation, BLOCKS)
    }

    /// [`Self::merge_words`] with steps of so many blocks of the largest segment.
    pub(super) fn merge_words_by(&self, generation: GenerationId, blocks: i64) -> Result<bool> {
        let sql = "SELECT target, sources, first_chunk, last_chunk, begun, next, bytes, is_done FROM merge \
                   WHERE agent = $1 AND generation = $2";
        let stored = self.tx.row(sql, &[int8(&self.agent), int8(&generation)])?;
        let mut merging = match &stored {
            Some(row) => Merging::from_row(row)?,
            None => match self.choose(generation)? {
                Some(merging) => merging,
                None => return Ok(false),
            },
        };
        if !merging.is_done {
            match self.write_some(generation, &mut merging, blocks)? {
                Some(next) => merging.next = next,
                None => self.finish(generation, &mut merging)?,
            }
        }
        if merging.is_done && self.clear(generation, &merging, blocks)? {
            if stored.is_some() {
                let sql = "DELETE FROM merge WHERE agent = $1 AND generation = $2";
                self.tx.execute(sql, &[int8(&self.agent), int8(&generation)])?;
            }
            return Ok(true);
        }
        self.keep(generation, &merging)?;
        Ok(true)
    }

    /// Which segments are to become one, if any.
    fn choose(&self, generation: GenerationId) -> Result<Option<Merging>> {
        let sql = "SELECT id, first_chunk, last_chunk, bytes FROM segment WHERE agent = $1 AND generation = $2 \
                   ORDER BY first_chunk DESC";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation)])?;
        let dead = self.dead_count(generation)?;
        let all = dead > MOST_DEAD.max(self.chunk_count(generation)? / DEAD_SHARE) && !rows.is_empty();
        if rows.len() <= MOST_SEGMENTS && !all {
            return Ok(None);
        }
        // The newest, and of those before it each that is not much larger than all that is merged already: what is written
        // again and again is small, and a large one is written again when as much has come.
        let (mut sources, mut bytes, mut chunks) = (Vec::new(), 0_i64, (i64::MAX, i64::MIN));
        for row in &rows {
            let size = column::<i64>(row, 3)?;
            if sources.len() > 1 && size > bytes.saturating_mul(2) && !all {
                break;
            }
            sources.push(column::<i64>(row, 0)?);
            bytes = bytes.saturating_add(size);
            chunks = (chunks.0.min(column(row, 1)?), chunks.1.max(column(row, 2)?));
        }
        sources.reverse();
        let (target, begun, next) = (self.next_ids(1)?, self.version()?, TermHash::new(i64::MIN));
        Ok(Some(Merging { target, sources, chunks, begun, next, bytes: 0, is_done: false }))
    }

    /// Writes the blocks of some terms. Gives the term to go on with; none at the end.
    fn write_some(&self, generation: GenerationId, merging: &mut Merging, blocks: i64) -> Result<Option<TermHash>> {
        let next = merging.next.number();
        let skipped = blocks.max(1) - 1;
        let sql = "SELECT l.first FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = (\
                     SELECT s.id FROM segment s WHERE s.agent = $1 AND s.generation = $2 AND s.id = ANY ($3) \
                     ORDER BY s.bytes DESC, s.id LIMIT 1) \
                   AND l.first > $4 ORDER BY l.first LIMIT 1 OFFSET $5";
        let key = [int8(&self.agent), int8(&generation), (&merging.sources as _, Type::INT8_ARRAY), int8(&next)];
        let [agent, of_generation, sources, from] = key.clone();
        let until = self.tx.row(sql, &[agent, of_generation, sources, from, int8(&skipped)])?;
        let until = until.map(|row| column::<i64>(&row, 0)).transpose()?;
        let dead = self.dead(generation, merging.chunks)?;
        let mut of_sources: Vec<Vec<Result<Stored>>> = merging.sources.iter().map(|_| Vec::new()).collect();
        let rows = match &until {
            Some(until) => {
                let [agent, of_generation, sources, from] = key;
                self.tx.rows(OF_STEP, &[agent, of_generation, sources, from, int8(until)])?
            }
            None => self.tx.rows(&OF_STEP.replace(" AND l.first < $5", ""), &key)?,
        };
        for row in rows {
            let stored = Stored { first: TermHash::new(column(&row, 1)?), data: column(&row, 2)? };
            let place = natural::<usize>(&row, 0)?;
            if let Some(blocks) = of_sources.get_mut(place.wrapping_sub(1)) {
                blocks.push(Ok(stored));
            }
        }
        let until = until.map(TermHash::new);
        let segments = of_sources
            .into_iter()
            .map(|blocks| Segment::new(blocks.into_iter()).between(merging.next, until))
            .collect();
        let mut segment = NewSegment::new(self.agent, generation, merging.target, merging.chunks);
        for block in Merge::new(segments, &dead) {
            segment.push(block?);
        }
        merging.bytes = merging.bytes.saturating_add(segment.bytes());
        let statements: Vec<_> = segment.block_statements().collect();
        let all: Vec<Statement<'_>> = statements.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
        self.tx.execute_all(&all)?;
        Ok(until)
    }

    /// Searches read the target from now on. Chunks that went while it was written may still be in it.
    fn finish(&self, generation: GenerationId, merging: &mut Merging) -> Result<()> {
        let of_sources = [int8(&self.agent), int8(&generation), (&merging.sources as _, Type::INT8_ARRAY)];
        let (first, last) = merging.chunks;
        let range = [int8(&self.agent), int8(&generation), int8(&first), int8(&last), int8(&merging.begun)];
        let row = [
            int8(&self.agent),
            int8(&generation),
            int8(&merging.target),
            int8(&first),
            int8(&last),
            int8(&merging.bytes),
        ];
        self.tx.execute_all(&[
            ("DELETE FROM segment WHERE agent = $1 AND generation = $2 AND id = ANY ($3)", &of_sources),
            (
                "DELETE FROM lex_dead WHERE agent = $1 AND generation = $2 AND chunk BETWEEN $3 AND $4 AND seq <= $5",
                &range,
            ),
            (
                "INSERT INTO segment (agent, generation, id, first_chunk, last_chunk, bytes) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
                &row,
            ),
        ])?;
        merging.is_done = true;
        Ok(())
    }

    /// Deletes some blocks that nobody reads any more; true when none is left.
    fn clear(&self, generation: GenerationId, merging: &Merging, blocks: i64) -> Result<bool> {
        let sql = "DELETE FROM lex l USING (SELECT segment, first FROM lex WHERE agent = $1 AND generation = $2 \
                   AND segment = ANY ($3) LIMIT $4) old \
                   WHERE l.agent = $1 AND l.generation = $2 AND l.segment = old.segment AND l.first = old.first";
        let limit = blocks.max(1).saturating_mul(4);
        let sources = (&merging.sources as _, Type::INT8_ARRAY);
        let deleted = self.tx.execute(sql, &[int8(&self.agent), int8(&generation), sources, int8(&limit)])?;
        Ok(i64::try_from(deleted).is_ok_and(|deleted| deleted < limit))
    }

    /// Notes how far a merge is.
    fn keep(&self, generation: GenerationId, merging: &Merging) -> Result<()> {
        let sql = "INSERT INTO merge (agent, generation, target, sources, first_chunk, last_chunk, begun, next, bytes, is_done) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (agent, generation) \
                   DO UPDATE SET next = excluded.next, bytes = excluded.bytes, is_done = excluded.is_done";
        let next = merging.next.number();
        let params = [
            int8(&self.agent),
            int8(&generation),
            int8(&merging.target),
            (&merging.sources as _, Type::INT8_ARRAY),
            int8(&merging.chunks.0),
            int8(&merging.chunks.1),
            int8(&merging.begun),
            int8(&next),
            int8(&merging.bytes),
            (&merging.is_done as _, Type::BOOL),
        ];
        self.tx.execute(sql, &params).map(drop)
    }

    fn dead_count(&self, generation: GenerationId) -> Result<u64> {
        let sql = "SELECT count(*) FROM lex_dead WHERE agent = $1 AND generation = $2";
        self.tx.row(sql, &[int8(&self.agent), int8(&generation)])?.map_or(Ok(0), |row| natural(&row, 0))
    }
}
