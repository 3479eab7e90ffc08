//! A queue of embedding work with its own few threads. They start when there is work and end when there has been none
//! for a while; the weights are mapped as long as one of them lives.

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard};
use tokio::sync::oneshot;

use super::{
    encoder::{Scratch, encode},
    kernels::Kernels,
    tokenizer::Tokenizer,
    weights::Weights,
};
use crate::{
    error::{Code, Error, Result},
    priority::{self, Work},
};

/// Tokens of one forward pass. Enough rows to use every weight many times while it is in the cache, few enough that
/// the activations stay there as well.
const PACK_TOKENS: usize = 256;

/// Weights and vocabulary.
struct Model {
    weights: Weights,
    tokenizer: Tokenizer,
}

/// The weights file, mapped while somebody uses it, and what it was used for.
pub struct Source {
    path: PathBuf,
    mapped: Mutex<Weak<Model>>,
    texts: AtomicU64,
    tokens: AtomicU64,
    jobs: AtomicU64,
}

impl Source {
    /// A source that maps `path` when it is first needed.
    pub fn new(path: PathBuf) -> Self {
        let zero = || AtomicU64::new(0);
        Self { path, mapped: Mutex::default(), texts: zero(), tokens: zero(), jobs: zero() }
    }

    /// Whether the weights are in memory now.
    pub fn is_mapped(&self) -> bool {
        self.mapped.lock().strong_count() > 0
    }

    /// Jobs, texts and word pieces so far.
    pub fn spent(&self) -> (u64, u64, u64) {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (get(&self.jobs), get(&self.texts), get(&self.tokens))
    }

    fn model(&self) -> Result<Arc<Model>> {
        let mut mapped = self.mapped.lock();
        if let Some(model) = mapped.upgrade() {
            return Ok(model);
        }
        let weights = Weights::open(&self.path)?;
        let model = Arc::new(Model { tokenizer: Tokenizer::new(&weights), weights });
        *mapped = Arc::downgrade(&model);
        Ok(model)
    }
}

/// The vectors of one job, in the order of its texts.
pub type Reply = oneshot::Receiver<Result<Vec<Vec<f32>>>>;

struct Job {
    texts: Vec<String>,
    deadline: Option<Instant>,
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
pub struct Manner {
    /// Threads at most.
    pub threads: usize,
    /// Whether they give way to everybody else.
    pub background: bool,
    /// How long a thread waits for work before it ends.
    pub idle: Duration,
}

/// A queue and its threads.
pub struct Lane {
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
    pub fn new(source: Arc<Source>, manner: Manner) -> Arc<Self> {
        let state = Mutex::default();
        Arc::new(Self { source, manner, state, work: Condvar::new(), ended: Condvar::new() })
    }

    /// Queues texts. Dropping the reply takes them back if their turn has not come. A job whose deadline passes
    /// before its turn fails.
    ///
    /// # Errors
    /// When the lane is closed or no thread can be started.
    pub fn submit(self: &Arc<Self>, texts: Vec<String>, deadline: Option<Instant>) -> Result<Reply> {
        let (reply, receiver) = oneshot::channel();
        let mut state = self.state.lock();
        if state.closed {
            return Err(closed());
        }
        state.queue.push_back(Job { texts, deadline, reply });
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
    pub fn threads(&self) -> usize {
        self.state.lock().threads
    }

    /// Drops the queue and waits until the threads have ended, which takes one forward pass at most.
    pub fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.queue.clear();
        self.work.notify_all();
        while state.threads > 0 {
            self.ended.wait(&mut state);
        }
    }

    fn run(self: Arc<Self>) {
        if self.manner.background {
            priority::lower(Work::Background);
        }
        let mut model = None;
        let mut scratch = Scratch::default();
        while let Some(job) = self.next() {
            // A panic is a bug, but it must not leave the queue without its thread.
            let result = catch_unwind(AssertUnwindSafe(|| self.work_on(&job, &mut model, &mut scratch)))
                .unwrap_or_else(|_| Err(Error::new(Code::Internal, "the embedded model panicked")));
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
        if job.deadline.is_some_and(|deadline| deadline < Instant::now()) {
            return Err(Error::new(Code::Deadline, "the embedded model was busy until the deadline"));
        }
        let model = match model {
            Some(model) => model,
            None => model.insert(self.source.model()?),
        };
        let pieces: Vec<Vec<u32>> = job.texts.iter().map(|text| model.tokenizer.encode(text)).collect();
        let tokens: usize = pieces.iter().map(Vec::len).sum();
        let kernels = Kernels::best();
        let mut vectors = Vec::with_capacity(pieces.len());
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            if job.reply.is_closed() || self.state.lock().closed {
                return Err(closed());
            }
            let (pack, others) = rest.split_at(pack_size(rest));
            vectors.extend(encode(&model.weights, &kernels, pack, scratch));
            rest = others;
        }
        self.source.jobs.fetch_add(1, Ordering::Relaxed);
        self.source.texts.fetch_add(pieces.len() as u64, Ordering::Relaxed);
        self.source.tokens.fetch_add(tokens as u64, Ordering::Relaxed);
        Ok(vectors)
    }
}

/// How many texts from the front make one forward pass: at least one.
fn pack_size(pieces: &[Vec<u32>]) -> usize {
    let mut tokens = 0;
    let fits = pieces.iter().take_while(|text| {
        tokens += text.len();
        tokens <= PACK_TOKENS
    });
    fits.count().max(1)
}

/// What calls get once the lane is closed.
pub fn closed() -> Error {
    Error::new(Code::Closed, "the embedded model was closed")
}
