//! The engine of memory-core-rs: what is on the disk becomes an index, and a question becomes the passages that answer.
//! Data flows one way: workspace → transcripts → index → search, what happens by itself around a conversation is
//! `capture`, and what was met again and again becomes a line of MEMORY.md in `consolidation`. `services` puts it
//! together, one [`services::Engine`] per database and process.
//!
//! ```
//! use engine::services::{OpenCall, SearchCall, SyncCall, open};
//! use model::cancel::Cancel;
//! use std::{fs, sync::Arc};
//!
//! # async fn example() -> model::error::Result<()> {
//! let home = tempfile::tempdir().expect("a folder");
//! let workspace = home.path().join("workspace");
//! fs::create_dir_all(workspace.join("memory")).expect("a folder");
//! fs::write(workspace.join("memory/2026-11-02.md"), "- The boiler was repaired by Berg.\n").expect("a note");
//! let lease = open(OpenCall {
//!     config: serde_json::json!({ "memory": { "search": { "provider": "none" } } }),
//!     agent_id: "main".to_owned(),
//!     state_dir: home.path().join("state"),
//!     home_dir: home.path().to_owned(),
//!     workspace_dir: Some(workspace),
//!     default_workspace_dir: None,
//!     accounts: Vec::new(),
//!     database_url: None,
//!     database_parts: None,
//!     model_paths: Vec::new(),
//!     thread: 0,
//!     host: None,
//!     background: false,
//!     clock: std::sync::Arc::new(model::clock::SystemClock),
//! })
//! .await?
//! .expect("memory search is on by default");
//! let call = SyncCall { reason: "example".to_owned(), force: false, text_only: false };
//! lease.indexer.sync(call, Cancel::new(), None).await?;
//! let call = SearchCall { query: "who repaired the boiler".to_owned(), ..SearchCall::of_notes() };
//! let answer = lease.searcher.search(call, Cancel::new()).await?;
//! assert_eq!(answer.hits[0].path, "memory/2026-11-02.md");
//! lease.release().await;
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().expect("a runtime").block_on(example()).expect("found");
//! ```

pub mod active_memory;
pub mod blocking;
pub mod capture;
mod classifier;
pub mod consolidation;
pub mod curated;
mod exchange;
pub mod forgetting;
#[cfg(all(test, unix))]
mod growth_tests;
pub mod host;
pub mod index;
pub mod intents;
pub mod log;
mod map;
#[cfg(test)]
mod sample_hits;
pub mod services;
pub mod spending;
pub mod transcripts;
pub mod workspace;
