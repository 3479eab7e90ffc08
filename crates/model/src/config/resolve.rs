//! The resolver: the host's configuration in, the settings of one agent out.
//!
//! Lowest to highest: built-in defaults, `agents.defaults.memorySearch`, `memory.search`, the agent's own entry
//! (`agents.list[]` or `agents.entries.<id>`), `plugins.entries.memory-core-rs.config`, and its `agents.<id>`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    agents::{Roster, normalize_agent_id},
    automatic,
    layers::{DEFAULT_ORIGIN, Reader},
    memory_policy, multimodal, paths, places,
    setting::Integer,
    settings::{
        BatchSettings, CacheSettings, Chunking, Citations, DatabaseSettings, Driver, ExcerptSettings, ProviderSettings,
        QuerySettings, Ranking, RedactSecrets, Resolved, Settings, Sources, SyncSettings, names_encoder,
    },
    table,
};
use crate::error::{Code, Error, Result};

/// Plugin id, npm name and key of our own configuration.
pub(crate) const PLUGIN_ID: &str = "memory-core-rs";

/// Providers that run on the user's machine and may be slow: they get the longer time limits (D14).
const LOCAL_PROVIDERS: [&str; 5] = ["local", "ollama", "lmstudio", "llama-server", "embedded"];

/// What resolving needs to know.
#[derive(Debug, Clone, Copy)]
pub struct ResolveInput<'a> {
    /// The host's whole configuration.
    pub config: &'a Value,
    /// The agent, as given by the caller.
    pub agent_id: &'a str,
    /// The host's state directory (`OPENCLAW_STATE_DIR`, else `~/.openclaw`), absolute.
    pub state_dir: &'a Path,
    /// The home directory that `~` stands for (`OPENCLAW_HOME`, else the user's), absolute.
    pub home_dir: &'a Path,
    /// The agent's workspace as the host resolved it; wins over the rules of this resolver. Hosts before 2026.8
    /// derive their default from the home directory instead of the state directory.
    pub workspace_dir: Option<&'a Path>,
    /// `OPENCLAW_WORKSPACE_DIR`: the default workspace of the agent that owns the defaults.
    pub default_workspace_dir: Option<&'a Path>,
}

/// What the caller has found out about the agent's conversations: whether they are indexed for private recall.
const REMEMBERS_CONVERSATIONS: &str = "remembersConversations";

/// The same: whether it is the agent that the host means when none is named.
const IS_DEFAULT_AGENT: &str = "isDefaultAgent";

/// Resolves the settings of one agent; none when memory search is switched off for it.
///
/// # Errors
/// `Config` when the configuration is no object, or when `store.path` names the host's own database. Everything
/// else that cannot be used becomes a warning.
pub fn resolve(input: &ResolveInput<'_>) -> Result<Option<Resolved>> {
    if !input.config.is_object() && !input.config.is_null() {
        return Err(Error::new(Code::Config, "the configuration is not an object")
            .remedy("Pass the host's configuration object"));
    }
    let agent_id = normalize_agent_id(input.agent_id);
    let roster = Roster::read(input.config);
    let mut reader = Reader::new(input.config, &agent_id);
    if !reader.switch(&table::ENABLED) {
        return Ok(None);
    }
    let (workspace_dir, workspace_origin) = paths::workspace_dir(input, &roster, &agent_id);
    reader.origins.insert("workspaceDir".into(), workspace_origin);
    let database_path = database_path(&mut reader, input, &roster, &agent_id)?;
    let (driver, database) = database(&mut reader, input.home_dir);
    let (sources, searches_sessions) = sources(&mut reader, input.config);
    let provider = provider(&mut reader);
    let settings = Settings {
        multimodal: multimodal::read(&mut reader, input.config, &provider)?,
        time_zone: time_zone(&mut reader, input.config),
        sources,
        searches_sessions,
        excluded_sessions: memory_policy::read(&mut reader),
        extra_paths: path_list(&mut reader, table::EXTRA_PATHS.key, input.home_dir),
        curated_paths: path_list(&mut reader, table::CURATED_PATHS.key, input.home_dir),
        max_file_bytes: reader.integer(&table::MAX_FILE_BYTES),
        price_per_million_tokens: reader.optional_number(&table::PRICE_PER_MILLION_TOKENS),
        on_outage: reader.choice(&table::ON_OUTAGE),
        rebuild: reader.choice(&table::REBUILD),
        excerpt: excerpt(&mut reader, input.config, &roster, &agent_id),
        provider,
        chunking: chunking(&mut reader),
        query: query(&mut reader),
        sync: sync(&mut reader),
        cache: CacheSettings {
            enabled: reader.switch(&table::CACHE_ENABLED),
            max_entries: reader.optional_integer(&table::CACHE_MAX_ENTRIES).map(to_usize),
        },
        fts_tokenizer: reader.choice(&table::STORE_FTS_TOKENIZER),
        vector_enabled: reader.switch(&table::STORE_VECTOR_ENABLED),
        citations: citations(&mut reader, input.config),
        short_term_file: short_term_file(input, &agent_id),
        agent_id,
        workspace_dir,
        state_dir: input.state_dir.to_path_buf(),
        database_path,
        database: (driver == Driver::Postgres).then(|| database.clone()),
    };
    if settings.database.is_some() && settings.query.ranking == Ranking::MemoryCore {
        return Err(Error::new(Code::Config, "query.ranking \"memory-core\" needs the full text of SQLite")
            .remedy("Leave query.ranking out, or set store.driver to \"sqlite\""));
    }
    reader.check_groups();
    warn_without_effect(&mut reader, &settings);
    Ok(Some(Resolved { settings, database, origins: reader.origins, values: reader.values, warnings: reader.warnings }))
}

/// Where the agent's last turns are. Settings of automatic memory that cannot be read name no place of their own.
fn short_term_file(input: &ResolveInput<'_>, agent_id: &str) -> PathBuf {
    let own = places::own(input.config).unwrap_or(&Value::Null);
    let written = Reader::of_plugin(own, agent_id).optional_text(&table::SHORT_TERM_PATH).map(PathBuf::from);
    let is_default = input.config.get(IS_DEFAULT_AGENT) == Some(&Value::Bool(true));
    automatic::short_term_path(written.as_deref(), input.state_dir, agent_id, is_default)
}

/// Where the settings put the index file of one agent, whether or not memory search is switched on for it.
///
/// # Errors
/// `Config` when `store.path` names the host's own database.
pub fn index_file(input: &ResolveInput<'_>) -> Result<PathBuf> {
    let agent_id = normalize_agent_id(input.agent_id);
    let mut reader = Reader::new(input.config, &agent_id);
    database_path(&mut reader, input, &Roster::read(input.config), &agent_id)
}

/// What keeps the index, and the database of `store.driver: "postgres"`.
fn database(reader: &mut Reader<'_>, home: &Path) -> (Driver, DatabaseSettings) {
    let driver: Driver = reader.choice(&table::STORE_DRIVER);
    let database = DatabaseSettings {
        schema: reader.text(&table::STORE_POSTGRES_SCHEMA),
        tenant: reader.text(&table::STORE_POSTGRES_TENANT),
        ssl: reader.choice(&table::STORE_POSTGRES_SSL),
        ssl_root_cert: reader
            .optional_text(&table::STORE_POSTGRES_SSL_ROOT_CERT)
            .map(|path| paths::expand_home(&path, home)),
        pool_size: reader.count(&table::STORE_POSTGRES_POOL_SIZE),
        connect_timeout_ms: reader.integer(&table::STORE_POSTGRES_CONNECT_TIMEOUT_MS),
        statement_timeout_ms: reader.integer(&table::STORE_POSTGRES_STATEMENT_TIMEOUT_MS),
        max_staleness_ms: reader.integer(&table::STORE_POSTGRES_MAX_STALENESS_MS),
        cache_mb: reader.count(&table::STORE_POSTGRES_CACHE_MB),
        search: reader.choice(&table::STORE_POSTGRES_SEARCH),
        arena_max_mb: reader.count(&table::STORE_POSTGRES_ARENA_MAX_MB),
        migrate: reader.switch(&table::STORE_POSTGRES_MIGRATE),
        notes: reader.switch(&table::STORE_POSTGRES_NOTES),
    };
    (driver, database)
}

/// `store.path`. A path without `{agentId}` that was set for all agents is kept apart for each agent but the
/// owner of the defaults, because two agents must never share rows.
fn database_path(
    reader: &mut Reader<'_>,
    input: &ResolveInput<'_>,
    roster: &Roster<'_>,
    agent_id: &str,
) -> Result<PathBuf> {
    let picked = reader.picked_text(table::STORE_PATH.key, "a path");
    let origin = reader.origins.remove(table::STORE_PATH.key).unwrap_or_else(|| DEFAULT_ORIGIN.into());
    reader.origins.insert("databasePath".into(), origin);
    let Some(picked) = picked else { return Ok(paths::default_database_path(input.state_dir, agent_id)) };
    let path = paths::configured_database_path(input, &picked.value, agent_id)?;
    let is_shared = !picked.per_agent && !picked.value.contains("{agentId}") && roster.has_several();
    if !is_shared || roster.owner() == Some(agent_id) {
        return Ok(path);
    }
    let own = paths::per_agent(&path, agent_id);
    reader.warnings.push(format!(
        "{} has no {{agentId}} and would be shared by several agents; {} is used for \"{agent_id}\"",
        picked.path,
        own.display()
    ));
    Ok(own)
}

/// Sources (H1), and whether conversations are searched without further ado: that needs both `sources` and
/// `experimental.sessionMemory`, or conversations that are remembered for private recall. Nothing left means memory.
fn sources(reader: &mut Reader<'_>, config: &Value) -> (Sources, bool) {
    let remembers = config.get(REMEMBERS_CONVERSATIONS).and_then(Value::as_bool).unwrap_or(false);
    let session_memory = reader.switch(&table::EXPERIMENTAL_SESSION_MEMORY) || remembers;
    let found = reader.all(table::SOURCES.key);
    let picked = reader.pick(table::SOURCES.key, found, "a list of \"memory\" and \"sessions\"", |value| {
        let names = value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
        names.collect::<Option<Vec<String>>>()
    });
    let Some(picked) = picked else { return (Sources { memory: true, sessions: remembers }, false) };
    for unknown in picked.value.iter().filter(|name| !matches!(name.as_str(), "memory" | "sessions")) {
        let warning = format!("{} names the unknown source \"{unknown}\"; it is ignored", picked.path);
        reader.warnings.push(warning);
    }
    let wants = |source: &str| picked.value.iter().any(|name| name == source);
    let sessions = wants("sessions") && session_memory;
    if wants("sessions") && !session_memory {
        let warning = format!(
            "{} names \"sessions\", which needs experimental.sessionMemory: true as well; transcripts are not indexed",
            picked.path
        );
        reader.warnings.push(warning);
    }
    (Sources { memory: wants("memory") || !sessions, sessions: sessions || remembers }, sessions)
}

/// A list of paths, as extra paths are (A6): the lists of all layers one after the other, lowest first, without repetitions. An entry is a
/// text or, as in 2026.9, `{path, pattern}`, which becomes one glob.
fn path_list(reader: &mut Reader<'_>, key: &str, home: &Path) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut origins: Vec<String> = Vec::new();
    for found in reader.all(key).into_iter().rev() {
        let Some(entries) = found.value.as_array() else {
            reader.warnings.push(format!("{} is no list; it is ignored", found.path));
            continue;
        };
        for (at, entry) in entries.iter().enumerate() {
            match extra_path(entry, home) {
                Some(path) if path.is_empty() || paths.contains(&path) => {}
                Some(path) => paths.push(path),
                None => {
                    reader.warnings.push(format!("{}[{at}] is neither a text nor a path; it is ignored", found.path));
                }
            }
        }
        origins.push(found.path);
    }
    let origin = if origins.is_empty() { DEFAULT_ORIGIN.to_owned() } else { origins.join(", ") };
    reader.origins.insert(key.into(), origin);
    paths
}

fn extra_path(entry: &Value, home: &Path) -> Option<String> {
    let expand = |text: &str| paths::expand_home(text.trim(), home).to_string_lossy().into_owned();
    if let Some(text) = entry.as_str() {
        return Some(expand(text));
    }
    let path = expand(entry.get("path")?.as_str()?);
    match entry.get("pattern").and_then(Value::as_str).map(str::trim).filter(|pattern| !pattern.is_empty()) {
        Some(pattern) => Some(format!("{}/{pattern}", globset::escape(path.trim_end_matches('/')))),
        None => Some(path),
    }
}

/// Limits of `memory_get` (P11); the host's `contextLimits.memoryGetMaxChars` counts below our own setting.
fn excerpt<'a>(reader: &mut Reader<'a>, config: &'a Value, roster: &Roster<'a>, agent_id: &str) -> ExcerptSettings {
    const MAX_CHARS: Integer = table::MEMORY_GET_MAX_CHARS;
    const HOST_KEY: &str = "contextLimits.memoryGetMaxChars";
    let host_value = |place: &'a Value| place.get("contextLimits")?.get("memoryGetMaxChars");
    let agent = roster.get(agent_id).map(|entry| (format!("{}.{HOST_KEY}", entry.path), host_value(entry.value)));
    let defaults = config.pointer("/agents/defaults").map(|d| (format!("agents.defaults.{HOST_KEY}"), host_value(d)));
    let found = reader.all_above(MAX_CHARS.key, agent.into_iter().chain(defaults));
    let chars = reader.integer_of(MAX_CHARS.key, found, &MAX_CHARS.range).unwrap_or(MAX_CHARS.default);
    ExcerptSettings { lines: reader.count(&table::MEMORY_GET_LINES), chars: to_usize(chars) }
}

/// The provider (D). An unknown id is no mistake: the host may offer it through a callback. Addresses are resolved
/// together with their keys, before the engine is opened.
fn provider(reader: &mut Reader<'_>) -> ProviderSettings {
    let id = reader.text(&table::PROVIDER).to_lowercase();
    let input_type = reader.optional_text(&table::INPUT_TYPE);
    let (query_limit, document_limit) = if LOCAL_PROVIDERS.contains(&id.as_str()) {
        (table::REMOTE_QUERY_TIMEOUT_MS_LOCAL, table::REMOTE_DOCUMENT_TIMEOUT_MS_LOCAL)
    } else {
        (table::REMOTE_QUERY_TIMEOUT_MS.default, table::REMOTE_DOCUMENT_TIMEOUT_MS.default)
    };
    ProviderSettings {
        model: reader.optional_text(&table::MODEL),
        fallback: reader.optional_text(&table::FALLBACK).map(|id| id.to_lowercase()).filter(|id| id != "none"),
        dimensions: reader.optional_integer(&table::OUTPUT_DIMENSIONALITY).and_then(|n| u32::try_from(n).ok()),
        query_input_type: reader.optional_text(&table::QUERY_INPUT_TYPE).or_else(|| input_type.clone()),
        document_input_type: reader.optional_text(&table::DOCUMENT_INPUT_TYPE).or(input_type),
        local_model_path: reader.optional_text(&table::LOCAL_MODEL_PATH),
        local_model_cache_dir: reader.optional_text(&table::LOCAL_MODEL_CACHE_DIR),
        local_query_prefix: reader.verbatim_text(&table::LOCAL_QUERY_PREFIX),
        local_document_prefix: reader.verbatim_text(&table::LOCAL_DOCUMENT_PREFIX),
        batch: BatchSettings {
            enabled: reader.switch(&table::REMOTE_BATCH_ENABLED),
            wait: reader.switch(&table::REMOTE_BATCH_WAIT),
            concurrency: reader.count(&table::REMOTE_BATCH_CONCURRENCY),
            poll_interval_ms: reader.integer(&table::REMOTE_BATCH_POLL_INTERVAL_MS),
            timeout_minutes: reader.integer(&table::REMOTE_BATCH_TIMEOUT_MINUTES),
        },
        concurrency: reader.count(&table::REMOTE_NON_BATCH_CONCURRENCY),
        query_timeout_ms: reader.integer_or(&table::REMOTE_QUERY_TIMEOUT_MS, query_limit),
        redact_secrets: redact_secrets(reader),
        document_timeout_ms: reader.integer_or(&table::REMOTE_DOCUMENT_TIMEOUT_MS, document_limit),
        id,
    }
}

/// `index.redactSecrets`: true, false or `"remote"`.
fn redact_secrets(reader: &mut Reader<'_>) -> RedactSecrets {
    let found = reader.all(table::INDEX_REDACT_SECRETS.key);
    let parse = |value: &Value| match value {
        Value::Bool(true) => Some(RedactSecrets::Always),
        Value::Bool(false) => Some(RedactSecrets::Never),
        Value::String(text) if text == "remote" => Some(RedactSecrets::Remote),
        _ => None,
    };
    let picked = reader.pick(table::INDEX_REDACT_SECRETS.key, found, "true, false or \"remote\"", parse);
    picked.map_or(RedactSecrets::Remote, |picked| picked.value)
}

/// Chunk sizes (C1): the overlap is always smaller than the chunk.
fn chunking(reader: &mut Reader<'_>) -> Chunking {
    let tokens = reader.count(&table::CHUNKING_TOKENS);
    let overlap = reader.count(&table::CHUNKING_OVERLAP);
    let used = overlap.min(tokens - 1);
    if used != overlap
        && let Some(path) = reader.origin(table::CHUNKING_OVERLAP.key).map(str::to_owned)
    {
        reader.clamped(&path, overlap, used);
    }
    Chunking { tokens, overlap: used }
}

/// Ranking and limits (F).
fn query(reader: &mut Reader<'_>) -> QuerySettings {
    let vector = reader.number(&table::QUERY_HYBRID_VECTOR_WEIGHT);
    let text = reader.number(&table::QUERY_HYBRID_TEXT_WEIGHT);
    let sum = vector + text;
    let (vector_weight, text_weight) = if sum > 0.0 {
        (vector / sum, text / sum)
    } else {
        (table::QUERY_HYBRID_VECTOR_WEIGHT.default, table::QUERY_HYBRID_TEXT_WEIGHT.default)
    };
    QuerySettings {
        max_results: reader.optional_integer(&table::QUERY_MAX_RESULTS).map(to_usize),
        budget_chars: reader.count(&table::QUERY_BUDGET_CHARS),
        min_score: reader.optional_number(&table::QUERY_MIN_SCORE),
        ranking: reader.choice(&table::QUERY_RANKING),
        deadline_ms: reader.integer(&table::QUERY_DEADLINE_MS),
        hybrid_enabled: reader.switch(&table::QUERY_HYBRID_ENABLED),
        vector_weight,
        text_weight,
        candidate_multiplier: reader.count(&table::QUERY_HYBRID_CANDIDATE_MULTIPLIER),
        decay_enabled: reader.optional_switch(&table::QUERY_HYBRID_TEMPORAL_DECAY_ENABLED),
        #[expect(clippy::cast_precision_loss, reason = "a number of days is small")]
        half_life_days: reader.integer(&table::QUERY_HYBRID_TEMPORAL_DECAY_HALF_LIFE_DAYS) as f64,
        mmr_enabled: reader.optional_switch(&table::QUERY_HYBRID_MMR_ENABLED),
        mmr_lambda: reader.number(&table::QUERY_HYBRID_MMR_LAMBDA),
    }
}

/// Synchronisation triggers (E).
fn sync(reader: &mut Reader<'_>) -> SyncSettings {
    SyncSettings {
        watch: reader.switch(&table::SYNC_WATCH),
        watch_debounce_ms: reader.integer(&table::SYNC_WATCH_DEBOUNCE_MS),
        on_search: reader.switch(&table::SYNC_ON_SEARCH),
        on_session_start: reader.switch(&table::SYNC_ON_SESSION_START),
        interval_minutes: reader.integer(&table::SYNC_INTERVAL_MINUTES),
        post_compaction: reader.switch(&table::SYNC_SESSIONS_POST_COMPACTION_FORCE),
        session_delta_bytes: reader.integer(&table::SYNC_SESSIONS_DELTA_BYTES),
        session_delta_messages: reader.integer(&table::SYNC_SESSIONS_DELTA_MESSAGES),
        reconcile_seconds: reader.integer(&table::SYNC_RECONCILE_SECONDS),
    }
}

/// `memory.citations` of the host, below our own `citations` (G5).
fn citations<'a>(reader: &mut Reader<'a>, config: &'a Value) -> Citations {
    let host = ("memory.citations".to_owned(), config.pointer("/memory/citations"));
    let found = reader.all_above(table::CITATIONS.key, [host]);
    reader.choice_of(&table::CITATIONS, found)
}

/// The user's time zone: `agents.defaults.userTimezone` of the host, below our own `timeZone`.
fn time_zone<'a>(reader: &mut Reader<'a>, config: &'a Value) -> Option<String> {
    let host = ("agents.defaults.userTimezone".to_owned(), config.pointer("/agents/defaults/userTimezone"));
    let found = reader.all_above(table::TIME_ZONE.key, [host]);
    reader
        .pick(table::TIME_ZONE.key, found, "the name of a time zone such as \"Europe/Berlin\"", |value| {
            let name = value.as_str()?.trim();
            jiff::tz::TimeZone::get(name).is_ok().then(|| name.to_owned())
        })
        .map(|picked| picked.value)
}

/// Settings that change nothing as things are get named instead of silently dropped. Part of the resolved settings,
/// so that `status` shows them and no search repeats them.
fn warn_without_effect(reader: &mut Reader<'_>, settings: &Settings) {
    const NATIVE: &str = "only query.ranking: \"memory-core\" uses it";
    const NO_HYBRID: &str = "query.hybrid.enabled is false";
    const NO_MMR: &str = "query.hybrid.mmr.enabled is not true";
    const NO_WATCH: &str = "sync.watch is false";
    const NO_SESSIONS: &str = "transcripts are not indexed";
    let query = &settings.query;
    let native = query.ranking == Ranking::Native;
    let no_hybrid = !query.hybrid_enabled;
    let (no_watch, no_sessions) = (!settings.sync.watch, !settings.sources.sessions);
    // The first condition of a key that holds is the one that is told.
    let table = [
        (table::QUERY_HYBRID_VECTOR_WEIGHT.key, native, NATIVE),
        (table::QUERY_HYBRID_VECTOR_WEIGHT.key, no_hybrid, NO_HYBRID),
        (table::QUERY_HYBRID_TEXT_WEIGHT.key, native, NATIVE),
        (table::QUERY_HYBRID_TEXT_WEIGHT.key, no_hybrid, NO_HYBRID),
        (table::QUERY_HYBRID_CANDIDATE_MULTIPLIER.key, native, NATIVE),
        (table::QUERY_HYBRID_MMR_ENABLED.key, native, NATIVE),
        (table::QUERY_HYBRID_MMR_ENABLED.key, no_hybrid, NO_HYBRID),
        (table::QUERY_HYBRID_MMR_LAMBDA.key, native, NATIVE),
        (table::QUERY_HYBRID_MMR_LAMBDA.key, no_hybrid, NO_HYBRID),
        (table::QUERY_HYBRID_MMR_LAMBDA.key, query.mmr_enabled != Some(true), NO_MMR),
        (table::STORE_FTS_TOKENIZER.key, native, NATIVE),
        (table::SYNC_WATCH_DEBOUNCE_MS.key, no_watch, NO_WATCH),
        (table::SYNC_RECONCILE_SECONDS.key, no_watch, NO_WATCH),
        (table::SYNC_SESSIONS_DELTA_BYTES.key, no_sessions, NO_SESSIONS),
        (table::SYNC_SESSIONS_DELTA_MESSAGES.key, no_sessions, NO_SESSIONS),
        (table::SYNC_SESSIONS_POST_COMPACTION_FORCE.key, no_sessions, NO_SESSIONS),
    ];
    let mut told = "";
    for (key, _, why) in table.into_iter().filter(|(_, holds, _)| *holds) {
        if told != key {
            warn_where_set(reader, key, why, |_| true);
        }
        told = key;
    }
    if settings.provider.id == "embedded" {
        const NO_ENCODER: &str = "provider embedded runs the bundled model, a folder, or hf:<owner>/<name>";
        warn_where_set(reader, table::MODEL.key, NO_ENCODER, |value| {
            value.as_str().is_some_and(|name| !names_encoder(name) && !name.to_lowercase().contains("all-minilm"))
        });
    }
    warn_where_set(reader, "store.vector.extensionPath", "the vector functions are built in", |_| true);
}

/// One warning for each layer that sets a key so that `is_set` holds.
fn warn_where_set(reader: &mut Reader<'_>, key: &str, why: &str, is_set: fn(&Value) -> bool) {
    for found in reader.all(key).into_iter().filter(|found| is_set(found.value)) {
        reader.warnings.push(format!("{} has no effect: {why}", found.path));
    }
}

fn to_usize(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
