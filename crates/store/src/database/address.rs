//! The address of a database whose parts the settings name one by one.

use std::net::{IpAddr, Ipv6Addr};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use model::error::{Code, Error, Result};

/// The port of PostgreSQL, where none is named.
const PORT: u16 = 5432;

/// The longest name of a host in the DNS.
const LONGEST_HOST: usize = 253;

/// The longest name of a user or database that is taken: some poolers write more into it than a server would take.
const LONGEST_NAME: usize = 255;

/// What stands in an address as it is.
const QUOTED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// What the settings say of a database instead of `store.postgres.url`, each as it is written. There is no debug text of it:
/// where a database is, and who uses it, is nobody's business.
#[derive(Default)]
pub struct Parts {
    /// A name, an IP address, or the folder of a socket.
    pub host: Option<String>,
    /// A number from 1 to 65,535; default 5432.
    pub port: Option<String>,
    /// The name of the database.
    pub database: Option<String>,
    /// Who logs in.
    pub user: Option<String>,
    /// Whether `store.postgres.url` is written too, readable or not.
    pub beside_url: bool,
}

fn wrong(what: impl Into<String>, remedy: &'static str) -> Error {
    Error::new(Code::Config, what).remedy(remedy)
}

impl Parts {
    /// The address that they come to, without a password. No error repeats anything of them.
    ///
    /// # Errors
    /// [`Code::Config`] when there is an address besides, when one of them is missing, and when one is not what it should be.
    pub fn url(&self) -> Result<String> {
        let named = [("host", &self.host), ("port", &self.port), ("database", &self.database), ("user", &self.user)];
        if self.beside_url {
            let given = named.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| *name);
            let given = std::iter::once("url").chain(given).collect::<Vec<_>>().join(", ");
            return Err(wrong(
                format!("store.postgres names the database twice ({given})"),
                "Keep store.postgres.url, or take it out and set host, port, database and user; look at the settings of the \
                 agent and at those for all agents",
            ));
        }
        let (Some(host), Some(database), Some(user)) = (&self.host, &self.database, &self.user) else {
            let missing = named.iter().filter(|(name, value)| *name != "port" && value.is_none());
            let missing = missing.map(|(name, _)| format!("store.postgres.{name}")).collect::<Vec<_>>().join(", ");
            return Err(wrong(
                format!("of the database's address there is no {missing}, or it names a variable that is not set"),
                "Set host, database and user of store.postgres, and port where it is not 5432; or url instead of them all",
            ));
        };
        let (host, port) = (host_in_url(host)?, self.port()?);
        let (user, database) = (name_in_url("user", user)?, name_in_url("database", database)?);
        Ok(format!("postgresql://{user}@{host}:{port}/{database}"))
    }

    fn port(&self) -> Result<u16> {
        let Some(port) = &self.port else { return Ok(PORT) };
        // A sign is taken by the parser.
        let digits = Some(port).filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        let port = digits.and_then(|port| port.parse().ok()).filter(|port| *port != 0);
        port.ok_or_else(|| wrong("store.postgres.port is no port", "Use a whole number from 1 to 65535"))
    }
}

/// One server: with several it would have to be said which of them is meant.
fn host_in_url(host: &str) -> Result<String> {
    if host.starts_with('/') && cfg!(unix) && !host.contains('\0') {
        return Ok(utf8_percent_encode(host, QUOTED).to_string());
    }
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    if address.parse::<Ipv6Addr>().is_ok() {
        return Ok(format!("[{address}]"));
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    let labels = host.strip_suffix('.').unwrap_or(host);
    let is_name = host.len() <= LONGEST_HOST && labels.split('.').all(is_label);
    // What looks like a number and is no address would be one to some resolvers.
    let is_number = labels.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    if host.parse::<IpAddr>().is_ok() || (is_name && !is_number) {
        return Ok(host.to_owned());
    }
    Err(wrong(
        "store.postgres.host is neither the name of a host, nor an IP address, nor the folder of a socket",
        "Use one host without port and user (names with other letters as xn--…), or set store.postgres.url for several",
    ))
}

fn name_in_url(setting: &str, name: &str) -> Result<String> {
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains('\0') {
        return Err(wrong(format!("store.postgres.{setting} is empty or too long"), "Use at most 255 bytes"));
    }
    Ok(utf8_percent_encode(name, QUOTED).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(host: &str, port: &str, database: &str, user: &str) -> Parts {
        let given = |text: &str| Some(text.to_owned()).filter(|text| text != "-");
        let (host, port, database, user) = (given(host), given(port), given(database), given(user));
        Parts { host, port, database, user, beside_url: false }
    }

    #[test]
    fn parts_come_to_the_address_that_one_would_write() {
        for (host, port, database, user, url) in [
            ("db.example", "-", "memory", "ana", "postgresql://ana@db.example:5432/memory"),
            ("127.0.0.1", "6432", "memory", "ana", "postgresql://ana@127.0.0.1:6432/memory"),
            ("::1", "1", "memory", "ana", "postgresql://ana@[::1]:1/memory"),
            ("[2001:db8::7]", "65535", "memory", "ana", "postgresql://ana@[2001:db8::7]:65535/memory"),
            ("db_1.internal.", "-", "m", "ana.project", "postgresql://ana.project@db_1.internal.:5432/m"),
            ("h", "-", "a/b?sslmode=disable", "ü@x:y", "postgresql://%C3%BC%40x%3Ay@h:5432/a%2Fb%3Fsslmode%3Ddisable"),
            ("h", "-", "100%", "%41", "postgresql://%2541@h:5432/100%25"),
        ] {
            assert_eq!(parts(host, port, database, user).url(), Ok(url.to_owned()));
        }
    }

    #[test]
    fn what_is_no_single_host_and_no_port_is_refused() {
        let long = format!("{}.example", "a".repeat(LONGEST_HOST));
        for host in [
            "",
            " ",
            "db example",
            "db.example/x",
            "db.example:5433",
            "a,b",
            "ana@db.example",
            "postgresql://db.example",
            "db..example",
            "[::1",
            "::1]",
            "[db.example]",
            "fe80::1%eth0",
            "db%2Eexample",
            "dü.example",
            "127.0.0",
            "2130706433",
            "127.0.0.256",
            "db\0",
            "/a\0b",
            "db.example?sslmode=disable",
            "db.example#",
            "..",
            &long,
        ] {
            let refused = parts(host, "-", "memory", "ana").url().unwrap_err();
            assert!(
                refused.code() == Code::Config && refused.message.contains("store.postgres.host"),
                "{host}: {refused}"
            );
        }
        for port in ["0", "70000", "65536", "-1", "+1", "5432a", "", " 1", "1e3", "０"] {
            let refused = parts("h", port, "memory", "ana").url().unwrap_err();
            assert!(
                refused.code() == Code::Config && refused.message.contains("store.postgres.port"),
                "{port}: {refused}"
            );
        }
        for (database, user, named) in
            [("a\0b", "ana", "database"), ("m", "a\0user\0postgres", "user"), ("m", &long[..], "user")]
        {
            let refused = parts("h", "-", database, user).url().unwrap_err();
            assert!(refused.message.contains(&format!("store.postgres.{named}")), "{refused}");
        }
    }

    #[test]
    fn what_is_missing_or_named_twice_is_told_and_nothing_of_it_repeated() {
        for (parts, says) in [
            (parts("c4nary", "-", "-", "-"), "no store.postgres.database, store.postgres.user, or"),
            (parts("-", "5432", "c4nary", "c4nary"), "no store.postgres.host, or"),
            (Parts { beside_url: true, ..parts("c4nary", "-", "-", "c4nary") }, "twice (url, host, user)"),
            (Parts { beside_url: true, ..parts("-", "-", "-", "-") }, "twice (url)"),
            (parts("c4nary/", "-", "c4nary", "c4nary"), "store.postgres.host is neither"),
            (parts("c4nary", "c4nary", "c4nary", "c4nary"), "store.postgres.port is no port"),
        ] {
            let refused = parts.url().unwrap_err();
            assert!(refused.message.contains(says) && refused.remedy.is_some(), "{refused}");
            assert!(!format!("{refused} {refused:?}").contains("c4nary"), "{refused:?}");
        }
    }
}
