//! The one error type of the crate: a stable code, a message that names the cause, and a remedy.

use std::{borrow::Cow, fmt, path::Path};

/// What to do about a full disk.
pub const FREE_SPACE: &str = "Free some space; work goes on by itself";
/// What to do about too many open files.
pub const RAISE_LIMIT: &str = "Raise the limit of open files (ulimit -n), or end what holds so many, then try again";

/// Stable error codes; JavaScript sees them as `err.code`.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// A setting has a value that cannot be used.
    Config,
    /// An argument of a call is missing or malformed.
    Argument,
    /// A path is outside the allowed roots, or not a regular Markdown file.
    Path,
    /// Something that was asked for does not exist.
    NotFound,
    /// The operating system refused a file operation.
    Io,
    /// Another process holds the writer lease.
    Busy,
    /// No space left on the device.
    DiskFull,
    /// The database or its folder cannot be written.
    ReadOnly,
    /// The database is damaged.
    Corrupt,
    /// The file belongs to another program.
    ForeignDatabase,
    /// The database was written by a newer version of this engine.
    NewerSchema,
    /// The embedding provider refused the credentials.
    ProviderAuth,
    /// The embedding provider asks to slow down.
    ProviderRateLimit,
    /// The daily or paid quota of the embedding provider is used up.
    ProviderQuota,
    /// The embedding provider cannot be reached or answers with a server error.
    ProviderUnavailable,
    /// The embedding provider answered with something that is not usable.
    ProviderResponse,
    /// One input is too large for the embedding provider.
    ProviderInput,
    /// The call was cancelled by its caller.
    Cancelled,
    /// The deadline of the call passed.
    Deadline,
    /// The engine was closed.
    Closed,
    /// A bug in this engine.
    Internal,
}

impl Code {
    /// The stable text of the code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Config => "MEM_CONFIG",
            Self::Argument => "MEM_ARGUMENT",
            Self::Path => "MEM_PATH",
            Self::NotFound => "MEM_NOT_FOUND",
            Self::Io => "MEM_IO",
            Self::Busy => "MEM_BUSY",
            Self::DiskFull => "MEM_DISK_FULL",
            Self::ReadOnly => "MEM_READ_ONLY",
            Self::Corrupt => "MEM_CORRUPT",
            Self::ForeignDatabase => "MEM_FOREIGN_DATABASE",
            Self::NewerSchema => "MEM_NEWER_SCHEMA",
            Self::ProviderAuth => "MEM_PROVIDER_AUTH",
            Self::ProviderRateLimit => "MEM_PROVIDER_RATE_LIMIT",
            Self::ProviderQuota => "MEM_PROVIDER_QUOTA",
            Self::ProviderUnavailable => "MEM_PROVIDER_UNAVAILABLE",
            Self::ProviderResponse => "MEM_PROVIDER_RESPONSE",
            Self::ProviderInput => "MEM_PROVIDER_INPUT",
            Self::Cancelled => "MEM_CANCELLED",
            Self::Deadline => "MEM_DEADLINE",
            Self::Closed => "MEM_CLOSED",
            Self::Internal => "MEM_INTERNAL",
        }
    }
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What went wrong, and what the user can do about it. Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// The cause, one sentence without a trailing full stop.
    pub message: String,
    /// What to do about it, when there is something to do.
    pub remedy: Option<Cow<'static, str>>,
    /// How long the other side asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

/// The result type of the crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error with a code and a cause.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), remedy: None, retry_after_ms: None }
    }

    /// Adds what the user can do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<Cow<'static, str>>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Adds how long the other side asks to wait, in milliseconds.
    #[must_use]
    pub const fn retry_after(mut self, ms: u64) -> Self {
        self.retry_after_ms = Some(ms);
        self
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
        use std::io::ErrorKind;
        let (code, remedy) = match error.kind() {
            ErrorKind::NotFound => (Code::NotFound, None),
            // The last one is a limit on the size of files.
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                (Code::DiskFull, Some(FREE_SPACE))
            }
            ErrorKind::ReadOnlyFilesystem => (Code::ReadOnly, None),
            _ => (Code::Io, no_more_files(error).then_some(RAISE_LIMIT)),
        };
        Self { remedy: remedy.map(Into::into), ..Self::new(code, format!("{}: {error}", path.display())) }
    }

    /// Whether no more files could be opened.
    #[must_use]
    pub fn is_out_of_files(&self) -> bool {
        self.code == Code::Io && self.remedy.as_deref() == Some(RAISE_LIMIT)
    }

    /// Whether it is the embedding provider that failed; words are searched all the same.
    #[must_use]
    pub const fn is_of_provider(&self) -> bool {
        matches!(
            self.code,
            Code::ProviderAuth
                | Code::ProviderQuota
                | Code::ProviderUnavailable
                | Code::ProviderResponse
                | Code::ProviderRateLimit
                | Code::ProviderInput
        )
    }

    /// Whether the same call may succeed later without anyone changing anything.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self.code, Code::Busy | Code::ProviderRateLimit | Code::ProviderUnavailable | Code::ProviderResponse)
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

impl std::error::Error for Error {}
