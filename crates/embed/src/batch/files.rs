//! What the batch APIs of OpenAI and Voyage share: a file goes up, a job runs over it, a file comes down.

use std::time::Duration;

use http::Method;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{JobLine, JobState, LineSink, multipart};
use crate::{
    endpoint::{Body, Endpoint},
    fault::{Fault, FaultKind},
    remote::REPLY_PER_TEXT,
    wire::{Floats, below, or_default},
};

/// Time for a small request.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Time for moving a file of a whole job.
pub(super) const FILE_TIMEOUT: Duration = Duration::from_secs(1_800);

/// Largest reply to a small request, in bytes. A list of a hundred jobs fits.
pub(super) const CALL_BYTES: usize = 4 << 20;

/// Jobs that are looked through for a token.
const LISTED: usize = 100;

/// Under which key a job carries our token.
const TOKEN_KEY: &str = "memory_core_rs";

/// The files and batches below one base URL.
pub(super) struct Files {
    pub(super) endpoint: Endpoint,
    pub(super) base: Url,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct Job {
    status: String,
    #[serde(default)]
    output_file_id: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    custom_id: String,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    body: Option<ResponseBody>,
}

/// An error body is of another shape; it counts as no vector.
#[derive(Deserialize)]
#[serde(untagged)]
enum ResponseBody {
    Vectors {
        data: Vec<Item>,
        #[serde(default, deserialize_with = "or_default")]
        usage: Usage,
    },
    Other(serde::de::IgnoredAny),
}

#[derive(Deserialize)]
struct Item {
    embedding: Floats,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: u64,
}

impl Files {
    /// Uploads the lines of a job and starts it with the given options.
    pub(super) async fn submit(&self, token: &str, jsonl: &[u8], mut options: Value) -> Result<String, Fault> {
        let file = format!(
            "Content-Disposition: form-data; name=\"file\"; filename=\"{token}.jsonl\"\r\n\
             Content-Type: application/jsonl"
        );
        let purpose = "Content-Disposition: form-data; name=\"purpose\"".to_owned();
        let body = multipart::body("form-data", token, &[(purpose, b"batch"), (file, jsonl)]);
        let uploaded = self.post("files", body, FILE_TIMEOUT).await?;
        let file: Named = self.read(&uploaded)?;
        options["input_file_id"] = file.id.into();
        options["endpoint"] = "/v1/embeddings".into();
        options["metadata"] = serde_json::json!({ TOKEN_KEY: token });
        let body = Body::json(serde_json::to_vec(&options).unwrap_or_default());
        let created = self.post("batches", body, CALL_TIMEOUT).await?;
        self.read(&created).map(|job: Named| job.id)
    }

    pub(super) async fn find(&self, token: &str) -> Result<Option<String>, Fault> {
        let mut url = below(&self.base, "batches");
        url.query_pairs_mut().append_pair("limit", &LISTED.to_string());
        let body = self.endpoint.call(Method::GET, url, None, CALL_TIMEOUT, CALL_BYTES).await?;
        let list: Value = self.read(&body)?;
        let jobs = list["data"].as_array().map_or(&[][..], Vec::as_slice);
        let job = jobs.iter().find(|job| job["metadata"][TOKEN_KEY] == token);
        Ok(job.and_then(|job| job["id"].as_str()).map(str::to_owned))
    }

    pub(super) async fn poll(&self, id: &str) -> Result<JobState, Fault> {
        let url = below(&self.base, &format!("batches/{id}"));
        let body = self.endpoint.call(Method::GET, url, None, CALL_TIMEOUT, CALL_BYTES).await?;
        let job: Job = self.read(&body)?;
        // A job that expired or was stopped keeps what it had finished.
        let over = matches!(job.status.as_str(), "completed" | "failed" | "expired" | "cancelled" | "canceled");
        Ok(if over { JobState::Finished(job.output_file_id) } else { JobState::Running })
    }

    pub(super) async fn results(&self, file: &str, sink: &mut LineSink<'_>) -> Result<(), Fault> {
        let url = below(&self.base, &format!("files/{file}/content"));
        let mut read = |line: &[u8]| {
            let line: Line = self.read(line)?;
            let (vector, tokens) = match line.response.and_then(|response| response.body) {
                Some(ResponseBody::Vectors { data, usage }) => {
                    (data.into_iter().next().map(|item| item.embedding.0), usage.total_tokens)
                }
                Some(ResponseBody::Other(_)) | None => (None, 0),
            };
            sink(JobLine { name: line.custom_id, vector, tokens })
        };
        self.endpoint.lines(url, FILE_TIMEOUT, REPLY_PER_TEXT * 2, &mut read).await
    }

    pub(super) async fn cancel(&self, id: &str) -> Result<(), Fault> {
        self.post(&format!("batches/{id}/cancel"), Body::json(b"{}".to_vec()), CALL_TIMEOUT).await.map(drop)
    }

    async fn post(&self, path: &str, body: Body, timeout: Duration) -> Result<Vec<u8>, Fault> {
        self.endpoint.call(Method::POST, below(&self.base, path), Some(body), timeout, CALL_BYTES).await
    }

    fn read<'a, T: Deserialize<'a>>(&self, body: &'a [u8]) -> Result<T, Fault> {
        read(&self.endpoint, body)
    }
}

/// Parses a reply of a batch API; a reply of another shape will not become right by asking again.
pub(super) fn read<'a, T: Deserialize<'a>>(endpoint: &Endpoint, body: &'a [u8]) -> Result<T, Fault> {
    serde_json::from_slice(body).map_err(|_| {
        let fault = Fault::response(format!("{}: the reply is none of a batch API", endpoint.who()));
        Fault { kind: FaultKind::Fatal, ..fault }
    })
}

/// The lines of a job file.
pub(super) fn jsonl(lines: impl Iterator<Item = Value>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.to_string().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}
