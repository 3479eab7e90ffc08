//! Jobs of asynchronous batch APIs (D11), as they are written down.

use crate::error::Result;

/// SHA-256 of a text.
pub type TextHash = [u8; 32];

/// A job at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchJob {
    /// Our own name for it, written down before the provider knows it.
    pub token: String,
    /// The provider's name for it; none when we were killed while submitting.
    pub id: Option<String>,
    /// The key of the embedding space.
    pub space: String,
    /// The texts it was given.
    pub hashes: Vec<TextHash>,
    /// When it was written down, in milliseconds since 1970.
    pub created_ms: u64,
}

/// Where jobs are written down; the store implements it. Calls may block; they are made outside of
/// the runtime's own threads.
pub trait BatchLedger: Send + Sync {
    /// The jobs of a space that are not closed, oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    fn jobs(&self, space: &str) -> Result<Vec<BatchJob>>;

    /// Writes down a job that is about to be submitted.
    ///
    /// # Errors
    /// When it cannot be written; the job is not submitted then.
    fn open(&self, job: &BatchJob) -> Result<()>;

    /// Adds the provider's name of a job.
    ///
    /// # Errors
    /// When it cannot be written; the job is found again by its token.
    fn submitted(&self, token: &str, id: &str) -> Result<()>;

    /// Forgets a job: its results are stored, or there will be none.
    ///
    /// # Errors
    /// When it cannot be written.
    fn close(&self, token: &str) -> Result<()>;
}
