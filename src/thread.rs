//! The JavaScript thread that a call comes from, and its end: what waits for a thread must not wait for a dead one.

use std::{
    cell::RefCell,
    sync::atomic::{AtomicU64, Ordering},
};

use napi::Env;
use tokio::sync::watch;

use model::error::{Code, Error, Result};

/// A JavaScript environment: the main thread or one of `worker_threads`.
#[derive(Clone)]
pub(super) struct JsThread {
    /// Never given to another thread.
    pub id: u64,
    /// Closed when the thread ends.
    living: watch::Receiver<()>,
}

thread_local! {
    /// What is known of this thread, once it was asked for.
    static HERE: RefCell<Option<JsThread>> = const { RefCell::new(None) };
}

impl JsThread {
    /// The thread that calls.
    pub(super) fn current(env: &Env) -> napi::Result<Self> {
        if let Some(known) = HERE.with_borrow(Clone::clone) {
            return Ok(known);
        }
        static LAST: AtomicU64 = AtomicU64::new(0);
        let (end, living) = watch::channel(());
        env.add_env_cleanup_hook(end, |end| {
            drop(end);
            // The operating system's thread may serve another environment later.
            HERE.set(None);
        })?;
        let thread = Self { id: LAST.fetch_add(1, Ordering::Relaxed) + 1, living };
        HERE.set(Some(thread.clone()));
        Ok(thread)
    }

    /// Waits for something that only this thread can give; [`Code::Closed`] when it ends first.
    pub(super) async fn wait<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let mut living = self.living.clone();
        tokio::select! {
            biased;
            // Nothing is ever sent: a change is the end.
            _ = living.changed() => Err(Error::new(Code::Closed, "the thread that was asked has ended")),
            outcome = work => outcome,
        }
    }

    /// Whether it has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.living.has_changed().is_err()
    }
}
