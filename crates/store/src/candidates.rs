//! The chunks that a search looks at closely, with all that it needs of them, in one call.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::{
    chunks::ChunkRow,
    ids::{ChunkId, FileId, SpaceId},
    reader::{Reader, or_postgres},
    vectors::Nearest,
};
use model::{error::Result, source::Source};

/// Which chunks a search looks at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Found by words, the best first.
    pub by_words: &'a [ChunkId],
    /// Most of them.
    pub most_by_words: usize,
    /// Of which sources those by words are wanted; none named = all.
    pub sources: &'a [Source],
    /// How near all chunks are to the query; none where meaning takes no part.
    pub nearest: Option<&'a Nearest<'a>>,
    /// How many of the nearest.
    pub most_nearest: usize,
    /// For how many of all candidates the cosine is to be exact where an estimate is right to a thousandth.
    pub exact: usize,
    /// Files whose chunks are wanted, the most wanted first.
    pub files: &'a [FileId],
    /// Most chunks of these files.
    pub most_of_files: usize,
    /// Chunks that are wanted whatever else is found.
    pub also: &'a [ChunkId],
    /// The space in which it is asked next what the lines of all of them mean; none where it is not. A database sends that
    /// along.
    pub lines: Option<SpaceId>,
}

/// The chunks of a search.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Each once, in the order of source, path, first line and id.
    pub rows: Vec<ChunkRow>,
    /// Those by words, the best first.
    pub by_words: Vec<ChunkId>,
    /// Cosines of all with the query, best first; those without a vector are left out.
    pub cosines: Vec<(ChunkId, f64)>,
}

impl Reader<'_> {
    /// The chunks that a search looks at. Those that are gone by now are left out.
    ///
    /// # Errors
    /// When the database cannot be read, or the query vector is not of the index's length.
    pub fn candidates(&self, wanted: &Wanted<'_>) -> Result<Found> {
        or_postgres!(self.candidates(wanted));
        // With sources named, more are read than are wanted, to see of which they are.
        let (mut rows, mut by_words): (Vec<ChunkRow>, Vec<ChunkId>) = if wanted.sources.is_empty() {
            (Vec::new(), wanted.by_words.iter().copied().take(wanted.most_by_words).collect())
        } else {
            let rows = self.first_of(wanted.by_words, wanted.sources, wanted.most_by_words)?;
            let ids = rows.iter().map(|row| row.id).collect();
            (rows, ids)
        };
        let mut seen: HashSet<ChunkId, RandomState> = rows.iter().map(|row| row.id).collect();
        let near = wanted.nearest.map(|nearest| nearest.top(wanted.most_nearest)).unwrap_or_default();
        let all = by_words.iter().chain(&near).chain(wanted.also);
        let mut unread: Vec<ChunkId> = all.copied().filter(|id| seen.insert(*id)).collect();
        // Chunks of neighbouring ids lie on the same pages.
        unread.sort_unstable();
        let read = self.chunks(&unread)?;
        let is_read = |id: &ChunkId| read.binary_search_by_key(id, |row| row.id).is_ok();
        // What is there already was read just now.
        by_words.retain(|id| rows.iter().any(|row| row.id == *id) || is_read(id));
        rows.extend(read);
        let mut of_files = Vec::new();
        for file in wanted.files {
            if of_files.len() >= wanted.most_of_files {
                break;
            }
            of_files.extend(self.chunks_of_file(*file)?);
        }
        of_files.truncate(wanted.most_of_files);
        rows.extend(of_files.into_iter().filter(|row| seen.insert(row.id)));
        rows.sort_by(|a, b| (&a.source, &a.path, a.start_line, a.id).cmp(&(&b.source, &b.path, b.start_line, b.id)));
        let cosines = match wanted.nearest {
            Some(nearest) => {
                let all: Vec<ChunkId> = rows.iter().map(|row| row.id).collect();
                nearest.cosines(self, &all, wanted.exact)?
            }
            None => Vec::new(),
        };
        Ok(Found { rows, by_words, cosines })
    }

    /// The first `most` of chunks that are of the sources.
    fn first_of(&self, ids: &[ChunkId], sources: &[Source], most: usize) -> Result<Vec<ChunkRow>> {
        let mut rows = Vec::new();
        for part in ids.chunks(most.max(1)) {
            let read = self.chunks(part)?;
            rows.extend(read.into_iter().filter(|row| sources.iter().any(|source| source.as_str() == row.source)));
            if rows.len() >= most {
                break;
            }
        }
        rows.truncate(most);
        Ok(rows)
    }
}
