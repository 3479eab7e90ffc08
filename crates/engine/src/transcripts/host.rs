//! Transcripts that the host keeps itself and hands over: its list of conversations, and what is new in one.

use std::sync::Arc;
use text::speaker::Speaker;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    kind,
    record::{Role, is_machine},
};
use model::{
    config::memory_policy::SessionFacts,
    error::{Code, Error, ErrorKind, Result},
    session_key::machine_kind,
};

/// Begins the cursor of a transcript that the host keeps, so that it is told from one of a file.
pub(crate) const CURSOR_PREFIX: &str = "host:";

/// Asks the host: a [`Request`] as JSON in, its answer as JSON out.
pub type AskHost = Arc<dyn Fn(Value) -> BoxFuture<'static, Result<Value>> + Send + Sync>;

/// What the host is asked.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Request<'a> {
    /// Which conversations there are.
    List,
    /// What follows a cursor in one of them.
    #[serde(rename_all = "camelCase")]
    Read {
        /// Key of the conversation.
        session_key: &'a str,
        /// Id of the conversation.
        session_id: &'a str,
        /// The host's own mark; none = from the beginning.
        #[serde(skip_serializing_if = "Option::is_none")]
        cursor: Option<&'a str>,
    },
}

/// The host's conversations.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Listing {
    /// In any order.
    pub sessions: Vec<Session>,
    /// Whether a conversation that is not in the list is gone. Else the host is asked about it.
    #[serde(default)]
    pub complete: bool,
}

/// A conversation.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Key.
    pub session_key: String,
    /// Id.
    pub session_id: String,
    /// When something last happened in it, in milliseconds since the epoch.
    #[serde(default, deserialize_with = "model::number::whole")]
    pub updated_at_ms: i64,
    /// Whether the host says that no person is part of it.
    #[serde(default)]
    pub machine: bool,
    /// What kind of session it is, as the host sorts them.
    #[serde(default)]
    pub kind: Option<String>,
    /// The source of the hook that began it.
    #[serde(default)]
    pub hook_source: Option<String>,
    /// Its channel.
    #[serde(default)]
    pub channel: Option<String>,
    /// Its kind: direct, group or channel.
    #[serde(default)]
    pub chat_type: Option<String>,
}

impl Session {
    /// What the user's policy compares.
    #[must_use]
    pub fn facts(&self) -> SessionFacts<'_> {
        SessionFacts {
            key: Some(&self.session_key),
            hook_source: self.hook_source.as_deref(),
            channel: self.channel.as_deref(),
            chat_type: self.chat_type.as_deref(),
        }
    }

    /// Why it is left out.
    #[must_use]
    pub fn excluded(&self) -> Option<&'static str> {
        kind::machine_session(&self.session_key)
            .or_else(|| self.kind.as_deref().and_then(machine_kind))
            .or_else(|| self.machine.then_some("a run without a person"))
    }
}

/// What follows a cursor.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Page {
    /// Messages.
    #[serde(rename = "page")]
    Messages {
        /// Where reading goes on.
        cursor: String,
        /// Whether there is more.
        #[serde(default)]
        more: bool,
        /// Oldest first.
        messages: Vec<Message>,
    },
    /// The conversation is another one than the cursor was made for; reading begins anew.
    Reset,
    /// There is no such conversation.
    Missing,
    /// It cannot be read at present.
    Unavailable {
        /// Why.
        #[serde(default)]
        reason: String,
    },
}

/// What somebody said.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Its number in the conversation, from 1.
    pub line: u32,
    /// Who.
    pub role: Role,
    /// What, still with whatever the host put around it.
    pub text: String,
    /// Where a message in the user's role comes from.
    #[serde(default)]
    pub provenance: Option<String>,
    /// Whether somebody else than the agent's person said it, or the model after it has read such words.
    #[serde(default)]
    pub of_others: bool,
}

impl Message {
    /// Who speaks.
    pub(crate) const fn speaker(&self) -> Speaker {
        match (self.role, self.of_others) {
            (Role::User, false) => Speaker::User,
            (Role::User, true) => Speaker::Other,
            (Role::Assistant, false) => Speaker::Assistant,
            (Role::Assistant, true) => Speaker::AssistantAfterOthers,
        }
    }

    /// Whether the host wrote it in the user's name.
    #[must_use]
    pub(crate) fn is_machine(&self) -> bool {
        self.role == Role::User && self.provenance.as_deref().is_some_and(is_machine)
    }
}

/// Asks and reads the answer.
///
/// # Errors
/// What the host gives; [`ErrorKind::Host`] for an answer of another shape.
pub async fn ask<T: DeserializeOwned>(host: &AskHost, request: &Request<'_>) -> Result<T> {
    let request =
        serde_json::to_value(request).map_err(|e| Error::new(Code::Internal, format!("session request: {e}")))?;
    let answer = host(request).await?;
    T::deserialize(answer)
        .map_err(|e| Error::new(ErrorKind::HOST, format!("the host's answer about sessions: {e}")).caused_by(e))
}
