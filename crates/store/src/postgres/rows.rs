//! Rows of chunks in memory. What a chunk says never changes under its id; where it is, and whether it is still there, may
//! with each write.

use std::{collections::HashMap, sync::Arc};

use foldhash::fast::RandomState;
use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, column, int8, natural},
    chunks::{COLUMNS, from_row},
    connect::{Param, Statement},
    kept::{Era, Kept},
    state::SOURCES,
};
use crate::{
    chunks::ChunkRow,
    ids::{ChunkId, GenerationId},
};
use model::error::Result;

/// Where chunks are.
pub(super) const WHERE: &str = "SELECT c.id, c.file, f.source, f.path, f.lines, f.mtime_ns, f.indexed_ms, f.generation FROM unnest($2) ids (id) \
     JOIN chunk c ON c.agent = $1 AND c.id = ids.id JOIN file f ON f.agent = $1 AND f.id = c.file";

/// Chunks of which some are in memory.
pub(super) struct Rows {
    agent: i64,
    found: HashMap<ChunkId, Arc<ChunkRow>, RandomState>,
    /// In memory, but as they were before a write.
    older: HashMap<ChunkId, Arc<ChunkRow>, RandomState>,
    older_ids: Vec<ChunkId>,
    missing: Vec<ChunkId>,
    whole: String,
}

impl Reader<'_> {
    /// What is kept in memory, and of when it has to be; none where it is not known whether something was written.
    pub(super) fn kept(&self) -> Option<(&Kept, Era, i64)> {
        let (known, state) = self.known.zip(self.state.get())?;
        Some((known.kept, state.words.era, state.moment.version))
    }

    /// Chunks by id, each once, as far as they are in memory.
    pub(super) fn rows_of(&self, ids: impl IntoIterator<Item = ChunkId>) -> Rows {
        let mut rows = Rows {
            agent: self.agent,
            found: HashMap::default(),
            older: HashMap::default(),
            older_ids: Vec::new(),
            missing: Vec::new(),
            whole: format!(
                "SELECT {COLUMNS} FROM unnest($2) ids (id) \
                 JOIN chunk c ON c.agent = $1 AND c.id = ids.id JOIN file f ON f.agent = $1 AND f.id = c.file"
            ),
        };
        let kept = self.kept();
        for id in ids {
            match kept.and_then(|(kept, era, now)| kept.row(era, id).map(|(read, row)| (read == now, row))) {
                Some((true, row)) => drop(rows.found.insert(id, row)),
                Some((false, row)) => drop(rows.older.insert(id, row)),
                None => rows.missing.push(id),
            }
        }
        rows.older_ids = rows.older.keys().copied().collect();
        rows.missing.sort_unstable();
        rows.missing.dedup();
        rows
    }

    /// A row that was read, which is kept.
    pub(super) fn learnt(&self, row: &Row) -> Result<Arc<ChunkRow>> {
        self.keep(from_row(row)?, column(row, 11)?, column(row, 12)?)
    }

    /// Keeps a row whose file was indexed at a time, in a generation.
    fn keep(&self, row: ChunkRow, indexed_ms: i64, generation: GenerationId) -> Result<Arc<ChunkRow>> {
        let row = Arc::new(row);
        // Of two files with one path, this is the one that counts.
        if let Some(state) = self.state.get().filter(|_| row.source == SOURCES[0]) {
            let changed = if row.mtime_ns > 0 { row.mtime_ns / 1_000_000 } else { indexed_ms };
            state.answers.changed.lock().insert((generation, row.path.clone()), changed);
        }
        if let Some((kept, era, version)) = self.kept() {
            kept.keep_row(era, version, &row);
        }
        Ok(row)
    }
}

impl Rows {
    /// The values of [`Self::statements`].
    pub(super) fn params(&self) -> [[Param<'_>; 2]; 2] {
        let of = |ids| [int8(&self.agent), (ids as _, Type::INT8_ARRAY)];
        [of(&self.older_ids), of(&self.missing)]
    }

    /// What is to be asked for those that are not known, as far as there are any.
    pub(super) fn statements<'s>(&'s self, [older, missing]: &'s [[Param<'s>; 2]; 2]) -> Vec<Statement<'s>> {
        let mut statements: Vec<Statement<'s>> = Vec::with_capacity(2);
        if !self.older_ids.is_empty() {
            statements.push((WHERE, older));
        }
        if !self.missing.is_empty() {
            statements.push((&self.whole, missing));
        }
        statements
    }

    /// All of them that are there, by their ids, with what the statements were answered.
    pub(super) fn with(
        mut self,
        reader: &Reader<'_>,
        answers: &mut impl Iterator<Item = Vec<Row>>,
    ) -> Result<HashMap<ChunkId, Arc<ChunkRow>, RandomState>> {
        if !self.older_ids.is_empty() {
            for row in answers.next().unwrap_or_default() {
                let id = column(&row, 0)?;
                let Some(before) = self.older.remove(&id) else { continue };
                let now = ChunkRow {
                    file_id: column(&row, 1)?,
                    source: column(&row, 2)?,
                    path: column(&row, 3)?,
                    file_lines: natural(&row, 4)?,
                    mtime_ns: column(&row, 5)?,
                    ..Arc::unwrap_or_clone(before)
                };
                let now = reader.keep(now, column(&row, 6)?, column(&row, 7)?)?;
                self.found.insert(id, now);
            }
        }
        if !self.missing.is_empty() {
            for row in answers.next().unwrap_or_default() {
                let row = reader.learnt(&row)?;
                self.found.insert(row.id, row);
            }
        }
        Ok(self.found)
    }
}
