//! One connection pool per process, bounded in time and size, and careful with credentials.

use std::{
    fmt::Write as _,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use http::{
    StatusCode,
    header::{ACCEPT_ENCODING, HeaderValue, RETRY_AFTER},
};
use reqwest::{Client, redirect};
use url::Url;

use super::{Call, Reply, is_loopback, origin, retry_after::parse_retry_after};
use crate::fault::{Fault, FaultKind};
use model::error::{Code, Error, Result};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_REDIRECTS: usize = 5;

/// Connection pools, shared by all providers of a process. The runtime is the caller's. Nothing is set up before
/// the first request: reading the machine's certificates takes time that keyword search must not pay for.
#[derive(Default)]
pub struct Http {
    proxied: OnceLock<Result<Client>>,
    direct: OnceLock<Result<Client>>,
}

impl Http {
    /// Makes the pools. Proxies are taken from the environment (`HTTPS_PROXY`, `NO_PROXY` …), except for servers
    /// on this machine, which a proxy could not reach.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    fn client(&self, url: &Url) -> Result<&Client, Fault> {
        let slot = if is_loopback(url) { &self.direct } else { &self.proxied };
        let client = slot.get_or_init(|| build(url, redirect::Policy::custom(follow_same_origin)));
        client.as_ref().map_err(|error| Fault::new(FaultKind::Fatal, error.clone()))
    }

    /// Sends one request and reads its reply.
    ///
    /// # Errors
    /// When there is no complete reply in time and size; the text names the host only.
    pub async fn send(&self, call: Call) -> Result<Reply, Fault> {
        let (origin, timeout, max_bytes) = (origin(&call.url), call.timeout, call.max_bytes);
        in_time(&origin, timeout, async {
            let (mut response, mut reply) = self.open(call, &origin).await?;
            let announced = response.content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
            if announced > max_bytes {
                return Err(too_big(&origin, max_bytes));
            }
            reply.body.reserve(announced);
            while let Some(part) = response.chunk().await.map_err(|error| unreachable(&origin, error))? {
                if reply.body.len() + part.len() > max_bytes {
                    return Err(too_big(&origin, max_bytes));
                }
                reply.body.extend_from_slice(&part);
            }
            Ok(reply)
        })
        .await
    }

    /// Sends one request and hands over the lines of a success as they arrive, so that a reply of any size takes
    /// little memory. `max_bytes` of the call bounds one line. Returns the reply when it is no success.
    ///
    /// # Errors
    /// As [`Http::send`], and when `line` fails.
    pub(crate) async fn send_lines(
        &self,
        call: Call,
        line: &mut (dyn FnMut(&[u8]) -> Result<(), Fault> + Send),
    ) -> Result<Option<Reply>, Fault> {
        let (origin, timeout, max_bytes) = (origin(&call.url), call.timeout, call.max_bytes);
        in_time(&origin, timeout, async {
            let (mut response, mut reply) = self.open(call, &origin).await?;
            let success = reply.status.is_success();
            let pending = &mut reply.body;
            while let Some(part) = response.chunk().await.map_err(|error| unreachable(&origin, error))? {
                let mut rest: &[u8] = &part;
                while let Some(end) = rest.iter().position(|&byte| byte == b'\n').filter(|_| success) {
                    pending.extend_from_slice(&rest[..end]);
                    rest = &rest[end + 1..];
                    if !pending.trim_ascii().is_empty() {
                        line(pending)?;
                    }
                    pending.clear();
                }
                if pending.len() + rest.len() > max_bytes {
                    return Err(too_big(&origin, max_bytes));
                }
                pending.extend_from_slice(rest);
            }
            if !success {
                return Ok(Some(reply));
            }
            if !pending.trim_ascii().is_empty() {
                line(pending)?;
            }
            Ok(None)
        })
        .await
    }

    /// Sends one request; the reply has no body yet.
    async fn open(&self, call: Call, origin: &str) -> Result<(reqwest::Response, Reply), Fault> {
        let mut request = self.client(&call.url)?.request(call.method, call.url).headers(call.headers);
        // Vectors hardly shrink, and unpacking them costs more than receiving them.
        request = request.header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if !call.body.is_empty() {
            request = request.body(call.body);
        }
        let response = request.send().await.map_err(|error| unreachable(origin, error))?;
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| parse_retry_after(value.to_str().ok()?, SystemTime::now()));
        let reply = Reply { status: response.status(), retry_after, body: Vec::new() };
        Ok((response, reply))
    }
}

async fn in_time<T>(
    origin: &str,
    timeout: Duration,
    exchange: impl Future<Output = Result<T, Fault>>,
) -> Result<T, Fault> {
    let late = || Fault::unavailable(format!("{origin} did not answer within {} ms", timeout.as_millis()));
    tokio::time::timeout(timeout, exchange).await.unwrap_or_else(|_| Err(late()))
}

fn unreachable(origin: &str, error: reqwest::Error) -> Fault {
    Fault::unavailable(format!("{origin} cannot be reached: {}", causes(&error.without_url())))
}

/// A client for servers such as the one at `url`; what is common to all clients.
pub(crate) fn build(url: &Url, redirects: redirect::Policy) -> Result<Client> {
    // Fails when something else in the process has installed a provider; that one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = if is_loopback(url) { Client::builder().no_proxy() } else { Client::builder() };
    builder
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(redirects)
        .user_agent(concat!("memory-core-rs/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Error::new(Code::Internal, format!("HTTP client: {}", causes(&error))))
}

fn too_big(origin: &str, max_bytes: usize) -> Fault {
    Fault::response(format!("{origin} answered with more than {} MB", max_bytes >> 20))
}

/// Follows a redirect only to the same origin and only where method and body are kept: everything else would send
/// texts or credentials to a place that nobody configured.
fn follow_same_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let keeps_body = matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if keeps_body && same && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

/// An error with its causes in one line.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let _ = write!(text, ": {cause}");
        source = cause.source();
    }
    text
}
