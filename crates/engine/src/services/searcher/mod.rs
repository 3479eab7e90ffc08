//! Questions to passages: what a question means, within a time limit, and the ranking; and lines of a note as they stand.

mod curated;
pub(super) mod later;
mod meaning;
mod queries;
mod read;
mod scope;
mod search;

use std::sync::Arc;

use super::{
    context::{Context, Service},
    indexer::Indexer,
    telemetry::Telemetry,
};

pub(super) use self::queries::{MAX_QUERY_CHARS, QueryVectors};
pub(super) use self::scope::sources as searched_sources;
pub use self::search::SearchCall;

/// Searches the index of one engine.
pub struct Searcher {
    context: Arc<Context>,
    telemetry: Arc<Telemetry>,
    indexer: Arc<Indexer>,
    queries: Arc<QueryVectors>,
    /// What curated files say about their lines.
    curated: crate::curated::Cache,
}

impl Service for Searcher {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Searcher {
    pub(super) fn new(context: &Arc<Context>, telemetry: &Arc<Telemetry>, indexer: &Arc<Indexer>) -> Self {
        Self {
            context: Arc::clone(context),
            telemetry: Arc::clone(telemetry),
            indexer: Arc::clone(indexer),
            queries: Arc::new(QueryVectors::new(context, telemetry)),
            curated: crate::curated::Cache::default(),
        }
    }

    /// The vectors of recent questions.
    pub(super) const fn queries(&self) -> &Arc<QueryVectors> {
        &self.queries
    }
}
