//! Embeddings by the hash of what was embedded. They are the tenant's: what one agent has paid for, all have.

use std::collections::HashMap;

use tokio_postgres::{
    Row,
    types::{ToSql, Type},
};

use super::{
    agent::{Reader, Tx, column, int8, natural, text, the_row},
    codes::OF_NEW_VECTORS,
    connect::Param,
    files::hash,
    media::{IS_MEDIA, body},
    refusals::is_refused,
    transaction::Owned,
};
use crate::{
    embeddings::{ACTIVE_SPACE, Coverage, MissingText, NewEmbedding, Sample, SpaceRow, check_vector},
    files::Hash,
    generations::GenerationId,
    ids::{ChunkId, SpaceId},
    vectors::code,
};
use model::error::{Code, Error, Result};

/// Codes that are written when a space becomes the one that is searched: a second or two of work.
const CODES_AT_ONCE: usize = 20_000;

pub(super) fn space_row(row: &Row) -> Result<SpaceRow> {
    let dims = column::<Option<i64>>(row, 2)?.map(u32::try_from).transpose();
    let dims = dims.map_err(|_| Error::new(Code::Corrupt, "the database holds vectors of no possible length"))?;
    Ok(SpaceRow { id: column(row, 0)?, key: column(row, 1)?, dims })
}

/// Exact cosines of chunks. What has another length is compared with nothing, and refused before.
pub(super) const COSINES: &str = "SELECT c.id, CASE WHEN vector_dims(e.v) = cardinality($4) THEN 1 - (e.v <=> $4::real[]::vector) END \
     FROM unnest($5) WITH ORDINALITY ids (id, place) JOIN chunk c ON c.agent = $1 AND c.id = ids.id \
     JOIN embedding e ON e.tenant = $2 AND e.space = $3 AND e.hash = c.hash ORDER BY ids.place";

/// A query that chunks are compared with.
pub(super) struct Cosines<'a> {
    agent: i64,
    tenant: &'a str,
    space: SpaceId,
    query: &'a [f32],
}

impl<'a> Cosines<'a> {
    pub(super) const fn of(reader: &Reader<'a>, space: SpaceId, query: &'a [f32]) -> Self {
        Self { agent: reader.agent, tenant: reader.tenant, space, query }
    }

    /// The values of [`COSINES`].
    pub(super) fn params<'p>(&'p self, chunks: &'p (dyn ToSql + Sync)) -> [Param<'p>; 5] {
        [
            int8(&self.agent),
            text(&self.tenant),
            int8(&self.space),
            (&self.query as _, Type::FLOAT4_ARRAY),
            (chunks, Type::INT8_ARRAY),
        ]
    }

    /// Whether the database can be asked with it.
    pub(super) fn is_vector(&self) -> bool {
        !self.query.is_empty() && self.query.iter().all(|value| value.is_finite())
    }

    /// That it is a vector of a space of so many dimensions.
    pub(super) fn check(&self, dims: i64) -> Result<()> {
        if self.query.len() as i64 == dims && self.is_vector() {
            return Ok(());
        }
        let message = format!("the query vector has {} numbers, the stored ones {dims}", self.query.len());
        Err(Error::new(Code::Argument, message))
    }
}

/// A row of [`COSINES`].
pub(super) fn cosine(row: &Row) -> Result<(ChunkId, Option<f64>)> {
    let cosine = column::<Option<f64>>(row, 1)?;
    Ok((column(row, 0)?, cosine.filter(|cosine| cosine.is_finite())))
}

impl Reader<'_> {
    /// A space by its key.
    ///
    /// # Errors
    /// What the database answers.
    pub fn space(&self, key: &str) -> Result<Option<SpaceRow>> {
        let sql = "SELECT id, key, dims FROM space WHERE tenant = $1 AND key = $2";
        // Others of the tenant make spaces too, and bring the first vector. From then on they stay as they are.
        let stays =
            |rows: &[Row]| rows.first().is_some_and(|row| column::<Option<i64>>(row, 2).is_ok_and(|d| d.is_some()));
        let rows = self.answer_that_stays(sql, key, &[text(&self.tenant), text(&key)], stays)?;
        rows.first().map(space_row).transpose()
    }

    /// The space that searches use; none before the first embedding.
    ///
    /// # Errors
    /// What the database answers.
    pub fn active_space(&self) -> Result<Option<SpaceRow>> {
        if let Some(state) = self.state()? {
            return Ok(state.space.clone());
        }
        let sql = "SELECT s.id, s.key, s.dims FROM meta m JOIN space s ON s.tenant = $2 AND s.id = m.value::bigint \
                   WHERE m.agent = $1 AND m.key = $3";
        let params = [int8(&self.agent), text(&self.tenant), text(&ACTIVE_SPACE)];
        self.tx.row(sql, &params)?.as_ref().map(space_row).transpose()
    }

    /// A page of the distinct texts of a generation that have no embedding in a space and were not refused, ordered by hash,
    /// after `after`.
    ///
    /// # Errors
    /// What the database answers.
    pub fn missing_embeddings(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        self.texts_without(&format!("NOT {}", is_refused()), (generation, space), after, limit)
    }

    /// A page of the distinct texts of a generation that have no embedding in a space and for which `which` holds of chunk `c`.
    pub(super) fn texts_without(
        &self,
        which: &str,
        (generation, space): (GenerationId, SpaceId),
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        let among = of_later(self.covered_until(generation, space)?);
        let sql = page_of_texts(&format!("{ABSENT} AND {which}"), &among);
        self.missing_texts(&sql, (generation, space), after, limit)
    }

    /// A page of the distinct texts of a generation, by [`page_of_texts`] or its like.
    pub(super) fn missing_texts(
        &self,
        sql: &str,
        (generation, space): (GenerationId, SpaceId),
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let params = [
            int8(&self.agent),
            text(&self.tenant),
            int8(&space),
            int8(&generation),
            (&after as _, Type::BYTEA),
            int8(&limit),
        ];
        let missing = |row: &Row| -> Result<MissingText> {
            let text = String::from_utf8(column(row, 2)?);
            let text = text.map_err(|_| Error::new(Code::Corrupt, "the database holds a text that is none"))?;
            Ok(MissingText { hash: hash(column(row, 0)?)?, chunk_id: column(row, 1)?, text })
        };
        self.tx.rows(sql, &params)?.iter().map(missing).collect()
    }

    /// How much of a generation has embeddings in a space.
    ///
    /// # Errors
    /// What the database answers.
    pub fn coverage(&self, generation: GenerationId, space: SpaceId) -> Result<Coverage> {
        let covered = self.covered_until(generation, space)?;
        let counted = of_later(covered);
        let sql = format!(
            "SELECT count(*), count(*) FILTER (WHERE NOT {ABSENT}), count(*) FILTER (WHERE {}), \
               (SELECT g.hashed FROM generation g WHERE g.agent = $1 AND g.id = $4) FROM chunk c \
             WHERE c.agent = $1 AND {counted} AND c.hash IS NOT NULL",
            is_refused()
        );
        let params = [int8(&self.agent), text(&self.tenant), int8(&space), int8(&generation)];
        let row = the_row(self.tx.row(&sql, &params)?)?;
        let mut coverage =
            Coverage { chunks: natural(&row, 0)?, embedded: natural(&row, 1)?, refused: natural(&row, 2)? };
        if coverage.embedded == coverage.chunks && coverage.refused == 0 {
            self.remember_covered(generation, space, covered)?;
        }
        if covered != ChunkId::default() {
            let chunks: u64 = natural(&row, 3)?;
            coverage.embedded += chunks.saturating_sub(coverage.chunks);
            coverage.chunks = chunks;
        }
        Ok(coverage)
    }

    /// Exact cosine similarity (-1–1) of a query with the vectors of chunks, in the order of the chunks. Those that are gone
    /// or have no vector are left out; a vector of zeros gives none.
    ///
    /// # Errors
    /// [`Code::Argument`] when the query is not of the length of the space; what the database answers.
    pub fn cosines(&self, space: SpaceId, chunks: &[ChunkId], query: &[f32]) -> Result<Vec<(ChunkId, Option<f64>)>> {
        let asked = Cosines::of(self, space, query);
        let known = self.state.get().and_then(|state| state.space.as_ref());
        let known = known.filter(|known| known.id == space).and_then(|known| known.dims);
        let (dims, rows) = match (known, asked.is_vector()) {
            (Some(dims), true) => (Some(i64::from(dims)), self.tx.rows(COSINES, &asked.params(&chunks))?),
            (Some(dims), false) => (Some(i64::from(dims)), Vec::new()),
            (None, is_vector) => {
                let of_space = "SELECT dims FROM space WHERE tenant = $1 AND id = $2";
                let space_params = [text(&self.tenant), int8(&space)];
                let (dims, rows) = match is_vector {
                    true => self.tx.rows_of_both((of_space, &space_params), (COSINES, &asked.params(&chunks)))?,
                    false => (self.tx.rows(of_space, &space_params)?, Vec::new()),
                };
                (dims.first().map(|row| column::<Option<i64>>(row, 0)).transpose()?.flatten(), rows)
            }
        };
        let Some(dims) = dims else { return Ok(Vec::new()) };
        asked.check(dims)?;
        rows.iter().map(cosine).collect()
    }

    /// The stored vectors of texts in a space, by the hashes of the texts.
    ///
    /// # Errors
    /// What the database answers.
    pub fn vectors_of(&self, space: SpaceId, hashes: &[Hash]) -> Result<HashMap<Hash, Vec<f32>>> {
        let sql = "SELECT hash, v::real[] FROM embedding WHERE tenant = $1 AND space = $2 AND hash = ANY ($3)";
        let hashes: Vec<&[u8]> = hashes.iter().map(Hash::as_slice).collect();
        let rows = self.tx.rows(sql, &[text(&self.tenant), int8(&space), (&hashes, Type::BYTEA_ARRAY)])?;
        rows.iter().map(|row| Ok((hash(column(row, 0)?)?, column(row, 1)?))).collect()
    }

    /// Whether a text has an embedding in a space.
    ///
    /// # Errors
    /// What the database answers.
    pub fn has_embedding(&self, space: SpaceId, hash: &Hash) -> Result<bool> {
        let sql = "SELECT 1 FROM embedding WHERE tenant = $1 AND space = $2 AND hash = $3";
        let params = [text(&self.tenant), int8(&space), (&hash.as_slice() as _, Type::BYTEA)];
        Ok(self.tx.row(sql, &params)?.is_some())
    }

    /// Number of embeddings that the tenant has, of all spaces.
    ///
    /// # Errors
    /// What the database answers.
    pub fn embedding_count(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM embedding WHERE tenant = $1";
        natural(&the_row(self.tx.row(sql, &[text(&self.tenant)])?)?, 0)
    }

    /// The oldest texts of a generation that have a vector in a space; see [`crate::Reader::samples`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn samples(
        &self,
        generation: GenerationId,
        space: SpaceId,
        max_chars: usize,
        limit: usize,
    ) -> Result<Vec<Sample>> {
        // A character has at most four bytes, and is counted below.
        let sql = format!(
            "SELECT c.body, e.v::real[] FROM chunk c \
             JOIN embedding e ON e.tenant = $2 AND e.space = $3 AND e.hash = c.hash \
             WHERE c.agent = $1 AND c.generation = $4 AND octet_length(c.body) BETWEEN 1 AND 4 * $5 AND NOT {IS_MEDIA} \
             ORDER BY c.id LIMIT $6"
        );
        let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX / 4);
        let (most, page) = (number(max_chars), number(limit.saturating_mul(4)));
        let params = [int8(&self.agent), text(&self.tenant), int8(&space), int8(&generation), int8(&most), int8(&page)];
        let mut samples = Vec::new();
        for row in self.tx.rows(&sql, &params)? {
            let text = body(&row, 0)?.to_owned();
            if samples.len() < limit && text.chars().count() <= max_chars {
                samples.push(Sample { text, vector: column(&row, 1)? });
            }
        }
        Ok(samples)
    }

    /// The stored vector of a chunk in a space.
    ///
    /// # Errors
    /// What the database answers.
    pub fn vector(&self, space: SpaceId, chunk: ChunkId) -> Result<Option<Vec<f32>>> {
        let sql = "SELECT e.v::real[] FROM chunk c JOIN embedding e ON e.tenant = $2 AND e.space = $3 AND e.hash = c.hash \
                   WHERE c.agent = $1 AND c.id = $4";
        let params = [int8(&self.agent), text(&self.tenant), int8(&space), int8(&chunk)];
        self.tx.row(sql, &params)?.map(|row| column(&row, 0)).transpose()
    }
}

// Whether a row is there is asked as a value, here and of refusals and lines: it is looked for by itself. `NOT EXISTS` becomes a join,
// and of tables that have just been filled, which the planner takes for empty, one that compares each row with all.

/// SQL: whether the text with hash `c.hash` has no embedding in space `$3` of tenant `$2`.
pub(super) const ABSENT: &str =
    "(SELECT true FROM embedding e WHERE e.tenant = $2 AND e.space = $3 AND e.hash = c.hash LIMIT 1) IS NULL";

/// SQL: whether chunk `c` is of generation `$4`.
pub(super) const OF_ALL: &str = "c.generation = $4";

/// SQL: whether chunk `c` is of generation `$4` and came after another, or is any where that is the default. The sum keeps the planner
/// from the index of hashes, all of which it would read.
pub(super) fn of_later(than: ChunkId) -> String {
    if than == ChunkId::default() {
        return OF_ALL.to_owned();
    }
    format!("c.id > {than} AND c.generation + 0 = $4")
}

/// SQL: a page of the distinct texts of the chunks `c` for which `among` and `which` hold, of space `$3` of tenant `$2`.
pub(super) fn page_of_texts(which: &str, among: &str) -> String {
    // The texts of the page only are read.
    format!(
        "WITH page AS MATERIALIZED (SELECT c.hash, min(c.id) AS id FROM chunk c \
           WHERE c.agent = $1 AND {among} AND c.hash > $5 AND {which} \
           GROUP BY c.hash ORDER BY c.hash LIMIT $6) \
         SELECT page.hash, c.id, c.body FROM page JOIN chunk c ON c.agent = $1 AND c.id = page.id ORDER BY page.hash"
    )
}

impl Tx<'_> {
    /// The space with a key, made when it is new. `dims` of a space never change once known.
    ///
    /// # Errors
    /// What the database answers.
    pub fn get_or_create_space(&self, key: &str) -> Result<SpaceRow> {
        let sql = "INSERT INTO space (tenant, key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        self.tx.execute(sql, &[text(&self.tenant), text(&key)])?;
        self.space(key)?.ok_or_else(|| Error::new(Code::Internal, "a space that was just stored is not there"))
    }

    /// Makes a space the one that searches use.
    ///
    /// # Errors
    /// What the database answers.
    pub fn set_active_space(&self, space: SpaceId) -> Result<()> {
        self.set_meta(ACTIVE_SPACE, &space.to_string())?;
        // What other agents of the tenant have brought is searched from now on; the rest of much follows in steps.
        for generation in [self.live()?, self.building()?].into_iter().flatten() {
            self.write_codes(generation.id, space, ChunkId::default(), CODES_AT_ONCE)?;
        }
        Ok(())
    }

    /// Stores embeddings. One that is there already stays as it is. The first of a space decides its length.
    ///
    /// # Errors
    /// [`Code::ProviderResponse`] when a vector is empty, not finite, or of another length: nothing is stored then.
    pub fn insert_embeddings(&self, space: SpaceId, embeddings: &[NewEmbedding]) -> Result<()> {
        let Some(first) = embeddings.first() else { return Ok(()) };
        let length = first.vector.len();
        // Two agents that store the same texts wait for each other in one order.
        let mut embeddings: Vec<&NewEmbedding> = embeddings.iter().collect();
        embeddings.sort_by_key(|embedding| embedding.hash);
        for embedding in &embeddings {
            check_vector(&embedding.vector, length)?;
        }
        if self.known_length != Some((space, length)) {
            // Others of the tenant do the same at the same time: whoever finds the length there leaves the row alone.
            let dims = length as i64;
            let of_space = [text(&self.tenant), int8(&space), int8(&dims)];
            let (_, rows) = self.tx.rows_of_both(
                ("UPDATE space SET dims = $3 WHERE tenant = $1 AND id = $2 AND dims IS NULL", &of_space),
                ("SELECT dims FROM space WHERE tenant = $1 AND id = $2", &of_space[..2]),
            )?;
            check_vector(&first.vector, natural(&the_row(rows.into_iter().next())?, 0)?)?;
        }
        self.length.set(Some((space, length)));
        let hashes = || -> Owned {
            let list: Vec<Vec<u8>> = embeddings.iter().map(|embedding| embedding.hash.to_vec()).collect();
            (Box::new(list), Type::BYTEA_ARRAY)
        };
        let codes: Vec<Vec<u8>> = embeddings.iter().map(|embedding| code(&embedding.vector)).collect();
        // There is no list of lists of any length; the numbers of all go one after the other.
        let numbers: Vec<f32> = embeddings.iter().flat_map(|embedding| embedding.vector.iter().copied()).collect();
        let number = |number: i64| -> Owned { (Box::new(number), Type::INT8) };
        let tenant = || -> Owned { (Box::new(self.tenant.to_owned()), Type::TEXT) };
        let vectors = vec![
            tenant(),
            number(space.number()),
            hashes(),
            number(self.now_ms),
            (Box::new(codes), Type::BYTEA_ARRAY),
            (Box::new(numbers), Type::FLOAT4_ARRAY),
            number(length as i64),
        ];
        self.tx.execute_later(PUT, vectors);
        self.tx.execute_later(OF_NEW_VECTORS, vec![number(self.agent), tenant(), number(space.number()), hashes()]);
        Ok(())
    }
}

/// Stores vectors of a length, of which none is refused any more. Where those of the space have another one all is undone: that it
/// was seen by an earlier write is taken for granted.
const PUT: &str = "WITH accepted AS (DELETE FROM refused_text WHERE tenant = $1 AND space = $2 AND hash = ANY ($3)) \
     INSERT INTO embedding (tenant, space, hash, used_ms, code, v) \
     SELECT $1, $2, e.hash, $4, e.code, ($6::real[])[((e.place - 1) * $7 + 1)::int : (e.place * $7)::int]::vector \
     FROM unnest($3, $5) WITH ORDINALITY e (hash, code, place) \
     WHERE 1 / (SELECT count(*) FROM space WHERE tenant = $1 AND id = $2 AND dims = $7) = 1 ON CONFLICT DO NOTHING";
