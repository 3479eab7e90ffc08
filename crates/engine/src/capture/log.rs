//! The captures log: what was kept, what was not and why, and what was taken back. Append-only.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{jsonl, rules::Category};
use model::error::{Code, Error, Result};

/// Name of the file in the agent's folder.
pub(super) const FILE: &str = "captures.jsonl";

/// Entries looked at to know what was judged before.
const REMEMBERED: usize = 5000;

/// Lines until the file is rotated.
const MAX_LINES: usize = 50_000;

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is in a note.
    Stored,
    /// It was not kept.
    Skipped,
    /// It was kept and taken out again.
    Undone,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Name of the capture, for undo.
    pub id: String,
    /// When, ISO 8601 in UTC.
    pub ts: String,
    /// What became of it.
    pub status: Status,
    /// The fact as it is in the note, or the beginning of what was not kept; without secrets.
    pub text: String,
    /// Why it was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The kind of fact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The note it is in, relative to the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The conversation it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Fingerprint of the message it comes from, so that a message is judged once.
    pub message: String,
}

/// The log of one agent.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// The log in an agent's folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE) }
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&self, entry: &Entry) -> Result<()> {
        let line =
            serde_json::to_string(entry).map_err(|e| Error::new(Code::Internal, format!("captures log: {e}")))?;
        jsonl::append_or_begin(&self.path, &line)
    }

    /// Starts a new file when this one is long. `date` names the old one.
    ///
    /// # Errors
    /// When the file cannot be renamed.
    pub(crate) fn rotate(&self, date: &str) -> Result<()> {
        if self.path.exists() {
            jsonl::rotate(&self.path, MAX_LINES, date)?;
        }
        Ok(())
    }

    /// The last `n` captures, newest first, each as it is now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn recent(&self, n: usize) -> Result<Vec<Entry>> {
        let lines = jsonl::tail(&self.path, REMEMBERED)?;
        let mut seen = HashSet::new();
        let newest = lines.iter().rev().filter_map(|line| serde_json::from_str::<Entry>(line).ok());
        Ok(newest.filter(|entry| seen.insert(entry.id.clone())).take(n).collect())
    }

    /// Everything that is still remembered, as it is now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn all(&self) -> Result<Vec<Entry>> {
        self.recent(REMEMBERED)
    }

    /// One capture as it is now.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is none of that id.
    pub fn get(&self, id: &str) -> Result<Entry> {
        self.all()?.into_iter().find(|entry| entry.id == id).ok_or_else(|| {
            Error::new(Code::NotFound, format!("there is no capture \"{id}\""))
                .remedy("`openclaw memory captures` lists them")
        })
    }
}
