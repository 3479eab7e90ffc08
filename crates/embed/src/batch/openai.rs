//! The batch APIs of OpenAI and of Voyage, which differ in what a line and a job carry.

use serde_json::{Value, json};
use url::Url;

use super::{
    BatchApi, JobState, LineSink,
    files::{Files, jsonl},
};
use crate::{BoxFuture, endpoint::Endpoint, fault::Fault};

/// What asks for the vector of a text of a name.
type Line = dyn Fn(&str, &str) -> Value + Send + Sync;

/// Jobs over a file of lines.
pub(crate) struct FileBatch {
    files: Files,
    line: Box<Line>,
    /// What a job carries beside its file.
    job: Value,
}

impl FileBatch {
    /// OpenAI's batch API: each line is a whole request; done within 24 hours.
    #[must_use]
    pub(crate) fn openai(
        endpoint: Endpoint,
        base: Url,
        model: &str,
        dimensions: Option<u32>,
        input_type: Option<String>,
    ) -> Self {
        let mut common = json!({"model": model, "encoding_format": "base64"});
        if let Some(dimensions) = dimensions {
            common["dimensions"] = dimensions.into();
        }
        if let Some(input_type) = input_type {
            common["input_type"] = input_type.into();
        }
        let line = move |name: &str, text: &str| {
            let mut body = common.clone();
            body["input"] = text.into();
            json!({"custom_id": name, "method": "POST", "url": "/v1/embeddings", "body": body})
        };
        let job = json!({"completion_window": "24h"});
        Self { files: Files { endpoint, base }, line: Box::new(line), job }
    }

    /// Voyage's batch API: lines carry the text only, the job carries the options; done within 12 hours.
    #[must_use]
    pub(crate) fn voyage(
        endpoint: Endpoint,
        base: Url,
        model: &str,
        dimensions: Option<u32>,
        input_type: &str,
    ) -> Self {
        let line = |name: &str, text: &str| json!({"custom_id": name, "body": {"input": [text]}});
        let mut params = json!({"model": model, "input_type": input_type, "encoding_format": "base64"});
        if let Some(dimensions) = dimensions {
            params["output_dimension"] = dimensions.into();
        }
        let job = json!({"completion_window": "12h", "request_params": params});
        Self { files: Files { endpoint, base }, line: Box::new(line), job }
    }
}

impl BatchApi for FileBatch {
    fn submit<'a>(&'a self, token: &'a str, lines: &'a [(String, &'a str)]) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(async move {
            let file = jsonl(lines.iter().map(|(name, text)| (self.line)(name, text)));
            self.files.submit(token, &file, self.job.clone()).await
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
