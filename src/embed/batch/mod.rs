//! Asynchronous batch APIs (D11): cheaper by a third to a half, and answered within hours. A job is written down
//! before it is submitted, so that a restart finds it again and nothing is paid for twice.

mod embedder;
mod files;
mod gemini;
mod multipart;
mod openai;
#[cfg(test)]
mod tests;

pub use embedder::BatchEmbedder;
pub use gemini::GeminiBatch;
pub use openai::{OpenAiBatch, VoyageBatch};

use super::{BoxFuture, fault::Fault};
use crate::error::Result;

/// Texts in one job at most (D11).
pub const MAX_JOB_TEXTS: usize = 50_000;

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

/// How a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// Not finished.
    Running,
    /// Finished, entirely or in part; where its results are, if there are any.
    Finished(Option<String>),
}

/// One result line of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct JobLine {
    /// The name that the request line was given.
    pub name: String,
    /// The vector; none when the provider refused this text.
    pub vector: Option<Vec<f32>>,
    /// Tokens as the provider counted them.
    pub tokens: u64,
}

/// Takes one result line.
pub type LineSink<'a> = dyn FnMut(JobLine) -> Result<(), Fault> + Send + 'a;

/// A provider's batch API.
pub trait BatchApi: Send + Sync {
    /// Submits a job of (name, text) lines under our own token; returns the provider's name for it.
    fn submit<'a>(&'a self, token: &'a str, lines: &'a [(String, &'a str)]) -> BoxFuture<'a, Result<String, Fault>>;

    /// Finds a job that was submitted under a token.
    fn find<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Option<String>, Fault>>;

    /// Asks how a job stands.
    fn poll<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<JobState, Fault>>;

    /// Reads the results of a job, line by line, in any order.
    fn results<'a>(&'a self, output: &'a str, sink: &'a mut LineSink<'a>) -> BoxFuture<'a, Result<(), Fault>>;

    /// Stops a job. What it has finished stays.
    fn cancel<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Fault>>;
}
