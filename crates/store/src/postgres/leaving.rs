//! All that is kept of an agent, when its memory leaves the database for good.

use tokio_postgres::types::Type;

use super::{
    agent::{Reader, Tx, column, int8, natural, text, the_row},
    files::hash,
};
use crate::{files::Hash, leaving::AgentRows};
use model::error::Result;

/// Tables whose rows are an agent's.
const OF_AGENT: [&str; 22] = [
    "generation",
    "file",
    "chunk",
    "segment",
    "lex",
    "lex_dead",
    "merge",
    "code",
    "meta",
    "transcript",
    "skipped",
    "usage",
    "batch_job",
    "line_vectors",
    "claim",
    "claim_use",
    "consolidation_run",
    "consolidation_clock",
    "note",
    "holder",
    "held",
    "forgotten",
];

impl Reader<'_> {
    /// What is kept of the agent.
    ///
    /// # Errors
    /// What the database answers.
    pub fn rows_of_agent(&self) -> Result<AgentRows> {
        let sql = "SELECT (SELECT count(*) FROM note WHERE agent = $1 AND body IS NOT NULL), \
                   (SELECT count(*) FROM file WHERE agent = $1), (SELECT count(*) FROM chunk WHERE agent = $1), \
                   (SELECT count(*) FROM forgotten WHERE agent = $1)";
        let row = the_row(self.tx.row(sql, &[int8(&self.agent)])?)?;
        let [notes, files, chunks, forgotten] =
            [natural(&row, 0)?, natural(&row, 1)?, natural(&row, 2)?, natural(&row, 3)?];
        Ok(AgentRows { notes, files, chunks, forgotten })
    }
}

impl Tx<'_> {
    /// Removes the agent with all that is kept of it, and the vectors that no other agent of the tenant has a text for. Whoever
    /// is at work with it can write nothing any more.
    ///
    /// # Errors
    /// What the database answers.
    pub fn remove_agent(&self) -> Result<()> {
        let (agent, tenant) = ([int8(&self.agent)], [text(&self.tenant)]);
        let sql = "SELECT DISTINCT hash FROM chunk WHERE agent = $1 AND hash IS NOT NULL";
        let hashes =
            self.tx.rows(sql, &agent)?.iter().map(|row| hash(column(row, 0)?)).collect::<Result<Vec<Hash>>>()?;
        for table in OF_AGENT {
            self.tx.execute(&format!("DELETE FROM {table} WHERE agent = $1"), &agent)?;
        }
        if self.is_alone()? {
            for table in ["embedding", "refused_text", "space"] {
                self.tx.execute(&format!("DELETE FROM {table} WHERE tenant = $1"), &tenant)?;
            }
        } else {
            self.purge_texts(&hashes)?;
        }
        let name = self.agent.to_string();
        self.tx.rows("SELECT set_config('openclaw.agent', $1, true)", &[(&name as _, Type::TEXT)])?;
        self.tx.execute("DELETE FROM agent WHERE id = $1", &agent)?;
        Ok(())
    }
}
