//! What a database keeps of an agent, and its removal. A file is removed as a file.

use serde::Serialize;

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use model::error::{Code, Error, Result};

/// How much is kept of an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct AgentRows {
    /// Notes with their texts.
    pub notes: u64,
    /// Files of the index.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Acts of forgetting.
    pub forgotten: u64,
}

impl AgentRows {
    /// Whether nothing is kept.
    #[must_use]
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The refusal of a file.
fn no_database<T>() -> Result<T> {
    Err(Error::new(Code::Config, "this index is a file, and no rows of a database")
        .remedy("`openclaw memory reset --everything` removes files"))
}

impl Reader<'_> {
    /// What a database keeps of the agent.
    ///
    /// # Errors
    /// [`Code::Config`] of a file, and when the database cannot be read.
    pub fn rows_of_agent(&self) -> Result<AgentRows> {
        or_postgres!(self.rows_of_agent());
        no_database()
    }
}

impl Tx<'_> {
    /// Removes all that a database keeps of the agent, for whoever shares it, and the vectors that no other agent of the tenant
    /// has a text for. The store is of no use then.
    ///
    /// # Errors
    /// [`Code::Config`] of a file, and when the database cannot be written.
    pub fn remove_agent(&self) -> Result<()> {
        or_postgres!(self.remove_agent());
        no_database()
    }
}
