//! Looking for what does not belong together: rows without their owner, full text that misses chunks, vectors of the
//! wrong length. SQLite's own checks do not know about these.

use super::{
    Store, lexical,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
#[cfg(any(test, feature = "testing"))]
use crate::generations::GenerationId;
use model::error::Result;

/// Rows looked at in one transaction.
const STEP: usize = 500;

/// What [`Reader::inconsistencies`] found, each as a number of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inconsistencies {
    /// Chunks without their file, files without their generation, terms without their chunk; sums that are not those of
    /// their rows.
    pub orphans: u64,
    /// Chunks of the live generation that have no terms, so that they cannot be ranked.
    pub without_terms: u64,
    /// Chunks of the live generation that are missing in its full-text index, or rows there without chunk.
    pub full_text: u64,
    /// Vectors that are not of the length of their space.
    pub vectors: u64,
    /// Rows of generations that were replaced and not removed yet.
    pub retired: u64,
}

impl Inconsistencies {
    /// Whether files have to be indexed again to put it right.
    #[must_use]
    pub const fn need_rebuild(&self) -> bool {
        self.without_terms > 0 || self.full_text > 0
    }
}

const ORPHANS: &str = "SELECT (SELECT count(*) FROM chunk c WHERE NOT EXISTS (SELECT 1 FROM file f WHERE f.id = c.file_id)) \
     + (SELECT count(*) FROM file f WHERE NOT EXISTS (SELECT 1 FROM generation g WHERE g.id = f.generation)) \
     + (SELECT count(*) FROM chunk_lines l WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.id = l.chunk_id))";

/// Sums that are not those of their rows.
const MISCOUNTED: &str = "SELECT (SELECT count(*) FROM generation g WHERE g.state <> 'retired' AND (\
       g.chunks <> (SELECT count(*) FROM chunk c WHERE c.generation = g.id) \
       OR g.hashed <> (SELECT count(*) FROM chunk c WHERE c.generation = g.id AND c.hash IS NOT NULL))) \
     + (SELECT count(*) FROM space s WHERE s.embeddings <> (SELECT count(*) FROM embedding e WHERE e.space_id = s.id))";

/// Counts them anew.
const COUNT: &str = "UPDATE generation SET \
       chunks = (SELECT count(*) FROM chunk c WHERE c.generation = generation.id), \
       hashed = (SELECT count(*) FROM chunk c WHERE c.generation = generation.id AND c.hash IS NOT NULL); \
     UPDATE space SET embeddings = (SELECT count(*) FROM embedding e WHERE e.space_id = space.id)";

const WITHOUT_TERMS: &str = "SELECT count(*) FROM generation g CROSS JOIN chunk c ON c.generation = g.id \
     WHERE g.state = 'live' AND NOT EXISTS (SELECT 1 FROM chunk_lines l WHERE l.chunk_id = c.id)";

/// 32-bit floats.
const WRONG_LENGTH: &str = "SELECT e.id FROM embedding e WHERE NOT EXISTS \
     (SELECT 1 FROM space s WHERE s.id = e.space_id AND s.dims * 4 = length(e.vector))";

const RETIRED: &str = "SELECT count(*) FROM generation WHERE state = 'retired'";

impl Reader<'_> {
    /// Counts rows that do not belong together. Reads indexes and some whole tables.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn inconsistencies(&self) -> Result<Inconsistencies> {
        or_postgres!(self.inconsistencies());
        let conn = self.conn()?;
        let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, u64>(0));
        Ok(Inconsistencies {
            orphans: count(ORPHANS).sql()? + u64::from(self.is_miscounted()?),
            without_terms: count(WITHOUT_TERMS).sql()?,
            full_text: self.full_text_difference()?,
            vectors: count(&format!("SELECT count(*) FROM ({WRONG_LENGTH})")).sql()?,
            retired: count(RETIRED).sql()?,
        })
    }

    /// Whether a sum that is kept as rows come and go is not that of the rows.
    pub(super) fn is_miscounted(&self) -> Result<bool> {
        let miscounted: u64 = self.conn()?.query_row(MISCOUNTED, [], |row| row.get(0)).sql()?;
        Ok(miscounted > 0)
    }

    /// Chunks of the live generation that its full-text index does not have, and the other way round.
    fn full_text_difference(&self) -> Result<u64> {
        let Some(live) = self.live()? else { return Ok(0) };
        let [name, _] = lexical::tables(live.id);
        if !self.conn()?.table_exists(None, name.as_str()).sql()? {
            return self.chunk_count(live.id);
        }
        let sql = format!(
            "SELECT (SELECT count(*) FROM chunk c WHERE c.generation = ?1 AND c.id NOT IN (SELECT id FROM {name}_docsize)) \
             + (SELECT count(*) FROM {name}_docsize d WHERE d.id NOT IN (SELECT id FROM chunk WHERE generation = ?1))"
        );
        self.conn()?.query_row(&sql, [live.id], |row| row.get(0)).sql()
    }
}

impl Tx<'_> {
    /// Removes rows without owner, and vectors of the wrong length.
    fn remove_inconsistent(&self) -> Result<()> {
        or_postgres!(self.remove_inconsistent());
        self.conn()?
            .execute_batch(
                "DELETE FROM file WHERE generation NOT IN (SELECT id FROM generation); \
             DELETE FROM chunk WHERE file_id NOT IN (SELECT id FROM file); \
             DELETE FROM chunk_lines WHERE chunk_id NOT IN (SELECT id FROM chunk);",
            )
            .sql()?;
        let vectors = self.conn()?.execute(&format!("DELETE FROM embedding WHERE id IN ({WRONG_LENGTH})"), []).sql()?;
        self.conn()?.execute_batch(COUNT).sql()?;
        // Their texts count as embedded for whoever has counted before.
        if vectors > 0 { self.mark_restored() } else { Ok(()) }
    }
}

impl Store {
    /// Removes what does not belong to anything. What is then missing has to be indexed again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn remove_inconsistent(&self) -> Result<()> {
        self.write_indexed(|tx| tx.remove_inconsistent())?;
        while self.write_indexed(|tx| tx.retire_step(STEP))? {}
        Ok(())
    }
}

#[cfg(any(test, feature = "testing"))]
impl Reader<'_> {
    /// Rows in the full-text index of a generation. For tests: as many as there are chunks.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn fts_count(&self, generation: GenerationId) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM {}_docsize", lexical::table(generation));
        self.conn()?.query_row(&sql, [], |row| row.get(0)).sql()
    }
}

#[cfg(any(test, feature = "testing"))]
impl Tx<'_> {
    /// Breaks what belongs together, as a bug would. For tests.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn break_rows(&self) -> Result<()> {
        self.conn()?.execute_batch(
            "DELETE FROM chunk_lines WHERE chunk_id = (SELECT min(id) FROM chunk); \
             INSERT INTO chunk (generation, file_id, start_line, end_line, hash, text) VALUES (1, 999, 1, 1, NULL, 'x');",
        ).sql()?;
        Ok(())
    }
}
