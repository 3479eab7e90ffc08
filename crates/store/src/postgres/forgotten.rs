//! What the user had forgotten, for all gateways.

use tokio_postgres::types::Type;

use super::agent::{Reader, Tx, column, int8, text};
use crate::forgotten::ForgottenAct;
use model::error::Result;

impl Reader<'_> {
    /// All acts; see [`crate::Reader::forgotten_acts`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn forgotten_acts(&self) -> Result<Vec<ForgottenAct>> {
        let sql = "SELECT id, entries, is_final, is_undone FROM forgotten WHERE agent = $1";
        let act = |row| {
            Ok(ForgottenAct {
                id: column(row, 0)?,
                entries: column(row, 1)?,
                is_final: column(row, 2)?,
                is_undone: column(row, 3)?,
            })
        };
        self.tx.rows(sql, &[int8(&self.agent)])?.iter().map(act).collect()
    }
}

impl Tx<'_> {
    /// Tells of acts; see [`crate::Tx::tell_forgotten`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn tell_forgotten(&self, acts: &[ForgottenAct]) -> Result<()> {
        let sql = "INSERT INTO forgotten AS f (agent, id, entries, is_final, is_undone) \
                   SELECT $1, id, entries, is_final, false FROM unnest($2, $3, $4) u (id, entries, is_final) \
                   ON CONFLICT (agent, id) DO UPDATE SET entries = excluded.entries, \
                   is_final = f.is_final OR excluded.is_final, is_undone = false";
        let ids: Vec<&str> = acts.iter().map(|act| act.id.as_str()).collect();
        let entries: Vec<&str> = acts.iter().map(|act| act.entries.as_str()).collect();
        let finals: Vec<bool> = acts.iter().map(|act| act.is_final).collect();
        let params = [
            int8(&self.agent),
            (&ids as _, Type::TEXT_ARRAY),
            (&entries as _, Type::TEXT_ARRAY),
            (&finals as _, Type::BOOL_ARRAY),
        ];
        self.tx.execute(sql, &params).map(drop)
    }

    /// Takes one back; see [`crate::Tx::undo_forgotten`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn undo_forgotten(&self, id: &str) -> Result<bool> {
        let sql = "UPDATE forgotten SET is_undone = true, entries = '' WHERE agent = $1 AND id = $2 AND NOT is_final";
        Ok(self.tx.execute(sql, &[int8(&self.agent), text(&id)])? > 0)
    }
}
