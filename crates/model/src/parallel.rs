//! The pool for work on many things alike that nobody waits for, such as texts to be embedded. One for the whole
//! process, whatever the number of agents, and its threads give way to everybody else. They start with the first work
//! and end when nobody holds the pool any more.

use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    error::{Code, Error, Result},
    priority::{self, Work},
};

/// Threads at most; more would not leave a small machine to its owner.
const MOST_THREADS: usize = 2;

static POOL: LazyLock<Mutex<Weak<ThreadPool>>> = LazyLock::new(Mutex::default);

/// Threads that the pool has while it lives.
#[must_use]
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS)
}

/// The pool; made when nobody holds it. Tasks must not wait for anything but the disk: there are few threads.
///
/// # Errors
/// [`Code::Internal`] when the system gives no threads.
pub fn pool() -> Result<Arc<ThreadPool>> {
    let mut known = POOL.lock();
    if let Some(pool) = known.upgrade() {
        return Ok(pool);
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads())
        .thread_name(|_| "memory-work".to_owned())
        .start_handler(|_| priority::lower(Work::Background))
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("no threads for the work on notes: {error}")))?;
    let pool = Arc::new(pool);
    *known = Arc::downgrade(&pool);
    Ok(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_shares_one_pool_which_ends_with_its_last_holder() {
        let (first, second) = (pool().unwrap(), pool().unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.current_num_threads(), threads());
        let name = first.install(|| std::thread::current().name().map(str::to_owned));
        assert_eq!(name.as_deref(), Some("memory-work"));
        let ended = Arc::downgrade(&first);
        drop((first, second));
        assert!(ended.upgrade().is_none());
        assert_eq!(pool().unwrap().install(|| 7), 7, "and a new one is made");
    }
}
