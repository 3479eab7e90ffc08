//! `status` at once, from a snapshot of what the store held and what went wrong since.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use serde_json::{Value, json};

use super::{
    super::model_check,
    Telemetry,
    failure::{self, EmbeddingFailure},
    warnings,
};
use crate::{
    curated::{Curated, Malformed, marked},
    exchange::{self, NotesStatus},
    index::{
        Failure, line_pass,
        lost::{self, Folders, LostFolder},
    },
    log::{self, Warning},
    workspace::{roots::Roots, skipped::SkipCode, watch},
};
use embed::factory::Selected;
use model::{
    cancel::Cancel,
    config::settings::{Ranking, Settings},
    error::{Error, Result},
    source::Source,
};
use store::{
    Store, embeddings,
    refusals::RefusedText,
    stats::{Sizes, SourceCounts},
};

/// Kind of work: reading notes and conversations.
pub(crate) const TEXT: &str = "text";
/// Kind of work: making vectors.
pub(crate) const EMBEDDING: &str = "embedding";

/// Kind of work: finding out what a query means.
pub(crate) const QUERY: &str = "query";

/// Kind of work: reading conversations that the host keeps.
pub(crate) const SESSIONS: &str = "sessions";

/// What the store held when it was last asked, and what went wrong since.
#[derive(Default)]
pub(super) struct Snapshot {
    counts: Vec<SourceCounts>,
    coverage: embeddings::Coverage,
    dims: Option<u32>,
    /// Distinct texts whose lines have no vectors yet, beside a hosted provider; none where nobody counts.
    pending_lines: Option<u64>,
    sizes: Sizes,
    skipped: usize,
    /// Why vectors are missing, as the last process to try has left it.
    failure: Option<EmbeddingFailure>,
    /// The last warnings, as whichever process left them.
    warnings: Vec<Warning>,
    /// The folders of notes, and which of them are lost.
    folders: Folders,
    /// Which were lost at a glance since.
    glanced: Option<Vec<LostFolder>>,
    /// The notes that the database keeps; none where it keeps none.
    notes: Option<NotesStatus>,
    /// The latest of the texts that the provider refused.
    refusal: Option<RefusedText>,
    /// Extra files that said they are curated.
    marked: Vec<String>,
    /// Comments of curated files that cannot be understood.
    malformed: Vec<Malformed>,
    /// By kind of work, so that a success of one does not hide the failure of the other.
    errors: BTreeMap<&'static str, Noted>,
}

/// A failure and when it was.
struct Noted {
    error: Error,
    at_ms: i64,
    /// When the work began to fail.
    since_ms: i64,
}

/// How long a provider that refused for good (key, quota) is left alone by background work.
const REFUSED_WAIT_MS: i64 = 15 * 60_000;

impl Snapshot {
    /// Remembers how a kind of work ended.
    pub(super) fn note(&mut self, what: &'static str, error: Option<&Error>, at_ms: i64) {
        match error {
            Some(error) => {
                let since_ms = self.errors.get(what).map_or(at_ms, |before| before.since_ms);
                self.errors.insert(what, Noted { error: error.clone(), at_ms, since_ms })
            }
            None => self.errors.remove(what),
        };
    }

    /// How long background work should wait before it asks the provider again; none when no vector is missing.
    pub(super) fn vectors_wait_ms(&self, now_ms: i64) -> Option<i64> {
        let covered = self.coverage.embedded + self.coverage.refused;
        if covered >= self.coverage.chunks {
            return None;
        }
        let ago_ms = match self.errors.get(EMBEDDING) {
            Some(noted) if !noted.error.is_retryable() => now_ms.saturating_sub(noted.at_ms),
            _ => REFUSED_WAIT_MS,
        };
        // A refusal in the future: the clock was set back since, and nobody knows how long ago it was.
        Some(if ago_ms < 0 { 0 } else { (REFUSED_WAIT_MS - ago_ms).max(0) })
    }

    /// Chunks that still have no vector, as far as the provider in use makes some.
    pub(super) const fn pending(&self) -> u64 {
        self.coverage.chunks.saturating_sub(self.coverage.embedded + self.coverage.refused)
    }

    /// Chunks of the index.
    pub(super) const fn chunks(&self) -> u64 {
        self.coverage.chunks
    }

    /// Chunks whose text the provider refused.
    pub(super) const fn refused(&self) -> u64 {
        self.coverage.refused
    }

    /// Folders of notes that are lost, as far as anybody has looked.
    pub(super) fn lost(&self) -> &[LostFolder] {
        self.glanced.as_ref().unwrap_or(&self.folders.lost)
    }

    /// Why no notes are exchanged with the database; none when all is well.
    pub(super) fn notes_stopped(&self) -> Option<&str> {
        self.notes.as_ref()?.stopped.as_deref()
    }

    /// The latest refusal.
    pub(super) const fn refusal(&self) -> Option<&RefusedText> {
        self.refusal.as_ref()
    }

    /// What is stored of the last warnings.
    pub(super) fn stored_warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What is stored of the provider's failure.
    pub(super) const fn stored_failure(&self) -> Option<&EmbeddingFailure> {
        self.failure.as_ref()
    }

    /// Why vectors are missing and since when, whichever process met it; none when all went well.
    pub(super) fn embedding_failure(&self) -> Option<(Failure, i64)> {
        match (self.errors.get(EMBEDDING), &self.failure) {
            (Some(noted), _) => Some((noted.error.clone().into(), noted.at_ms)),
            (None, Some(stored)) if self.pending() > 0 => Some((stored.failure.clone(), stored.since_ms)),
            _ => None,
        }
    }

    /// How a kind of work failed in this process.
    pub(super) fn error_of(&self, what: &str) -> Option<&Error> {
        self.errors.get(what).map(|noted| &noted.error)
    }

    /// What failed apart from the provider.
    pub(super) fn update_error(&self) -> Option<String> {
        let errors = self.errors.values().filter(|noted| !noted.error.is_of_provider());
        let told: Vec<String> = errors.map(|noted| noted.error.to_string()).collect();
        (!told.is_empty()).then(|| told.join(" "))
    }

    pub(super) fn last_error(&self) -> Option<String> {
        let provider = self.embedding_failure().map(|(failure, _)| failure.message);
        let mut told: Vec<String> = self.update_error().into_iter().collect();
        told.extend(provider.filter(|message| !told.contains(message)));
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// What goes on in an engine, as its indexer tells.
pub(crate) struct Activity {
    /// A text pass runs.
    pub reading: bool,
    /// An embedding pass runs.
    pub embedding: bool,
    /// Lines get their vectors.
    pub filling_lines: bool,
    /// The disk is ahead of the index.
    pub dirty: bool,
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

/// `space_key` is the space of the provider, none when vectors are not wanted. Of a provider that cannot be used the
/// space is not known: the one that was searched so far counts. `line_key` is the space of lines beside a hosted
/// provider.
fn read_snapshot(
    store: &Store,
    settings: &Settings,
    space_key: std::result::Result<Option<String>, ()>,
    line_key: Option<String>,
    cancel: &Cancel,
) -> Result<Snapshot> {
    let mut snapshot = store.read_with(cancel, |r| {
        let skipped = r.skipped()?;
        let mut snapshot = Snapshot {
            skipped: skipped.len(),
            failure: failure::of(r, &settings.provider.id)?,
            warnings: warnings::stored(r)?,
            folders: Folders::stored(r)?,
            marked: marked(r)?,
            ..Snapshot::default()
        };
        let Some(live) = r.live()? else { return Ok(snapshot) };
        snapshot.counts = r.source_counts(live.id)?;
        // They have a row, so that they are not read again and again, and nothing of them is indexed.
        let refused = skipped.iter().filter(|skipped| skipped.code == SkipCode::WrongContent.as_str()).count() as u64;
        for counts in snapshot.counts.iter_mut().filter(|counts| Source::of(&counts.source) == Source::Memory) {
            counts.files = counts.files.saturating_sub(refused);
        }
        let chunks = snapshot.counts.iter().map(|s| s.chunks).sum();
        snapshot.coverage = embeddings::Coverage { chunks, ..Default::default() };
        let space = match &space_key {
            Ok(Some(key)) => r.space(key)?,
            Ok(None) => None,
            Err(()) => r.active_space()?,
        };
        if let Some(space) = space {
            snapshot.coverage = r.coverage(live.id, space.id)?;
            snapshot.dims = space.dims;
            if snapshot.coverage.refused > 0 {
                snapshot.refusal = r.latest_refusal(live.id, space.id)?;
            }
        }
        if let Some(key) = &line_key
            && chunks <= line_pass::BESIDE_HOSTED
        {
            snapshot.pending_lines = Some(r.pending_lines(live.id, r.space(key)?.map(|space| space.id))?);
        }
        Ok(snapshot)
    })?;
    snapshot.sizes = store.sizes()?;
    snapshot.notes = exchange::is_wanted(settings).then(|| exchange::status(store)).transpose()?;
    Ok(snapshot)
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::error::Code;

    const NOW: i64 = 1_800_000_000_000;

    #[test]
    fn a_refusal_is_respected_for_its_time_but_not_until_a_clock_that_was_set_back_gets_there() {
        const YEAR_MS: i64 = 365 * 86_400_000;
        let mut snapshot =
            Snapshot { coverage: embeddings::Coverage { chunks: 1, ..Default::default() }, ..Snapshot::default() };
        assert_eq!(snapshot.vectors_wait_ms(NOW), Some(0));
        snapshot.note(EMBEDDING, Some(&Error::new(Code::ProviderAuth, "no such key")), NOW);
        let at_ms = snapshot.errors[EMBEDDING].at_ms;
        for (now_ms, wait_ms) in [
            (at_ms, REFUSED_WAIT_MS),
            (at_ms + 1000, REFUSED_WAIT_MS - 1000),
            (at_ms + REFUSED_WAIT_MS, 0),
            (at_ms + YEAR_MS, 0),
            (at_ms - YEAR_MS, 0),
        ] {
            assert_eq!(snapshot.vectors_wait_ms(now_ms), Some(wait_ms), "{}", now_ms - at_ms);
        }
        snapshot.note(EMBEDDING, None, NOW);
        snapshot.coverage.embedded = 1;
        assert_eq!(snapshot.vectors_wait_ms(at_ms), None);
    }
}
