//! Vectors of single lines, by a model in this process: searches are finer with them and go without as long as some are
//! missing. Beside a hosted provider nobody waits for them.

use std::sync::Arc;

use super::{
    super::context::Service,
    Indexer,
    queue::{Merge, Queue},
};
use crate::index::{Progress, Step, line_pass};
use embed::Embedder;
use model::{
    config::settings::{Ranking, Settings},
    error::Result,
};

/// All callers want the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineCall;

impl Merge for LineCall {
    fn merge(&mut self, _: &Self) {}
}

/// Passes over lines; each gives the number of texts whose lines got vectors.
pub(super) type LineQueue = Queue<LineCall, usize>;

impl Indexer {
    /// Gives the lines of all texts their vectors and waits for it.
    ///
    /// # Errors
    /// When the model or the store fails, or when the engine is closed; what is done stays done.
    pub(super) async fn sync_lines(self: &Arc<Self>, progress: Option<Progress>) -> Result<Arc<usize>> {
        let indexer = Arc::clone(self);
        let work = move |_: LineCall, progress: Progress| {
            let indexer = Arc::clone(&indexer);
            async move { indexer.run_lines(&progress).await }
        };
        self.lines.run(LineCall, self.context.shutdown(), progress, work).await
    }

    /// The same without waiting for it.
    pub(super) fn sync_lines_in_background(self: &Arc<Self>) {
        if self.context.is_closed() {
            return;
        }
        let indexer = Arc::clone(self);
        tokio::spawn(async move {
            let outcome = indexer.sync_lines(None).await;
            indexer.context.told(outcome, "lines got no vectors of their own; searches compare whole chunks");
        });
    }

    /// The model in this process that embeds lines, where it does so in reasonable time. Blocks.
    pub(super) fn line_model(&self, settings: &Settings) -> Result<Option<Arc<dyn Embedder>>> {
        let provider = self.context.provider();
        // A provider that cannot be used has said so.
        let Ok(Some(embedder)) = provider.embedder() else { return Ok(None) };
        let chunks = self.context.store().read(|r| r.live()?.map_or(Ok(0), |live| r.chunk_count(live.id)))?;
        let is_wanted = settings.vector_enabled
            && settings.query.ranking == Ranking::Native
            && (1..=line_pass::most_chunks(&*embedder)).contains(&chunks);
        Ok(if is_wanted { provider.line_embedder() } else { None })
    }

    async fn run_lines(self: Arc<Self>, progress: &Progress) -> Result<usize> {
        let begin = |indexer: &Arc<Self>, settings: &Settings| {
            let Some(model) = indexer.line_model(settings)? else { return Ok(None) };
            let key = model.space().key();
            let (space, total) = indexer.context.store().read(|r| {
                let space = r.space(&key)?.map(|space| space.id);
                Ok((space, r.live()?.map_or(Ok(0), |live| r.pending_lines(live.id, space))?))
            })?;
            Ok((total > 0).then_some((model, space.is_none(), usize::try_from(total).unwrap_or_default())))
        };
        let Some((model, is_first, total)) = self.background(begin).await? else { return Ok(0) };
        let store = self.context.store();
        if is_first {
            self.writer.indexing(progress, || line_pass::open(store, &*model)).await?;
        }
        let redact_secrets = self.context.settings().settings.provider.redact_secrets;
        let shutdown = self.context.shutdown();
        let mut pass = line_pass::pass(store, Arc::clone(&model), &self.recent_lines, redact_secrets, shutdown);
        let mut done = 0;
        while let Some(lines) = pass.next().await? {
            let lines = Arc::new(lines);
            self.writer.indexing(progress, || line_pass::keep(store, &*model, Arc::clone(&lines))).await?;
            // Others who want to write have their turn while the next ones are embedded.
            self.writer.give_back().await?;
            done += lines.len();
            self.telemetry.note_lines(lines.len() as u64);
            progress(&Step { completed: done, total: total.max(done), label: "Embedding lines".to_owned() });
        }
        Ok(done)
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
