//! Taking over from another memory: the vectors of its index, and what it has forgotten.

use napi::{
    Env,
    bindgen_prelude::{Float32Array, PromiseRaw},
};
use napi_derive::napi;
use serde_json::Value;

use super::{admin::whole, automatic::to_value, manager::NativeManager, promise::promise};
use engine::services::{ForgottenBefore, ImportCall};

#[napi]
impl NativeManager {
    /// Whether vectors of this provider and model are those that the settings ask for.
    #[napi]
    pub fn accepts_vectors(&self, env: &Env, provider: String, model: String) -> napi::Result<bool> {
        Ok(self.engine(env)?.admin.accepts_vectors(&provider, &model))
    }

    /// Stores vectors of another index, one a text; with `dryRun` it only counts.
    #[napi(ts_return_type = "Promise<ImportOutcome>")]
    pub fn import_vectors<'env>(
        &self,
        env: &'env Env,
        provider: String,
        model: String,
        texts: Vec<String>,
        vectors: Vec<Float32Array>,
        dry_run: bool,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let vectors = vectors.iter().map(|vector| vector.to_vec()).collect();
        let call = ImportCall { provider, model, texts, vectors, dry_run };
        promise(env, async move { to_value(&engine.admin.import_vectors(call).await?) }, |outcome| outcome)
    }

    /// Keeps out the conversations that another memory has forgotten, with the times when it did, in milliseconds since
    /// the epoch; with `onlyNew` those since the last takeover, with `dryRun` it only counts.
    #[napi(ts_return_type = "Promise<ForgottenTaken>")]
    pub fn take_over_forgotten<'env>(
        &self,
        env: &'env Env,
        session_ids: Vec<String>,
        at_ms: Vec<f64>,
        only_new: bool,
        dry_run: bool,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let before = session_ids.into_iter().zip(at_ms);
        let before = before.map(|(session_id, at)| ForgottenBefore { session_id, at_ms: whole(at) }).collect();
        let work = async move { to_value(&engine.admin.take_over_forgotten(before, only_new, dry_run).await?) };
        promise(env, work, |taken| taken)
    }

    /// Lets in again what another memory has forgotten; gives the number of conversations, with `dryRun` without doing it.
    #[napi(ts_return_type = "Promise<number>")]
    pub fn drop_taken_over_forgotten<'env>(
        &self,
        env: &'env Env,
        dry_run: bool,
    ) -> napi::Result<PromiseRaw<'env, u32>> {
        let engine = self.engine(env)?;
        let work = async move {
            Ok(u32::try_from(engine.admin.drop_taken_over_forgotten(dry_run).await?).unwrap_or(u32::MAX))
        };
        promise(env, work, |count| count)
    }

    /// The report of the last import, or null.
    #[napi(ts_return_type = "Promise<any>")]
    pub fn last_import<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Option<Value>>> {
        let engine = self.engine(env)?;
        promise(env, async move { engine.admin.last_import().await }, |report| report)
    }

    /// Keeps the report of an import.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn note_import<'env>(&self, env: &'env Env, report: Value) -> napi::Result<PromiseRaw<'env, ()>> {
        let engine = self.engine(env)?;
        promise(env, async move { engine.admin.note_import(report).await }, |()| ())
    }
}
