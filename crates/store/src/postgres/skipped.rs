//! Files that were left out, and why.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;

use super::agent::{Reader, Tx, column, int8, text};
use crate::skipped::Skipped;
use model::error::Result;

impl Reader<'_> {
    /// All skipped files, by path.
    ///
    /// # Errors
    /// What the database answers.
    pub fn skipped(&self) -> Result<Vec<Skipped>> {
        let sql = "SELECT source, path, code, reason, seen_ms FROM skipped WHERE agent = $1 \
                   ORDER BY path COLLATE \"C\", source COLLATE \"C\"";
        let rows = self.tx.rows(sql, &[int8(&self.agent)])?;
        let skipped = |row| {
            Ok(Skipped {
                source: column(row, 0)?,
                path: column(row, 1)?,
                code: column(row, 2)?,
                reason: column(row, 3)?,
                seen_ms: column(row, 4)?,
            })
        };
        rows.iter().map(skipped).collect()
    }
}

impl Tx<'_> {
    /// Replaces the list of a source by what its last scan saw.
    ///
    /// # Errors
    /// What the database answers.
    pub fn set_skipped(&self, source: &str, files: &[Skipped]) -> Result<()> {
        // Of a file that was seen twice the last counts; a statement may not write a row twice.
        let by_path: BTreeMap<&str, &Skipped> = files.iter().map(|file| (file.path.as_str(), file)).collect();
        let paths: Vec<&str> = by_path.keys().copied().collect();
        let codes: Vec<&str> = by_path.values().map(|file| file.code.as_str()).collect();
        // A text of the database cannot hold a zero.
        let reasons: Vec<String> = by_path.values().map(|file| file.reason.replace('\0', " ")).collect();
        let seen: Vec<i64> = by_path.values().map(|file| file.seen_ms).collect();
        let all = [
            int8(&self.agent),
            text(&source),
            (&paths as _, Type::TEXT_ARRAY),
            (&codes as _, Type::TEXT_ARRAY),
            (&reasons as _, Type::TEXT_ARRAY),
            (&seen as _, Type::INT8_ARRAY),
        ];
        self.tx.execute_all(&[
            ("DELETE FROM skipped WHERE agent = $1 AND source = $2", &all[..2]),
            (
                "INSERT INTO skipped (agent, source, path, code, reason, seen_ms) \
                 SELECT $1, $2, s.* FROM unnest($3, $4, $5, $6) s",
                &all,
            ),
        ])
    }
}
