//! What a failed request means: try again, send less, leave one text out, or stop.

use std::{borrow::Cow, sync::LazyLock, time::Duration};

use regex::Regex;
use serde_json::Value;

use super::{TEXT_ONLY, redact::Redactor};
use model::error::{Code, Error, ErrorKind};

/// What to do about a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Slow down; how long the provider asks to wait, when it says so.
    RateLimit(Option<Duration>),
    /// The same request may succeed later.
    Unavailable,
    /// Too many inputs; how many are allowed, when the provider says so.
    TooMany(Option<usize>),
    /// The request as a whole is too large.
    TooLarge,
    /// One input is too long; how many tokens are allowed, when the provider says so.
    TooLong(Option<usize>),
    /// The request is refused for a reason that may lie in one of its inputs: only an answer that speaks about the
    /// content of a request.
    Rejected,
    /// The request uses the optional field `encoding_format`, which this server does not know.
    Encoding,
    /// No request will succeed until someone changes something.
    Fatal,
}

/// A failed request.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What to do about it.
    pub kind: FaultKind,
    /// What to tell.
    pub error: Error,
}

impl Fault {
    /// A fault.
    #[must_use]
    pub const fn new(kind: FaultKind, error: Error) -> Self {
        Self { kind, error }
    }

    /// Whether another key of the same account may fare better: this one has used up its rate or its quota.
    #[must_use]
    pub(crate) fn is_of_the_key(&self) -> bool {
        matches!(self.kind, FaultKind::RateLimit(_)) || self.error.code() == Code::ProviderQuota
    }

    /// The server cannot be reached or does not answer.
    #[must_use]
    pub(crate) fn unavailable(message: String) -> Self {
        let error = Error::new(Code::ProviderUnavailable, message)
            .remedy("Check the network and the provider's address; indexing goes on by itself when it answers again");
        Self::new(FaultKind::Unavailable, error)
    }

    /// A picture or sound for a model that takes text only: nothing is sent.
    #[must_use]
    pub(crate) fn text_only() -> Self {
        Self::new(FaultKind::Rejected, Error::new(Code::ProviderInput, TEXT_ONLY))
    }

    /// The server answered with something that is not an embedding reply.
    #[must_use]
    pub(crate) fn response(message: String) -> Self {
        let error = Error::new(Code::ProviderResponse, message)
            .remedy("Check that the base URL is an embeddings endpoint and that the model is an embedding model");
        Self::new(FaultKind::Unavailable, error)
    }
}

/// Most of an error reply that is looked at, in bytes.
const MAX_ERROR_BODY: usize = 16 * 1024;

/// A reply that is no success.
pub struct Refusal<'a> {
    /// Who answered, for people: `openai at https://api.openai.com`.
    pub who: &'a str,
    /// The HTTP status, or 200 when an error came in a body of a success.
    pub status: u16,
    /// What `Retry-After` asks for.
    pub retry_after: Option<Duration>,
    /// The body.
    pub body: &'a [u8],
}

/// What the provider means by a refusal.
#[must_use]
pub(crate) fn classify(refusal: &Refusal<'_>, redactor: &Redactor) -> Fault {
    let mut fault = meaning(refusal, redactor);
    if let ErrorKind::Provider { status, .. } = &mut fault.error.kind {
        *status = (refusal.status != 200).then_some(refusal.status);
    }
    fault
}

fn meaning(refusal: &Refusal<'_>, redactor: &Redactor) -> Fault {
    let body = &refusal.body[..refusal.body.len().min(MAX_ERROR_BODY)];
    let text = String::from_utf8_lossy(body);
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let says = redactor.clean(&words_of(&text, parsed.as_ref()));
    let lower = text.to_lowercase();
    let status = refusal.status;
    let said = if says.is_empty() { String::new() } else { format!(": {says}") };
    let message = |what: &str| match status {
        200 => format!("{} {what}{said}", refusal.who),
        _ => format!("{} {what} (HTTP {status}){said}", refusal.who),
    };
    let fault = |kind, code, what: &str, remedy: Cow<'static, str>| {
        Fault::new(kind, Error::new(code, message(what)).remedy(remedy))
    };

    if is_quota(status, &lower) {
        let remedy = "Wait until the quota is renewed or raise it with the provider; what is done is kept";
        let mut quota = fault(FaultKind::Fatal, Code::ProviderQuota, "has no quota left", remedy.into());
        quota.error.set_retry_after(refusal.retry_after.map(millis));
        return quota;
    }
    if matches!(status, 401 | 403 | 407)
        || (status == 400 && says_any(&lower, &["api key not valid", "api_key_invalid"]))
    {
        let remedy = "Check the API key and its rights; `memory.search.remote.apiKey` wins over the provider's own key";
        return fault(FaultKind::Fatal, Code::ProviderAuth, "refuses the credentials", remedy.into());
    }
    if status == 429
        || says_any(&lower, &["rate limit", "rate_limit", "ratelimit", "resource_exhausted", "too many requests"])
    {
        let wait = refusal.retry_after.into_iter().chain(google_retry_delay(parsed.as_ref())).max();
        let remedy = "Indexing goes on by itself; fewer requests at a time can be set with `concurrency`";
        let mut limited =
            fault(FaultKind::RateLimit(wait), Code::ProviderRateLimit, "asks to slow down", remedy.into());
        limited.error.set_retry_after(wait.map(millis));
        return limited;
    }
    if let Some(kind) = size_kind(status, &lower) {
        let remedy = "The text is left out of vector search and still found by its words";
        return fault(kind, Code::ProviderInput, "refuses the size of a request", remedy.into());
    }
    match status {
        400 | 422 if says_any(&lower, &["encoding_format", "base64"]) => {
            fault(FaultKind::Encoding, Code::ProviderResponse, "does not know `encoding_format`", "".into())
        }
        404 | 405 | 410 => {
            let remedy = "Check the base URL and the model name";
            fault(FaultKind::Fatal, Code::ProviderResponse, "does not know this address or model", remedy.into())
        }
        400 | 422 if says_any(&lower, &["model", "dimension", "input_type", "task_type", "tasktype"]) => {
            let remedy = "Check the model, its dimensions and its input types";
            fault(FaultKind::Fatal, Code::ProviderResponse, "refuses the request", remedy.into())
        }
        300..=399 => {
            let remedy = "Set the base URL to the address it redirects to; credentials are not sent on to another host";
            fault(FaultKind::Fatal, Code::ProviderResponse, "redirects elsewhere", remedy.into())
        }
        408 | 409 | 425 | 500..=599 => {
            let mut down = Fault::unavailable(message("fails"));
            down.error.set_retry_after(refusal.retry_after.map(millis));
            down
        }
        200 => Fault::response(message("answered with an error")),
        400 | 422 => {
            let remedy = "The text is left out of vector search for a while and still found by its words";
            fault(FaultKind::Rejected, Code::ProviderInput, "refuses the request", remedy.into())
        }
        // Says nothing about the texts: a proxy, a lock, a law, a joke. It may be another answer tomorrow.
        _ => Fault::unavailable(message("refuses the request")),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn says_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// Whether a quota that does not come back within minutes is used up. Google words both kinds alike and names the
/// period, so a period of a minute outweighs the words.
fn is_quota(status: u16, lower: &str) -> bool {
    if status == 402 {
        return true;
    }
    if !matches!(status, 200 | 400 | 403 | 429) || says_any(lower, &["perminute", "per minute", "(tpm)", "(rpm)"]) {
        return false;
    }
    says_any(
        lower,
        &[
            "insufficient_quota",
            "exceeded your current quota",
            "billing_hard_limit",
            "billing hard limit",
            "insufficient balance",
            "credit balance",
            "per day",
            "perday",
            "(tpd)",
            "(rpd)",
            "daily limit",
            "daily quota",
        ],
    )
}

/// Which size a provider finds too big, in the words that providers use for it.
fn size_kind(status: u16, lower: &str) -> Option<FaultKind> {
    if !matches!(status, 400 | 413 | 422 | 500) {
        return None;
    }
    let too_long = says_any(
        lower,
        &[
            "context length",
            "context size",
            "maximum context",
            "physical batch size",
            "input is too long",
            "input too long",
            "text is too long",
            "exceeds the context",
            "maximum input length",
            "input length exceeds",
            "longer than the maximum",
        ],
    ) || (lower.contains("must have less than") && lower.contains("tokens"));
    if too_long {
        return Some(FaultKind::TooLong(allowed(lower)));
    }
    if status == 500 {
        return None;
    }
    let whole = says_any(
        lower,
        &[
            "tokens per request",
            "tokens in the batch",
            "tokens per submitted batch",
            "total number of tokens",
            "max allowed tokens",
            "too many tokens",
            "payload too large",
            "request too large",
            "request payload size",
            "entity too large",
        ],
    );
    if whole {
        return Some(FaultKind::TooLarge);
    }
    let too_many = says_any(
        lower,
        &[
            "batch size",
            "too many inputs",
            "too many items",
            "too many texts",
            "at most",
            "array too long",
            "maximum number of inputs",
            "maximum number of items",
            "maximum length of the list",
            "max_batch_size",
            "should not be larger than",
            "requests in one batch",
            "list should have",
        ],
    );
    if too_many {
        return Some(FaultKind::TooMany(allowed(lower)));
    }
    (status == 413).then_some(FaultKind::TooLarge)
}

/// The number that a size complaint allows: the one behind its limiting words.
fn allowed(lower: &str) -> Option<usize> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:at most|maximum|limit(?:ed)?|max(?:imum)?[_ a-z]*|larger than|less than|exceeds?|up to|",
            r"current batch size|context (?:length|size)|batch size)",
            r"[^0-9]{0,40}?([0-9]{1,7})\b",
        ))
        .ok()
    });
    let found = NUMBER.as_ref()?.captures_iter(lower).filter_map(|found| found.get(1)?.as_str().parse().ok());
    found.filter(|&number| number > 0).min()
}

/// Google's own form of `Retry-After`, in the details of the error.
fn google_retry_delay(parsed: Option<&Value>) -> Option<Duration> {
    let details = parsed?.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(31_536_000.0)))
}

/// The provider's own words, from whichever field it puts them in.
fn words_of(text: &str, parsed: Option<&Value>) -> String {
    let Some(value) = parsed else {
        let start = text.trim_start();
        return if start.starts_with('<') { "an HTML page".to_owned() } else { start.to_owned() };
    };
    let value = value.get(0).unwrap_or(value);
    ["/error/message", "/error", "/message", "/detail/0/msg", "/detail", "/errors/data/0/message"]
        .iter()
        .find_map(|pointer| value.pointer(pointer)?.as_str())
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Credentials;

    fn kind(status: u16, body: &str) -> (FaultKind, Code) {
        let refusal = Refusal { who: "test", status, retry_after: None, body: body.as_bytes() };
        let fault = classify(&refusal, &Redactor::new(&Credentials::default(), None));
        (fault.kind, fault.error.code())
    }

    #[test]
    fn credentials_and_quota_stop() {
        assert_eq!(kind(401, "{}"), (FaultKind::Fatal, Code::ProviderAuth));
        assert_eq!(
            kind(400, r#"{"error":{"message":"API key not valid. Please pass a valid API key."}}"#),
            (FaultKind::Fatal, Code::ProviderAuth)
        );
        assert_eq!(
            kind(429, r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#),
            (FaultKind::Fatal, Code::ProviderQuota)
        );
        assert_eq!(
            kind(429, "Rate limit reached for x on tokens per day (TPD): Limit 1"),
            (FaultKind::Fatal, Code::ProviderQuota)
        );
        assert_eq!(kind(402, ""), (FaultKind::Fatal, Code::ProviderQuota));
    }

    #[test]
    fn google_names_the_period_of_a_quota() {
        let body = |id: &str| {
            format!(
                r#"{{"error":{{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED",
                "details":[{{"violations":[{{"quotaId":"{id}"}}]}},{{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12.5s"}}]}}}}"#
            )
        };
        let minute = kind(429, &body("EmbedContentRequestsPerMinutePerProject"));
        assert_eq!(minute.0, FaultKind::RateLimit(Some(Duration::from_millis(12_500))));
        assert_eq!(kind(429, &body("EmbedContentRequestsPerDayPerProject")).1, Code::ProviderQuota);
    }

    #[test]
    fn sizes_are_told_apart_with_their_numbers() {
        let cases = [
            (
                400,
                "This model's maximum context length is 8192 tokens, however you requested 9001",
                FaultKind::TooLong(Some(8192)),
            ),
            (
                500,
                "input (900 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
                FaultKind::TooLong(Some(512)),
            ),
            (
                400,
                "batch size is invalid, it should not be larger than 10.: input.contents",
                FaultKind::TooMany(Some(10)),
            ),
            (
                400,
                "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length 3000",
                FaultKind::TooMany(Some(2048)),
            ),
            (
                400,
                "BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch",
                FaultKind::TooMany(Some(100)),
            ),
            (400, "Requested 310000 tokens, max 300000 tokens per request", FaultKind::TooLarge),
            (413, "<html>413 Request Entity Too Large</html>", FaultKind::TooLarge),
            (413, "", FaultKind::TooLarge),
        ];
        for (status, body, expected) in cases {
            assert_eq!(kind(status, body).0, expected, "{body}");
        }
    }

    #[test]
    fn the_rest_is_retried_rejected_or_final() {
        assert_eq!(kind(429, "").0, FaultKind::RateLimit(None));
        assert_eq!(kind(503, "<html>").0, FaultKind::Unavailable);
        assert_eq!(kind(522, "cloudflare").0, FaultKind::Unavailable);
        assert_eq!(kind(400, r#"{"error":"some input is odd"}"#).0, FaultKind::Rejected);
        assert_eq!(kind(400, r#"{"error":{"message":"unknown field encoding_format"}}"#).0, FaultKind::Encoding);
        assert_eq!(kind(404, "").0, FaultKind::Fatal);
        assert_eq!(kind(302, "").0, FaultKind::Fatal);
        assert_eq!(kind(200, r#"{"error":{"message":"Rate limit exceeded"}}"#).0, FaultKind::RateLimit(None));
    }
}
