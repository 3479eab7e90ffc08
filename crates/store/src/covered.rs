//! Up to which chunk every text is known to have its vector. Ids of chunks only grow and the vectors of texts in the index
//! are never removed, so that what is asked after every pass need not look at all chunks again.

use parking_lot::Mutex;

use super::{embeddings::SpaceId, generations::GenerationId, ids::ChunkId, open::FileIdentity, pool::Reader};
use model::error::Result;

/// Of which chunks it is known.
#[derive(Debug)]
pub(super) struct Covered {
    file: Option<FileIdentity>,
    /// Of which copy, when one was restored or repaired.
    restored: Option<String>,
    generation: GenerationId,
    space: SpaceId,
    until: ChunkId,
}

/// What the readers of a file know of it.
pub(super) type KnownCoverage = Mutex<Option<Covered>>;

impl Reader<'_> {
    /// The last chunk of those whose texts are known to have vectors; before the first one when nothing is known.
    pub(super) fn covered_until(&self, generation: GenerationId, space: SpaceId) -> Result<ChunkId> {
        let Some((known, file)) = self.known_covered else { return Ok(ChunkId::default()) };
        let restored = self.restored()?;
        let known = known.lock();
        let same = |k: &&Covered| (k.file, k.generation, k.space, &k.restored) == (file, generation, space, &restored);
        Ok(known.as_ref().filter(same).map(|known| known.until).unwrap_or_default())
    }

    /// All texts of a generation have vectors in a space now, and none was refused.
    pub(super) fn remember_covered(&self, generation: GenerationId, space: SpaceId) -> Result<()> {
        let Some((known, file)) = self.known_covered else { return Ok(()) };
        let (restored, until) = (self.restored()?, self.last_chunk_id()?);
        *known.lock() = Some(Covered { file, restored, generation, space, until });
        Ok(())
    }
}
