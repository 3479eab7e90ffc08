//! Vectors of the single lines of a chunk, as codes one after the other, found by the hash of the chunk, and what they say
//! piece by piece. Only a model in this process makes them: they cost nothing, and may be dropped and made again.

use rusqlite::{params, types::FromSql};

use super::{
    Reader, Tx,
    embeddings::{MissingText, SpaceId, missing_text},
    files::Hash,
    generations::GenerationId,
    ids::{ChunkId, id_list},
    media::sql_is_media,
    reader::or_postgres,
};
use crate::error::SqlResult;
use model::error::Result;

/// That the lines of chunk `c` have no vectors or no pieces in space `?2`. Of a picture or sound the hash says nothing
/// about its text, which is one line.
const ABSENT: &str = concat!(
    "NOT ",
    sql_is_media!(),
    " AND NOT (EXISTS (SELECT 1 FROM line_vectors v WHERE v.space_id = ?2 AND v.hash = c.hash) \
     AND EXISTS (SELECT 1 FROM line_pieces p WHERE p.space_id = ?2 AND p.hash = c.hash))"
);

impl Reader<'_> {
    /// A page of the distinct texts of a generation whose lines have no vectors or no pieces in a space, in the order of their
    /// chunks, after the text `after`: what a chunk repeats of the one before it is mostly in the same page. Those of an index
    /// from before there were pieces have only vectors.
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
        or_postgres!(self.missing_line_vectors(generation, space, after, limit));
        // Where a page is full, the next one goes on from there; who asks for the first finds mostly nothing, in an index alone.
        let sql = if after.is_some() {
            format!(
                "SELECT c.hash, c.id, c.text FROM chunk c WHERE +c.generation = ?1 AND {ABSENT} AND c.id > \
                   coalesce((SELECT min(a.id) FROM chunk a WHERE a.generation = ?1 AND a.hash = ?3), 0) \
                 AND NOT EXISTS (SELECT 1 FROM chunk b WHERE b.generation = ?1 AND b.hash = c.hash AND b.id < c.id) \
                 ORDER BY c.id LIMIT ?4"
            )
        } else {
            format!(
                "WITH page AS MATERIALIZED ( \
                   SELECT c.hash AS hash, min(c.id) AS id FROM chunk c WHERE c.generation = ?1 AND {ABSENT} \
                   GROUP BY c.hash ORDER BY id LIMIT ?4) \
                 SELECT page.hash, page.id, c.text FROM page CROSS JOIN chunk c ON c.id = page.id ORDER BY page.id"
            )
        };
        let mut statement = self.conn()?.prepare_cached(&sql).sql()?;
        let rows = statement.query_map(params![generation, space, after, limit], missing_text).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// How many distinct texts of a generation [`Reader::missing_line_vectors`] gives, page by page; all of them where there
    /// is no space yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn pending_lines(&self, generation: GenerationId, space: Option<SpaceId>) -> Result<u64> {
        or_postgres!(self.pending_lines(generation, space));
        let sql = format!("SELECT count(DISTINCT c.hash) FROM chunk c WHERE c.generation = ?1 AND {ABSENT}");
        self.conn()?.prepare_cached(&sql).sql()?.query_row(params![generation, space], |row| row.get(0)).sql()
    }

    /// Whether any line vector is stored in a space.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_line_vectors(&self, space: SpaceId) -> Result<bool> {
        or_postgres!(self.has_line_vectors(space));
        let mut statement =
            self.conn()?.prepare_cached("SELECT EXISTS (SELECT 1 FROM line_vectors WHERE space_id = ?1)").sql()?;
        statement.query_row([space], |row| row.get(0)).sql()
    }

    /// The line codes of chunks with a text: chunk id, codes of its lines in order; none of those that have none yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn line_codes(&self, space: SpaceId, chunk_ids: &[ChunkId]) -> Result<Vec<(ChunkId, Option<Vec<u8>>)>> {
        or_postgres!(self.line_codes(space, chunk_ids));
        let sql = "SELECT c.id, v.codes FROM rarray(?2) ids CROSS JOIN chunk c ON c.id = ids.value \
             LEFT JOIN line_vectors v ON v.space_id = ?1 AND v.hash = c.hash WHERE c.hash IS NOT NULL";
        self.of_lines(sql, space, chunk_ids)
    }

    /// What the lines of chunks say piece by piece, where that is known: chunk id, signs as in [`LineData`].
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn line_signs(&self, space: SpaceId, chunk_ids: &[ChunkId]) -> Result<Vec<(ChunkId, Vec<u8>)>> {
        or_postgres!(self.line_signs(space, chunk_ids));
        let sql = "SELECT c.id, p.signs FROM rarray(?2) ids CROSS JOIN chunk c ON c.id = ids.value \
             CROSS JOIN line_pieces p ON p.space_id = ?1 AND p.hash = c.hash";
        self.of_lines(sql, space, chunk_ids)
    }

    fn of_lines<T: FromSql>(&self, sql: &str, space: SpaceId, chunk_ids: &[ChunkId]) -> Result<Vec<(ChunkId, T)>> {
        let mut statement = self.conn()?.prepare_cached(sql).sql()?;
        let rows =
            statement.query_map(params![space, id_list(chunk_ids)], |row| Ok((row.get(0)?, row.get(1)?))).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}

/// What a model in this process makes of the lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineData {
    /// Of the text.
    pub hash: Hash,
    /// Codes of the vectors of its lines, one after the other.
    pub codes: Vec<u8>,
    /// Of each line the number of its pieces as a byte, then the signs of each; empty where the model has none.
    pub signs: Vec<u8>,
}

impl Tx<'_> {
    /// Stores what was made of the lines of texts, but of none that has left the index meanwhile.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn insert_lines(&self, space: SpaceId, lines: &[LineData]) -> Result<()> {
        or_postgres!(self.insert_lines(space, lines));
        let insert = |table: &str, column: &str| {
            format!(
                "INSERT OR REPLACE INTO {table} (space_id, hash, {column}) SELECT ?1, ?2, ?3 WHERE EXISTS \
                 (SELECT 1 FROM generation g CROSS JOIN chunk c ON c.generation = g.id AND c.hash = ?2)"
            )
        };
        let mut codes = self.conn()?.prepare_cached(&insert("line_vectors", "codes")).sql()?;
        let mut signs = self.conn()?.prepare_cached(&insert("line_pieces", "signs")).sql()?;
        for line in lines {
            codes.execute(params![space, line.hash, line.codes]).sql()?;
            signs.execute(params![space, line.hash, line.signs]).sql()?;
        }
        Ok(())
    }

    /// Drops up to `limit` rows of line vectors, and as many of pieces, of texts that are in no generation any more; gives
    /// the greater number of both.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn prune_lines(&self, limit: usize) -> Result<usize> {
        or_postgres!(self.prune_lines(limit));
        let mut most = 0;
        for table in ["line_vectors", "line_pieces"] {
            let mut statement = self
                .conn()?
                .prepare_cached(&format!(
                    "DELETE FROM {table} WHERE rowid IN (SELECT v.rowid FROM {table} v WHERE NOT EXISTS \
                   (SELECT 1 FROM generation g CROSS JOIN chunk c ON c.generation = g.id AND c.hash = v.hash) LIMIT ?1)"
                ))
                .sql()?;
            most = most.max(statement.execute([limit]).sql()?);
        }
        Ok(most)
    }
}
