//! One query compared with all vectors.

use std::sync::Arc;

use super::{
    Vectors,
    arena::{Arena, Precision, Scan},
};
#[cfg(feature = "postgres")]
use crate::postgres::Far;
use crate::{
    Reader,
    ids::{ChunkId, EmbeddingId},
    order::ChunkOrder,
    reader::or_postgres,
    within::Within,
};
use model::{error::Result, source::Source};

/// How near the chunks are to a query.
#[derive(Debug)]
pub struct Nearest<'v> {
    vectors: &'v Vectors,
    query: &'v [f32],
    looked: Looked<'v>,
    /// Which of equals comes first.
    order: Arc<ChunkOrder>,
}

/// What was found.
#[derive(Debug)]
enum Looked<'v> {
    /// All vectors in memory were compared.
    Memory(Scan<'v>),
    /// Those that a database found.
    #[cfg(feature = "postgres")]
    Database(Far),
}

impl Reader<'_> {
    /// Compares a query with all chunks of the sources (none named = all), of which those `within` can be near. None when
    /// the query has no direction or another number of dimensions.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn nearest<'v>(
        &self,
        vectors: &'v Vectors,
        query: &'v [f32],
        sources: &[Source],
        within: Option<&Within>,
    ) -> Result<Option<Nearest<'v>>> {
        or_postgres!(self.nearest(vectors, query, sources, within));
        let Some(mut scan) = vectors.arena().and_then(|arena| arena.scan(query, sources)) else { return Ok(None) };
        if let Some(within) = within {
            scan.confine(|id| within.has(ChunkId::new(id)));
        }
        Ok(Some(Nearest { vectors, query, looked: Looked::Memory(scan), order: self.chunk_order()? }))
    }
}

impl Nearest<'_> {
    /// Mean cosine of all chunks of the sources; 0 when there is none.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        match &self.looked {
            Looked::Memory(scan) => scan.mean(),
            #[cfg(feature = "postgres")]
            Looked::Database(far) => far.mean,
        }
    }

    /// The cosine of a chunk as far as it is known, mostly about.
    fn similarity(&self, id: ChunkId) -> Option<f64> {
        match &self.looked {
            Looked::Memory(scan) => scan.similarity(id.number()).map(f64::from),
            #[cfg(feature = "postgres")]
            Looked::Database(far) => far.cosine(id),
        }
    }

    /// The `n` nearest chunks, best first, by approximate cosines.
    #[must_use]
    pub fn top(&self, n: usize) -> Vec<ChunkId> {
        match &self.looked {
            Looked::Memory(scan) => {
                let best = scan.top(n, |id| self.order.place(ChunkId::new(id)));
                best.into_iter().map(|candidate| ChunkId::new(candidate.chunk_id)).collect()
            }
            #[cfg(feature = "postgres")]
            Looked::Database(far) => far.found.iter().take(n).map(|(id, _)| *id).collect(),
        }
    }

    /// The `n` nearest of some chunks, best first, by approximate cosines.
    ///
    /// # Errors
    /// When a database cannot be read; memory always can.
    pub fn top_of(&self, reader: &Reader<'_>, ids: &[ChunkId], n: usize) -> Result<Vec<ChunkId>> {
        let known = |id: &ChunkId| Some((*id, self.similarity(*id)?));
        let mut best: Vec<(ChunkId, f64)> = ids.iter().filter_map(known).collect();
        if self.vectors.arena().is_none() {
            let unknown: Vec<ChunkId> = ids.iter().copied().filter(|id| self.similarity(*id).is_none()).collect();
            best.extend(self.exact(reader, &unknown)?);
        }
        self.sort(&mut best);
        Ok(best.into_iter().take(n).map(|(id, _)| id).collect())
    }

    /// The best chunks by exact cosine, best first: at least `n`, where there are so many.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn best(&self, reader: &Reader<'_>, n: usize) -> Result<Vec<(ChunkId, f64)>> {
        let candidates = self.top(self.vectors.arena().map_or(n, |arena| arena.oversample(n)));
        let mut cosines = self.exact(reader, &candidates)?;
        self.sort(&mut cosines);
        Ok(cosines)
    }

    /// Cosines of chunks with the query, best first. Exact where memory holds estimates only, and for the `exact` best of
    /// those that it knows to a thousandth: reading whole vectors of all would take half of a search. Of equals at the
    /// border, those that come first in `ids`. Chunks without a vector, or with one of zeros, are left out.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn cosines(&self, reader: &Reader<'_>, ids: &[ChunkId], exact: usize) -> Result<Vec<(ChunkId, f64)>> {
        let (exact, rest) = match self.vectors.arena().map_or(Precision::Bits, Arena::precision) {
            Precision::Bits => (ids.to_vec(), Vec::new()),
            Precision::Int8 => {
                let estimate = |id: &ChunkId| Some((*id, self.similarity(*id)?));
                let mut estimated: Vec<(ChunkId, f64)> = ids.iter().filter_map(estimate).collect();
                estimated.sort_by(|a, b| b.1.total_cmp(&a.1));
                let rest = estimated.split_off(exact.min(estimated.len()));
                (estimated.into_iter().map(|(id, _)| id).collect(), rest)
            }
        };
        let mut cosines = self.exact(reader, &exact)?;
        cosines.extend(rest);
        self.sort(&mut cosines);
        Ok(cosines)
    }

    fn sort(&self, cosines: &mut [(ChunkId, f64)]) {
        cosines.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| self.order.place(a.0).cmp(&self.order.place(b.0))));
    }

    /// Exact cosines (−1 to 1) of chunks, from the stored vectors, in the order of `ids`.
    fn exact(&self, reader: &Reader<'_>, ids: &[ChunkId]) -> Result<Vec<(ChunkId, f64)>> {
        or_postgres!(reader.exact(self, ids));
        let embedded: Vec<(ChunkId, EmbeddingId)> = ids
            .iter()
            .filter_map(|&id| Some((id, EmbeddingId::new(self.vectors.arena()?.embedding_of(id.number())?))))
            .collect();
        let ids: Vec<EmbeddingId> = embedded.iter().map(|&(_, embedding_id)| embedding_id).collect();
        // In the order of the ids; those that are gone by now are left out.
        let mut cosines = reader.exact_cosine(self.vectors.space, &ids, self.query)?.into_iter().peekable();
        let cosine = |(chunk_id, embedding_id)| {
            let (_, cosine) = cosines.next_if(|(id, _)| *id == embedding_id)?;
            Some((chunk_id, cosine?))
        };
        Ok(embedded.into_iter().filter_map(cosine).collect())
    }
}

/// The same over the other store, which reads whole vectors by chunk.
#[cfg(feature = "postgres")]
impl<'v> Nearest<'v> {
    /// Compares a query with all chunks of the sources; see [`Reader::nearest`].
    pub(crate) fn of(
        vectors: &'v Vectors,
        query: &'v [f32],
        sources: &[Source],
        within: Option<&Within>,
        order: Arc<ChunkOrder>,
    ) -> Option<Self> {
        let mut scan = vectors.arena()?.scan(query, sources)?;
        if let Some(within) = within {
            scan.confine(|id| within.has(ChunkId::new(id)));
        }
        Some(Nearest { vectors, query, looked: Looked::Memory(scan), order })
    }

    /// What a database found near a query.
    pub(crate) const fn of_far(vectors: &'v Vectors, query: &'v [f32], far: Far, order: Arc<ChunkOrder>) -> Self {
        Nearest { vectors, query, looked: Looked::Database(far), order }
    }

    /// The exact cosine of a chunk, where that is known.
    pub(crate) fn known(&self, id: ChunkId) -> Option<f64> {
        match &self.looked {
            Looked::Memory(_) => None,
            Looked::Database(far) => far.cosine(id),
        }
    }

    /// The query, and the space of it.
    pub(crate) const fn asked(&self) -> (crate::ids::SpaceId, &'v [f32]) {
        (self.vectors.space, self.query)
    }

    /// How many chunks to score so that the best `n` are among them.
    pub(crate) fn enough_for(&self, n: usize) -> usize {
        self.vectors.arena().map_or(n, |arena| arena.oversample(n))
    }

    /// Of which of these chunks the cosine is to be read, and those of the others; see [`Self::cosines`].
    pub(crate) fn to_be_read(&self, ids: &[ChunkId], exact: usize) -> (Vec<ChunkId>, Vec<(ChunkId, f64)>) {
        let Some(arena) = self.vectors.arena() else { return (ids.to_vec(), Vec::new()) };
        let known = |id: &&ChunkId| arena.embedding_of(id.number()).is_some();
        match arena.precision() {
            Precision::Bits => (ids.iter().filter(known).copied().collect(), Vec::new()),
            Precision::Int8 => {
                let estimate = |id: &ChunkId| Some((*id, self.similarity(*id)?));
                let mut estimated: Vec<(ChunkId, f64)> = ids.iter().filter_map(estimate).collect();
                estimated.sort_by(|a, b| b.1.total_cmp(&a.1));
                let rest = estimated.split_off(exact.min(estimated.len()));
                (estimated.into_iter().map(|(id, _)| id).collect(), rest)
            }
        }
    }

    /// Puts the best first, and of equals the one that comes first in the order.
    pub(crate) fn rank(&self, cosines: &mut [(ChunkId, f64)]) {
        self.sort(cosines);
    }
}
