//! Converted encoders against what sentence-transformers makes of them (`scripts/model/encoders.py`), and models that
//! cannot be converted.

use std::path::{Path, PathBuf};

use super::{Architecture, Fault, Source, convert, float::FloatModel, tensors::Tensors};
use crate::{
    Kernels, Pooling, Scratch, Weights, encode,
    encoder::{Rows, Watched, pool},
    tests::Golden,
};

const ENCODERS: [(&str, Pooling); 4] =
    [("bert", Pooling::Mean), ("xlm-roberta", Pooling::Mean), ("roberta", Pooling::Cls), ("distilbert", Pooling::Mean)];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/encoders").join(name)
}

fn read(name: &str, file: &str) -> Vec<u8> {
    std::fs::read(folder(name).join(file)).unwrap()
}

fn golden(name: &str) -> Vec<Golden> {
    serde_json::from_slice(&read(name, "golden.json")).unwrap()
}

fn architecture(name: &str, pooling: Pooling) -> Architecture {
    Architecture::read(&read(name, "config.json"), pooling, Some(40)).unwrap()
}

/// The vectors of the encoder in floats.
fn in_floats(architecture: &Architecture, weights: &[u8], texts: &[Vec<u32>], kernels: &Kernels) -> Vec<Vec<f32>> {
    let tensors = Tensors::open(weights).unwrap();
    let model = FloatModel::new(architecture, &tensors).unwrap();
    let (shape, mut rows) = (architecture.shape(), Rows::default());
    model.begin(kernels, texts, &mut rows).unwrap();
    for index in 0..shape.layers {
        let layer = model.layer(index).unwrap();
        rows.pass(kernels, &shape.heads(), &layer.products(shape.epsilon), texts, &mut Watched::default());
    }
    rows.states_of(texts, shape.width()).map(|states| pool(shape, states)).collect()
}

/// The converted encoder.
fn converted(architecture: &Architecture, weights: &[u8], calibration: &[Vec<u32>]) -> Weights {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let source = Source { architecture, weights, calibration, attachments: &[("about", b"kept as it is")] };
    let mut heard = Vec::new();
    convert(&source, &mut file, &mut |share| {
        heard.push(share);
        true
    })
    .unwrap();
    assert!(heard.is_sorted() && heard.first() == Some(&0.0) && heard.last() == Some(&1.0), "{heard:?}");
    Weights::open_any(file.path()).unwrap()
}

#[test]
fn vectors_in_floats_are_those_of_the_reference() {
    for (name, pooling) in ENCODERS {
        let (golden, architecture) = (golden(name), architecture(name, pooling));
        let texts: Vec<Vec<u32>> = golden.iter().map(|golden| golden.pieces.clone()).collect();
        for kernels in Kernels::available() {
            let vectors = in_floats(&architecture, &read(name, "model.safetensors"), &texts, kernels);
            for (vector, golden) in vectors.iter().zip(&golden) {
                let furthest = vector.iter().zip(golden.vector()).map(|(a, b)| (a - b).abs()).fold(0.0_f32, f32::max);
                assert!(furthest <= 1e-4, "{name}, {}: {furthest} off for {:?}", kernels.name, golden.text);
            }
        }
    }
}

/// What eight bits cost: the encoders of the tests have random weights, which nothing but the channels' levels is like
/// in trained ones, so the bound is that of the embedded model's own test.
#[test]
fn vectors_in_int8_stay_close_to_the_reference_on_every_instruction_set() {
    for (name, pooling) in ENCODERS {
        let (golden, architecture) = (golden(name), architecture(name, pooling));
        let texts: Vec<Vec<u32>> = golden.iter().map(|golden| golden.pieces.clone()).collect();
        let weights = converted(&architecture, &read(name, "model.safetensors"), &texts[..3]);
        assert_eq!(weights.attachment("about"), Some(&b"kept as it is"[..]));
        for kernels in Kernels::available() {
            let vectors = encode(&weights, kernels, &texts, &mut Scratch::default());
            for (vector, golden) in vectors.iter().zip(&golden) {
                let cosine: f32 = vector.iter().zip(golden.vector()).map(|(a, b)| a * b).sum();
                assert!(cosine >= 0.995, "{name}, {}: {cosine} for {:?}", kernels.name, golden.text);
            }
        }
    }
}

fn fault(config: &[u8], weights: &[u8]) -> String {
    let outcome = Architecture::read(config, Pooling::Mean, Some(40)).and_then(|architecture| {
        let source = Source { architecture: &architecture, weights, calibration: &[vec![0, 1, 2]], attachments: &[] };
        convert(&source, &mut std::io::sink(), &mut |_| true)
    });
    match outcome.unwrap_err() {
        Fault::Unusable(cause) => cause,
        other => panic!("{other}"),
    }
}

#[test]
fn another_architecture_is_named() {
    let config = String::from_utf8(read("bert", "config.json")).unwrap();
    let weights = read("bert", "model.safetensors");
    for (from, to, expected) in [
        ("\"bert\"", "\"mpnet\"", "mpnet"),
        ("\"gelu\"", "\"silu\"", "silu"),
        ("\"hidden_size\": 64", "\"hidden_size\": 65", "sizes"),
        ("\"hidden_size\": 64", "\"hidden_size\": 99999999999", "sizes"),
        ("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3", "encoder.layer.2"),
        ("\"hidden_size\": 64", "\"hidden_size\": 32", "shape"),
        ("\"vocab_size\": ", "\"vocab_size\": 9", "shape"),
        ("\"num_attention_heads\": 4", "\"num_attention_heads\": 0", "sizes"),
        ("{", "[", "config.json"),
    ] {
        assert!(config.contains(from), "{from}");
        let cause = fault(config.replacen(from, to, 1).as_bytes(), &weights);
        assert!(cause.contains(expected), "{from} -> {to}: {cause}");
    }
}

#[test]
fn damaged_weights_are_told_from_whole_ones() {
    let (config, whole) = (read("bert", "config.json"), read("bert", "model.safetensors"));
    let length = u64::from_le_bytes(*whole.first_chunk().unwrap()) as usize;
    for cut in [0, 4, 8, 100, 8 + length, whole.len() / 2, whole.len() - 1] {
        assert!(fault(&config, &whole[..cut]).contains("model.safetensors"), "{cut} bytes");
    }
    // A header that claims to be as long as memory, and one that is no JSON.
    let mut hostile = whole.clone();
    hostile[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(fault(&config, &hostile).contains("damaged"));
    hostile[..8].copy_from_slice(&(length as u64).to_le_bytes());
    hostile[8..8 + length].fill(b'[');
    assert!(fault(&config, &hostile).contains("damaged"));
    // Numbers that would make every vector one that is not a number.
    let mut hostile = whole;
    let end = hostile.len();
    hostile[8 + length..end].copy_from_slice(&f32::NAN.to_le_bytes().repeat((end - 8 - length) / 4));
    assert!(fault(&config, &hostile).contains("finite"));
}

#[test]
fn pieces_beyond_the_table_of_words_are_refused() {
    let architecture = architecture("bert", Pooling::Mean);
    let weights = read("bert", "model.safetensors");
    for text in [vec![1_000_000], vec![0; 41]] {
        let source = Source { architecture: &architecture, weights: &weights, calibration: &[text], attachments: &[] };
        let outcome = convert(&source, &mut std::io::sink(), &mut |_| true);
        assert!(matches!(outcome, Err(Fault::Unusable(_))), "{outcome:?}");
    }
}

#[test]
fn a_conversion_can_be_stopped() {
    let architecture = architecture("bert", Pooling::Mean);
    let weights = read("bert", "model.safetensors");
    let source = Source { architecture: &architecture, weights: &weights, calibration: &[], attachments: &[] };
    let outcome = convert(&source, &mut std::io::sink(), &mut |share| share < 0.5);
    assert!(matches!(outcome, Err(Fault::Stopped)), "{outcome:?}");
}
