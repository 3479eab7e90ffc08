//! Stored facts.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, from_value, to_value},
    manager::NativeManager,
    promise::promise,
};
use engine::{
    capture::{facts::DEFAULT_IMPORTANCE, rules::Category},
    services::facts::{ImportRow, Told},
};
use model::error::{Code, Error};

/// A fact to be stored.
#[napi(object)]
pub struct FactInput {
    /// The words; at most 500 characters.
    pub text: String,
    /// preference, fact, decision, entity or other; default other.
    pub category: Option<String>,
    /// 0–1; default 0.7.
    pub importance: Option<f64>,
}

/// In which conversation a fact is said, so that it can be forgotten with that.
#[napi(object)]
pub struct FactSource {
    /// Whose automatic memory.
    pub agent: AutomaticAgent,
    /// The key of the conversation.
    pub session_key: Option<String>,
    /// The id of the conversation.
    pub session_id: Option<String>,
}

#[napi]
impl NativeManager {
    /// Every stored fact, oldest note first.
    #[napi(ts_return_type = "Promise<StoredFact[]>")]
    pub fn facts<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.facts.all().await?) }, |facts| facts)
    }

    /// The facts nearest to a question, nearest first.
    #[napi(ts_return_type = "Promise<FactAnswer>")]
    pub fn search_facts<'env>(
        &self,
        env: &'env Env,
        query: String,
        limit: u32,
        min_score: f64,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move { to_value(&engine.facts.search(&query, limit as usize, min_score).await?) };
        promise(env, work, |answer| answer)
    }

    /// Keeps a fact, unless memory holds it already or it must not be kept.
    #[napi(ts_return_type = "Promise<FactOutcome>")]
    pub fn store_fact<'env>(
        &self,
        env: &'env Env,
        fact: FactInput,
        source: Option<FactSource>,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let told = source.map(|FactSource { agent, session_key, session_id }| Told {
            folder: agent.folder(),
            session_key,
            session_id,
        });
        let work = async move {
            let name = fact.category.as_deref().unwrap_or("other");
            let category = Category::parse(name)
                .ok_or_else(|| Error::new(Code::Argument, format!("\"{name}\" is no category of facts")))?;
            let importance = fact.importance.filter(|value| value.is_finite()).unwrap_or(DEFAULT_IMPORTANCE);
            to_value(&engine.facts.store(&fact.text, category, importance.clamp(0.0, 1.0), told).await?)
        };
        promise(env, work, |stored| stored)
    }

    /// Takes a fact out of the notes, and the entry that consolidation has made of it where nothing else speaks for that; null
    /// when there is none of that id.
    #[napi(ts_return_type = "Promise<Unlearned | null>")]
    pub fn forget_fact<'env>(
        &self,
        env: &'env Env,
        agent: AutomaticAgent,
        id: String,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        promise(env, async move { to_value(&engine.facts.forget(agent.folder(), id).await?) }, |forgotten| forgotten)
    }

    /// Takes over the rows of another store of facts.
    #[napi(ts_return_type = "Promise<FactImport>")]
    pub fn import_facts<'env>(
        &self,
        env: &'env Env,
        #[napi(
            ts_arg_type = "{ text: string; importance?: number | null; category?: string | null; createdAt?: number | null }[]"
        )]
        rows: Value,
        dry_run: bool,
    ) -> napi::Result<PromiseRaw<'env, Value>> {
        let engine = self.engine(env)?;
        let work = async move {
            let rows: Vec<ImportRow> = from_value(rows, "facts")?;
            to_value(&engine.facts.import(rows, dry_run).await?)
        };
        promise(env, work, |outcome| outcome)
    }
}
