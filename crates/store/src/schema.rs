//! Whose file it is, which version it has, and how an older one becomes the present one.

use std::sync::OnceLock;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, ffi};

use crate::error::{SqlResult, of_sqlite};
use model::error::{Code, Error, Result};

/// Marks our files (`application_id`): "MCRS".
pub(super) const APPLICATION_ID: i32 = 0x4D43_5253;

/// One step forward per entry; entry n leads from version n to n + 1. Released entries never change.
const MIGRATIONS: [&str; 9] = [
    include_str!("migrations/0001_init.sql"),
    include_str!("migrations/0002_usage.sql"),
    include_str!("migrations/0003_transcripts.sql"),
    include_str!("migrations/0004_space_prefix.sql"),
    include_str!("migrations/0005_refusals.sql"),
    include_str!("migrations/0006_consolidation.sql"),
    include_str!("migrations/0007_line_pieces.sql"),
    include_str!("migrations/0008_code_blocks.sql"),
    include_str!("migrations/0009_counts.sql"),
];

/// Key in `meta` of the version, so that a damaged header is told from a newer engine's file.
const RECORDED: &str = "schema";

/// The version this engine reads and writes (`user_version`).
pub(super) const VERSION: i32 = 9;

/// The `application_id` and `user_version` of an open database.
pub(super) fn identity(conn: &Connection) -> rusqlite::Result<(i32, i32)> {
    let application = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok((application, version))
}

/// The version that the rows of an open database name; none before the first write of an engine that records it.
pub(super) fn recorded(conn: &Connection) -> Result<Option<i32>> {
    Ok(both(conn)?.and_then(|(_, recorded)| recorded))
}

/// The version in the header and the one in the rows, at one moment; none when there are no rows of ours.
fn both(conn: &Connection) -> Result<Option<(i32, Option<i32>)>> {
    let sql = "SELECT user_version, (SELECT value FROM meta WHERE key = ?1) FROM pragma_user_version";
    let found = conn.query_row(sql, [RECORDED], |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?))).optional();
    match found {
        Ok(found) => Ok(found.map(|(header, recorded)| (header, recorded.and_then(|text| text.parse().ok())))),
        // No such table.
        Err(rusqlite::Error::SqliteFailure(failure, _)) if failure.extended_code == ffi::SQLITE_ERROR => Ok(None),
        Err(error) => Err(of_sqlite(error)),
    }
}

/// Whether it was left before it had all tables and the first note: nothing can be read from it.
pub(super) fn is_unfinished(conn: &Connection) -> bool {
    let sql = "SELECT user_version < ?1 AND NOT EXISTS (SELECT 1 FROM file) FROM pragma_user_version";
    match conn.query_row(sql, [VERSION], |row| row.get(0)) {
        Ok(is_unfinished) => is_unfinished,
        // No such table.
        Err(error) => of_sqlite(error).code() == Code::Corrupt,
    }
}

/// Records the version, if nothing has.
pub(super) fn record(conn: &Connection) -> Result<()> {
    conn.prepare_cached("INSERT OR IGNORE INTO meta (key, value) SELECT ?1, user_version FROM pragma_user_version")
        .sql()?
        .execute([RECORDED])
        .sql()?;
    Ok(())
}

/// Refuses a file of a newer engine, and one whose header was damaged; gives its `application_id`.
pub(super) fn check(conn: &Connection) -> Result<i32> {
    let (application, version) = identity(conn).sql()?;
    match both(conn)? {
        Some((header, Some(recorded))) if header != recorded => {
            check_version(recorded)?;
            Err(damaged_header())
        }
        _ => check_version(version).map(|()| application),
    }
}

/// What is said of a header that cannot be right.
pub(super) fn damaged_header() -> Error {
    Error::new(Code::Corrupt, "the header of the index is damaged")
}

/// The first table, index or trigger of ours that is not as it was made; none when all are.
pub(super) fn first_altered(conn: &Connection) -> Result<Option<String>> {
    let found = all_made(conn).sql()?;
    Ok(ours()?.iter().find(|made| !found.contains(made)).map(|made| made.name.clone()))
}

/// The first thing that would run when the database is used and that we never made: a trigger, a view, or a table of
/// another kind than rows or full text.
pub(super) fn first_strange(conn: &Connection) -> Result<Option<String>> {
    let ours = ours()?;
    let runs = |found: &Made| match found.kind.as_str() {
        "table" => found.sql.as_ref().is_some_and(|sql| {
            let sql = sql.to_ascii_uppercase();
            sql.starts_with("CREATE VIRTUAL") && !sql.contains(" USING FTS5(")
        }),
        kind => kind != "index",
    };
    let found = all_made(conn).sql()?;
    Ok(found.into_iter().find(|found| runs(found) && !ours.contains(found)).map(|found| found.name))
}

/// What a fresh database of today holds.
fn ours() -> Result<&'static [Made]> {
    static MADE: OnceLock<Vec<Made>> = OnceLock::new();
    if let Some(made) = MADE.get() {
        return Ok(made);
    }
    let mut fresh = Connection::open_in_memory().sql()?;
    migrate(&mut fresh)?;
    let made = all_made(&fresh).sql()?;
    Ok(MADE.get_or_init(|| made))
}

/// A row of `sqlite_schema`.
#[derive(PartialEq, Eq)]
struct Made {
    kind: String,
    name: String,
    table: String,
    sql: Option<String>,
}

fn all_made(conn: &Connection) -> rusqlite::Result<Vec<Made>> {
    conn.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema")?
        .query_map([], |row| Ok(Made { kind: row.get(0)?, name: row.get(1)?, table: row.get(2)?, sql: row.get(3)? }))?
        .collect()
}

/// Refuses a file that a newer engine wrote.
pub(super) fn check_version(found: i32) -> Result<()> {
    if found <= VERSION {
        return Ok(());
    }
    let message = format!("the index was written by a newer version (schema {found}, this one reads {VERSION})");
    Err(Error::new(Code::NewerSchema, message)
        .remedy(
        "Update memory-core-rs. To go back, move the file, with those of its name that end in -wal and -shm, to another folder; \
         then `openclaw memory restore` takes a copy from before, or `openclaw memory index` begins anew. The file was not touched",
    ))
}

/// Brings the schema forward, each step in its own transaction, so that a kill leaves a valid older version.
pub(super) fn migrate(conn: &mut Connection) -> Result<()> {
    // Asked without a lock first: a file of today opens although another process writes, however long it does.
    while step_from(conn)?.is_some() {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate).sql()?;
        // Another process may have migrated meanwhile.
        let Some((version, step)) = step_from(&tx)? else { return Ok(()) };
        tx.execute_batch(step).sql()?;
        tx.pragma_update(None, "user_version", version + 1).sql()?;
        tx.execute("DELETE FROM meta WHERE key = ?1", [RECORDED]).sql()?;
        record(&tx)?;
        tx.commit().sql()?;
    }
    Ok(())
}

/// The version of a file and what leads from it to the next one; none when it is of today.
fn step_from(conn: &Connection) -> Result<Option<(i32, &'static str)>> {
    let (_, version) = identity(conn).sql()?;
    check_version(version)?;
    Ok(usize::try_from(version).ok().and_then(|at| MIGRATIONS.get(at)).map(|step| (version, *step)))
}
