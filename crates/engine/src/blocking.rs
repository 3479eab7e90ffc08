//! Blocking work on the runtime's few threads for it.

use std::any::Any;

use tokio::{sync::Semaphore, task::JoinHandle};

use model::{
    error::{Code, Error, Result},
    priority,
};

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

/// Blocking work that a caller waits for, on a thread that gives way to all others of the process.
///
/// # Errors
/// As [`blocking`].
pub(crate) async fn giving_way<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let (send, receive) = tokio::sync::oneshot::channel();
    let run = move || {
        priority::lower(priority::Work::Background);
        // Nobody may be waiting any more.
        let _ = send.send(work());
    };
    let started = std::thread::Builder::new().name("memory-core-rs".to_owned()).spawn(run);
    started.map_err(|e| Error::new(Code::Internal, format!("the engine stumbled: {e}")))?;
    receive.await.unwrap_or_else(|e| Err(Error::new(Code::Internal, format!("the engine stumbled: {e}"))))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_gives_way_answers_as_other_work_does() {
        assert_eq!(giving_way(|| Ok(7)).await.unwrap(), 7);
        let failed = giving_way(|| Err::<(), _>(Error::new(Code::Busy, "no"))).await;
        assert_eq!(failed.unwrap_err().code(), Code::Busy);
        let stumbled = giving_way(|| -> Result<()> { std::panic::panic_any("boom") }).await;
        assert_eq!(stumbled.unwrap_err().code(), Code::Internal);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn what_gives_way_leaves_the_priority_of_other_threads_alone() {
        // The 19th field, the 17th after the name.
        let niceness = || {
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            stat.rsplit_once(')').unwrap().1.split_whitespace().nth(16).unwrap().parse::<i32>().unwrap()
        };
        let before = niceness();
        assert!(giving_way(move || Ok(niceness())).await.unwrap() >= 10);
        assert_eq!(niceness(), before);
    }
}
