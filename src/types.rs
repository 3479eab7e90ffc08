//! The shapes that cross the boundary.

use std::collections::HashMap;

use napi_derive::napi;
use serde_json::Value;

/// What `openManager` and `resolveSettings` need.
#[napi(object)]
pub struct OpenRequest {
    /// The host's configuration, without keys.
    pub config: Value,
    /// The agent.
    pub agent_id: String,
    /// Absolute path of the host's state directory.
    pub state_dir: String,
    /// Absolute path of the user's home directory.
    pub home_dir: String,
    /// The agent's workspace as the host resolved it; wins over our own rules.
    pub workspace_dir: Option<String>,
    /// The default workspace as `OPENCLAW_WORKSPACE_DIR` names it.
    pub default_workspace_dir: Option<String>,
    /// The address and the key of every provider that the settings could use. They are kept in memory only.
    pub accounts: Option<Vec<ProviderAccount>>,
    /// The address of the database that `store.postgres.url` names, resolved. It is kept in memory only.
    pub database_url: Option<String>,
    /// What `store.postgres` names of a database instead of its address, resolved. It is kept in memory only.
    pub database_parts: Option<DatabaseParts>,
    /// The provider ids that the embedding function serves; default: the configured one.
    pub embed_providers: Option<Vec<String>>,
    /// Where the weights of the embedded model may be found, best first.
    pub model_paths: Option<Vec<String>>,
    /// Whether file watching and background work may run: true in a gateway or conversation, false in one command.
    pub background: Option<bool>,
}

/// A database by the parts of its address, each as text.
#[napi(object)]
pub struct DatabaseParts {
    /// `store.postgres.host`.
    pub host: Option<String>,
    /// `store.postgres.port`.
    pub port: Option<String>,
    /// `store.postgres.database`.
    pub database: Option<String>,
    /// `store.postgres.user`.
    pub user: Option<String>,
    /// Whether `store.postgres.url` is written too, which is refused.
    pub beside_url: bool,
}

/// How to reach one provider. Key and headers are sent to the host of its address only.
#[napi(object)]
pub struct ProviderAccount {
    /// The id under which the settings name it.
    pub provider: String,
    /// The known provider that an id of the user's own speaks like: `openai` or `ollama`.
    pub api: Option<String>,
    /// Whether `auto` may choose it; the first one that can be used wins.
    pub automatic: Option<bool>,
    /// Below which address it is asked; none for an adapter of the host that knows it.
    pub base_url: Option<String>,
    /// The setting that the address comes from.
    pub address_from: Option<String>,
    /// The key.
    pub api_key: Option<String>,
    /// Further keys of the account, tried in turn when one has used up its rate.
    pub spare_keys: Option<Vec<String>>,
    /// Where the key comes from.
    pub key_from: Option<String>,
    /// Extra headers; their values are treated as secrets.
    pub headers: Option<HashMap<String, String>>,
    /// Why it cannot be used.
    pub problem: Option<AccountProblem>,
}

/// Why a provider cannot be used.
#[napi(object)]
pub struct AccountProblem {
    /// `MEM_PROVIDER_AUTH` when a key is missing, else `MEM_CONFIG`.
    pub code: String,
    /// The cause.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// Options of one search.
#[napi(object)]
#[derive(Default)]
pub struct SearchOptions {
    /// Most results; default `query.maxResults`.
    pub max_results: Option<u32>,
    /// Results that are left out because whoever asks has them; default 0.
    pub after: Option<u32>,
    /// Whether a later note that tells of a change of the first result is looked for; default false.
    pub later: Option<bool>,
    /// Lowest score kept; default `query.minScore`.
    pub min_score: Option<f64>,
    /// `memory`, `sessions`; default all that are indexed.
    pub sources: Option<Vec<String>>,
    /// Keyword leg only.
    pub lexical_only: Option<bool>,
    /// Whether each result says why it is there.
    pub explain: Option<bool>,
    /// Time limit in milliseconds; default `query.deadlineMs`.
    pub deadline_ms: Option<u32>,
    /// "Now" in milliseconds since the epoch, for time words; default the clock.
    pub now_ms: Option<f64>,
    /// The conversation in which it is asked.
    pub session_key: Option<String>,
    /// Keys of the projects that are worked on.
    pub active_project_keys: Option<Vec<String>>,
    /// Ids of the conversations that the asker may see; default those that the settings let anybody search.
    pub conversations: Option<Vec<String>>,
    /// The first day, as people write it: a dated note is of the day in its name, other files of their last change.
    pub since: Option<String>,
    /// The last day, likewise.
    pub until: Option<String>,
    /// Only these files, folders and globs.
    pub paths: Option<Vec<String>>,
}

/// What `readFile` is asked.
#[napi(object)]
pub struct ReadFileRequest {
    /// Workspace-relative path, or the path of an extra file.
    pub rel_path: String,
    /// First line, from 1; default 1.
    pub from: Option<u32>,
    /// Number of lines; default 120.
    pub lines: Option<u32>,
}

/// Options of one sync.
#[napi(object)]
#[derive(Default)]
pub struct SyncOptions {
    /// Why, for the log.
    pub reason: Option<String>,
    /// Reads every file again and writes a new generation of the index; vectors are reused.
    pub force: Option<bool>,
    /// Text only: no embedding request is sent.
    pub text_only: Option<bool>,
}

/// Progress of a sync.
#[napi(object)]
pub struct SyncProgress {
    /// Steps done.
    pub completed: u32,
    /// Steps in all, as far as known.
    pub total: u32,
    /// What is being done.
    pub label: String,
}
