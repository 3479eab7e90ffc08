//! `POST …/embeddings` as OpenAI defines it and many servers speak it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{Floats, Wire, in_order, or_default, parse_json};
use crate::{Purpose, driver::Answer};

/// An OpenAI-compatible embeddings endpoint.
pub(crate) struct OpenAi {
    /// The address, `/embeddings` included.
    pub url: Url,
    /// Model name as sent.
    pub model: String,
    /// How the server calls the wanted length of vectors, and the length; none = the model's own.
    pub dimensions: Option<(DimensionsField, u32)>,
    /// `input_type` of queries, for asymmetric models.
    pub query_input_type: Option<String>,
    /// `input_type` of documents, for asymmetric models.
    pub document_input_type: Option<String>,
    /// Whether the server is asked for base64 vectors, which take an eighth of the time to read.
    pub base64: bool,
}

/// How a server names the wanted length of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DimensionsField {
    /// OpenAI: `dimensions`.
    Dimensions,
    /// Voyage and Mistral: `output_dimension`.
    OutputDimension,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimension: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding_format: Option<&'static str>,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Item>,
    #[serde(default, deserialize_with = "or_default")]
    usage: Usage,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    embedding: Floats,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    total_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens: Option<u64>,
}

impl Wire for OpenAi {
    fn url(&self) -> &Url {
        &self.url
    }

    fn body(&self, texts: &[String], purpose: Purpose, base64: bool) -> Vec<u8> {
        let input_type = match purpose {
            Purpose::Query => &self.query_input_type,
            Purpose::Document => &self.document_input_type,
        };
        let named = |field| self.dimensions.filter(|&(name, _)| name == field).map(|(_, dims)| dims);
        let request = Request {
            model: &self.model,
            input: texts,
            dimensions: named(DimensionsField::Dimensions),
            output_dimension: named(DimensionsField::OutputDimension),
            input_type: input_type.as_deref(),
            encoding_format: (self.base64 && base64).then_some("base64"),
        };
        serde_json::to_vec(&request).unwrap_or_default()
    }

    fn parse(&self, body: &[u8]) -> Result<Answer, Cow<'static, str>> {
        let reply: Reply = parse_json(body)?;
        let tokens = reply.usage.total_tokens.or(reply.usage.prompt_tokens).filter(|&tokens| tokens > 0);
        let vectors = in_order(reply.data.into_iter().map(|item| (item.index, item.embedding.0)).collect())?;
        Ok(Answer { vectors, tokens })
    }
}
