//! What the database answers, in the words of this crate. Its own words never are: they hold names of users and hosts, and
//! parts of rows.

use std::{error::Error as StdError, io};

use rustls::{CertificateError, Error as TlsError, InvalidMessage};
use tokio_postgres::error::SqlState;

use model::error::{Code, Error, FREE_SPACE};

const CHECK_LOGIN: &str = "Check user and password in store.postgres, and the server's pg_hba.conf";
const WAIT: &str = "Nothing to do: it is tried again";
const CHECK_SERVER: &str = "See whether the database runs and can be reached from this machine; then background work goes on by \
    itself, and a command has to be run again";
const LACKS_RIGHT: &str = "the database user lacks a right";
const CHECK_AUTHORITY: &str =
    "Name the certificate of the authority that signed the server's in store.postgres.sslRootCert";

/// The error of a call to the database.
pub(super) fn of_postgres(error: &tokio_postgres::Error) -> Error {
    if let Some(told) = error.as_db_error() {
        return of_pooler(told.code(), told.message()).unwrap_or_else(|| of_state(told.code()));
    }
    if let Some(tls) = cause::<TlsError>(error) {
        return of_tls(tls);
    }
    if let Some(failed) = cause::<io::Error>(error) {
        return of_io(failed);
    }
    if error.is_closed() {
        return away("the connection to the database ended");
    }
    if error.to_string().starts_with("error performing TLS handshake") {
        return Error::new(Code::Config, "the database does not speak TLS")
            .remedy("Turn ssl on at the server; store.postgres.ssl \"disable\" does without, where nobody else is on the way to it");
    }
    if error.to_string().starts_with("authentication error") {
        return Error::new(Code::Config, "the database asks for a proof of who this is in a way that is not known")
            .remedy(CHECK_LOGIN);
    }
    // The crate takes it for a mistake in what it was configured with.
    if error.source().is_some_and(|cause| cause.to_string() == "password missing") {
        return Error::new(Code::Config, "the database asks for a password, and there is none").remedy(
            "Name a secret in store.postgres.password, or write the password into the address of store.postgres.url",
        );
    }
    // Values of another type than was asked for, an answer out of turn: names of columns at most.
    Error::new(Code::Internal, format!("the database was used in a wrong way ({error})"))
}

/// That the database is away for the moment.
pub(super) fn away(why: &str) -> Error {
    Error::new(Code::Io, why).remedy(CHECK_SERVER)
}

/// That nobody tells the password.
pub(super) fn no_password(why: &str) -> Error {
    Error::new(Code::Config, format!("the password of the database is not known: {why}"))
        .remedy("See that store.postgres.password names a secret that can be read")
}

/// The first error of a kind that another one comes from.
fn cause<E: StdError + 'static>(error: &tokio_postgres::Error) -> Option<&E> {
    let mut next: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        // An error of the system hides what it was made of from `source`.
        next = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

fn of_io(error: &io::Error) -> Error {
    match error.kind() {
        // What the client makes of a server that is read-only, when it looks for one that is not.
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => read_only(),
        io::ErrorKind::ConnectionRefused => away("the database cannot be reached (connection refused)"),
        io::ErrorKind::TimedOut => away("the database cannot be reached (no answer in time)"),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
            away("the connection to the database ended")
        }
        // The standard library has no kind for it.
        _ if error.to_string().starts_with("failed to lookup address information") => {
            away("the database cannot be reached (its name is not known)")
        }
        kind => away(&format!("the database cannot be reached ({kind})")),
    }
}

fn of_tls(error: &TlsError) -> Error {
    let (what, remedy) = match error {
        TlsError::InvalidCertificate(certificate) => match certificate {
            CertificateError::UnknownIssuer => {
                ("the database's certificate is from somebody who is not trusted", CHECK_AUTHORITY)
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => (
                "the database's certificate is for another host name",
                "Use the name in the certificate as host in store.postgres.url, or as store.postgres.host",
            ),
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                ("the database's certificate has expired", "Renew it at the server; nothing is sent until then")
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                ("the database's certificate is not valid yet", "Check the clocks of both machines")
            }
            CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => (
                "the database's certificate is that of an authority, not of a server",
                "Sign a certificate for the server with it (`openssl req -x509` made an authority), and name the authority's \
                 in store.postgres.sslRootCert",
            ),
            _ => ("the database's certificate cannot be verified", CHECK_AUTHORITY),
        },
        TlsError::InvalidMessage(InvalidMessage::InvalidContentType) => {
            ("the database does not speak TLS as expected", "Check host and port in the settings of store.postgres")
        }
        _ => (
            "TLS with the database failed",
            "Check the server's TLS settings, and host and port in those of store.postgres",
        ),
    };
    Error::new(Code::Config, what).remedy(remedy)
}

/// What making tables was refused with: where the right to make them is missing, no grant on tables helps.
pub(super) fn of_making_tables(error: Error) -> Error {
    if error.code() != Code::Config || error.message != LACKS_RIGHT {
        return error;
    }
    Error::new(Code::Config, format!("{LACKS_RIGHT}: it may make or change no tables")).remedy(
        "An administrator runs what `openclaw memory store schema --role <role>` prints, with this user for <role>",
    )
}

fn read_only() -> Error {
    Error::new(Code::ReadOnly, "the database is read-only: a standby, or set so")
        .remedy("Name the primary in store.postgres.url; of several hosts, add target_session_attrs=read-write")
}

/// What pgbouncer says of itself: it has one code for all, and words of its own. None for what is not its refusal.
fn of_pooler(state: &SqlState, words: &str) -> Option<Error> {
    if *state != SqlState::PROTOCOL_VIOLATION {
        return None;
    }
    if words.contains("authentication failed") || words.contains("no such user") {
        return Some(of_state(&SqlState::INVALID_PASSWORD));
    }
    if words.contains("no such database") || (words.starts_with("database ") && words.ends_with(" does not exist")) {
        return Some(of_state(&SqlState::INVALID_CATALOG_NAME));
    }
    words.contains("unsupported startup parameter").then(|| {
        Error::new(Code::Config, "the pooler in front of the database does not take a parameter of the address").remedy(
            "Take what it does not know out of the end of store.postgres.url, or have the pooler ignore it \
             (ignore_startup_parameters)",
        )
    })
}

fn of_state(state: &SqlState) -> Error {
    let told = |code: Code, what: &str, remedy: &'static str| Error::new(code, what).remedy(remedy);
    match *state {
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            told(Code::Config, "the database refused user or password", CHECK_LOGIN)
        }
        SqlState::INVALID_CATALOG_NAME => told(
            Code::Config,
            "the server has no such database",
            "Check the name at the end of store.postgres.url, or store.postgres.database, or have it created",
        ),
        SqlState::INSUFFICIENT_PRIVILEGE => {
            told(Code::Config, LACKS_RIGHT, "Run `openclaw memory doctor`, which names the GRANT that is missing")
        }
        SqlState::READ_ONLY_SQL_TRANSACTION => read_only(),
        SqlState::DISK_FULL => told(Code::DiskFull, "no space left at the database", FREE_SPACE),
        SqlState::OUT_OF_MEMORY => away("no memory left at the database"),
        SqlState::TOO_MANY_CONNECTIONS | SqlState::CONFIGURATION_LIMIT_EXCEEDED => told(
            Code::Busy,
            "the database takes no more connections",
            "Raise max_connections, or the limit of this role or database (ALTER ROLE or DATABASE … CONNECTION LIMIT) \
             where it has one; lower store.postgres.poolSize, or put a pooler in between",
        ),
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
            away("a transaction stood still for too long, and the database ended it")
        }
        SqlState::QUERY_CANCELED => Error::new(Code::Deadline, "the database took too long, and was stopped"),
        SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED | SqlState::LOCK_NOT_AVAILABLE => {
            told(Code::Busy, "another process is writing to the database", WAIT)
        }
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            away("the database is starting or stopping")
        }
        SqlState::UNDEFINED_TABLE | SqlState::UNDEFINED_COLUMN | SqlState::INVALID_SCHEMA_NAME => told(
            Code::Corrupt,
            "a table of the memory is missing in the database, or other than it was made",
            "Run `openclaw memory doctor`",
        ),
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
            told(Code::Corrupt, "the database is damaged, it says", "Restore it from a backup; the notes are untouched")
        }
        _ if state.code().starts_with("08") => away("the connection to the database ended"),
        _ => Error::new(Code::Internal, format!("the database refused a statement (SQLSTATE {})", state.code())),
    }
}

/// That the server is of an older version than is needed.
pub(super) fn too_old(version: &str) -> Error {
    // What a server says of itself is somebody else's text.
    let version: String = version.chars().take_while(|c| c.is_ascii_digit() || *c == '.').take(12).collect();
    Error::new(Code::Config, format!("the database is PostgreSQL {version}, and 15 or newer is needed"))
        .remedy("Upgrade the server, or use another one")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command that failed does not go on by itself.
    #[test]
    fn a_database_that_is_away_says_what_goes_on_by_itself_and_what_does_not() {
        let told = of_state(&SqlState::ADMIN_SHUTDOWN).to_string();
        assert!(told.contains("background work goes on by itself, and a command has to be run again"), "{told}");
    }

    /// A role's or a database's own limit has the same SQLSTATE, and max_connections does nothing for it.
    #[test]
    fn that_connections_are_all_taken_names_every_limit_there_may_be() {
        let told = of_state(&SqlState::TOO_MANY_CONNECTIONS);
        assert_eq!(told.code(), Code::Busy);
        for limit in ["max_connections", "ALTER ROLE", "DATABASE", "CONNECTION LIMIT", "store.postgres.poolSize"] {
            assert!(told.to_string().contains(limit), "{limit}: {told}");
        }
    }
}
