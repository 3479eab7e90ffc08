//! Requests on behalf of one account: its connection pool, its name in messages, and what its refusals mean.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::{Method, header::HeaderValue};
use url::Url;

use super::{
    account::{Account, Authorization, KeyHeader},
    client::{Call, Http, Reply, origin},
    fault::{Fault, FaultKind, Refusal, classify},
    redact::Redactor,
};
use model::error::Result;

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

/// Sends requests on behalf of one account.
pub struct Endpoint {
    http: Arc<Http>,
    /// One for each key, at least one.
    authorizations: Vec<Authorization>,
    /// Which one is used where the keys take turns.
    turn: AtomicUsize,
    redactor: Redactor,
    who: String,
}

impl Endpoint {
    /// The server of an account.
    ///
    /// # Errors
    /// As [`Account::authorizations`].
    pub fn new(http: Arc<Http>, account: &Account, key: KeyHeader) -> Result<Self> {
        Ok(Self {
            http,
            authorizations: account.authorizations(key)?,
            turn: AtomicUsize::new(0),
            redactor: account.redactor(),
            who: format!("{} at {}", account.provider, origin(account.base()?)),
        })
    }

    /// The provider's name in messages.
    #[must_use]
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Sends a request with the first key and returns the body of a success.
    ///
    /// # Errors
    /// What a refusal means, or why there is no reply; also when `url` is on another host than the account.
    pub async fn call(
        &self,
        method: Method,
        url: Url,
        body: Option<Body>,
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Vec<u8>, Fault> {
        self.call_with(0, method, url, body, timeout, max_bytes).await
    }

    /// Sends a `POST` as [`Endpoint::call`] does. A key that has used up its rate makes way for the next one, as in the
    /// host; for requests that another key may as well make, so not for those about a batch, which belongs to its key.
    ///
    /// # Errors
    /// As [`Endpoint::call`]; that of the last key when all have used up their rate.
    pub async fn post_with_any_key(
        &self,
        url: &Url,
        body: &[u8],
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Vec<u8>, Fault> {
        let keys = self.authorizations.len();
        let mut tried = 1;
        loop {
            let turn = self.turn.load(Ordering::Relaxed);
            let body = Some(Body::json(body.to_vec()));
            match self.call_with(turn, Method::POST, url.clone(), body, timeout, max_bytes).await {
                Err(fault) if tried < keys && fault.is_of_the_key() => {
                    tried += 1;
                    // Of requests at the same time the first one moves on, and the others follow it.
                    let next = (turn + 1) % keys;
                    let _ = self.turn.compare_exchange(turn, next, Ordering::Relaxed, Ordering::Relaxed);
                }
                outcome => return outcome,
            }
        }
    }

    async fn call_with(
        &self,
        key: usize,
        method: Method,
        url: Url,
        body: Option<Body>,
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Vec<u8>, Fault> {
        let reply = self.http.send(self.request(key, method, url, body, timeout, max_bytes)?).await?;
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
        let call = self.request(0, Method::GET, url, None, timeout, max_line)?;
        self.http.send_lines(call, line).await?.map_or(Ok(()), |reply| Err(self.refusal(&reply)))
    }

    /// What an error in the body of a success means.
    #[must_use]
    pub(crate) fn error_in_success(&self, body: &[u8]) -> Fault {
        classify(&Refusal { who: &self.who, status: 200, retry_after: None, body }, &self.redactor)
    }

    fn refusal(&self, reply: &Reply) -> Fault {
        let status = reply.status.as_u16();
        let refusal = Refusal { who: &self.who, status, retry_after: reply.retry_after, body: &reply.body };
        classify(&refusal, &self.redactor)
    }

    fn request(
        &self,
        key: usize,
        method: Method,
        url: Url,
        body: Option<Body>,
        timeout: Duration,
        max_bytes: usize,
    ) -> Result<Call, Fault> {
        let call = Call::new(&self.authorizations[key], method, url, timeout, max_bytes)
            .map_err(|error| Fault::new(FaultKind::Fatal, error))?;
        Ok(match body {
            Some(body) => call.with_body(body.content_type, body.bytes),
            None => call,
        })
    }
}
