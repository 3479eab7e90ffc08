//! What embedding leaves behind for the next text: the mapped weights, the memory of forward passes, the threads. Given
//! back when none has come for a while.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rayon::ThreadPool;
use tokio::runtime::Handle;

use minilm::Scratch;

use super::source::{Model, Source};
use model::{error::Result, parallel};

/// What the next text finds ready.
pub(super) struct Reserve {
    source: Arc<Source>,
    /// All is given back after so long without a text.
    idle: Duration,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    model: Option<Arc<Model>>,
    scratch: Vec<Scratch>,
    pool: Option<Arc<ThreadPool>>,
    /// When the last text came. None when nothing is kept; else a task waits to give it back.
    used: Option<Instant>,
}

impl Reserve {
    /// Nothing yet, for work with the weights of `source`.
    pub(super) fn new(source: Arc<Source>, idle: Duration) -> Self {
        Self { source, idle, kept: Arc::default() }
    }

    /// Has what texts leave behind kept for the next ones, until none has come for a while. Outside of a runtime there is
    /// nobody to give it back, and nothing is kept.
    pub(super) fn keep(&self) {
        let Ok(runtime) = Handle::try_current() else { return };
        if self.kept.lock().used.replace(Instant::now()).is_none() {
            runtime.spawn(give_back(Arc::downgrade(&self.kept), self.idle));
        }
    }

    /// The pool for documents, kept with the rest.
    ///
    /// # Errors
    /// When there are no threads.
    pub(super) fn pool(&self) -> Result<Arc<ThreadPool>> {
        let mut kept = self.kept.lock();
        let pool = kept.pool.clone().map_or_else(parallel::pool, Ok)?;
        if kept.used.is_some() {
            kept.pool = Some(Arc::clone(&pool));
        }
        Ok(pool)
    }

    /// Does work with the weights and with the memory of a forward pass.
    ///
    /// # Errors
    /// When the weights cannot be read, and as the work.
    pub(super) fn work<T>(&self, work: impl FnOnce(&Source, &Model, &mut Scratch) -> Result<T>) -> Result<T> {
        let (model, scratch) = {
            let mut kept = self.kept.lock();
            (kept.model.clone(), kept.scratch.pop())
        };
        let model = model.map_or_else(|| self.source.model(), Ok)?;
        let mut scratch = scratch.unwrap_or_default();
        let outcome = work(&self.source, &model, &mut scratch);
        let mut kept = self.kept.lock();
        if let Some(used) = &mut kept.used {
            *used = Instant::now();
            kept.model = Some(model);
            kept.scratch.push(scratch);
        }
        outcome
    }

    /// Whether the threads for documents are kept.
    #[cfg(test)]
    pub(super) fn keeps_threads(&self) -> bool {
        self.kept.lock().pool.is_some()
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
