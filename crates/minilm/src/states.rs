//! What the encoder has before it pools a text: the state of each word piece, in which the piece means what it means in
//! its text. Two texts are compared piece by piece with them, as ColBERT does (Khattab and Zaharia, 2020).

use super::{
    encoder::{Scratch, forward, pool},
    kernels::Kernels,
    weights::Weights,
};

/// A text, encoded, with the states it was pooled from.
#[derive(Debug, Clone)]
pub struct States {
    /// The unit vector of the text, as [`super::encode`] gives it.
    pub vector: Vec<f32>,
    /// Numbers from one state to the next; those after the vector's length are filling.
    width: usize,
    states: Vec<f32>,
}

impl States {
    /// The state of each word piece, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.states.chunks_exact(self.width).map(|state| &state[..self.vector.len()])
    }
}

/// As [`super::encode`], with the states.
#[must_use]
pub fn encode_states(weights: &Weights, kernels: &Kernels, texts: &[Vec<u32>], scratch: &mut Scratch) -> Vec<States> {
    let shape = weights.shape();
    forward(weights, kernels, texts, scratch)
        .map(|own| States { vector: pool(shape, own), width: shape.width(), states: own.to_vec() })
        .collect()
}
