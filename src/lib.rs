//! The only place that knows napi: JavaScript values in, engine calls, promises out.
//!
//! Exported functions validate and hand over to other threads. What must be on the disk before a hook returns is written at
//! once, in `automatic`; nothing here touches a database or a network on the JS thread.

pub mod active_memory;
pub mod admin;
pub mod automatic;
pub mod capture;
pub mod consolidation;
mod curated;
pub mod database;
mod error;
pub mod facts;
pub mod host;
pub mod host_rules;
mod import;
pub mod intents;
pub mod log;
pub mod manager;
pub mod map;
mod promise;
pub mod prompts;
mod runtime;
pub mod spending;
pub mod text;
mod thread;
pub mod types;
