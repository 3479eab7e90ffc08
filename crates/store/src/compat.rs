//! The second full-text index, for `ranking: memory-core` only: raw text, as the host's own engine indexes it, so that
//! `bm25()` gives the same numbers. FTS5's statistics depend neither on whether the text is stored in the table nor on
//! columns that are not indexed; so it is contentless and has one column.

use rusqlite::{Connection, types::Value};

use super::{generations::GenerationId, ids::ChunkId, reader::Reader, within::Within, writer::Tx};
use crate::error::SqlResult;
use model::{
    config::settings::FtsTokenizer,
    error::{Code, Error, Result},
};

/// How far the index of a generation is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompatIndex {
    tokenizer: FtsTokenizer,
    /// The last chunk added so far.
    done: ChunkId,
    /// The last chunk that was there when building began; newer ones are added when they are written.
    until: ChunkId,
}

/// A keyword hit of the `memory-core` ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompatHit {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// `bm25()`: negative, lower is better; 0 when only substrings were asked.
    pub rank: f64,
}

/// Name of the table.
pub(super) fn table(generation: GenerationId) -> String {
    format!("chunk_fts_compat_{generation}")
}

/// Key of the state of the index in `meta`.
fn meta_key(generation: GenerationId) -> String {
    format!("compat_{generation}")
}

/// Name of a tokenizer in `meta`.
const fn tokenizer_name(tokenizer: FtsTokenizer) -> &'static str {
    match tokenizer {
        FtsTokenizer::Unicode61 => "unicode61",
        FtsTokenizer::Trigram => "trigram",
    }
}

/// Statement that indexes the text of a chunk: id, text.
pub(super) fn insert_sql(generation: GenerationId) -> String {
    format!("INSERT INTO {} (rowid, text) VALUES (?1, ?2)", table(generation))
}

/// Removes chunks from the index.
pub(super) fn delete_rows(conn: &Connection, generation: GenerationId, ids: &[ChunkId]) -> Result<()> {
    let mut delete = conn.prepare_cached(&format!("DELETE FROM {} WHERE rowid = ?1", table(generation))).sql()?;
    for id in ids {
        delete.execute([id]).sql()?;
    }
    Ok(())
}

/// Drops the index of a generation.
pub(super) fn drop_table(conn: &Connection, generation: GenerationId) -> Result<()> {
    conn.execute_batch(&format!("DROP TABLE IF EXISTS {}", table(generation))).sql()?;
    conn.prepare_cached("DELETE FROM meta WHERE key = ?1").sql()?.execute([meta_key(generation)]).sql()?;
    Ok(())
}

impl Reader<'_> {
    /// State of the index of a generation; none when there is none.
    pub(super) fn compat_index(&self, generation: GenerationId) -> Result<Option<CompatIndex>> {
        let Some(value) = self.meta(&meta_key(generation))? else { return Ok(None) };
        let mut parts = value.split(' ');
        let tokenizer = match parts.next() {
            Some("trigram") => FtsTokenizer::Trigram,
            _ => FtsTokenizer::Unicode61,
        };
        let mut number = || parts.next().and_then(|text| text.parse().ok()).map(ChunkId::new);
        let (Some(done), Some(until)) = (number(), number()) else {
            return Err(Error::new(Code::Corrupt, format!("the state of the compatible index reads {value:?}")));
        };
        Ok(Some(CompatIndex { tokenizer, done, until }))
    }

    /// Whether the compatible index of a generation is there, with this tokenizer, and complete.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn compat_is_ready(&self, generation: GenerationId, tokenizer: FtsTokenizer) -> Result<bool> {
        let index = self.compat_index(generation)?;
        Ok(index.is_some_and(|index| index.tokenizer == tokenizer && index.done >= index.until))
    }

    /// Keyword search as the host's 2026.4.12 engine does it: the best `limit` of an FTS5 query by `bm25()`, with words
    /// that the tokenizer cannot index as substrings. `sources` empty = all; `within` confines it to some chunks. Equals
    /// come in the order of content.
    ///
    /// # Errors
    /// When the index is not built, or the query is not valid FTS5.
    pub fn compat_search(
        &self,
        generation: GenerationId,
        query: Option<&str>,
        substrings: &[String],
        (sources, within): (&[&str], Option<&Within>),
        limit: usize,
    ) -> Result<Vec<CompatHit>> {
        if query.is_none() && substrings.is_empty() {
            return Ok(Vec::new());
        }
        let name = table(generation);
        let mut values: Vec<Value> = vec![generation.into()];
        let (from, rank) = match query {
            Some(query) => {
                values.push(query.to_owned().into());
                (format!("{name} t CROSS JOIN chunk c ON c.id = t.rowid"), format!("bm25({name})"))
            }
            None => ("chunk c".to_owned(), "0.0".to_owned()),
        };
        let mut sql = format!("SELECT c.id, {rank} AS rank FROM {from}");
        sql.push_str(if sources.is_empty() { "" } else { " CROSS JOIN file f ON f.id = c.file_id" });
        sql.push_str(" WHERE c.generation = ?1");
        sql.push_str(&if query.is_some() { format!(" AND {name} MATCH ?2") } else { String::new() });
        for substring in substrings {
            let escaped = substring.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            values.push(format!("%{escaped}%").into());
            sql.push_str(&format!(" AND c.text LIKE ?{} ESCAPE '\\'", values.len()));
        }
        if !sources.is_empty() {
            let first = values.len() + 1;
            values.extend(sources.iter().map(|source| Value::from((*source).to_owned())));
            let marks: Vec<String> = (first..=values.len()).map(|n| format!("?{n}")).collect();
            sql.push_str(&format!(" AND f.source IN ({})", marks.join(", ")));
        }
        let mut statement = self.conn()?.prepare_cached(&sql).sql()?;
        let rows = statement
            .query_map(rusqlite::params_from_iter(values), |row| {
                Ok(CompatHit { chunk_id: row.get(0)?, rank: row.get(1)? })
            })
            .sql()?;
        let mut hits: Vec<CompatHit> = rows.collect::<Result<_, _>>().sql()?;
        hits.retain(|hit| within.is_none_or(|within| within.has(hit.chunk_id)));
        let order = self.chunk_order()?;
        let better = |a: &CompatHit, b: &CompatHit| {
            a.rank.total_cmp(&b.rank).then_with(|| order.place(a.chunk_id).cmp(&order.place(b.chunk_id)))
        };
        if hits.len() > limit && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, better);
        }
        hits.truncate(limit);
        hits.sort_unstable_by(better);
        Ok(hits)
    }
}

impl Tx<'_> {
    /// Builds the compatible index of a generation, up to `limit` chunks a call; true while there is more to do.
    /// An index with another tokenizer is replaced.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn compat_build_step(&self, generation: GenerationId, tokenizer: FtsTokenizer, limit: usize) -> Result<bool> {
        let index = match self.compat_index(generation)?.filter(|index| index.tokenizer == tokenizer) {
            Some(index) => index,
            None => self.create_compat(generation, tokenizer)?,
        };
        if index.done >= index.until {
            return Ok(false);
        }
        let chunks: Vec<(ChunkId, String)> = self
            .conn()?
            .prepare_cached(
                "SELECT id, text FROM chunk WHERE id > ?2 AND id <= ?3 AND +generation = ?1 ORDER BY id LIMIT ?4",
            )
            .sql()?
            .query_map((generation, index.done, index.until, limit), |row| Ok((row.get(0)?, row.get(1)?)))
            .sql()?
            .collect::<Result<_, _>>()
            .sql()?;
        let mut insert = self.conn()?.prepare_cached(&insert_sql(generation)).sql()?;
        for (id, text) in &chunks {
            insert.execute((id, text)).sql()?;
        }
        let done = if chunks.len() < limit { index.until } else { chunks.last().map_or(index.until, |(id, _)| *id) };
        self.set_compat(generation, CompatIndex { done, ..index })?;
        Ok(done < index.until)
    }

    /// Drops the compatible index of a generation, when there is one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn compat_drop(&self, generation: GenerationId) -> Result<()> {
        if self.compat_index(generation)?.is_some() {
            drop_table(self.conn()?, generation)?;
        }
        Ok(())
    }

    /// Creates the empty table.
    fn create_compat(&self, generation: GenerationId, tokenizer: FtsTokenizer) -> Result<CompatIndex> {
        drop_table(self.conn()?, generation)?;
        let clause = match tokenizer {
            FtsTokenizer::Unicode61 => "unicode61",
            FtsTokenizer::Trigram => "trigram case_sensitive 0",
        };
        self.conn()?
            .execute_batch(&format!(
                "CREATE VIRTUAL TABLE {} USING fts5(text, content='', contentless_delete=1, tokenize='{clause}')",
                table(generation)
            ))
            .sql()?;
        let until = self
            .conn()?
            .prepare_cached("SELECT coalesce(max(id), 0) FROM chunk WHERE generation = ?1")
            .sql()?
            .query_row([generation], |row| row.get(0))
            .sql()?;
        let index = CompatIndex { tokenizer, done: ChunkId::default(), until };
        self.set_compat(generation, index)?;
        Ok(index)
    }

    /// Stores the state.
    fn set_compat(&self, generation: GenerationId, index: CompatIndex) -> Result<()> {
        let value = format!("{} {} {}", tokenizer_name(index.tokenizer), index.done, index.until);
        self.set_meta(&meta_key(generation), &value)
    }
}
