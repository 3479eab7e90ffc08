//! Small facts about an agent's index, by key.

use super::agent::{Reader, Tx, column, int8, text};
use model::error::Result;

impl Reader<'_> {
    /// A stored value.
    ///
    /// # Errors
    /// What the database answers.
    pub fn meta(&self, key: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM meta WHERE agent = $1 AND key = $2";
        let rows = self.answer(sql, key, &[int8(&self.agent), text(&key)])?;
        rows.first().map(|row| column(row, 0)).transpose()
    }
}

impl Tx<'_> {
    /// Stores a value.
    ///
    /// # Errors
    /// What the database answers.
    pub fn set_meta(&self, key: &str, value: &str) -> Result<()> {
        let sql = "INSERT INTO meta (agent, key, value) VALUES ($1, $2, $3) \
                   ON CONFLICT (agent, key) DO UPDATE SET value = excluded.value";
        self.tx.execute(sql, &[int8(&self.agent), text(&key), text(&value)]).map(drop)
    }

    /// Removes a value.
    ///
    /// # Errors
    /// What the database answers.
    pub fn delete_meta(&self, key: &str) -> Result<()> {
        self.tx.execute("DELETE FROM meta WHERE agent = $1 AND key = $2", &[int8(&self.agent), text(&key)]).map(drop)
    }
}
