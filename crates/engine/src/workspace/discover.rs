//! Discovery (A3–A7): the files that the index should hold now. Stat only.

use std::{
    collections::HashSet,
    fs::Metadata,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use model::{
    config::{extra_path::ExtraPath, multimodal::Modality},
    layout::{MEMORY_FOLDER, ROOT_FILES},
    stamp::{Stamp, mtime_ns},
};

use super::{
    is_at_or_below,
    roots::{Roots, is_markdown},
    skipped::{SkipCode, SkippedList},
    walk::Walker,
};

/// A file of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Relative to the workspace with `/`, absolute outside.
    pub path: String,
    /// Where it is.
    pub absolute: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// What it is where it is no note.
    pub media: Option<Modality>,
}

impl Entry {
    /// What tells whether the file changed since.
    #[must_use]
    pub(crate) const fn stamp(&self) -> Stamp {
        Stamp { size: self.size, mtime_ns: self.mtime_ns }
    }
}

/// What a look at the disk gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Discovery {
    /// Sorted by path, each file once.
    pub entries: Vec<Entry>,
    /// What was left out, and why.
    pub skipped: SkippedList,
    /// Folders and files, named as in `entries`, that could not be looked at. Their absence says nothing, so what
    /// the index holds of them must stay.
    pub uncertain: Vec<String>,
    /// Whether it ran out of open files.
    pub out_of_files: bool,
}

impl Discovery {
    /// Whether the absence of a path may be due to something that could not be looked at.
    #[must_use]
    pub(crate) fn is_uncertain(&self, path: &str) -> bool {
        self.uncertain.iter().any(|place| is_at_or_below(path, place))
    }
}

/// Looks at the disk. A missing workspace is told and counts as an empty one, as a missing memory folder does;
/// nothing here is an error.
#[must_use]
pub(crate) fn discover(roots: &Roots) -> Discovery {
    if !roots.is_source {
        return Discovery::default();
    }
    let mut walker = Walker::new(roots);
    walker.skipped.records.extend(roots.refused.iter().cloned());
    if stat(&mut walker, &roots.workspace_dir).is_none() && walker.unlisted.is_empty() {
        let reason = "the workspace folder does not exist; it is indexed as soon as it does";
        walker.skipped.push(roots.workspace_dir.to_string_lossy(), SkipCode::Missing, reason);
    }
    for name in ROOT_FILES {
        let path = roots.workspace_dir.join(name);
        if let Some(metadata) = stat(&mut walker, &path) {
            walker.take(&path, metadata);
        }
    }
    let folder = roots.workspace_dir.join(MEMORY_FOLDER);
    if let Some(metadata) = stat(&mut walker, &folder) {
        if metadata.is_dir() {
            walker.walk(&folder, None, |_| true);
        } else if metadata.is_symlink() {
            walker.skip(&folder, SkipCode::Link, "a symbolic link; links are not followed");
        } else {
            walker.skip(&folder, SkipCode::NotRegular, "a file where the folder of notes is expected");
        }
    }
    for extra in &roots.extra {
        walk_extra(&mut walker, roots, extra);
    }

    let mut real_paths = HashSet::new();
    let mut entries: Vec<Entry> = Vec::with_capacity(walker.files.len());
    let mut folders = RealFolders::default();
    let mut forgotten = Vec::new();
    for file in &walker.files {
        // As text: a path is compared and hashed part by part.
        if real_paths.insert(folders.real_path(&file.absolute).into_os_string()) {
            let path = roots.display(&file.absolute);
            if let Some(id) = roots.forgotten.path(&path) {
                let reason = format!("forgotten; `openclaw memory forget --undo {id}` takes it back");
                forgotten.push((path, reason));
                continue;
            }
            entries.push(Entry {
                path,
                absolute: file.absolute.clone(),
                size: file.metadata.len(),
                mtime_ns: mtime_ns(&file.metadata),
                media: file.media,
            });
        }
    }
    for (path, reason) in forgotten {
        walker.skipped.push(path, SkipCode::Forgotten, reason);
    }
    entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let uncertain = walker.unlisted.iter().map(|path| roots.display(path)).collect();
    Discovery { entries, skipped: walker.skipped, uncertain, out_of_files: walker.out_of_files }
}

/// One file, as a look at the whole disk would find it. None where it would not, or where that cannot be told of one file
/// alone.
#[must_use]
pub(crate) fn look_at(roots: &Roots, absolute: &Path) -> Option<Entry> {
    let path = roots.display(absolute);
    // Notes may be captions of pictures, and pictures have some: a look at the whole disk sees both.
    if !is_markdown(absolute) || !roots.is_indexed(absolute) || roots.forgotten.path(&path).is_some() {
        return None;
    }
    let memory = roots.workspace_dir.join(MEMORY_FOLDER);
    let extra = || roots.extra.iter().find(|extra| extra.contains(absolute));
    let (tree, depth) = match extra {
        _ if absolute.starts_with(&memory) => (memory.as_path(), None),
        _ if absolute.parent() == Some(&roots.workspace_dir) => (absolute, None),
        extra => extra().map(|extra| (extra.root.as_path(), extra.depth()))?,
    };
    let deepest = depth.map_or(roots.limits.depth, |depth| depth.min(roots.limits.depth));
    let mut folders = absolute.ancestors().skip(1).take_while(|folder| folder.starts_with(tree));
    // No link on the way to it is followed.
    let is_reached = folders.all(|folder| folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()));
    let metadata = absolute.symlink_metadata().ok()?;
    let fits = absolute.strip_prefix(tree).is_ok_and(|below| below.components().count() <= deepest)
        && metadata.is_file()
        && metadata.len() <= roots.limits.file_bytes
        && absolute.to_str().is_some()
        && !roots.has_name_of_no_database(absolute);
    (is_reached && fits).then(|| Entry {
        path,
        absolute: absolute.to_path_buf(),
        size: metadata.len(),
        mtime_ns: mtime_ns(&metadata),
        media: None,
    })
}

fn walk_extra(walker: &mut Walker<'_>, roots: &Roots, extra: &ExtraPath) {
    let Some(metadata) = stat(walker, &extra.root) else {
        if !walker.unlisted.contains(&extra.root) {
            walker.skip(&extra.root, SkipCode::Missing, format!("the extra path \"{}\" does not exist", extra.written));
        }
        return;
    };
    if metadata.is_dir() {
        walker.walk(&extra.root, extra.depth(), |path| !extra.is_glob() || extra.contains(path));
    } else if metadata.is_file() && !is_markdown(&extra.root) && roots.media(&extra.root).is_none() {
        walker.skip(&extra.root, SkipCode::NotMarkdown, "an extra path that is no Markdown file");
    } else {
        walker.take(&extra.root, metadata);
    }
}

/// `lstat`; none when there is nothing there or when it cannot be looked at, which is recorded.
fn stat(walker: &mut Walker<'_>, path: &Path) -> Option<Metadata> {
    match path.symlink_metadata() {
        Ok(metadata) => Some(metadata),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => None,
        Err(error) => {
            walker.unread(path, &error);
            None
        }
    }
}

/// Real paths of files, by asking the operating system once per folder. A file that is known not to be a link has
/// the real path of its folder plus its name; only names that differ in nothing but case need a question of their
/// own, for file systems that do not tell them apart.
#[derive(Default)]
struct RealFolders {
    last: Option<(PathBuf, PathBuf)>,
}

impl RealFolders {
    fn real_path(&mut self, file: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return file.to_path_buf() };
        if ROOT_FILES.iter().any(|root| name == *root) {
            return file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        }
        if self.last.as_ref().is_none_or(|(known, _)| known != folder) {
            let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
            self.last = Some((folder.to_path_buf(), real));
        }
        self.last.as_ref().map_or_else(|| file.to_path_buf(), |(_, real)| real.join(name))
    }
}

#[cfg(test)]
#[path = "discover_tests.rs"]
mod tests;
