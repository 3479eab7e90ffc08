//! What was put into prompts: kept, shown, and taken out.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, from_value, to_value},
    error::to_js,
    promise::promise,
};
use engine::capture::{
    jsonl,
    prompts::{PromptLog, PromptPart, ShownPrompt},
};
use model::{clock::now_ms, error::Result};

impl AutomaticAgent {
    /// The log, and the days that it goes back.
    fn prompt_log(&self) -> Result<(PromptLog, u64)> {
        Ok((PromptLog::of(&self.folder()), self.settings()?.prompt_history.days))
    }
}

/// Keeps what was put into a prompt, for as many days as the settings say. Nobody needs to wait for it; a process that ends
/// waits with `settleTurns`. `ms` is how long it took.
///
/// # Errors
/// `MEM_CONFIG`, `MEM_ARGUMENT` when there is no such part, and when the file cannot be written.
#[napi]
pub fn keep_prompt(
    env: &Env,
    agent: AutomaticAgent,
    #[napi(ts_arg_type = "'recall' | 'short-term-memory' | 'active-memory' | 'intents'")] part: String,
    ms: f64,
    session_key: String,
    text: String,
) -> napi::Result<PromiseRaw<'_, ()>> {
    let ready = || {
        let part: PromptPart = from_value(Value::String(part), "part")?;
        Ok((ShownPrompt { at: now_ms(), id: String::new(), part, ms, session_key, text }, agent.prompt_log()?))
    };
    let (shown, (log, days)) = ready().map_err(|e| to_js(env, e))?;
    promise(env, jsonl::settled(move || log.add(shown, days)), |()| ())
}

/// What was put into prompts, newest first: at most so many, older than the one of an id, and about a megabyte.
///
/// # Errors
/// `MEM_CONFIG`, and when the file cannot be read.
#[napi(ts_return_type = "Promise<PromptPage>")]
pub fn list_prompts(
    env: &Env,
    agent: AutomaticAgent,
    most: u32,
    before: Option<String>,
) -> napi::Result<PromiseRaw<'_, Value>> {
    let (log, days) = agent.prompt_log().map_err(|e| to_js(env, e))?;
    let work = jsonl::settled(move || to_value(&log.page(before.as_deref(), most as usize, days, now_ms())?));
    promise(env, work, |page| page)
}

/// Takes out what is older than the settings say.
///
/// # Errors
/// `MEM_CONFIG`, and when the file cannot be written.
#[napi]
pub fn tend_prompts(env: &Env, agent: AutomaticAgent) -> napi::Result<PromiseRaw<'_, ()>> {
    let (log, days) = agent.prompt_log().map_err(|e| to_js(env, e))?;
    promise(env, jsonl::settled(move || log.tend(days, now_ms())), |()| ())
}

/// Takes out all that was put into prompts. For a minute nothing is kept then: a turn may have begun before.
///
/// # Errors
/// When the file cannot be written.
#[napi]
pub fn forget_prompts(env: &Env, agent: AutomaticAgent) -> napi::Result<PromiseRaw<'_, ()>> {
    let log = PromptLog::of(&agent.folder());
    promise(env, jsonl::settled(move || log.forget(now_ms())), |()| ())
}
