//! What somebody said and took back: it speaks for no claim any more.

use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::{reader::or_postgres, writer::Tx};
use crate::error::SqlResult;
use model::error::Result;

/// A claim that was said and taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaid {
    /// Its id.
    pub claim: String,
    /// The mark of the conversation.
    pub mark: String,
    /// The day on which it was said there, `2026-11-20`.
    pub day: String,
    /// The note that no longer holds it either; empty where no note is known.
    pub note: String,
    /// Whether somebody asked there to remember it.
    pub requested: bool,
    /// It does not come again where nothing else speaks for it: its id stays, without its words.
    pub for_good: bool,
}

impl Tx<'_> {
    /// Takes the uses out that were taken back, and with the last use the claim. Plans that wait to be carried out and name
    /// one go as well.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn unsay(&self, unsaid: &[Unsaid]) -> Result<()> {
        or_postgres!(self.unsay(unsaid));
        for Unsaid { claim, mark, day, note, requested, for_good } in unsaid {
            let run = |sql: &str, params: &[&dyn rusqlite::ToSql]| {
                self.conn()?.prepare_cached(sql).sql()?.execute(params).sql().map(drop)
            };
            run(
                "DELETE FROM claim_use WHERE claim = ?1 AND (kind IN ('said', 'asked') AND mark = ?2 AND day = ?3 \
                 OR kind NOT IN ('said', 'asked') AND ?4 <> '' \
                   AND ?4 = (SELECT path FROM claim WHERE id = ?1))",
                params![claim, mark, day, note],
            )?;
            run("UPDATE claim SET path = '', line = 0 WHERE id = ?1 AND path = ?2", params![claim, note])?;
            if *requested {
                run("UPDATE claim SET requested = 0 WHERE id = ?1", params![claim])?;
            }
            run(
                "DELETE FROM claim WHERE id = ?1 AND withdrawn = 0 AND NOT EXISTS (SELECT 1 FROM claim_use WHERE claim = ?1)",
                params![claim],
            )?;
            if *for_good {
                run(
                    "INSERT INTO claim (id, text, path, line, origin, requested, first_ms, last_ms, withdrawn) \
                     VALUES (?1, '', '', 0, 'owner', 0, 0, 0, 1) ON CONFLICT DO NOTHING",
                    params![claim],
                )?;
            }
            run(
                "UPDATE consolidation_run SET plan = '{}', images = NULL WHERE state = 'planned' AND instr(plan, ?1) > 0",
                params![claim],
            )?;
        }
        Ok(())
    }
}
