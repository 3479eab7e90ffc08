//! Which chunks hold a term: looked up in the blocks of all segments at once, and written as one segment a transaction.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, Tx, column, int8},
    blocks::{Block, Builder, Dead, Stored, TermHash},
    connect::{Param, Statement, Transaction},
    kept::{Kept, Shared},
    order::RUNS,
    state::Segments,
};
use crate::{
    files::NewChunk,
    generations::GenerationId,
    ids::ChunkId,
    lexical::{Postings, Term, is_term},
};
use model::error::Result;

/// Blocks that are written at a time, some 1 MB.
const BLOCKS: usize = 256;

/// The blocks that terms are in, of each segment; one that several are in is sent once. Each `LIMIT` keeps the planner from
/// a join that reads all blocks, which it takes for cheap before the table was counted for the first time.
pub(super) const LOOK_UP: &str = "SELECT s.id, block.first, block.data FROM segment s CROSS JOIN LATERAL (\
     SELECT DISTINCT found.first FROM unnest($3) AS t (term) CROSS JOIN LATERAL (\
       SELECT l.first FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = s.id \
       AND l.first <= t.term ORDER BY l.first DESC LIMIT 1) found) at \
   CROSS JOIN LATERAL (\
     SELECT l.first, l.data FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = s.id \
     AND l.first = at.first LIMIT 1) block \
   WHERE s.agent = $1 AND s.generation = $2 ORDER BY s.first_chunk";

/// Which pairs of a segment and a term are looked for in which block.
const PLACES: &str = "SELECT w.segment, w.term, (SELECT l.first FROM lex l WHERE l.agent = $1 AND l.generation = $2 \
       AND l.segment = w.segment AND l.first <= w.term ORDER BY l.first DESC LIMIT 1) \
     FROM unnest($3, $4) AS w (segment, term)";

/// These blocks, each once.
const BLOCKS_OF: &str = "SELECT at.segment, block.first, block.data FROM (\
     SELECT DISTINCT w.segment, found.first FROM unnest($3, $4) AS w (segment, term) CROSS JOIN LATERAL (\
       SELECT l.first FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = w.segment \
       AND l.first <= w.term ORDER BY l.first DESC LIMIT 1) found) at \
   CROSS JOIN LATERAL (\
     SELECT l.first, l.data FROM lex l WHERE l.agent = $1 AND l.generation = $2 AND l.segment = at.segment \
     AND l.first = at.first LIMIT 1) block";

/// What a write adds to the words of generations, before it is sent.
#[derive(Default)]
pub(super) struct Pending(BTreeMap<GenerationId, Words>);

struct Words {
    builder: Builder,
    /// The first chunk and the last.
    chunks: (i64, i64),
}

impl Pending {
    /// What is to be written, a segment for each generation.
    pub(super) fn segments(pending: &RefCell<Self>, agent: i64) -> Vec<NewSegment> {
        let words = std::mem::take(&mut *pending.borrow_mut()).0.into_iter();
        let segment = |(generation, words): (GenerationId, Words)| {
            // The first chunk's id is nobody else's.
            let mut segment = NewSegment::new(agent, generation, words.chunks.0, words.chunks);
            words.builder.finish().into_iter().for_each(|block| segment.push(block));
            segment
        };
        words.map(segment).collect()
    }
}

/// A segment to be written.
pub(super) struct NewSegment {
    agent: i64,
    generation: GenerationId,
    id: i64,
    /// The first chunk and the last.
    chunks: (i64, i64),
    bytes: i64,
    /// First hashes and data of blocks, as many as go in a statement.
    blocks: Vec<(Vec<i64>, Vec<Vec<u8>>)>,
}

impl NewSegment {
    pub(super) const fn new(agent: i64, generation: GenerationId, id: i64, chunks: (i64, i64)) -> Self {
        Self { agent, generation, id, chunks, bytes: 0, blocks: Vec::new() }
    }

    pub(super) fn push(&mut self, block: Stored) {
        self.bytes += block.data.len() as i64;
        match self.blocks.last_mut().filter(|(firsts, _)| firsts.len() < BLOCKS) {
            Some((firsts, data)) => {
                firsts.push(block.first.number());
                data.push(block.data);
            }
            None => self.blocks.push((vec![block.first.number()], vec![block.data])),
        }
    }

    /// Bytes of its blocks.
    pub(super) const fn bytes(&self) -> i64 {
        self.bytes
    }

    fn key(&self) -> Vec<Param<'_>> {
        vec![int8(&self.agent), int8(&self.generation), int8(&self.id)]
    }

    /// What writes its blocks, which nobody reads before it has a row.
    pub(super) fn block_statements(&self) -> impl Iterator<Item = (&'static str, Vec<Param<'_>>)> {
        self.blocks.iter().map(|(firsts, data)| {
            let mut params = self.key();
            params.extend([(firsts as _, Type::INT8_ARRAY), (data as _, Type::BYTEA_ARRAY)]);
            ("INSERT INTO lex (agent, generation, segment, first, data) SELECT $1, $2, $3, b.* FROM unnest($4, $5) b", params)
        })
    }

    /// What writes it.
    pub(super) fn statements(&self) -> Vec<(&'static str, Vec<Param<'_>>)> {
        let mut row = self.key();
        row.extend([int8(&self.chunks.0), int8(&self.chunks.1), int8(&self.bytes)]);
        let sql = "INSERT INTO segment (agent, generation, id, first_chunk, last_chunk, bytes) VALUES ($1, $2, $3, $4, $5, $6)";
        self.block_statements().chain([(sql, row)]).collect()
    }

    fn write(&self, tx: &Transaction<'_>) -> Result<()> {
        let statements = self.statements();
        let all: Vec<Statement<'_>> = statements.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
        tx.execute_all(&all)
    }
}

/// The blocks that some terms are in.
struct Looked {
    /// Of each segment, the oldest first, its blocks by their first hashes.
    segments: Vec<BTreeMap<TermHash, Shared>>,
    dead: Arc<Dead>,
}

impl Looked {
    /// The chunks that hold a term; none when they are more than `most`.
    fn ids(&self, term: &str, most: usize) -> Result<Option<Vec<ChunkId>>> {
        let term = TermHash::of(term);
        let mut lists = Vec::new();
        for blocks in &self.segments {
            if let Some((_, block)) = blocks.range(..=term).next_back() {
                lists.extend(block.find(term)?);
            }
        }
        let count: usize = lists.iter().map(super::blocks::Postings::len).sum();
        if count.saturating_sub(self.dead.len()) > most {
            return Ok(None);
        }
        let mut ids = Vec::with_capacity(count);
        for list in lists {
            ids.extend(list.ids()?);
        }
        self.dead.subtract_from(&mut ids);
        Ok((ids.len() <= most).then_some(ids))
    }
}

/// Chunks between two that are gone, and still in a segment.
const DEAD: &str = "SELECT chunk FROM lex_dead WHERE agent = $1 AND generation = $2 AND chunk BETWEEN $3 AND $4";

fn dead_of(rows: &[Row]) -> Result<Dead> {
    rows.iter().map(|row| column(row, 0)).collect::<Result<_>>().map(Dead::new)
}

/// What blocks are ordered by, of terms, each once.
fn hashes<'a>(terms: impl Iterator<Item = &'a str>) -> Vec<TermHash> {
    let mut hashes: Vec<TermHash> = terms.filter(|term| is_term(term)).map(TermHash::of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

impl Reader<'_> {
    /// The blocks that terms are in.
    fn look_up<'a>(&self, generation: GenerationId, terms: impl Iterator<Item = &'a str>) -> Result<Looked> {
        if let Some(pending) = self.pending {
            Pending::segments(pending, self.agent).iter().try_for_each(|segment| segment.write(self.tx))?;
        }
        let hashes = hashes(terms);
        if let (Some(known), Some(state)) = (self.known, self.state()?)
            && state.live.as_ref().is_some_and(|(live, _)| live.id == generation)
        {
            return self.look_up_kept(known.kept, &state.words, generation, &hashes, None);
        }
        let hashes: Vec<i64> = hashes.into_iter().map(TermHash::number).collect();
        let params = [int8(&self.agent), int8(&generation), (&hashes as _, Type::INT8_ARRAY)];
        let mut segments: Vec<BTreeMap<TermHash, Shared>> = Vec::new();
        let mut last = None;
        let all = [int8(&self.agent), int8(&generation), int8(&i64::MIN), int8(&i64::MAX)];
        let (blocks, dead) = self.tx.rows_of_both((LOOK_UP, &params), (DEAD, &all))?;
        for row in blocks {
            let (segment, first) = (column::<i64>(&row, 0)?, TermHash::new(column(&row, 1)?));
            if last.replace(segment) != Some(segment) {
                segments.push(BTreeMap::new());
            }
            if let Some(blocks) = segments.last_mut() {
                blocks.insert(first, Arc::new(Block::open(first, column(&row, 2)?)?));
            }
        }
        Ok(Looked { segments, dead: Arc::new(dead_of(&dead)?) })
    }

    /// The blocks of the live generation that terms are in: only those that are not kept are asked for. Along with them what
    /// the order of chunks lacks from an id on.
    fn look_up_kept(
        &self,
        kept: &Kept,
        words: &Segments,
        generation: GenerationId,
        terms: &[TermHash],
        order: Option<ChunkId>,
    ) -> Result<Looked> {
        let mut segments: Vec<BTreeMap<TermHash, Shared>> = Vec::with_capacity(words.ids.len());
        let (mut missing, mut of_terms) = (Vec::<i64>::new(), Vec::<i64>::new());
        for segment in &words.ids {
            let mut blocks = BTreeMap::new();
            for term in terms {
                match kept.block(words.era, *segment, *term) {
                    Some(found) => blocks.extend(found),
                    None => {
                        missing.push(*segment);
                        of_terms.push(term.number());
                    }
                }
            }
            segments.push(blocks);
        }
        let of_order = order.map(|after| [self.agent, after.number()]);
        let of_order = of_order.as_ref().map(|[agent, after]| [int8(agent), int8(after)]);
        let params = [
            int8(&self.agent),
            int8(&generation),
            (&missing as _, Type::INT8_ARRAY),
            (&of_terms as _, Type::INT8_ARRAY),
        ];
        let mut statements: Vec<Statement<'_>> = Vec::with_capacity(3);
        statements.extend(of_order.as_ref().map(|params| (RUNS, params.as_slice())));
        if !missing.is_empty() {
            statements.extend([(PLACES, params.as_slice()), (BLOCKS_OF, params.as_slice())]);
        }
        let answers = if statements.is_empty() { Vec::new() } else { self.tx.rows_of_some(&statements)? };
        let mut answers = answers.into_iter();
        if let Some((after, rows)) = order.zip(if of_order.is_some() { answers.next() } else { None }) {
            self.order_with(Some((after, rows)))?;
        }
        if let (Some(places), Some(blocks)) = (answers.next(), answers.next()) {
            for row in blocks {
                let (segment, first) = (column::<i64>(&row, 0)?, TermHash::new(column(&row, 1)?));
                let block = Arc::new(Block::open(first, column(&row, 2)?)?);
                kept.keep(words.era, segment, first, &block);
                if let Some(blocks) = words.ids.iter().position(|id| *id == segment).and_then(|at| segments.get_mut(at))
                {
                    blocks.insert(first, block);
                }
            }
            for row in places {
                let first = column::<Option<i64>>(&row, 2)?.map(TermHash::new);
                kept.place(words.era, column(&row, 0)?, TermHash::new(column(&row, 1)?), first);
            }
        }
        Ok(Looked { segments, dead: Arc::clone(&words.dead) })
    }

    /// Looks up terms that are asked for next, and the order of chunks, which is asked for then too; see [`crate::Reader::expect_terms`].
    ///
    /// # Errors
    /// As [`Self::postings`].
    pub(crate) fn expect_terms(&self, generation: GenerationId, terms: impl FnOnce() -> Vec<String>) -> Result<()> {
        let Some((known, state)) = self.known.zip(self.state.get()) else { return Ok(()) };
        if state.live.as_ref().is_none_or(|(live, _)| live.id != generation) {
            return Ok(());
        }
        let hashes = hashes(terms().iter().map(String::as_str));
        self.look_up_kept(known.kept, &state.words, generation, &hashes, self.order_wanted()).map(drop)
    }

    /// Chunks between two that are gone, and still in a segment.
    pub(super) fn dead(&self, generation: GenerationId, (first, last): (i64, i64)) -> Result<Dead> {
        dead_of(&self.tx.rows(DEAD, &[int8(&self.agent), int8(&generation), int8(&first), int8(&last)])?)
    }

    /// Where the terms of each concept stand; see [`crate::Reader::postings`].
    ///
    /// # Errors
    /// What the database answers; [`Code::Corrupt`](model::error::Code::Corrupt) when a block is damaged.
    pub fn postings(
        &self,
        generation: GenerationId,
        concepts: &[Vec<Term<'_>>],
        most: usize,
    ) -> Result<Vec<Option<Postings>>> {
        let looked = self.look_up(generation, concepts.iter().flatten().map(|term| term.text))?;
        let of_concept = |terms: &Vec<Term<'_>>| {
            let mut postings = Vec::with_capacity(terms.len());
            for term in terms {
                let ids = if is_term(term.text) { looked.ids(term.text, most)? } else { Some(Vec::new()) };
                match ids {
                    None if term.is_required => return Ok(None),
                    ids => postings.push(ids.unwrap_or_default()),
                }
            }
            Ok(Some(postings))
        };
        concepts.iter().map(of_concept).collect()
    }

    /// Of each of some terms, whether more than `most` chunks hold it; see [`crate::Reader::are_common`].
    ///
    /// # Errors
    /// As [`Self::postings`].
    pub fn are_common(&self, generation: GenerationId, terms: &[&str], most: usize) -> Result<Vec<bool>> {
        let looked = self.look_up(generation, terms.iter().copied())?;
        terms.iter().map(|term| Ok(is_term(term) && looked.ids(term, most)?.is_none())).collect()
    }

    /// Whether any chunk holds one of some terms.
    ///
    /// # Errors
    /// As [`Self::postings`].
    pub fn is_any_held(&self, generation: GenerationId, terms: &[&str]) -> Result<bool> {
        Ok(self.are_common(generation, terms, 0)?.contains(&true))
    }

    /// Where each of some terms stands, however common; see [`crate::Reader::postings_among`].
    ///
    /// # Errors
    /// As [`Self::postings`].
    pub fn postings_among(&self, generation: GenerationId, terms: &[&str], among: Option<&[&str]>) -> Result<Postings> {
        let all = terms.iter().chain(among.unwrap_or_default()).copied();
        let looked = self.look_up(generation, all)?;
        let list = |term: &str| match is_term(term) {
            true => Ok(looked.ids(term, usize::MAX)?.unwrap_or_default()),
            false => Ok(Vec::new()),
        };
        let Some(among) = among else { return terms.iter().map(|term| list(term)).collect() };
        let mut others = Vec::new();
        for term in among {
            others.extend(list(term)?);
        }
        others.sort_unstable();
        let both = |term: &&str| {
            let mut ids = list(term)?;
            ids.retain(|id| others.binary_search(id).is_ok());
            Ok(ids)
        };
        terms.iter().map(both).collect()
    }
}

impl Tx<'_> {
    /// Adds the words of chunks, whose ids follow each other.
    pub(super) fn add_words(&self, generation: GenerationId, first: i64, chunks: &[NewChunk]) {
        let (Some(pending), Some(last)) = (self.reader.pending, chunks.len().checked_sub(1)) else { return };
        let last = first + last as i64;
        let mut pending = pending.borrow_mut();
        let words = pending.0.entry(generation);
        let words = words.or_insert_with(|| Words { builder: Builder::default(), chunks: (first, last) });
        words.chunks.1 = last;
        for (id, chunk) in (first..).zip(chunks) {
            words.builder.add(ChunkId::new(id), &chunk.fts_terms);
        }
    }

    /// Does what there is to do of the end of the write for the words that were added so far.
    pub(super) fn sort_words(&self) {
        let Some(pending) = self.reader.pending else { return };
        pending.borrow_mut().0.values_mut().for_each(|words| words.builder.sort());
    }

    /// Removes the words of a generation.
    pub(super) fn drop_words(&self, generation: GenerationId) -> Result<()> {
        let params = [int8(&self.agent), int8(&generation)];
        self.tx.execute_all(&[
            ("DELETE FROM lex WHERE agent = $1 AND generation = $2", &params),
            ("DELETE FROM segment WHERE agent = $1 AND generation = $2", &params),
            ("DELETE FROM lex_dead WHERE agent = $1 AND generation = $2", &params),
            ("DELETE FROM merge WHERE agent = $1 AND generation = $2", &params),
        ])
    }
}
