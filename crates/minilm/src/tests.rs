//! The whole encoder against the float32 reference.

use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;

use super::{
    encoder::{Scratch, encode},
    kernels::Kernels,
    tokenizer::Tokenizer,
    weights::{MAX_PIECES, Weights},
};

/// A text as the reference in Python cuts and embeds it (`scripts/model`).
#[derive(Deserialize)]
pub(crate) struct Golden {
    pub(crate) text: String,
    pub(crate) pieces: Vec<u32>,
    vector: String,
}

impl Golden {
    pub(crate) fn vector(&self) -> Vec<f32> {
        let bytes = STANDARD.decode(&self.vector).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
    }
}

fn golden() -> Vec<Golden> {
    include_str!("testdata/golden.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The weights file of the repository.
pub(crate) fn installed_weights() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../model/node_modules/all-minilm-l6-v2.bin")
}

fn weights() -> Weights {
    Weights::open(&installed_weights()).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn word_pieces_are_those_of_the_reference() {
    let tokenizer = Tokenizer::new(&weights());
    for golden in golden() {
        assert_eq!(tokenizer.encode(&golden.text), golden.pieces, "{:?}", golden.text);
    }
}

#[test]
fn vectors_stay_close_to_the_reference_on_every_instruction_set() {
    let weights = weights();
    for (rank, kernels) in Kernels::available().iter().enumerate() {
        // The slower sets compute the same integers (see `kernels::tests`); a few short texts are enough for them.
        let mut golden = golden();
        if rank > 0 {
            golden.retain(|g| g.pieces.len() < 12);
            golden.truncate(5);
        }
        // Several texts a pass, so that a text that leaks into its neighbour shows.
        for golden in golden.chunks(5) {
            let pieces: Vec<Vec<u32>> = golden.iter().map(|g| g.pieces.clone()).collect();
            let vectors = encode(&weights, kernels, &pieces, &mut Scratch::default());
            for (vector, golden) in vectors.iter().zip(golden) {
                let similarity = cosine(vector, &golden.vector());
                assert!(similarity >= 0.995, "{}: {similarity} {:?}", kernels.name, golden.text);
            }
        }
    }
}

#[test]
fn a_long_text_is_cut_to_the_pieces_of_one_input() {
    assert_eq!(Tokenizer::new(&weights()).encode(&"word ".repeat(5000)).len(), MAX_PIECES);
}

/// The set without instructions of its own computes the same on every machine: what it makes of a text is what an index
/// of last year holds.
#[test]
fn vectors_are_those_of_earlier_versions_to_the_bit() {
    let weights = weights();
    let mut golden = golden();
    golden.retain(|g| g.pieces.len() < 12);
    golden.truncate(5);
    let pieces: Vec<Vec<u32>> = golden.iter().map(|g| g.pieces.clone()).collect();
    let scalar = Kernels::available().last().unwrap();
    let vectors = encode(&weights, scalar, &pieces, &mut Scratch::default());
    // FNV-1a.
    let hash = vectors
        .iter()
        .flatten()
        .flat_map(|x| x.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    assert_eq!(format!("{hash:016x}"), "c175d8574deaade4");
}
