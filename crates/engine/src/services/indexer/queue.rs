//! One sync at a time (E8): a call that comes while one runs shares the next one with all others that wait.
//!
//! A running sync may already have looked at the file that a new caller just changed, so joining it would promise
//! too much; one shared run after it is enough for everybody.

use std::{future::Future, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::index::{Progress, Step};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// What the callers of one run want together.
pub(crate) trait Merge: Clone + Send + 'static {
    /// Takes over what another caller wants.
    fn merge(&mut self, other: &Self);
}

type Outcome<T> = Option<Result<Arc<T>>>;

struct Run<C, T> {
    call: C,
    outcome: watch::Sender<Outcome<T>>,
    listeners: Arc<Mutex<Vec<Progress>>>,
}

impl<C, T> Run<C, T> {
    fn new(call: C) -> Self {
        Self { call, outcome: watch::Sender::new(None), listeners: Arc::default() }
    }
}

struct State<C, T> {
    running: bool,
    next: Option<Run<C, T>>,
}

/// Runs calls one after another; those that wait share one run.
pub(super) struct Queue<C, T> {
    state: Mutex<State<C, T>>,
}

impl<C: Merge, T: Send + Sync + 'static> Queue<C, T> {
    /// An idle queue.
    #[must_use]
    pub(super) fn new() -> Self {
        Self { state: Mutex::new(State { running: false, next: None }) }
    }

    /// Whether something runs.
    #[must_use]
    pub(crate) fn is_running(&self) -> bool {
        self.state.lock().running
    }

    /// Waits for a run that starts after this call. Cancelling stops the waiting, not the run.
    ///
    /// # Errors
    /// What the run gives, or the caller's cancellation.
    pub(super) async fn run<W, F>(
        self: &Arc<Self>,
        call: C,
        cancel: &Cancel,
        progress: Option<Progress>,
        work: W,
    ) -> Result<Arc<T>>
    where
        W: Fn(C, Progress) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut outcome = {
            let mut state = self.state.lock();
            match &mut state.next {
                Some(next) => next.call.merge(&call),
                None => state.next = Some(Run::new(call)),
            }
            let Some(next) = &state.next else { return Err(gone()) };
            next.listeners.lock().extend(progress);
            let outcome = next.outcome.subscribe();
            if !state.running {
                state.running = true;
                tokio::spawn(Arc::clone(self).drain(work));
            }
            outcome
        };
        loop {
            if let Some(done) = outcome.borrow_and_update().clone() {
                return done;
            }
            cancel.check()?;
            let tick = std::time::Duration::from_millis(50);
            if let Ok(Err(_)) = tokio::time::timeout(tick, outcome.changed()).await {
                return Err(gone());
            }
        }
    }

    async fn drain<W, F>(self: Arc<Self>, work: W)
    where
        W: Fn(C, Progress) -> F + Send + Sync + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let unfinished = Unfinished(&self);
        let mut next = self.state.lock().next.take();
        while let Some(run) = next {
            let listeners = Arc::clone(&run.listeners);
            let progress: Progress = Arc::new(move |step: &Step| {
                for listener in listeners.lock().iter() {
                    listener(step);
                }
            });
            // A task of its own, so that a panic ends this run and not the queue.
            let outcome = match tokio::spawn(work(run.call, progress)).await {
                Ok(outcome) => outcome.map(Arc::new),
                Err(e) => Err(Error::new(Code::Internal, format!("the sync stumbled: {e}"))),
            };
            // Whoever hears of the outcome finds that nothing runs any more.
            next = {
                let mut state = self.state.lock();
                let next = state.next.take();
                state.running = next.is_some();
                next
            };
            run.outcome.send_replace(Some(outcome));
        }
        // The state says so already, and another call may have begun to run since.
        std::mem::forget(unfinished);
    }
}

/// The runtime ends with the last thread of JavaScript, in the middle of whatever it does. A thread that comes later
/// must not wait for a run that nobody makes any more: who waits is told, and the next call runs.
struct Unfinished<'q, C, T>(&'q Queue<C, T>);

impl<C, T> Drop for Unfinished<'_, C, T> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.running = false;
        state.next = None;
    }
}

impl<C: Merge, T: Send + Sync + 'static> Default for Queue<C, T> {
    fn default() -> Self {
        Self::new()
    }
}

fn gone() -> Error {
    Error::new(Code::Closed, "the engine was closed")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Clone)]
    struct Want(bool);
    impl Merge for Want {
        fn merge(&mut self, other: &Self) {
            self.0 |= other.0;
        }
    }

    #[tokio::test]
    async fn waiting_calls_share_one_run_and_their_wishes() {
        let queue = Arc::new(Queue::<Want, bool>::new());
        let runs = Arc::new(AtomicUsize::new(0));
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let work = |runs: &Arc<AtomicUsize>, gate: &Arc<tokio::sync::Semaphore>| {
            let (runs, gate) = (Arc::clone(runs), Arc::clone(gate));
            move |want: Want, _: Progress| {
                let (runs, gate) = (Arc::clone(&runs), Arc::clone(&gate));
                async move {
                    runs.fetch_add(1, Ordering::SeqCst);
                    gate.acquire().await.map_err(|_| gone())?.forget();
                    Ok(want.0)
                }
            }
        };
        let cancel = Cancel::new();
        let calls: Vec<_> = [false, false, true, false]
            .into_iter()
            .map(|force| {
                let (queue, cancel, work) = (Arc::clone(&queue), cancel.clone(), work(&runs, &gate));
                tokio::spawn(async move { queue.run(Want(force), &cancel, None, work).await })
            })
            .collect();
        gate.add_permits(10);
        let mut forced = 0;
        for call in calls {
            forced += usize::from(*call.await.unwrap().unwrap());
        }
        assert!(runs.load(Ordering::SeqCst) <= 2, "four calls at once need at most two runs");
        assert!(forced >= 1);
        assert!(!queue.is_running());
    }

    // When the last thread of JavaScript ended in the middle of a sync, the queue counted as busy for ever.
    #[test]
    fn a_run_that_ends_with_its_runtime_leaves_an_idle_queue() {
        let queue = Arc::new(Queue::<Want, bool>::new());
        let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (began, has_begun) = crossbeam_channel::bounded(1);
        let first = runtime();
        let running = Arc::clone(&queue);
        first.spawn(async move {
            let work = move |_, _| {
                let _ = began.try_send(());
                std::future::pending::<Result<bool>>()
            };
            running.run(Want(true), &Cancel::new(), None, work).await
        });
        has_begun.recv().unwrap();
        drop(first);
        assert!(!queue.is_running());
        let again = async { queue.run(Want(true), &Cancel::new(), None, |w, _| async move { Ok(w.0) }).await };
        assert!(*runtime().block_on(again).unwrap());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_the_queue_goes_on() {
        let queue = Arc::new(Queue::<Want, bool>::new());
        let failed = queue.run(Want(true), &Cancel::new(), None, |_, _| async { panic!("boom") }).await;
        assert_eq!(failed.unwrap_err().code(), Code::Internal);
        let fine = queue.run(Want(true), &Cancel::new(), None, |w, _| async move { Ok(w.0) }).await;
        assert!(*fine.unwrap());
    }
}
