//! One provider's account: its connection pool, its headers, its name in messages and its secrets.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Method, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};

use super::{
    client::{Call, Http, Reply, origin},
    fault::{Fault, Refusal, classify},
    redact::Redactor,
    secret::{Credentials, Secret},
};
use crate::error::{Code, Error, Result};

/// Where the key of a provider goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyHeader {
    /// `Authorization: Bearer …`
    Bearer,
    /// `x-goog-api-key: …`
    Google,
}

/// A body and its content type.
pub struct Body {
    /// The value of `Content-Type`.
    pub content_type: HeaderValue,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Body {
    /// A JSON body.
    #[must_use]
    pub const fn json(bytes: Vec<u8>) -> Self {
        Self { content_type: HeaderValue::from_static("application/json"), bytes }
    }
}

/// Sends requests on behalf of one provider.
pub struct Endpoint {
    http: Arc<Http>,
    headers: HeaderMap,
    redactor: Redactor,
    who: String,
}

impl Endpoint {
    /// A provider called `label` in messages, below `url`.
    ///
    /// # Errors
    /// [`Code::Config`] when a header cannot be sent; its name is told, never its value.
    pub fn new(http: Arc<Http>, label: &str, url: &Url, key: KeyHeader, credentials: &Credentials) -> Result<Self> {
        Ok(Self {
            http,
            headers: headers(key, credentials)?,
            redactor: Redactor::new(credentials, Some(url)),
            who: format!("{label} at {}", origin(url)),
        })
    }

    /// The provider's name in messages.
    #[must_use]
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Sends a request and returns the body of a success.
    ///
    /// # Errors
    /// What a refusal means, or why there is no reply.
    pub async fn call(
        &self,
        method: Method,
        url: Url,
        body: Option<Body>,
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Vec<u8>, Fault> {
        let reply = self.http.send(self.request(method, url, body, timeout, max_bytes)).await?;
        if reply.status.is_success() { Ok(reply.body) } else { Err(self.refusal(&reply)) }
    }

    /// Sends a `GET` and hands over the lines of a success one by one; a line has at most `max_line` bytes.
    ///
    /// # Errors
    /// As [`Endpoint::call`], and when `line` fails.
    pub async fn lines(
        &self,
        url: Url,
        timeout: Duration,
        max_line: usize,
        line: &mut (dyn FnMut(&[u8]) -> Result<(), Fault> + Send),
    ) -> Result<(), Fault> {
        let call = self.request(Method::GET, url, None, timeout, max_line);
        self.http.send_lines(call, line).await?.map_or(Ok(()), |reply| Err(self.refusal(&reply)))
    }

    /// What an error in the body of a success means.
    #[must_use]
    pub fn error_in_success(&self, body: &[u8]) -> Fault {
        classify(&Refusal { who: &self.who, status: 200, retry_after: None, body }, &self.redactor)
    }

    fn refusal(&self, reply: &Reply) -> Fault {
        let status = reply.status.as_u16();
        let refusal = Refusal { who: &self.who, status, retry_after: reply.retry_after, body: &reply.body };
        classify(&refusal, &self.redactor)
    }

    fn request(&self, method: Method, url: Url, body: Option<Body>, timeout: Duration, max_bytes: usize) -> Call {
        let mut headers = self.headers.clone();
        let body = body.map_or_else(Vec::new, |body| {
            headers.insert(CONTENT_TYPE, body.content_type);
            body.bytes
        });
        Call { method, url, headers, body, timeout, max_bytes }
    }
}

/// The headers of every request: ours, then the key, then the configured ones, which win (D10).
fn headers(key: KeyHeader, credentials: &Credentials) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    if let Some(value) = credentials.key() {
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

    #[test]
    fn configured_headers_win_and_bad_ones_are_named() {
        let mut credentials = Credentials {
            api_key: Some(Secret::new("k")),
            headers: vec![("authorization".into(), Secret::new("Custom x"))],
        };
        assert_eq!(headers(KeyHeader::Bearer, &credentials).unwrap()[AUTHORIZATION], "Custom x");
        credentials.headers = vec![("x-a".into(), Secret::new("canary\nvalue"))];
        let error = headers(KeyHeader::Bearer, &credentials).unwrap_err();
        assert_eq!(error.code, Code::Config);
        assert!(error.message.contains("x-a") && !error.message.contains("canary"), "{error}");
    }
}
