//! Work on a file for a caller that must not wait.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use super::{
    damage::notice,
    locked::{Locked, PAUSE},
};
use crate::blocking::blocking;
use model::error::{Error, Result};

/// Lines that were left to a thread, by [`soon`] or [`settled`], and that are not written yet.
static LATER: AtomicUsize = AtomicUsize::new(0);

/// Does `work` on the file for a caller that must not wait: while another process holds it, a thread of its own does.
///
/// # Errors
/// What `work` says, and when the file cannot be opened; what goes wrong on that thread is logged.
pub fn soon(path: &Path, work: impl FnOnce(Locked) -> Result<()> + Send + 'static) -> Result<()> {
    if let Some(locked) = Locked::open_soon(path)? {
        return work(locked);
    }
    let owned = path.to_owned();
    let pending = Pending::new();
    let later = move || {
        if let Err(error) = Locked::open(&owned).and_then(work) {
            notice(format!("a line was not written: {error}"));
        }
        drop(pending);
    };
    let waits = std::thread::Builder::new().name("memory-append".to_owned()).spawn(later);
    waits.map(drop).map_err(|e| Error::io(path, &e))
}

/// Waits until what was left to threads is written, at most `limit`: a process that ends takes its threads along.
/// Whether all of it was written.
pub fn settle(limit: Duration) -> bool {
    let until = Instant::now() + limit;
    while LATER.load(Ordering::Acquire) > 0 {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    true
}

/// As [`settle`], for who may await it: after all is closed nothing of ours writes any more.
pub async fn written(limit: Duration) {
    let until = Instant::now() + limit;
    while LATER.load(Ordering::Acquire) > 0 && Instant::now() < until {
        tokio::time::sleep(PAUSE).await;
    }
}

/// Runs work on a file where files may be read; [`settle`] and [`written`] wait for it.
///
/// # Errors
/// What the work says.
pub fn settled<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> impl Future<Output = Result<T>> + Send + 'static {
    // From now on, and not only when somebody waits.
    let pending = Pending::new();
    blocking(move || {
        let done = work();
        drop(pending);
        done
    })
}

/// One line in [`LATER`], counted until it is dropped, however its thread ends.
struct Pending;

impl Pending {
    fn new() -> Self {
        LATER.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        LATER.fetch_sub(1, Ordering::AcqRel);
    }
}
