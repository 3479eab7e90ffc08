//! Texts as the states of their word pieces: what a model in this process has before it pools a text to one vector. A
//! question is compared with a line piece by piece (MaxSim, Khattab and Zaharia, 2020); of the pieces of a line the signs
//! are kept, which say nearly as much as the numbers in a thirty-second of the room.

use std::time::Duration;

use super::BoxFuture;
use model::error::Result;

/// A line to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceLine {
    /// Its vector, as [`super::Embedder::embed`] gives it.
    pub vector: Vec<f32>,
    /// One bit a dimension of each of its pieces that carry meaning, one piece after the other, the first dimension in
    /// the lowest bit.
    pub signs: Vec<u8>,
}

/// A piece of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedPiece {
    /// The word that it is a part of, in lower case and without accents; nothing for a mark of the model's own.
    pub word: String,
    /// Whether that is a function word, a punctuation mark or unknown to the model.
    pub is_empty: bool,
    /// Its state, as the model has it.
    pub state: Vec<f32>,
}

/// A question, piece by piece.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceQuestion {
    /// Its vector, as [`super::Embedder::embed`] gives it.
    pub vector: Vec<f32>,
    /// All of its pieces in order, the model's own marks included.
    pub pieces: Vec<AskedPiece>,
    /// The mean of all states, which the signs of lines are measured from.
    pub mean: &'static [f32],
}

/// A model in this process that hands out the states of word pieces.
pub trait ByPiece: Send + Sync {
    /// Lines to be found, in order. They wait for their turn however long that takes.
    fn lines<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<PieceLine>>>;

    /// A question.
    fn question<'a>(&'a self, text: &'a str, timeout: Duration) -> BoxFuture<'a, Result<PieceQuestion>>;
}
