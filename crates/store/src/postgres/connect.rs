//! Connections, and transactions on them. Whoever calls blocks: on a thread for work that blocks, never on one that drives
//! the runtime.

use std::{
    borrow::Cow,
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{self, Metrics, Object, Pool, PoolError, RecycleError, RecycleResult, Timeouts};
use tokio::{runtime::Handle, task::AbortHandle};
use tokio_postgres::Client;
use tokio_postgres_rustls::MakeRustlsConnect;

pub use super::transaction::{Param, SNAPSHOT, Setting, Statement, Transaction, WRITE};
use super::{
    config::Options,
    error::{away, no_password, of_postgres, too_old},
    far::Compare,
    kept::Kept,
    tls,
    transaction::{Beginning, wait},
};
use crate::database::AskPassword;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// The oldest server that is spoken to.
const OLDEST: u32 = 15;

/// How long a password is waited for: a program may have to ask somebody for a token.
const PASSWORD: Duration = Duration::from_secs(20);

/// Makes connections.
pub(super) struct Manager {
    /// How many were made.
    made: Arc<AtomicU64>,
    server: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    password: Option<AskPassword>,
    connect_timeout: Duration,
}

impl Manager {
    /// The server, with the password as it is now.
    async fn server(&self) -> Result<Cow<'_, tokio_postgres::Config>> {
        let Some(password) = &self.password else { return Ok(Cow::Borrowed(&self.server)) };
        let asked = tokio::time::timeout(PASSWORD, password.ask()).await;
        let password =
            asked.map_err(|_| no_password(&format!("there was no answer in {} s", PASSWORD.as_secs())))??;
        let mut server = self.server.clone();
        server.password(password);
        Ok(Cow::Owned(server))
    }
}

/// A connection, and what drives it.
pub(super) struct Connected {
    client: Client,
    driver: AbortHandle,
}

impl Deref for Connected {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Ends a connection in the middle of a question. It would else wait for the answer, and over a line that swallows it for
/// ever: one more with each question.
pub(super) fn cut(connected: Object<Manager>) {
    Object::take(connected).driver.abort();
}

impl managed::Manager for Manager {
    type Type = Connected;
    type Error = Error;

    async fn create(&self) -> Result<Connected> {
        let server = self.server().await?;
        let connected = tokio::time::timeout(self.connect_timeout, server.connect(self.tls.clone())).await;
        let (client, connection) =
            connected.map_err(|_| no_answer(self.connect_timeout))?.map_err(|error| of_postgres(&error))?;
        let version = connection.parameter("server_version").unwrap_or_default();
        let major = version.split(|c: char| !c.is_ascii_digit()).next().and_then(|major| major.parse().ok());
        if major.is_none_or(|major: u32| major < OLDEST) {
            return Err(too_old(version));
        }
        // What ends it is told to whoever waits for an answer.
        let driver = tokio::spawn(connection).abort_handle();
        self.made.fetch_add(1, Ordering::SeqCst);
        Ok(Connected { client, driver })
    }

    async fn recycle(&self, client: &mut Connected, _: &Metrics) -> RecycleResult<Error> {
        if client.is_closed() { Err(RecycleError::message("closed")) } else { Ok(()) }
    }
}

/// The connections to one database. Made once a process and database.
pub struct Database {
    pool: Pool<Manager>,
    made: Arc<AtomicU64>,
    waits: AtomicU64,
    /// What agents have read of words.
    pub(super) kept: Kept,
    /// Where vectors are compared.
    pub(super) compare: Compare,
    /// How old what an agent has read of itself may be.
    pub(super) max_staleness: Duration,
    runtime: Handle,
    connect_timeout: Duration,
    statement_timeout: Duration,
}

fn no_answer(within: Duration) -> Error {
    away(&format!("the database cannot be reached (no answer in {} ms)", within.as_millis()))
}

impl Database {
    /// Checks how it is to be reached; nothing is sent before the first transaction.
    ///
    /// # Errors
    /// [`Code::Config`] when it cannot be reached so, and when the file of trusted certificates cannot be read.
    pub fn new(options: &Options, runtime: Handle) -> Result<Self> {
        let checked = options.check()?;
        let tls = tls::connector(checked.ssl, options.ssl_root_cert.as_deref())?;
        let made = Arc::<AtomicU64>::default();
        let (password, connect_timeout) = (options.password.clone(), options.connect_timeout);
        let manager = Manager { made: Arc::clone(&made), server: checked.server, tls, password, connect_timeout };
        let timeouts = Timeouts {
            wait: Some(options.statement_timeout),
            // Asking for the password and connecting have limits of their own.
            create: None,
            recycle: Some(options.connect_timeout),
        };
        let pool = Pool::builder(manager).max_size(options.pool_size.max(1)).timeouts(timeouts);
        let pool = pool.runtime(deadpool::Runtime::Tokio1).build();
        let pool = pool.map_err(|_| Error::new(Code::Internal, "the connections cannot be set up"))?;
        Ok(Self {
            pool,
            made,
            waits: AtomicU64::new(0),
            kept: Kept::new(options.cache_bytes),
            compare: Compare { chosen: options.near_in, most: options.arena_bytes },
            max_staleness: options.max_staleness,
            runtime,
            connect_timeout: options.connect_timeout,
            statement_timeout: options.statement_timeout,
        })
    }

    /// Begins a transaction, to which nothing is sent before it is asked something. Blocks.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    ///
    /// # Panics
    /// On a thread that drives a runtime.
    pub fn begin(&self, cancel: &Cancel, setting: &Setting<'_>) -> Result<Transaction<'_>> {
        let beginning = Beginning {
            client: self.client(cancel)?,
            runtime: &self.runtime,
            made: self.made.load(Ordering::SeqCst),
            waits: &self.waits,
            statement_timeout: self.statement_timeout,
        };
        Ok(Transaction::begin(beginning, cancel, setting))
    }

    /// A connection of the pool.
    fn client(&self, cancel: &Cancel) -> Result<Object<Manager>> {
        wait(&self.runtime, cancel, self.pool.get())?.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(managed::TimeoutType::Wait) => {
                Error::new(Code::Busy, "all connections to the database are in use")
            }
            PoolError::Timeout(_) => no_answer(self.connect_timeout),
            _ => Error::new(Code::Closed, "the store is closed"),
        })
    }

    /// Runs a statement of ours that no transaction may hold. Blocks.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    ///
    /// # Panics
    /// On a thread that drives a runtime.
    pub fn alone(&self, cancel: &Cancel, sql: &str) -> Result<()> {
        let client = self.client(cancel)?;
        match wait(&self.runtime, cancel, client.batch_execute(sql)) {
            Ok(answer) => answer.map_err(|error| of_postgres(&error)),
            Err(cancelled) => {
                // It may still run.
                cut(client);
                Err(cancelled)
            }
        }
    }

    /// Runs a transaction: committed when the work succeeds, undone when it fails, panics or is cancelled. Blocks.
    ///
    /// # Errors
    /// What the work gives and the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    ///
    /// # Panics
    /// On a thread that drives a runtime.
    pub fn transact<T>(
        &self,
        cancel: &Cancel,
        setting: &Setting<'_>,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let transaction = self.begin(cancel, setting)?;
        match work(&transaction) {
            Ok(value) if setting.begin == SNAPSHOT => transaction.leave().map(|()| value),
            Ok(value) => transaction.commit(&[]).map(|()| value),
            Err(error) => {
                transaction.rollback();
                Err(error)
            }
        }
    }

    /// How often transactions have waited for an answer.
    #[cfg(any(test, feature = "testing"))]
    pub fn waits(&self) -> u64 {
        self.waits.load(Ordering::Relaxed)
    }

    /// Ends all connections that are idle, and refuses what comes after.
    pub fn close(&self) {
        self.pool.close();
    }
}
