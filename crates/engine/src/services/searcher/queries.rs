//! The vectors of recent questions: a repeated one costs nothing.

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use lru::LruCache;
use parking_lot::Mutex;

use super::super::{context::Context, telemetry::Telemetry};
use embed::{Embedded, Embedder, Purpose, pieces::PieceQuestion};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// Vectors kept.
const KEPT_QUERIES: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// Longest query that is embedded, in characters; a longer one says nothing more.
pub(crate) const MAX_QUERY_CHARS: usize = 2000;

/// Of the time limit, what is kept for the keyword leg when the provider is slow: a quarter, at most this.
const RESERVE: Duration = Duration::from_secs(2);

/// What queries mean, by space and text.
type Recent = LruCache<(String, String), Meant>;

/// A query as a model understands it.
#[derive(Debug, Clone)]
pub(crate) struct Meant {
    /// Its vector.
    pub vector: Arc<Vec<f32>>,
    /// The same piece by piece, from a model that hands that out.
    pub pieces: Option<Arc<PieceQuestion>>,
}

/// Vectors of recent queries.
pub(crate) struct QueryVectors {
    context: Arc<Context>,
    telemetry: Arc<Telemetry>,
    recent: Mutex<Recent>,
}

impl QueryVectors {
    pub(super) fn new(context: &Arc<Context>, telemetry: &Arc<Telemetry>) -> Self {
        Self {
            context: Arc::clone(context),
            telemetry: Arc::clone(telemetry),
            recent: Mutex::new(LruCache::new(KEPT_QUERIES)),
        }
    }

    /// What a query means in the space of `key`, asked for once.
    ///
    /// # Errors
    /// What the provider gives, and [`Code::ProviderUnavailable`] when it does not answer in time.
    pub(crate) async fn get(
        &self,
        key: String,
        text: String,
        embedder: &Arc<dyn Embedder>,
        cancel: &Cancel,
    ) -> Result<Meant> {
        if let Some(meant) = self.recent.lock().get(&(key.clone(), text.clone())) {
            return Ok(meant.clone());
        }
        let meant = self.embed(embedder, &text, cancel).await?;
        self.recent.lock().put((key, text), meant.clone());
        Ok(meant)
    }

    async fn embed(&self, embedder: &Arc<dyn Embedder>, text: &str, cancel: &Cancel) -> Result<Meant> {
        let own = Duration::from_millis(self.context.settings().settings.provider.query_timeout_ms);
        let limit = without_reserve(cancel).remaining().map_or(own, |left| own.min(left));
        let asked = tokio::time::timeout(limit, meant(&**embedder, text, limit));
        let outcome = tokio::select! {
            outcome = asked => outcome,
            () = cancelled(cancel) => return Err(Error::new(Code::Cancelled, "the call was cancelled")),
        };
        self.telemetry.book_later();
        match outcome {
            Err(_) => Err(Error::new(Code::ProviderUnavailable, "the embedding provider did not answer in time")
                .remedy("Check the provider, or raise `query.deadlineMs`")),
            Ok(outcome) => outcome,
        }
    }
}

/// What a query means to a model.
async fn meant(embedder: &dyn Embedder, text: &str, limit: Duration) -> Result<Meant> {
    if let Some(model) = embedder.by_piece() {
        let question = model.question(text, limit).await?;
        let vector = Arc::new(question.vector.clone());
        return Ok(Meant { vector, pieces: Some(Arc::new(question)) });
    }
    match embedder.embed(&[text.to_owned()], Purpose::Query, limit).await?.pop() {
        Some(Embedded::Vector(vector)) => Ok(Meant { vector: Arc::new(vector), pieces: None }),
        Some(Embedded::Refused(reason)) => Err(Error::new(Code::ProviderInput, reason)),
        None => Err(Error::new(Code::ProviderResponse, "the embedding provider gave no vector")),
    }
}

/// The same token with an earlier end: what is left then is for the ranking.
pub(super) fn without_reserve(cancel: &Cancel) -> Cancel {
    cancel.remaining().map_or_else(|| cancel.clone(), |left| cancel.within(left - (left / 4).min(RESERVE)))
}

/// Ends when the caller cancels; the deadline does not count.
async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
