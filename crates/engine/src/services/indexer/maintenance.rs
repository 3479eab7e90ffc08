//! Keeping the database small and sound, in quiet moments and small steps.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use super::{super::context::Service, Indexer};
use crate::{forgetting::plan::Plans, index::session_pass::Scope};
use model::{
    config::settings::Settings,
    error::{Code, Result},
};
use store::{Store, Tx, ids::ChunkId};

/// Embeddings pruned in one transaction.
const PRUNE_STEP: usize = 400;
/// Pages merged or given back in one transaction.
const PAGES_PER_STEP: u32 = 200;
/// Time for merging and giving back pages after one pass; what is left is done after the next.
const TIDY_TIME: Duration = Duration::from_millis(300);

impl Indexer {
    /// After an embedding pass: prunes the cache to its budget, packs vectors for the next start, merges the full-text
    /// index, gives free pages back.
    pub(super) fn tidy(&self, settings: &Settings) -> Result<()> {
        // What undoes a forgetting is not kept for longer than was said.
        Plans::of(self.context.store()).tend(self.context.now_ms())?;
        if let Some(max) = prune_limit(settings) {
            prune(self.context.store(), max)?;
        }
        while self.context.store().write(|tx| tx.prune_lines(PRUNE_STEP))? == PRUNE_STEP {
            self.context.shutdown().check()?;
        }
        let mut next = Some(ChunkId::default());
        while let Some(after) = next {
            let step = move |tx: &mut Tx<'_>| tx.live()?.map_or(Ok(None), |live| tx.pack_codes_step(live.id, after));
            next = self.context.store().write(step)?;
            self.context.shutdown().check()?;
        }
        let (clock, started) = (self.context.clock(), self.context.clock().now());
        let in_time = || clock.now() - started < TIDY_TIME && !self.context.shutdown().is_cancelled();
        if let Some(live) = self.context.store().read(|r| r.live())? {
            // To the end when much was written since; else only what has come to many pieces.
            let is_scattered = self.context.store().read(|r| r.is_scattered(live.id))?;
            let mut start = is_scattered;
            let mut more = true;
            while in_time() && more {
                more = self.context.store().write(move |tx| {
                    let more = tx.merge_fts_step(live.id, PAGES_PER_STEP, start)?;
                    if is_scattered && !more {
                        tx.note_merged()?;
                    }
                    Ok(more)
                })?;
                start = false;
            }
        }
        while in_time() && self.context.store().write(|tx| tx.vacuum_step(PAGES_PER_STEP))? {}
        self.context.store().vacuum_words(self.context.shutdown())?;
        Ok(())
    }

    /// Looks for damage after an unclean end, and repairs what searches or syncs ran into. Keyword search is back
    /// with the next text pass, which this starts.
    pub(crate) fn check_soundness(self: &Arc<Self>) {
        let store = self.context.store();
        let suspect = store.opened().unclean || store.is_corrupt() || store.is_suspect();
        if !suspect || self.checking.swap(true, Ordering::AcqRel) {
            return;
        }
        let indexer = Arc::clone(self);
        tokio::spawn(async move {
            let repaired = indexer
                .background(|indexer, _| {
                    let store = indexer.context.store();
                    let Some(admin) = store.admin() else { return Ok(false) };
                    let damaged = store.is_corrupt()
                        || admin.verify(indexer.context.shutdown()).is_err_and(|e| e.code() == Code::Corrupt);
                    if damaged {
                        let recovery = admin.recover()?;
                        let agent = indexer.context.agent();
                        tracing::warn!(
                            agent = agent.as_str(),
                            vectors = recovery.salvaged,
                            "the index was damaged and is built anew; vectors that could be read are kept"
                        );
                    }
                    Ok(damaged)
                })
                .await;
            indexer.checking.store(false, Ordering::Release);
            match repaired {
                Ok(true) => indexer.sync_sessions_in_background(Scope::All),
                Ok(false) => {}
                Err(error) => indexer
                    .context
                    .warn(&error, "whether the index is damaged could not be looked at, or it was not replaced"),
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
