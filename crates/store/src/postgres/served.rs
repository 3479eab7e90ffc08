//! The memory of an agent as a [`Store`](crate::Store) is asked for it. What its methods mean is said there.

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, Weak, atomic::Ordering, mpsc},
    time::Duration,
};

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

use super::{
    agent::{Agent, AgentOptions},
    connect::Database,
    schema, server,
};
use crate::{
    DataVersion, Location, OpenOptions, Opened, StoreId, Tx,
    database::{InDatabase, Options, Server},
    lease::{Lease, RENEW_EVERY_MS},
    pool::closed,
    reader::Reader,
    stats::Sizes,
    work::{Read, Write},
};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// How long closing waits for the lease to be given back.
const GOODBYE: Duration = Duration::from_millis(700);

/// What drives the connections of this process; begun with the first of them. One thread of its own, so that connections
/// live on whoever asks, and however long the runtime of the first one lasts.
static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The databases of this process that are in use, by how they are reached: all agents share their connections.
static DATABASES: Mutex<Vec<(Options, Weak<Database>)>> = Mutex::new(Vec::new());

fn runtime() -> Result<&'static Handle> {
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime.handle());
    }
    let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("memory-postgres").enable_all().build();
    let runtime = runtime.map_err(|error| {
        Error::new(Code::Internal, format!("the thread for the database cannot be started ({})", error.kind()))
    })?;
    Ok(RUNTIME.get_or_init(|| runtime).handle())
}

/// The connections to a database, which are made when there are none.
fn database(options: &Options) -> Result<Arc<Database>> {
    let mut databases = DATABASES.lock();
    databases.retain(|(_, database)| database.strong_count() > 0);
    let known = databases.iter().find(|(known, _)| known == options);
    if let Some(known) = known.and_then(|(_, database)| database.upgrade()) {
        return Ok(known);
    }
    let database = Arc::new(Database::new(options, runtime()?.clone())?);
    databases.push((options.clone(), Arc::downgrade(&database)));
    Ok(database)
}

/// An agent's memory, as long as a store is open.
pub(crate) struct Served {
    agent: Arc<Agent>,
    runtime: Handle,
    id: StoreId,
    schema: String,
    beside: PathBuf,
}

thread_local! {
    /// Whether this thread is inside a write.
    static WRITES: Cell<bool> = const { Cell::new(false) };
}

/// Which write of [`Agent`].
enum Kind {
    Any,
    Indexed,
    AtOnce,
}

/// Runs a closure as a write, of which a thread does one at a time: a second one would wait for the first.
fn transact(agent: &Agent, kind: Kind, f: Write) -> Result<()> {
    if WRITES.replace(true) {
        return Err(Error::new(Code::Internal, "a write waits for another write inside itself"));
    }
    let work = |tx: &super::Tx<'_>| {
        let guarded = AssertUnwindSafe(|| f(&mut Tx::of_postgres(tx)));
        catch_unwind(guarded)
            .unwrap_or_else(|_| Err(Error::new(Code::Internal, "a write failed unexpectedly and was undone")))
    };
    let result = match kind {
        Kind::Any => agent.write(work),
        Kind::Indexed => agent.write_indexed(work),
        Kind::AtOnce => agent.write_indexed_at_once(work),
    };
    WRITES.set(false);
    result
}

/// Renews the lease for as long as the agent is open and holds it.
fn renew_while_open(agent: &Arc<Agent>, runtime: &Handle) {
    let (agent, blocking) = (Arc::downgrade(agent), runtime.clone());
    runtime.spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(RENEW_EVERY_MS.unsigned_abs())).await;
            let Some(agent) = agent.upgrade().filter(|agent| !agent.closing.is_cancelled()) else { return };
            if agent.token.lock().is_some() {
                // A database that is away is asked again the next time; a lease that is lost shows in the next write.
                let _ = blocking.spawn_blocking(move || agent.renew_lease()).await;
            }
        }
    });
}

impl Served {
    pub(crate) fn open(place: &InDatabase, options: OpenOptions) -> Result<(Self, Opened)> {
        let (database, runtime) = (database(&place.options)?, runtime()?.clone());
        let schema = schema::prepare(&database, &place.options.schema, place.migrate)?;
        let (tenant, name) = (place.options.tenant.clone(), place.agent.clone());
        let options = AgentOptions { tenant, name, owner: options.owner, clock: options.clock };
        let agent = Arc::new(Agent::open(database, schema, options)?);
        renew_while_open(&agent, &runtime);
        let opened = Opened { created: agent.is_new, ..Opened::default() };
        let id = Location::Database(Box::new(place.clone())).id();
        let (schema, beside) = (place.options.schema.clone(), place.beside.clone());
        Ok((Self { agent, runtime, id, schema, beside }, opened))
    }

    /// What the server of a place says of itself.
    pub(crate) fn examine(place: &InDatabase) -> Result<Server> {
        server::examine(&*database(&place.options)?, &place.options.schema, &Cancel::new())
    }

    pub(crate) fn server(&self) -> Result<Server> {
        self.agent.explained(server::examine(self.agent.database(), &self.schema, &self.agent.closing))
    }

    /// The memory itself.
    pub(crate) const fn agent(&self) -> &Arc<Agent> {
        &self.agent
    }

    pub(crate) fn id(&self) -> StoreId {
        self.id.clone()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.beside
    }

    pub(crate) fn refusal(&self) -> Option<Error> {
        self.agent.refusal()
    }

    /// Damage is an error of the database, and nothing that is repaired here.
    #[expect(clippy::unused_self, reason = "as of a file")]
    pub(crate) const fn is_corrupt(&self) -> bool {
        false
    }

    /// As [`Self::is_corrupt`].
    #[expect(clippy::unused_self, reason = "as of a file")]
    pub(crate) const fn is_suspect(&self) -> bool {
        false
    }

    pub(crate) fn has_begun_anew(&self) -> bool {
        self.agent.has_begun_anew.swap(false, Ordering::AcqRel)
    }

    pub(crate) fn read_with(&self, cancel: &Cancel, f: Read<'_>) -> Result<()> {
        self.agent.read(cancel, |reader| f(&Reader::of_postgres(reader)))
    }

    pub(crate) fn write(&self, f: Write) -> Result<()> {
        transact(&self.agent, Kind::Any, f)
    }

    pub(crate) fn write_indexed(&self, f: Write) -> Result<()> {
        transact(&self.agent, Kind::Indexed, f)
    }

    pub(crate) async fn write_async(&self, f: Write) -> Result<()> {
        let agent = Arc::clone(&self.agent);
        self.runtime.spawn_blocking(move || transact(&agent, Kind::Any, f)).await.unwrap_or_else(|_| Err(closed()))
    }

    pub(crate) async fn write_indexed_async(&self, f: Write) -> Result<()> {
        let agent = Arc::clone(&self.agent);
        self.runtime.spawn_blocking(move || transact(&agent, Kind::AtOnce, f)).await.unwrap_or_else(|_| Err(closed()))
    }

    pub(crate) fn acquire_lease(&self) -> Result<Lease> {
        self.agent.acquire_lease()
    }

    pub(crate) fn release_lease(&self) -> Result<()> {
        self.agent.release_lease()
    }

    pub(crate) fn data_version(&self) -> Result<DataVersion> {
        Ok(DataVersion { file: None, data: self.agent.version()? })
    }

    pub(crate) fn sizes(&self) -> Result<Sizes> {
        self.agent.read(&Cancel::new(), |reader| reader.sizes())
    }

    /// Ends all reads at once, and gives the lease back when the writes under way are done, unless that takes too long:
    /// then they are given up, and the lease runs out.
    pub(crate) fn close(&self) {
        if self.agent.closing.is_cancelled() {
            return;
        }
        self.agent.closing.cancel();
        let (done, is_done) = mpsc::channel();
        let agent = Arc::clone(&self.agent);
        self.runtime.spawn_blocking(move || done.send(agent.release_lease()));
        let _ = is_done.recv_timeout(GOODBYE);
        self.agent.given_up.cancel();
    }
}

impl Drop for Served {
    /// Without [`Self::close`] the process may be ending: nothing is waited for.
    fn drop(&mut self) {
        self.agent.closing.cancel();
    }
}
