//! What the agents of a process have read: blocks of words, under the segment that they are of, which never change; rows of
//! chunks and what their lines mean, with the write that they were read after. Who has read one needs it sent no more. The
//! longest unused go first.

use std::{
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use foldhash::fast::RandomState;
use lru::LruCache;
use parking_lot::Mutex;

use super::blocks::{Block, TermHash};
use crate::{
    chunks::ChunkRow,
    ids::{ChunkId, SpaceId},
};

/// A block, as all who look into it share it.
pub(super) type Shared = Arc<Block<Vec<u8>>>;

/// Bytes that an entry takes besides what it holds.
const ENTRY: usize = 96;

/// Whose blocks they are: an agent's, as long as what was read of it belongs to what the database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Era(u64);

impl Era {
    /// One that nothing was read in.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Values of so many bytes at most.
struct Bounded<K, V> {
    all: LruCache<K, (V, usize), RandomState>,
    bytes: usize,
    most: usize,
}

impl<K: Hash + Eq, V: Clone> Bounded<K, V> {
    fn new(most: usize) -> Self {
        Self { all: LruCache::unbounded_with_hasher(RandomState::default()), bytes: 0, most }
    }

    fn get(&mut self, key: &K) -> Option<V> {
        self.all.get(key).map(|(value, _)| value.clone())
    }

    fn put(&mut self, key: K, value: V, bytes: usize) {
        let bytes = bytes + ENTRY;
        if let Some((_, before)) = self.all.put(key, (value, bytes)) {
            self.bytes -= before;
        }
        self.bytes += bytes;
        while self.bytes > self.most {
            let Some((_, (_, gone))) = self.all.pop_lru() else { return };
            self.bytes -= gone;
        }
    }
}

/// In which block of a segment a term is looked for; none where all blocks are of later terms.
type Places = Bounded<(Era, i64, TermHash), Option<TermHash>>;

/// What was read, after the write with this number.
pub(super) type AsOf<T> = (i64, T);

/// What the lines of a chunk mean, as `line_vectors` has it: none where there is nothing of them yet.
#[derive(Debug, Default)]
pub(super) struct LineCodes {
    /// Of each line its code.
    pub(super) codes: Option<Vec<u8>>,
    /// Signs of their pieces.
    pub(super) signs: Option<Vec<u8>>,
}

type Rows = Bounded<(Era, ChunkId), AsOf<Arc<ChunkRow>>>;

/// None of a chunk without a text, or of none.
type Lines = Bounded<(Era, SpaceId, ChunkId), AsOf<Option<Arc<LineCodes>>>>;

/// What all agents of a process that share a database have read.
pub(super) struct Kept {
    places: Mutex<Places>,
    blocks: Mutex<Bounded<(Era, i64, TermHash), Shared>>,
    rows: Mutex<Rows>,
    lines: Mutex<Lines>,
}

impl Kept {
    /// Keeps so many bytes at most.
    pub(super) fn new(most: usize) -> Self {
        let (eighth, quarter) = (most / 8, most / 4);
        Self {
            places: Mutex::new(Bounded::new(eighth)),
            blocks: Mutex::new(Bounded::new(most - eighth - 2 * quarter)),
            rows: Mutex::new(Bounded::new(quarter)),
            lines: Mutex::new(Bounded::new(quarter)),
        }
    }

    /// A chunk as it was read last, and after which write.
    pub(super) fn row(&self, era: Era, id: ChunkId) -> Option<AsOf<Arc<ChunkRow>>> {
        self.rows.lock().get(&(era, id))
    }

    /// Keeps a chunk as it was after a write.
    pub(super) fn keep_row(&self, era: Era, version: i64, row: &Arc<ChunkRow>) {
        let bytes = row.text.len() + row.line_terms.len() + row.path.len() + row.source.len() + size_of::<ChunkRow>();
        self.rows.lock().put((era, row.id), (version, Arc::clone(row)), bytes);
    }

    /// What the lines of a chunk mean in a space, as it was read last, and after which write.
    pub(super) fn lines(&self, era: Era, space: SpaceId, id: ChunkId) -> Option<AsOf<Option<Arc<LineCodes>>>> {
        self.lines.lock().get(&(era, space, id))
    }

    /// Keeps what the lines of a chunk mean in a space, as it was after a write.
    pub(super) fn keep_lines(
        &self,
        era: Era,
        version: i64,
        space: SpaceId,
        id: ChunkId,
        lines: Option<Arc<LineCodes>>,
    ) {
        let of = |codes: &Option<Vec<u8>>| codes.as_ref().map_or(0, Vec::len);
        let bytes = lines.as_ref().map_or(0, |lines| of(&lines.codes) + of(&lines.signs) + size_of::<LineCodes>());
        self.lines.lock().put((era, space, id), (version, lines), bytes);
    }

    /// The block of a segment that a term is looked for in, with its first term: none where it is not known, and
    /// `Some(None)` where there is none.
    pub(super) fn block(&self, era: Era, segment: i64, term: TermHash) -> Option<Option<(TermHash, Shared)>> {
        match self.places.lock().get(&(era, segment, term))? {
            None => Some(None),
            Some(first) => self.blocks.lock().get(&(era, segment, first)).map(|block| Some((first, block))),
        }
    }

    /// Keeps in which block of a segment a term is looked for.
    pub(super) fn place(&self, era: Era, segment: i64, term: TermHash, first: Option<TermHash>) {
        self.places.lock().put((era, segment, term), first, 0);
    }

    /// Keeps a block of a segment.
    pub(super) fn keep(&self, era: Era, segment: i64, first: TermHash, block: &Shared) {
        self.blocks.lock().put((era, segment, first), Arc::clone(block), block.bytes());
    }

    /// Bytes in use.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.places.lock().bytes + self.blocks.lock().bytes + self.rows.lock().bytes + self.lines.lock().bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::blocks::Builder;

    #[test]
    fn no_more_is_kept_than_fits_and_the_longest_unused_goes_first() {
        let mut builder = Builder::default();
        (0..400).for_each(|n| builder.add(crate::ids::ChunkId::new(1), &format!("w{n}")));
        let stored = builder.finish();
        let block = Arc::new(Block::open(stored[0].first, stored[0].data.clone()).unwrap());
        let most = 16 * (block.bytes() + ENTRY);
        let (kept, era) = (Kept::new(most), Era::new());
        let first = stored[0].first;
        for segment in 0..1_000 {
            kept.place(era, segment, first, Some(first));
            kept.keep(era, segment, first, &block);
            // Asked for again and again, it stays.
            kept.keep(era, 0, first, &block);
            kept.place(era, 0, first, Some(first));
            assert!(kept.bytes() <= most, "{} of {most}", kept.bytes());
        }
        let known = |era, segment| kept.block(era, segment, first).flatten().is_some();
        assert!(known(era, 0) && known(era, 999) && !known(era, 500));
        assert!(!known(Era::new(), 999), "of another time");
    }
}
