//! What JavaScript sees of an error.

use std::fmt;

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
    /// Every code.
    pub const ALL: [Self; 21] = [
        Self::Config,
        Self::Argument,
        Self::Path,
        Self::NotFound,
        Self::Io,
        Self::Busy,
        Self::DiskFull,
        Self::ReadOnly,
        Self::Corrupt,
        Self::ForeignDatabase,
        Self::NewerSchema,
        Self::ProviderAuth,
        Self::ProviderRateLimit,
        Self::ProviderQuota,
        Self::ProviderUnavailable,
        Self::ProviderResponse,
        Self::ProviderInput,
        Self::Cancelled,
        Self::Deadline,
        Self::Closed,
        Self::Internal,
    ];

    /// The code with this text; none for the code of somebody else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

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
