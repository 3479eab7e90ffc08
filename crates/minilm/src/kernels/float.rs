//! The float loops, written so that the compiler vectorises them for whatever features their caller enables.
//! `FUSED`: the CPU multiplies and adds in one instruction.

use super::{AttentionScratch, FloatLinear, Heads, Linear, Norm, QUERIES, Row, TILE};

/// Numbers handled together; a vector register of AVX-512, several of the others.
const LANES: usize = 16;
/// Adding this to a small f32 rounds it to an integer, which is then found in the lowest bits of the mantissa.
const ROUNDING: f32 = 12_582_912.0;

#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Folds a slice in [`LANES`] independent strands, which is what allows vectors; the rest is folded at the end.
#[inline(always)]
fn fold(values: &[f32], start: f32, each: impl Fn(f32, f32) -> f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut strands = [start; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (strand, &value) in strands.iter_mut().zip(chunk) {
            *strand = each(*strand, value);
        }
    }
    for (strand, &value) in strands.iter_mut().zip(rest) {
        *strand = each(*strand, value);
    }
    strands.into_iter().fold(start, join)
}

/// e^x by 2^n · P(r), with the polynomial of Cephes' `expf` (relative error below 2e-7); x is clamped to ±87.
#[inline(always)]
fn exp<const FUSED: bool>(x: f32) -> f32 {
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let x = smaller(larger(x, -87.0), 87.0);
    let shifted = multiply_add::<FUSED>(x, std::f32::consts::LOG2_E, ROUNDING);
    let n = shifted - ROUNDING;
    let r = multiply_add::<FUSED>(-n, LN2_LOW, multiply_add::<FUSED>(-n, LN2_HIGH, x));
    let mut p = 1.987_569_1e-4;
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = multiply_add::<FUSED>(p, r, coefficient);
    }
    let p = multiply_add::<FUSED>(p, r * r, r) + 1.0;
    f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3F80_0000)) * p
}

/// Quantises `row * smooth` to `scale * (byte - zero)`. Zero itself is always exact.
#[inline(always)]
pub(super) fn quantise(row: &[f32], smooth: &[f32], out: &mut [u8]) -> Row {
    let (mut low, mut high) = ([0.0_f32; LANES], [0.0_f32; LANES]);
    for (values, factors) in row.as_chunks::<LANES>().0.iter().zip(smooth.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let value = values[lane] * factors[lane];
            low[lane] = smaller(low[lane], value);
            high[lane] = larger(high[lane], value);
        }
    }
    let low = low.into_iter().fold(0.0, smaller);
    let high = high.into_iter().fold(0.0, larger);
    let range = high - low;
    if range == 0.0 {
        out.fill(0);
        return Row { scale: 0.0, zero: 0 };
    }
    let (scale, per_scale) = (range / 255.0, 255.0 / range);
    let zero = (-low * per_scale).round();
    for ((out, &value), &factor) in out.iter_mut().zip(row).zip(smooth) {
        let level = smaller(larger(value * factor * per_scale + zero, 0.0), 255.0);
        *out = (level + ROUNDING).to_bits() as u8;
    }
    Row { scale, zero: zero as i32 }
}

/// x · Φ(x) with erf by Abramowitz & Stegun 7.1.26 (absolute error below 1.5e-7).
#[inline(always)]
pub(crate) fn gelu<const FUSED: bool>(values: &mut [f32]) {
    for value in values {
        let x = *value;
        let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
        let t = 1.0 / multiply_add::<FUSED>(z, 0.327_591_1, 1.0);
        let mut p = 1.061_405_4;
        for coefficient in [-1.453_152_1, 1.421_413_8, -0.284_496_74, 0.254_829_6] {
            p = multiply_add::<FUSED>(p, t, coefficient);
        }
        // Half of erfc(|x| / √2): the share of the normal distribution beyond |x|.
        let beyond = 0.5 * p * t * exp::<FUSED>(-z * z);
        *value = x * if x > 0.0 { 1.0 - beyond } else { beyond };
    }
}

/// `row = (row + added - mean) / deviation * weight + bias`.
#[inline(always)]
pub(crate) fn add_norm<const FUSED: bool>(row: &mut [f32], added: &[f32], norm: &Norm<'_>) {
    for (value, &added) in row.iter_mut().zip(added) {
        *value += added;
    }
    let count = row.len() as f32;
    let mean = fold(row, 0.0, |sum, x| sum + x, |a, b| a + b) / count;
    let square = |sum, x: f32| multiply_add::<FUSED>(x - mean, x - mean, sum);
    let variance = fold(row, 0.0, square, |a, b| a + b) / count;
    let factor = 1.0 / (variance + norm.epsilon).sqrt();
    for ((value, &weight), &bias) in row.iter_mut().zip(norm.weight).zip(norm.bias) {
        *value = multiply_add::<FUSED>((*value - mean) * factor, weight, bias);
    }
}

/// Softmax without the division; returns the sum to divide by.
#[inline(always)]
fn soften<const FUSED: bool>(scores: &mut [f32]) -> f32 {
    let top = fold(scores, f32::MIN, larger, larger);
    for score in scores.iter_mut() {
        *score = exp::<FUSED>(*score - top);
    }
    fold(scores, 0.0, |sum, x| sum + x, |a, b| a + b)
}

/// Multi-head attention over one sequence. `tile(a, b)` is `a · b`, as far as `b` has rows.
#[inline(always)]
pub(crate) fn attend<const FUSED: bool>(
    qkv: &[f32],
    heads: &Heads,
    scratch: &mut AttentionScratch,
    context: &mut [f32],
    tile: impl Fn([&[f32]; QUERIES], &[[f32; TILE]]) -> [[f32; TILE]; QUERIES],
) {
    let Heads { count, size, row_width, qkv_width } = *heads;
    let hidden = count * size;
    let tokens = context.len() / row_width;
    let tiles = tokens.div_ceil(TILE);
    let strips = size.div_ceil(TILE);
    let width = tiles * TILE;
    let AttentionScratch { keys, values, scores } = scratch;
    keys.clear();
    keys.resize(tiles * size, [0.0; TILE]);
    values.resize(strips * tokens, [0.0; TILE]);
    scores.resize(QUERIES * width, 0.0);
    for head in 0..count {
        let at = head * size;
        for (t, row) in qkv.chunks_exact(qkv_width).enumerate() {
            for (&key, keys) in row[hidden + at..][..size].iter().zip(&mut keys[t / TILE * size..][..size]) {
                keys[t % TILE] = key;
            }
            // What a narrow strip leaves of a row is computed and not looked at.
            for (strip, part) in row[2 * hidden + at..][..size].chunks(TILE).enumerate() {
                values[strip * tokens + t][..part.len()].copy_from_slice(part);
            }
        }
        for first in (0..tokens).step_by(QUERIES) {
            // Beyond the end, the last query is computed again: cheaper than a second loop for the remainder.
            let token = |q: usize| (first + q).min(tokens - 1);
            let query = |q: usize| &qkv[token(q) * qkv_width + at..][..size];
            let queries = [query(0), query(1), query(2), query(3)];
            for (index, keys) in keys.chunks_exact(size).enumerate() {
                let sums = tile(queries, keys);
                for (row, sums) in scores.chunks_exact_mut(width).zip(&sums) {
                    row[index * TILE..][..TILE].copy_from_slice(sums);
                }
            }
            let mut divisors = [0.0; QUERIES];
            for (row, divisor) in scores.chunks_exact_mut(width).zip(&mut divisors) {
                *divisor = soften::<FUSED>(&mut row[..tokens]);
            }
            let weights = |q: usize| &scores[q * width..][..tokens];
            for (strip, values) in values.chunks_exact(tokens).enumerate() {
                let sums = tile([weights(0), weights(1), weights(2), weights(3)], values);
                for (q, (sums, divisor)) in sums.iter().zip(divisors).enumerate() {
                    let out = &mut context[token(q) * row_width + at..][..size][strip * TILE..];
                    for (out, sum) in out.iter_mut().zip(sums) {
                        *out = sum / divisor;
                    }
                }
            }
        }
    }
}

/// `out = input · weights + bias` in floats. `tile` as in [`attend`].
#[inline(always)]
pub(crate) fn multiply(
    input: &[f32],
    linear: &FloatLinear,
    out: &mut [f32],
    tile: impl Fn([&[f32]; QUERIES], &[[f32; TILE]]) -> [[f32; TILE]; QUERIES],
) {
    let (inputs, outputs) = (linear.inputs, linear.bias.len());
    let rows = input.len() / inputs;
    for (strip, weights) in linear.weight.chunks_exact(inputs).enumerate() {
        let columns = strip * TILE..outputs.min((strip + 1) * TILE);
        for first in (0..rows).step_by(QUERIES) {
            // Beyond the end, the last row is computed again.
            let row = |q: usize| (first + q).min(rows - 1);
            let rows = [0, 1, 2, 3].map(|q| &input[row(q) * inputs..][..inputs]);
            for (q, sums) in tile(rows, weights).iter().enumerate() {
                let out = &mut out[row(q) * outputs..][columns.clone()];
                for ((out, sum), bias) in out.iter_mut().zip(sums).zip(&linear.bias[columns.clone()]) {
                    *out = sum + bias;
                }
            }
        }
    }
}

/// Turns integer sums into the outputs of a linear layer, beginning at output `first`. `offset`: what the set of
/// instructions subtracted from every activation byte before multiplying.
#[inline(always)]
pub(super) fn finish(sums: &[i32], row: Row, offset: i32, linear: &Linear<'_>, first: usize, out: &mut [f32]) {
    let zero = row.zero - offset;
    let (out, sum) = (&mut out[first..][..sums.len()], &linear.sum[first..][..sums.len()]);
    let (scale, bias) = (&linear.scale[first..][..sums.len()], &linear.bias[first..][..sums.len()]);
    for i in 0..sums.len() {
        out[i] = (sums[i] - zero * sum[i]) as f32 * (row.scale * scale[i]) + bias[i];
    }
}
