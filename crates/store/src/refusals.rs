//! Texts that the embedding provider refused: left alone for a while, then asked again.

use rusqlite::OptionalExtension;
use serde::Serialize;

use super::{
    embeddings::SpaceId,
    files::Hash,
    generations::GenerationId,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// SQL: now, in milliseconds since the epoch.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

/// SQL: when refusal `r` is asked again. A day after the first time, twice as long after each further one, at most 32
/// days.
const ASKED_AGAIN: &str = "r.refused_ms + 86400000 * (1 << min(r.times - 1, 5))";

/// SQL: whether the text with hash `c.hash` is refused in space `?2` and not to be asked again yet. A refusal in the
/// future, which a clock that was set back leaves, does not count.
pub(super) fn is_refused() -> String {
    format!(
        "EXISTS (SELECT 1 FROM refused_text r WHERE r.space_id = ?2 AND r.hash = c.hash \
         AND {NOW} BETWEEN r.refused_ms AND {ASKED_AGAIN} - 1)"
    )
}

/// A text that the provider refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedText {
    /// File of a chunk with this text.
    pub path: String,
    /// In the provider's words.
    pub reason: String,
    /// When it was refused last, in milliseconds since the epoch.
    pub refused_at_ms: i64,
    /// When it is asked again by itself.
    pub asked_again_at_ms: i64,
}

impl Reader<'_> {
    /// The refusal of a generation that is the latest; none when no text is refused at present.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn latest_refusal(&self, generation: GenerationId, space: SpaceId) -> Result<Option<RefusedText>> {
        or_postgres!(self.latest_refusal(generation, space));
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "SELECT f.path, r.reason, r.refused_ms, {ASKED_AGAIN} FROM refused_text r \
             CROSS JOIN chunk c ON c.generation = ?1 AND c.hash = r.hash CROSS JOIN file f ON f.id = c.file_id \
             WHERE r.space_id = ?2 AND {} ORDER BY r.refused_ms DESC, f.path LIMIT 1",
                is_refused()
            ))
            .sql()?;
        let row = statement.query_row((generation, space), |row| {
            Ok(RefusedText {
                path: row.get(0)?,
                reason: row.get(1)?,
                refused_at_ms: row.get(2)?,
                asked_again_at_ms: row.get(3)?,
            })
        });
        row.optional().sql()
    }
}

impl Tx<'_> {
    /// Notes that the provider refuses a text, with its reason.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn refuse_text(&self, space: SpaceId, hash: &Hash, reason: &str) -> Result<()> {
        or_postgres!(self.refuse_text(space, hash, reason));
        let sql = format!(
            "INSERT INTO refused_text (space_id, hash, reason, refused_ms) VALUES (?1, ?2, ?3, {NOW}) \
             ON CONFLICT DO UPDATE SET reason = excluded.reason, refused_ms = excluded.refused_ms, times = times + 1"
        );
        self.conn()?.prepare_cached(&sql).sql()?.execute((space, hash, reason)).sql()?;
        Ok(())
    }

    /// Makes the next embedding pass ask for all refused texts once more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn ask_refused_again(&self) -> Result<()> {
        or_postgres!(self.ask_refused_again());
        self.conn()?
            .prepare_cached("UPDATE refused_text SET refused_ms = 0 WHERE refused_ms <> 0")
            .sql()?
            .execute([])
            .sql()?;
        Ok(())
    }

    /// Makes all refusals older. For tests.
    ///
    /// # Errors
    /// When SQLite refuses.
    #[cfg(test)]
    pub(crate) fn age_refusals(&self, by_ms: i64) -> Result<()> {
        or_postgres!(self.age_refusals(by_ms));
        self.conn()?.execute("UPDATE refused_text SET refused_ms = refused_ms - ?1", [by_ms]).sql()?;
        Ok(())
    }
}
