//! Counts, for status.

use super::agent::{Reader, column, int8, natural, text, the_row};
use crate::{
    generations::GenerationId,
    stats::{Sizes, SourceCounts},
};
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

    /// Sizes: of all tables of the schema, which other agents may share, and of the vectors of the tenant.
    pub(super) fn sizes(&self) -> Result<Sizes> {
        let sql = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class c \
                   WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace";
        let of_tenant = "SELECT count(*), coalesce(sum(coalesce(s.dims, 0) * 5), 0)::bigint FROM embedding e \
                         JOIN space s ON s.tenant = $1 AND s.id = e.space WHERE e.tenant = $1";
        let tenant = [text(&self.tenant)];
        let (tables, vectors) = self.tx.rows_of_both((sql, &[]), (of_tenant, &tenant))?;
        let (tables, vectors) = (the_row(tables.into_iter().next())?, the_row(vectors.into_iter().next())?);
        Ok(Sizes {
            database: natural(&tables, 0)?,
            embeddings: natural(&vectors, 0)?,
            cache: natural(&vectors, 1)?,
            ..Sizes::default()
        })
    }
}
