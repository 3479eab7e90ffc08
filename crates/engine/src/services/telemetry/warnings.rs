//! The last warnings in the index, where `status` of another process finds them.

use super::Telemetry;
use crate::log::{self, Warning};
use model::error::Result;
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

impl Telemetry {
    /// Keeps the last warnings for `status` of other processes, when there is something new. An index that cannot be
    /// written leaves them in this process.
    pub(crate) async fn keep_warnings(&self) {
        let agent = self.context.agent();
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
            log::merged(own, stored, self.context.now_ms())
        };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        // What it would say is what it could not keep.
        let _ = self.context.store().write_async(move |tx| tx.set_meta(KEY, &text)).await;
    }
}
