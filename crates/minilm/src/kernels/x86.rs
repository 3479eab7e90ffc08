//! x86-64: AVX-512 VNNI, AVX-VNNI and plain AVX2.

use std::arch::x86_64::{
    __m256i, __m512i, _mm256_abs_epi8, _mm256_add_epi32, _mm256_dpbusd_avx_epi32, _mm256_fmadd_ps, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_sign_epi8, _mm256_storeu_ps,
    _mm256_storeu_si256, _mm256_xor_si256, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_loadu_si512,
    _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_storeu_ps, _mm512_storeu_si512,
};

use super::{BLOCK, BLOCK_BYTES, Kernels, Linear, QUERIES, Quantised, TILE, float, float_kernels};

/// The sets this CPU can run, fastest first.
pub(super) fn available() -> Vec<Kernels> {
    let mut sets = Vec::new();
    if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")) {
        return sets;
    }
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
    {
        sets.push(avx512::KERNELS);
    }
    if is_x86_feature_detected!("avxvnni") {
        sets.push(avx_vnni::KERNELS);
    }
    sets.push(avx2::KERNELS);
    sets
}

/// The rows of one tile and the place of its outputs.
struct Tile {
    row: usize,
    first: usize,
}

/// The four activation bytes at `at`, as the integer that a broadcast takes.
///
/// # Safety
/// Four bytes must be readable at `at`.
unsafe fn four(at: *const u8) -> i32 {
    // SAFETY: the caller's promise; the read needs no alignment.
    unsafe { at.cast::<i32>().read_unaligned() }
}

/// The tiles of a product, column by column so that a strip of weights stays in the nearest cache.
macro_rules! multiply {
    ($features:literal, rows: $rows:literal, columns: $columns:expr, remainder: [$($rest:literal),*]) => {
        #[target_feature(enable = $features)]
        fn multiply(input: &Quantised, linear: &Linear<'_>, out: &mut [f32]) {
            let rows = input.rows.len();
            for first in (0..linear.bias.len()).step_by($columns) {
                let whole = rows - rows % $rows;
                for row in (0..whole).step_by($rows) {
                    tile::<$rows>(input, linear, &Tile { row, first }, out);
                }
                match rows % $rows {
                    $($rest => tile::<$rest>(input, linear, &Tile { row: whole, first }, out),)*
                    _ => {}
                }
            }
        }
    };
}

/// The products of attention. `$registers` registers of `$lanes` numbers make up one strip of the tile; the strips are
/// done one after another, as many as the register file needs.
macro_rules! attention_tile {
    ($features:literal, lanes: $lanes:literal, registers: $registers:literal, $zero:ident, $set:ident, $load:ident,
     $fma:ident, $store:ident) => {
        #[target_feature(enable = $features)]
        fn attention_tile(a: [&[f32]; QUERIES], b: &[[f32; TILE]]) -> [[f32; TILE]; QUERIES] {
            let mut out = [[0.0; TILE]; QUERIES];
            let a = a.map(|row| row[..b.len()].as_ptr());
            for strip in (0..TILE).step_by($lanes * $registers) {
                let mut sums = [[$zero(); $registers]; QUERIES];
                for (k, row) in b.iter().enumerate() {
                    // SAFETY: every row of `a` was sliced to as many numbers as `b` has rows; `strip` lies in the tile.
                    unsafe {
                        let row: [_; $registers] = std::array::from_fn(|r| $load(row.as_ptr().add(strip + r * $lanes)));
                        for (sums, a) in sums.iter_mut().zip(a) {
                            let a = $set(*a.add(k));
                            for (sum, b) in sums.iter_mut().zip(row) {
                                *sum = $fma(a, b, *sum);
                            }
                        }
                    }
                }
                for (out, sums) in out.iter_mut().zip(sums) {
                    for (out, sum) in out[strip..].as_chunks_mut::<$lanes>().0.iter_mut().zip(sums) {
                        // SAFETY: `out` is as long as a register.
                        unsafe { $store(out.as_mut_ptr(), sum) }
                    }
                }
            }
            out
        }
    };
}

mod avx512 {
    use super::*;

    const COLUMNS: usize = 4 * BLOCK;

    pub(crate) const KERNELS: Kernels =
        Kernels { name: "avx512-vnni", quantise, multiply, gelu, add_norm, attend, multiply_floats };

    float_kernels!("avx2,fma,avx512f,avx512bw,avx512vl", fused: true);
    attention_tile!("avx512f", lanes: 16, registers: 2, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps,
        _mm512_fmadd_ps, _mm512_storeu_ps);
    multiply!("avx512f,avx512bw,avx512vl,avx512vnni", rows: 6, columns: COLUMNS, remainder: [1, 2, 3, 4, 5]);

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn tile<const ROWS: usize>(input: &Quantised, linear: &Linear<'_>, tile: &Tile, out: &mut [f32]) {
        let inputs = linear.inputs;
        let bytes = input.values[tile.row * inputs..][..ROWS * inputs].as_ptr();
        let strip = inputs * BLOCK;
        let weights = linear.weight[tile.first * inputs..][..4 * strip].as_ptr();
        let mut sums = [[_mm512_setzero_si512(); 4]; ROWS];
        for group in 0..inputs / 4 {
            // SAFETY: `group` stays inside the four strips and the rows sliced above.
            unsafe {
                let weights: [__m512i; 4] =
                    std::array::from_fn(|c| _mm512_loadu_si512(weights.add(c * strip + group * BLOCK_BYTES).cast()));
                for (row, sums) in sums.iter_mut().enumerate() {
                    let bytes = _mm512_set1_epi32(four(bytes.add(row * inputs + group * 4)));
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = _mm512_dpbusd_epi32(*sum, bytes, weights);
                    }
                }
            }
        }
        let outputs = linear.bias.len();
        for (row, sums) in sums.iter().enumerate() {
            let mut plain = [0_i32; COLUMNS];
            for (sum, plain) in sums.iter().zip(plain.as_chunks_mut::<BLOCK>().0) {
                // SAFETY: `plain` is as long as a register.
                unsafe { _mm512_storeu_si512(plain.as_mut_ptr().cast(), *sum) }
            }
            let row = tile.row + row;
            float::finish(&plain, input.rows[row], 0, linear, tile.first, &mut out[row * outputs..][..outputs]);
        }
    }
}

/// The tile of the 256-bit sets: `prepare` makes a broadcast of four activations into what `dot` multiplies.
macro_rules! tile_256 {
    ($features:literal, offset: $offset:literal, prepare: $prepare:ident, dot: $dot:ident) => {
        #[target_feature(enable = $features)]
        fn tile<const ROWS: usize>(input: &Quantised, linear: &Linear<'_>, tile: &Tile, out: &mut [f32]) {
            let inputs = linear.inputs;
            let bytes = input.values[tile.row * inputs..][..ROWS * inputs].as_ptr();
            let strip = inputs * BLOCK;
            let weights = linear.weight[tile.first * inputs..][..2 * strip].as_ptr();
            let mut sums = [[_mm256_setzero_si256(); 4]; ROWS];
            for group in 0..inputs / 4 {
                // SAFETY: `group` stays inside the two strips and the rows sliced above.
                unsafe {
                    let weights: [__m256i; 4] = std::array::from_fn(|c| {
                        let at = (c / 2) * strip + group * BLOCK_BYTES + (c % 2) * (BLOCK_BYTES / 2);
                        _mm256_loadu_si256(weights.add(at).cast())
                    });
                    for (row, sums) in sums.iter_mut().enumerate() {
                        let bytes = $prepare(_mm256_set1_epi32(four(bytes.add(row * inputs + group * 4))));
                        for (sum, weights) in sums.iter_mut().zip(weights) {
                            *sum = $dot(*sum, bytes, weights);
                        }
                    }
                }
            }
            let outputs = linear.bias.len();
            for (row, sums) in sums.iter().enumerate() {
                let mut plain = [0_i32; COLUMNS];
                for (sum, plain) in sums.iter().zip(plain.as_chunks_mut::<8>().0) {
                    // SAFETY: `plain` is as long as a register.
                    unsafe { _mm256_storeu_si256(plain.as_mut_ptr().cast(), *sum) }
                }
                let row = tile.row + row;
                let out = &mut out[row * outputs..][..outputs];
                float::finish(&plain, input.rows[row], $offset, linear, tile.first, out);
            }
        }
    };
}

mod avx_vnni {
    use super::*;

    const COLUMNS: usize = 2 * BLOCK;

    pub(crate) const KERNELS: Kernels =
        Kernels { name: "avx-vnni", quantise, multiply, gelu, add_norm, attend, multiply_floats };

    float_kernels!("avx2,fma", fused: true);
    attention_tile!("avx2,fma", lanes: 8, registers: 2, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps,
        _mm256_fmadd_ps, _mm256_storeu_ps);
    multiply!("avx2,avxvnni", rows: 2, columns: COLUMNS, remainder: [1]);
    tile_256!("avx2,avxvnni", offset: 0, prepare: prepare, dot: _mm256_dpbusd_avx_epi32);

    #[target_feature(enable = "avx2")]
    fn prepare(bytes: __m256i) -> __m256i {
        bytes
    }
}

mod avx2 {
    use super::*;

    const COLUMNS: usize = 2 * BLOCK;

    pub(crate) const KERNELS: Kernels =
        Kernels { name: "avx2", quantise, multiply, gelu, add_norm, attend, multiply_floats };

    float_kernels!("avx2,fma", fused: true);
    attention_tile!("avx2,fma", lanes: 8, registers: 2, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps,
        _mm256_fmadd_ps, _mm256_storeu_ps);
    multiply!("avx2", rows: 2, columns: COLUMNS, remainder: [1]);
    tile_256!("avx2", offset: 128, prepare: prepare, dot: dot);

    /// Makes the bytes signed by subtracting 128; keeps the absolute value beside it.
    #[target_feature(enable = "avx2")]
    fn prepare(bytes: __m256i) -> (__m256i, __m256i) {
        let signed = _mm256_xor_si256(bytes, _mm256_set1_epi8(-128));
        (signed, _mm256_abs_epi8(signed))
    }

    /// |a| · (w with the sign of a): two such products fit into 16 bits (2 · 128 · 127), while unsigned bytes would
    /// saturate.
    #[target_feature(enable = "avx2")]
    fn dot(sum: __m256i, (signed, absolute): (__m256i, __m256i), weights: __m256i) -> __m256i {
        let pairs = _mm256_maddubs_epi16(absolute, _mm256_sign_epi8(weights, signed));
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
}
