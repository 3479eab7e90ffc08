//! Google's native `models/*:batchEmbedContents`.

use std::borrow::Cow;

use reqwest::Url;
use serde::{Deserialize, Serialize};

use super::{Floats, Wire, below, or_default, parse_json};
use crate::{Purpose, driver::Answer};

/// A Gemini embedding model.
pub(crate) struct Gemini {
    url: Url,
    model: String,
    dimensions: Option<u32>,
    query_task: String,
    document_task: String,
}

impl Gemini {
    /// A model (without `models/`) below a base URL such as `https://generativelanguage.googleapis.com/v1beta`.
    /// Task types default to `RETRIEVAL_QUERY` and `RETRIEVAL_DOCUMENT`.
    #[must_use]
    pub(crate) fn new(
        base: &Url,
        model: &str,
        dimensions: Option<u32>,
        query_task: Option<&str>,
        document_task: Option<&str>,
    ) -> Self {
        Self {
            url: below(base, &format!("models/{model}:batchEmbedContents")),
            model: format!("models/{model}"),
            dimensions,
            query_task: query_task.unwrap_or("RETRIEVAL_QUERY").to_owned(),
            document_task: document_task.unwrap_or("RETRIEVAL_DOCUMENT").to_owned(),
        }
    }

    /// Gemini Embedding 2 has no task types: the task is written in front of the text.
    fn task_in_text(&self) -> bool {
        self.model == "models/gemini-embedding-2"
    }

    /// One request for one text.
    pub(crate) fn request<'a>(&'a self, text: &'a str, purpose: Purpose) -> EmbedContent<'a> {
        let task = match purpose {
            Purpose::Query => &self.query_task,
            Purpose::Document => &self.document_task,
        };
        let (text, task_type) = if self.task_in_text() {
            (Cow::Owned(format!("{} {text}", task_prefix(task))), None)
        } else {
            (Cow::Borrowed(text), Some(task.as_str()))
        };
        EmbedContent {
            model: &self.model,
            content: Content { parts: [Part { text }] },
            task_type,
            output_dimensionality: self.dimensions,
        }
    }
}

/// How Gemini Embedding 2 wants a task to be written.
fn task_prefix(task: &str) -> &'static str {
    match task {
        "RETRIEVAL_DOCUMENT" => "title: none | text:",
        "QUESTION_ANSWERING" => "task: question answering | query:",
        "FACT_VERIFICATION" => "task: fact checking | query:",
        "CODE_RETRIEVAL_QUERY" => "task: code retrieval | query:",
        "CLASSIFICATION" => "task: classification | query:",
        "CLUSTERING" => "task: clustering | query:",
        "SEMANTIC_SIMILARITY" => "task: sentence similarity | query:",
        _ => "task: search result | query:",
    }
}

#[derive(Serialize)]
struct Batch<'a> {
    requests: Vec<EmbedContent<'a>>,
}

/// An `EmbedContentRequest`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbedContent<'a> {
    model: &'a str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimensionality: Option<u32>,
}

#[derive(Serialize)]
struct Content<'a> {
    parts: [Part<'a>; 1],
}

#[derive(Serialize)]
struct Part<'a> {
    text: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    embeddings: Vec<Embedding>,
    #[serde(default, deserialize_with = "or_default")]
    usage_metadata: Usage,
}

#[derive(Deserialize)]
struct Embedding {
    values: Floats,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default)]
    prompt_token_count: Option<u64>,
}

impl Wire for Gemini {
    fn url(&self) -> &Url {
        &self.url
    }

    fn body(&self, texts: &[String], purpose: Purpose, _base64: bool) -> Vec<u8> {
        let requests = texts.iter().map(|text| self.request(text, purpose)).collect();
        serde_json::to_vec(&Batch { requests }).unwrap_or_default()
    }

    fn parse(&self, body: &[u8]) -> Result<Answer, Cow<'static, str>> {
        let reply: Reply = parse_json(body)?;
        let vectors = reply.embeddings.into_iter().map(|embedding| embedding.values.0).collect();
        Ok(Answer { vectors, tokens: reply.usage_metadata.prompt_token_count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(model: &str, purpose: Purpose) -> serde_json::Value {
        let base = Url::parse("https://generativelanguage.googleapis.com/v1beta").unwrap();
        let wire = Gemini::new(&base, model, Some(768), None, None);
        assert!(wire.url().path().ends_with(&format!("/v1beta/models/{model}:batchEmbedContents")));
        serde_json::from_slice(&wire.body(&["a \"note\"".into()], purpose, true)).unwrap()
    }

    #[test]
    fn every_text_is_a_request_with_its_task_type() {
        let request = &body("gemini-embedding-001", Purpose::Query)["requests"][0];
        assert_eq!(request["model"], "models/gemini-embedding-001");
        assert_eq!(request["content"]["parts"][0]["text"], "a \"note\"");
        assert_eq!(request["taskType"], "RETRIEVAL_QUERY");
        assert_eq!(request["outputDimensionality"], 768);
    }

    #[test]
    fn the_second_generation_takes_the_task_in_the_text() {
        let request = &body("gemini-embedding-2", Purpose::Document)["requests"][0];
        assert_eq!(request["content"]["parts"][0]["text"], "title: none | text: a \"note\"");
        assert!(request.get("taskType").is_none());
    }
}
