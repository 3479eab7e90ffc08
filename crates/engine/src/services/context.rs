//! What all services of one engine share: the store, the settings and the provider in force, the host, the
//! end, and a voice.

use std::{error::Error as StdError, sync::Arc};

use parking_lot::RwLock;

use super::provider::Provider;
use crate::{
    blocking::{background, blocking},
    host::Hosts,
};
use model::{
    cancel::Cancel,
    clock::Clock,
    config::settings::{Resolved, Settings},
    error::{Code, Error, Result},
};
use store::Store;

/// What all services of one engine share.
pub(crate) struct Context {
    store: Arc<Store>,
    resolved: RwLock<Arc<Resolved>>,
    provider: RwLock<Arc<Provider>>,
    hosts: Arc<Hosts>,
    shutdown: Cancel,
    clock: Arc<dyn Clock>,
}

impl Context {
    pub(super) fn new(store: Arc<Store>, resolved: Arc<Resolved>, provider: Provider, clock: Arc<dyn Clock>) -> Self {
        Self {
            store,
            resolved: RwLock::new(resolved),
            provider: RwLock::new(Arc::new(provider)),
            hosts: Arc::default(),
            shutdown: Cancel::new(),
            clock,
        }
    }

    /// Takes over settings and credentials of a newer configuration. Whether the provider is another one now.
    pub(super) fn reconfigure(&self, resolved: Arc<Resolved>, provider: Provider) -> bool {
        let before = self.settings();
        let same_provider = before.settings.provider == resolved.settings.provider;
        *self.resolved.write() = resolved;
        // A provider that has learnt limits and holds a breaker is kept while nothing about it changed.
        let keep = same_provider && self.provider().has_same_sources(&provider);
        if keep {
            self.provider().join(&provider);
        } else {
            *self.provider.write() = Arc::new(provider);
        }
        !keep
    }

    /// The store.
    pub(super) const fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The settings in force now.
    pub(super) fn settings(&self) -> Arc<Resolved> {
        Arc::clone(&self.resolved.read())
    }

    /// The embedding provider in force now.
    pub(super) fn provider(&self) -> Arc<Provider> {
        Arc::clone(&self.provider.read())
    }

    /// The host, as the threads of this process offer it.
    pub(super) const fn hosts(&self) -> &Arc<Hosts> {
        &self.hosts
    }

    /// Ends all work of this engine.
    pub(super) const fn shutdown(&self) -> &Cancel {
        &self.shutdown
    }

    /// The time it goes by.
    pub(super) const fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// The time of day, in milliseconds since the epoch.
    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Whether the engine was closed.
    pub(super) fn is_closed(&self) -> bool {
        self.shutdown.is_cancelled()
    }

    /// Whose memory it is.
    pub(super) fn agent(&self) -> String {
        self.settings().settings.agent_id.clone()
    }

    /// Says that something failed, unless it was ended on purpose. `happened` is a sentence of this program.
    pub(super) fn warn(&self, error: &Error, happened: &'static str) {
        let agent = self.agent();
        let (agent, cause): (_, &dyn StdError) = (agent.as_str(), error);
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
}

/// A service runs its blocking work on threads of the runtime, with itself and the settings in force when it begins.
pub(super) trait Service: Send + Sync + Sized + 'static {
    /// What it shares with the other services.
    fn context(&self) -> &Context;

    /// Long work of the background, which leaves threads to searches.
    fn background<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &Settings) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        background(self.with_settings(work))
    }

    /// Work that a caller waits for.
    fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &Settings) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        blocking(self.with_settings(work))
    }

    /// Work with the settings in force when it begins.
    fn with_settings<T>(
        self: &Arc<Self>,
        work: impl FnOnce(&Arc<Self>, &Settings) -> Result<T> + Send + 'static,
    ) -> impl FnOnce() -> Result<T> + Send + 'static {
        let service = Arc::clone(self);
        move || {
            let resolved = service.context().settings();
            work(&service, &resolved.settings)
        }
    }
}
