//! Drives any number of texts through a transport: packing, several requests in flight, retries, splitting,
//! validation. Everything that is not a provider's wire format is here, once.

mod run;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use self::run::Run;
use super::{
    BoxFuture, Embedded, Embedder, HARMLESS_TEXT, Limits, Purpose, Sink, Space,
    breaker::Breaker,
    check::{Checked, check, other_length},
    fault::{Fault, FaultKind},
    media::Media,
    pace::Pace,
    refusals::every_text_refused,
    retry::{ATTEMPTS, backoff},
    transport::{Input, Transport},
};
use model::{
    clock::Clock,
    error::{Code, Error, Result},
    usage::Usage,
};

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
        let run = Run::new(&self.core, purpose, timeout);
        Box::pin(run.drive(texts, sink))
    }

    fn embed_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Embedded>> {
        Box::pin(async move { self.core.media(media, timeout).await.map_err(|fault| fault.error) })
    }
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
