//! Beginning again with nothing.

use super::agent::{Reader, Tx, int8, natural, text, the_row};
use crate::{embeddings::ACTIVE_SPACE, skipped::MORE};
use model::error::Result;

impl Reader<'_> {
    /// Whether the tenant has no other agent.
    pub(super) fn is_alone(&self) -> Result<bool> {
        let agents: u64 =
            natural(&the_row(self.tx.row("SELECT count(*) FROM agent WHERE tenant = $1", &[text(&self.tenant)])?)?, 0)?;
        Ok(agents <= 1)
    }
}

impl Tx<'_> {
    /// Begins a reset: no generation answers searches any more.
    ///
    /// # Errors
    /// What the database answers.
    pub fn begin_reset(&self) -> Result<()> {
        let (agent, tenant) = ([int8(&self.agent)], [text(&self.tenant)]);
        self.tx.execute_all(&[
            ("UPDATE generation SET state = 'retired' WHERE agent = $1", &agent),
            ("DELETE FROM skipped WHERE agent = $1", &agent),
            ("DELETE FROM held WHERE agent = $1", &agent),
            ("DELETE FROM holder WHERE agent = $1", &agent),
            ("DELETE FROM refused_text WHERE tenant = $1", &tenant),
        ])?;
        self.delete_meta(MORE)
    }

    /// Removes up to `limit` vectors, and at the end the spaces. True while there is more to do. Vectors are the tenant's:
    /// they go with its last agent only.
    ///
    /// # Errors
    /// What the database answers.
    pub fn wipe_step(&self, limit: usize) -> Result<bool> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let lines = "DELETE FROM line_vectors l USING (SELECT space, hash FROM line_vectors WHERE agent = $1 LIMIT $2) old \
                     WHERE l.agent = $1 AND l.space = old.space AND l.hash = old.hash";
        if self.tx.execute(lines, &[int8(&self.agent), int8(&limit)])? > 0 {
            return Ok(true);
        }
        if self.is_alone()? {
            let vectors = "DELETE FROM embedding e USING (SELECT space, hash FROM embedding WHERE tenant = $1 LIMIT $2) old \
                           WHERE e.tenant = $1 AND e.space = old.space AND e.hash = old.hash";
            if self.tx.execute(vectors, &[text(&self.tenant), int8(&limit)])? > 0 {
                return Ok(true);
            }
            self.tx.execute("DELETE FROM space WHERE tenant = $1", &[text(&self.tenant)])?;
        }
        self.delete_meta(ACTIVE_SPACE)?;
        Ok(false)
    }
}
