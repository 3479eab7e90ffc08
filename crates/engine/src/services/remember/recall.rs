//! Recall within a time limit: what memory has to say about a message, and whose words it is.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::{super::context::Service, Remember, SearchCall, plain_search};
use crate::{
    capture::{
        captured_lines, group_words,
        log::Log,
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
};

/// Results asked for beyond what is shown, because some of them are not shown.
pub(super) const SPARE_RESULTS: usize = 5;

/// Lowest score of results that are looked at; which of them have to do with the message is decided by their words.
pub(super) const LEAST_SCORE: f64 = 0.1;

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

impl Remember {
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
        let resolved = self.context.settings();
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
        match self.searcher.search(call, Cancel::new()).await {
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
    pub(super) async fn without_group_words(self: &Arc<Self>, hits: Vec<Hit>, file: PathBuf) -> Result<Vec<Hit>> {
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
}

/// The text of a note as results name it; none when it is gone or nothing that would be indexed.
fn note_text(settings: &Settings, path: &str) -> Option<String> {
    let limits = Limits { file_bytes: settings.max_file_bytes, ..Limits::default() };
    let area = Area::new(&settings.workspace_dir, &settings.extra_paths, limits);
    read_text(&area, &normalize(&settings.workspace_dir.join(path))).ok().map(|file| file.text)
}

pub(super) fn file_state(path: &Path) -> Option<FileState> {
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
