//! Active memory: the right memory in the prompt before the reply, and the reply never late.
//!
//! The native search always goes first. Only a message that asks for something remembered, and for which the search is
//! neither sure nor without a clue, is worth one call of a model, which picks among passages that are already found.
//! Everything here is logic with a clock that is handed in, and two small files; who asks the model, and when, is the
//! plugin's business.

pub mod answer;
pub mod block;
pub mod breaker;
pub mod cache;
pub mod calls;
mod chat_patterns;
mod errand_patterns;
pub mod grounding;
pub mod intent;
mod intent_patterns;
pub mod lane;
pub mod prompt;
pub mod query;
mod question_patterns;
mod signs;
pub mod toggles;
pub mod turns;
