//! SQLite's errors in the words of this crate.

use rusqlite::{Connection, ErrorCode};

use super::ffi::system_errno;
use model::error::{Code, Error, FREE_SPACE, RAISE_LIMIT, Result, no_more_files};

/// What to do about a disk that cannot be written.
const MAKE_WRITABLE: &str = "Make the folder of the index writable for this user; searches go on meanwhile";
/// What to do about a damaged index.
const REPAIR: &str = "Run `openclaw memory doctor`; the index is rebuilt from your files, which are untouched";

/// How the refusal of a statement begins.
const NOT_AS_WRITTEN: &str = "the index is not as it was written";

/// `errno` values that mean "no room": ENOSPC, EFBIG (file-size limit), EDQUOT (Linux, macOS).
const NO_ROOM: [i32; 4] = [28, 27, 122, 69];

/// Tells what SQLite answered in the words of this crate.
pub trait SqlResult<T> {
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
pub fn of_sqlite(error: rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(failure, ref text) = error else {
        return refused(&error.to_string());
    };
    let cause = text.clone().unwrap_or_else(|| failure.to_string());
    match failure.code {
        ErrorCode::DiskFull => Error::new(Code::DiskFull, "no space left for the index").remedy(FREE_SPACE),
        ErrorCode::ReadOnly => Error::new(Code::ReadOnly, "the index cannot be written").remedy(MAKE_WRITABLE),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Error::new(Code::Corrupt, format!("the index is damaged ({cause})")).remedy(REPAIR)
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
            Error::new(Code::Busy, "another process is writing to the index")
        }
        ErrorCode::OperationInterrupted => Error::new(Code::Cancelled, "the query was cancelled"),
        ErrorCode::CannotOpen if none_can_be_opened() => {
            Error::new(Code::Io, format!("too many open files: the index cannot be opened ({cause})"))
                .remedy(RAISE_LIMIT)
        }
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::FileLockingProtocolFailed => {
            Error::new(Code::Io, format!("the index cannot be read or written ({cause})"))
        }
        ErrorCode::PermissionDenied => Error::new(Code::Io, format!("the index cannot be accessed ({cause})")),
        _ => refused(&cause),
    }
}

/// Looks behind a general I/O error: SQLite reports a file-size limit or an exhausted quota only as `errno`.
pub(super) fn with_errno(error: Error, conn: &Connection) -> Error {
    if error.code == Code::Io && NO_ROOM.contains(&system_errno(conn)) {
        return Error::new(Code::DiskFull, "no space left for the index").remedy(FREE_SPACE);
    }
    error
}

/// Whether no more files can be opened. SQLite says only that it cannot open one, so a file that is always there is
/// tried.
fn none_can_be_opened() -> bool {
    cfg!(unix) && std::fs::File::open("/dev/null").is_err_and(|error| no_more_files(&error))
}

/// The error of a statement of ours that was refused, or answered with something else than was written: a table or its
/// definition is then not as it was made.
fn refused(cause: &str) -> Error {
    Error::new(Code::Corrupt, format!("{NOT_AS_WRITTEN} ({cause})")).remedy(REPAIR)
}

/// Whether a statement of ours was refused. A look at the whole file tells whether that is damage.
pub(super) fn is_refused(error: &Error) -> bool {
    error.code == Code::Corrupt && error.message.starts_with(NOT_AS_WRITTEN)
}

/// Whether SQLite found damage.
pub(super) fn is_corrupt(error: &Error) -> bool {
    error.code == Code::Corrupt && !is_refused(error)
}
