//! What the host's key of a session says: whose agent it is, whether a person holds it, who else reads it.

use crate::config::agents::normalize_agent_id;

/// What a part of a session key says about the whole session.
const MACHINE_PARTS: &[(&str, &str)] = &[
    ("cron", "a scheduled run"),
    ("heartbeat", "a heartbeat"),
    ("hook", "a hook's run"),
    ("subagent", "a sub-agent"),
    ("active-memory", "a memory recall"),
    ("memory-capture", "a memory capture"),
    ("memory-core-rs", "a memory capture"),
    ("internal-session-effects", "an internal run"),
];

/// The same for the beginning of a part.
const MACHINE_PREFIXES: &[(&str, &str)] = &[
    ("dreaming-narrative-", "a dream"),
    ("memory-core-rs-", "a memory capture"),
    ("incognito-", "an incognito conversation"),
];

/// Parts of the keys of conversations of several people.
const SHARED_PARTS: [&str; 4] = ["group", "channel", "room", "guild"];

/// The same for the beginning of a part: Discord's servers and channels.
const SHARED_PREFIXES: [&str; 2] = ["guild-", "channel-"];

/// The end of the name of WhatsApp's groups.
const SHARED_SUFFIX: &str = "@g.us";

/// Whole keys of sessions that everybody shares, as under `session.scope: "global"`.
const SHARED_SCOPES: [&str; 2] = ["global", "unknown"];

/// Come before the name of the person of a direct conversation.
const PERSON_PARTS: [&str; 2] = ["direct", "dm"];

/// Come after the conversation of which a thread is a part.
const THREADS: [&str; 2] = [":thread:", ":topic:"];

/// A session key, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionKey {
    /// The agent that the key names, normalised.
    pub agent_id: Option<String>,
    /// What the key says next to the agent, whose id may be any word; lower case.
    pub scope: String,
}

impl SessionKey {
    /// Reads a key like `agent:<id>:…`, or one without an agent.
    #[must_use]
    pub fn read(key: &str) -> Self {
        let key = key.trim().to_lowercase();
        let Some(rest) = key.strip_prefix("agent:") else { return Self { agent_id: None, scope: key } };
        let (id, scope) = rest.split_once(':').unwrap_or((rest, ""));
        let agent_id = (!id.is_empty()).then(|| normalize_agent_id(id));
        Self { agent_id, scope: scope.to_owned() }
    }

    /// Why nothing of the session is remembered; none for a conversation that people hold.
    #[must_use]
    pub fn machine(&self) -> Option<&'static str> {
        if self.scope.starts_with("temp:") {
            return Some("an internal run");
        }
        self.scope.split(':').find_map(machine_kind)
    }

    /// Whether others read the session too.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        let part_is_shared = |part: &str| {
            SHARED_PARTS.contains(&part)
                || SHARED_PREFIXES.iter().any(|prefix| part.starts_with(prefix))
                || part.ends_with(SHARED_SUFFIX)
        };
        SHARED_SCOPES.contains(&self.scope.as_str())
            || self.scope.starts_with("a2a:")
            || self.scope.split(':').any(part_is_shared)
    }

    /// Whom the agent talks to in a direct conversation that has a session of its own, next to the main one.
    #[must_use]
    pub fn peer(&self) -> Option<&str> {
        let parts = self.scope.split(':');
        let next = parts.clone().skip(1);
        parts.zip(next).find(|(part, next)| PERSON_PARTS.contains(part) && !next.is_empty()).map(|(_, next)| next)
    }

    /// The channel and the kind of the conversation (`direct`, `group` or `channel`), where the key names both.
    #[must_use]
    pub fn place(&self) -> Option<(&str, &'static str)> {
        let mut parts = self.scope.split(':');
        let channel = parts.next().filter(|channel| !channel.is_empty())?;
        let kind = parts.find_map(|part| match part {
            "direct" | "dm" => Some("direct"),
            "group" => Some("group"),
            "channel" | "room" => Some("channel"),
            _ => None,
        })?;
        Some((channel, kind))
    }

    /// The scope of the conversation that a thread is a part of, or its own.
    #[must_use]
    pub fn conversation(&self) -> &str {
        let begins = THREADS.iter().filter_map(|thread| self.scope.find(thread));
        begins.min().map_or(&self.scope, |end| &self.scope[..end])
    }
}

/// Why a session of a kind, as the host calls it, is left out; none for a conversation that people hold.
#[must_use]
pub fn machine_kind(kind: &str) -> Option<&'static str> {
    let exact = MACHINE_PARTS.iter().find(|(name, _)| kind == *name);
    let beginning = || MACHINE_PREFIXES.iter().find(|(prefix, _)| kind.starts_with(prefix));
    exact.or_else(beginning).map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn conversations_of_people_stay() {
        for key in [
            "agent:main:main",
            "agent:cron:main",
            "agent:main:telegram:direct:4711",
            "agent:main:whatsapp:group:120363@g.us",
            "agent:main:thread:crontab",
            "main",
            "global",
        ] {
            assert_eq!(SessionKey::read(key).machine(), None, "{key}");
        }
    }

    #[test]
    fn runs_of_machines_are_left_out() {
        for key in [
            "agent:main:cron:job:run:1",
            "agent:main:main:heartbeat",
            "agent:main:subagent:4f1c",
            "agent:main:subagent:memory-core-rs-4f1c",
            "agent:main:memory-core-rs:4f1c",
            "agent:main:main:active-memory:0123456789ab",
            "agent:main:internal-session-effects:x",
            "agent:main:dashboard:incognito-7",
            "agent:main:dreaming-narrative-light-1",
            "temp:slug-generator",
            "hook:gmail:1",
        ] {
            assert!(SessionKey::read(key).machine().is_some(), "{key}");
        }
    }

    #[test]
    fn sessions_that_others_read_are_told_from_those_of_one_person() {
        for key in [
            "agent:main:discord:guild-1:channel-2",
            "agent:main:slack:channel:c1",
            "agent:main:whatsapp:120363@g.us",
            "agent:main:whatsapp:group:1:thread:2",
            "a2a:other",
            "global",
            "unknown",
        ] {
            assert!(SessionKey::read(key).is_shared(), "{key}");
        }
        for key in ["agent:main:main", "agent:channel-7:main", "agent:main:telegram:direct:ana@g.usa", "a2b:x"] {
            assert!(!SessionKey::read(key).is_shared(), "{key}");
        }
    }

    #[test]
    fn the_person_is_the_one_of_the_whole_conversation() {
        let key = SessionKey::read(" Agent:Work:Telegram:Direct:Ana:thread:7 ");
        assert_eq!(key.agent_id.as_deref(), Some("work"));
        assert_eq!(key.peer(), Some("ana"));
        assert_eq!(key.conversation(), "telegram:direct:ana");
        assert_eq!(SessionKey::read("agent:main:dm::x").peer(), None);
        assert_eq!(SessionKey::read("agent:main:main").peer(), None);
    }

    #[test]
    fn a_key_without_an_agent_has_none() {
        let none = |key: &str| SessionKey::read(key).agent_id;
        assert_eq!((none("main"), none("agent::main"), none("")), (None, None, None));
        assert_eq!(SessionKey::read("agent:work").scope, "");
    }

    proptest! {
        #[test]
        fn any_text_is_read(key in "\\PC{0,60}|([a-z@.-]{0,6}:){0,6}(direct|dm|group|thread|topic|agent)?:?[a-z]{0,3}") {
            let read = SessionKey::read(&key);
            let _ = (read.machine(), read.is_shared(), read.peer());
            prop_assert!(read.scope.starts_with(read.conversation()));
        }
    }
}
