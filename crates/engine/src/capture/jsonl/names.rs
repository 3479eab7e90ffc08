//! The names of what rotation makes of a file and of what is set aside of it.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use model::{
    error::{Error, Result},
    own_file,
};

/// What the name of a damaged file has more.
const DAMAGED: &str = "damaged";

/// The label of what is damaged today.
pub(super) fn damaged_label() -> String {
    format!("{DAMAGED}-{}", jiff::Zoned::now().date())
}

/// Renames a file to `<stem>-<label>.jsonl`, with a number when there is one already.
pub(super) fn rename_free(path: &Path, label: &str) -> std::io::Result<PathBuf> {
    free_name(path, label, |target| {
        // A hard link fails when the target exists, unlike a rename, so nothing can be overwritten.
        match std::fs::hard_link(path, target) {
            Ok(()) => std::fs::remove_file(path),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(e),
            // File systems without hard links.
            Err(_) if !target.exists() => std::fs::rename(path, target),
            Err(e) => Err(e),
        }
    })
}

/// Writes a new file beside another, named as by [`rename_free`].
pub(super) fn write_free(path: &Path, label: &str, content: &[u8]) -> std::io::Result<PathBuf> {
    free_name(path, label, |target| own_file::write_new(target, content, true))
}

/// Takes the first name for which `make` does not find a file.
fn free_name(path: &Path, label: &str, make: impl Fn(&Path) -> std::io::Result<()>) -> std::io::Result<PathBuf> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut n = 1_u32;
    loop {
        let suffix = if n == 1 { String::new() } else { format!("-{n}") };
        let target = path.with_file_name(format!("{stem}-{label}{suffix}.jsonl"));
        match make(&target) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => n += 1,
            made => return made.map(|()| target),
        }
    }
}

/// What was set aside of a file because it was damaged.
///
/// # Errors
/// When its folder cannot be read.
pub(crate) fn set_aside(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = beside(path, |suffix| suffix.starts_with(DAMAGED).then_some(()))?;
    found.sort();
    Ok(found.into_iter().map(|((), path)| path).collect())
}

/// Whether a file is what was set aside of another.
#[must_use]
pub(crate) fn is_set_aside(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(&format!("-{DAMAGED}-")))
}

/// What rotation made of a file, oldest first.
///
/// # Errors
/// When its folder cannot be read.
pub(crate) fn rotated(path: &Path) -> Result<Vec<PathBuf>> {
    // `2026-01-02`, `2026-01-02-2`, …: the second of a day comes before its tenth.
    let order = |suffix: &str| {
        let (date, number) = suffix.split_at_checked("2026-01-02".len())?;
        let number = if number.is_empty() { 1 } else { number.strip_prefix('-')?.parse::<u32>().ok()? };
        date.starts_with(|c: char| c.is_ascii_digit()).then(|| (date.to_owned(), number))
    };
    let mut found = beside(path, order)?;
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The files `<stem>-<suffix>.jsonl` beside a file whose suffix `wanted` wants, with what it makes of it.
fn beside<T>(path: &Path, wanted: impl Fn(&str) -> Option<T>) -> Result<Vec<(T, PathBuf)>> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|stem| stem.to_str())) else {
        return Ok(Vec::new());
    };
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(folder, &e)),
    };
    let suffix = |name: &str| wanted(name.strip_suffix(".jsonl")?.strip_prefix(stem)?.strip_prefix('-')?);
    Ok(entries.flatten().filter_map(|entry| Some((suffix(entry.file_name().to_str()?)?, entry.path()))).collect())
}
