//! What was paid for, from one store to another: vectors, by the hash of their text. What was written down goes with them
//! ([`crate::books`]), and all else is made again of the notes.

use rusqlite::params;
use serde::Serialize;

use super::{
    Store,
    embeddings::{NewEmbedding, SpaceRow, from_blob},
    files::Hash,
    ids::SpaceId,
    reader::{Reader, or_postgres},
};
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// Vectors copied in one transaction.
const STEP: usize = 100;

/// What was copied from a store to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorsCopied {
    /// Vectors that the other one has now.
    pub vectors: u64,
    /// Those of them that it had already.
    pub known: u64,
}

impl Reader<'_> {
    /// The spaces that have vectors, in the order they were made.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn spaces(&self) -> Result<Vec<SpaceRow>> {
        or_postgres!(self.spaces());
        let sql = "SELECT id, key, dims FROM space WHERE dims IS NOT NULL ORDER BY id";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let row = |row: &rusqlite::Row<'_>| Ok(SpaceRow { id: row.get(0)?, key: row.get(1)?, dims: row.get(2)? });
        statement.query_map([], row).sql()?.collect::<Result<_, _>>().sql()
    }

    /// How many vectors [`Self::embeddings_after`] gives, page by page.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn own_embedding_count(&self, space: SpaceId) -> Result<u64> {
        or_postgres!(self.own_embedding_count(space));
        let mut statement = self.conn()?.prepare_cached("SELECT count(*) FROM embedding WHERE space_id = ?1").sql()?;
        statement.query_row([space], |row| row.get(0)).sql()
    }

    /// A page of the vectors of a space, ordered by hash, after `after`. Of a database that agents share those of this
    /// agent's texts.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn embeddings_after(&self, space: SpaceId, after: Option<&Hash>, limit: usize) -> Result<Vec<NewEmbedding>> {
        or_postgres!(self.embeddings_after(space, after, limit));
        let sql = "SELECT hash, vector FROM embedding WHERE space_id = ?1 AND hash > ?2 ORDER BY hash LIMIT ?3";
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let rows = statement.query_map(params![space, after, limit], |row| {
            let vector = from_blob(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
            Ok(NewEmbedding { hash: row.get(0)?, vector })
        });
        rows.sql()?.collect::<rusqlite::Result<_>>().sql()
    }
}

impl Store {
    /// Copies the vectors of all spaces to another store, where those that are there stay as they are. What was copied when it
    /// ends early is there, and not written again. `progress`: vectors that were looked at, and all of them.
    ///
    /// # Errors
    /// When one cannot be read or the other written, or when cancelled; [`Code::Internal`] when the other one does not have
    /// afterwards what it was given.
    pub fn copy_vectors_to(
        &self,
        to: &Self,
        cancel: &Cancel,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<VectorsCopied> {
        let (spaces, active) = self.read_with(cancel, |r| Ok((r.spaces()?, r.active_space()?)))?;
        let total = self.read_with(cancel, |r| spaces.iter().map(|space| r.own_embedding_count(space.id)).sum())?;
        let mut copied = VectorsCopied::default();
        for space in spaces {
            let key = space.key.clone();
            let target = to.write(move |tx| tx.get_or_create_space(&key))?.id;
            let mut after = None;
            loop {
                progress(copied.vectors, total);
                let page = self.read_with(cancel, |r| r.embeddings_after(space.id, after.as_ref(), STEP))?;
                let Some(last) = page.last() else { break };
                after = Some(last.hash);
                let hashes: Vec<Hash> = page.iter().map(|embedding| embedding.hash).collect();
                let there = to.read_with(cancel, |r| r.vectors_of(target, &hashes))?;
                copied.vectors += hashes.len() as u64;
                copied.known += there.len() as u64;
                let fresh: Vec<_> = page.into_iter().filter(|embedding| !there.contains_key(&embedding.hash)).collect();
                if fresh.is_empty() {
                    continue;
                }
                let wanted = fresh.clone();
                to.write(move |tx| tx.insert_embeddings(target, &fresh))?;
                let hashes: Vec<Hash> = wanted.iter().map(|embedding| embedding.hash).collect();
                let there = to.read_with(cancel, |r| r.vectors_of(target, &hashes))?;
                if wanted.iter().any(|embedding| there.get(&embedding.hash) != Some(&embedding.vector)) {
                    return Err(Error::new(Code::Internal, "a vector was copied and is not there as it was"));
                }
            }
            let is_active = active.as_ref().is_some_and(|active| active.id == space.id);
            if is_active && to.read_with(cancel, |r| r.active_space())?.is_none() {
                to.write(move |tx| tx.set_active_space(target))?;
            }
        }
        progress(copied.vectors, total);
        Ok(copied)
    }
}
