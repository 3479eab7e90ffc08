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
    /// Default `pick`.
    pub answer: Answer,
    /// `provider/model`; default: the conversation's, where the operator allows that, else the agent's.
    pub model: Option<String>,
    /// The same, for an agent that has no model.
    pub model_fallback: Option<String>,
    /// Default `off`.
    pub thinking: Thinking,
    /// Longest a reply waits, in milliseconds; default 2500, 250–120,000.
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
    /// Confidence from which no model is asked, 0–1; default 0.75.
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

impl Default for ActiveMemory {
    fn default() -> Self {
        read(&mut Reader::of_plugin(&Value::Null, ""))
    }
}

/// The section of an agent.
pub(super) fn read(reader: &mut Reader<'_>) -> ActiveMemory {
    let floor = reader.number(&table::ACTIVE_MEMORY_FLOOR);
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
        timeout_ms: reader.integer(&table::ACTIVE_MEMORY_TIMEOUT_MS),
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
