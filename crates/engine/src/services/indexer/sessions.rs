//! When conversations are looked at: the host tells that something was said, a new conversation begins.

use std::{
    collections::{HashMap, HashSet},
    num::NonZeroUsize,
    sync::Arc,
    time::Duration,
};

use lru::LruCache;
use parking_lot::Mutex;

use super::{super::telemetry::SESSIONS, Indexer};
use crate::index::{
    session_pass::{Scope, is_enough},
    session_plan::SessionPlan,
};
use model::{config::settings::Settings, error::Result};

/// Quiet time after the message with which enough was said (E5).
const DEBOUNCE: Duration = Duration::from_secs(5);

/// Conversations whose first search is remembered.
const KEPT_SESSIONS: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// What is known of conversations between two looks at them.
pub(super) struct Sessions {
    said: Mutex<Said>,
    /// Conversations that have searched.
    warm: Mutex<LruCache<String, ()>>,
}

/// What was said since the last look.
#[derive(Default)]
struct Said {
    /// Bytes and messages, by transcript.
    pending: HashMap<String, (u64, u64)>,
    /// Transcripts in which it was enough.
    due: HashSet<String>,
    /// A look at them is about to be taken.
    is_scheduled: bool,
}

impl Default for Sessions {
    fn default() -> Self {
        Self { said: Mutex::default(), warm: Mutex::new(LruCache::new(KEPT_SESSIONS)) }
    }
}

impl Sessions {
    /// The transcripts in which enough was said; a look is taken at them now.
    pub(super) fn take(&self, scope: Scope) -> HashSet<String> {
        let mut said = self.said.lock();
        match scope {
            Scope::None => HashSet::new(),
            Scope::Due => std::mem::take(&mut said.due),
            Scope::All => {
                said.pending.clear();
                std::mem::take(&mut said.due)
            }
        }
    }
}

impl Indexer {
    /// Something was said in a conversation. Cheap: what it was is read later.
    pub fn note_transcript(self: &Arc<Self>, path: &str, bytes: u64) {
        let resolved = self.context.settings();
        if !resolved.settings.sources.sessions {
            return;
        }
        let mut said = self.sessions.said.lock();
        let pending = said.pending.entry(path.to_owned()).or_default();
        *pending = (pending.0.saturating_add(bytes), pending.1 + 1);
        let (bytes, messages) = *pending;
        if !is_enough(&resolved.settings.sync, bytes, || messages) {
            return;
        }
        said.pending.remove(path);
        said.due.insert(path.to_owned());
        if std::mem::replace(&mut said.is_scheduled, true) {
            return;
        }
        drop(said);
        let (indexer, clock) = (Arc::downgrade(self), Arc::clone(self.context.clock()));
        tokio::spawn(async move {
            clock.sleep(DEBOUNCE).await;
            let Some(indexer) = indexer.upgrade().filter(|indexer| !indexer.context.is_closed()) else { return };
            indexer.sessions.said.lock().is_scheduled = false;
            indexer.sync_in_background();
        });
    }

    /// The first search of a conversation brings the index up to date, for those that follow. Not in a process that
    /// ends after one search.
    pub(crate) fn warm_up(self: &Arc<Self>, session_key: Option<&str>) {
        let Some(key) = session_key.filter(|key| !key.is_empty()) else { return };
        if !self.context.settings().settings.sync.on_session_start || self.background.lock().is_none() {
            return;
        }
        if self.sessions.warm.lock().put(key.to_owned(), ()).is_none() {
            let indexer = Arc::clone(self);
            tokio::spawn(async move {
                indexer.quiet.at_last().await;
                if !indexer.context.is_closed() {
                    indexer.sync_sessions_in_background(Scope::All);
                }
            });
        }
    }

    /// Whether a look at conversations would find something. Blocks.
    pub(super) fn sessions_due(&self, settings: &Settings) -> Result<bool> {
        self.plan_sessions(settings, |sessions| sessions.is_due())
    }

    /// Compares conversations with the index. Blocks. A host that cannot tell about them now is an error for `status`
    /// to show, and not one of `status`.
    pub(super) fn plan_sessions<T: Default>(
        &self,
        settings: &Settings,
        work: impl FnOnce(&SessionPlan<'_>) -> Result<T>,
    ) -> Result<T> {
        let noted = self.sessions.said.lock().due.clone();
        let host = self.context.hosts().conversations();
        let cancel = self.context.shutdown();
        match work(&SessionPlan { store: self.context.store(), settings, host: host.as_ref(), noted: &noted, cancel }) {
            Err(error) if error.is_of_host() => {
                self.telemetry.note(SESSIONS, Some(&error));
                Ok(T::default())
            }
            other => other,
        }
    }
}

#[cfg(test)]
#[path = "sessions_tests.rs"]
mod tests;
