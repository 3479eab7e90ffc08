//! The mean direction of all vectors of a source: a query's mean cosine with them is its product with that.
//!
//! Sums are of whole numbers, so that they are the same in whatever order rows came and went.

use multiversion::multiversion;

use super::int8::CodedQuery;
use model::source::Source;

/// One, in the sums: a dimension of a unit vector is known to seven digits, and billions of them fit.
const ONE: f64 = (1_u64 << 36) as f64;

/// Sums of the unit vectors of each source.
#[derive(Debug, Clone)]
pub(super) struct Centroids {
    memory: Sum,
    sessions: Sum,
}

#[derive(Debug, Clone)]
struct Sum {
    vector: Vec<i64>,
    rows: u32,
}

impl Centroids {
    pub(super) fn new(dims: usize) -> Self {
        let none = Sum { vector: vec![0; dims], rows: 0 };
        Self { memory: none.clone(), sessions: none }
    }

    /// Counts a row in; `inverse_length` is 1 / its Euclidean length.
    pub(super) fn add(&mut self, source: Source, row: &[i8], inverse_length: f32) {
        let sum = self.of(source);
        sum.rows += 1;
        sum.accumulate(row, whole(inverse_length));
    }

    /// Counts a row out.
    pub(super) fn remove(&mut self, source: Source, row: &[i8], inverse_length: f32) {
        let sum = self.of(source);
        sum.rows -= 1;
        sum.accumulate(row, -whole(inverse_length));
    }

    const fn of(&mut self, source: Source) -> &mut Sum {
        match source {
            Source::Memory => &mut self.memory,
            Source::Sessions => &mut self.sessions,
        }
    }

    /// The mean cosine of a query with the rows of the sources (none named = all); 0 when there is none.
    pub(super) fn mean_cosine(&self, query: &CodedQuery, sources: &[Source]) -> f64 {
        let (mut total, mut rows) = (0.0, 0);
        for (source, sum) in [(Source::Memory, &self.memory), (Source::Sessions, &self.sessions)] {
            if sources.is_empty() || sources.contains(&source) {
                total += query.product(&sum.vector);
                rows += sum.rows;
            }
        }
        total / (ONE * f64::from(rows.max(1)))
    }
}

/// The scale of a row as a whole number.
fn whole(inverse_length: f32) -> i64 {
    (f64::from(inverse_length) * ONE).round() as i64
}

impl Sum {
    fn accumulate(&mut self, row: &[i8], scale: i64) {
        // That of every row which is as it was made: its largest dimension is ±127.
        if let Ok(scale) = i32::try_from(scale) {
            return accumulate(&mut self.vector, row, scale);
        }
        for (sum, &x) in self.vector.iter_mut().zip(row) {
            *sum += i64::from(x) * scale;
        }
    }
}

/// A version of its own where there is an instruction that multiplies several numbers of 32 bits at once.
#[multiversion(targets("x86_64+avx2"))]
fn accumulate(sums: &mut [i64], row: &[i8], scale: i32) {
    for (sum, &x) in sums.iter_mut().zip(row) {
        *sum += i64::from(i32::from(x)) * i64::from(scale);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows of any length, those of damaged codes among them, leave nothing behind when they go.
        #[test]
        fn sums_are_exact_in_whatever_order_rows_come_and_go(
            rows in prop::collection::vec((prop::collection::vec(any::<i8>(), 40), -2..=(1_i64 << 36)), 1..20),
        ) {
            let mut sum = Sum { vector: vec![0; 40], rows: 0 };
            for (row, scale) in &rows {
                sum.accumulate(row, *scale);
            }
            let total = |i: usize| rows.iter().map(|(row, scale)| i64::from(row[i]) * scale).sum::<i64>();
            prop_assert_eq!(&sum.vector, &(0..40).map(total).collect::<Vec<_>>());
            for (row, scale) in rows.iter().rev() {
                sum.accumulate(row, -scale);
            }
            prop_assert_eq!(sum.vector, vec![0; 40]);
        }
    }
}
