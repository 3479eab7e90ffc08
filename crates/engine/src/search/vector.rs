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
