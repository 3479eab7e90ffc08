//! All vectors of a source at once, for who looks at the memory as a whole.

use super::{
    codes::Coded,
    embeddings::SpaceRow,
    ids::{ChunkId, FileId},
    reader::{Reader, or_postgres},
};
use crate::error::SqlResult;
use model::{error::Result, source::Source};

/// The quantised vectors of a source in the active space, of the live index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllVectors {
    /// The key of the space.
    pub space: String,
    /// Dimensions of each vector.
    pub dims: usize,
    /// The chunks, ascending.
    pub chunks: Vec<ChunkId>,
    /// Their vectors in the same order, `dims` bytes each; only directions mean something.
    pub codes: Vec<i8>,
    /// How many chunks of the source have a vector.
    pub total: usize,
}

/// Where a chunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkPlace {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its file.
    pub file: FileId,
    /// Its first line, from 1.
    pub start_line: u32,
}

/// Vectors as they come, of which every second, third … id is kept where there are too many.
pub(crate) struct Sample {
    dims: usize,
    step: i64,
    rows: Vec<(ChunkId, usize)>,
    codes: Vec<u8>,
    total: usize,
}

impl Sample {
    /// Of an index of so many chunks some `most`.
    pub(crate) fn new(dims: usize, chunks: u64, most: usize) -> Self {
        let chunks = usize::try_from(chunks).unwrap_or(usize::MAX);
        let step = i64::try_from(chunks.div_ceil(most.max(1)).max(1)).unwrap_or(i64::MAX);
        Self { dims, step, rows: Vec::new(), codes: Vec::new(), total: 0 }
    }

    /// One more; it has as many dimensions as the others.
    pub(crate) fn add(&mut self, chunk: ChunkId, code: &[u8]) {
        self.total += 1;
        if chunk.number() % self.step == 0 {
            self.rows.push((chunk, self.rows.len()));
            self.codes.extend_from_slice(code);
        }
    }

    /// What was kept, in the order of ids, of the space of a key.
    pub(crate) fn done(mut self, space: String) -> AllVectors {
        let dims = self.dims;
        self.rows.sort_unstable();
        let in_order = self.rows.iter().flat_map(|(_, at)| &self.codes[at * dims..(at + 1) * dims]);
        AllVectors {
            space,
            dims,
            codes: in_order.map(|code| code.cast_signed()).collect(),
            chunks: self.rows.iter().map(|(chunk, _)| *chunk).collect(),
            total: self.total,
        }
    }
}

impl Reader<'_> {
    /// The vectors of a source, at most some `most` of them: where there are more, those of every second, third … id, which
    /// stay the same as chunks are added. None while there is no index, or none by meaning.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn all_vectors(&self, source: Source, most: usize) -> Result<Option<AllVectors>> {
        or_postgres!(self.all_vectors(source, most));
        let (Some(live), Some(SpaceRow { id: space, key, dims: Some(dims) })) = (self.live()?, self.active_space()?)
        else {
            return Ok(None);
        };
        let dims = dims as usize;
        let mut sample = Sample::new(dims, self.chunk_count(live.id)?, most);
        self.for_each_code(live.id, (space, dims), true, crate::codes::CodeCursor::default(), |row| {
            let code = match row.code {
                Coded::Single(code) => Some(code),
                Coded::Packed(packed) => packed.code,
            };
            // One of another length is a matter for `doctor`.
            if let Some(code) = code.filter(|code| code.len() == dims && row.source == source.as_str()) {
                sample.add(row.chunk_id, code);
            }
            Ok(())
        })?;
        Ok(Some(sample.done(key)))
    }

    /// Where each chunk of the live index stands, by ids. Reads no text.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn chunk_places(&self) -> Result<Vec<ChunkPlace>> {
        or_postgres!(self.chunk_places());
        let Some(live) = self.live()? else { return Ok(Vec::new()) };
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT id, file_id, start_line FROM chunk WHERE generation = ?1 ORDER BY id")
            .sql()?;
        let rows = statement
            .query_map([live.id], |row| {
                Ok(ChunkPlace { chunk: row.get(0)?, file: row.get(1)?, start_line: row.get(2)? })
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }
}
