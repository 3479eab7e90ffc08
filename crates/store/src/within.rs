//! The chunks that a search is confined to: those of some files. Chosen before anything is ranked, so that what is left out
//! takes no place from what is wanted.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::{
    generations::GenerationId,
    ids::{ChunkId, FileId},
    reader::{Reader, or_postgres},
};
use crate::error::SqlResult;
use model::error::Result;

/// What is known of a file when it is chosen.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'a> {
    /// Source, as in [`model::source::Source`].
    pub source: &'a str,
    /// Path as shown in results.
    pub path: &'a str,
    /// Modification time, in nanoseconds since the epoch; the lowest number where it is not known yet.
    pub mtime_ns: i64,
}

/// Files that were chosen, and their chunks.
#[derive(Debug, Default)]
pub struct Within {
    files: HashSet<FileId, RandomState>,
    chunks: HashSet<ChunkId, RandomState>,
}

impl Within {
    /// Whether no file was chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether a file was chosen.
    #[must_use]
    pub fn has_file(&self, id: FileId) -> bool {
        self.files.contains(&id)
    }

    /// Whether a chunk is of a file that was chosen.
    #[must_use]
    pub fn has(&self, id: ChunkId) -> bool {
        self.chunks.contains(&id)
    }
}

#[cfg(feature = "postgres")]
impl Within {
    /// The files that were chosen.
    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> {
        self.files.iter().copied()
    }

    /// Files that the other store has found, with their chunks.
    pub(crate) fn of(files: impl IntoIterator<Item = FileId>, chunks: impl IntoIterator<Item = ChunkId>) -> Self {
        Self { files: files.into_iter().collect(), chunks: chunks.into_iter().collect() }
    }
}

impl Reader<'_> {
    /// The files of a generation that `is_wanted` chooses, with their chunks.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn within(&self, generation: GenerationId, mut is_wanted: impl FnMut(FileFacts<'_>) -> bool) -> Result<Within> {
        or_postgres!(self.within(generation, is_wanted));
        let mut found = Within::default();
        let mut files =
            self.conn()?.prepare_cached("SELECT id, source, path, mtime_ns FROM file WHERE generation = ?1").sql()?;
        let mut rows = files.query([generation]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let text = |index| row.get_ref(index)?.as_str().map_err(rusqlite::Error::from);
            let facts = FileFacts { source: text(1).sql()?, path: text(2).sql()?, mtime_ns: row.get(3).sql()? };
            if is_wanted(facts) {
                found.files.insert(row.get(0).sql()?);
            }
        }
        let Some((first, last)) = found.files.iter().min().zip(found.files.iter().max()) else { return Ok(found) };
        // One pass over an index that holds nothing else: several times quicker than asking for file after file.
        let mut chunks = self
            .conn()?
            .prepare_cached("SELECT id, file_id FROM chunk WHERE file_id BETWEEN ?1 AND ?2 ORDER BY file_id")
            .sql()?;
        let mut rows = chunks.query([first, last]).sql()?;
        while let Some(row) = rows.next().sql()? {
            if found.files.contains(&row.get(1).sql()?) {
                found.chunks.insert(row.get(0).sql()?);
            }
        }
        Ok(found)
    }
}
