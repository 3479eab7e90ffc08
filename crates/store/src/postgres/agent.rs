//! The memory of one agent: snapshots of it, and writes, which are numbered.

use std::{
    cell::{Cell, OnceCell, RefCell},
    ops::Deref,
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio_postgres::{
    Row,
    types::{FromSql, ToSql, Type},
};
use uuid::Uuid;

use super::{
    connect::{Database, Param, SNAPSHOT, Setting, Statement, Transaction, WRITE},
    error::of_postgres,
    fence::Fence,
    moment::Moment,
    order::KnownOrder,
    own_row::{OwnRow, find_or_make, has_left},
    schema::Schema,
    state::{Known, SOURCES, STATE, State},
    transaction::Along,
    words::{NewSegment, Pending},
};
use crate::{
    embeddings::ACTIVE_SPACE,
    ids::SpaceId,
    lease::{Living, Owner, not_held},
    pool::closed,
};
use model::{
    cancel::Cancel,
    clock::Clock,
    error::{Code, Error, Result},
};

/// How often, and how long apart, it is asked whether a write whose answer was lost was done.
const ASKED: (u32, Duration) = (20, Duration::from_millis(250));

/// How an agent's memory is opened.
pub struct AgentOptions {
    /// Whose agent.
    pub tenant: String,
    /// Its name.
    pub name: String,
    /// Who holds the lease, if this one takes it.
    pub owner: Owner,
    /// The time that rows are dated with. Leases go by the clock of the database.
    pub clock: Arc<dyn Clock>,
}

/// The memory of one agent. Every method blocks, and may be called from any thread that drives no runtime.
pub struct Agent {
    pub(super) database: Arc<Database>,
    pub(super) schema: Schema,
    pub(super) options: AgentOptions,
    /// Which row it is, and what was read of it.
    pub(super) row: Mutex<Arc<OwnRow>>,
    /// The fencing token, while the lease is held.
    pub(super) token: Mutex<Option<i64>>,
    /// Whether opening has made it.
    pub(super) is_new: bool,
    /// Its row was gone and another was made, which nobody has been told yet.
    pub(super) has_begun_anew: AtomicBool,
    /// Nothing is begun any more, and nothing read.
    pub(super) closing: Cancel,
    /// Nobody waits for the database any more: what it is asked now is given up.
    pub(super) given_up: Cancel,
    /// Others of this process wait for the lease as long as this is open.
    _living: Living,
}

/// A column of a row.
pub(super) fn column<'r, T: FromSql<'r>>(row: &'r Row, at: usize) -> Result<T> {
    row.try_get(at).map_err(|error| of_postgres(&error))
}

/// A column that holds no negative number, in a type that may be smaller.
pub(super) fn natural<T: TryFrom<i64>>(row: &Row, at: usize) -> Result<T> {
    T::try_from(column(row, at)?)
        .map_err(|_| Error::new(Code::Corrupt, "the database holds a number that none was written as"))
}

/// The one row that a statement has to have.
pub(super) fn the_row(row: Option<Row>) -> Result<Row> {
    row.ok_or_else(|| Error::new(Code::Corrupt, "the database no longer has a row of this agent"))
}

/// A number, or an id, as [`Transaction::rows`] sends it.
pub(super) fn int8<N: ToSql + Sync>(number: &N) -> Param<'_> {
    (number, Type::INT8)
}

/// A text as [`Transaction::rows`] sends it.
pub(super) const fn text<'a>(text: &'a &'a str) -> Param<'a> {
    (text, Type::TEXT)
}

impl Agent {
    /// Opens the memory of an agent; it is made when there is none.
    ///
    /// # Errors
    /// What the database answers; [`Code::NewerSchema`] when there is none, and this engine must not write.
    pub fn open(database: Arc<Database>, schema: Schema, options: AgentOptions) -> Result<Self> {
        let (id, is_new) = find_or_make(&database, &schema, &options)?;
        let living = Living::new(&options.owner);
        Ok(Self {
            database,
            schema,
            options,
            row: Mutex::new(Arc::new(OwnRow::new(id))),
            token: Mutex::new(None),
            is_new,
            has_begun_anew: AtomicBool::new(false),
            closing: Cancel::new(),
            given_up: Cancel::new(),
            _living: living,
        })
    }

    /// Its row, as this process knows it.
    pub(super) fn row(&self) -> Arc<OwnRow> {
        Arc::clone(&self.row.lock())
    }

    /// Whether vectors are in memory.
    pub(crate) fn has_loaded(&self) -> bool {
        self.row().loaded.lock().is_some()
    }

    pub(super) fn setting(&self, begin: &'static str, agent: i64) -> Setting<'_> {
        let (search_path, tenant) = (self.schema.search_path.as_str(), self.options.tenant.as_str());
        Setting { begin, search_path, tenant, agent: Some(agent) }
    }

    /// Why nothing can be written; none when all is well.
    pub(super) fn refusal(&self) -> Option<Error> {
        (!self.schema.may_write).then(newer)
    }

    fn check_open(&self) -> Result<()> {
        if self.closing.is_cancelled() { Err(closed()) } else { Ok(()) }
    }

    /// Gives what was ended by closing its reason.
    pub(super) fn explained<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(
            |error| if error.code() == Code::Cancelled { self.check_open().err().unwrap_or(error) } else { error },
        )
    }

    /// Who takes the lease.
    pub(super) const fn owner(&self) -> &Owner {
        &self.options.owner
    }

    /// Runs a closure on a snapshot.
    ///
    /// # Errors
    /// What the closure gives and the database answers, [`Code::Cancelled`] and [`Code::Deadline`].
    pub fn read<T>(&self, cancel: &Cancel, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.check_open()?;
        let cancel = cancel.also_with(&self.closing);
        let row = self.row();
        let setting = self.setting(SNAPSHOT, row.id);
        self.explained(self.database.transact(&cancel, &setting, |tx| f(&self.snapshot(&row, tx, OnceCell::new()))))
    }

    /// A snapshot that sees the index in a state; whichever there is, where that is not known.
    fn snapshot<'t>(&'t self, row: &'t OwnRow, tx: &'t Transaction<'t>, state: OnceCell<Arc<State>>) -> Reader<'t> {
        Reader {
            tx,
            agent: row.id,
            tenant: &self.options.tenant,
            pending: None,
            known_order: Some(&row.known_order),
            known: Some(Known {
                last: &row.known_state,
                kept: &self.database.kept,
                loaded: &row.loaded,
                covered: &row.covered,
                compare: self.database.compare,
                patience: self.database.max_staleness,
            }),
            state,
        }
    }

    /// Runs a closure on a snapshot as [`Self::read`] does, and once more where the index has changed since this process
    /// read it last. So it is not asked for first: whether something has changed is asked with the first question, or at the
    /// end where there was none, unless it was asked after `since`. Without that it is not asked for its own sake.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn look<T>(
        &self,
        cancel: &Cancel,
        since: Option<Instant>,
        mut f: impl FnMut(&Reader<'_>) -> Result<T>,
    ) -> Result<T> {
        self.check_open()?;
        let cancel = cancel.also_with(&self.closing);
        let own = self.row();
        let looked = self.database.transact(&cancel, &self.setting(SNAPSHOT, own.id), |tx| {
            let known = own.known_state.lock().clone();
            // Of what was written here since nothing is known.
            let Some((state, Some(read))) = known else { return f(&self.snapshot(&own, tx, OnceCell::new())) };
            let (asked, moment, made) = (Instant::now(), state.moment.clone(), tx.made);
            let params: Vec<(Box<dyn ToSql + Sync>, Type)> = vec![
                (Box::new(own.id), Type::INT8),
                (Box::new(self.options.tenant.clone()), Type::TEXT),
                (Box::new(ACTIVE_SPACE), Type::TEXT),
                (Box::new(moment.version), Type::INT8),
                (Box::new(SOURCES.as_slice()), Type::TEXT_ARRAY),
            ];
            let is_expected = move |row: &Row| Ok(Moment::over(row, 0, made)?.is_same(&moment));
            tx.ask_along(Along { sql: STATE.into(), params, is_expected: Box::new(is_expected), refused: of_postgres });
            let reader = self.snapshot(&own, tx, OnceCell::from(Arc::clone(&state)));
            let mut result = f(&reader);
            let is_known = since.is_none_or(|since| read >= since) || read.elapsed() < self.database.max_staleness;
            if result.is_ok() && tx.heard().is_none() && !is_known {
                result = tx.confirm().and(result);
            }
            let state = match tx.heard() {
                None if tx.is_to_ask_along() => return result,
                None => State::of_nothing(),
                Some((row, is_expected)) => {
                    let now = reader.state_of(row, asked, Some(&own.known_state), Some(state))?;
                    if *is_expected {
                        return result;
                    }
                    now
                }
            };
            f(&self.snapshot(&own, tx, OnceCell::from(state)))
        });
        self.explained(looked)
    }

    /// Runs a closure in one write transaction. All or nothing.
    ///
    /// # Errors
    /// As [`Self::read`]; [`Code::NewerSchema`] when only a newer engine may write.
    pub fn write<T>(&self, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.explained(self.numbered(&Fence { token: None, is_awaited: true }, f))
    }

    /// [`Self::write`] for what only the holder of the lease may do, whose lease is renewed by it.
    ///
    /// # Errors
    /// As [`Self::write`]; [`Code::Busy`] when the lease is not held.
    pub fn write_indexed<T>(&self, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.fenced(true, f)
    }

    /// [`Self::write_indexed`] that waits once, where the closure asks nothing: whether the lease is held is asked with what
    /// is written, and the database undoes all where it is not. For what may be done although it is said to have failed: when
    /// the connection ends, the database may come to it later.
    ///
    /// # Errors
    /// As [`Self::write_indexed`].
    pub fn write_indexed_at_once<T>(&self, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.fenced(false, f)
    }

    fn fenced<T>(&self, is_awaited: bool, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let token = (*self.token.lock()).ok_or_else(not_held)?;
        let result = self.explained(self.numbered(&Fence { token: Some(token), is_awaited }, f));
        if result.as_ref().is_err_and(|error| *error == not_held()) {
            *self.token.lock() = None;
        }
        result
    }

    /// A write that begins by counting itself, where a condition holds. The row is locked from then on: writes of an agent
    /// come one after the other, and their ids become visible in order.
    fn numbered<T>(&self, fence: &Fence, f: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.check_open()?;
        if let Some(error) = self.refusal() {
            return Err(error);
        }
        let (write, _) = Uuid::new_v4().as_u64_pair();
        let write = write.cast_signed();
        let own = self.row();
        let transaction = self.database.begin(&self.given_up, &self.setting(WRITE, own.id))?;
        transaction.ask_along(fence.asked(own.id, &self.options.owner.uuid, write));
        if fence.is_awaited {
            transaction.confirm()?;
            if transaction.heard().is_none() {
                transaction.rollback();
                return Err(if fence.token.is_some() { not_held() } else { has_left() });
            }
        }
        let (pending, next_id) = (RefCell::default(), Cell::new(None));
        let (tenant, pending_words) = (self.options.tenant.as_str(), Some(&pending));
        let reader = Reader {
            tx: &transaction,
            agent: own.id,
            tenant,
            pending: pending_words,
            known_order: None,
            known: None,
            state: OnceCell::new(),
        };
        let (known_length, length) = (*own.length.lock(), Cell::new(None));
        let tx = Tx { reader, now_ms: self.options.clock.now_ms(), next_id: &next_id, known_length, length: &length };
        let value = match f(&tx) {
            Ok(value) => value,
            Err(error) => {
                *own.length.lock() = None;
                transaction.rollback();
                return Err(error);
            }
        };
        let segments = Pending::segments(&pending, own.id);
        let mut params: Vec<(&str, Vec<Param<'_>>)> = segments.iter().flat_map(NewSegment::statements).collect();
        let last_id = next_id.get();
        if let Some(last_id) = &last_id {
            params.push(("UPDATE agent SET next_id = $2 WHERE id = $1", vec![int8(&own.id), int8(last_id)]));
        }
        let last: Vec<Statement<'_>> = params.iter().map(|(sql, params)| (*sql, params.as_slice())).collect();
        let version = transaction.heard().map(|(row, _)| column(row, 0)).transpose()?;
        let done = transaction.commit(&last);
        // What comes next in this process sees it, however young what was read before is.
        if let Some((_, read)) = &mut *own.known_state.lock() {
            *read = None;
        }
        let done = match done {
            // All was done but for the last word, and the answer to that was lost.
            Err(error) if error.code() == Code::Io => match self.was_committed(own.id, version.unwrap_or(0), write)? {
                true => Ok(()),
                // Where it was not heard either that it had begun, the database may still come to it.
                false => Err(if version.is_some() { error } else { lost() }),
            },
            done => done,
        };
        // A length that was taken for granted may not be that of what is there now.
        *own.length.lock() = if done.is_ok() { length.get().or(known_length) } else { None };
        done.map(|()| value)
    }

    /// Whether a write whose answer was lost was done.
    fn was_committed(&self, agent: i64, version: i64, write: i64) -> Result<bool> {
        // Waits for the write itself, should it still go on. It is on the list then, unless so many came after it.
        let sql = "SELECT $2 = ANY (writes), version - $3 >= cardinality(writes) FROM agent WHERE id = $1 FOR UPDATE";
        let (times, apart) = ASKED;
        let mut last = lost();
        for _ in 0..times {
            let params = [int8(&agent), int8(&write), int8(&version)];
            match self.database.transact(&self.given_up, &self.setting(WRITE, agent), |tx| tx.row(sql, &params)) {
                Ok(row) => {
                    let row = row.ok_or_else(has_left)?;
                    let (is_there, is_too_late) = (column::<bool>(&row, 0)?, column::<bool>(&row, 1)?);
                    return if is_too_late && !is_there { Err(lost()) } else { Ok(is_there) };
                }
                Err(error) if matches!(error.code(), Code::Io | Code::Busy | Code::ReadOnly) => last = error,
                Err(error) => return Err(error),
            }
            thread::sleep(apart);
        }
        Err(last)
    }

    /// A number that grows with every write of any process.
    ///
    /// # Errors
    /// What the database answers.
    pub fn version(&self) -> Result<i64> {
        self.read(&Cancel::new(), |reader| Ok(reader.current()?.moment.version))
    }

    /// The database that it is kept in.
    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// A transaction on the agent's row, which counts for no write.
    pub(super) fn on_row<T>(&self, f: impl FnOnce(&Transaction<'_>, i64) -> Result<T>) -> Result<T> {
        if !self.schema.may_write {
            return Err(newer());
        }
        let agent = self.row().id;
        self.explained(self.database.transact(&self.given_up, &self.setting(WRITE, agent), |tx| f(tx, agent)))
    }
}

pub(super) fn newer() -> Error {
    Error::new(Code::NewerSchema, "the database was changed by a newer version of this engine, which alone may write")
        .remedy("Update memory-core-rs on this machine; searches go on meanwhile")
}

fn lost() -> Error {
    Error::new(Code::Io, "the connection to the database ended, and it is not known whether the write was done")
}

/// A consistent view of an agent's memory.
pub struct Reader<'t> {
    pub(super) tx: &'t Transaction<'t>,
    pub(super) agent: i64,
    pub(super) tenant: &'t str,
    /// What a write has not sent yet.
    pub(super) pending: Option<&'t RefCell<Pending>>,
    /// The order of chunks as snapshots before this one have read it; none in a write.
    pub(super) known_order: Option<&'t KnownOrder>,
    /// What snapshots before this one have read, and keep; none in a write.
    pub(super) known: Option<Known<'t>>,
    /// What this one has read of the index as a whole.
    pub(super) state: OnceCell<Arc<State>>,
}

/// One write transaction. Reads through it see its own changes.
pub struct Tx<'t> {
    pub(super) reader: Reader<'t>,
    pub(super) now_ms: i64,
    /// The next id that is nobody's; none as long as none was asked for.
    next_id: &'t Cell<Option<i64>>,
    /// The length of the vectors of a space, as a write before this one has found it.
    pub(super) known_length: Option<(SpaceId, usize)>,
    /// The same, as this one has.
    pub(super) length: &'t Cell<Option<(SpaceId, usize)>>,
}

impl<'t> Deref for Tx<'t> {
    type Target = Reader<'t>;

    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

impl Tx<'_> {
    /// The time of the write, in milliseconds since the epoch.
    pub(crate) const fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// A column of what the write began with, which is asked for now where it was not.
    fn begun(&self, at: usize) -> Result<i64> {
        self.reader.tx.confirm()?;
        self.reader.tx.heard().map_or_else(|| Err(not_held()), |(row, _)| column(row, at))
    }

    /// The number of this write.
    ///
    /// # Errors
    /// What the database answers, and that the lease is not held, where that was not known yet.
    pub(super) fn version(&self) -> Result<i64> {
        self.begun(0)
    }

    /// The first of so many ids that follow each other. The agent's row is locked, so they are nobody else's, and where
    /// the next one begins is noted at the end.
    ///
    /// # Errors
    /// As [`Self::version`].
    pub(super) fn next_ids(&self, number: usize) -> Result<i64> {
        let first = self.next_id.get().map_or_else(|| self.begun(1), Ok)?;
        self.next_id.set(Some(first.saturating_add(i64::try_from(number).unwrap_or(i64::MAX))));
        Ok(first)
    }
}
