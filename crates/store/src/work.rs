//! Closures of callers without what they give: what runs them, on each backend, is compiled once and not for each caller.

use tokio::sync::oneshot;

use super::{Reader, Tx};
use model::error::{Code, Error, Result};

/// What a caller reads of a snapshot. It is run once.
pub(crate) type Read<'f> = &'f mut dyn FnMut(&Reader<'_>) -> Result<()>;

/// What a caller does in a transaction.
pub(crate) type Write = Box<dyn FnOnce(&mut Tx<'_>) -> Result<()> + Send>;

/// What a closure reads, handed to whoever has a snapshot.
pub(crate) fn reading<T>(
    f: impl FnOnce(&Reader<'_>) -> Result<T>,
    on_snapshot: impl FnOnce(Read<'_>) -> Result<()>,
) -> Result<T> {
    let (mut f, mut value) = (Some(f), None);
    on_snapshot(&mut |reader| {
        if let Some(f) = f.take() {
            value = Some(f(reader)?);
        }
        Ok(())
    })?;
    value.ok_or_else(not_run)
}

/// A write, and where it leaves what it gives.
pub(crate) fn leaving<T: Send + 'static>(
    f: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
) -> (Write, oneshot::Receiver<T>) {
    let (leave, left) = oneshot::channel();
    // Who asked may have stopped waiting; it is written all the same.
    (Box::new(move |tx| f(tx).map(|value| drop(leave.send(value)))), left)
}

/// What a write that has succeeded left.
pub(crate) fn left<T>(mut by: oneshot::Receiver<T>) -> Result<T> {
    by.try_recv().map_err(|_| not_run())
}

/// What cannot be: a backend that gives a success runs what it was given.
pub(crate) fn not_run() -> Error {
    Error::new(Code::Internal, "a transaction ended before its work was done")
}
