//! Byte codes: the similarity is right to about 0.0003.

use simsimd::SpatialSimilarity as _;

use super::code::{LIMIT, quantise};

/// Rows of one signed byte a dimension.
#[derive(Debug, Clone, Default)]
pub(super) struct Int8Codes {
    codes: Vec<i8>,
    /// 1 / Euclidean length of each row; 0 for a row of zeros.
    inverse_lengths: Vec<f32>,
}

impl Int8Codes {
    pub(super) fn with_capacity(dims: usize, rows: usize) -> Self {
        Self { codes: Vec::with_capacity(dims * rows), inverse_lengths: Vec::with_capacity(rows) }
    }

    pub(super) fn push(&mut self, code: &[i8]) {
        self.codes.extend_from_slice(code);
        self.inverse_lengths.push(inverse_length(code));
    }

    pub(super) fn swap_remove(&mut self, dims: usize, row: usize) {
        let last = self.codes.len() - dims;
        self.codes.copy_within(last.., row * dims);
        self.codes.truncate(last);
        self.inverse_lengths.swap_remove(row);
    }

    /// A row, and 1 / its Euclidean length.
    pub(super) fn row(&self, dims: usize, row: usize) -> (&[i8], f32) {
        (&self.codes[row * dims..(row + 1) * dims], self.inverse_lengths[row])
    }

    /// The cosine of a query with one row.
    pub(super) fn cosine(&self, query: &CodedQuery, row: usize) -> f32 {
        let (code, inverse_length) = self.row(query.dims(), row);
        query.cosine_with(code, inverse_length)
    }

    pub(super) const fn bytes(&self) -> usize {
        self.codes.capacity() + self.inverse_lengths.capacity() * size_of::<f32>()
    }

    /// The cosine of a query with every row, in row order.
    pub(super) fn scan(&self, query: &[f32], out: &mut Vec<f32>) {
        let query = CodedQuery::new(query);
        let rows = self.codes.chunks_exact(query.dims()).zip(&self.inverse_lengths);
        out.extend(rows.map(|(row, inverse_length)| query.cosine_with(row, *inverse_length)));
    }
}

fn inverse_length(code: &[i8]) -> f32 {
    let square = dot(code, code);
    if square == 0 { 0.0 } else { (square as f64).sqrt().recip() as f32 }
}

/// The inner product; simsimd picks the widest instructions of the machine.
fn dot(a: &[i8], b: &[i8]) -> i32 {
    i8::dot(a, b).map_or_else(|| dot_scalar(a, b), |sum| sum as i32)
}

/// The same without special instructions; also the reference of the tests.
fn dot_scalar(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum()
}

/// A query that is compared with codes one by one.
#[derive(Debug, Clone)]
pub struct CodedQuery {
    code: Vec<i8>,
    inverse_length: f32,
}

impl CodedQuery {
    /// Quantises a query.
    #[must_use]
    pub fn new(query: &[f32]) -> Self {
        let code = quantise(query, LIMIT);
        Self { inverse_length: inverse_length(&code), code }
    }

    /// Number of dimensions.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.code.len()
    }

    /// The quantised query.
    #[must_use]
    pub fn code(&self) -> &[i8] {
        &self.code
    }

    /// 1 / the Euclidean length of the quantised query; 0 for one of zeros.
    #[must_use]
    pub const fn inverse_length(&self) -> f32 {
        self.inverse_length
    }

    /// The inner product of the query's unit vector with another vector.
    pub(super) fn product(&self, vector: &[i64]) -> f64 {
        let sum: f64 = self.code.iter().zip(vector).map(|(&x, &y)| f64::from(x) * y as f64).sum();
        sum * f64::from(self.inverse_length)
    }

    /// The approximate cosine with a code of the same length; none for a code of zeros.
    #[must_use]
    pub fn cosine(&self, code: &[u8]) -> Option<f32> {
        let code = bytemuck::cast_slice(code);
        let inverse_length = inverse_length(code);
        (inverse_length > 0.0).then(|| self.cosine_with(code, inverse_length))
    }

    /// The cosine with a code, given 1 / its Euclidean length.
    fn cosine_with(&self, code: &[i8], inverse_length: f32) -> f32 {
        dot(&self.code, code) as f32 * inverse_length * self.inverse_length
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn simd_equals_scalar(pairs in prop::collection::vec((-127i8..=127, -127i8..=127), 1..2000)) {
            let (a, b): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            prop_assert_eq!(dot(&a, &b), dot_scalar(&a, &b));
        }
    }

    #[test]
    fn the_largest_sum_of_8192_dimensions_is_exact() {
        let a = vec![127_i8; 8192];
        let b = vec![-127_i8; 8192];
        assert_eq!(dot(&a, &b), -127 * 127 * 8192);
    }
}
