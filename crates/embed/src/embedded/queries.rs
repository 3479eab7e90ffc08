//! Queries: one short text each, embedded on the runtime's threads for blocking work, so that they wait for no document
//! and need no thread of their own. The memory for it is kept for a while, because people ask more than once.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use minilm::Scratch;

use super::{
    source::{Model, Source, panicked},
    states,
};
use crate::pieces::PieceQuestion;
use model::error::{Code, Error, Result};

/// Embeds queries.
pub(crate) struct Queries {
    source: Arc<Source>,
    /// Memory is given back after so long without a query.
    idle: Duration,
    kept: Arc<Mutex<Kept>>,
}

/// What the next query finds ready.
#[derive(Default)]
struct Kept {
    model: Option<Arc<Model>>,
    scratch: Vec<Scratch>,
    /// When the last query came. None when nothing is kept; else a task waits to give it back.
    used: Option<Instant>,
}

impl Queries {
    /// Embeds with the weights of `source`.
    pub(super) fn new(source: Arc<Source>, idle: Duration) -> Self {
        Self { source, idle, kept: Arc::default() }
    }

    /// The vectors of texts, in their order.
    ///
    /// # Errors
    /// [`Code::Deadline`] when no thread was free within `timeout`, and when the weights cannot be read.
    pub(super) async fn embed(&self, texts: &[String], timeout: Duration) -> Result<Vec<Vec<f32>>> {
        let texts = texts.to_vec();
        self.work(timeout, move |source, model, scratch| source.embed(model, &texts, scratch, || false)).await
    }

    /// A question with the states of its pieces.
    ///
    /// # Errors
    /// As [`Queries::embed`].
    pub(super) async fn question(&self, text: &str, timeout: Duration) -> Result<PieceQuestion> {
        let texts = [text.to_owned()];
        let work = move |source: &Source, model: &Model, scratch: &mut Scratch| {
            source.encode(model, &texts, scratch, || false, states::question)
        };
        self.work(timeout, work).await?.pop().ok_or_else(panicked)
    }

    /// Does work with the weights on a thread for blocking work.
    async fn work<T: Send + 'static>(
        &self,
        timeout: Duration,
        encode: impl FnOnce(&Source, &Model, &mut Scratch) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.keep();
        // A deadline far away overflows the clock: then there is none.
        let deadline = Instant::now().checked_add(timeout);
        let (source, kept) = (Arc::clone(&self.source), Arc::clone(&self.kept));
        let work = move || {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Err(Error::new(Code::Deadline, "the embedded model was busy until the deadline"));
            }
            let (model, scratch) = {
                let mut kept = kept.lock();
                (kept.model.clone(), kept.scratch.pop())
            };
            let model = model.map_or_else(|| source.model(), Ok)?;
            let mut scratch = scratch.unwrap_or_default();
            let encoded = encode(&source, &model, &mut scratch);
            let mut kept = kept.lock();
            if kept.used.is_some() {
                kept.model = Some(model);
                kept.scratch.push(scratch);
            }
            encoded
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(panicked()))
    }

    /// Has what a query leaves behind kept for the next one, until none has come for a while.
    fn keep(&self) {
        if self.kept.lock().used.replace(Instant::now()).is_none() {
            tokio::spawn(give_back(Arc::downgrade(&self.kept), self.idle));
        }
    }
}

async fn give_back(kept: Weak<Mutex<Kept>>, idle: Duration) {
    loop {
        let left = {
            let Some(kept) = kept.upgrade() else { return };
            let mut kept = kept.lock();
            let left = kept.used.map_or(Duration::ZERO, |used| idle.saturating_sub(used.elapsed()));
            if left.is_zero() {
                *kept = Kept::default();
                return;
            }
            left
        };
        tokio::time::sleep(left).await;
    }
}
