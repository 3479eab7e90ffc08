//! The encoder in floats, layer by layer: what the int8 weights are made from, and measured against.

use std::ops::Range;

use super::{
    Fault,
    architecture::{Architecture, Part},
    tensors::{Table, Tensors},
};
use crate::{
    encoder::Rows,
    kernels::{FloatLinear, Kernels, Norm},
    weights::Layer,
};

/// A normalisation that owns its numbers.
pub(super) struct Normalisation {
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Normalisation {
    fn view(&self, epsilon: f32) -> Norm<'_> {
        Norm { weight: &self.weight, bias: &self.bias, epsilon }
    }
}

/// A linear layer: a row of weights per output, filled up with zeros as the kernels take it.
pub(super) struct Dense {
    pub(super) inputs: usize,
    pub(super) weight: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Dense {
    /// Puts layers with the same inputs one below the other, each with a factor.
    fn stack(parts: &[(Vec<f32>, Vec<f32>, f32)], inputs: usize, width: usize, outputs: usize) -> Self {
        let mut weight = vec![0.0; outputs * width];
        let mut bias = vec![0.0; outputs];
        let rows = parts.iter().flat_map(|(weights, biases, factor)| {
            weights.chunks_exact(inputs).zip(biases).map(move |(row, bias)| (row, *bias, *factor))
        });
        for ((target, bias_target), (row, own, factor)) in weight.chunks_exact_mut(width).zip(&mut bias).zip(rows) {
            target.iter_mut().zip(row).for_each(|(target, weight)| *target = weight * factor);
            *bias_target = own * factor;
        }
        Self { inputs: width, weight, bias }
    }

    fn product(&self) -> FloatLinear {
        FloatLinear::new(&self.weight, self.bias.clone())
    }
}

/// The tensors of one layer.
pub(super) struct LayerTensors {
    pub(super) qkv: Dense,
    pub(super) attention_output: Dense,
    pub(super) attention_norm: Normalisation,
    pub(super) up: Dense,
    pub(super) down: Dense,
    pub(super) output_norm: Normalisation,
}

impl LayerTensors {
    /// The layer with its products in floats.
    pub(super) fn products(&self, epsilon: f32) -> Layer<'_, FloatLinear> {
        Layer {
            qkv: self.qkv.product(),
            attention_output: self.attention_output.product(),
            attention_norm: self.attention_norm.view(epsilon),
            up: self.up.product(),
            down: self.down.product(),
            output_norm: self.output_norm.view(epsilon),
        }
    }
}

/// An encoder whose weights are read as they are needed.
pub(super) struct FloatModel<'a> {
    architecture: &'a Architecture,
    tensors: &'a Tensors<'a>,
    words: Table<'a>,
    pub(super) norm: Normalisation,
}

impl<'a> FloatModel<'a> {
    /// The encoder of an architecture.
    pub(super) fn new(architecture: &'a Architecture, tensors: &'a Tensors<'a>) -> Result<Self, Fault> {
        let shape = architecture.shape();
        let words = tensors.table("embeddings.word_embeddings.weight", shape.vocabulary, shape.hidden)?;
        let norm = norm(tensors, "embeddings.LayerNorm", shape.hidden)?;
        Ok(Self { architecture, tensors, words, norm })
    }

    /// The vectors of some words.
    pub(super) fn words(&self, rows: Range<usize>) -> Result<Vec<f32>, Fault> {
        self.words.rows(rows)
    }

    /// The vectors of positions. The token type is always the first, so its vector is part of every position.
    pub(super) fn positions(&self) -> Result<Vec<f32>, Fault> {
        const TYPES: &str = "embeddings.token_type_embeddings.weight";
        let shape = self.architecture.shape();
        let first = self.architecture.first_position();
        let rows = first..first + shape.positions;
        let mut positions = self
            .tensors
            .table_of_any_rows("embeddings.position_embeddings.weight", shape.hidden)?
            .rows(rows.clone())?;
        if positions.len() != rows.len() * shape.hidden {
            return Err(Fault::Unusable("the table of positions is shorter than config.json says".to_owned()));
        }
        if self.tensors.has(TYPES) {
            let kind = self.tensors.table_of_any_rows(TYPES, shape.hidden)?.rows(0..1)?;
            for position in positions.chunks_exact_mut(shape.hidden) {
                position.iter_mut().zip(&kind).for_each(|(position, kind)| *position += kind);
            }
        }
        Ok(positions)
    }

    /// Makes room for texts and takes them to the first layer.
    pub(super) fn begin(&self, kernels: &Kernels, texts: &[Vec<u32>], rows: &mut Rows) -> Result<(), Fault> {
        let shape = self.architecture.shape();
        let positions = self.positions()?;
        let pieces = texts.iter().flatten().map(|&piece| self.words(piece as usize..piece as usize + 1));
        let words = pieces.collect::<Result<Vec<_>, _>>()?;
        let next = std::cell::Cell::new(0);
        rows.begin(shape, texts, |_, position, out| {
            let (out, filling) = out.split_at_mut(shape.hidden);
            let places = &positions[position * shape.hidden..][..shape.hidden];
            for ((out, word), place) in out.iter_mut().zip(&words[next.get()]).zip(places) {
                *out = word + place;
            }
            filling.fill(0.0);
            next.set(next.get() + 1);
        });
        rows.normalise(kernels, shape.width(), &self.norm.view(shape.epsilon));
        Ok(())
    }

    /// The tensors of a layer.
    pub(super) fn layer(&self, index: usize) -> Result<LayerTensors, Fault> {
        let shape = self.architecture.shape();
        let (hidden, inner) = (shape.hidden, shape.intermediate);
        let (width, wide) = (shape.width(), shape.wide_width());
        let read = |part, inputs, outputs, factor| {
            let name = self.architecture.name(index, part);
            let weight = self.tensors.table(&format!("{name}.weight"), outputs, inputs)?.rows(0..outputs)?;
            let bias = self.tensors.table(&format!("{name}.bias"), 1, outputs)?.rows(0..1)?;
            Ok::<_, Fault>((weight, bias, factor))
        };
        let norm = |part| norm(self.tensors, &self.architecture.name(index, part), hidden);
        // What the scores are divided by is part of the query.
        let factor = ((hidden / shape.heads) as f32).powf(-0.5);
        let qkv = [
            read(Part::Query, hidden, hidden, factor)?,
            read(Part::Key, hidden, hidden, 1.0)?,
            read(Part::Value, hidden, hidden, 1.0)?,
        ];
        Ok(LayerTensors {
            qkv: Dense::stack(&qkv, hidden, width, shape.heads().qkv_width),
            attention_output: Dense::stack(&[read(Part::AttentionOutput, hidden, hidden, 1.0)?], hidden, width, width),
            attention_norm: norm(Part::AttentionNorm)?,
            up: Dense::stack(&[read(Part::Up, hidden, inner, 1.0)?], hidden, width, wide),
            down: Dense::stack(&[read(Part::Down, inner, hidden, 1.0)?], inner, wide, width),
            output_norm: norm(Part::OutputNorm)?,
        })
    }
}

fn norm(tensors: &Tensors<'_>, name: &str, hidden: usize) -> Result<Normalisation, Fault> {
    let read = |part: &str| tensors.table(&format!("{name}.{part}"), 1, hidden)?.rows(0..1);
    Ok(Normalisation { weight: read("weight")?, bias: read("bias")? })
}
