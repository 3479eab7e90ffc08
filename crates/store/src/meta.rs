//! Small facts about the index, by key.

use rusqlite::OptionalExtension;

use super::{
    reader::{Reader, or_postgres},
    schema,
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// Set from the first write to a clean close: when it is found at start, the last writer was killed.
const IN_USE: &str = "in_use";

impl Reader<'_> {
    /// A stored value.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        or_postgres!(self.meta(key));
        let mut statement = self.conn()?.prepare_cached("SELECT value FROM meta WHERE key = ?1").sql()?;
        statement.query_row([key], |row| row.get(0)).optional().sql()
    }

    /// Whether a writer has not closed the file cleanly (or still has it open).
    pub(super) fn is_marked_in_use(&self) -> Result<bool> {
        Ok(self.meta(IN_USE)?.is_some())
    }
}

impl Tx<'_> {
    /// Stores a value.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_meta(&self, key: &str, value: &str) -> Result<()> {
        or_postgres!(self.set_meta(key, value));
        let mut statement =
            self.conn()?.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)").sql()?;
        statement.execute([key, value]).sql()?;
        Ok(())
    }

    /// Removes a value.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn delete_meta(&self, key: &str) -> Result<()> {
        or_postgres!(self.delete_meta(key));
        self.conn()?.prepare_cached("DELETE FROM meta WHERE key = ?1").sql()?.execute([key]).sql()?;
        Ok(())
    }

    /// Notes that the file is being written to.
    pub(super) fn mark_in_use(&self) -> Result<()> {
        schema::record(self.conn()?)?;
        self.set_meta(IN_USE, "1")
    }

    /// Notes that the file was left clean.
    pub(super) fn unmark_in_use(&self) -> Result<()> {
        self.delete_meta(IN_USE)
    }
}
