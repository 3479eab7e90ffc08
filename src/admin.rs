//! Forgetting, starting over, checking, copying and back: `openclaw memory forget | reset | doctor | backup | restore`.

use std::path::PathBuf;

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, to_value},
    error::to_js,
    manager::{NativeManager, open_call_with, search_call},
    promise::promise,
    types::{OpenRequest, SearchOptions},
};
use engine::{
    capture::erase::Places,
    forgetting::selection::{Conversation, Range, Selection, Target},
    services::{self, ForgetCall},
};
use model::error::Result;

/// A conversation as the host knows it.
#[napi(object)]
pub struct ForgetConversation {
    /// Its id.
    pub session_id: String,
    /// Its key, which it may share with those before and after it.
    pub session_key: Option<String>,
    /// When it began, in milliseconds since the epoch.
    pub from_ms: Option<f64>,
    /// When something last happened in it.
    pub to_ms: Option<f64>,
}

/// What is to be forgotten.
#[napi(object)]
#[derive(Default)]
pub struct ForgetRequest {
    /// Files, or folders with all that lies below them, as in results.
    pub paths: Option<Vec<String>>,
    /// Of the one path: first of the lines to forget, from 1.
    pub from_line: Option<u32>,
    /// Of the one path: last of the lines to forget; default the first.
    pub to_line: Option<u32>,
    /// Ids or keys of conversations.
    pub sessions: Option<Vec<String>>,
    /// Conversations that the host has found: by person, hook source or date.
    pub conversations: Option<Vec<ForgetConversation>>,
    /// People, by the names that session keys have for them.
    pub people: Option<Vec<String>>,
    /// What was kept from this instant on, in milliseconds since the epoch.
    pub since_ms: Option<f64>,
    /// What was kept until this instant.
    pub until_ms: Option<f64>,
    /// The passages that a search for these words shows.
    pub query: Option<String>,
    /// Options of that search.
    pub search: Option<SearchOptions>,
    /// Whether lines of the user's files go that repeat what is forgotten.
    pub quotes: Option<bool>,
    /// Whether to report only.
    pub dry_run: Option<bool>,
    /// Whether it is never to be undone.
    #[napi(js_name = "final")]
    pub is_final: Option<bool>,
    /// Whose automatic memory holds the same words.
    pub agent: Option<AutomaticAgent>,
}

#[expect(clippy::cast_possible_truncation, reason = "milliseconds since the epoch fit")]
pub(crate) fn whole(ms: f64) -> i64 {
    ms as i64
}

impl ForgetRequest {
    fn call(self) -> Result<ForgetCall> {
        let search = self.query.map(|query| search_call(query, self.search.unwrap_or_default())).transpose()?;
        let agent = self.agent.as_ref();
        let conversation = |one: ForgetConversation| Conversation {
            session_id: one.session_id,
            session_key: one.session_key,
            from_ms: one.from_ms.map(whole),
            to_ms: one.to_ms.map(whole),
        };
        let range = Range { from_ms: self.since_ms.map(whole), to_ms: self.until_ms.map(whole) };
        let selection = Selection {
            sessions: self.sessions.unwrap_or_default(),
            conversations: self.conversations.unwrap_or_default().into_iter().map(conversation).collect(),
            people: self.people.unwrap_or_default(),
            range: (range != Range::default()).then_some(range),
        };
        let target = Target {
            paths: self.paths.unwrap_or_default(),
            lines: self.from_line.map(|from| (from, self.to_line.unwrap_or(from))),
            selection,
            quotes: self.quotes.unwrap_or_default(),
            places: Places {
                folder: agent.map(AutomaticAgent::folder),
                short_term: agent.map(AutomaticAgent::short_term_file).transpose()?,
            },
            intents: agent.map(AutomaticAgent::folder),
        };
        let (dry_run, is_final) = (self.dry_run.unwrap_or_default(), self.is_final.unwrap_or_default());
        Ok(ForgetCall { target, search, dry_run, is_final })
    }
}

/// What killed processes have left of an agent's texts in its workspace and in folders of ours, whoever may be writing; `remove`
/// takes it away.
#[napi(ts_return_type = "Promise<UnfinishedTexts[]>")]
pub fn unfinished_texts(env: &Env, request: OpenRequest, remove: bool) -> napi::Result<PromiseRaw<'_, Value>> {
    let call = open_call_with(env, request, None)?;
    promise(env, async move { to_value(&services::unfinished_texts(call, remove).await?) }, |found| found)
}

/// Every file of an agent's index where the settings put it, and what has such a name and is none.
#[napi(ts_return_type = "Promise<IndexFiles>")]
pub fn index_files(env: &Env, request: OpenRequest) -> napi::Result<PromiseRaw<'_, Value>> {
    let call = open_call_with(env, request, None)?;
    promise(env, async move { to_value(&services::index_files(call).await?) }, |found| found)
}

#[napi]
impl NativeManager {
    /// Forgets files, passages, conversations, people or times at once, or tells what would be forgotten.
    #[napi(ts_return_type = "Promise<MemoryForgetReport>")]
    pub fn forget<'env>(&self, env: &'env Env, request: ForgetRequest) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let call = request.call().map_err(|e| to_js(env, e))?;
        promise(env, async move { to_value(&engine.admin.forget(call).await?) }, |report| report)
    }

    /// Makes a plan of forgetting, which is kept for a day under the id that the report names. Nothing is changed.
    #[napi(ts_return_type = "Promise<MemoryForgetReport>")]
    pub fn plan_forget<'env>(&self, env: &'env Env, request: ForgetRequest) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let call = request.call().map_err(|e| to_js(env, e))?;
        promise(env, async move { to_value(&engine.admin.plan_forget(call).await?) }, |report| report)
    }

    /// Carries out the plan of an id; final, nothing is kept that could undo it.
    #[napi(ts_return_type = "Promise<MemoryForgetReport>")]
    pub fn apply_forget<'env>(
        &self,
        env: &'env Env,
        id: String,
        is_final: bool,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.apply_forget(id, is_final).await?) }, |report| report)
    }

    /// Takes back what was forgotten under an id: puts back what was taken out, and indexes the rest again.
    #[napi(ts_return_type = "Promise<MemoryForgetUndone>")]
    pub fn undo_forget<'env>(&self, env: &'env Env, id: String) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.undo_forget(id).await?) }, |undone| undone)
    }

    /// The list of forgotten things, oldest first.
    #[napi(ts_return_type = "Promise<ForgottenEntry[]>")]
    pub fn forgotten<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.forgotten().await?) }, |list| list)
    }

    /// Clears what can be made again; with `keepVectors` what was paid for stays.
    #[napi(ts_return_type = "Promise<MemoryContents>")]
    pub fn reset<'env>(&self, env: &'env Env, keep_vectors: bool) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.reset(keep_vectors).await?) }, |cleared| cleared)
    }

    /// Looks for everything that can be wrong with the index, and repairs what it can unless told not to.
    #[napi(ts_return_type = "Promise<DoctorCheck[]>")]
    pub fn doctor<'env>(&self, env: &'env Env, repair: bool) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.doctor(repair).await?) }, |checks| checks)
    }

    /// Writes a consistent copy of the index to a new file while everything goes on.
    #[napi(ts_return_type = "Promise<MemoryCopy>")]
    pub fn backup<'env>(&self, env: &'env Env, target: String) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.backup(PathBuf::from(target)).await?) }, |copied| copied)
    }

    /// Puts a copy in the place of the index, or tells what that would replace.
    #[napi(ts_return_type = "Promise<MemoryRestoreReport>")]
    pub fn restore<'env>(&self, env: &'env Env, file: String, dry_run: bool) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.restore(PathBuf::from(file), dry_run).await?) }, |report| {
            report
        })
    }

    /// What taking over an index in a database would change; a forced sync does it.
    #[napi(ts_return_type = "Promise<MemoryAdoption>")]
    pub fn adoption<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.admin.adoption().await?) }, |adoption| adoption)
    }

    /// Stops the provider's batch jobs that have not finished; gives their number.
    #[napi(ts_return_type = "Promise<number>")]
    pub fn cancel_batches<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, u32>> {
        let engine = self.engine(env)?;
        let work = async move { Ok(u32::try_from(engine.admin.cancel_batches().await?).unwrap_or(u32::MAX)) };
        promise(env, work, |stopped| stopped)
    }
}
