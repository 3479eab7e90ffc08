//! 64-bit Arm: NEON with the dot-product extension, and plain NEON.

use std::arch::{
    aarch64::{
        float32x4_t, int8x16_t, int32x4_t, uint8x16_t, vdupq_n_f32, vdupq_n_s32, vdupq_n_u8, vdupq_n_u32, veorq_u8,
        vfmaq_n_f32, vget_low_s8, vld1q_f32, vld1q_s8, vmull_high_s8, vmull_s8, vpadalq_s16, vpaddq_s16,
        vreinterpretq_s8_u8, vreinterpretq_u8_u32, vst1q_f32, vst1q_s32,
    },
    asm, is_aarch64_feature_detected,
};

use super::{BLOCK, BLOCK_BYTES, Kernels, Linear, QUERIES, Quantised, TILE, float, float_kernels};

/// Rows computed together: 16 sums, 4 weights and 1 broadcast of the 32 registers.
const ROWS: usize = 4;
/// Activations are made signed by subtracting this.
const OFFSET: i32 = 128;

/// The sets this CPU can run, fastest first.
pub(super) fn available() -> Vec<Kernels> {
    let mut sets = Vec::new();
    if is_aarch64_feature_detected!("dotprod") {
        sets.push(dotprod::KERNELS);
    }
    if is_aarch64_feature_detected!("neon") {
        sets.push(neon::KERNELS);
    }
    sets
}

macro_rules! multiply {
    ($features:literal, $dot:ident) => {
        float_kernels!("neon", fused: true);

        #[target_feature(enable = $features)]
        fn multiply(input: &Quantised, linear: &Linear<'_>, out: &mut [f32]) {
            let rows = input.rows.len();
            for first in (0..linear.bias.len()).step_by(BLOCK) {
                let whole = rows - rows % ROWS;
                for row in (0..whole).step_by(ROWS) {
                    tile::<ROWS>(input, linear, (row, first), out);
                }
                for row in whole..rows {
                    tile::<1>(input, linear, (row, first), out);
                }
            }
        }

        #[target_feature(enable = $features)]
        fn tile<const ROWS: usize>(
            input: &Quantised,
            linear: &Linear<'_>,
            (first_row, first): (usize, usize),
            out: &mut [f32],
        ) {
            let inputs = linear.inputs;
            let bytes = input.values[first_row * inputs..][..ROWS * inputs].as_ptr();
            let weights = linear.weight[first * inputs..][..BLOCK * inputs].as_ptr();
            let mut sums = [[vdupq_n_s32(0); 4]; ROWS];
            for group in 0..inputs / 4 {
                // SAFETY: `group` stays inside the strip and the rows sliced above.
                unsafe {
                    let weights: [int8x16_t; 4] =
                        std::array::from_fn(|c| vld1q_s8(weights.add(group * BLOCK_BYTES + c * 16)));
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let four = bytes.add(row * inputs + group * 4).cast::<u32>().read_unaligned();
                        let bytes = signed(vreinterpretq_u8_u32(vdupq_n_u32(four)));
                        for (sum, weights) in sums.iter_mut().zip(weights) {
                            *sum = $dot(*sum, bytes, weights);
                        }
                    }
                }
            }
            let outputs = linear.bias.len();
            for (row, sums) in sums.iter().enumerate() {
                let mut plain = [0_i32; BLOCK];
                for (sum, plain) in sums.iter().zip(plain.as_chunks_mut::<4>().0) {
                    // SAFETY: `plain` is as long as a register.
                    unsafe { vst1q_s32(plain.as_mut_ptr(), *sum) }
                }
                let row = first_row + row;
                let out = &mut out[row * outputs..][..outputs];
                float::finish(&plain, input.rows[row], OFFSET, linear, first, out);
            }
        }
    };
}

/// The products of attention, sixteen columns at a time: 16 sums and 4 rows fit into the 32 registers.
#[target_feature(enable = "neon")]
fn attention_tile(a: [&[f32]; QUERIES], b: &[[f32; TILE]]) -> [[f32; TILE]; QUERIES] {
    const STRIP: usize = 16;
    let mut out = [[0.0; TILE]; QUERIES];
    let a = a.map(|row| row[..b.len()].as_ptr());
    for strip in (0..TILE).step_by(STRIP) {
        let mut sums = [[vdupq_n_f32(0.0); STRIP / 4]; QUERIES];
        for (k, row) in b.iter().enumerate() {
            // SAFETY: every row of `a` was sliced to as many numbers as `b` has rows; `strip` lies in the tile.
            unsafe {
                let row: [float32x4_t; STRIP / 4] = std::array::from_fn(|r| vld1q_f32(row.as_ptr().add(strip + r * 4)));
                for (sums, a) in sums.iter_mut().zip(a) {
                    for (sum, b) in sums.iter_mut().zip(row) {
                        *sum = vfmaq_n_f32(*sum, b, *a.add(k));
                    }
                }
            }
        }
        for (out, sums) in out.iter_mut().zip(sums) {
            for (out, sum) in out[strip..].as_chunks_mut::<4>().0.iter_mut().zip(sums) {
                // SAFETY: `out` is as long as a register.
                unsafe { vst1q_f32(out.as_mut_ptr(), sum) }
            }
        }
    }
    out
}

#[target_feature(enable = "neon")]
fn signed(bytes: uint8x16_t) -> int8x16_t {
    vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(0x80)))
}

mod dotprod {
    use super::*;

    pub(crate) const KERNELS: Kernels =
        Kernels { name: "neon-dotprod", quantise, multiply, gelu, add_norm, attend, multiply_floats };

    multiply!("neon,dotprod", dot);

    /// Four products to each sum. The intrinsic is not stable yet, the instruction is.
    #[target_feature(enable = "neon,dotprod")]
    fn dot(mut sum: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        // SAFETY: reads and writes registers only; the feature is enabled here.
        unsafe {
            asm!("sdot {0:v}.4s, {1:v}.16b, {2:v}.16b", inout(vreg) sum, in(vreg) bytes, in(vreg) weights,
                options(pure, nomem, nostack, preserves_flags));
        }
        sum
    }
}

mod neon {
    use super::*;

    pub(crate) const KERNELS: Kernels =
        Kernels { name: "neon", quantise, multiply, gelu, add_norm, attend, multiply_floats };

    multiply!("neon", dot);

    /// Four products to each sum by way of 16-bit products: a pair of them (2 · 128 · 127) still fits.
    #[target_feature(enable = "neon")]
    fn dot(sum: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        let low = vmull_s8(vget_low_s8(bytes), vget_low_s8(weights));
        let high = vmull_high_s8(bytes, weights);
        vpadalq_s16(sum, vpaddq_s16(low, high))
    }
}
