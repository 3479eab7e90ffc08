//! Removing texts for good: their rows and vectors. Vectors are the tenant's: one that another agent still has a chunk for
//! stays. What words say of removed chunks goes with the next merges, and what a server keeps of removed rows with its
//! vacuum, its log and its backups.

use std::collections::HashSet;

use tokio_postgres::types::Type;

use super::{
    agent::{Reader, Tx, column, int8, natural, text, the_row},
    files::hash,
};
use crate::{files::Hash, forget::StoredFile, generations::GenerationId};
use model::error::Result;

/// Which of some hashes the agent has in generations that answer, or will answer, searches.
const USED: &str = "SELECT DISTINCT c.hash FROM generation g \
     JOIN chunk c ON c.agent = $1 AND c.generation = g.id AND c.hash = ANY ($2) WHERE g.agent = $1 AND g.state <> 'retired'";

impl Reader<'_> {
    /// The files of the live generation and of the one being built.
    ///
    /// # Errors
    /// What the database answers.
    pub fn files_of_all_generations(&self) -> Result<Vec<StoredFile>> {
        let sql = "SELECT f.generation, f.source, f.path FROM generation g \
                   JOIN file f ON f.agent = $1 AND f.generation = g.id \
                   WHERE g.agent = $1 AND g.state <> 'retired' ORDER BY f.id";
        let rows = self.tx.rows(sql, &[int8(&self.agent)])?;
        let file = |row| Ok(StoredFile { generation: column(row, 0)?, source: column(row, 1)?, path: column(row, 2)? });
        rows.iter().map(file).collect()
    }

    /// Hashes of the chunks of a file.
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunk_hashes(&self, generation: GenerationId, source: &str, path: &str) -> Result<Vec<Hash>> {
        let sql = "SELECT c.hash FROM file f JOIN chunk c ON c.agent = $1 AND c.file = f.id WHERE f.agent = $1 \
                   AND f.generation = $2 AND f.source = $3 AND f.path = $4 AND c.hash IS NOT NULL ORDER BY c.id";
        let params = [int8(&self.agent), int8(&generation), text(&source), text(&path)];
        self.tx.rows(sql, &params)?.iter().map(|row| hash(column(row, 0)?)).collect()
    }

    /// Number of stored vectors of texts, in all spaces.
    ///
    /// # Errors
    /// What the database answers.
    pub fn vector_count_of(&self, hashes: &[Hash]) -> Result<u64> {
        let sql = "SELECT count(*) FROM unnest($2) h (hash) JOIN space s ON s.tenant = $1 \
                   JOIN embedding e ON e.tenant = $1 AND e.space = s.id AND e.hash = h.hash";
        let hashes: Vec<&[u8]> = hashes.iter().map(Hash::as_slice).collect();
        natural(&the_row(self.tx.row(sql, &[text(&self.tenant), (&hashes, Type::BYTEA_ARRAY)])?)?, 0)
    }

    /// Leaves those texts that no agent of the tenant has a chunk of.
    pub(super) fn keep_unused(&self, hashes: &mut Vec<Hash>) -> Result<()> {
        let others = "SELECT id FROM agent WHERE tenant = $1 AND id <> $2 ORDER BY id";
        for row in self.tx.rows(others, &[text(&self.tenant), int8(&self.agent)])? {
            if hashes.is_empty() {
                break;
            }
            self.keep_unused_by(column(&row, 0)?, hashes)?;
        }
        // Rows are this agent's again.
        self.keep_unused_by(self.agent, hashes)
    }

    /// Leaves those texts that an agent of the tenant has no chunk of. Its rows, and no others, are seen from then on.
    fn keep_unused_by(&self, agent: i64, hashes: &mut Vec<Hash>) -> Result<()> {
        let name = agent.to_string();
        let list: Vec<&[u8]> = hashes.iter().map(Hash::as_slice).collect();
        let (_, rows) = self.tx.rows_of_both(
            ("SELECT set_config('openclaw.agent', $1, true)", &[(&name as _, Type::TEXT)]),
            (USED, &[int8(&agent), (&list as _, Type::BYTEA_ARRAY)]),
        )?;
        let used = rows.iter().map(|row| hash(column(row, 0)?)).collect::<Result<HashSet<Hash>>>()?;
        hashes.retain(|hash| !used.contains(hash));
        Ok(())
    }
}

impl Tx<'_> {
    /// Removes a file with its chunks and vectors. False when there was none.
    ///
    /// # Errors
    /// What the database answers.
    pub fn purge_file(&self, file: &StoredFile) -> Result<bool> {
        let hashes = self.chunk_hashes(file.generation, &file.source, &file.path)?;
        let removed = self.delete_file(file.generation, &file.source, &file.path)?;
        self.purge_texts(&hashes)?;
        Ok(removed)
    }

    /// Removes all that is kept of texts beside their chunks, unless a chunk still has them, be it another agent's of the
    /// tenant; gives the number of vectors.
    ///
    /// # Errors
    /// What the database answers.
    pub fn purge_texts(&self, hashes: &[Hash]) -> Result<usize> {
        // A write that stores files asks this each time, mostly with none.
        if hashes.is_empty() {
            return Ok(0);
        }
        let mut unused: Vec<Hash> = hashes.to_vec();
        self.keep_unused_by(self.agent, &mut unused)?;
        // Lines are the agent's own.
        let of_lines: Vec<&[u8]> = unused.iter().map(Hash::as_slice).collect();
        let sql = "DELETE FROM line_vectors WHERE agent = $1 AND hash = ANY ($2)";
        self.tx.execute(sql, &[int8(&self.agent), (&of_lines as _, Type::BYTEA_ARRAY)])?;
        self.keep_unused(&mut unused)?;
        let unused: Vec<&[u8]> = unused.iter().map(Hash::as_slice).collect();
        let of_space = "(SELECT id FROM space WHERE tenant = $1)";
        let params = [text(&self.tenant), (&unused as _, Type::BYTEA_ARRAY)];
        let delete =
            |table| format!("DELETE FROM {table} WHERE tenant = $1 AND space IN {of_space} AND hash = ANY ($2)");
        self.tx.execute(&delete("refused_text"), &params)?;
        let vectors = self.tx.execute(&delete("embedding"), &params)?;
        Ok(usize::try_from(vectors).unwrap_or(usize::MAX))
    }

    /// Removes the embeddings of texts for good, in all spaces, unless a chunk of the tenant still has them.
    ///
    /// # Errors
    /// What the database answers.
    pub fn forget_embeddings(&self, hashes: &[Hash]) -> Result<usize> {
        self.purge_texts(hashes)
    }
}
