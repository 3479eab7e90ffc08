//! Documents: jobs of some texts each, embedded in the background by the pool of the process. A job takes about a tenth
//! of a second, so that the models of other agents have their turn soon.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use minilm::Scratch;

use super::{
    reserve::Reserve,
    source::{Model, Source, closed, panicked},
    states,
};
use crate::pieces::PieceLine;
use model::error::Result;

/// The outcome of one job, in the order of its texts.
pub(super) type Reply<T> = oneshot::Receiver<Result<Vec<T>>>;

#[derive(Default)]
struct State {
    /// Jobs whose texts are being embedded.
    at_work: usize,
    closed: bool,
}

/// Embeds documents.
pub(super) struct Documents {
    reserve: Arc<Reserve>,
    state: Mutex<State>,
    /// A job ended.
    ended: Condvar,
}

impl Documents {
    /// Embeds with what `reserve` keeps ready.
    pub(super) fn new(reserve: Arc<Reserve>) -> Arc<Self> {
        Arc::new(Self { reserve, state: Mutex::default(), ended: Condvar::new() })
    }

    /// Queues texts whose vectors are wanted. Dropping the reply takes them back if their turn has not come.
    ///
    /// # Errors
    /// When the model is closed or there are no threads.
    pub(super) fn submit(self: &Arc<Self>, texts: Vec<String>) -> Result<Reply<Vec<f32>>> {
        self.queue(move |source, model, scratch, stop| source.embed(model, &texts, scratch, stop))
    }

    /// As [`Documents::submit`], with the signs of their pieces.
    ///
    /// # Errors
    /// When the model is closed or there are no threads.
    pub(super) fn submit_pieces(self: &Arc<Self>, texts: Vec<String>) -> Result<Reply<PieceLine>> {
        self.queue(move |source, model, scratch, stop| {
            source.encode(model, &texts, scratch, stop, |tokenizer, pieces, states| PieceLine {
                signs: states::signs(tokenizer, pieces, &states),
                vector: states.vector,
            })
        })
    }

    fn queue<T: Send + 'static>(
        self: &Arc<Self>,
        encode: impl FnOnce(&Source, &Model, &mut Scratch, &dyn Fn() -> bool) -> Result<Vec<T>> + Send + 'static,
    ) -> Result<Reply<T>> {
        if self.state.lock().closed {
            return Err(closed());
        }
        self.reserve.keep();
        let pool = self.reserve.pool()?;
        let (reply, receiver) = oneshot::channel();
        let (documents, held) = (Arc::clone(self), Arc::clone(&pool));
        pool.spawn_fifo(move || {
            // The threads live until the last job is done.
            let _held = held;
            documents.run(encode, reply);
        });
        Ok(receiver)
    }

    fn run<T>(
        &self,
        encode: impl FnOnce(&Source, &Model, &mut Scratch, &dyn Fn() -> bool) -> Result<Vec<T>>,
        reply: oneshot::Sender<Result<Vec<T>>>,
    ) {
        {
            let mut state = self.state.lock();
            // Nobody wants it any more.
            if state.closed || reply.is_closed() {
                return;
            }
            state.at_work += 1;
        }
        let stop = || reply.is_closed() || self.state.lock().closed;
        let work = || self.reserve.work(|source, model, scratch| encode(source, model, scratch, &stop));
        // A panic is a bug, but it must not end the process.
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()));
        // Nobody listens when the caller gave up meanwhile; then there is nobody to tell either.
        let _ = reply.send(result);
        self.state.lock().at_work -= 1;
        self.ended.notify_all();
    }

    /// Whether its threads are kept for the next job.
    #[cfg(test)]
    pub(super) fn keeps_threads(&self) -> bool {
        self.reserve.keeps_threads()
    }

    /// Takes back what is queued and waits until nothing is at work, which takes one forward pass at most.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        while state.at_work > 0 {
            self.ended.wait(&mut state);
        }
    }
}
