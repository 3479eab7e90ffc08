//! One engine per database and process: it owns the store, the vectors in memory, the embedding provider and all
//! background work. Managers are leases on it.

mod background;
mod capture;
mod doctor;
pub mod facts;
mod failure;
mod forget;
mod health;
mod hold;
mod import;
mod keep;
mod maintenance;
mod open;
mod place;
mod probe;
#[cfg(test)]
mod properties_tests;
mod provider;
mod queue;
mod read;
mod registry;
mod restore;
mod search;
mod sessions;
mod status;
mod sync;
#[cfg(test)]
mod testing;
mod usage;
mod warnings;

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicI64, Ordering},
};

use futures::FutureExt;
use parking_lot::{Mutex, RwLock};

use self::{background::Background, probe::ProbeCache, provider::Provider, status::Snapshot};
pub use self::{
    capture::Extraction,
    doctor::Check,
    forget::{ForgetCall, ForgetReport},
    import::{ImportCall, ImportOutcome},
    keep::{Cleared, Copied},
    open::{OpenCall, open},
    registry::{Lease, close_all},
    restore::Restored,
    search::SearchCall,
    sync::SyncCall,
};
pub use crate::index::{Progress, Step, SyncReport};
use crate::upkeep::{blocking, upkeep};
use model::{
    cancel::Cancel,
    config::settings::{Resolved, Settings},
    error::Result,
};
use store::Store;

/// The engine of one database.
pub struct Engine {
    store: Arc<Store>,
    resolved: RwLock<Arc<Resolved>>,
    provider: RwLock<Arc<Provider>>,
    texts: Arc<sync::TextQueue>,
    vectors: Arc<sync::VectorQueue>,
    queries: search::QueryVectors,
    sessions: sessions::Sessions,
    snapshot: Mutex<Snapshot>,
    probe: ProbeCache,
    background: Mutex<Option<Background>>,
    /// Who needs the writer lease.
    holders: hold::Holders,
    /// Something changed on disk since the last text pass began.
    dirty: AtomicBool,
    /// A text pass has run, or the index held something when it was first searched.
    indexed: AtomicBool,
    /// When the disk was last compared with the index, in milliseconds since the epoch; 0 = never.
    compared_ms: AtomicI64,
    /// A check for damage is under way.
    checking: AtomicBool,
    /// A text pass is at work on an index that was empty before.
    reading_first: AtomicBool,
    /// What searches sent will be booked soon.
    booking_due: AtomicBool,
    /// Ends all work of this engine.
    shutdown: Cancel,
    closed: AtomicBool,
}

impl Engine {
    fn new(store: Arc<Store>, resolved: Arc<Resolved>, provider: Provider) -> Self {
        Self {
            store,
            resolved: RwLock::new(resolved),
            provider: RwLock::new(Arc::new(provider)),
            texts: Arc::default(),
            vectors: Arc::default(),
            queries: search::query_vectors(),
            sessions: sessions::Sessions::default(),
            snapshot: Mutex::default(),
            probe: Mutex::default(),
            background: Mutex::default(),
            holders: hold::Holders::default(),
            dirty: AtomicBool::new(false),
            indexed: AtomicBool::new(false),
            compared_ms: AtomicI64::new(0),
            checking: AtomicBool::new(false),
            reading_first: AtomicBool::new(false),
            booking_due: AtomicBool::new(false),
            shutdown: Cancel::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// Takes over settings and credentials of a newer configuration.
    fn reconfigure(&self, resolved: Arc<Resolved>, provider: Provider) {
        let before = self.settings();
        let same_provider = before.settings.provider == resolved.settings.provider;
        *self.resolved.write() = resolved;
        // A provider that has learnt limits and holds a breaker is kept while nothing about it changed.
        let keep = same_provider && self.provider().has_same_sources(&provider);
        if keep {
            self.provider().join(&provider);
        } else {
            *self.provider.write() = Arc::new(provider);
            *self.probe.lock() = None;
        }
    }

    /// The embedding provider in force now.
    fn provider(&self) -> Arc<Provider> {
        Arc::clone(&self.provider.read())
    }

    /// The settings in force now.
    pub fn settings(&self) -> Arc<Resolved> {
        Arc::clone(&self.resolved.read())
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Stops background work and closes the store. Blocks for less than a second.
    fn close(&self) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.shutdown.cancel();
        drop(self.background.lock().take());
        // Handed to the writer, which finishes what waits.
        let _ = self.book_all().now_or_never();
        self.store.close();
    }

    /// Runs long work of the background, which leaves threads to searches.
    async fn upkeep<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &Settings) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        upkeep(self.with_settings(work)).await
    }

    /// Runs blocking work that a caller waits for, with this engine on a thread of the runtime.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &Settings) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        blocking(self.with_settings(work)).await
    }

    /// Work with this engine and the settings in force when it begins.
    fn with_settings<T>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &Settings) -> Result<T> + Send + 'static,
    ) -> impl FnOnce() -> Result<T> + Send + 'static {
        let engine = Arc::clone(self);
        move || {
            let resolved = engine.settings();
            work(&engine, &resolved.settings)
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.close();
    }
}

/// Milliseconds since the epoch.
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}
