//! Bringing the index up to date: disk against store, text first, vectors after.
//!
//! The text pass makes new words findable at once and costs nothing; the embedding pass asks a provider only for
//! texts whose vectors are not in the store yet. Both can be stopped at any step and go on from there.

mod changes;
pub(crate) mod cutter;
mod difference;
pub(crate) mod embed_pass;
mod encoding;
mod holders;
mod host_sessions;
pub mod identity;
pub(crate) mod index_text;
pub(crate) mod line_pass;
pub mod lost;
pub(crate) mod media;
mod named;
pub(crate) mod owner;
pub mod plan;
pub mod rows;
pub(crate) mod session_pass;
pub(crate) mod session_plan;
mod sweep;

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Serialize};

use self::lost::LostFolder;
use model::error::Error;

/// One line of progress.
#[derive(Debug, Clone)]
pub struct Step {
    /// Steps done.
    pub completed: usize,
    /// Steps in all, as far as known.
    pub total: usize,
    /// What is being done.
    pub label: String,
}

/// Listens to progress. Called from any thread; must not block.
pub type Progress = Arc<dyn Fn(&Step) + Send + Sync>;

/// An error as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Stable code.
    pub code: Cow<'static, str>,
    /// Cause and remedy.
    pub message: String,
    /// The remedy by itself, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Cow<'static, str>>,
    /// The code of the host's own error, when the host or one of its adapters failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_code: Option<Box<str>>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (code, message) = (error.code().as_str().into(), error.to_string());
        Self { code, message, host_code: error.host_code().map(Into::into), remedy: error.remedy }
    }
}

/// What a sync did.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    /// Files on disk that belong to the index.
    pub files: usize,
    /// Files that were read and written anew.
    pub changed: usize,
    /// Files that vanished and were removed.
    pub removed: usize,
    /// Chunks written.
    pub chunks: usize,
    /// Files that could not be indexed.
    pub skipped: usize,
    /// Folders whose notes are not found and are kept all the same; `force` removes them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_folders: Vec<LostFolder>,
    /// What the user should know about them, and about notes that are there and could not be read, with what helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Texts sent to the embedding provider.
    pub embedded: usize,
    /// Texts the provider refused.
    pub refused: usize,
    /// Chunks that still have no vector.
    pub pending: usize,
    /// Why vectors are missing, when the provider failed; keyword search works all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_error: Option<Failure>,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
}
