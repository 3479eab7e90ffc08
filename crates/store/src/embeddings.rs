//! Embeddings, found by the hash of what was embedded: a text is never paid for twice, whatever file, chunk or
//! generation it is in.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use super::{
    files::Hash,
    generations::GenerationId,
    ids::{ChunkId, EmbeddingId, id_list},
    media::sql_is_media,
    reader::{Reader, or_postgres},
    refusals::is_refused,
    writer::Tx,
};
use crate::{error::SqlResult, vectors::code};
use model::error::{Code, Error, Result};

pub use super::ids::SpaceId;

/// Key in `meta` of the space that searches use.
pub(crate) const ACTIVE_SPACE: &str = "active_space";

/// Short texts with their vectors. In the order of the rows, which ends with the first that fit: through the index of
/// generations all texts would be read and sorted.
pub(super) const SAMPLES: &str = concat!(
    "SELECT c.text, e.vector FROM chunk c \
    CROSS JOIN embedding e ON e.space_id = ?2 AND e.hash = c.hash \
    WHERE +c.generation = ?1 AND length(c.text) BETWEEN 1 AND ?3 \
    AND NOT ",
    sql_is_media!(),
    " ORDER BY c.id LIMIT ?4"
);

/// Vectors that can be compared with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceRow {
    /// Id.
    pub id: SpaceId,
    /// `embed::Space::key`.
    pub key: String,
    /// Length of its vectors; none before the first one.
    pub dims: Option<u32>,
}

/// A text without embedding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingText {
    /// What the embedding will be stored under.
    pub hash: Hash,
    /// A chunk with this text (there may be more).
    pub chunk_id: ChunkId,
    /// Its text.
    pub text: String,
}

/// A text with the vector that is stored for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Text of a chunk.
    pub text: String,
    /// As the provider sent it.
    pub vector: Vec<f32>,
}

/// An embedding to be stored.
#[derive(Debug, Clone)]
pub struct NewEmbedding {
    /// Hash of what was embedded.
    pub hash: Hash,
    /// As the provider sent it.
    pub vector: Vec<f32>,
}

/// How much of a generation has embeddings in a space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Chunks with something to embed.
    pub chunks: u64,
    /// Of these, with a vector.
    pub embedded: u64,
    /// Of these, refused by the provider, which is not asked again for a while.
    pub refused: u64,
}

/// A row of a hash, a chunk and its text.
pub(super) fn missing_text(row: &rusqlite::Row<'_>) -> rusqlite::Result<MissingText> {
    Ok(MissingText { hash: row.get(0)?, chunk_id: row.get(1)?, text: row.get(2)? })
}

impl Reader<'_> {
    /// A space by its key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn space(&self, key: &str) -> Result<Option<SpaceRow>> {
        or_postgres!(self.space(key));
        let mut statement = self.conn()?.prepare_cached("SELECT id, key, dims FROM space WHERE key = ?1").sql()?;
        let row =
            statement.query_row([key], |row| Ok(SpaceRow { id: row.get(0)?, key: row.get(1)?, dims: row.get(2)? }));
        row.optional().sql()
    }

    /// The space that searches use; none before the first embedding.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn active_space(&self) -> Result<Option<SpaceRow>> {
        or_postgres!(self.active_space());
        let Some(id) = self.meta(ACTIVE_SPACE)? else { return Ok(None) };
        let mut statement =
            self.conn()?.prepare_cached("SELECT id, key, dims FROM space WHERE id = CAST(?1 AS INTEGER)").sql()?;
        let row =
            statement.query_row([id], |row| Ok(SpaceRow { id: row.get(0)?, key: row.get(1)?, dims: row.get(2)? }));
        row.optional().sql()
    }

    /// A page of the distinct inputs of a generation, pictures and sounds included, that have no embedding in a space and
    /// were not refused, ordered by hash, after `after`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn missing_embeddings(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        or_postgres!(self.missing_embeddings(generation, space, after, limit));
        self.missing("", (generation, space), after, limit)
    }

    /// The same of the texts alone.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn unembedded_texts(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        or_postgres!(self.unembedded_texts(generation, space, after, limit));
        self.missing(concat!("AND NOT ", sql_is_media!()), (generation, space), after, limit)
    }

    fn missing(
        &self,
        which: &str,
        (generation, space): (GenerationId, SpaceId),
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        let absent = format!(
            "NOT EXISTS (SELECT 1 FROM embedding e WHERE e.space_id = ?2 AND e.hash = c.hash) AND NOT {} {which}",
            is_refused()
        );
        let covered = self.covered_until(generation, space)?;
        if covered == ChunkId::default() {
            return self.missing_texts(&absent, (generation, space), after, limit);
        }
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "SELECT c.hash, min(c.id), c.text FROM chunk c \
             WHERE c.id > ?5 AND +c.generation = ?1 AND +c.hash > ?3 AND {absent} GROUP BY c.hash ORDER BY c.hash LIMIT ?4"
            ))
            .sql()?;
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let rows = statement.query_map(params![generation, space, after, limit, covered], missing_text).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// A page of the distinct texts of a generation for which `absent` holds of chunk `c` and space `?2`.
    fn missing_texts(
        &self,
        absent: &str,
        (generation, space): (GenerationId, SpaceId),
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        // The first loop reads an index only; the text is fetched for the page that is returned.
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "WITH page AS MATERIALIZED ( \
               SELECT c.hash AS hash, min(c.id) AS id FROM chunk c \
               WHERE c.generation = ?1 AND c.hash > ?3 AND {absent} \
               GROUP BY c.hash ORDER BY c.hash LIMIT ?4) \
             SELECT page.hash, page.id, c.text FROM page CROSS JOIN chunk c ON c.id = page.id ORDER BY page.hash"
            ))
            .sql()?;
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let rows = statement.query_map(params![generation, space, after, limit], missing_text).sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Whether a text has an embedding in a space.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn has_embedding(&self, space: SpaceId, hash: &Hash) -> Result<bool> {
        or_postgres!(self.has_embedding(space, hash));
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM embedding WHERE space_id = ?1 AND hash = ?2)")
            .sql()?;
        statement.query_row((space, hash), |row| row.get(0)).sql()
    }

    /// How much of a generation has embeddings in a space.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn coverage(&self, generation: GenerationId, space: SpaceId) -> Result<Coverage> {
        or_postgres!(self.coverage(generation, space));
        let covered = self.covered_until(generation, space)?;
        let is_known = covered != ChunkId::default();
        // Of the chunks that came since; the index of hashes would be read from end to end.
        let which = if is_known { "c.id > ?3 AND +c.generation = ?1" } else { "c.generation = ?1 AND c.id > ?3" };
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "SELECT count(*), \
               count((SELECT 1 FROM embedding e WHERE e.space_id = ?2 AND e.hash = c.hash)), \
               coalesce(sum({}), 0) \
             FROM chunk c WHERE {which} AND c.hash IS NOT NULL",
                is_refused()
            ))
            .sql()?;
        let counts =
            |row: &rusqlite::Row<'_>| Ok(Coverage { chunks: row.get(0)?, embedded: row.get(1)?, refused: row.get(2)? });
        let mut coverage = statement.query_row((generation, space, covered), counts).sql()?;
        if coverage.embedded == coverage.chunks && coverage.refused == 0 {
            self.remember_covered(generation, space)?;
        }
        if is_known {
            let (_, chunks) = self.chunk_counts(generation)?;
            coverage.embedded += chunks.saturating_sub(coverage.chunks);
            coverage.chunks = chunks;
        }
        Ok(coverage)
    }

    /// Exact cosine similarity (-1–1) of a query with stored vectors, computed by sqlite-vec over the stored floats, in
    /// the order of `embedding_ids`. Vectors that are gone are left out; a vector of zeros gives none.
    ///
    /// # Errors
    /// [`Code::Argument`] when the query is not of the length of the space.
    pub(crate) fn exact_cosine(
        &self,
        space: SpaceId,
        embedding_ids: &[EmbeddingId],
        query: &[f32],
    ) -> Result<Vec<(EmbeddingId, Option<f64>)>> {
        let dims: Option<u32> = self
            .conn()?
            .prepare_cached("SELECT dims FROM space WHERE id = ?1")
            .sql()?
            .query_row([space], |row| row.get(0))
            .optional()
            .sql()?
            .flatten();
        let Some(dims) = dims else { return Ok(Vec::new()) };
        if query.len() != dims as usize || !query.iter().all(|value| value.is_finite()) {
            let message = format!("the query vector has {} numbers, the stored ones {dims}", query.len());
            return Err(Error::new(Code::Argument, message));
        }
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT e.id, 1.0 - vec_distance_cosine(e.vector, ?3) FROM rarray(?1) ids \
             CROSS JOIN embedding e ON e.id = ids.value AND +e.space_id = ?2",
            )
            .sql()?;
        let rows = statement
            .query_map(params![id_list(embedding_ids), space, to_blob(query)], |row| Ok((row.get(0)?, row.get(1)?)))
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// The stored vectors of texts in a space, by the hashes of the texts.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn vectors_of(&self, space: SpaceId, hashes: &[Hash]) -> Result<HashMap<Hash, Vec<f32>>> {
        or_postgres!(self.vectors_of(space, hashes));
        let mut statement =
            self.conn()?.prepare_cached("SELECT vector FROM embedding WHERE space_id = ?1 AND hash = ?2").sql()?;
        let mut found = HashMap::with_capacity(hashes.len());
        for hash in hashes {
            let vector = statement.query_row((space, hash), |row| {
                Ok(from_blob(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?))
            });
            found.extend(vector.optional().sql()?.map(|vector| (*hash, vector)));
        }
        Ok(found)
    }

    /// The oldest texts of a generation that have a vector in a space, of at most so many characters.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn samples(
        &self,
        generation: GenerationId,
        space: SpaceId,
        max_chars: usize,
        limit: usize,
    ) -> Result<Vec<Sample>> {
        or_postgres!(self.samples(generation, space, max_chars, limit));
        let mut statement = self.conn()?.prepare_cached(SAMPLES).sql()?;
        let rows = statement
            .query_map(params![generation, space, max_chars, limit], |row| {
                let vector = from_blob(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
                Ok(Sample { text: row.get(0)?, vector })
            })
            .sql()?;
        rows.collect::<rusqlite::Result<_>>().sql()
    }

    /// The stored vector of a chunk in a space.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn vector(&self, space: SpaceId, chunk_id: ChunkId) -> Result<Option<Vec<f32>>> {
        or_postgres!(self.vector(space, chunk_id));
        let mut statement = self.conn()?.prepare_cached(
            "SELECT e.vector FROM chunk c CROSS JOIN embedding e ON e.space_id = ?1 AND e.hash = c.hash WHERE c.id = ?2",
        ).sql()?;
        let vector = statement.query_row((space, chunk_id), |row| {
            Ok(from_blob(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?))
        });
        vector.optional().sql()
    }
}

impl Tx<'_> {
    /// The space with a key, made when it is new. `dims` of a space never change once known.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn get_or_create_space(&self, key: &str) -> Result<SpaceRow> {
        or_postgres!(self.get_or_create_space(key));
        self.conn()?.prepare_cached("INSERT OR IGNORE INTO space (key) VALUES (?1)").sql()?.execute([key]).sql()?;
        self.space(key)?.ok_or_else(|| Error::new(Code::Internal, "a space that was just stored is not there"))
    }

    /// Makes a space the one that searches use.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn set_active_space(&self, space: SpaceId) -> Result<()> {
        or_postgres!(self.set_active_space(space));
        self.set_meta(ACTIVE_SPACE, &space.to_string())
    }

    /// Stores embeddings. One that is there already stays as it is. The first of a space decides its length.
    ///
    /// # Errors
    /// [`Code::ProviderResponse`] when a vector is empty, not finite, or of another length: nothing is stored then.
    pub fn insert_embeddings(&self, space: SpaceId, embeddings: &[NewEmbedding]) -> Result<()> {
        or_postgres!(self.insert_embeddings(space, embeddings));
        let Some(first) = embeddings.first() else { return Ok(()) };
        self.conn()?
            .prepare_cached("UPDATE space SET dims = ?2 WHERE id = ?1 AND dims IS NULL")
            .sql()?
            .execute((space, first.vector.len()))
            .sql()?;
        let dims: usize = self
            .conn()?
            .prepare_cached("SELECT dims FROM space WHERE id = ?1")
            .sql()?
            .query_row([space], |row| row.get(0))
            .sql()?;
        for embedding in embeddings {
            check_vector(&embedding.vector, dims)?;
        }
        let mut insert = self
            .conn()?
            .prepare_cached(
                "INSERT OR IGNORE INTO embedding (space_id, hash, used_ms, code, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .sql()?;
        let mut accepted =
            self.conn()?.prepare_cached("DELETE FROM refused_text WHERE space_id = ?1 AND hash = ?2").sql()?;
        for embedding in embeddings {
            let vector = to_blob(&embedding.vector);
            insert.execute(params![space, embedding.hash, self.now_ms(), code(&embedding.vector), vector]).sql()?;
            accepted.execute((space, embedding.hash)).sql()?;
        }
        Ok(())
    }
}

/// Refuses what would spoil every later comparison.
pub(crate) fn check_vector(vector: &[f32], dims: usize) -> Result<()> {
    if vector.is_empty() || vector.len() != dims {
        let message = format!("the provider sent a vector of {} numbers, the index holds {dims}", vector.len());
        return Err(Error::new(Code::ProviderResponse, message).remedy(
            "The model behind the endpoint may have changed; set its name, then run `openclaw memory index --force`",
        ));
    }
    if !vector.iter().all(|value| value.is_finite()) {
        return Err(Error::new(Code::ProviderResponse, "the provider sent a vector with a number that is not finite"));
    }
    Ok(())
}

/// Floats as sqlite-vec reads them: 32-bit, little-endian.
fn to_blob(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// The inverse of [`to_blob`].
pub(super) fn from_blob(blob: &[u8]) -> Vec<f32> {
    blob.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}
