//! What a build says that asks no server: it has neither HTTP nor what encrypts it.

use std::sync::Arc;

use super::{Call, Reply};
use crate::fault::{Fault, FaultKind};
use model::error::{Code, Error};

/// No connections.
#[derive(Default)]
pub struct Http;

impl Http {
    /// Makes nothing.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Sends nothing.
    ///
    /// # Errors
    /// [`Code::Config`] always.
    pub async fn send(&self, _call: Call) -> Result<Reply, Fault> {
        Err(refusal())
    }

    /// Sends nothing.
    ///
    /// # Errors
    /// [`Code::Config`] always.
    pub(crate) async fn send_lines(
        &self,
        _call: Call,
        _line: &mut (dyn FnMut(&[u8]) -> Result<(), Fault> + Send),
    ) -> Result<Option<Reply>, Fault> {
        Err(refusal())
    }
}

/// The refusal of every request.
fn refusal() -> Fault {
    let error = Error::new(Code::Config, "this build of memory-core-rs asks no embedding server")
        .remedy("Set `provider` to `embedded`; in a clone, `npm run build` makes one that asks servers");
    Fault::new(FaultKind::Fatal, error)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{
        Purpose,
        account::Account,
        factory::build,
        tests::{settings, sources},
    };
    use model::clock::TestClock;

    #[tokio::test]
    async fn servers_are_not_asked_and_the_remedy_is_said() {
        let server = wiremock::MockServer::start().await;
        for provider in ["openai", "ollama", "gemini"] {
            let account = Account::new(provider, Some(&server.uri()));
            let selected = build(&settings(provider), &sources(account, TestClock::new())).unwrap();
            let embedder = selected.embedder.unwrap();
            let error =
                embedder.embed(&["a text".into()], Purpose::Document, Duration::from_secs(5)).await.unwrap_err();
            assert_eq!((error.code(), error.to_string().contains("npm run build")), (Code::Config, true), "{error}");
        }
        assert_eq!(server.received_requests().await.unwrap().len(), 0);
    }
}
