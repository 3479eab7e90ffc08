//! Up to which chunk every text is known to have its vector. Ids of chunks only grow and the vectors of texts in the index
//! are never removed, so that what is asked after every pass need not look at all chunks again.

use parking_lot::Mutex;

use super::{
    embeddings::SpaceId, generations::GenerationId, ids::ChunkId, open::FileIdentity, reader::Reader, writer::Tx,
};
use model::error::Result;

/// Key in `meta` of what the next process need not count either.
const KEY: &str = "covered";

/// Fewest chunks more that are worth writing it anew.
const WORTH: i64 = 1000;

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
        let same = |k: &&Covered| (k.file, k.generation, k.space, &k.restored) == (file, generation, space, &restored);
        let until = known.lock().as_ref().filter(same).map(|known| known.until);
        match until {
            Some(until) => Ok(until),
            None => self.stored_covered(&of(generation, space, restored)),
        }
    }

    /// What a process before this one has kept of it.
    fn stored_covered(&self, of: &str) -> Result<ChunkId> {
        let stored = self.meta(KEY)?;
        let until = stored.as_deref().and_then(|stored| stored.strip_prefix(of)?.parse().ok());
        Ok(until.map(ChunkId::new).unwrap_or_default())
    }

    /// What is to be kept for the next process when all texts of a generation have vectors in a space; none when it is kept
    /// already.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn covered_news(&self, generation: GenerationId, space: SpaceId) -> Result<Option<CoveredNews>> {
        // A database counts anew each time.
        #[cfg(feature = "postgres")]
        if self.postgres().is_some() {
            return Ok(None);
        }
        self.covered_news_of(generation, space, WORTH)
    }

    pub(super) fn covered_news_of(
        &self,
        generation: GenerationId,
        space: SpaceId,
        worth: i64,
    ) -> Result<Option<CoveredNews>> {
        let (of, until) = (of(generation, space, self.restored()?), self.covered_until(generation, space)?);
        let is_news = until.number() - self.stored_covered(&of)?.number() >= worth;
        Ok(is_news.then(|| CoveredNews(format!("{of}{until}"))))
    }

    /// All texts of a generation have vectors in a space now, and none was refused.
    pub(super) fn remember_covered(&self, generation: GenerationId, space: SpaceId) -> Result<()> {
        let Some((known, file)) = self.known_covered else { return Ok(()) };
        let (restored, until) = (self.restored()?, self.last_chunk_id()?);
        *known.lock() = Some(Covered { file, restored, generation, space, until });
        Ok(())
    }
}

/// All texts up to a chunk have vectors: to be kept, see [`Reader::covered_news`].
#[derive(Debug)]
pub struct CoveredNews(String);

/// Of what something is kept. A repair or a restored copy, which take vectors away, have another name.
fn of(generation: GenerationId, space: SpaceId, restored: Option<String>) -> String {
    format!("{generation} {space} {} ", restored.unwrap_or_default())
}

impl Tx<'_> {
    /// Keeps for the next process what need not be counted again.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_covered(&self, news: &CoveredNews) -> Result<()> {
        self.set_meta(KEY, &news.0)
    }
}
