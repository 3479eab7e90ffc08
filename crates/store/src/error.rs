//! SQLite's errors in the words of this crate.

use rusqlite::{Connection, ErrorCode, ffi};

use super::ffi::system_errno;
use model::error::{Code, Error, ErrorKind, FREE_SPACE, RAISE_LIMIT, Result, SqliteFault, no_more_files};

/// What to do where the index, or what SQLite writes beside it, cannot be written: either may be at fault.
pub(crate) const MAKE_WRITABLE: &str = "Make the index and its folder writable for this user; on Linux `lsattr` shows files that are locked. Searches go on meanwhile";
/// What to do about a damaged index.
const REPAIR: &str = "Run `openclaw memory doctor`; the index is rebuilt from your files, which are untouched";

/// What to do about a lack of memory.
const FREE_MEMORY: &str = "End what needs much memory; the index is unharmed. Then background work goes on by \
    itself, and a command has to be run again";

/// `errno` values that mean "no room": ENOSPC, EFBIG (file-size limit), EDQUOT (Linux, macOS).
const NO_ROOM: [i32; 4] = [28, 27, 122, 69];

/// Tells what SQLite answered in the words of this crate.
pub(crate) trait SqlResult<T> {
    /// The value, or SQLite's error as an [`Error`] with a stable code.
    ///
    /// # Errors
    /// Whatever SQLite's was.
    fn sql(self) -> Result<T>;
}

impl<T> SqlResult<T> for rusqlite::Result<T> {
    fn sql(self) -> Result<T> {
        self.map_err(of_sqlite)
    }
}

/// The error of a call to SQLite.
pub(crate) fn of_sqlite(error: rusqlite::Error) -> Error {
    let (fault, extended) = meaning(&error);
    let cause = match &error {
        rusqlite::Error::SqliteFailure(failure, None) => failure.to_string(),
        rusqlite::Error::SqliteFailure(_, Some(text)) => text.clone(),
        other => other.to_string(),
    };
    worded(fault, extended, &cause).caused_by(error)
}

/// What an error of SQLite means, and its extended result code.
fn meaning(error: &rusqlite::Error) -> (SqliteFault, i32) {
    use rusqlite::Error as Sql;
    let failure = match error {
        Sql::SqliteFailure(failure, _) => failure,
        // A value that no row of ours can hold, or a row that every file of ours has.
        Sql::FromSqlConversionFailure(..)
        | Sql::IntegralValueOutOfRange(..)
        | Sql::InvalidColumnType(..)
        | Sql::Utf8Error(..)
        | Sql::QueryReturnedNoRows => return (SqliteFault::Refused, 0),
        Sql::SqlInputError { error, .. } => error,
        _ => return (SqliteFault::Misuse, 0),
    };
    let fault = match failure.code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => SqliteFault::Damaged,
        ErrorCode::DiskFull => SqliteFault::Full,
        ErrorCode::ReadOnly => SqliteFault::ReadOnly,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => SqliteFault::Busy,
        ErrorCode::OperationInterrupted => SqliteFault::Interrupted,
        ErrorCode::OutOfMemory => SqliteFault::OutOfMemory,
        // An allocation that failed inside a call to the operating system.
        ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_NOMEM => SqliteFault::OutOfMemory,
        ErrorCode::CannotOpen if none_can_be_opened() => SqliteFault::OutOfFiles,
        ErrorCode::SystemIoFailure
        | ErrorCode::CannotOpen
        | ErrorCode::FileLockingProtocolFailed
        | ErrorCode::PermissionDenied
        | ErrorCode::NoLargeFileSupport => SqliteFault::Io,
        ErrorCode::ApiMisuse | ErrorCode::ParameterOutOfRange | ErrorCode::OperationAborted => SqliteFault::Misuse,
        // No such table, a constraint, a definition that is not ours: what a damaged file gives as well.
        _ => SqliteFault::Refused,
    };
    (fault, failure.extended_code)
}

/// One wording of cause and remedy for each meaning.
fn worded(fault: SqliteFault, extended: i32, cause: &str) -> Error {
    let told = |message: String| Error::new(ErrorKind::Sqlite { fault, extended }, message);
    match fault {
        SqliteFault::Damaged => told(format!("the index is damaged ({cause})")).remedy(REPAIR),
        SqliteFault::Refused => told(format!("the index is not as it was written ({cause})")).remedy(REPAIR),
        SqliteFault::Full => told("no space left for the index".to_owned()).remedy(FREE_SPACE),
        SqliteFault::ReadOnly => told("the index cannot be written".to_owned()).remedy(MAKE_WRITABLE),
        SqliteFault::Busy => told("another process is writing to the index".to_owned()),
        SqliteFault::Interrupted => told("the query was cancelled".to_owned()),
        SqliteFault::OutOfMemory => told("no memory left for the index".to_owned()).remedy(FREE_MEMORY),
        SqliteFault::OutOfFiles => {
            told(format!("too many open files: the index cannot be opened ({cause})")).remedy(RAISE_LIMIT)
        }
        SqliteFault::Io => told(format!("the index cannot be read or written ({cause})")),
        SqliteFault::Misuse => told(format!("the index was used in a wrong way ({cause})")),
    }
}

/// Looks behind a general I/O error: SQLite reports a file-size limit or an exhausted quota only as `errno`.
pub(super) fn with_errno(error: Error, conn: &Connection) -> Error {
    match error.kind {
        ErrorKind::Sqlite { fault: SqliteFault::Io, extended } if NO_ROOM.contains(&system_errno(conn)) => {
            worded(SqliteFault::Full, extended, "").caused_by(error)
        }
        _ => error,
    }
}

/// Whether no more files can be opened. SQLite says only that it cannot open one, so a file that is always there is
/// tried.
fn none_can_be_opened() -> bool {
    cfg!(unix) && std::fs::File::open("/dev/null").is_err_and(|error| no_more_files(&error))
}

/// Whether a statement of ours was refused. A look at the whole file tells whether that is damage.
pub(super) fn is_refused(error: &Error) -> bool {
    matches!(error.kind, ErrorKind::Sqlite { fault: SqliteFault::Refused, .. })
}

/// Whether damage was found.
pub(super) fn is_corrupt(error: &Error) -> bool {
    error.code() == Code::Corrupt && !is_refused(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_code(code: i32) -> Error {
        of_sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    /// No memory, and every code without a name of its own, was taken for damage: opening replaced the index.
    #[test]
    fn only_damage_is_damage() {
        let damage: Vec<i32> = (1..=26).filter(|&code| is_corrupt(&of_code(code))).collect();
        assert_eq!(damage, [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB]);
        for code in [ffi::SQLITE_NOMEM, ffi::SQLITE_IOERR_NOMEM] {
            let error = of_code(code);
            assert_eq!((error.code(), is_refused(&error)), (Code::Io, false));
            assert_eq!(error.kind, ErrorKind::Sqlite { fault: SqliteFault::OutOfMemory, extended: code });
            assert!(error.remedy.is_some() && std::error::Error::source(&error).is_some());
        }
        assert!(is_corrupt(&of_code(ffi::SQLITE_CORRUPT_VTAB)) && is_refused(&of_code(ffi::SQLITE_ERROR)));
        assert_eq!(of_code(ffi::SQLITE_MISUSE).code(), Code::Internal);
    }

    /// It was known by the first words of its message.
    #[test]
    fn a_refused_statement_is_known_whatever_was_being_done() {
        let conn = Connection::open_in_memory().unwrap();
        let error = conn.execute_batch("SELECT * FROM nothing").sql().unwrap_err();
        assert!(is_refused(&error.context("opening")));
        let shape = conn.query_row("SELECT 'x'", [], |row| row.get::<_, i64>(0)).sql().unwrap_err();
        assert!(is_refused(&shape) && shape.code() == Code::Corrupt);
    }
}
