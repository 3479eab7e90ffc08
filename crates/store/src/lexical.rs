//! The full-text index of a generation: which chunks hold a term. One FTS5 table per generation, so that its
//! statistics are its own and retiring it is one `DROP`.

use rusqlite::Connection;

use super::{
    generations::GenerationId,
    ids::ChunkId,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::Result;

/// Name of the full-text table of a generation.
pub(super) fn table(generation: GenerationId) -> String {
    format!("chunk_fts_{generation}")
}

/// The full-text tables of a generation that may exist.
pub(super) fn tables(generation: GenerationId) -> [String; 2] {
    [table(generation), super::compat::table(generation)]
}

/// Creates the full-text table of a generation.
///
/// The text is a list of finished terms. The `ascii` tokenizer takes every non-ASCII byte as part of a term; with all
/// ASCII punctuation as token characters too, it cuts at spaces only, so that each term is exactly one token and a
/// single-term query can never become a phrase, which `detail=none` could not answer.
pub(super) fn create_table(conn: &Connection, generation: GenerationId) -> Result<()> {
    let punctuation: String = (0x21..0x7F).map(char::from).filter(char::is_ascii_punctuation).collect();
    // Quoted twice: as an argument of the tokenizer, then as an option of FTS5.
    let tokenizer = format!("ascii tokenchars '{}'", punctuation.replace('\'', "''"));
    let sql = format!(
        "CREATE VIRTUAL TABLE {} USING fts5(terms, content='', contentless_delete=1, detail=none, tokenize=\"{}\")",
        table(generation),
        tokenizer.replace('"', "\"\"")
    );
    conn.execute_batch(&sql).sql()
}

/// Drops the full-text tables of a generation.
pub(super) fn drop_tables(conn: &Connection, generation: GenerationId) -> Result<()> {
    let sql = format!("DROP TABLE IF EXISTS {}", table(generation));
    conn.execute_batch(&sql).sql()?;
    super::compat::drop_table(conn, generation)
}

/// Statement that indexes the terms of a chunk: id, terms.
pub(super) fn insert_sql(generation: GenerationId) -> String {
    format!("INSERT INTO {} (rowid, terms) VALUES (?1, ?2)", table(generation))
}

/// Removes chunks from the index of a generation.
pub(super) fn delete_rows(conn: &Connection, generation: GenerationId, ids: &[ChunkId]) -> Result<()> {
    let mut delete = conn.prepare_cached(&format!("DELETE FROM {} WHERE rowid = ?1", table(generation))).sql()?;
    for id in ids {
        delete.execute([id]).sql()?;
    }
    Ok(())
}

/// A term as an FTS5 query for exactly this term.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

/// A term that stands for something that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term<'a> {
    /// As given to the index.
    pub text: &'a str,
    /// Whether nothing can be said without it. Of others, those in too many chunks are taken to be in none.
    pub is_required: bool,
}

/// Ids of the chunks that hold each of some terms, ascending.
pub type Postings = Vec<Vec<ChunkId>>;

impl Reader<'_> {
    /// Says which terms will be asked for next: a database sends all at once what holds them. A file is not asked.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn expect_terms(&self, generation: GenerationId, terms: impl FnOnce() -> Vec<String>) -> Result<()> {
        or_postgres!(self.expect_terms(generation, terms));
        let _ = (generation, terms);
        Ok(())
    }

    /// Where the terms of each concept stand, in the order of concepts and terms; none for a concept with a required term
    /// that more than `most` chunks hold: the rest of it is not looked at then.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn postings(
        &self,
        generation: GenerationId,
        concepts: &[Vec<Term<'_>>],
        most: usize,
    ) -> Result<Vec<Option<Postings>>> {
        or_postgres!(self.postings(generation, concepts, most));
        concepts.iter().map(|terms| self.postings_of(generation, terms, most)).collect()
    }

    fn postings_of(&self, generation: GenerationId, terms: &[Term<'_>], most: usize) -> Result<Option<Postings>> {
        let mut postings = Vec::with_capacity(terms.len());
        for term in terms {
            match self.rowids_up_to(generation, term.text, most)? {
                None if term.is_required => return Ok(None),
                ids => postings.push(ids.unwrap_or_default()),
            }
        }
        Ok(Some(postings))
    }

    /// Of each of some terms, whether more than `most` chunks hold it: remembered until the index changes, but for 0.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn are_common(&self, generation: GenerationId, terms: &[&str], most: usize) -> Result<Vec<bool>> {
        or_postgres!(self.are_common(generation, terms, most));
        self.counted_terms(generation, terms, most, most > 0)
    }

    /// Whether any chunk holds one of some terms: remembered until the index changes, so for terms that each search asks for.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn is_any_held(&self, generation: GenerationId, terms: &[&str]) -> Result<bool> {
        or_postgres!(self.is_any_held(generation, terms));
        Ok(self.counted_terms(generation, terms, 0, true)?.contains(&true))
    }

    fn counted_terms(
        &self,
        generation: GenerationId,
        terms: &[&str],
        most: usize,
        remembers_rare: bool,
    ) -> Result<Vec<bool>> {
        let known = self.are_in_more(generation, terms, most)?;
        let is_common = |(term, known): (&&str, Option<bool>)| {
            if let Some(known) = known {
                return Ok(known);
            }
            let is_common = self.rowids_up_to(generation, term, most)?.is_none();
            if !is_common && remembers_rare {
                self.remember_rare(generation, term, most)?;
            }
            Ok(is_common)
        };
        terms.iter().zip(known).map(is_common).collect()
    }

    /// Where each of some terms stands, however common it is: everywhere, or only in chunks that hold any of `among` too.
    /// That is much quicker where those are rarer.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn postings_among(&self, generation: GenerationId, terms: &[&str], among: Option<&[&str]>) -> Result<Postings> {
        or_postgres!(self.postings_among(generation, terms, among));
        let of = |term: &&str| match among {
            Some(others) => self.rowids_among(generation, term, others),
            None => Ok(self.rowids_up_to(generation, term, usize::MAX)?.unwrap_or_default()),
        };
        terms.iter().map(of).collect()
    }

    /// Ids of the chunks that hold a term, ascending; none when there are more than `most`.
    fn rowids_up_to(&self, generation: GenerationId, term: &str, most: usize) -> Result<Option<Vec<ChunkId>>> {
        let mut ids = Vec::new();
        if is_term(term) {
            if self.is_common(generation, term, most)? {
                return Ok(None);
            }
            self.for_each_match(generation, &quoted(term), |id| {
                ids.push(id);
                ids.len() <= most
            })?;
        }
        if ids.len() <= most {
            return Ok(Some(ids));
        }
        // Whether there is any at all is told by the first.
        if most > 0 {
            self.remember_common(generation, term, most)?;
        }
        Ok(None)
    }

    /// Ids of the chunks that hold a term and any of `others`, ascending.
    fn rowids_among(&self, generation: GenerationId, term: &str, others: &[&str]) -> Result<Vec<ChunkId>> {
        let others: Vec<String> = others.iter().filter(|term| is_term(term)).map(|term| quoted(term)).collect();
        let mut ids = Vec::new();
        if is_term(term) && !others.is_empty() {
            let both = format!("{} AND ({})", quoted(term), others.join(" OR "));
            self.for_each_match(generation, &both, |id| {
                ids.push(id);
                true
            })?;
        }
        Ok(ids)
    }

    fn for_each_match(&self, generation: GenerationId, query: &str, mut f: impl FnMut(ChunkId) -> bool) -> Result<()> {
        let name = table(generation);
        let mut statement =
            self.conn()?.prepare_cached(&format!("SELECT rowid FROM {name} WHERE {name} MATCH ?1")).sql()?;
        let mut rows = statement.query([query]).sql()?;
        while let Some(row) = rows.next().sql()? {
            if !f(row.get(0).sql()?) {
                break;
            }
        }
        Ok(())
    }
}

/// Whether the index can hold this term at all.
pub(crate) fn is_term(term: &str) -> bool {
    !term.is_empty() && !term.bytes().any(|byte| byte <= b' ' || byte == 0x7F)
}

/// Key in `meta` of the last chunk when the full-text index was merged to the end.
const MERGED: &str = "merged_until";
/// Chunks written since then that make it worth to be merged to the end again, and their share of the index. Below that a
/// search reads a few pieces more, and merging would write the whole index for every note that changes.
const SCATTERED_CHUNKS: u64 = 256;
const SCATTERED_SHARE: u64 = 8;

impl Reader<'_> {
    /// Whether so much was written since the full-text index of a generation was last merged to the end that it should be
    /// again.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn is_scattered(&self, generation: GenerationId) -> Result<bool> {
        or_postgres!(self.is_scattered(generation));
        let merged: i64 = self.meta(MERGED)?.and_then(|id| id.parse().ok()).unwrap_or_default();
        let written = u64::try_from(self.last_chunk_id()?.number() - merged).unwrap_or_default();
        Ok(written >= SCATTERED_CHUNKS.max(self.chunk_count(generation)? / SCATTERED_SHARE))
    }
}

impl Tx<'_> {
    /// Merges some pages of the full-text index of a generation; true while there is more to merge. `start` begins
    /// a full merge, later steps continue it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn merge_fts_step(&self, generation: GenerationId, pages: u32, start: bool) -> Result<bool> {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = self.postgres() {
            // Steps have a size of their own there, and which segments are due is known from them.
            return postgres.merge_words(generation);
        }
        self.merge_step(&table(generation), pages, start)
    }

    /// The full-text index was merged to the end: with the chunks that there are now.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_merged(&self) -> Result<()> {
        #[cfg(feature = "postgres")]
        if self.postgres().is_some() {
            return Ok(());
        }
        self.set_meta(MERGED, &self.last_chunk_id()?.number().to_string())
    }

    /// [`Self::merge_fts_step`] by the name of the table; false when there is none.
    pub(super) fn merge_step(&self, name: &str, pages: u32, start: bool) -> Result<bool> {
        if !self.conn()?.table_exists(None, name).sql()? {
            return Ok(false);
        }
        let before = self.conn()?.total_changes();
        let pages = i64::from(pages) * if start { -1 } else { 1 };
        self.conn()?.execute(&format!("INSERT INTO {name} ({name}, rank) VALUES ('merge', ?1)"), [pages]).sql()?;
        // FTS5 counts this statement itself as one change.
        Ok(self.conn()?.total_changes() - before >= 2)
    }
}
