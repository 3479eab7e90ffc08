//! Blocking work on the runtime's few threads for it.

use std::any::Any;

use tokio::{sync::Semaphore, task::JoinHandle};

use model::error::{Code, Error, Result};

/// Threads that background work may take of those for blocking work, over all engines of the process: a search that comes
/// meanwhile needs one.
const SHARE: usize = 2;

static PERMITS: Semaphore = Semaphore::const_new(SHARE);

/// Work, and what it gives. All work is of one type: tokio's task is compiled once for each, 8 KB of code.
type Work = Box<dyn FnOnce() -> Box<dyn Any + Send> + Send>;

/// Runs blocking work that a caller waits for.
///
/// # Errors
/// What the work gives, and [`Code::Internal`] when it panics.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let stumbled = |e: &dyn std::fmt::Display| Err(Error::new(Code::Internal, format!("the engine stumbled: {e}")));
    match spawn(Box::new(move || Box::new(work()))).await {
        Ok(done) => done.downcast().map_or_else(|_| stumbled(&"work gave something else"), |done| *done),
        Err(e) => stumbled(&e),
    }
}

fn spawn(work: Work) -> JoinHandle<Box<dyn Any + Send>> {
    tokio::task::spawn_blocking(work)
}

/// Runs blocking work that nobody waits for by the second: passes over the disk, writes of vectors, checks. It must not
/// wait for other background work.
///
/// # Errors
/// What the work gives, and [`Code::Internal`] when it panics.
pub async fn background<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let permit =
        PERMITS.acquire().await.map_err(|e| Error::new(Code::Internal, format!("background work stumbled: {e}")))?;
    blocking(move || {
        let _permit = permit;
        work()
    })
    .await
}
