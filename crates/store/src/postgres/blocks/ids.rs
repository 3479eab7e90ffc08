//! Ascending ids as the differences between them, each a LEB128.

use crate::ids::ChunkId;
use model::error::Result;

use super::damaged;

/// Writes a number, seven bits a byte, the lowest first.
pub(super) fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front of some bytes.
pub(super) fn read_number(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        let bits = u64::from(byte & 0x7F);
        if shift == 63 && bits > 1 {
            break;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Ok(number);
        }
        shift += 7;
        if shift > 63 {
            break;
        }
    }
    Err(damaged("a number has no end"))
}

/// Writes ids, which ascend and are not negative.
pub(super) fn write_ids(ids: &[ChunkId], out: &mut Vec<u8>) {
    let mut last = 0;
    for id in ids {
        write_number((id.number() - last).cast_unsigned(), out);
        last = id.number();
    }
}

/// Reads so many ids, which must be all that the bytes hold.
pub(super) fn read_ids(mut bytes: &[u8], number: usize) -> Result<Vec<ChunkId>> {
    // Each takes a byte at least.
    if number > bytes.len() {
        return Err(damaged("a list is shorter than it says"));
    }
    let mut ids = Vec::with_capacity(number);
    let mut last = 0_i64;
    for at in 0..number {
        let step = read_number(&mut bytes)?;
        let next = i64::try_from(step).ok().and_then(|step| last.checked_add(step));
        let next = next.filter(|next| at == 0 || *next > last);
        last = next.ok_or_else(|| damaged("ids do not ascend"))?;
        ids.push(ChunkId::new(last));
    }
    if bytes.is_empty() { Ok(ids) } else { Err(damaged("a list is longer than it says")) }
}

/// Chunks that are gone and still in blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dead(Vec<ChunkId>);

impl Dead {
    /// These, in any order.
    #[must_use]
    pub fn new(mut ids: Vec<ChunkId>) -> Self {
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }

    /// How many.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes them out of ascending ids.
    pub fn subtract_from(&self, ids: &mut Vec<ChunkId>) {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else { return };
        let begin = self.0.partition_point(|id| *id < first);
        let mut dead = self.0[begin..].iter().take_while(|id| **id <= last).peekable();
        if dead.peek().is_none() {
            return;
        }
        ids.retain(|id| {
            while dead.next_if(|next| *next < id).is_some() {}
            dead.peek() != Some(&id)
        });
    }
}
