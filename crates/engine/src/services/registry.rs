//! The engines of this process, by database: several registrations and managers share one.

use std::{
    collections::HashMap,
    ops::Deref,
    sync::{Arc, LazyLock},
};

use parking_lot::Mutex;

use super::Engine;
use model::error::Result;
use store::{
    Location, StoreId,
    place::{self, Workspace},
};

/// An engine and how many leases it has.
struct Entry {
    engine: Arc<Engine>,
    leases: usize,
}

static ENGINES: LazyLock<Mutex<HashMap<StoreId, Entry>>> = LazyLock::new(Mutex::default);

/// The right to use an engine. The engine ends with its last lease, even while background work goes on.
pub struct Lease {
    engine: Arc<Engine>,
    given_back: bool,
}

impl Lease {
    /// The engine of a database; made when there is none. Blocks.
    ///
    /// # Errors
    /// What `make` gives, and [`place::not_ours`] when the database has become that of another workspace.
    pub(super) fn get_or_make(
        location: &Location,
        workspace: &Workspace,
        make: impl FnOnce() -> Result<Arc<Engine>>,
    ) -> Result<Self> {
        // Held while opening, so that one database is never opened twice; opening takes milliseconds.
        let mut engines = ENGINES.lock();
        let id = location.id();
        if let Some(entry) = engines.get_mut(&id).filter(|e| !e.engine.is_closed()) {
            if !entry.engine.context.store().belongs_to(workspace) {
                return Err(place::not_ours(location.path()));
            }
            entry.leases += 1;
            return Ok(Self { engine: Arc::clone(&entry.engine), given_back: false });
        }
        let engine = make()?;
        engines.insert(id, Entry { engine: Arc::clone(&engine), leases: 1 });
        Ok(Self { engine, given_back: false })
    }

    /// Takes the lease off the books; true when it was the last one.
    fn give_back(&mut self) -> bool {
        if std::mem::replace(&mut self.given_back, true) {
            return false;
        }
        let mut engines = ENGINES.lock();
        let id = self.engine.context.store().id();
        let Some(entry) = engines.get_mut(&id).filter(|e| Arc::ptr_eq(&e.engine, &self.engine)) else {
            return false;
        };
        entry.leases -= 1;
        let last = entry.leases == 0;
        if last {
            engines.remove(&id);
        }
        last
    }

    /// Gives the lease back and, if it was the last one, waits until the engine has ended (less than a second).
    pub async fn release(mut self) {
        if self.give_back() {
            let engine = Arc::clone(&self.engine);
            let _ = tokio::task::spawn_blocking(move || engine.close()).await;
        }
    }
}

impl Deref for Lease {
    type Target = Arc<Engine>;

    fn deref(&self) -> &Self::Target {
        &self.engine
    }
}

impl Drop for Lease {
    /// A manager that was never closed, collected by JavaScript: nothing may wait here.
    fn drop(&mut self) {
        if self.give_back() {
            let engine = Arc::clone(&self.engine);
            // Without a thread the store is closed as at a crash, which it survives.
            let _ = std::thread::Builder::new().name("memory-close".to_owned()).spawn(move || engine.close());
        }
    }
}

/// Closes every engine of this process, whoever holds a lease.
pub async fn close_all() {
    let engines: Vec<Arc<Engine>> = ENGINES.lock().drain().map(|(_, entry)| entry.engine).collect();
    let closing: Vec<_> =
        engines.into_iter().map(|engine| tokio::task::spawn_blocking(move || engine.close())).collect();
    for task in closing {
        let _ = task.await;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::services::{OpenCall, open, testing::open_call};

    fn call(dir: &Path) -> OpenCall {
        open_call(dir, &serde_json::json!({ "provider": "none" }))
    }

    #[tokio::test]
    async fn the_engine_ends_with_its_last_lease_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let first = open(call(dir.path())).await.unwrap().unwrap();
        let second = open(call(dir.path())).await.unwrap().unwrap();
        assert!(Arc::ptr_eq(&first, &second), "one engine per database");
        let engine = Arc::clone(&first);
        first.release().await;
        assert!(!engine.is_closed(), "giving a lease back once must not count twice");
        second.release().await;
        assert!(engine.is_closed());
        let third = open(call(dir.path())).await.unwrap().unwrap();
        assert!(!Arc::ptr_eq(&third, &engine) && !third.is_closed());
    }
}
