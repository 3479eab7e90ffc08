//! The batch APIs of OpenAI and of Voyage, which differ in what a line and a job carry.

use reqwest::Url;
use serde_json::{Value, json};

use super::{
    BatchApi, JobState, LineSink,
    files::{Files, jsonl},
};
use crate::{BoxFuture, endpoint::Endpoint, fault::Fault};

/// OpenAI's batch API: each line is a whole request; done within 24 hours.
pub(crate) struct OpenAiBatch {
    files: Files,
    model: String,
    dimensions: Option<u32>,
    input_type: Option<String>,
}

impl OpenAiBatch {
    /// Jobs for a model below a base URL.
    #[must_use]
    pub(crate) const fn new(
        endpoint: Endpoint,
        base: Url,
        model: String,
        dimensions: Option<u32>,
        input_type: Option<String>,
    ) -> Self {
        Self { files: Files { endpoint, base }, model, dimensions, input_type }
    }

    fn line(&self, name: &str, text: &str) -> Value {
        let mut body = json!({"model": self.model, "input": text, "encoding_format": "base64"});
        if let Some(dimensions) = self.dimensions {
            body["dimensions"] = dimensions.into();
        }
        if let Some(input_type) = &self.input_type {
            body["input_type"] = input_type.as_str().into();
        }
        json!({"custom_id": name, "method": "POST", "url": "/v1/embeddings", "body": body})
    }
}

impl BatchApi for OpenAiBatch {
    fn submit<'a>(&'a self, token: &'a str, lines: &'a [(String, &'a str)]) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(async move {
            let file = jsonl(lines.iter().map(|(name, text)| self.line(name, text)));
            self.files.submit(token, &file, json!({"completion_window": "24h"})).await
        })
    }

    fn find<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(self.files.find(token))
    }

    fn poll<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<JobState, Fault>> {
        Box::pin(self.files.poll(id))
    }

    fn results<'a>(&'a self, output: &'a str, sink: &'a mut LineSink<'a>) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.files.results(output, sink))
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.files.cancel(id))
    }
}

/// Voyage's batch API: lines carry the text only, the job carries the options; done within 12 hours.
pub(crate) struct VoyageBatch {
    files: Files,
    model: String,
    dimensions: Option<u32>,
    input_type: String,
}

impl VoyageBatch {
    /// Jobs for a model below a base URL.
    #[must_use]
    pub(crate) const fn new(
        endpoint: Endpoint,
        base: Url,
        model: String,
        dimensions: Option<u32>,
        input_type: String,
    ) -> Self {
        Self { files: Files { endpoint, base }, model, dimensions, input_type }
    }
}

impl BatchApi for VoyageBatch {
    fn submit<'a>(&'a self, token: &'a str, lines: &'a [(String, &'a str)]) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(async move {
            let line = |(name, text): &(String, &str)| json!({"custom_id": name, "body": {"input": [text]}});
            let mut params = json!({"model": self.model, "input_type": self.input_type, "encoding_format": "base64"});
            if let Some(dimensions) = self.dimensions {
                params["output_dimension"] = dimensions.into();
            }
            let options = json!({"completion_window": "12h", "request_params": params});
            self.files.submit(token, &jsonl(lines.iter().map(line)), options).await
        })
    }

    fn find<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<String>, Fault>> {
        Box::pin(self.files.find(token))
    }

    fn poll<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<JobState, Fault>> {
        Box::pin(self.files.poll(id))
    }

    fn results<'a>(&'a self, output: &'a str, sink: &'a mut LineSink<'a>) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.files.results(output, sink))
    }

    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(self.files.cancel(id))
    }
}
