//! The store in a SQLite file: a thread that writes, a few connections that read, and what is shared by them. What its
//! methods mean is said at those of [`Store`](crate::Store).

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle, ThreadId},
    time::Duration,
};

use crossbeam_channel::{RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{
    DataVersion, OpenOptions, Opened, StoreId, Tx,
    error::{is_corrupt, is_refused},
    lease::{Held, Lease, Living, Owner},
    open::{self, FileIdentity, Found, open_writable},
    place,
    pool::{Pool, closed},
    reader::Reader,
    recover, schema,
    stats::Sizes,
    work::{Read, Write, leaving, left},
    writer::{Message, Shared, Writer},
};
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// How long [`Store::close`] lets waiting writes finish.
const DRAIN: Duration = Duration::from_millis(500);

/// How long [`Store::close`] waits for the running statement after it was interrupted.
const INTERRUPTED: Duration = Duration::from_millis(200);

/// A file with its writer and its readers.
pub(super) struct Sqlite {
    pub(super) shared: Arc<Shared>,
    inbox: Sender<Message>,
    writer: ThreadId,
    worker: Mutex<Option<JoinHandle<()>>>,
    pub(super) pool: Pool,
    owner: Owner,
    /// Watches `PRAGMA data_version`; a connection of its own, because the value only compares on one connection.
    pub(super) monitor: Mutex<Option<(Connection, Option<FileIdentity>)>>,
}

impl Sqlite {
    pub(super) fn id(&self) -> StoreId {
        StoreId::of_file(&self.shared.path)
    }

    /// Opens the index at a path. Creates it when there is none; migrates an older one; a damaged one is set aside and
    /// its embeddings are saved. An index that cannot be written is opened for reading: see [`Self::refusal`].
    ///
    /// # Errors
    /// [`Code::ForeignDatabase`] and [`Code::NewerSchema`] (the file is not touched), [`Code::ReadOnly`] when there is
    /// nothing to read either, [`Code::Config`] and [`Code::Path`] for paths that cannot be an index, and what the
    /// operating system refuses.
    pub(super) fn open(path: &Path, options: OpenOptions) -> Result<(Self, Opened)> {
        open::check_name(path)?;
        let mut opened = Opened { created: matches!(open::probe(path)?, Found::Nothing), ..Opened::default() };
        // Some damage shows with the first thing that is read.
        let attempt = |created: bool| -> Result<_> {
            let conn = open_writable(path, options.workspace.as_ref())?;
            let unclean = !created && is_unclean(&conn, &options)?;
            Ok((conn, unclean))
        };
        // Which disk is full is what a user has to know.
        let placed = |error: Error| if error.code() == Code::DiskFull { error.context(path.display()) } else { error };
        let attempt = |created: bool| attempt(created).map_err(placed);
        let attempt = match attempt(opened.created) {
            Err(error) if is_corrupt(&error) || is_refused(&error) && recover::is_damaged(path)? => {
                opened.recovery = Some(recover::replace(path, options.clock.now_ms())?);
                attempt(opened.created)
            }
            other => other,
        };
        let (conn, refusal) = match attempt {
            Ok((conn, unclean)) => {
                opened.unclean = unclean;
                (Some(conn), None)
            }
            Err(error) if matches!(error.code(), Code::ReadOnly | Code::DiskFull) && !opened.created => {
                // Without anything to read this error would come with every search; better at once.
                let conn = open::connect_reader(path).map_err(|_| error.clone())?;
                if schema::is_unfinished(&conn) {
                    return Err(error);
                }
                place::check(&conn, path, options.workspace.as_ref())?;
                (None, Some(error))
            }
            Err(error) => return Err(error),
        };
        Ok((Self::start(path, options, conn, refusal)?, opened))
    }

    /// Starts the writer thread.
    fn start(path: &Path, options: OpenOptions, conn: Option<Connection>, refusal: Option<Error>) -> Result<Self> {
        let (corrupt, suspect) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let shared = Arc::new(Shared {
            path: path.to_owned(),
            clock: options.clock,
            workspace: options.workspace.clone(),
            closed: AtomicBool::new(false),
            abandon: AtomicBool::new(false),
            corrupt: Arc::clone(&corrupt),
            suspect: Arc::clone(&suspect),
            interrupt: Mutex::new(None),
            refusal: Mutex::new(refusal),
        });
        let (inbox, messages) = unbounded();
        let writer = Writer::new(Arc::clone(&shared), conn);
        let living = Living::new(&options.owner);
        let worker = thread::Builder::new()
            .name("memory-store".to_owned())
            .spawn(move || {
                writer.run(&messages);
                drop(living);
            })
            .map_err(|error| Error::io(path, &error).context("the writer thread cannot be started"))?;
        Ok(Self {
            pool: Pool::new(path.to_owned(), options.workspace, corrupt, suspect),
            writer: worker.thread().id(),
            worker: Mutex::new(Some(worker)),
            owner: options.owner,
            monitor: Mutex::new(None),
            shared,
            inbox,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.shared.path
    }

    pub(super) fn refusal(&self) -> Option<Error> {
        self.shared.refusal.lock().clone()
    }

    pub(super) fn is_corrupt(&self) -> bool {
        self.shared.corrupt.load(Ordering::Acquire)
    }

    pub(super) fn is_suspect(&self) -> bool {
        self.shared.suspect.load(Ordering::Acquire)
    }

    /// A file that was taken away is noticed as another file.
    #[expect(clippy::unused_self, reason = "as of a database")]
    pub(super) const fn has_begun_anew(&self) -> bool {
        false
    }

    pub(super) fn read<T>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.pool.read(&Cancel::new(), f)
    }

    pub(super) fn read_with(&self, cancel: &Cancel, f: Read<'_>) -> Result<()> {
        self.pool.read(cancel, f)
    }

    pub(super) fn write(&self, f: Write) -> Result<()> {
        self.wait(self.submit(move |writer| writer.transact(false, f))?)
    }

    /// [`Self::write`] that gives a value.
    pub(super) fn write_giving<T: Send + 'static>(
        &self,
        f: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (write, value) = leaving(f);
        self.write(write)?;
        left(value)
    }

    pub(super) fn write_indexed(&self, f: Write) -> Result<()> {
        self.wait(self.submit(move |writer| writer.transact(true, f))?)
    }

    pub(super) async fn write_async(&self, f: Write) -> Result<()> {
        self.submit(move |writer| writer.transact(false, f))?.await.unwrap_or_else(|_| Err(closed()))
    }

    pub(super) async fn write_indexed_async(&self, f: Write) -> Result<()> {
        self.submit(move |writer| writer.transact(true, f))?.await.unwrap_or_else(|_| Err(closed()))
    }

    pub(super) fn acquire_lease(&self) -> Result<Lease> {
        let owner = self.owner.clone();
        self.wait(self.submit(move |writer| {
            let (asking, renewed_ms) = (owner.clone(), writer.shared().clock.now_ms());
            let lease = writer.transact(false, move |tx| tx.acquire_lease(&asking))?;
            writer.lease = match lease {
                Lease::Held { token } => Some(Held { owner, token, renewed_ms, wanted: true }),
                Lease::HeldBy(_) => None,
            };
            Ok(lease)
        })?)
    }

    pub(super) fn release_lease(&self) -> Result<()> {
        self.wait(self.submit(Writer::release_lease)?)
    }

    pub(super) fn data_version(&self) -> Result<DataVersion> {
        if self.shared.closed.load(Ordering::Acquire) {
            return Err(closed());
        }
        let file = FileIdentity::of(&self.shared.path);
        let mut monitor = self.monitor.lock();
        if monitor.as_ref().is_none_or(|(_, opened_on)| *opened_on != file) {
            *monitor = Some((open::connect_reader(&self.shared.path)?, file));
        }
        let Some((conn, _)) = monitor.as_ref() else { return Err(closed()) };
        let data = conn.query_row("PRAGMA data_version", [], |row| row.get(0)).sql()?;
        Ok(DataVersion { file, data })
    }

    pub(super) fn sizes(&self) -> Result<Sizes> {
        self.read(|reader| reader.sizes(&self.shared.path))
    }

    pub(super) fn close(&self) {
        if self.shared.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.pool.close();
        *self.monitor.lock() = None;
        let worker = self.worker.lock().take();
        let (done, finished) = bounded::<()>(0);
        // The thread has ended by itself only if its last handle is gone, which is not the case here.
        let _ = self.inbox.send(Message::Job(Box::new(move |_| drop(done))));
        if matches!(finished.recv_timeout(DRAIN), Err(RecvTimeoutError::Timeout)) {
            self.abandon();
            let _ = finished.recv_timeout(INTERRUPTED);
        }
        self.pool.wait_idle(INTERRUPTED);
        let _ = self.inbox.send(Message::Close);
        if let Some(worker) = worker
            && !self.shared.abandon.load(Ordering::Acquire)
        {
            // Only the last, small transaction and the checkpoint of at most 16 MB are left.
            let _ = worker.join();
        }
    }

    /// Refuses waiting writes and stops the running one.
    fn abandon(&self) {
        self.shared.abandon.store(true, Ordering::Release);
        if let Some(handle) = self.shared.interrupt.lock().as_ref() {
            handle.interrupt();
        }
    }

    /// Sends work to the writer thread.
    pub(super) fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Writer) -> Result<T> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T>>> {
        if self.shared.closed.load(Ordering::Acquire) {
            return Err(closed());
        }
        let (answer, receiver) = oneshot::channel();
        // The caller may have stopped waiting; its work was done all the same.
        let job = Box::new(move |writer: &mut Writer| drop(answer.send(work(writer))));
        self.inbox.send(Message::Job(job)).map_err(|_| closed())?;
        Ok(receiver)
    }

    /// Waits for the answer of the writer thread.
    pub(super) fn wait<T>(&self, receiver: oneshot::Receiver<Result<T>>) -> Result<T> {
        if thread::current().id() == self.writer {
            return Err(Error::new(Code::Internal, "a write waits for another write inside itself"));
        }
        receiver.blocking_recv().unwrap_or_else(|_| Err(closed()))
    }
}

impl Drop for Sqlite {
    /// Without [`Store::close`] the process may be ending: nothing is waited for. The file is fine either way.
    fn drop(&mut self) {
        if !self.shared.closed.load(Ordering::Acquire) {
            self.pool.close();
            self.abandon();
        }
    }
}

/// Whether the last writer was killed, and nobody is at work on the file now.
fn is_unclean(conn: &Connection, options: &OpenOptions) -> Result<bool> {
    let reader = Reader::over(conn);
    let in_use = reader.is_marked_in_use()?;
    let at_work = reader.lease()?.is_some_and(|row| row.is_valid(options.clock.now_ms(), &options.owner));
    Ok(in_use && !at_work)
}
