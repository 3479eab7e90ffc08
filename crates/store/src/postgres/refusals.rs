//! Texts that the embedding provider refused, by the clock of the database; see [`crate::refusals`].

use tokio_postgres::types::Type;

use super::agent::{Reader, Tx, column, int8, text};
use crate::{files::Hash, generations::GenerationId, ids::SpaceId, refusals::RefusedText};
use model::error::Result;

/// SQL: now, in milliseconds since the epoch.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// SQL: when refusal `r` is asked again.
const ASKED_AGAIN: &str = "r.refused_ms + (86400000::bigint << least(r.times - 1, 5)::int)";

/// SQL: whether the text with hash `c.hash` is refused in space `$3` of tenant `$2`, and not to be asked again yet. A refusal
/// in the future, which a clock that was set back leaves, does not count.
pub(super) fn is_refused() -> String {
    format!(
        "((SELECT true FROM refused_text r WHERE r.tenant = $2 AND r.space = $3 AND r.hash = c.hash \
         AND {NOW} BETWEEN r.refused_ms AND {ASKED_AGAIN} - 1 LIMIT 1) IS NOT NULL)"
    )
}

impl Reader<'_> {
    /// The refusal of a generation that is the latest; none when no text is refused at present.
    ///
    /// # Errors
    /// What the database answers.
    pub fn latest_refusal(&self, generation: GenerationId, space: SpaceId) -> Result<Option<RefusedText>> {
        let sql = format!(
            "SELECT f.path, r.reason, r.refused_ms, {ASKED_AGAIN} FROM refused_text r \
             JOIN chunk c ON c.agent = $1 AND c.generation = $4 AND c.hash = r.hash \
             JOIN file f ON f.agent = $1 AND f.id = c.file \
             WHERE r.tenant = $2 AND r.space = $3 AND {} ORDER BY r.refused_ms DESC, f.path COLLATE \"C\" LIMIT 1",
            is_refused()
        );
        let row = self.tx.row(&sql, &[int8(&self.agent), text(&self.tenant), int8(&space), int8(&generation)])?;
        let refused = row.map(|row| -> Result<_> {
            Ok(RefusedText {
                path: column(&row, 0)?,
                reason: column(&row, 1)?,
                refused_at_ms: column(&row, 2)?,
                asked_again_at_ms: column(&row, 3)?,
            })
        });
        refused.transpose()
    }
}

impl Tx<'_> {
    /// Notes that the provider refuses a text, with its reason.
    ///
    /// # Errors
    /// What the database answers.
    pub fn refuse_text(&self, space: SpaceId, hash: &Hash, reason: &str) -> Result<()> {
        let sql = format!(
            "INSERT INTO refused_text AS r (tenant, space, hash, reason, refused_ms) VALUES ($1, $2, $3, $4, {NOW}) \
             ON CONFLICT (tenant, space, hash) DO UPDATE \
             SET reason = excluded.reason, refused_ms = excluded.refused_ms, times = r.times + 1"
        );
        // No text of the database can hold a zero, and the words are somebody else's.
        let reason = reason.replace('\0', " ");
        let params =
            [text(&self.tenant), int8(&space), (&hash.as_slice() as _, Type::BYTEA), (&reason as _, Type::TEXT)];
        self.tx.execute(&sql, &params).map(drop)
    }

    /// Makes the next embedding pass ask for all texts of the tenant once more that were refused.
    ///
    /// # Errors
    /// What the database answers.
    pub fn ask_refused_again(&self) -> Result<()> {
        let sql = "UPDATE refused_text SET refused_ms = 0 WHERE tenant = $1 AND refused_ms <> 0";
        self.tx.execute(sql, &[text(&self.tenant)]).map(drop)
    }

    /// Makes all refusals older. For tests.
    #[cfg(test)]
    pub(crate) fn age_refusals(&self, by_ms: i64) -> Result<()> {
        let sql = "UPDATE refused_text SET refused_ms = refused_ms - $2 WHERE tenant = $1";
        self.tx.execute(sql, &[text(&self.tenant), int8(&by_ms)]).map(drop)
    }
}
