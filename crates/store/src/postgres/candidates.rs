//! The chunks that a search looks at closely. As the other store chooses them, in few round trips.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use tokio_postgres::types::Type;

use super::{
    agent::{Reader, int8},
    chunks::{COLUMNS, from_row},
};
use crate::{
    candidates::{Found, Wanted},
    chunks::ChunkRow,
    ids::ChunkId,
};
use model::error::Result;

impl Reader<'_> {
    /// The chunks that a search looks at; see [`crate::Reader::candidates`]. One round trip for those by words and those
    /// that are near, one for those of files, and one for cosines.
    ///
    /// # Errors
    /// What the database answers; [`Code::Argument`](model::error::Code::Argument) when the query vector is not of the
    /// index's length.
    pub fn candidates(&self, wanted: &Wanted<'_>) -> Result<Found> {
        let mut near = wanted.nearest.map(|nearest| nearest.top(wanted.most_nearest)).unwrap_or_default();
        near.extend(wanted.also);
        let (mut rows, near) = self.by_words_and_near(wanted, &near)?;
        let by_words: Vec<ChunkId> = rows.iter().map(|row| row.id).collect();
        let mut seen: HashSet<ChunkId, RandomState> = by_words.iter().copied().collect();
        rows.extend(near.into_iter().filter(|row| seen.insert(row.id)));
        if !wanted.files.is_empty() && wanted.most_of_files > 0 {
            rows.extend(self.of_files(wanted)?.into_iter().filter(|row| seen.insert(row.id)));
        }
        rows.sort_by(|a, b| (&a.source, &a.path, a.start_line, a.id).cmp(&(&b.source, &b.path, b.start_line, b.id)));
        let cosines = match wanted.nearest {
            Some(nearest) => {
                let all: Vec<ChunkId> = rows.iter().map(|row| row.id).collect();
                self.near(nearest, &all, wanted.exact)?
            }
            None => Vec::new(),
        };
        Ok(Found { rows, by_words, cosines })
    }

    /// The first of those by words that are of the sources, and all that are near.
    fn by_words_and_near(&self, wanted: &Wanted<'_>, near: &[ChunkId]) -> Result<(Vec<ChunkRow>, Vec<ChunkRow>)> {
        let by_words = format!(
            "SELECT {COLUMNS} FROM unnest($2) WITH ORDINALITY ids (id, place) \
             JOIN chunk c ON c.agent = $1 AND c.id = ids.id JOIN file f ON f.agent = $1 AND f.id = c.file \
             WHERE cardinality($3) = 0 OR f.source = ANY ($3) ORDER BY ids.place LIMIT $4"
        );
        let by_id = format!(
            "SELECT {COLUMNS} FROM unnest($2) WITH ORDINALITY ids (id, place) \
             JOIN chunk c ON c.agent = $1 AND c.id = ids.id JOIN file f ON f.agent = $1 AND f.id = c.file \
             ORDER BY ids.place"
        );
        let numbers = |ids: &[ChunkId]| ids.iter().map(|id| id.number()).collect::<Vec<i64>>();
        // Without a source to look for none further down takes the place of one that is gone.
        let first = match wanted.sources {
            [] => &wanted.by_words[..wanted.by_words.len().min(wanted.most_by_words)],
            _ => wanted.by_words,
        };
        let (words, near) = (numbers(first), numbers(near));
        let sources: Vec<&str> = wanted.sources.iter().map(|source| source.as_str()).collect();
        let most = i64::try_from(wanted.most_by_words).unwrap_or(i64::MAX);
        let of_words =
            [int8(&self.agent), (&words as _, Type::INT8_ARRAY), (&sources as _, Type::TEXT_ARRAY), int8(&most)];
        let of_near = [int8(&self.agent), (&near as _, Type::INT8_ARRAY)];
        let (words, near) = self.tx.rows_of_both((&by_words, &of_words), (&by_id, &of_near))?;
        let rows = |rows: Vec<tokio_postgres::Row>| rows.iter().map(from_row).collect::<Result<Vec<ChunkRow>>>();
        Ok((rows(words)?, rows(near)?))
    }

    /// Chunks of files, the most wanted first.
    fn of_files(&self, wanted: &Wanted<'_>) -> Result<Vec<ChunkRow>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM unnest($2) WITH ORDINALITY ids (id, place) \
             JOIN file f ON f.agent = $1 AND f.id = ids.id JOIN chunk c ON c.agent = $1 AND c.file = f.id \
             ORDER BY ids.place, c.start_line, c.id LIMIT $3"
        );
        let files: Vec<i64> = wanted.files.iter().map(|id| id.number()).collect();
        let most = i64::try_from(wanted.most_of_files).unwrap_or(i64::MAX);
        let rows = self.tx.rows(&sql, &[int8(&self.agent), (&files as _, Type::INT8_ARRAY), int8(&most)])?;
        rows.iter().map(from_row).collect()
    }
}
