//! Resolved settings of one agent: every default filled in, every value clamped.
//! `resolve` makes them from the host's configuration, and nothing else here reads that. Addresses and keys of providers are
//! no settings: they arrive resolved, as accounts.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{memory_policy::ExcludedSessions, multimodal::Multimodal};

/// Everything the engine needs to know about one agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The agent's id, normalised as the host does.
    pub agent_id: String,
    /// Absolute path of the agent's workspace (A4).
    pub workspace_dir: PathBuf,
    /// Absolute path of the host's state directory.
    pub state_dir: PathBuf,
    /// The agent's file of short-term memory.
    pub short_term_file: PathBuf,
    /// Absolute path of our own database file (B1; `store.path` with `{agentId}`).
    pub database_path: PathBuf,
    /// The database that the index is kept in; none = in that file.
    pub database: Option<DatabaseSettings>,
    /// IANA name of the user's time zone; none = the machine's.
    pub time_zone: Option<String>,
    /// Which sources are indexed.
    pub sources: Sources,
    /// Whether conversations are searched by whoever asks. Indexed ones that are not are searched only for a call that
    /// names those it may see.
    pub searches_sessions: bool,
    /// Conversations that nothing is taken from.
    pub excluded_sessions: ExcludedSessions,
    /// Extra files, folders and globs to index: as written, `~` expanded, trimmed and without repetitions (A6).
    pub extra_paths: Vec<String>,
    /// Which of them the user vouches for, in the same form.
    pub curated_paths: Vec<String>,
    /// Pictures and sounds below extra paths; none = only text is indexed.
    pub multimodal: Option<Multimodal>,
    /// Largest Markdown file that is read, in bytes; default 16 MiB. Larger files are skipped with a reason.
    pub max_file_bytes: u64,
    /// What a million tokens of the embedding model cost, in the user's currency; none = not known.
    pub price_per_million_tokens: Option<f64>,
    /// What a search does while the embedding provider fails.
    pub on_outage: OnOutage,
    /// What happens when another model answers under the same name.
    pub rebuild: Rebuild,
    /// How much `memory_get` returns at a time (P11).
    pub excerpt: ExcerptSettings,
    /// The embedding provider (D).
    pub provider: ProviderSettings,
    /// Chunk sizes (C1).
    pub chunking: Chunking,
    /// Ranking and limits (F).
    pub query: QuerySettings,
    /// Synchronisation triggers (E).
    pub sync: SyncSettings,
    /// Embedding cache (B7).
    pub cache: CacheSettings,
    /// FTS5 tokenizer of the `memory-core` ranking (B8).
    pub fts_tokenizer: FtsTokenizer,
    /// Whether vectors are used at all (B5).
    pub vector_enabled: bool,
    /// `memory.citations` (G5).
    pub citations: Citations,
}

/// IANA name of a time zone: the one that is configured, else the machine's, else UTC.
#[must_use]
pub fn zone_name(configured: Option<&str>) -> String {
    let machine = || jiff::tz::TimeZone::system().iana_name().map(str::to_owned);
    configured.map(str::to_owned).or_else(machine).unwrap_or_else(|| "UTC".to_owned())
}

impl Settings {
    /// IANA name of the time zone that days are told by: the user's, else the machine's, else UTC.
    #[must_use]
    pub fn zone_name(&self) -> String {
        zone_name(self.time_zone.as_deref())
    }

    /// What tokens of the embedding model cost, in the user's currency; none where the price is not known.
    #[must_use]
    pub fn price_of(&self, tokens: u64) -> Option<f64> {
        self.price_per_million_tokens.map(|price| price * tokens as f64 / 1e6)
    }
}

/// What keeps the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Driver {
    /// A SQLite file.
    Sqlite,
    /// A PostgreSQL database.
    Postgres,
}

/// How the way to a database is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseSsl {
    /// As its address says; else as [`Self::VerifyFull`], unless it is on this machine.
    Auto,
    /// With TLS, and the server is who it says it is.
    VerifyFull,
    /// With TLS, whoever the server is.
    Require,
    /// Without TLS.
    Disable,
}

/// Where the vectors of an index in a database are compared with a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NearIn {
    /// In memory, as long as they take no more than was said.
    Auto,
    /// In memory.
    Local,
    /// In the database, which then does most of a search.
    Database,
}

/// A PostgreSQL database. Its address is no setting: it has a password in it, and arrives resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DatabaseSettings {
    /// The schema that all tables are in; default `openclaw_memory`.
    pub schema: String,
    /// Whose memory: agents of one tenant share their vectors; default `default`.
    pub tenant: String,
    /// How the way to it is protected; default [`DatabaseSsl::Auto`].
    pub ssl: DatabaseSsl,
    /// A file of the certificates that are trusted; none = those of the system.
    pub ssl_root_cert: Option<PathBuf>,
    /// Most connections of the process, 1–64; default 4.
    pub pool_size: usize,
    /// How long connecting may take, in milliseconds; default 3,000.
    pub connect_timeout_ms: u64,
    /// How long a statement may take, in milliseconds; default 30,000.
    pub statement_timeout_ms: u64,
    /// How long what was read of an index may be taken for unchanged, in milliseconds, 0–60,000; default 0.
    pub max_staleness_ms: u64,
    /// Most megabytes of words and passages kept in memory, 1–4,096; default 64.
    pub cache_mb: usize,
    /// Where vectors are compared; default [`NearIn::Auto`].
    pub search: NearIn,
    /// Most megabytes of the vectors of an agent in memory with that, 1–65,536; default 256.
    pub arena_max_mb: usize,
    /// Whether tables are made, and brought to this version; default yes.
    pub migrate: bool,
    /// Whether the notes themselves are kept there, and exchanged with the workspace; default no.
    pub notes: bool,
}

/// Which sources are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sources {
    /// `MEMORY.md`, `memory/**` and extra paths; default on.
    pub memory: bool,
    /// Session transcripts; default off.
    pub sessions: bool,
}

/// How much `memory_get` returns at a time (P11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExcerptSettings {
    /// Lines, when the caller names no number; default 120.
    pub lines: usize,
    /// UTF-16 units of text, whatever the caller asks; default 12,000.
    pub chars: usize,
}

/// Whether a `model` beside `provider: "embedded"` means an encoder that the user brings: an address or a path. Any other
/// name is one of another provider, which the host's configuration may pass on from a layer below.
#[must_use]
pub fn names_encoder(model: &str) -> bool {
    model.starts_with("hf:") || model.contains(['/', '\\'])
}

/// How text becomes vectors. Address, key and headers travel beside it, see `embed::account::Account`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderSettings {
    /// The requested provider id: `auto`, `none`, `embedded`, `openai`, `gemini`, …
    pub id: String,
    /// The requested model; none = the provider's default (D1–D6).
    pub model: Option<String>,
    /// Used when the primary fails (D8); none = no fallback.
    pub fallback: Option<String>,
    /// Requested output dimensions.
    pub dimensions: Option<u32>,
    /// Input type of queries, for asymmetric models.
    pub query_input_type: Option<String>,
    /// Input type of documents, for asymmetric models.
    pub document_input_type: Option<String>,
    /// `local.modelPath`: a GGUF file or an `hf:` URI.
    pub local_model_path: Option<String>,
    /// `local.modelCacheDir`.
    pub local_model_cache_dir: Option<String>,
    /// `local.queryPrefix`: what an encoder of the user's gets before a question.
    pub local_query_prefix: Option<String>,
    /// `local.documentPrefix`: the same before a text to be found.
    pub local_document_prefix: Option<String>,
    /// Asynchronous batch API (D11).
    pub batch: BatchSettings,
    /// Requests in flight over all files, 1–16; default 4.
    pub concurrency: usize,
    /// Time limit of one query embedding in milliseconds (D14); default 60,000.
    pub query_timeout_ms: u64,
    /// Time limit of one document request in milliseconds (D14); default 120,000.
    pub document_timeout_ms: u64,
    /// Where notes lose their secrets; default: on their way to a provider elsewhere.
    pub redact_secrets: RedactSecrets,
}

/// Where notes lose their secrets. The files themselves are never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RedactSecrets {
    /// Nowhere.
    Never,
    /// In texts that a provider on another machine embeds; the index here holds what the notes hold.
    Remote,
    /// In the index too, and so in what is found.
    Always,
}

/// Asynchronous batch API of a provider (D11).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchSettings {
    /// Default off, as in today's host.
    pub enabled: bool,
    /// Whether an index run waits for the batch; default true.
    pub wait: bool,
    /// Jobs at a time, ≥ 1; default 2.
    pub concurrency: usize,
    /// Pause between polls in milliseconds; default 2000.
    pub poll_interval_ms: u64,
    /// Give up after this many minutes; default 60.
    pub timeout_minutes: u64,
}

/// Chunk sizes in tokens of about four characters (C1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chunking {
    /// Size of a chunk, ≥ 1; default 400.
    pub tokens: usize,
    /// Carried over from the chunk before, `0..=tokens - 1`; default 80.
    pub overlap: usize,
}

/// Which ranking answers a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranking {
    /// Our own ranking, the default.
    Native,
    /// The documented scoring of memory-core (F1–F13).
    MemoryCore,
}

/// Ranking and limits (F).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuerySettings {
    /// Results of a search, ≥ 1 (F1). None = as many as `budget_chars` has room for in the native ranking, six in that of
    /// memory-core.
    pub max_results: Option<usize>,
    /// Characters of snippets that a search may show where nobody says how many results; default 4,200.
    pub budget_chars: usize,
    /// Lowest score kept, 0–1; none = the ranking's own default (`memory-core`: 0.35).
    pub min_score: Option<f64>,
    /// Which ranking; default native.
    pub ranking: Ranking,
    /// Time limit of a whole search in milliseconds; default 30,000 (P11).
    pub deadline_ms: u64,
    /// Keyword and vector legs together (F11); default on.
    pub hybrid_enabled: bool,
    /// Normalised so that both weights sum to 1; default 0.7 (F6).
    pub vector_weight: f64,
    /// Default 0.3 (F6).
    pub text_weight: f64,
    /// Candidates per leg = results × this, 1–20; default 4 (F2).
    pub candidate_multiplier: usize,
    /// Recency decay (F7). None = the ranking's own default.
    pub decay_enabled: Option<bool>,
    /// Days until a dated note weighs half; default 30.
    pub half_life_days: f64,
    /// Maximal marginal relevance (F8). None = the ranking's own default.
    pub mmr_enabled: Option<bool>,
    /// 1 = relevance only; default 0.7.
    pub mmr_lambda: f64,
}

/// Results of memory-core's ranking (F1).
const MEMORY_CORE_RESULTS: usize = 6;
/// Most results that fill a budget.
const BUDGET_RESULTS: usize = 12;

impl QuerySettings {
    /// Most results of a search that names no number.
    #[must_use]
    pub fn most_results(&self) -> usize {
        let default = match self.ranking {
            Ranking::Native => BUDGET_RESULTS,
            Ranking::MemoryCore => MEMORY_CORE_RESULTS,
        };
        self.max_results.unwrap_or(default)
    }

    /// Characters of snippets that such a search may show; none where the settings name a number, and in memory-core's
    /// ranking.
    #[must_use]
    pub fn budget(&self) -> Option<usize> {
        (self.max_results.is_none() && self.ranking == Ranking::Native).then_some(self.budget_chars)
    }
}

/// Synchronisation triggers (E).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncSettings {
    /// Watch the file system; default on (E1).
    pub watch: bool,
    /// Quiet time after the last event in milliseconds; default 1500.
    pub watch_debounce_ms: u64,
    /// A search starts a background sync while changes are known that are not indexed; default on (E2).
    pub on_search: bool,
    /// Sync when a session starts; default on (E3).
    pub on_session_start: bool,
    /// Minutes between syncs, 0 = off; default 0 (E4).
    pub interval_minutes: u64,
    /// The host's sync after a compaction is done; default on (E6).
    pub post_compaction: bool,
    /// Transcript bytes that start a sync; default 100,000 (E5).
    pub session_delta_bytes: u64,
    /// Transcript messages that start a sync; default 50 (E5).
    pub session_delta_messages: u64,
    /// Seconds between stat-only reconciliations while `watch` is on; default 60.
    pub reconcile_seconds: u64,
}

/// Embedding cache (B7).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheSettings {
    /// Keep vectors of texts that are no longer in the workspace; default on.
    pub enabled: bool,
    /// Most vectors kept beyond the live ones, ≥ 1; none = unbounded.
    pub max_entries: Option<usize>,
}

/// FTS5 tokenizer of the `memory-core` ranking (B8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FtsTokenizer {
    /// Words.
    Unicode61,
    /// Three-character windows.
    Trigram,
}

/// Whether results carry `Source: path#L1-L2` (G5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Citations {
    /// In direct chats only.
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// What a search does while the embedding provider fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnOutage {
    /// It answers by words and says so.
    Keywords,
    /// It refuses.
    Fail,
}

/// What happens when another model answers under the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rebuild {
    /// Nothing, until the user says so.
    Ask,
    /// The notes are embedded anew.
    Auto,
}

/// Where each resolved value came from: setting path → configuration path, or `default`.
pub(crate) type Origins = BTreeMap<String, String>;

/// The value of each setting that is one word, number or text, by its dotted key.
pub(crate) type Values = BTreeMap<String, Value>;

/// Settings with their origins and the warnings that resolving them gave.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The settings.
    pub settings: Settings,
    /// The database that they name, whether or not the index is kept in it.
    pub database: DatabaseSettings,
    /// Where each value came from.
    pub origins: Origins,
    /// What each setting is, as it is written in a configuration; a list, and what is left to others, has no entry.
    pub values: Values,
    /// Values that were clamped or ignored, one sentence each with the configuration path.
    pub warnings: Vec<String>,
}
