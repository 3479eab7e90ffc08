//! Many rows of an arena in two values, as the database keeps them: what took most of the time of the first search, a
//! walk over one row for each vector and counting its signs anew, becomes copying.
//!
//! `rows`: all ids (8 bytes each), all scales (4), all signs; `codes`: one byte a dimension. Numbers are little-endian, and
//! each value ends with the hash of what stands before it, so that a damaged one is not believed.

use super::bits::{BitCodes, words};
use crate::seal::{sealed, unsealed};

const ID: usize = size_of::<i64>();
const SCALE: usize = size_of::<f32>();
const WORD: usize = size_of::<u64>();

/// Rows to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    /// Ids, scales and signs.
    pub rows: Vec<u8>,
    /// One byte a dimension.
    pub codes: Vec<u8>,
}

/// Rows that were stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    dims: usize,
    ids: &'a [u8],
    scales: &'a [u8],
    signs: &'a [u8],
    codes: Option<&'a [u8]>,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackedRow<'a> {
    pub(super) scale: [u8; SCALE],
    pub(super) signs: &'a [u8],
    /// The stored code; none in a block that holds signs only.
    pub code: Option<&'a [u8]>,
}

/// The values of so many ids with their codes, which are all of `dims` dimensions. Other rows under the same `seed` are not
/// told from these.
pub(crate) fn pack(dims: usize, seed: i64, ids: &[i64], codes: &[u8]) -> Packed {
    let mut bits = BitCodes::with_capacity(dims, ids.len());
    for code in codes.chunks_exact(dims) {
        bits.push(bytemuck::cast_slice(code));
    }
    let mut rows = Vec::with_capacity(ids.len() * (ID + SCALE + WORD * words(dims)) + WORD);
    rows.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
    rows.extend(bits.scales().flat_map(f32::to_le_bytes));
    rows.extend(bits.signs().iter().flat_map(|word| word.to_le_bytes()));
    Packed { rows: sealed(rows, seed), codes: sealed(codes.to_vec(), seed) }
}

impl<'a> Block<'a> {
    /// What [`pack`] made; none when it was damaged since.
    pub(crate) fn of(dims: usize, seed: i64, rows: &'a [u8], codes: Option<&'a [u8]>) -> Option<Self> {
        let rows = unsealed(rows, seed)?;
        let each = ID + SCALE + WORD * words(dims);
        let count = rows.len() / each;
        let codes = match codes {
            Some(codes) => Some(unsealed(codes, seed).filter(|codes| codes.len() == count * dims)?),
            None => None,
        };
        let (ids, rest) = rows.split_at_checked(count * ID)?;
        let (scales, signs) = rest.split_at_checked(count * SCALE)?;
        (rows.len() == count * each).then_some(Self { dims, ids, scales, signs, codes })
    }

    /// Its rows with their ids, in the order in which they were packed.
    pub(crate) fn rows(self) -> impl Iterator<Item = (i64, PackedRow<'a>)> {
        let (ids, scales) = (self.ids.as_chunks().0, self.scales.as_chunks().0);
        let signs = self.signs.chunks_exact(WORD * words(self.dims));
        ids.iter().zip(scales).zip(signs).enumerate().map(move |(at, ((id, scale), signs))| {
            let code = self.codes.map(|codes| &codes[at * self.dims..(at + 1) * self.dims]);
            (i64::from_le_bytes(*id), PackedRow { scale: *scale, signs, code })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_is_read_again_and_damage_is_seen(
            (dims, codes) in (1usize..200).prop_flat_map(|dims| {
                (Just(dims), prop::collection::vec(prop::collection::vec(any::<u8>(), dims), 1..9))
            }),
            at in any::<prop::sample::Index>(),
        ) {
            let ids: Vec<i64> = (0..codes.len() as i64).map(|n| n * 3 + 1).collect();
            let packed = pack(dims, 7, &ids, &codes.concat());
            let mut bits = BitCodes::default();
            let block = Block::of(dims, 7, &packed.rows, Some(&packed.codes)).unwrap();
            let mut read = Vec::new();
            for (id, row) in block.rows() {
                bits.push_packed(row.scale, row.signs);
                read.push((id, row.code.unwrap().to_vec()));
            }
            let mut expected = BitCodes::default();
            codes.iter().for_each(|code| expected.push(bytemuck::cast_slice(code)));
            prop_assert_eq!(bits, expected);
            prop_assert_eq!(read, ids.into_iter().zip(codes).collect::<Vec<_>>());
            // Without codes it is the same but for those.
            let signs_only = Block::of(dims, 7, &packed.rows, None).unwrap();
            prop_assert!(signs_only.rows().all(|(_, row)| row.code.is_none()));
            // Another block's, a shorter one, one with another bit.
            prop_assert!(Block::of(dims, 8, &packed.rows, None).is_none());
            prop_assert!(Block::of(dims, 7, &packed.rows[..at.index(packed.rows.len())], None).is_none());
            let mut damaged = packed.clone();
            let bit = at.index(damaged.codes.len());
            damaged.codes[bit] ^= 1;
            prop_assert!(Block::of(dims, 7, &packed.rows, Some(&damaged.codes)).is_none());
            let bit = at.index(damaged.rows.len());
            damaged.rows[bit] ^= 1;
            prop_assert!(Block::of(dims, 7, &damaged.rows, None).is_none());
        }
    }
}
