//! Asynchronous batch APIs (D11): cheaper by a third to a half, and answered within hours. A job is written down
//! before it is submitted, so that a restart finds it again and nothing is paid for twice.

mod embedder;
mod files;
mod gemini;
mod multipart;
mod openai;
#[cfg(test)]
mod tests;

pub(crate) use embedder::BatchEmbedder;
pub(crate) use gemini::GeminiBatch;
pub(crate) use openai::FileBatch;

use super::{BoxFuture, fault::Fault};
use model::error::Result;

/// Texts in one job at most (D11).
pub(crate) const MAX_JOB_TEXTS: usize = 50_000;

/// How a job stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JobState {
    /// Not finished.
    Running,
    /// Finished, entirely or in part; where its results are, if there are any.
    Finished(Option<String>),
}

/// One result line of a job.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JobLine {
    /// The name that the request line was given.
    pub name: String,
    /// The vector; none when the provider refused this text.
    pub vector: Option<Vec<f32>>,
    /// Tokens as the provider counted them.
    pub tokens: u64,
}

/// Takes one result line.
pub(crate) type LineSink<'a> = dyn FnMut(JobLine) -> Result<(), Fault> + Send + 'a;

/// A provider's batch API.
pub(crate) trait BatchApi: Send + Sync {
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
