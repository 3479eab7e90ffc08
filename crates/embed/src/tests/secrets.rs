//! No secret in an error, whatever the server echoes, and none to another host.

use wiremock::{Mock, matchers::any};

use super::*;
use model::error::Code;

const CANARIES: [&str; 4] = [KEY, "canary-header-98765", "canary-query-4711", "canary"];

fn assert_clean(error: &Error, context: &str) {
    let shown = format!("{error} {error:?}");
    for canary in CANARIES {
        assert!(!shown.contains(canary), "{context}: {shown}");
    }
}

fn echoing(server: &MockServer) -> Target {
    target("openai", format!("{}/v1?token=canary-query-4711", server.uri()))
}

#[tokio::test]
async fn echoed_credentials_do_not_reach_the_error() {
    for status in [200, 400, 401, 403, 404, 413, 418, 429, 500] {
        for shape in ["{\"error\":{\"message\":\"bad CANARY here\"}}", "bad CANARY here", "<p>CANARY</p>"] {
            let server = MockServer::start().await;
            let echo = format!("{KEY} / Bearer {KEY} / canary-header-98765 / /v1?token=canary-query-4711 / canary-k…");
            let body = shape.replace("CANARY", &echo);
            Mock::given(any()).respond_with(ResponseTemplate::new(status).set_body_string(body)).mount(&server).await;
            let embedder = embedder(&echoing(&server), TestClock::new());
            match embedder.embed(&texts(1), Purpose::Query, TIMEOUT).await {
                Err(error) => assert_clean(&error, &format!("{status} {shape}")),
                Ok(outcomes) => {
                    let Embedded::Refused(reason) = &outcomes[0] else { panic!("{status}: a vector") };
                    assert_clean(&Error::new(Code::ProviderInput, reason.as_str()), &format!("{status} {shape}"));
                }
            }
        }
    }
}

#[tokio::test]
async fn an_unreachable_server_is_named_by_its_origin_only() {
    let base = "http://127.0.0.1:9/v1?token=canary-query-4711";
    let embedder = embedder(&target("openai", base.into()), TestClock::new());
    let error = embedder.embed(&texts(1), Purpose::Query, TIMEOUT).await.unwrap_err();
    assert_eq!(error.code(), Code::ProviderUnavailable);
    assert!(error.message.contains("http://127.0.0.1:9"), "{error}");
    assert_clean(&error, "unreachable");
}

#[tokio::test]
async fn a_redirect_to_another_host_is_not_followed() {
    let other = MockServer::start().await;
    Mock::given(any()).respond_with(Vectors).mount(&other).await;
    for status in [301, 302, 303, 307, 308] {
        let server = MockServer::start().await;
        let target = format!("{}/v1/embeddings?token=canary-query-4711", other.uri());
        let reply = ResponseTemplate::new(status).insert_header("location", target);
        Mock::given(any()).respond_with(reply).mount(&server).await;
        let embedder = embedder(&echoing(&server), TestClock::new());
        let error = embedder.embed(&texts(1), Purpose::Query, TIMEOUT).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderResponse);
        assert_clean(&error, "redirect");
    }
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_redirect_on_the_same_host_keeps_body_and_credentials() {
    let server = MockServer::start().await;
    let moved = |request: &Request| request.url.path() == "/v1/embeddings";
    Mock::given(When(moved))
        .respond_with(ResponseTemplate::new(308).insert_header("location", "/v2/embeddings"))
        .mount(&server)
        .await;
    let kept = |request: &Request| {
        request.url.path() == "/v2/embeddings" && request.headers["authorization"] == format!("Bearer {KEY}").as_str()
    };
    Mock::given(When(kept)).respond_with(Vectors).mount(&server).await;
    let (embedder, _) = openai(&server);
    assert_eq!(documents(&embedder, &texts(2)).await.unwrap(), vectors_of(&texts(2)));
}

// Keys that stand in notes, or in a question, were sent to whoever embeds them.
#[tokio::test]
async fn texts_lose_their_secrets_on_the_way_to_another_machine() {
    use model::config::settings::RedactSecrets::{Always, Never, Remote};
    for (id, mode, sent) in [
        ("openai", Remote, false),
        ("openai", Always, false),
        ("openai", Never, true),
        ("ollama", Remote, true),
        ("lmstudio", Remote, true),
    ] {
        for purpose in [Purpose::Document, Purpose::Query] {
            let server = MockServer::start().await;
            Mock::given(any()).respond_with(ResponseTemplate::new(400)).mount(&server).await;
            let mut target = target(id, server.uri());
            target.settings.redact_secrets = mode;
            let texts = ["The WiFi password is Sunflower!42".to_owned(), "Tea at five".to_owned()];
            let _ = embedder(&target, TestClock::new()).embed(&texts, purpose, TIMEOUT).await;
            let bodies: Vec<String> = server
                .received_requests()
                .await
                .unwrap()
                .iter()
                .map(|r| String::from_utf8_lossy(&r.body).into())
                .collect();
            let has = |what: &str| bodies.iter().any(|body| body.contains(what));
            assert!(has("Tea at five"), "{id}");
            assert_eq!(has("Sunflower"), sent, "{id} {mode:?}: {bodies:?}");
        }
    }
}
