//! The budget of the embedding cache: what no chunk uses any more goes first, oldest first; what is in use never goes.

use super::{
    files::Hash,
    ids::{EmbeddingId, id_list},
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
#[cfg(feature = "postgres")]
use crate::ids::SpaceId;
use model::error::Result;

/// An embedding that is in no generation that answers, or will answer, searches.
const UNUSED: &str = "NOT EXISTS (SELECT 1 FROM generation g CROSS JOIN chunk c \
                      ON c.generation = g.id AND c.hash = e.hash WHERE g.state <> 'retired')";

/// Embeddings that may go, as a store names them.
#[derive(Debug)]
pub struct Prunable(Which);

#[derive(Debug)]
enum Which {
    Numbered(Vec<EmbeddingId>),
    #[cfg(feature = "postgres")]
    OfTexts(Vec<(SpaceId, Hash)>),
}

impl Prunable {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match &self.0 {
            Which::Numbered(ids) => ids.len(),
            #[cfg(feature = "postgres")]
            Which::OfTexts(texts) => texts.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Reader<'_> {
    /// Number of stored embeddings, of all spaces.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn embedding_count(&self) -> Result<u64> {
        or_postgres!(self.embedding_count());
        let mut statement = self.conn()?.prepare_cached("SELECT coalesce(sum(embeddings), 0) FROM space").sql()?;
        statement.query_row([], |row| row.get(0)).sql()
    }

    /// Up to `limit` embeddings to remove so that at most `max_entries` stay: unused ones, longest unused first.
    /// Walks all hashes: meant for quiet moments.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn prunable(&self, max_entries: u64, limit: usize) -> Result<Prunable> {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = self.postgres() {
            return postgres.prunable(max_entries, limit).map(|texts| Prunable(Which::OfTexts(texts)));
        }
        let excess = self.embedding_count()?.saturating_sub(max_entries);
        let limit = usize::try_from(excess).unwrap_or(usize::MAX).min(limit);
        if limit == 0 {
            return Ok(Prunable(Which::Numbered(Vec::new())));
        }
        // The inner query reads indexes only; rows are looked at for the few that are unused.
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "WITH unused AS MATERIALIZED (SELECT e.id FROM embedding e INDEXED BY embedding_hash WHERE {UNUSED}) \
             SELECT e.id FROM unused CROSS JOIN embedding e ON e.id = unused.id ORDER BY e.used_ms, e.id LIMIT ?1"
            ))
            .sql()?;
        let rows = statement.query_map([limit], |row| row.get(0)).sql()?;
        rows.collect::<Result<_, _>>().sql().map(|ids| Prunable(Which::Numbered(ids)))
    }
}

impl Tx<'_> {
    /// Removes embeddings that [`Reader::prunable`] named, unless they came into use meanwhile. Gives their number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn prune(&self, prunable: &Prunable) -> Result<usize> {
        #[cfg_attr(
            not(feature = "postgres"),
            expect(clippy::infallible_destructuring_match, reason = "a database has another kind")
        )]
        let ids = match &prunable.0 {
            Which::Numbered(ids) => ids,
            #[cfg(feature = "postgres")]
            Which::OfTexts(texts) => return self.postgres().map_or(Ok(0), |postgres| postgres.prune(texts)),
        };
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "DELETE FROM embedding WHERE id IN (SELECT e.id FROM rarray(?1) ids CROSS JOIN embedding e \
             ON e.id = ids.value WHERE {UNUSED})"
            ))
            .sql()?;
        statement.execute([id_list(ids)]).sql()
    }

    /// Removes the embeddings of texts for good, in all spaces (`memory forget`), unless a chunk still has them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_embeddings(&self, hashes: &[Hash]) -> Result<usize> {
        or_postgres!(self.forget_embeddings(hashes));
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "DELETE FROM embedding WHERE id IN (SELECT e.id FROM space s CROSS JOIN embedding e \
             ON e.space_id = s.id AND e.hash = ?1 WHERE {UNUSED})"
            ))
            .sql()?;
        hashes.iter().map(|hash| statement.execute([hash]).sql()).sum()
    }

    /// Gives up to `pages` free pages back to the file system; true while more are free.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn vacuum_step(&self, pages: u32) -> Result<bool> {
        // A database looks after its own.
        #[cfg(feature = "postgres")]
        if self.postgres().is_some() {
            return Ok(false);
        }
        // The pragma frees one page per step of the statement.
        let mut statement = self.conn()?.prepare(&format!("PRAGMA incremental_vacuum({pages})")).sql()?;
        let mut rows = statement.query([]).sql()?;
        while rows.next().sql()?.is_some() {}
        let free: i64 = self.conn()?.query_row("PRAGMA freelist_count", [], |row| row.get(0)).sql()?;
        Ok(free > 0)
    }

    /// Notes that the embeddings of removed chunks were in use until now, where no other chunk has the text.
    pub(super) fn mark_unused(&self, hashes: &[Hash]) -> Result<()> {
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "UPDATE embedding SET used_ms = ?2 WHERE id IN (SELECT e.id FROM space s CROSS JOIN embedding e \
             ON e.space_id = s.id AND e.hash = ?1 WHERE {UNUSED})"
            ))
            .sql()?;
        for hash in hashes {
            statement.execute((hash, self.now_ms())).sql()?;
        }
        Ok(())
    }
}
