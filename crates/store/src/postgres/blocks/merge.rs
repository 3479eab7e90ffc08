//! Many segments into one.

use std::collections::VecDeque;

use super::{Block, Cursor, Dead, Stored, TermHash, Writer};
use crate::ids::ChunkId;
use model::error::Result;

/// The blocks of a segment, in order, as they come from the database.
pub struct Segment<I> {
    blocks: I,
    /// Terms before are left out, and from the second on.
    range: (Option<TermHash>, Option<TermHash>),
    block: Option<(Block<Vec<u8>>, Cursor)>,
    head: Option<(TermHash, Vec<ChunkId>)>,
}

impl<I: Iterator<Item = Result<Stored>>> Segment<I> {
    /// That of these blocks.
    pub const fn new(blocks: I) -> Self {
        Self { blocks, range: (None, None), block: None, head: None }
    }

    /// Only terms from one on, up to another without that one; none = to the end.
    #[must_use]
    pub fn between(mut self, from: TermHash, until: Option<TermHash>) -> Self {
        self.range = (Some(from), until);
        self
    }

    /// Reads the next list into `head`; none at the end.
    fn advance(&mut self) -> Result<()> {
        self.head = None;
        loop {
            let (from, until) = self.range;
            if let Some((block, cursor)) = &mut self.block
                && let Some((term, postings)) = block.next(cursor)?
            {
                if until.is_some_and(|until| term >= until) {
                    return Ok(());
                }
                if from.is_some_and(|from| term < from) {
                    continue;
                }
                self.head = Some((term, postings.ids()?));
                return Ok(());
            }
            let Some(next) = self.blocks.next() else { return Ok(()) };
            let next = next?;
            self.block = Some((Block::open(next.first, next.data)?, Cursor::default()));
        }
    }
}

/// The blocks of the segment that has what others have, without what is dead, one after the other.
pub struct Merge<'a, I> {
    segments: Vec<Segment<I>>,
    dead: &'a Dead,
    writer: Writer,
    ready: VecDeque<Stored>,
    is_begun: bool,
}

impl<'a, I: Iterator<Item = Result<Stored>>> Merge<'a, I> {
    /// Of these, the oldest first.
    #[must_use]
    pub fn new(segments: Vec<Segment<I>>, dead: &'a Dead) -> Self {
        Self { segments, dead, writer: Writer::default(), ready: VecDeque::new(), is_begun: false }
    }

    /// Writes the lists of the next term; false at the end.
    fn step(&mut self) -> Result<bool> {
        if !self.is_begun {
            for segment in &mut self.segments {
                segment.advance()?;
            }
            self.is_begun = true;
        }
        let Some(term) = self.segments.iter().filter_map(|segment| segment.head.as_ref()).map(|(term, _)| *term).min()
        else {
            return Ok(false);
        };
        let mut ids = Vec::new();
        for segment in &mut self.segments {
            if let Some((_, more)) = segment.head.take_if(|(head, _)| *head == term) {
                ids.extend(more);
                segment.advance()?;
            }
        }
        // Segments follow each other, so this is so already.
        if !ids.is_sorted_by(|a, b| a < b) {
            ids.sort_unstable();
            ids.dedup();
        }
        self.dead.subtract_from(&mut ids);
        if !ids.is_empty() {
            let ready = &mut self.ready;
            self.writer.push(term, &ids, &mut |block| ready.push_back(block));
        }
        Ok(true)
    }
}

impl<I: Iterator<Item = Result<Stored>>> Iterator for Merge<'_, I> {
    type Item = Result<Stored>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.step() {
                Ok(true) => {}
                Ok(false) => {
                    let ready = &mut self.ready;
                    self.writer.finish(&mut |block| ready.push_back(block));
                    return self.ready.pop_front().map(Ok);
                }
                Err(error) => {
                    self.segments.clear();
                    self.writer = Writer::default();
                    return Some(Err(error));
                }
            }
        }
        self.ready.pop_front().map(Ok)
    }
}
