//! Pictures and sounds among the chunks, and the texts that link to them.

use tokio_postgres::Row;

use super::{
    agent::{Reader, column, int8, text},
    connect::Param,
    files::{file_row, hash},
    refusals::is_refused,
};
use crate::{
    embeddings::MissingText,
    files::Hash,
    generations::GenerationId,
    ids::SpaceId,
    media::{MediaFile, MissingMedia},
};
use model::error::{Code, Error, Result};

/// SQL: whether chunk `c` is a picture or sound whose bytes are embedded; see [`crate::media::is_media`].
pub(super) const IS_MEDIA: &str = "(c.hash BETWEEN '\\x006d656469610000'::bytea AND '\\x006d656469610001'::bytea)";

/// Rows that are read at a time.
const PAGE: usize = 500;

/// A text as it is stored.
pub(super) fn body(row: &Row, at: usize) -> Result<&str> {
    let body = std::str::from_utf8(column(row, at)?);
    body.map_err(|_| Error::new(Code::Corrupt, "the database holds a text that is none"))
}

impl Reader<'_> {
    /// [`Reader::missing_embeddings`] without pictures and sounds.
    ///
    /// # Errors
    /// What the database answers.
    pub fn unembedded_texts(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingText>> {
        let which = format!("NOT {} AND NOT {IS_MEDIA}", is_refused());
        self.texts_without(&which, (generation, space), after, limit)
    }

    /// A page of the distinct pictures and sounds of a generation that have no embedding in a space and were not refused,
    /// ordered by hash, after `after`.
    ///
    /// # Errors
    /// What the database answers.
    pub fn missing_media(
        &self,
        generation: GenerationId,
        space: SpaceId,
        after: Option<&Hash>,
        limit: usize,
    ) -> Result<Vec<MissingMedia>> {
        let which = format!("NOT {} AND {IS_MEDIA}", is_refused());
        let found = self.texts_without(&which, (generation, space), after, limit)?;
        let chunks: Vec<_> = found.iter().map(|missing| missing.chunk_id).collect();
        // All are there: it is one snapshot.
        let rows = self.chunks(&chunks)?;
        let of = |(missing, row): (MissingText, crate::chunks::ChunkRow)| MissingMedia {
            hash: missing.hash,
            text: missing.text,
            path: row.path,
        };
        Ok(found.into_iter().zip(rows).map(of).collect())
    }

    /// Pictures and sounds of a generation: what is no Markdown among the files of a source.
    ///
    /// # Errors
    /// What the database answers.
    pub fn media_files(&self, generation: GenerationId, source: &str) -> Result<Vec<MediaFile>> {
        let sql = "SELECT f.id, f.hash, f.mtime_ns, f.size, f.lines, f.terms, f.path, c.hash, c.body FROM file f \
                   JOIN chunk c ON c.agent = $1 AND c.file = f.id \
                   WHERE f.agent = $1 AND f.generation = $2 AND f.source = $3 AND f.path NOT ILIKE '%.md' \
                   ORDER BY f.path COLLATE \"C\"";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation), text(&source)])?;
        let media = |row| {
            let (path, text) = (column(row, 6)?, body(row, 8)?.to_owned());
            Ok(MediaFile { row: file_row(row, 0)?, path, hash: hash(column(row, 7)?)?, text })
        };
        rows.iter().map(media).collect()
    }

    /// Calls `f` with path and text of the chunks of a source that may hold a link, in the order of the files.
    ///
    /// # Errors
    /// What the database answers.
    pub fn for_each_linking_text(
        &self,
        generation: GenerationId,
        source: &str,
        mut f: impl FnMut(&str, &str),
    ) -> Result<()> {
        let sql = "SELECT f.path, c.body FROM file f JOIN chunk c ON c.agent = $1 AND c.file = f.id \
                   WHERE f.agent = $1 AND f.generation = $2 AND f.source = $3 AND position('['::bytea IN c.body) > 0 \
                     AND f.path ILIKE '%.md' ORDER BY f.path COLLATE \"C\", c.id";
        self.walk(sql, &[int8(&self.agent), int8(&generation), text(&source)], |row| {
            f(column(row, 0)?, body(row, 1)?);
            Ok(true)
        })
    }

    /// Calls `f` with source, path and text of every chunk of the live generation until it returns false.
    ///
    /// # Errors
    /// What the database answers.
    pub fn for_each_text(&self, mut f: impl FnMut(&str, &str, &str) -> bool) -> Result<()> {
        let sql = "SELECT f.source, f.path, c.body FROM generation g JOIN file f ON f.agent = $1 AND f.generation = g.id \
                   JOIN chunk c ON c.agent = $1 AND c.file = f.id WHERE g.agent = $1 AND g.state = 'live'";
        self.walk(sql, &[int8(&self.agent)], |row| Ok(f(column(row, 0)?, column(row, 1)?, body(row, 2)?)))
    }

    /// Calls `f` with all rows of a query until it returns false, some at a time. No other walk may begin in between.
    fn walk(&self, sql: &str, params: &[Param<'_>], mut f: impl FnMut(&Row) -> Result<bool>) -> Result<()> {
        self.tx.execute(&format!("DECLARE walk NO SCROLL CURSOR FOR {sql}"), params)?;
        loop {
            let rows = self.tx.rows(&format!("FETCH {PAGE} FROM walk"), &[])?;
            for row in &rows {
                if !f(row)? {
                    return self.tx.batch("CLOSE walk");
                }
            }
            if rows.len() < PAGE {
                return self.tx.batch("CLOSE walk");
            }
        }
    }
}
