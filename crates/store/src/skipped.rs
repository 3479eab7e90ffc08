//! Files that were left out, and why.

use serde::Serialize;

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// A file that is not in the index although it lies where memory is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skipped {
    /// Source the file would have belonged to, as in [`model::source::Source`].
    pub source: String,
    /// Path as shown to the user.
    pub path: String,
    /// Stable error code.
    pub code: String,
    /// Why, in a sentence.
    pub reason: String,
    /// When it was last seen, in milliseconds since the epoch.
    pub seen_ms: i64,
}

/// Key in `meta` of how many more there were than are listed.
pub(crate) const MORE: &str = "skipped_more";

impl Reader<'_> {
    /// How many notes the last scan left out beyond those that [`Self::skipped`] lists.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn more_skipped(&self) -> Result<usize> {
        Ok(self.meta(MORE)?.and_then(|count| count.parse().ok()).unwrap_or_default())
    }

    /// All skipped files, by path.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn skipped(&self) -> Result<Vec<Skipped>> {
        or_postgres!(self.skipped());
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT source, path, code, reason, seen_ms FROM skipped ORDER BY path, source")
            .sql()?;
        let rows = statement
            .query_map([], |row| {
                Ok(Skipped {
                    source: row.get(0)?,
                    path: row.get(1)?,
                    code: row.get(2)?,
                    reason: row.get(3)?,
                    seen_ms: row.get(4)?,
                })
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}

impl Tx<'_> {
    /// Keeps how many notes were left out beyond those that [`Self::set_skipped`] is given.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_more_skipped(&self, more: usize) -> Result<()> {
        if more == 0 { self.delete_meta(MORE) } else { self.set_meta(MORE, &more.to_string()) }
    }

    /// Replaces the list of a source by what its last scan saw.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_skipped(&self, source: &str, files: &[Skipped]) -> Result<()> {
        or_postgres!(self.set_skipped(source, files));
        self.conn()?.prepare_cached("DELETE FROM skipped WHERE source = ?1").sql()?.execute([source]).sql()?;
        let mut insert = self
            .conn()?
            .prepare_cached(
                "INSERT OR REPLACE INTO skipped (source, path, code, reason, seen_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .sql()?;
        for file in files {
            insert.execute((source, &file.path, &file.code, &file.reason, file.seen_ms)).sql()?;
        }
        Ok(())
    }
}
