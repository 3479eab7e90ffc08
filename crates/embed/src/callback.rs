//! Providers that the host speaks and we do not: an asynchronous function makes the vectors.

use std::{sync::Arc, time::Duration};

use super::{
    BoxFuture, Limits, Purpose, Space, TEXT_ONLY,
    driver::{Answer, Driver},
    fault::{Fault, FaultKind, Refusal, classify},
    media::Media,
    redact::Redactor,
    transport::Transport,
};
use model::{
    callers::Callers,
    clock::Clock,
    error::{Code, Error, ErrorKind, Result},
};

/// What a callback is asked for.
#[derive(Clone)]
pub enum Asked {
    /// Vectors of texts, one each, in order.
    Texts(Vec<String>, Purpose),
    /// The one vector of a picture or sound.
    Media(Arc<Media>),
}

/// Makes vectors, one a text, in order. An error of kind [`ErrorKind::Host`] is sorted by its code and status; by a status
/// in its words only when it has neither, because some of the host's adapters throw plain errors. Any other is taken as
/// it is.
pub type Callback = Arc<dyn Fn(Asked) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> + Send + Sync>;

/// A callback that makes vectors of texts alone.
#[must_use]
pub fn of_texts<F>(embed: F) -> Callback
where
    F: Fn(Vec<String>, Purpose) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> + Send + Sync + 'static,
{
    Arc::new(move |asked| match asked {
        Asked::Texts(texts, purpose) => embed(texts, purpose),
        Asked::Media(_) => Box::pin(async { Err(Error::new(Code::ProviderInput, TEXT_ONLY)) }),
    })
}

/// One of the host's embedding adapters.
#[derive(Clone)]
pub struct Adapter {
    /// Model that the adapter uses when none is configured.
    pub model: Option<String>,
    /// Makes the vectors.
    pub embed: Callback,
}

/// The same adapter as the threads of this process offer it.
pub type Offered = Callers<Asked, Vec<Vec<f32>>>;

/// The adapter that asks whichever thread lives.
#[must_use]
pub fn offered_adapter(offered: &Arc<Offered>) -> Adapter {
    let offered = Arc::clone(offered);
    let embed: Callback = Arc::new(move |asked| {
        let offered = Arc::clone(&offered);
        Box::pin(async move {
            offered.ask(asked).await.map_err(|error| match error.code() {
                Code::Closed => Error::new(Code::ProviderUnavailable, error.message)
                    .remedy("Open the memory again in a thread that lives; search by words goes on"),
                _ => error,
            })
        })
    });
    Adapter { model: None, embed }
}

/// What a host adapter is given at a time; it packs its own requests.
pub(crate) const LIMITS: Limits = Limits { items: 64, tokens: 32_000, bytes: 128_000, input_tokens: 8_192 };

/// The code of an error of `plugin/host-embeddings.js`: the adapter cannot be made, so that no request was sent and none
/// will succeed.
const SETUP_FAILED: &str = "HOST_PROVIDER_SETUP";

struct CallbackTransport {
    label: String,
    redactor: Redactor,
    embed: Callback,
}

/// An embedder over a callback, with the packing, splitting and validation of every provider.
#[must_use]
pub(crate) fn callback_driver(
    label: &str,
    space: Space,
    embed: Callback,
    redactor: Redactor,
    concurrency: usize,
    clock: Arc<dyn Clock>,
) -> Driver {
    let transport = CallbackTransport { label: label.to_owned(), redactor, embed };
    Driver::new(space, Box::new(transport), LIMITS, concurrency, clock)
}

impl Transport for CallbackTransport {
    fn send<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
    ) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(self.ask(Asked::Texts(texts.to_vec(), purpose), timeout))
    }

    fn send_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Answer, Fault>> {
        Box::pin(self.ask(Asked::Media(Arc::new(media.clone())), timeout))
    }
}

impl CallbackTransport {
    async fn ask(&self, asked: Asked, timeout: Duration) -> Result<Answer, Fault> {
        match tokio::time::timeout(timeout, (self.embed)(asked)).await {
            Ok(Ok(vectors)) => Ok(Answer { vectors, tokens: None }),
            Ok(Err(error)) => Err(self.fault(error)),
            Err(_) => {
                let ms = timeout.as_millis();
                Err(Fault::unavailable(format!("{} did not answer within {ms} ms", self.label)))
            }
        }
    }

    fn fault(&self, error: Error) -> Fault {
        let says = self.redactor.clean(&error.message);
        if let ErrorKind::Host { code, status, retry_after_ms } = error.kind {
            // An error without any data is a sentence of an adapter that has nothing else to say it with.
            let status = status.or_else(|| code.is_none().then(|| status_in(&says)).flatten());
            let mut fault = self.hosts(code.as_deref(), status, retry_after_ms, &error.message, &says);
            if let ErrorKind::Provider { host, .. } = &mut fault.error.kind {
                *host = code;
            }
            return fault;
        }
        let kind = match error.code() {
            Code::ProviderRateLimit => FaultKind::RateLimit(error.retry_after_ms().map(Duration::from_millis)),
            Code::ProviderInput => FaultKind::Rejected,
            Code::ProviderUnavailable | Code::ProviderResponse => FaultKind::Unavailable,
            _ => FaultKind::Fatal,
        };
        let mut error = error;
        error.message = format!("{}: {says}", self.label);
        Fault::new(kind, error)
    }

    /// What an error of the host means.
    fn hosts(
        &self,
        code: Option<&str>,
        status: Option<u16>,
        retry_after_ms: Option<u32>,
        body: &str,
        says: &str,
    ) -> Fault {
        let told = |remedy: &'static str| {
            Error::new(Code::ProviderUnavailable, format!("{}: {says}", self.label)).remedy(remedy)
        };
        if code == Some(SETUP_FAILED) {
            let remedy = "Enable the host's plugin for this provider and sign in to it, or set another `provider`; \
                          search by words goes on";
            return Fault::new(FaultKind::Fatal, told(remedy));
        }
        let retry_after = retry_after_ms.map(|ms| Duration::from_millis(u64::from(ms)));
        if let Some(status) = status.filter(|status| *status >= 300) {
            let refusal = Refusal { who: &self.label, status, retry_after, body: body.as_bytes() };
            return classify(&refusal, &self.redactor);
        }
        let mut error = told("Indexing goes on by itself when the provider answers again");
        error.set_retry_after(retry_after_ms.map(u64::from));
        Fault::new(FaultKind::Unavailable, error)
    }
}

/// The HTTP status that a text mentions: `HTTP 429`, `failed: 400 …`, `(401)`.
fn status_in(text: &str) -> Option<u16> {
    let numbers = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() == 3);
    numbers.filter_map(|word| word.parse().ok()).find(|status| (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Embedded, Embedder};
    use model::clock::TestClock;

    fn space() -> Space {
        Space {
            provider: "bedrock".into(),
            model: "titan".into(),
            dimensions: None,
            query_input_type: None,
            document_input_type: None,
            revision: None,
        }
    }

    fn driver(embed: Callback) -> Driver {
        callback_driver("bedrock", space(), embed, Redactor::default(), 4, TestClock::new())
    }

    const TIMEOUT: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn vectors_come_back_in_order() {
        let driver = driver(of_texts(|texts, _| {
            Box::pin(async move { Ok(texts.iter().map(|text| vec![1.0, text.len() as f32]).collect()) })
        }));
        let texts: Vec<String> = (1..200).map(|n| "x".repeat(n)).collect();
        let outcomes = driver.embed(&texts, Purpose::Document, TIMEOUT).await.unwrap();
        for (text, outcome) in texts.iter().zip(outcomes) {
            assert_eq!(outcome, Embedded::Vector(vec![1.0, text.len() as f32]));
        }
    }

    #[tokio::test]
    async fn one_refused_text_is_isolated_by_the_words_of_the_error() {
        let driver = driver(of_texts(|texts: Vec<String>, _| {
            Box::pin(async move {
                if texts.iter().any(|text| text == "bad") {
                    return Err(Error::new(ErrorKind::HOST, "adapter failed: 400 invalid character"));
                }
                Ok(vec![vec![1.0]; texts.len()])
            })
        }));
        let texts: Vec<String> = (0..40).map(|n| if n == 13 { "bad".into() } else { format!("t{n}") }).collect();
        let outcomes = driver.embed(&texts, Purpose::Document, TIMEOUT).await.unwrap();
        let refused: Vec<usize> = (0..40)
            .filter(|&n| matches!(&outcomes[n], Embedded::Refused(reason) if reason.contains("invalid")))
            .collect();
        assert_eq!(refused, [13]);
    }

    #[tokio::test]
    async fn errors_keep_their_code_and_lose_their_secrets() {
        let driver = driver(of_texts(|_, _| {
            Box::pin(async { Err(Error::new(Code::ProviderAuth, "denied for Bearer abcdef123456")) })
        }));
        let error = driver.embed(&["a".into()], Purpose::Query, TIMEOUT).await.unwrap_err();
        assert_eq!(error.code(), Code::ProviderAuth);
        assert!(!error.message.contains("abcdef"), "{error}");
    }

    async fn told(kind: ErrorKind, words: &'static str) -> Error {
        let driver = driver(of_texts(move |_, _| {
            let kind = kind.clone();
            Box::pin(async move { Err(Error::new(kind, words)) })
        }));
        driver.embed(&["a".into()], Purpose::Query, TIMEOUT).await.unwrap_err()
    }

    fn host(code: &str, status: Option<u16>) -> ErrorKind {
        ErrorKind::Host { code: Some(code.into()), status, retry_after_ms: Some(30_000) }
    }

    /// Both were reported as "HTTP 500 … check the network", although no request had been made.
    #[tokio::test]
    async fn an_adapter_without_a_status_speaks_for_itself() {
        let setup = (host(SETUP_FAILED, None), "sign in", "Enable the host's plugin");
        for (kind, said, remedy) in [setup, (ErrorKind::HOST, "socket hang up", "goes on by itself")] {
            let error = told(kind, said).await;
            assert_eq!(error.code(), Code::ProviderUnavailable);
            assert!(error.message.contains(said) && !error.message.contains("HTTP"), "{error}");
            assert!(error.to_string().contains(remedy), "{error}");
        }
    }

    /// A number in its words was taken for the status, whatever code or status the error had.
    #[tokio::test]
    async fn an_error_of_the_host_is_sorted_by_its_code_and_status() {
        let refused = told(host("ECONNREFUSED", None), "connect 127.0.0.1:401 refused (401)").await;
        assert_eq!((refused.code(), refused.retry_after_ms()), (Code::ProviderUnavailable, Some(30_000)));
        assert!(matches!(&refused.kind, ErrorKind::Provider { host: Some(code), .. } if &**code == "ECONNREFUSED"));
        let limited = told(host("throttled", Some(429)), "model 500 is busy").await;
        let ErrorKind::Provider { status, retry_after_ms, host, .. } = &limited.kind else { panic!("{limited:?}") };
        assert_eq!(limited.code(), Code::ProviderRateLimit);
        assert_eq!((*status, *retry_after_ms, host.as_deref()), (Some(429), Some(30_000), Some("throttled")));
    }

    #[tokio::test]
    async fn a_picture_goes_to_an_adapter_as_it_is() {
        let driver = driver(Arc::new(|asked| {
            Box::pin(async move {
                let Asked::Media(media) = asked else { return Ok(vec![vec![0.0, 1.0]]) };
                Ok(vec![vec![1.0, media.bytes.len() as f32]])
            })
        }));
        let media = Media { text: "Image file: a.png".into(), mime: "image/png".into(), bytes: vec![0; 7] };
        assert_eq!(driver.embed_media(&media, TIMEOUT).await.unwrap(), Embedded::Vector(vec![1.0, 7.0]));
    }

    #[test]
    fn statuses_are_found_in_words() {
        assert_eq!(status_in("openai embeddings failed: 429 {}"), Some(429));
        assert_eq!(status_in("(HTTP 503)"), Some(503));
        assert_eq!(status_in("took 300 ms for 123 texts"), None);
    }
}
