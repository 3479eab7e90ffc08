//! What the curated files of a workspace say about their own lines: triggers, importance, projects. It is read from the
//! disk and kept in memory, so that a host may ask before every reply.

pub(crate) mod candidates;
pub(crate) mod file;
pub mod triggers;

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use serde::Serialize;

use crate::workspace::{read::read_text, roots::Roots};
use ::search::factors::Entries;
use file::CuratedFile;
use model::{layout::ROOT_FILES, stamp::Stamp};

/// A comment that cannot be understood, for `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Malformed {
    /// Path as in results.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
    /// What is wrong.
    pub reason: &'static str,
}

/// All curated files, as they are now.
#[derive(Debug, Clone, Default)]
pub struct Curated {
    files: HashMap<&'static str, Arc<CuratedFile>>,
}

impl Curated {
    /// Reads all of them.
    pub(crate) fn read(roots: &Roots) -> Self {
        Cache::default().current(roots)
    }

    /// The entries of all files.
    pub(crate) fn entries(&self) -> Entries {
        self.files.iter().map(|(path, file)| (*path, Arc::clone(&file.entries))).collect()
    }

    /// Comments that cannot be understood, by file and line.
    #[must_use]
    pub fn malformed(&self) -> Vec<Malformed> {
        let files = ROOT_FILES.iter().filter_map(|path| Some((*path, self.files.get(path)?)));
        files
            .flat_map(|(path, file)| file.faults().map(move |(line, fault)| (path, line, fault)))
            .map(|(path, line, fault)| Malformed { path: path.to_owned(), line, reason: fault.text() })
            .collect()
    }
}

/// The curated files that were read last. A file is read again when it changed on disk.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<HashMap<&'static str, (Key, Arc<CuratedFile>)>>);

/// What a file's entries depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    stamp: Stamp,
    /// Of the list of what is forgotten.
    forgotten: String,
}

impl Cache {
    /// The files as they are now. One that cannot be read says nothing: searches tell why.
    pub(crate) fn current(&self, roots: &Roots) -> Curated {
        let mut known = self.0.lock();
        let mut curated = Curated::default();
        if !roots.is_source {
            known.clear();
            return curated;
        }
        for path in ROOT_FILES {
            match look(known.remove(path), roots, path) {
                Some((key, file)) => {
                    curated.files.insert(path, Arc::clone(&file));
                    known.insert(path, (key, file));
                }
                None => continue,
            }
        }
        curated
    }
}

/// One file: what is known of it while it has not changed, or read anew.
fn look(known: Option<(Key, Arc<CuratedFile>)>, roots: &Roots, path: &str) -> Option<(Key, Arc<CuratedFile>)> {
    let absolute = roots.workspace_dir.join(path);
    let metadata = std::fs::symlink_metadata(&absolute).ok().filter(std::fs::Metadata::is_file)?;
    if roots.forgotten.path(path).is_some() {
        return None;
    }
    let stamp = Stamp { size: metadata.len(), mtime_ns: model::stamp::mtime_ns(&metadata) };
    let key = Key { stamp, forgotten: roots.forgotten.version().to_owned() };
    if let Some(known) = known.filter(|(before, _)| *before == key) {
        return Some(known);
    }
    let read = read_text(roots, &absolute).ok()?;
    let text = roots.forgotten.keep(path, &read.text);
    // A file that was written a moment ago may change again within the same tick of its clock: it is read again.
    let key = Key { stamp: read.stamp, ..key };
    Some((key, Arc::new(CuratedFile::read(&text, stamp.mtime_ns.div_euclid(1_000_000)))))
}
