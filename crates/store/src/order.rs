//! The order of chunks by what they are. An id tells when a chunk was written: between chunks that are alike in all that
//! a search looks at, it would let the history of the index choose.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use rusqlite::{OptionalExtension, types::FromSql};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    ids::{ChunkId, FileId},
    open::FileIdentity,
    reader::{Reader, or_postgres},
};
use crate::error::SqlResult;
use model::error::Result;

/// More new chunks than this are not read one by one: an index names the files of all chunks.
const ONE_BY_ONE: i64 = 4096;
/// Runs that changes may leave behind before all are read anew.
const SPARE_RUNS: usize = 1024;

/// Where a chunk stands in the order: by its file, then by its id, which ascends with the lines of a file.
pub type Place = (u64, ChunkId);

/// Which of two chunks comes first when nothing else tells them apart: the same for every index of the same files.
#[derive(Debug, Clone, Default)]
pub struct ChunkOrder {
    /// The first id of chunks that were written one after the other into one file, and the key of the file; ascending.
    /// Chunks that are gone may still be named: no id is used again.
    runs: Vec<(ChunkId, u64)>,
    /// The last id that was seen.
    until: ChunkId,
    /// How many runs there were when all were read.
    packed: usize,
}

/// What the readers of a file know of its order.
pub(super) type KnownOrder = Mutex<Option<(Option<FileIdentity>, Arc<ChunkOrder>)>>;

impl ChunkOrder {
    /// The place of a chunk.
    #[must_use]
    pub fn place(&self, chunk_id: ChunkId) -> Place {
        (self.key(self.runs.partition_point(|(first, _)| *first <= chunk_id)), chunk_id)
    }

    /// The places of chunks whose ids ascend: much quicker than asking for one after the other.
    pub fn places(&self, ascending: impl Iterator<Item = ChunkId>) -> impl Iterator<Item = Place> {
        let mut begun = 0;
        ascending.map(move |chunk_id| {
            begun += self.runs[begun..].iter().take_while(|(first, _)| *first <= chunk_id).count();
            (self.key(begun), chunk_id)
        })
    }

    /// The key of the last of so many runs.
    fn key(&self, begun: usize) -> u64 {
        begun.checked_sub(1).and_then(|at| self.runs.get(at)).map_or(0, |(_, key)| *key)
    }

    fn push(&mut self, chunk_id: ChunkId, key: u64) {
        if self.runs.last().is_none_or(|(_, last)| *last != key) {
            self.runs.push((chunk_id, key));
        }
    }
}

/// How the other store, whose rows come in another way, makes the same order.
#[cfg(feature = "postgres")]
impl ChunkOrder {
    /// The last id that was seen.
    pub(crate) const fn until(&self) -> ChunkId {
        self.until
    }

    /// Whether so many chunks came since, or in so many pieces, that all are better read anew.
    pub(crate) const fn is_to_be_made_anew(&self, newest: ChunkId) -> bool {
        newest.number() - self.until.number() > ONE_BY_ONE || self.runs.len() > 2 * self.packed + SPARE_RUNS
    }

    /// Adds chunks that were written one after the other into one file, from the first on; firsts ascend.
    pub(crate) fn add(&mut self, first: ChunkId, source: &str, path: &str) {
        self.push(first, file_key(source, path));
    }

    /// All up to an id was seen; `is_whole` when nothing was known before.
    pub(crate) const fn seen(&mut self, newest: ChunkId, is_whole: bool) {
        self.until = newest;
        if is_whole {
            self.packed = self.runs.len();
        }
    }
}

/// The same on every platform and in every version.
fn file_key(source: &str, path: &str) -> u64 {
    xxh3_64(format!("{source}\0{path}").as_bytes())
}

/// A row of an id and the source and path of a file.
fn keyed<I: FromSql>(row: &rusqlite::Row<'_>) -> rusqlite::Result<(I, u64)> {
    let text = |index| row.get_ref(index)?.as_str().map_err(rusqlite::Error::from);
    Ok((row.get(0)?, file_key(text(1)?, text(2)?)))
}

impl Reader<'_> {
    /// The order of the chunks, of all generations.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunk_order(&self) -> Result<Arc<ChunkOrder>> {
        or_postgres!(self.chunk_order());
        let newest = self.last_chunk_id()?;
        let Some((known, identity)) = self.known_order else { return Ok(Arc::new(self.whole_order(newest)?)) };
        let mut known = known.lock();
        // The ids of another file mean something else, and the ids of one file only grow.
        let of_this_file = known.take().filter(|(file, order)| *file == identity && order.until <= newest);
        let mut order = of_this_file.map(|(_, order)| order).unwrap_or_default();
        if newest > order.until {
            let is_long =
                newest.number() - order.until.number() > ONE_BY_ONE || order.runs.len() > 2 * order.packed + SPARE_RUNS;
            order = if is_long { Arc::new(self.whole_order(newest)?) } else { self.extended(order, newest)? };
        }
        *known = Some((identity, Arc::clone(&order)));
        Ok(order)
    }

    /// The last id that was given to a chunk.
    pub(super) fn last_chunk_id(&self) -> Result<ChunkId> {
        let mut statement =
            self.conn()?.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = 'chunk'").sql()?;
        Ok(statement.query_row([], |row| row.get(0)).optional().sql()?.unwrap_or_default())
    }

    fn extended(&self, mut order: Arc<ChunkOrder>, newest: ChunkId) -> Result<Arc<ChunkOrder>> {
        let grown = Arc::make_mut(&mut order);
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT c.id, f.source, f.path FROM chunk c CROSS JOIN file f ON f.id = c.file_id \
             WHERE c.id > ?1 ORDER BY c.id",
            )
            .sql()?;
        let mut rows = statement.query([grown.until]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let (id, key) = keyed(row).sql()?;
            grown.push(id, key);
        }
        grown.until = newest;
        Ok(order)
    }

    fn whole_order(&self, newest: ChunkId) -> Result<ChunkOrder> {
        let mut keys: HashMap<FileId, u64, foldhash::fast::RandomState> = HashMap::default();
        let mut files = self.conn()?.prepare_cached("SELECT id, source, path FROM file").sql()?;
        let mut rows = files.query([]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let (id, key) = keyed(row).sql()?;
            keys.insert(id, key);
        }
        // The order lets an index answer that holds nothing else: the texts are not read.
        let mut chunks = self.conn()?.prepare_cached("SELECT id, file_id FROM chunk ORDER BY file_id").sql()?;
        let found = chunks.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).sql()?;
        let mut found: Vec<(ChunkId, FileId)> = found.collect::<Result<_, _>>().sql()?;
        found.sort_unstable();
        let mut order = ChunkOrder { until: newest, ..ChunkOrder::default() };
        for (chunk_id, file_id) in found {
            order.push(chunk_id, keys.get(&file_id).copied().unwrap_or_default());
        }
        order.packed = order.runs.len();
        Ok(order)
    }
}
