//! Google's native `models/*:batchEmbedContents`.

use std::borrow::Cow;

use base64::{display::Base64Display, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize, Serializer};
use url::Url;

use super::{Floats, Wire, below, or_default, parse_json};
use crate::{Purpose, driver::Answer, media::Media};

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
        let task = self.task(purpose);
        let (text, task_type) = if self.task_in_text() {
            (Cow::Owned(format!("{} {text}", task_prefix(task))), None)
        } else {
            (Cow::Borrowed(text), Some(task))
        };
        EmbedContent {
            model: &self.model,
            content: Content { parts: vec![Part::Text(text)] },
            task_type,
            output_dimensionality: self.dimensions,
        }
    }

    fn task(&self, purpose: Purpose) -> &str {
        match purpose {
            Purpose::Query => &self.query_task,
            Purpose::Document => &self.document_task,
        }
    }

    /// One request for a text with a file. The host writes no task in front of such a text.
    fn media_request<'a>(&'a self, media: &'a Media) -> EmbedContent<'a> {
        let data = InlineData { mime_type: &media.mime, data: Base64(&media.bytes) };
        EmbedContent {
            model: &self.model,
            content: Content { parts: vec![Part::Text((&*media.text).into()), Part::InlineData(data)] },
            task_type: (!self.task_in_text()).then(|| self.task(Purpose::Document)),
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
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Part<'a> {
    Text(Cow<'a, str>),
    InlineData(InlineData<'a>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InlineData<'a> {
    mime_type: &'a str,
    data: Base64<'a>,
}

/// Bytes as base64, written without a copy of their own.
struct Base64<'a>(&'a [u8]);

impl Serialize for Base64<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(self.0, &STANDARD))
    }
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

    fn media_body(&self, media: &Media) -> Option<Vec<u8>> {
        serde_json::to_vec(&Batch { requests: vec![self.media_request(media)] }).ok()
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

    // As the host sends it: no task in front of the text, and the task type where the model has one.
    #[test]
    fn a_picture_is_a_part_beside_its_text() {
        let base = Url::parse("https://generativelanguage.googleapis.com/v1beta").unwrap();
        let media = Media { text: "Image file: a.png".into(), mime: "image/png".into(), bytes: vec![0, 255, 16] };
        for (model, task) in [("gemini-embedding-2", None), ("gemini-embedding-2-preview", Some("RETRIEVAL_DOCUMENT"))]
        {
            let body = Gemini::new(&base, model, Some(768), None, None).media_body(&media).unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let mut wanted = serde_json::json!({
                "model": format!("models/{model}"),
                "content": {"parts": [
                    {"text": "Image file: a.png"}, {"inlineData": {"mimeType": "image/png", "data": "AP8Q"}},
                ]},
                "outputDimensionality": 768,
            });
            if let Some(task) = task {
                wanted["taskType"] = task.into();
            }
            assert_eq!(body["requests"], serde_json::json!([wanted]));
        }
    }
}
