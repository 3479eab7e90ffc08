//! The whole encoder against the float32 reference, and the embedder from outside.

use std::{
    path::PathBuf,
    thread,
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;

use super::{
    MiniLm,
    artifact::IN_PACKAGE,
    encoder::{Scratch, encode},
    jobs,
    kernels::Kernels,
    tokenizer::Tokenizer,
    weights::{MAX_PIECES, Weights},
};
use crate::{
    embed::{Embedded, Embedder, Purpose},
    error::Code,
};

/// One line of `testdata/golden.jsonl`, written by `scripts/model/convert.py`.
#[derive(Deserialize)]
struct Golden {
    text: String,
    pieces: Vec<u32>,
    vector: String,
}

impl Golden {
    fn vector(&self) -> Vec<f32> {
        let bytes = STANDARD.decode(&self.vector).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
    }
}

fn golden() -> Vec<Golden> {
    include_str!("testdata/golden.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The weights file of the repository.
pub fn installed_weights() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(IN_PACKAGE)
}

fn weights() -> Weights {
    Weights::open(&installed_weights()).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn embedder(idle: Duration) -> MiniLm {
    MiniLm::open_with(installed_weights(), idle).unwrap()
}

fn embed(model: &MiniLm, texts: &[&str], purpose: Purpose) -> crate::error::Result<Vec<Vec<f32>>> {
    let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let embedded = runtime.block_on(model.embed(&texts, purpose, Duration::from_secs(60)))?;
    let vector = |outcome| match outcome {
        Embedded::Vector(vector) => vector,
        Embedded::Refused(reason) => panic!("refused: {reason}"),
    };
    Ok(embedded.into_iter().map(vector).collect())
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
fn a_paraphrase_without_a_common_word_is_closest() {
    let model = embedder(Duration::from_secs(1));
    let notes = [
        "Adapter for the electric vehicle's plug lies in the trunk beneath the mat.",
        "Grandma prefers calls before noon, she naps later.",
        "The sourdough starter is fed on Sundays with rye flour.",
    ];
    let notes = embed(&model, &notes, Purpose::Document).unwrap();
    let query = embed(&model, &["how do I charge my car abroad?"], Purpose::Query).unwrap();
    let scores: Vec<f32> = notes.iter().map(|note| cosine(note, &query[0])).collect();
    assert!(scores[0] > scores[1] && scores[0] > scores[2], "{scores:?}");
}

#[test]
fn order_is_kept_over_several_jobs() {
    let model = embedder(Duration::from_secs(1));
    let texts: Vec<String> = (0..70).map(|i| i.to_string()).collect();
    assert!(jobs(&texts).count() > 1);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embed(&model, &texts, Purpose::Document).unwrap();
    assert_eq!(together.len(), texts.len());
    for i in [0, 63, 64, 69] {
        let alone = embed(&model, &texts[i..=i], Purpose::Query).unwrap();
        assert!(cosine(&alone[0], &together[i]) > 0.9999, "text {i}");
    }
    assert_eq!(model.usage().texts, 74);
}

#[test]
fn long_and_strange_texts_give_unit_vectors() {
    let model = embedder(Duration::from_secs(1));
    let long = "word ".repeat(5000);
    for vector in embed(&model, &["", "\u{0}\u{fffd}", "😀😀", &long], Purpose::Document).unwrap() {
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-5);
    }
    let tokenizer = Tokenizer::new(&weights());
    assert_eq!(tokenizer.encode(&long).len(), MAX_PIECES);
}

#[test]
fn memory_is_given_back_when_idle() {
    let model = embedder(Duration::from_millis(20));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    assert!(!model.condition().mapped, "nothing is mapped before the first text");
    for purpose in [Purpose::Query, Purpose::Document, Purpose::Query] {
        let texts = ["and it comes back".to_owned()];
        let embedded = runtime.block_on(model.embed(&texts, purpose, Duration::from_secs(60))).unwrap();
        assert_eq!(embedded.len(), 1);
        let deadline = Instant::now() + Duration::from_secs(60);
        while model.condition().threads > 0 || model.condition().mapped {
            assert!(Instant::now() < deadline, "after {purpose:?} memory is kept");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_dropped_call_does_not_hold_up_the_next() {
    let model = embedder(Duration::from_secs(1));
    let texts = vec!["a long text about nothing in particular ".repeat(40); 200];
    {
        let mut call = model.embed(&texts, Purpose::Document, Duration::from_secs(60));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(call.as_mut().poll(&mut context).is_pending());
    }
    embed(&model, &["next"], Purpose::Document).unwrap();
    assert!(model.usage().texts < 100, "{} of the dropped texts were embedded", model.usage().texts);
}

#[test]
fn a_query_past_its_deadline_fails_and_the_next_one_works() {
    let model = embedder(Duration::from_secs(1));
    let texts = ["late".to_owned()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let error = runtime.block_on(model.embed(&texts, Purpose::Query, Duration::ZERO)).unwrap_err();
    assert_eq!(error.code, Code::Deadline);
    assert_eq!(embed(&model, &["in time"], Purpose::Query).unwrap().len(), 1);
}

#[test]
fn a_file_that_is_no_weights_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.bin");
    let whole = std::fs::read(installed_weights()).unwrap();
    for damaged in [&b""[..], &b"MCRMODEL"[..], &whole[..whole.len() - 64], &[0; 4096][..]] {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(MiniLm::open(path.clone()).err().map(|e| e.code), Some(Code::Corrupt), "{} bytes", damaged.len());
    }
    assert_eq!(MiniLm::open(folder.path().join("none")).err().map(|e| e.code), Some(Code::NotFound));
}

#[test]
fn jobs_stay_small_and_lose_nothing() {
    let texts: Vec<String> = [1, 9000, 5000, 3000, 3000, 10].iter().map(|&n| "x".repeat(n)).collect();
    let sizes: Vec<usize> = jobs(&texts).map(<[String]>::len).collect();
    assert_eq!(sizes, [1, 1, 2, 2]);
}
