//! What goes on by itself in a long-running process: watching, reconciling, interval syncs.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{runtime::Handle, task::JoinHandle};

use super::{super::context::Service, Indexer, sync::VectorCall};
use crate::{
    active_memory::intent::recall_intent,
    capture,
    index::{plan::is_stale, session_pass::Scope},
    workspace::{
        roots::Roots,
        watch::{Cause, Dirty, Health, WatchOptions, Watcher},
    },
};
use model::{cancel::Cancel, clock::Clock, config::settings::Settings};

/// Ends with its indexer.
pub(super) struct Background {
    interval: Option<JoinHandle<()>>,
    watcher: Option<Watcher>,
}

impl Background {
    /// How watching is going; none when it is switched off.
    pub(super) fn watch_health(&self) -> Option<Health> {
        self.watcher.as_ref().map(Watcher::health)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(task) = &self.interval {
            task.abort();
        }
    }
}

impl Indexer {
    /// Stops watching and the regular syncs.
    pub(crate) fn stop_background(&self) {
        drop(self.background.lock().take());
    }

    /// Starts watching and the regular syncs, once. Must be called inside the runtime.
    pub(crate) fn start_background(self: &Arc<Self>) {
        let mut slot = self.background.lock();
        if slot.is_some() || self.context.is_closed() {
            return;
        }
        tokio::task::spawn_blocking(|| {
            capture::warm_up();
            // The first message would wait for its patterns, longer than a recall may take on a small machine.
            let _ = recall_intent("Where do I live?");
        });
        let resolved = self.context.settings();
        let sync = &resolved.settings.sync;
        let interval = period(sync.interval_minutes)
            .map(|period| tokio::spawn(at_intervals(Arc::downgrade(self), Arc::clone(self.context.clock()), period)));
        let watcher = sync.watch.then(|| {
            let options = WatchOptions {
                debounce: Duration::from_millis(sync.watch_debounce_ms),
                reconcile_every: Duration::from_secs(sync.reconcile_seconds.max(1)),
            };
            let (indexer, runtime) = (Arc::downgrade(self), Handle::current());
            Watcher::start(Roots::of(&resolved.settings), options, move |dirty| {
                if let Some(indexer) = indexer.upgrade() {
                    runtime.spawn(async move { indexer.noticed(dirty).await });
                }
            })
        });
        *slot = Some(Background { interval, watcher });
    }

    /// The disk may have changed.
    async fn noticed(self: &Arc<Self>, dirty: Dirty) {
        // Beside this and a pass that it had begun itself the first search of 350,000 chunks took 0.36 to 0.6 s on two cores,
        // not 0.23 to 0.37.
        if dirty.cause == Cause::Started {
            self.quiet.at_last().await;
        }
        if self.context.is_closed() {
            return;
        }
        // What happened in conversations while nobody was here is taken up at once.
        let sessions = if dirty.cause == Cause::Started { Scope::All } else { Scope::Due };
        if dirty.cause == Cause::Events && dirty.paths.is_some() {
            self.mark_named();
            self.sync_named_in_background(sessions, dirty.paths);
        } else if dirty.cause == Cause::Events || self.differs_from_disk(sessions).await {
            self.mark_dirty();
            self.sync_sessions_in_background(sessions);
        } else if !self.vectors.is_running() {
            self.resume_vectors().await;
            if dirty.cause == Cause::Started || self.telemetry.lines_wait() {
                self.sync_lines_in_background();
            }
        }
    }

    /// Compares disk and index by name, size and time, because events get lost.
    async fn differs_from_disk(self: &Arc<Self>, sessions: Scope) -> bool {
        if self.texts.is_running() {
            return false;
        }
        let look = move |indexer: &Arc<Self>, settings: &Settings| {
            let transcripts =
                settings.sources.sessions && (sessions == Scope::All || indexer.sessions_due(settings)?);
            let (store, cancel) = (indexer.context.store(), Cancel::new());
            Ok(transcripts || indexer.notes_are_behind(settings, &cancel)? || is_stale(store, settings, &cancel)?)
        };
        let stale = self.background(look).await;
        self.compared_now();
        stale.unwrap_or_else(|error| {
            self.context.warn(&error, "the disk was not compared with the index; all of it is read instead");
            true
        })
    }

    /// Goes on with vectors that a failed or interrupted pass left out, but not against a provider that said no for
    /// good a short while ago.
    async fn resume_vectors(self: &Arc<Self>) {
        if self.telemetry.vectors_wait_ms() == Some(0) {
            // Kept for `status`.
            let _ = self.sync_vectors(VectorCall::default(), &Cancel::new(), None).await;
        }
    }
}

/// Between two regular syncs; none when they are switched off.
fn period(minutes: u64) -> Option<Duration> {
    (minutes > 0).then(|| Duration::from_secs(minutes.saturating_mul(60)))
}

async fn at_intervals(indexer: Weak<Indexer>, clock: Arc<dyn Clock>, period: Duration) {
    loop {
        clock.sleep(period).await;
        let Some(indexer) = indexer.upgrade() else { return };
        indexer.sync_sessions_in_background(Scope::All);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::testing::{hits, indexed};

    #[tokio::test(flavor = "multi_thread")]
    async fn at_every_interval_the_index_follows_the_notes_until_the_engine_ends() {
        assert_eq!((period(0), period(30)), (None, Some(Duration::from_secs(1800))));
        let (home, engine) = indexed(&[("memory/tea.md", "The favourite tea is sencha.")]).await;
        let task = tokio::spawn(at_intervals(
            Arc::downgrade(&engine.indexer),
            Arc::clone(engine.context.clock()),
            Duration::from_millis(10),
        ));
        for word in ["lighthouse", "windmill"] {
            home.write(&format!("memory/{word}.md"), &format!("The {word} has three lamps."));
            let found = async {
                while hits(&engine, word).await.is_empty() {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), found).await.expect("no sync");
        }
        engine.release().await;
        tokio::time::timeout(Duration::from_secs(60), task).await.expect("it goes on").unwrap();
    }
}
