//! Why vectors are missing, kept in the index, so that every process can name the cause and not only the one that met it.

use serde::{Deserialize, Serialize};

use super::Telemetry;
use crate::index::Failure;
use model::error::{Error, Result};
use store::Reader;

/// Key in `meta`.
const KEY: &str = "embedding_failure";

/// The provider's failure in the last embedding pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EmbeddingFailure {
    /// The provider that was set; a failure of another one says nothing.
    provider: String,
    /// What went wrong.
    #[serde(flatten)]
    pub failure: Failure,
    /// Since when, in milliseconds since the epoch.
    pub since_ms: i64,
}

/// The failure that the last pass left; none when it went well, or when another provider is set now.
///
/// # Errors
/// When the store cannot be read.
pub(super) fn of(reader: &Reader<'_>, provider: &str) -> Result<Option<EmbeddingFailure>> {
    let stored = reader.meta(KEY)?;
    let failure: Option<EmbeddingFailure> = stored.and_then(|text| serde_json::from_str(&text).ok());
    Ok(failure.filter(|failure| failure.provider == provider))
}

impl Telemetry {
    /// Keeps or forgets why the provider failed, when that has changed. An index that cannot be written tells another
    /// cause anyway.
    pub(crate) async fn keep_failure(&self, error: Option<&Error>) {
        let failure = match error {
            None => None,
            Some(error) if error.is_of_provider() => Some(Failure::from(error.clone())),
            Some(_) => return,
        };
        if self.snapshot.lock().stored_failure().map(|stored| &stored.failure) == failure.as_ref() {
            return;
        }
        let provider = self.context.settings().settings.provider.id.clone();
        let now_ms = self.context.now_ms();
        let write = self.context.store().write_async(move |tx| {
            let before = tx.meta(KEY)?.and_then(|text| serde_json::from_str::<EmbeddingFailure>(&text).ok());
            match failure {
                Some(failure) => {
                    let same =
                        before.as_ref().is_some_and(|b| b.failure.code == failure.code && b.provider == provider);
                    let since_ms = before.filter(|_| same).map_or(now_ms, |before| before.since_ms);
                    let kept = EmbeddingFailure { provider, failure, since_ms };
                    tx.set_meta(KEY, &serde_json::to_string(&kept).unwrap_or_default())
                }
                None => tx.delete_meta(KEY),
            }
        });
        self.context.told(write.await, "why the provider failed was not kept for the next process");
    }
}
