//! A JSON-lines file that several processes append to: locked appends, cheap tails, rotation that overwrites nothing.
//!
//! A host waits for some of this, whatever has become of the file: nothing is read without a bound, and what is damaged is
//! set aside as `<name>-damaged-<date>.jsonl`.

mod damage;
mod later;
mod locked;
mod names;
mod tail;

use std::path::Path;

use memchr::memrchr;

use model::{error::Result, own_file};

pub use damage::{SetAside, take_notices};
pub(crate) use damage::{has_damage, mend};
pub(super) use damage::{notice, write_aside};
pub use later::{settle, settled, soon, written};
pub(crate) use locked::Locked;
pub(super) use locked::still_named;
pub(crate) use names::{is_set_aside, rotated, set_aside};
#[cfg(test)]
pub(crate) use tail::tail;
pub(crate) use tail::tail_over_rotation;

/// Bytes read at a time.
const BLOCK: u64 = 16 * 1024;

/// Longest line of ours, in bytes. No record is as long, however its fields are written.
const MAX_LINE: u64 = 128 * 1024;

/// What editors may put before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Appends one line; see [`Locked::append`]. Concurrent processes lose no line.
///
/// # Errors
/// As [`Locked::append`].
pub fn append(path: &Path, line: &str) -> Result<()> {
    Locked::open(path)?.append(line)
}

/// All complete lines; none when there is no file. What follows the last line feed counts when it is a whole entry: editors
/// may leave the line feed out.
///
/// # Errors
/// When the file exists but cannot be read, or is far too large.
pub fn all(path: &Path) -> Result<Vec<String>> {
    Ok(complete_lines(own_file::read(path)?.unwrap_or_default()))
}

/// Changes the file as a whole: `change` gets its complete lines and gives the new ones, or none to leave it alone.
///
/// The new content gets its name in one step, so that a crash leaves the old file or the new one. A torn last line goes as in
/// [`Locked::append`].
///
/// # Errors
/// As [`append`], and [`Code::Corrupt`] when the file is far too large.
pub fn update(path: &Path, change: impl FnOnce(Vec<String>) -> Option<Vec<String>>) -> Result<()> {
    Locked::open(path)?.change(change)
}

fn complete_lines(mut bytes: Vec<u8>) -> Vec<String> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let end = memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    if !bytes.get(end..).is_some_and(|last| !last.trim_ascii().is_empty() && damage::is_entry(last)) {
        bytes.truncate(end);
    }
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
