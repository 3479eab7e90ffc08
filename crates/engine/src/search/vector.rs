//! The query as a vector, and how similar chunks are to it.

use super::arena::Arena;
use model::error::Result;
use store::{Reader, embeddings::SpaceId};
use text::language::Language;

/// The vector leg of a search.
#[derive(Debug, Clone, Copy)]
pub struct VectorQuery<'a> {
    /// Quantised vectors of the chunks of the generation.
    pub arena: &'a Arena,
    /// The embedding space of the arena.
    pub space: SpaceId,
    /// The embedded query.
    pub vector: &'a [f32],
    /// The only language that its model knows; none when it may know any.
    pub language: Option<Language>,
}

impl VectorQuery<'_> {
    /// Exact cosines (−1 to 1) of chunks with the query, from the stored vectors, in the order of `chunk_ids`. Chunks
    /// without a vector, or with one of zeros, are left out.
    ///
    /// # Errors
    /// When the database cannot be read, or the query is not of the length of the space.
    pub(crate) fn exact_cosines(&self, reader: &Reader<'_>, chunk_ids: &[i64]) -> Result<Vec<(i64, f64)>> {
        let embedded: Vec<(i64, i64)> =
            chunk_ids.iter().filter_map(|&chunk_id| Some((chunk_id, self.arena.embedding_of(chunk_id)?))).collect();
        let ids: Vec<i64> = embedded.iter().map(|&(_, embedding_id)| embedding_id).collect();
        // In the order of the ids; those that are gone by now are left out.
        let mut cosines = reader.exact_cosine(self.space, &ids, self.vector)?.into_iter().peekable();
        let cosine = |(chunk_id, embedding_id)| {
            let (_, cosine) = cosines.next_if(|(id, _)| *id == embedding_id)?;
            Some((chunk_id, cosine?))
        };
        Ok(embedded.into_iter().filter_map(cosine).collect())
    }
}
