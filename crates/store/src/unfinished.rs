//! What copies leave behind whose process was killed.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// What has a prefix and has not been written to for so long. Of a folder that cannot be read, nothing.
pub(crate) fn abandoned(folder: &Path, prefix: &str, after: Duration) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_old = |entry: &fs::DirEntry| {
        let written = entry.metadata().and_then(|meta| meta.modified());
        written.is_ok_and(|time| SystemTime::now().duration_since(time).unwrap_or_default() >= after)
    };
    let named = entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    named.filter(is_old).map(|entry| entry.path()).collect()
}
