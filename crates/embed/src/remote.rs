//! A provider over HTTP: a wire format on an endpoint.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use super::{
    BoxFuture, Purpose,
    driver::Answer,
    endpoint::Endpoint,
    fault::{Fault, FaultKind},
    media::Media,
    transport::Transport,
    wire::Wire,
};

/// Bytes of a reply beside its vectors.
const REPLY_BASE: usize = 4 << 20;

/// Bytes of one vector in a reply: 8192 numbers of 16 characters.
pub(crate) const REPLY_PER_TEXT: usize = 128 << 10;

/// Largest reply that is read, in bytes.
const REPLY_MAX: usize = 256 << 20;

/// Sends the requests of one provider.
pub struct Remote {
    endpoint: Endpoint,
    wire: Box<dyn Wire>,
    plain_floats: AtomicBool,
}

impl Remote {
    /// A wire format on an endpoint.
    #[must_use]
    pub fn new(endpoint: Endpoint, wire: Box<dyn Wire>) -> Self {
        Self { endpoint, wire, plain_floats: AtomicBool::new(false) }
    }

    async fn request(
        &self,
        texts: &[String],
        purpose: Purpose,
        timeout: Duration,
        base64: bool,
    ) -> Result<Answer, Fault> {
        let body = self.wire.body(texts, purpose, base64);
        self.post(&body, texts.len(), timeout).await
    }

    async fn post(&self, body: &[u8], inputs: usize, timeout: Duration) -> Result<Answer, Fault> {
        let max_bytes = (REPLY_BASE + inputs * REPLY_PER_TEXT).min(REPLY_MAX);
        let reply = self.endpoint.post_with_any_key(self.wire.url(), body, timeout, max_bytes).await?;
        self.wire.parse(&reply).map_err(|problem| {
            if has_error(&reply) {
                self.endpoint.error_in_success(&reply)
            } else {
                Fault::response(format!("{}: {problem}", self.endpoint.who()))
            }
        })
    }
}

impl Transport for Remote {
    fn send<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(async move {
            let base64 = !self.plain_floats.load(Ordering::Relaxed);
            match self.request(texts, purpose, timeout, base64).await {
                Err(fault) if base64 && fault.kind == FaultKind::Encoding => {
                    self.plain_floats.store(true, Ordering::Relaxed);
                    self.request(texts, purpose, timeout, false).await
                }
                outcome => outcome,
            }
        })
    }

    fn send_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(async move {
            let body = self.wire.media_body(media).ok_or_else(Fault::text_only)?;
            self.post(&body, 1, timeout).await
        })
    }
}

/// Whether a body is a JSON object with an `error`.
fn has_error(body: &[u8]) -> bool {
    let value: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    value.is_some_and(|value| value.get("error").is_some_and(|error| !error.is_null()))
}
