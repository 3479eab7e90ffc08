//! What an engine says about its own agent, and the last warnings in the index, where `status` of another process finds
//! them.

use std::sync::Arc;

use super::{Engine, now_ms};
use crate::log::{self, Warning};
use model::error::{Code, Error, Result};
use store::Reader;

/// Key in `meta` of the last warnings, as JSON.
const KEY: &str = "last_warnings";

/// How much later a warning that is stored must have come again to be worth a write, in milliseconds.
const WRITE_AFTER_MS: i64 = 10 * 60_000;

/// The last warnings that a process has left; none that can be read is none.
///
/// # Errors
/// When the store cannot be read.
pub(super) fn stored(reader: &Reader<'_>) -> Result<Vec<Warning>> {
    Ok(reader.meta(KEY)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

impl Engine {
    /// Whose memory it is.
    pub(super) fn agent(&self) -> String {
        self.settings().settings.agent_id.clone()
    }

    /// Says that something failed, unless it was ended on purpose. `happened` is a sentence of this program.
    pub(super) fn warn(&self, error: &Error, happened: &'static str) {
        let agent = self.agent();
        let (agent, cause): (_, &dyn std::error::Error) = (agent.as_str(), error);
        match error.code() {
            Code::Cancelled | Code::Closed => {}
            Code::Internal if !error.is_of_host() => tracing::error!(agent, error = cause, "{happened}"),
            Code::Corrupt => tracing::error!(agent, error = cause, "{happened}"),
            _ => tracing::warn!(agent, error = cause, "{happened}"),
        }
    }

    /// Says when something failed that nothing else depends on.
    pub(super) fn told<T>(&self, outcome: Result<T>, happened: &'static str) {
        if let Err(error) = outcome {
            self.warn(&error, happened);
        }
    }

    /// Keeps the last warnings for `status` of other processes, when there is something new. An index that cannot be
    /// written leaves them in this process.
    pub(super) async fn keep_warnings(self: &Arc<Self>) {
        let agent = self.agent();
        let kept = {
            let snapshot = self.snapshot.lock();
            let (own, stored) = (log::warnings(&agent), snapshot.stored_warnings());
            let is_kept = |warning: &Warning| {
                let same = |known: &&Warning| known.message == warning.message && known.level == warning.level;
                stored.iter().find(same).is_some_and(|known| warning.at_ms < known.at_ms + WRITE_AFTER_MS)
            };
            if own.iter().all(is_kept) {
                return;
            }
            log::merged(own, stored, now_ms())
        };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        // What it would say is what it could not keep.
        let _ = self.store.write_async(move |tx| tx.set_meta(KEY, &text)).await;
    }
}
