//! What every other crate speaks of: errors, cancellation, settings, and the few words they share. It depends on none of
//! them.
//!
//! ```
//! use model::config::resolve::{ResolveInput, resolve};
//! use std::path::Path;
//!
//! let config = serde_json::json!({ "memory": { "search": { "query": { "maxResults": 3 } } } });
//! let input = ResolveInput {
//!     config: &config,
//!     agent_id: "main",
//!     state_dir: Path::new("/home/ana/.openclaw"),
//!     home_dir: Path::new("/home/ana"),
//!     workspace_dir: None,
//!     default_workspace_dir: None,
//! };
//! let resolved = resolve(&input)?.expect("memory search is on by default");
//! assert_eq!(resolved.settings.query.max_results, Some(3));
//! assert_eq!(resolved.settings.query.budget_chars, 4_200);
//! # Ok::<(), model::error::Error>(())
//! ```

pub mod batch;
pub mod callers;
pub mod cancel;
pub mod clock;
pub mod config;
pub mod error;
pub mod layout;
pub mod number;
pub mod own_file;
pub mod parallel;
pub mod priority;
pub mod session_key;
pub mod source;
pub mod stamp;
pub mod unfinished;
pub mod usage;
