//! How near the chunks of the live index are to a query. All vectors are kept in memory, quantised, and kept current as
//! anybody commits; a search sees the nearest chunks, their cosines and the mean, and nothing of how they are kept.

// Public for its benchmark.
pub mod arena;
mod nearest;

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

pub use self::{
    arena::{CodedQuery, code},
    nearest::Nearest,
};
#[cfg(feature = "postgres")]
use crate::{Backend, postgres};
use crate::{
    DataVersion, Reader, Store, codes::CodeCursor, embeddings::SpaceId, generations::GenerationId, ids::ChunkId,
};
use arena::{Arena, Precision};
#[cfg(feature = "postgres")]
use model::cancel::Cancel;
use model::error::Result;

/// What was read, and of what.
pub(crate) struct Loaded {
    version: DataVersion,
    generation: GenerationId,
    space: SpaceId,
    /// Of which copy, when one was restored.
    restored: Option<String>,
    cursor: CodeCursor,
    /// Chunks of the generation, with and without a vector.
    chunks: u64,
    arena: Arc<Arena>,
}

/// Holds the vectors of the live generation and the active space.
pub(crate) type Slot = Arc<Mutex<Option<Loaded>>>;

/// The vectors of the live index in its active space, as of a moment. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Vectors {
    held: Held,
    space: SpaceId,
}

/// Where they are.
#[derive(Debug, Clone)]
pub(crate) enum Held {
    /// In memory.
    Memory(Arc<Arena>),
    /// In the database, which compares them.
    #[cfg(feature = "postgres")]
    Database(Arc<postgres::Remote>),
}

impl Vectors {
    /// Number of chunks with a vector.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.held {
            Held::Memory(arena) => arena.len(),
            #[cfg(feature = "postgres")]
            Held::Database(remote) => remote.len(),
        }
    }

    /// Whether no chunk has a vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Dimensions of the vectors.
    #[must_use]
    pub fn dims(&self) -> usize {
        match &self.held {
            Held::Memory(arena) => arena.dims(),
            #[cfg(feature = "postgres")]
            Held::Database(remote) => remote.dims,
        }
    }

    /// Memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.arena().map_or(0, Arena::bytes)
    }

    /// Those that are in memory; none where the database compares them.
    fn arena(&self) -> Option<&Arena> {
        match &self.held {
            Held::Memory(arena) => Some(arena),
            #[cfg(feature = "postgres")]
            Held::Database(_) => None,
        }
    }
}

#[cfg(feature = "postgres")]
impl Vectors {
    /// Those that the other store has read.
    pub(crate) const fn of(held: Held, space: SpaceId) -> Self {
        Self { held, space }
    }

    /// Where they are, and their space.
    pub(crate) const fn held(&self) -> (&Held, SpaceId) {
        (&self.held, self.space)
    }
}

/// One caller's turn to bring the vectors in memory up to date.
pub struct VectorTurn {
    slot: OwnedMutexGuard<Option<Loaded>>,
    /// The memory of an agent, which has what was read in a slot of its own.
    #[cfg(feature = "postgres")]
    agent: Option<Arc<postgres::agent::Agent>>,
}

impl VectorTurn {
    /// Whether nothing is in memory yet: all is read then, which takes a second or two with 100,000 vectors.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        #[cfg(feature = "postgres")]
        if let Some(agent) = &self.agent {
            return !agent.has_loaded();
        }
        self.slot.is_none()
    }

    /// The vectors, brought up to date first; none while there is no vector. The first call reads all codes, and finishes
    /// for the next caller when this one stops waiting. Blocks.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn current(&mut self, store: &Store) -> Result<Option<Vectors>> {
        current(&mut self.slot, store)
    }
}

impl Store {
    /// Waits for the turn to bring the vectors in memory up to date. Takes no thread meanwhile.
    pub async fn vector_turn(&self) -> VectorTurn {
        self.turn(Arc::clone(&self.vectors).lock_owned().await)
    }

    /// The turn to read all vectors for the first time; none when they are in memory, or when somebody has a turn.
    #[must_use]
    pub fn cold_vector_turn(&self) -> Option<VectorTurn> {
        Arc::clone(&self.vectors).try_lock_owned().ok().map(|slot| self.turn(slot)).filter(VectorTurn::is_cold)
    }

    fn turn(&self, slot: OwnedMutexGuard<Option<Loaded>>) -> VectorTurn {
        VectorTurn {
            slot,
            #[cfg(feature = "postgres")]
            agent: match &self.backend {
                Backend::Sqlite(_) => None,
                Backend::Postgres(served) => Some(Arc::clone(served.agent())),
            },
        }
    }

    /// The vectors, for callers that are not async; see [`VectorTurn::current`]. Blocks.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn vectors(&self) -> Result<Option<Vectors>> {
        current(&mut self.vectors.blocking_lock(), self)
    }
}

fn current(slot: &mut Option<Loaded>, store: &Store) -> Result<Option<Vectors>> {
    #[cfg(feature = "postgres")]
    if let Backend::Postgres(served) = &store.backend {
        return served.agent().vectors(&Cancel::new());
    }
    let version = store.data_version()?;
    if slot.as_ref().is_none_or(|loaded| loaded.version != version) {
        let previous = slot.take().filter(|l| l.version.is_same_file(&version));
        *slot = store.read(|reader| refresh(reader, previous, version))?;
    }
    Ok(slot.as_ref().map(|loaded| Vectors { held: Held::Memory(Arc::clone(&loaded.arena)), space: loaded.space }))
}

fn refresh(reader: &Reader<'_>, previous: Option<Loaded>, version: DataVersion) -> Result<Option<Loaded>> {
    let (Some(generation), Some(space)) = (reader.live()?, reader.active_space()?) else { return Ok(None) };
    let Some(dims) = space.dims else { return Ok(None) };
    let (dims, chunks) = (dims as usize, reader.chunk_count(generation.id)?);
    let count = usize::try_from(chunks).unwrap_or(usize::MAX);
    let restored = reader.restored()?;
    // What is kept of a vector is a matter of how many there are, not of how many there were.
    let same = |l: &Loaded| {
        l.restored == restored
            && (l.generation, l.space, l.arena.precision()) == (generation.id, space.id, Precision::of(dims, count))
    };
    let previous = previous.filter(same);
    let mut loaded = previous.unwrap_or_else(|| Loaded {
        version,
        generation: generation.id,
        space: space.id,
        restored,
        cursor: CodeCursor::default(),
        chunks: 0,
        arena: Arc::new(Arena::with_capacity(dims, count)),
    });
    // Chunks that are gone must neither be found nor count in the mean.
    if !loaded.arena.is_empty() && loaded.chunks + reader.chunks_after(generation.id, loaded.cursor.chunk_id)? != chunks
    {
        let live = reader.chunk_ids(generation.id)?;
        Arc::make_mut(&mut loaded.arena).retain(|id| live.binary_search(&ChunkId::new(id)).is_ok());
    }
    loaded.chunks = chunks;
    loaded.version = version;
    // What a search is still using is copied, but only when there is something new: most commits bring no vector.
    let arena = &mut loaded.arena;
    let with_codes = arena.precision() == Precision::Int8;
    loaded.cursor = reader.for_each_code(generation.id, (space.id, dims), with_codes, loaded.cursor, |row| {
        row.append_to(Arc::make_mut(arena))
    })?;
    Ok(Some(loaded))
}
