//! Captures in the journal: what was kept, what was not and why, and what was taken back.

use serde::{Deserialize, Serialize};

use super::{
    filter::Reason,
    journal::{FactSource, Journal, Record},
    rules::Category,
};
use model::error::Result;

/// What became of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is in a note.
    Stored,
    /// It was not kept.
    Skipped,
    /// It was kept and taken out again.
    Undone,
}

/// What became of one text.
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
    /// The id of that conversation, where the host told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Fingerprint of the message it comes from, so that a message is judged once.
    pub message: String,
    /// The messages that were judged with it, where the host told when they were said: it may hand one over once more with another
    /// time than it had in its own turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<Heard>,
}

/// A message as it was in its own turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// Fingerprint of its words.
    pub words: String,
    /// When it was said, in milliseconds since the epoch.
    pub at: i64,
}

impl Entry {
    /// Whether it is of a conversation.
    pub(super) fn is_of(&self, key: Option<&str>, id: Option<&str>) -> bool {
        match (self.session_id.as_deref(), id) {
            (Some(of), Some(here)) => of == here,
            _ => self.session_key.is_some() && self.session_key.as_deref() == key,
        }
    }

    /// Whether the user said it: a command and a machine's message are none between two others.
    pub(super) fn was_said(&self) -> bool {
        self.text.is_empty() || self.reason.as_deref() != Some(Reason::Noise.as_str())
    }

    /// Whether it was noted before an instant, in milliseconds since the epoch.
    pub(super) fn is_before(&self, ms: i64) -> bool {
        self.ts.parse::<jiff::Timestamp>().is_ok_and(|ts| ts.as_millisecond() < ms)
    }
}

impl Journal {
    /// Adds what became of a text.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn add_capture(&self, entry: Entry) -> Result<()> {
        self.add(&Record::Capture(entry))
    }

    /// The captures that are remembered, newest first, each as it is now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn captures(&self) -> Result<Vec<Entry>> {
        Ok(self.read()?.captures().cloned().collect())
    }

    /// Notes in which conversation a fact was stored.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn add_fact(&self, source: FactSource) -> Result<()> {
        self.add(&Record::Fact(source))
    }

    /// Where stored facts come from, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn facts(&self) -> Result<Vec<FactSource>> {
        if self.exists() { Ok(self.read()?.facts) } else { Ok(Vec::new()) }
    }
}
