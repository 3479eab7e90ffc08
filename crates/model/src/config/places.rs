//! The places of the host's configuration that may hold the memory settings of an agent.

use serde_json::Value;

use super::{
    agents::{Roster, normalize_agent_id},
    resolve::PLUGIN_ID,
};

/// Where the plugin's own configuration stands.
const OWN: [&str; 4] = ["plugins", "entries", PLUGIN_ID, "config"];

/// One of these places, whether anything stands there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The keys that lead there; of a list, the index.
    pub keys: Vec<String>,
    /// Whether it speaks about one agent only.
    pub per_agent: bool,
}

impl Place {
    fn new(per_agent: bool, keys: &[&str]) -> Self {
        Self { keys: keys.iter().map(|key| (*key).to_owned()).collect(), per_agent }
    }

    /// The place as people write it, for example `agents.list[1].memorySearch`.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for (at, key) in self.keys.iter().enumerate() {
            match at {
                0 => path.push_str(key),
                2 if self.keys[..2] == ["agents", "list"] => path.push_str(&format!("[{key}]")),
                _ => path.push_str(&format!(".{key}")),
            }
        }
        path
    }

    /// What stands there.
    pub(super) fn value<'a>(&self, config: &'a Value) -> Option<&'a Value> {
        find(config, &self.keys)
    }

    /// What stands there, in the plugin's own configuration.
    pub(super) fn value_in_own<'a>(&self, own: &'a Value) -> Option<&'a Value> {
        find(own, self.keys.get(OWN.len()..)?)
    }
}

/// The places for an agent, weakest first: `agents.defaults.memorySearch` (hosts to 2026.7), `memory.search` (2026.8 and
/// later), the agent's own entry in either form, then the plugin's own configuration, for all agents and for this one.
#[must_use]
pub fn places(config: &Value, agent_id: &str) -> Vec<Place> {
    let mut places =
        vec![Place::new(false, &["agents", "defaults", "memorySearch"]), Place::new(false, &["memory", "search"])];
    if let Some(entry) = Roster::read(config).get(agent_id) {
        let (shape, key) = (entry.shape, entry.key.as_str());
        places.push(Place::new(true, &["agents", shape, key, "memorySearch"]));
        places.push(Place::new(true, &["agents", shape, key, "memory", "search"]));
    }
    places.extend(own_places(own(config), agent_id));
    places
}

/// The plugin's own configuration.
pub(super) fn own(config: &Value) -> Option<&Value> {
    find(config, OWN)
}

/// Those in the plugin's own configuration.
pub(super) fn own_places(own: Option<&Value>, agent_id: &str) -> Vec<Place> {
    let agents = own.and_then(|own| own.get("agents")?.as_object()).into_iter().flatten();
    let of_agent = agents.filter(|(id, _)| normalize_agent_id(id) == agent_id);
    let of_agent = of_agent.map(|(id, _)| Place::new(true, &[&OWN[..], &["agents", id.as_str()]].concat()));
    std::iter::once(Place::new(false, &OWN)).chain(of_agent).collect()
}

fn find<K: AsRef<str>>(value: &Value, keys: impl IntoIterator<Item = K>) -> Option<&Value> {
    keys.into_iter().try_fold(value, |value, key| match value {
        Value::Array(list) => list.get(key.as_ref().parse::<usize>().ok()?),
        _ => value.get(key.as_ref()),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_are_written_as_people_do_and_lead_to_what_stands_there() {
        let config = json!({
            "agents": { "list": [null, { "id": "Work", "memorySearch": { "model": "m" } }] },
            "plugins": { "entries": { PLUGIN_ID: { "config": { "agents": { "WORK": 1, "7": 2 } } } } },
        });
        let found = places(&config, "work");
        let paths: Vec<String> = found.iter().map(Place::path).collect();
        assert_eq!(
            paths,
            [
                "agents.defaults.memorySearch",
                "memory.search",
                "agents.list[1].memorySearch",
                "agents.list[1].memory.search",
                "plugins.entries.memory-core-rs.config",
                "plugins.entries.memory-core-rs.config.agents.WORK",
            ]
        );
        assert_eq!(found[2].value(&config), Some(&json!({ "model": "m" })));
        assert_eq!(found[3].value(&config), None);
        assert_eq!(found[5].value(&config), Some(&json!(1)));
        let keyed = json!({ "agents": { "entries": { "7": { "memorySearch": {} } } } });
        assert_eq!(places(&keyed, "7")[2].path(), "agents.entries.7.memorySearch");
    }
}
