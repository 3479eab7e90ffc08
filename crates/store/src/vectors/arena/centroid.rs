//! The mean direction of all vectors of a source: a query's mean cosine with them is its product with that.
//!
//! Sums are of whole numbers, so that they are the same in whatever order rows came and went.

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
        for (sum, &x) in self.vector.iter_mut().zip(row) {
            *sum += i64::from(x) * scale;
        }
    }
}
