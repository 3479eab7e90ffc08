//! The vectors of the live index in memory, kept current as anybody commits.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::search::arena::{Arena, Precision};
use model::{error::Result, source::Source};
use store::{DataVersion, Reader, Store, embeddings::CodeCursor, generations::GenerationId};

/// What was read, and of what.
pub(super) struct Loaded {
    version: DataVersion,
    generation: GenerationId,
    space: i64,
    /// Of which copy, when one was restored.
    restored: Option<String>,
    cursor: CodeCursor,
    /// Chunks of the generation, with and without a vector.
    chunks: u64,
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
        Arc::make_mut(&mut loaded.arena).retain(|id| live.binary_search(&id).is_ok());
    }
    loaded.chunks = chunks;
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
    Ok(Some(loaded))
}
