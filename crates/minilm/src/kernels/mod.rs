//! The inner loops of the encoder, one set per instruction set, chosen at run time. The only unsafe code of the
//! embedded model apart from mapping its file.
//!
//! Weights are int8, packed as `[outputs / 16][inputs / 4][16][4]`: 64 consecutive bytes hold four inputs of sixteen
//! outputs, which is what the dot-product instructions of x86 and Arm eat. Activations are unsigned 8 bit with a scale
//! and a zero point per row (token). Sums are exact in i32, so every set yields the same integers.
#![expect(unsafe_code, reason = "instructions that are chosen at run time")]

mod float;
mod scalar;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::LazyLock;

/// Outputs in one block of packed weights.
pub(crate) const BLOCK: usize = 16;
/// Bytes of one block for four inputs.
const BLOCK_BYTES: usize = BLOCK * 4;
/// Columns of one tile of the products of floats: as many as a head of the embedded model has numbers.
const TILE: usize = 32;
/// Queries whose attention is computed together, so that keys and values are read a quarter as often.
const QUERIES: usize = 4;

/// A quantised linear layer.
#[derive(Clone, Copy)]
pub struct Linear<'a> {
    /// Numbers in an input row.
    pub inputs: usize,
    /// Packed weights.
    pub weight: &'a [i8],
    /// Per output: what an integer weight is worth.
    pub scale: &'a [f32],
    /// Per output: sum of its integer weights, which undoes the zero point of the activations.
    pub sum: &'a [i32],
    /// Per output: added at the end.
    pub bias: &'a [f32],
    /// Per input: factor before quantisation (SmoothQuant).
    pub smooth: &'a [f32],
}

/// Scale and shift of a layer normalisation.
#[derive(Clone, Copy)]
pub(crate) struct Norm<'a> {
    /// Factor per channel.
    pub weight: &'a [f32],
    /// Summand per channel.
    pub bias: &'a [f32],
    /// Keeps the normalisation finite.
    pub epsilon: f32,
}

/// A linear layer before it is quantised.
pub(crate) struct FloatLinear {
    /// Numbers in an input row.
    inputs: usize,
    /// Weights, [`TILE`] outputs side by side: `[outputs / TILE][inputs][TILE]`.
    weight: Vec<[f32; TILE]>,
    bias: Vec<f32>,
}

impl FloatLinear {
    /// Packs weights that lie one row of inputs per output.
    #[cfg(any(test, feature = "convert"))]
    pub(crate) fn new(weight: &[f32], bias: Vec<f32>) -> Self {
        let inputs = weight.len() / bias.len().max(1);
        let mut packed = vec![[0.0; TILE]; bias.len().div_ceil(TILE) * inputs];
        for (output, row) in weight.chunks_exact(inputs.max(1)).enumerate() {
            let strip = &mut packed[output / TILE * inputs..][..inputs];
            for (lanes, &weight) in strip.iter_mut().zip(row) {
                lanes[output % TILE] = weight;
            }
        }
        Self { inputs, weight: packed, bias }
    }

    /// Numbers in an input row.
    pub(crate) const fn inputs(&self) -> usize {
        self.inputs
    }
}

/// How the numbers of queries, keys and values lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    /// Attention heads.
    pub count: usize,
    /// Numbers of one head.
    pub size: usize,
    /// From one token to the next in what attention yields.
    pub row_width: usize,
    /// From one token to the next in what it gets.
    pub qkv_width: usize,
}

/// Rows quantised to 8 bits.
#[derive(Default)]
pub struct Quantised {
    values: Vec<u8>,
    rows: Vec<Row>,
}

/// How the bytes of a row stand for numbers: `scale * (byte - zero)`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    scale: f32,
    zero: i32,
}

/// Working memory of attention over one sequence.
#[derive(Default)]
pub(crate) struct AttentionScratch {
    /// Keys of one head, transposed tile by tile: as many rows of [`TILE`] keys as a head has numbers, for each tile.
    keys: Vec<[f32; TILE]>,
    /// Values of one head, [`TILE`] of a token's in a row, strip by strip.
    values: Vec<[f32; TILE]>,
    /// Scores of a few queries.
    scores: Vec<f32>,
}

/// One set of inner loops. The functions need the CPU features of their set.
#[derive(Clone, Copy)]
pub struct Kernels {
    /// Name for status and benchmarks.
    pub name: &'static str,
    quantise: unsafe fn(&[f32], &[f32], &mut [u8]) -> Row,
    multiply: unsafe fn(&Quantised, &Linear<'_>, &mut [f32]),
    gelu: unsafe fn(&mut [f32]),
    add_norm: unsafe fn(&mut [f32], &[f32], &Norm<'_>),
    attend: unsafe fn(&[f32], &Heads, &mut AttentionScratch, &mut [f32]),
    multiply_floats: unsafe fn(&[f32], &FloatLinear, &mut [f32]),
}

/// The sets this CPU can run, fastest first.
static AVAILABLE: LazyLock<Vec<Kernels>> = LazyLock::new(|| {
    let mut sets = Vec::new();
    #[cfg(target_arch = "x86_64")]
    sets.extend(x86::available());
    #[cfg(target_arch = "aarch64")]
    sets.extend(arm::available());
    sets.push(scalar::KERNELS);
    sets
});

impl Kernels {
    /// Every set this CPU can run, fastest first.
    #[cfg(test)]
    pub fn available() -> &'static [Self] {
        &AVAILABLE
    }

    /// The fastest set this CPU can run.
    #[must_use]
    pub fn best() -> Self {
        AVAILABLE.first().copied().unwrap_or(scalar::KERNELS)
    }

    /// Quantises rows for a linear layer.
    pub fn quantise(&self, input: &[f32], linear: &Linear<'_>, out: &mut Quantised) {
        out.rows.clear();
        out.values.resize(input.len(), 0);
        for (row, bytes) in input.chunks_exact(linear.inputs).zip(out.values.chunks_exact_mut(linear.inputs)) {
            // SAFETY: `AVAILABLE` lists only sets whose features this CPU has.
            out.rows.push(unsafe { (self.quantise)(row, linear.smooth, bytes) });
        }
    }

    /// `out = input · weights + bias`, one row of `out` per row of `input`.
    ///
    /// # Panics
    /// When the sizes do not fit together.
    pub(crate) fn multiply(&self, input: &Quantised, linear: &Linear<'_>, out: &mut [f32]) {
        let (rows, outputs) = (input.rows.len(), linear.bias.len());
        assert!(outputs.is_multiple_of(4 * BLOCK) && linear.inputs.is_multiple_of(4));
        assert_eq!(linear.weight.len(), outputs * linear.inputs);
        assert_eq!((linear.scale.len(), linear.sum.len()), (outputs, outputs));
        assert_eq!((input.values.len(), out.len()), (rows * linear.inputs, rows * outputs));
        // SAFETY: the features are there (see `AVAILABLE`), and every size the loops rely on was just checked.
        unsafe { (self.multiply)(input, linear, out) }
    }

    /// GELU in place, the exact form `x · Φ(x)`.
    pub(crate) fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `AVAILABLE` lists only sets whose features this CPU has.
        unsafe { (self.gelu)(values) }
    }

    /// `rows = normalise(rows + added)`, row by row; the rows are `width` apart.
    pub(crate) fn add_norm(&self, rows: &mut [f32], added: &[f32], width: usize, norm: &Norm<'_>) {
        let channels = norm.weight.len();
        for (row, added) in rows.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
            // SAFETY: `AVAILABLE` lists only sets whose features this CPU has.
            unsafe { (self.add_norm)(&mut row[..channels], &added[..channels], norm) }
        }
    }

    /// Multi-head attention over one sequence: `qkv` holds query, key and value of each token side by side.
    pub(crate) fn attend(&self, qkv: &[f32], heads: &Heads, scratch: &mut AttentionScratch, context: &mut [f32]) {
        // SAFETY: `AVAILABLE` lists only sets whose features this CPU has.
        unsafe { (self.attend)(qkv, heads, scratch, context) }
    }

    /// `out = input · weights + bias` in floats, one row of `out` per row of `input`.
    pub(crate) fn multiply_floats(&self, input: &[f32], linear: &FloatLinear, out: &mut [f32]) {
        // SAFETY: `AVAILABLE` lists only sets whose features this CPU has.
        unsafe { (self.multiply_floats)(input, linear, out) }
    }
}

/// Instantiates the portable float loops for one set of CPU features; the compiler vectorises them for it. Only the
/// products of attention need a hand (`attention_tile`), else their sums live in memory instead of registers.
macro_rules! float_kernels {
    ($features:literal, fused: $fused:literal) => {
        #[target_feature(enable = $features)]
        fn quantise(row: &[f32], smooth: &[f32], out: &mut [u8]) -> $crate::kernels::Row {
            $crate::kernels::float::quantise(row, smooth, out)
        }
        #[target_feature(enable = $features)]
        fn gelu(values: &mut [f32]) {
            $crate::kernels::float::gelu::<$fused>(values);
        }
        #[target_feature(enable = $features)]
        fn add_norm(row: &mut [f32], added: &[f32], norm: &$crate::kernels::Norm<'_>) {
            $crate::kernels::float::add_norm::<$fused>(row, added, norm);
        }
        #[target_feature(enable = $features)]
        fn attend(
            qkv: &[f32],
            heads: &$crate::kernels::Heads,
            scratch: &mut $crate::kernels::AttentionScratch,
            context: &mut [f32],
        ) {
            $crate::kernels::float::attend::<$fused>(qkv, heads, scratch, context, |a, b| attention_tile(a, b));
        }
        #[target_feature(enable = $features)]
        fn multiply_floats(input: &[f32], linear: &$crate::kernels::FloatLinear, out: &mut [f32]) {
            $crate::kernels::float::multiply(input, linear, out, |a, b| attention_tile(a, b));
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use float_kernels;
