//! The vectors of an agent in memory, kept current as anybody commits.

use std::sync::Arc;

use super::{
    agent::{Agent, Reader},
    moment::Moment,
};
use crate::{
    generations::GenerationId,
    ids::{ChunkId, SpaceId},
    order::ChunkOrder,
    vectors::{
        Nearest, Vectors,
        arena::{Arena, Precision},
    },
    within::Within,
};
use model::{cancel::Cancel, error::Result, source::Source};

/// What was read, and of what.
pub(crate) struct Loaded {
    /// All writes up to then are in it.
    moment: Moment,
    generation: GenerationId,
    space: SpaceId,
    /// The last id of a chunk that may be in it.
    last_id: i64,
    /// Chunks of the generation, with and without a vector.
    chunks: i64,
    arena: Arc<Arena>,
}

impl Agent {
    /// The vectors of the live generation in the active space, brought up to date first; none before there are both.
    /// The first call reads all codes.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`](model::error::Code::Cancelled) and
    /// [`Code::Deadline`](model::error::Code::Deadline).
    pub fn vectors(&self, cancel: &Cancel) -> Result<Option<Vectors>> {
        let mut slot = self.loaded.lock();
        let previous = slot.take();
        *slot = self.read(cancel, |reader| refresh(reader, previous))?;
        Ok(slot.as_ref().map(|loaded| Vectors::of(Arc::clone(&loaded.arena), loaded.space)))
    }
}

fn refresh(reader: &Reader<'_>, previous: Option<Loaded>) -> Result<Option<Loaded>> {
    let state = reader.current()?;
    let (Some((live, chunks)), Some(active)) = (&state.live, &state.space) else { return Ok(None) };
    let Some(dims) = active.dims else { return Ok(None) };
    let (generation, chunks, space) = (live.id, *chunks, active.id);
    let (dims, count) = (usize::try_from(dims).unwrap_or(0), usize::try_from(chunks).unwrap_or(0));
    let same = |l: &Loaded| {
        state.moment.follows(&l.moment)
            && (l.generation, l.space, l.arena.precision()) == (generation, space, Precision::of(dims, count))
    };
    let mut loaded = match previous.filter(same) {
        Some(previous) if previous.moment.version == state.moment.version => return Ok(Some(previous)),
        Some(previous) => previous,
        None => Loaded {
            moment: Moment::default(),
            generation,
            space,
            last_id: 0,
            chunks: 0,
            arena: Arc::new(Arena::with_capacity(dims, count)),
        },
    };
    // Chunks that are gone must neither be found nor count in the mean.
    if !loaded.arena.is_empty() {
        let later = reader.chunks_after(generation, ChunkId::new(loaded.last_id))?;
        if loaded.chunks.saturating_add(i64::try_from(later).unwrap_or(i64::MAX)) != chunks {
            let live = reader.chunk_ids(generation)?;
            Arc::make_mut(&mut loaded.arena).retain(|id| live.binary_search(&ChunkId::new(id)).is_ok());
        }
    }
    let arena = &mut loaded.arena;
    reader.for_each_code(generation, space, loaded.moment.version, |chunk, source, code| {
        // What a search is still using is copied, but only when there is something new.
        Arc::make_mut(arena).append(chunk.number(), chunk.number(), Source::of(source), code)
    })?;
    (loaded.moment, loaded.last_id, loaded.chunks) = (state.moment.clone(), state.last_id, chunks);
    Ok(Some(loaded))
}

impl Reader<'_> {
    /// Compares a query with all chunks of the sources (none named = all), of which those `within` can be near. None when
    /// the query has no direction or another number of dimensions.
    ///
    /// # Errors
    /// What the database answers.
    pub fn nearest<'v>(
        &self,
        vectors: &'v Vectors,
        query: &'v [f32],
        sources: &[Source],
        within: Option<&Within>,
    ) -> Result<Option<Nearest<'v>>> {
        let order: Arc<ChunkOrder> = self.chunk_order()?;
        Ok(Nearest::of(vectors, query, sources, within, order))
    }

    /// The best chunks by exact cosine, best first: at least `n`, where there are so many.
    ///
    /// # Errors
    /// What the database answers.
    pub fn best(&self, nearest: &Nearest<'_>, n: usize) -> Result<Vec<(ChunkId, f64)>> {
        let mut cosines = self.exact(nearest, &nearest.top(nearest.enough_for(n)))?;
        nearest.rank(&mut cosines);
        Ok(cosines)
    }

    /// Cosines of chunks with the query, best first; see [`Nearest::cosines`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn near(&self, nearest: &Nearest<'_>, ids: &[ChunkId], exact: usize) -> Result<Vec<(ChunkId, f64)>> {
        let (exact, rest) = nearest.to_be_read(ids, exact);
        let mut cosines = self.exact(nearest, &exact)?;
        cosines.extend(rest);
        nearest.rank(&mut cosines);
        Ok(cosines)
    }

    /// Exact cosines of chunks with the query of a comparison; those without are left out.
    pub(crate) fn exact(&self, nearest: &Nearest<'_>, ids: &[ChunkId]) -> Result<Vec<(ChunkId, f64)>> {
        let (space, query) = nearest.asked();
        let cosines = self.cosines(space, ids, query)?;
        Ok(cosines.into_iter().filter_map(|(id, cosine)| Some((id, cosine?))).collect())
    }
}
