//! What of the notes was last exchanged, in a file beside the index: without it nobody could tell a change from a note that was
//! deleted. When it is lost, nothing is: then notes that differ are kept side by side.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};

use model::{
    error::{Error, Result},
    own_file,
    stamp::Stamp,
};
use store::{Kept, Store, files::Hash};

/// What the file looks like; another number is read as if there were none.
const FORMAT: u32 = 1;

/// A note, as both sides have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    /// Of its content.
    pub hash: Hash,
    /// By which it is known to be unchanged in the workspace.
    pub stamp: Stamp,
}

/// What was last exchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// What the database was known by when it had all that is written here, and nothing else; none where that is not so.
    pub mark: Option<String>,
    /// When something was exchanged, or first found to be the same, in milliseconds since the epoch; 0 = never.
    pub exchanged_ms: i64,
    /// Notes of either side that could not be exchanged.
    pub refused: usize,
    /// Notes that vanished at once, so that nothing is exchanged, and how many were known.
    pub vanished: Option<(usize, usize)>,
    /// By path.
    pub notes: BTreeMap<String, Known>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    format: u32,
    mark: Option<String>,
    exchanged_ms: i64,
    refused: usize,
    vanished: Option<(usize, usize)>,
    /// By path: hash, size and modification time.
    notes: BTreeMap<String, (String, u64, i64)>,
}

impl Record {
    /// What was kept; nothing where there is no file, or none that can be understood.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn load(store: &Store) -> Result<Self> {
        let Some(bytes) = own_file::read(&store.kept(Kept::Exchanged))? else { return Ok(Self::default()) };
        let written = serde_json::from_slice::<Written>(&bytes).ok().filter(|written| written.format == FORMAT);
        Ok(written.and_then(Self::of).unwrap_or_default())
    }

    fn of(written: Written) -> Option<Self> {
        let Written { format: _, mark, exchanged_ms, refused, vanished, notes } = written;
        let known = |(path, (hash, size, mtime_ns)): (String, (String, u64, i64))| {
            let hash = Hash::try_from(hex::decode(hash).ok()?).ok()?;
            Some((path, Known { hash, stamp: Stamp { size, mtime_ns } }))
        };
        Some(Self {
            mark,
            exchanged_ms,
            refused,
            vanished,
            notes: notes.into_iter().map(known).collect::<Option<_>>()?,
        })
    }

    /// Keeps it, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn save(&self, store: &Store) -> Result<()> {
        let known = |(path, known): (&String, &Known)| {
            (path.clone(), (hex::encode(known.hash), known.stamp.size, known.stamp.mtime_ns))
        };
        let written = Written {
            format: FORMAT,
            mark: self.mark.clone(),
            exchanged_ms: self.exchanged_ms,
            refused: self.refused,
            vanished: self.vanished,
            notes: self.notes.iter().map(known).collect(),
        };
        let path = store.kept(Kept::Exchanged);
        let write = |path: &Path| {
            if let Some(folder) = path.parent() {
                own_file::create_folder(folder)?;
            }
            own_file::replace(path, &serde_json::to_vec(&written)?)
        };
        write(&path).map_err(|error| Error::io(&path, &error))
    }
}
