//! Which folders have to be watched so that no change of the memory goes unnoticed. Folders only: the number of
//! watches does not grow with the number of files.

use std::{
    collections::BTreeMap,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::SystemTime,
};

use notify::RecursiveMode;
use walkdir::WalkDir;

use super::roots::{Roots, is_ignored_folder};
use model::layout::MEMORY_FOLDER;

/// Tells a folder from another one that took its place. The time of creation is part of it because file systems
/// use the number of a deleted folder again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FolderId {
    device: u64,
    inode: u64,
    created: Option<SystemTime>,
}

/// A folder to watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Watch {
    /// Which folder it is now.
    pub id: FolderId,
    /// Whether one watch covers everything below.
    pub mode: RecursiveMode,
}

/// On Linux every folder needs a watch of its own, which also keeps ignored folders out. Elsewhere one recursive
/// watch per tree is cheap, and many single ones are not.
const ONE_WATCH_PER_TREE: bool = !cfg!(any(target_os = "linux", target_os = "android"));

/// The folders to watch now. For what does not exist yet, the nearest folder above it is watched instead.
pub(super) fn to_watch(roots: &Roots) -> BTreeMap<PathBuf, Watch> {
    let mut watches = BTreeMap::new();
    // Holds the root files, and tells when the folder of notes comes or goes.
    nearest(&mut watches, &roots.workspace_dir);
    tree(&mut watches, &roots.workspace_dir.join(MEMORY_FOLDER), None, roots);
    for extra in &roots.extra {
        tree(&mut watches, &extra.root, extra.depth(), roots);
    }
    watches
}

fn tree(watches: &mut BTreeMap<PathBuf, Watch>, root: &Path, depth: Option<usize>, roots: &Roots) {
    // A link, a file or nothing: the folder above tells when that changes.
    if !root.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        if let Some(above) = root.parent() {
            nearest(watches, above);
        }
        return;
    }
    if ONE_WATCH_PER_TREE {
        add(watches, root, RecursiveMode::Recursive);
        return;
    }
    // Folders on the level of the deepest files need no watch.
    let deepest = depth.unwrap_or(roots.limits.depth).min(roots.limits.depth).saturating_sub(1);
    WalkDir::new(root)
        .follow_links(false)
        .follow_root_links(false)
        .max_depth(deepest)
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || (entry.file_type().is_dir() && !is_ignored_folder(entry.file_name()))
        })
        .take(roots.limits.entries)
        .filter_map(Result::ok)
        .for_each(|folder| add(watches, folder.path(), RecursiveMode::NonRecursive));
}

/// Watches a folder, or the nearest existing one above it.
fn nearest(watches: &mut BTreeMap<PathBuf, Watch>, folder: &Path) {
    if let Some(existing) = folder.ancestors().find(|folder| folder.is_dir()) {
        add(watches, existing, RecursiveMode::NonRecursive);
    }
}

fn add(watches: &mut BTreeMap<PathBuf, Watch>, folder: &Path, mode: RecursiveMode) {
    let Some(id) = identify(folder) else { return };
    let watch = watches.entry(folder.to_path_buf()).or_insert(Watch { id, mode });
    if mode == RecursiveMode::Recursive {
        watch.mode = mode;
    }
}

/// Text that tells a folder from another one that took its place; none when there is no folder.
#[must_use]
pub fn identity(folder: &Path) -> Option<String> {
    let FolderId { device, inode, created } = identify(folder)?;
    let created = created.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok()).unwrap_or_default();
    Some(format!("{device}:{inode}:{}", created.as_nanos()))
}

/// Whether there is something at a path. What cannot be looked at may be there.
#[must_use]
pub fn exists(path: &Path) -> bool {
    !matches!(path.metadata(), Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
}

fn identify(folder: &Path) -> Option<FolderId> {
    let metadata = folder.metadata().ok().filter(std::fs::Metadata::is_dir)?;
    #[cfg(unix)]
    let (device, inode) = {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (device, inode) = (0, 0);
    Some(FolderId { device, inode, created: metadata.created().ok() })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::workspace::roots::Limits;

    fn watched(root: &Path, extra: &[&str]) -> Vec<String> {
        let extra: Vec<String> = extra.iter().map(|path| (*path).to_owned()).collect();
        let roots = Roots::new(&root.join("ws"), &extra, Limits::default());
        let below = |path: &PathBuf| path.strip_prefix(root).map(|below| below.display().to_string());
        to_watch(&roots).keys().filter_map(|path| below(path).ok()).collect()
    }

    #[test]
    fn folders_are_watched_files_links_and_ignored_folders_are_not() {
        let root = tempfile::tempdir().expect("temporary folder");
        let at = |path: &str| root.path().join(path);
        for folder in ["ws/memory/a/b", "ws/memory/node_modules/x", "ws/src", "team/one/two", "target"] {
            fs::create_dir_all(at(folder)).expect("folders");
        }
        fs::write(at("ws/memory/a/n.md"), "x").expect("written");
        std::os::unix::fs::symlink(at("target"), at("ws/memory/link")).expect("link");
        let expected = ["team", "team/one", "ws", "ws/memory", "ws/memory/a", "ws/memory/a/b"];
        assert_eq!(watched(root.path(), &["../team/*/*.md"]), expected);
    }

    #[test]
    fn what_does_not_exist_is_watched_through_what_is_above() {
        let root = tempfile::tempdir().expect("temporary folder");
        assert_eq!(watched(root.path(), &[]), [""]);
        fs::create_dir(root.path().join("ws")).expect("folder");
        assert_eq!(watched(root.path(), &["../no/such/file.md"]), ["", "ws"]);
    }

    #[test]
    fn a_folder_in_the_place_of_another_has_another_identity() {
        let root = tempfile::tempdir().expect("temporary folder");
        let folder = root.path().join("ws");
        fs::create_dir(&folder).expect("folder");
        let first = identify(&folder).expect("exists");
        assert_eq!(identify(&folder), Some(first));
        fs::rename(&folder, root.path().join("aside")).expect("renamed");
        fs::create_dir(&folder).expect("folder");
        assert_ne!(identify(&folder), Some(first));
    }
}
