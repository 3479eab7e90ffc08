//! A damaged index: found, set aside once, and replaced by a fresh one that keeps what was paid for.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use rusqlite::{Connection, ffi, params};
use serde::Serialize;
use tempfile::TempDir;

use super::{
    embeddings::{check_vector, from_blob},
    files::Hash,
    header::Header,
    open::{self, FileIdentity},
    reader::Reader,
    schema,
    sqlite::Sqlite,
};
use crate::error::SqlResult;
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// Embeddings saved per transaction.
const BATCH: usize = 200;

/// How long recovery waits for running searches before it replaces the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// What replacing a damaged index came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recovery {
    /// Where the damaged file is now; none when another process had replaced it already.
    pub set_aside: Option<PathBuf>,
    /// Embeddings that were saved, and so need not be paid for again.
    pub salvaged: u64,
}

/// Whether the check says of a page that there was no memory to read it, which is no damage.
fn lacked_memory(finding: &str) -> bool {
    let code = finding.rsplit_once("error code=").and_then(|(_, code)| code.trim().parse().ok());
    code.is_some_and(|code: i32| [ffi::SQLITE_NOMEM, ffi::SQLITE_IOERR_NOMEM].contains(&code))
}

impl Reader<'_> {
    /// Looks for damage in the whole file; the first finding, or none. Reads every page.
    pub(super) fn find_damage(&self) -> Result<Option<String>> {
        if let Some(name) = schema::first_altered(self.conn()?)? {
            return Ok(Some(format!("the definition of {name} is damaged")));
        }
        // The whole check, which also compares indexes with their tables.
        let finding: String = self.conn()?.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).sql()?;
        if lacked_memory(&finding) {
            Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_NOMEM), None)).sql()?;
        }
        if finding != "ok" {
            // SQLite puts the name of the database in a line before it.
            let lines: Vec<_> = finding.lines().filter(|line| !line.starts_with("***")).collect();
            return Ok(Some(lines.join("; ")));
        }
        // The header holds for all connections that are opened from now on.
        schema::check(self.conn()?)?;
        // SQLite keeps no checksums: damage inside a stored vector shows in its numbers only.
        let mut vectors = self
            .conn()?
            .prepare("SELECT e.vector, s.dims FROM embedding e LEFT JOIN space s ON s.id = e.space_id")
            .sql()?;
        let mut rows = vectors.query([]).sql()?;
        while let Some(row) = rows.next().sql()? {
            let vector = from_blob(row.get_ref(0).sql()?.as_blob().map_err(rusqlite::Error::from).sql()?);
            let dims: Option<u32> = row.get(1).sql()?;
            if dims != u32::try_from(vector.len()).ok() || !vector.iter().all(|value| value.is_finite()) {
                return Ok(Some("a stored vector is no vector".to_owned()));
            }
        }
        // A sum that is wrong is believed by every search.
        Ok(self.is_miscounted()?.then(|| "a sum is not that of its rows".to_owned()))
    }
}

impl Sqlite {
    /// Reads the whole file in search of damage. Meant for the background after an unclean end, and for `doctor`.
    ///
    /// # Errors
    /// [`Code::Corrupt`] with the first finding: then [`Self::recover`] is due.
    pub(crate) fn verify(&self, cancel: &Cancel) -> Result<()> {
        let finding = match self.pool.read_fresh(cancel, |reader| reader.find_damage()) {
            Ok(None) => {
                self.shared.suspect.store(false, Ordering::Release);
                return Ok(());
            }
            Ok(Some(finding)) => finding,
            Err(error) if error.code() == Code::Corrupt => error.message,
            Err(error) => return Err(error),
        };
        self.shared.corrupt.store(true, Ordering::Release);
        Err(Error::new(Code::Corrupt, format!("the index is damaged ({finding})")))
    }

    /// Sets the damaged file aside, makes a fresh one, and saves the embeddings that can still be read. Running reads
    /// end first; the store goes on with the new file. All files have to be indexed again.
    ///
    /// # Errors
    /// When the file cannot be renamed, or a new one cannot be made.
    pub(crate) fn recover(&self) -> Result<Recovery> {
        self.pool.forget_idle();
        *self.monitor.lock() = None;
        self.pool.wait_idle(PATIENCE);
        self.pool.forget_idle();
        self.wait(self.submit(|writer| {
            let damaged = writer.last_file();
            writer.disconnect();
            writer.lease = None;
            let shared = Arc::clone(writer.shared());
            let recovery = if damaged.is_some() && damaged != FileIdentity::of(&shared.path) {
                // Another process was faster: what lies there now is its fresh file.
                Recovery::default()
            } else {
                replace(&shared.path, shared.clock.now_ms())?
            };
            shared.corrupt.store(false, Ordering::Release);
            shared.suspect.store(false, Ordering::Release);
            Ok(recovery)
        })?)
    }
}

/// Whether a file that a statement was refused on is damaged, by a look at all of it.
///
/// # Errors
/// When it cannot be looked at now, which says nothing about it.
pub(super) fn is_damaged(path: &Path) -> Result<bool> {
    let conn = open::connect_salvage(path)?;
    match Reader::over(&conn).find_damage() {
        Ok(finding) => Ok(finding.is_some()),
        Err(error) if error.code() == Code::Corrupt => Ok(true),
        Err(error) => Err(error),
    }
}

/// Sets a damaged file aside, makes a fresh one, and copies the embeddings that can still be read.
pub(super) fn replace(path: &Path, now_ms: i64) -> Result<Recovery> {
    let aside = set_aside(path, now_ms)?;
    let mut fresh = open::connect_writer(path)?;
    let salvaged = salvage(&aside, &mut fresh, now_ms)?;
    Ok(Recovery { set_aside: Some(aside), salvaged })
}

/// Comes before the time in the names of what was set aside.
pub(super) const CORRUPT: &str = ".corrupt-";

/// Renames the database and its log. Only the newest damaged file is kept.
fn set_aside(path: &Path, now_ms: i64) -> Result<PathBuf> {
    let prefix = with_suffix(path, CORRUPT);
    let earlier = earlier_copies(&prefix);
    let aside = with_suffix(path, &format!("{CORRUPT}{}", now_ms / 1000));
    // The log first: a database without its log is consistent but old, a log without its database is nothing.
    for suffix in ["-wal", ""] {
        let (from, to) = (with_suffix(path, suffix), with_suffix(&aside, suffix));
        match fs::rename(&from, &to) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(&from, &error).context("the damaged index cannot be set aside"));
            }
            _ => {}
        }
    }
    // Rebuilt from the log by whoever opens the file.
    let _ = fs::remove_file(with_suffix(path, "-shm"));
    for old in earlier {
        if old != aside && old != with_suffix(&aside, "-wal") {
            // A copy that cannot be removed costs disk space only.
            let _ = fs::remove_file(old);
        }
    }
    Ok(aside)
}

/// Damaged files (and their logs) that were set aside before.
pub(super) fn earlier_copies(prefix: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (prefix.parent(), prefix.file_name()) else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let name = name.to_string_lossy().into_owned();
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&name))
        .map(|entry| entry.path())
        .collect()
}

/// A path with something appended to its file name.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// How the names of folders of [`repaired_copy`] begin.
pub(super) const SALVAGE: &str = ".memory-salvage-";

/// Name of the database in the folder of [`repaired_copy`].
const COPY: &str = "copy.sqlite";

/// A copy of a file whose header is damaged, with a header that lets it be read; none where that helps nothing. The
/// folder goes with the value.
fn repaired_copy(damaged: &Path) -> Option<TempDir> {
    let mut header = Header::read(damaged)?;
    let length = fs::metadata(damaged).ok()?.len();
    if header.size() == length && !header.repair() {
        return None;
    }
    let folder = tempfile::Builder::new().prefix(SALVAGE).tempdir_in(damaged.parent()?).ok()?;
    let copy = folder.path().join(COPY);
    fs::copy(damaged, &copy).ok()?;
    let log = with_suffix(damaged, "-wal");
    if log.exists() {
        fs::copy(log, with_suffix(&copy, "-wal")).ok()?;
    }
    header.repair();
    header.write(&copy).ok()?;
    Some(folder)
}

/// Copies spaces and embeddings, skipping what cannot be read or is not a vector any more.
fn salvage(damaged: &Path, fresh: &mut Connection, now_ms: i64) -> Result<u64> {
    let repaired = repaired_copy(damaged);
    let source = repaired.as_ref().map_or_else(|| damaged.to_path_buf(), |folder| folder.path().join(COPY));
    let Ok(old) = open::connect_salvage(&source) else { return Ok(0) };
    let Ok(spaces) = spaces(&old) else { return Ok(0) };
    let last: i64 = old.query_row("SELECT coalesce(max(id), 0) FROM embedding", [], |row| row.get(0)).unwrap_or(0);
    let mut ids = HashMap::new();
    for (old_id, key, dims) in spaces {
        fresh.execute("INSERT OR IGNORE INTO space (key, dims) VALUES (?1, ?2)", (&key, dims)).sql()?;
        let id: i64 = fresh.query_row("SELECT id FROM space WHERE key = ?1", [&key], |row| row.get(0)).sql()?;
        ids.insert(old_id, (id, dims));
    }
    let mut salvaged = 0;
    let mut batch = Vec::with_capacity(BATCH);
    // Row by row: one that lies on a damaged page fails alone.
    for id in 1..=last {
        if let Some(row) = readable(&old, id, &ids) {
            batch.push(row);
        }
        if batch.len() == BATCH || id == last {
            salvaged += insert(fresh, &batch, now_ms)?;
            batch.clear();
        }
    }
    Ok(salvaged)
}

/// Spaces of a damaged file that have vectors: id, key, dimensions.
fn spaces(conn: &Connection) -> rusqlite::Result<Vec<(i64, String, usize)>> {
    conn.prepare("SELECT id, key, dims FROM space WHERE dims IS NOT NULL")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect()
}

/// An embedding to be copied: new space, hash, code, vector.
type Row = (i64, Hash, Vec<u8>, Vec<u8>);

/// One embedding of a damaged file, if it can be read and is a vector of its space.
fn readable(old: &Connection, id: i64, spaces: &HashMap<i64, (i64, usize)>) -> Option<Row> {
    let mut statement = old.prepare_cached("SELECT space_id, hash, code, vector FROM embedding WHERE id = ?1").ok()?;
    let (space, hash, code, vector): (i64, Hash, Vec<u8>, Vec<u8>) =
        statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).ok()?;
    let (space, dims) = spaces.get(&space)?;
    let whole = vector.len() == dims * size_of::<f32>() && check_vector(&from_blob(&vector), *dims).is_ok();
    whole.then_some((*space, hash, code, vector))
}

/// Stores one batch; gives the number of rows that were new.
fn insert(fresh: &mut Connection, batch: &[Row], now_ms: i64) -> Result<u64> {
    let tx = fresh.transaction().sql()?;
    let mut stored = 0;
    {
        let mut insert = tx
            .prepare_cached(
                "INSERT OR IGNORE INTO embedding (space_id, hash, used_ms, code, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
            )
            .sql()?;
        for (space, hash, code, vector) in batch {
            stored += insert.execute(params![space, hash, now_ms, code, vector]).sql()?;
        }
    }
    tx.commit().sql()?;
    Ok(stored as u64)
}
