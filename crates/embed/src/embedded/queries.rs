//! Queries: one short text each, embedded on the runtime's threads for blocking work, so that they wait for no document
//! and need no thread of their own.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use minilm::Scratch;

use super::{
    reserve::Reserve,
    source::{Model, Source, panicked},
    states,
};
use crate::pieces::PieceQuestion;
use model::error::{Code, Error, Result};

/// Embeds queries.
pub(super) struct Queries(Arc<Reserve>);

impl Queries {
    /// Embeds with what `reserve` keeps ready.
    pub(super) const fn new(reserve: Arc<Reserve>) -> Self {
        Self(reserve)
    }

    /// The vectors of texts, in their order.
    ///
    /// # Errors
    /// [`Code::Deadline`] when no thread was free within `timeout`, and when the weights cannot be read.
    pub(super) async fn embed(&self, texts: &[String], timeout: Duration) -> Result<Vec<Vec<f32>>> {
        let texts = texts.to_vec();
        self.work(timeout, move |source, model, scratch| source.embed(model, &texts, scratch, || false)).await
    }

    /// A question with the states of its pieces.
    ///
    /// # Errors
    /// As [`Queries::embed`].
    pub(super) async fn question(&self, text: &str, timeout: Duration) -> Result<PieceQuestion> {
        let texts = [text.to_owned()];
        let encode = move |source: &Source, model: &Model, scratch: &mut Scratch| {
            source.encode(model, &texts, scratch, || false, states::question)
        };
        self.work(timeout, encode).await?.pop().ok_or_else(panicked)
    }

    /// Does work with the weights on a thread for blocking work.
    async fn work<T: Send + 'static>(
        &self,
        timeout: Duration,
        encode: impl FnOnce(&Source, &Model, &mut Scratch) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.0.keep();
        // A deadline far away overflows the clock: then there is none.
        let deadline = Instant::now().checked_add(timeout);
        let reserve = Arc::clone(&self.0);
        let work = move || {
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Err(Error::new(Code::Deadline, "the embedded model was busy until the deadline"));
            }
            reserve.work(encode)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(panicked()))
    }
}
