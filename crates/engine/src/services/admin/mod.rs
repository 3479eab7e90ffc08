//! What a user does with an index as a whole: check, forget, start over, copy and back, take over vectors.

mod adopt;
mod backup;
pub(super) mod database;
mod doctor;
mod forget;
mod import;
mod leaving;
mod reset;
mod restore;
mod unfinished;

use std::sync::{Arc, atomic::AtomicBool};

use super::{
    context::{Context, Service},
    indexer::Indexer,
    searcher::Searcher,
    telemetry::Telemetry,
    writer::WriterLease,
};

use model::error::Result;

pub use self::{
    backup::Copied,
    doctor::Check,
    forget::{ForgetCall, ForgetReport, ForgetUndone, ForgottenBefore, ForgottenTaken},
    import::{ImportCall, ImportOutcome},
    leaving::{DatabaseRows, database_rows, index_files},
    reset::Cleared,
    restore::Restored,
    unfinished::unfinished_texts,
};

/// Administers the index of one engine.
pub struct Admin {
    context: Arc<Context>,
    telemetry: Arc<Telemetry>,
    writer: Arc<WriterLease>,
    indexer: Arc<Indexer>,
    searcher: Arc<Searcher>,
    /// Whether this process has looked for what a killed one has left.
    tidied: AtomicBool,
    /// Whether it looks for what was begun to be forgotten.
    looks: AtomicBool,
}

impl Service for Admin {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Admin {
    pub(super) fn new(
        context: &Arc<Context>,
        telemetry: &Arc<Telemetry>,
        writer: &Arc<WriterLease>,
        indexer: &Arc<Indexer>,
        searcher: &Arc<Searcher>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            telemetry: Arc::clone(telemetry),
            writer: Arc::clone(writer),
            indexer: Arc::clone(indexer),
            searcher: Arc::clone(searcher),
            tidied: AtomicBool::new(false),
            looks: AtomicBool::new(false),
        }
    }

    /// Stops the provider's batch jobs that have not finished; gives their number. What they have finished is paid for
    /// and fetched by the next sync.
    ///
    /// # Errors
    /// When the provider refuses.
    pub async fn cancel_batches(self: &Arc<Self>) -> Result<usize> {
        match self.context.provider().embedder()? {
            Some(embedder) => embedder.cancel_pending().await,
            None => Ok(0),
        }
    }
}
