//! The one error type of the engine: what kind of failure it is, with what is known about it, a message that names the
//! cause, and a remedy. The stable code is the face of the kind in JavaScript.

mod code;

use std::{borrow::Cow, error::Error as StdError, fmt, path::Path, sync::Arc};

pub use code::Code;

/// What to do about a full disk.
pub const FREE_SPACE: &str =
    "Free some space; then background work goes on by itself, and a command has to be run again";

/// What to do about a disk that takes no writes.
const WRITABLE: &str = "Make it writable for this user; what only reads goes on meanwhile";
/// What to do about a file or folder of another user.
const GIVE_RIGHTS: &str = "Give this user the right to it (chown or chmod), or run as the user who owns it";
/// What to do about too many open files.
pub const RAISE_LIMIT: &str = "Raise the limit of open files (ulimit -n), or end what holds so many, then try again";

/// What refused an embedding, as far as the engine cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderFault {
    /// The credentials.
    Auth,
    /// Too many requests at a time.
    RateLimit,
    /// The quota is used up.
    Quota,
    /// It cannot be reached, or fails.
    Unavailable,
    /// Its answer cannot be used.
    Response,
    /// It refuses the text.
    Input,
}

/// What a failing call of SQLite means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqliteFault {
    /// The file is damaged, or is no database.
    Damaged,
    /// A statement of ours was refused, or answered with something else than was written. A look at the whole file
    /// tells whether that is damage.
    Refused,
    /// No space is left.
    Full,
    /// The file cannot be written.
    ReadOnly,
    /// Somebody else writes.
    Busy,
    /// The statement was stopped.
    Interrupted,
    /// No memory is left.
    OutOfMemory,
    /// No more files may be opened.
    OutOfFiles,
    /// The operating system refused to read or write.
    Io,
    /// SQLite was called as it must not be.
    Misuse,
}

/// What went wrong, with what is known about it.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// A setting has a value that cannot be used.
    Config,
    /// An argument of a call is missing or malformed.
    Argument,
    /// A path is outside the allowed roots, or not a regular Markdown file.
    Path,
    /// Something that was asked for does not exist.
    NotFound,
    /// Something of the system failed that is not one call on one file.
    Io,
    /// This process, or the whole machine, may open no more files.
    OutOfFiles,
    /// Another process holds the writer lease.
    Busy,
    /// No space left on the device.
    DiskFull,
    /// The database or its folder cannot be written.
    ReadOnly,
    /// What is stored is damaged.
    Corrupt,
    /// The file belongs to another program.
    ForeignDatabase,
    /// The database was written by a newer version of this engine.
    NewerSchema,
    /// The database is the index of another workspace.
    OtherWorkspace,
    /// The operating system refused a call on a file.
    File {
        /// Which.
        path: Box<Path>,
        /// Why.
        fault: std::io::ErrorKind,
        /// The number that the operating system gave.
        os: Option<i32>,
    },
    /// SQLite refused a call.
    Sqlite {
        /// What it means.
        fault: SqliteFault,
        /// The extended result code; its low byte is the primary one. 0 when the answer itself was of a wrong shape.
        extended: i32,
    },
    /// The embedding provider refused, failed or cannot be reached.
    Provider {
        /// What it means.
        fault: ProviderFault,
        /// The HTTP status, when there was an answer.
        status: Option<u16>,
        /// How long it asks to wait, in milliseconds, 49 days at most.
        retry_after_ms: Option<u32>,
        /// The code of the host's error, when one of the host's adapters failed.
        host: Option<Box<str>>,
    },
    /// The host failed at something it was asked, or cannot be asked now.
    Host {
        /// The code of its error.
        code: Option<Box<str>>,
        /// The HTTP status that its error names.
        status: Option<u16>,
        /// How long its error asks to wait, in milliseconds, 49 days at most.
        retry_after_ms: Option<u32>,
    },
    /// The call was cancelled by its caller.
    Cancelled,
    /// The deadline of the call passed.
    Deadline,
    /// The engine was closed.
    Closed,
    /// A bug in this engine.
    Bug,
}

impl ErrorKind {
    /// The host failed, and nothing more is known.
    pub const HOST: Self = Self::Host { code: None, status: None, retry_after_ms: None };

    /// A failure of the provider, of which nothing more is known.
    #[must_use]
    pub const fn provider(fault: ProviderFault) -> Self {
        Self::Provider { fault, status: None, retry_after_ms: None, host: None }
    }

    /// Its face in JavaScript.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Config => Code::Config,
            Self::Argument => Code::Argument,
            Self::Path => Code::Path,
            Self::NotFound => Code::NotFound,
            Self::Io | Self::OutOfFiles => Code::Io,
            Self::Busy => Code::Busy,
            Self::DiskFull => Code::DiskFull,
            Self::ReadOnly => Code::ReadOnly,
            Self::Corrupt => Code::Corrupt,
            Self::ForeignDatabase => Code::ForeignDatabase,
            Self::NewerSchema => Code::NewerSchema,
            Self::File { fault, .. } => code_of_file(*fault),
            Self::Sqlite { fault, .. } => match fault {
                SqliteFault::Damaged | SqliteFault::Refused => Code::Corrupt,
                SqliteFault::Full => Code::DiskFull,
                SqliteFault::ReadOnly => Code::ReadOnly,
                SqliteFault::Busy => Code::Busy,
                SqliteFault::Interrupted => Code::Cancelled,
                SqliteFault::OutOfMemory | SqliteFault::OutOfFiles | SqliteFault::Io => Code::Io,
                SqliteFault::Misuse => Code::Internal,
            },
            Self::Provider { fault, .. } => match fault {
                ProviderFault::Auth => Code::ProviderAuth,
                ProviderFault::RateLimit => Code::ProviderRateLimit,
                ProviderFault::Quota => Code::ProviderQuota,
                ProviderFault::Unavailable => Code::ProviderUnavailable,
                ProviderFault::Response => Code::ProviderResponse,
                ProviderFault::Input => Code::ProviderInput,
            },
            Self::Cancelled => Code::Cancelled,
            Self::Deadline => Code::Deadline,
            Self::OtherWorkspace | Self::Closed => Code::Closed,
            Self::Host { .. } | Self::Bug => Code::Internal,
        }
    }
}

impl From<Code> for ErrorKind {
    /// The kind of a code, of which nothing more is known.
    fn from(code: Code) -> Self {
        match code {
            Code::Config => Self::Config,
            Code::Argument => Self::Argument,
            Code::Path => Self::Path,
            Code::NotFound => Self::NotFound,
            Code::Io => Self::Io,
            Code::Busy => Self::Busy,
            Code::DiskFull => Self::DiskFull,
            Code::ReadOnly => Self::ReadOnly,
            Code::Corrupt => Self::Corrupt,
            Code::ForeignDatabase => Self::ForeignDatabase,
            Code::NewerSchema => Self::NewerSchema,
            Code::ProviderAuth => Self::provider(ProviderFault::Auth),
            Code::ProviderRateLimit => Self::provider(ProviderFault::RateLimit),
            Code::ProviderQuota => Self::provider(ProviderFault::Quota),
            Code::ProviderUnavailable => Self::provider(ProviderFault::Unavailable),
            Code::ProviderResponse => Self::provider(ProviderFault::Response),
            Code::ProviderInput => Self::provider(ProviderFault::Input),
            Code::Cancelled => Self::Cancelled,
            Code::Deadline => Self::Deadline,
            Code::Closed => Self::Closed,
            Code::Internal => Self::Bug,
        }
    }
}

/// The code that a refusal of the operating system deserves.
fn code_of_file(fault: std::io::ErrorKind) -> Code {
    use std::io::ErrorKind;
    match fault {
        ErrorKind::NotFound => Code::NotFound,
        // The last one is a limit on the size of files.
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Code::DiskFull,
        ErrorKind::ReadOnlyFilesystem => Code::ReadOnly,
        _ => Code::Io,
    }
}

/// What went wrong, and what the user can do about it. Never holds a secret.
#[derive(Debug, Clone)]
pub struct Error {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// The cause, one sentence without a trailing full stop.
    pub message: String,
    /// What to do about it, when there is something to do.
    pub remedy: Option<Cow<'static, str>>,
    /// The error that it comes from.
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// Two errors are the same when they say the same; what they come from is not compared.
impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.message, &self.remedy) == (&other.kind, &other.message, &other.remedy)
    }
}

impl Eq for Error {}

/// The result type of the engine.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a kind, or a code of which nothing more is known, and a cause.
    #[must_use]
    pub fn new(kind: impl Into<ErrorKind>, message: impl Into<String>) -> Self {
        Self { kind: kind.into(), message: message.into(), remedy: None, source: None }
    }

    /// Its stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.kind.code()
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<Cow<'static, str>>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Adds the error that it comes from.
    #[must_use]
    pub fn caused_by(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The code of the host's own error, when the host or one of its adapters failed.
    #[must_use]
    pub fn host_code(&self) -> Option<&str> {
        match &self.kind {
            ErrorKind::Provider { host: code, .. } | ErrorKind::Host { code, .. } => code.as_deref(),
            _ => None,
        }
    }

    /// How long the other side asks to wait, in milliseconds.
    #[must_use]
    pub fn retry_after_ms(&self) -> Option<u64> {
        match self.kind {
            ErrorKind::Provider { retry_after_ms, .. } | ErrorKind::Host { retry_after_ms, .. } => {
                retry_after_ms.map(u64::from)
            }
            _ => None,
        }
    }

    /// Sets how long the other side asks to wait, in milliseconds. Only a provider or the host can ask for it.
    pub fn set_retry_after(&mut self, ms: Option<u64>) {
        if let ErrorKind::Provider { retry_after_ms, .. } | ErrorKind::Host { retry_after_ms, .. } = &mut self.kind {
            *retry_after_ms = ms.map(|ms| u32::try_from(ms).unwrap_or(u32::MAX));
        }
    }

    /// Puts what was being done in front of the cause.
    #[must_use]
    pub fn context(mut self, doing: impl fmt::Display) -> Self {
        self.message = format!("{doing}: {}", self.message);
        self
    }

    /// An input/output error on a path, with the code that its kind deserves.
    #[must_use]
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        let os = error.raw_os_error();
        let kind = ErrorKind::File { path: path.into(), fault: error.kind(), os };
        let remedy = match kind.code() {
            Code::DiskFull => Some(FREE_SPACE),
            Code::ReadOnly => Some(WRITABLE),
            _ if error.kind() == std::io::ErrorKind::PermissionDenied => Some(GIVE_RIGHTS),
            _ => no_more_files(error).then_some(RAISE_LIMIT),
        };
        let source = os.map_or_else(|| std::io::Error::from(error.kind()), std::io::Error::from_raw_os_error);
        let error = Self::new(kind, format!("{}: {error}", path.display())).caused_by(source);
        Self { remedy: remedy.map(Into::into), ..error }
    }

    /// Whether no more files could be opened.
    #[must_use]
    pub fn is_out_of_files(&self) -> bool {
        match self.kind {
            ErrorKind::File { os: Some(os), .. } => no_more_files(&std::io::Error::from_raw_os_error(os)),
            ErrorKind::Sqlite { fault, .. } => fault == SqliteFault::OutOfFiles,
            ErrorKind::OutOfFiles => true,
            _ => false,
        }
    }

    /// Whether it is the host that failed: what it was asked for may be had later.
    #[must_use]
    pub const fn is_of_host(&self) -> bool {
        matches!(self.kind, ErrorKind::Host { .. })
    }

    /// Whether it is the embedding provider that failed; words are searched all the same.
    #[must_use]
    pub const fn is_of_provider(&self) -> bool {
        matches!(self.kind, ErrorKind::Provider { .. })
    }

    /// Whether the same call may succeed later without anyone changing anything.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self.code(), Code::Busy | Code::ProviderRateLimit | Code::ProviderUnavailable | Code::ProviderResponse)
    }
}

/// Whether this process, or the whole machine, may open no more files.
#[must_use]
pub fn no_more_files(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(remedy) = &self.remedy {
            write!(f, ". {remedy}")?;
        }
        Ok(())
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_kind_whose_face_it_is_and_a_text_that_is_read_back() {
        for code in Code::ALL {
            assert_eq!(ErrorKind::from(code).code(), code);
            assert_eq!(Code::parse(code.as_str()), Some(code));
        }
        assert_eq!(Code::parse("ECONNREFUSED"), None);
    }

    #[test]
    fn an_error_of_a_file_says_which_and_why_and_keeps_the_cause() {
        let error = Error::io(Path::new("/x/y"), &std::io::Error::from(std::io::ErrorKind::StorageFull));
        assert_eq!((error.code(), error.remedy.as_deref()), (Code::DiskFull, Some(FREE_SPACE)));
        assert!(matches!(&error.kind, ErrorKind::File { path, .. } if &**path == Path::new("/x/y")), "{error:?}");
        let source =
            error.context("saving").source().and_then(|e| e.downcast_ref::<std::io::Error>().map(|e| e.kind()));
        assert_eq!(source, Some(std::io::ErrorKind::StorageFull));
    }

    // It said "Permission denied", and what to do about it nowhere.
    #[test]
    fn a_file_of_another_user_has_a_remedy() {
        let error = Error::io(Path::new("/x"), &std::io::Error::from(std::io::ErrorKind::PermissionDenied));
        assert_eq!((error.code(), error.remedy.as_deref()), (Code::Io, Some(GIVE_RIGHTS)));
    }

    /// It was told from other failures by the sentence of its remedy.
    #[cfg(unix)]
    #[test]
    fn too_many_open_files_are_known_by_their_number() {
        let number = rustix::io::Errno::MFILE.raw_os_error();
        let error = Error::io(Path::new("/x"), &std::io::Error::from_raw_os_error(number));
        assert!(error.clone().remedy("other words").is_out_of_files());
        assert_eq!((error.code(), error.remedy.as_deref()), (Code::Io, Some(RAISE_LIMIT)));
        assert!(!Error::new(Code::Io, "too many open files").remedy(RAISE_LIMIT).is_out_of_files());
    }

    #[test]
    fn only_the_other_side_can_ask_to_wait() {
        let mut limited = Error::new(Code::ProviderRateLimit, "slow down");
        limited.set_retry_after(Some(5));
        assert_eq!(limited.retry_after_ms(), Some(5));
        let mut busy = Error::new(Code::Busy, "busy");
        busy.set_retry_after(Some(5));
        assert_eq!(busy.retry_after_ms(), None);
    }
}
