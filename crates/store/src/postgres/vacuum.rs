//! Room that merges of words leave behind.

use super::agent::{Agent, column};
use model::{cancel::Cancel, error::Result};

/// Whether more than half of the blocks are dead, of all agents together, and whose table it is. What is dead for less is
/// left to the database, which looks once a minute.
const DUE: &str = "SELECT quote_ident(s.schemaname)::text FROM pg_catalog.pg_stat_user_tables s \
     JOIN pg_catalog.pg_class c ON c.oid = s.relid \
     WHERE s.schemaname = current_schema() AND s.relname = 'lex' AND pg_has_role(c.relowner, 'USAGE') \
       AND s.n_dead_tup > 200 + s.n_live_tup / 2";

impl Agent {
    /// Makes the room of blocks that nobody reads any more usable again, when that is worth a pass: many files that are
    /// written one by one leave more than the database clears by itself. For who merges words to call, between writes; it
    /// holds nobody up. False when nothing was to be done, when the table is another role's, and when somebody is at it.
    ///
    /// # Errors
    /// What the database answers.
    pub fn vacuum_words(&self, cancel: &Cancel) -> Result<bool> {
        let due =
            self.read(cancel, |reader| reader.tx.row(DUE, &[])?.map(|row| column::<String>(&row, 0)).transpose())?;
        let Some(schema) = due else { return Ok(false) };
        // Giving pages back would lock all others out for a moment.
        let sql = format!("VACUUM (SKIP_LOCKED, TRUNCATE FALSE, PARALLEL 0) {schema}.lex");
        self.explained(self.database().alone(&cancel.also_with(&self.closing), &sql)).map(|()| true)
    }
}
