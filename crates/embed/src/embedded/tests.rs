//! The embedder from outside.

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{InProcess, artifact::IN_PACKAGE, jobs};
use crate::{Embedded, Embedder, Purpose};
use model::error::Code;

/// The weights file of the repository.
pub(super) fn installed_weights() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(IN_PACKAGE)
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn embedder(idle: Duration) -> InProcess {
    InProcess::open_with(installed_weights(), idle).unwrap()
}

fn embed(model: &InProcess, texts: &[&str], purpose: Purpose) -> model::error::Result<Vec<Vec<f32>>> {
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
}

#[test]
fn memory_is_given_back_when_idle() {
    let model = embedder(Duration::from_millis(20));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap();
    assert!(!model.source.is_mapped(), "nothing is mapped before the first text");
    for purpose in [Purpose::Query, Purpose::Document, Purpose::Query] {
        let texts = ["and it comes back".to_owned()];
        let embedded = runtime.block_on(model.embed(&texts, purpose, Duration::from_secs(60))).unwrap();
        assert_eq!(embedded.len(), 1);
        let deadline = Instant::now() + Duration::from_secs(60);
        while model.documents.keeps_threads() || model.source.is_mapped() {
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
    assert_eq!(error.code(), Code::Deadline);
    assert_eq!(embed(&model, &["in time"], Purpose::Query).unwrap().len(), 1);
}

#[test]
fn a_file_that_is_no_weights_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.bin");
    let whole = std::fs::read(installed_weights()).unwrap();
    for damaged in [&b""[..], &b"MCRMODEL"[..], &whole[..whole.len() - 64], &[0; 4096][..]] {
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(
            InProcess::open(path.clone()).err().map(|e| e.code()),
            Some(Code::Corrupt),
            "{} bytes",
            damaged.len()
        );
    }
    assert_eq!(InProcess::open(folder.path().join("none")).err().map(|e| e.code()), Some(Code::NotFound));
}

#[test]
fn jobs_stay_small_and_lose_nothing() {
    let texts: Vec<String> = [1, 9000, 5000, 3000, 3000, 10].iter().map(|&n| "x".repeat(n)).collect();
    let sizes: Vec<usize> = jobs(&texts).map(<[String]>::len).collect();
    assert_eq!(sizes, [1, 1, 2, 2]);
}
