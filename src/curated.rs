//! What curated files say about their own lines, for hosts that ask before a reply.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::{Value, json};

use super::{manager::NativeManager, promise::promise};
use engine::curated::triggers::STRONG;
use model::error::{Code, Error, Result};
use search::types::Hit;

#[napi]
impl NativeManager {
    /// Entries with triggers whose projects, if they name any, are all active.
    #[napi(ts_return_type = "Promise<any[]>")]
    pub fn list_trigger_candidates<'env>(
        &self,
        env: &'env Env,
        active_project_keys: Vec<String>,
        limit: u32,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move { engine.searcher.trigger_candidates(active_project_keys, limit as usize).await };
        hits(env, work)
    }

    /// Entries of active projects, the most important first.
    #[napi(ts_return_type = "Promise<any[]>")]
    pub fn list_curated_project_candidates<'env>(
        &self,
        env: &'env Env,
        active_project_keys: Vec<String>,
        limit: u32,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move { engine.searcher.project_candidates(active_project_keys, limit as usize).await };
        hits(env, work)
    }

    /// Which entries a message brings back by their triggers, the strongest first; `strong` ones are shown.
    #[napi(ts_return_type = "Promise<{ score: number; strong: boolean; hit: any }[]>")]
    pub fn trigger_matches<'env>(
        &self,
        env: &'env Env,
        message: String,
        active_project_keys: Vec<String>,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move {
            let found = engine.searcher.trigger_matches(message, active_project_keys).await?;
            let rows = found.iter().map(|found| {
                let hit = serde_json::to_value(&found.hit).map_err(shape)?;
                Ok(json!({ "score": found.score, "strong": found.score >= STRONG, "hit": hit }))
            });
            rows.collect::<Result<Vec<_>>>().map(Value::from)
        };
        promise(env, work, |rows| rows)
    }
}

/// A promise of hits.
fn hits(
    env: &Env,
    found: impl Future<Output = Result<Vec<Hit>>> + Send + 'static,
) -> napi::Result<PromiseRaw<'_, Value>> {
    promise(env, async move { serde_json::to_value(&found.await?).map_err(shape) }, |hits| hits)
}

#[expect(clippy::needless_pass_by_value, reason = "what `map_err` gives")]
fn shape(error: serde_json::Error) -> Error {
    Error::new(Code::Internal, format!("curated entries: {error}"))
}
