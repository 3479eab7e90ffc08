//! Vectors of the single lines of a chunk, as codes one after the other, found by the hash of the chunk. Only a model
//! in this process makes them: they cost nothing, and may be dropped and made again.

use rusqlite::params;

use super::{
    Reader, Tx,
    embeddings::{MissingText, SpaceId},
    files::Hash,
    generations::GenerationId,
    ids::id_list,
};
use crate::error::SqlResult;
use model::error::Result;

impl Reader<'_> {
    /// A page of the distinct texts of a generation without line vectors in a space, ordered by hash, after `after`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn missing_line_vectors(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        const ABSENT: &str = "NOT EXISTS (SELECT 1 FROM line_vectors v WHERE v.space_id = ?2 AND v.hash = c.hash)";
        self.missing_texts(ABSENT, (generation, space), after, limit)
    }

    /// Whether any line vector is stored in a space.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_line_vectors(&self, space: SpaceId) -> Result<bool> {
        let mut statement =
            self.conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM line_vectors WHERE space_id = ?1)").sql()?;
        statement.query_row([space], |row| row.get(0)).sql()
    }

    /// The line codes of chunks, where there are any: chunk id, codes of its lines in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn line_codes(&self, space: SpaceId, chunk_ids: &[i64]) -> Result<Vec<(i64, Vec<u8>)>> {
        let mut statement = self
            .conn
            .prepare_cached(
                "SELECT c.id, v.codes FROM rarray(?2) ids CROSS JOIN chunk c ON c.id = ids.value \
             CROSS JOIN line_vectors v ON v.space_id = ?1 AND v.hash = c.hash",
            )
            .sql()?;
        let rows =
            statement.query_map(params![space, id_list(chunk_ids)], |row| Ok((row.get(0)?, row.get(1)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}

impl Tx<'_> {
    /// Stores the line codes of texts.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn insert_line_vectors(&self, space: SpaceId, codes: &[(Hash, Vec<u8>)]) -> Result<()> {
        let mut statement = self
            .conn
            .prepare_cached("INSERT OR REPLACE INTO line_vectors (space_id, hash, codes) VALUES (?1, ?2, ?3)")
            .sql()?;
        for (hash, codes) in codes {
            statement.execute(params![space, hash, codes]).sql()?;
        }
        Ok(())
    }

    /// Drops up to `limit` line vectors of texts that are in no generation any more; gives their number.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn prune_line_vectors(&self, limit: usize) -> Result<usize> {
        let mut statement = self
            .conn
            .prepare_cached(
                "DELETE FROM line_vectors WHERE rowid IN (SELECT v.rowid FROM line_vectors v WHERE NOT EXISTS \
               (SELECT 1 FROM generation g CROSS JOIN chunk c ON c.generation = g.id AND c.hash = v.hash) LIMIT ?1)",
            )
            .sql()?;
        statement.execute([limit]).sql()
    }
}
