//! What models took that answered, and prices that a person has said.

use napi::{Env, bindgen_prelude::PromiseRaw};
use napi_derive::napi;
use serde_json::Value;

use super::{
    automatic::{AutomaticAgent, to_value},
    error::to_js,
    promise::promise,
};
use engine::{
    capture::jsonl,
    spending::{Answers, ModelPrice, Prices, Spending, no_price},
};

/// What an answer of a model took.
#[napi(object)]
pub struct AnswerSpent {
    /// What was asked for: `active-memory`, `consolidation`, `memory-capture`, …
    pub purpose: String,
    /// The provider, as the host names it.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Tokens of the question, cached ones included.
    pub input_tokens: f64,
    /// Tokens of the answer.
    pub output_tokens: f64,
    /// What the host says that it cost, in US dollars.
    pub host_cost: Option<f64>,
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of tokens")]
const fn whole(tokens: f64) -> u64 {
    tokens as u64
}

/// Books an answer in this month. Nobody needs to wait for it; a process that ends waits with `settleTurns`.
///
/// # Errors
/// When the file cannot be read or written.
#[napi]
pub fn book_answer(env: &Env, agent: AutomaticAgent, spent: AnswerSpent) -> napi::Result<PromiseRaw<'_, ()>> {
    let answers = Answers {
        month: jiff::Zoned::now().strftime("%Y-%m").to_string(),
        purpose: spent.purpose,
        provider: spent.provider,
        model: spent.model,
        requests: 1,
        input_tokens: whole(spent.input_tokens),
        output_tokens: whole(spent.output_tokens),
        host_cost: spent.host_cost.unwrap_or_default(),
        costed: u64::from(spent.host_cost.is_some()),
    };
    let book = Spending::of(&agent.folder());
    promise(env, jsonl::settled(move || book.book(&answers)), |()| ())
}

/// What models have taken that answered, by month, oldest first.
///
/// # Errors
/// When the file cannot be read.
#[napi(ts_return_type = "Promise<Answers[]>")]
pub fn list_answers(env: &Env, agent: AutomaticAgent) -> napi::Result<PromiseRaw<'_, Value>> {
    let book = Spending::of(&agent.folder());
    promise(env, jsonl::settled(move || to_value(&book.rows()?)), |rows| rows)
}

/// The prices that were said on the page, for all agents.
///
/// # Errors
/// When the file cannot be read.
#[napi(ts_return_type = "Promise<ModelPrice[]>")]
pub fn kept_prices(env: &Env, agent: AutomaticAgent) -> napi::Result<PromiseRaw<'_, Value>> {
    let prices = Prices::of(&agent.shared_folder());
    promise(env, jsonl::settled(move || to_value(&prices.all()?)), |all| all)
}

/// Keeps prices over those of before, and takes out those of the names `without`; gives all.
///
/// # Errors
/// `MEM_ARGUMENT` for what is no price, and when the file cannot be read or written.
#[napi(ts_return_type = "Promise<ModelPrice[]>")]
pub fn keep_prices<'env>(
    env: &'env Env,
    agent: AutomaticAgent,
    #[napi(ts_arg_type = "ModelPrice[]")] prices: Value,
    without: Vec<String>,
) -> napi::Result<PromiseRaw<'env, Value>> {
    let said: Vec<ModelPrice> = serde_json::from_value(prices).map_err(|_| to_js(env, no_price()))?;
    let prices = Prices::of(&agent.shared_folder());
    promise(env, jsonl::settled(move || to_value(&prices.set(said, &without)?)), |all| all)
}
