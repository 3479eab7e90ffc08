//! Keeping the database small and sound, in quiet moments and small steps.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use super::Engine;
use crate::index::session_pass::Scope;
use model::{
    config::settings::Settings,
    error::{Code, Result},
};
use store::Store;

/// Embeddings pruned in one transaction.
const PRUNE_STEP: usize = 400;
/// Pages merged or given back in one transaction.
const PAGES_PER_STEP: u32 = 200;
/// Time for merging and giving back pages after one pass; what is left is done after the next.
const TIDY_TIME: Duration = Duration::from_millis(300);

impl Engine {
    /// After an embedding pass: prunes the cache to its budget, merges the full-text index, gives free pages back.
    pub(super) fn tidy(&self, settings: &Settings) -> Result<()> {
        if let Some(max) = prune_limit(settings) {
            prune(&self.store, max)?;
        }
        while self.store.write(|tx| tx.prune_line_vectors(PRUNE_STEP))? == PRUNE_STEP {
            self.shutdown.check()?;
        }
        let started = Instant::now();
        let in_time = || started.elapsed() < TIDY_TIME && !self.shutdown.is_cancelled();
        if let Some(live) = self.store.read(|r| r.live())? {
            let mut start = true;
            while in_time() && self.store.write(move |tx| tx.merge_fts_step(live.id, PAGES_PER_STEP, start))? {
                start = false;
            }
        }
        while in_time() && self.store.write(|tx| tx.vacuum_step(PAGES_PER_STEP))? {}
        Ok(())
    }

    /// Looks for damage after an unclean end, and repairs what searches or syncs ran into. Keyword search is back
    /// with the next text pass, which this starts.
    pub(super) fn check_soundness(self: &Arc<Self>) {
        let suspect = self.store.opened().unclean || self.store.is_corrupt() || self.store.is_suspect();
        if !suspect || self.checking.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = Arc::clone(self);
        tokio::spawn(async move {
            let repaired = engine
                .upkeep(|engine, _| {
                    let damaged = engine.store.is_corrupt()
                        || engine.store.verify(&engine.shutdown).is_err_and(|e| e.code() == Code::Corrupt);
                    if damaged {
                        let recovery = engine.store.recover()?;
                        let agent = engine.agent();
                        tracing::warn!(
                            agent = agent.as_str(),
                            vectors = recovery.salvaged,
                            "the index was damaged and is built anew; vectors that could be read are kept"
                        );
                    }
                    Ok(damaged)
                })
                .await;
            engine.checking.store(false, Ordering::Release);
            match repaired {
                Ok(true) => engine.sync_sessions_in_background(Scope::All),
                Ok(false) => {}
                Err(error) => {
                    engine.warn(&error, "whether the index is damaged could not be looked at, or it was not replaced")
                }
            }
        });
    }
}

/// The cache budget (B7): live vectors are never pruned.
fn prune_limit(settings: &Settings) -> Option<u64> {
    if settings.cache.enabled { settings.cache.max_entries.map(|n| n as u64) } else { Some(0) }
}

fn prune(store: &Store, max_entries: u64) -> Result<()> {
    loop {
        let ids = store.read(|r| r.prunable(max_entries, PRUNE_STEP))?;
        if ids.is_empty() || store.write(move |tx| tx.prune(&ids))? == 0 {
            return Ok(());
        }
    }
}
