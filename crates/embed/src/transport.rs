//! One request and whoever sends it.

use std::time::Duration;

use super::{BoxFuture, Purpose, driver::Answer, fault::Fault, media::Media, pack::estimate_tokens};

/// Sends one request, once.
pub(crate) trait Transport: Send + Sync {
    /// Sends the texts of one request. The reply is validated by the caller.
    fn send<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Answer, Fault>>;

    /// Sends one picture or sound. The reply is validated by the caller.
    fn send_media<'a>(&'a self, _media: &'a Media, _timeout: Duration) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(async { Err(Fault::text_only()) })
    }
}

/// What one request carries.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// Texts, each an input of its own.
    Texts(&'a [String], Purpose),
    /// One picture or sound.
    Media(&'a Media),
}

impl Input<'_> {
    /// What it is for.
    pub(crate) const fn purpose(self) -> Purpose {
        match self {
            Self::Texts(_, purpose) => purpose,
            Self::Media(_) => Purpose::Document,
        }
    }

    /// Inputs in it, and vectors in its reply.
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::Texts(texts, _) => texts.len(),
            Self::Media(_) => 1,
        }
    }

    /// Tokens, for a provider that does not count. Nobody can tell what such a one makes of a file, so that its text alone counts.
    pub(crate) fn tokens(self) -> u64 {
        match self {
            Self::Texts(texts, _) => texts.iter().map(|text| estimate_tokens(text) as u64).sum(),
            Self::Media(media) => estimate_tokens(&media.text) as u64,
        }
    }
}
