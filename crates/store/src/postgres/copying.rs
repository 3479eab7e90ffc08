//! The vectors of an agent's texts, page by page.

use tokio_postgres::types::Type;

use super::{
    agent::{Reader, column, int8, natural, text, the_row},
    embeddings::space_row,
    files::hash,
};
use crate::{
    embeddings::{NewEmbedding, SpaceRow},
    files::Hash,
    ids::SpaceId,
};
use model::error::Result;

/// That a vector `e` is of a text of the agent, in any of its generations.
const OWN: &str = "e.tenant = $1 AND e.space = $2 AND EXISTS \
     (SELECT 1 FROM generation g JOIN chunk c ON c.agent = g.agent AND c.generation = g.id AND c.hash = e.hash \
      WHERE g.agent = $3)";

impl Reader<'_> {
    /// The spaces of the tenant that have vectors, in the order they were made.
    ///
    /// # Errors
    /// What the database answers.
    pub fn spaces(&self) -> Result<Vec<SpaceRow>> {
        let sql = "SELECT id, key, dims FROM space WHERE tenant = $1 AND dims IS NOT NULL ORDER BY id";
        self.tx.rows(sql, &[text(&self.tenant)])?.iter().map(space_row).collect()
    }

    /// How many vectors the agent's texts have in a space.
    ///
    /// # Errors
    /// What the database answers.
    pub fn own_embedding_count(&self, space: SpaceId) -> Result<u64> {
        let sql = format!("SELECT count(*) FROM embedding e WHERE {OWN}");
        natural(&the_row(self.tx.row(&sql, &[text(&self.tenant), int8(&space), int8(&self.agent)])?)?, 0)
    }

    /// A page of them, ordered by hash, after `after`.
    ///
    /// # Errors
    /// What the database answers.
    pub fn embeddings_after(&self, space: SpaceId, after: Option<&Hash>, limit: usize) -> Result<Vec<NewEmbedding>> {
        let sql =
            format!("SELECT e.hash, e.v::real[] FROM embedding e WHERE {OWN} AND e.hash > $4 ORDER BY e.hash LIMIT $5");
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let params = [text(&self.tenant), int8(&space), int8(&self.agent), (&after as _, Type::BYTEA), int8(&limit)];
        let embedding = |row| Ok(NewEmbedding { hash: hash(column(row, 0)?)?, vector: column(row, 1)? });
        self.tx.rows(&sql, &params)?.iter().map(embedding).collect()
    }
}
