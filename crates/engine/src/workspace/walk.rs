//! Walking one folder tree: Markdown files, pictures and sounds with their stamps, and a reason for everything left out. Stat only; no
//! file is opened and no link followed.

use std::{
    fs::Metadata,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::{
    roots::{Limits, Roots, is_ignored_folder, is_markdown},
    skipped::{SkipCode, SkippedList},
};
use model::{config::multimodal::Modality, error::no_more_files};

/// A file that was found.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// The path it was found at.
    pub absolute: PathBuf,
    /// From `lstat`.
    pub metadata: Metadata,
    /// What it is where it is no note.
    pub media: Option<Modality>,
}

/// Collects what walks find, within the limits of all walks together.
#[derive(Debug)]
pub(crate) struct Walker<'a> {
    roots: &'a Roots,
    limits: &'a Limits,
    /// Files, in the order of the walks, sorted inside each.
    pub files: Vec<File>,
    /// What was left out.
    pub skipped: SkippedList,
    /// Folders that could not be listed: nothing can be said about what lies below.
    pub unlisted: Vec<PathBuf>,
    /// Whether it ran out of open files: the same look later finds more.
    pub out_of_files: bool,
    entries: usize,
}

impl<'a> Walker<'a> {
    /// An empty collection.
    pub(crate) fn new(roots: &'a Roots) -> Self {
        Self {
            roots,
            limits: &roots.limits,
            files: Vec::new(),
            skipped: SkippedList::default(),
            unlisted: Vec::new(),
            out_of_files: false,
            entries: 0,
        }
    }

    /// Records that a path was left out.
    pub(crate) fn skip(&mut self, path: &Path, code: SkipCode, reason: impl Into<String>) {
        self.skipped.push(self.roots.display(path), code, reason);
    }

    /// Takes one file whose metadata is known, unless it is a link, no regular file or too large.
    pub(crate) fn take(&mut self, absolute: &Path, metadata: Metadata) {
        let kind = metadata.file_type();
        let media = self.roots.media(absolute).filter(|_| !is_markdown(absolute));
        let pictures = self.roots.media.filter(|_| media.is_some());
        let limit = pictures.map_or(self.limits.file_bytes, |pictures| pictures.max_file_bytes);
        if kind.is_symlink() {
            self.skip(absolute, SkipCode::Link, "a symbolic link; links are not followed");
        } else if kind.is_dir() {
            self.skip(absolute, SkipCode::NotRegular, "a folder where a file is expected");
        } else if !kind.is_file() {
            self.skip(absolute, SkipCode::NotRegular, "no regular file (a pipe, socket or device)");
        } else if metadata.len() > limit {
            let reason = format!("{} bytes, the limit is {limit} bytes", metadata.len());
            self.skip(absolute, SkipCode::TooLarge, reason);
        } else if absolute.to_str().is_none() {
            self.skip(absolute, SkipCode::InvalidName, "the name is not valid Unicode");
        } else if self.roots.has_name_of_no_database(absolute) {
            let reason = "too long a name, or one with a control character, such as a tab: the database keeps no such note; \
                rename it";
            self.skip(absolute, SkipCode::InvalidName, reason);
        } else if self.files.len() >= self.limits.files {
            self.skip(absolute, SkipCode::TooMany, format!("more than {} files", self.limits.files));
        } else {
            self.files.push(File { absolute: absolute.to_path_buf(), metadata, media });
        }
    }

    /// Walks a folder that is no link. `depth` is the deepest level that can hold a wanted file; `wanted` decides
    /// by path.
    pub(crate) fn walk(&mut self, root: &Path, depth: Option<usize>, wanted: impl Fn(&Path) -> bool) {
        // Files directly in the root are at level 1, so a folder may be entered up to this level.
        let deepest = depth.map_or(self.limits.depth, |depth| depth.min(self.limits.depth));
        let mut tree = WalkDir::new(root)
            .follow_links(false)
            .follow_root_links(false)
            .min_depth(1)
            .max_depth(deepest)
            // By name: the entries of a folder differ in nothing else. Taking each path apart for its name, at each
            // comparison, took a third of a look at 100,000 files.
            .sort_by(|a, b| a.path().as_os_str().cmp(b.path().as_os_str()))
            .into_iter();
        while let Some(entry) = tree.next() {
            self.entries += 1;
            if self.entries > self.limits.entries {
                let reason = format!("more than {} folder entries; the rest is not looked at", self.limits.entries);
                self.skip(root, SkipCode::TooMany, reason);
                return;
            }
            match entry {
                Err(error) => self.unlisted(root, &error),
                Ok(entry) if entry.file_type().is_dir() => {
                    if is_ignored_folder(entry.file_name()) {
                        self.skip(entry.path(), SkipCode::Ignored, "a folder on the ignore list");
                        tree.skip_current_dir();
                    } else {
                        self.folder(&entry, deepest == self.limits.depth);
                    }
                }
                Ok(entry) => self.leaf(&entry, &wanted),
            }
        }
    }

    /// A folder is entered by the walk itself; here only what is noteworthy about it.
    fn folder(&mut self, entry: &DirEntry, is_capped: bool) {
        if is_capped && entry.depth() == self.limits.depth {
            let reason = format!("deeper than {} folders", self.limits.depth);
            self.skip(entry.path(), SkipCode::TooDeep, reason);
        } else if is_markdown(entry.path()) {
            self.skip(
                entry.path(),
                SkipCode::NotRegular,
                "a folder with the name of a Markdown file; its contents are indexed",
            );
        }
    }

    fn leaf(&mut self, entry: &DirEntry, wanted: impl Fn(&Path) -> bool) {
        let path = entry.path();
        // A link without the ending may lead to a folder of notes, so the user is told about it as well.
        let is_wanted = (is_markdown(path) && wanted(path)) || self.roots.media(path).is_some();
        let may_be_folder = entry.path_is_symlink() && path.extension().is_none();
        if !(is_wanted || may_be_folder) {
            let is_nearly = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("md"));
            if is_nearly && wanted(path) {
                self.skip(path, SkipCode::NotMarkdown, "its name does not end with .md in lower case");
            }
            return;
        }
        match entry.metadata() {
            Ok(metadata) => self.take(path, metadata),
            Err(error) => self.unlisted(path, &error),
        }
    }

    fn unlisted(&mut self, root: &Path, error: &walkdir::Error) {
        let path = error.path().unwrap_or(root);
        let io = error.io_error();
        // Gone since its folder was listed: the same as never seen.
        if io.is_some_and(|io| io.kind() == ErrorKind::NotFound) {
            return;
        }
        match io {
            Some(io) => self.unread(path, io),
            // A loop of links, which are not followed.
            None => {
                self.skip(path, SkipCode::Unreadable, "cannot be listed");
                self.unlisted.push(path.to_path_buf());
            }
        }
    }

    /// Records what the operating system did not let be looked at.
    pub(crate) fn unread(&mut self, path: &Path, error: &io::Error) {
        self.skip(path, SkipCode::Unreadable, error.to_string());
        self.unlisted.push(path.to_path_buf());
        self.out_of_files |= no_more_files(error);
    }
}
