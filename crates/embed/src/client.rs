//! The HTTP side: what is sent and what comes back, and how an address may be shown. `pool` sends it; without the feature
//! `hosted` there is none, and `not_built_in` refuses every request.

#[cfg(not(feature = "hosted"))]
mod not_built_in;
#[cfg(feature = "hosted")]
pub(crate) mod pool;
#[cfg(feature = "hosted")]
mod retry_after;

use std::{net::IpAddr, time::Duration};

use http::{
    Method, StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue},
};
use url::Url;

use super::account::Authorization;
use model::error::Result;

#[cfg(not(feature = "hosted"))]
pub use self::not_built_in::Http;
#[cfg(feature = "hosted")]
pub use self::pool::Http;

/// One request.
#[cfg_attr(not(feature = "hosted"), expect(dead_code, reason = "such a build sends none"))]
pub struct Call {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Vec<u8>,
    timeout: Duration,
    max_bytes: usize,
}

impl Call {
    /// A request that carries the headers of an account. `timeout` bounds the whole exchange, from connecting to the
    /// last byte, `max_bytes` the reply that is read, after decompression.
    ///
    /// # Errors
    /// When the headers do not belong to the host of `url`: nothing is sent then.
    pub fn new(
        authorization: &Authorization,
        method: Method,
        url: Url,
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Self> {
        let headers = authorization.headers_for(&url)?;
        Ok(Self { method, url, headers, body: Vec::new(), timeout, max_bytes })
    }

    /// The same with a body.
    #[must_use]
    pub(crate) fn with_body(mut self, content_type: HeaderValue, bytes: Vec<u8>) -> Self {
        self.headers.insert(CONTENT_TYPE, content_type);
        self.body = bytes;
        self
    }
}

/// What came back, whatever its status.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: StatusCode,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: Vec<u8>,
}

/// Scheme, host and port: all of an address that may be shown.
#[must_use]
pub fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Whether the address is on this machine.
#[must_use]
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.ends_with(".localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_origin_of_an_address_is_shown() {
        let url = Url::parse("https://user:pass@host.example:8443/v1/x?key=secret").unwrap();
        assert_eq!(origin(&url), "https://host.example:8443");
    }

    // `idna_adapter` of another version reads names of hosts with other tables, or with none.
    #[test]
    fn names_of_hosts_may_be_of_any_script() {
        for (written, asked) in [
            ("https://BÜCHER.example/v1", "https://xn--bcher-kva.example"),
            ("https://пример.испытание", "https://xn--e1afmkfd.xn--80akhbyknj4f"),
            ("https://例え.テスト:8443", "https://xn--r8jz45g.xn--zckzah:8443"),
            ("https://faß.example", "https://xn--fa-hia.example"),
        ] {
            assert_eq!(origin(&Url::parse(written).unwrap()), asked);
        }
        for refused in ["https://a\u{200d}b.example", "https://a\u{2488}.example", "https://xn--a.example"] {
            assert!(Url::parse(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn loopback_is_recognised() {
        for (address, expected) in [
            ("http://127.0.0.1:1/", true),
            ("http://[::1]:1/", true),
            ("http://localhost/", true),
            ("http://localhost.example/", false),
            ("https://api.openai.com/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
