//! Ollama's own `POST /api/embed`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{Floats, Wire, parse_json};
use crate::{Purpose, driver::Answer};

/// An Ollama server with an embedding model.
pub(crate) struct Ollama {
    /// The address, `/api/embed` included.
    pub url: Url,
    /// Model name as sent.
    pub model: String,
    /// Wanted length of vectors; none = the model's own.
    pub dimensions: Option<u32>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: Cow<'a, [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct Reply {
    embeddings: Vec<Floats>,
    #[serde(default)]
    prompt_eval_count: Option<u64>,
}

/// What the model's card wants in front of a query. Documents are sent as they are: vectors that memory-core made
/// stay usable that way.
fn query_prefix(model: &str) -> Option<&'static str> {
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    let prefixes = [
        ("nomic-embed-text", "search_query: "),
        ("mxbai-embed-large", "Represent this sentence for searching relevant passages: "),
        ("qwen3-embedding", "Instruct: Given a question, find the notes that answer it\nQuery:"),
    ];
    prefixes.into_iter().find(|(start, _)| name.starts_with(start)).map(|(_, prefix)| prefix)
}

impl Wire for Ollama {
    fn url(&self) -> &Url {
        &self.url
    }

    fn body(&self, texts: &[String], purpose: Purpose, _base64: bool) -> Vec<u8> {
        let input = match query_prefix(&self.model) {
            Some(prefix) if purpose == Purpose::Query => {
                texts.iter().map(|text| format!("{prefix}{text}")).collect::<Vec<_>>().into()
            }
            _ => texts.into(),
        };
        let request = Request { model: &self.model, input, dimensions: self.dimensions };
        serde_json::to_vec(&request).unwrap_or_default()
    }

    fn parse(&self, body: &[u8]) -> Result<Answer, Cow<'static, str>> {
        let reply: Reply = parse_json(body)?;
        let vectors = reply.embeddings.into_iter().map(|vector| vector.0).collect();
        Ok(Answer { vectors, tokens: reply.prompt_eval_count.filter(|&count| count > 0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_get_the_prefix_of_the_model_and_documents_none() {
        let wire = Ollama {
            url: Url::parse("http://127.0.0.1:11434/api/embed").unwrap(),
            model: "nomic-embed-text:latest".into(),
            dimensions: None,
        };
        let body = |purpose| -> serde_json::Value {
            serde_json::from_slice(&wire.body(&["tea".into()], purpose, true)).unwrap()
        };
        assert_eq!(body(Purpose::Query), serde_json::json!({"model": wire.model, "input": ["search_query: tea"]}));
        assert_eq!(body(Purpose::Document), serde_json::json!({"model": wire.model, "input": ["tea"]}));
    }
}
