//! Rows that do not belong together; see [`crate::checks`].

use super::agent::{Reader, Tx, int8, natural, text, the_row};
use crate::checks::Inconsistencies;
use model::error::Result;

/// Chunks without file, files without generation, sums that are not those of their rows; chunks that no segment can hold;
/// generations that were replaced.
const OF_AGENT: &str = "SELECT \
       (SELECT count(*) FROM chunk c WHERE c.agent = $1 \
          AND NOT EXISTS (SELECT 1 FROM file f WHERE f.agent = $1 AND f.id = c.file)) \
     + (SELECT count(*) FROM file f WHERE f.agent = $1 \
          AND NOT EXISTS (SELECT 1 FROM generation g WHERE g.agent = $1 AND g.id = f.generation)) \
     + (SELECT count(*) FROM generation g WHERE g.agent = $1 AND g.state <> 'retired' AND (g.chunks, g.hashed) IS DISTINCT FROM \
          (SELECT (count(*), count(c.hash)) FROM chunk c WHERE c.agent = $1 AND c.generation = g.id)), \
       (SELECT count(*) FROM generation g JOIN chunk c ON c.agent = $1 AND c.generation = g.id \
          WHERE g.agent = $1 AND g.state = 'live' AND NOT EXISTS (SELECT 1 FROM segment s WHERE s.agent = $1 \
            AND s.generation = g.id AND c.id BETWEEN s.first_chunk AND s.last_chunk)), \
       (SELECT count(*) FROM generation g WHERE g.agent = $1 AND g.state = 'retired')";

/// Vectors of the tenant that are not of the length of their space.
const WRONG_LENGTH: &str = "FROM embedding e WHERE e.tenant = $1 AND NOT EXISTS \
     (SELECT 1 FROM space s WHERE s.tenant = $1 AND s.id = e.space AND s.dims = vector_dims(e.v))";

impl Reader<'_> {
    /// Counts rows that do not belong together. What stands in blocks of words is not compared one by one.
    ///
    /// # Errors
    /// What the database answers.
    pub fn inconsistencies(&self) -> Result<Inconsistencies> {
        let vectors = format!("SELECT count(*) {WRONG_LENGTH}");
        let (agent, tenant) = ([int8(&self.agent)], [text(&self.tenant)]);
        let (of_agent, vectors) = self.tx.rows_of_both((OF_AGENT, &agent), (&vectors, &tenant))?;
        let (of_agent, vectors) = (the_row(of_agent.into_iter().next())?, the_row(vectors.into_iter().next())?);
        Ok(Inconsistencies {
            orphans: natural(&of_agent, 0)?,
            // Line terms stand in the row of the chunk.
            without_terms: 0,
            full_text: natural(&of_agent, 1)?,
            vectors: natural(&vectors, 0)?,
            retired: natural(&of_agent, 2)?,
        })
    }
}

impl Tx<'_> {
    /// Removes rows without owner, and vectors of the wrong length.
    ///
    /// # Errors
    /// What the database answers.
    pub(crate) fn remove_inconsistent(&self) -> Result<()> {
        let (agent, tenant) = ([int8(&self.agent)], [text(&self.tenant)]);
        let vectors = format!("DELETE {WRONG_LENGTH}");
        self.tx.execute_all(&[
            (
                "DELETE FROM file f WHERE f.agent = $1 \
                 AND NOT EXISTS (SELECT 1 FROM generation g WHERE g.agent = $1 AND g.id = f.generation)",
                &agent,
            ),
            (
                "DELETE FROM chunk c WHERE c.agent = $1 \
                 AND NOT EXISTS (SELECT 1 FROM file f WHERE f.agent = $1 AND f.id = c.file)",
                &agent,
            ),
            (
                "DELETE FROM code k WHERE k.agent = $1 \
                 AND NOT EXISTS (SELECT 1 FROM chunk c WHERE c.agent = $1 AND c.id = k.chunk)",
                &agent,
            ),
            (
                "UPDATE generation g SET \
                   chunks = (SELECT count(*) FROM chunk c WHERE c.agent = $1 AND c.generation = g.id), \
                   hashed = (SELECT count(c.hash) FROM chunk c WHERE c.agent = $1 AND c.generation = g.id) \
                 WHERE g.agent = $1",
                &agent,
            ),
            (&vectors, &tenant),
        ])
    }
}
