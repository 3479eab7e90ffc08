//! The end of a file, without reading the rest.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use memchr::{memchr_iter, memrchr};

use super::{
    BLOCK, MAX_LINE,
    damage::{is_entry, mend_later},
    rotated,
};
use model::{
    error::{Error, Result},
    own_file,
};

/// Most bytes read for a tail.
const MAX_TAIL: u64 = 16 << 20;

/// As [`tail`], going on in the last rotated file where this one has fewer lines.
///
/// # Errors
/// As [`tail`] and [`rotated`].
pub(crate) fn tail_over_rotation(path: &Path, n: usize) -> Result<Vec<String>> {
    let mut lines = tail(path, n)?;
    if lines.len() < n
        && let Some(before) = rotated(path)?.last()
    {
        lines.splice(0..0, tail(before, n - lines.len())?);
    }
    Ok(lines)
}

/// The last `n` complete lines, oldest first. Reads only the end of the file, and has what is no entry set
/// aside.
///
/// # Errors
/// When the file exists but cannot be read.
pub(crate) fn tail(path: &Path, n: usize) -> Result<Vec<String>> {
    let read = || match own_file::open(path)? {
        Some(mut file) => last_lines(&mut file, n),
        None => Ok(Tail::default()),
    };
    let Tail { lines, is_damaged } = read().map_err(|e| Error::io(path, &e))?;
    if is_damaged {
        mend_later(path);
    }
    Ok(lines)
}

/// What was found at the end of a file.
#[derive(Default)]
pub(super) struct Tail {
    /// Entries, oldest first.
    pub lines: Vec<String>,
    /// Whether there were lines among them that are none.
    pub is_damaged: bool,
}

pub(super) fn last_lines(file: &mut File, n: usize) -> std::io::Result<Tail> {
    let mut start = file.metadata()?.len();
    let most = (n as u64).saturating_add(1).saturating_mul(MAX_LINE).min(MAX_TAIL);
    let floor = start.saturating_sub(most);
    // The last block first.
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut feeds = 0;
    // One line feed more than lines: the one before the first line wanted.
    while start > floor && feeds <= n {
        let step = BLOCK.min(start - floor);
        start -= step;
        file.seek(SeekFrom::Start(start))?;
        let mut block = vec![0; usize::try_from(step).unwrap_or(0)];
        file.read_exact(&mut block)?;
        feeds += memchr_iter(b'\n', &block).count();
        blocks.push(block);
    }
    blocks.reverse();
    let bytes = blocks.concat();
    let end = memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    let mut lines: Vec<&[u8]> = bytes.get(..end).unwrap_or_default().split_inclusive(|byte| *byte == b'\n').collect();
    // It began before what was read.
    let cut = if start > 0 && !lines.is_empty() { lines.remove(0) } else { &[] };
    let wanted = lines.split_off(lines.len().saturating_sub(n));
    let (entries, damaged): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|line| is_entry(line));
    let lines = entries.iter().map(|line| String::from_utf8_lossy(line).trim_end().to_owned());
    Ok(Tail {
        lines: lines.filter(|line| !line.is_empty()).collect(),
        is_damaged: !damaged.is_empty() || cut.len() as u64 > MAX_LINE,
    })
}
