//! Forgetting, starting over, checking, copying and back: `openclaw memory forget | reset | doctor | backup | restore`.

use std::path::PathBuf;

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, to_value},
    error::to_js,
    manager::{NativeManager, search_call},
    promise::promise,
    types::SearchOptions,
};
use engine::services::ForgetCall;

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
    /// The passages that a search for these words shows.
    pub query: Option<String>,
    /// Options of that search.
    pub search: Option<SearchOptions>,
    /// Whether to report only.
    pub dry_run: Option<bool>,
    /// Whose automatic memory holds the same words.
    pub agent: Option<AutomaticAgent>,
}

#[napi]
impl NativeManager {
    /// Forgets files, passages or conversations, or tells what would be forgotten.
    #[napi(ts_return_type = "Promise<MemoryForgetReport>")]
    pub fn forget<'env>(&self, env: &'env Env, request: ForgetRequest) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let search = request
            .query
            .map(|query| search_call(query, request.search.unwrap_or_default()))
            .transpose()
            .map_err(|e| to_js(env, e))?;
        let short_term = request.agent.as_ref().map(AutomaticAgent::short_term_file).transpose();
        let call = ForgetCall {
            paths: request.paths.unwrap_or_default(),
            lines: request.from_line.map(|from| (from, request.to_line.unwrap_or(from))),
            sessions: request.sessions.unwrap_or_default(),
            search,
            dry_run: request.dry_run.unwrap_or(false),
            folder: request.agent.as_ref().map(AutomaticAgent::folder),
            short_term: short_term.map_err(|e| to_js(env, e))?,
        };
        promise(env, async move { to_value(&engine.admin.forget(call).await?) }, |report| report)
    }

    /// Takes an entry off the list of forgotten things; what it kept out is indexed again.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn undo_forget<'env>(&self, env: &'env Env, id: String) -> napi::Result<PromiseRaw<'env, ()>> {
        let engine = self.engine(env)?;
        promise(env, async move { engine.admin.undo_forget(id).await }, |()| ())
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

    /// Stops the provider's batch jobs that have not finished; gives their number.
    #[napi(ts_return_type = "Promise<number>")]
    pub fn cancel_batches<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, u32>> {
        let engine = self.engine(env)?;
        let work = async move { Ok(u32::try_from(engine.admin.cancel_batches().await?).unwrap_or(u32::MAX)) };
        promise(env, work, |stopped| stopped)
    }
}
