//! Settings of the automatic memory, from the plugin's own configuration. The names are the ones users know from the
//! plugins that did each part alone, so that their settings can be kept.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;

use super::{
    active_memory::{self, ActiveMemory},
    layers::{Reader, resolve_plugin},
    paths::OWN_FOLDER,
    table,
};
use crate::error::Result;

/// Limits (J5). Lengths are user-perceived characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Lines until the file is rotated; default 10,000.
    pub max_entries: usize,
    /// Turns injected; default 20.
    pub max_inject_entries: usize,
    /// Default 100.
    pub max_task_chars: usize,
    /// Default 200.
    pub max_input_chars: usize,
    /// Default 300.
    pub max_output_chars: usize,
    /// Default 5.
    pub max_tags: usize,
}

impl Default for Limits {
    fn default() -> Self {
        ShortTerm::default().limits
    }
}

/// What is shown beside a message that asks for something of the user's where nothing found fits for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unsure {
    /// Nothing, rather than a guess.
    Nothing,
    /// The nearest passages.
    Nearest,
}

/// How facts are found in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CaptureMode {
    /// By rules, without a model call.
    Rules,
    /// A model lists them.
    Extract,
}

/// The parts of the automatic memory. Each is off until it is switched on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Automatic {
    /// Search with every user message and show what is found to the model; default false.
    pub auto_recall: bool,
    /// Most memories shown (K2); default 5, 1–20.
    pub auto_recall_max_results: usize,
    /// Shortest message searched with, in characters (K2); default 5.
    pub auto_recall_min_prompt_length: usize,
    /// Lowest score shown, 0–1, where meaning was searched (K2, K3); default 0.3.
    pub auto_recall_min_score: f64,
    /// What is shown where nothing fits for sure.
    pub auto_recall_unsure: Unsure,
    /// Longest a reply waits for memories, in milliseconds; default 300, 20–5000.
    pub auto_recall_timeout_ms: u64,
    /// Longest block in characters; default 4000, 500–20,000.
    pub auto_recall_max_chars: usize,
    /// Show curated lines by their trigger phrases, with `auto_recall`; default false.
    pub trigger_recall: bool,
    /// Keep facts that the user states; default false.
    pub auto_capture: bool,
    /// Default `rules`.
    pub auto_capture_mode: CaptureMode,
    /// Messages of a turn that are looked at (K2); default 10, 1–50.
    pub auto_capture_max_messages: usize,
    /// Facts kept from one turn (M4); default 3, 1–20.
    pub auto_capture_max_facts: usize,
    /// Keep facts of messages that are compacted without the host's flush before; default false.
    pub capture_on_compaction: bool,
    /// The last turns, word for word.
    pub short_term: ShortTerm,
    /// The log of what was put into prompts.
    pub prompt_history: PromptHistory,
    /// A note of every conversation that ends.
    pub session_notes: SessionNotes,
    /// The tools that store facts, find and forget them.
    pub stored_facts: StoredFacts,
    /// The right memories in the prompt, with the help of a model where the search is not sure.
    pub active_memory: ActiveMemory,
}

/// Stored facts (M1–M7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredFacts {
    /// Default false.
    pub enabled: bool,
}

/// Short-term memory (J1–J6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShortTerm {
    /// Default false.
    pub enabled: bool,
    /// The file; default `<state>/memory/short-term.jsonl` for the default agent, which takes over the file of the
    /// plugin of that name, and a file of its own for every other agent.
    pub path: Option<PathBuf>,
    /// Whether the people whom the host keeps apart see each other's turns; default false. For one person who writes to the
    /// agent over several channels.
    pub across_people: bool,
    /// Sizes (J5).
    #[serde(flatten)]
    pub limits: Limits,
}

/// What was put into prompts, as the model saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptHistory {
    /// Days that it is kept; default 30, 0–3650, 0 = nothing is.
    pub days: u64,
}

/// Session notes (H5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionNotes {
    /// Default false.
    pub enabled: bool,
    /// Messages kept, counted from the end; default 15, 1–200.
    pub messages: usize,
    /// What the note is called after; default `time`.
    pub slug: Slug,
}

/// Last part of a session note's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Slug {
    /// Hour and minute.
    Time,
    /// A few words that a model finds for the conversation.
    Model,
}

impl Default for Automatic {
    fn default() -> Self {
        read(&mut Reader::of_plugin(&Value::Null, ""))
    }
}

impl Default for ShortTerm {
    fn default() -> Self {
        Automatic::default().short_term
    }
}

/// The settings of agents with the configuration that they were read from: each hook of a turn asks for them, and a reply
/// waits.
static KNOWN: LazyLock<Mutex<HashMap<String, (Value, Automatic)>>> = LazyLock::new(Mutex::default);
/// Agents whose settings are remembered.
const MOST_KNOWN: usize = 64;

/// The settings of one agent: the plugin's configuration, and above it what `agents.<id>` says there.
///
/// # Errors
/// [`crate::error::Code::Config`] when a value has the wrong type.
pub fn resolve(config: &Value, agent_id: &str) -> Result<Automatic> {
    if let Some((_, settings)) = KNOWN.lock().get(agent_id).filter(|(of, _)| of == config) {
        return Ok(settings.clone());
    }
    let settings = resolve_plugin(config, agent_id, read)?;
    let mut known = KNOWN.lock();
    if known.len() >= MOST_KNOWN {
        known.clear();
    }
    known.insert(agent_id.to_owned(), (config.clone(), settings.clone()));
    Ok(settings)
}

fn read(reader: &mut Reader<'_>) -> Automatic {
    Automatic {
        auto_recall: reader.switch(&table::AUTO_RECALL),
        auto_recall_max_results: reader.count(&table::AUTO_RECALL_MAX_RESULTS),
        auto_recall_min_prompt_length: reader.count(&table::AUTO_RECALL_MIN_PROMPT_LENGTH),
        auto_recall_min_score: reader.number(&table::AUTO_RECALL_MIN_SCORE),
        auto_recall_unsure: reader.choice(&table::AUTO_RECALL_UNSURE),
        auto_recall_timeout_ms: reader.integer(&table::AUTO_RECALL_TIMEOUT_MS),
        auto_recall_max_chars: reader.count(&table::AUTO_RECALL_MAX_CHARS),
        trigger_recall: reader.switch(&table::TRIGGER_RECALL),
        auto_capture: reader.switch(&table::AUTO_CAPTURE),
        auto_capture_mode: reader.choice(&table::AUTO_CAPTURE_MODE),
        auto_capture_max_messages: reader.count(&table::AUTO_CAPTURE_MAX_MESSAGES),
        auto_capture_max_facts: reader.count(&table::AUTO_CAPTURE_MAX_FACTS),
        capture_on_compaction: reader.switch(&table::CAPTURE_ON_COMPACTION),
        short_term: ShortTerm {
            enabled: reader.switch(&table::SHORT_TERM_ENABLED),
            path: reader.optional_text(&table::SHORT_TERM_PATH).map(PathBuf::from),
            across_people: reader.switch(&table::SHORT_TERM_ACROSS_PEOPLE),
            limits: Limits {
                max_entries: reader.count(&table::SHORT_TERM_MAX_ENTRIES),
                max_inject_entries: reader.count(&table::SHORT_TERM_MAX_INJECT_ENTRIES),
                max_task_chars: reader.count(&table::SHORT_TERM_MAX_TASK_CHARS),
                max_input_chars: reader.count(&table::SHORT_TERM_MAX_INPUT_CHARS),
                max_output_chars: reader.count(&table::SHORT_TERM_MAX_OUTPUT_CHARS),
                max_tags: reader.count(&table::SHORT_TERM_MAX_TAGS),
            },
        },
        prompt_history: PromptHistory { days: reader.integer(&table::PROMPT_HISTORY_DAYS) },
        session_notes: SessionNotes {
            enabled: reader.switch(&table::SESSION_NOTES_ENABLED),
            messages: reader.count(&table::SESSION_NOTES_MESSAGES),
            slug: reader.choice(&table::SESSION_NOTES_SLUG),
        },
        stored_facts: StoredFacts { enabled: reader.switch(&table::STORED_FACTS_ENABLED) },
        active_memory: active_memory::read(reader),
    }
}

/// Where the automatic memory keeps its own files.
#[must_use]
pub fn own_folder(state_dir: &Path) -> PathBuf {
    state_dir.join(OWN_FOLDER)
}

/// Where it keeps those of an agent.
#[must_use]
pub fn agent_folder(state_dir: &Path, agent_id: &str) -> PathBuf {
    own_folder(state_dir).join(agent_id)
}

/// Where the short-term files of single people are, below the folder of an agent.
#[must_use]
pub fn people_folder(agent_folder: &Path) -> PathBuf {
    agent_folder.join("short-term")
}

/// The short-term file of a person that an agent keeps apart from the others; `person` is any name that stays the same.
#[must_use]
pub fn short_term_path_of(person: &str, state_dir: &Path, agent_id: &str) -> PathBuf {
    let name = format!("{:016x}.jsonl", xxhash_rust::xxh3::xxh3_64(person.as_bytes()));
    people_folder(&agent_folder(state_dir, agent_id)).join(name)
}

/// Where the short-term file of the default agent is, unless the settings say otherwise.
#[must_use]
pub fn short_term_folder(state_dir: &Path) -> PathBuf {
    state_dir.join("memory")
}

/// The short-term file of an agent, where the settings name that `written` one.
#[must_use]
pub fn short_term_path(written: Option<&Path>, state_dir: &Path, agent_id: &str, is_default: bool) -> PathBuf {
    match written {
        // One file named for several agents would show each the turns of the others.
        Some(path) if is_default => path.to_owned(),
        None if is_default => short_term_folder(state_dir).join("short-term.jsonl"),
        _ => agent_folder(state_dir, agent_id).join("short-term.jsonl"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Code;

    #[test]
    fn everything_is_off_until_it_is_switched_on() {
        let settings = resolve(&json!({ "provider": "openai", "query": {} }), "main").unwrap();
        assert_eq!(settings, Automatic::default());
        assert!(!settings.auto_recall && !settings.auto_capture && !settings.short_term.enabled);
        assert!(!settings.session_notes.enabled && !settings.stored_facts.enabled && !settings.active_memory.enabled);
    }

    #[test]
    fn an_agent_overrides_the_plugin_key_by_key_and_values_are_clamped() {
        let config = json!({
            "autoRecall": true, "autoRecallTimeoutMs": 1,
            "shortTerm": { "enabled": true, "maxEntries": 7 },
            "agents": { "Work": { "autoRecall": false, "shortTerm": { "maxTags": 1 } } },
        });
        let work = resolve(&config, "work").unwrap();
        assert!(!work.auto_recall && work.short_term.enabled);
        assert_eq!((work.short_term.limits.max_entries, work.short_term.limits.max_tags), (7, 1));
        let main = resolve(&config, "main").unwrap();
        assert!(main.auto_recall);
        assert_eq!((main.auto_recall_timeout_ms, main.short_term.limits.max_tags), (20, 5));
    }

    #[test]
    fn a_wrong_type_is_named() {
        let error = resolve(&json!({ "autoRecall": "yes" }), "main").unwrap_err();
        assert!(error.code() == Code::Config && error.message.contains("plugins.entries.memory-core-rs.config"));
    }

    // A user's text in place of a truth value was repeated in the error, and a group of another type as well.
    #[test]
    fn what_is_no_group_is_named_and_what_stands_there_is_not_repeated() {
        for wrong in
            [json!({ "shortTerm": "hunter2" }), json!({ "agents": { "main": { "autoCaptureMode": "hunter2" } } })]
        {
            let error = resolve(&wrong, "main").unwrap_err();
            assert!(error.message.contains(" is a text, expected ") && !error.message.contains("hunter2"), "{error}");
        }
        let others = json!({ "query": 1, "agents": { "work": { "shortTerm": 1 } }, "remote": { "batch": 1 } });
        assert_eq!(resolve(&others, "main").unwrap(), Automatic::default());
    }

    #[test]
    fn agents_never_share_a_short_term_file() {
        let state = Path::new("/s");
        let named = Some(Path::new("/x/st.jsonl"));
        assert_eq!(short_term_path(None, state, "main", true), Path::new("/s/memory/short-term.jsonl"));
        assert_eq!(short_term_path(named, state, "main", true), Path::new("/x/st.jsonl"));
        for written in [None, named] {
            let path = short_term_path(written, state, "work", false);
            assert_eq!(path, Path::new("/s/memory-core-rs/work/short-term.jsonl"));
        }
        let [ana, ben, other] = [("ana", "main"), ("ben", "main"), ("ana", "work")]
            .map(|(person, agent)| short_term_path_of(person, state, agent));
        assert_eq!(ana.parent(), Some(Path::new("/s/memory-core-rs/main/short-term")));
        assert!(ana != ben && ana != other);
    }
}
