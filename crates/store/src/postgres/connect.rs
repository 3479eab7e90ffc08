//! Connections, and transactions on them. Whoever calls blocks: on a thread for work that blocks, never on one that drives
//! the runtime.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use deadpool::managed::{self, Metrics, Object, Pool, PoolError, RecycleError, RecycleResult, Timeouts};
use futures::{
    FutureExt,
    future::{MaybeDone, maybe_done},
};
use tokio::runtime::Handle;
use tokio_postgres::{
    Client, Row,
    types::{ToSql, Type},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    config::Options,
    error::{away, no_password, of_postgres, too_old},
    kept::Kept,
    tls,
};
use crate::database::AskPassword;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// The oldest server that is spoken to.
const OLDEST: u32 = 15;

/// How often a waiting call looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// A value with its type, as [`Transaction::rows`] sends it.
pub type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// A statement with its values.
pub type Statement<'a> = (&'a str, &'a [Param<'a>]);

/// How long a password is waited for: a program may have to ask somebody for a token.
const PASSWORD: Duration = Duration::from_secs(20);

/// Makes connections.
struct Manager {
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

impl managed::Manager for Manager {
    type Type = Client;
    type Error = Error;

    async fn create(&self) -> Result<Client> {
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
        tokio::spawn(connection);
        self.made.fetch_add(1, Ordering::SeqCst);
        Ok(client)
    }

    async fn recycle(&self, client: &mut Client, _: &Metrics) -> RecycleResult<Error> {
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
    /// How old what an agent has read of itself may be.
    pub(super) max_staleness: Duration,
    runtime: Handle,
    connect_timeout: Duration,
    statement_timeout: Duration,
}

/// What a transaction may do, and what is set for as long as it lasts.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// `BEGIN` with what it is to be.
    pub begin: &'static str,
    /// Where names without a schema are looked for.
    pub search_path: &'a str,
    /// Whose agents are seen; empty = nobody's.
    pub tenant: &'a str,
    /// Whose rows are seen; none = nobody's.
    pub agent: Option<i64>,
}

/// All reads see the same moment.
pub const SNAPSHOT: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Each statement sees what was committed before it. Not `READ WRITE`: a standby refuses that in words of its own.
pub const WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED";

/// A transaction. One that is not ended in order takes its connection with it, so that nobody finds it in the middle.
pub struct Transaction<'d> {
    client: Option<Object<Manager>>,
    runtime: &'d Handle,
    /// How many connections the process had made to the database when it began.
    pub(super) made: u64,
    /// How often it was waited for an answer, by all transactions of the process.
    waits: &'d AtomicU64,
    cancel: Cancel,
    /// What it begins with, until it is first asked something.
    opening: RefCell<Option<Opening>>,
    /// A call was given up, and its statement may still run.
    is_stuck: Cell<bool>,
    /// A statement failed: the database has undone all, and would answer COMMIT as if nothing had happened.
    has_failed: Cell<bool>,
}

/// What a transaction begins with: it is sent with the first question, and not waited for.
struct Opening {
    begin: &'static str,
    /// The limits of a statement and of standing still in milliseconds, where names are looked for, whose agents and whose rows
    /// are seen.
    settings: [String; 5],
}

impl Opening {
    async fn send(&self, client: &Client) -> Result<(), tokio_postgres::Error> {
        let sql = "SELECT set_config('statement_timeout', $1, true), \
                   set_config('idle_in_transaction_session_timeout', $2, true), set_config('search_path', $3, true), \
                   set_config('openclaw.tenant', $4, true), set_config('openclaw.agent', $5, true)";
        let settings: [Param<'_>; 5] = self.settings.each_ref().map(|setting| (setting as _, Type::TEXT));
        let (begun, set) = tokio::join!(biased; client.batch_execute(self.begin), client.query_typed(sql, &settings));
        begun?;
        set.map(drop)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}

impl Transaction<'_> {
    fn client(&self) -> Result<&Client> {
        self.client.as_deref().ok_or_else(|| Error::new(Code::Internal, "a transaction is used after its end"))
    }

    /// Waits for an answer of the database, which is asked to begin before where it was not.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T> {
        self.waits.fetch_add(1, Ordering::Relaxed);
        let opening = self.opening.take().zip(self.client.as_deref());
        let answer = async {
            let Some((opening, client)) = &opening else { return answer.await };
            let (begun, answer) = tokio::join!(biased; opening.send(client), answer);
            begun?;
            answer
        };
        match wait(self.runtime, &self.cancel, answer) {
            Ok(answer) => answer.map_err(|error| {
                self.has_failed.set(true);
                of_postgres(&error)
            }),
            Err(cancelled) => {
                self.is_stuck.set(true);
                Err(cancelled)
            }
        }
    }

    /// The rows of a statement.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    pub fn rows(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>> {
        self.wait(self.client()?.query_typed(sql, params))
    }

    /// The first row of a statement.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn row(&self, sql: &str, params: &[Param<'_>]) -> Result<Option<Row>> {
        Ok(self.rows(sql, params)?.into_iter().next())
    }

    /// The rows of two statements, in one round trip.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn rows_of_both(&self, first: Statement<'_>, second: Statement<'_>) -> Result<(Vec<Row>, Vec<Row>)> {
        let client = self.client()?;
        self.wait(async {
            let (first, second) =
                tokio::join!(biased; client.query_typed(first.0, first.1), client.query_typed(second.0, second.1));
            Ok((first?, second?))
        })
    }

    /// Runs a statement; gives the number of rows it changed.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn execute(&self, sql: &str, params: &[Param<'_>]) -> Result<u64> {
        self.wait(self.client()?.execute_typed(sql, params))
    }

    /// Runs statements, one after the other, in one round trip.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn execute_all(&self, statements: &[Statement<'_>]) -> Result<()> {
        self.wait(together(self.client()?, statements, None))
    }

    /// Runs statements of ours, which have nothing of a user's in them.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn batch(&self, sql: &str) -> Result<()> {
        self.wait(self.client()?.batch_execute(sql))
    }

    /// Runs some last statements and commits, in one round trip.
    ///
    /// # Errors
    /// As [`Self::rows`]; nothing is committed when a statement failed, now or before.
    pub fn commit(mut self, last: &[Statement<'_>]) -> Result<()> {
        if self.has_failed.get() {
            self.rollback();
            return Err(Error::new(
                Code::Internal,
                "a write went on after a statement of it had failed, and was undone",
            ));
        }
        if self.opening.borrow().is_none() || !last.is_empty() {
            self.wait(together(self.client()?, last, Some("COMMIT")))?;
        }
        drop(self.client.take());
        Ok(())
    }

    /// Undoes all. If that fails too, the connection goes, and with it the transaction.
    pub fn rollback(mut self) {
        let was_asked = self.opening.borrow().is_none();
        if !self.is_stuck.get() && (!was_asked || self.batch("ROLLBACK").is_ok()) {
            drop(self.client.take());
        }
    }

    /// Ends a transaction that has changed nothing. Nobody waits for it: what comes next on the connection does.
    fn leave(mut self) -> Result<()> {
        if self.opening.borrow().is_some() {
            drop(self.client.take());
            return Ok(());
        }
        if self.client()?.batch_execute("COMMIT").now_or_never().is_none_or(|done| done.is_ok()) {
            drop(self.client.take());
        }
        Ok(())
    }
}

/// Runs statements, and a last word, one after the other in one round trip. Waits for all.
async fn together(
    client: &Client,
    statements: &[Statement<'_>],
    end: Option<&str>,
) -> Result<(), tokio_postgres::Error> {
    let mut sent = Vec::with_capacity(statements.len());
    for (sql, params) in statements {
        // Sent when it is asked for the first time, and answered in this order.
        let mut one = Box::pin(maybe_done(client.execute_typed(sql, params)));
        poll_fn(|context| Poll::Ready(one.as_mut().poll(context).is_ready())).await;
        sent.push(one);
    }
    let ended = match end {
        Some(end) => client.batch_execute(end).await,
        None => Ok(()),
    };
    for mut one in sent {
        one.as_mut().await;
        if let MaybeDone::Done(Err(_)) = &*one
            && let Some(Err(error)) = one.as_mut().take_output()
        {
            return Err(error);
        }
    }
    ended
}

/// Waits until something is there, or it is said that it is no longer wanted.
fn wait<T>(runtime: &Handle, cancel: &Cancel, wanted: impl Future<Output = T>) -> Result<T> {
    cancel.check()?;
    runtime.block_on(async {
        tokio::pin!(wanted);
        loop {
            tokio::select! {
                biased;
                there = &mut wanted => return Ok(there),
                () = tokio::time::sleep(LOOK) => cancel.check()?,
            }
        }
    })
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
            max_staleness: options.max_staleness,
            runtime,
            connect_timeout: options.connect_timeout,
            statement_timeout: options.statement_timeout,
        })
    }

    /// Begins a transaction with a first statement, and gives the first row of that; without one nothing is sent before it is
    /// asked something. Blocks.
    ///
    /// # Errors
    /// What the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    ///
    /// # Panics
    /// On a thread that drives a runtime.
    pub fn begin(
        &self,
        cancel: &Cancel,
        setting: &Setting<'_>,
        first: Option<Statement<'_>>,
    ) -> Result<(Transaction<'_>, Option<Row>)> {
        let client = self.client(cancel)?;
        let limit = cancel.remaining().map_or(self.statement_timeout, |left| left.min(self.statement_timeout));
        let millis = |timeout: Duration| timeout.as_millis().clamp(1, i32::MAX as u128).to_string();
        // Whoever stands still in the middle holds up all other writers of the agent, and keeps dead rows from vacuum.
        let settings = [
            millis(limit),
            millis(self.statement_timeout),
            setting.search_path.to_owned(),
            setting.tenant.to_owned(),
            setting.agent.map(|agent| agent.to_string()).unwrap_or_default(),
        ];
        let transaction = Transaction {
            client: Some(client),
            runtime: &self.runtime,
            made: self.made.load(Ordering::SeqCst),
            waits: &self.waits,
            cancel: cancel.clone(),
            opening: RefCell::new(Some(Opening { begin: setting.begin, settings })),
            is_stuck: Cell::new(false),
            has_failed: Cell::new(false),
        };
        let row = match first {
            Some((sql, params)) => transaction.row(sql, params)?,
            None => None,
        };
        Ok((transaction, row))
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
                drop(Object::take(client));
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
        let (transaction, _) = self.begin(cancel, setting, None)?;
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
