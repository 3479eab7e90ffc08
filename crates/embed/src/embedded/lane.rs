//! A queue of documents to be embedded with its own few threads, which give way to everybody else. They start when
//! there is work and end when there has been none for a while; the weights are mapped as long as one of them lives.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread,
    time::Duration,
};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::oneshot;

use minilm::Scratch;

use super::{
    source::{Model, Source, closed, panicked},
    states,
};
use crate::pieces::PieceLine;
use model::{
    error::{Code, Error, Result},
    priority::{self, Work},
};

/// The outcome of one job, in the order of its texts.
pub(super) type Reply<T> = oneshot::Receiver<Result<Vec<T>>>;

/// Who waits for the outcome of a job.
enum Wanted {
    /// The vectors of texts.
    Vectors(oneshot::Sender<Result<Vec<Vec<f32>>>>),
    /// Those and the signs of their pieces.
    Pieces(oneshot::Sender<Result<Vec<PieceLine>>>),
}

impl Wanted {
    /// Whether nobody waits any more.
    fn is_closed(&self) -> bool {
        match self {
            Self::Vectors(reply) => reply.is_closed(),
            Self::Pieces(reply) => reply.is_closed(),
        }
    }
}

struct Job {
    texts: Vec<String>,
    wanted: Wanted,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    waiting: usize,
    closed: bool,
}

/// How a lane works.
#[derive(Clone, Copy)]
pub(crate) struct Manner {
    /// Threads at most.
    pub threads: usize,
    /// How long a thread waits for work before it ends.
    pub idle: Duration,
}

/// A queue and its threads.
pub(crate) struct Lane {
    source: Arc<Source>,
    manner: Manner,
    state: Mutex<State>,
    /// There is work, or the lane closed.
    work: Condvar,
    /// A thread ended.
    ended: Condvar,
}

impl Lane {
    /// An empty lane without threads.
    pub(super) fn new(source: Arc<Source>, manner: Manner) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { source, manner, state, work: Condvar::new(), ended: Condvar::new() })
    }

    /// Queues texts whose vectors are wanted. Dropping the reply takes them back if their turn has not come.
    ///
    /// # Errors
    /// When the lane is closed or no thread can be started.
    pub(super) fn submit(self: &Arc<Self>, texts: Vec<String>) -> Result<Reply<Vec<f32>>> {
        let (reply, receiver) = oneshot::channel();
        self.queue(Job { texts, wanted: Wanted::Vectors(reply) })?;
        Ok(receiver)
    }

    /// As [`Lane::submit`], with the signs of their pieces.
    ///
    /// # Errors
    /// When the lane is closed or no thread can be started.
    pub(super) fn submit_pieces(self: &Arc<Self>, texts: Vec<String>) -> Result<Reply<PieceLine>> {
        let (reply, receiver) = oneshot::channel();
        self.queue(Job { texts, wanted: Wanted::Pieces(reply) })?;
        Ok(receiver)
    }

    fn queue(self: &Arc<Self>, job: Job) -> Result<()> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(closed());
        }
        state.queue.push_back(job);
        if state.queue.len() > state.waiting && state.threads < self.manner.threads {
            let lane = Arc::clone(self);
            let started = thread::Builder::new().name("memory-embed".to_owned()).spawn(move || lane.run());
            match started {
                Ok(_) => state.threads += 1,
                Err(error) if state.threads == 0 => {
                    state.queue.clear();
                    return Err(Error::new(Code::Internal, format!("no thread for the embedded model: {error}")));
                }
                // The threads there are will get to it.
                Err(_) => {}
            }
        }
        self.work.notify_one();
        Ok(())
    }

    /// Threads alive now.
    #[cfg(test)]
    pub(super) fn threads(&self) -> usize {
        self.state.lock().threads
    }

    /// Drops the queue and waits until the threads have ended, which takes one forward pass at most.
    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.queue.clear();
        self.work.notify_all();
        while state.threads > 0 {
            self.ended.wait(&mut state);
        }
    }

    fn run(self: Arc<Self>) {
        priority::lower(Work::Background);
        let mut model = None;
        let mut scratch = Scratch::default();
        while let Some(job) = self.next() {
            let Job { texts, wanted } = job;
            let (model, scratch) = (&mut model, &mut scratch);
            match wanted {
                Wanted::Vectors(reply) => {
                    self.reply(reply, model, |source, model, stop| source.embed(model, &texts, scratch, stop));
                }
                Wanted::Pieces(reply) => self.reply(reply, model, |source, model, stop| {
                    source.encode(model, &texts, scratch, stop, |tokenizer, pieces, states| PieceLine {
                        signs: states::signs(tokenizer, pieces, &states),
                        vector: states.vector,
                    })
                }),
            }
        }
    }

    /// The next job that somebody still wants. None when the lane closed or was idle too long: the thread is counted
    /// out in the same breath, so that a job submitted right then starts another.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        let job = self.wait(&mut state);
        if job.is_none() {
            state.threads -= 1;
            self.ended.notify_all();
        }
        job
    }

    fn wait(&self, state: &mut MutexGuard<'_, State>) -> Option<Job> {
        loop {
            if state.closed {
                return None;
            }
            while let Some(job) = state.queue.pop_front() {
                if !job.wanted.is_closed() {
                    return Some(job);
                }
            }
            state.waiting += 1;
            let idle = self.work.wait_for(state, self.manner.idle).timed_out();
            state.waiting -= 1;
            if idle && state.queue.is_empty() {
                return None;
            }
        }
    }

    /// Does the work of a job and replies.
    fn reply<T>(
        &self,
        reply: oneshot::Sender<Result<Vec<T>>>,
        model: &mut Option<Arc<Model>>,
        work: impl FnOnce(&Source, &Model, &dyn Fn() -> bool) -> Result<Vec<T>>,
    ) {
        let work = || {
            let model = match model {
                Some(model) => model,
                None => model.insert(self.source.model()?),
            };
            work(&self.source, model, &|| reply.is_closed() || self.state.lock().closed)
        };
        // A panic is a bug, but it must not leave the queue without its thread.
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()));
        // Nobody listens when the caller gave up meanwhile; then there is nobody to tell either.
        let _ = reply.send(result);
    }
}
