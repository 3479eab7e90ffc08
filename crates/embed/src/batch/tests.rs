//! The batch APIs against loopback servers that keep jobs as the providers document them.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use crate::{
    Embedded, Embedder, Purpose,
    account::Account,
    factory::{Sources, build},
    secret::{Credentials, Secret},
    tests::{Target, sources},
};
use model::{
    batch::{BatchJob, BatchLedger},
    clock::{Clock, TestClock},
    error::{Code, Error, Result},
};

const TIMEOUT: Duration = Duration::from_secs(20);

/// A ledger in memory that outlives embedders, as a database outlives processes.
#[derive(Default)]
struct MemoryLedger {
    jobs: Mutex<Vec<BatchJob>>,
    /// Whether the process "dies" before the provider's name of a job is written down.
    dies: Mutex<bool>,
}

impl BatchLedger for MemoryLedger {
    fn jobs(&self, space: &str) -> Result<Vec<BatchJob>> {
        Ok(self.jobs.lock().iter().filter(|job| job.space == space).cloned().collect())
    }

    fn open(&self, job: &BatchJob) -> Result<()> {
        self.jobs.lock().push(job.clone());
        Ok(())
    }

    fn submitted(&self, token: &str, id: &str) -> Result<()> {
        if *self.dies.lock() {
            return Err(Error::new(Code::Closed, "killed"));
        }
        for job in self.jobs.lock().iter_mut().filter(|job| job.token == token) {
            job.id = Some(id.to_owned());
        }
        Ok(())
    }

    fn close(&self, token: &str) -> Result<()> {
        self.jobs.lock().retain(|job| job.token != token);
        Ok(())
    }
}

/// A provider with files and jobs.
#[derive(Default)]
struct Provider {
    /// Request lines of uploaded files.
    files: Vec<Vec<Value>>,
    /// Options of created jobs.
    jobs: Vec<Value>,
    /// Polls that answer "running" before a job is finished.
    polls_left: usize,
    /// How a finished job calls itself.
    end: &'static str,
    /// A text that is refused within a job.
    refused: &'static str,
    /// Texts that came in directly.
    direct: usize,
    cancelled: usize,
    /// Whether jobs can be created.
    broken: bool,
}

type Shared = Arc<Mutex<Provider>>;

fn vector_of(text: &str) -> Vec<f32> {
    vec![text.len() as f32, 1.0, text.bytes().map(f32::from).sum()]
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text {n}")).collect()
}

/// The JSON lines in a multipart body.
fn lines_in(body: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(body.to_vec()).unwrap();
    let lines = text.lines().filter(|line| line.contains("\"custom_id\"") || line.contains("\"key\""));
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn openai_like(shared: &Mutex<Provider>, request: &Request) -> Option<Value> {
    let mut provider = shared.lock();
    let body = || serde_json::from_slice::<Value>(&request.body).unwrap();
    let path: Vec<&str> = request.url.path().trim_start_matches("/v1/").split('/').collect();
    match (request.method.as_str(), path.as_slice()) {
        ("POST", ["embeddings"]) => {
            let inputs: Vec<String> = serde_json::from_value(body()["input"].clone()).unwrap();
            provider.direct += inputs.len();
            let data: Vec<Value> = inputs.iter().map(|text| json!({"embedding": vector_of(text)})).collect();
            Some(json!({"data": data}))
        }
        ("POST", ["files"]) => {
            let head = String::from_utf8_lossy(&request.body[..400]).into_owned();
            assert!(head.contains("name=\"purpose\"") && head.contains("\r\n\r\nbatch\r\n"), "{head}");
            assert!(head.contains("name=\"file\"; filename="), "{head}");
            provider.files.push(lines_in(&request.body));
            Some(json!({"id": format!("file-{}", provider.files.len() - 1)}))
        }
        ("POST", ["batches"]) if provider.broken => None,
        ("POST", ["batches"]) => {
            provider.jobs.push(body());
            Some(json!({"id": format!("batch-{}", provider.jobs.len() - 1), "status": "validating"}))
        }
        ("GET", ["batches"]) => {
            let named =
                |(number, job): (usize, &Value)| json!({"id": format!("batch-{number}"), "metadata": job["metadata"]});
            Some(json!({"data": provider.jobs.iter().enumerate().map(named).collect::<Vec<_>>()}))
        }
        ("POST", ["batches", _, "cancel"]) => {
            provider.cancelled += 1;
            Some(json!({"status": "cancelling"}))
        }
        ("GET", ["batches", id]) => {
            if provider.polls_left > 0 {
                provider.polls_left -= 1;
                return Some(json!({"id": id, "status": "in_progress", "output_file_id": null}));
            }
            let number: usize = id.strip_prefix("batch-")?.parse().ok()?;
            let file = provider.jobs.get(number)?["input_file_id"].clone();
            Some(json!({"id": id, "status": provider.end, "output_file_id": file}))
        }
        _ => None,
    }
}

/// The result file of a job, in another order than its requests.
fn openai_results(shared: &Mutex<Provider>, request: &Request) -> Option<String> {
    let provider = shared.lock();
    let number: usize = request.url.path().strip_prefix("/v1/files/file-")?.strip_suffix("/content")?.parse().ok()?;
    let result = |line: &Value| {
        let input = &line["body"]["input"];
        let text = input.as_str().or_else(|| input[0].as_str()).unwrap();
        let (status, body) = if text == provider.refused {
            (400, json!({"error": {"message": "refused"}}))
        } else {
            (200, json!({"data": [{"index": 0, "embedding": vector_of(text)}], "usage": {"total_tokens": 2}}))
        };
        json!({"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}, "error": null})
    };
    let lines: Vec<String> = provider.files.get(number)?.iter().rev().map(|line| result(line).to_string()).collect();
    Some(lines.join("\n"))
}

async fn server(shared: &Shared) -> MockServer {
    let server = MockServer::start().await;
    let shared = Arc::clone(shared);
    let respond = move |request: &Request| {
        if let Some(lines) = openai_results(&shared, request) {
            return ResponseTemplate::new(200).set_body_string(lines);
        }
        let reply = openai_like(&shared, request);
        reply.map_or_else(|| ResponseTemplate::new(404), |reply| ResponseTemplate::new(200).set_body_json(reply))
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    server
}

fn target(id: &str, address: String, wait: bool) -> Target {
    let mut target = crate::tests::target(id, address);
    target.settings.batch.enabled = true;
    target.settings.batch.wait = wait;
    target
}

fn embedder(target: &Target, ledger: &Arc<MemoryLedger>, clock: Arc<dyn Clock>) -> Arc<dyn Embedder> {
    let credentials = Credentials { api_key: Some(Secret::new("canary-key")), ..Credentials::default() };
    let account = Account::new(&target.settings.id, Some(&target.address)).with_credentials(credentials);
    let ledger = Some(Arc::clone(ledger) as Arc<dyn BatchLedger>);
    let sources = Sources { ledger, ..sources(account, clock) };
    build(&target.settings, &sources).unwrap().embedder.unwrap()
}

/// Texts that came in directly, and jobs created.
fn counts(shared: &Mutex<Provider>) -> (usize, usize) {
    let provider = shared.lock();
    (provider.direct, provider.jobs.len())
}

async fn run(embedder: &Arc<dyn Embedder>, texts: &[String]) -> Result<Vec<Embedded>> {
    embedder.embed(texts, Purpose::Document, TIMEOUT).await
}

fn expected(texts: &[String]) -> Vec<Embedded> {
    texts.iter().map(|text| Embedded::Vector(vector_of(text))).collect()
}

fn provider() -> Shared {
    Arc::new(Mutex::new(Provider { end: "completed", ..Provider::default() }))
}

#[tokio::test]
async fn openai_jobs_answer_in_any_order_and_equal_texts_are_sent_once() {
    let shared = provider();
    shared.lock().polls_left = 3;
    let server = server(&shared).await;
    let (ledger, clock) = (Arc::new(MemoryLedger::default()), TestClock::new());
    let embedder = embedder(&target("openai", format!("{}/v1", server.uri()), true), &ledger, Arc::clone(&clock) as _);
    let mut many = texts(100);
    many.extend(texts(10));
    assert_eq!(run(&embedder, &many).await.unwrap(), expected(&many));
    let provider = shared.lock();
    assert_eq!((provider.files.len(), provider.files[0].len(), provider.direct), (1, 100, 0));
    let line = &provider.files[0][0];
    assert_eq!((&line["method"], &line["url"]), (&json!("POST"), &json!("/v1/embeddings")));
    assert_eq!(line["body"]["model"], "text-embedding-3-small");
    let job = &provider.jobs[0];
    assert_eq!((&job["endpoint"], &job["completion_window"]), (&json!("/v1/embeddings"), &json!("24h")));
    assert!(ledger.jobs.lock().is_empty(), "closed when its vectors are stored");
    assert_eq!(clock.sleeps.lock().len(), 3);
    assert_eq!(embedder.usage().tokens, 200);
}

#[tokio::test]
async fn voyage_jobs_carry_the_options_once() {
    let shared = provider();
    let server = server(&shared).await;
    let ledger = Arc::default();
    let embedder = embedder(&target("voyage", format!("{}/v1", server.uri()), true), &ledger, TestClock::new());
    let many = texts(80);
    assert_eq!(run(&embedder, &many).await.unwrap(), expected(&many));
    let provider = shared.lock();
    assert_eq!(provider.files[0][0]["body"].as_object().unwrap().keys().collect::<Vec<_>>(), ["input"]);
    assert_eq!(provider.jobs[0]["completion_window"], "12h");
    let params = &provider.jobs[0]["request_params"];
    assert_eq!((&params["model"], &params["input_type"]), (&json!("voyage-4-large"), &json!("document")));
}

#[tokio::test]
async fn few_texts_and_queries_go_directly() {
    let shared = provider();
    let server = server(&shared).await;
    let embedder = embedder(&target("openai", format!("{}/v1", server.uri()), true), &Arc::default(), TestClock::new());
    run(&embedder, &texts(10)).await.unwrap();
    embedder.embed(&texts(1), Purpose::Query, TIMEOUT).await.unwrap();
    assert_eq!(counts(&shared), (11, 0));
}

#[tokio::test]
async fn a_job_is_taken_up_again_after_a_restart_without_paying_twice() {
    let shared = provider();
    shared.lock().polls_left = 1;
    let server = server(&shared).await;
    let ledger = Arc::default();
    let wanted = target("openai", format!("{}/v1", server.uri()), false);
    let many = texts(100);
    let error = run(&embedder(&wanted, &ledger, TestClock::new()), &many).await.unwrap_err();
    assert!(error.is_retryable() && error.message.contains("not finished"), "{error}");
    // Another process, with some more texts than before.
    let more = texts(105);
    let outcomes = run(&embedder(&wanted, &ledger, TestClock::new()), &more).await.unwrap();
    assert_eq!(outcomes, expected(&more));
    let provider = shared.lock();
    assert_eq!((provider.jobs.len(), provider.direct), (1, 5), "the few new texts went directly");
    assert!(ledger.jobs.lock().is_empty());
}

#[tokio::test]
async fn a_kill_while_submitting_loses_no_job() {
    let shared = provider();
    let server = server(&shared).await;
    let ledger: Arc<MemoryLedger> = Arc::default();
    let wanted = target("openai", format!("{}/v1", server.uri()), true);
    let many = texts(100);
    *ledger.dies.lock() = true;
    assert!(run(&embedder(&wanted, &ledger, TestClock::new()), &many).await.is_err());
    assert_eq!(ledger.jobs.lock()[0].id, None);
    *ledger.dies.lock() = false;
    assert_eq!(run(&embedder(&wanted, &ledger, TestClock::new()), &many).await.unwrap(), expected(&many));
    assert_eq!(counts(&shared), (0, 1));
}

#[tokio::test]
async fn a_time_limit_leaves_the_job_for_the_next_run() {
    let shared = provider();
    shared.lock().polls_left = usize::MAX;
    let server = server(&shared).await;
    let (ledger, clock) = (Arc::new(MemoryLedger::default()), TestClock::new());
    let mut patient = target("openai", format!("{}/v1", server.uri()), true);
    patient.settings.batch.poll_interval_ms = 600_000;
    let embedder = embedder(&patient, &ledger, Arc::clone(&clock) as _);
    assert!(run(&embedder, &texts(100)).await.is_err());
    let waited: Duration = clock.sleeps.lock().iter().sum();
    assert_eq!(waited, Duration::from_secs(3600));
    assert_eq!((ledger.jobs.lock().len(), shared.lock().direct), (1, 0));
}

#[tokio::test]
async fn a_refused_line_is_tried_directly() {
    let shared = provider();
    shared.lock().refused = "text 7";
    let server = server(&shared).await;
    let embedder = embedder(&target("openai", format!("{}/v1", server.uri()), true), &Arc::default(), TestClock::new());
    assert_eq!(run(&embedder, &texts(100)).await.unwrap(), expected(&texts(100)));
    assert_eq!(shared.lock().direct, 1);
}

#[tokio::test]
async fn an_expired_job_gives_what_it_has() {
    let shared = provider();
    *shared.lock() = Provider { end: "expired", refused: "text 99", ..Provider::default() };
    let server = server(&shared).await;
    let embedder = embedder(&target("openai", format!("{}/v1", server.uri()), true), &Arc::default(), TestClock::new());
    assert_eq!(run(&embedder, &texts(100)).await.unwrap(), expected(&texts(100)));
    assert_eq!(shared.lock().direct, 1);
}

#[tokio::test]
async fn two_failures_switch_batches_off() {
    let shared = provider();
    shared.lock().broken = true;
    let server = server(&shared).await;
    let ledger = Arc::default();
    let embedder = embedder(&target("openai", format!("{}/v1", server.uri()), true), &ledger, TestClock::new());
    for round in 1..=4 {
        assert_eq!(run(&embedder, &texts(100)).await.unwrap(), expected(&texts(100)));
        assert_eq!(shared.lock().direct, round * 100);
    }
    assert_eq!(shared.lock().files.len(), 2);
    assert!(ledger.jobs.lock().is_empty());
}

#[tokio::test]
async fn open_jobs_can_be_cancelled() {
    let shared = provider();
    shared.lock().polls_left = usize::MAX;
    let server = server(&shared).await;
    let ledger: Arc<MemoryLedger> = Arc::default();
    let wanted = target("openai", format!("{}/v1", server.uri()), false);
    let embedder = embedder(&wanted, &ledger, TestClock::new());
    assert!(run(&embedder, &texts(100)).await.is_err());
    assert_eq!(embedder.cancel_pending().await.unwrap(), 1);
    assert_eq!((shared.lock().cancelled, ledger.jobs.lock().len()), (1, 0));
}

#[tokio::test]
async fn gemini_jobs_move_files_beside_the_api() {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let server = MockServer::start().await;
    let files = Arc::clone(&seen);
    let respond = move |request: &Request| {
        let ok = |value: Value| ResponseTemplate::new(200).set_body_json(value);
        assert_eq!(request.headers["x-goog-api-key"], "canary-key");
        let path = request.url.path();
        match (request.method.as_str(), path, request.url.query()) {
            ("POST", "/upload/v1beta/files", Some("uploadType=multipart")) => {
                assert!(request.headers["content-type"].to_str().unwrap().starts_with("multipart/related; boundary="));
                *files.lock() = lines_in(&request.body);
                ok(json!({"file": {"name": "files/in"}}))
            }
            ("POST", "/v1beta/models/gemini-embedding-001:asyncBatchEmbedContent", None) => {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                assert_eq!(body["batch"]["inputConfig"]["fileName"], "files/in");
                ok(json!({"name": "batches/b1", "metadata": {"state": "BATCH_STATE_PENDING"}}))
            }
            ("GET", "/v1beta/batches/b1", None) => ok(json!({"name": "batches/b1", "done": true,
                "metadata": {"state": "BATCH_STATE_SUCCEEDED"}, "response": {"responsesFile": "files/out"}})),
            ("GET", "/download/v1beta/files/out:download", Some("alt=media")) => {
                let result = |line: &Value| {
                    assert_eq!(line["request"]["taskType"], "RETRIEVAL_DOCUMENT");
                    let text = line["request"]["content"]["parts"][0]["text"].as_str().unwrap();
                    json!({"key": line["key"], "response": {"embedding": {"values": vector_of(text)}, "tokenCount": "3"}})
                        .to_string()
                };
                let lines: Vec<String> = files.lock().iter().map(result).collect();
                ResponseTemplate::new(200).set_body_string(lines.join("\n"))
            }
            _ => ResponseTemplate::new(404),
        }
    };
    Mock::given(any()).respond_with(respond).mount(&server).await;
    let wanted = target("gemini", format!("{}/v1beta", server.uri()), true);
    let embedder = embedder(&wanted, &Arc::default(), TestClock::new());
    assert_eq!(run(&embedder, &texts(70)).await.unwrap(), expected(&texts(70)));
    assert_eq!(embedder.usage().tokens, 210);
}
