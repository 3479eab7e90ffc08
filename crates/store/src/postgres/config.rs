//! Where the database is and how it is spoken to, checked before anything is sent.

use std::{net::IpAddr, time::Duration};

use tokio_postgres::config::{Host, SslMode};

pub use crate::database::Options;
use crate::database::check_schema;
use model::{
    config::settings::DatabaseSsl,
    error::{Code, Error, Result},
};

/// What [`Options`] come to.
pub(super) struct Checked {
    pub(super) server: tokio_postgres::Config,
    /// Never [`DatabaseSsl::Auto`].
    pub(super) ssl: DatabaseSsl,
}

fn wrong(what: impl Into<String>, remedy: &'static str) -> Error {
    Error::new(Code::Config, what).remedy(remedy)
}

/// What the address says of TLS besides what it says of the server, and the address without.
fn split_ssl(url: &str) -> Result<(String, DatabaseSsl)> {
    let Some((address, query)) = url.split_once('?') else { return Ok((url.to_owned(), DatabaseSsl::Auto)) };
    let mut ssl = DatabaseSsl::Auto;
    let mut rest = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslmode", mode)) => {
                ssl = match mode {
                    "verify-full" | "verify-ca" => DatabaseSsl::VerifyFull,
                    "require" => DatabaseSsl::Require,
                    "disable" => DatabaseSsl::Disable,
                    // They would go on without TLS when the server has none.
                    "prefer" | "allow" => DatabaseSsl::Auto,
                    _ => {
                        return Err(wrong(
                            "the database address has an unknown sslmode",
                            "Use verify-full, require or disable",
                        ));
                    }
                };
            }
            Some(("sslrootcert", _)) => {
                return Err(wrong(
                    "the database address names a sslrootcert",
                    "Set store.postgres.sslRootCert instead",
                ));
            }
            _ => rest.push(pair),
        }
    }
    let separator = if rest.is_empty() { "" } else { "?" };
    Ok((format!("{address}{separator}{}", rest.join("&")), ssl))
}

/// Whether all servers are on this machine.
fn is_local(server: &tokio_postgres::Config) -> bool {
    let is_local = |host: &Host| match host {
        Host::Tcp(name) => {
            let name = name.trim_start_matches('[').trim_end_matches(']');
            name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    server.get_hosts().iter().all(is_local) && server.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

impl Options {
    /// Checks all of it. No error repeats anything of the address.
    pub(super) fn check(&self) -> Result<Checked> {
        check_schema(&self.schema)?;
        if self.tenant.is_empty() || self.tenant.len() > 200 || self.tenant.contains('\0') {
            return Err(wrong("store.postgres.tenant is empty or too long", "Use at most 200 bytes"));
        }
        let format = "Use postgresql://user:password@host:5432/database; in user and password write % and what is none of \
                      letters and digits as %25 and the like";
        if !self.url.starts_with("postgresql://") && !self.url.starts_with("postgres://") {
            return Err(wrong("store.postgres.url is no address of a PostgreSQL database", format));
        }
        let (address, named) = split_ssl(&self.url)?;
        let parsed = address.parse::<tokio_postgres::Config>();
        // The parser's own words can repeat what stands there.
        let mut server = parsed.map_err(|_| wrong("store.postgres.url cannot be read", format))?;
        if server.get_hosts().is_empty() && server.get_hostaddrs().is_empty() {
            return Err(wrong("store.postgres.url names no host", format));
        }
        let is_local = is_local(&server);
        let default = if is_local { DatabaseSsl::Disable } else { DatabaseSsl::VerifyFull };
        let ssl = [self.ssl, named].into_iter().find(|ssl| *ssl != DatabaseSsl::Auto).unwrap_or(default);
        if ssl == DatabaseSsl::Disable && !is_local && self.ssl == DatabaseSsl::Auto {
            return Err(wrong(
                "the way to the database would not be encrypted, and it leaves this machine",
                "Take sslmode=disable out of the address, or set store.postgres.ssl to \"disable\" if that is meant",
            ));
        }
        server.ssl_mode(if ssl == DatabaseSsl::Disable { SslMode::Disable } else { SslMode::Require });
        server.connect_timeout(self.connect_timeout);
        notice_silence(&mut server);
        if server.get_application_name().is_none() {
            server.application_name("openclaw-memory");
        }
        Ok(Checked { server, ssl })
    }
}

/// How long the other end of a connection may be silent: not acknowledge what was sent, or not answer probes while an answer is
/// waited for. A machine that is gone, or a way that swallows everything, says nothing, and the system would wait for up to two
/// hours. Longer than a route takes to change; a server that is alive acknowledges, however long its answer takes.
const SILENCE: Duration = Duration::from_secs(30);
/// When the first probe is sent, and the time between them.
const PROBES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(5)];
/// Probes without an answer after which a connection is over.
const RETRIES: u32 = 4;
/// What the driver has when an address says nothing of probes.
const DRIVERS_IDLE: Duration = Duration::from_secs(2 * 60 * 60);

/// Has the system end connections on which nobody is any more, where the address says nothing else. The limit for what was sent
/// is Linux's.
fn notice_silence(server: &mut tokio_postgres::Config) {
    if server.get_tcp_user_timeout().is_none() {
        server.tcp_user_timeout(SILENCE);
    }
    let is_unsaid = server.get_keepalives_idle() == DRIVERS_IDLE
        && server.get_keepalives_interval().is_none()
        && server.get_keepalives_retries().is_none();
    if is_unsaid {
        let [idle, interval] = PROBES;
        server.keepalives_idle(idle).keepalives_interval(interval).keepalives_retries(RETRIES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Parts;

    fn ssl(url: &str, ssl: DatabaseSsl) -> Result<DatabaseSsl> {
        Options { ssl, ..Options::new(url) }.check().map(|checked| checked.ssl)
    }

    // A read waited for a machine that was gone until the memory was closed, up to two hours.
    #[test]
    fn silence_is_noticed_in_half_a_minute_unless_the_address_says_otherwise() {
        let of = |more: &str| {
            let server = Options::new(format!("postgresql://u:p@localhost/d{more}")).check().unwrap().server;
            let probes = (server.get_keepalives_interval(), server.get_keepalives_retries());
            (server.get_tcp_user_timeout().copied(), server.get_keepalives_idle(), probes)
        };
        let seconds = Duration::from_secs;
        let (silence, idle, (interval, retries)) = of("");
        assert_eq!(silence, Some(seconds(30)));
        assert_eq!(idle + interval.unwrap() * retries.unwrap(), seconds(30));
        let said = of("?tcp_user_timeout=7&keepalives_idle=9");
        assert_eq!(said, (Some(seconds(7)), seconds(9), (None, None)));
    }

    #[test]
    fn off_this_machine_the_server_is_verified_unless_something_else_is_written_out() {
        for local in ["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "%2Fvar%2Frun", "localhost,127.0.0.1"] {
            assert_eq!(
                ssl(&format!("postgresql://u:p@{local}/d"), DatabaseSsl::Auto),
                Ok(DatabaseSsl::Disable),
                "{local}"
            );
        }
        for remote in ["db.example", "10.0.0.1", "localhost,db.example", "localhost.example", "[::2]"] {
            let url = format!("postgresql://u:p@{remote}/d");
            assert_eq!(ssl(&url, DatabaseSsl::Auto), Ok(DatabaseSsl::VerifyFull), "{remote}");
            assert_eq!(
                ssl(&format!("{url}?sslmode=prefer"), DatabaseSsl::Auto),
                Ok(DatabaseSsl::VerifyFull),
                "{remote}"
            );
            assert_eq!(
                ssl(&format!("{url}?sslmode=require&application_name=x"), DatabaseSsl::Auto),
                Ok(DatabaseSsl::Require),
                "{remote}"
            );
            let plain = ssl(&format!("{url}?sslmode=disable"), DatabaseSsl::Auto).unwrap_err();
            assert!(plain.message.contains("would not be encrypted"), "{plain}");
            assert_eq!(ssl(&url, DatabaseSsl::Disable), Ok(DatabaseSsl::Disable), "{remote}");
        }
        assert_eq!(ssl("postgresql://localhost/d?hostaddr=10.0.0.1", DatabaseSsl::Auto), Ok(DatabaseSsl::VerifyFull));
        assert_eq!(ssl("postgresql://localhost/d?sslmode=verify-full", DatabaseSsl::Auto), Ok(DatabaseSsl::VerifyFull));
    }

    // A part with a slash, a comma or a question mark in it would be read as another part.
    #[test]
    fn an_address_of_parts_is_read_as_these_parts() {
        let names = ["memory", "a/b?sslmode=disable&host=x", "100% ü", "a,b@c:d", "%41", "#", "\u{1F980}'\"\\"];
        for (host, is_local) in [("db.example", false), ("2001:db8::7", false), ("::1", true), ("127.0.0.1", true)] {
            for name in names {
                let (database, user) = (name.to_owned(), format!("u{name}"));
                let parts = Parts {
                    host: Some(host.to_owned()),
                    database: Some(database),
                    user: Some(user),
                    ..Parts::default()
                };
                let checked = Options::new(parts.url().unwrap()).check().unwrap();
                assert_eq!(checked.server.get_hosts(), [Host::Tcp(host.to_owned())]);
                assert_eq!((checked.server.get_ports(), checked.server.get_dbname()), (&[5432][..], Some(name)));
                assert_eq!(
                    (checked.server.get_user(), checked.server.get_password()),
                    (Some(&*format!("u{name}")), None)
                );
                let expected = if is_local { DatabaseSsl::Disable } else { DatabaseSsl::VerifyFull };
                assert_eq!(checked.ssl, expected, "{host}");
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_folder_of_a_socket_is_a_host() {
        let of = |text: &str| Some(text.to_owned());
        let folder = "/run/a b,c:1/ü%41";
        let parts =
            Parts { host: of(folder), port: of("6432"), database: of("m"), user: of("ana"), ..Parts::default() };
        let checked = Options::new(parts.url().unwrap()).check().unwrap();
        assert_eq!(checked.server.get_hosts(), [Host::Unix(folder.into())]);
        assert_eq!((checked.server.get_ports(), checked.ssl), (&[6432][..], DatabaseSsl::Disable));
    }

    #[test]
    fn names_of_schemas_need_no_quotes() {
        for (name, is_right) in [
            ("openclaw_memory", true),
            ("_a1", true),
            ("1a", false),
            ("A", false),
            ("a-b", false),
            ("", false),
            ("a\"; drop schema public; --", false),
            ("pg_x", false),
            (&"a".repeat(41), true),
            (&"a".repeat(42), false),
        ] {
            let options = Options { schema: name.to_owned(), ..Options::new("postgresql://localhost/d") };
            assert_eq!(options.check().is_ok(), is_right, "{name}");
        }
    }

    #[test]
    fn no_error_and_no_debug_text_repeats_the_address() {
        let canary = "c4nary";
        for url in [
            "c4nary",
            "mysql://c4nary",
            "postgresql://c4nary:c4nary@c4nary:c4nary/c4nary",
            "postgresql:///c4nary",
            "postgresql://u:p@h/d?c4nary=c4nary",
            "postgresql://u:p@h/d?sslmode=c4nary",
            "postgresql://u:p@h/d?sslrootcert=c4nary",
            "postgresql://u:p@h/d?connect_timeout=c4nary",
            "postgresql://c4nary:c4nary@c4nary/c4nary?sslmode=disable",
        ] {
            let options = Options::new(url);
            let error = options.check().err().unwrap_or_else(|| panic!("{url} was taken"));
            assert_eq!(error.code(), Code::Config);
            assert!(error.remedy.is_some(), "{error}");
            let all = format!("{options:?} {error} {error:?}");
            assert!(!all.contains(canary), "{all}");
        }
    }
}
