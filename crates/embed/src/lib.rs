//! Text to vectors: the trait every provider implements, and what a provider tells about itself.
//!
//! ```
//! use embed::account::Account;
//!
//! // Where texts go is known before one is sent.
//! let account = Account::new("openai", Some("http://127.0.0.1:8080/v1"));
//! assert!(account.is_on_this_machine());
//! let nowhere = Account::new("openai", Some("ftp://example.org"));
//! assert_eq!(nowhere.base().expect_err("no address").code().as_str(), "MEM_CONFIG");
//! ```

pub mod account;
pub mod batch;
pub(crate) mod breaker;
pub mod callback;
mod check;
pub mod client;
#[cfg(any(feature = "brought", feature = "llama-cpp"))]
pub(crate) mod download;
pub mod driver;
pub mod embedded;
pub mod endpoint;
pub mod factory;
pub mod fault;
#[cfg(feature = "llama-cpp")]
pub mod gguf;
pub(crate) mod layer;
pub mod media;
pub(crate) mod pace;
pub mod pack;
pub mod pieces;
pub mod provider;
pub mod redact;
pub(crate) mod redacting;
pub mod refusals;
pub mod remote;
pub(crate) mod retry;
pub mod revised;
pub mod secret;
pub(crate) mod transport;
pub(crate) mod wire;

use std::{
    future::{Future, ready},
    pin::Pin,
    time::Duration,
};

use serde::{Deserialize, Serialize};

use media::Media;
use model::{
    error::{Code, Error, Result},
    usage::Usage,
};
use text::language::Language;

/// A future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What decides whether two vectors can be compared. Not the host, address or header names of an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Space {
    /// Provider id; every OpenAI-compatible endpoint counts as `openai`.
    pub provider: String,
    /// Model name as sent.
    pub model: String,
    /// Requested dimensions; none = the model's own.
    pub dimensions: Option<u32>,
    /// Input type sent with queries.
    pub query_input_type: Option<String>,
    /// Input type sent with documents.
    pub document_input_type: Option<String>,
    /// Which of the models that have answered under this name: none is the first, and every index has begun with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
}

impl Space {
    /// A stable text that identifies the space in the store.
    #[must_use]
    pub fn key(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The space of the vectors that a later model makes under the same name.
    #[must_use]
    pub fn revised(&self, revision: u32) -> Self {
        Self { revision: (revision > 0).then_some(revision), ..self.clone() }
    }
}

/// What a text is embedded for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A search.
    Query,
    /// A text to be found.
    Document,
}

/// The outcome for one input of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Embedded {
    /// A finite vector of the space's length, as the provider sent it (not normalised).
    Vector(Vec<f32>),
    /// The provider refuses this very text; the reason is for people.
    Refused(String),
}

/// What one request may hold. Learnt from the provider's refusals while running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Inputs in one request.
    pub items: usize,
    /// Estimated tokens (UTF-8 bytes / 4) in one request.
    pub tokens: usize,
    /// Bytes of input text in one request.
    pub bytes: usize,
    /// Estimated tokens in one input; longer inputs are cut at a character border.
    pub input_tokens: usize,
}

/// Takes the outcomes of one finished request, as (position in `texts`, outcome), and gives what stores them. An error of
/// that stops the run. It is called on the task that drives the run, so it must not block.
pub(crate) type Sink<'a> = dyn FnMut(Vec<(usize, Embedded)>) -> Storing + Send + 'a;

/// What a [`Sink`] took in, on its way to where it is kept.
pub type Storing = BoxFuture<'static, Result<()>>;

/// The same where nothing is waited for.
#[must_use]
pub fn stored() -> Storing {
    Box::pin(ready(Ok(())))
}

/// A text that no provider has a reason to refuse: sent to find out whether it works at all.
pub const HARMLESS_TEXT: &str = "memory";

/// Why a picture or sound has no vector where the model takes none.
pub(crate) const TEXT_ONLY: &str = "the model takes text only";

/// [`Embedder::run_size`] where nothing speaks for another one.
pub(crate) const RUN_TEXTS: usize = 16_384;

/// A provider of vectors. Implementations retry, split and pace by themselves, and never log a secret.
pub trait Embedder: Send + Sync {
    /// The space of the vectors.
    fn space(&self) -> &Space;

    /// What one request may hold now.
    fn limits(&self) -> Limits;

    /// Whether it runs in this process, without network and without cost.
    fn is_local(&self) -> bool {
        false
    }

    /// The only language it knows, where it is known to be limited to one; none for every other model.
    fn language(&self) -> Option<Language> {
        None
    }

    /// The same model piece by piece, where it runs in this process and hands out the states of word pieces.
    fn by_piece(&self) -> Option<&dyn pieces::ByPiece> {
        None
    }

    /// Whom it asks, as the settings call it: servers of one wire format share a space, and each has its own price.
    fn provider(&self) -> &str {
        &self.space().provider
    }

    /// What has been spent.
    fn usage(&self) -> Usage;

    /// What has been spent since the last call, so that it can be booked: nothing is told twice. Work in this process
    /// costs nothing.
    fn take_usage(&self) -> Usage {
        Usage::default()
    }

    /// Texts worth handing over in one call of [`Embedder::embed_each`]: between two calls no request is in flight, how
    /// many a request has is a share of the call (`pack.rs`), and a text is held in memory until its call has ended
    /// (16,384 of the default chunks are about 20 MB).
    fn run_size(&self) -> usize {
        RUN_TEXTS
    }

    /// Stops what the provider still works on in the background (batch jobs), so that it is not paid for. Returns
    /// the number of jobs stopped.
    ///
    /// # Errors
    /// When a job could not be stopped.
    fn cancel_pending(&self) -> BoxFuture<'_, Result<usize>> {
        Box::pin(async { Ok(0) })
    }

    /// Tells the length that vectors of this space are known to have, in numbers; replies of another length are
    /// then refused. Without it the first good reply decides.
    fn expect_dims(&self, _dims: usize) {}

    /// Embeds any number of texts and hands every finished request to `sink` at once, in whatever order requests
    /// finish, so that a kill loses only what is in flight. All that the sink took in is stored when the call ends. The
    /// implementation packs requests to its limits and keeps several in flight. `timeout` bounds each request. Each text reaches the sink at most once, and
    /// exactly once when the call succeeds.
    ///
    /// # Errors
    /// When some texts cannot be embedded now (credentials, quota, breaker, unreachable), after what was in flight
    /// has reached the sink; and when the sink fails. Texts that the provider refuses one by one are
    /// [`Embedded::Refused`] and no error.
    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>>;

    /// Embeds a picture or sound together with its text, in a request of its own and never through a batch API. A model
    /// that takes text only refuses it, and gets nothing.
    ///
    /// # Errors
    /// As [`Embedder::embed_each`].
    fn embed_media<'a>(&'a self, _media: &'a Media, _timeout: Duration) -> BoxFuture<'a, Result<Embedded>> {
        Box::pin(async { Ok(Embedded::Refused(TEXT_ONLY.to_owned())) })
    }

    /// Embeds texts, in order; one outcome each.
    ///
    /// # Errors
    /// As [`Embedder::embed_each`]; nothing is returned then.
    fn embed<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Vec<Embedded>>> {
        Box::pin(async move {
            let mut outcomes: Vec<Option<Embedded>> = vec![None; texts.len()];
            let mut collect = |finished: Vec<(usize, Embedded)>| {
                for (position, outcome) in finished {
                    if let Some(slot) = outcomes.get_mut(position) {
                        *slot = Some(outcome);
                    }
                }
                stored()
            };
            self.embed_each(texts, purpose, timeout, &mut collect).await?;
            outcomes
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| Error::new(Code::Internal, "an embedding request lost a text"))
        })
    }
}

#[cfg(test)]
mod tests;
