//! The vector leg (F5): cosine similarity, exact for every chunk that is returned.

use crate::vector::VectorQuery;
use model::{
    error::{Code, Error, Result},
    source::Source,
};
use store::{Reader, ids::ChunkId, within::Within};

/// A chunk with its cosine similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct VectorHit {
    pub(super) chunk_id: ChunkId,
    /// Cosine, −1 to 1.
    pub(super) score: f64,
}

/// At least the best `limit` chunks, best first. A query vector of zeros finds nothing (B6).
pub(super) fn search(
    reader: &Reader<'_>,
    query: &VectorQuery<'_>,
    (sources, within): (&[Source], Option<&Within>),
    limit: usize,
) -> Result<Vec<VectorHit>> {
    if query.index.is_empty() || query.vector.iter().all(|&x| x == 0.0) {
        return Ok(Vec::new());
    }
    let Some(nearest) = reader.nearest(query.index, query.vector, sources, within)? else {
        let message = format!(
            "the query vector has {} dimensions, the index has {}, or it holds numbers that are not finite",
            query.vector.len(),
            query.index.dims()
        );
        return Err(Error::new(Code::ProviderResponse, message).remedy("Run `openclaw memory index`"));
    };
    let best = nearest.best(reader, limit)?;
    Ok(best.into_iter().map(|(chunk_id, score)| VectorHit { chunk_id, score }).collect())
}
