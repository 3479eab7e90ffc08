//! Lines that are no entries, wherever they stand: they are set aside and told, never passed over without a word.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use parking_lot::Mutex;

use super::{
    MAX_LINE,
    locked::Locked,
    names::{damaged_label, write_free},
};
use model::{
    error::{Error, Result},
    own_file,
};

/// What happened to files and was not told yet.
static NOTICES: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MAX_NOTICES: usize = 100;

/// Files that a thread mends, or could not: it is tried once.
static MENDING: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);

/// What happened to files since this was called last: damage that was set aside, lines that could not be written later.
#[must_use]
pub fn take_notices() -> Vec<String> {
    std::mem::take(&mut *NOTICES.lock())
}

/// Keeps something to be told.
pub(in crate::capture) fn notice(text: String) {
    let mut notices = NOTICES.lock();
    if notices.len() < MAX_NOTICES {
        notices.push(text);
    }
}

/// Whether a line can be one of ours: JSON of bounded length. An empty one is nothing, and no damage.
pub(super) fn is_entry(line: &[u8]) -> bool {
    let is_json = || {
        let text = std::str::from_utf8(line).map(str::trim);
        text.is_ok_and(|text| text.is_empty() || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok())
    };
    line.len() as u64 <= MAX_LINE && is_json()
}

/// Whether a file has complete lines that are no entries.
///
/// # Errors
/// When it cannot be read, or is far too large.
pub(crate) fn has_damage(path: &Path) -> Result<bool> {
    Ok(!split(&own_file::read(path)?.unwrap_or_default()).1.is_empty())
}

/// Sets complete lines that are no entries aside; gives their number. What a write that goes on leaves at the end is not
/// looked at, see [`Locked::append`].
///
/// # Errors
/// When the file cannot be read or written, or is far too large.
pub(crate) fn mend(path: &Path) -> Result<usize> {
    if !path.exists() {
        return Ok(0);
    }
    let mut locked = Locked::open(path)?;
    let bytes = locked.bytes()?;
    let (whole, broken) = split(&bytes);
    if broken.is_empty() {
        return Ok(0);
    }
    let count = write_aside(path, &broken)?;
    locked.run(|_, path| own_file::replace(path, &whole))?;
    Ok(count)
}

/// Writes lines of a file that are no entries beside it, and says so; gives their number.
pub(in crate::capture) fn write_aside(path: &Path, broken: &[u8]) -> Result<usize> {
    let count = broken.split_inclusive(|byte| *byte == b'\n').count();
    let aside = write_free(path, &damaged_label(), broken).map_err(|e| Error::io(path, &e))?;
    let (path, aside) = (path.display(), aside.display());
    notice(match count {
        1 => format!("1 line of {path} was no entry; it was set aside as {aside}"),
        _ => format!("{count} lines of {path} were no entries; they were set aside as {aside}"),
    });
    Ok(count)
}

/// Mends a file on a thread of its own: whoever noticed the damage must not wait.
pub(super) fn mend_later(path: &Path) {
    if !MENDING.lock().get_or_insert_default().insert(path.to_owned()) {
        return;
    }
    let owned = path.to_owned();
    let work = move || match mend(&owned) {
        Ok(_) => {
            MENDING.lock().get_or_insert_default().remove(&owned);
        }
        Err(error) => notice(format!("damaged lines are passed over: {error}")),
    };
    // Without a thread they are passed over now, and mended by the next status.
    let _ = std::thread::Builder::new().name("memory-mend".to_owned()).spawn(work);
}

/// The lines that may be entries with what follows the last line feed, and the complete lines that are none.
fn split(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut whole, mut broken) = (Vec::with_capacity(bytes.len()), Vec::new());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.ends_with(b"\n") && !is_entry(line) {
            broken.extend_from_slice(line)
        } else {
            whole.extend_from_slice(line)
        }
    }
    (whole, broken)
}

/// A file that was set aside because it, or a part of another, was damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Where it lies.
    pub path: PathBuf,
    /// How many lines it has; none when it is far too large to be counted.
    pub lines: Option<usize>,
}

impl SetAside {
    /// What is known of such a file.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        let bytes = own_file::read(&path).ok().flatten();
        let lines = bytes.map(|bytes| bytes.split_inclusive(|byte| *byte == b'\n').count());
        Self { path, lines }
    }
}
