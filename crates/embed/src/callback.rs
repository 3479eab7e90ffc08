//! Providers that the host speaks and we do not: an asynchronous function makes the vectors.

use std::{sync::Arc, time::Duration};

use super::{
    BoxFuture, Limits, Purpose, Space,
    clock::Clock,
    driver::{Answer, Driver, Transport},
    fault::{Fault, FaultKind, Refusal, classify},
    redact::Redactor,
};
use model::{
    callers::{Ask, Callers},
    error::{Code, Error, Result},
};

/// Makes vectors, one a text, in order. Errors of code [`Code::Internal`] are sorted by their words, because a host
/// adapter throws plain errors; any other code is taken as it is.
pub type Callback = Arc<dyn Fn(Vec<String>, Purpose) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> + Send + Sync>;

/// One of the host's embedding adapters.
#[derive(Clone)]
pub struct Adapter {
    /// Model that the adapter uses when none is configured.
    pub model: Option<String>,
    /// Makes the vectors.
    pub embed: Callback,
}

/// The same adapter as the threads of this process offer it.
pub type Offered = Callers<(Vec<String>, Purpose), Vec<Vec<f32>>>;

/// A callback in the form in which a thread offers it.
#[must_use]
pub fn offer(embed: Callback) -> Ask<(Vec<String>, Purpose), Vec<Vec<f32>>> {
    Arc::new(move |(texts, purpose)| embed(texts, purpose))
}

/// The adapter that asks whichever thread lives.
#[must_use]
pub fn offered_adapter(offered: &Arc<Offered>) -> Adapter {
    let offered = Arc::clone(offered);
    let embed: Callback = Arc::new(move |texts, purpose| {
        let offered = Arc::clone(&offered);
        Box::pin(async move {
            offered.ask((texts, purpose)).await.map_err(|error| match error.code {
                Code::Closed => Error::new(Code::ProviderUnavailable, error.message)
                    .remedy("Open the memory again in a thread that lives; search by words goes on"),
                _ => error,
            })
        })
    });
    Adapter { model: None, embed }
}

/// What a host adapter is given at a time; it packs its own requests.
pub const LIMITS: Limits = Limits { items: 64, tokens: 32_000, bytes: 128_000, input_tokens: 8_192 };

/// What `plugin/host-embeddings.js` begins the message of an adapter that cannot be made with.
const SETUP_FAILED: &str = "the host's provider cannot be set up";

struct CallbackTransport {
    label: String,
    redactor: Redactor,
    embed: Callback,
}

/// An embedder over a callback, with the packing, splitting and validation of every provider.
#[must_use]
pub fn callback_driver(
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
        Box::pin(async move {
            match tokio::time::timeout(timeout, (self.embed)(texts.to_vec(), purpose)).await {
                Ok(Ok(vectors)) => Ok(Answer { vectors, tokens: None }),
                Ok(Err(error)) => Err(self.fault(error)),
                Err(_) => {
                    let ms = timeout.as_millis();
                    Err(Fault::unavailable(format!("{} did not answer within {ms} ms", self.label)))
                }
            }
        })
    }
}

impl CallbackTransport {
    fn fault(&self, error: Error) -> Fault {
        if error.code == Code::Internal {
            let says = self.redactor.clean(&error.message);
            if says.contains(SETUP_FAILED) {
                let error = Error::new(Code::ProviderUnavailable, format!("{}: {says}", self.label)).remedy(
                    "Enable the host's plugin for this provider and sign in to it, or set another `provider`; \
                     search by words goes on",
                );
                return Fault::new(FaultKind::Fatal, error);
            }
            let Some(status) = status_in(&says) else {
                let error = Error::new(Code::ProviderUnavailable, format!("{}: {says}", self.label))
                    .remedy("Indexing goes on by itself when the provider answers again");
                return Fault::new(FaultKind::Unavailable, error);
            };
            let refusal = Refusal { who: &self.label, status, retry_after: None, body: error.message.as_bytes() };
            return classify(&refusal, &self.redactor);
        }
        let kind = match error.code {
            Code::ProviderRateLimit => FaultKind::RateLimit(error.retry_after_ms.map(Duration::from_millis)),
            Code::ProviderInput => FaultKind::Rejected,
            Code::ProviderUnavailable | Code::ProviderResponse => FaultKind::Unavailable,
            _ => FaultKind::Fatal,
        };
        let message = format!("{}: {}", self.label, self.redactor.clean(&error.message));
        Fault::new(kind, Error { message, ..error })
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
    use crate::{Embedded, Embedder, clock::TestClock};

    fn space() -> Space {
        Space {
            provider: "bedrock".into(),
            model: "titan".into(),
            dimensions: None,
            query_input_type: None,
            document_input_type: None,
        }
    }

    fn driver(embed: Callback) -> Driver {
        callback_driver("bedrock", space(), embed, Redactor::default(), 4, TestClock::new())
    }

    const TIMEOUT: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn vectors_come_back_in_order() {
        let driver = driver(Arc::new(|texts, _| {
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
        let driver = driver(Arc::new(|texts: Vec<String>, _| {
            Box::pin(async move {
                if texts.iter().any(|text| text == "bad") {
                    return Err(Error::new(Code::Internal, "adapter failed: 400 invalid character"));
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
        let driver = driver(Arc::new(|_, _| {
            Box::pin(async { Err(Error::new(Code::ProviderAuth, "denied for Bearer abcdef123456")) })
        }));
        let error = driver.embed(&["a".into()], Purpose::Query, TIMEOUT).await.unwrap_err();
        assert_eq!(error.code, Code::ProviderAuth);
        assert!(!error.message.contains("abcdef"), "{error}");
    }

    /// Both were reported as "HTTP 500 … check the network", although no request had been made.
    #[tokio::test]
    async fn an_adapter_without_a_status_speaks_for_itself() {
        for (said, remedy) in [(SETUP_FAILED, "Enable the host's plugin"), ("socket hang up", "goes on by itself")] {
            let driver =
                driver(Arc::new(move |_, _| Box::pin(async move { Err(Error::new(Code::Internal, said.to_owned())) })));
            let error = driver.embed(&["a".into()], Purpose::Query, TIMEOUT).await.unwrap_err();
            assert_eq!(error.code, Code::ProviderUnavailable);
            assert!(error.message.contains(said) && !error.message.contains("HTTP"), "{error}");
            assert!(error.to_string().contains(remedy), "{error}");
        }
    }

    #[test]
    fn statuses_are_found_in_words() {
        assert_eq!(status_in("openai embeddings failed: 429 {}"), Some(429));
        assert_eq!(status_in("(HTTP 503)"), Some(503));
        assert_eq!(status_in("took 300 ms for 123 texts"), None);
    }
}
