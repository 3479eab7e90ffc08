//! Pictures and sounds: one request each, refused one by one, and only where the model takes them.

use std::sync::Arc;

use serde_json::{Value, json};
use wiremock::{MockServer, Request, ResponseTemplate, matchers::any};

use super::{TIMEOUT, When, embedder, json_of, target};
use crate::{Embedded, Embedder, media::Media};
use model::clock::TestClock;

fn picture(text: &str, bytes: &[u8]) -> Media {
    Media { text: text.into(), mime: "image/png".into(), bytes: bytes.into() }
}

fn gemini(server: &MockServer) -> Arc<dyn Embedder> {
    let mut target = target("gemini", format!("{}/v1beta", server.uri()));
    target.settings.model = Some("gemini-embedding-2".into());
    embedder(&target, TestClock::new())
}

fn parts(request: &Request) -> Vec<Value> {
    let requests = json_of(request)["requests"].clone();
    requests.as_array().unwrap().iter().map(|one| one["content"]["parts"].clone()).collect()
}

fn has_picture(request: &Request) -> bool {
    parts(request).iter().any(|parts| parts[1]["inlineData"].is_object())
}

fn vectors(count: usize) -> ResponseTemplate {
    let embeddings = vec![json!({"values": [0.5, 1.0]}); count];
    ResponseTemplate::new(200)
        .set_body_json(json!({"embeddings": embeddings, "usageMetadata": {"promptTokenCount": 258}}))
}

#[tokio::test]
async fn a_picture_is_one_request_with_its_text_and_its_bytes() {
    let server = MockServer::start().await;
    wiremock::Mock::given(any()).respond_with(|request: &Request| vectors(parts(request).len())).mount(&server).await;
    let embedder = gemini(&server);
    let made = embedder.embed_media(&picture("Image file: a.png", &[1, 2, 3]), TIMEOUT).await.unwrap();
    assert_eq!(made, Embedded::Vector(vec![0.5, 1.0]));
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].url.path().ends_with("/models/gemini-embedding-2:batchEmbedContents"));
    let wanted = json!([{"text": "Image file: a.png"}, {"inlineData": {"mimeType": "image/png", "data": "AQID"}}]);
    assert_eq!(parts(&requests[0]), [wanted]);
    assert_eq!((embedder.usage().requests, embedder.usage().texts, embedder.usage().tokens), (1, 1, 258));
}

#[tokio::test]
async fn a_name_with_a_secret_in_it_is_sent_without() {
    let server = MockServer::start().await;
    wiremock::Mock::given(any()).respond_with(|_: &Request| vectors(1)).mount(&server).await;
    let secret = "ghp_016C7wdZ2V4mZqf5pX0Q1rT9sK3uL8nB7yAe";
    let media = picture(&format!("Image file: notes/{secret}.png"), &[1]);
    gemini(&server).embed_media(&media, TIMEOUT).await.unwrap();
    let sent = server.received_requests().await.unwrap();
    assert!(!String::from_utf8_lossy(&sent[0].body).contains(secret));
}

#[tokio::test]
async fn a_picture_that_is_refused_is_told_and_a_provider_that_refuses_everything_is_an_error() {
    for (text_status, is_refused) in [(200, true), (400, false)] {
        let server = MockServer::start().await;
        let refusal = ResponseTemplate::new(400).set_body_json(json!({"error": {"message": "cannot read the image"}}));
        wiremock::Mock::given(When(has_picture)).respond_with(refusal.clone()).mount(&server).await;
        let answer = if text_status == 200 { vectors(1) } else { refusal };
        wiremock::Mock::given(any()).respond_with(answer).mount(&server).await;
        let outcome = gemini(&server).embed_media(&picture("Image file: a.png", &[1]), TIMEOUT).await;
        match outcome {
            Ok(Embedded::Refused(reason)) => {
                assert!(is_refused && reason.contains("cannot read the image"), "{reason}")
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => assert!(!is_refused, "{error}"),
        }
    }
}

#[tokio::test]
async fn an_outage_is_no_refusal_and_is_tried_again() {
    let server = MockServer::start().await;
    wiremock::Mock::given(any()).respond_with(ResponseTemplate::new(503)).up_to_n_times(1).mount(&server).await;
    wiremock::Mock::given(any()).respond_with(|_: &Request| vectors(1)).mount(&server).await;
    let made = gemini(&server).embed_media(&picture("Image file: a.png", &[1]), TIMEOUT).await.unwrap();
    assert_eq!(made, Embedded::Vector(vec![0.5, 1.0]));
}

#[tokio::test]
async fn a_model_of_text_gets_no_picture() {
    let server = MockServer::start().await;
    wiremock::Mock::given(When(|request: &Request| !json_of(request)["input"].is_null()))
        .respond_with(super::Vectors)
        .mount(&server)
        .await;
    let (openai, _clock) = super::openai(&server);
    let outcome = openai.embed_media(&picture("Image file: a.png", &[7; 64]), TIMEOUT).await.unwrap();
    assert!(matches!(outcome, Embedded::Refused(reason) if reason.contains("text only")));
    let sent = server.received_requests().await.unwrap();
    assert!(sent.iter().all(|request| !String::from_utf8_lossy(&request.body).contains("a.png")));
}
