//! Automatic memory that needs the index: recall within a time limit, and capture that knows what is there already.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde::Serialize;

use super::{Engine, SearchCall, now_ms};
use crate::{
    capture::{
        captured_lines,
        collect::{Candidate, Collector, Outcome, Resembling, now_in},
        extract, group_words,
        log::Log,
        queue::{Job, Queue},
        recall::{self, Asked},
    },
    search::types::Hit,
    workspace::{
        area::{Area, Limits},
        read::read_text,
    },
};
use model::{
    cancel::Cancel,
    config::{automatic::Automatic, paths::normalize, settings::Settings},
    error::{Code, Result},
    source::Source,
};

/// Nobody else takes a turn for this long after somebody did, in milliseconds: longer than a model call may last.
const LEASE_MS: i64 = 120_000;
/// How often a model is asked about one turn; after that the rules decide.
const MAX_ATTEMPTS: u32 = 3;
/// Results looked at to find a fact that is there already.
const RESEMBLING: usize = 5;
/// Time limit of that search, and of the comparison with known facts, in milliseconds; nobody waits for either.
const RESEMBLING_MS: u64 = 5000;
/// Results asked for beyond what is shown, because some of them are not shown.
const SPARE_RESULTS: usize = 5;

/// Lowest score of results that are looked at; which of them have to do with the message is decided by their words.
const LEAST_SCORE: f64 = 0.1;

/// A turn that a model is to look at.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Extraction {
    /// For `finish`.
    pub id: String,
    /// What the model is told about its task.
    pub system: &'static str,
    /// The request.
    pub prompt: String,
    /// Provider of the turn's model, for hosts that assume a wrong one.
    pub provider: Option<String>,
    /// The turn's model.
    pub model: Option<String>,
}

/// A passage for a prompt.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recalled {
    /// The passage.
    #[serde(flatten)]
    pub hit: Hit,
    /// Its file; none when that is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileState>,
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileState {
    /// Equal as long as the file is the same and nobody has written to it.
    pub state: String,
    /// When it was written last, in milliseconds since the epoch.
    pub modified_ms: i64,
}

impl Engine {
    /// What memory has to say about a message, within `autoRecallTimeoutMs`; nothing when it has nothing, or no time.
    /// Lines that `group_words` remembers are left out.
    ///
    /// # Errors
    /// When the index or that file cannot be read.
    pub async fn recall(
        self: &Arc<Self>,
        asked: &Asked,
        automatic: &Automatic,
        group_words: PathBuf,
    ) -> Result<Vec<Recalled>> {
        let resolved = self.settings();
        let zone = resolved.settings.zone_name();
        let Some(question) = recall::question(asked, automatic, &zone) else { return Ok(Vec::new()) };
        let call = SearchCall {
            query: question.text.clone(),
            understood: Some(Arc::clone(&question.plan)),
            max_results: Some(automatic.auto_recall_max_results + SPARE_RESULTS),
            min_score: resolved.settings.query.min_score.or(Some(LEAST_SCORE)),
            deadline_ms: Some(automatic.auto_recall_timeout_ms),
            now_ms: asked.now_ms,
            ..plain_search()
        };
        match self.search(call, Cancel::new()).await {
            Err(error) if error.code() == Code::Cancelled => Ok(Vec::new()),
            Err(error) => Err(error),
            Ok(answer) => {
                let by_meaning = answer.mode != "fts-only";
                let hits = answer.hits.into_iter().filter(|hit| !asked.without.contains(&hit.path)).collect();
                let hits = self.without_group_words(hits, group_words).await?;
                let relevant = question.relevant(hits, automatic, by_meaning);
                // Here and not on the JS thread, which would have to wait for another thread of a busy machine.
                let workspace = &resolved.settings.workspace_dir;
                Ok(relevant
                    .into_iter()
                    .map(|hit| Recalled { file: file_state(&workspace.join(&hit.path)), hit })
                    .collect())
            }
        }
    }

    /// The passages without those that show what was written in a conversation of several people.
    async fn without_group_words(self: &Arc<Self>, hits: Vec<Hit>, file: PathBuf) -> Result<Vec<Hit>> {
        // A reply waits: no hop to another thread where there is nothing to read.
        if hits.is_empty() || !file.exists() {
            return Ok(hits);
        }
        self.blocking(move |_, settings| {
            let known = group_words::of_groups(&file)?;
            let is_own = |hit: &Hit| {
                // A note that is gone by now is known by what is shown of it.
                let note = note_text(settings, &hit.path).unwrap_or_default();
                let before = hit.start_line.saturating_sub(1) as usize;
                let source: Vec<&str> = note.lines().take(hit.end_line as usize).skip(before).collect();
                !group_words::shows_one(&known, &hit.snippet, &source)
            };
            Ok(hits.into_iter().filter(is_own).collect())
        })
        .await
    }

    /// What auto-capture itself has written of passages that [`Self::recall`] gave for the same message.
    ///
    /// # Errors
    /// When the captures log cannot be read.
    pub async fn recall_captured(
        self: &Arc<Self>,
        asked: Asked,
        automatic: Automatic,
        folder: PathBuf,
        hits: Vec<Hit>,
    ) -> Result<Vec<Hit>> {
        self.blocking(move |_, settings| {
            let question = recall::question(&asked, &automatic, &settings.zone_name());
            let Some(question) = question else { return Ok(Vec::new()) };
            captured_lines::only(&Log::new(&folder), hits, &question, &automatic)
        })
        .await
    }

    /// Remembers what was written into a note in a conversation of several people.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub async fn remember_group_words(
        self: &Arc<Self>,
        file: PathBuf,
        note: Option<String>,
        texts: Vec<String>,
    ) -> Result<()> {
        self.blocking(move |_, settings| {
            let note = note.and_then(|path| note_text(settings, &path));
            group_words::remember(&file, note.as_deref(), &texts)
        })
        .await
    }

    /// Works off the waiting turns by rules.
    ///
    /// # Errors
    /// When the queue, the note or the log cannot be read or written. The turn then waits for the next time.
    pub async fn capture_by_rules(self: &Arc<Self>, folder: PathBuf, automatic: &Automatic) -> Result<Outcome> {
        let mut total = Outcome::default();
        while let Some(job) = self.claim(&folder).await? {
            let done = self.by_rules(&folder, automatic, job).await?;
            total.stored += done.stored;
            total.skipped += done.skipped;
        }
        Ok(total)
    }

    /// The next turn for a model; turns that are not worth a call are done at once.
    ///
    /// # Errors
    /// As [`Engine::capture_by_rules`].
    pub async fn next_extraction(
        self: &Arc<Self>,
        folder: PathBuf,
        automatic: &Automatic,
    ) -> Result<Option<Extraction>> {
        while let Some(job) = self.claim(&folder).await? {
            if job.attempts > MAX_ATTEMPTS {
                self.by_rules(&folder, automatic, job).await?;
                continue;
            }
            let collector = self.collector(folder.clone(), automatic);
            let asked = self
                .blocking(move |_, _| {
                    let is_done = collector.is_done(&job)?;
                    if let Some(prompt) = extract::prompt(&job).filter(|_| !is_done) {
                        return Ok(Some((job, prompt)));
                    }
                    if !is_done {
                        collector.pass_over(&job)?;
                    }
                    Queue::new(&collector.folder).complete(&job.id)?;
                    Ok(None)
                })
                .await?;
            if let Some((Job { id, provider, model, .. }, prompt)) = asked {
                return Ok(Some(Extraction { id, system: extract::SYSTEM, prompt, provider, model }));
            }
        }
        Ok(None)
    }

    /// Keeps what a model listed for a turn.
    ///
    /// # Errors
    /// As [`Engine::capture_by_rules`].
    pub async fn finish_extraction(
        self: &Arc<Self>,
        folder: PathBuf,
        automatic: &Automatic,
        id: String,
        answer: String,
    ) -> Result<Outcome> {
        let collector = self.collector(folder.clone(), automatic);
        let listed = self
            .blocking(move |_, _| {
                let Some(job) = Queue::new(&collector.folder).get(&id)? else { return Ok(None) };
                let (candidates, refused) = collector.by_model(&job, &answer)?;
                if candidates.is_empty() && refused == 0 {
                    collector.pass_over(&job)?;
                }
                Ok(Some((job, candidates)))
            })
            .await?;
        match listed {
            Some((job, candidates)) => self.keep(&folder, automatic, job, candidates).await,
            // Somebody else finished it while the model was thinking.
            None => Ok(Outcome::default()),
        }
    }

    async fn claim(self: &Arc<Self>, folder: &Path) -> Result<Option<Job>> {
        let queue = Queue::new(folder);
        self.blocking(move |_, _| queue.claim(now_ms(), LEASE_MS)).await
    }

    async fn by_rules(self: &Arc<Self>, folder: &Path, automatic: &Automatic, job: Job) -> Result<Outcome> {
        let collector = self.collector(folder.to_path_buf(), automatic);
        let (job, candidates) = self
            .blocking(move |_, _| {
                let candidates = collector.by_rules(&job)?;
                Ok((job, candidates))
            })
            .await?;
        self.keep(folder, automatic, job, candidates).await
    }

    /// Compares candidates with the index, writes the new ones, takes the turn off the queue.
    async fn keep(
        self: &Arc<Self>,
        folder: &Path,
        automatic: &Automatic,
        job: Job,
        mut candidates: Vec<Candidate>,
    ) -> Result<Outcome> {
        for candidate in &mut candidates {
            let call = SearchCall {
                query: candidate.text.clone(),
                max_results: Some(RESEMBLING),
                min_score: Some(0.0),
                deadline_ms: Some(RESEMBLING_MS),
                ..plain_search()
            };
            // Without the index the note and the log still know most of what is there.
            match self.search(call, Cancel::new()).await {
                Ok(answer) => {
                    let passage = |hit: Hit| Resembling { text: hit.snippet, same_meaning: false };
                    candidate.resembling = answer.hits.into_iter().map(passage).collect();
                }
                Err(error) => self.warn(&error, "a capture was not compared with the index; it may repeat a note"),
            }
        }
        // A provider that hangs must not take the turn past its lease; what was compared by then counts.
        let compared = self.add_known_facts(&mut candidates);
        if tokio::time::timeout(Duration::from_millis(RESEMBLING_MS), compared).await.is_err() {
            let agent = self.agent();
            tracing::info!(agent = agent.as_str(), "a capture was not compared with all stored facts in time");
        }
        let collector = self.collector(folder.to_path_buf(), automatic);
        let outcome = self
            .blocking(move |engine, _| {
                let outcome = collector.store(&job, candidates)?;
                Queue::new(&collector.folder).complete(&job.id)?;
                if outcome.stored > 0 {
                    engine.dirty.store(true, Ordering::Release);
                }
                Ok(outcome)
            })
            .await?;
        if outcome.stored > 0 {
            self.sync_in_background();
        }
        Ok(outcome)
    }

    /// Adds to each candidate the stored or captured fact that says the same in other words.
    async fn add_known_facts(self: &Arc<Self>, candidates: &mut [Candidate]) {
        if candidates.is_empty() {
            return;
        }
        // Where the notes cannot be read, the index and the log still know most of what is there.
        let Ok(known) = self.facts().await else { return };
        for candidate in candidates {
            if let Some(fact) = self.same_fact(&candidate.text, &known).await {
                candidate.resembling.push(Resembling { text: fact.text, same_meaning: true });
            }
        }
    }

    /// Takes a captured fact out of its note again.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such capture, else when its note cannot be written.
    pub async fn undo_capture(self: &Arc<Self>, folder: PathBuf, automatic: &Automatic, id: String) -> Result<bool> {
        let collector = self.collector(folder, automatic);
        let removed = self.blocking(move |_, _| collector.undo(&id)).await?;
        self.sync_in_background();
        Ok(removed)
    }

    fn collector(&self, folder: PathBuf, automatic: &Automatic) -> Collector {
        let resolved = self.settings();
        Collector {
            folder,
            workspace: resolved.settings.workspace_dir.clone(),
            max_note_bytes: resolved.settings.max_file_bytes,
            now: now_in(resolved.settings.time_zone.as_deref()),
            max_facts: automatic.auto_capture_max_facts,
        }
    }
}

/// A search of the notes with the settings' values.
fn plain_search() -> SearchCall {
    SearchCall {
        query: String::new(),
        understood: None,
        max_results: None,
        min_score: None,
        // Conversations hold every fact before it is captured, and what strangers said.
        sources: vec![Source::Memory],
        lexical_only: false,
        explain: false,
        deadline_ms: None,
        now_ms: now_ms(),
        session_key: None,
    }
}

/// The text of a note as results name it; none when it is gone or nothing that would be indexed.
fn note_text(settings: &Settings, path: &str) -> Option<String> {
    let limits = Limits { file_bytes: settings.max_file_bytes, ..Limits::default() };
    let area = Area::new(&settings.workspace_dir, &settings.extra_paths, limits);
    read_text(&area, &normalize(&settings.workspace_dir.join(path))).ok().map(|file| file.text)
}

fn file_state(path: &Path) -> Option<FileState> {
    let data = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let modified = jiff::Timestamp::try_from(data.modified().ok()?).ok()?;
    #[cfg(unix)]
    let identity = {
        use std::os::unix::fs::MetadataExt;
        (data.dev(), data.ino())
    };
    #[cfg(not(unix))]
    let identity = ();
    let state = format!("{identity:?} {} {}", data.len(), modified.as_nanosecond());
    Some(FileState { state, modified_ms: modified.as_millisecond() })
}
