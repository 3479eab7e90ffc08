//! `memory forget`: what the user no longer wants to be remembered leaves the index and stays out of it. The Markdown
//! itself is not touched; the report says where it still stands.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use serde::Serialize;

use super::{
    super::{context::Service, facts::hashes_of_forgotten, indexer::SyncCall, searcher::SearchCall, writer::PATIENCE},
    Admin,
};
use crate::{
    capture::{erase, journal::Journal, jsonl, short_term},
    consolidation::evidence::{claims_of_lines, mark_of_conversation},
    index::Failure,
    search::types::Hit,
    workspace::{
        exclusions::{Entry, Exclusions, What, content_hash, is_telling, line_hash, list_path},
        read::read_text,
        roots::Roots,
    },
};
use model::{
    cancel::Cancel,
    config::{paths::normalize, settings::Settings},
    error::{Code, Error, Result},
    source::Source,
};
use store::{Kept, Reader, files::Hash, generations::GenerationId, ids::FileId};
use text::{fold::fold, session_header};

/// Characters of a passage shown in the report.
const SHOWN_CHARS: usize = 160;

/// What is to be forgotten.
#[derive(Debug, Clone, Default)]
pub struct ForgetCall {
    /// Files, or folders with all that lies below them, as in results.
    pub paths: Vec<String>,
    /// Of the one file in `paths`, these lines only: first and last, from 1.
    pub lines: Option<(u32, u32)>,
    /// Ids or keys of conversations.
    pub sessions: Vec<String>,
    /// The passages that this search shows.
    pub search: Option<SearchCall>,
    /// Whether to report only.
    pub dry_run: bool,
    /// The agent's folder of captures.
    pub folder: Option<PathBuf>,
    /// The agent's file of short-term memory.
    pub short_term: Option<PathBuf>,
}

/// A passage that is forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// How it begins.
    pub text: String,
}

/// What was forgotten, or would be.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgetReport {
    /// Whether nothing was done.
    pub dry_run: bool,
    /// Names of the entries in the list of forgotten things, for taking them back.
    pub ids: Vec<String>,
    /// Files that are out of the index as a whole.
    pub files: Vec<String>,
    /// Passages that are out of the index.
    pub passages: Vec<Passage>,
    /// Chunks that were removed; what is left of them was indexed anew.
    pub chunks: usize,
    /// Vectors that were removed.
    pub vectors: u64,
    /// Stored facts that are not recalled any more.
    pub facts: usize,
    /// Captures whose text was blanked.
    pub captures: usize,
    /// Waiting turns that were removed.
    pub waiting: usize,
    /// Records of the short-term memory that were removed.
    pub short_term: usize,
    /// Whether another process was busy indexing; it removes the rest within a minute.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Why the rest of the changed files could not be embedded; they are found by keywords meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_error: Option<Failure>,
}

/// One entry of the list, for people.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remembered {
    /// Its name.
    pub id: String,
    /// When, ISO 8601 in UTC.
    pub at: String,
    /// `path`, `lines` or `session`.
    pub kind: &'static str,
    /// The path or the session.
    pub name: String,
    /// Number of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
}

/// What a call comes to.
#[derive(Default)]
struct Target {
    report: ForgetReport,
    entries: Vec<What>,
    hashes: BTreeSet<Hash>,
    /// Texts of forgotten lines, in memory only.
    lines: Vec<String>,
}

impl Admin {
    /// Forgets, or tells what would be forgotten.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is nothing of that name, [`Code::Argument`] for a call that makes no sense, and
    /// what the list, the disk or the store give.
    pub async fn forget(self: &Arc<Self>, call: ForgetCall) -> Result<ForgetReport> {
        let (hits, warning) = match &call.search {
            Some(search) => {
                let answer = self.searcher.search(search.clone(), Cancel::new()).await?;
                (answer.hits, answer.warning)
            }
            None => (Vec::new(), None),
        };
        if call.paths.is_empty() && call.sessions.is_empty() && hits.is_empty() {
            let why = warning.map(|warning| format!(": {warning}")).unwrap_or_default();
            return Err(Error::new(Code::NotFound, format!("nothing was found that could be forgotten{why}"))
                .remedy("Name a path, a session, or words that `openclaw memory search` finds"));
        }
        let dry_run = call.dry_run;
        let conversations: Vec<String> = call.sessions.iter().map(|session| mark_of_conversation(session)).collect();
        let target = self
            .blocking(move |admin, settings| {
                let mut target = admin.target(&call, &hits, settings)?;
                if !call.dry_run {
                    target.report.ids = append(settings, &target.entries)?;
                }
                forget_recall(&call, &mut target)?;
                Ok(target)
            })
            .await?;
        let Target { mut report, hashes, lines, entries } = target;
        report.dry_run = dry_run;
        if dry_run {
            return Ok(report);
        }
        let sync = SyncCall { reason: "forget".to_owned(), force: false, text_only: false };
        match self.indexer.sync(sync, Cancel::new().within(PATIENCE), None).await {
            Ok(synced) => report.embedding_error.clone_from(&synced.embedding_error),
            // The list is written: whoever indexes now follows it with the next look at the disk.
            Err(error) if error.code() == Code::Deadline => report.pending = true,
            Err(error) => return Err(error),
        }
        self.blocking(move |admin, _| {
            let hashes: Vec<Hash> = hashes.into_iter().collect();
            let paths: Vec<String> = entries
                .into_iter()
                .filter_map(|what| if let What::Path { path, .. } = what { Some(path) } else { None })
                .collect();
            let claims = claims_of_lines(&lines);
            admin.context.store().write(move |tx| {
                tx.forget_claims(&claims, &paths, &conversations)?;
                tx.purge_texts(&hashes)
            })?;
            if let Some(file) = admin.context.store().admin() {
                file.scrub(admin.context.shutdown())?;
            }
            admin.telemetry.refresh(admin.context.shutdown());
            Ok(())
        })
        .await?;
        Ok(report)
    }

    /// Takes an entry off the list; what it kept out is indexed again.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is no such entry.
    pub async fn undo_forget(self: &Arc<Self>, id: String) -> Result<()> {
        self.blocking(move |admin, _| {
            let mut found = false;
            jsonl::update(&admin.context.store().kept(Kept::Forgotten), |lines| {
                let kept: Vec<String> =
                    lines.iter().filter(|line| entry_of(line).is_none_or(|e| e.id != id)).cloned().collect();
                found = kept.len() < lines.len();
                found.then_some(kept)
            })?;
            let missing = || {
                Error::new(Code::NotFound, format!("nothing was forgotten under \"{id}\""))
                    .remedy("`openclaw memory forget --list` shows what is")
            };
            if found { Ok(()) } else { Err(missing()) }
        })
        .await?;
        let sync = SyncCall { reason: "forget --undo".to_owned(), force: false, text_only: false };
        // A provider that fails is kept for `status`; the text is back all the same.
        self.indexer.sync(sync, Cancel::new(), None).await.map(drop)
    }

    /// The list of forgotten things, oldest first.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn forgotten(self: &Arc<Self>) -> Result<Vec<Remembered>> {
        self.blocking(|admin, _| {
            let lines = jsonl::all(&admin.context.store().kept(Kept::Forgotten))?;
            Ok(lines.iter().filter_map(|line| entry_of(line)).map(remembered).collect())
        })
        .await
    }

    /// Finds out what a call is about. Writes nothing.
    fn target(&self, call: &ForgetCall, hits: &[Hit], settings: &Settings) -> Result<Target> {
        let roots = Roots::of(settings);
        let mut target = Target::default();
        self.context.store().read(|r| {
            let live = r.live()?.map(|live| live.id).unwrap_or_default();
            match (call.lines, call.paths.as_slice()) {
                (None, paths) => paths.iter().try_for_each(|path| target.path(r, live, &roots, path))?,
                (Some((first, last)), [path]) => {
                    target.passage(
                        r,
                        live,
                        (Source::Memory, &named(&roots, path)),
                        (first, last),
                        Choice::default(),
                    )?;
                }
                (Some(_), _) => return Err(Error::new(Code::Argument, "lines are lines of one file: name one path")),
            }
            for hit in hits {
                let choice = Choice {
                    query: call.search.as_ref().map(|search| search.query.as_str()),
                    // Lines of a conversation are numbered by message: the words that are shown say which are meant.
                    shown: (hit.source == Source::Sessions).then_some(hit.snippet.as_str()),
                };
                target.passage(r, live, (hit.source, &hit.path), (hit.start_line, hit.end_line), choice)?;
            }
            target.sessions(r, live, &roots, &call.sessions)
        })?;
        // Also when nothing is found yet: a transcript may be indexed later than it is forgotten.
        target.entries.extend(call.sessions.iter().map(|s| What::Session { session: s.clone() }));
        // Facts have vectors of their own words, without the line around them.
        let facts = hashes_of_forgotten(settings, &Exclusions::of_these(&target.entries))?;
        target.report.facts = facts.len();
        target.hashes.extend(facts);
        target.report.vectors =
            self.context.store().read(|r| r.vector_count_of(&target.hashes.iter().copied().collect::<Vec<_>>()))?;
        Ok(target)
    }
}

impl Target {
    /// A file or folder.
    fn path(&mut self, r: &Reader<'_>, live: GenerationId, roots: &Roots, written: &str) -> Result<()> {
        let path = named(roots, written);
        let below = format!("{path}/");
        let mut found = false;
        for (id, _, name) in r.file_paths(live)? {
            if name == path || name.starts_with(&below) {
                found = true;
                self.file(r, id, name)?;
            }
        }
        let absolute = roots.workspace_dir.join(&path);
        if !found && absolute.symlink_metadata().is_err() {
            return Err(Error::new(Code::NotFound, format!("\"{written}\" is neither in the index nor on disk"))
                .remedy("Name a path as `openclaw memory search` shows it"));
        }
        let content =
            read_text(roots, &absolute).ok().map(|file| file.text).filter(|text| text.lines().any(is_telling));
        self.entries.push(What::Path { path, content: content.as_deref().map(content_hash) });
        Ok(())
    }

    /// All of a file.
    fn file(&mut self, r: &Reader<'_>, id: FileId, name: String) -> Result<()> {
        for chunk in r.chunks_of_file(id)? {
            self.report.chunks += 1;
            self.hashes.extend(chunk.hash);
            self.lines.extend(chunk.text.lines().map(str::to_owned));
        }
        self.report.files.push(name);
        Ok(())
    }

    /// Lines of a file, as the index has them.
    fn passage(
        &mut self,
        r: &Reader<'_>,
        live: GenerationId,
        (source, path): (Source, &str),
        (first, last): (u32, u32),
        Choice { shown, query }: Choice<'_>,
    ) -> Result<()> {
        let file = r.files(live, source.as_str())?.get(path).copied();
        let Some(file) = file else {
            return Err(Error::new(Code::NotFound, format!("\"{path}\" is not in the index"))
                .remedy("Run `openclaw memory index`, then name a path as `openclaw memory search` shows it"));
        };
        let is_shown = |line: &str| shown.is_none_or(|shown| shown.lines().any(|one| one.trim() == line.trim()));
        let wanted = first..=last.max(first);
        let mut lines: BTreeMap<(u32, usize), String> = BTreeMap::new();
        for chunk in r.chunks_of_file(file.id)? {
            if chunk.end_line < *wanted.start() || chunk.start_line > *wanted.end() {
                continue;
            }
            self.report.chunks += 1;
            self.hashes.extend(chunk.hash);
            for (at, line) in chunk.text.split('\n').enumerate() {
                // Chunks overlap: a line of a file has one number, one of a conversation its place in the chunk.
                let number = chunk.start_line.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
                let key = if shown.is_some() { (chunk.start_line, at) } else { (number, 0) };
                if shown.is_some() && is_shown(line) || shown.is_none() && wanted.contains(&number) {
                    lines.insert(key, line.to_owned());
                }
            }
        }
        lines.retain(|_, line| !line.trim().is_empty());
        if let Some(query) = query {
            keep_best(&mut lines, query);
        }
        let numbers = lines.keys().map(|(number, _)| *number).filter(|_| shown.is_none());
        let (start_line, end_line) = numbers.fold((None, None), |(start, _), n| (start.or(Some(n)), Some(n)));
        let Some(text) = lines.values().next() else {
            return Err(Error::new(Code::NotFound, format!("\"{path}\" has no text in these lines")));
        };
        let text = text.trim().chars().take(SHOWN_CHARS).collect();
        self.report.passages.push(Passage {
            path: path.to_owned(),
            start_line: start_line.unwrap_or_else(|| *wanted.start()),
            end_line: end_line.unwrap_or_else(|| *wanted.end()),
            text,
        });
        let (everywhere, here): (Vec<_>, Vec<_>) = lines.values().partition(|line| is_telling(line));
        let hashes = |lines: Vec<&String>| lines.into_iter().map(|line| line_hash(line)).collect();
        self.entries.push(What::Lines { path: path.to_owned(), here: hashes(here), everywhere: hashes(everywhere) });
        self.lines.extend(lines.into_values());
        Ok(())
    }

    /// The transcripts of conversations, and the notes that were written of them. A note is read once, for all of them.
    fn sessions(&mut self, r: &Reader<'_>, live: GenerationId, roots: &Roots, sessions: &[String]) -> Result<()> {
        if sessions.is_empty() {
            return Ok(());
        }
        // The head of a note says whose it is, and is not indexed.
        let is_note = |name: &str| {
            read_text(roots, &roots.workspace_dir.join(name))
                .is_ok_and(|file| sessions.iter().any(|session| session_header::names(&file.text, session)))
        };
        let keys = r.transcripts(live)?;
        let is_transcript = |name: &str| {
            let key = keys.get(name).and_then(|row| row.session_key.as_deref());
            sessions.iter().any(|session| mentions(name, session) || key == Some(session))
        };
        for (id, source, name) in r.file_paths(live)? {
            let is_meant = if source == Source::Sessions.as_str() { is_transcript(&name) } else { is_note(&name) };
            if is_meant {
                self.file(r, id, name.clone())?;
                self.entries.push(What::Path { path: name, content: None });
            }
        }
        Ok(())
    }
}

/// Which lines of a passage are meant.
#[derive(Clone, Copy, Default)]
struct Choice<'a> {
    /// Those that a search showed.
    shown: Option<&'a str>,
    /// Those that a search was about: a passage of a note says more than what was asked for.
    query: Option<&'a str>,
}

/// Keeps the lines that hold most of the words of a query; all of them when none holds any, as when only the meaning
/// was the same.
fn keep_best<K: Ord>(lines: &mut BTreeMap<K, String>, query: &str) {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1).map(fold).collect()
    };
    let asked = words(query);
    let held = |line: &str| words(line).intersection(&asked).count();
    let best = lines.values().map(|line| held(line)).max().unwrap_or(0);
    lines.retain(|_, line| best == 0 || held(line) * 2 > best);
}

/// Whether a session's id is one whole part of a path.
fn mentions(path: &str, session: &str) -> bool {
    path.split(['/', '.']).any(|part| part == session)
}

/// A path as results name it.
fn named(roots: &Roots, written: &str) -> String {
    let written = written.trim().trim_end_matches('/');
    // What the index names that is no path in the file system, as a transcript, stays as it is.
    if written.contains("://") {
        written.to_owned()
    } else {
        roots.display(&normalize(&roots.workspace_dir.join(written)))
    }
}

fn entry_of(line: &str) -> Option<Entry> {
    serde_json::from_str(line).ok()
}

fn remembered(Entry { id, at, what }: Entry) -> Remembered {
    let (kind, name, lines) = match what {
        What::Path { path, .. } => ("path", path, None),
        What::Lines { path, here, everywhere } => ("lines", path, Some(here.len() + everywhere.len())),
        What::Session { session } => ("session", session, None),
    };
    Remembered { id, at, kind, name, lines }
}

/// Adds entries to the list; gives their names.
fn append(settings: &Settings, whats: &[What]) -> Result<Vec<String>> {
    let at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let path = list_path(&settings.database_path);
    let mut ids = Vec::new();
    for what in whats {
        let id: String = uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect();
        let entry = Entry { id: id.clone(), at: at.clone(), what: what.clone() };
        let line =
            serde_json::to_string(&entry).map_err(|e| Error::new(Code::Internal, format!("forget list: {e}")))?;
        jsonl::append(&path, &line)?;
        ids.push(id);
    }
    Ok(ids)
}

/// Removes the same words from what the automatic memory keeps beside the index.
fn forget_recall(call: &ForgetCall, target: &mut Target) -> Result<()> {
    let lines: Vec<&str> = target.lines.iter().map(|line| line.trim()).filter(|line| is_telling(line)).collect();
    let tells =
        |text: &str| is_telling(text) && lines.iter().any(|line| line.contains(text.trim()) || text.contains(line));
    let session =
        |key: Option<&str>| key.is_some_and(|key| call.sessions.iter().any(|s| s == key || mentions_key(key, s)));
    if let Some(folder) = &call.folder {
        target.report.captures =
            erase::captures(folder, call.dry_run, |entry| session(entry.session_key.as_deref()) || tells(&entry.text))?;
        target.report.waiting = Journal::new(folder).forget_turns(call.dry_run, |job| {
            session(job.session_key.as_deref()) || job.messages.iter().any(|message| tells(&message.text))
        })?;
    }
    // Records of turns do not say which conversation they are of.
    let all = !call.sessions.is_empty();
    let recorded = |entry: &short_term::Entry| all || tells(&entry.input) || tells(&entry.output) || tells(&entry.task);
    if let Some(path) = &call.short_term {
        target.report.short_term = erase::short_term(path, call.dry_run, recorded)?;
    }
    if let Some(folder) = &call.folder {
        target.report.short_term += erase::short_term_of_people(folder, call.dry_run, recorded)?;
    }
    Ok(())
}

/// Whether a session key ends in this id.
fn mentions_key(key: &str, id: &str) -> bool {
    key.rsplit(':').next() == Some(id)
}

#[cfg(test)]
#[path = "forget_tests.rs"]
mod tests;
