//! The writer lease is one, the passes of an engine are several: it is given back when the last of them is done.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::Engine;
use crate::{
    error::Result,
    index::{Progress, Step},
    store::lease::Lease,
};

/// Pause between two looks at a writer lease that another process holds.
const LEASE_POLL: Duration = Duration::from_millis(250);

/// Who needs the lease of an engine.
#[derive(Default)]
pub(super) struct Holders {
    count: AtomicUsize,
    /// Taking the lease and giving it back come one after the other, never in between.
    turn: tokio::sync::Mutex<()>,
}

/// The lease is needed as long as this lives.
pub(super) struct Held(Arc<Engine>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.holders.count.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Engine {
    /// Waits for the writer lease. Another process that holds it does the same work, so waiting is no loss. Whoever
    /// drops what this gives calls [`Self::give_lease_back`] afterwards.
    pub(super) async fn with_lease(self: &Arc<Self>, progress: &Progress) -> Result<Held> {
        loop {
            self.shutdown.check()?;
            let turn = self.holders.turn.lock().await;
            match self.upkeep(|engine, _| engine.store.acquire_lease()).await? {
                Lease::Held { .. } => {
                    self.holders.count.fetch_add(1, Ordering::AcqRel);
                    return Ok(Held(Arc::clone(self)));
                }
                Lease::HeldBy(row) => {
                    drop(turn);
                    let label = format!("Waiting for process {} that indexes this workspace", row.owner.pid);
                    progress(&Step { completed: 0, total: 0, label });
                    tokio::time::sleep(LEASE_POLL).await;
                }
            }
        }
    }

    /// Gives the lease back when nobody needs it any more.
    pub(super) async fn give_lease_back(self: &Arc<Self>) -> Result<()> {
        let _turn = self.holders.turn.lock().await;
        if self.holders.count.load(Ordering::Acquire) > 0 {
            return Ok(());
        }
        self.blocking(|engine, _| engine.store.release_lease()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::indexed;

    // A pass that ended looked whether another one ran, and gave the lease back a moment later, when one had begun: that
    // one failed with "another process indexes this workspace".
    #[tokio::test(flavor = "multi_thread")]
    async fn a_pass_that_ends_leaves_the_lease_to_one_that_has_begun() {
        let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
        let quiet: Progress = Arc::new(|_| {});
        let first = engine.with_lease(&quiet).await.unwrap();
        let second = engine.with_lease(&quiet).await.unwrap();
        let write = || engine.store.write_indexed_async(|tx| tx.set_meta("k", "v"));
        drop(first);
        engine.give_lease_back().await.unwrap();
        write().await.unwrap();
        drop(second);
        engine.give_lease_back().await.unwrap();
        assert_eq!(write().await.unwrap_err().code, crate::error::Code::Busy);
        engine.release().await;
    }
}
