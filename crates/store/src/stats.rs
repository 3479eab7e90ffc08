//! Sizes and counts, for status.

use std::{fs, path::Path};

use serde::Serialize;

use super::{
    generations::GenerationId,
    reader::{Reader, or_postgres},
    recover::with_suffix,
};
use crate::error::SqlResult;
use model::error::Result;

/// What one source holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceCounts {
    /// Source, as in [`model::source::Source`].
    pub source: String,
    /// Indexed files.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
}

/// Sizes of the files of the index, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sizes {
    /// The database file.
    pub database: u64,
    /// Its write-ahead log.
    pub log: u64,
    /// Pages inside the database that are free.
    pub free: u64,
    /// Stored vectors and their codes.
    pub cache: u64,
    /// Number of stored embeddings.
    pub embeddings: u64,
}

impl Reader<'_> {
    /// Files and chunks of a generation, per source.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn source_counts(&self, generation: GenerationId) -> Result<Vec<SourceCounts>> {
        or_postgres!(self.source_counts(generation));
        let mut files = self
            .conn()?
            .prepare_cached("SELECT source, count(*) FROM file WHERE generation = ?1 GROUP BY source")
            .sql()?;
        let rows = files.query_map([generation], |row| Ok((row.get(0)?, row.get(1)?))).sql()?;
        let mut counts: Vec<(String, u64)> = rows.collect::<Result<_, _>>().sql()?;
        // The chunks of all sources are known, so those of the largest are what the others leave.
        counts.sort_unstable_by_key(|(_, files)| *files);
        let mut chunks = self
            .conn()?
            .prepare_cached(
                "SELECT count(*) FROM file f CROSS JOIN chunk c ON c.file_id = f.id \
                 WHERE f.generation = ?1 AND f.source = ?2",
            )
            .sql()?;
        let (mut left, most) = (self.chunk_count(generation)?, counts.len());
        let mut found = Vec::with_capacity(most);
        for (at, (source, files)) in counts.into_iter().enumerate() {
            let chunks = match at + 1 {
                last if last == most => left,
                _ => chunks.query_row((generation, &source), |row| row.get(0)).sql()?,
            };
            left = left.saturating_sub(chunks);
            found.push(SourceCounts { source, files, chunks });
        }
        found.sort_unstable_by(|a, b| a.source.cmp(&b.source));
        Ok(found)
    }

    /// Sizes of the index. `path` is the path of the database.
    pub(super) fn sizes(&self, path: &Path) -> Result<Sizes> {
        let conn = self.conn()?;
        let number = |sql| conn.query_row(sql, [], |row| row.get::<_, u64>(0));
        let page_size = number("PRAGMA page_size").sql()?;
        // 32-bit floats plus one code byte each; the sum over the rows would read every page.
        let (embeddings, cache) = self
            .conn()?
            .prepare_cached(
                "SELECT coalesce(sum(embeddings), 0), coalesce(sum(embeddings * coalesce(dims, 0) * 5), 0) FROM space",
            )
            .sql()?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .sql()?;
        Ok(Sizes {
            database: number("PRAGMA page_count").sql()? * page_size,
            log: fs::metadata(with_suffix(path, "-wal")).map_or(0, |meta| meta.len()),
            free: number("PRAGMA freelist_count").sql()? * page_size,
            cache,
            embeddings,
        })
    }
}
