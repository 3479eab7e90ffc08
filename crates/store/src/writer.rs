//! The writer thread: the only place that changes the database. Closures come over a channel, each runs in one
//! `BEGIN IMMEDIATE` transaction.

use std::{
    ops::Deref,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use parking_lot::Mutex;
use rusqlite::{Connection, InterruptHandle};

#[cfg(feature = "postgres")]
use super::postgres;
use super::{
    error::{is_corrupt, is_refused, with_errno},
    lease::{Held, RENEW_EVERY_MS},
    open::{FileIdentity, open_writable},
    place::Workspace,
    pool::closed,
    reader::Reader,
};
use crate::error::{SqlResult, of_sqlite};
use model::{
    clock::Clock,
    error::{Code, Error, Result},
};

/// How long a transaction waits for a writer of another process before it is refused.
const PATIENCE: Duration = Duration::from_secs(5);

/// The same for the last transaction of all, at closing: whoever is inside one longer than this was stopped there.
const LAST_PATIENCE: Duration = Duration::from_millis(250);

/// How long one attempt to become the writer may sleep inside SQLite; short, so that closing is quick.
const ATTEMPT: Duration = Duration::from_millis(100);

/// Quiet time after which committed pages are moved from the log into the database.
const IDLE: Duration = Duration::from_secs(1);

/// One write transaction. Reads through it see its own changes.
pub struct Tx<'c> {
    reader: Reader<'c>,
    now_ms: i64,
    #[cfg(feature = "postgres")]
    postgres: Option<&'c postgres::Tx<'c>>,
}

impl<'c> Deref for Tx<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

#[cfg(feature = "postgres")]
impl<'c> Tx<'c> {
    /// A write into the memory of an agent.
    pub(super) fn of_postgres(tx: &'c postgres::Tx<'c>) -> Self {
        Self { reader: Reader::of_postgres(tx), now_ms: tx.now_ms(), postgres: Some(tx) }
    }

    /// The write into the memory of an agent that it is, if so.
    pub(super) const fn postgres(&self) -> Option<&'c postgres::Tx<'c>> {
        self.postgres
    }
}

impl<'c> Tx<'c> {
    /// A write through a connection of one's own.
    const fn over(conn: &'c Connection, now_ms: i64) -> Self {
        Self {
            reader: Reader::over(conn),
            now_ms,
            #[cfg(feature = "postgres")]
            postgres: None,
        }
    }
}

impl Tx<'_> {
    /// The time of the transaction, in milliseconds since the epoch.
    #[must_use]
    pub const fn now_ms(&self) -> i64 {
        self.now_ms
    }
}

/// What the writer thread is asked to do.
pub(super) enum Message {
    /// Run this.
    Job(Box<dyn FnOnce(&mut Writer) + Send>),
    /// Finish: what was sent before is done already.
    Close,
}

/// What the writer thread and the handle of the store both see.
pub(super) struct Shared {
    pub(super) path: PathBuf,
    pub(super) clock: Arc<dyn Clock>,
    /// Whose the index is.
    pub(super) workspace: Option<Workspace>,
    /// No new work is taken.
    pub(super) closed: AtomicBool,
    /// Waiting work is refused, and the running statement should stop.
    pub(super) abandon: AtomicBool,
    /// Damage was seen since the file was opened.
    pub(super) corrupt: Arc<AtomicBool>,
    /// A statement was refused since the file was last looked at as a whole.
    pub(super) suspect: Arc<AtomicBool>,
    /// Stops the statement that the writer runs.
    pub(super) interrupt: Mutex<Option<InterruptHandle>>,
    /// Why the file cannot be written now.
    pub(super) refusal: Mutex<Option<Error>>,
}

/// A connection for writing, and the file it was opened on.
struct Open {
    conn: Connection,
    identity: Option<FileIdentity>,
    /// Whether this connection has marked the file as in use.
    marked: bool,
}

/// State of the writer thread.
pub(super) struct Writer {
    shared: Arc<Shared>,
    open: Option<Open>,
    /// The lease, when this store holds it.
    pub(super) lease: Option<Held>,
    uncheckpointed: bool,
    last_file: Option<FileIdentity>,
    patience: Duration,
}

impl Writer {
    /// A writer on an open connection, or on none: then each write tries to open one.
    pub(super) fn new(shared: Arc<Shared>, conn: Option<Connection>) -> Self {
        let mut writer =
            Self { shared, open: None, lease: None, uncheckpointed: false, last_file: None, patience: PATIENCE };
        if let Some(conn) = conn {
            writer.adopt(conn);
        }
        writer
    }

    /// Works until closed, or until the last handle is gone.
    pub(super) fn run(mut self, inbox: &Receiver<Message>) {
        let mut last_job = Instant::now();
        loop {
            match inbox.recv_timeout(IDLE) {
                Ok(Message::Job(job)) => {
                    job(&mut self);
                    last_job = Instant::now();
                }
                Ok(Message::Close) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.renew_lease_when_due();
            if self.uncheckpointed && last_job.elapsed() >= IDLE {
                self.checkpoint("PASSIVE");
                self.uncheckpointed = false;
            }
        }
        self.finish();
    }

    /// Runs a closure in one transaction: committed when it succeeds, undone when it fails or panics. `fenced`
    /// transactions are refused unless this store holds the lease.
    pub(super) fn transact<T>(&mut self, fenced: bool, f: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        let result = self.try_transact(fenced, f);
        if let Err(error) = &result {
            self.shared.corrupt.fetch_or(is_corrupt(error), Ordering::AcqRel);
            self.shared.suspect.fetch_or(is_refused(error), Ordering::AcqRel);
            // A fresh connection is how work resumes by itself when the disk is well again.
            if matches!(error.code(), Code::Corrupt | Code::Io | Code::ReadOnly | Code::DiskFull) {
                self.disconnect();
            }
        }
        result
    }

    /// [`Self::transact`] without the care for the connection.
    fn try_transact<T>(&mut self, fenced: bool, f: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        if self.shared.abandon.load(Ordering::Acquire) {
            return Err(closed());
        }
        self.connect()?;
        let now_ms = self.shared.clock.now_ms();
        let token = self.lease.as_ref().map(|held| held.token);
        let Some(open) = &mut self.open else { return Err(closed()) };
        let conn = &open.conn;
        begin(conn, &self.shared, self.patience).map_err(|error| with_errno(error, conn))?;
        let mut tx = Tx::over(conn, now_ms);
        let fence = if fenced { tx.check_token(token) } else { Ok(()) };
        if fence.as_ref().is_err_and(|error| error.code() == Code::Busy) {
            self.lease = None;
        }
        let outcome = fence.and_then(|()| {
            let guarded = AssertUnwindSafe(|| {
                if !open.marked {
                    tx.mark_in_use()?;
                }
                f(&mut tx)
            });
            catch_unwind(guarded)
                .unwrap_or_else(|_| Err(Error::new(Code::Internal, "a write failed unexpectedly and was undone")))
        });
        let result = outcome
            .and_then(|value| conn.execute_batch("COMMIT").map(|()| value).sql())
            .map_err(|error| with_errno(error, conn));
        if result.is_ok() {
            open.marked = true;
            self.uncheckpointed = true;
        } else if !conn.is_autocommit() && conn.execute_batch("ROLLBACK").is_err() {
            // Closing the connection undoes the transaction as well.
            self.disconnect();
        }
        result
    }

    /// Makes sure there is a connection to the file that is now at the path.
    fn connect(&mut self) -> Result<()> {
        let identity = FileIdentity::of(&self.shared.path);
        if self.open.as_ref().is_some_and(|open| open.identity != identity || identity.is_none() && cfg!(unix)) {
            // Deleted or set aside by someone else: what we hold open is nobody's index any more.
            self.disconnect();
            self.lease = None;
        }
        if self.open.is_none() {
            match open_writable(&self.shared.path, self.shared.workspace.as_ref()) {
                Ok(conn) => self.adopt(conn),
                Err(error) => {
                    *self.shared.refusal.lock() = Some(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Takes over a connection.
    fn adopt(&mut self, conn: Connection) {
        *self.shared.refusal.lock() = None;
        *self.shared.interrupt.lock() = Some(conn.get_interrupt_handle());
        let identity = FileIdentity::of(&self.shared.path);
        self.last_file = identity;
        // Waiting for other processes is done in `begin`, in steps short enough to notice closing. Setting a
        // time-out cannot fail on an open connection; the long one would only make closing slower.
        let _ = conn.busy_timeout(ATTEMPT);
        self.open = Some(Open { conn, identity, marked: false });
    }

    /// Closes the connection; the next write opens a new one.
    pub(super) fn disconnect(&mut self) {
        *self.shared.interrupt.lock() = None;
        self.open = None;
    }

    /// Which file was opened last; none before the first.
    pub(super) const fn last_file(&self) -> Option<FileIdentity> {
        self.last_file
    }

    /// What is shared with the handle.
    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Moves committed pages from the log into the database.
    fn checkpoint(&self, mode: &str) {
        if let Some(open) = &self.open {
            // A reader may hold it up, and then the next one does it; it is never needed for correctness.
            let _ = open.conn.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()));
        }
    }

    /// Moves all committed pages into the database and cuts the log to nothing; false when a reader holds it up.
    pub(super) fn truncate_log(&self) -> bool {
        let Some(open) = &self.open else { return true };
        open.conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).is_ok_and(|busy: i64| busy == 0)
    }

    /// Renews the lease when its time has come. Losing it is noticed by the next fenced transaction.
    fn renew_lease_when_due(&mut self) {
        let now = self.shared.clock.now_ms();
        let Some(held) = &self.lease else { return };
        if (now - held.renewed_ms).abs() < RENEW_EVERY_MS {
            return;
        }
        if !held.wanted {
            // Refused again it is tried later, and at closing.
            let _ = self.release_lease();
            return;
        }
        let owner = held.owner.clone();
        let renewed = self.transact(true, move |tx| tx.renew_lease(&owner));
        if let (Ok(()), Some(held)) = (renewed, &mut self.lease) {
            held.renewed_ms = now;
        }
    }

    /// Gives the lease back, if held. One that the disk does not let go of is tried again when it would be renewed.
    pub(super) fn release_lease(&mut self) -> Result<()> {
        let now = self.shared.clock.now_ms();
        let Some(held) = &mut self.lease else { return Ok(()) };
        (held.wanted, held.renewed_ms) = (false, now);
        let owner = held.owner.clone();
        let released = self.transact(false, move |tx| tx.release_lease(&owner));
        if released.is_ok() {
            self.lease = None;
        }
        released
    }

    /// Leaves the file tidy: lease given back, mark removed, log emptied.
    fn finish(&mut self) {
        if self.shared.abandon.load(Ordering::Acquire) {
            return;
        }
        self.patience = LAST_PATIENCE;
        let owner = self.lease.take().map(|held| held.owner);
        let marked = self.open.as_ref().is_some_and(|open| open.marked);
        if owner.is_some() || marked {
            // If it fails the lease runs out by itself, and the next start checks the file once more.
            let _ = self.transact(false, move |tx| {
                if let Some(owner) = owner {
                    tx.release_lease(&owner)?;
                }
                tx.unmark_in_use()
            });
        }
        if let Some(open) = &self.open {
            let _ = open.conn.busy_timeout(Duration::ZERO);
            self.checkpoint("TRUNCATE");
        }
        self.disconnect();
    }
}

/// Starts a write transaction, waiting for writers of other processes.
fn begin(conn: &Connection, shared: &Shared, patience: Duration) -> Result<()> {
    // SQLite sleeps in the machine's time, whatever clock was handed in: by one that stands still this would never end.
    let started = Instant::now();
    loop {
        match conn.execute_batch("BEGIN IMMEDIATE").map_err(of_sqlite) {
            Err(error) if error.code() == Code::Busy && started.elapsed() < patience => {
                if shared.abandon.load(Ordering::Acquire) {
                    return Err(closed());
                }
            }
            other => return other,
        }
    }
}
