//! Text functions that are useful on their own.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;

use super::promise::promise;
use model::{
    config::settings::Chunking,
    error::{Code, Error},
};
use text::chunk;

/// One chunk of a Markdown text.
#[napi(object)]
pub struct MarkdownChunk {
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// The text.
    pub text: String,
}

/// Cuts a Markdown text into chunks as the index does; blank ones are left out.
#[napi(ts_return_type = "Promise<MarkdownChunk[]>")]
pub fn chunk_markdown(
    env: &Env,
    text: String,
    tokens: Option<u32>,
    overlap: Option<u32>,
) -> napi::Result<PromiseRaw<'_, Vec<MarkdownChunk>>> {
    let tokens = tokens.unwrap_or(400).max(1) as usize;
    let overlap = (overlap.unwrap_or(80) as usize).min(tokens - 1);
    let cut = move || {
        chunk::chunks(&text, Chunking { tokens, overlap })
            .filter(|c| !c.is_blank())
            .map(|c| MarkdownChunk { start_line: c.start_line, end_line: c.end_line, text: c.text.into_owned() })
            .collect()
    };
    let work = async {
        tokio::task::spawn_blocking(cut)
            .await
            .map_err(|e| Error::new(Code::Internal, format!("chunking stumbled: {e}")))
    };
    promise(env, work, |chunks| chunks)
}
