//! A few read-only connections, made when first needed and shared by all searches.

use std::{
    cell::RefCell,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;

use super::{
    covered::KnownCoverage,
    error::{is_corrupt, is_refused},
    open::{FileIdentity, connect_reader},
    order::KnownOrder,
    place::{self, Workspace},
    reader::{Counted, Reader},
};
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// Most readers at a time; more calls wait for one.
const MAX_READERS: usize = 3;

/// SQLite instructions between two looks at the cancel flag and the clock (some 10 µs).
const CHECK_EVERY: i32 = 1000;

/// How long a waiting call sleeps before it looks at its own flag again.
const WAIT: Duration = Duration::from_millis(20);

/// A connection, the file it was opened on, and what it counted there.
struct Pooled {
    conn: Connection,
    identity: Option<FileIdentity>,
    counted: RefCell<Counted>,
}

impl Pooled {
    fn open(path: &Path, workspace: Option<&Workspace>, identity: Option<FileIdentity>) -> Result<Self> {
        let conn = connect_reader(path)?;
        // The file may have been deleted, and its name taken by another workspace, since the store was opened.
        place::check(&conn, path, workspace)?;
        Ok(Self { conn, identity, counted: RefCell::default() })
    }
}

/// What is open now.
#[derive(Default)]
struct State {
    idle: Vec<Pooled>,
    in_use: usize,
}

/// The pool.
pub(super) struct Pool {
    path: PathBuf,
    workspace: Option<Workspace>,
    state: Mutex<State>,
    returned: Condvar,
    closed: Arc<AtomicBool>,
    corrupt: Arc<AtomicBool>,
    /// A statement was refused.
    suspect: Arc<AtomicBool>,
    order: KnownOrder,
    covered: KnownCoverage,
}

/// A connection on loan; goes back when dropped.
struct Loan<'p> {
    pool: &'p Pool,
    pooled: Option<Pooled>,
    reusable: bool,
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock();
        state.in_use -= 1;
        if let Some(pooled) = self.pooled.take()
            && self.reusable
            && !self.pool.closed.load(Ordering::Acquire)
        {
            state.idle.push(pooled);
        }
        drop(state);
        self.pool.returned.notify_all();
    }
}

impl Pool {
    /// An empty pool. `corrupt` is set when a query finds damage.
    pub(super) fn new(
        path: PathBuf,
        workspace: Option<Workspace>,
        corrupt: Arc<AtomicBool>,
        suspect: Arc<AtomicBool>,
    ) -> Self {
        Self {
            path,
            workspace,
            state: Mutex::default(),
            returned: Condvar::new(),
            closed: Arc::default(),
            corrupt,
            suspect,
            order: KnownOrder::default(),
            covered: KnownCoverage::default(),
        }
    }

    /// Runs a closure on a snapshot.
    pub(super) fn read<T>(&self, cancel: &Cancel, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.read_on(self.borrow(cancel)?, cancel, f)
    }

    /// [`Self::read`] on a connection that knows nothing yet. A check for damage needs it: SQLite's check of a
    /// full-text index believes what its connection remembers of it, and takes what was merged since for damage.
    pub(super) fn read_fresh<T>(&self, cancel: &Cancel, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        let mut loan = self.borrow(cancel)?;
        let identity = FileIdentity::of(&self.path);
        let fresh =
            Pooled::open(&self.path, self.workspace.as_ref(), identity).map_err(|error| self.explain(error, cancel))?;
        loan.pooled = Some(fresh);
        self.read_on(loan, cancel, f)
    }

    fn read_on<T>(&self, mut loan: Loan<'_>, cancel: &Cancel, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.watch(&mut loan, cancel)?;
        let Some(pooled) = loan.pooled.as_ref() else { return Err(closed()) };
        let mut reader = Reader::over(&pooled.conn);
        reader.counted = Some(&pooled.counted);
        reader.known_order = Some((&self.order, pooled.identity));
        reader.known_covered = Some((&self.covered, pooled.identity));
        let result = begin(&pooled.conn).and_then(|()| f(&reader)).map_err(|error| self.explain(error, cancel));
        end(&mut loan, result.as_ref().err())?;
        result
    }

    /// Lets a query be interrupted in the middle of a statement.
    fn watch(&self, loan: &mut Loan<'_>, cancel: &Cancel) -> Result<()> {
        let Some(pooled) = loan.pooled.as_mut() else { return Err(closed()) };
        let (watched, pool_closed) = (cancel.clone(), Arc::clone(&self.closed));
        let is_over = move || pool_closed.load(Ordering::Relaxed) || watched.is_over();
        pooled.conn.progress_handler(CHECK_EVERY, Some(is_over)).sql()
    }

    /// Gives an interrupted query its reason, and remembers damage.
    fn explain(&self, error: Error, cancel: &Cancel) -> Error {
        self.corrupt.fetch_or(is_corrupt(&error), Ordering::AcqRel);
        self.suspect.fetch_or(is_refused(&error), Ordering::AcqRel);
        if error.code() != Code::Cancelled {
            return error;
        }
        if self.closed.load(Ordering::Acquire) {
            return closed();
        }
        cancel.check().err().unwrap_or(error)
    }

    /// Takes an idle connection to the file now at the path, or opens one, or waits.
    fn borrow(&self, cancel: &Cancel) -> Result<Loan<'_>> {
        let identity = FileIdentity::of(&self.path);
        let mut state = self.state.lock();
        loop {
            if self.closed.load(Ordering::Acquire) {
                return Err(closed());
            }
            cancel.check()?;
            // A file that was set aside or deleted must not be read on.
            state.idle.retain(|pooled| pooled.identity == identity);
            if state.in_use < MAX_READERS {
                break;
            }
            self.returned.wait_for(&mut state, WAIT);
        }
        state.in_use += 1;
        let idle = state.idle.pop();
        drop(state);
        let mut loan = Loan { pool: self, pooled: idle, reusable: false };
        if loan.pooled.is_none() {
            let opened = Pooled::open(&self.path, self.workspace.as_ref(), identity)
                .map_err(|error| self.explain(error, cancel))?;
            loan.pooled = Some(opened);
        }
        Ok(loan)
    }

    /// Closes idle connections; those in use stop their query soon and close then.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.forget_idle();
        self.returned.notify_all();
    }

    /// Closes idle connections only.
    pub(super) fn forget_idle(&self) {
        let idle = std::mem::take(&mut self.state.lock().idle);
        drop(idle);
    }

    /// Waits until no connection is in use; false when time ran out.
    pub(super) fn wait_idle(&self, patience: Duration) -> bool {
        let deadline = std::time::Instant::now() + patience;
        let mut state = self.state.lock();
        while state.in_use > 0 {
            if self.returned.wait_until(&mut state, deadline).timed_out() {
                return state.in_use == 0;
            }
        }
        true
    }
}

/// Begins a read transaction.
fn begin(conn: &Connection) -> Result<()> {
    conn.prepare_cached("BEGIN").sql()?.execute([]).sql()?;
    Ok(())
}

/// Ends the transaction of a loan. A connection that cannot, or that saw damage or a failing disk, is not used again.
fn end(loan: &mut Loan<'_>, error: Option<&Error>) -> Result<()> {
    let Some(pooled) = loan.pooled.as_mut() else { return Ok(()) };
    let conn = &mut pooled.conn;
    let ended = if conn.is_autocommit() { Ok(()) } else { conn.execute_batch("ROLLBACK") };
    conn.progress_handler(CHECK_EVERY, None::<fn() -> bool>).sql()?;
    let is_broken = error.is_some_and(|e| matches!(e.code(), Code::Corrupt | Code::Io | Code::ReadOnly));
    loan.reusable = ended.is_ok() && !is_broken;
    Ok(())
}

/// The answer after closing.
pub(super) fn closed() -> Error {
    Error::new(Code::Closed, "the index was closed")
}
