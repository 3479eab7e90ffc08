//! The index on disk: one SQLite file per agent, written by one thread, read by a few. All SQL of the crate is here.
//!
//! Nothing outside of this crate sees SQLite, so that another database can stand behind the same operations: they are
//! asked for in batches ([`Reader::postings`], [`Reader::candidates`]), speak of [`ids`] and [`model::error`], and what
//! only a file needs is done through [`Admin`]. Their tests are written for any backend.
//!
//! - [`Store::read`] runs a closure on a snapshot ([`Reader`]); [`Store::write`] and [`Store::write_indexed`] run one
//!   in a transaction ([`Tx`]) on the writer thread. The queries are methods of these two, in one file per topic.
//! - [`Store::look`] – what a search reads in several steps, of one moment where that is asked for over a network.
//! - [`generations`] – a rebuild grows beside the index that answers; [`files`], [`chunks`] – what is indexed;
//!   [`lexical`], [`compat`] – full text; [`embeddings`], [`cache`] – vectors, by hash of their text; [`order`] – which
//!   of equals comes first.
//! - [`all_vectors`] – the index as a whole, for a map of it.
//! - [`candidates`], [`vectors`] – what a search looks at, and the chunks nearest to it.
//! - [`transcripts`] – how far each was read. [`usage`] – what embedding cost.
//! - [`consolidation`] – claims with their evidence, and runs that can be undone.
//! - [`forget`], [`checks`] – removing for good, looking for damage.
//! - [`copying`], [`books`] – vectors, and what was written down, from one store to another.
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
pub mod books;
pub mod cache;
pub mod candidates;
mod changed;
pub mod checks;
pub mod chunks;
mod code_blocks;
mod codes;
pub(crate) mod compat;
pub mod consolidation;
pub mod copying;
pub mod covered;
pub mod database;
pub mod embeddings;
mod error;
mod ffi;
pub mod files;
pub mod footprint;
pub mod forget;
pub mod forgotten;
pub mod generations;
mod header;
pub mod holders;
pub mod ids;
pub mod lease;
pub mod leaving;
pub mod lexical;
pub mod line_vectors;
mod location;
mod look;
pub mod media;
mod meta;
pub mod notes;
mod open;
pub mod order;
pub mod others;
pub mod place;
mod pool;
#[cfg(feature = "postgres")]
pub mod postgres;
mod reader;
pub mod recover;
pub mod refusals;
pub mod restore;
mod schema;
mod seal;
pub mod skipped;
mod sqlite;
pub mod stats;
#[cfg(test)]
mod tests;
pub mod transcripts;
mod unfinished;
pub mod unsaid;
pub mod usage;
pub mod vectors;
pub mod within;
mod work;
mod writer;

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use self::{
    admin::Admin,
    location::{Kept, Location, StoreId, kept_beside},
    look::Look,
    open::unwritable,
    reader::Reader,
    writer::Tx,
};
use self::{
    lease::{Lease, Owner},
    open::FileIdentity,
    recover::Recovery,
    sqlite::Sqlite,
    stats::Sizes,
};
#[cfg(doc)]
use model::error::Code;
use model::{
    cancel::Cancel,
    clock::{Clock, SystemClock},
    error::{Error, Result},
};

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
    backend: Backend,
    /// The vectors of the live index in memory.
    vectors: vectors::Slot,
    /// Whose it was opened as.
    workspace: Option<place::Workspace>,
    opened: Opened,
}

/// What keeps it.
#[cfg_attr(feature = "postgres", expect(clippy::large_enum_variant, reason = "there is one of a store"))]
enum Backend {
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(postgres::Served),
}

/// Calls a method of the backend, whichever it is.
macro_rules! on_backend {
    ($store:ident.$method:ident($($argument:expr),*)) => {
        match &$store.backend {
            Backend::Sqlite(sqlite) => sqlite.$method($($argument),*),
            #[cfg(feature = "postgres")]
            Backend::Postgres(postgres) => postgres.$method($($argument),*),
        }
    };
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path()).finish_non_exhaustive()
    }
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
        let workspace = options.workspace.clone();
        let (sqlite, opened) = Sqlite::open(path, options)?;
        let (backend, vectors) = (Backend::Sqlite(sqlite), vectors::Slot::default());
        Ok(Arc::new(Self { backend, vectors, workspace, opened }))
    }

    /// Opens the index at a place; see [`Self::open`] for what is done with a file. In a database, tables and agent are made
    /// when there are none.
    ///
    /// # Errors
    /// As [`Self::open`]; of a database what it answers, and [`Code::Config`] when it cannot be reached in the way that is
    /// asked for, or nothing is built in that speaks with it.
    pub fn open_at(location: &Location, options: OpenOptions) -> Result<Arc<Self>> {
        match location {
            Location::File(path) => Self::open(path, options),
            #[cfg(feature = "postgres")]
            Location::Database(place) => {
                let workspace = options.workspace.clone();
                let (served, opened) = postgres::Served::open(place, options)?;
                let (backend, vectors) = (Backend::Postgres(served), vectors::Slot::default());
                Ok(Arc::new(Self { backend, vectors, workspace, opened }))
            }
            #[cfg(not(feature = "postgres"))]
            Location::Database(_) => Err(database::not_built_in()),
        }
    }

    /// The path of the database.
    #[must_use]
    pub fn path(&self) -> &Path {
        on_backend!(self.path())
    }

    /// Which store it is.
    #[must_use]
    pub fn id(&self) -> StoreId {
        on_backend!(self.id())
    }

    /// Where the memory keeps what belongs to it and not to its index.
    #[must_use]
    pub fn kept(&self, what: Kept) -> PathBuf {
        kept_beside(self.path(), what)
    }

    /// Whether it was opened for this workspace, or for any.
    #[must_use]
    pub fn belongs_to(&self, workspace: &place::Workspace) -> bool {
        self.workspace.as_ref().is_none_or(|own| own.is_same(workspace))
    }

    /// What opening found and did.
    #[must_use]
    pub const fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Why nothing can be written at present; none when all is well. Each write tries again.
    #[must_use]
    pub fn refusal(&self) -> Option<Error> {
        on_backend!(self.refusal())
    }

    /// Whether damage was seen since opening: [`Admin::recover`] is due.
    #[must_use]
    pub fn is_corrupt(&self) -> bool {
        on_backend!(self.is_corrupt())
    }

    /// Whether a statement was refused since the last [`Admin::verify`], which is then due.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        on_backend!(self.is_suspect())
    }

    /// Whether all that a database kept of the agent was found removed, and begun anew, since this was asked last.
    #[must_use]
    pub fn has_begun_anew(&self) -> bool {
        on_backend!(self.has_begun_anew())
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
        work::reading(f, |f| self.read_once(cancel, f))
    }

    fn read_once(&self, cancel: &Cancel, f: work::Read<'_>) -> Result<()> {
        on_backend!(self.read_with(cancel, f))
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
        let (write, value) = work::leaving(f);
        on_backend!(self.write(write))?;
        work::left(value)
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
        let (write, value) = work::leaving(f);
        on_backend!(self.write_indexed(write))?;
        work::left(value)
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
        let (write, value) = work::leaving(f);
        match &self.backend {
            Backend::Sqlite(sqlite) => sqlite.write_async(write).await,
            #[cfg(feature = "postgres")]
            Backend::Postgres(postgres) => postgres.write_async(write).await,
        }?;
        work::left(value)
    }

    /// [`Self::write_indexed`] for async callers. The write happens even when the future is dropped. In a database the closure
    /// may run before it is known that the lease is held, and nothing of it is done where it is not; and where the connection
    /// ends, the database may come to it after it was said to have failed. So it is for what is done in the database alone, and may
    /// be done again.
    ///
    /// # Errors
    /// As [`Self::write_indexed`].
    pub async fn write_indexed_async<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        let (write, value) = work::leaving(f);
        match &self.backend {
            Backend::Sqlite(sqlite) => sqlite.write_indexed_async(write).await,
            #[cfg(feature = "postgres")]
            Backend::Postgres(postgres) => postgres.write_indexed_async(write).await,
        }?;
        work::left(value)
    }

    /// Takes the writer lease, or tells who has it. While held, the writer thread renews it by itself. Taking a lease
    /// that is held already only renews it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn acquire_lease(&self) -> Result<Lease> {
        on_backend!(self.acquire_lease())
    }

    /// Gives the lease back, if held. When the disk refuses that, the writer thread tries again by itself.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn release_lease(&self) -> Result<()> {
        on_backend!(self.release_lease())
    }

    /// A value that changes whenever anything was committed, by this process or another. Costs microseconds.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn data_version(&self) -> Result<DataVersion> {
        on_backend!(self.data_version())
    }

    /// Makes the room of words that merges have left behind usable again, where the database does not do that by itself as
    /// fast as files are written. False when nothing was to be done, or nothing may be by us.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    pub fn vacuum_words(&self, cancel: &Cancel) -> Result<bool> {
        #[cfg(feature = "postgres")]
        if let Backend::Postgres(postgres) = &self.backend {
            return postgres.agent().vacuum_words(cancel);
        }
        // Merges of FTS5 free what they leave.
        cancel.check().map(|()| false)
    }

    /// Sizes of the index.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn sizes(&self) -> Result<Sizes> {
        on_backend!(self.sizes())
    }

    /// What the server of a database says of itself; none of a file.
    ///
    /// # Errors
    /// What the database answers.
    pub fn server(&self) -> Result<Option<database::Server>> {
        match &self.backend {
            Backend::Sqlite(_) => Ok(None),
            #[cfg(feature = "postgres")]
            Backend::Postgres(postgres) => postgres.server().map(Some),
        }
    }

    /// Where the vectors of an index in a database are compared with a question; none of a file, which compares them in memory.
    ///
    /// # Errors
    /// What the database answers.
    pub fn comparing(&self) -> Result<Option<database::Comparing>> {
        match &self.backend {
            Backend::Sqlite(_) => Ok(None),
            #[cfg(feature = "postgres")]
            Backend::Postgres(postgres) => postgres.agent().comparing().map(Some),
        }
    }

    /// How often all stores of the process on the same database have waited for its answer; 0 of a file.
    #[cfg(all(feature = "postgres", feature = "testing"))]
    #[must_use]
    pub fn waits(&self) -> u64 {
        match &self.backend {
            Backend::Sqlite(_) => 0,
            Backend::Postgres(postgres) => postgres.agent().database().waits(),
        }
    }

    /// Finishes waiting writes, gives the lease back, empties the log and closes all connections. Takes less than a
    /// second: what is not done by then is refused with [`Code::Closed`]. Calls after this one are refused as well.
    pub fn close(&self) {
        on_backend!(self.close())
    }
}

#[cfg(test)]
impl Store {
    /// The file behind it. For tests of what only a file has.
    fn sqlite(&self) -> &Sqlite {
        match &self.backend {
            Backend::Sqlite(sqlite) => sqlite,
            #[cfg(feature = "postgres")]
            Backend::Postgres(_) => panic!("not a file"),
        }
    }
}
