//! Conversations in the text pass: what is new in a transcript is cut, analysed and written; what is known stays.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    ops::ControlFlow,
    sync::Arc,
};

use super::{
    Progress, Step,
    cutter::{TranscriptCutter, Update},
    holders::{First, Holding},
    rows::{Shape, hash},
};
use crate::{
    transcripts::{
        files::{self, Owner, TranscriptFile},
        host::{AskHost, CURSOR_PREFIX},
        kind,
        read::{Cursor, Reader},
        record::{Record, Role, parse},
        tail::Part,
    },
    workspace::{
        exclusions::Exclusions,
        skipped::{SkipCode, Skipped},
    },
};
use model::{
    cancel::Cancel,
    config::{
        memory_policy::SessionFacts,
        settings::{Settings, SyncSettings},
    },
    error::{Code, Result},
    source::Source,
};
use store::{
    Store,
    files::{Hash, NewFile},
    generations::GenerationId,
    transcripts::{NewTranscript, TranscriptRow},
};
use text::analyze::Analyzer;

/// A conversation that has rested for so long is indexed to its end, however little was said since the last time.
const QUIET_NS: i64 = 5 * 60 * 1_000_000_000;

/// Which transcripts are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Scope {
    /// None.
    #[default]
    None,
    /// Those in which enough is new (E5), or that have come to rest.
    Due,
    /// Those in which anything is new.
    All,
}

/// What is done with what is new.
#[derive(Debug)]
pub(crate) enum Mode<'a> {
    /// It is written.
    Write,
    /// The hashes of its chunks are collected, with the length of their texts.
    Plan(&'a RefCell<Vec<(Hash, usize)>>),
}

/// What a look at the transcripts gave.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionReport {
    /// Transcripts that belong to the index.
    pub files: usize,
    /// Those with something new.
    pub changed: Vec<String>,
    /// Those that are gone.
    pub removed: Vec<String>,
    /// Chunks written.
    pub chunks: usize,
    /// Transcripts that cannot be read.
    pub skipped: Vec<Skipped>,
}

/// What the session part of a text pass needs.
pub(crate) struct SessionPass<'a> {
    /// The store; for writing, its writer lease is held by this process.
    pub store: &'a Store,
    /// The settings.
    pub settings: &'a Settings,
    /// Where it is written to.
    pub generation: GenerationId,
    /// Which transcripts are looked at.
    pub scope: Scope,
    /// Transcripts of which the host told that enough is new.
    pub noted: &'a HashSet<String>,
    /// A host that keeps its transcripts itself.
    pub host: Option<&'a AskHost>,
    /// What is done with what is new.
    pub mode: Mode<'a>,
    /// Stops the pass between messages.
    pub cancel: &'a Cancel,
    /// Listens.
    pub progress: &'a Progress,
}

/// What is known and what was found so far.
pub(super) struct SessionSync {
    /// Transcripts of the index, by path.
    pub known: HashMap<String, TranscriptRow>,
    /// Those that were not found yet.
    pub gone: HashSet<String>,
    pub report: SessionReport,
    pub analyzer: Analyzer,
    /// Who has them, where gateways share the index.
    holding: Holding,
    /// Those that were found; of an index that nobody shares none are counted.
    found: HashSet<String>,
    /// What the user told the memory to forget.
    pub forgotten: Arc<Exclusions>,
}

impl SessionSync {
    /// The transcript stays, whether or not something of it is new.
    pub(super) fn keep(&mut self, path: &str) {
        self.gone.remove(path);
        self.report.files += 1;
        if self.holding.is_shared() {
            self.found.insert(path.to_owned());
        }
    }

    /// It cannot be read at present. What the index has of it stays.
    pub(super) fn skip(&mut self, path: &str, reason: String) {
        self.gone.remove(path);
        self.report.skipped.push(Skipped { path: path.to_owned(), code: SkipCode::Unreadable, reason });
    }
}

/// A transcript at a moment.
pub(super) struct State<'a> {
    pub path: &'a str,
    pub session_key: Option<&'a str>,
    pub cursor: &'a str,
    pub mtime_ns: i64,
    pub size: u64,
    pub lines: u32,
}

impl SessionPass<'_> {
    /// Runs the pass.
    ///
    /// # Errors
    /// When the store or the host fails, or when cancelled. What was written stays and counts at the next run.
    pub(crate) fn run(&self) -> Result<SessionReport> {
        let (known, holding) = self.store.read_with(self.cancel, |r| {
            Ok((r.transcripts(self.generation)?, Holding::of(self.store, r, Source::Sessions)?))
        })?;
        let gone = known.keys().filter(|path| !holding.is_others(path)).cloned().collect();
        let forgotten = Arc::new(Exclusions::of(&self.settings.database_path));
        forgotten.check()?;
        let mut sync = SessionSync {
            known,
            gone,
            report: SessionReport::default(),
            analyzer: Analyzer::new(),
            holding,
            found: HashSet::new(),
            forgotten,
        };
        if self.settings.sources.sessions {
            self.read_files(&mut sync)?;
            match self.host {
                Some(host) => self.read_host(host, &mut sync)?,
                // Nobody can say what became of them.
                None => sync.gone.retain(|path| !is_hosts(sync.known.get(path))),
            }
        }
        self.remove(&mut sync)?;
        Ok(sync.report)
    }

    fn read_files(&self, sync: &mut SessionSync) -> Result<()> {
        let (state_dir, agent_id) = (&self.settings.state_dir, &self.settings.agent_id);
        let found = files::discover(state_dir, agent_id);
        if found.uncertain {
            sync.gone.retain(|path| is_hosts(sync.known.get(path)));
        }
        sync.report.skipped.extend(found.skipped);
        // With a policy also what is indexed is looked at: it may be a newer one.
        let policy = &self.settings.excluded_sessions;
        let mut owners: Option<HashMap<String, Owner>> =
            (!policy.is_empty()).then(|| files::owners(state_dir, agent_id));
        let total = found.files.len();
        for (done, file) in found.files.iter().enumerate() {
            self.cancel.check()?;
            // The host keeps the running conversations itself; files of them are from before.
            if self.host.is_some() && file.archived_from.is_none() {
                continue;
            }
            let row = sync.known.get(&file.path).cloned();
            if sync.forgotten.conversation(&file.path, row.as_ref().and_then(|row| row.session_key.as_deref())) {
                continue;
            }
            let live = file.archived_from.as_deref();
            let known = row.as_ref().and_then(|row| row.session_key.as_deref());
            let told = owners.as_ref().and_then(|owners| owners.get(live.unwrap_or_else(|| file.name())));
            let facts = told.map_or_else(|| SessionFacts { key: known, ..SessionFacts::default() }, Owner::facts);
            if policy.reason(facts).is_some() {
                continue;
            }
            let same = row.as_ref().is_some_and(|row| row.mtime_ns == file.mtime_ns && row.size == file.size);
            if same || (self.scope < Scope::All && !self.is_due(file, row.as_ref())) {
                if row.is_some() {
                    sync.keep(&file.path);
                }
                continue;
            }
            let owners = owners.get_or_insert_with(|| files::owners(state_dir, agent_id));
            let owner = owners.get(live.unwrap_or_else(|| file.name()));
            let former = || live.and_then(|name| sync.known.get(&files::display(agent_id, name))?.session_key.clone());
            let key = owner.map(|owner| owner.key.clone()).or_else(former);
            let machine = owner.map_or_else(|| key.as_deref().and_then(kind::machine_session), |owner| owner.machine);
            let by_key = SessionFacts { key: key.as_deref(), ..SessionFacts::default() };
            let is_excluded = owner.is_none() && policy.reason(by_key).is_some();
            if machine.is_some() || is_excluded || sync.forgotten.conversation(&file.path, key.as_deref()) {
                continue;
            }
            match self.read_file(file, row.as_ref(), key.as_deref(), sync) {
                Ok(true) => sync.keep(&file.path),
                Ok(false) => {}
                Err(error) if error.code() == Code::NotFound => {}
                Err(error) if matches!(error.code(), Code::Path | Code::Io) => {
                    sync.skip(&file.path, error.to_string());
                }
                Err(error) => return Err(error),
            }
            (self.progress)(&Step { completed: done + 1, total, label: "Reading conversations".to_owned() });
        }
        Ok(())
    }

    /// Whether enough of a transcript is new, or it has come to rest.
    fn is_due(&self, file: &TranscriptFile, row: Option<&TranscriptRow>) -> bool {
        if file.archived_from.is_some() || self.noted.contains(&file.path) || is_quiet(file.mtime_ns) {
            return true;
        }
        let cursor: Cursor = row.and_then(|row| row.cursor.parse().ok()).unwrap_or_default();
        let Some(bytes) = file.size.checked_sub(cursor.offset) else { return true };
        is_enough(&self.settings.sync, bytes, || count_lines(file, cursor))
    }

    /// Reads what is new in a file; false when no person is part of the conversation.
    fn read_file(
        &self,
        file: &TranscriptFile,
        row: Option<&TranscriptRow>,
        session_key: Option<&str>,
        sync: &mut SessionSync,
    ) -> Result<bool> {
        let cursor = row.and_then(|row| row.cursor.parse().ok()).unwrap_or_default();
        let mut reader = Reader::open(&file.located, cursor, file.archived_from.is_some())?;
        let mut cutter = match row.filter(|_| !reader.restarted && cursor != Cursor::default()) {
            Some(row) => self.resume(row)?,
            None => TranscriptCutter::begin(),
        };
        let forgotten = Arc::clone(&sync.forgotten);
        let keep = |line: &str| !forgotten.line(&file.path, line);
        loop {
            let mut machine = false;
            reader.each_line(|number, line| {
                self.cancel.check()?;
                match parse(line) {
                    Record::Machine(_) => machine |= session_key.is_none(),
                    Record::Said(Role::User, text)
                        if session_key.is_none() && kind::begins_machine_run(&text).is_some() =>
                    {
                        machine = true;
                    }
                    Record::Said(role, text) => cutter.add(number, role, &text, keep),
                    Record::Other => {}
                }
                Ok(if machine || cutter.is_large() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            if machine {
                return Ok(false);
            }
            let more = cutter.is_large();
            let cursor = reader.cursor()?;
            let state = State {
                path: &file.path,
                session_key,
                cursor: &cursor.to_string(),
                // Not all of it yet: the next look must not take it for read.
                mtime_ns: if more { i64::MIN } else { file.mtime_ns },
                size: file.size,
                lines: cursor.line,
            };
            self.commit(&mut cutter, row, &state, sync)?;
            if !more {
                return Ok(true);
            }
        }
    }

    /// A transcript of the index, to be continued.
    pub(super) fn resume(&self, row: &TranscriptRow) -> Result<TranscriptCutter> {
        let part = self.store.read_with(self.cancel, |r| r.growing_part(row.file_id))?;
        Ok(TranscriptCutter::resume(Part::decode(&part.unwrap_or_default()), row.final_terms))
    }

    /// Writes what is new, or only that there was nothing.
    pub(super) fn commit(
        &self,
        cutter: &mut TranscriptCutter,
        row: Option<&TranscriptRow>,
        state: &State<'_>,
        sync: &mut SessionSync,
    ) -> Result<()> {
        let update = cutter.update(&mut sync.analyzer, Shape::of(self.settings));
        if update.is_some() && sync.report.changed.last().is_none_or(|path| path != state.path) {
            sync.report.changed.push(state.path.to_owned());
        }
        match &self.mode {
            Mode::Plan(counted) => {
                let chunks = update.into_iter().flat_map(|update| update.chunks);
                counted.borrow_mut().extend(chunks.map(|chunk| (chunk.hash, chunk.text.len())));
                Ok(())
            }
            Mode::Write => match (update, row) {
                (Some(update), _) => {
                    sync.report.chunks += update.chunks.len();
                    let first = if row.is_none() { sync.holding.first_of(state.path) } else { None };
                    self.write(update, state, first)
                }
                (None, Some(row)) => {
                    let (id, mtime_ns, size, cursor) =
                        (row.file_id, state.mtime_ns, state.size, state.cursor.to_owned());
                    self.store.write_indexed(move |tx| tx.touch_transcript(id, mtime_ns, size, &cursor))
                }
                (None, None) => Ok(()),
            },
        }
    }

    fn write(&self, update: Update, state: &State<'_>, first: Option<First>) -> Result<()> {
        let (path, cursor) = (state.path.to_owned(), state.cursor.to_owned());
        let session_key = state.session_key.map(str::to_owned);
        let (generation, mtime_ns, size, lines) = (self.generation, state.mtime_ns, state.size, state.lines);
        self.store.write_indexed(move |tx| {
            let transcript = NewTranscript {
                file: NewFile {
                    source: Source::Sessions.as_str(),
                    path: &path,
                    hash: hash(cursor.as_bytes()),
                    mtime_ns,
                    size,
                    lines,
                    terms: update.terms,
                },
                session_key: session_key.as_deref(),
                cursor: &cursor,
                part_line: update.part_line,
                part: &update.part,
                final_terms: update.final_terms,
            };
            tx.extend_transcript(generation, &transcript, update.from_line, &update.chunks)?;
            first.map_or(Ok(()), |first| first.write(tx))
        })
    }

    fn remove(&self, sync: &mut SessionSync) -> Result<()> {
        sync.report.removed = sync.gone.drain().collect();
        sync.report.removed.sort_unstable();
        if matches!(self.mode, Mode::Plan(_)) {
            return Ok(());
        }
        let SessionSync { holding, found, known, .. } = &*sync;
        let is_lost = |path: &str| {
            let is_gone = || sync.report.removed.binary_search_by(|gone| gone.as_str().cmp(path)).is_ok();
            if known.contains_key(path) { is_gone() } else { !found.contains(path) }
        };
        holding.hold(self.store, holding.new_of(found))?;
        holding.let_go(self.store, holding.lost_of(is_lost), false)?;
        let generation = self.generation;
        for path in sync.report.removed.clone() {
            self.cancel.check()?;
            self.store.write_indexed(move |tx| tx.delete_file(generation, Source::Sessions.as_str(), &path))?;
        }
        Ok(())
    }
}

/// Whether the host keeps a transcript, so that no file tells about it.
pub(super) fn is_hosts(row: Option<&TranscriptRow>) -> bool {
    row.is_some_and(|row| row.cursor.starts_with(CURSOR_PREFIX))
}

/// Whether nothing has happened for a while.
pub(super) fn is_quiet(mtime_ns: i64) -> bool {
    let now_ns = i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX);
    now_ns.saturating_sub(mtime_ns) >= QUIET_NS
}

/// Whether so much is new that it is indexed at once (E5): bytes or messages, and 0 means anything.
#[must_use]
pub(crate) fn is_enough(sync: &SyncSettings, bytes: u64, messages: impl FnOnce() -> u64) -> bool {
    bytes >= sync.session_delta_bytes.max(1)
        || (bytes > 0 && sync.session_delta_messages == 0)
        || (bytes > 0 && messages() >= sync.session_delta_messages)
}

/// Lines after a cursor; those of a file that cannot be read now are counted when it can be.
fn count_lines(file: &TranscriptFile, cursor: Cursor) -> u64 {
    let mut lines = 0;
    let counted = Reader::open(&file.located, cursor, false).and_then(|mut reader| {
        reader.each_line(|_, _| {
            lines += 1;
            Ok(ControlFlow::Continue(()))
        })
    });
    if counted.is_ok() { lines } else { 0 }
}
