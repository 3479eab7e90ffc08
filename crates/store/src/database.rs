//! Which database the memory of an agent is kept in, where it is no file. What speaks with it is built in with the feature
//! `postgres`.

mod address;
mod server;
pub mod tables;

use std::{
    fmt,
    hash::{Hash, Hasher},
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use sha2::{Digest, Sha256};

pub use self::address::Parts;
#[cfg(feature = "postgres")]
pub(crate) use self::server::lacks_vector;
pub use self::server::{Comparing, Server, examine};
use model::{
    config::settings::{DatabaseSsl, NearIn},
    error::{Code, Error, Result},
};

/// A password to come.
pub type Password = Pin<Box<dyn Future<Output = Result<String>> + Send>>;

/// Tells the password of a database, each time that a connection is made: it may be a token that expires. All that tell the
/// one of an address are equal.
#[derive(Clone)]
pub struct AskPassword(
    #[cfg_attr(not(feature = "postgres"), expect(dead_code, reason = "nothing that connects is built in"))]
    Arc<dyn Fn() -> Password + Send + Sync>,
);

impl AskPassword {
    /// One that is asked by this function.
    pub fn new(ask: impl Fn() -> Password + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// The password as it is now.
    #[cfg(feature = "postgres")]
    pub(crate) fn ask(&self) -> Password {
        (self.0)()
    }
}

impl PartialEq for AskPassword {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AskPassword {}

impl Hash for AskPassword {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// How a database is reached and used.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Options {
    /// Its address, `postgresql://user:password@host:port/database`; several hosts stand apart by commas.
    pub url: String,
    /// The password, in the place of the one in the address.
    pub password: Option<AskPassword>,
    /// The schema that all tables are in.
    pub schema: String,
    /// Whose memory: agents of one tenant share their vectors.
    pub tenant: String,
    /// How the way is protected; default [`DatabaseSsl::Auto`].
    pub ssl: DatabaseSsl,
    /// A file of the certificates that are trusted; default those of the system.
    pub ssl_root_cert: Option<PathBuf>,
    /// Most connections.
    pub pool_size: usize,
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// How long what an agent has read of itself is good for without asking whether something was written; default not at all.
    pub max_staleness: Duration,
    /// Most bytes of what is kept in memory of words and passages, of all agents of the process.
    pub cache_bytes: usize,
    /// Where vectors are compared with a question; default [`NearIn::Auto`].
    pub near_in: NearIn,
    /// Most bytes of the vectors of an agent in memory, with [`NearIn::Auto`]; default 256 MB.
    pub arena_bytes: usize,
}

impl Options {
    /// The defaults for an address.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            password: None,
            schema: "openclaw_memory".to_owned(),
            tenant: "default".to_owned(),
            ssl: DatabaseSsl::Auto,
            ssl_root_cert: None,
            pool_size: 4,
            connect_timeout: Duration::from_secs(3),
            statement_timeout: Duration::from_secs(30),
            max_staleness: Duration::ZERO,
            cache_bytes: 64 << 20,
            near_in: NearIn::Auto,
            arena_bytes: 256 << 20,
        }
    }
}

impl fmt::Debug for Options {
    /// Without the address, which has a password in it, and hosts that are nobody's business.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("schema", &self.schema).field("ssl", &self.ssl).finish_non_exhaustive()
    }
}

/// The refusal of a build that speaks with no database.
#[cfg(not(feature = "postgres"))]
pub(crate) fn not_built_in() -> Error {
    Error::new(Code::Config, "this build of memory-core-rs speaks with no PostgreSQL")
        .remedy("Set store.driver to \"sqlite\"; in a clone, `npm run build` makes one that does")
}

/// Refuses a name of a schema that would need quotes.
pub(crate) fn check_schema(name: &str) -> Result<()> {
    let mut letters = name.bytes();
    let begins = letters.next().is_some_and(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let goes_on = letters.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if begins && goes_on && name.len() <= 41 && !name.starts_with("pg_") {
        return Ok(());
    }
    Err(Error::new(Code::Config, "store.postgres.schema is no name of a schema")
        .remedy("Use at most 41 lower-case letters, digits and underscores, not a digit first nor pg_"))
}

/// The memory of an agent in a database.
#[derive(Debug, Clone)]
pub struct InDatabase {
    /// How the database is reached.
    pub options: Options,
    /// The name of the agent.
    pub agent: String,
    /// Whether tables are made, and brought to this engine's version, when they are not.
    pub migrate: bool,
    /// The file that the index would be: what belongs to the memory and not to its index is kept beside it, and vectors are
    /// taken over from indexes that lie there.
    pub beside: PathBuf,
}

impl InDatabase {
    /// What names it among all memories: a hash, because the address has a password in it.
    pub(crate) fn name(&self) -> [u8; 32] {
        let options = &self.options;
        Sha256::digest([&options.url, &options.schema, &options.tenant, &self.agent].map(String::as_str).join("\0"))
            .into()
    }
}
