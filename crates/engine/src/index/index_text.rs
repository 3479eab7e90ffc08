//! The text pass: what changed on disk is cut, analysed and written. No provider is asked, so it is quick and free.

use std::collections::{HashMap, HashSet};

use super::{
    Progress, Step,
    changes::{Changes, FILES_IN_FLIGHT, REFUSED, Read},
    difference::{Difference, difference},
    encoding::{not_read_again, other_encoding},
    holders::Holding,
    identity::generation_identity,
    lost::{Folders, Judgement, LostFolder, all_found, contents, judge},
    media::{captions_are_stale, write_captions},
    owner,
    rows::Shape,
    session_pass::{Mode, Scope, SessionPass, SessionReport},
};
use crate::{
    curated::keep_marked,
    exchange::Exchanged,
    transcripts::host::AskHost,
    workspace::{
        discover::{Discovery, Entry, discover},
        exclusions::FOLLOWED,
        roots::Roots,
        skipped::{SkipCode, Skipped},
    },
};
use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Error, ErrorKind, RAISE_LIMIT, Result},
    source::Source,
};
use store::{
    Store,
    files::{Hash, NewChunk, NewFile},
    forget::StoredFile,
    generations::{Generation, GenerationState},
    skipped::Skipped as SkippedRow,
};

/// Chunks written in one transaction: short enough that no reader or other writer notices.
const CHUNKS_PER_TRANSACTION: usize = 400;
/// The same for files, which may be small or unchanged.
const FILES_PER_TRANSACTION: usize = 200;
/// Chunk rows of a retired generation removed in one transaction.
const RETIRE_STEP: usize = 400;

/// What a text pass did.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextReport {
    /// Files on disk that belong to the index, of those that were looked at.
    pub files: usize,
    /// Whether the whole disk was looked at.
    pub is_whole: bool,
    /// Files written anew.
    pub changed: usize,
    /// Files removed from the index.
    pub removed: usize,
    /// Chunks written.
    pub chunks: usize,
    /// Files left out.
    pub skipped: usize,
    /// Folders whose notes are not found and were kept all the same.
    pub lost: Vec<LostFolder>,
    /// The index is of another workspace, and nothing of it was changed.
    pub is_foreign: bool,
    /// What was exchanged with the database before; none where that keeps no notes.
    pub exchanged: Option<Exchanged>,
    /// Why notes that are there could not be read, when the same may go well a moment later.
    pub unread: Option<Error>,
    /// Why conversations could not be brought up to date; the notes are, all the same.
    pub session_error: Option<Error>,
}

/// What a text pass needs.
pub(crate) struct TextPass<'a> {
    /// The store; its writer lease is held by this process.
    pub store: &'a Store,
    /// The settings.
    pub settings: &'a Settings,
    /// Whether every file is read again into a new generation.
    pub force: bool,
    /// Whether the notes are those that the database keeps, whichever workspace indexed them last.
    pub is_exchanged: bool,
    /// Which version of the list of what is forgotten the index followed when this disk was told of it; none where it has
    /// nobody to tell it.
    pub followed: Option<String>,
    /// Which transcripts are looked at. A new generation that takes the place of another one gets all of them.
    pub sessions: Scope,
    /// Transcripts of which the host told that enough is new.
    pub noted: &'a HashSet<String>,
    /// A host that keeps its transcripts itself.
    pub host: Option<&'a AskHost>,
    /// Stops the pass between files.
    pub cancel: &'a Cancel,
    /// Listens.
    pub progress: &'a Progress,
}

/// What is brought up to date.
pub(super) struct Target<'a> {
    pub changes: Changes<'a>,
    pub generation: &'a Generation,
    /// The list of what is forgotten changed since the last pass: what an unchanged file gives may have changed.
    pub list_changed: bool,
}

impl TextPass<'_> {
    /// Runs the pass.
    ///
    /// # Errors
    /// When the store cannot be written, or when cancelled. What was written stays and counts at the next run.
    pub(crate) fn run(&self) -> Result<TextReport> {
        let roots = Roots::of(self.settings);
        roots.forgotten.check()?;
        let discovery = discover(&roots);
        self.cancel.check()?;
        if !owner::claim(self.store, &discovery, self.force || self.is_exchanged, self.cancel)? {
            return Ok(TextReport { files: discovery.entries.len(), is_foreign: true, ..TextReport::default() });
        }
        let followed = match &self.followed {
            Some(followed) => followed.clone(),
            None => self.store.read_with(self.cancel, |r| r.meta(FOLLOWED))?.unwrap_or_default(),
        };
        let list_changed = followed != roots.forgotten.version();
        if list_changed {
            self.purge_forgotten(&roots)?;
        }
        let shape = Shape::of(self.settings);
        let identity = generation_identity(shape, self.settings);
        let force = self.force;
        let generation = self.store.write_indexed(move |tx| {
            // A forced run on an index that is still empty has nothing to rebuild.
            let rebuild = || tx.live()?.map_or(Ok(false), |live| tx.has_chunks(live.id));
            if force && rebuild()? { tx.begin_rebuild(&identity) } else { tx.begin_building(&identity) }
        })?;
        let (mut known, left_out, holding) = self.store.read_with(self.cancel, |r| {
            let known = r.files(generation.id, Source::Memory.as_str())?;
            Ok((known, r.skipped()?, Holding::of(self.store, r, Source::Memory)?))
        })?;
        holding.leave_others(&mut known, &discovery);
        let mut report = TextReport { files: discovery.entries.len(), is_whole: true, ..TextReport::default() };
        let mut skipped = discovery.skipped.records.clone();
        report.unread = discovery.out_of_files.then(|| {
            Error::new(ErrorKind::OutOfFiles, "too many open files: a folder of notes cannot be listed")
                .remedy(RAISE_LIMIT)
        });
        let changes = Changes { roots: &roots, shape: Some(shape), known: &known };
        let target = Target { changes, generation: &generation, list_changed };
        let Difference { mut stale, removed } = difference(&discovery, &known, list_changed);
        if !list_changed {
            holding.leave_newer(&mut stale, &known);
            stale.extend(target.changes.refused(&discovery.entries));
        }
        skipped.extend(not_read_again(&left_out, &discovery.entries, &stale));
        // Before they are written: whoever takes over from a killed process must not find them without a holder.
        holding.hold(self.store, holding.new_extra(&roots, &discovery))?;
        let written = self.write_changes(&target, &stale, &mut report, &mut skipped)?;
        let judgement = self.judge(&target, &discovery, &written, removed.is_empty(), &holding)?;
        let is_gone = |path: &&str| !judgement.kept.contains(*path);
        self.remove_vanished(&target, removed.into_iter().filter(is_gone).map(str::to_owned).collect(), &mut report)?;
        let lost = holding.lost_extra(&discovery, |path| judgement.kept.contains(path));
        holding.let_go(self.store, lost, self.force)?;
        write_captions(self.store, &roots, shape, generation.id, self.cancel)?;
        report.lost.clone_from(&judgement.folders.lost);
        let more = discovery.skipped.more;
        report.skipped = skipped.len() + more;
        self.keep_skipped(Source::Memory, Vec::new(), skipped)?;
        self.store
            .write_indexed(move |tx| if tx.more_skipped()? == more { Ok(()) } else { tx.set_more_skipped(more) })?;
        self.sessions(&generation, &mut report)?;
        if list_changed {
            let version = roots.forgotten.version().to_owned();
            self.store.write_indexed(move |tx| {
                // Another gateway may have told of more meanwhile: the next pass asks.
                let is_all = tx.meta(FOLLOWED)?.unwrap_or_default() == followed;
                if is_all { tx.set_meta(FOLLOWED, &version) } else { Ok(()) }
            })?;
        }
        // A new generation without notes that are lost or could not be read takes the place of none that has them.
        let has_all = judgement.kept.is_empty() && report.unread.is_none();
        let flips = generation.state == GenerationState::Building && has_all;
        self.store.write_indexed(move |tx| {
            if flips {
                tx.flip(generation.id)?;
            }
            judgement.folders.store(tx)
        })?;
        while self.store.write_indexed(|tx| tx.retire_step(RETIRE_STEP))? {
            self.cancel.check()?;
        }
        Ok(report)
    }

    /// Keeps for `status` what was left out of a source, beside what is known already.
    pub(super) fn keep_skipped(&self, source: Source, mut rows: Vec<SkippedRow>, skipped: Vec<Skipped>) -> Result<()> {
        let row = |s: Skipped| (s.path, s.code.as_str(), s.reason);
        let skipped: Vec<_> = skipped.into_iter().map(row).collect();
        self.store.write_indexed(move |tx| {
            let seen_ms = tx.now_ms();
            rows.extend(skipped.into_iter().map(|(path, code, reason)| {
                let (source, code) = (source.as_str().to_owned(), code.to_owned());
                SkippedRow { source, path, code, reason, seen_ms }
            }));
            tx.set_skipped(source.as_str(), &rows)
        })
    }

    /// Brings conversations up to date. A host that cannot tell about them now must not keep notes out of the index.
    pub(super) fn sessions(&self, generation: &Generation, report: &mut TextReport) -> Result<()> {
        let scope = if generation.state == GenerationState::Building { Scope::All } else { self.sessions };
        if scope == Scope::None {
            return Ok(());
        }
        let pass = SessionPass {
            store: self.store,
            settings: self.settings,
            generation: generation.id,
            scope,
            noted: self.noted,
            host: self.host,
            mode: Mode::Write,
            cancel: self.cancel,
            progress: self.progress,
        };
        match pass.run() {
            Ok(SessionReport { files, changed, removed, chunks, skipped }) => {
                report.files += files;
                report.changed += changed.len();
                report.removed += removed.len();
                report.chunks += chunks;
                report.skipped += skipped.len();
                self.keep_skipped(Source::Sessions, Vec::new(), skipped)
            }
            Err(error) if error.is_of_host() => {
                report.session_error = Some(error);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Removes at once, from every generation, what the list of forgotten things names.
    fn purge_forgotten(&self, roots: &Roots) -> Result<()> {
        let list = &roots.forgotten;
        let files = self.store.read_with(self.cancel, |r| r.files_of_all_generations())?;
        let mut sessions = HashSet::new();
        self.store.read_with(self.cancel, |r| {
            r.for_each_text(|source, path, text| {
                if source != Source::Memory.as_str() && text.lines().any(|line| list.line(path, line)) {
                    sessions.insert(path.to_owned());
                }
                true
            })
        })?;
        let gone = |f: &StoredFile| {
            let session = f.source == Source::Sessions.as_str() && list.conversation(&f.path, None);
            session || list.path(&f.path).is_some() || sessions.contains(&f.path)
        };
        let gone: Vec<StoredFile> = files.into_iter().filter(gone).collect();
        for batch in gone.chunks(FILES_IN_FLIGHT) {
            self.cancel.check()?;
            let batch = batch.to_vec();
            self.store.write_indexed(move |tx| {
                for file in &batch {
                    tx.purge_file(file)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Reads what changed, and writes it; gives the files that were written, with their content.
    pub(super) fn write_changes(
        &self,
        target: &Target<'_>,
        stale: &[&Entry],
        report: &mut TextReport,
        skipped: &mut Vec<Skipped>,
    ) -> Result<Vec<(String, Hash)>> {
        let mut written = Vec::new();
        let mut batch: Vec<Read> = Vec::new();
        let (mut chunks, mut done) = (0, 0);
        target.changes.read_all(stale, self.cancel, |read| {
            match read {
                Read::Unreadable(record, error) => {
                    skipped.push(record);
                    report.unread = report.unread.take().or_else(|| error.is_out_of_files().then_some(error));
                }
                Read::Gone => report.files = report.files.saturating_sub(1),
                read => {
                    if let Read::Refused { entry, reason, .. } = &read {
                        report.files = report.files.saturating_sub(1);
                        let (path, reason) = (entry.path.clone(), reason.clone());
                        skipped.push(Skipped { path, code: SkipCode::WrongContent, reason });
                    }
                    if let Read::Same { path, is_lossy: true, .. } | Read::Changed { path, is_lossy: true, .. } = &read
                    {
                        skipped.push(other_encoding(path.clone()));
                    }
                    if let Read::Changed { path, hash, rows, .. } = &read {
                        written.push((path.clone(), *hash));
                        report.changed += 1;
                        report.chunks += rows.chunks.len();
                        chunks += rows.chunks.len();
                    }
                    batch.push(read);
                }
            }
            if chunks >= CHUNKS_PER_TRANSACTION || batch.len() >= FILES_PER_TRANSACTION {
                self.commit(target, std::mem::take(&mut batch))?;
                chunks = 0;
            }
            done += 1;
            (self.progress)(&Step { completed: done, total: stale.len(), label: "Reading notes".to_owned() });
            Ok(())
        })?;
        self.commit(target, batch)?;
        Ok(written)
    }

    fn commit(&self, target: &Target<'_>, batch: Vec<Read>) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let (generation, purge) = (target.generation.id, target.list_changed);
        let looks_for_captions = target.changes.roots.media.is_some();
        self.store.write_indexed(move |tx| {
            if looks_for_captions && batch.iter().any(|read| matches!(read, Read::Changed { .. })) {
                captions_are_stale(tx)?;
            }
            let marked = batch.iter().filter_map(|read| match read {
                Read::Changed { path, rows, .. } => rows.is_marked.map(|is_marked| (path.as_str(), is_marked)),
                _ => None,
            });
            keep_marked(tx, marked)?;
            let mut files: Vec<(NewFile<'_>, &[NewChunk])> = Vec::new();
            let mut before = Vec::new();
            for read in &batch {
                match read {
                    Read::Same { id, stamp, .. } => tx.touch_file(*id, stamp.mtime_ns)?,
                    Read::Changed { path, stamp, hash, rows, .. } => {
                        let file = NewFile {
                            source: Source::Memory.as_str(),
                            path,
                            hash: *hash,
                            mtime_ns: stamp.mtime_ns,
                            size: stamp.size,
                            lines: rows.lines,
                            terms: rows.terms,
                        };
                        if purge {
                            before.extend(tx.chunk_hashes(generation, file.source, path)?);
                        }
                        files.push((file, &rows.chunks));
                    }
                    // A row without lines or chunks: it is known for what it is until it changes.
                    Read::Refused { entry, stamp, .. } => {
                        let (hash, size) = (REFUSED, stamp.size);
                        let (source, path, mtime_ns) = (Source::Memory.as_str(), &*entry.path, stamp.mtime_ns);
                        files.push((NewFile { source, path, hash, mtime_ns, size, lines: 0, terms: 0 }, &[]));
                    }
                    Read::Unreadable(..) | Read::Gone => {}
                }
            }
            tx.replace_files(generation, &files)?;
            tx.purge_texts(&before).map(drop)
        })
    }

    /// Judges whether folders of notes are lost; `has_all` when all notes of this generation were found. A forced pass takes the
    /// disk as it is.
    fn judge(
        &self,
        target: &Target<'_>,
        discovery: &Discovery,
        written: &[(String, Hash)],
        has_all: bool,
        holding: &Holding,
    ) -> Result<Judgement> {
        let (before, live) = self.store.read_with(self.cancel, |r| {
            let live = match r.live()? {
                _ if self.force => Some(HashMap::new()),
                Some(live) if live.id != target.generation.id => {
                    let mut files = r.files(live.id, Source::Memory.as_str())?;
                    holding.leave_others(&mut files, discovery);
                    Some(files)
                }
                _ => None,
            };
            let before = if self.force { Folders::default() } else { Folders::stored(r)? };
            Ok((before, live))
        })?;
        if has_all
            && live.is_none()
            && let Some(judgement) = all_found(target.changes.roots, discovery, &before)
        {
            return Ok(judgement);
        }
        // What the index has now is what it had, and what was written since.
        let mut now = contents(target.changes.known);
        now.extend(written.iter().map(|(path, hash)| (path.as_str(), *hash)));
        let present = discovery.entries.iter().filter_map(|entry| now.get(entry.path.as_str()).copied()).collect();
        let known = live.as_ref().map(contents);
        Ok(judge(target.changes.roots, discovery, known.as_ref().unwrap_or(&now), &present, &before))
    }

    /// Removes what is no longer on disk.
    fn remove_vanished(&self, target: &Target<'_>, vanished: Vec<String>, report: &mut TextReport) -> Result<()> {
        report.removed = vanished.len();
        let id = target.generation.id;
        for batch in vanished.chunks(FILES_IN_FLIGHT) {
            self.cancel.check()?;
            let batch = batch.to_vec();
            let looks_for_captions = target.changes.roots.media.is_some();
            self.store.write_indexed(move |tx| {
                if looks_for_captions {
                    captions_are_stale(tx)?;
                }
                for path in &batch {
                    tx.delete_file(id, Source::Memory.as_str(), path)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
