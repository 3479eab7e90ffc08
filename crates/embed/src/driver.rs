//! Drives any number of texts through a transport: packing, several requests in flight, retries, splitting,
//! validation. Everything that is not a provider's wire format is here, once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::{StreamExt, stream::FuturesUnordered};
use parking_lot::Mutex;
use tokio::{sync::Semaphore, task::JoinSet};

use super::{
    BoxFuture, Embedded, Embedder, HARMLESS_TEXT, Limits, Purpose, Sink, Space,
    breaker::Breaker,
    check::{Checked, check, other_length},
    fault::{Fault, FaultKind},
    media::Media,
    pace::Pace,
    pack::{Job, Queue},
    refusals::{Refusals, every_text_refused},
    retry::{ATTEMPTS, backoff},
    transport::{Input, Transport},
};
use model::{
    clock::Clock,
    error::{Code, Error, Result},
    usage::Usage,
};

/// Answers that are stored at a time: while a database far away says of one that it has it, the next is on its way there.
const STORED_AT_ONCE: usize = 2;

/// Vectors from which on the next answer is stored by itself.
const STORED_TOGETHER: usize = 512;

/// The vectors of one request, as they came.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// One vector a text, in order.
    pub vectors: Vec<Vec<f32>>,
    /// Tokens as the provider counted them.
    pub tokens: Option<u64>,
}

/// An [`Embedder`] over a [`Transport`].
pub(crate) struct Driver {
    core: Arc<Core>,
    /// The name in the settings, where the space has another one.
    provider: Option<String>,
}

struct Core {
    space: Space,
    transport: Box<dyn Transport>,
    clock: Arc<dyn Clock>,
    limits: Mutex<Limits>,
    breaker: Breaker,
    pace: Pace,
    /// Document requests in flight over all runs; queries do not queue behind them.
    permits: Semaphore,
    dims: AtomicUsize,
    requests: AtomicU64,
    texts: AtomicU64,
    tokens: AtomicU64,
    /// What [`Embedder::take_usage`] has told already.
    booked: Mutex<Usage>,
}

impl Driver {
    /// Starts from `limits`, with at most `concurrency` (1–16) document requests in flight.
    #[must_use]
    pub(crate) fn new(
        space: Space,
        transport: Box<dyn Transport>,
        limits: Limits,
        concurrency: usize,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let pace = Pace::new(Arc::clone(&clock), concurrency);
        let core = Core {
            breaker: Breaker::new(Arc::clone(&clock)),
            permits: Semaphore::new(pace.max_slots()),
            pace,
            dims: AtomicUsize::new(space.dimensions.map_or(0, |dims| dims as usize)),
            space,
            transport,
            clock,
            limits: Mutex::new(limits),
            requests: AtomicU64::new(0),
            texts: AtomicU64::new(0),
            tokens: AtomicU64::new(0),
            booked: Mutex::default(),
        };
        Self { core: Arc::new(core), provider: None }
    }

    /// With the name that the settings have for whom it asks, where the space has another one.
    #[must_use]
    pub(crate) fn of_provider(self, name: &str) -> Self {
        Self { provider: Some(name.to_owned()), ..self }
    }

    /// A vector that came another way, if it is usable and of the space's length.
    pub(super) fn verify(&self, vector: Vec<f32>) -> Option<Vec<f32>> {
        let checked = check(vec![vector], 1, self.core.dims.load(Ordering::Relaxed)).ok()?;
        let vector = checked.into_iter().next()?.ok()?;
        self.core.settle_dims(vector.len()).ok()?;
        Some(vector)
    }

    /// Counts what was sent another way.
    pub(super) fn record(&self, texts: u64, tokens: u64) {
        self.core.texts.fetch_add(texts, Ordering::Relaxed);
        self.core.tokens.fetch_add(tokens, Ordering::Relaxed);
    }
}

impl Embedder for Driver {
    fn space(&self) -> &Space {
        &self.core.space
    }

    fn provider(&self) -> &str {
        self.provider.as_deref().unwrap_or(&self.core.space.provider)
    }

    fn limits(&self) -> Limits {
        *self.core.limits.lock()
    }

    fn usage(&self) -> Usage {
        Usage {
            requests: self.core.requests.load(Ordering::Relaxed),
            texts: self.core.texts.load(Ordering::Relaxed),
            tokens: self.core.tokens.load(Ordering::Relaxed),
        }
    }

    fn take_usage(&self) -> Usage {
        let mut booked = self.core.booked.lock();
        let now = self.usage();
        let before = std::mem::replace(&mut *booked, now);
        Usage {
            requests: now.requests - before.requests,
            texts: now.texts - before.texts,
            tokens: now.tokens - before.tokens,
        }
    }

    fn expect_dims(&self, dims: usize) {
        self.core.dims.store(dims, Ordering::Relaxed);
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        let run = Run {
            core: Arc::clone(&self.core),
            purpose,
            timeout,
            stop: Arc::default(),
            tasks: JoinSet::new(),
            storing: FuturesUnordered::new(),
            unstored: 0,
            refusals: Refusals::default(),
        };
        Box::pin(run.drive(texts, sink))
    }

    fn embed_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Embedded>> {
        Box::pin(async move { self.core.media(media, timeout).await.map_err(|fault| fault.error) })
    }
}

/// One call of [`Embedder::embed_each`]. Dropping it aborts its requests.
struct Run {
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
    async fn drive(mut self, texts: &[String], sink: &mut Sink<'_>) -> Result<()> {
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

impl Core {
    /// Whether the provider accepts anything at all.
    async fn accepts_a_harmless_text(
        &self,
        purpose: Purpose,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<(), Fault> {
        let texts = [HARMLESS_TEXT.to_owned()];
        match self.request(Input::Texts(&texts, purpose), timeout, stop).await {
            Ok(checked) => match checked.into_iter().next() {
                Some(Err(problem)) => Err(Fault::response(format!("the provider sent {problem}"))),
                _ => Ok(()),
            },
            Err(fault) => Err(match fault.kind {
                FaultKind::RateLimit(_) | FaultKind::Unavailable | FaultKind::Fatal => fault,
                _ => Fault::new(FaultKind::Fatal, every_text_refused(fault.error)),
            }),
        }
    }

    /// Embeds one picture or sound. A refusal counts when the provider takes a harmless text right after it.
    async fn media(&self, media: &Media, timeout: Duration) -> Result<Embedded, Fault> {
        let stop = AtomicBool::new(false);
        let reason = match self.request(Input::Media(media), timeout, &stop).await {
            Ok(checked) => match checked.into_iter().next() {
                Some(Ok(vector)) => return Ok(Embedded::Vector(vector)),
                Some(Err(problem)) => format!("the provider sent {problem} for it"),
                None => "the provider sent nothing for it".to_owned(),
            },
            Err(fault) => match fault.kind {
                FaultKind::RateLimit(_) | FaultKind::Unavailable | FaultKind::Encoding | FaultKind::Fatal => {
                    return Err(fault);
                }
                FaultKind::TooMany(_) | FaultKind::TooLarge | FaultKind::TooLong(_) | FaultKind::Rejected => {
                    fault.error.message
                }
            },
        };
        self.accepts_a_harmless_text(Purpose::Document, timeout, &stop).await?;
        Ok(Embedded::Refused(reason))
    }

    /// Sends one request with its retries.
    async fn request(&self, input: Input<'_>, timeout: Duration, stop: &AtomicBool) -> Result<Vec<Checked>, Fault> {
        let purpose = input.purpose();
        let _permit = match purpose {
            Purpose::Document => self.permits.acquire().await.ok(),
            Purpose::Query => None,
        };
        let mut attempt = 1;
        loop {
            self.admit(purpose).await?;
            if stop.load(Ordering::Relaxed) {
                return Err(Fault::new(FaultKind::Unavailable, Error::new(Code::Cancelled, "the run has stopped")));
            }
            let fault = match self.send(input, timeout).await {
                Ok(checked) => return Ok(checked),
                Err(fault) => fault,
            };
            let last = attempt >= ATTEMPTS;
            match fault.kind {
                FaultKind::RateLimit(wait) => {
                    self.pace.slow_down(wait.unwrap_or_else(|| backoff(attempt, self.clock.random())));
                    // A search does not wait for a rate limit; it goes on without vectors.
                    if last || purpose == Purpose::Query {
                        return Err(fault);
                    }
                }
                FaultKind::Unavailable if last => {
                    self.breaker.failed();
                    return Err(fault);
                }
                FaultKind::Unavailable => {
                    let asked = fault.error.retry_after_ms().map(Duration::from_millis).unwrap_or_default();
                    if purpose == Purpose::Query && asked > backoff(ATTEMPTS, 1.0) {
                        return Err(fault);
                    }
                    let wait = backoff(attempt, self.clock.random()).max(asked.min(super::retry::MAX_RETRY_AFTER));
                    self.clock.sleep(wait).await;
                }
                _ => {
                    // An answer with a reason shows that the provider is up.
                    self.breaker.succeeded();
                    return Err(fault);
                }
            }
            attempt += 1;
        }
    }

    /// Waits until the provider may be asked; searches are refused instead of waiting.
    async fn admit(&self, purpose: Purpose) -> Result<(), Fault> {
        if let Some(left) = self.breaker.refuses_for() {
            let message = format!("the provider failed repeatedly and is left alone for {} s", left.as_secs().max(1));
            let mut fault = Fault::unavailable(message);
            fault.error.set_retry_after(u64::try_from(left.as_millis()).ok());
            // Not a failure of its own: retrying it would only wait.
            fault.kind = FaultKind::Fatal;
            return Err(fault);
        }
        while let Some(wait) = self.pace.wait() {
            if purpose == Purpose::Query {
                let message = "the provider asked to slow down".to_owned();
                let mut error = Error::new(Code::ProviderRateLimit, message);
                error.set_retry_after(u64::try_from(wait.as_millis()).ok());
                return Err(Fault::new(FaultKind::RateLimit(Some(wait)), error));
            }
            self.clock.sleep(wait).await;
        }
        Ok(())
    }

    async fn send(&self, input: Input<'_>, timeout: Duration) -> Result<Vec<Checked>, Fault> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.texts.fetch_add(input.len() as u64, Ordering::Relaxed);
        let answer = match input {
            Input::Texts(texts, purpose) => self.transport.send(texts, purpose, timeout).await?,
            Input::Media(media) => self.transport.send_media(media, timeout).await?,
        };
        self.tokens.fetch_add(answer.tokens.unwrap_or_else(|| input.tokens()), Ordering::Relaxed);
        let checked = check(answer.vectors, input.len(), self.dims.load(Ordering::Relaxed)).map_err(Fault::response)?;
        if let Some(Ok(vector)) = checked.iter().find(|outcome| outcome.is_ok()) {
            self.settle_dims(vector.len()).map_err(Fault::response)?;
        }
        self.breaker.succeeded();
        self.pace.answered();
        Ok(checked)
    }

    /// Of racing first replies of different lengths the first to arrive decides; the other is refused.
    fn settle_dims(&self, length: usize) -> Result<(), String> {
        match self.dims.compare_exchange(0, length, Ordering::Relaxed, Ordering::Relaxed) {
            Err(known) if known != length => Err(other_length(length, known)),
            _ => Ok(()),
        }
    }
}
