//! Watching the memory (E1): one signal after a quiet time, however many events there were; and a signal at every
//! reconciliation period, because no operating system delivers every event.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use notify::{ErrorKind, Event, Watcher as _};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::Notify;

use super::{
    folders::{self, Watch},
    pending::Pending,
    roots::Roots,
};
use crate::blocking::background;

/// Passes over the folders until no new one appears between listing and watching.
const ARM_PASSES: usize = 5;

/// When to signal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchOptions {
    /// Quiet time after the last event; default 1.5 s (E1).
    pub debounce: Duration,
    /// Time between signals that trust no events; default 60 s.
    pub reconcile_every: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self { debounce: Duration::from_millis(1500), reconcile_every: Duration::from_secs(60) }
    }
}

/// A quiet time, with the default reconciliation period.
impl From<Duration> for WatchOptions {
    fn from(debounce: Duration) -> Self {
        Self { debounce, ..Self::default() }
    }
}

/// Why the index should look at the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cause {
    /// Watching has begun; what happened before was not seen.
    Started,
    /// Events.
    Events,
    /// A reconciliation period has passed.
    Reconcile,
}

/// The index may differ from the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dirty {
    /// Why.
    pub cause: Cause,
    /// Absolute paths of the Markdown files that were touched; none = anything may have changed.
    pub paths: Option<Vec<PathBuf>>,
}

/// How changes are noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// Not armed yet.
    Starting,
    /// The operating system tells.
    Native,
    /// Watching is not possible; changes are noticed once in a reconciliation period.
    Polling,
}

/// The state of the watch, for `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// How changes are noticed.
    pub mode: Mode,
    /// Why it polls, one sentence.
    pub reason: Option<String>,
    /// Folders that are watched.
    pub folders: usize,
    /// Folders that may not be watched (permissions); their changes are noticed by reconciliation.
    pub unwatched: usize,
}

/// A running watch: a task of the runtime, and at most one thread of the operating system's library. Dropping it ends
/// both.
#[derive(Debug)]
pub(crate) struct Watcher {
    shared: Arc<Shared>,
}

impl Watcher {
    /// Starts watching in the background; must be called inside the runtime. `on_dirty` should only pass the signal on.
    /// Never fails: what cannot be watched is polled.
    pub(crate) fn start(
        roots: Roots,
        options: impl Into<WatchOptions>,
        on_dirty: impl Fn(Dirty) + Send + 'static,
    ) -> Self {
        Self::start_with(roots, options.into(), Box::new(recommended), on_dirty)
    }

    fn start_with(
        roots: Roots,
        options: WatchOptions,
        backend: Backend,
        on_dirty: impl Fn(Dirty) + Send + 'static,
    ) -> Self {
        let health = Health { mode: Mode::Starting, reason: None, folders: 0, unwatched: 0 };
        let state = State { pending: Pending::default(), health, aliases: Vec::new(), is_stopping: false };
        let shared = Arc::new(Shared { roots, state: Mutex::new(state), wake: Notify::new() });
        let worker = Worker {
            shared: Arc::clone(&shared),
            backend,
            native: None,
            armed: BTreeMap::new(),
            unwatched: 0,
            on_dirty: Box::new(on_dirty),
        };
        tokio::spawn(run(worker, options));
        Self { shared }
    }

    /// How it is going.
    #[must_use]
    pub(crate) fn health(&self) -> Health {
        self.shared.state.lock().health.clone()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.state.lock().is_stopping = true;
        self.shared.wake.notify_one();
    }
}

/// Makes the watcher of the operating system.
type Backend = Box<dyn FnMut(Arc<Shared>) -> notify::Result<Box<dyn notify::Watcher + Send>> + Send>;

fn recommended(shared: Arc<Shared>) -> notify::Result<Box<dyn notify::Watcher + Send>> {
    let config = notify::Config::default().with_follow_symlinks(false);
    let watcher = notify::RecommendedWatcher::new(move |event| shared.record(event), config)?;
    Ok(Box::new(watcher))
}

#[derive(Debug)]
struct Shared {
    roots: Roots,
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Debug)]
struct State {
    pending: Pending,
    health: Health,
    /// Real path → path as configured, for systems that report real paths.
    aliases: Vec<(PathBuf, PathBuf)>,
    is_stopping: bool,
}

impl Shared {
    /// Called by the operating system's thread for every event.
    fn record(&self, mut event: notify::Result<Event>) {
        let mut state = self.state.lock();
        for path in event.iter_mut().flat_map(|event| &mut event.paths) {
            let alias = state.aliases.iter().find_map(|(real, named)| Some(named.join(path.strip_prefix(real).ok()?)));
            if let Some(named) = alias {
                *path = named;
            }
        }
        let was_due = state.pending.due(Duration::ZERO).is_some();
        state.pending.record(&self.roots, event, Instant::now());
        // The task only has to be told about the first change; it looks at the time of the last by itself.
        if !was_due {
            self.wake.notify_one();
        }
    }

    /// Sleeps until changes are due, the reconciliation time has come, or it is to stop (none).
    async fn wait(&self, debounce: Duration, reconcile_at: Instant) -> Option<Pending> {
        loop {
            let until = {
                let mut state = self.state.lock();
                if state.is_stopping {
                    return None;
                }
                let due = state.pending.due(debounce);
                let until = due.map_or(reconcile_at, |due| due.min(reconcile_at));
                if Instant::now() >= until {
                    return Some(std::mem::take(&mut state.pending));
                }
                until
            };
            // Being woken since the look at the state is remembered.
            let _ = tokio::time::timeout_at(until.into(), self.wake.notified()).await;
        }
    }

    fn poll(&self, reason: &str) {
        let mut state = self.state.lock();
        // One warning for one reason, however often watching is tried again.
        if state.health.mode != Mode::Polling {
            let path = self.roots.workspace_dir.display().to_string();
            let path = path.as_str();
            tracing::warn!(path, reason, "file watching is not possible; changes are noticed by reconciliation");
        }
        state.health = Health { mode: Mode::Polling, reason: Some(reason.to_owned()), folders: 0, unwatched: 0 };
    }
}

struct Worker {
    shared: Arc<Shared>,
    backend: Backend,
    native: Option<Box<dyn notify::Watcher + Send>>,
    armed: BTreeMap<PathBuf, Watch>,
    unwatched: usize,
    on_dirty: Box<dyn Fn(Dirty) + Send>,
}

/// Watches until it is to stop. Whatever touches the disk is background work.
async fn run(mut worker: Worker, options: WatchOptions) {
    let shared = Arc::clone(&worker.shared);
    let (mut cause, mut pending) = (Cause::Started, Pending::default());
    let mut reconcile_at = Instant::now();
    while let Some(looked) = worker.work(move |worker| worker.look(cause, pending)).await {
        worker = looked;
        if cause != Cause::Events {
            reconcile_at = Instant::now() + options.reconcile_every;
        }
        let Some(changes) = shared.wait(options.debounce, reconcile_at).await else { return };
        pending = changes;
        cause = if Instant::now() >= reconcile_at { Cause::Reconcile } else { Cause::Events };
    }
    shared.poll("watching broke off");
}

impl Worker {
    /// Does something that blocks; none when that panics, which is a bug.
    async fn work(mut self, work: impl FnOnce(&mut Self) + Send + 'static) -> Option<Self> {
        let done = background(move || {
            work(&mut self);
            Ok(self)
        });
        done.await.ok()
    }

    fn look(&mut self, cause: Cause, pending: Pending) {
        if let Some(reason) = &pending.failure {
            self.give_up(reason);
        }
        if cause == Cause::Events {
            self.handle(pending);
        } else {
            // Folders may have been replaced without an event, and watching may work again.
            self.arm();
            self.signal(cause, None);
        }
    }

    fn handle(&mut self, pending: Pending) {
        let mut folders_changed = pending.everything || pending.failure.is_some();
        for folder in &pending.folders {
            let below: Vec<PathBuf> = self.armed.range(folder.clone()..).map(|(path, _)| path.clone()).collect();
            let known: Vec<PathBuf> = below.into_iter().take_while(|path| path.starts_with(folder)).collect();
            folders_changed |= !known.is_empty() || folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
            // Whatever happened to it, its watch may sit on a folder that is elsewhere now.
            known.into_iter().for_each(|path| self.disarm(&path));
        }
        if folders_changed {
            self.arm();
            self.signal(Cause::Events, None);
        } else if !pending.paths.is_empty() {
            self.signal(Cause::Events, Some(pending.paths.into_iter().collect()));
        }
    }

    /// Watches exactly the folders that need it now; in trouble switches to polling.
    fn arm(&mut self) {
        if let Err(error) = self.try_arm() {
            self.give_up(&error.to_string());
        }
    }

    fn try_arm(&mut self) -> notify::Result<()> {
        if self.native.is_none() {
            self.native = Some((self.backend)(Arc::clone(&self.shared))?);
            self.armed.clear();
        }
        // Folders that appear between listing and watching are found by the next pass.
        for _ in 0..ARM_PASSES {
            let wanted = folders::to_watch(&self.shared.roots);
            let gone = self.armed.iter().filter(|(path, watch)| wanted.get(*path) != Some(watch));
            let gone: Vec<PathBuf> = gone.map(|(path, _)| path.clone()).collect();
            gone.iter().for_each(|path| self.disarm(path));
            let new: Vec<_> = wanted.into_iter().filter(|(path, _)| !self.armed.contains_key(path)).collect();
            if new.is_empty() {
                break;
            }
            self.unwatched = 0;
            for (path, watch) in new {
                self.watch(path, watch)?;
            }
        }
        let health = Health { mode: Mode::Native, reason: None, folders: self.armed.len(), unwatched: self.unwatched };
        let aliases = self.aliases();
        let mut state = self.shared.state.lock();
        state.health = health;
        state.aliases = aliases;
        Ok(())
    }

    /// The roots that are reached through links, with their real paths.
    fn aliases(&self) -> Vec<(PathBuf, PathBuf)> {
        let roots = &self.shared.roots;
        let roots = std::iter::once(&roots.workspace_dir).chain(roots.extra.iter().map(|extra| &extra.root));
        roots.filter_map(|root| Some((root.canonicalize().ok()?, root.clone()))).filter(|(a, b)| a != b).collect()
    }

    fn watch(&mut self, path: PathBuf, watch: Watch) -> notify::Result<()> {
        let Some(native) = self.native.as_mut() else { return Ok(()) };
        match native.watch(&path, watch.mode) {
            Ok(()) => {
                self.armed.insert(path, watch);
                Ok(())
            }
            Err(error) => match &error.kind {
                ErrorKind::PathNotFound => Ok(()),
                ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::NotFound => Ok(()),
                ErrorKind::Io(io) if io.kind() == std::io::ErrorKind::PermissionDenied => {
                    self.unwatched += 1;
                    Ok(())
                }
                _ => Err(error),
            },
        }
    }

    fn disarm(&mut self, path: &PathBuf) {
        self.armed.remove(path);
        if let Some(native) = self.native.as_mut() {
            // The system drops the watch of a deleted folder by itself.
            let _ = native.unwatch(path);
        }
    }

    /// Frees everything that watching holds; the next reconciliation tries again.
    fn give_up(&mut self, reason: &str) {
        self.native = None;
        self.armed.clear();
        self.shared.poll(reason);
    }

    fn signal(&self, cause: Cause, paths: Option<Vec<PathBuf>>) {
        // A bug in the callback must not end the watch silently.
        if catch_unwind(AssertUnwindSafe(|| (self.on_dirty)(Dirty { cause, paths }))).is_err() {
            tracing::error!("the receiver of a change signal panicked");
        }
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
