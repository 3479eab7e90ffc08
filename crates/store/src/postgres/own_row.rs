//! Which row of the database is an agent's, and what this process keeps in memory of it. Another process may remove all that is
//! kept of the agent (`reset --everything --database`): its index then reads as one that holds nothing, as after a reset, and
//! whoever next takes the lease gets a row that is new.

use std::sync::{Arc, atomic::Ordering};

use parking_lot::Mutex;

use super::{
    agent::{Agent, AgentOptions, column, int8, newer, text},
    connect::{Database, SNAPSHOT, Setting, Transaction, WRITE},
    covered::KnownCovered,
    order::KnownOrder,
    schema::Schema,
    state::KnownState,
    vectors::Loaded,
};
use crate::ids::SpaceId;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// The row of an agent. What is read of one never gets into what is known of the next.
pub(super) struct OwnRow {
    pub(super) id: i64,
    /// What was read of the order of chunks.
    pub(super) known_order: KnownOrder,
    /// What was read of it as a whole.
    pub(super) known_state: KnownState,
    /// What was read of the vectors.
    pub(super) loaded: Mutex<Option<Loaded>>,
    /// What was counted of them.
    pub(super) covered: KnownCovered,
    /// The length of the vectors of a space, as the last write of some has found it.
    pub(super) length: Mutex<Option<(SpaceId, usize)>>,
}

impl OwnRow {
    /// One of which nothing was read yet.
    pub(super) fn new(id: i64) -> Self {
        Self {
            id,
            known_order: Mutex::new(None),
            known_state: Mutex::new(None),
            loaded: Mutex::new(None),
            covered: Mutex::default(),
            length: Mutex::default(),
        }
    }
}

/// The id of an agent's row, which is made when there is none, and whether it was.
pub(super) fn find_or_make(database: &Database, schema: &Schema, options: &AgentOptions) -> Result<(i64, bool)> {
    let setting = |begin| Setting { begin, search_path: &schema.search_path, tenant: &options.tenant, agent: None };
    let (tenant, name) = (options.tenant.as_str(), options.name.as_str());
    let names = [text(&tenant), text(&name)];
    let find = |tx: &Transaction<'_>| tx.row("SELECT id FROM agent WHERE tenant = $1 AND name = $2", &names);
    if let Some(found) = database.transact(&Cancel::new(), &setting(SNAPSHOT), find)? {
        return Ok((column(&found, 0)?, false));
    }
    if !schema.may_write {
        return Err(newer());
    }
    let made = database.transact(&Cancel::new(), &setting(WRITE), |tx| {
        tx.execute("INSERT INTO agent (tenant, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", &names)?;
        find(tx)
    });
    Ok((column(&made?.ok_or_else(has_left)?, 0)?, true))
}

/// That the agent's row is gone, and nothing can be written before the lease is taken.
pub(super) fn has_left() -> Error {
    Error::new(Code::Busy, "all that the database kept of this agent was removed")
        .remedy("Nothing to do: the next update of the index makes it anew")
}

impl Agent {
    /// Begins anew with the row that there is now, after the one that was known is gone.
    pub(super) fn begin_anew(&self) -> Result<()> {
        let (id, _) = find_or_make(&self.database, &self.schema, &self.options)?;
        let former = self.row();
        if former.id == id {
            return Ok(());
        }
        let known = former.known_state.lock().as_ref().map(|(state, _)| (state.moment.version, state.last_id));
        let (version, last_id) = known.unwrap_or_default();
        // What this process knows by a number of the former row must not be taken for something of this one.
        self.database.transact(&self.given_up, &self.setting(WRITE, id), |tx| {
            let sql =
                "UPDATE agent SET version = greatest(version, $2 + 1), next_id = greatest(next_id, $3 + 1) WHERE id = $1";
            tx.execute(sql, &[int8(&id), int8(&version), int8(&last_id)])
        })?;
        *self.row.lock() = Arc::new(OwnRow::new(id));
        self.has_begun_anew.store(true, Ordering::Release);
        Ok(())
    }
}
