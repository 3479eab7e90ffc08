//! Recall within a time limit: what memory has to say about a message, and whose words it is.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use serde::Serialize;

use super::{super::context::Service, Remember, SearchCall};
use crate::{
    active_memory::intent::{Asking, Intent},
    capture::{
        captured_lines, filter, group_words,
        journal::Journal,
        recall::{self, Asked, Question},
    },
    curated::triggers,
    host::{FileAsked, Origin, ProvenanceAsked},
    workspace::{
        read::read_text,
        roots::{Limits, Roots},
    },
};
use ::search::{provenance::is_vouched, types::Hit};
use model::{
    cancel::Cancel,
    config::{
        automatic::{Automatic, Unsure},
        paths::normalize,
        settings::Settings,
    },
    error::{Code, Result},
};
use text::{
    envelope,
    recall_block::{self, Item},
};

/// Results asked for beyond what is shown, because some of them are not shown.
pub(super) const SPARE_RESULTS: usize = 5;

/// Lowest score of results that are looked at; which of them have to do with the message is decided by their words.
pub(super) const LEAST_SCORE: f64 = 0.1;

/// Passages shown of a message that nothing fits for sure, with `autoRecallUnsure: "nearest"`. In the halves that may be looked at of
/// four sets of chats one shows what is right in 50 to 79 turns of 100 that need a note, two in 59 to 86, three in 60 to 87.
const NEAREST: usize = 3;

/// What memory has to say about a message.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Recall {
    /// The passages, best first.
    pub hits: Vec<Hit>,
    /// As much of them as there is room for, as a block for the prompt; none when there is nothing to show.
    pub block: Option<String>,
}

/// Where recall finds what is not in the index.
#[derive(Debug, Clone)]
pub struct RecallFiles {
    /// The agent's own folder, with the journal of its captures.
    pub folder: PathBuf,
    /// The folder of all agents, with the journal of what was written in conversations of several people.
    pub shared: PathBuf,
}

impl Remember {
    /// What memory has to say about a message, within `autoRecallTimeoutMs`; nothing when it has nothing, or no time. Lines
    /// that were written in a conversation of several people are left out; of a file that the host does not vouch for,
    /// all but what auto-capture itself has written. With `triggerRecall` the curated lines that the message names come
    /// first.
    ///
    /// # Errors
    /// When the index, a journal cannot be read, or the host does not answer.
    pub async fn recall(self: &Arc<Self>, asked: &Asked, automatic: &Automatic, files: RecallFiles) -> Result<Recall> {
        let triggered = self.triggered(asked, automatic, files.shared.clone());
        let (mut shown, found) = tokio::try_join!(triggered, self.found(asked, automatic, files))?;
        let is_new = |hit: &Hit| {
            let holds = |line: &Hit| {
                line.path == hit.path && line.start_line <= hit.start_line && hit.end_line <= line.end_line
            };
            !shown.iter().any(holds)
        };
        let found: Vec<Hit> = found.into_iter().filter(is_new).collect();
        shown.extend(found);
        let block = block(&shown, automatic.auto_recall_max_chars);
        Ok(Recall { hits: shown, block })
    }

    /// What a search finds, best first; what a later day says about the same as the best before that.
    async fn found(self: &Arc<Self>, asked: &Asked, automatic: &Automatic, files: RecallFiles) -> Result<Vec<Hit>> {
        let zone = self.context.settings().settings.zone_name();
        let Some(question) = recall::question(asked, automatic, &zone) else { return Ok(Vec::new()) };
        let began = Instant::now();
        let relevant = self.relevant(&question, asked, automatic, files.shared.clone()).await?;
        let (mut shown, others) = self.by_origin(relevant).await?;
        shown.extend(self.captured(others, &question, automatic, files.folder.clone()).await?);
        shown.sort_by(|a, b| b.score.total_cmp(&a.score));
        let later = self.later(&shown, &question, (asked, automatic), files, began).await?;
        let all = later.into_iter().chain(shown).take(automatic.auto_recall_max_results);
        Ok(all.map(|hit| Hit { excerpt: None, ..hit }).collect())
    }

    /// The curated lines that a message asks for by their triggers, the strongest first. The host shows their files too,
    /// and cuts them where they are long: who gives a line a trigger wants it beside the message.
    async fn triggered(self: &Arc<Self>, asked: &Asked, automatic: &Automatic, shared: PathBuf) -> Result<Vec<Hit>> {
        let message = envelope::strip(&asked.prompt);
        if !automatic.trigger_recall || message.trim().is_empty() {
            return Ok(Vec::new());
        }
        let matches = self.searcher.trigger_matches(message, asked.projects.clone()).await?;
        let strong = matches.into_iter().filter(|found| found.score >= triggers::STRONG).take(triggers::SHOWN);
        let hits = strong.map(|found| Hit { score: found.score, ..found.hit });
        let hits = hits.filter(|hit| !filter::gives_orders(&hit.snippet)).collect();
        let own = self.without_group_words(hits, shared).await?;
        Ok(self.by_origin(own).await?.0)
    }

    /// The passages that have to do with a question.
    async fn relevant(
        self: &Arc<Self>,
        question: &Question,
        asked: &Asked,
        automatic: &Automatic,
        shared: PathBuf,
    ) -> Result<Vec<Hit>> {
        let call = SearchCall {
            max_results: Some(automatic.auto_recall_max_results + SPARE_RESULTS),
            excerpt: Some(0),
            min_score: self.context.settings().settings.query.min_score.or(Some(LEAST_SCORE)),
            ..SearchCall::of_notes()
        };
        let Some((hits, by_meaning)) = self.seen(question, call, asked, automatic, shared).await? else {
            return Ok(Vec::new());
        };
        let nearest = match automatic.auto_recall_unsure {
            Unsure::Nothing => Vec::new(),
            Unsure::Nearest => nearest(question, asked, &hits, automatic),
        };
        let relevant = question.relevant(hits, automatic, by_meaning);
        Ok(if relevant.is_empty() { nearest } else { relevant })
    }

    /// What a search finds for a question of that which may be shown, but for whose it is, and whether by meaning; `None` when
    /// it was cancelled. `call` has how much is asked for.
    pub(super) async fn seen(
        self: &Arc<Self>,
        question: &Question,
        call: SearchCall,
        asked: &Asked,
        automatic: &Automatic,
        shared: PathBuf,
    ) -> Result<Option<(Vec<Hit>, bool)>> {
        let call = SearchCall {
            query: question.text.clone(),
            understood: Some(Arc::clone(&question.plan)),
            deadline_ms: call.deadline_ms.or(Some(automatic.auto_recall_timeout_ms)),
            now_ms: asked.now_ms,
            ..call
        };
        let answer = match self.searcher.search(call, Cancel::new()).await {
            Err(error) if error.code() == Code::Cancelled => return Ok(None),
            answer => answer?,
        };
        let by_meaning = answer.mode != "fts-only";
        let hits = answer.hits.into_iter().filter(|hit| !asked.without.contains(&hit.path)).collect();
        Ok(Some((self.without_group_words(hits, shared).await?, by_meaning)))
    }

    /// What auto-capture itself has written of passages whose files nobody vouches for.
    pub(super) async fn captured(
        self: &Arc<Self>,
        hits: Vec<Hit>,
        question: &Question,
        automatic: &Automatic,
        folder: PathBuf,
    ) -> Result<Vec<Hit>> {
        if hits.is_empty() {
            return Ok(hits);
        }
        let (question, automatic) = (question.clone(), automatic.clone());
        self.blocking(move |_, _| captured_lines::only(&Journal::new(&folder), hits, &question, &automatic)).await
    }

    /// The passages by whether the user or the agent wrote their files. Without a host to ask nobody else did.
    pub(super) async fn by_origin(self: &Arc<Self>, hits: Vec<Hit>) -> Result<(Vec<Hit>, Vec<Hit>)> {
        if hits.is_empty() {
            return Ok((hits, Vec::new()));
        }
        let workspace_dir = self.context.settings().settings.workspace_dir.clone();
        let mut paths: Vec<String> = Vec::new();
        let mut files = Vec::new();
        for hit in &hits {
            if !paths.contains(&hit.path) {
                let vouched = hit.about.provenance.as_ref().is_some_and(|own| is_vouched(&hit.path, own));
                files.push(FileAsked { vouched, ..file_asked(&workspace_dir, &hit.path) });
                paths.push(hit.path.clone());
            }
        }
        let asked = ProvenanceAsked { workspace_dir: workspace_dir.clone(), files };
        let Some(origins) = self.context.hosts().provenance(asked).await? else { return Ok((hits, Vec::new())) };
        let own: HashSet<&String> =
            paths.iter().zip(origins).filter(|(_, origin)| *origin == Origin::Own).map(|(path, _)| path).collect();
        Ok(hits.into_iter().partition(|hit| own.contains(&hit.path)))
    }

    /// The passages without those that show what was written in a conversation of several people.
    pub(super) async fn without_group_words(self: &Arc<Self>, hits: Vec<Hit>, shared: PathBuf) -> Result<Vec<Hit>> {
        let journal = Journal::of_all_agents(&shared);
        // A reply waits: no hop to another thread where there is nothing to read.
        if hits.is_empty() || !journal.exists() {
            return Ok(hits);
        }
        self.blocking(move |_, settings| {
            let known = group_words::of_groups(&journal)?;
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

    /// Remembers what was written into a note in a conversation of several people.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn remember_group_words(
        self: &Arc<Self>,
        shared: PathBuf,
        note: Option<String>,
        texts: Vec<String>,
    ) -> Result<()> {
        self.blocking(move |_, settings| {
            let note = note.and_then(|path| note_text(settings, &path));
            group_words::remember(&Journal::of_all_agents(&shared), note.as_deref(), &texts)
        })
        .await
    }
}

/// How a message asks. Whoever goes on about a thing may not ask in these words; who asked before has been answered.
pub(super) fn asking(question: &Question, message: &str) -> Asking {
    let asking = Asking::of(message);
    if question.text == message { asking } else { asking.or(Asking::of(&question.text)) }
}

/// What is nearest to a message that asks for something of the user's; nothing for any other.
fn nearest(question: &Question, asked: &Asked, hits: &[Hit], automatic: &Automatic) -> Vec<Hit> {
    let best = hits.first().map_or(0.0, |hit| hit.score);
    let intent = asking(question, &envelope::strip(&asked.prompt)).intent(best);
    if !intent.is_some_and(Intent::asks_memory) {
        return Vec::new();
    }
    let near = hits.iter().filter(|hit| hit.score >= automatic.auto_recall_min_score);
    near.filter(|hit| !filter::gives_orders(&hit.snippet)).take(NEAREST).cloned().collect()
}

/// The text of a note as results name it; none when it is gone or nothing that would be indexed.
fn note_text(settings: &Settings, path: &str) -> Option<String> {
    let limits = Limits { file_bytes: settings.max_file_bytes, ..Limits::default() };
    let roots = Roots::new(&settings.workspace_dir, &settings.extra_paths, limits);
    read_text(&roots, &normalize(&settings.workspace_dir.join(path))).ok().map(|file| file.text)
}

/// The passages as a block for a prompt.
fn block(hits: &[Hit], max_chars: usize) -> Option<String> {
    let places: Vec<String> =
        hits.iter().map(|hit| format!("{}#L{}-L{}", hit.path, hit.start_line, hit.end_line)).collect();
    let items: Vec<Item<'_>> =
        hits.iter().zip(&places).map(|(hit, place)| Item { place, text: &hit.snippet, score: hit.score }).collect();
    recall_block::render(&items, max_chars)
}

/// A file with what tells its state from another.
fn file_asked(workspace_dir: &Path, path: &str) -> FileAsked {
    let (state, modified_ms) = file_state(&workspace_dir.join(path)).unzip();
    FileAsked { path: path.to_owned(), state, modified_ms, vouched: false }
}

fn file_state(path: &Path) -> Option<(String, i64)> {
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
    Some((state, modified.as_millisecond()))
}
