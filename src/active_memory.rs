//! Active memory: the candidates of a turn from the index, and the turns of this process on the JS thread. Every call but
//! the first is short and never waits.

use model::clock::now_ms;
use std::sync::LazyLock;

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use parking_lot::Mutex;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, from_value, to_value},
    capture::RecallQuestion,
    error::to_js,
    manager::NativeManager,
    promise::promise,
};
use engine::{
    active_memory::{
        calls::{self, Kept},
        intent, toggles,
        turns::{Turn, Turns},
    },
    capture::collect::in_zone,
    services::RecallFiles,
};

/// The turns of this process, whatever copy of the plugin they come from.
static TURNS: LazyLock<Mutex<Turns>> = LazyLock::new(Mutex::default);

#[napi]
impl NativeManager {
    /// What memory may have to say about a user's message: the user's words, what they ask memory for, and passages that the
    /// host vouches for, best first; `fits` says which of them auto-recall shows.
    #[napi(
        ts_return_type = "Promise<{ message: string; intent: string | null; candidates: (MemoryHit & { fits: boolean })[] }>"
    )]
    pub fn recall_candidates<'env>(
        &self,
        env: &'env Env,
        agent: AutomaticAgent,
        question: RecallQuestion,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move {
            let files = RecallFiles { folder: agent.folder(), shared: agent.shared_folder() };
            to_value(&engine.remember.recall_candidates(&question.into(), &agent.settings()?, files).await?)
        };
        promise(env, work, |found| found)
    }
}

/// A turn of active memory begins: what it is shown, or which model call may improve that.
///
/// # Errors
/// `MEM_CONFIG`, or `MEM_ARGUMENT` when the turn is malformed.
#[napi(
    ts_return_type = "{ done: ActiveOutcome } | { ask: { ticket: number; system: string; prompt: string; maxTokens: number; beside: boolean; fallback: ActiveOutcome } }"
)]
pub fn active_memory_begin(
    env: &Env,
    agent: AutomaticAgent,
    #[napi(
        ts_arg_type = "{ agentId: string; session: string; run?: string; message: string; before?: { role: 'user' | 'assistant'; text: string }[]; intent?: string | null; candidates: MemoryHit[]; fitting: MemoryHit[]; model: string; policy: string; tools?: string[] }"
    )]
    turn: Value,
) -> napi::Result<Value> {
    let begin = || {
        let settings = agent.settings()?;
        let turn: Turn = from_value(turn, "turn")?;
        to_value(&TURNS.lock().begin(&settings, turn, now_ms()))
    };
    begin().map_err(|e| to_js(env, e))
}

/// What a turn of active memory is shown, and why.
#[napi(object)]
pub struct ActiveOutcome {
    /// `ok`, `no_relevant_memory`, `timeout`, `failed`, `unavailable`, `ungrounded`, `late`, `busy`, `circuit-breaker` or
    /// `not-authorized`.
    pub status: String,
    /// `none`, `native` or `model`.
    pub lane: String,
    /// For the prompt.
    pub block: Option<String>,
    /// Whether the answer was known already.
    pub cached: bool,
    /// Characters of what is shown.
    pub chars: u32,
    /// What is shown, on one line.
    pub shown: String,
}

/// The reply no longer waits for a call: what the turn is shown, and whether the call may run on for the next one.
///
/// # Errors
/// When the outcome cannot be handed over.
#[napi(ts_return_type = "{ outcome: ActiveOutcome; runsOn: boolean } | null")]
pub fn active_memory_timed_out(env: &Env, ticket: u32) -> napi::Result<Option<Value>> {
    let late = TURNS.lock().timed_out(ticket, now_ms());
    let shown = late.map(|(outcome, runs_on)| to_value(&serde_json::json!({ "outcome": outcome, "runsOn": runs_on })));
    shown.transpose().map_err(|e| to_js(env, e))
}

/// A model answered: what the turn is shown, when its reply still waits. `seen`: what an agent's tools gave it.
///
/// # Errors
/// When the outcome cannot be handed over.
#[napi(ts_return_type = "ActiveOutcome | null")]
pub fn active_memory_answered(
    env: &Env,
    ticket: u32,
    text: String,
    seen: Option<Vec<String>>,
) -> napi::Result<Option<Value>> {
    let outcome = TURNS.lock().answered(ticket, &text, &seen.unwrap_or_default(), now_ms());
    outcome.as_ref().map(to_value).transpose().map_err(|e| to_js(env, e))
}

/// A call ended without an answer: what the turn is shown, when its reply still waits.
///
/// # Errors
/// `MEM_ARGUMENT` for an unknown reason.
#[napi(ts_return_type = "ActiveOutcome | null")]
pub fn active_memory_failed(
    env: &Env,
    ticket: u32,
    #[napi(ts_arg_type = "'failed' | 'not-authorized' | 'given-up'")] failure: String,
) -> napi::Result<Option<Value>> {
    let end = || {
        let failure = from_value(Value::String(failure), "reason")?;
        let outcome = TURNS.lock().failed(ticket, failure, now_ms());
        outcome.as_ref().map(to_value).transpose()
    };
    end().map_err(|e| to_js(env, e))
}

/// The models of an agent that active memory does not ask now: until a moment in milliseconds since the epoch where they
/// failed or took too long, without one where the host refused them.
///
/// # Errors
/// When the answer cannot be handed over.
#[napi(ts_return_type = "{ model: string; untilMs: number | null; timedOut: boolean }[]")]
pub fn active_memory_suspended(env: &Env, agent_id: String) -> napi::Result<Value> {
    to_value(&TURNS.lock().suspended(&agent_id, now_ms())).map_err(|e| to_js(env, e))
}

/// What a message asks memory for: `past`, `person`, `preference`, `decision`, `time`, `own` or `question`; null for one that
/// can be answered without, `general` for one that the world answers.
///
/// # Errors
/// When the answer cannot be handed over.
#[napi(ts_return_type = "string | null")]
pub fn recall_intent(env: &Env, message: String) -> napi::Result<Option<Value>> {
    intent::recall_intent(&message).as_ref().map(to_value).transpose().map_err(|e| to_js(env, e))
}

/// Whether active memory is paused in a conversation.
///
/// # Errors
/// When the file cannot be read.
#[napi]
pub fn is_active_memory_off(env: &Env, agent: AutomaticAgent, session_key: String) -> napi::Result<bool> {
    toggles::is_off(&toggles::file(&agent.folder()), &session_key).map_err(|e| to_js(env, e))
}

/// Pauses active memory in conversations, or goes on with it.
///
/// # Errors
/// When the file cannot be written.
#[napi]
pub fn set_active_memory_off(
    env: &Env,
    agent: AutomaticAgent,
    session_keys: Vec<String>,
    off: bool,
) -> napi::Result<()> {
    let keys: Vec<String> = session_keys.iter().map(|key| toggles::key(key)).collect();
    toggles::set(&toggles::file(&agent.folder()), &keys, off).map_err(|e| to_js(env, e))
}

/// Keeps what was asked and answered, for a user who wants to see it.
///
/// # Errors
/// When the file cannot be written, or `MEM_ARGUMENT` when the call is malformed.
#[napi]
pub fn keep_active_memory_call(
    env: &Env,
    agent: AutomaticAgent,
    #[napi(
        ts_arg_type = "{ lane: string; style: string; model: string; prompt: string; answer: string; shown: string; ms: number; status: string }"
    )]
    call: Value,
) -> napi::Result<()> {
    let keep = || {
        let settings = agent.settings()?;
        let now = in_zone(now_ms(), None);
        let mut call = call;
        if let Value::Object(fields) = &mut call {
            fields.insert("at".to_owned(), Value::String(now.to_string()));
        }
        let call: Kept = from_value(call, "call")?;
        let folder = calls::folder(agent.state_dir.as_ref(), &agent.agent_id, &settings.active_memory);
        calls::keep(&folder, &now.date().to_string(), call)
    };
    keep().map_err(|e| to_js(env, e))
}
