//! Google's batch API for embeddings: `models/*:asyncBatchEmbedContent` over an uploaded file.

use std::time::Duration;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{
    BatchApi, JobLine, JobState, LineSink,
    files::{CALL_BYTES, CALL_TIMEOUT, FILE_TIMEOUT, jsonl, read},
    multipart,
};
use crate::{
    BoxFuture, Purpose,
    endpoint::{Body, Endpoint},
    fault::{Fault, FaultKind},
    remote::REPLY_PER_TEXT,
    wire::{Floats, Wire, below, gemini::Gemini},
};

/// Jobs that are looked through for a token.
const LISTED: usize = 100;

/// Jobs for one Gemini model.
pub(crate) struct GeminiBatch {
    endpoint: Endpoint,
    base: Url,
    wire: Gemini,
}

/// A file, inside or outside of `file`.
#[derive(Deserialize)]
struct Uploaded {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    file: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Line {
    key: String,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default)]
    embedding: Option<Embedding>,
    #[serde(default)]
    token_count: Value,
}

#[derive(Deserialize)]
struct Embedding {
    values: Floats,
}

impl GeminiBatch {
    /// Jobs that ask with a wire format, below a base URL such as `https://…/v1beta`.
    #[must_use]
    pub(crate) const fn new(endpoint: Endpoint, base: Url, wire: Gemini) -> Self {
        Self { endpoint, base, wire }
    }

    /// Files move below `/upload/<version>` and `/download/<version>`.
    fn beside(&self, service: &str, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("/{service}/{}/{path}", self.base.path().trim_matches('/')));
        url
    }

    async fn submit_lines(&self, token: &str, lines: &[(String, &str)]) -> Result<String, Fault> {
        let line =
            |(name, text): &(String, &str)| json!({"key": name, "request": self.wire.request(text, Purpose::Document)});
        let file = jsonl(lines.iter().map(line));
        let about = json!({"file": {"displayName": token, "mimeType": "application/jsonl"}}).to_string();
        let parts = [
            ("Content-Type: application/json; charset=UTF-8".to_owned(), about.as_bytes()),
            ("Content-Type: application/jsonl".to_owned(), file.as_slice()),
        ];
        let mut url = self.beside("upload", "files");
        url.query_pairs_mut().append_pair("uploadType", "multipart");
        let uploaded = self.post(url, multipart::body("related", token, &parts), FILE_TIMEOUT).await?;
        let uploaded: Uploaded = read(&self.endpoint, &uploaded)?;
        let file = uploaded.file.map(|file| file.name).or(uploaded.name).ok_or_else(|| self.strange())?;
        let job = json!({"batch": {"displayName": token, "inputConfig": {"fileName": file}}});
        let mut url = self.wire.url().clone();
        url.set_path(&url.path().replace(":batchEmbedContents", ":asyncBatchEmbedContent"));
        let created = self.post(url, Body::json(job.to_string().into_bytes()), CALL_TIMEOUT).await?;
        let created: Named = read(&self.endpoint, &created)?;
        Ok(created.name)
    }

    async fn find_token(&self, token: &str) -> Result<Option<String>, Fault> {
        let mut url = below(&self.base, "batches");
        url.query_pairs_mut().append_pair("pageSize", &LISTED.to_string());
        let list = self.get(url).await?;
        let jobs = list["operations"].as_array().map_or(&[][..], Vec::as_slice);
        let job = jobs.iter().find(|job| job["metadata"]["displayName"] == token);
        Ok(job.and_then(|job| job["name"].as_str()).map(str::to_owned))
    }

    async fn poll_job(&self, id: &str) -> Result<JobState, Fault> {
        let job = self.get(below(&self.base, id)).await?;
        let state = job["metadata"]["state"].as_str().or_else(|| job["state"].as_str()).unwrap_or_default();
        let over = ["SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"].iter().any(|end| state.ends_with(end));
        if !over && job["done"] != true {
            return Ok(JobState::Running);
        }
        let output = ["/response/responsesFile", "/metadata/output/responsesFile", "/output/responsesFile"];
        let file = output.iter().find_map(|pointer| job.pointer(pointer)?.as_str());
        Ok(JobState::Finished(file.map(str::to_owned)))
    }

    async fn read_results(&self, file: &str, sink: &mut LineSink<'_>) -> Result<(), Fault> {
        let mut url = self.beside("download", &format!("{file}:download"));
        url.query_pairs_mut().append_pair("alt", "media");
        let mut read_line = |line: &[u8]| {
            let line: Line = read(&self.endpoint, line)?;
            let response = line.response;
            // Protobuf's JSON writes 64-bit numbers as text.
            let tokens = response.as_ref().map_or(0, |response| match &response.token_count {
                Value::String(count) => count.parse().unwrap_or(0),
                count => count.as_u64().unwrap_or(0),
            });
            let vector = response.and_then(|response| response.embedding).map(|embedding| embedding.values.0);
            sink(JobLine { name: line.key, vector, tokens })
        };
        self.endpoint.lines(url, FILE_TIMEOUT, REPLY_PER_TEXT * 2, &mut read_line).await
    }

    async fn get(&self, url: Url) -> Result<Value, Fault> {
        let body = self.endpoint.call(Method::GET, url, None, CALL_TIMEOUT, CALL_BYTES).await?;
        read(&self.endpoint, &body)
    }

    async fn post(&self, url: Url, body: Body, timeout: Duration) -> Result<Vec<u8>, Fault> {
        self.endpoint.call(Method::POST, url, Some(body), timeout, CALL_BYTES).await
    }

    fn strange(&self) -> Fault {
        let fault = Fault::response(format!("{}: the uploaded file has no name", self.endpoint.who()));
        Fault { kind: FaultKind::Fatal, ..fault }
    }
}

impl BatchApi for GeminiBatch {
    fn submit<'a>(&'a self, token: &'a str, lines: &'a [(String, &'a str)]) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(self.submit_lines(token, lines))
    }

    fn find<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(self.find_token(token))
    }

    fn poll<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<JobState, Fault>> {
        Box::pin(self.poll_job(id))
    }

    fn results<'a>(&'a self, output: &'a str, sink: &'a mut LineSink<'a>) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.read_results(output, sink))
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Fault>> {
        let url = below(&self.base, &format!("{id}:cancel"));
        Box::pin(async move { self.post(url, Body::json(b"{}".to_vec()), CALL_TIMEOUT).await.map(drop) })
    }
}
