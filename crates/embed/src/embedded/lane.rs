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

use super::source::{Model, Source, closed, panicked};
use model::{
    error::{Code, Error, Result},
    priority::{self, Work},
};

/// The vectors of one job, in the order of its texts.
pub(super) type Reply = oneshot::Receiver<Result<Vec<Vec<f32>>>>;

struct Job {
    texts: Vec<String>,
    reply: oneshot::Sender<Result<Vec<Vec<f32>>>>,
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

    /// Queues texts. Dropping the reply takes them back if their turn has not come.
    ///
    /// # Errors
    /// When the lane is closed or no thread can be started.
    pub(super) fn submit(self: &Arc<Self>, texts: Vec<String>) -> Result<Reply> {
        let (reply, receiver) = oneshot::channel();
        let mut state = self.state.lock();
        if state.closed {
            return Err(closed());
        }
        state.queue.push_back(Job { texts, reply });
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
        Ok(receiver)
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
            // A panic is a bug, but it must not leave the queue without its thread.
            let result = catch_unwind(AssertUnwindSafe(|| self.work_on(&job, &mut model, &mut scratch)))
                .unwrap_or_else(|_| Err(panicked()));
            // Nobody listens when the caller gave up meanwhile; then there is nobody to tell either.
            let _ = job.reply.send(result);
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
                if !job.reply.is_closed() {
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

    fn work_on(&self, job: &Job, model: &mut Option<Arc<Model>>, scratch: &mut Scratch) -> Result<Vec<Vec<f32>>> {
        let model = match model {
            Some(model) => model,
            None => model.insert(self.source.model()?),
        };
        self.source.embed(model, &job.texts, scratch, || job.reply.is_closed() || self.state.lock().closed)
    }
}
