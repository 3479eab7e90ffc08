//! Which chunks hold a term, as the database keeps it: blocks of some 4 KB, sorted by the hashes of terms.
//!
//! All blocks of one write are a *segment*, and are never changed. A term stands at most once in a segment: in the block
//! whose first hash is the greatest that is not above its own. A list of more than a block has a block to itself. Chunks
//! that are deleted stay in blocks until segments are merged into one; until then whoever reads leaves them out
//! ([`Dead`]).
//!
//! A block is a version, the number of its terms, then of each its hash (8 bytes), the number of its chunks, the bytes
//! they take, and the differences between their ids; numbers are LEB128. At its end is the hash of all that.

mod ids;
mod merge;
#[cfg(test)]
mod tests;

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use self::ids::{read_ids, read_number, write_ids, write_number};
pub use self::{
    ids::Dead,
    merge::{Merge, Segment},
};
use crate::{
    ids::ChunkId,
    seal::{sealed, unsealed},
};
use model::error::{Code, Error, Result};

const VERSION: u8 = 1;

/// Most bytes of the lists in a block of several terms. With its row two such blocks fill a page of the database.
const MOST: usize = 3_900;

/// The hash that stands for a term. Two terms of one hash are taken for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermHash(i64);

impl TermHash {
    /// That of a term. Upper-case letters of ASCII are the same as lower-case ones, as for the full text in SQLite.
    #[must_use]
    pub fn of(term: &str) -> Self {
        let hash = if term.bytes().any(|byte| byte.is_ascii_uppercase()) {
            xxh3_64(term.to_ascii_lowercase().as_bytes())
        } else {
            xxh3_64(term.as_bytes())
        };
        Self(hash.cast_signed())
    }

    /// The one with this number.
    #[must_use]
    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    /// Its number, in whose order the database sorts.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }
}

/// What is wrong with a block.
fn damaged(what: &str) -> Error {
    Error::new(Code::Corrupt, format!("the full text in the database is damaged ({what})"))
        .remedy("Run `openclaw memory index --force`; it is made again from your files, which are untouched")
}

/// A block as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The first hash in it, by which it is found.
    pub first: TermHash,
    /// All else.
    pub data: Vec<u8>,
}

/// The terms of some chunks, to be stored as a segment.
#[derive(Debug, Default)]
pub struct Builder {
    pairs: Vec<(TermHash, ChunkId)>,
}

impl Builder {
    /// Adds a chunk with its terms, which stand apart by spaces.
    pub fn add(&mut self, id: ChunkId, terms: &str) {
        let terms = terms.split(|c: char| c <= ' ' || c == '\x7F').filter(|term| !term.is_empty());
        self.pairs.extend(terms.map(|term| (TermHash::of(term), id)));
    }

    /// Does most of the work of [`Self::finish`] now.
    pub(in super::super) fn sort(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// The blocks, in order.
    #[must_use]
    pub fn finish(mut self) -> Vec<Stored> {
        self.sort();
        let mut writer = Writer::default();
        let mut blocks = Vec::new();
        for same in self.pairs.chunk_by(|a, b| a.0 == b.0) {
            let ids: Vec<ChunkId> = same.iter().map(|(_, id)| *id).collect();
            writer.push(same[0].0, &ids, &mut |block| blocks.push(block));
        }
        writer.finish(&mut |block| blocks.push(block));
        blocks
    }
}

/// Cuts lists into blocks.
#[derive(Debug, Default)]
struct Writer {
    first: Option<TermHash>,
    terms: u64,
    lists: Vec<u8>,
}

impl Writer {
    /// Writes the list of a term, which is above all before and not empty.
    fn push(&mut self, term: TermHash, ids: &[ChunkId], out: &mut impl FnMut(Stored)) {
        let mut deltas = Vec::with_capacity(ids.len() + 8);
        write_ids(ids, &mut deltas);
        let mut list = Vec::with_capacity(deltas.len() + 16);
        list.extend(term.0.to_le_bytes());
        write_number(ids.len() as u64, &mut list);
        write_number(deltas.len() as u64, &mut list);
        list.extend(deltas);
        if self.lists.len() + list.len() > MOST {
            self.finish(out);
        }
        self.first.get_or_insert(term);
        self.terms += 1;
        self.lists.extend(list);
        if self.lists.len() > MOST {
            self.finish(out);
        }
    }

    /// Ends the block that is begun, if any.
    fn finish(&mut self, out: &mut impl FnMut(Stored)) {
        let Some(first) = self.first.take() else { return };
        let mut data = Vec::with_capacity(self.lists.len() + 16);
        data.push(VERSION);
        write_number(std::mem::take(&mut self.terms), &mut data);
        data.append(&mut self.lists);
        out(Stored { first, data: sealed(data, first.0) });
    }
}

/// A block that was read from the database.
#[derive(Debug)]
pub struct Block<D> {
    data: D,
    /// Where in it the lists are.
    lists: Range<usize>,
    terms: u64,
}

impl<D: AsRef<[u8]>> Block<D> {
    /// Bytes that it takes.
    pub(in super::super) fn bytes(&self) -> usize {
        self.data.as_ref().len()
    }

    /// What [`Stored`] was, with the hash it was found by.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when it is not what was stored.
    pub fn open(first: TermHash, data: D) -> Result<Self> {
        let all = data.as_ref();
        let body = unsealed(all, first.0).ok_or_else(|| damaged("a block is not what was written"))?;
        let Some((&VERSION, mut lists)) = body.split_first() else { return Err(damaged("a block of another kind")) };
        let terms = read_number(&mut lists)?;
        let lists = body.len() - lists.len()..body.len();
        Ok(Self { data, lists, terms })
    }

    /// The chunks that hold a term, none if the block does not have it.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when what stands before or in the list is not a list.
    pub fn find(&self, term: TermHash) -> Result<Option<Postings<'_>>> {
        let mut cursor = Cursor::default();
        while let Some((found, postings)) = self.next(&mut cursor)? {
            if found >= term {
                return Ok((found == term).then_some(postings));
            }
        }
        Ok(None)
    }

    /// The list that a cursor stands before, and moves the cursor behind it.
    fn next(&self, cursor: &mut Cursor) -> Result<Option<(TermHash, Postings<'_>)>> {
        let lists = &self.data.as_ref()[self.lists.clone()];
        let mut rest = lists.get(cursor.at..).unwrap_or_default();
        if cursor.terms == self.terms {
            return if rest.is_empty() { Ok(None) } else { Err(damaged("a block is longer than it says")) };
        }
        let hash = rest.split_off(..size_of::<i64>()).and_then(|hash| hash.try_into().ok());
        let term = TermHash(i64::from_le_bytes(hash.ok_or_else(|| damaged("a block is shorter than it says"))?));
        if cursor.last.is_some_and(|last| last >= term) {
            return Err(damaged("terms do not ascend"));
        }
        let (number, bytes) = (read_number(&mut rest)?, read_number(&mut rest)?);
        let deltas = usize::try_from(bytes).ok().and_then(|bytes| rest.split_off(..bytes));
        let deltas = deltas.ok_or_else(|| damaged("a block is shorter than it says"))?;
        let number = usize::try_from(number).ok().filter(|number| *number <= deltas.len());
        let number = number.ok_or_else(|| damaged("a list is shorter than it says"))?;
        *cursor = Cursor { at: lists.len() - rest.len(), terms: cursor.terms + 1, last: Some(term) };
        Ok(Some((term, Postings { number, deltas })))
    }
}

#[cfg(test)]
impl<D: AsRef<[u8]>> Block<D> {
    /// The chunks that hold any of its terms.
    pub(in super::super) fn chunks(&self) -> Result<Vec<ChunkId>> {
        let (mut cursor, mut chunks) = (Cursor::default(), Vec::new());
        while let Some((_, postings)) = self.next(&mut cursor)? {
            chunks.extend(postings.ids()?);
        }
        Ok(chunks)
    }
}

/// A place between two lists of a block.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    at: usize,
    terms: u64,
    last: Option<TermHash>,
}

/// The list of a term.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'a> {
    number: usize,
    deltas: &'a [u8],
}

impl Postings<'_> {
    /// How many chunks it names.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.number
    }

    /// Whether it names none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// The chunks, ascending.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when they are not what the list says.
    pub fn ids(&self) -> Result<Vec<ChunkId>> {
        read_ids(self.deltas, self.number)
    }
}
