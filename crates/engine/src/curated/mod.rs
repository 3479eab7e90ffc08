//! What the curated files of a workspace say about their own lines: triggers, importance, projects. It is read from the
//! disk and kept in memory, so that a host may ask before every reply.

pub(crate) mod candidates;
pub(crate) mod file;
pub mod triggers;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use itertools::Itertools;
use parking_lot::Mutex;
use serde::Serialize;

use crate::workspace::{read::read_text, roots::Roots};
use ::search::factors::Entries;
use file::CuratedFile;
use model::{error::Result, layout::ROOT_FILES, stamp::Stamp};
use store::{Reader, Tx};

/// Extra files that are looked at before a search, at most.
const MOST_EXTRA: usize = 64;
/// Key in `meta` of the extra files that said they are curated when they were indexed.
const MARKED: &str = "curated";

/// The extra files that said they are curated when they were indexed.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn marked(r: &Reader<'_>) -> Result<Vec<String>> {
    let stored = r.meta(MARKED)?;
    Ok(stored.and_then(|stored| serde_json::from_str(&stored).ok()).unwrap_or_default())
}

/// Keeps which extra files say that they are curated, of those that were just indexed.
///
/// # Errors
/// When the store cannot be read or written.
pub(crate) fn keep_marked<'a>(tx: &Tx<'_>, seen: impl Iterator<Item = (&'a str, bool)>) -> Result<()> {
    let mut seen = seen.peekable();
    if seen.peek().is_none() {
        return Ok(());
    }
    let before = marked(tx)?;
    let mut now: BTreeSet<&str> = before.iter().map(String::as_str).collect();
    for (path, is_marked) in seen {
        if is_marked {
            now.insert(path);
        } else {
            now.remove(path);
        }
    }
    if now.iter().copied().eq(before.iter().map(String::as_str)) {
        return Ok(());
    }
    tx.set_meta(MARKED, &serde_json::to_string(&now).unwrap_or_default())
}

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
    /// By path: the root files, and extra files that say they are curated and that the user vouches for.
    files: HashMap<Arc<str>, Arc<CuratedFile>>,
}

impl Curated {
    /// Reads all of them; `marked` are the extra files that said they are curated when they were indexed.
    pub(crate) fn read(roots: &Roots, marked: &[String]) -> Self {
        Cache::default().current(roots, marked)
    }

    /// Paths, the root files first.
    fn paths(&self) -> impl Iterator<Item = &str> {
        let extra = self.files.keys().map(|path| &**path).filter(|path| !ROOT_FILES.contains(path));
        ROOT_FILES.into_iter().chain(extra.sorted_unstable())
    }

    /// The entries of all files.
    pub(crate) fn entries(&self) -> Entries {
        self.files.iter().map(|(path, file)| (Arc::clone(path), Arc::clone(&file.entries))).collect()
    }

    /// Comments that cannot be understood, by file and line.
    #[must_use]
    pub fn malformed(&self) -> Vec<Malformed> {
        let files = self.paths().filter_map(|path| Some((path, self.files.get(path)?)));
        files
            .flat_map(|(path, file)| file.faults().map(move |(line, fault)| (path, line, fault)))
            .map(|(path, line, fault)| Malformed { path: path.to_owned(), line, reason: fault.text() })
            .collect()
    }
}

/// The curated files that were read last. A file is read again when it changed on disk.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<HashMap<Arc<str>, Known>>);

/// A file, and what it depends on.
type Known = (Key, Arc<CuratedFile>);

/// What a file's entries depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    stamp: Stamp,
    /// Of the list of what is forgotten.
    forgotten: String,
}

impl Cache {
    /// The files as they are now. One that cannot be read says nothing: searches tell why.
    pub(crate) fn current(&self, roots: &Roots, marked: &[String]) -> Curated {
        let mut known = self.0.lock();
        let mut curated = Curated::default();
        let before = std::mem::take(&mut *known);
        if !roots.is_source {
            return curated;
        }
        let is_vouched = |path: &&str| roots.may_be_curated(&roots.workspace_dir.join(path));
        let extra = marked.iter().map(String::as_str).filter(is_vouched).take(MOST_EXTRA);
        for path in ROOT_FILES.into_iter().chain(extra) {
            let Some((key, file)) = look(before.get(path).cloned(), roots, path) else { continue };
            let path: Arc<str> = path.into();
            if file.is_marked || ROOT_FILES.contains(&&*path) {
                curated.files.insert(Arc::clone(&path), Arc::clone(&file));
            }
            known.insert(path, (key, file));
        }
        curated
    }
}

/// One file: what is known of it while it has not changed, or read anew.
fn look(known: Option<Known>, roots: &Roots, path: &str) -> Option<Known> {
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
