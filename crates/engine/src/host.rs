//! The port to the host: what the engine asks it, and where it speaks. One process has one host, which every thread of
//! JavaScript that opened the engine offers anew.

use std::{path::PathBuf, sync::Arc};

use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{log::Line, transcripts::host::AskHost};
use embed::callback::Asked;
use model::error::{Code, Error, ErrorKind, Result};

/// A host, as one thread offers it. What it does not offer is never asked. Everything fails with [`Code::Closed`] once the
/// thread has ended, also in the middle of a call.
pub trait Host: Send + Sync {
    /// What can be asked.
    fn offers(&self) -> &Offers;

    /// Makes vectors with the host's adapter of a provider, one a text, in order.
    fn embed(&self, provider: &str, asked: Asked) -> BoxFuture<'static, Result<Vec<Vec<f32>>>>;

    /// Tells of the conversations that the host keeps itself: a [`crate::transcripts::host::Request`] as JSON in, its
    /// answer as JSON out.
    fn conversations(&self, request: Value) -> BoxFuture<'static, Result<Value>>;

    /// Asks the user's model one question, and gives its answer as it stands.
    fn ask_model(&self, task: ModelTask) -> BoxFuture<'static, Result<String>>;

    /// Tells whose words files hold, one answer a file, in order.
    fn provenance(&self, asked: ProvenanceAsked) -> BoxFuture<'static, Result<Vec<Origin>>>;

    /// Tells the password of the database that the settings name, as it is now.
    fn database_password(&self) -> BoxFuture<'static, Result<String>>;

    /// Gives a line to the host's log; false when that is gone.
    fn log(&self, line: Line) -> bool;
}

/// What a host offers.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    /// The provider ids that its embedding adapters serve; an empty id stands for the configured one.
    pub embed: Vec<String>,
    /// Whether it keeps conversations itself.
    pub conversations: bool,
    /// Whether it lets us ask the user's model.
    pub model: bool,
    /// Whether it knows whose words a file holds.
    pub provenance: bool,
    /// Whether it knows the password of the database; else that is in its address.
    pub database_password: bool,
    /// Whether it has a log for us.
    pub log: bool,
}

/// A question to the user's model.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelTask {
    /// Names the question, for hosts that run each under a name.
    pub id: String,
    /// What it is for, for example `memory-capture`; hosts book costs under it.
    pub purpose: &'static str,
    /// What the model is told about its task.
    pub system: String,
    /// The question.
    pub prompt: String,
    /// Provider of the model to ask; none = the user's.
    pub provider: Option<String>,
    /// The model to ask; none = the user's.
    pub model: Option<String>,
    /// Longest answer in tokens.
    pub max_tokens: u32,
    /// How long the answer is waited for, in milliseconds.
    pub timeout_ms: u32,
}

/// The files whose words are asked about.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProvenanceAsked {
    /// The workspace.
    pub workspace_dir: PathBuf,
    /// Its files.
    pub files: Vec<FileAsked>,
}

/// One of them.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileAsked {
    /// As results name it.
    pub path: String,
    /// Equal as long as the file is the same and nobody has written to it; none when it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// When it was written last, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified_ms: Option<i64>,
    /// Whether the user vouches for it, wherever it lies.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vouched: bool,
}

/// Whose words a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user's or the agent's.
    Own,
    /// Somebody else's, or nobody can tell.
    Other,
}

/// The host as the threads of this process offer it: the newest that lives is asked.
#[derive(Default)]
pub(crate) struct Hosts {
    /// By the number of their thread; the newest is last.
    known: Mutex<Vec<(u64, Arc<dyn Host>)>>,
}

impl Hosts {
    /// A thread offers the host, in place of what it offered before.
    pub(crate) fn join(&self, thread: u64, host: Arc<dyn Host>) {
        let mut known = self.known.lock();
        known.retain(|(other, _)| *other != thread);
        known.push((thread, host));
    }

    /// The host that keeps its transcripts itself; none when no thread offers it, or none that did lives.
    pub(crate) fn conversations(self: &Arc<Self>) -> Option<AskHost> {
        self.newest(|offers| offers.conversations)?;
        let hosts = Arc::clone(self);
        Some(Arc::new(move |request: Value| {
            let hosts = Arc::clone(&hosts);
            Box::pin(async move {
                let asked = hosts.ask(|offers| offers.conversations, |host| host.conversations(request.clone())).await;
                // A host that has ended tells as little as one that cannot tell now.
                asked.map_err(|error| match error.code() {
                    Code::Closed => Error::new(ErrorKind::HOST, format!("the host's conversations: {}", error.message)),
                    _ => error,
                })
            })
        }))
    }

    /// Asks the user's model.
    ///
    /// # Errors
    /// [`Code::Config`] when the host offers no way, and what it gives.
    pub(crate) async fn ask_model(&self, task: ModelTask) -> Result<String> {
        if self.newest(|offers| offers.model).is_none() {
            return Err(Error::new(Code::Config, "this host offers plugins no way to ask a model"));
        }
        self.ask(|offers| offers.model, |host| host.ask_model(task.clone())).await
    }

    /// Whose words files hold; none when nobody can be asked, as without a host.
    ///
    /// # Errors
    /// What the host gives; [`ErrorKind::Host`] when it does not answer about each file.
    pub(crate) async fn provenance(&self, asked: ProvenanceAsked) -> Result<Option<Vec<Origin>>> {
        if self.newest(|offers| offers.provenance).is_none() {
            return Ok(None);
        }
        let files = asked.files.len();
        let origins = self.ask(|offers| offers.provenance, |host| host.provenance(asked.clone())).await?;
        if origins.len() == files {
            Ok(Some(origins))
        } else {
            Err(Error::new(ErrorKind::HOST, format!("the host told the origin of {} of {files} files", origins.len())))
        }
    }

    /// The password of the database as it is now.
    ///
    /// # Errors
    /// What the host gives, [`Code::Closed`] when no thread that knows it lives.
    pub(crate) async fn database_password(&self) -> Result<String> {
        self.ask(|offers| offers.database_password, |host| host.database_password()).await
    }

    fn newest(&self, offers: fn(&Offers) -> bool) -> Option<Arc<dyn Host>> {
        self.known.lock().iter().rev().map(|(_, host)| host).find(|host| offers(host.offers())).cloned()
    }

    /// Asks the newest whose thread lives.
    async fn ask<T>(
        &self,
        offers: fn(&Offers) -> bool,
        call: impl Fn(&dyn Host) -> BoxFuture<'static, Result<T>>,
    ) -> Result<T> {
        loop {
            let Some(host) = self.newest(offers) else {
                return Err(Error::new(Code::Closed, "the thread that would have to be asked has ended"));
            };
            match call(&*host).await {
                Err(error) if error.code() == Code::Closed => {
                    self.known.lock().retain(|(_, other)| !Arc::ptr_eq(other, &host));
                }
                outcome => return outcome,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::testing::FakeHost;

    fn task() -> ModelTask {
        ModelTask {
            id: "t".into(),
            purpose: "memory-capture",
            system: String::new(),
            prompt: "?".into(),
            provider: None,
            model: None,
            max_tokens: 1,
            timeout_ms: 1,
        }
    }

    #[tokio::test]
    async fn the_newest_living_thread_that_offers_it_is_asked() {
        let hosts = Hosts::default();
        assert_eq!(hosts.ask_model(task()).await.unwrap_err().code(), Code::Config);
        let answering = |answer: &'static str| Arc::new(FakeHost::default().with_model(move |_| Ok(answer.to_owned())));
        hosts.join(1, answering("first"));
        hosts.join(2, answering("second"));
        hosts.join(3, Arc::new(FakeHost::default()));
        assert_eq!(hosts.ask_model(task()).await.unwrap(), "second");
        let ended = || Arc::new(FakeHost::default().with_model(|_| Err(Error::new(Code::Closed, "ended"))));
        hosts.join(2, ended());
        assert_eq!(hosts.ask_model(task()).await.unwrap(), "first", "one that has ended is passed over");
        hosts.join(1, ended());
        assert_eq!(hosts.ask_model(task()).await.unwrap_err().code(), Code::Closed);
    }

    // Connections live longer than the thread that opened the first index on them.
    #[tokio::test]
    async fn a_password_is_asked_of_whichever_thread_lives() {
        let hosts = Hosts::default();
        assert_eq!(hosts.database_password().await.unwrap_err().code(), Code::Closed);
        hosts.join(1, Arc::new(FakeHost::default().with_password(|| Ok("first".to_owned()))));
        hosts.join(2, Arc::new(FakeHost::default().with_password(|| Err(Error::new(Code::Closed, "ended")))));
        hosts.join(3, Arc::new(FakeHost::default()));
        assert_eq!(hosts.database_password().await.unwrap(), "first");
    }

    #[tokio::test]
    async fn a_host_that_does_not_answer_about_every_file_is_no_witness() {
        let hosts = Hosts::default();
        let asked = ProvenanceAsked {
            workspace_dir: PathBuf::new(),
            files: vec![FileAsked { path: "MEMORY.md".into(), state: None, modified_ms: None, vouched: false }],
        };
        assert_eq!(hosts.provenance(asked.clone()).await.unwrap(), None);
        hosts.join(1, Arc::new(FakeHost::default().with_provenance(|_| Vec::new())));
        assert!(hosts.provenance(asked.clone()).await.unwrap_err().is_of_host());
        hosts.join(1, Arc::new(FakeHost::default().with_provenance(|_| vec![Origin::Other])));
        assert_eq!(hosts.provenance(asked).await.unwrap(), Some(vec![Origin::Other]));
    }
}
