//! Where an indexed text comes from.

use serde::{Deserialize, Serialize};

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Markdown of the workspace.
    Memory,
    /// A session transcript.
    Sessions,
}

impl Source {
    /// The text stored in the database and shown to the host.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sessions => "sessions",
        }
    }

    /// The inverse of [`Self::as_str`]; any other text is the workspace's.
    #[must_use]
    pub fn of(stored: &str) -> Self {
        if stored == Self::Sessions.as_str() { Self::Sessions } else { Self::Memory }
    }
}
