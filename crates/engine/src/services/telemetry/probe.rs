//! Asking the provider whether it works, and remembering the answer for a while.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{super::context::Service, Telemetry};
use embed::{Embedded, HARMLESS_TEXT, Purpose};
use model::error::{Code, Error, Result};

/// How long an answer counts.
const FRESH: Duration = Duration::from_secs(60);

/// The last answer.
pub(super) type ProbeCache = Mutex<Option<(Instant, Value)>>;

impl Telemetry {
    /// The provider is another one: what the former answered says nothing.
    pub(crate) fn forget_probe(&self) {
        *self.probe.lock() = None;
    }

    /// Asks the provider for one vector: `{ok, error?, code?, latencyMs?, dims?, limits?, usage?, …}`.
    pub async fn probe_embedding(self: &Arc<Self>) -> Value {
        let started = self.context.clock().now();
        let outcome = self.probe_once().await;
        let checked_at = self.context.now_ms();
        let mut answer = match outcome {
            Ok(mut details) => {
                details["ok"] = json!(true);
                details["latencyMs"] = json!((self.context.clock().now() - started).as_millis());
                details
            }
            Err(error) => json!({ "ok": false, "error": error.to_string(), "code": error.code().as_str() }),
        };
        let fresh_ms = i64::try_from(FRESH.as_millis()).unwrap_or(0);
        answer["checked"] = json!(true);
        answer["cached"] = json!(false);
        answer["checkedAtMs"] = json!(checked_at);
        answer["cacheExpiresAtMs"] = json!(checked_at + fresh_ms);
        *self.probe.lock() = Some((self.context.clock().now(), answer.clone()));
        answer
    }

    async fn probe_once(self: &Arc<Self>) -> Result<Value> {
        let Some(embedder) = self.context.provider().embedder()? else {
            return Err(Error::new(Code::Config, "no embedding provider is in use; search works on keywords"));
        };
        let timeout = Duration::from_millis(self.context.settings().settings.provider.query_timeout_ms);
        let texts = [HARMLESS_TEXT.to_owned()];
        let outcome = embedder.embed(&texts, Purpose::Query, timeout).await;
        self.book_usage(&*embedder, 0).await;
        let vectors = outcome?;
        match vectors.into_iter().next() {
            Some(Embedded::Vector(vector)) => Ok(json!({
                "dims": vector.len(),
                "local": embedder.is_local(),
                "limits": embedder.limits(),
                "usage": embedder.usage(),
            })),
            Some(Embedded::Refused(reason)) => Err(Error::new(Code::ProviderInput, reason)),
            None => Err(Error::new(Code::ProviderResponse, "the embedding provider gave no vector")),
        }
    }

    /// The last answer while it is fresh.
    pub fn cached_probe(&self) -> Option<Value> {
        let cached = self.probe.lock();
        let (at, answer) = cached.as_ref()?;
        (self.context.clock().now() - *at < FRESH).then(|| {
            let mut answer = answer.clone();
            answer["cached"] = json!(true);
            answer
        })
    }

    /// Whether vectors can be searched: they are part of the engine, so only the setting says no.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn probe_vector(self: &Arc<Self>) -> Result<bool> {
        self.blocking(|telemetry, settings| {
            telemetry.context.store().read(|r| r.live())?;
            Ok(settings.vector_enabled)
        })
        .await
    }
}
