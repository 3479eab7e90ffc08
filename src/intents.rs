//! Standing intents. They are files of the agent and need no index, so these are functions and no methods.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, from_value, to_value},
    promise::promise,
};
use engine::intents::{IntentStatus, Intents, NewIntent, Speaker, StandingIntent, Unreadable};
use model::{
    clock::now_ms,
    error::{Code, Error, Result},
};

/// A new standing intent.
#[napi(object)]
pub struct IntentInput {
    /// What the model is reminded of, at most 500 characters.
    pub description: String,
    /// Any of these brings it up, at most 24 of 120 characters: all words of one, or `"…"` as they stand.
    pub trigger_keywords: Vec<String>,
    /// None of these may be in the message.
    pub unless: Option<Vec<String>>,
    /// Default: channel.
    #[napi(ts_type = "'conversation' | 'channel' | 'anywhere'")]
    pub scope: Option<String>,
    /// Whether it counts for everybody's messages.
    pub anyone: Option<bool>,
    /// Milliseconds since the epoch; default: in 90 days.
    pub expires_at: Option<f64>,
    /// Default 3.
    pub max_fires: Option<u32>,
    /// Default a day.
    pub cooldown_seconds: Option<u32>,
    /// The session it was made in.
    pub source_session_id: Option<String>,
}

/// Who speaks where, as far as the host tells.
#[napi(object)]
pub struct IntentSpeaker {
    /// The channel.
    pub provider: Option<String>,
    /// The agent's account on it.
    pub account_id: Option<String>,
    /// The conversation on it.
    pub conversation_id: Option<String>,
    /// Who wrote the message.
    pub sender_id: Option<String>,
    /// The key of the session.
    pub session_key: Option<String>,
}

impl From<IntentSpeaker> for Speaker {
    fn from(given: IntentSpeaker) -> Self {
        Self {
            provider: given.provider,
            account_id: given.account_id,
            conversation_id: given.conversation_id,
            sender_id: given.sender_id,
            session_key: given.session_key,
        }
    }
}

impl IntentInput {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since the epoch fit")]
    fn read(self) -> Result<NewIntent> {
        Ok(NewIntent {
            description: self.description,
            trigger_keywords: self.trigger_keywords,
            unless: self.unless.unwrap_or_default(),
            scope: self.scope.map(|scope| from_value(scope.into(), "scope")).transpose()?,
            anyone: self.anyone.unwrap_or(false),
            expires_at: self.expires_at.map(|ms| ms as i64),
            max_fires: self.max_fires,
            cooldown_seconds: self.cooldown_seconds.map(u64::from),
            source_session_id: self.source_session_id,
        })
    }
}

/// Arms a standing intent.
#[napi(ts_return_type = "Promise<StandingIntent>")]
pub fn create_intent(
    env: &Env,
    agent: AutomaticAgent,
    input: IntentInput,
    speaker: IntentSpeaker,
) -> napi::Result<PromiseRaw<'_, Value>> {
    let by = speaker.into();
    run(env, &agent, move |intents| to_value(&intents.create(input.read()?, &by, now_ms())?))
}

/// The standing intents of an agent, oldest first; `status` picks those of one, `speaker` those that count where they speak.
#[napi(ts_return_type = "Promise<StandingIntent[]>")]
pub fn list_intents(
    env: &Env,
    agent: AutomaticAgent,
    status: Option<String>,
    speaker: Option<IntentSpeaker>,
) -> napi::Result<PromiseRaw<'_, Value>> {
    let by = speaker.map(Speaker::from);
    run(env, &agent, move |intents| {
        let status = status.map(|name| IntentStatus::parse(&name)).transpose()?;
        let mut listed = intents.list(status, now_ms())?;
        listed.retain(|intent| by.as_ref().is_none_or(|by| intent.counts_for(by)));
        to_value(&listed)
    })
}

/// Lines of the file of standing intents that are none. They stay as they are.
#[napi(object)]
pub struct UnreadableIntents {
    /// The file.
    pub path: String,
    /// The numbers of the lines, from 1.
    pub lines: Vec<u32>,
}

/// What of the file of standing intents is none, as after a person has changed it; null when all of it is.
#[napi]
pub fn unreadable_intents(env: &Env, agent: AutomaticAgent) -> napi::Result<PromiseRaw<'_, Option<UnreadableIntents>>> {
    promise(env, Intents::with(agent.folder(), Intents::unreadable), |found| {
        found.map(|Unreadable { path, lines }| UnreadableIntents {
            path: path.display().to_string(),
            lines: lines.into_iter().map(|n| u32::try_from(n).unwrap_or(u32::MAX)).collect(),
        })
    })
}

/// Takes a standing intent back; null when there is none of that id that could come up.
#[napi(ts_return_type = "Promise<StandingIntent | null>")]
pub fn cancel_intent(env: &Env, agent: AutomaticAgent, id: String) -> napi::Result<PromiseRaw<'_, Value>> {
    run(env, &agent, move |intents| to_value(&intents.cancel(&id, now_ms())?))
}

/// What a message brings up, as a block for the prompt, reserved for its turn until `settleIntents`; null when nothing.
#[napi]
pub fn reserve_intents(
    env: &Env,
    agent: AutomaticAgent,
    turn: String,
    message: String,
    speaker: IntentSpeaker,
) -> napi::Result<PromiseRaw<'_, Option<String>>> {
    let (by, zone) = (speaker.into(), agent.zone());
    let work = Intents::with(agent.folder(), move |intents| intents.reserve(&turn, &message, &by, now_ms(), &zone));
    promise(env, work, |block| block)
}

/// The turn has ended: what it showed counts when `succeeded`, and is given back otherwise. Gives how many there were.
#[napi]
pub fn settle_intents(
    env: &Env,
    agent: AutomaticAgent,
    turn: String,
    succeeded: bool,
) -> napi::Result<PromiseRaw<'_, u32>> {
    let work = Intents::with(agent.folder(), move |intents| intents.settle(&turn, succeeded, now_ms()));
    promise(env, work, |count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// Which intents a message mentions, wherever they count, and whether they would come up.
#[napi(ts_return_type = "Promise<TestedIntent[]>")]
pub fn test_intents(env: &Env, agent: AutomaticAgent, message: String) -> napi::Result<PromiseRaw<'_, Value>> {
    run(env, &agent, move |intents| to_value(&intents.test(&message, now_ms())?))
}

/// Takes over intents of memory-core that can still come up, each once: `rows` is JSON, an array of them. Gives how many
/// are new.
#[napi]
pub fn import_intents(env: &Env, agent: AutomaticAgent, rows: String) -> napi::Result<PromiseRaw<'_, u32>> {
    let work = Intents::with(agent.folder(), move |intents| {
        let rows: Vec<StandingIntent> =
            serde_json::from_str(&rows).map_err(|error| Error::new(Code::Argument, format!("intents: {error}")))?;
        intents.import(rows, now_ms())
    });
    promise(env, work, |count| u32::try_from(count).unwrap_or(u32::MAX))
}

fn run<'env>(
    env: &'env Env,
    agent: &AutomaticAgent,
    work: impl FnOnce(&Intents) -> Result<Value> + Send + 'static,
) -> napi::Result<PromiseRaw<'env, Value>> {
    promise(env, Intents::with(agent.folder(), work), |value| value)
}
