//! The forward pass: word pieces to the state of each, and to one unit vector per text.

use super::{
    kernels::{AttentionScratch, Kernels, Quantised},
    weights::{HIDDEN, INTERMEDIATE, Weights},
};

/// Working memory of the forward pass, reused from pack to pack.
#[derive(Default)]
pub struct Scratch {
    state: Vec<f32>,
    qkv: Vec<f32>,
    wide: Vec<f32>,
    change: Vec<f32>,
    quantised: Quantised,
    attention: AttentionScratch,
}

impl Scratch {
    /// The states of each text's word pieces, as the last pass left them.
    pub(crate) fn states_of(&self, texts: &[Vec<u32>]) -> impl Iterator<Item = &[f32]> {
        let mut rest = self.state.as_slice();
        texts.iter().map(move |text| {
            let (own, others) = rest.split_at(text.len() * HIDDEN);
            rest = others;
            own
        })
    }
}

/// Encodes texts, given as word pieces, together: their tokens lie one after another without padding; only attention
/// looks at each text by itself.
#[must_use]
pub fn encode(weights: &Weights, kernels: &Kernels, texts: &[Vec<u32>], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    forward(weights, kernels, texts, scratch);
    scratch.states_of(texts).map(unit_mean).collect()
}

/// The forward pass; leaves the state of each word piece in `scratch`.
pub(crate) fn forward(weights: &Weights, kernels: &Kernels, texts: &[Vec<u32>], scratch: &mut Scratch) {
    let tokens: usize = texts.iter().map(Vec::len).sum();
    let Scratch { state, qkv, wide, change, quantised, attention } = scratch;
    state.resize(tokens * HIDDEN, 0.0);
    qkv.resize(tokens * 3 * HIDDEN, 0.0);
    wide.resize(tokens * INTERMEDIATE, 0.0);
    change.clear();
    change.resize(tokens * HIDDEN, 0.0);

    let places = texts.iter().flat_map(|text| text.iter().enumerate());
    for ((position, &id), out) in places.zip(state.chunks_exact_mut(HIDDEN)) {
        weights.embedding(id, position, out);
    }
    // Nothing is added before the first normalisation.
    kernels.add_norm(state, change, &weights.norm());

    for layer in weights.layers() {
        kernels.quantise(state, &layer.qkv, quantised);
        kernels.multiply(quantised, &layer.qkv, qkv);
        let mut first = 0;
        for text in texts {
            let end = first + text.len();
            let context = &mut change[first * HIDDEN..end * HIDDEN];
            kernels.attend(&qkv[first * 3 * HIDDEN..end * 3 * HIDDEN], attention, context);
            first = end;
        }
        kernels.quantise(change, &layer.attention_output, quantised);
        kernels.multiply(quantised, &layer.attention_output, change);
        kernels.add_norm(state, change, &layer.attention_norm);

        kernels.quantise(state, &layer.up, quantised);
        kernels.multiply(quantised, &layer.up, wide);
        kernels.gelu(wide);
        kernels.quantise(wide, &layer.down, quantised);
        kernels.multiply(quantised, &layer.down, change);
        kernels.add_norm(state, change, &layer.output_norm);
    }
}

/// The mean of the token vectors, scaled to length 1.
pub(crate) fn unit_mean(tokens: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; HIDDEN];
    for token in tokens.chunks_exact(HIDDEN) {
        for (sum, value) in sum.iter_mut().zip(token) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}
