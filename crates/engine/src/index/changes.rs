//! Reading the files that differ from the index: what a pass writes, and a plan only counts.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use crossbeam_channel::bounded;

use super::rows::{Rows, Shape, hash, rows_of};
use crate::workspace::{
    discover::Entry,
    read::read_text,
    roots::Roots,
    skipped::{SkipCode, Skipped},
};
use model::{
    cancel::Cancel,
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

/// A file that was read.
pub(super) enum Read {
    /// Its content is what the index has; only the modification time differs.
    Same { id: FileId, stamp: Stamp, hash: Hash },
    /// Its rows.
    Changed { path: String, stamp: Stamp, hash: Hash, rows: Box<Rows> },
    /// Why it cannot be read. What the index has of it stays.
    Unreadable(Skipped, Error),
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
        let file = match read_text(self.roots, &entry.absolute) {
            Ok(file) => file,
            Err(error) if error.code() == Code::NotFound => return Read::Gone,
            Err(error) => {
                let (path, reason) = (entry.path.clone(), error.to_string());
                return Read::Unreadable(Skipped { path, code: SkipCode::Unreadable, reason }, error);
            }
        };
        // Forgotten lines are no part of what the index knows of a file.
        let text = self.roots.forgotten.keep(&entry.path, &file.text);
        let hash = hash(text.as_bytes());
        if let Some(row) = self.known.get(&entry.path)
            && row.hash == hash
        {
            return Read::Same { id: row.id, stamp: file.stamp, hash };
        }
        let rows = self.shape.map_or_else(Rows::default, |shape| rows_of(analyzer, &entry.path, &text, shape));
        Read::Changed { path: entry.path.clone(), stamp: file.stamp, hash, rows: Box::new(rows) }
    }
}
