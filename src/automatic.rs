//! Automatic memory on the JS thread: settings, and the small files that must be written before a hook returns.

use std::{path::PathBuf, time::Duration};

use napi::Env;
use napi_derive::napi;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::error::to_js;
use engine::capture::{
    collect::{in_zone, zone_of},
    erase,
    forwarded::{self, Forwarded},
    journal::Journal,
    jsonl::{self, SetAside},
    listening::{self, Moment, On, Span},
    queue::{Job, Message},
    session_note::{self, Conversation},
    short_term,
};
use model::{
    clock::now_ms,
    config::automatic::{self, Automatic},
    error::{Code, Error, Result},
};
use text::shown::as_line;

/// How long a process that ends, or closes all, waits for its last lines.
pub(super) const SETTLE: Duration = Duration::from_secs(2);

/// Whose automatic memory.
#[napi(object)]
pub struct AutomaticAgent {
    /// The plugin's own configuration.
    pub config: Value,
    /// The agent.
    pub agent_id: String,
    /// Whether it is the agent that the host means when none is named.
    pub is_default_agent: bool,
    /// Absolute path of the host's state directory.
    pub state_dir: String,
    /// The time zone of the user, an IANA name; default: the machine's.
    pub time_zone: Option<String>,
}

impl AutomaticAgent {
    /// The agent's settings.
    pub(super) fn settings(&self) -> Result<Automatic> {
        automatic::resolve(&self.config, &self.agent_id)
    }

    /// Where the agent's own files are.
    pub(super) fn folder(&self) -> PathBuf {
        automatic::agent_folder(self.state_dir.as_ref(), &self.agent_id)
    }

    /// Where the files for all agents are.
    pub(super) fn shared_folder(&self) -> PathBuf {
        automatic::own_folder(self.state_dir.as_ref())
    }

    /// The time zone of the user.
    pub(super) fn zone(&self) -> jiff::tz::TimeZone {
        zone_of(self.time_zone.as_deref())
    }

    /// The agent's file of short-term memory.
    pub(super) fn short_term_file(&self) -> Result<PathBuf> {
        Ok(self.short_term_path(&self.settings()?, None))
    }

    fn short_term_path(&self, settings: &Automatic, person: Option<&str>) -> PathBuf {
        if let Some(person) = person {
            return automatic::short_term_path_of(person, self.state_dir.as_ref(), &self.agent_id);
        }
        let written = settings.short_term.path.as_deref();
        automatic::short_term_path(written, self.state_dir.as_ref(), &self.agent_id, self.is_default_agent)
    }
}

/// The resolved settings of the automatic memory.
///
/// # Errors
/// `MEM_CONFIG` when a value has the wrong type.
#[napi(ts_return_type = "AutomaticSettings")]
pub fn automatic_settings(env: &Env, agent: AutomaticAgent) -> napi::Result<Value> {
    agent.settings().and_then(|s| to_value(&s)).map_err(|e| to_js(env, e))
}

/// The last turns as a block for the prompt; null when there is none. Reads only the end of a file. `person` names whom
/// the host keeps apart from the agent's other people: such a person has turns of their own. Turns of `conversation`,
/// oldest first, are left out: the model sees them anyway. `isCut` says that there were more of them.
///
/// # Errors
/// When the file cannot be read, or `MEM_ARGUMENT` when the messages are malformed.
#[napi]
pub fn short_term_block(
    env: &Env,
    agent: AutomaticAgent,
    person: Option<String>,
    #[napi(ts_arg_type = "{ role: 'user' | 'assistant'; text: string }[] | null")] conversation: Option<Value>,
    is_cut: Option<bool>,
) -> napi::Result<Option<String>> {
    let read = || {
        let settings = agent.settings()?;
        let messages: Vec<Message> =
            conversation.map(|messages| from_value(messages, "messages")).transpose()?.unwrap_or_default();
        let conversation = short_term::Conversation { messages: &messages, is_cut: is_cut.unwrap_or_default() };
        let path = agent.short_term_path(&settings, person.as_deref());
        short_term::block(&path, &settings.short_term.limits, conversation, &agent.zone())
    };
    read().map_err(|e| to_js(env, e))
}

/// Records a finished turn, of `person` as in `shortTermBlock`; where the user only says that it be not remembered, takes out
/// what was said `before`. Synchronous, because hosts do not wait for the end of a turn.
///
/// # Errors
/// When the file cannot be written.
#[napi]
pub fn record_turn(
    env: &Env,
    agent: AutomaticAgent,
    user: String,
    assistant: String,
    person: Option<String>,
    before: Option<String>,
) -> napi::Result<bool> {
    let write = || {
        let settings = agent.settings()?;
        let path = agent.short_term_path(&settings, person.as_deref());
        let limits = &settings.short_term.limits;
        if let Some(before) = before {
            short_term::take_back(&path, limits, &before, &user)?;
        }
        short_term::record(&path, limits, &user, &assistant, &in_zone(now_ms(), None))
    };
    write().map_err(|e| to_js(env, e))
}

/// Waits for recorded turns that are not in their file yet because another process held it, at most two seconds; for a
/// process that ends. Whether all are.
#[napi]
#[must_use]
pub fn settle_turns() -> bool {
    jsonl::settle(SETTLE)
}

/// What happened to the files of the automatic memory since this was asked last, in sentences for the log: damage that was
/// set aside, lines that could not be written later.
#[napi]
#[must_use]
pub fn take_automatic_notices() -> Vec<String> {
    jsonl::take_notices()
}

/// A file that was set aside because it, or a part of another, was damaged.
#[napi(object)]
pub struct SetAsideFile {
    /// Where it lies.
    pub path: String,
    /// How many lines it has, where they can be counted.
    pub lines: Option<u32>,
}

/// The files that were set aside because they were damaged. Nothing reads them again. Damage that nobody has met yet is
/// set aside now.
///
/// # Errors
/// `MEM_CONFIG`, or when a folder cannot be read.
#[napi]
pub fn set_aside_files(env: &Env, agent: AutomaticAgent) -> napi::Result<Vec<SetAsideFile>> {
    let list = || {
        let files = erase::set_aside(&agent.folder(), &agent.short_term_file()?)?;
        let lines = |lines: Option<usize>| lines.and_then(|lines| u32::try_from(lines).ok());
        let shown = |file: SetAside| SetAsideFile { path: file.path.display().to_string(), lines: lines(file.lines) };
        Ok(files.into_iter().map(shown).collect())
    };
    list().map_err(|e| to_js(env, e))
}

/// Puts a finished turn on the capture queue. Synchronous, for the same reason.
///
/// # Errors
/// When the file cannot be written.
#[napi]
pub fn queue_capture(
    env: &Env,
    agent: AutomaticAgent,
    #[napi(
        ts_arg_type = "{ id: string; sessionKey?: string; sessionId?: string; provider?: string; model?: string; maxFacts?: number; seen?: number; messages: { role: 'user' | 'assistant'; text: string; at?: number }[] }"
    )]
    job: Value,
) -> napi::Result<()> {
    let push = || {
        let mut job: Job = from_value(job, "capture job")?;
        job.created_ms = now_ms();
        Journal::new(&agent.folder()).push(&job)
    };
    push().map_err(|e| to_js(env, e))
}

/// A time in which capture was on, in milliseconds since the epoch, both ends included.
#[napi(object)]
pub struct HeardSpan {
    /// Its beginning.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

/// When what was captured, oldest first.
#[napi(object)]
pub struct HeardSpans {
    /// After each turn.
    pub turns: Vec<HeardSpan>,
    /// Before a compaction.
    pub compactions: Vec<HeardSpan>,
}

/// Notes what is captured by the settings of this moment, `turns` and what `compactions` take away; gives when what was. At
/// the end of a turn `said` is when its message was, where the host tells. Synchronous, for the same reason.
///
/// # Errors
/// When the file cannot be written.
#[napi]
pub fn note_listening(
    env: &Env,
    agent: AutomaticAgent,
    turns: bool,
    compactions: bool,
    #[napi(ts_arg_type = "'now' | 'begin' | 'end'")] moment: String,
    said: Option<f64>,
) -> napi::Result<HeardSpans> {
    let moment = match moment.as_str() {
        "begin" => Moment::Begin,
        "end" => Moment::End(said.map(|at| at as i64)),
        _ => Moment::Now,
    };
    let noted = listening::note(&agent.folder(), On { turns, compactions }, moment, now_ms());
    let spans = |spans: Vec<Span>| {
        spans.into_iter().map(|Span(from, to)| HeardSpan { from: from as f64, to: to as f64 }).collect()
    };
    noted
        .map(|heard| HeardSpans { turns: spans(heard.turns), compactions: spans(heard.compactions) })
        .map_err(|e| to_js(env, e))
}

/// Capture is off from now on for all agents: the plugin stops, and this module stays loaded where the host loads it again.
#[napi]
pub fn stop_listening() {
    listening::stop(now_ms());
}

/// Notes a message that was passed on: its words are somebody else's. Synchronous, so that its turn knows of it.
///
/// # Errors
/// When the file cannot be written.
#[napi]
pub fn note_forwarded(
    env: &Env,
    agent: AutomaticAgent,
    #[napi(ts_arg_type = "Forwarded")] message: Value,
) -> napi::Result<()> {
    let note = || forwarded::note(&agent.folder(), from_value(message, "forwarded message")?);
    note().map_err(|e| to_js(env, e))
}

/// The messages that are known to have been passed on, oldest first.
///
/// # Errors
/// When the file cannot be read.
#[napi(ts_return_type = "Forwarded[]")]
pub fn list_forwarded(env: &Env, agent: AutomaticAgent) -> napi::Result<Value> {
    let listed = forwarded::all(&agent.folder()).and_then(|known: Vec<Forwarded>| to_value(&known));
    listed.map_err(|e| to_js(env, e))
}

/// Writes the note of a conversation that ends; gives its path, or null when nothing was said.
///
/// # Errors
/// When the note cannot be written.
#[napi]
pub fn write_session_note(
    env: &Env,
    agent: AutomaticAgent,
    workspace_dir: String,
    #[napi(
        ts_arg_type = "{ sessionKey: string; sessionId: string; source: string; slug?: string; timeZone?: string; messages: { role: 'user' | 'assistant'; text: string }[] }"
    )]
    conversation: Value,
) -> napi::Result<Option<String>> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Ended {
        session_key: String,
        session_id: String,
        source: String,
        slug: Option<String>,
        time_zone: Option<String>,
        messages: Vec<Message>,
    }
    let write = || {
        let limit = agent.settings()?.session_notes.messages;
        let ended: Ended = from_value(conversation, "conversation")?;
        let conversation = Conversation {
            session_key: &ended.session_key,
            session_id: &ended.session_id,
            source: &ended.source,
            messages: &ended.messages,
        };
        let now = in_zone(now_ms(), ended.time_zone.as_deref());
        session_note::write(workspace_dir.as_ref(), &conversation, limit, ended.slug.as_deref(), &now)
    };
    write().map_err(|e| to_js(env, e))
}

/// A stored text for a model, on one line: it can end no block, and nothing in it is invisible.
#[napi]
#[must_use]
pub fn memory_as_line(text: String) -> String {
    as_line(&text)
}

pub(super) fn to_value<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::new(Code::Internal, e.to_string()))
}

pub(super) fn from_value<T: DeserializeOwned>(value: Value, what: &str) -> Result<T> {
    serde_json::from_value(value).map_err(|e| Error::new(Code::Argument, format!("{what}: {e}")))
}
