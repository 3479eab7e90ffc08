//! The vectors of an agent in memory, kept current as anybody commits.

use std::{sync::Arc, time::Instant};

use super::{
    agent::{Agent, Reader},
    far::Remote,
    moment::Moment,
};
use crate::{
    database::Comparing,
    generations::GenerationId,
    ids::{ChunkId, SpaceId},
    order::ChunkOrder,
    vectors::{
        Held, Nearest, Vectors,
        arena::{Arena, Precision},
    },
    within::Within,
};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
    source::Source,
};

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
    /// What is in memory instead where the database compares them.
    remote: Option<Arc<Remote>>,
}

impl Loaded {
    fn vectors(&self) -> Vectors {
        let held = match &self.remote {
            Some(remote) => Held::Database(Arc::clone(remote)),
            None => Held::Memory(Arc::clone(&self.arena)),
        };
        Vectors::of(held, self.space)
    }

    /// Whether so many chunks are about as many as there were: a mean direction that is of some more or less is hardly another.
    const fn is_about(&self, chunks: i64) -> bool {
        (self.chunks - chunks).unsigned_abs().saturating_mul(10) <= self.chunks.unsigned_abs()
    }
}

impl Agent {
    /// The vectors of the live generation in the active space, brought up to date first; none before there are both.
    /// The first call reads all codes.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    pub fn vectors(&self, cancel: &Cancel) -> Result<Option<Vectors>> {
        self.look(cancel, Some(Instant::now()), |reader| reader.vectors())
    }

    /// Where the vectors are compared; see [`crate::Store::comparing`].
    ///
    /// # Errors
    /// What the database answers.
    pub(crate) fn comparing(&self) -> Result<Comparing> {
        let state = self.read(&Cancel::new(), |reader| reader.current())?;
        let dims = state.space.as_ref().and_then(|space| space.dims).and_then(|dims| usize::try_from(dims).ok());
        let chunks = state.live.as_ref().and_then(|(_, chunks)| usize::try_from(*chunks).ok());
        Ok(self.database().compare.told(dims.unwrap_or(0), chunks.unwrap_or(0)))
    }
}

impl Reader<'_> {
    /// The vectors of the index, brought up to date first; see [`Agent::vectors`].
    ///
    /// # Errors
    /// As there; [`Code::Internal`] in a write.
    pub(crate) fn vectors(&self) -> Result<Option<Vectors>> {
        let Some(known) = self.known else {
            return Err(Error::new(Code::Internal, "the vectors in memory are not read in a write"));
        };
        // Whoever waits here has a connection, as whoever is waited for has.
        let mut slot = known.loaded.lock();
        refresh(self, &mut slot)?;
        Ok(slot.as_ref().map(Loaded::vectors))
    }
}

fn refresh(reader: &Reader<'_>, slot: &mut Option<Loaded>) -> Result<()> {
    let state = reader.current()?;
    let known = state.live.as_ref().zip(state.space.as_ref());
    let known = known.and_then(|((live, chunks), active)| Some((live.id, *chunks, active.id, active.dims?)));
    let Some((generation, chunks, space, dims)) = known else {
        *slot = None;
        return Ok(());
    };
    let (dims, count) = (usize::try_from(dims).unwrap_or(0), usize::try_from(chunks).unwrap_or(0));
    let is_far = reader.known.is_some_and(|known| known.compare.is_far(dims, count));
    let same = |l: &&Loaded| {
        l.remote.is_some() == is_far
            && state.moment.follows(&l.moment)
            && (l.generation, l.space, l.arena.precision()) == (generation, space, Precision::of(dims, count))
    };
    let previous = slot.as_ref().filter(same);
    if previous.is_some_and(|previous| previous.moment.version == state.moment.version) {
        return Ok(());
    }
    if is_far {
        let remote = match previous.filter(|previous| previous.is_about(chunks)) {
            Some(previous) => (previous.chunks, previous.remote.clone()),
            None => (chunks, Some(Arc::new(reader.remote(generation, space, dims)?))),
        };
        let ((chunks, remote), moment) = (remote, state.moment.clone());
        let arena = Arc::new(Arena::of_none(dims, count));
        *slot = Some(Loaded { moment, generation, space, last_id: state.last_id, chunks, arena, remote });
        return Ok(());
    }
    // What is in memory is not given up for an index that may be outdated.
    let later = match previous.filter(|previous| !previous.arena.is_empty()) {
        Some(previous) => Some(reader.chunks_after(generation, ChunkId::new(previous.last_id))?),
        None if slot.is_some() => reader.tx.confirm().map(|()| None)?,
        None => None,
    };
    let is_same = previous.is_some();
    let mut loaded = slot.take().filter(|_| is_same).unwrap_or_else(|| Loaded {
        moment: Moment::default(),
        generation,
        space,
        last_id: 0,
        chunks: 0,
        arena: Arc::new(Arena::with_capacity(dims, count)),
        remote: None,
    });
    // Chunks that are gone must neither be found nor count in the mean.
    if let Some(later) = later
        && loaded.chunks.saturating_add(i64::try_from(later).unwrap_or(i64::MAX)) != chunks
    {
        let live = reader.chunk_ids(generation)?;
        Arc::make_mut(&mut loaded.arena).retain(|id| live.binary_search(&ChunkId::new(id)).is_ok());
    }
    let arena = &mut loaded.arena;
    reader.for_each_code(generation, space, loaded.moment.version, |chunk, source, code| {
        // What a search is still using is copied, but only when there is something new.
        Arc::make_mut(arena).append(chunk.number(), chunk.number(), Source::of(source), code)
    })?;
    (loaded.moment, loaded.last_id, loaded.chunks) = (state.moment.clone(), state.last_id, chunks);
    *slot = Some(loaded);
    Ok(())
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
        match vectors.held() {
            (Held::Memory(_), _) => Ok(Nearest::of(vectors, query, sources, within, order)),
            (Held::Database(remote), space) => {
                let far = self.far((remote, space), query, sources, within, &order)?;
                Ok(far.map(|far| Nearest::of_far(vectors, query, far, order)))
            }
        }
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

    /// Exact cosines of chunks with the query of a comparison; those without are left out.
    pub(crate) fn exact(&self, nearest: &Nearest<'_>, ids: &[ChunkId]) -> Result<Vec<(ChunkId, f64)>> {
        let (space, query) = nearest.asked();
        let cosines = self.cosines(space, ids, query)?;
        Ok(cosines.into_iter().filter_map(|(id, cosine)| Some((id, cosine?))).collect())
    }
}
