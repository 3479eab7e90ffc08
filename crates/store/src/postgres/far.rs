//! The chunks nearest to a query, found by the database: for an agent whose vectors are not to be in memory. All signs are
//! compared, and the vectors of the best by these. No index of neighbours is used, one that somebody else has made neither:
//! behind a filter it gives too few rows.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use tokio_postgres::types::Type;

use super::{
    agent::{Reader, column, int8, natural, text},
    connect::Param,
};
use crate::{
    database::Comparing,
    generations::GenerationId,
    ids::{ChunkId, SpaceId},
    order::ChunkOrder,
    vectors::arena::Arena,
    within::Within,
};
use model::{config::settings::NearIn, error::Result, source::Source};

/// How many of the best by signs are compared by their vectors: the fewer signs there are, the less these say. Measured, the
/// best 128 of 5,000 vectors of 128 numbers are among the first 1,024 in 94 % only, of 50,000 of 1,536 among the first 512 in
/// 99.8 %.
fn compared(dims: usize) -> i64 {
    i64::try_from(393_216 / dims.max(1)).unwrap_or(i64::MAX).clamp(512, 8_192)
}

/// Texts of a source that the mean direction of all is taken from, those with the lowest hashes: which these are says nothing
/// of what they mean. It is right to 0.002 where cosines spread by 0.1.
const SAMPLED: i64 = 2_048;

/// The mean directions of the sources, and how many chunks have a vector.
const CENTRES: &str = "WITH sample AS MATERIALIZED (\
       SELECT f.source, c.hash, row_number() OVER (PARTITION BY f.source ORDER BY c.hash, c.id) AS place, \
         count(*) OVER (PARTITION BY f.source) AS total \
       FROM code k JOIN chunk c ON c.agent = $1 AND c.id = k.chunk JOIN file f ON f.agent = $1 AND f.id = k.file \
       WHERE k.agent = $1 AND k.generation = $3 AND k.space = $4) \
     SELECT s.source, max(s.total), avg(l2_normalize(e.v))::real[] FROM sample s \
     JOIN embedding e ON e.tenant = $2 AND e.space = $4 AND e.hash = s.hash WHERE s.place <= $5 GROUP BY s.source";

/// The best by signs with their cosines, of chunks for which both conditions hold. What it asks of `code` is in the index
/// `code_signs`.
pub(super) fn compare(of_files: &str, of_sources: &str) -> String {
    // `+ 0`: no index is used that knows neighbours.
    format!(
        "WITH near AS MATERIALIZED (SELECT k.chunk FROM code k \
           WHERE k.agent = $1 AND k.generation = $3 AND k.space = $4 AND {of_files} AND {of_sources} \
           ORDER BY (k.bits <~> (SELECT binary_quantize($5::real[]::vector))) + 0, k.chunk LIMIT $6) \
         SELECT n.chunk, 1 - (e.v <=> $5::real[]::vector) FROM near n JOIN chunk c ON c.agent = $1 AND c.id = n.chunk \
         JOIN embedding e ON e.tenant = $2 AND e.space = $4 AND e.hash = c.hash"
    )
}

/// What is known in memory of vectors that are not.
#[derive(Debug)]
pub(crate) struct Remote {
    /// Dimensions.
    pub(crate) dims: usize,
    /// Of each source how many chunks have a vector, and their mean direction.
    centres: Vec<(Source, usize, Vec<f32>)>,
}

impl Remote {
    /// Number of chunks with a vector, when it was read.
    pub(crate) fn len(&self) -> usize {
        self.centres.iter().map(|(_, chunks, _)| chunks).sum()
    }

    /// Mean cosine of a query with all chunks of the sources (none named = all); 0 when there is none.
    fn mean(&self, query: &[f32], sources: &[Source]) -> f64 {
        let length = query.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, chunks, centre) in self.centres.iter().filter(|(of, ..)| sources.is_empty() || sources.contains(of)) {
            let product: f64 = query.iter().zip(centre).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            sum += product / length * *chunks as f64;
            count += *chunks as f64;
        }
        if count == 0.0 { 0.0 } else { sum / count }
    }
}

/// What the database found near a query.
#[derive(Debug)]
pub(crate) struct Far {
    /// Mean cosine of all chunks of the sources.
    pub(crate) mean: f64,
    /// With their cosines, best first.
    pub(crate) found: Vec<(ChunkId, f64)>,
    cosines: HashMap<ChunkId, f64, RandomState>,
}

impl Far {
    /// The cosine of a chunk that is among those that were found.
    pub(crate) fn cosine(&self, id: ChunkId) -> Option<f64> {
        self.cosines.get(&id).copied()
    }
}

/// Where vectors are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Compare {
    pub(super) chosen: NearIn,
    /// Most bytes of an agent's vectors in memory, where that decides.
    pub(super) most: usize,
}

impl Compare {
    /// Whether so many vectors are compared in the database.
    pub(super) const fn is_far(&self, dims: usize, rows: usize) -> bool {
        match self.chosen {
            NearIn::Local => false,
            NearIn::Database => true,
            NearIn::Auto => Arena::expected_bytes(dims, rows) > self.most,
        }
    }

    /// The same with why.
    pub(super) const fn told(&self, dims: usize, rows: usize) -> Comparing {
        let bytes = Arena::expected_bytes(dims, rows);
        Comparing { in_database: self.is_far(dims, rows), chosen: self.chosen, bytes, most: self.most }
    }
}

impl Reader<'_> {
    /// What is kept in memory of vectors that are not.
    pub(super) fn remote(&self, generation: GenerationId, space: SpaceId, dims: usize) -> Result<Remote> {
        let params = [int8(&self.agent), text(&self.tenant), int8(&generation), int8(&space), int8(&SAMPLED)];
        let mut centres = Vec::new();
        for row in self.tx.rows(CENTRES, &params)? {
            centres.push((Source::of(column(&row, 0)?), natural(&row, 1)?, column(&row, 2)?));
        }
        Ok(Remote { dims, centres })
    }

    /// Compares a query with all chunks of the sources, of which those `within` can be near; none when the query has no
    /// direction or another number of dimensions.
    pub(super) fn far(
        &self,
        (remote, space): (&Remote, SpaceId),
        query: &[f32],
        sources: &[Source],
        within: Option<&Within>,
        order: &ChunkOrder,
    ) -> Result<Option<Far>> {
        let directed = query.iter().all(|x| x.is_finite()) && query.iter().any(|x| *x != 0.0);
        let Some(generation) = self.live()?.map(|live| live.id) else { return Ok(None) };
        if query.len() != remote.dims || !directed {
            return Ok(None);
        }
        let most = compared(remote.dims);
        let files: Vec<i64> = within.map(|within| within.files().map(|id| id.number()).collect()).unwrap_or_default();
        let of_sources: Vec<&str> = sources.iter().map(|source| source.as_str()).collect();
        let params: [Param<'_>; 8] = [
            int8(&self.agent),
            text(&self.tenant),
            int8(&generation),
            int8(&space),
            (&query as _, Type::FLOAT4_ARRAY),
            int8(&most),
            (&files as _, Type::INT8_ARRAY),
            (&of_sources as _, Type::TEXT_ARRAY),
        ];
        let of_files = if within.is_some() { "k.file = ANY ($7)" } else { "cardinality($7) = 0" };
        let of = if sources.is_empty() {
            "cardinality($8) = 0"
        } else {
            "EXISTS (SELECT 1 FROM file f WHERE f.agent = $1 AND f.id = k.file AND f.source = ANY ($8))"
        };
        let sql = compare(of_files, of);
        let mut found: Vec<(ChunkId, f64)> = Vec::new();
        for row in self.tx.rows(&sql, &params)? {
            // A vector of zeros is near nothing.
            if let Some(cosine) = column::<Option<f64>>(&row, 1)?.filter(|cosine| cosine.is_finite()) {
                found.push((column(&row, 0)?, cosine));
            }
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| order.place(a.0).cmp(&order.place(b.0))));
        let cosines = found.iter().copied().collect();
        Ok(Some(Far { mean: remote.mean(query, sources), found, cosines }))
    }
}
