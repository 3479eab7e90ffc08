//! Agents as the host sees them: how ids are normalised, and which entry of the configuration is whose.

use serde_json::Value;

/// The agent of a configuration that names none.
const DEFAULT_AGENT_ID: &str = "main";

/// Longest normalised id, in characters.
const MAX_ID_CHARS: usize = 64;

/// The canonical form of an agent id, safe as a file name: lower case, everything but `a-z 0-9 _ -` replaced by
/// a dash, at most 64 characters. An id of which nothing remains is `main`, as in the host.
#[must_use]
pub fn normalize_agent_id(id: &str) -> String {
    let lower = id.trim().to_lowercase();
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let starts_valid = lower.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if starts_valid && lower.len() <= MAX_ID_CHARS && lower.chars().all(valid) {
        return lower;
    }
    let mut dashed = String::with_capacity(lower.len());
    let mut in_run = false;
    for c in lower.chars() {
        if valid(c) {
            dashed.push(c);
        } else if !in_run {
            dashed.push('-');
        }
        in_run = !valid(c);
    }
    let id: String = dashed.trim_matches('-').chars().take(MAX_ID_CHARS).collect();
    if id.is_empty() { DEFAULT_AGENT_ID.to_owned() } else { id }
}

/// An agent's entry and the configuration path it stands at.
#[derive(Debug, Clone)]
pub(crate) struct AgentEntry<'a> {
    /// Normalised id.
    pub id: String,
    /// For example `agents.entries.work` or `agents.list[1]`.
    pub path: String,
    /// `entries` or `list`.
    pub shape: &'static str,
    /// Its key there, or its index.
    pub key: String,
    /// The entry itself.
    pub value: &'a Value,
}

/// The agents of a configuration.
#[derive(Debug)]
pub(crate) struct Roster<'a> {
    entries: Vec<AgentEntry<'a>>,
    shape: Shape,
    explicit_ownership: bool,
}

/// Hosts before 2026.8 keep agents in a list, later ones in a keyed object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Absent,
    List,
    Keyed,
}

impl<'a> Roster<'a> {
    /// Reads `agents.entries`, else `agents.list`, as the host does.
    #[must_use]
    pub(crate) fn read(config: &'a Value) -> Self {
        let agents = config.get("agents");
        let keyed = agents.and_then(|a| a.get("entries")).and_then(Value::as_object);
        let list = agents.and_then(|a| a.get("list")).and_then(Value::as_array);
        let explicit_ownership = agents.and_then(|a| a.get("ownership")).and_then(Value::as_str) == Some("explicit");
        let (shape, entries) = if let Some(keyed) = keyed {
            let entries = keyed
                .iter()
                .filter(|(_, value)| value.is_object())
                .map(|(id, value)| AgentEntry {
                    id: normalize_agent_id(id),
                    path: format!("agents.entries.{id}"),
                    shape: "entries",
                    key: id.clone(),
                    value,
                })
                .collect();
            (Shape::Keyed, entries)
        } else if let Some(list) = list {
            let entries = list
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_object())
                .map(|(at, value)| AgentEntry {
                    id: normalize_agent_id(value.get("id").and_then(Value::as_str).unwrap_or_default()),
                    path: format!("agents.list[{at}]"),
                    shape: "list",
                    key: at.to_string(),
                    value,
                })
                .collect();
            (Shape::List, entries)
        } else {
            (Shape::Absent, Vec::new())
        };
        Self { entries, shape, explicit_ownership }
    }

    /// The first entry of an agent.
    #[must_use]
    pub(crate) fn get(&self, agent_id: &str) -> Option<&AgentEntry<'a>> {
        self.entries.iter().find(|entry| entry.id == agent_id)
    }

    /// Whether more than one agent is configured.
    #[must_use]
    pub(crate) fn has_several(&self) -> bool {
        self.entries.iter().any(|entry| entry.id != self.entries[0].id)
    }

    /// The agent that owns the default workspace. A list of older hosts falls back to its first entry; a keyed
    /// roster has an owner only when one entry is marked, or only one exists.
    #[must_use]
    pub(crate) fn owner(&self) -> Option<&str> {
        let marked: Vec<&AgentEntry<'_>> =
            self.entries.iter().filter(|entry| entry.value.get("default") == Some(&Value::Bool(true))).collect();
        match self.shape {
            Shape::Absent => Some(DEFAULT_AGENT_ID),
            Shape::List => {
                let first = marked.first().copied().or_else(|| self.entries.first());
                Some(first.map_or(DEFAULT_AGENT_ID, |entry| &entry.id))
            }
            Shape::Keyed => match (marked.as_slice(), self.entries.as_slice()) {
                ([one], _) if !self.explicit_ownership => Some(&one.id),
                (_, [only]) => Some(&only.id),
                _ => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_normalised_as_the_host_does() {
        for (raw, expected) in [
            ("main", "main"),
            ("  Work ", "work"),
            ("", "main"),
            ("   ", "main"),
            ("My Agent!", "my-agent"),
            ("--x--", "x"),
            ("_lead", "_lead"),
            ("日本", "main"),
            ("café", "caf"),
            ("a/../../b", "a-b"),
            ("..", "main"),
        ] {
            assert_eq!(normalize_agent_id(raw), expected, "{raw:?}");
        }
        assert_eq!(normalize_agent_id(&"a".repeat(65)), "a".repeat(64));
    }

    #[test]
    fn the_owner_of_the_default_workspace_follows_the_shape_of_the_roster() {
        let owner = |config: Value| Roster::read(&config).owner().map(str::to_owned);
        assert_eq!(owner(json!({})).as_deref(), Some("main"));
        assert_eq!(owner(json!({"agents": {"list": [{"id": "a"}, {"id": "b"}]}})).as_deref(), Some("a"));
        assert_eq!(
            owner(json!({"agents": {"list": [{"id": "a"}, {"id": "b", "default": true}]}})).as_deref(),
            Some("b")
        );
        assert_eq!(owner(json!({"agents": {"entries": {"only": {}}}})).as_deref(), Some("only"));
        assert_eq!(owner(json!({"agents": {"entries": {"a": {}, "b": {}}}})), None);
        assert_eq!(owner(json!({"agents": {"entries": {"a": {}, "b": {"default": true}}}})).as_deref(), Some("b"));
        assert_eq!(
            owner(json!({"agents": {"ownership": "explicit", "entries": {"a": {}, "b": {"default": true}}}})),
            None
        );
    }

    #[test]
    fn keyed_agents_win_over_a_list() {
        let config =
            json!({"agents": {"entries": {"A": {"workspace": "/k"}}, "list": [{"id": "a", "workspace": "/l"}]}});
        let roster = Roster::read(&config);
        let entry = roster.get("a").expect("entry");
        assert_eq!(entry.path, "agents.entries.A");
        assert!(!roster.has_several());
    }
}
