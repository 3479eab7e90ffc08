//! Transcripts: files that only grow, stored with where reading them goes on.

use std::collections::HashMap;

use rusqlite::{OptionalExtension, params};

use super::{
    files::{NewChunk, NewFile, Words},
    generations::GenerationId,
    ids::{ChunkId, FileId},
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// Source of transcripts, as in [`model::source::Source`].
const SOURCE: &str = "sessions";

/// What is known of an indexed transcript, enough to tell whether there is more and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptRow {
    /// Id of the file.
    pub file_id: FileId,
    /// Modification time, in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Size in bytes.
    pub size: u64,
    /// Key of the conversation, where it is known.
    pub session_key: Option<String>,
    /// Where reading goes on; opaque to the store.
    pub cursor: String,
    /// Analysed terms of the chunks that are final.
    pub final_terms: u32,
}

/// A transcript as far as it was read.
#[derive(Debug, Clone, Copy)]
pub struct NewTranscript<'a> {
    /// The file, with the terms of all of it.
    pub file: NewFile<'a>,
    /// Key of the conversation.
    pub session_key: Option<&'a str>,
    /// Where reading goes on.
    pub cursor: &'a str,
    /// Line from which chunks may still change.
    pub part_line: u32,
    /// The part that still grows.
    pub part: &'a str,
    /// Analysed terms of the chunks below `part_line`.
    pub final_terms: u32,
}

impl Reader<'_> {
    /// All transcripts, by path.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn transcripts(&self, generation: GenerationId) -> Result<HashMap<String, TranscriptRow>> {
        or_postgres!(self.transcripts(generation));
        let mut statement = self
            .conn()?
            .prepare_cached(
                "SELECT f.path, f.id, f.mtime_ns, f.size, t.session_key, t.cursor, t.final_terms \
             FROM file f JOIN transcript t ON t.file_id = f.id WHERE f.generation = ?1 AND f.source = ?2",
            )
            .sql()?;
        let rows = statement
            .query_map((generation, SOURCE), |row| {
                let transcript = TranscriptRow {
                    file_id: row.get(1)?,
                    mtime_ns: row.get(2)?,
                    size: row.get(3)?,
                    session_key: row.get(4)?,
                    cursor: row.get(5)?,
                    final_terms: row.get(6)?,
                };
                Ok((row.get(0)?, transcript))
            })
            .sql()?;
        rows.collect::<Result<_, _>>().sql()
    }

    /// The part of a transcript that still grows.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn growing_part(&self, file_id: FileId) -> Result<Option<String>> {
        or_postgres!(self.growing_part(file_id));
        let mut statement = self.conn()?.prepare_cached("SELECT part FROM transcript WHERE file_id = ?1").sql()?;
        statement.query_row([file_id], |row| row.get(0)).optional().sql()
    }
}

impl Tx<'_> {
    /// Notes that nothing of interest was added to a transcript.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn touch_transcript(&self, file_id: FileId, mtime_ns: i64, size: u64, cursor: &str) -> Result<()> {
        or_postgres!(self.touch_transcript(file_id, mtime_ns, size, cursor));
        self.conn()?
            .prepare_cached("UPDATE file SET mtime_ns = ?2, size = ?3 WHERE id = ?1")
            .sql()?
            .execute((file_id, mtime_ns, size))
            .sql()?;
        self.conn()?
            .prepare_cached("UPDATE transcript SET cursor = ?2 WHERE file_id = ?1")
            .sql()?
            .execute((file_id, cursor))
            .sql()?;
        Ok(())
    }

    /// Stores what was read of a transcript: chunks that start at `from_line` or later are replaced, those before stay.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn extend_transcript(
        &self,
        generation: GenerationId,
        transcript: &NewTranscript<'_>,
        from_line: u32,
        chunks: &[NewChunk],
    ) -> Result<()> {
        or_postgres!(self.extend_transcript(generation, transcript, from_line, chunks));
        let file = &transcript.file;
        let known: Option<FileId> = self
            .conn()?
            .prepare_cached("SELECT id FROM file WHERE generation = ?1 AND source = ?2 AND path = ?3")
            .sql()?
            .query_row((generation, file.source, file.path), |row| row.get(0))
            .optional()
            .sql()?;
        let mut words = Words::default();
        let (file_id, removed) = match known {
            Some(id) => {
                let replaced: Vec<ChunkId> = self
                    .conn()?
                    .prepare_cached("SELECT id FROM chunk WHERE file_id = ?1 AND start_line >= ?2")
                    .sql()?
                    .query_map((id, from_line), |row| row.get(0))
                    .sql()?
                    .collect::<Result<_, _>>()
                    .sql()?;
                let removed = self.remove_chunks(replaced, &mut words)?;
                self.conn()?
                    .prepare_cached(
                        "UPDATE file SET hash = ?2, mtime_ns = ?3, size = ?4, lines = ?5, terms = ?6, indexed_ms = ?7 \
                         WHERE id = ?1",
                    )
                    .sql()?
                    .execute(params![id, file.hash, file.mtime_ns, file.size, file.lines, file.terms, self.now_ms()])
                    .sql()?;
                (id, removed)
            }
            None => (self.insert_file(generation, file)?, Vec::new()),
        };
        self.insert_chunks(generation, file_id, chunks, &mut words)?;
        self.mark_unused(&removed)?;
        self.conn()?
            .prepare_cached(
                "INSERT OR REPLACE INTO transcript (file_id, session_key, cursor, part_line, part, final_terms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .sql()?
            .execute(params![
                file_id,
                transcript.session_key,
                transcript.cursor,
                transcript.part_line,
                transcript.part,
                transcript.final_terms
            ])
            .sql()?;
        self.write_words(generation, &words)
    }
}
