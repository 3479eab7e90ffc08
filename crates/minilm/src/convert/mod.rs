//! From the weights of a sentence encoder of the BERT family, as its makers publish them (`config.json` and
//! `model.safetensors`), to a weights file of ours.
//!
//! Linear layers become int8 with one scale per output, as those of the embedded model (`scripts/model/convert.py`):
//! some texts are taken through the model in floats, and channels that are far larger than the rest there are
//! levelled first (SmoothQuant, Xiao et al. 2023, alpha 0.5). One layer is in memory at a time.

mod architecture;
mod float;
mod layout;
mod tensors;

#[cfg(test)]
mod tests;

use std::{
    fmt,
    fs::File,
    io::{self, Write},
    path::Path,
};

use memmap2::Mmap;

pub use self::architecture::Architecture;

use self::{
    float::{Dense, FloatModel, LayerTensors, Normalisation},
    layout::Layout,
    tensors::Tensors,
};
use super::{
    encoder::{Rows, Watched},
    kernels::{BLOCK, Kernels},
    weights::Shape,
};

/// Rows of the table of words that are converted together.
const WORDS: usize = 4096;

/// Why a model cannot be converted.
#[derive(Debug)]
pub enum Fault {
    /// The model is not one that this encoder can run, or its files are damaged; for people.
    Unusable(String),
    /// The file of ours cannot be written.
    Io(io::Error),
    /// The caller asked to stop.
    Stopped,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable(cause) => f.write_str(cause),
            Self::Io(error) => write!(f, "the converted model cannot be written: {error}"),
            Self::Stopped => f.write_str("the conversion was stopped"),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What a conversion needs.
pub struct Source<'a> {
    /// What `config.json` says.
    pub architecture: &'a Architecture,
    /// The content of `model.safetensors`.
    pub weights: &'a [u8],
    /// Texts as word pieces, by which the channels are levelled.
    pub calibration: &'a [Vec<u32>],
    /// What is kept in the file besides the weights, by name.
    pub attachments: &'a [(&'a str, &'a [u8])],
}

/// Maps the weights of a model. Whoever cuts the file short while it is mapped ends this process, as with every mapped
/// file: it is to be mapped no longer than its conversion takes.
///
/// # Errors
/// When the file cannot be opened or is empty.
#[expect(unsafe_code, reason = "mapping a file")]
pub fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: a model's file is published whole and replaced, not written in place.
    unsafe { Mmap::map(&file) }
}

/// Writes the weights file. `go_on` hears how much is done, from 0 to 1, and says whether to go on.
///
/// # Errors
/// When the weights are not those of the architecture, when `out` cannot be written, and when stopped.
pub fn convert(source: &Source<'_>, out: &mut dyn Write, go_on: &mut dyn FnMut(f32) -> bool) -> Result<(), Fault> {
    let tensors = Tensors::open(source.weights)?;
    let model = FloatModel::new(source.architecture, &tensors)?;
    let shape = source.architecture.shape();
    let outside =
        |text: &&Vec<u32>| text.len() > shape.positions || text.iter().any(|&piece| piece as usize >= shape.vocabulary);
    if source.calibration.iter().find(outside).is_some() {
        return Err(Fault::Unusable("the tokenizer gives pieces that the model has no vectors for".to_owned()));
    }
    let mut layout = Layout::begin(shape, source.attachments, out)?;
    let mut tell =
        |done: usize| if go_on(done as f32 / (shape.layers + 1) as f32) { Ok(()) } else { Err(Fault::Stopped) };
    tell(0)?;

    for (name, bytes) in source.attachments {
        layout.put(&format!("{}{name}", super::weights::ATTACHED), bytes)?;
    }
    put_words(&model, shape, &mut layout)?;
    layout.put_numbers("position.weight", &model.positions()?)?;
    put_norm("norm", &model.norm, &mut layout)?;
    tell(1)?;

    let (kernels, heads) = (Kernels::best(), shape.heads());
    let mut rows = Rows::default();
    model.begin(&kernels, source.calibration, &mut rows)?;
    for index in 0..shape.layers {
        let layer = model.layer(index)?;
        let mut watched = Watched::default();
        rows.pass(&kernels, &heads, &layer.products(shape.epsilon), source.calibration, &mut watched);
        put_layer(index, &layer, &watched.maxima, &mut layout)?;
        tell(index + 2)?;
    }
    layout.end()
}

/// The table of words, one scale per word.
fn put_words(model: &FloatModel<'_>, shape: &Shape, layout: &mut Layout<'_>) -> Result<(), Fault> {
    let mut scales = Vec::with_capacity(shape.vocabulary);
    layout.open("word.weight", shape.vocabulary * shape.hidden)?;
    for first in (0..shape.vocabulary).step_by(WORDS) {
        let words = model.words(first..shape.vocabulary.min(first + WORDS))?;
        let mut levels = Vec::with_capacity(words.len());
        for word in words.chunks_exact(shape.hidden) {
            scales.push(quantise(word.iter().copied(), &mut levels));
        }
        layout.add(bytemuck::cast_slice(&levels))?;
    }
    layout.put_numbers("word.scale", &scales)
}

fn put_norm(name: &str, norm: &Normalisation, layout: &mut Layout<'_>) -> Result<(), Fault> {
    layout.put_numbers(&format!("{name}.weight"), &norm.weight)?;
    layout.put_numbers(&format!("{name}.bias"), &norm.bias)
}

fn put_layer(index: usize, layer: &LayerTensors, maxima: &[Vec<f32>], layout: &mut Layout<'_>) -> Result<(), Fault> {
    let name = |part: &str| format!("layer.{index}.{part}");
    let products = [&layer.qkv, &layer.attention_output, &layer.up, &layer.down];
    for ((part, dense), maxima) in layout::PRODUCTS.iter().zip(products).zip(maxima) {
        put_linear(&name(part), dense, maxima, layout)?;
    }
    put_norm(&name("attention_norm"), &layer.attention_norm, layout)?;
    put_norm(&name("output_norm"), &layer.output_norm, layout)
}

/// A linear layer. `maxima`: the largest absolute number of each of its inputs.
fn put_linear(name: &str, dense: &Dense, maxima: &[f32], layout: &mut Layout<'_>) -> Result<(), Fault> {
    let inputs = dense.inputs;
    let mut weight_maxima = vec![0.0_f32; inputs];
    for row in dense.weight.chunks_exact(inputs) {
        weight_maxima.iter_mut().zip(row).for_each(|(most, weight)| *most = most.max(weight.abs()));
    }
    // A power of two, so that no last bit of a product decides what the file holds.
    let smooth: Vec<f32> = maxima
        .iter()
        .zip(&weight_maxima)
        .map(|(input, weight)| ((input.max(1e-5) / weight.max(1e-5)).log2() / 2.0).round_ties_even().exp2())
        .collect();
    let outputs = dense.bias.len();
    let mut packed = vec![0_i8; outputs * inputs];
    let (mut scales, mut sums) = (Vec::with_capacity(outputs), Vec::with_capacity(outputs));
    let mut levels = Vec::with_capacity(inputs);
    for (output, row) in dense.weight.chunks_exact(inputs).enumerate() {
        levels.clear();
        scales.push(quantise(row.iter().zip(&smooth).map(|(weight, smooth)| weight * smooth), &mut levels));
        sums.push(levels.iter().map(|&level| i32::from(level)).sum::<i32>());
        let block = &mut packed[output / BLOCK * BLOCK * inputs..][..BLOCK * inputs];
        for (group, four) in levels.as_chunks::<4>().0.iter().enumerate() {
            block[(group * BLOCK + output % BLOCK) * 4..][..4].copy_from_slice(four);
        }
    }
    let inverse: Vec<f32> = smooth.iter().map(|smooth| 1.0 / smooth).collect();
    layout.put(&format!("{name}.weight"), bytemuck::cast_slice(&packed))?;
    layout.put_numbers(&format!("{name}.scale"), &scales)?;
    layout.put(&format!("{name}.sum"), bytemuck::cast_slice(&sums))?;
    layout.put_numbers(&format!("{name}.bias"), &dense.bias)?;
    layout.put_numbers(&format!("{name}.smooth"), &inverse)
}

/// Adds a row as int8 to `levels` and returns what a level is worth.
fn quantise(row: impl Iterator<Item = f32> + Clone, levels: &mut Vec<i8>) -> f32 {
    let most = row.clone().fold(0.0_f32, |most, x| most.max(x.abs()));
    let scale = if most > 0.0 { most / 127.0 } else { 1.0 };
    levels.extend(row.map(|x| (x / scale).round_ties_even() as i8));
    scale
}
