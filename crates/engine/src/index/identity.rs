//! What decides that chunk rows have to be written anew.

use serde::Serialize;

use super::rows::Shape;
use model::config::{
    multimodal::Takes,
    settings::{RedactSecrets, Settings},
};
use text::analyze::ANALYZER_VERSION;

/// Version of the chunk rows themselves; raise it when what a row holds changes.
const ROW_VERSION: u32 = 3;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Identity<'a> {
    rows: u32,
    analyzer: u32,
    chunk_tokens: usize,
    chunk_overlap: usize,
    input_bytes: usize,
    /// Left out for the default, with which the rows of texts without a secret are those of indexes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    redact_secrets: Option<RedactSecrets>,
    /// Of what the vectors of pictures and sounds are; left out where they are of text, as without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    takes: Option<Takes>,
    /// Whose comments are left out.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    curated_paths: &'a [String],
}

/// The identity of a generation. The embedding provider is no part of it: vectors are kept by content, so changing
/// the provider rewrites no chunk.
#[must_use]
pub(crate) fn generation_identity(shape: Shape, settings: &Settings) -> String {
    let identity = Identity {
        curated_paths: &settings.curated_paths,
        rows: ROW_VERSION,
        analyzer: ANALYZER_VERSION,
        chunk_tokens: shape.chunking.tokens,
        chunk_overlap: shape.chunking.overlap,
        input_bytes: shape.input_bytes,
        redact_secrets: Some(shape.redact_secrets).filter(|mode| *mode != RedactSecrets::Remote),
        takes: Some(shape.takes).filter(|takes| *takes != Takes::Text),
    };
    serde_json::to_string(&identity).unwrap_or_default()
}
