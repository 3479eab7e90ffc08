//! The writer lease: one process at a time indexes. A row with a heartbeat and a fencing token, no lock files.

use std::{collections::HashSet, sync::LazyLock};

use parking_lot::Mutex;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::{Code, Error, Result};

/// How long a lease is valid without renewal, in milliseconds.
pub(crate) const VALID_MS: i64 = 20_000;

/// How often the writer thread renews a lease it holds, in milliseconds.
pub(crate) const RENEW_EVERY_MS: i64 = 5_000;

/// Who wants the lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// Unique per open store.
    pub uuid: String,
    /// Process id.
    pub pid: u32,
    /// Name of the machine.
    pub host: String,
    /// Changes with every boot of the machine; empty when unknown.
    pub boot_id: String,
}

/// The lease as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaseRow {
    /// Who holds it.
    pub owner: Owner,
    /// Grows with every change of owner; a write with an older token is refused.
    pub token: i64,
    /// When it runs out without renewal, in milliseconds since the epoch.
    pub expires_ms: i64,
}

impl LeaseRow {
    /// Whether the holder must be respected at a moment.
    #[must_use]
    pub(crate) fn is_valid(&self, now_ms: i64, here: &Owner) -> bool {
        // Far in the future means that the clock was set back; a live holder renews within seconds anyway.
        let in_time = now_ms < self.expires_ms && self.expires_ms <= now_ms + VALID_MS + RENEW_EVERY_MS;
        in_time && !self.holder_is_dead(here)
    }

    /// Whether the holder was a process of this boot of this machine that has ended, or a store of this process that is
    /// closed.
    pub(crate) fn holder_is_dead(&self, here: &Owner) -> bool {
        let same_boot = !here.boot_id.is_empty() && here.boot_id == self.owner.boot_id && here.host == self.owner.host;
        if self.owner.pid == here.pid {
            return same_boot && !OPEN.lock().contains(&self.owner.uuid);
        }
        same_boot && !process_exists(self.owner.pid)
    }
}

/// The owners whose stores are open in this process.
static OPEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

/// The owner of a store counts as living as long as this does. One that was abandoned in the middle of a write cannot
/// give its lease back, and nobody is to wait until that runs out.
pub(crate) struct Living(String);

impl Living {
    /// The owner's store is open from now on.
    pub(crate) fn new(owner: &Owner) -> Self {
        OPEN.lock().insert(owner.uuid.clone());
        Self(owner.uuid.clone())
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        OPEN.lock().remove(&self.0);
    }
}

/// What came of asking for the lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lease {
    /// This store may index.
    Held {
        /// The fencing token.
        token: i64,
    },
    /// Another one does.
    HeldBy(LeaseRow),
}

/// The writer thread's knowledge of its own lease.
pub(super) struct Held {
    pub(super) owner: Owner,
    pub(super) token: i64,
    pub(super) renewed_ms: i64,
    /// Whether it is still needed: if not, it could not be given back yet.
    pub(super) wanted: bool,
}

impl Owner {
    /// This process, with a fresh uuid.
    #[must_use]
    pub(crate) fn this_process() -> Self {
        Self {
            uuid: uuid::Uuid::new_v4().to_string(),
            pid: std::process::id(),
            host: first_line("/proc/sys/kernel/hostname")
                .or_else(|| std::env::var("COMPUTERNAME").or_else(|_| std::env::var("HOSTNAME")).ok())
                .unwrap_or_default(),
            boot_id: boot_id(),
        }
    }
}

/// An id of this boot and of this process-id namespace; empty where the system does not tell.
fn boot_id() -> String {
    let Some(boot) = first_line("/proc/sys/kernel/random/boot_id") else { return String::new() };
    // Containers share the boot id but not the process ids.
    let namespace = std::fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string());
    namespace.map(|namespace| format!("{boot} {namespace}")).unwrap_or_default()
}

/// The first line of a small system file.
fn first_line(path: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Whether a process of this process-id namespace lives. Only asked when a boot id is known, that is on Linux.
fn process_exists(pid: u32) -> bool {
    // A zombie still has a folder but holds nothing.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    match stat {
        Ok(stat) => stat.rsplit_once(") ").is_none_or(|(_, rest)| !rest.starts_with(['Z', 'X'])),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// The refusal of an indexing write without lease.
pub(crate) fn not_held() -> Error {
    Error::new(Code::Busy, "another process indexes this workspace")
        .remedy("Nothing to do: its changes are seen here, and this process takes over when it ends")
}

impl Reader<'_> {
    /// The lease as it is stored, valid or not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn lease(&self) -> Result<Option<LeaseRow>> {
        or_postgres!(self.lease());
        let mut statement = self
            .conn()?
            .prepare_cached("SELECT owner, pid, host, boot_id, token, expires_ms FROM lease WHERE id = 1")
            .sql()?;
        let row = statement.query_row([], |row| {
            Ok(LeaseRow {
                owner: Owner { uuid: row.get(0)?, pid: row.get(1)?, host: row.get(2)?, boot_id: row.get(3)? },
                token: row.get(4)?,
                expires_ms: row.get(5)?,
            })
        });
        row.optional().sql()
    }
}

impl Tx<'_> {
    /// Takes the lease when it is free, run out, or already ours.
    pub(super) fn acquire_lease(&self, owner: &Owner) -> Result<Lease> {
        let previous = self.lease()?;
        let token = match previous {
            Some(row) if row.owner.uuid == owner.uuid => row.token,
            Some(row) if row.is_valid(self.now_ms(), owner) => return Ok(Lease::HeldBy(row)),
            Some(row) => row.token + 1,
            None => 1,
        };
        let mut statement = self
            .conn()?
            .prepare_cached(
                "INSERT OR REPLACE INTO lease (id, owner, pid, host, boot_id, token, expires_ms) \
             VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)",
            )
            .sql()?;
        let expires_ms = self.now_ms() + VALID_MS;
        statement.execute(params![owner.uuid, owner.pid, owner.host, owner.boot_id, token, expires_ms]).sql()?;
        Ok(Lease::Held { token })
    }

    /// Moves the end of our lease.
    pub(super) fn renew_lease(&self, owner: &Owner) -> Result<()> {
        let mut statement =
            self.conn()?.prepare_cached("UPDATE lease SET expires_ms = ?1 WHERE id = 1 AND owner = ?2").sql()?;
        match statement.execute(params![self.now_ms() + VALID_MS, owner.uuid]).sql()? {
            0 => Err(not_held()),
            _ => Ok(()),
        }
    }

    /// Gives our lease back. The row stays, so that tokens keep growing.
    pub(super) fn release_lease(&self, owner: &Owner) -> Result<()> {
        let mut statement =
            self.conn()?.prepare_cached("UPDATE lease SET expires_ms = 0 WHERE id = 1 AND owner = ?1").sql()?;
        statement.execute([&owner.uuid]).sql()?;
        Ok(())
    }

    /// Refuses the transaction unless the lease is still the one with our token (fencing).
    pub(super) fn check_token(&self, token: Option<i64>) -> Result<()> {
        let Some(token) = token else { return Err(not_held()) };
        let mut statement = self.conn()?.prepare_cached("SELECT token = ?1 FROM lease WHERE id = 1").sql()?;
        let ours = statement.query_row([token], |row| row.get::<_, bool>(0)).optional().sql()?;
        if ours == Some(true) { Ok(()) } else { Err(not_held()) }
    }
}
