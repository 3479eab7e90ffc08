//! The set for every CPU, and the yardstick of the others.

use super::{
    AttentionScratch, BLOCK, BLOCK_BYTES, FloatLinear, Heads, Kernels, Linear, Norm, QUERIES, Quantised, Row, TILE,
    float,
};

pub(crate) const KERNELS: Kernels =
    Kernels { name: "scalar", quantise, multiply, gelu, add_norm, attend, multiply_floats };

fn quantise(row: &[f32], smooth: &[f32], out: &mut [u8]) -> Row {
    float::quantise(row, smooth, out)
}

fn gelu(values: &mut [f32]) {
    float::gelu::<false>(values);
}

fn add_norm(row: &mut [f32], added: &[f32], norm: &Norm<'_>) {
    float::add_norm::<false>(row, added, norm);
}

fn attend(qkv: &[f32], heads: &Heads, scratch: &mut AttentionScratch, context: &mut [f32]) {
    float::attend::<false>(qkv, heads, scratch, context, attention_tile);
}

fn multiply_floats(input: &[f32], linear: &FloatLinear, out: &mut [f32]) {
    float::multiply(input, linear, out, attention_tile);
}

fn attention_tile(a: [&[f32]; QUERIES], b: &[[f32; TILE]]) -> [[f32; TILE]; QUERIES] {
    a.map(|a| {
        let mut sums = [0.0; TILE];
        for (&a, b) in a.iter().zip(b) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
        sums
    })
}

fn multiply(input: &Quantised, linear: &Linear<'_>, out: &mut [f32]) {
    let outputs = linear.bias.len();
    let rows = input.values.chunks_exact(linear.inputs).zip(&input.rows).zip(out.chunks_exact_mut(outputs));
    for ((bytes, &row), out) in rows {
        for (block, weights) in linear.weight.chunks_exact(linear.inputs * BLOCK).enumerate() {
            let mut sums = [0_i32; BLOCK];
            for (four, weights) in bytes.as_chunks::<4>().0.iter().zip(weights.as_chunks::<BLOCK_BYTES>().0) {
                for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<4>().0) {
                    for (&byte, &weight) in four.iter().zip(weights) {
                        *sum += i32::from(byte) * i32::from(weight);
                    }
                }
            }
            float::finish(&sums, row, 0, linear, block * BLOCK, out);
        }
    }
}
