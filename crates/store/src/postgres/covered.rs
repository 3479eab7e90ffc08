//! Up to which chunk of a generation every text is known to have its vector, as [`crate::covered`] knows it of a file. Ids of
//! chunks only grow, so that what is asked several times in every pass need not look at all chunks again.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{agent::Reader, moment::Moment};
use crate::ids::{ChunkId, GenerationId, SpaceId};
use model::error::Result;

/// How long it holds. Vectors go where no agent of the tenant uses them, and one that this agent began to use at that moment is
/// missing.
const HOLDS: Duration = Duration::from_secs(600);

/// Of which chunks it is known.
pub(super) struct Covered {
    generation: GenerationId,
    space: SpaceId,
    until: ChunkId,
    /// When the agent's rows were read.
    moment: Moment,
    /// When all chunks were counted.
    counted: Instant,
}

/// What an agent knows of it.
pub(super) type KnownCovered = Mutex<Option<Covered>>;

impl Reader<'_> {
    /// The last chunk of those whose texts are known to have vectors; before the first one when nothing is known, as in a write.
    pub(super) fn covered_until(&self, generation: GenerationId, space: SpaceId) -> Result<ChunkId> {
        let (Some(known), Some(state)) = (self.known, self.state()?) else { return Ok(ChunkId::default()) };
        let holds = |covered: &&Covered| {
            (covered.generation, covered.space) == (generation, space)
                && covered.counted.elapsed() < HOLDS
                && state.moment.follows(&covered.moment)
        };
        Ok(known.covered.lock().as_ref().filter(holds).map(|covered| covered.until).unwrap_or_default())
    }

    /// All texts of a generation have vectors in a space now, and none was refused. Those of the chunks up to one were known to.
    pub(super) fn remember_covered(&self, generation: GenerationId, space: SpaceId, known: ChunkId) -> Result<()> {
        let (Some(shared), Some(state)) = (self.known, self.state()?) else { return Ok(()) };
        let mut covered = shared.covered.lock();
        let before = covered.as_ref().filter(|_| known != ChunkId::default());
        let counted = before.map_or_else(Instant::now, |covered| covered.counted);
        let (until, moment) = (ChunkId::new(state.last_id), state.moment.clone());
        *covered = Some(Covered { generation, space, until, moment, counted });
        Ok(())
    }
}
