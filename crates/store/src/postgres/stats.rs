//! Counts, for status.

use super::agent::{Reader, column, int8, natural};
use crate::{generations::GenerationId, stats::SourceCounts};
use model::error::Result;

impl Reader<'_> {
    /// Files and chunks of a generation, per source.
    ///
    /// # Errors
    /// What the database answers.
    pub fn source_counts(&self, generation: GenerationId) -> Result<Vec<SourceCounts>> {
        let sql = "SELECT f.source, count(*), coalesce(sum(c.chunks), 0)::bigint FROM file f CROSS JOIN LATERAL (\
                     SELECT count(*) AS chunks FROM chunk c WHERE c.agent = $1 AND c.file = f.id) c \
                   WHERE f.agent = $1 AND f.generation = $2 GROUP BY f.source ORDER BY f.source COLLATE \"C\"";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation)])?;
        let counts =
            |row| Ok(SourceCounts { source: column(row, 0)?, files: natural(row, 1)?, chunks: natural(row, 2)? });
        rows.iter().map(counts).collect()
    }
}
