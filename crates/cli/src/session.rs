//! One engine on one folder of notes, and nothing of a host.

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::ValueEnum;
use serde_json::json;

use embed::secret::Secret;
use engine::services::{Lease, OpenCall, Progress, SearchCall, Step, SyncCall, SyncReport, open};
use model::{cancel::Cancel, clock::SystemClock};
use search::types::Answer;

use crate::Failure;

/// The weights of the embedded model in this repository.
const WEIGHTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../model/node_modules/all-minilm-l6-v2.bin");

/// The variable of the environment that names the database.
const URL: &str = "MEMORY_PG_URL";

/// What makes the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Provider {
    /// The embedded model.
    Embedded,
    /// Nothing: words alone.
    None,
}

impl Provider {
    pub(crate) const fn id(self) -> &'static str {
        match self {
            Self::Embedded => "embedded",
            Self::None => "none",
        }
    }
}

/// A place in the database that [`URL`] names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InDatabase<'a> {
    pub(crate) schema: &'a str,
    pub(crate) tenant: &'a str,
    /// Where vectors are compared: `store.postgres.search`.
    pub(crate) search: &'a str,
}

impl<'a> InDatabase<'a> {
    /// One with the default of all else.
    pub(crate) const fn at(schema: &'a str) -> Self {
        Self { schema, tenant: "default", search: "auto" }
    }
}

/// An engine that is open.
pub(crate) struct Session(Lease);

impl Session {
    /// Opens the index in `state` of the notes in `workspace`, or in the database that [`URL`] names.
    pub(crate) async fn open(
        workspace: &Path,
        state: &Path,
        provider: Provider,
        database: Option<InDatabase<'_>>,
    ) -> Result<Self, Failure> {
        if !workspace.is_dir() {
            return Err(Failure::new(format!("{} is no folder", workspace.display())));
        }
        let kept = match database {
            Some(InDatabase { schema, tenant, search }) => json!({
                "driver": "postgres",
                "postgres": { "schema": schema, "tenant": tenant, "search": search },
            }),
            None => json!({}),
        };
        let call = OpenCall {
            // The day begins when it does for the labelled questions.
            config: json!({
                "agents": { "defaults": { "userTimezone": "UTC" } },
                "memory": { "search": {
                    "provider": provider.id(),
                    "store": kept,
                } },
            }),
            agent_id: "main".to_owned(),
            state_dir: std::path::absolute(state)?,
            home_dir: std::path::absolute(state)?,
            workspace_dir: Some(std::path::absolute(workspace)?),
            default_workspace_dir: None,
            accounts: Vec::new(),
            database_url: std::env::var(URL).ok().map(Secret::new),
            database_parts: None,
            model_paths: vec![PathBuf::from(WEIGHTS)],
            thread: 0,
            host: None,
            background: false,
            clock: Arc::new(SystemClock),
        };
        open(call).await?.map(Self).ok_or_else(|| Failure::new("memory search is switched off"))
    }

    /// Brings the index up to date, and tells of it where somebody looks on.
    pub(crate) async fn sync(&self, force: bool) -> Result<Arc<SyncReport>, Failure> {
        let call = SyncCall { reason: "command line".to_owned(), force, text_only: false };
        let report = self.0.indexer.sync(call, Cancel::new(), progress()).await;
        told("");
        Ok(report?)
    }

    /// Searches.
    pub(crate) async fn search(&self, call: SearchCall) -> Result<Answer, Failure> {
        Ok(self.0.searcher.search(call, Cancel::new()).await?)
    }

    /// Chunks in the index.
    pub(crate) fn chunks(&self) -> u64 {
        self.0.status()["chunks"].as_u64().unwrap_or(0)
    }

    /// Gives the engine back.
    pub(crate) async fn close(self) {
        self.0.release().await;
    }
}

/// A search that leaves the rest to the settings.
pub(crate) fn call(query: &str, max_results: Option<usize>, now_ms: i64) -> SearchCall {
    SearchCall { query: query.to_owned(), max_results, sources: Vec::new(), now_ms, ..SearchCall::of_notes() }
}

/// One line on a terminal that the next one takes the place of.
pub(crate) fn told(line: &str) {
    if io::stderr().is_terminal() {
        // Progress that cannot be shown is no reason to stop.
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

fn progress() -> Option<Progress> {
    let tell = |step: &Step| told(&format!("{}: {} of {}", step.label, step.completed, step.total));
    io::stderr().is_terminal().then(|| Arc::new(tell) as Progress)
}
