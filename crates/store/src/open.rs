//! Opening connections: whose file is it, may it be written, and the settings every connection gets.

use std::{
    fmt::Write as _,
    fs,
    io::ErrorKind,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, config::DbConfig, vtab::array};

use super::{
    error::{MAKE_WRITABLE, is_corrupt, with_errno},
    ffi,
    header::Header,
    place::{self, Workspace},
    recover::with_suffix,
    schema,
};
use crate::error::{SqlResult, of_sqlite};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// The agent database of the host. It is opened by the host's own SQLite in this process; a second copy of SQLite
/// on the same file loses committed rows.
const HOST_DATABASE: &str = "openclaw-agent.sqlite";

/// How long opening waits for another process that is creating or migrating the file.
const OPEN_PATIENCE: Duration = Duration::from_secs(5);

/// Page cache of a connection: a search reads some 7 MB of chunks, and should find the inner pages of the trees again.
const CACHE_KIB: i32 = 16 << 10;

/// Pages in the write-ahead log (16 MB) at which a commit also checkpoints.
const CHECKPOINT_PAGES: i32 = 4096;

/// No engine for years to come has a schema of a later version; a header that names one is damaged.
const LATEST_PLAUSIBLE: i32 = schema::VERSION + 1000;

/// What is found at a path before anything is opened for writing.
pub(super) enum Found {
    /// Nothing, or an empty file.
    Nothing,
    /// A database of ours, of a version that can be used.
    Ours,
    /// A database of ours that cannot be read.
    Damaged(Error),
}

/// Refuses names that are never ours.
pub(super) fn check_name(path: &Path) -> Result<()> {
    let Some(name) = path.file_name() else {
        return Err(Error::new(Code::Config, format!("{} is not a file name", path.display()))
            .remedy("Set `store.path` to a file, for example ~/.openclaw/memory-core-rs/{agentId}/index.sqlite"));
    };
    if name.to_string_lossy().to_lowercase().starts_with(HOST_DATABASE) {
        return Err(Error::new(Code::ForeignDatabase, format!("{} belongs to OpenClaw itself", path.display()))
            .remedy("Set `store.path` to a file of its own"));
    }
    Ok(())
}

/// Opens the file at a path for writing, creating folder and file as needed; refuses what is not ours.
pub(super) fn open_writable(path: &Path, workspace: Option<&Workspace>) -> Result<Connection> {
    match probe(path)? {
        Found::Nothing => create_folder(path)?,
        Found::Ours => {}
        Found::Damaged(error) => return Err(error),
    }
    let mut conn = connect_writer(path)?;
    place::claim(&mut conn, path, workspace)?;
    Ok(conn)
}

/// Creates the folder of the database, open to its owner only.
pub(super) fn create_folder(path: &Path) -> Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    own_file::create_folder(folder).map_err(|error| {
        let error = Error::io(folder, &error).context("the folder of the index cannot be created");
        if error.remedy.is_some() && error.code() != Code::ReadOnly {
            return error;
        }
        error.remedy("Set `store.path` to a writable place")
    })
}

/// Looks at a path without changing a byte, not even a lock.
pub(super) fn probe(path: &Path) -> Result<Found> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(Error::io(path, &error)),
        Ok(meta) if !meta.is_file() => {
            return Err(Error::new(Code::Path, format!("{} is not a regular file", path.display()))
                .remedy("Move it away, or set another `store.path`"));
        }
        Ok(meta) if meta.len() == 0 => return Ok(Found::Nothing),
        Ok(_) => {}
    }
    if let Some(header) = Header::read(path).filter(Header::is_ours) {
        if !header.is_whole() {
            return Ok(Found::Damaged(schema::damaged_header()));
        }
        // Whether all of it is whole shows when it is opened: after a kill in the middle of a checkpoint the file by
        // itself is not, but it is together with its log.
        let Err(newer) = schema::check_version(header.version()) else { return Ok(Found::Ours) };
        // What lies in the log is later than the file, and only SQLite puts the two together.
        let conn = if has_log(path) { open_with_log(path) } else { open_immutable(path) };
        let told = conn.and_then(|conn| Ok((schema::identity(&conn).sql()?.1, schema::recorded(&conn)?)));
        return match told {
            Ok((version, _)) if version <= schema::VERSION => Ok(Found::Ours),
            Ok((_, Some(recorded))) if recorded <= schema::VERSION => Ok(Found::Damaged(schema::damaged_header())),
            Err(error) if error.code() != Code::Corrupt => Err(error),
            _ if header.version() > LATEST_PLAUSIBLE => Ok(Found::Damaged(schema::damaged_header())),
            _ => Err(newer),
        };
    }
    let conn = open_immutable(path)?;
    let (application, names) = match schema::identity(&conn) {
        Ok((schema::APPLICATION_ID, version)) => return schema::check_version(version).map(|()| Found::Ours),
        Ok((application, _)) => (application, tables(&conn)),
        Err(error) => (0, Err(error)),
    };
    match names {
        Ok(names) if names.is_empty() && application == 0 => Ok(Found::Nothing),
        // The identity is gone but the tables are there: ours, with a damaged first page.
        Ok(names) if ["chunk", "embedding", "generation"].iter().all(|name| names.iter().any(|n| n == name)) => {
            Ok(Found::Damaged(Error::new(Code::Corrupt, "the first page of the index is damaged")))
        }
        // Of an index that is being made, all tables may still lie in the log, which has a header of its own.
        Ok(_) if is_logged_as_ours(path) => Ok(Found::Damaged(schema::damaged_header())),
        Ok(_) => Err(foreign(path)),
        Err(error) => {
            let error = of_sqlite(error);
            // What the system refuses for now says nothing about the file.
            if error.code() != Code::Corrupt {
                return Err(error);
            }
            // A text file that someone named by mistake is left alone; a database name can only be ours, unless the
            // database itself names another program.
            let is_ours =
                has_database_name(path) && (may_be_ours(application) || is_logged_as_ours(path)) && is_corrupt(&error);
            if is_ours { Ok(Found::Damaged(error)) } else { Err(foreign(path)) }
        }
    }
}

/// Whether the log beside a file has a header of ours.
fn is_logged_as_ours(path: &Path) -> bool {
    Header::of_log(path).is_some_and(|header| header.is_ours())
}

/// Whether an `application_id` may be what damage left of ours: bytes of it that were lost, or one that is another.
fn may_be_ours(application: i32) -> bool {
    let pairs: Vec<_> = application.to_be_bytes().into_iter().zip(schema::APPLICATION_ID.to_be_bytes()).collect();
    pairs.iter().all(|(found, ours)| *found == 0 || found == ours)
        || pairs.iter().filter(|(found, ours)| found != ours).count() == 1
}

/// Whether the name says "database", so that a file without a readable header is a damaged one of ours.
fn has_database_name(path: &Path) -> bool {
    path.extension().is_some_and(|e| ["sqlite", "sqlite3", "db"].iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// The refusal of another program's file.
fn foreign(path: &Path) -> Error {
    Error::new(Code::ForeignDatabase, format!("{} belongs to another program", path.display()))
        .remedy("Set `store.path` to a file of its own; this one was not touched")
}

/// Names of the tables of a database.
fn tables(conn: &Connection) -> rusqlite::Result<Vec<String>> {
    conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?.query_map([], |row| row.get(0))?.collect()
}

/// Opens for writing; creates and migrates as needed.
///
/// # Errors
/// [`Code::ReadOnly`] when the file or its folder cannot be written, and all that SQLite reports.
pub(super) fn connect_writer(path: &Path) -> Result<Connection> {
    let started = Instant::now();
    loop {
        match try_connect_writer(path) {
            // Switching to WAL needs the file for a moment alone, and SQLite does not wait for it.
            Err(error) if error.code() == Code::Busy && started.elapsed() < OPEN_PATIENCE => {
                std::thread::sleep(Duration::from_millis(20));
            }
            other => return other,
        }
    }
}

/// One attempt of [`connect_writer`].
fn try_connect_writer(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // Private from its first byte on, and with it the log and the shared memory, which SQLite makes as open as the file.
    // Where this fails, because the file is there or cannot be made, SQLite has the better words, but for a full disk.
    match own_file::write_new(path, &[], false).map_err(|error| Error::io(path, &error)) {
        Err(error) if error.code() == Code::DiskFull => return Err(error),
        _ => {}
    }
    let mut conn = Connection::open_with_flags(path, flags).map_err(|error| unwritable(of_sqlite(error)))?;
    if conn.is_readonly("main").sql()? {
        return Err(unwritable(Error::new(Code::ReadOnly, "the file is write-protected")));
    }
    restrict_mode(path);
    prepare_writer(&mut conn).map_err(|error| with_errno(error, &conn))?;
    Ok(conn)
}

/// Makes an open file an index of today.
fn prepare_writer(conn: &mut Connection) -> Result<()> {
    settings(conn)?;
    let refused = |error: Error| unwritable(with_errno(error, conn));
    let application = schema::check(conn).map_err(refused)?;
    if application != schema::APPLICATION_ID {
        // In rollback-journal mode and before all else, so that the file itself says whose it is.
        conn.pragma_update(None, "auto_vacuum", "INCREMENTAL").sql()?;
        conn.pragma_update(None, "application_id", schema::APPLICATION_ID).sql()?;
    }
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(|error| refused(of_sqlite(error)))?;
    conn.pragma_update(None, "synchronous", "NORMAL").sql()?;
    conn.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES).sql()?;
    // Removed text is overwritten where that costs no extra page; `Store::scrub` sees to the rest.
    conn.query_row("PRAGMA secure_delete = FAST", [], |_| Ok(())).sql()?;
    conn.query_row("PRAGMA journal_size_limit = 16777216", [], |_| Ok(())).sql()?;
    schema::migrate(conn)
}

/// What cannot be written beside the index or in it, in the same words: SQLite says "cannot open" where a folder is read-only.
#[must_use]
pub fn unwritable(error: Error) -> Error {
    if !matches!(error.code(), Code::Io | Code::ReadOnly) || error.is_out_of_files() {
        return error;
    }
    Error::new(Code::ReadOnly, format!("the index cannot be written: {}", error.message)).remedy(MAKE_WRITABLE)
}

/// The index holds private text: nobody else reads it, whatever the umask says.
fn restrict_mode(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A file system without modes (FAT, some network shares) refuses; the folder's owner then decides.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Opens a damaged file of ours for copying what can still be read, whatever its header says about it.
pub(super) fn connect_salvage(path: &Path) -> Result<Connection> {
    // Writable, so that SQLite can replay the log that was set aside with it.
    let conn =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX).sql()?;
    conn.pragma_update(None, "query_only", true).sql()?;
    Ok(conn)
}

/// Opens for reading. A database on a read-only or full disk that was closed cleanly needs SQLite's immutable mode.
pub(super) fn connect_reader(path: &Path) -> Result<Connection> {
    match try_connect_reader(path) {
        Err(error) if matches!(error.code(), Code::Io | Code::ReadOnly | Code::DiskFull) && !has_log(path) => {
            let conn = open_immutable(path)?;
            settings(&conn)?;
            Ok(conn)
        }
        other => other,
    }
}

/// One attempt of [`connect_reader`] with ordinary locking.
fn try_connect_reader(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).sql().map_err(|error| unreadable(path, error))?;
    // The first read shows whether the shared memory of the write-ahead log can be had.
    let prepared = settings(&conn)
        .and_then(|()| conn.pragma_update(None, "query_only", true).sql())
        .and_then(|()| schema::check(&conn));
    let application = prepared.map_err(|error| with_errno(error, &conn))?;
    if application != schema::APPLICATION_ID {
        return Err(foreign(path));
    }
    Ok(conn)
}

/// Whether committed pages may still be in the write-ahead log only.
fn has_log(path: &Path) -> bool {
    fs::metadata(with_suffix(path, "-wal")).is_ok_and(|meta| meta.len() > 0)
}

/// What every connection gets.
fn settings(conn: &Connection) -> Result<()> {
    conn.busy_timeout(OPEN_PATIENCE).sql()?;
    conn.set_prepared_statement_cache_capacity(96);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).sql()?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).sql()?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false).sql()?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false).sql()?;
    conn.pragma_update(None, "cell_size_check", true).sql()?;
    conn.pragma_update(None, "temp_store", "MEMORY").sql()?;
    conn.pragma_update(None, "cache_size", -CACHE_KIB).sql()?;
    ffi::disable_load_extension(conn);
    ffi::register_vec(conn)?;
    array::load_module(conn).sql()?;
    Ok(())
}

/// Opens a file for a look at it together with its log, of which nothing is moved into the file.
fn open_with_log(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).sql()
}

/// Opens a file as it lies there: no locks, no log, nothing written.
pub(super) fn open_immutable(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(immutable_uri(path), flags).sql().map_err(|error| unreadable(path, error))
}

/// Of a file of another user SQLite says only that it cannot be opened.
fn unreadable(path: &Path, error: Error) -> Error {
    match fs::File::open(path) {
        Err(refused) if refused.kind() == ErrorKind::PermissionDenied => {
            Error::io(path, &refused).context("the index cannot be read")
        }
        _ => error,
    }
}

/// The path as a SQLite URI.
fn immutable_uri(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let mut uri = String::from(if text.starts_with('/') || !cfg!(windows) { "file:" } else { "file:///" });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~:".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Tells one file from another that took its name, where the system can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity(u64, u64);

impl FileIdentity {
    /// The identity of the file now at a path; none when there is none, or on systems without inodes (where an open
    /// database can be neither renamed nor deleted).
    pub(super) fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(path).ok().map(|meta| Self(meta.dev(), meta.ino()))
        }
        #[cfg(not(unix))]
        {
            let _ = path;
            None
        }
    }
}
