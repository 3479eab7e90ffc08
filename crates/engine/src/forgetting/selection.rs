//! What is to be forgotten, and whether something is meant by it.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{
    capture::{erase::Places, journal::FactSource, log, prompts::ShownPrompt, queue::Job, short_term},
    intents::StandingIntent,
};
use model::session_key::SessionKey;

/// A conversation as the host knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversation {
    /// Its id.
    pub session_id: String,
    /// Its key, which it may share with those before and after it.
    #[serde(default)]
    pub session_key: Option<String>,
    /// When it began, in milliseconds since the epoch.
    #[serde(default)]
    pub from_ms: Option<i64>,
    /// When something last happened in it.
    #[serde(default)]
    pub to_ms: Option<i64>,
}

/// A time, in milliseconds since the epoch; both ends belong to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    /// The first instant; none = since ever.
    #[serde(default)]
    pub from_ms: Option<i64>,
    /// The last instant; none = until now.
    #[serde(default)]
    pub to_ms: Option<i64>,
}

impl Range {
    /// Whether an instant lies in it.
    #[must_use]
    pub fn holds(&self, at_ms: i64) -> bool {
        self.from_ms.is_none_or(|from| at_ms >= from) && self.to_ms.is_none_or(|to| at_ms <= to)
    }
}

/// Whose words are meant, beside passages of files. Anything that one of these means is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Ids or keys of conversations.
    pub sessions: Vec<String>,
    /// Conversations that the host has found.
    pub conversations: Vec<Conversation>,
    /// People, by the names that session keys have for them.
    pub people: Vec<String>,
    /// What was kept in this time.
    pub range: Option<Range>,
}

/// Where something comes from, as far as it says so.
#[derive(Debug, Clone, Copy, Default)]
struct Lineage<'a> {
    key: Option<&'a str>,
    id: Option<&'a str>,
    at_ms: Option<i64>,
}

impl Selection {
    /// Whether it means nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.range.is_none() && !self.names_conversations()
    }

    /// Whether it means conversations, by whatever.
    #[must_use]
    pub fn names_conversations(&self) -> bool {
        !(self.sessions.is_empty() && self.conversations.is_empty() && self.people.is_empty())
    }

    /// The names under which conversations are kept out from now on: what was named as it was named, and of what the host
    /// has found the ids, because a key goes on with the next conversation.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names = self.sessions.clone();
        for Conversation { session_id, .. } in &self.conversations {
            if !names.contains(session_id) {
                names.push(session_id.clone());
            }
        }
        names
    }

    fn means(&self, from: Lineage<'_>) -> bool {
        let Lineage { key, id, at_ms } = from;
        let is_part = |one: &Conversation| match id {
            Some(id) => id == one.session_id,
            // Versions before told the key only: then the time says which of its conversations it was.
            None => {
                let time = Range { from_ms: one.from_ms, to_ms: one.to_ms };
                key.is_some() && key == one.session_key.as_deref() && at_ms.is_none_or(|at| time.holds(at))
            }
        };
        let is_of_person = |person: &String| key.is_some_and(|key| is_peer(key, person));
        self.sessions.iter().any(|name| is_named(name, key, id))
            || self.conversations.iter().any(is_part)
            || self.people.iter().any(is_of_person)
            || self.range.zip(at_ms).is_some_and(|(range, at)| range.holds(at))
    }

    /// Whether it means a capture.
    pub(crate) fn capture(&self, entry: &log::Entry) -> bool {
        let (key, id) = (entry.session_key.as_deref(), entry.session_id.as_deref());
        self.means(Lineage { key, id, at_ms: instant(&entry.ts) })
    }

    /// Whether it means the conversation in which a fact was stored.
    pub(crate) fn fact(&self, source: &FactSource) -> bool {
        let (key, id) = (source.session_key.as_deref(), source.session_id.as_deref());
        self.means(Lineage { key, id, at_ms: instant(&source.ts) })
    }

    /// Whether it means a turn that waits.
    pub(crate) fn turn(&self, job: &Job) -> bool {
        let (key, id) = (job.session_key.as_deref(), job.session_id.as_deref());
        self.means(Lineage { key, id, at_ms: (job.created_ms > 0).then_some(job.created_ms) })
    }

    /// Whether it means a record of the short-term memory. Those do not say which conversation they are of: all are
    /// meant that lie in the time of one, and all of them where nobody knows its time. A person alone means none of them:
    /// then it is the words that tell.
    pub(crate) fn record(&self, record: &short_term::Entry) -> bool {
        let at = instant(&record.ts);
        let in_time = |range: &Range| at.is_none_or(|at| range.holds(at));
        // Of a name that the host knows no conversation of, nobody knows the time.
        let is_known = |name: &String| {
            self.conversations.iter().any(|one| is_named(name, one.session_key.as_deref(), Some(&one.session_id)))
        };
        !self.sessions.iter().all(is_known)
            || self.conversations.iter().any(|one| in_time(&Range { from_ms: one.from_ms, to_ms: one.to_ms }))
            || self.range.as_ref().is_some_and(in_time)
    }

    /// Whether it means a block that was put into a prompt.
    pub(crate) fn prompt(&self, shown: &ShownPrompt) -> bool {
        self.means(Lineage { key: Some(&shown.session_key), id: None, at_ms: Some(shown.at) })
    }

    /// Whether it means a standing intent: the conversation it was made in, or who made it.
    pub(crate) fn intent(&self, intent: &StandingIntent) -> bool {
        // Hosts and versions differ in whether they write down the id or the key.
        let source = intent.source_session_id.as_deref();
        let by = |person: &String| {
            let parts = intent.creator_sender.as_deref().and_then(|by| serde_json::from_str::<Vec<String>>(by).ok());
            intent.creator_sender.as_ref() == Some(person)
                || parts.and_then(|parts| parts.last().cloned()).is_some_and(|last| last.eq_ignore_ascii_case(person))
        };
        self.means(Lineage { key: source, id: source, at_ms: Some(intent.created_at) }) || self.people.iter().any(by)
    }

    /// Whether it means a conversation of this key and id.
    pub(crate) fn session(&self, key: Option<&str>, id: Option<&str>) -> bool {
        self.means(Lineage { key, id, at_ms: None })
    }
}

/// What a call is about.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// Files, or folders with all that lies below them, as in results.
    pub paths: Vec<String>,
    /// Of the one file in `paths`, these lines only: first and last, from 1.
    pub lines: Option<(u32, u32)>,
    /// Whose words.
    pub selection: Selection,
    /// Whether lines of the user's files go that repeat what is forgotten.
    pub quotes: bool,
    /// Where the agent's automatic memory is.
    pub places: Places,
    /// The agent's folder of standing intents; none = they are not looked at.
    pub intents: Option<PathBuf>,
}

/// Whether a name is that of a conversation with this key and id.
fn is_named(name: &str, key: Option<&str>, id: Option<&str>) -> bool {
    id == Some(name) || key.is_some_and(|key| key == name || ends_in(key, name))
}

/// Whether a session key ends in this id.
fn ends_in(key: &str, id: &str) -> bool {
    key.rsplit(':').next() == Some(id)
}

/// Whether a session key is that of a direct conversation with a person.
fn is_peer(key: &str, person: &str) -> bool {
    SessionKey::read(key).peer().is_some_and(|peer| peer.eq_ignore_ascii_case(person.trim()))
}

/// An ISO 8601 time in milliseconds since the epoch.
pub(super) fn instant(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "agent:main:main";

    fn of(conversation: Conversation) -> Selection {
        Selection { conversations: vec![conversation], ..Selection::default() }
    }

    #[test]
    fn of_a_key_with_many_conversations_one_is_meant() {
        let one = of(Conversation {
            session_id: "s-1".into(),
            session_key: Some(KEY.into()),
            from_ms: Some(10),
            to_ms: Some(20),
        });
        assert!(one.means(Lineage { key: Some(KEY), id: Some("s-1"), at_ms: Some(99) }));
        assert!(!one.means(Lineage { key: Some(KEY), id: Some("s-2"), at_ms: Some(15) }));
        // A capture of a version before names the key only.
        for (at_ms, meant) in [(9, false), (10, true), (20, true), (21, false)] {
            assert_eq!(one.means(Lineage { key: Some(KEY), id: None, at_ms: Some(at_ms) }), meant, "{at_ms}");
        }
        assert_eq!(one.names(), ["s-1"], "the key goes on with the next conversation");
    }

    // All records went, of whichever conversation, as soon as one was named.
    #[test]
    fn of_the_last_turns_those_in_the_time_of_the_conversation_go() {
        let record = |ts: &str| short_term::Entry {
            ts: ts.into(),
            turn: 1,
            task: String::new(),
            input: String::new(),
            output: String::new(),
            tags: Vec::new(),
        };
        let (before, within) = (record("1970-01-01T00:00:00.009Z"), record("1970-01-01T00:00:00.015Z"));
        let found = Conversation {
            session_id: "s-1".into(),
            session_key: Some("agent:main:direct:carl".into()),
            from_ms: Some(10),
            to_ms: Some(20),
        };
        for name in ["s-1", "agent:main:direct:carl"] {
            let named = Selection { sessions: vec![name.into()], ..of(found.clone()) };
            assert!(named.record(&within) && !named.record(&before), "{name}");
        }
        // Nobody knows the time of another that is named beside it.
        let unknown = Selection { sessions: vec!["s-1".into(), "s-9".into()], ..of(found) };
        assert!(unknown.record(&before));
    }

    #[test]
    fn a_person_is_known_by_the_keys_of_their_conversations() {
        let ana = Selection { people: vec!["4711".into()], ..Selection::default() };
        assert!(ana.session(Some("agent:main:telegram:direct:4711"), None));
        for other in ["agent:main:telegram:direct:47112", "agent:main:telegram:group:4711", KEY] {
            assert!(!ana.session(Some(other), None), "{other}");
        }
    }

    #[test]
    fn a_time_means_what_was_kept_in_it_and_nothing_without_a_time() {
        let range = Selection { range: Some(Range { from_ms: Some(5), to_ms: None }), ..Selection::default() };
        assert!(range.means(Lineage { at_ms: Some(5), ..Lineage::default() }));
        assert!(!range.means(Lineage { at_ms: Some(4), ..Lineage::default() }));
        assert!(!range.session(Some(KEY), Some("s-1")));
        assert!(Selection::default().is_empty() && !range.is_empty() && !range.names_conversations());
    }
}
