//! What the workspace has: which notes, and what is in them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::record::Record;
use crate::{
    index::rows::hash,
    workspace::{
        discover::{Discovery, Entry},
        note_names::is_note,
        read::read_bytes,
        roots::Roots,
    },
};
use model::{cancel::Cancel, error::Result, stamp::Stamp};
use store::files::Hash;

/// A note of the workspace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Note {
    pub hash: Hash,
    /// By which it is known the next time.
    pub stamp: Stamp,
    /// When it was modified, in nanoseconds since the epoch.
    pub modified_ns: i64,
}

/// What the workspace has.
#[derive(Debug, Default)]
pub(super) struct Local {
    /// Its notes.
    pub notes: BTreeMap<String, Note>,
    /// Those that are there and cannot be read, or are no plain files: nothing is done about them.
    pub unread: BTreeSet<String>,
}

impl Local {
    /// Looks at what was discovered. Notes that are as they were when they were last exchanged are not read.
    ///
    /// # Errors
    /// When cancelled.
    pub(super) fn look(roots: &Roots, discovery: &Discovery, record: &Record, cancel: &Cancel) -> Result<Self> {
        let mut local = Self::default();
        for entry in discovery.entries.iter().filter(|entry| is_exchanged(roots, entry)) {
            cancel.check()?;
            let known = record.notes.get(&entry.path).filter(|known| known.stamp == entry.stamp());
            let found = match known {
                Some(known) => Ok((known.hash, known.stamp)),
                None => read_bytes(roots, &entry.absolute, roots.limits.file_bytes)
                    .map(|file| (hash(&file.bytes), file.stamp)),
            };
            match found {
                Ok((hash, stamp)) => {
                    let note = Note { hash, stamp, modified_ns: entry.mtime_ns };
                    local.notes.insert(entry.path.clone(), note);
                }
                // It went this moment, or will be read the next time.
                Err(_) => drop(local.unread.insert(entry.path.clone())),
            }
        }
        Ok(local)
    }

    /// Whether it has no note at all.
    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty() && self.unread.is_empty()
    }

    /// Whether it has what was last exchanged, and nothing else.
    pub(super) fn is_as_recorded(&self, record: &Record) -> bool {
        let is_known = |(path, note): (&String, &Note)| {
            record.notes.get(path).is_some_and(|known| known.hash == note.hash && known.stamp == note.stamp)
        };
        record.vanished.is_none()
            && self.unread.is_empty()
            && self.notes.len() == record.notes.len()
            && self.notes.iter().all(is_known)
    }

    /// Whether it is known to have no such note: something else may have its name, or the folder may be one that cannot be
    /// looked at.
    pub(super) fn lacks(&self, roots: &Roots, discovery: &Discovery, path: &str) -> bool {
        !self.notes.contains_key(path)
            && !self.unread.contains(path)
            && !discovery.is_uncertain(path)
            && roots.workspace_dir.join(path).symlink_metadata().is_err()
    }

    /// What is in its notes.
    pub(super) fn contents(&self) -> HashSet<Hash> {
        self.notes.values().map(|note| note.hash).collect()
    }
}

/// Whether a file that was discovered is one of the notes in the workspace.
fn is_exchanged(roots: &Roots, entry: &Entry) -> bool {
    // A name that is no Unicode is shown as another one.
    entry.media.is_none() && is_note(&entry.path) && roots.workspace_dir.join(&entry.path) == entry.absolute
}
