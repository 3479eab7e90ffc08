//! `NativeManager`: a lease on the engine of one agent.
//!
//! Exported functions must return a type named `Result`: under another name napi hands the error to JavaScript as the
//! return value instead of throwing it.

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use futures::FutureExt;
use napi::{
    Env, Status,
    bindgen_prelude::{Function, PromiseRaw},
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};
use napi_derive::napi;
use parking_lot::Mutex;
use serde_json::Value;

use super::{
    automatic::SETTLE,
    error::to_js,
    host::{JsHost, NativeHost},
    promise::promise,
    types::{DatabaseParts, OpenRequest, ProviderAccount, ReadFileRequest, SearchOptions, SyncOptions, SyncProgress},
};
use embed::{
    account::Account,
    provider::Provider,
    secret::{Credentials, Secret},
};
use engine::{
    capture::jsonl,
    services::{self, Engine, Lease, OpenCall, Parts, Progress, SearchCall, SyncCall},
    workspace::excerpt::ExcerptRequest,
};
use model::{
    cancel::Cancel,
    clock::{SystemClock, now_ms},
    config::resolve::resolve,
    error::{Code, Error, Result},
    source::Source,
};
use search::confine::Wish;

pub(super) type ProgressFunction<'a> = Function<'a, SyncProgress, ()>;
type ProgressCallback = ThreadsafeFunction<SyncProgress, (), SyncProgress, Status, false, true>;

/// Opens the index of one agent; null when memory search is switched off for it.
#[napi(ts_return_type = "Promise<NativeManager | null>")]
pub fn open_manager<'env>(
    env: &'env Env,
    request: OpenRequest,
    host: Option<NativeHost<'_>>,
) -> napi::Result<PromiseRaw<'env, Option<NativeManager>>> {
    let call = open_call_with(env, request, host.as_ref())?;
    promise(env, services::open(call), |lease| lease.map(NativeManager::new))
}

/// The resolved settings of an agent: `{settings, origins, values, warnings}`, or null when memory search is switched off.
///
/// # Errors
/// `MEM_CONFIG` when a value cannot be used.
#[napi(
    ts_return_type = "{ settings: ResolvedSettings; origins: Record<string, string>; values: Record<string, string | number | boolean>; warnings: string[] } | null"
)]
pub fn resolve_settings(env: &Env, request: OpenRequest) -> napi::Result<Option<Value>> {
    let resolved = resolve(&open_call(request).resolve_input()).map_err(|e| to_js(env, e))?;
    Ok(resolved.map(|r| {
        serde_json::json!({ "settings": r.settings, "origins": r.origins, "values": r.values, "warnings": r.warnings })
    }))
}

/// What opening needs, with the host where there is one.
pub(super) fn open_call_with(env: &Env, request: OpenRequest, host: Option<&NativeHost<'_>>) -> napi::Result<OpenCall> {
    let served = request.embed_providers.clone();
    let mut call = open_call(request);
    if let Some(host) = host {
        let host = JsHost::new(env, host, served)?;
        call.thread = host.thread();
        call.host = Some(Arc::new(host));
    }
    Ok(call)
}

fn open_call(request: OpenRequest) -> OpenCall {
    OpenCall {
        config: request.config,
        agent_id: request.agent_id,
        state_dir: request.state_dir.into(),
        home_dir: request.home_dir.into(),
        workspace_dir: request.workspace_dir.map(PathBuf::from),
        default_workspace_dir: request.default_workspace_dir.map(PathBuf::from),
        accounts: request.accounts.unwrap_or_default().into_iter().map(account).collect(),
        database_url: request.database_url.map(Secret::new),
        database_parts: request.database_parts.map(parts),
        model_paths: request.model_paths.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
        thread: 0,
        host: None,
        background: request.background.unwrap_or(false),
        clock: Arc::new(SystemClock),
    }
}

fn parts(given: DatabaseParts) -> Parts {
    let DatabaseParts { host, port, database, user, beside_url } = given;
    Parts { host, port, database, user, beside_url }
}

fn account(given: ProviderAccount) -> Account {
    let headers = given.headers.unwrap_or_default().into_iter().map(|(name, value)| (name, Secret::new(value)));
    let credentials = Credentials {
        api_key: given.api_key.map(Secret::new),
        spare_keys: given.spare_keys.unwrap_or_default().into_iter().map(Secret::new).collect(),
        headers: headers.collect(),
    };
    let mut account = Account::new(&given.provider, given.base_url.as_deref()).with_credentials(credentials);
    account.api = given.api.as_deref().and_then(Provider::from_id);
    account.automatic = given.automatic.unwrap_or(false);
    account.address_from = given.address_from;
    account.key_from = given.key_from;
    match given.problem {
        None => account,
        Some(problem) => {
            let code = if problem.code == Code::ProviderAuth.as_str() { Code::ProviderAuth } else { Code::Config };
            account.with_problem(Error::new(code, problem.message).remedy(problem.remedy))
        }
    }
}

/// Closes every engine of this process, and waits at most two seconds for what was handed over and is not written yet.
/// Managers opened before answer `MEM_CLOSED`.
#[napi(ts_return_type = "Promise<void>")]
pub fn close_all(env: &Env) -> napi::Result<PromiseRaw<'_, ()>> {
    let closed = services::close_all().then(|()| jsonl::written(SETTLE));
    promise(env, closed.map(Ok), |()| ())
}

/// A lease on the engine of one agent. Every method but `status`, `cancel` and `cachedEmbeddingAvailability` is
/// asynchronous.
#[napi]
pub struct NativeManager {
    lease: Mutex<Option<Lease>>,
    /// Running calls that can be cancelled, by the caller's number.
    calls: Arc<Mutex<HashMap<u32, Cancel>>>,
}

impl NativeManager {
    fn new(lease: Lease) -> Self {
        Self { lease: Mutex::new(Some(lease)), calls: Arc::default() }
    }

    pub(super) fn engine(&self, env: &Env) -> napi::Result<Arc<Engine>> {
        self.lease
            .lock()
            .as_deref()
            .filter(|e| !e.is_closed())
            .cloned()
            .ok_or_else(|| to_js(env, Error::new(Code::Closed, "this memory manager was closed")))
    }
}

#[napi]
impl NativeManager {
    /// Searches. `requestId` can be passed to `cancel`.
    #[napi(ts_return_type = "Promise<MemoryAnswer>")]
    pub fn search<'env>(
        &self,
        env: &'env Env,
        query: String,
        options: Option<SearchOptions>,
        request_id: Option<u32>,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let options = options.unwrap_or_default();
        let is_followed = options.later == Some(true);
        let call = search_call(query, options).map_err(|e| to_js(env, e))?;
        let cancel = Cancel::new();
        let guard = request_id.map(|id| CallGuard::register(&self.calls, id, cancel.clone()));
        let work = async move {
            let _guard = guard;
            let answer = if is_followed {
                engine.searcher.search_with_later(call, cancel).await?
            } else {
                engine.searcher.search(call, cancel).await?
            };
            serde_json::to_value(answer).map_err(|e| Error::new(Code::Internal, format!("search answer: {e}")))
        };
        promise(env, work, |answer| answer)
    }

    /// Stops a running search or sync; it rejects with `MEM_CANCELLED`.
    #[napi]
    pub fn cancel(&self, request_id: u32) {
        if let Some(cancel) = self.calls.lock().get(&request_id) {
            cancel.cancel();
        }
    }

    /// Reads lines of a memory file.
    #[napi(ts_return_type = "Promise<MemoryExcerpt>")]
    pub fn read_file<'env>(&self, env: &'env Env, request: ReadFileRequest) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let request = ExcerptRequest {
            path: request.rel_path,
            from: request.from.map(u64::from),
            lines: request.lines.map(u64::from),
        };
        let work = async move { engine.searcher.read_file(request).await };
        promise(env, work, |v| v)
    }

    /// What is known without looking: synchronous and cheap.
    #[napi(ts_return_type = "MemoryStatus")]
    pub fn status(&self, env: &Env) -> napi::Result<Value> {
        Ok(self.engine(env)?.status())
    }

    /// Compares the disk with the index and tells what it found.
    #[napi(ts_return_type = "Promise<any>")]
    pub fn inspect<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { engine.indexer.inspect().await }, |v| v)
    }

    /// Brings the index up to date with the disk.
    #[napi(ts_return_type = "Promise<MemorySyncReport>")]
    pub fn sync<'env>(
        &self,
        env: &'env Env,
        options: Option<SyncOptions>,
        progress: Option<ProgressFunction<'_>>,
        request_id: Option<u32>,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let options = options.unwrap_or_default();
        let progress = progress.as_ref().map(progress_callback).transpose()?;
        let cancel = Cancel::new();
        let guard = request_id.map(|id| CallGuard::register(&self.calls, id, cancel.clone()));
        let call = SyncCall {
            reason: options.reason.unwrap_or_else(|| "requested".to_owned()),
            force: options.force.unwrap_or(false),
            text_only: options.text_only.unwrap_or(false),
        };
        let work = async move {
            let _guard = guard;
            let report = engine.admin.sync(call, cancel, progress).await?;
            serde_json::to_value(&*report).map_err(|e| Error::new(Code::Internal, format!("sync report: {e}")))
        };
        promise(env, work, |report| report)
    }

    /// Takes up the words of notes that changed while nobody watched, for a process that was started for one question. False when
    /// that takes longer than so many milliseconds; it then goes on until the manager is closed.
    #[napi(ts_return_type = "Promise<boolean>")]
    pub fn catch_up<'env>(&self, env: &'env Env, limit_ms: u32) -> napi::Result<PromiseRaw<'env, bool>> {
        let engine = self.engine(env)?;
        let cancel = Cancel::with_deadline(Duration::from_millis(limit_ms.into()));
        promise(env, async move { engine.indexer.catch_up(cancel).await }, |is_current| is_current)
    }

    /// Tells that something was said in a conversation, with its length in bytes. `path` as in results.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn note_transcript<'env>(
        &self,
        env: &'env Env,
        path: String,
        bytes: u32,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        let engine = self.engine(env)?;
        let work = async move {
            engine.indexer.note_transcript(&path, u64::from(bytes));
            Ok(())
        };
        promise(env, work, |()| ())
    }

    /// What a sync would do and cost, without doing it. `taken` are texts whose vectors are taken over before, as a dry run of
    /// `importVectors` names them.
    #[napi(ts_return_type = "Promise<{ plan: MemoryPlan; paid: boolean; local: boolean; cost: number | null }>")]
    pub fn plan<'env>(
        &self,
        env: &'env Env,
        force: Option<bool>,
        rebuild: Option<bool>,
        taken: Option<Vec<String>>,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let (force, rebuild) = (force.unwrap_or(false), rebuild.unwrap_or(false));
        let work = async move { engine.indexer.plan_after(force, rebuild, taken.unwrap_or_default()).await };
        promise(env, work, |v| v)
    }

    /// Begins the vectors anew beside those that are there; the next sync makes them. False where there are none to pay.
    #[napi(ts_return_type = "Promise<boolean>")]
    pub fn rebuild_vectors<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, bool>> {
        let engine = self.engine(env)?;
        promise(env, async move { engine.indexer.rebuild_vectors().await }, |begun| begun)
    }

    /// Asks the provider for one vector.
    #[napi(ts_return_type = "Promise<any>")]
    pub fn probe_embedding<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { Ok(engine.telemetry.probe_embedding().await) }, |v| v)
    }

    /// The result of the last probe, while it is fresh.
    #[napi(ts_return_type = "any")]
    pub fn cached_embedding_availability(&self, env: &Env) -> napi::Result<Option<Value>> {
        Ok(self.engine(env)?.telemetry.cached_probe())
    }

    /// Whether vectors can be searched.
    #[napi(ts_return_type = "Promise<boolean>")]
    pub fn probe_vector<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, bool>> {
        let engine = self.engine(env)?;
        promise(env, async move { engine.telemetry.probe_vector().await }, |ok| ok)
    }

    /// Gives the lease back. The engine itself ends with its last lease.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>> {
        let lease = self.lease.lock().take();
        let work = async move {
            if let Some(lease) = lease {
                lease.release().await;
            }
            Ok(())
        };
        promise(env, work, |()| ())
    }
}

/// A search with the options that JavaScript gives.
pub(super) fn search_call(query: String, options: SearchOptions) -> Result<SearchCall> {
    Ok(SearchCall {
        query,
        understood: None,
        max_results: options.max_results.map(|n| n as usize),
        excerpt: None,
        after: options.after.map_or(0, |n| n as usize),
        min_score: options.min_score,
        sources: parse_sources(options.sources.as_deref())?,
        lexical_only: options.lexical_only.unwrap_or(false),
        explain: options.explain.unwrap_or(false),
        deadline_ms: options.deadline_ms.map(u64::from),
        now_ms: options.now_ms.map_or_else(now_ms, |ms| ms as i64),
        session_key: options.session_key,
        active_projects: options.active_project_keys.unwrap_or_default(),
        conversations: options.conversations,
        wish: Wish { since: options.since, until: options.until, paths: options.paths.unwrap_or_default() },
    })
}

/// Takes the call off the list when it ends, however it ends.
struct CallGuard {
    calls: Arc<Mutex<HashMap<u32, Cancel>>>,
    id: u32,
}

impl CallGuard {
    fn register(calls: &Arc<Mutex<HashMap<u32, Cancel>>>, id: u32, cancel: Cancel) -> Self {
        calls.lock().insert(id, cancel);
        Self { calls: Arc::clone(calls), id }
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.id);
    }
}

pub(super) fn progress_callback(function: &ProgressFunction<'_>) -> napi::Result<Progress> {
    let callback: ProgressCallback =
        function.build_threadsafe_function::<SyncProgress>().weak::<true>().build_callback(|c| Ok(c.value))?;
    Ok(Arc::new(move |step: &services::Step| {
        let update = SyncProgress {
            completed: u32::try_from(step.completed).unwrap_or(u32::MAX),
            total: u32::try_from(step.total).unwrap_or(u32::MAX),
            label: step.label.clone(),
        };
        // A full or closing queue only loses a progress line.
        let _ = callback.call(update, ThreadsafeFunctionCallMode::NonBlocking);
    }))
}

fn parse_sources(names: Option<&[String]>) -> Result<Vec<Source>> {
    names
        .unwrap_or_default()
        .iter()
        .map(|name| match name.as_str() {
            "memory" => Ok(Source::Memory),
            "sessions" => Ok(Source::Sessions),
            other => Err(Error::new(Code::Argument, format!("unknown source \"{other}\""))
                .remedy("Use \"memory\" or \"sessions\"")),
        })
        .collect()
}
