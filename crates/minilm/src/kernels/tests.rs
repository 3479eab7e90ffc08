//! Every set of kernels against the scalar one, and the scalar one against plain arithmetic in f64.

use super::{AttentionScratch, FloatLinear, Heads, Kernels, Linear, Norm, Quantised, scalar};

const HIDDEN: usize = 384;
const INTERMEDIATE: usize = 1536;

/// Deterministic noise in -1..1 (a linear congruential generator).
fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

struct Layer {
    inputs: usize,
    weight: Vec<i8>,
    scale: Vec<f32>,
    sum: Vec<i32>,
    bias: Vec<f32>,
    smooth: Vec<f32>,
}

impl Layer {
    fn random(inputs: usize, outputs: usize) -> Self {
        let mut weight: Vec<i8> = noise(1, inputs * outputs).iter().map(|x| (x * 127.0) as i8).collect();
        // Extremes in one block, to catch saturation.
        weight[..16 * inputs / 2].fill(127);
        weight[16 * inputs / 2..16 * inputs].fill(-127);
        let mut sum = vec![0; outputs];
        for (block, sums) in weight.chunks_exact(inputs * 16).zip(sum.chunks_exact_mut(16)) {
            for (i, &weight) in block.iter().enumerate() {
                sums[i / 4 % 16] += i32::from(weight);
            }
        }
        let positive = |seed, count| noise(seed, count).iter().map(|x| x.abs() + 0.1).collect::<Vec<f32>>();
        let (scale, smooth) = (positive(2, outputs), positive(3, inputs));
        Self { inputs, weight, scale, sum, bias: noise(4, outputs), smooth }
    }

    fn view(&self) -> Linear<'_> {
        Linear {
            inputs: self.inputs,
            weight: &self.weight,
            scale: &self.scale,
            sum: &self.sum,
            bias: &self.bias,
            smooth: &self.smooth,
        }
    }

    /// The product of unquantised inputs with the stored weights.
    fn exact(&self, input: &[f32]) -> Vec<f64> {
        let mut out = Vec::new();
        for row in input.chunks_exact(self.inputs) {
            for output in 0..self.bias.len() {
                let block = &self.weight[output / 16 * 16 * self.inputs..];
                let weight = |k: usize| f64::from(block[k / 4 * 64 + output % 16 * 4 + k % 4]);
                let inputs = row.iter().zip(&self.smooth).enumerate();
                let dot: f64 = inputs.map(|(k, (&x, &s))| f64::from(x) * f64::from(s) * weight(k)).sum();
                out.push(dot * f64::from(self.scale[output]) + f64::from(self.bias[output]));
            }
        }
        out
    }
}

fn product(kernels: &Kernels, layer: &Layer, input: &[f32]) -> Vec<f32> {
    let mut quantised = Quantised::default();
    let mut out = vec![0.0; input.len() / layer.inputs * layer.bias.len()];
    kernels.quantise(input, &layer.view(), &mut quantised);
    kernels.multiply(&quantised, &layer.view(), &mut out);
    out
}

fn assert_close(name: &str, got: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(got.len(), expected.len());
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert!((got - expected).abs() <= tolerance, "{name}[{i}]: {got} instead of {expected}");
    }
}

#[test]
fn products_are_the_same_on_every_instruction_set() {
    for (inputs, outputs) in [(HIDDEN, HIDDEN), (INTERMEDIATE, 64)] {
        let layer = Layer::random(inputs, outputs);
        for rows in 1..=13 {
            let mut input = noise(5, rows * inputs);
            input[..inputs].fill(-1.0);
            let expected = product(&scalar::KERNELS, &layer, &input);
            for kernels in Kernels::available() {
                assert_eq!(product(kernels, &layer, &input), expected, "{} {rows} rows", kernels.name);
            }
        }
    }
}

#[test]
fn products_are_as_exact_as_eight_bits_allow() {
    let layer = Layer::random(HIDDEN, 64);
    let input = noise(6, 3 * HIDDEN);
    let got = product(&scalar::KERNELS, &layer, &input);
    for (got, expected) in got.iter().zip(layer.exact(&input)) {
        // Half a level of 2.2/255 per input, weights up to 127, scale up to 1.1: errors add up like a random walk.
        let bound = 0.5 * 2.2 / 255.0 * 127.0 * 1.1 * (HIDDEN as f64).sqrt() * 4.0;
        assert!((f64::from(*got) - expected).abs() < bound, "{got} instead of {expected}");
    }
}

#[test]
fn a_row_of_zeros_yields_the_bias() {
    let layer = Layer::random(HIDDEN, 64);
    for kernels in Kernels::available() {
        assert_eq!(product(kernels, &layer, &[0.0; HIDDEN]), layer.bias, "{}", kernels.name);
    }
}

#[test]
fn gelu_is_exact() {
    let points: Vec<f32> = (-1200..=1200).map(|i| i as f32 / 100.0).collect();
    // Φ by its series around 0, summed in f64; beyond ±6 it is 0 or 1 to single precision.
    let phi = |x: f64| {
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while term.abs() > 1e-17 {
            term *= x * x / (2.0 * k + 1.0);
            sum += term;
            k += 1.0;
        }
        if x.abs() > 6.0 { f64::from(x > 0.0) } else { 0.5 + sum * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() }
    };
    let expected: Vec<f32> = points.iter().map(|&x| (f64::from(x) * phi(f64::from(x))) as f32).collect();
    for kernels in Kernels::available() {
        let mut got = points.clone();
        kernels.gelu(&mut got);
        assert_close(kernels.name, &got, &expected, 2e-6);
    }
}

#[test]
fn normalised_rows_have_mean_zero_and_deviation_one() {
    let (weight, bias) = (vec![2.0; HIDDEN], vec![0.5; HIDDEN]);
    for kernels in Kernels::available() {
        let mut row = noise(7, HIDDEN);
        kernels.add_norm(&mut row, &noise(8, HIDDEN), HIDDEN, &Norm { weight: &weight, bias: &bias, epsilon: 1e-12 });
        let mean = row.iter().sum::<f32>() / HIDDEN as f32;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / HIDDEN as f32;
        assert!((mean - 0.5).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4, "{}: {mean} {variance}", kernels.name);
    }
}

/// Attention as the paper writes it, in f64.
fn attention(qkv: &[f32], tokens: usize, heads: &Heads) -> Vec<f32> {
    let hidden = heads.count * heads.size;
    let at = |token: usize, part: usize, i: usize| f64::from(qkv[token * heads.qkv_width + part * hidden + i]);
    let mut out = vec![0.0; tokens * heads.row_width];
    for head in (0..hidden).step_by(heads.size) {
        for query in 0..tokens {
            let score = |key| (head..head + heads.size).map(|i| at(query, 0, i) * at(key, 1, i)).sum::<f64>().exp();
            let scores: Vec<f64> = (0..tokens).map(score).collect();
            let total: f64 = scores.iter().sum();
            for i in head..head + heads.size {
                let sum: f64 = scores.iter().enumerate().map(|(key, score)| score * at(key, 2, i)).sum();
                out[query * heads.row_width + i] = (sum / total) as f32;
            }
        }
    }
    out
}

#[test]
fn attention_is_exact_for_every_remainder_and_head() {
    let mut scratch = AttentionScratch::default();
    // Heads of the embedded model, of larger models, and of a size that is no multiple of anything.
    for (count, size, row_width, qkv_width) in [(12, 32, 384, 1152), (3, 64, 192, 576), (4, 26, 128, 320)] {
        let heads = Heads { count, size, row_width, qkv_width };
        // Descending, so that a stale scratch would show.
        for tokens in [67, 33, 32, 31, 5, 4, 3, 2, 1] {
            let qkv = noise(9, tokens * qkv_width);
            let expected = attention(&qkv, tokens, &heads);
            for kernels in Kernels::available() {
                let mut got = vec![0.0; tokens * row_width];
                kernels.attend(&qkv, &heads, &mut scratch, &mut got);
                assert_close(&format!("{} {tokens} tokens {heads:?}", kernels.name), &got, &expected, 1e-5);
            }
        }
    }
}

#[test]
fn products_of_floats_are_exact_for_every_remainder() {
    let (inputs, outputs) = (52, 70);
    let (weight, bias) = (noise(10, inputs * outputs), noise(11, outputs));
    let linear = FloatLinear::new(&weight, bias.clone());
    for rows in 1..=9 {
        let input = noise(12, rows * inputs);
        let mut expected = Vec::new();
        for row in input.chunks_exact(inputs) {
            for (weights, bias) in weight.chunks_exact(inputs).zip(&bias) {
                let dot: f64 = row.iter().zip(weights).map(|(x, w)| f64::from(*x) * f64::from(*w)).sum();
                expected.push((dot + f64::from(*bias)) as f32);
            }
        }
        for kernels in Kernels::available() {
            let mut got = vec![0.0; rows * outputs];
            kernels.multiply_floats(&input, &linear, &mut got);
            assert_close(&format!("{} {rows} rows", kernels.name), &got, &expected, 1e-5);
        }
    }
}
