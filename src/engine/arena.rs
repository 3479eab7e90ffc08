//! The vectors of the live index in memory, kept current as anybody commits.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::{
    error::Result,
    search::{arena::Arena, types::Source},
    store::{DataVersion, Reader, Store, embeddings::CodeCursor, generations::GenerationId},
};

/// Vectors of chunks that are gone are removed when they are more than one in this many.
const STALE_SHARE: usize = 8;

/// What was read, and of what.
pub(super) struct Loaded {
    version: DataVersion,
    generation: GenerationId,
    space: i64,
    cursor: CodeCursor,
    arena: Arc<Arena>,
}

/// Holds the arena of the live generation and the active space.
pub(super) type ArenaSlot = Arc<Mutex<Option<Loaded>>>;

/// The arena, brought up to date first; none while there is no vector. The first call reads all codes, and finishes for
/// the next caller when this one stops waiting. Blocks.
///
/// # Errors
/// When the store cannot be read.
pub(super) fn current(slot: &mut Option<Loaded>, store: &Store) -> Result<Option<Arc<Arena>>> {
    let version = store.data_version()?;
    if let Some(loaded) = slot.as_ref().filter(|l| l.version == version) {
        return Ok(Some(Arc::clone(&loaded.arena)));
    }
    let previous = slot.take().filter(|l| l.version.is_same_file(&version));
    *slot = store.read(|reader| refresh(reader, previous, version))?;
    Ok(slot.as_ref().map(|loaded| Arc::clone(&loaded.arena)))
}

fn refresh(reader: &Reader<'_>, previous: Option<Loaded>, version: DataVersion) -> Result<Option<Loaded>> {
    let (Some(generation), Some(space)) = (reader.live()?, reader.active_space()?) else { return Ok(None) };
    let Some(dims) = space.dims else { return Ok(None) };
    let same = |l: &Loaded| l.generation == generation.id && l.space == space.id;
    let count = usize::try_from(reader.chunk_count(generation.id)?).unwrap_or(usize::MAX);
    let mut loaded = previous.filter(same).unwrap_or_else(|| Loaded {
        version,
        generation: generation.id,
        space: space.id,
        cursor: CodeCursor::default(),
        arena: Arc::new(Arena::with_capacity(dims as usize, count)),
    });
    loaded.version = version;
    // What a search is still using is copied, but only when there is something new: most commits bring no vector.
    let arena = &mut loaded.arena;
    let mut failed = None;
    loaded.cursor = reader.for_each_code(generation.id, space.id, loaded.cursor, |row| {
        let source = Source::of(row.source);
        if let Err(error) = Arc::make_mut(arena).append(row.chunk_id, row.embedding_id, source, row.code) {
            failed.get_or_insert(error);
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if arena.len() > count + count / STALE_SHARE {
        let live = reader.chunk_ids(generation.id)?;
        Arc::make_mut(arena).retain(|id| live.binary_search(&id).is_ok());
    }
    Ok(Some(loaded))
}
