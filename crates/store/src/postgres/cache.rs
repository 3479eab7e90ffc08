//! The budget of vectors that no agent of a tenant uses any more.

use std::collections::HashSet;

use tokio_postgres::types::Type;

use super::agent::{Reader, Tx, column, int8, text};
use super::files::hash;
use crate::{files::Hash, ids::SpaceId};
use model::error::Result;

/// Vectors that are looked at together.
const PAGE: i64 = 10_000;

/// A page of vectors that the agent whose rows are seen has no text of, longest unused first.
const UNUSED: &str = "SELECT e.space, e.hash, e.used_ms FROM embedding e WHERE e.tenant = $2 \
     AND (e.used_ms, e.space, e.hash) > ($3, $4, $5) AND NOT EXISTS (SELECT 1 FROM generation g \
       JOIN chunk c ON c.agent = $1 AND c.generation = g.id AND c.hash = e.hash WHERE g.agent = $1 AND g.state <> 'retired') \
     ORDER BY e.used_ms, e.space, e.hash LIMIT $6";

impl Reader<'_> {
    /// Up to `limit` vectors to remove so that the tenant has `max_entries` at most: those of texts that none of its agents
    /// has, longest unused first.
    ///
    /// # Errors
    /// What the database answers.
    pub(crate) fn prunable(&self, max_entries: u64, limit: usize) -> Result<Vec<(SpaceId, Hash)>> {
        let excess = usize::try_from(self.embedding_count()?.saturating_sub(max_entries)).unwrap_or(usize::MAX);
        let (most, mut chosen) = (excess.min(limit), Vec::new());
        let mut after = (i64::MIN, 0_i64, Vec::<u8>::new());
        while chosen.len() < most {
            let from = [int8(&after.0), int8(&after.1), (&after.2 as _, Type::BYTEA)];
            let [used, space, of_text] = from;
            let params = [int8(&self.agent), text(&self.tenant), used, space, of_text, int8(&PAGE)];
            let rows = self.tx.rows(UNUSED, &params)?;
            let page = rows.iter().map(|row| Ok((column(row, 0)?, hash(column(row, 1)?)?)));
            let page = page.collect::<Result<Vec<(SpaceId, Hash)>>>()?;
            let Some(last) = rows.last() else { break };
            after = (column(last, 2)?, column(last, 0)?, column(last, 1)?);
            let mut unused: Vec<Hash> = page.iter().map(|(_, hash)| *hash).collect();
            self.keep_unused(&mut unused)?;
            let unused: HashSet<Hash> = unused.into_iter().collect();
            chosen.extend(page.into_iter().filter(|(_, hash)| unused.contains(hash)).take(most - chosen.len()));
        }
        Ok(chosen)
    }
}

impl Tx<'_> {
    /// Removes vectors that [`Reader::prunable`] named, unless they came into use meanwhile. Gives their number. One that
    /// another agent takes into use at this moment is missing there then, and is made anew.
    ///
    /// # Errors
    /// What the database answers.
    pub(crate) fn prune(&self, texts: &[(SpaceId, Hash)]) -> Result<usize> {
        let mut unused: Vec<Hash> = texts.iter().map(|(_, hash)| *hash).collect();
        self.keep_unused(&mut unused)?;
        let unused: HashSet<Hash> = unused.into_iter().collect();
        let (spaces, hashes): (Vec<SpaceId>, Vec<&[u8]>) = texts
            .iter()
            .filter(|(_, hash)| unused.contains(hash))
            .map(|(space, hash)| (*space, hash.as_slice()))
            .unzip();
        // What another write is at is not waited for.
        let sql = "WITH old AS MATERIALIZED (SELECT e.space, e.hash FROM unnest($2, $3) u (space, hash) \
                     JOIN embedding e ON e.tenant = $1 AND e.space = u.space AND e.hash = u.hash FOR UPDATE OF e SKIP LOCKED) \
                   DELETE FROM embedding e USING old WHERE e.tenant = $1 AND e.space = old.space AND e.hash = old.hash";
        let params = [text(&self.tenant), (&spaces as _, Type::INT8_ARRAY), (&hashes as _, Type::BYTEA_ARRAY)];
        Ok(usize::try_from(self.tx.execute(sql, &params)?).unwrap_or(usize::MAX))
    }
}
