//! Kernels of the vector arena: `cargo bench --bench arena`.
#![expect(clippy::expect_used, reason = "a bench says what is wrong by failing")]

use divan::{Bencher, black_box};
use model::source::Source;
use store::vectors::arena::{Arena, code};

fn main() {
    divan::main();
}

fn vector(dims: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..dims).map(|_| next()).collect()
}

fn arena(dims: usize, rows: usize) -> Arena {
    let mut arena = Arena::with_capacity(dims, rows);
    let codes: Vec<_> = (0..64).map(|seed| code(&vector(dims, seed))).collect();
    for i in 0..rows {
        // Rotated, so that rows differ without quantising each.
        let mut row = codes[i % codes.len()].clone();
        row.rotate_left(i / codes.len() % dims);
        arena.append(i as i64, i as i64, Source::Memory, &row).expect("the dimensions agree");
    }
    arena
}

/// 1,000 and 10,000 vectors are bytes, 100,000 are bits.
#[divan::bench(args = [1_000, 10_000, 30_000, 100_000])]
fn scan_1536(bencher: Bencher<'_, '_>, rows: usize) {
    let arena = arena(1536, rows);
    let query = vector(1536, 99);
    bencher.bench(|| arena.scan(black_box(&query), &[]).map(|scan| scan.mean()));
}

/// All bytes.
#[divan::bench(args = [1_000, 10_000, 100_000])]
fn scan_384(bencher: Bencher<'_, '_>, rows: usize) {
    let arena = arena(384, rows);
    let query = vector(384, 99);
    bencher.bench(|| arena.scan(black_box(&query), &[]).map(|scan| scan.mean()));
}

#[divan::bench(args = [24, 512, 1_600])]
fn top_of_100k(bencher: Bencher<'_, '_>, n: usize) {
    let arena = arena(1536, 100_000);
    let scan = arena.scan(&vector(1536, 99), &[]).expect("the query has a direction");
    bencher.bench(|| scan.top(black_box(n), |id| id));
}

#[divan::bench(args = [384, 1536, 3072])]
fn quantise(bencher: Bencher<'_, '_>, dims: usize) {
    let vector = vector(dims, 7);
    bencher.bench(|| code(black_box(&vector)));
}

#[divan::bench(args = [384, 1536])]
fn append(bencher: Bencher<'_, '_>, dims: usize) {
    let code = code(&vector(dims, 7));
    bencher.with_inputs(|| Arena::with_capacity(dims, 1)).bench_values(|mut arena| {
        let _ = arena.append(1, 1, Source::Memory, &code);
        arena
    });
}
