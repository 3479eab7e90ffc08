//! SQLite's errors in the words of this crate.

use rusqlite::{Connection, ErrorCode};

use super::ffi::system_errno;
use crate::error::{Code, Error};

/// What to do about a full disk.
const FREE_SPACE: &str = "Free some space; work goes on by itself";
/// What to do about a disk that cannot be written.
const MAKE_WRITABLE: &str = "Make the folder of the index writable for this user; searches go on meanwhile";
/// What to do about a damaged index.
const REPAIR: &str = "Run `openclaw memory doctor`; the index is rebuilt from your files, which are untouched";

/// How an error begins when no more files may be opened.
const OUT_OF_FILES: &str = "too many open files: the index cannot be opened";
/// What to do about too many open files.
const RAISE_LIMIT: &str = "Raise the limit of open files (ulimit -n), or end what holds so many, then try again";

/// How the refusal of a statement begins.
const NOT_AS_WRITTEN: &str = "the index is not as it was written";

/// `errno` values that mean "no room": ENOSPC, EFBIG (file-size limit), EDQUOT (Linux, macOS).
const NO_ROOM: [i32; 4] = [28, 27, 122, 69];

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(failure, ref text) = error else {
            return refused(&error.to_string());
        };
        let cause = text.clone().unwrap_or_else(|| failure.to_string());
        match failure.code {
            ErrorCode::DiskFull => Self::new(Code::DiskFull, "no space left for the index").remedy(FREE_SPACE),
            ErrorCode::ReadOnly => Self::new(Code::ReadOnly, "the index cannot be written").remedy(MAKE_WRITABLE),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                Self::new(Code::Corrupt, format!("the index is damaged ({cause})")).remedy(REPAIR)
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                Self::new(Code::Busy, "another process is writing to the index")
            }
            ErrorCode::OperationInterrupted => Self::new(Code::Cancelled, "the query was cancelled"),
            ErrorCode::CannotOpen if no_more_files() => {
                Self::new(Code::Io, format!("{OUT_OF_FILES} ({cause})")).remedy(RAISE_LIMIT)
            }
            ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::FileLockingProtocolFailed => {
                Self::new(Code::Io, format!("the index cannot be read or written ({cause})"))
            }
            ErrorCode::PermissionDenied => Self::new(Code::Io, format!("the index cannot be accessed ({cause})")),
            _ => refused(&cause),
        }
    }
}

/// Looks behind a general I/O error: SQLite reports a file-size limit or an exhausted quota only as `errno`.
pub(super) fn with_errno(error: Error, conn: &Connection) -> Error {
    if error.code == Code::Io && NO_ROOM.contains(&system_errno(conn)) {
        return Error::new(Code::DiskFull, "no space left for the index").remedy(FREE_SPACE);
    }
    error
}

/// Whether this process, or the whole machine, may open no more files. SQLite says only that it cannot open one, so a
/// file that is always there is tried.
fn no_more_files() -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let errno = std::fs::File::open("/dev/null").err().and_then(|error| Errno::from_io_error(&error));
        matches!(errno, Some(Errno::MFILE | Errno::NFILE))
    }
    #[cfg(not(unix))]
    false
}

/// Whether no more files could be opened.
pub(super) fn is_out_of_files(error: &Error) -> bool {
    error.code == Code::Io && error.message.starts_with(OUT_OF_FILES)
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
