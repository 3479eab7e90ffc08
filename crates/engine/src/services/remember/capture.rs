//! Capture that knows what is there already: waiting turns become lines of notes, by rules or as a model lists them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde::Serialize;

use super::{super::context::Service, Remember, SearchCall};
use crate::{
    capture::{
        collect::{Candidate, Collector, Outcome, Resembling, in_zone},
        extract,
        facts::Fact,
        journal::Journal,
        log::{Entry, Status},
        queue::{Job, Message},
        said::Said,
        session_note,
        similar::Comparer,
    },
    consolidation::{
        evidence::unsaid_of_capture,
        runs::{Runs, Unlearned},
    },
    host::ModelTask,
    workspace::exclusions::Exclusions,
};
use ::search::types::Hit;
use model::{
    cancel::Cancel,
    config::{
        automatic::{Automatic, CaptureMode},
        memory_policy::SessionFacts,
    },
    error::{Code, Result},
};

/// Nobody else takes a turn for this long after somebody did, in milliseconds: longer than a model call may last.
const LEASE_MS: i64 = 120_000;
/// How often a model is asked about one turn; after that the rules decide.
const MAX_ATTEMPTS: u32 = 3;
/// What the model is asked for, as hosts book it.
const PURPOSE: &str = "memory-capture";
/// Time limit of a model's answer, in milliseconds (K5), and the longest answer, in tokens.
const MODEL_TIMEOUT_MS: u32 = 30_000;
const MAX_ANSWER_TOKENS: u32 = 600;
/// Results looked at to find a fact that is there already.
const RESEMBLING: usize = 5;
/// Time limit of that search, and of the comparison with known facts, in milliseconds; nobody waits for either.
const RESEMBLING_MS: u64 = 5000;

/// What became of a captured fact that was taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// Whether its note had it still.
    pub removed: bool,
    /// What became of the entries that consolidation has made of it.
    #[serde(flatten)]
    pub unlearned: Unlearned,
}

/// A task for the model of the agent.
fn task(id: String, purpose: &'static str, system: &str, prompt: String) -> ModelTask {
    ModelTask {
        id,
        purpose,
        system: system.to_owned(),
        prompt,
        provider: None,
        model: None,
        max_tokens: MAX_ANSWER_TOKENS,
        timeout_ms: MODEL_TIMEOUT_MS,
    }
}

impl Remember {
    /// Works off the waiting turns, by rules or as the user's model lists them.
    ///
    /// # Errors
    /// When the journal or the note cannot be read or written, or when the model cannot be asked. The turn then
    /// waits for the next time.
    pub async fn capture(self: &Arc<Self>, folder: PathBuf, automatic: &Automatic) -> Result<Outcome> {
        match automatic.auto_capture_mode {
            CaptureMode::Rules => self.capture_by_rules(folder, automatic).await,
            CaptureMode::Extract => self.capture_by_model(folder, automatic).await,
        }
    }

    async fn capture_by_rules(self: &Arc<Self>, folder: PathBuf, automatic: &Automatic) -> Result<Outcome> {
        let mut total = Outcome::default();
        while let Some(job) = self.claim(&folder).await? {
            let (id, attempts) = (job.id.clone(), job.attempts);
            let done = async {
                let job = self.take_back(&folder, automatic, job).await?;
                self.by_rules(&folder, automatic, job).await
            };
            let done = match done.await {
                // No turn can be kept then: the first to be taken when one can is the first that was said.
                Err(error) if matches!(error.code(), Code::DiskFull | Code::ReadOnly) => {
                    let journal = Journal::new(&folder);
                    self.blocking(move |_, _| journal.give_back(&id, attempts)).await.ok();
                    return Err(error);
                }
                done => done?,
            };
            total.stored += done.stored;
            total.skipped += done.skipped;
        }
        Ok(total)
    }

    async fn capture_by_model(self: &Arc<Self>, folder: PathBuf, automatic: &Automatic) -> Result<Outcome> {
        let mut total = Outcome::default();
        while let Some(task) = self.next_task(&folder, automatic).await? {
            let id = task.id.clone();
            let answer = self.context.hosts().ask_model(task).await?;
            let done = self.keep_answer(&folder, automatic, id, answer).await?;
            total.stored += done.stored;
            total.skipped += done.skipped;
        }
        Ok(total)
    }

    /// What to ask a model about the next turn; turns that are not worth a call are done at once.
    async fn next_task(self: &Arc<Self>, folder: &Path, automatic: &Automatic) -> Result<Option<ModelTask>> {
        while let Some(job) = self.claim(folder).await? {
            let job = self.take_back(folder, automatic, job).await?;
            if job.attempts > MAX_ATTEMPTS {
                self.by_rules(folder, automatic, job).await?;
                continue;
            }
            let collector = self.collector(folder.to_path_buf(), automatic);
            let asked = self
                .blocking(move |_, _| {
                    let is_done = collector.is_done(&job)?;
                    if let Some(prompt) = extract::prompt(&job).filter(|_| !is_done) {
                        return Ok(Some((job, prompt)));
                    }
                    if !is_done {
                        collector.pass_over(&job)?;
                    }
                    Journal::new(&collector.folder).finish(&job.id)?;
                    Ok(None)
                })
                .await?;
            if let Some((Job { id, provider, model, .. }, prompt)) = asked {
                return Ok(Some(ModelTask { provider, model, ..task(id, PURPOSE, extract::SYSTEM, prompt) }));
            }
        }
        Ok(None)
    }

    /// Keeps what a model listed for a turn.
    async fn keep_answer(
        self: &Arc<Self>,
        folder: &Path,
        automatic: &Automatic,
        id: String,
        answer: String,
    ) -> Result<Outcome> {
        let collector = self.collector(folder.to_path_buf(), automatic);
        let listed = self
            .blocking(move |_, _| {
                let Some(job) = Journal::new(&collector.folder).turn(&id)? else { return Ok(None) };
                let job = collector.looked_at(job)?;
                let (candidates, refused) = collector.by_model(&job, &answer)?;
                if candidates.is_empty() && refused == 0 {
                    collector.pass_over(&job)?;
                }
                Ok(Some((job, candidates)))
            })
            .await?;
        match listed {
            Some((job, candidates)) => self.keep(folder, automatic, job, candidates).await,
            // Somebody else finished it while the model was thinking.
            None => Ok(Outcome::default()),
        }
    }

    /// The next turn that waits. Those of conversations that are forgotten or left out by now are given
    /// up.
    async fn claim(self: &Arc<Self>, folder: &Path) -> Result<Option<Job>> {
        let journal = Journal::new(folder);
        self.blocking(move |remember, settings| {
            let list = Exclusions::of(&settings.database_path);
            // Nobody knows what is forgotten: the turns wait until the list can be read.
            list.check()?;
            let is_forgotten = |job: &Job| {
                // A turn that ran while its conversation was forgotten, or shows what was said before, is not of after.
                let said = job.messages.iter().map(|message| message.at.unwrap_or_default()).reduce(f64::min);
                let said = said.unwrap_or_default() as i64;
                let facts = SessionFacts { key: job.session_key.as_deref(), ..SessionFacts::default() };
                [&job.session_key, &job.session_id].into_iter().flatten().any(|name| list.said(name, said))
                    || settings.excluded_sessions.reason(facts).is_some()
            };
            while let Some(job) = journal.claim(remember.context.now_ms(), LEASE_MS)? {
                if !is_forgotten(&job) {
                    return Ok(Some(job));
                }
                journal.finish(&job.id)?;
            }
            Ok(None)
        })
        .await
    }

    /// Takes out of the notes what a turn says should not have been kept of the message before it. Gives the turn with what was
    /// judged before known as seen.
    async fn take_back(self: &Arc<Self>, folder: &Path, automatic: &Automatic, job: Job) -> Result<Job> {
        let collector = self.collector(folder.to_path_buf(), automatic);
        let (job, taken) = self
            .blocking(move |service, _| {
                let job = collector.looked_at(job)?;
                let taken = collector.taken_back(&job)?;
                collector.end_waiting(&job)?;
                collector.withhold(&taken)?;
                // One that is undone may have been left in the middle by a process that was killed.
                let mut facts = taken.iter().filter(|entry| entry.status != Status::Skipped).peekable();
                let is_any = facts.peek().is_some();
                for fact in facts {
                    service.undo(&collector, fact, false)?;
                }
                if is_any {
                    service.indexer.mark_dirty();
                }
                Ok((job, is_any))
            })
            .await?;
        if taken {
            self.indexer.sync_in_background();
        }
        Ok(job)
    }

    /// Takes a captured fact out of its note, and out of what consolidation knows. That first: who is killed in between takes
    /// it out once more. Then out of what consolidation has written.
    fn undo(&self, collector: &Collector, fact: &Entry, for_good: bool) -> Result<Undone> {
        let unsaid = unsaid_of_capture(fact, for_good);
        let claims = unsaid.iter().map(|unsaid| unsaid.claim.clone()).collect();
        // What was taken back and is said again since is new.
        if fact.status != Status::Undone {
            self.context.store().write(move |tx| tx.unsay(&unsaid))?;
        }
        let removed = collector.undo(&fact.id)?;
        let runs = Runs::to_unlearn(self.context.store(), &self.context.settings().settings, self.context.now_ms());
        Ok(Undone { removed, unlearned: runs.unlearn(&claims)? })
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
        candidates: Vec<Candidate>,
    ) -> Result<Outcome> {
        let collector = self.collector(folder.to_path_buf(), automatic);
        let (job, mut candidates, forgotten) = self
            .blocking(move |_, settings| {
                let list = Exclusions::of(&settings.database_path);
                list.check()?;
                let found = candidates.len();
                let candidates = collector.without_forgotten(&job, candidates, &list)?;
                let forgotten = found - candidates.len();
                Ok((job, candidates, forgotten))
            })
            .await?;
        for candidate in &mut candidates {
            let call = SearchCall {
                query: candidate.text.clone(),
                max_results: Some(RESEMBLING),
                min_score: Some(0.0),
                deadline_ms: Some(RESEMBLING_MS),
                ..SearchCall::of_notes()
            };
            // Without the index the note and the journal still know most of what is there.
            match self.searcher.search(call, Cancel::new()).await {
                Ok(answer) => {
                    let passage = |hit: Hit| Resembling {
                        said: Said::in_note(&hit.path, hit.start_line.saturating_sub(1) as usize),
                        text: hit.snippet,
                        same_meaning: false,
                    };
                    candidate.resembling = answer.hits.into_iter().map(passage).collect();
                }
                Err(error) => {
                    self.context.warn(&error, "a capture was not compared with the index; it may repeat a note")
                }
            }
        }
        // A provider that hangs must not take the turn past its lease; what was compared by then counts.
        let compared = self.add_known_facts(&mut candidates);
        if tokio::time::timeout(Duration::from_millis(RESEMBLING_MS), compared).await.is_err() {
            let agent = self.context.agent();
            tracing::info!(agent = agent.as_str(), "a capture was not compared with all stored facts in time");
        }
        let collector = self.collector(folder.to_path_buf(), automatic);
        let outcome = self
            .blocking(move |service, _| {
                let mut outcome = collector.store(&job, candidates)?;
                outcome.skipped += forgotten;
                Journal::new(&collector.folder).finish(&job.id)?;
                if outcome.stored > 0 {
                    service.indexer.mark_dirty();
                }
                Ok(outcome)
            })
            .await?;
        if outcome.stored > 0 {
            self.indexer.sync_in_background();
        }
        Ok(outcome)
    }

    /// Adds to each candidate the stored or captured fact that says the same in other words, and those that say otherwise.
    async fn add_known_facts(self: &Arc<Self>, candidates: &mut [Candidate]) {
        if candidates.is_empty() {
            return;
        }
        // Where the notes cannot be read, the index and the journal still know most of what is there.
        let Ok(known) = self.facts.all().await else { return };
        let mut comparer = Comparer::default();
        let prints: Vec<_> = known.iter().map(|fact| comparer.fingerprint(&fact.text)).collect();
        for candidate in candidates {
            let own = comparer.fingerprint(&candidate.text);
            let differing = known.iter().zip(&prints).filter(|(_, print)| print.differs_in_value(&own));
            let add =
                |fact: &Fact| Resembling { text: fact.text.clone(), same_meaning: false, said: fact.said.clone() };
            candidate.resembling.extend(differing.map(|(fact, _)| add(fact)));
            if let Some(fact) = self.facts.same_fact(&candidate.text, &known).await {
                candidate.resembling.push(Resembling { same_meaning: true, ..add(&fact) });
            }
        }
    }

    /// Gives the note of a conversation the name that the user's model finds for it, and its new path; none when it keeps the
    /// old one.
    ///
    /// # Errors
    /// When the model cannot be asked, or the note cannot be renamed.
    pub async fn name_session_note(
        self: &Arc<Self>,
        automatic: &Automatic,
        path: String,
        messages: Vec<Message>,
    ) -> Result<Option<String>> {
        let Some(prompt) = session_note::slug_prompt(&messages, automatic.session_notes.messages) else {
            return Ok(None);
        };
        let id = format!("slug-{}", uuid::Uuid::new_v4());
        let task = task(id, "session-notes", session_note::SLUG_SYSTEM, prompt);
        let answer = self.context.hosts().ask_model(task).await?;
        self.blocking(move |_, settings| session_note::rename(&settings.workspace_dir, &path, &answer)).await
    }

    /// Takes a captured fact out of its note again, and the entry that consolidation has made of it where nothing else
    /// speaks for that.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such capture, else when its note cannot be written, or MEMORY.md.
    pub async fn undo_capture(self: &Arc<Self>, folder: PathBuf, automatic: &Automatic, id: String) -> Result<Undone> {
        let collector = self.collector(folder, automatic);
        let undone = self.blocking(move |service, _| service.undo(&collector, &collector.stored(&id)?, true)).await?;
        self.indexer.sync_in_background();
        Ok(undone)
    }

    fn collector(&self, folder: PathBuf, automatic: &Automatic) -> Collector {
        let resolved = self.context.settings();
        Collector {
            folder,
            workspace: resolved.settings.workspace_dir.clone(),
            max_note_bytes: resolved.settings.max_file_bytes,
            now: in_zone(self.context.now_ms(), resolved.settings.time_zone.as_deref()),
            max_facts: automatic.auto_capture_max_facts,
        }
    }
}
