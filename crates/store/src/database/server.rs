//! What a database server says of itself and of the memory's schema: for status and doctor.

use std::fmt;

use serde::Serialize;

use super::InDatabase;
use model::{
    config::settings::NearIn,
    error::{Code, Error, Result},
};

/// The oldest version of the extension that has all that is used.
const OLDEST_VECTOR: (u32, u32) = (0, 7);

/// It can be asked where nothing of the memory may be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Server {
    /// Version of PostgreSQL.
    pub version: String,
    /// Version of the extension pgvector; none = it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<String>,
    /// Whether the way to it, or to a pooler in between, is encrypted.
    pub encrypted: bool,
    /// Whether it is a standby, which takes no writes.
    pub standby: bool,
    /// How far a standby is behind, in milliseconds; none = it is none, or has replayed nothing yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_ms: Option<u64>,
    /// Version of the tables; none = there are none, or they may not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<i32>,
    /// The version that this engine makes.
    pub newest: i32,
    /// What the engine's role lacks, as the statement that grants it; `<role>` stands for its name.
    pub missing: Vec<String>,
    /// How long two questions and their answers took, in milliseconds.
    pub answered_ms: u64,
}

/// Where the vectors of an index are compared with a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparing {
    /// Whether the database does it.
    pub in_database: bool,
    /// What was chosen.
    pub chosen: NearIn,
    /// Bytes that they take in memory, or would take, about.
    pub bytes: usize,
    /// Most bytes that they may take in memory, where nothing else is chosen.
    pub most: usize,
}

/// Where and why, after "compared".
impl fmt::Display for Comparing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [takes, may] = [self.bytes, self.most].map(|bytes| bytes.div_ceil(1 << 20));
        if self.in_database {
            write!(f, "in the database; in memory they would take {takes} MB")?;
        } else {
            write!(f, "in memory, where they take {takes} MB")?;
        }
        match self.chosen {
            NearIn::Auto => write!(f, ", of {may} MB at most (store.postgres.arenaMaxMb)"),
            NearIn::Local | NearIn::Database => f.write_str(" (store.postgres.search)"),
        }
    }
}

impl Server {
    /// What keeps the extension from being used, with what an administrator does about it; none when all is well.
    #[must_use]
    pub fn lacks_vector(&self) -> Option<Error> {
        lacks_vector(self.vector.as_deref())
    }
}

/// What keeps a version of the extension, none of it too, from being used.
pub(crate) fn lacks_vector(version: Option<&str>) -> Option<Error> {
    let Some(version) = version else {
        return Some(
            Error::new(Code::Config, "the database lacks the extension pgvector")
                .remedy("An administrator runs once, in this database: CREATE EXTENSION vector"),
        );
    };
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    let known = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    (known < OLDEST_VECTOR).then(|| {
        Error::new(Code::Config, "the extension pgvector of the database is older than 0.7")
            .remedy("An administrator installs a newer one and runs: ALTER EXTENSION vector UPDATE")
    })
}

/// Asks the server of a place what it says of itself, also where the memory in it cannot be opened.
///
/// # Errors
/// [`Code::Config`] when it cannot be reached so, or nothing is built in that speaks with it; what connecting gives.
#[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "nobody to ask"))]
pub fn examine(place: &InDatabase) -> Result<Server> {
    #[cfg(feature = "postgres")]
    return crate::postgres::Served::examine(place);
    #[cfg(not(feature = "postgres"))]
    Err(super::not_built_in())
}
