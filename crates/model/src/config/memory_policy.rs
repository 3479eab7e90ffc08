//! Which conversations nothing is taken from: `memoryPolicy.excludeSessions`, with the names and the meaning it has for
//! memory-core. What a host says of a conversation counts, and what its key says: a conversation of
//! Telegram that goes on in the Control UI is one of both.

use serde::Serialize;
use serde_json::Value;

use super::{
    layers::{Reader, resolve_plugin},
    setting::Special,
    table,
};
use crate::{error::Result, session_key::SessionKey};

/// Conversations that are left out. Each list by itself is enough.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExcludedSessions {
    /// Sources of hooks that begin conversations, such as `gmail`.
    pub hook_external_content_sources: Vec<String>,
    /// Channels, such as `telegram`.
    pub channels: Vec<String>,
    /// `direct`, `group` or `channel`.
    pub chat_types: Vec<String>,
}

/// What is known of a conversation.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionFacts<'a> {
    /// Its key.
    pub key: Option<&'a str>,
    /// The source of the hook that began it.
    pub hook_source: Option<&'a str>,
    /// Its channel.
    pub channel: Option<&'a str>,
    /// Its kind.
    pub chat_type: Option<&'a str>,
}

impl ExcludedSessions {
    /// Whether none is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hook_external_content_sources.is_empty() && self.channels.is_empty() && self.chat_types.is_empty()
    }

    /// Why a conversation is left out, as memory-core says it (`channel:telegram`); none when it is not.
    #[must_use]
    pub fn reason(&self, facts: SessionFacts<'_>) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let read = facts.key.map(SessionKey::read);
        let place = read.as_ref().and_then(SessionKey::place);
        let named = |list: &[String], what: &str, told: Option<&str>, read: Option<&str>| {
            let mut names = [told.map(str::trim), read].into_iter().flatten();
            let name = names.find(|name| list.iter().any(|one| one.eq_ignore_ascii_case(name)))?;
            Some(format!("{what}:{name}"))
        };
        named(&self.hook_external_content_sources, "hookExternalContentSource", facts.hook_source, None)
            .or_else(|| named(&self.channels, "channel", facts.channel, place.map(|(channel, _)| channel)))
            .or_else(|| named(&self.chat_types, "chatType", facts.chat_type, place.map(|(_, kind)| kind)))
    }
}

/// Those of an agent: `memoryPolicy` of the plugin's configuration, and above it that of `agents.<id>` there.
///
/// # Errors
/// [`crate::error::Code::Config`] when a group has the wrong type.
pub fn resolve(config: &Value, agent_id: &str) -> Result<ExcludedSessions> {
    resolve_plugin(config, agent_id, read)
}

/// The lists of all layers together: what is left out for all agents is so for each.
pub(super) fn read(reader: &mut Reader<'_>) -> ExcludedSessions {
    ExcludedSessions {
        hook_external_content_sources: names(
            reader,
            &table::MEMORY_POLICY_EXCLUDE_SESSIONS_HOOK_EXTERNAL_CONTENT_SOURCES,
        ),
        channels: names(reader, &table::MEMORY_POLICY_EXCLUDE_SESSIONS_CHANNELS),
        chat_types: names(reader, &table::MEMORY_POLICY_EXCLUDE_SESSIONS_CHAT_TYPES),
    }
}

fn names(reader: &mut Reader<'_>, Special { key }: &Special) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut origins = Vec::new();
    for found in reader.all(key) {
        let texts = found.value.as_array().map(|list| list.iter().filter_map(Value::as_str).map(str::trim));
        let Some(texts) = texts else {
            reader.warnings.push(format!("{} is no list; it is ignored", found.path));
            continue;
        };
        for text in texts.filter(|text| !text.is_empty()) {
            if !names.iter().any(|known| known == text) {
                names.push(text.to_owned());
            }
        }
        origins.push(found.path);
    }
    let origin = if origins.is_empty() { super::layers::DEFAULT_ORIGIN.to_owned() } else { origins.join(", ") };
    reader.origins.insert((*key).to_owned(), origin);
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn policy(value: &Value) -> ExcludedSessions {
        resolve(&json!({ "memoryPolicy": { "excludeSessions": value } }), "main").unwrap()
    }

    #[test]
    fn any_list_is_enough_and_what_the_host_says_counts_beside_the_key() {
        let policy = policy(&json!({
            "hookExternalContentSources": ["gmail"], "channels": ["telegram", " "], "chatTypes": ["group"]
        }));
        let of =
            |key, hook_source, channel, chat_type| policy.reason(SessionFacts { key, hook_source, channel, chat_type });
        let key = Some("agent:main:telegram:direct:4711");
        assert_eq!(of(key, None, None, None).as_deref(), Some("channel:telegram"));
        // A conversation of Telegram was captured again once somebody had answered it in the Control UI.
        assert_eq!(of(key, None, Some("webchat"), None).as_deref(), Some("channel:telegram"));
        assert_eq!(of(Some("agent:main:main"), None, Some("webchat"), None), None);
        assert_eq!(of(None, Some("gmail"), None, None).as_deref(), Some("hookExternalContentSource:gmail"));
        assert_eq!(of(Some("agent:main:discord:group:1"), None, None, None).as_deref(), Some("chatType:group"));
        for key in ["agent:main:main", "agent:main:discord:channel:1", "telegram"] {
            assert_eq!(of(Some(key), None, None, None), None, "{key}");
        }
        assert!(super::ExcludedSessions::default().reason(SessionFacts { key, ..SessionFacts::default() }).is_none());
    }

    #[test]
    fn what_is_left_out_for_all_agents_is_left_out_for_each() {
        let config = json!({
            "memoryPolicy": { "excludeSessions": { "channels": ["slack"] } },
            "agents": { "main": { "memoryPolicy": { "excludeSessions": { "channels": ["telegram", 7], "chatTypes": "group" } } } }
        });
        let main = resolve(&config, "main").unwrap();
        assert_eq!((main.channels, main.chat_types), (vec!["telegram".to_owned(), "slack".to_owned()], vec![]));
        assert_eq!(resolve(&config, "other").unwrap().channels, ["slack"]);
        assert!(resolve(&json!({ "memoryPolicy": "all" }), "main").is_err(), "nobody knows what is meant");
    }
}
