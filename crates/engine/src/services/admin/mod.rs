//! What a user does with an index as a whole: check, forget, start over, copy and back, take over vectors.

mod doctor;
mod forget;
mod import;
mod keep;
mod restore;

use std::sync::Arc;

use super::{
    context::{Context, Service},
    indexer::Indexer,
    searcher::Searcher,
    telemetry::Telemetry,
    writer::WriterLease,
};

pub use self::{
    doctor::Check,
    forget::{ForgetCall, ForgetReport},
    import::{ImportCall, ImportOutcome},
    keep::{Cleared, Copied},
    restore::Restored,
};

/// Administers the index of one engine.
pub struct Admin {
    context: Arc<Context>,
    telemetry: Arc<Telemetry>,
    writer: Arc<WriterLease>,
    indexer: Arc<Indexer>,
    searcher: Arc<Searcher>,
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
        }
    }
}
