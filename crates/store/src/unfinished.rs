//! What copies leave behind whose process was killed.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The folder that a file is in.
pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Removes what has a prefix and has not been written to for so long. What cannot be removed costs disk space only.
pub(crate) fn remove_abandoned(
    folder: &Path,
    prefix: &str,
    after: Duration,
    remove: impl Fn(PathBuf) -> io::Result<()>,
) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix)) {
        let written = entry.metadata().and_then(|meta| meta.modified());
        let age = written.ok().and_then(|time| SystemTime::now().duration_since(time).ok());
        if age.is_some_and(|age| age > after) {
            let _ = remove(entry.path());
        }
    }
}
