//! Rules about the host's ids, keys and configuration that JavaScript asks for.

use napi::Env;
use napi_derive::napi;
use serde_json::Value;

use super::error::to_js;
use embed::provider::Provider;
use model::{
    config::{agents, memory_policy, places},
    session_key::SessionKey,
};

/// An agent id in the form the host uses for folders and keys.
#[napi]
#[must_use]
pub fn normalize_agent_id(id: String) -> String {
    agents::normalize_agent_id(&id)
}

/// Whether the engine itself speaks to an embedding provider, so that no adapter of the host is needed. GGUF models
/// (`local`) are run by some builds only.
#[napi]
#[must_use]
pub fn speaks_provider(id: String) -> bool {
    Provider::from_id(&id).is_some() || id == "local" && cfg!(feature = "llama-cpp")
}

/// What a session key says.
#[napi(object)]
pub struct SessionKeyFacts {
    /// The agent that it names, normalised.
    pub agent_id: Option<String>,
    /// What it says next to the agent, in lower case; empty when that is nothing.
    pub scope: String,
    /// Why nothing of the session is remembered: a plugin or the host holds it, and not a person.
    pub machine: Option<String>,
    /// Whether others read it too.
    pub is_shared: bool,
    /// Whom the agent talks to in a direct conversation of their own.
    pub peer: Option<String>,
    /// The channel of such a conversation, where the key names it.
    pub channel: Option<String>,
    /// The scope of the conversation that a thread is a part of, or its own.
    pub conversation: String,
}

/// Reads a session key.
#[napi]
#[must_use]
pub fn read_session_key(key: String) -> SessionKeyFacts {
    let read = SessionKey::read(&key);
    SessionKeyFacts {
        machine: read.machine().map(str::to_owned),
        is_shared: read.is_shared(),
        peer: read.peer().map(str::to_owned),
        channel: read.place().filter(|(_, kind)| *kind == "direct").map(|(channel, _)| channel.to_owned()),
        conversation: read.conversation().to_owned(),
        agent_id: read.agent_id,
        scope: read.scope,
    }
}

/// What is known of a conversation.
#[napi(object)]
pub struct ConversationFacts {
    /// Its key.
    pub key: Option<String>,
    /// The source of the hook that began it.
    pub hook_source: Option<String>,
    /// Its channel.
    pub channel: Option<String>,
    /// Its kind: direct, group or channel.
    pub chat_type: Option<String>,
}

/// Why nothing is taken from a conversation by the plugin's `memoryPolicy`, such as `channel:telegram`; null when it is not
/// left out. `config` is the plugin's own configuration.
///
/// # Errors
/// `MEM_CONFIG` when a value has the wrong type.
#[napi]
pub fn excluded_session(
    env: &Env,
    config: Value,
    agent_id: String,
    facts: ConversationFacts,
) -> napi::Result<Option<String>> {
    let policy = memory_policy::resolve(&config, &agent_id).map_err(|e| to_js(env, e))?;
    Ok(policy.reason(memory_policy::SessionFacts {
        key: facts.key.as_deref(),
        hook_source: facts.hook_source.as_deref(),
        channel: facts.channel.as_deref(),
        chat_type: facts.chat_type.as_deref(),
    }))
}

/// A place of the configuration that may hold settings of an agent.
#[napi(object)]
pub struct SettingsPlace {
    /// As people write it.
    pub path: String,
    /// The keys that lead there; of a list, the index.
    pub keys: Vec<String>,
}

/// The places that may hold the memory settings of an agent, weakest first.
#[napi]
#[must_use]
pub fn settings_places(config: Value, agent_id: String) -> Vec<SettingsPlace> {
    let places = places::places(&config, &agent_id).into_iter();
    places.map(|place| SettingsPlace { path: place.path(), keys: place.keys }).collect()
}
