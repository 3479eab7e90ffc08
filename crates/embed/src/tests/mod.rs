//! Providers against strict servers on loopback.

mod chaos;
mod media;
mod refusals;
mod replies;
mod secrets;
mod storing;
mod wire_formats;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};
use wiremock::{Match, Mock, MockServer, Request, Respond, ResponseTemplate, matchers::any};

use super::{
    Embedded, Embedder, Purpose,
    account::Account,
    client::Http,
    factory::{Sources, build},
    secret::{Credentials, Secret},
};
use model::{
    clock::{Clock, TestClock},
    config::settings::{BatchSettings, ProviderSettings},
    error::{Error, Result},
};

/// Long enough never to matter where a test does not mean it to.
const TIMEOUT: Duration = Duration::from_secs(20);

const KEY: &str = "canary-key-0123456789";

/// Settings of a provider, without batches.
pub(super) fn settings(id: &str) -> ProviderSettings {
    ProviderSettings {
        id: id.into(),
        model: None,
        fallback: None,
        dimensions: None,
        query_input_type: None,
        document_input_type: None,
        local_model_path: None,
        local_query_prefix: None,
        local_document_prefix: None,
        local_model_cache_dir: None,
        batch: BatchSettings {
            enabled: false,
            wait: true,
            concurrency: 2,
            poll_interval_ms: 2000,
            timeout_minutes: 60,
        },
        concurrency: 4,
        query_timeout_ms: 60_000,
        document_timeout_ms: 120_000,
        redact_secrets: model::config::settings::RedactSecrets::Remote,
    }
}

/// The settings of a provider and its address.
pub(super) struct Target {
    pub(super) settings: ProviderSettings,
    pub(super) address: String,
}

/// A provider at an address, without batches.
pub(super) fn target(id: &str, address: String) -> Target {
    Target { settings: settings(id), address }
}

fn credentials() -> Credentials {
    Credentials {
        api_key: Some(Secret::new(KEY)),
        spare_keys: Vec::new(),
        headers: vec![("x-team".into(), Secret::new("canary-header-98765"))],
    }
}

fn embedder(target: &Target, clock: Arc<dyn Clock>) -> Arc<dyn Embedder> {
    let account = Account::new(&target.settings.id, Some(&target.address)).with_credentials(credentials());
    build(&target.settings, &sources(account, clock)).unwrap().embedder.unwrap()
}

/// Nothing but one account.
pub(super) fn sources(account: Account, clock: Arc<dyn Clock>) -> Sources {
    Sources {
        http: Http::new(),
        clock,
        accounts: vec![account],
        adapters: BTreeMap::new(),
        embedded: None,
        #[cfg(feature = "llama-cpp")]
        model_dir: std::env::temp_dir(),
        ledger: None,
    }
}

/// An OpenAI embedder on a mock server, with a clock that does not wait.
fn openai(server: &MockServer) -> (Arc<dyn Embedder>, Arc<TestClock>) {
    let clock = TestClock::new();
    (embedder(&target("openai", format!("{}/v1", server.uri())), Arc::clone(&clock) as _), clock)
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text {n}")).collect()
}

/// The vector that the mock servers make of a text: its number, and a constant.
fn vector_of(text: &str) -> Vec<f32> {
    let number = text.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.5);
    vec![number, 1.0]
}

fn vectors_of(texts: &[String]) -> Vec<Embedded> {
    texts.iter().map(|text| Embedded::Vector(vector_of(text))).collect()
}

fn json_of(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

fn inputs(request: &Request) -> Vec<String> {
    serde_json::from_value(json_of(request)["input"].clone()).unwrap()
}

fn openai_reply(texts: &[String]) -> Value {
    let data: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector_of(text)}))
        .collect();
    json!({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 3, "total_tokens": 3}})
}

/// Answers every request with its vectors.
struct Vectors;

impl Respond for Vectors {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        ResponseTemplate::new(200).set_body_json(openai_reply(&inputs(request)))
    }
}

/// Matches requests by a function.
struct When<F>(F);

impl<F: Fn(&Request) -> bool + Send + Sync> Match for When<F> {
    fn matches(&self, request: &Request) -> bool {
        self.0(request)
    }
}

/// Mounts a reply for the first `times` requests, and good vectors for all later ones.
async fn first(server: &MockServer, times: u64, reply: ResponseTemplate) {
    Mock::given(any()).respond_with(reply).up_to_n_times(times).with_priority(1).mount(server).await;
    Mock::given(any()).respond_with(Vectors).with_priority(9).mount(server).await;
}

async fn requests(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

async fn documents(embedder: &Arc<dyn Embedder>, texts: &[String]) -> Result<Vec<Embedded>, Error> {
    embedder.embed(texts, Purpose::Document, TIMEOUT).await
}
