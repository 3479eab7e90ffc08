//! Settings of active memory. Names and ranges are those of the bundled plugin of the host, so that its settings can be
//! kept; numbers out of range are clamped, as it does.

use serde::Serialize;
use serde_json::Value;

use super::{layers::Reader, setting::Special, table};

/// A kind of conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatType {
    /// One person.
    Direct,
    /// Several.
    Group,
    /// A channel or room.
    Channel,
    /// A session that was named by whoever opened it.
    Explicit,
}

/// When a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// When the message asks for something remembered and the search is not sure.
    Escalate,
    /// Whenever the search has a clue.
    Always,
    /// Never: what the search is sure of is shown.
    Native,
    /// Nothing is shown.
    Off,
}

/// What the model gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Which passages help; they are shown word for word.
    Pick,
    /// A line of its own, which must hold nothing that the passages do not.
    Summary,
}

/// How a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Once, over what was found.
    Single,
    /// As an agent that searches by itself.
    Agent,
}

/// Whether an agent answers in the host's fast mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum FastMode {
    /// Said by the operator.
    Said(bool),
    /// The host's word for "as it finds right".
    By(Auto),
}

/// The host decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Auto {
    /// It does.
    Auto,
}

/// How much of the conversation the model sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QueryMode {
    /// The newest message.
    Message,
    /// With the turns before it.
    Recent,
    /// With as much of the conversation as fits.
    Full,
}

/// How readily memories are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptStyle {
    /// The tail of the conversation only disambiguates.
    Balanced,
    /// The newest message alone counts.
    Strict,
    /// What goes on counts too.
    Contextual,
    /// Plausible matches pass.
    RecallHeavy,
    /// Only what is obvious passes.
    PrecisionHeavy,
    /// Tastes and habits.
    PreferenceOnly,
}

/// How much the model may think; where the host lets a plugin say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// Not at all.
    Off,
    /// A glance.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More.
    Xhigh,
    /// As the model finds right.
    Adaptive,
    /// As much as it can.
    Max,
}

/// Active memory of one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActiveMemory {
    /// Default false.
    pub enabled: bool,
    /// The agents it runs for; default: every agent for which it is switched on.
    pub agents: Option<Vec<String>>,
    /// Default `[direct]`.
    pub allowed_chat_types: Vec<ChatType>,
    /// When not empty, no other conversation.
    pub allowed_chat_ids: Vec<String>,
    /// Never these.
    pub denied_chat_ids: Vec<String>,
    /// Default `escalate`.
    pub mode: Mode,
    /// Default `single`.
    pub engine: Engine,
    /// What an agent may use; default: our search and our reader of files.
    pub tools_allow: Vec<String>,
    /// Default: as the conversation.
    pub fast_mode: Option<FastMode>,
    /// What an agent may take beside `timeoutMs` to begin, in milliseconds; default 0, 0–30,000.
    pub setup_grace_timeout_ms: u64,
    /// Default `pick`.
    pub answer: Answer,
    /// `provider/model`; default: the conversation's, where the operator allows that, else the agent's.
    pub model: Option<String>,
    /// The same, for an agent that has no model.
    pub model_fallback: Option<String>,
    /// Default `off`.
    pub thinking: Thinking,
    /// Longest a reply waits, in milliseconds; default 2500, of an agent 15,000; 250–120,000.
    pub timeout_ms: u64,
    /// How long a call that missed its limit runs on, for the next turn, in milliseconds; default 10,000, 0–30,000.
    pub late_ms: u64,
    /// Default `recent`.
    pub query_mode: QueryMode,
    /// Default by `queryMode`: message → strict, recent → balanced, full → contextual.
    pub prompt_style: Option<PromptStyle>,
    /// Instructions in place of ours; at most 1500 characters.
    pub prompt_override: Option<String>,
    /// Instructions beside them; at most 800 characters.
    pub prompt_append: Option<String>,
    /// Longest summary; default 220, 40–1000.
    pub max_summary_chars: usize,
    /// Turns of the user before the newest message; default 2, 0–4.
    pub recent_user_turns: usize,
    /// Turns of the assistant; default 1, 0–3.
    pub recent_assistant_turns: usize,
    /// Most of each; default 220, 40–1000.
    pub recent_user_chars: usize,
    /// Most of each; default 180, 40–1000.
    pub recent_assistant_chars: usize,
    /// How long an answer is kept for the same question over the same passages, in milliseconds; default 600,000,
    /// 1000–3,600,000.
    pub cache_ttl_ms: u64,
    /// Calls in a row that may fail before none is made for a while; default 3, 1–20.
    pub circuit_breaker_max_timeouts: u64,
    /// That while, in milliseconds; default 60,000, 5000–600,000.
    pub circuit_breaker_cooldown_ms: u64,
    /// Confidence below which a passage is no clue, 0–1; default 0.15.
    pub floor: f64,
    /// Confidence above which no model is asked, 0–1; default 1.
    pub sure: f64,
    /// Passages that a model is shown; default 8, 1–16.
    pub max_passages: usize,
    /// Most of the newest message that it is shown; default 1000, 200–4000.
    pub max_query_chars: usize,
    /// A line in the log for every turn; default false.
    pub logging: bool,
    /// Keep what was asked and answered; default false.
    pub persist_transcripts: bool,
    /// Folder for that, below our own; default `active-memory`.
    pub transcript_dir: String,
}

/// Longest instructions of the operator, in characters: a request stays short.
const MAX_OVERRIDE_CHARS: usize = 1500;
const MAX_APPEND_CHARS: usize = 800;

/// Longest a reply waits for an agent where nothing else is said, in milliseconds.
const AGENT_TIMEOUT_MS: u64 = 15_000;
/// Most tools of an agent, and those that it has where none is named.
const MOST_TOOLS: usize = 32;
const OUR_TOOLS: [&str; 2] = ["memory_search", "memory_get"];
/// Tools with which an agent could do more than look something up.
const NO_TOOLS_OF_MEMORY: &[&str] = &[
    "*",
    "agents_list",
    "apply_patch",
    "bash",
    "browser",
    "canvas",
    "cron",
    "edit",
    "exec",
    "gateway",
    "heartbeat_respond",
    "heartbeat_response",
    "image",
    "image_generate",
    "intent",
    "memory_forget",
    "memory_store",
    "message",
    "music_generate",
    "node",
    "nodes",
    "pdf",
    "process",
    "progress_card",
    "read",
    "session_status",
    "sessions_history",
    "sessions_list",
    "sessions_send",
    "sessions_spawn",
    "sessions_yield",
    "skill_workshop",
    "spawn_agent",
    "subagents",
    "tool_call",
    "tool_describe",
    "tool_search",
    "tts",
    "update_plan",
    "video_generate",
    "web_fetch",
    "web_search",
    "write",
    "x_search",
];

impl Default for ActiveMemory {
    fn default() -> Self {
        read(&mut Reader::of_plugin(&Value::Null, ""))
    }
}

/// The section of an agent.
pub(super) fn read(reader: &mut Reader<'_>) -> ActiveMemory {
    let floor = reader.number(&table::ACTIVE_MEMORY_FLOOR);
    let engine = reader.choice(&table::ACTIVE_MEMORY_ENGINE);
    let timeout = &table::ACTIVE_MEMORY_TIMEOUT_MS;
    let timeout_ms =
        reader.integer_or(timeout, if engine == Engine::Agent { AGENT_TIMEOUT_MS } else { timeout.default });
    ActiveMemory {
        enabled: reader.switch(&table::ACTIVE_MEMORY_ENABLED),
        agents: names(reader, &table::ACTIVE_MEMORY_AGENTS),
        allowed_chat_types: chat_types(reader),
        allowed_chat_ids: ids(reader, &table::ACTIVE_MEMORY_ALLOWED_CHAT_IDS),
        denied_chat_ids: ids(reader, &table::ACTIVE_MEMORY_DENIED_CHAT_IDS),
        mode: reader.choice(&table::ACTIVE_MEMORY_MODE),
        answer: reader.choice(&table::ACTIVE_MEMORY_ANSWER),
        model: reader.optional_text(&table::ACTIVE_MEMORY_MODEL),
        model_fallback: reader.optional_text(&table::ACTIVE_MEMORY_MODEL_FALLBACK),
        thinking: reader.choice(&table::ACTIVE_MEMORY_THINKING),
        engine,
        tools_allow: tools(reader),
        fast_mode: fast_mode(reader),
        setup_grace_timeout_ms: reader.integer(&table::ACTIVE_MEMORY_SETUP_GRACE_TIMEOUT_MS),
        timeout_ms,
        late_ms: reader.integer(&table::ACTIVE_MEMORY_LATE_MS),
        query_mode: reader.choice(&table::ACTIVE_MEMORY_QUERY_MODE),
        prompt_style: prompt_style(reader),
        prompt_override: instructions(reader.optional_text(&table::ACTIVE_MEMORY_PROMPT_OVERRIDE), MAX_OVERRIDE_CHARS),
        prompt_append: instructions(reader.optional_text(&table::ACTIVE_MEMORY_PROMPT_APPEND), MAX_APPEND_CHARS),
        max_summary_chars: reader.count(&table::ACTIVE_MEMORY_MAX_SUMMARY_CHARS),
        recent_user_turns: reader.count(&table::ACTIVE_MEMORY_RECENT_USER_TURNS),
        recent_assistant_turns: reader.count(&table::ACTIVE_MEMORY_RECENT_ASSISTANT_TURNS),
        recent_user_chars: reader.count(&table::ACTIVE_MEMORY_RECENT_USER_CHARS),
        recent_assistant_chars: reader.count(&table::ACTIVE_MEMORY_RECENT_ASSISTANT_CHARS),
        cache_ttl_ms: reader.integer(&table::ACTIVE_MEMORY_CACHE_TTL_MS),
        circuit_breaker_max_timeouts: reader.integer(&table::ACTIVE_MEMORY_CIRCUIT_BREAKER_MAX_TIMEOUTS),
        circuit_breaker_cooldown_ms: reader.integer(&table::ACTIVE_MEMORY_CIRCUIT_BREAKER_COOLDOWN_MS),
        floor,
        sure: reader.number(&table::ACTIVE_MEMORY_SURE).max(floor),
        max_passages: reader.count(&table::ACTIVE_MEMORY_MAX_PASSAGES),
        max_query_chars: reader.count(&table::ACTIVE_MEMORY_MAX_QUERY_CHARS),
        logging: reader.switch(&table::ACTIVE_MEMORY_LOGGING),
        persist_transcripts: reader.switch(&table::ACTIVE_MEMORY_PERSIST_TRANSCRIPTS),
        transcript_dir: transcript_dir(reader),
    }
}

impl ActiveMemory {
    /// The style in force.
    #[must_use]
    pub fn style(&self) -> PromptStyle {
        self.prompt_style.unwrap_or(match self.query_mode {
            QueryMode::Message => PromptStyle::Strict,
            QueryMode::Recent => PromptStyle::Balanced,
            QueryMode::Full => PromptStyle::Contextual,
        })
    }
}

fn instructions(text: Option<String>, most: usize) -> Option<String> {
    text.map(|text| text.chars().take(most).collect())
}

/// Whether a path stays below the folder it is joined to, on every system.
fn is_folder_name(path: &str) -> bool {
    let parts = || path.split(['/', '\\']);
    !path.contains([':', '\0']) && !path.is_empty() && parts().all(|part| !matches!(part.trim(), "" | "." | ".."))
}

fn transcript_dir(reader: &mut Reader<'_>) -> String {
    let written = reader.text(&table::ACTIVE_MEMORY_TRANSCRIPT_DIR);
    if is_folder_name(&written) { written } else { table::ACTIVE_MEMORY_TRANSCRIPT_DIR.default.to_owned() }
}

fn prompt_style(reader: &mut Reader<'_>) -> Option<PromptStyle> {
    const STYLES: [(&str, PromptStyle); 6] = [
        ("balanced", PromptStyle::Balanced),
        ("strict", PromptStyle::Strict),
        ("contextual", PromptStyle::Contextual),
        ("recall-heavy", PromptStyle::RecallHeavy),
        ("precision-heavy", PromptStyle::PrecisionHeavy),
        ("preference-only", PromptStyle::PreferenceOnly),
    ];
    let key = table::ACTIVE_MEMORY_PROMPT_STYLE.key;
    let found = reader.all(key);
    let style = |value: &Value| {
        let word = value.as_str()?.trim();
        STYLES.iter().find(|(name, _)| *name == word).map(|(_, style)| *style)
    };
    reader.pick(key, found, "a style such as \"balanced\"", style).map(|picked| picked.value)
}

/// Kinds of conversations; those nobody knows are left out, and where none is left, direct ones are meant.
fn chat_types(reader: &mut Reader<'_>) -> Vec<ChatType> {
    let names = names(reader, &table::ACTIVE_MEMORY_ALLOWED_CHAT_TYPES).unwrap_or_default();
    let known: Vec<ChatType> = names
        .iter()
        .filter_map(|name| {
            Some(match name.to_lowercase().as_str() {
                "direct" => ChatType::Direct,
                "group" => ChatType::Group,
                "channel" => ChatType::Channel,
                "explicit" => ChatType::Explicit,
                _ => return None,
            })
        })
        .collect();
    if known.is_empty() { vec![ChatType::Direct] } else { known }
}

/// The tools of an agent: those that look something up in memory, and plugins' own.
fn tools(reader: &mut Reader<'_>) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for name in ids(reader, &table::ACTIVE_MEMORY_TOOLS_ALLOW) {
        let is_other = name.starts_with("group:") || NO_TOOLS_OF_MEMORY.contains(&name.as_str());
        if !is_other && !tools.contains(&name) && tools.len() < MOST_TOOLS {
            tools.push(name);
        }
    }
    if tools.is_empty() { OUR_TOOLS.map(str::to_owned).to_vec() } else { tools }
}

fn fast_mode(reader: &mut Reader<'_>) -> Option<FastMode> {
    let key = table::ACTIVE_MEMORY_FAST_MODE.key;
    let found = reader.all(key);
    let mode = |value: &Value| match value {
        Value::Bool(said) => Some(FastMode::Said(*said)),
        Value::String(word) if word == "auto" => Some(FastMode::By(Auto::Auto)),
        _ => None,
    };
    reader.pick(key, found, "true, false or \"auto\"", mode).map(|picked| picked.value)
}

fn ids(reader: &mut Reader<'_>, setting: &Special) -> Vec<String> {
    names(reader, setting).unwrap_or_default().iter().map(|id| id.to_lowercase()).collect()
}

/// A list of texts; empty ones are left out.
fn names(reader: &mut Reader<'_>, Special { key }: &Special) -> Option<Vec<String>> {
    let list = |value: &Value| {
        let texts = value.as_array()?.iter().map(|one| one.as_str().map(|text| text.trim().to_owned()));
        let texts: Option<Vec<String>> = texts.collect();
        texts.map(|texts| texts.into_iter().filter(|text| !text.is_empty()).collect())
    };
    let found = reader.all(key);
    reader.pick(key, found, "a list of texts", list).map(|picked| picked.value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(value: Value) -> ActiveMemory {
        read(&mut Reader::of_plugin(&json!({ "activeMemory": value }), ""))
    }

    #[test]
    fn it_is_off_and_in_range_whatever_is_written() {
        assert_eq!(of(json!({})), ActiveMemory::default());
        let low = of(json!({ "timeoutMs": 1, "maxSummaryChars": 0, "cacheTtlMs": 0, "circuitBreakerMaxTimeouts": 0,
            "floor": 0.9, "sure": 0.1, "maxPassages": 0, "maxQueryChars": 5, "recentUserTurns": 99 }));
        assert_eq!((low.timeout_ms, low.max_summary_chars, low.cache_ttl_ms), (250, 40, 1000));
        assert_eq!((low.circuit_breaker_max_timeouts, low.max_passages, low.max_query_chars), (1, 1, 200));
        assert!(low.sure >= low.floor && low.recent_user_turns == 4);
    }

    #[test]
    fn chat_types_nobody_knows_leave_direct_ones() {
        assert_eq!(of(json!({ "allowedChatTypes": ["Group", "x"] })).allowed_chat_types, [ChatType::Group]);
        assert_eq!(of(json!({ "allowedChatTypes": ["x"] })).allowed_chat_types, [ChatType::Direct]);
        assert_eq!(of(json!({ "allowedChatTypes": [] })).allowed_chat_types, [ChatType::Direct]);
        assert_eq!(of(json!({ "deniedChatIds": [" ABC ", ""] })).denied_chat_ids, ["abc"]);
    }

    #[test]
    fn an_agent_has_tools_that_look_up_and_more_time() {
        let own = of(json!({ "engine": "agent", "fastMode": "auto" }));
        assert_eq!((own.timeout_ms, own.tools_allow), (15_000, OUR_TOOLS.map(str::to_owned).to_vec()));
        assert_eq!(serde_json::to_value(own.fast_mode).unwrap(), json!("auto"));
        let own = of(json!({ "engine": "agent", "timeoutMs": 900, "fastMode": false, "setupGraceTimeoutMs": 99_999,
            "toolsAllow": ["*", "group:fs", " Exec ", "wiki_search", "wiki_search", "memory_search"] }));
        assert_eq!((own.timeout_ms, own.setup_grace_timeout_ms), (900, 30_000));
        assert_eq!(own.tools_allow, ["wiki_search", "memory_search"]);
        assert_eq!(serde_json::to_value(own.fast_mode).unwrap(), json!(false));
        assert_eq!(of(json!({ "toolsAllow": ["*", "write"] })).tools_allow, OUR_TOOLS);
    }

    #[test]
    fn the_folder_of_transcripts_stays_below_ours() {
        for path in ["..", "a/../b", "/etc", "C:\\x", "a//b", "", "a\\..\\b"] {
            assert_eq!(of(json!({ "transcriptDir": path })).transcript_dir, "active-memory", "{path}");
        }
        assert_eq!(of(json!({ "transcriptDir": "calls/2026" })).transcript_dir, "calls/2026");
    }

    #[test]
    fn the_style_follows_the_query() {
        assert_eq!(of(json!({ "queryMode": "message" })).style(), PromptStyle::Strict);
        assert_eq!(of(json!({ "queryMode": "full" })).style(), PromptStyle::Contextual);
        assert_eq!(of(json!({ "promptStyle": "recall-heavy" })).style(), PromptStyle::RecallHeavy);
    }
}
