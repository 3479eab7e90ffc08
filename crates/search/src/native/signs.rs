//! Vectors of signs, one bit a dimension, compared with several queries at once.

use multiversion::multiversion;
use store::vectors::CodedQuery;

/// So many values, none beyond 127, have a sum of 16 bits, of which registers hold twice as many as of 32.
const SUMMED: usize = 256;

/// Queries of which each looks for the vector of signs that is most like it.
pub(super) struct SignQueries {
    /// Query after query, wide enough for some to be summed.
    codes: Vec<i16>,
    inverse_lengths: Vec<f32>,
    dims: usize,
    /// The signs that were last compared, as numbers.
    signs: Vec<i16>,
    /// Per query the largest inner product of the last call.
    most: Vec<i32>,
}

impl SignQueries {
    /// Of queries of `dims` dimensions each.
    pub(super) fn new(queries: &[CodedQuery], dims: usize) -> Self {
        Self {
            codes: queries.iter().flat_map(|query| query.code().iter().copied().map(i16::from)).collect(),
            inverse_lengths: queries.iter().map(CodedQuery::inverse_length).collect(),
            dims,
            signs: vec![0; dims],
            most: vec![0; queries.len()],
        }
    }

    /// Raises each query's `best` to its cosine with the most alike of `vectors`, which lie one after the other, the lowest bit
    /// of each byte first, a set bit for 1 and the others for −1.
    pub(super) fn raise(&mut self, vectors: &[u8], best: &mut [f32]) {
        self.most.fill(i32::MIN);
        for vector in vectors.chunks_exact(self.dims.div_ceil(8)) {
            unpack(vector, &mut self.signs);
            raise_products(&self.codes, &self.signs, &mut self.most);
        }
        let length = (self.dims as f32).sqrt().recip();
        for ((best, most), inverse_length) in best.iter_mut().zip(&self.most).zip(&self.inverse_lengths) {
            *best = best.max(*most as f32 * length * inverse_length);
        }
    }
}

/// Raises `most` of each query to its inner product with a vector.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
fn raise_products(codes: &[i16], signs: &[i16], most: &mut [i32]) {
    for (code, most) in codes.chunks_exact(signs.len()).zip(most) {
        *most = product(code, signs).max(*most);
    }
}

/// The inner product of a code with a vector of signs.
#[inline(always)]
fn product(code: &[i16], signs: &[i16]) -> i32 {
    let parts = code.chunks(SUMMED).zip(signs.chunks(SUMMED));
    parts.map(|(code, signs)| i32::from(code.iter().zip(signs).map(|(x, y)| x * y).sum::<i16>())).sum()
}

/// Bits as numbers, 1 or −1 a dimension; what the last byte has too many is left out.
fn unpack(bits: &[u8], signs: &mut [i16]) {
    let (whole, rest) = signs.as_chunks_mut();
    for (signs, byte) in whole.iter_mut().zip(bits) {
        *signs = SIGNS[usize::from(*byte)];
    }
    if let Some(byte) = bits.get(whole.len()) {
        rest.copy_from_slice(&SIGNS[usize::from(*byte)][..rest.len()]);
    }
}

/// The numbers of each byte of signs, the lowest bit first.
static SIGNS: [[i16; 8]; 256] = {
    let mut all = [[-1; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                all[byte][bit] = 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signs_are_unpacked_from_the_lowest_bit() {
        let mut out = [0; 12];
        unpack(&[0b0000_0101, 0xFF], &mut out);
        assert_eq!(out, [1, -1, 1, -1, -1, -1, -1, -1, 1, 1, 1, 1]);
    }

    #[test]
    fn the_largest_products_are_exact() {
        let dims = 3 * SUMMED + 5;
        let query = CodedQuery::new(&vec![1.0; dims]);
        let mut best = [0.0, -1.0];
        let mut queries = SignQueries::new(&[query, CodedQuery::new(&vec![-1.0; dims])], dims);
        queries.raise(&vec![0xFF; dims.div_ceil(8)], &mut best);
        assert!((best[0] - 1.0).abs() < 1e-6 && (best[1] + 1.0).abs() < 1e-6, "{best:?}");
    }

    proptest! {
        #[test]
        fn each_query_finds_what_one_by_one_it_would(
            (dims, queries, vectors) in (1_usize..70).prop_flat_map(|dims| (
                Just(dims),
                prop::collection::vec(prop::collection::vec(-1.0_f32..1.0, dims), 1..12),
                prop::collection::vec(prop::collection::vec(any::<u8>(), dims.div_ceil(8)), 0..9),
            )),
            before in -1.0_f32..1.0,
        ) {
            let coded: Vec<CodedQuery> = queries.iter().map(|query| CodedQuery::new(query)).collect();
            let mut best = vec![before; coded.len()];
            SignQueries::new(&coded, dims).raise(&vectors.concat(), &mut best);
            for (query, best) in coded.iter().zip(best) {
                let cosines = vectors.iter().map(|vector| {
                    let signs: Vec<u8> = (0..dims).map(|at| if vector[at / 8] >> (at % 8) & 1 == 1 { 1 } else { 255 }).collect();
                    query.cosine(&signs).unwrap()
                });
                let expected = cosines.fold(before, f32::max);
                prop_assert!((best - expected).abs() <= 1e-6, "{best} instead of {expected}");
            }
        }
    }
}
