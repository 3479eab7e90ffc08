//! Each provider against a server that accepts nothing but its documented format.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use wiremock::{Mock, matchers::any};

use super::*;

/// Mounts a server that answers 418 with the reason when a request is not exactly as expected.
async fn strict(check: impl Fn(&Request) -> Result<Value, String> + Send + Sync + 'static) -> MockServer {
    let server = MockServer::start().await;
    let respond = move |request: &Request| match check(request) {
        Ok(reply) => ResponseTemplate::new(200).set_body_json(reply),
        Err(reason) => ResponseTemplate::new(418).set_body_string(reason),
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    server
}

/// Checks method, path, content type and the whole body except the texts, which it returns.
fn texts_in(request: &Request, path: &str, field: &str, mut expected: Value) -> Result<Vec<String>, String> {
    let mut body = json_of(request);
    let texts = body[field].take();
    expected[field] = Value::Null;
    let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let found = (request.method.as_str(), request.url.path(), header("content-type"), header("x-team"), &body);
    let wanted = ("POST", path, "application/json", "canary-header-98765", &expected);
    if found != wanted {
        return Err(format!("{found:?} is not {wanted:?}"));
    }
    serde_json::from_value(texts).map_err(|error| error.to_string())
}

fn bearer(request: &Request) -> Result<(), String> {
    let sent = request.headers.get("authorization").and_then(|value| value.to_str().ok());
    if sent == Some(&format!("Bearer {KEY}")) { Ok(()) } else { Err("no bearer token".into()) }
}

/// Packed vectors, as OpenAI sends them when asked.
fn packed_reply(texts: &[String]) -> Value {
    let mut reply = openai_reply(texts);
    for (item, text) in reply["data"].as_array_mut().unwrap().iter_mut().zip(texts) {
        let bytes: Vec<u8> = vector_of(text).into_iter().flat_map(f32::to_le_bytes).collect();
        item["embedding"] = STANDARD.encode(bytes).into();
    }
    reply
}

async fn check(embedder: Arc<dyn Embedder>, purpose: Purpose) {
    let texts = texts(3);
    let outcomes = embedder.embed(&texts, purpose, TIMEOUT).await.unwrap();
    assert_eq!(outcomes, vectors_of(&texts));
}

#[tokio::test]
async fn openai() {
    let server = strict(|request| {
        bearer(request)?;
        let options = json!({"model": "text-embedding-3-small", "dimensions": 2, "encoding_format": "base64"});
        Ok(packed_reply(&texts_in(request, "/v1/embeddings", "input", options)?))
    })
    .await;
    let mut wanted = target("openai", format!("{}/v1/", server.uri()));
    wanted.settings.dimensions = Some(2);
    let embedder = embedder(&wanted, TestClock::new());
    check(Arc::clone(&embedder), Purpose::Document).await;
    let usage = embedder.usage();
    assert_eq!((usage.requests, usage.texts, usage.tokens), (1, 3, 3));
}

#[tokio::test]
async fn openai_compatible_with_input_types() {
    let server = strict(|request| {
        bearer(request)?;
        let options = json!({"model": "org/model", "input_type": "passage", "encoding_format": "base64"});
        // A server that ignores the wish for packed vectors.
        Ok(openai_reply(&texts_in(request, "/api/v3/embeddings", "input", options)?))
    })
    .await;
    let mut wanted = target("openai-compatible", format!("{}/api/v3", server.uri()));
    wanted.settings.model = Some("org/model".into());
    wanted.settings.query_input_type = Some("query".into());
    wanted.settings.document_input_type = Some("passage".into());
    check(embedder(&wanted, TestClock::new()), Purpose::Document).await;
}

#[tokio::test]
async fn gemini() {
    let server = strict(|request| {
        if request.headers.get("x-goog-api-key").is_none_or(|key| key != KEY) || request.url.query().is_some() {
            return Err("the key belongs into its header".into());
        }
        if request.url.path() != "/v1beta/models/gemini-embedding-001:batchEmbedContents" {
            return Err(request.url.path().to_owned());
        }
        let body = json_of(request);
        let mut embeddings = Vec::new();
        for item in body["requests"].as_array().ok_or("no requests")? {
            let text = item["content"]["parts"][0]["text"].as_str().ok_or("no text")?;
            let expected = json!({
                "model": "models/gemini-embedding-001",
                "content": {"parts": [{"text": text}]},
                "taskType": "RETRIEVAL_QUERY",
            });
            if *item != expected {
                return Err(format!("{item} is not {expected}"));
            }
            embeddings.push(json!({"values": vector_of(text)}));
        }
        Ok(json!({"embeddings": embeddings}))
    })
    .await;
    let wanted = target("gemini", format!("{}/v1beta", server.uri()));
    check(embedder(&wanted, TestClock::new()), Purpose::Query).await;
}

#[tokio::test]
async fn voyage() {
    for (purpose, input_type) in [(Purpose::Query, "query"), (Purpose::Document, "document")] {
        let server = strict(move |request| {
            bearer(request)?;
            let options = json!({"model": "voyage-4-large", "input_type": input_type, "output_dimension": 2,
                "encoding_format": "base64"});
            Ok(packed_reply(&texts_in(request, "/v1/embeddings", "input", options)?))
        })
        .await;
        let mut wanted = target("voyage", format!("{}/v1", server.uri()));
        wanted.settings.dimensions = Some(2);
        check(embedder(&wanted, TestClock::new()), purpose).await;
    }
}

#[tokio::test]
async fn mistral() {
    let server = strict(|request| {
        bearer(request)?;
        let options = json!({"model": "mistral-embed", "encoding_format": "base64"});
        Ok(openai_reply(&texts_in(request, "/v1/embeddings", "input", options)?))
    })
    .await;
    check(embedder(&target("mistral", format!("{}/v1", server.uri())), TestClock::new()), Purpose::Document).await;
}

#[tokio::test]
async fn ollama() {
    let server = strict(|request| {
        let texts = texts_in(request, "/api/embed", "input", json!({"model": "nomic-embed-text"}))?;
        let plain: Option<Vec<_>> = texts.iter().map(|text| text.strip_prefix("search_query: ")).collect();
        let vectors: Vec<_> = plain.ok_or("a query without its prefix")?.into_iter().map(vector_of).collect();
        Ok(json!({"model": "nomic-embed-text", "embeddings": vectors, "prompt_eval_count": 12}))
    })
    .await;
    // Hosts configure the OpenAI face of the same server.
    let embedder = embedder(&target("ollama", format!("{}/v1", server.uri())), TestClock::new());
    check(Arc::clone(&embedder), Purpose::Query).await;
    assert_eq!(embedder.usage().tokens, 12);
}

#[tokio::test]
async fn local_servers_speak_the_openai_format() {
    for (id, model) in [("lmstudio", "text-embedding-nomic-embed-text-v1.5"), ("llama-server", "default")] {
        let server = strict(move |request| {
            let options = json!({"model": model, "encoding_format": "base64"});
            Ok(openai_reply(&texts_in(request, "/v1/embeddings", "input", options)?))
        })
        .await;
        check(embedder(&target(id, format!("{}/v1", server.uri())), TestClock::new()), Purpose::Document).await;
    }
}
