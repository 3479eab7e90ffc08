//! The text pass over what the watcher names: those notes are looked at, and the rest of the disk is not. It does nothing
//! where a look at the whole disk might end differently.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
};

use super::{
    changes::Changes,
    identity::generation_identity,
    index_text::{Target, TextPass, TextReport},
    lost::Folders,
    media::write_captions,
    rows::Shape,
};
use crate::workspace::{
    discover::Entry, discover::look_at, exclusions::FOLLOWED, is_at_or_below, roots::Roots, skipped::SkipCode,
};
use model::{error::Result, source::Source};
use store::{files::FileRow, generations::Generation, skipped::Skipped};

/// What the index knows of the notes that are named.
struct Known {
    live: Generation,
    rows: HashMap<String, FileRow>,
    left_out: Vec<Skipped>,
}

impl TextPass<'_> {
    /// Brings these notes up to date, as a pass over the whole disk would that was made right after another one; none where
    /// such a pass has to be made instead.
    ///
    /// # Errors
    /// As [`TextPass::run`].
    pub(crate) fn run_named(&self, paths: &[PathBuf]) -> Result<Option<TextReport>> {
        let roots = Roots::of(self.settings);
        roots.forgotten.check()?;
        let Some(entries) = entries(&roots, paths) else { return Ok(None) };
        let Some(Known { live, rows, left_out }) = self.known(&roots, &entries)? else { return Ok(None) };
        let mut report = TextReport { files: entries.len(), ..TextReport::default() };
        let stale: Vec<&Entry> = entries
            .iter()
            .filter(|entry| rows.get(&entry.path).is_none_or(|row| row.stamp() != entry.stamp()))
            .collect();
        let changes = Changes { roots: &roots, shape: Some(Shape::of(self.settings)), known: &rows };
        let target = Target { changes, generation: &live, list_changed: false };
        let mut skipped = Vec::new();
        self.write_changes(&target, &stale, &mut report, &mut skipped)?;
        write_captions(self.store, &roots, Shape::of(self.settings), live.id, self.cancel)?;
        // One of them cannot be read, or went while it was.
        if skipped.iter().any(|left| left.code != SkipCode::OtherEncoding) || report.files < entries.len() {
            return Ok(None);
        }
        if !skipped.is_empty() {
            self.keep_skipped(Source::Memory, left_out, skipped)?;
        }
        self.sessions(&live, &mut report)?;
        Ok(Some(report))
    }

    /// What the index has of these notes; none where more than they can matter.
    fn known(&self, roots: &Roots, entries: &[Entry]) -> Result<Option<Known>> {
        let source = Source::Memory.as_str();
        self.store.read_with(self.cancel, |r| {
            let Some(live) = r.live()? else { return Ok(None) };
            let is_current = live.identity == generation_identity(Shape::of(self.settings), self.settings)
                && r.meta(FOLLOWED)?.unwrap_or_default() == roots.forgotten.version();
            if !is_current || r.building()?.is_some() {
                return Ok(None);
            }
            let folders = Folders::stored(r)?;
            let mut rows = HashMap::new();
            for entry in entries {
                if !folders.are_settled(roots, &entry.absolute) {
                    return Ok(None);
                }
                rows.extend(r.file(live.id, source, &entry.path)?.map(|row| (entry.path.clone(), row)));
            }
            let mut left_out = r.skipped()?;
            left_out.retain(|skipped| skipped.source == source);
            if left_out.iter().any(|skipped| concerns(skipped, entries)) {
                return Ok(None);
            }
            // A new note may be known already, by another way to it, or be one more than there may be.
            let new = entries.len() - rows.len();
            let is_simple = new == 0
                || cfg!(target_os = "linux")
                    && roots.extra.is_empty()
                    && r.file_count(live.id, source)? + new as u64 <= roots.limits.files as u64;
            Ok(is_simple.then_some(Known { live, rows, left_out }))
        })
    }
}

/// Whether what was left out the last time may be one of these notes now, or have kept one of them from being found.
fn concerns(skipped: &Skipped, entries: &[Entry]) -> bool {
    skipped.code == SkipCode::TooMany.as_str() || entries.iter().any(|entry| is_at_or_below(&entry.path, &skipped.path))
}

/// The named notes, each once; none when one of them is gone, or no ordinary note.
fn entries(roots: &Roots, paths: &[PathBuf]) -> Option<Vec<Entry>> {
    let mut names = HashSet::new();
    let mut entries = Vec::with_capacity(paths.len());
    for path in paths {
        // Of two names that differ in nothing but case only one may be left, on file systems that do not tell them apart.
        if !names.insert(path.to_string_lossy().to_lowercase()) {
            return None;
        }
        entries.push(look_at(roots, path)?);
    }
    Some(entries)
}
