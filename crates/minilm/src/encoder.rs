//! The forward pass: word pieces to the state of each, and to one unit vector per text.

use super::{
    kernels::{AttentionScratch, FloatLinear, Heads, Kernels, Linear, Quantised},
    weights::{Layer, Pooling, Shape, Weights},
};

/// Working memory of the forward pass, reused from pack to pack.
#[derive(Default)]
pub struct Scratch {
    rows: Rows,
    quantised: Quantised,
}

/// Rows of numbers, one per token.
#[derive(Default)]
pub(crate) struct Rows {
    state: Vec<f32>,
    qkv: Vec<f32>,
    wide: Vec<f32>,
    change: Vec<f32>,
    attention: AttentionScratch,
}

impl Rows {
    /// The states of each text's word pieces, as the last pass left them, `width` numbers each.
    pub(crate) fn states_of(&self, texts: &[Vec<u32>], width: usize) -> impl Iterator<Item = &[f32]> {
        let mut rest = self.state.as_slice();
        texts.iter().map(move |text| {
            let (own, others) = rest.split_at(text.len() * width);
            rest = others;
            own
        })
    }

    /// Makes room for texts and puts the vectors of their words into it. `embedding` gets a word piece, its position in
    /// the text and a row.
    pub(crate) fn begin(&mut self, shape: &Shape, texts: &[Vec<u32>], embedding: impl Fn(u32, usize, &mut [f32])) {
        let tokens: usize = texts.iter().map(Vec::len).sum();
        let (width, heads) = (shape.width(), shape.heads());
        self.state.resize(tokens * width, 0.0);
        self.qkv.resize(tokens * heads.qkv_width, 0.0);
        self.wide.resize(tokens * shape.wide_width(), 0.0);
        self.change.clear();
        self.change.resize(tokens * width, 0.0);
        let places = texts.iter().flat_map(|text| text.iter().enumerate());
        for ((position, &id), out) in places.zip(self.state.chunks_exact_mut(width)) {
            embedding(id, position, out);
        }
    }

    /// Normalises the vectors of the words.
    pub(crate) fn normalise(&mut self, kernels: &Kernels, width: usize, norm: &super::kernels::Norm<'_>) {
        // Nothing is added before the first normalisation.
        kernels.add_norm(&mut self.state, &self.change, width, norm);
    }

    /// Takes the states through one layer.
    pub(crate) fn pass<P: Product>(
        &mut self,
        kernels: &Kernels,
        heads: &Heads,
        layer: &Layer<'_, P>,
        texts: &[Vec<u32>],
        taken: &mut P::Taken,
    ) {
        let Self { state, qkv, wide, change, attention } = self;
        let Heads { row_width: width, qkv_width, .. } = *heads;
        layer.qkv.take(kernels, state, taken);
        layer.qkv.give(kernels, taken, qkv);
        let mut first = 0;
        for text in texts {
            let end = first + text.len();
            let context = &mut change[first * width..end * width];
            kernels.attend(&qkv[first * qkv_width..end * qkv_width], heads, attention, context);
            first = end;
        }
        layer.attention_output.take(kernels, change, taken);
        layer.attention_output.give(kernels, taken, change);
        kernels.add_norm(state, change, width, &layer.attention_norm);

        layer.up.take(kernels, state, taken);
        layer.up.give(kernels, taken, wide);
        kernels.gelu(wide);
        layer.down.take(kernels, wide, taken);
        layer.down.give(kernels, taken, change);
        kernels.add_norm(state, change, width, &layer.output_norm);
    }
}

/// The product of rows with the weights of a linear layer.
pub(crate) trait Product {
    /// Rows as the product takes them.
    type Taken;

    /// Takes rows.
    fn take(&self, kernels: &Kernels, rows: &[f32], taken: &mut Self::Taken);

    /// Gives the products of the rows taken.
    fn give(&self, kernels: &Kernels, taken: &Self::Taken, out: &mut [f32]);
}

impl Product for Linear<'_> {
    type Taken = Quantised;

    fn take(&self, kernels: &Kernels, rows: &[f32], taken: &mut Quantised) {
        kernels.quantise(rows, self, taken);
    }

    fn give(&self, kernels: &Kernels, taken: &Quantised, out: &mut [f32]) {
        kernels.multiply(taken, self, out);
    }
}

/// Rows before a product in floats, and how large their numbers became.
#[derive(Default)]
pub(crate) struct Watched {
    rows: Vec<f32>,
    /// Per product, in their order: the largest absolute number of each channel.
    pub(crate) maxima: Vec<Vec<f32>>,
}

impl Product for FloatLinear {
    type Taken = Watched;

    fn take(&self, _: &Kernels, rows: &[f32], taken: &mut Watched) {
        taken.rows.clear();
        taken.rows.extend_from_slice(rows);
        let mut maxima = vec![0.0_f32; self.inputs()];
        for row in rows.chunks_exact(self.inputs()) {
            maxima.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs()));
        }
        taken.maxima.push(maxima);
    }

    fn give(&self, kernels: &Kernels, taken: &Watched, out: &mut [f32]) {
        kernels.multiply_floats(&taken.rows, self, out);
    }
}

/// Encodes texts, given as word pieces, together: their tokens lie one after another without padding; only attention
/// looks at each text by itself.
///
/// # Panics
/// When a piece is not of the vocabulary, or a text has more of them than there are positions.
#[must_use]
pub fn encode(weights: &Weights, kernels: &Kernels, texts: &[Vec<u32>], scratch: &mut Scratch) -> Vec<Vec<f32>> {
    let shape = weights.shape();
    forward(weights, kernels, texts, scratch).map(|states| pool(shape, states)).collect()
}

/// The forward pass: the states of the word pieces of each text.
pub(crate) fn forward<'s>(
    weights: &Weights,
    kernels: &Kernels,
    texts: &[Vec<u32>],
    scratch: &'s mut Scratch,
) -> impl Iterator<Item = &'s [f32]> {
    let Scratch { rows, quantised } = scratch;
    let (shape, heads) = (weights.shape(), weights.shape().heads());
    rows.begin(shape, texts, |id, position, out| weights.embedding(id, position, out));
    rows.normalise(kernels, heads.row_width, &weights.norm());
    for layer in weights.layers() {
        rows.pass(kernels, &heads, &layer, texts, quantised);
    }
    rows.states_of(texts, heads.row_width)
}

/// One vector of the states of a text, scaled to length 1.
pub(crate) fn pool(shape: &Shape, states: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; shape.hidden];
    let counted = match shape.pooling {
        Pooling::Mean => states.len(),
        Pooling::Cls => shape.width().min(states.len()),
    };
    for token in states[..counted].chunks_exact(shape.width()) {
        for (sum, value) in sum.iter_mut().zip(token) {
            *sum += value;
        }
    }
    let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
    sum.iter_mut().for_each(|x| *x /= length);
    sum
}
