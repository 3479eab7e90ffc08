//! The writer lease is one, the passes of an engine are several: it is given back when the last of them is done.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::sync::MutexGuard;

use super::context::{Context, Service};
use crate::index::{Progress, Step};
use model::error::{Code, Error, Result};
use store::lease::Lease;

/// Pause between two looks at a writer lease that another process holds.
const LEASE_POLL: Duration = Duration::from_millis(250);

/// How long another process that indexes is waited for by a person at a terminal.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// What is said of a lease that was not given back; it runs out by itself.
pub(super) const NOT_GIVEN_BACK: &str = "other processes cannot write to the index for a while";

/// How often indexing is tried, when other processes take the lease over meanwhile.
const ATTEMPTS: usize = 3;

/// The writer lease of an engine, and who needs it.
pub(super) struct WriterLease {
    context: Arc<Context>,
    count: AtomicUsize,
    /// Taking the lease and giving it back come one after the other, never in between.
    turn: tokio::sync::Mutex<()>,
}

/// The lease is needed as long as this lives.
pub(super) struct Held(Arc<WriterLease>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Held {
    /// Needs the lease no more, and gives it back when nobody else does.
    pub(super) async fn give_back(self) -> Result<()> {
        let lease = Arc::clone(&self.0);
        drop(self);
        lease.give_back().await
    }
}

impl Service for WriterLease {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl WriterLease {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), count: AtomicUsize::new(0), turn: tokio::sync::Mutex::default() }
    }

    /// Waits for the writer lease. Another process that holds it does the same work, so waiting is no loss. Whoever
    /// only drops what this gives calls [`Self::give_back`] afterwards.
    pub(super) async fn take(self: &Arc<Self>, progress: &Progress) -> Result<Held> {
        loop {
            self.context.shutdown().check()?;
            let turn = self.turn.lock().await;
            let label = match self.background(|lease, _| lease.context.store().acquire_lease()).await {
                Ok(Lease::Held { .. }) => {
                    self.count.fetch_add(1, Ordering::AcqRel);
                    if self.context.store().has_begun_anew() {
                        let settings = self.context.settings();
                        tracing::warn!(
                            agent = settings.settings.agent_id,
                            "AGENT_REMOVED: all that the database kept of this agent was removed; its index is made anew"
                        );
                    }
                    return Ok(Held(Arc::clone(self)));
                }
                Ok(Lease::HeldBy(row)) => format!("Waiting for process {} that indexes this workspace", row.owner.pid),
                // One that was stopped in the middle of a write holds the file as well, and only it can give that back.
                Err(error) if error.code() == Code::Busy => "Waiting for a process that writes to the index".to_owned(),
                Err(error) => return Err(error),
            };
            drop(turn);
            progress(&Step { completed: 0, total: 0, label });
            self.context.clock().sleep(LEASE_POLL).await;
        }
    }

    /// Waits until nobody indexes, in this engine or in another process, and keeps it so as long as the guard lives.
    /// Afterwards [`Self::give_back`] is due.
    ///
    /// # Errors
    /// [`Code::Busy`] with what to do, when that takes too long.
    pub(super) async fn alone(self: &Arc<Self>, patience: Duration) -> Result<MutexGuard<'_, ()>> {
        let started = self.context.clock().now();
        loop {
            self.context.shutdown().check()?;
            let turn = self.turn.lock().await;
            let who = if self.count.load(Ordering::Acquire) > 0 {
                "this process".to_owned()
            } else {
                match self.blocking(|lease, _| lease.context.store().acquire_lease()).await {
                    Ok(Lease::Held { .. }) => return Ok(turn),
                    Ok(Lease::HeldBy(row)) => format!("process {}", row.owner.pid),
                    Err(error) if error.code() == Code::Busy => "another process".to_owned(),
                    Err(error) => return Err(error),
                }
            };
            drop(turn);
            if self.context.clock().now() - started >= patience {
                return Err(Error::new(Code::Busy, format!("{who} is indexing this workspace"))
                    .remedy("Try again when it is done, or stop the gateway first"));
            }
            self.context.clock().sleep(LEASE_POLL).await;
        }
    }

    /// Does indexing work with the lease. When another process took it over meanwhile, because this one was stopped (a
    /// computer that slept), waits for that one and begins again: what is done already stays done.
    pub(super) async fn indexing<T, F: Future<Output = Result<T>>>(
        self: &Arc<Self>,
        progress: &Progress,
        work: impl Fn() -> F,
    ) -> Result<T> {
        let mut attempt = 1;
        loop {
            let _held = self.take(progress).await?;
            match work().await {
                Err(error) if error.code() == Code::Busy && attempt < ATTEMPTS => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    /// The lease within a time that a person at a terminal waits.
    pub(super) async fn take_soon(self: &Arc<Self>) -> Result<Held> {
        let quiet: Progress = Arc::new(|_| {});
        match tokio::time::timeout(PATIENCE, self.take(&quiet)).await {
            Ok(taken) => taken,
            Err(_) => {
                // It may have come at the last moment.
                self.context.told(self.give_back().await, NOT_GIVEN_BACK);
                Err(Error::new(Code::Busy, "another process is indexing this workspace")
                    .remedy("Try again when it is done, or stop the gateway first"))
            }
        }
    }

    /// Gives the lease back when nobody needs it any more.
    pub(super) async fn give_back(self: &Arc<Self>) -> Result<()> {
        let _turn = self.turn.lock().await;
        if self.count.load(Ordering::Acquire) > 0 {
            return Ok(());
        }
        self.blocking(|lease, _| lease.context.store().release_lease()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::{
        SyncCall,
        testing::{Home, indexed, sync},
    };
    use model::{
        cancel::Cancel,
        clock::{TestClock, now_ms},
    };
    use store::{OpenOptions, Store};

    // A pass that ended looked whether another one ran, and gave the lease back a moment later, when one had begun: that
    // one failed with "another process indexes this workspace".
    #[tokio::test(flavor = "multi_thread")]
    async fn a_pass_that_ends_leaves_the_lease_to_one_that_has_begun() {
        let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
        let quiet: Progress = Arc::new(|_| {});
        let first = engine.indexer.writer().take(&quiet).await.unwrap();
        let second = engine.indexer.writer().take(&quiet).await.unwrap();
        let write = || engine.context.store().write_indexed_async(|tx| tx.set_meta("k", "v"));
        first.give_back().await.unwrap();
        write().await.unwrap();
        second.give_back().await.unwrap();
        assert_eq!(write().await.unwrap_err().code(), model::error::Code::Busy);
        engine.release().await;
    }

    // A process that was stopped inside a transaction holds the file until it goes on. Others gave up after five seconds:
    // "another process is writing to the index" reached the user.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_sync_waits_for_a_process_that_was_stopped_while_it_wrote() {
        let clock = TestClock::at(now_ms());
        let home = Home { clock: Arc::clone(&clock) as _, ..Home::new(&[("MEMORY.md", "The boiler code is E17.")]) };
        let engine = home.open().await;
        sync(&engine).await;
        let other = Store::open(engine.context.store().path(), OpenOptions::default()).unwrap();
        let (inside, is_inside) = std::sync::mpsc::channel();
        let (go_on, goes_on) = std::sync::mpsc::channel();
        let stopped = tokio::task::spawn_blocking(move || {
            other.write(move |_| {
                inside.send(()).unwrap();
                goes_on.recv().unwrap();
                Ok(())
            })
        });
        tokio::task::block_in_place(|| is_inside.recv()).unwrap();
        home.write("memory/late.md", "Written meanwhile.");
        // The write gives up after a while of this clock, which is said; only then the other one goes on.
        let progress: Progress = Arc::new(move |step| {
            if step.label == "Waiting for a process that writes to the index" {
                let _ = go_on.send(());
            }
        });
        let passing = tokio::spawn(async move {
            loop {
                clock.advance(Duration::from_secs(1));
                tokio::task::yield_now().await;
            }
        });
        let call = SyncCall { reason: "test".into(), force: false, text_only: false };
        assert_eq!(engine.indexer.sync(call, Cancel::new(), Some(progress)).await.unwrap().changed, 1);
        passing.abort();
        stopped.await.unwrap().unwrap();
        engine.release().await;
    }

    // A computer that slept in the middle of a pass found the lease taken over: "another process indexes this
    // workspace" reached the user.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_pass_that_lost_the_lease_begins_again() {
        let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
        let files = 220;
        for n in 0..files {
            home.write(&format!("memory/{n}.md"), &format!("The code of boiler {n} is E{n}."));
        }
        let other = Store::open(
            engine.context.store().path(),
            OpenOptions { clock: TestClock::at(now_ms() + 60_000), ..Default::default() },
        )
        .unwrap();
        let taken = std::sync::Once::new();
        let progress: Progress = Arc::new(move |_| {
            taken.call_once(|| {
                assert!(matches!(other.acquire_lease().unwrap(), Lease::Held { .. }));
                other.release_lease().unwrap();
            });
        });
        let call = SyncCall { reason: "test".into(), force: false, text_only: false };
        engine.indexer.sync(call, Cancel::new(), Some(progress)).await.unwrap();
        let held = engine.context.store().read(|r| r.live()?.map_or(Ok(0), |live| r.chunk_count(live.id))).unwrap();
        assert_eq!(held, files + 1);
        engine.release().await;
    }
}
