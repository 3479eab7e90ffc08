//! Taking over the vectors of another index.

use napi::{
    Env,
    bindgen_prelude::{Float32Array, PromiseRaw},
};
use napi_derive::napi;
use serde_json::Value;

use super::{manager::NativeManager, promise::promise};
use engine::services::ImportCall;
use model::error::{Code, Error};

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
        let work = async move {
            let outcome = engine.admin.import_vectors(call).await?;
            serde_json::to_value(outcome).map_err(|e| Error::new(Code::Internal, format!("import report: {e}")))
        };
        promise(env, work, |outcome| outcome)
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
