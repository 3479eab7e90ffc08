//! Text functions that are useful on their own.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;

use super::{error::to_js, promise::promise};
use model::{
    clock::now_ms,
    config::settings::{Chunking, zone_name},
    error::{Code, Error},
};
use search::days;
use text::{chunk, envelope};

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

/// The first and the last instant of days, in milliseconds since the epoch.
#[napi(object)]
pub struct NamedDays {
    /// Where the first day begins.
    pub from_ms: f64,
    /// Where the last day ends.
    pub to_ms: f64,
}

/// The days that somebody names, as searches understand them: `2026-11-01`, "yesterday", "last week", `7d`. `name` is what an
/// error calls the text, `timeZone` an IANA name, by default the machine's. Throws `MEM_ARGUMENT` when no day is named.
#[napi]
pub fn named_days(env: &Env, name: String, written: String, time_zone: Option<String>) -> napi::Result<NamedDays> {
    let zone = zone_name(time_zone.as_deref());
    let (from, to) = days::instants(&name, &written, now_ms(), &zone).map_err(|error| to_js(env, error))?;
    Ok(NamedDays { from_ms: from as f64, to_ms: to as f64 })
}

/// Whether no person wrote a message in the user's role: a cron job's prompt, a heartbeat, a word of another agent. `text` is as the
/// host hands it over. Linear in its length.
#[napi]
pub fn is_machine_prompt(text: String) -> bool {
    envelope::is_machine_prompt(&text)
}

/// Whether a message in the user's role says nothing between what stands before and behind it: a machine's, or a command. As
/// [`is_machine_prompt`].
#[napi]
pub fn is_between(text: String) -> bool {
    envelope::is_between(&envelope::strip(&text))
}
