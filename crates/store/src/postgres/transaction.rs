//! Transactions, and how often they wait: what a transaction begins with goes with its first question, and what is known to be
//! needed is asked for together.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell, RefCell},
    future::poll_fn,
    pin::{Pin, pin},
    sync::atomic::{AtomicU64, Ordering},
    task::Poll,
    time::Duration,
};

use deadpool::managed::Object;
use futures::{
    FutureExt, TryFutureExt,
    future::{MaybeDone, join_all, maybe_done},
};
use tokio::runtime::Handle;
use tokio_postgres::{
    Client, Row,
    error::SqlState,
    types::{ToSql, Type},
};

use super::{
    connect::{Manager, cut},
    error::of_postgres,
};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// How often a waiting call looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(20);

/// A value with its type, as [`Transaction::rows`] sends it.
pub type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// A statement with its values.
pub type Statement<'a> = (&'a str, &'a [Param<'a>]);

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
    /// What is asked along with the first question.
    along: RefCell<Option<Along>>,
    /// The answer to that, and whether it is the one that was expected.
    heard: OnceCell<(Row, bool)>,
    /// What goes with the next question, or with the end.
    later: RefCell<Vec<Later>>,
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

type Expected = Box<dyn Fn(&Row) -> Result<bool>>;

/// A value of its own, with its type.
pub(super) type Owned = (Box<dyn ToSql + Sync>, Type);

fn lent(owned: &[Owned]) -> Vec<Param<'_>> {
    owned.iter().map(|(value, of)| (&**value as &(dyn ToSql + Sync), of.clone())).collect()
}

/// A statement whose answer nobody needs.
struct Later {
    sql: &'static str,
    params: Vec<Owned>,
}

async fn send_later(client: &Client, later: &[Later]) -> Result<()> {
    let params: Vec<_> = later.iter().map(|statement| lent(&statement.params)).collect();
    let all: Vec<Statement<'_>> =
        later.iter().zip(&params).map(|(later, params)| (later.sql, params.as_slice())).collect();
    together(client, &all, None).await.map_err(|error| match error.code() {
        // How a statement of ours makes sure of what it takes for granted.
        Some(&SqlState::DIVISION_BY_ZERO) => changed(),
        _ => of_postgres(&error),
    })
}

/// What was taken for granted is no longer so.
fn changed() -> Error {
    Error::new(Code::Busy, "the memory in the database is other than it was a moment ago")
        .remedy("Nothing to do: it is tried again")
}

/// A question whose answer is known already, as far as nothing has changed.
pub(super) struct Along {
    pub(super) sql: Cow<'static, str>,
    pub(super) params: Vec<Owned>,
    /// Whether a row is the one that was expected.
    pub(super) is_expected: Expected,
    /// What it means that the database refuses it.
    pub(super) refused: fn(&tokio_postgres::Error) -> Error,
}

impl Along {
    async fn send(&self, client: &Client) -> Result<Vec<Row>, tokio_postgres::Error> {
        client.query_typed(&self.sql, &lent(&self.params)).await
    }
}

/// What whoever asked for something hears where that was asked of an index that has changed since.
fn outdated() -> Error {
    Error::new(Code::Busy, "the index was changed while it was searched")
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            cut(client);
        }
    }
}

/// What a transaction is begun on.
pub(super) struct Beginning<'d> {
    pub(super) client: Object<Manager>,
    pub(super) runtime: &'d Handle,
    /// How many connections the process has made.
    pub(super) made: u64,
    pub(super) waits: &'d AtomicU64,
    pub(super) statement_timeout: Duration,
}

impl<'d> Transaction<'d> {
    /// One to which nothing is sent before it is asked something.
    pub(super) fn begin(beginning: Beginning<'d>, cancel: &Cancel, setting: &Setting<'_>) -> Self {
        let Beginning { client, runtime, made, waits, statement_timeout } = beginning;
        let limit = cancel.remaining().map_or(statement_timeout, |left| left.min(statement_timeout));
        let millis = |timeout: Duration| timeout.as_millis().clamp(1, i32::MAX as u128).to_string();
        // Whoever stands still in the middle holds up all other writers of the agent, and keeps dead rows from vacuum.
        let settings = [
            millis(limit),
            millis(statement_timeout),
            setting.search_path.to_owned(),
            setting.tenant.to_owned(),
            setting.agent.map(|agent| agent.to_string()).unwrap_or_default(),
        ];
        Self {
            client: Some(client),
            runtime,
            made,
            waits,
            cancel: cancel.clone(),
            opening: RefCell::new(Some(Opening { begin: setting.begin, settings })),
            along: RefCell::new(None),
            heard: OnceCell::new(),
            later: RefCell::default(),
            is_stuck: Cell::new(false),
            has_failed: Cell::new(false),
        }
    }
}

impl Transaction<'_> {
    /// Asks something along with the first question, whose answer is expected. Where it is another one, that first question
    /// is answered with an error, and [`Self::heard`] has it.
    pub(super) fn ask_along(&self, along: Along) {
        *self.along.borrow_mut() = Some(along);
    }

    /// Whether something is still to be asked along with the first question.
    pub(super) fn is_to_ask_along(&self) -> bool {
        self.along.borrow().is_some()
    }

    /// What was asked along with the first question, once that was asked: the answer, and whether it was expected.
    pub(super) fn heard(&self) -> Option<&(Row, bool)> {
        self.heard.get()
    }

    /// Asks what is still to be asked along with the first question, without one.
    ///
    /// # Errors
    /// As [`Self::rows`], and where the answer is not the one that was expected.
    pub(super) fn confirm(&self) -> Result<()> {
        if self.is_to_ask_along() { self.wait(std::future::ready(Ok(()))) } else { Ok(()) }
    }

    fn client(&self) -> Result<&Client> {
        self.client
            .as_ref()
            .map(|client| &***client)
            .ok_or_else(|| Error::new(Code::Internal, "a transaction is used after its end"))
    }

    /// Waits for an answer of the database, which is asked to begin before where it was not, and does before what was to
    /// be done later.
    fn wait<T>(&self, answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T> {
        let mut there = None;
        self.wait_for(pin!(async {
            there = Some(answer.await?);
            Ok(())
        }))?;
        there.ok_or_else(|| Error::new(Code::Internal, "an answer of the database is lost"))
    }

    /// [`Self::wait`] whatever the answer is: this is much code, and there once.
    fn wait_for(&self, answer: Pin<&mut dyn Future<Output = Result<(), tokio_postgres::Error>>>) -> Result<()> {
        self.waits.fetch_add(1, Ordering::Relaxed);
        let later = self.later.take();
        let answer = async {
            let answer = answer.map_err(|error| of_postgres(&error));
            let Some(client) = self.client.as_deref().filter(|_| !later.is_empty()) else { return answer.await };
            // Sent in this order, when they are asked for the first time.
            let (done, answer) = tokio::join!(biased; send_later(client, &later), answer);
            done?;
            answer
        };
        let opening = self.opening.take().zip(self.client.as_deref());
        let along = self.along.take();
        let answer = async {
            let Some((opening, client)) = &opening else { return Ok((answer.await?, None)) };
            let begin = opening.send(client).map_err(|error| of_postgres(&error));
            let Some(along) = &along else {
                let (begun, answer) = tokio::join!(biased; begin, answer);
                begun?;
                return Ok((answer?, None));
            };
            let (begun, heard, answer) = tokio::join!(biased; begin, along.send(client), answer);
            begun?;
            // Where it is refused, all that comes after it is.
            let heard = heard.map_err(|error| (along.refused)(&error))?;
            Ok((answer?, heard.into_iter().next()))
        };
        match wait(self.runtime, &self.cancel, answer) {
            Ok(Ok((answer, heard))) => {
                if let (Some(row), Some(along)) = (heard, &along) {
                    let is_expected = (along.is_expected)(&row)?;
                    let _ = self.heard.set((row, is_expected));
                    if !is_expected {
                        return Err(outdated());
                    }
                }
                Ok(answer)
            }
            Ok(Err(error)) => {
                self.has_failed.set(true);
                Err(error)
            }
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

    /// The rows of some statements, fewer than thirty, in one round trip.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub fn rows_of_some(&self, statements: &[Statement<'_>]) -> Result<Vec<Vec<Row>>> {
        let client = self.client()?;
        // Sent in this order, when they are asked for the first time.
        let all = join_all(statements.iter().map(|(sql, params)| client.query_typed(sql, params)));
        self.wait(async { all.await.into_iter().collect() })
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

    /// [`Self::execute_all`], and meanwhile some work of this thread.
    ///
    /// # Errors
    /// As [`Self::rows`].
    pub(super) fn execute_all_meanwhile(&self, statements: &[Statement<'_>], work: impl FnOnce()) -> Result<()> {
        let sent = together(self.client()?, statements, None);
        // They are sent when they are asked for the first time.
        self.wait(async { tokio::join!(biased; sent, async { work() }).0 })
    }

    /// Runs a statement with the next question, or with the end, where what it changed is of no interest. Where it fails,
    /// that question does.
    pub(super) fn execute_later(&self, sql: &'static str, params: Vec<Owned>) {
        self.later.borrow_mut().push(Later { sql, params });
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
        let has_question = self.opening.borrow().is_none() || self.along.borrow().is_some();
        if has_question || !last.is_empty() || !self.later.borrow().is_empty() {
            self.wait(together(self.client()?, last, Some("COMMIT")))?;
        }
        drop(self.client.take());
        Ok(())
    }

    /// Undoes all. If that fails too, the connection goes, and with it the transaction.
    pub fn rollback(mut self) {
        self.later.take();
        let was_asked = self.opening.borrow().is_none();
        if !self.is_stuck.get() && (!was_asked || self.batch("ROLLBACK").is_ok()) {
            drop(self.client.take());
        }
    }

    /// Ends a transaction that has changed nothing. Nobody waits for it: what comes next on the connection does.
    pub(super) fn leave(mut self) -> Result<()> {
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
pub(super) fn wait<T>(runtime: &Handle, cancel: &Cancel, wanted: impl Future<Output = T>) -> Result<T> {
    let mut there = None;
    wait_for(runtime, cancel, pin!(async { there = Some(wanted.await) }))?;
    there.ok_or_else(|| Error::new(Code::Internal, "what was waited for is lost"))
}

/// [`wait`] whatever it is for, for the same reason as [`Transaction::wait_for`].
fn wait_for(runtime: &Handle, cancel: &Cancel, mut wanted: Pin<&mut dyn Future<Output = ()>>) -> Result<()> {
    cancel.check()?;
    runtime.block_on(async {
        loop {
            tokio::select! {
                biased;
                () = &mut wanted => return Ok(()),
                () = tokio::time::sleep(LOOK) => cancel.check()?,
            }
        }
    })
}
