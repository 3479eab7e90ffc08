//! Bringing the index up to date: text passes are short and come first, embedding passes may take hours and share the
//! machine with everything else, so each has its own queue.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::{
    super::{
        context::Service,
        telemetry::{EMBEDDING, SESSIONS, TEXT},
        writer::NOT_GIVEN_BACK,
    },
    Indexer,
    queue::{Merge, Queue},
};
use crate::exchange;
use crate::index::{
    Progress, Step, SyncReport,
    embed_pass::{EmbedPass, EmbedReport},
    index_text::{TextPass, TextReport},
    lost, owner,
    session_pass::Scope,
};
use crate::workspace::{exclusions::Exclusions, roots::Roots};
use embed::embedded::brought::Watch;
use model::{
    cancel::Cancel,
    config::settings::{Ranking, Settings},
    error::{Code, Error, Result},
};
use store::Store;

/// Chunks added to the `memory-core` keyword index in one transaction.
const COMPATIBLE_STEP: usize = 400;

/// Why the host asks after it has compacted a conversation.
const POST_COMPACTION: &str = "post-compaction";

/// What a sync is asked.
#[derive(Debug, Clone)]
pub struct SyncCall {
    /// Why, for the log; `post-compaction` does nothing where that is switched off.
    pub reason: String,
    /// Reads every file again and writes a new generation.
    pub force: bool,
    /// Sends nothing to a provider.
    pub text_only: bool,
}

/// What the callers of one text pass want.
#[derive(Debug, Clone)]
pub(super) struct TextCall {
    force: bool,
    sessions: Scope,
    /// Notes that were touched; none = anything may have changed.
    named: Option<Vec<PathBuf>>,
    /// Whether somebody may want to know how the index is before the next embedding pass ends.
    is_told: bool,
}

impl TextCall {
    /// A pass over the whole disk.
    pub(super) const fn whole(force: bool, sessions: Scope) -> Self {
        Self { force, sessions, named: None, is_told: true }
    }
}

impl Merge for TextCall {
    fn merge(&mut self, other: &Self) {
        self.force |= other.force;
        self.sessions = self.sessions.max(other.sessions);
        self.is_told |= other.is_told;
        self.named = self.named.take().zip(other.named.as_ref()).map(|(mut named, others)| {
            named.extend(others.iter().filter(|other| !named.contains(other)).cloned().collect::<Vec<_>>());
            named
        });
    }
}

/// What the callers of one embedding pass want.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct VectorCall {
    /// Whether texts that were refused are asked again.
    pub ask_refused: bool,
}

impl Merge for VectorCall {
    fn merge(&mut self, other: &Self) {
        self.ask_refused |= other.ask_refused;
    }
}

pub(super) type TextQueue = Queue<TextCall, TextReport>;
pub(super) type VectorQueue = Queue<VectorCall, EmbedReport>;

impl Indexer {
    /// Brings the index up to date and waits for it. A provider that fails is told in the report: the text is indexed
    /// all the same.
    ///
    /// # Errors
    /// When the disk or the store fails, or when cancelled (the work goes on for other callers).
    pub async fn sync(
        self: &Arc<Self>,
        call: SyncCall,
        cancel: Cancel,
        progress: Option<Progress>,
    ) -> Result<Arc<SyncReport>> {
        let (clock, started) = (self.context.clock(), self.context.clock().now());
        tracing::debug!(agent = self.context.agent().as_str(), reason = call.reason, force = call.force, "sync");
        // Newer hosts have no such setting of their own, and none knows those of the plugin.
        if call.reason == POST_COMPACTION && !self.context.settings().settings.sync.post_compaction {
            return Ok(Arc::default());
        }
        let force = call.force && !self.is_first_pass().await?;
        let wanted = TextCall { is_told: call.text_only, ..TextCall::whole(force, Scope::All) };
        let text = self.sync_text(wanted, &cancel, progress.clone()).await?;
        let mut report = SyncReport {
            files: text.files,
            changed: text.changed,
            removed: text.removed,
            chunks: text.chunks,
            skipped: text.skipped,
            warning: told(&text, self.context.store()),
            lost_folders: text.lost.clone(),
            ..SyncReport::default()
        };
        if !call.text_only {
            match self.sync_vectors(VectorCall { ask_refused: call.force }, &cancel, progress).await {
                Ok(vectors) => {
                    report.embedded = vectors.embedded;
                    report.refused = vectors.refused;
                    report.pending = vectors.pending;
                }
                Err(error) if matches!(error.code(), Code::Cancelled | Code::Closed) => return Err(error),
                Err(error) => {
                    // Read after the pass: what it stored before it failed counts.
                    report.pending = usize::try_from(self.telemetry.pending()).unwrap_or(usize::MAX);
                    report.embedding_error = Some(error.into());
                }
            }
        }
        report.duration_ms = u64::try_from((clock.now() - started).as_millis()).unwrap_or(u64::MAX);
        Ok(Arc::new(report))
    }

    /// Whether there is nothing to rebuild: the index is empty, or being read for the first time. That pass reads every
    /// file anyway, and a forced one after it would only take as long again.
    async fn is_first_pass(self: &Arc<Self>) -> Result<bool> {
        let empty = self.blocking(|indexer, _| indexer.holds_nothing()).await?;
        // Looked at last: it is set before the first chunk is written.
        Ok(empty || self.reading_first.load(Ordering::Acquire))
    }

    pub(crate) fn holds_nothing(&self) -> Result<bool> {
        self.context.store().read(|r| r.live()?.map_or(Ok(true), |live| Ok(!r.has_chunks(live.id)?)))
    }

    /// One text pass, shared with everybody who waits for one.
    pub(super) async fn sync_text(
        self: &Arc<Self>,
        call: TextCall,
        cancel: &Cancel,
        progress: Option<Progress>,
    ) -> Result<Arc<TextReport>> {
        let indexer = Arc::clone(self);
        let work = move |call: TextCall, progress: Progress| {
            let indexer = Arc::clone(&indexer);
            async move { indexer.run_text(call, progress).await }
        };
        self.texts.run(call, cancel, progress, work).await
    }

    /// One embedding pass, shared with everybody who waits for one.
    pub(crate) async fn sync_vectors(
        self: &Arc<Self>,
        call: VectorCall,
        cancel: &Cancel,
        progress: Option<Progress>,
    ) -> Result<Arc<EmbedReport>> {
        let indexer = Arc::clone(self);
        let work = move |call: VectorCall, progress: Progress| {
            let indexer = Arc::clone(&indexer);
            async move { indexer.run_vectors(call, progress).await }
        };
        self.vectors.run(call, cancel, progress, work).await
    }

    /// Starts a sync of the notes, and of conversations in which enough is new, and does not wait; what goes wrong is
    /// kept for `status`.
    pub(crate) fn sync_in_background(self: &Arc<Self>) {
        self.sync_sessions_in_background(Scope::Due);
    }

    /// The same with a say about conversations.
    pub(super) fn sync_sessions_in_background(self: &Arc<Self>, sessions: Scope) {
        self.sync_named_in_background(sessions, None);
    }

    /// The same of these notes only, where they are named.
    pub(super) fn sync_named_in_background(self: &Arc<Self>, sessions: Scope, named: Option<Vec<PathBuf>>) {
        let indexer = Arc::clone(self);
        let call = TextCall { named, is_told: false, ..TextCall::whole(false, sessions) };
        tokio::spawn(async move {
            if indexer.sync_text(call, &Cancel::new(), None).await.is_ok() {
                // Both keep their errors for `status`.
                let _ = indexer.sync_vectors(VectorCall::default(), &Cancel::new(), None).await;
            }
        });
    }

    async fn run_text(self: Arc<Self>, call: TextCall, progress: Progress) -> Result<TextReport> {
        let noted = Arc::new(self.sessions.take(call.sessions));
        let pass = || {
            self.dirty.store(false, Ordering::Release);
            let (listener, noted, named) = (Arc::clone(&progress), Arc::clone(&noted), call.named.clone());
            self.background(move |indexer, settings| {
                indexer.reading_first.store(indexer.holds_nothing()?, Ordering::Release);
                let mut followed = indexer.follow_forgotten(settings, call.force)?;
                let exchanged = indexer.exchange(settings, call.force, &listener)?;
                if let Some(stopped) = exchanged.as_ref().filter(|exchanged| exchanged.is_stopped()) {
                    indexer.swept.forget();
                    return Ok(TextReport { is_foreign: stopped.is_foreign, exchanged, ..TextReport::default() });
                }
                // An empty workspace is one of this memory as soon as it has the notes.
                let is_behind = |version: &str| version != Exclusions::of(&settings.database_path).version();
                if exchanged.is_some() && followed.as_deref().is_some_and(is_behind) {
                    followed = indexer.follow_forgotten(settings, true)?;
                }
                let host = indexer.context.hosts().conversations();
                let pass = TextPass {
                    store: indexer.context.store(),
                    settings,
                    force: call.force,
                    is_exchanged: exchanged.is_some(),
                    followed,
                    sessions: call.sessions,
                    noted: &noted,
                    host: host.as_ref(),
                    cancel: indexer.context.shutdown(),
                    progress: &listener,
                };
                // Where all else is as the last pass left it.
                let has_taken = exchanged.as_ref().is_some_and(|exchanged| exchanged.taken > 0);
                let named = named.filter(|_| !has_taken && indexer.swept.is_of(settings));
                let mut report = match named.map_or(Ok(None), |paths| pass.run_named(&paths))? {
                    Some(report) => report,
                    None => {
                        indexer.swept.begin(settings);
                        pass.run()?
                    }
                };
                report.exchanged = exchanged;
                if report.is_foreign {
                    indexer.swept.forget();
                    return Ok(report);
                }
                indexer.build_compatible_index(settings)?;
                Ok(report)
            })
        };
        let outcome = self.writer.indexing(&progress, pass).await;
        self.reading_first.store(false, Ordering::Release);
        match &outcome {
            Ok(report) => {
                self.telemetry.note_foreign(report.is_foreign);
                if report.is_whole {
                    self.compared_now();
                }
                if report.unread.is_some() {
                    self.mark_dirty();
                }
                if !report.lost.is_empty() && self.telemetry.folders().lost != report.lost {
                    // `status` says which, and the plugin warns.
                    let agent = self.context.agent();
                    tracing::debug!(agent = agent.as_str(), folders = report.lost.len(), "folders of notes are lost");
                }
                if let Ok(Some(embedder)) = self.context.provider().embedder() {
                    self.telemetry.book_usage(&*embedder, report.chunks as u64).await;
                }
            }
            Err(_) => self.mark_dirty(),
        }
        if let Ok(report) = &outcome
            && call.sessions > Scope::None
        {
            self.telemetry.note(SESSIONS, report.session_error.as_ref());
            if let Some(error) = &report.session_error {
                self.context.warn(error, "conversations of the host were not read; notes are searched all the same");
            }
        }
        let failed = match &outcome {
            Ok(report) => report.unread.as_ref(),
            Err(error) => Some(error),
        };
        let has_news = outcome.as_ref().map_or(true, |report| report.changed + report.removed > 0);
        self.finished(TEXT, failed, call.is_told || has_news || self.vectors.is_running()).await;
        outcome
    }

    async fn run_vectors(self: Arc<Self>, call: VectorCall, progress: Progress) -> Result<EmbedReport> {
        let outcome = self.embed_all(call, &progress).await;
        self.finished(EMBEDDING, outcome.as_ref().err(), true).await;
        if self.context.provider().is_hosted() {
            // Also when it failed: lines need nothing of it.
            self.sync_lines_in_background();
        }
        outcome
    }

    async fn embed_all(self: &Arc<Self>, call: VectorCall, progress: &Progress) -> Result<EmbedReport> {
        let resolved = self.context.settings();
        let settings = &resolved.settings;
        if !settings.vector_enabled {
            return Ok(EmbedReport::default());
        }
        self.prepare_model(settings, progress).await?;
        self.check_model(settings).await?;
        let Some(mut embedder) = self.context.provider().embedder()? else { return Ok(EmbedReport::default()) };
        loop {
            let pass = EmbedPass {
                store: Arc::clone(self.context.store()),
                embedder: Arc::clone(&embedder),
                media: settings.multimodal.map(|_| Arc::new(Roots::of(settings))),
                redact_secrets: settings.provider.redact_secrets,
                booking: self.telemetry.booking(&*embedder),
                ask_refused: call.ask_refused,
                timeout: Duration::from_millis(settings.provider.document_timeout_ms),
                cancel: self.context.shutdown().clone(),
                progress: Arc::clone(progress),
            };
            let outcome = self.writer.indexing(progress, || pass.run()).await;
            // Requests that failed were sent, too.
            self.telemetry.book_usage(&*embedder, 0).await;
            match outcome {
                Ok(report) => {
                    if embedder.is_local() {
                        self.sync_lines(Some(Arc::clone(progress))).await?;
                    }
                    return Ok(report);
                }
                Err(error) if error.is_of_provider() => {
                    let Some(fallback) = self.context.provider().fall_back(settings, &error) else { return Err(error) };
                    self.context.warn(&error, "the embedding provider failed; the fallback takes over");
                    embedder = fallback;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Brings and converts the encoder that the settings name, once; whoever waits for the pass waits for it, and nobody
    /// else does.
    async fn prepare_model(&self, settings: &Settings, progress: &Progress) -> Result<()> {
        let (shutdown, progress) = (self.context.shutdown().clone(), Arc::clone(progress));
        let told = AtomicUsize::new(usize::MAX);
        let watch: Watch = Arc::new(move |label, share| {
            let completed = (share.clamp(0.0, 1.0) * 100.0) as usize;
            if told.swap(completed, Ordering::Relaxed) != completed {
                progress(&Step { completed, total: 100, label: label.to_owned() });
            }
            !shutdown.is_cancelled()
        });
        let provider = self.context.provider();
        match provider.prepare(settings, watch).await {
            // The fallback, or what was made of the model before, embeds meanwhile.
            Err(error) if provider.choice().is_ok() && error.code() != Code::Cancelled => {
                self.context.warn(&error, "the embedding model could not be prepared");
                Ok(())
            }
            outcome => outcome,
        }
    }

    /// After a pass: remembers an error, tidies, gives the lease back when nothing else runs, refreshes `status` unless the
    /// pass that follows will. What goes wrong here is done after the next pass.
    async fn finished(self: &Arc<Self>, what: &'static str, error: Option<&Error>, refreshes: bool) {
        self.telemetry.note(what, error);
        if let Some(error) = error {
            let happened = match what {
                EMBEDDING => "vectors were not made; words are searched all the same",
                _ => "the index was not brought up to date",
            };
            self.context.warn(error, happened);
        }
        self.check_soundness();
        if what == EMBEDDING {
            self.telemetry.keep_failure(error).await;
            if error.is_none() {
                let tidied = self.background(|indexer, settings| indexer.tidy(settings)).await;
                self.context.told(tidied, "the index was not tidied; it takes more room than it needs");
            }
        }
        // A lease that is not given back runs out by itself.
        self.context.told(self.writer.give_back().await, NOT_GIVEN_BACK);
        self.telemetry.keep_warnings().await;
        if !refreshes {
            return;
        }
        let refresh = move |indexer: &Arc<Self>, settings: &Settings| {
            if what == EMBEDDING {
                // Has what lines lack counted.
                indexer.line_model(settings)?;
            }
            indexer.telemetry.refresh(indexer.context.shutdown());
            Ok(())
        };
        self.context.told(self.background(refresh).await, "the figures of status were not brought up to date");
    }

    /// The keyword index of the `memory-core` ranking, only while that ranking is chosen.
    fn build_compatible_index(&self, settings: &Settings) -> Result<()> {
        let Some(live) = self.context.store().read(|r| r.live())? else { return Ok(()) };
        if settings.query.ranking == Ranking::Native {
            return self.context.store().write_indexed(move |tx| tx.compat_drop(live.id));
        }
        let tokenizer = settings.fts_tokenizer;
        while self.context.store().write_indexed(move |tx| tx.compat_build_step(live.id, tokenizer, COMPATIBLE_STEP))? {
            self.context.shutdown().check()?;
        }
        Ok(())
    }
}

/// What a person should know of a text pass that went through.
fn told(report: &TextReport, store: &Store) -> Option<String> {
    let unread = report.unread.as_ref().map(|error| format!("Not all notes could be read: {error}"));
    let foreign = report.is_foreign.then(|| owner::FOREIGN.to_owned());
    let exchanged = report.exchanged.as_ref().and_then(|exchanged| exchange::warning(store, exchanged));
    let told = foreign.into_iter().chain(exchanged).chain(lost::warning(&report.lost)).chain(unread);
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join(". "))
}

#[cfg(test)]
#[path = "lost_tests.rs"]
mod lost_tests;
#[cfg(test)]
#[path = "media_tests.rs"]
mod media_tests;
#[cfg(test)]
#[path = "named_tests.rs"]
mod named_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        index::Step,
        services::{Engine, testing::Home},
    };

    // A gateway starts its first pass by itself; `openclaw memory index --force` right then read every file a second
    // time, into a second generation.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_forced_sync_does_not_repeat_the_first_pass() {
        let home = Home::new(&[]);
        for n in 0..220 {
            home.write(&format!("memory/{n}.md"), &format!("The code of boiler {n} is E{n}."));
        }
        let engine = home.open().await;
        // The first pass waits in the middle until the other call has come.
        let (written, first_written) = crossbeam_channel::bounded(1);
        let (go_on, wait) = crossbeam_channel::bounded::<()>(0);
        let progress: Progress = Arc::new(move |step: &Step| {
            if step.completed > 210 && written.try_send(()).is_ok() {
                let _ = wait.recv_timeout(Duration::from_secs(20));
            }
        });
        let call = |force| SyncCall { reason: "test".into(), force, text_only: true };
        let first = {
            let (engine, call) = (Arc::clone(&engine), call(false));
            tokio::spawn(async move { engine.indexer.sync(call, Cancel::new(), Some(progress)).await })
        };
        tokio::task::block_in_place(|| first_written.recv()).unwrap();
        let forced = {
            let (engine, call) = (Arc::clone(&engine), call(true));
            tokio::spawn(async move { engine.indexer.sync(call, Cancel::new(), None).await })
        };
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert!(!tokio::task::block_in_place(|| engine.indexer.holds_nothing()).unwrap());
        drop(go_on);
        first.await.unwrap().unwrap();
        forced.await.unwrap().unwrap();
        let generation =
            |engine: &Engine| tokio::task::block_in_place(|| engine.context.store().read(|r| r.live())).unwrap();
        assert_eq!(generation(&engine).unwrap().id.number(), 1);
        // Later, force means what it says.
        engine.indexer.sync(call(true), Cancel::new(), None).await.unwrap();
        assert_eq!(generation(&engine).unwrap().id.number(), 2);
        engine.release().await;
    }
}
