//! Whose file it is, which version it has, and how an older one becomes the present one.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Code, Error, Result};

/// Marks our files (`application_id`): "MCRS".
pub(super) const APPLICATION_ID: i32 = 0x4D43_5253;

/// One step forward per entry; entry n leads from version n to n + 1. Released entries never change.
const MIGRATIONS: [&str; 5] = [
    include_str!("migrations/0001_init.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_transcripts.sql"),
    include_str!("migrations/0004_space_prefix.sql"),
    include_str!("migrations/0005_refusals.sql"),
];

/// The version this engine reads and writes (`user_version`).
pub(super) const VERSION: i32 = 5;

/// The `application_id` and `user_version` of an open database.
pub(super) fn identity(conn: &Connection) -> rusqlite::Result<(i32, i32)> {
    let application = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok((application, version))
}

/// Refuses a file that a newer engine wrote.
pub(super) fn check_version(found: i32) -> Result<()> {
    if found <= VERSION {
        return Ok(());
    }
    let message = format!("the index was written by a newer version (schema {found}, this one reads {VERSION})");
    Err(Error::new(Code::NewerSchema, message)
        .remedy("Update memory-core-rs, or set another `store.path`; the file was not touched"))
}

/// Brings the schema forward, each step in its own transaction, so that a kill leaves a valid older version.
pub(super) fn migrate(conn: &mut Connection) -> Result<()> {
    // Asked without a lock first: a file of today opens although another process writes, however long it does.
    while step_from(conn)?.is_some() {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have migrated meanwhile.
        let Some((version, step)) = step_from(&tx)? else { return Ok(()) };
        tx.execute_batch(step)?;
        tx.pragma_update(None, "user_version", version + 1)?;
        tx.commit()?;
    }
    Ok(())
}

/// The version of a file and what leads from it to the next one; none when it is of today.
fn step_from(conn: &Connection) -> Result<Option<(i32, &'static str)>> {
    let (_, version) = identity(conn)?;
    check_version(version)?;
    Ok(usize::try_from(version).ok().and_then(|at| MIGRATIONS.get(at)).map(|step| (version, *step)))
}
