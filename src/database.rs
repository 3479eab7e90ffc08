//! What an administrator of a PostgreSQL database is given: `openclaw memory store …`, and `doctor` where it cannot be opened.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::to_value,
    error::to_js,
    host::NativeHost,
    manager::{ProgressFunction, open_call_with, progress_callback},
    promise::promise,
    types::OpenRequest,
};
use engine::services;
use model::cancel::Cancel;

/// The SQL that makes the tables of a schema, or brings them to this version, where the engine's own role may not.
/// `role`: who is granted what an engine needs; without, a comment says what is missing. No database is asked.
///
/// # Errors
/// `MEM_CONFIG` when the schema has no usable name, `MEM_ARGUMENT` when the role has none.
#[napi]
pub fn database_script(env: &Env, schema: String, role: Option<String>) -> napi::Result<String> {
    services::database_script(&schema, role.as_deref()).map_err(|e| to_js(env, e))
}

/// What can be said of the database of an agent whose index cannot be opened; null when it is in no database.
#[napi(ts_return_type = "Promise<DoctorCheck[] | null>")]
pub fn examine_database<'env>(
    env: &'env Env,
    request: OpenRequest,
    host: Option<NativeHost<'_>>,
) -> napi::Result<PromiseRaw<'env, Value>> {
    let call = open_call_with(env, request, host.as_ref())?;
    promise(env, async move { to_value(&services::examine_database(call).await?) }, |checks| checks)
}

/// Copies the vectors of an agent from its file to the database that its settings name, or back, whichever of both is in use
/// now; null when memory search is switched off. What is there already stays as it is.
#[napi(ts_return_type = "Promise<StoreCopied | null>")]
pub fn copy_store<'env>(
    env: &'env Env,
    request: OpenRequest,
    into_database: bool,
    progress: Option<ProgressFunction<'_>>,
    host: Option<NativeHost<'_>>,
) -> napi::Result<PromiseRaw<'env, Value>> {
    let call = open_call_with(env, request, host.as_ref())?;
    let progress = match progress.as_ref().map(progress_callback).transpose()? {
        Some(progress) => progress,
        None => std::sync::Arc::new(|_: &services::Step| {}),
    };
    let work = async move { to_value(&services::copy_store(call, into_database, Cancel::new(), progress).await?) };
    promise(env, work, |copied| copied)
}

/// What the database of an agent keeps of it; null when its settings name none, or nothing is kept there. `remove` takes it
/// away, for all gateways that share it.
#[napi(ts_return_type = "Promise<DatabaseRows | null>")]
pub fn database_rows<'env>(
    env: &'env Env,
    request: OpenRequest,
    remove: bool,
    host: Option<NativeHost<'_>>,
) -> napi::Result<PromiseRaw<'env, Value>> {
    let call = open_call_with(env, request, host.as_ref())?;
    promise(env, async move { to_value(&services::database_rows(call, remove).await?) }, |rows| rows)
}
