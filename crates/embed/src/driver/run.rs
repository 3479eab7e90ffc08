//! One run over texts: requests in flight, what they come to, and what of it is stored.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream::FuturesUnordered};
use tokio::task::JoinSet;

use super::Core;
use crate::{
    BoxFuture, Embedded, Purpose, Sink,
    check::Checked,
    fault::{Fault, FaultKind},
    pack::{Job, Queue},
    refusals::Refusals,
    transport::Input,
};
use model::error::{Code, Error, Result};

/// Answers that are stored at a time: while a database far away says of one that it has it, the next is on its way there.
const STORED_AT_ONCE: usize = 2;

/// Vectors from which on the next answer is stored by itself.
const STORED_TOGETHER: usize = 512;

/// One call of [`embed_each`](crate::Embedder::embed_each). Dropping it aborts its requests.
pub(super) struct Run {
    core: Arc<Core>,
    purpose: Purpose,
    timeout: Duration,
    /// Set when nothing new may be sent, so that requests that wait for a retry give up.
    stop: Arc<AtomicBool>,
    tasks: JoinSet<Finished>,
    /// What the caller stores, with how many answers that is.
    storing: FuturesUnordered<BoxFuture<'static, (usize, Result<()>)>>,
    unstored: usize,
    refusals: Refusals,
}

struct Finished {
    job: Job,
    sent_bytes: usize,
    outcome: Result<Vec<Checked>, Fault>,
}

impl Run {
    pub(super) fn new(core: &Arc<Core>, purpose: Purpose, timeout: Duration) -> Self {
        Self {
            core: Arc::clone(core),
            purpose,
            timeout,
            stop: Arc::default(),
            tasks: JoinSet::new(),
            storing: FuturesUnordered::new(),
            unstored: 0,
            refusals: Refusals::default(),
        }
    }

    pub(super) async fn drive(mut self, texts: &[String], sink: &mut Sink<'_>) -> Result<()> {
        let blank = Embedded::Refused("the text is blank".to_owned());
        let blanks: Vec<_> = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| text.trim().is_empty())
            .map(|(position, _)| (position, blank.clone()))
            .collect();
        if !blanks.is_empty() {
            sink(blanks).await?;
        }
        let mut queue = Queue::new(texts, self.core.pace.slots());
        let mut failure: Option<Error> = None;
        loop {
            self.launch(&mut queue);
            let joined = tokio::select! {
                biased;
                Some((answers, stored)) = self.storing.next() => {
                    self.unstored -= answers;
                    let Err(error) = stored else { continue };
                    failure = Some(error);
                    break;
                }
                joined = self.tasks.join_next(), if self.storing.len() < STORED_AT_ONCE => joined,
            };
            let Some(mut joined) = joined else {
                match self.second_requests(&mut queue).await {
                    Ok(true) => continue,
                    Ok(false) => break,
                    Err(fault) => {
                        failure.get_or_insert(fault.error);
                        break;
                    }
                }
            };
            let (mut ready, mut answers) = (Vec::new(), 0);
            loop {
                let settled = match joined {
                    Ok(finished) => self.finish(finished, &mut queue, &mut ready).await,
                    Err(_) => {
                        let error = Error::new(Code::Internal, "an embedding request broke off");
                        Err(Fault::new(FaultKind::Fatal, error))
                    }
                };
                if let Err(fault) = settled {
                    let hopeless = fault.kind != FaultKind::Unavailable || self.core.breaker.is_open();
                    if hopeless {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                    failure.get_or_insert(fault.error);
                }
                answers += 1;
                // What came while others were stored goes with it.
                let next = if ready.len() < STORED_TOGETHER { self.tasks.try_join_next() } else { None };
                match next {
                    Some(next) => joined = next,
                    None => break,
                }
            }
            if !ready.is_empty() {
                let storing = sink(ready);
                self.unstored += answers;
                self.storing.push(Box::pin(async move { (answers, storing.await) }));
            }
        }
        // What is paid for is stored where it can be.
        let stored = self.all_stored().await;
        failure.map_or(stored, Err)
    }

    /// Waits for what is being stored.
    async fn all_stored(&mut self) -> Result<()> {
        let mut all = Ok(());
        while let Some((_, stored)) = self.storing.next().await {
            all = all.and(stored);
        }
        all
    }

    /// Takes in what a request came to.
    async fn finish(
        &mut self,
        finished: Finished,
        queue: &mut Queue<'_>,
        ready: &mut Vec<(usize, Embedded)>,
    ) -> Result<(), Fault> {
        match finished.outcome {
            Ok(checked) => self.settle(&finished.job, checked, ready),
            Err(fault) => self.recover(finished.job, finished.sent_bytes, fault, queue, ready)?,
        }
        if self.refusals.are_suspicious() { self.ask_for_a_harmless_text().await } else { Ok(()) }
    }

    /// Sends the next requests: as many as may be in flight, and one fewer for each answer but the first that is not stored
    /// yet. So a kill loses the same however slow the store is.
    fn launch(&mut self, queue: &mut Queue<'_>) {
        let slots = self.core.pace.slots();
        while !self.stop.load(Ordering::Relaxed)
            && self.tasks.len() < slots
            && self.tasks.len() + self.unstored <= slots
        {
            let limits = *self.core.limits.lock();
            let Some(job) = queue.next(&limits) else { return };
            let texts = queue.texts_of(&job, &limits);
            let (core, stop) = (Arc::clone(&self.core), Arc::clone(&self.stop));
            let (purpose, timeout) = (self.purpose, self.timeout);
            self.tasks.spawn(async move {
                let outcome = core.request(Input::Texts(&texts, purpose), timeout, &stop).await;
                Finished { job, sent_bytes: texts.iter().map(String::len).sum(), outcome }
            });
        }
    }

    /// Puts refused texts back for their second and last request, right after the provider has accepted another text.
    /// False when there are none.
    async fn second_requests(&mut self, queue: &mut Queue<'_>) -> Result<bool, Fault> {
        if self.refusals.is_empty() || self.stop.load(Ordering::Relaxed) {
            return Ok(false);
        }
        self.ask_for_a_harmless_text().await?;
        for job in self.refusals.take() {
            queue.put_back(job);
        }
        Ok(true)
    }

    /// Whether the provider accepts anything at all.
    async fn ask_for_a_harmless_text(&mut self) -> Result<(), Fault> {
        self.core.accepts_a_harmless_text(self.purpose, self.timeout, &self.stop).await?;
        self.refusals.accepted();
        Ok(())
    }

    /// Sorts the vectors of a good reply.
    fn settle(&mut self, job: &Job, checked: Vec<Checked>, ready: &mut Vec<(usize, Embedded)>) {
        for (&position, outcome) in job.positions.iter().zip(checked) {
            match outcome {
                Ok(vector) => {
                    self.refusals.accepted();
                    ready.push((position, Embedded::Vector(vector)));
                }
                Err(problem) => {
                    let reason = format!("the provider sent {problem} for it");
                    self.refuse(Job { again: job.again, ..Job::of(vec![position]) }, &reason, ready);
                }
            }
        }
    }

    /// A document is refused for good only the second time; a query is told at once.
    fn refuse(&mut self, job: Job, reason: &str, ready: &mut Vec<(usize, Embedded)>) {
        if job.again || self.purpose == Purpose::Query {
            ready.extend(job.positions.iter().map(|&position| (position, Embedded::Refused(reason.to_owned()))));
        } else {
            self.refusals.add(job);
        }
    }

    /// Learns from a fault and sends the texts again in smaller requests, or passes the fault on when that cannot
    /// help.
    fn recover(
        &mut self,
        job: Job,
        sent_bytes: usize,
        fault: Fault,
        queue: &mut Queue<'_>,
        ready: &mut Vec<(usize, Embedded)>,
    ) -> Result<(), Fault> {
        let single = job.positions.len() == 1;
        let core = Arc::clone(&self.core);
        let mut limits = core.limits.lock();
        match fault.kind {
            FaultKind::TooMany(allowed) if !single => {
                let half = job.positions.len() / 2;
                let fewer = allowed.filter(|&allowed| allowed < job.positions.len()).unwrap_or(half);
                limits.items = limits.items.min(fewer.max(1));
                queue.put_back(job);
            }
            FaultKind::TooLarge if !single => {
                limits.bytes = limits.bytes.min(sent_bytes / 2).max(1);
                limits.tokens = limits.tokens.min(sent_bytes.div_ceil(8)).max(1);
                put_back_halves(job, queue);
            }
            FaultKind::TooLong(allowed) if !single => {
                if let Some(allowed) = allowed.filter(|&allowed| allowed < limits.input_tokens) {
                    limits.input_tokens = allowed.max(1);
                    queue.put_back(job);
                } else {
                    put_back_halves(job, queue);
                }
            }
            FaultKind::TooLong(_) | FaultKind::TooLarge => {
                let allowed = if let FaultKind::TooLong(allowed) = fault.kind { allowed } else { None };
                if let Some(allowed) = allowed {
                    limits.input_tokens = limits.input_tokens.min(allowed.max(1));
                }
                match job.shorter(sent_bytes, allowed) {
                    Some(shorter) => queue.put_back(shorter),
                    None => self.refuse(job, &fault.error.message, ready),
                }
            }
            FaultKind::Rejected if !single => put_back_halves(job, queue),
            FaultKind::TooMany(_) | FaultKind::Rejected => self.refuse(job, &fault.error.message, ready),
            FaultKind::RateLimit(_) | FaultKind::Unavailable | FaultKind::Encoding | FaultKind::Fatal => {
                return Err(fault);
            }
        }
        Ok(())
    }
}

fn put_back_halves(job: Job, queue: &mut Queue<'_>) {
    let [first, second] = job.halves();
    queue.put_back(second);
    queue.put_back(first);
}
