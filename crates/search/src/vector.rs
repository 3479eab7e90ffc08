//! The query as a vector.

use store::vectors::Vectors;
use text::language::Language;

/// The vector leg of a search.
#[derive(Debug, Clone, Copy)]
pub struct VectorQuery<'a> {
    /// The vectors of the index.
    pub index: &'a Vectors,
    /// The query, in their space.
    pub vector: &'a [f32],
    /// The only language that its model knows; none when it may know any.
    pub language: Option<Language>,
}

/// Cosine (-1–1) of two vectors; none when they have other lengths, or one says nothing.
pub fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let norm = (dot(a, a) * dot(b, b)).sqrt();
    (norm > 0.0).then(|| dot(a, b) / norm)
}
