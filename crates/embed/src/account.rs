//! A provider's account: where its requests go, with the key and the headers that belong there and nowhere else.

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::{
    client::{is_loopback, origin},
    provider::Provider,
    redact::Redactor,
    secret::{Credentials, Secret},
};
use model::error::{Code, Error, Result};

/// Where the key of a provider goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// `x-goog-api-key: …`
    Google,
}

/// One provider as it was resolved from the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The id under which the settings name the provider.
    pub provider: String,
    /// What the provider speaks, when its id is none that is known.
    pub api: Option<Provider>,
    /// Whether `auto` may choose it.
    pub automatic: bool,
    /// The setting that the address comes from, for people.
    pub address_from: Option<String>,
    /// Where the key comes from, for people; none without a key.
    pub key_from: Option<String>,
    base: Option<Url>,
    credentials: Credentials,
    problem: Option<Error>,
}

impl Account {
    /// An account at an address, without key. An address that cannot be used is told by [`Account::base`].
    #[must_use]
    pub fn new(provider: &str, address: Option<&str>) -> Self {
        let base = address.map(usable).transpose();
        Self {
            provider: provider.to_owned(),
            api: None,
            automatic: false,
            address_from: None,
            key_from: None,
            problem: base.as_ref().err().cloned(),
            base: base.unwrap_or_default(),
            credentials: Credentials::default(),
        }
    }

    /// The same with a key and headers, which are sent to its address only.
    #[must_use]
    pub fn with_credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// The same, but of no use, and why.
    #[must_use]
    pub fn with_problem(mut self, problem: Error) -> Self {
        self.problem = Some(problem);
        self
    }

    /// Why it cannot be used.
    ///
    /// # Errors
    /// The problem that resolving it found, if there is one.
    pub fn check(&self) -> Result<()> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    /// Below which address requests go.
    ///
    /// # Errors
    /// [`Code::Config`] when there is none, or none that can be used.
    pub fn base(&self) -> Result<&Url> {
        self.check()?;
        self.base.as_ref().ok_or_else(|| {
            Error::new(Code::Config, format!("the embedding provider {} has no address", self.provider))
                .remedy("Set `remote.baseUrl` to the address of the server")
        })
    }

    /// The address without its query, which may hold a key.
    #[must_use]
    pub fn shown_address(&self) -> Option<String> {
        self.base.as_ref().map(|url| format!("{}{}", origin(url), url.path().trim_end_matches('/')))
    }

    /// Whether texts stay on this machine.
    #[must_use]
    pub fn is_on_this_machine(&self) -> bool {
        self.base.as_ref().is_some_and(is_loopback)
    }

    /// Takes its secrets out of what a server says.
    #[must_use]
    pub(crate) fn redactor(&self) -> Redactor {
        Redactor::new(&self.credentials, self.base.as_ref())
    }

    /// Key and headers as they are sent, tied to the host of the address: one for each key, and one without any key.
    ///
    /// # Errors
    /// [`Code::Config`] without an address, and when a header cannot be sent; its name is told, never its value.
    pub fn authorizations(&self, key: KeyHeader) -> Result<Vec<Authorization>> {
        let base = self.base()?;
        let bound = |value| Ok(Authorization { base: base.clone(), headers: headers(key, value, &self.credentials)? });
        let mut each: Vec<_> = self.credentials.keys().map(|value| bound(Some(value))).collect::<Result<_>>()?;
        if each.is_empty() {
            each.push(bound(None)?);
        }
        Ok(each)
    }
}

/// The headers of an account. They can only be had for an address on the host that they belong to.
pub struct Authorization {
    base: Url,
    headers: HeaderMap,
}

impl Authorization {
    /// The headers of a request to `url`.
    ///
    /// # Errors
    /// [`Code::Internal`] when the address is on another host, by scheme, name or port.
    pub(crate) fn headers_for(&self, url: &Url) -> Result<HeaderMap> {
        if url.origin() == self.base.origin() {
            return Ok(self.headers.clone());
        }
        let (here, there) = (origin(&self.base), origin(url));
        Err(Error::new(Code::Internal, format!("the key for {here} is not sent to {there}"))
            .remedy("Report this as a bug of memory-core-rs"))
    }
}

/// An http or https address without user and password, which would reach logs and status.
fn usable(address: &str) -> Result<Url> {
    let url = Url::parse(address.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .filter(|url| url.username().is_empty() && url.password().is_none())
        .ok_or_else(|| {
            // The value may carry a key, so it is not repeated.
            let message = "the address of the embedding provider is no http(s) address without user and password";
            Error::new(Code::Config, message).remedy("Set it to something like https://api.openai.com/v1")
        })
}

/// The headers of every request: ours, then the key, then the configured ones, which win (D10).
fn headers(key: KeyHeader, value: Option<&str>, credentials: &Credentials) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(value) = value {
        let (name, value) = match key {
            KeyHeader::Bearer => (AUTHORIZATION, Secret::new(format!("Bearer {value}"))),
            KeyHeader::Google => (HeaderName::from_static("x-goog-api-key"), Secret::new(value)),
        };
        headers.insert(name, sensitive(&value).ok_or_else(|| unsendable("the API key"))?);
    }
    for (name, value) in &credentials.headers {
        let sendable = HeaderName::from_bytes(name.as_bytes()).ok().zip(sensitive(value));
        let (header, value) = sendable.ok_or_else(|| unsendable(&format!("the header {name:?}")))?;
        headers.insert(header, value);
    }
    Ok(headers)
}

fn unsendable(what: &str) -> Error {
    Error::new(Code::Config, format!("{what} has characters that HTTP cannot carry"))
        .remedy("Look for line breaks and quotes that came along when it was copied")
}

/// A header value that libraries do not write into their logs.
fn sensitive(secret: &Secret) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(secret.expose()).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(address: &str) -> Account {
        let credentials = Credentials { api_key: Some(Secret::new("canary-key")), ..Credentials::default() };
        Account::new("openai", Some(address)).with_credentials(credentials)
    }

    #[test]
    fn configured_headers_win_and_bad_ones_are_named() {
        let mut credentials =
            Credentials { headers: vec![("authorization".into(), Secret::new("Custom x"))], ..Credentials::default() };
        assert_eq!(headers(KeyHeader::Bearer, Some("k"), &credentials).unwrap()[AUTHORIZATION], "Custom x");
        credentials.headers = vec![("x-a".into(), Secret::new("canary\nvalue"))];
        let error = headers(KeyHeader::Bearer, Some("k"), &credentials).unwrap_err();
        assert_eq!(error.code(), Code::Config);
        assert!(error.message.contains("x-a") && !error.message.contains("canary"), "{error}");
    }

    // Any request could carry the headers of any provider: nothing but care kept a key from another host.
    #[test]
    fn a_key_is_for_the_host_of_its_address_only() {
        let bound = account("https://proxy.example:8443/v1").authorizations(KeyHeader::Bearer).unwrap().remove(0);
        for (address, own) in [
            ("https://proxy.example:8443/v1/embeddings", true),
            ("https://PROXY.example:8443/other?x=1", true),
            ("https://proxy.example/v1/embeddings", false),
            ("http://proxy.example:8443/v1/embeddings", false),
            ("https://proxy.example.evil:8443/v1/embeddings", false),
            ("https://api.openai.com/v1/embeddings", false),
        ] {
            let found = bound.headers_for(&Url::parse(address).unwrap());
            assert_eq!(found.is_ok_and(|headers| headers[AUTHORIZATION] == "Bearer canary-key"), own, "{address}");
        }
    }

    #[test]
    fn an_address_that_cannot_be_used_is_told_without_repeating_it() {
        for address in ["ftp://x", "localhost:1234", "https://user:canary@x/v1", "https://", "no address?key=canary"] {
            let error = account(address).base().unwrap_err();
            assert_eq!(error.code(), Code::Config);
            assert!(!error.to_string().contains("canary"), "{error}");
        }
        assert_eq!(Account::new("x", None).base().unwrap_err().code(), Code::Config);
    }

    #[test]
    fn the_query_of_an_address_is_not_shown() {
        let shown = account("http://127.0.0.1:9/v1/?key=canary").shown_address();
        assert_eq!(shown.as_deref(), Some("http://127.0.0.1:9/v1"));
    }
}
