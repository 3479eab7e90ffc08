//! Long work on the runtime's few threads for blocking calls. It may not take all of them: a search that comes
//! meanwhile needs one.

use tokio::sync::Semaphore;

use model::error::{Code, Error, Result};

/// Threads that upkeep may take of those for blocking work, over all engines of the process.
const SHARE: usize = 2;

static PERMITS: Semaphore = Semaphore::const_new(SHARE);

/// Runs blocking work that nobody waits for by the second: passes over the disk, writes of vectors, checks. It must not
/// wait for other upkeep.
///
/// # Errors
/// What the work gives, and [`Code::Internal`] when it panics.
pub async fn upkeep<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let stumbled = |e: &dyn std::fmt::Display| Error::new(Code::Internal, format!("upkeep stumbled: {e}"));
    let permit = PERMITS.acquire().await.map_err(|e| stumbled(&e))?;
    let task = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    task.await.unwrap_or_else(|e| Err(stumbled(&e)))
}
