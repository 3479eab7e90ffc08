//! Pictures and sounds among the chunks: known by their hash, which is that of a file's bytes and not of a text.

use rusqlite::params;

use super::{
    embeddings::SpaceId,
    files::{FileRow, Hash, file_row},
    generations::GenerationId,
    reader::{Reader, or_postgres},
    refusals::is_refused,
};
use crate::error::SqlResult;
use model::error::Result;

/// What such a hash begins with; 192 bits of the content's hash follow. A text has such a hash once in 2^64.
const MARK: [u8; 8] = *b"\0media\0\0";

/// SQL: whether chunk `c` is a picture or sound whose bytes are embedded. Its hash begins with [`MARK`].
macro_rules! sql_is_media {
    () => {
        "(c.hash BETWEEN x'006d656469610000' AND x'006d656469610001')"
    };
}
pub(super) use sql_is_media;

/// Whether a hash is one of a picture or sound.
#[must_use]
pub fn is_media(hash: &Hash) -> bool {
    hash.starts_with(&MARK)
}

/// The hash of a picture or sound, of the hash of its content.
#[must_use]
pub fn media_hash(content: &Hash) -> Hash {
    let mut hash = *content;
    hash[..MARK.len()].copy_from_slice(&MARK);
    hash
}

/// A picture or sound without embedding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingMedia {
    /// What the embedding will be stored under.
    pub hash: Hash,
    /// Text of a chunk.
    pub text: String,
    /// Its file, as results name it.
    pub path: String,
}

/// A picture or sound of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaFile {
    /// As results name it.
    pub path: String,
    /// The file.
    pub row: FileRow,
    /// Hash of its one chunk.
    pub hash: Hash,
    /// Text of its one chunk.
    pub text: String,
}

impl Reader<'_> {
    /// A page of the distinct pictures and sounds of a generation that have no embedding in a space and were not refused,
    /// ordered by hash, after `after`.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn missing_media(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingMedia>> {
        or_postgres!(self.missing_media(generation, space, after, limit));
        let mut statement = self
            .conn()?
            .prepare_cached(&format!(
                "SELECT c.hash, c.text, f.path, min(c.id) FROM chunk c CROSS JOIN file f ON f.id = c.file_id \
                 WHERE c.generation = ?1 AND c.hash > ?3 AND {} \
                 AND NOT EXISTS (SELECT 1 FROM embedding e WHERE e.space_id = ?2 AND e.hash = c.hash) AND NOT {} \
                 GROUP BY c.hash ORDER BY c.hash LIMIT ?4",
                sql_is_media!(),
                is_refused()
            ))
            .sql()?;
        let after: &[u8] = after.map_or(&[], |hash| hash.as_slice());
        let rows = statement
            .query_map(params![generation, space, after, limit], |row| {
                Ok(MissingMedia { hash: row.get(0)?, text: row.get(1)?, path: row.get(2)? })
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Pictures and sounds of a generation: what is no Markdown among the files of a source.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn media_files(&self, generation: GenerationId, source: &str) -> Result<Vec<MediaFile>> {
        or_postgres!(self.media_files(generation, source));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT f.id, f.hash, f.mtime_ns, f.size, f.lines, f.terms, f.path, c.hash, c.text \
                 FROM file f CROSS JOIN chunk c ON c.file_id = f.id \
                 WHERE f.generation = ?1 AND f.source = ?2 AND f.path NOT LIKE '%.md' ORDER BY f.path",
            )
            .sql()?;
        let rows = statement
            .query_map(params![generation, source], |row| {
                Ok(MediaFile { row: file_row(row, 0)?, path: row.get(6)?, hash: row.get(7)?, text: row.get(8)? })
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// Calls `f` with path and text of the chunks of a source that may hold a link, in the order of the files.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn for_each_linking_text(
        &self,
        generation: GenerationId,
        source: &str,
        mut f: impl FnMut(&str, &str),
    ) -> Result<()> {
        or_postgres!(self.for_each_linking_text(generation, source, f));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT f.path, c.text FROM file f CROSS JOIN chunk c ON c.file_id = f.id \
                 WHERE f.generation = ?1 AND f.source = ?2 AND instr(c.text, '[') AND f.path LIKE '%.md' \
                 ORDER BY f.path, c.id",
            )
            .sql()?;
        let mut rows = statement.query(params![generation, source]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let text = |index| row.get_ref(index)?.as_str().map_err(rusqlite::Error::from);
            f(text(0).sql()?, text(1).sql()?);
        }
        Ok(())
    }
}
