//! Reading the files that differ from the index: what a pass writes, and a plan only counts.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use crossbeam_channel::bounded;

use super::{
    media::{content_hash, media_rows},
    rows::{Rows, Shape, hash, rows_of},
};
use crate::curated::file::is_marked;
use crate::workspace::{
    discover::Entry,
    media::{check, estimated_tokens},
    read::{FileBytes, FileText, read_bytes, read_text},
    roots::Roots,
    skipped::{SkipCode, Skipped},
};
use model::{
    cancel::Cancel,
    config::multimodal::{Modality, Multimodal},
    error::{Code, Error, Result},
    stamp::Stamp,
};
use store::{
    files::{FileRow, Hash},
    ids::FileId,
};
use text::analyze::Analyzer;

/// Files in flight between the readers and who takes them.
pub(super) const FILES_IN_FLIGHT: usize = 32;
/// Threads that read and analyse; who takes what they read is one more. They are no tasks of [`model::parallel`]: the
/// first search waits for them, and that pool has the priority of work that nobody waits for.
const MAX_THREADS: usize = 2;
/// What the index has for the content of a file that is not what its name says.
pub(super) const REFUSED: Hash = [0; 32];

/// A file that was read.
pub(super) enum Read {
    /// Its content is what the index has; only the modification time differs.
    Same { path: String, id: FileId, stamp: Stamp, hash: Hash, is_lossy: bool },
    /// Its rows.
    Changed { path: String, stamp: Stamp, hash: Hash, rows: Box<Rows>, is_lossy: bool },
    /// Why it cannot be read. What the index has of it stays.
    Unreadable(Skipped, Error),
    /// A picture, a sound or a note that is none by its content, and why: it is known, and nothing of it is indexed.
    Refused { entry: Entry, stamp: Stamp, reason: String },
    /// It vanished between the look and the read.
    Gone,
}

/// How files are read.
pub(super) struct Changes<'a> {
    pub roots: &'a Roots,
    /// Of the chunks; none when nobody asks for rows.
    pub shape: Option<Shape>,
    /// What the index has.
    pub known: &'a HashMap<String, FileRow>,
}

impl Changes<'_> {
    /// Reads and analyses files on a few threads; this thread hands them to `take` as they come.
    ///
    /// # Errors
    /// When cancelled, and what `take` gives.
    pub(super) fn read_all(
        &self,
        entries: &[&Entry],
        cancel: &Cancel,
        mut take: impl FnMut(Read) -> Result<()>,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(entries.len());
        let (send, receive) = bounded::<Result<Read>>(FILES_IN_FLIGHT);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    let mut analyzer = Analyzer::new();
                    while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let read = cancel.check().map(|()| self.read(&mut analyzer, entry));
                        let failed = read.is_err();
                        // Nobody takes it any more: so this thread ends.
                        if send.send(read).is_err() || failed {
                            return;
                        }
                    }
                });
            }
            drop(send);
            // The loop owns the channel: when it ends early the channel must close, or the readers wait for ever.
            for read in receive {
                take(read?)?;
            }
            Ok(())
        })
    }

    fn read(&self, analyzer: &mut Analyzer, entry: &Entry) -> Read {
        let read = match entry.media.zip(self.roots.media) {
            Some((modality, media)) => self.read_media(analyzer, entry, modality, &media),
            None => self.read_note(analyzer, entry),
        };
        read.unwrap_or_else(|error| {
            if error.code() == Code::NotFound {
                return Read::Gone;
            }
            let (path, reason) = (entry.path.clone(), error.to_string());
            Read::Unreadable(Skipped { path, code: SkipCode::Unreadable, reason }, error)
        })
    }

    fn read_note(&self, analyzer: &mut Analyzer, entry: &Entry) -> Result<Read> {
        let FileText { text, is_lossy, is_binary, stamp } = read_text(self.roots, &entry.absolute)?;
        if is_binary {
            let reason =
                "no text by its content; a note in a rare encoding is read when it is saved as UTF-8".to_owned();
            return Ok(Read::Refused { entry: entry.clone(), stamp, reason });
        }
        // Forgotten lines are no part of what the index knows of a file.
        let text = self.roots.forgotten.keep(&entry.path, &text);
        let hash = hash(text.as_bytes());
        if let Some(row) = self.known.get(&entry.path)
            && row.hash == hash
        {
            return Ok(Read::Same { path: entry.path.clone(), id: row.id, stamp, hash, is_lossy });
        }
        let is_marked = self.roots.may_be_curated(&entry.absolute).then(|| is_marked(&text));
        let rows = self.shape.map_or_else(Rows::default, |shape| {
            let rows = rows_of(analyzer, &entry.path, &text, is_marked == Some(true), shape);
            Rows { is_marked, ..rows }
        });
        Ok(Read::Changed { path: entry.path.clone(), stamp, hash, rows: Box::new(rows), is_lossy })
    }

    /// A picture or sound; its bytes are let go of at once.
    fn read_media(
        &self,
        analyzer: &mut Analyzer,
        entry: &Entry,
        modality: Modality,
        media: &Multimodal,
    ) -> Result<Read> {
        let FileBytes { bytes, stamp } = read_bytes(self.roots, &entry.absolute, media.max_file_bytes)?;
        let forgotten = "it is the same as a file that is forgotten".to_owned();
        let checked = if self.roots.forgotten.content(&bytes) { Err(forgotten) } else { check(&bytes, modality) };
        let mime = match checked {
            Ok(mime) => mime,
            Err(reason) => return Ok(Read::Refused { entry: entry.clone(), stamp, reason }),
        };
        let hash = content_hash(mime, &bytes);
        if let Some(row) = self.known.get(&entry.path)
            && row.hash == hash
            && row.lines > 0
        {
            return Ok(Read::Same { path: entry.path.clone(), id: row.id, stamp, hash, is_lossy: false });
        }
        let sent = media.sends(mime).then_some(hash);
        let rows = self.shape.map_or_else(Rows::default, |shape| Rows {
            media_tokens: sent.map(|_| estimated_tokens(&bytes, modality)),
            ..media_rows(analyzer, &entry.path, modality, sent, &[], shape)
        });
        Ok(Read::Changed { path: entry.path.clone(), stamp, hash, rows: Box::new(rows), is_lossy: false })
    }

    /// Files that were not what their name says the last time they were read. They are read again, for the reason why.
    pub(super) fn refused<'e>(&self, entries: &'e [Entry]) -> impl Iterator<Item = &'e Entry> {
        let is_refused = |entry: &&Entry| {
            self.known.get(&entry.path).is_some_and(|row| row.hash == REFUSED && row.stamp() == entry.stamp())
        };
        entries.iter().filter(is_refused)
    }
}
