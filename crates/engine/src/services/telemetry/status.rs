//! `status` at once, from a snapshot of what the store held and what went wrong since.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{
    super::model_check,
    Telemetry,
    snapshot::{Snapshot, read_snapshot},
};
use crate::{
    curated::Curated,
    index::{
        Failure,
        lost::{self, Folders, LostFolder},
    },
    log,
    workspace::{roots::Roots, watch},
};
use embed::factory::Selected;
use model::{
    cancel::Cancel,
    config::settings::{Ranking, Settings},
    error::{Error, Result},
};
use store::refusals::RefusedText;

/// What goes on in an engine, as its indexer tells.
pub(crate) struct Activity {
    /// A text pass runs.
    pub reading: bool,
    /// An embedding pass runs.
    pub embedding: bool,
    /// Lines get their vectors.
    pub filling_lines: bool,
    /// The disk is ahead of the index, or notes in the database are.
    pub dirty: bool,
    /// Then, whether only the database is.
    pub behind: bool,
    /// When the disk was last compared with the index, in milliseconds since the epoch; 0 = never.
    pub compared_ms: i64,
    /// How watching is going; none when it is switched off.
    pub watch: Option<watch::Health>,
}

/// How much of the index has vectors, and what keeps the rest from having one.
pub(crate) struct Coverage {
    /// Chunks without a vector.
    pub pending: u64,
    /// Chunks whose text the provider refused.
    pub refused: u64,
    /// Why vectors are missing.
    pub failure: Option<Failure>,
    /// The latest refusal.
    pub refusal: Option<RefusedText>,
}

impl Telemetry {
    /// Remembers how a kind of work ended.
    pub(crate) fn note(&self, what: &'static str, error: Option<&Error>) {
        self.snapshot.lock().note(what, error, self.context.now_ms());
    }

    /// How a kind of work failed in this process.
    pub(crate) fn error_of(&self, what: &str) -> Option<Error> {
        self.snapshot.lock().error_of(what).cloned()
    }

    /// Since when a kind of work fails in this process, in milliseconds since the epoch.
    pub(crate) fn since(&self, what: &str) -> Option<i64> {
        self.snapshot.lock().errors.get(what).map(|noted| noted.since_ms)
    }

    /// Chunks that still have no vector, as far as the provider in use makes some.
    pub(crate) fn pending(&self) -> u64 {
        self.snapshot.lock().pending()
    }

    /// How long background work should wait before it asks the provider again; none when no vector is missing.
    pub(crate) fn vectors_wait_ms(&self) -> Option<i64> {
        self.snapshot.lock().vectors_wait_ms(self.context.now_ms())
    }

    /// Some more texts have vectors for their lines.
    pub(crate) fn note_lines(&self, texts: u64) {
        if let Some(pending) = &mut self.snapshot.lock().pending_lines {
            *pending = pending.saturating_sub(texts);
        }
    }

    /// Whether texts are known whose lines have no vectors.
    pub(crate) fn lines_wait(&self) -> bool {
        self.snapshot.lock().pending_lines.is_some_and(|pending| pending > 0)
    }

    /// The folders of notes, and which of them the last pass found lost.
    pub(crate) fn folders(&self) -> Folders {
        self.snapshot.lock().folders.clone()
    }

    /// Which folders of notes somebody has found lost since.
    pub(crate) fn note_lost(&self, lost: Vec<LostFolder>) {
        self.snapshot.lock().glanced = Some(lost);
    }

    /// Whether somebody has found the index to be of other notes.
    pub(crate) fn note_foreign(&self, foreign: bool) {
        self.foreign.store(foreign, Ordering::Release);
    }

    /// How much of the index has vectors now. Blocks.
    pub(crate) fn coverage(&self) -> Coverage {
        self.refresh(self.context.shutdown());
        let snapshot = self.snapshot.lock();
        Coverage {
            pending: snapshot.pending(),
            refused: snapshot.refused(),
            failure: snapshot.embedding_failure().map(|(failure, _)| failure),
            refusal: snapshot.refusal().cloned(),
        }
    }

    /// Reads the numbers of `status` from the store. Blocks. What cannot be read stays as it was.
    pub(crate) fn refresh(&self, cancel: &Cancel) {
        let resolved = self.context.settings();
        let followed = self.context.store().read(|r| model_check::follow(&self.context, r));
        self.context.told(followed, "what is known of the embedding model was not read");
        let space = match self.context.provider().embedder() {
            Ok(embedder) => Ok(embedder.map(|e| e.space().key())),
            Err(_) => Err(()),
        };
        let line_key = self.context.provider().known_line_embedder().map(|embedder| embedder.space().key());
        let line_key = line_key.filter(|_| resolved.settings.query.ranking == Ranking::Native);
        match read_snapshot(self.context.store(), &resolved.settings, space, line_key, cancel) {
            Ok(fresh) => {
                let malformed = Curated::read(&Roots::of(&resolved.settings), &fresh.marked).malformed();
                let mut snapshot = self.snapshot.lock();
                let errors = std::mem::take(&mut snapshot.errors);
                *snapshot = Snapshot { errors, malformed, ..fresh };
            }
            Err(error) => self.context.warn(&error, "the figures of status were not brought up to date"),
        }
    }

    /// The host's `MemoryProviderStatus`. Synchronous, from memory.
    pub(crate) fn status(&self, activity: &Activity) -> Value {
        let resolved = self.context.settings();
        let settings = &resolved.settings;
        let snapshot = self.snapshot.lock();
        let provider = self.context.provider();
        let choice = provider.choice();
        let (files, chunks) = snapshot.counts.iter().fold((0, 0), |(f, c), s| (f + s.files, c + s.chunks));
        let semantic = matches!(&*choice, Ok(Selected { embedder: Some(_), .. })) && settings.vector_enabled;
        // A provider that cannot be used leaves chunks without vector, too.
        let wanted = settings.vector_enabled && !matches!(&*choice, Ok(Selected { embedder: None, .. }));
        let complete = snapshot.coverage.embedded + snapshot.coverage.refused >= snapshot.coverage.chunks;
        let index_state = match (snapshot.coverage.embedded, complete) {
            (0, _) => "empty",
            (_, true) => "complete",
            (_, false) => "incomplete",
        };
        let syncing = activity.reading || activity.embedding;
        let pending = snapshot.pending();
        let dirty = activity.dirty || activity.reading;
        let mut status = json!({
            "backend": "builtin",
            "provider": provider_name(&choice),
            "model": model_name(&choice),
            "requestedProvider": settings.provider.id,
            "files": files,
            "chunks": chunks,
            "dirty": dirty,
            "workspaceDir": settings.workspace_dir,
            "dbPath": place_of(settings),
            "extraPaths": settings.extra_paths,
            "sources": source_names(settings),
            "sourceCounts": snapshot.counts,
            "cache": {
                "enabled": settings.cache.enabled,
                "entries": snapshot.sizes.embeddings,
                "maxEntries": settings.cache.max_entries,
            },
            "fts": { "enabled": true, "available": true },
            "vector": {
                "enabled": settings.vector_enabled,
                // Whether a search can find something by meaning now, not only whether it may.
                "available": semantic && (snapshot.coverage.embedded > 0 || chunks == 0 && !dirty),
                "storeAvailable": settings.vector_enabled,
                "semanticAvailable": semantic,
                "dims": snapshot.dims,
                "index": { "state": index_state },
            },
            "batch": {
                "enabled": settings.provider.batch.enabled,
                "wait": settings.provider.batch.wait,
                "concurrency": settings.provider.batch.concurrency,
                "pollIntervalMs": settings.provider.batch.poll_interval_ms,
                "timeoutMs": settings.provider.batch.timeout_minutes * 60_000,
            },
            "custom": {
                "engine": "memory-core-rs",
                "endpoint": provider.endpoint(settings),
                "version": env!("CARGO_PKG_VERSION"),
                "searchMode": if semantic && snapshot.coverage.embedded > 0 { "hybrid" } else { "fts-only" },
                "ranking": match settings.query.ranking { Ranking::Native => "native", Ranking::MemoryCore => "memory-core" },
                "health": self.health(&snapshot, activity, choice.as_ref().as_ref().err().map(ToString::to_string)),
                "syncing": syncing,
                "pendingEmbeddings": if wanted { pending } else { 0 },
                "refusedTexts": snapshot.coverage.refused,
                "lostFolders": snapshot.lost(),
                "latestRefusal": snapshot.refusal,
                "skippedFiles": snapshot.skipped,
                "sizes": snapshot.sizes,
                "comparedAtMs": activity.compared_ms,
                "malformedAnnotations": snapshot.malformed,
                "warnings": resolved.warnings,
                "lastWarnings": log::merged(log::warnings(&settings.agent_id), &snapshot.warnings, self.context.now_ms()),
            },
        });
        if let Some(model) = provider.model().filter(|model| model.checked_ms > 0) {
            status["custom"]["model"] = json!({
                "checkedAtMs": model.checked_ms,
                "cosine": model.cosine,
                "changed": model.changed,
                "revision": model.revision,
            });
        }
        if let Some(pending) = snapshot.pending_lines {
            status["custom"]["lines"] = json!({ "pending": pending, "filling": activity.filling_lines });
        }
        if let Some(notes) = &snapshot.notes {
            status["custom"]["notes"] = json!(notes);
        }
        if let Some(health) = &activity.watch {
            status["custom"]["watch"] = json!(health);
        }
        if let Some(warning) = lost::warning(snapshot.lost()) {
            status["custom"]["lostWarning"] = json!(warning);
        }
        if let Some((failure, since_ms)) = snapshot.embedding_failure() {
            status["custom"]["embeddingError"] = json!(failure);
            status["custom"]["embeddingError"]["sinceMs"] = json!(since_ms);
        }
        let error = snapshot.last_error();
        if let Some(error) = self.context.store().refusal().map(|e| e.to_string()).or(error) {
            status["lastSyncError"] = json!(error);
        }
        match &*choice {
            Ok(Selected { fallback_from: Some(from), fallback_reason, .. }) => {
                status["fallback"] = json!({ "from": from, "reason": fallback_reason });
            }
            Ok(_) => {}
            Err(error) => {
                status["vector"]["loadError"] = json!(error.to_string());
                status["custom"]["providerError"] = json!(Failure::from(error.clone()));
            }
        }
        status
    }
}

/// Where the index is, as people are told: its file, or its schema in a database, whose address is nobody's business.
fn place_of(settings: &Settings) -> String {
    match &settings.database {
        Some(database) => format!("PostgreSQL, schema {}", database.schema),
        None => settings.database_path.display().to_string(),
    }
}

fn provider_name(choice: &Result<Selected>) -> &str {
    choice.as_ref().map_or("none", |selected| selected.provider.as_str())
}

fn model_name(choice: &Result<Selected>) -> Option<String> {
    Some(choice.as_ref().ok()?.embedder.as_ref()?.space().model.clone())
}

fn source_names(settings: &Settings) -> Vec<&'static str> {
    [(settings.sources.memory, "memory"), (settings.sources.sessions, "sessions")]
        .into_iter()
        .filter_map(|(on, name)| on.then_some(name))
        .collect()
}
