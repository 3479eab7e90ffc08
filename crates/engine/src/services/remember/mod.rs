//! What memory does by itself around a conversation: recall before a turn, capture after it.

mod candidates;
mod capture;
mod later;
mod recall;

use std::sync::Arc;

use super::{
    context::{Context, Service},
    facts::Facts,
    indexer::Indexer,
    searcher::{SearchCall, Searcher},
};

pub use self::recall::{Recall, RecallFiles};

/// Recall and capture of one engine.
pub struct Remember {
    context: Arc<Context>,
    indexer: Arc<Indexer>,
    searcher: Arc<Searcher>,
    facts: Arc<Facts>,
}

impl Service for Remember {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Remember {
    pub(super) fn new(
        context: &Arc<Context>,
        indexer: &Arc<Indexer>,
        searcher: &Arc<Searcher>,
        facts: &Arc<Facts>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            indexer: Arc::clone(indexer),
            searcher: Arc::clone(searcher),
            facts: Arc::clone(facts),
        }
    }
}

#[cfg(test)]
mod tests;
