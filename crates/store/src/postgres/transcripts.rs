//! Transcripts: files that only grow, stored with where reading them goes on.

use std::collections::HashMap;

use tokio_postgres::types::Type;

use super::{
    agent::{Reader, Tx, column, int8, natural, text},
    connect::Statement,
    files::{ChunkRows, FileParams, marked},
};
use crate::{
    files::NewChunk,
    generations::GenerationId,
    ids::FileId,
    transcripts::{NewTranscript, TranscriptRow},
};
use model::error::{Code, Error, Result};

/// Source of transcripts, as in [`model::source::Source`].
const SOURCE: &str = "sessions";

/// Deletes the chunks of a file from a line on.
const CUT: &str = concat!(
    "WITH dead AS (DELETE FROM chunk WHERE agent = $1 AND file = $3 AND start_line >= $4 RETURNING id, hash), \
        noted AS (INSERT INTO lex_dead (agent, generation, chunk, seq) SELECT $1, $2, id, $5 FROM dead), \
        uncoded AS (DELETE FROM code k USING dead WHERE k.agent = $1 AND k.chunk = dead.id), ",
    marked!(),
    "UPDATE generation SET chunks = chunks - (SELECT count(*) FROM dead), \
     hashed = hashed - (SELECT count(hash) FROM dead) WHERE agent = $1 AND id = $2"
);

impl Reader<'_> {
    /// All transcripts, by path.
    ///
    /// # Errors
    /// What the database answers.
    pub fn transcripts(&self, generation: GenerationId) -> Result<HashMap<String, TranscriptRow>> {
        let sql = "SELECT f.path, f.id, f.mtime_ns, f.size, t.session_key, t.cursor, t.final_terms FROM file f \
                   JOIN transcript t ON t.agent = $1 AND t.file = f.id \
                   WHERE f.agent = $1 AND f.generation = $2 AND f.source = $3";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation), text(&SOURCE)])?;
        let transcript = |row| {
            let transcript = TranscriptRow {
                file_id: column(row, 1)?,
                mtime_ns: column(row, 2)?,
                size: natural(row, 3)?,
                session_key: column(row, 4)?,
                cursor: column(row, 5)?,
                final_terms: natural(row, 6)?,
            };
            Ok((column(row, 0)?, transcript))
        };
        rows.iter().map(transcript).collect()
    }

    /// The part of a transcript that still grows.
    ///
    /// # Errors
    /// What the database answers.
    pub fn growing_part(&self, file: FileId) -> Result<Option<String>> {
        let sql = "SELECT part FROM transcript WHERE agent = $1 AND file = $2";
        let row = self.tx.row(sql, &[int8(&self.agent), int8(&file)])?;
        let part = row.map(|row| column::<Vec<u8>>(&row, 0)).transpose()?.map(String::from_utf8).transpose();
        part.map_err(|_| Error::new(Code::Corrupt, "the database holds a text that is none"))
    }
}

impl Tx<'_> {
    /// Notes that nothing of interest was added to a transcript.
    ///
    /// # Errors
    /// What the database answers.
    pub fn touch_transcript(&self, file: FileId, mtime_ns: i64, size: u64, cursor: &str) -> Result<()> {
        let size = i64::try_from(size).map_err(|_| Error::new(Code::Argument, "a file is too large for the index"))?;
        self.tx.execute_all(&[
            (
                "UPDATE file SET mtime_ns = $3, size = $4 WHERE agent = $1 AND id = $2",
                &[int8(&self.agent), int8(&file), int8(&mtime_ns), int8(&size)],
            ),
            (
                "UPDATE transcript SET cursor = $3 WHERE agent = $1 AND file = $2",
                &[int8(&self.agent), int8(&file), text(&cursor)],
            ),
        ])
    }

    /// Stores what was read of a transcript: chunks that start at `from_line` or later are replaced, those before stay.
    ///
    /// # Errors
    /// What the database answers.
    pub fn extend_transcript(
        &self,
        generation: GenerationId,
        transcript: &NewTranscript<'_>,
        from_line: u32,
        chunks: &[NewChunk],
    ) -> Result<()> {
        let file = &transcript.file;
        let known = self.file(generation, file.source, file.path)?.map(|known| known.id.number());
        let (id, first) = match known {
            Some(id) => (id, self.next_ids(chunks.len())?),
            None => {
                let id = self.next_ids(1 + chunks.len())?;
                (id, id + 1)
            }
        };
        let file_params = FileParams::new(file)?;
        let rows = ChunkRows::new(self, generation, std::iter::once((id, first, chunks)))?;
        let (from_line, version) = (i64::from(from_line), self.version()?);
        let kept: Vec<&[u8]> = chunks.iter().map(|chunk| chunk.hash.as_slice()).collect();
        let cut = [
            int8(&self.agent),
            int8(&generation),
            int8(&id),
            int8(&from_line),
            int8(&version),
            int8(&self.now_ms),
            text(&self.tenant),
            (&kept as _, Type::BYTEA_ARRAY),
        ];
        let about_file = file_params.all(&self.agent, &id, &generation, &self.now_ms);
        let (part_line, final_terms) = (i64::from(transcript.part_line), i64::from(transcript.final_terms));
        let part = transcript.part.as_bytes();
        let of_transcript = [
            int8(&self.agent),
            int8(&generation),
            int8(&id),
            (&transcript.session_key as _, Type::TEXT),
            text(&transcript.cursor),
            int8(&part_line),
            (&part as _, Type::BYTEA),
            int8(&final_terms),
        ];
        let of_chunks = rows.statements();
        let mut all: Vec<Statement<'_>> = match known {
            Some(_) => vec![(CUT, &cut), (FileParams::UPDATE, &about_file)],
            None => vec![(FileParams::INSERT, &about_file)],
        };
        all.extend(of_chunks.iter().map(|(sql, params)| (*sql, params.as_slice())));
        all.push((
            "INSERT INTO transcript (agent, generation, file, session_key, cursor, part_line, part, final_terms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (agent, file) DO UPDATE SET \
               session_key = excluded.session_key, cursor = excluded.cursor, part_line = excluded.part_line, \
               part = excluded.part, final_terms = excluded.final_terms",
            &of_transcript,
        ));
        self.tx.execute_all(&all)?;
        self.add_words(generation, first, chunks);
        Ok(())
    }
}
