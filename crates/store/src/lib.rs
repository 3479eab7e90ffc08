//! The index on disk: one SQLite file per agent, written by one thread, read by a few. All SQL of the crate is here.
//!
//! Nothing outside of this crate sees SQLite, so that another database can stand behind the same operations: they are
//! asked for in batches ([`Reader::postings`], [`Reader::candidates`]), speak of [`ids`] and [`model::error`], and what
//! only a file needs is done through [`Admin`]. Their tests are written for any backend.
//!
//! - [`Store::read`] runs a closure on a snapshot ([`Reader`]); [`Store::write`] and [`Store::write_indexed`] run one
//!   in a transaction ([`Tx`]) on the writer thread. The queries are methods of these two, in one file per topic.
//! - [`generations`] – a rebuild grows beside the index that answers; [`files`], [`chunks`] – what is indexed;
//!   [`lexical`], [`compat`] – full text; [`embeddings`], [`cache`] – vectors, by hash of their text; [`order`] – which
//!   of equals comes first.
//! - [`all_vectors`] – the index as a whole, for a map of it.
//! - [`candidates`], [`vectors`] – what a search looks at, and the chunks nearest to it.
//! - [`transcripts`] – how far each was read. [`usage`] – what embedding cost.
//! - [`consolidation`] – claims with their evidence, and runs that can be undone.
//! - [`forget`], [`checks`] – removing for good, looking for damage.
//! - [`place`], [`others`] – an index belongs to one workspace, and takes vectors from those of the others.
//! - [`backup`], [`restore`] – a copy of all of it, and back.
//! - [`lease`] – one process at a time indexes; [`recover`] – a damaged file is set aside and its vectors are saved.
//!
//! ```
//! use store::{OpenOptions, Store, files::{NewChunk, NewFile}};
//!
//! let folder = tempfile::tempdir().expect("a folder");
//! let store = Store::open(&folder.path().join("index.sqlite"), OpenOptions::default())?;
//! store.write(|tx| {
//!     // The very first generation is live at once.
//!     let live = tx.begin_building("words of the example")?;
//!     let note = NewFile { source: "memory", path: "memory/tea.md", hash: [1; 32], mtime_ns: 0, size: 9, lines: 1, terms: 2 };
//!     let chunk = NewChunk {
//!         start_line: 1,
//!         end_line: 1,
//!         hash: [2; 32],
//!         text: "green tea".to_owned(),
//!         line_terms: Vec::new(),
//!         fts_terms: "green tea".to_owned(),
//!     };
//!     tx.replace_file(live.id, &note, &[chunk])
//! })?;
//! let files = store.read(|reader| {
//!     let live = reader.live()?.expect("it answers");
//!     reader.files(live.id, "memory")
//! })?;
//! assert!(files.contains_key("memory/tea.md"));
//! store.close();
//! # Ok::<(), model::error::Error>(())
//! ```

mod admin;
pub mod all_vectors;
pub mod backup;
mod batch_jobs;
pub mod cache;
pub mod candidates;
mod changed;
pub mod checks;
pub mod chunks;
mod code_blocks;
mod codes;
pub(crate) mod compat;
pub mod consolidation;
pub mod covered;
pub mod embeddings;
mod error;
mod ffi;
pub mod files;
pub mod forget;
pub mod generations;
mod header;
pub mod ids;
pub mod lease;
pub mod lexical;
pub mod line_vectors;
mod location;
pub mod media;
mod meta;
mod open;
pub mod order;
pub mod others;
pub mod place;
mod pool;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod recover;
pub mod refusals;
pub mod restore;
mod schema;
mod seal;
pub mod skipped;
pub mod stats;
#[cfg(test)]
mod tests;
pub mod transcripts;
mod unfinished;
pub mod usage;
pub mod vectors;
pub mod within;
mod writer;

use std::{
    fmt,
    path::{Path, PathBuf},
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

pub use self::{
    admin::Admin,
    location::{Kept, StoreId, kept_beside},
    pool::Reader,
    writer::Tx,
};
use self::{
    error::{is_corrupt, is_refused},
    lease::{Held, Lease, Living, Owner},
    open::{FileIdentity, Found},
    pool::{Pool, closed},
    recover::Recovery,
    stats::Sizes,
    writer::{Message, Shared, Writer},
};
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    clock::{Clock, SystemClock},
    error::{Code, Error, Result},
};

/// How long [`Store::close`] lets waiting writes finish.
const DRAIN: Duration = Duration::from_millis(500);

/// How long [`Store::close`] waits for the running statement after it was interrupted.
const INTERRUPTED: Duration = Duration::from_millis(200);

/// How a store is opened.
#[derive(Clone)]
pub struct OpenOptions {
    /// Who holds the lease, if this store takes it; default this process.
    pub owner: Owner,
    /// The time; default the clock of the machine.
    pub clock: Arc<dyn Clock>,
    /// The workspace that the index belongs to; none = whichever it is. An index of another one is refused with
    /// [`Code::Closed`], see [`place::is_not_ours`].
    pub workspace: Option<place::Workspace>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { owner: Owner::this_process(), clock: Arc::new(SystemClock), workspace: None }
    }
}

/// What opening found and did.
#[derive(Debug, Clone, Default)]
pub struct Opened {
    /// There was no index before.
    pub created: bool,
    /// The last writer did not close the file (killed, power lost) and none is at work now: [`Admin::verify`] is due.
    pub unclean: bool,
    /// The file was damaged, and was replaced.
    pub recovery: Option<Recovery>,
}

/// A value that is equal as long as nothing was committed, by any process, and the file is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataVersion {
    file: Option<FileIdentity>,
    data: i64,
}

impl DataVersion {
    /// Whether both are of the same file: ids of another file mean something else.
    #[must_use]
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

/// The index of one agent. Cheap to share; every method may be called from any thread.
pub struct Store {
    shared: Arc<Shared>,
    inbox: Sender<Message>,
    writer: ThreadId,
    worker: Mutex<Option<JoinHandle<()>>>,
    pool: Pool,
    /// The vectors of the live index in memory.
    vectors: vectors::Slot,
    owner: Owner,
    opened: Opened,
    /// Watches `PRAGMA data_version`; a connection of its own, because the value only compares on one connection.
    monitor: Mutex<Option<(Connection, Option<FileIdentity>)>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

/// Opens the file at a path for writing, creating folder and file as needed; refuses what is not ours.
fn open_writable(path: &Path, workspace: Option<&place::Workspace>) -> Result<Connection> {
    match open::probe(path)? {
        Found::Nothing => open::create_folder(path)?,
        Found::Ours => {}
        Found::Damaged(error) => return Err(error),
    }
    let mut conn = open::connect_writer(path)?;
    place::claim(&mut conn, path, workspace)?;
    Ok(conn)
}

impl Store {
    /// Opens the index at a path. Creates it when there is none; migrates an older one; a damaged one is set aside and
    /// its embeddings are saved. An index that cannot be written is opened for reading: see [`Self::refusal`].
    ///
    /// # Errors
    /// [`Code::ForeignDatabase`] and [`Code::NewerSchema`] (the file is not touched), [`Code::ReadOnly`] when there is
    /// nothing to read either, [`Code::Config`] and [`Code::Path`] for paths that cannot be an index, and what the
    /// operating system refuses.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Arc<Self>> {
        open::check_name(path)?;
        let mut opened = Opened { created: matches!(open::probe(path)?, Found::Nothing), ..Opened::default() };
        // Some damage shows with the first thing that is read.
        let attempt = |created: bool| -> Result<_> {
            let conn = open_writable(path, options.workspace.as_ref())?;
            let unclean = !created && is_unclean(&conn, &options)?;
            Ok((conn, unclean))
        };
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
        Ok(Arc::new(Self::start(path, options, opened, conn, refusal)?))
    }

    /// Starts the writer thread.
    fn start(
        path: &Path,
        options: OpenOptions,
        opened: Opened,
        conn: Option<Connection>,
        refusal: Option<Error>,
    ) -> Result<Self> {
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
            vectors: vectors::Slot::default(),
            owner: options.owner,
            monitor: Mutex::new(None),
            shared,
            inbox,
            opened,
        })
    }

    /// The path of the database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Which store it is.
    #[must_use]
    pub fn id(&self) -> StoreId {
        StoreId::of_file(&self.shared.path)
    }

    /// Where the memory keeps what belongs to it and not to its index.
    #[must_use]
    pub fn kept(&self, what: Kept) -> PathBuf {
        kept_beside(&self.shared.path, what)
    }

    /// Whether it was opened for this workspace, or for any.
    #[must_use]
    pub fn belongs_to(&self, workspace: &place::Workspace) -> bool {
        self.shared.workspace.as_ref().is_none_or(|own| own.is_same(workspace))
    }

    /// What opening found and did.
    #[must_use]
    pub const fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Why nothing can be written at present; none when all is well. Each write tries again.
    #[must_use]
    pub fn refusal(&self) -> Option<Error> {
        self.shared.refusal.lock().clone()
    }

    /// Whether damage was seen since opening: [`Admin::recover`] is due.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        self.shared.corrupt.load(Ordering::Acquire)
    }

    /// Whether a statement was refused since the last [`Admin::verify`], which is then due.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        self.shared.suspect.load(Ordering::Acquire)
    }

    /// Runs a closure on a snapshot. Blocks; waits when all readers are in use.
    ///
    /// # Errors
    /// What the closure gives, and what the database reports.
    pub fn read<T>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.read_with(&Cancel::new(), f)
    }

    /// [`Self::read`] that is interrupted, in the middle of a statement too, when `cancel` says so.
    ///
    /// # Errors
    /// [`Code::Cancelled`] and [`Code::Deadline`], what the closure gives, and what the database reports.
    pub fn read_with<T>(&self, cancel: &Cancel, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.pool.read(cancel, f)
    }

    /// Runs a closure in one write transaction, and waits for it. All or nothing: an error or a panic undoes it. Keep
    /// it short (some hundred rows, 50 ms), because other processes wait meanwhile.
    ///
    /// # Errors
    /// What the closure gives; [`Code::DiskFull`], [`Code::ReadOnly`], [`Code::Busy`], [`Code::Closed`] and others.
    pub fn write<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.wait(self.submit(move |writer| writer.transact(false, f))?)
    }

    /// [`Self::write`] for what only the indexing process may do: refused with [`Code::Busy`] unless this store holds
    /// the writer lease at that moment.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_indexed<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.wait(self.submit(move |writer| writer.transact(true, f))?)
    }

    /// [`Self::write`] for async callers. The write happens even when the future is dropped.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub async fn write_async<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.submit(move |writer| writer.transact(false, f))?.await.unwrap_or_else(|_| Err(closed()))
    }

    /// [`Self::write_indexed`] for async callers. The write happens even when the future is dropped.
    ///
    /// # Errors
    /// As [`Self::write_indexed`].
    pub async fn write_indexed_async<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.submit(move |writer| writer.transact(true, f))?.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Takes the writer lease, or tells who has it. While held, the writer thread renews it by itself. Taking a lease
    /// that is held already only renews it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn acquire_lease(&self) -> Result<Lease> {
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

    /// Gives the lease back, if held. When the disk refuses that, the writer thread tries again by itself.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn release_lease(&self) -> Result<()> {
        self.wait(self.submit(Writer::release_lease)?)
    }

    /// A value that changes whenever anything was committed, by this process or another. Costs microseconds.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn data_version(&self) -> Result<DataVersion> {
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

    /// Sizes of the index.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sizes(&self) -> Result<Sizes> {
        self.read(|reader| reader.sizes(&self.shared.path))
    }

    /// Finishes waiting writes, gives the lease back, empties the log and closes all connections. Takes less than a
    /// second: what is not done by then is refused with [`Code::Closed`]. Calls after this one are refused as well.
    pub fn close(&self) {
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
    fn submit<T: Send + 'static>(
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
    fn wait<T>(&self, receiver: oneshot::Receiver<Result<T>>) -> Result<T> {
        if thread::current().id() == self.writer {
            return Err(Error::new(Code::Internal, "a write waits for another write inside itself"));
        }
        receiver.blocking_recv().unwrap_or_else(|_| Err(closed()))
    }
}

impl Drop for Store {
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
