//! Values that end with the hash of what stands before it, so that a damaged one is not believed.

use xxhash_rust::xxh3::xxh3_64_with_seed;

const SEAL: usize = size_of::<u64>();

/// A value with its hash. Another value under the same `seed` is not told from it.
pub(crate) fn sealed(mut value: Vec<u8>, seed: i64) -> Vec<u8> {
    value.extend(seal(&value, seed));
    value
}

/// What stands before the hash; none when it is not the hash of that.
pub(crate) fn unsealed(value: &[u8], seed: i64) -> Option<&[u8]> {
    let (value, hash) = value.split_last_chunk::<SEAL>()?;
    (seal(value, seed) == *hash).then_some(value)
}

fn seal(value: &[u8], seed: i64) -> [u8; SEAL] {
    xxh3_64_with_seed(value, seed.cast_unsigned()).to_le_bytes()
}
