//! Automatic memory that needs the index: recall and capture, all asynchronous.

use model::clock::now_ms;
use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, from_value, to_value},
    manager::NativeManager,
    promise::promise,
};
use engine::{
    capture::{journal::Journal, recall::Asked},
    services::RecallFiles,
};

/// A user's message and what stands around it.
#[napi(object)]
pub struct RecallQuestion {
    /// The message.
    pub prompt: String,
    /// The user's message before it in the same conversation.
    pub before: Option<String>,
    /// What the assistant answered to that.
    pub replied: Option<String>,
    /// Files that are not recalled, relative to the workspace.
    pub without: Option<Vec<String>>,
    /// Keys of the projects that are worked on.
    pub projects: Option<Vec<String>>,
    /// "Now" in milliseconds since the epoch; default: the clock.
    pub now_ms: Option<f64>,
}

impl From<RecallQuestion> for Asked {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since the epoch fit")]
    fn from(question: RecallQuestion) -> Self {
        Self {
            prompt: question.prompt,
            before: question.before,
            replied: question.replied,
            without: question.without.unwrap_or_default(),
            projects: question.projects.unwrap_or_default(),
            now_ms: question.now_ms.map_or_else(now_ms, |ms| ms as i64),
        }
    }
}

#[napi]
impl NativeManager {
    /// What memory has to say about a user's message, within the time limit of the settings: the passages that the host
    /// vouches for, and as many of them as fit as a block for the prompt.
    #[napi(ts_return_type = "Promise<Recall>")]
    pub fn recall<'env>(
        &self,
        env: &'env Env,
        agent: AutomaticAgent,
        question: RecallQuestion,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move {
            let files = RecallFiles { folder: agent.folder(), shared: agent.shared_folder() };
            to_value(&engine.remember.recall(&question.into(), &agent.settings()?, files).await?)
        };
        promise(env, work, |recall| recall)
    }

    /// Remembers what was written into a note in a conversation of several people, so that it is never recalled by
    /// itself. `note` is its path, relative to the workspace or absolute; none when that is not known.
    #[napi]
    pub fn remember_group_words<'env>(
        &self,
        env: &'env Env,
        agent: AutomaticAgent,
        note: Option<String>,
        texts: Vec<String>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        let engine = self.engine(env)?;
        let work = async move { engine.remember.remember_group_words(agent.shared_folder(), note, texts).await };
        promise(env, work, |()| ())
    }

    /// Works off the capture queue, by rules or as the user's model lists them.
    #[napi(ts_return_type = "Promise<CaptureOutcome>")]
    pub fn capture<'env>(&self, env: &'env Env, agent: AutomaticAgent) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move { to_value(&engine.remember.capture(agent.folder(), &agent.settings()?).await?) };
        promise(env, work, |outcome| outcome)
    }

    /// Gives a conversation's note the name that the user's model finds; its new path, or null when it keeps the old one.
    #[napi(ts_return_type = "Promise<string | null>")]
    pub fn name_session_note<'env>(
        &self,
        env: &'env Env,
        agent: AutomaticAgent,
        path: String,
        #[napi(ts_arg_type = "{ role: 'user' | 'assistant'; text: string }[]")] messages: Value,
    ) -> napi::Result<PromiseRaw<'env, Option<String>>> {
        let engine = self.engine(env)?;
        let work = async move {
            let messages = from_value(messages, "messages")?;
            engine.remember.name_session_note(&agent.settings()?, path, messages).await
        };
        promise(env, work, |path| path)
    }

    /// Takes a captured fact out of its note again, and the entry that consolidation has made of it where nothing else speaks
    /// for that.
    #[napi(ts_return_type = "Promise<CaptureUndone>")]
    pub fn undo_capture<'env>(
        &self,
        env: &'env Env,
        agent: AutomaticAgent,
        id: String,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work =
            async move { to_value(&engine.remember.undo_capture(agent.folder(), &agent.settings()?, id).await?) };
        promise(env, work, |undone| undone)
    }
}

/// What was captured, newest first, and how many turns still wait. Fails when a file cannot be read.
#[napi(ts_return_type = "Promise<{ captures: CaptureEntry[]; waiting: number }>")]
pub fn list_captures(env: &Env, agent: AutomaticAgent, limit: u32) -> napi::Result<PromiseRaw<'_, Value>> {
    let work = Journal::with(agent.folder(), move |journal| {
        let mut captures = journal.captures()?;
        captures.truncate(limit as usize);
        // How a message is known again is of no use to anybody else.
        captures.iter_mut().for_each(|entry| entry.heard.clear());
        to_value(&serde_json::json!({ "captures": captures, "waiting": journal.waiting()? }))
    });
    promise(env, work, |listed| listed)
}
