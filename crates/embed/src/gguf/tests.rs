use std::sync::atomic::{AtomicUsize, Ordering};

use sha2::{Digest, Sha256};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::path};

use super::source::ModelSource;
use crate::download::{Remote, download};
use model::error::Code;

fn model_bytes() -> Vec<u8> {
    let mut bytes = b"GGUF".to_vec();
    bytes.extend((0..100_000u32).flat_map(u32::to_le_bytes));
    bytes
}

fn remote(written: &str, hub: &str) -> Remote {
    match ModelSource::parse_with(written, hub).unwrap() {
        ModelSource::Remote(remote) => remote,
        ModelSource::File(path) => panic!("{path:?} is a file"),
    }
}

#[test]
fn addresses_are_read_and_others_refused() {
    let hub = remote("hf:ggml-org/some-GGUF/folder/model-Q8_0.gguf#v2", "https://hub.example");
    assert_eq!(hub.url.as_str(), "https://hub.example/ggml-org/some-GGUF/resolve/v2/folder/model-Q8_0.gguf");
    assert_eq!(hub.file_name, "hf_ggml-org_model-Q8_0.gguf");
    let hash = "a".repeat(64);
    let plain = remote(&format!("https://example.org/m.gguf?x=1#sha256={hash}"), "");
    assert_eq!((plain.file_name.as_str(), plain.sha256), ("m.gguf", Some(hash)));
    for wrong in [
        "hf:only/two",
        "https://example.org/model.bin",
        "http://example.org/m.gguf",
        "https://e.org/m.gguf#sha256=12",
        "/no/such.gguf",
    ] {
        assert_eq!(ModelSource::parse_with(wrong, "https://hub.example").unwrap_err().code(), Code::Config, "{wrong}");
    }
}

/// A hub that redirects to where the file lies, names its hash on the way, and serves ranges.
async fn hub(bytes: Vec<u8>, hash: String, requests: &'static AtomicUsize) -> MockServer {
    let server = MockServer::start().await;
    let redirect = ResponseTemplate::new(302)
        .insert_header("location", "/blob")
        .insert_header("x-linked-etag", format!("\"{hash}\"").as_str());
    Mock::given(path("/u/r/resolve/main/m.gguf")).respond_with(redirect).mount(&server).await;
    let serve = move |request: &Request| {
        requests.fetch_add(1, Ordering::SeqCst);
        let range = request
            .headers
            .get("range")
            .and_then(|value| value.to_str().ok()?.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
        match range {
            Some(from) if from >= bytes.len() => ResponseTemplate::new(416),
            Some(from) => ResponseTemplate::new(206).set_body_bytes(&bytes[from..]),
            None => ResponseTemplate::new(200).set_body_bytes(bytes.clone()),
        }
    };
    Mock::given(path("/blob")).respond_with(serve).mount(&server).await;
    server
}

#[tokio::test]
async fn a_download_goes_on_where_it_stopped_is_checked_and_done_once() {
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let bytes = model_bytes();
    let server = hub(bytes.clone(), hex::encode(Sha256::digest(&bytes)), &REQUESTS).await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hf_u_m.gguf.part"), &bytes[..1000]).unwrap();
    let remote = remote("hf:u/r/m.gguf", &server.uri());
    let file = download(&remote, folder.path()).await.unwrap();
    assert!(std::fs::read(&file).unwrap() == bytes);
    assert_eq!(download(&remote, folder.path()).await.unwrap(), file);
    assert_eq!(REQUESTS.load(Ordering::SeqCst), 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_file_that_is_not_what_was_announced_is_not_used() {
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let server = hub(model_bytes(), "0".repeat(64), &REQUESTS).await;
    let folder = tempfile::tempdir().unwrap();
    let error = download(&remote("hf:u/r/m.gguf", &server.uri()), folder.path()).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderResponse);
    assert!(error.message.contains("was announced"), "{error}");
    // The next attempt starts anew instead of going on with the wrong bytes.
    assert_eq!(std::fs::metadata(folder.path().join("hf_u_m.gguf.part")).unwrap().len(), 0);
}

#[tokio::test]
async fn an_answer_without_a_model_names_the_server_and_keeps_what_is_there() {
    let server = MockServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let error = download(&remote("hf:u/r/gone.gguf", &server.uri()), folder.path()).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert!(error.message.contains("404"), "{error}");
}

#[derive(serde::Deserialize)]
struct Golden {
    text: String,
    vector: String,
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[tokio::test]
#[ignore = "needs the file that scripts/model/gguf_fixture.py writes, named by MEMORY_CORE_RS_GGUF"]
async fn a_model_gives_the_vectors_of_its_original() {
    let file = std::env::var("MEMORY_CORE_RS_GGUF").unwrap();
    let embed = super::callback(&file, std::env::temp_dir()).unwrap();
    let golden: Vec<Golden> = include_str!("../../../minilm/src/testdata/golden.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // The original cuts accents off, cuts texts at 256 pieces, and does not know words of more than 100 letters; what is
    // left to compare are ordinary texts.
    let is_ordinary = |text: &str| {
        let sized = text.trim().len() > 3 && text.len() < 500;
        sized && text.is_ascii() && text.split_whitespace().all(|word| word.len() <= 100)
    };
    let ordinary: Vec<Golden> = golden.into_iter().filter(|g| is_ordinary(&g.text)).collect();
    assert!(ordinary.len() > 5);
    let vectors = embed(ordinary.iter().map(|g| g.text.clone()).collect(), crate::Purpose::Document).await.unwrap();
    for (golden, vector) in ordinary.iter().zip(&vectors) {
        use base64::{Engine, engine::general_purpose::STANDARD};
        let bytes = STANDARD.decode(&golden.vector).unwrap();
        let expected: Vec<f32> = bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
        assert!(cosine(&expected, vector) > 0.999, "{:?}: {}", golden.text, cosine(&expected, vector));
    }
    // Longer than the model takes: cut, not refused.
    let long = embed(vec!["word ".repeat(5000)], crate::Purpose::Document).await.unwrap();
    assert_eq!(long[0].len(), 384);
}

#[tokio::test]
async fn a_file_that_is_no_model_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.gguf");
    std::fs::write(&file, b"GGUF but nothing else").unwrap();
    let embed = super::callback(file.to_str().unwrap(), folder.path().into()).unwrap();
    let error = embed(vec!["text".into()], crate::Purpose::Query).await.unwrap_err();
    assert!(error.message.contains("wrong.gguf"), "{error}");
}
