//! What memory does by itself around a conversation: recall before a turn, capture after it.

mod candidates;
mod capture;
mod recall;

use std::sync::Arc;

use super::{
    context::{Context, Service},
    facts::Facts,
    indexer::Indexer,
    now_ms,
    searcher::{SearchCall, Searcher},
};
use model::source::Source;

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

/// A search of the notes with the settings' values.
fn plain_search() -> SearchCall {
    SearchCall {
        query: String::new(),
        understood: None,
        max_results: None,
        min_score: None,
        // Conversations hold every fact before it is captured, and what strangers said.
        sources: vec![Source::Memory],
        lexical_only: false,
        explain: false,
        deadline_ms: None,
        now_ms: now_ms(),
        session_key: None,
        active_projects: Vec::new(),
        conversations: None,
    }
}

#[cfg(test)]
mod tests;
