//! Vectors of the single lines of a chunk; see the file of this name for the other store.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use foldhash::fast::RandomState;
use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, Tx, column, int8, natural, the_row},
    embeddings::OF_ALL,
    kept::LineCodes,
    media::IS_MEDIA,
};
use crate::{
    embeddings::MissingText,
    files::Hash,
    generations::GenerationId,
    ids::{ChunkId, SpaceId},
    line_vectors::LineData,
};
use model::error::Result;

/// SQL: that the lines of a text with hash `c.hash` have no vectors in space `$3`.
pub(super) const ABSENT: &str =
    "(SELECT true FROM line_vectors v WHERE v.agent = $1 AND v.space = $3 AND v.hash = c.hash LIMIT 1) IS NULL";

/// SQL: the first texts whose lines have no vectors, in the order of their chunks.
pub(super) fn first_page_of_lines() -> String {
    // The texts of the page only are read.
    format!(
        "WITH page AS MATERIALIZED (SELECT c.hash, min(c.id) AS id FROM chunk c \
           WHERE c.agent = $1 AND {OF_ALL} AND NOT {IS_MEDIA} AND {ABSENT} GROUP BY c.hash ORDER BY id LIMIT $6) \
         SELECT page.hash, c.id, c.body FROM page JOIN chunk c ON c.agent = $1 AND c.id = page.id ORDER BY page.id"
    )
}

/// SQL: those that come after a text with the hash `$5`.
fn next_page_of_lines() -> String {
    format!(
        "SELECT c.hash, c.id, c.body FROM chunk c \
         WHERE c.agent = $1 AND c.generation + 0 = $4 AND NOT {IS_MEDIA} AND {ABSENT} AND c.id > coalesce( \
           (SELECT min(a.id) FROM chunk a WHERE a.agent = $1 AND a.generation = $4 AND a.hash = $5), 0) \
         AND (SELECT true FROM chunk b WHERE b.agent = $1 AND b.generation = $4 AND b.hash = c.hash AND b.id < c.id \
              LIMIT 1) IS NULL \
         ORDER BY c.id LIMIT $6"
    )
}

/// What the lines of chunks with a text mean.
pub(super) const LINES: &str = "SELECT c.id, v.codes, v.signs FROM unnest($3) ids (id) \
     JOIN chunk c ON c.agent = $1 AND c.id = ids.id AND c.hash IS NOT NULL \
     LEFT JOIN line_vectors v ON v.agent = $1 AND v.space = $2 AND v.hash = c.hash";

/// What the lines of chunks mean; none of a chunk without a text, or of none.
pub(super) type Lines = HashMap<ChunkId, Option<Arc<LineCodes>>, RandomState>;

impl Reader<'_> {
    /// A page of the distinct texts of a generation whose lines have no vectors in a space, in the order of their chunks, after
    /// the text `after`.
    ///
    /// # Errors
    /// What the database answers.
    pub fn missing_line_vectors(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        let sql = if after.is_some() { next_page_of_lines() } else { first_page_of_lines() };
        self.missing_texts(&sql, (generation, space), after, limit)
    }

    /// How many distinct texts of a generation [`Reader::missing_line_vectors`] gives, page by page; all of them where there
    /// is no space yet.
    ///
    /// # Errors
    /// What the database answers.
    pub fn pending_lines(&self, generation: GenerationId, space: Option<SpaceId>) -> Result<u64> {
        let sql = format!(
            "SELECT count(DISTINCT c.hash) FROM chunk c WHERE c.agent = $1 AND c.generation = $2 \
             AND NOT {IS_MEDIA} AND {ABSENT}"
        );
        let params = [int8(&self.agent), int8(&generation), (&space as _, Type::INT8)];
        natural(&the_row(self.tx.row(&sql, &params)?)?, 0)
    }

    /// Whether any line vector is stored in a space.
    ///
    /// # Errors
    /// What the database answers.
    pub fn has_line_vectors(&self, space: SpaceId) -> Result<bool> {
        let sql = "SELECT 1 FROM line_vectors WHERE agent = $1 AND space = $2 LIMIT 1";
        Ok(!self.answer(sql, &space.to_string(), &[int8(&self.agent), int8(&space)])?.is_empty())
    }

    /// The line codes of chunks with a text: chunk id, codes of its lines in order; none of those that have none yet.
    ///
    /// # Errors
    /// What the database answers.
    pub fn line_codes(&self, space: SpaceId, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, Option<Vec<u8>>)>> {
        Ok(self.of_lines(space, chunks)?.map(|(id, lines)| (id, lines.codes.clone())).collect())
    }

    /// What the lines of chunks say piece by piece, where that is known: chunk id, signs as in [`LineData`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn line_signs(&self, space: SpaceId, chunks: &[ChunkId]) -> Result<Vec<(ChunkId, Vec<u8>)>> {
        Ok(self.of_lines(space, chunks)?.filter_map(|(id, lines)| Some((id, lines.signs.clone()?))).collect())
    }

    /// What the lines of chunks with a text mean, in the order of the chunks: of those that are in memory, and of others.
    fn of_lines(&self, space: SpaceId, chunks: &[ChunkId]) -> Result<impl Iterator<Item = (ChunkId, Arc<LineCodes>)>> {
        let (mut known, missing) = self.lines_of(space, chunks.iter().copied());
        if !missing.is_empty() {
            let params = [int8(&self.agent), int8(&space), (&missing as _, Type::INT8_ARRAY)];
            known.extend(self.learnt_lines(space, &missing, &self.tx.rows(LINES, &params)?)?);
        }
        let of = move |id: &ChunkId| Some((*id, Arc::clone(known.get(id)?.as_ref()?)));
        Ok(chunks.iter().filter_map(of))
    }

    /// What is in memory of the lines of chunks, and the chunks of which nothing is.
    pub(super) fn lines_of(&self, space: SpaceId, ids: impl Iterator<Item = ChunkId>) -> (Lines, Vec<ChunkId>) {
        let (mut known, mut missing) = (Lines::default(), Vec::new());
        let kept = self.kept();
        for id in ids {
            match kept.and_then(|(kept, era, now)| kept.lines(era, space, id).filter(|(read, _)| *read == now)) {
                Some((_, lines)) => drop(known.insert(id, lines)),
                None => missing.push(id),
            }
        }
        (known, missing)
    }

    /// What [`LINES`] was answered of chunks, which is kept.
    pub(super) fn learnt_lines(&self, space: SpaceId, ids: &[ChunkId], rows: &[Row]) -> Result<Lines> {
        let mut read: Lines = ids.iter().map(|id| (*id, None)).collect();
        for row in rows {
            let lines = LineCodes { codes: column(row, 1)?, signs: column(row, 2)? };
            read.insert(column(row, 0)?, Some(Arc::new(lines)));
        }
        if let Some((kept, era, version)) = self.kept() {
            for (id, lines) in &read {
                kept.keep_lines(era, version, space, *id, lines.clone());
            }
        }
        Ok(read)
    }
}

impl Tx<'_> {
    /// Stores what was made of the lines of texts, but of none that has left the index meanwhile.
    ///
    /// # Errors
    /// What the database answers.
    pub fn insert_lines(&self, space: SpaceId, lines: &[LineData]) -> Result<()> {
        // Of a text that is there twice the last counts; a statement may not write a row twice.
        let by_hash: BTreeMap<&Hash, &LineData> = lines.iter().map(|line| (&line.hash, line)).collect();
        let is_known = "WHERE EXISTS (\
             SELECT 1 FROM generation g JOIN chunk c ON c.agent = $1 AND c.generation = g.id AND c.hash = l.hash \
             WHERE g.agent = $1)";
        self.put_lines(space, &by_hash.into_values().collect::<Vec<_>>(), is_known)
    }

    /// Stores what was made of the lines of texts, each once, of those that a condition holds of.
    pub(super) fn put_lines(&self, space: SpaceId, lines: &[&LineData], condition: &str) -> Result<()> {
        let hashes: Vec<&[u8]> = lines.iter().map(|line| line.hash.as_slice()).collect();
        let codes: Vec<&[u8]> = lines.iter().map(|line| line.codes.as_slice()).collect();
        let signs: Vec<&[u8]> = lines.iter().map(|line| line.signs.as_slice()).collect();
        let sql = format!(
            "INSERT INTO line_vectors (agent, space, hash, codes, signs) \
             SELECT $1, $2, l.* FROM unnest($3, $4, $5) l (hash, codes, signs) {condition} \
             ON CONFLICT (agent, space, hash) DO UPDATE SET codes = excluded.codes, signs = excluded.signs"
        );
        let params = [
            int8(&self.agent),
            int8(&space),
            (&hashes as _, Type::BYTEA_ARRAY),
            (&codes as _, Type::BYTEA_ARRAY),
            (&signs as _, Type::BYTEA_ARRAY),
        ];
        self.tx.execute(&sql, &params).map(drop)
    }

    /// Drops up to `limit` rows of line vectors of texts that are in no generation any more; gives their number.
    ///
    /// # Errors
    /// What the database answers.
    pub fn prune_lines(&self, limit: usize) -> Result<usize> {
        let sql = "DELETE FROM line_vectors l USING (SELECT v.space, v.hash FROM line_vectors v WHERE v.agent = $1 \
                     AND NOT EXISTS (SELECT 1 FROM generation g JOIN chunk c ON c.agent = $1 AND c.generation = g.id \
                       AND c.hash = v.hash WHERE g.agent = $1) LIMIT $2) old \
                   WHERE l.agent = $1 AND l.space = old.space AND l.hash = old.hash";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let gone = self.tx.execute(sql, &[int8(&self.agent), int8(&limit)])?;
        Ok(usize::try_from(gone).unwrap_or(usize::MAX))
    }
}
