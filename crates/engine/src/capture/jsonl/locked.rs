//! A file that this process holds: appending, mending its end, rotating.

use std::{
    fs::{File, TryLockError},
    io::{ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use memchr::{memchr_iter, memrchr};

use super::{
    BLOCK, BYTE_ORDER_MARK, MAX_LINE, complete_lines,
    damage::notice,
    names::{damaged_label, rename_free, write_free},
    tail::last_lines,
};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// How long [`Locked::open_soon`] tries to get a file that another process holds: as long as an append usually takes,
/// several times over.
const PATIENCE: Duration = Duration::from_millis(1);
/// Between two tries.
pub(super) const PAUSE: Duration = Duration::from_micros(100);

/// A file that this process holds, until it is dropped.
#[derive(Debug)]
pub struct Locked {
    file: File,
    path: PathBuf,
}

impl Locked {
    /// Waits until no other process holds the file. Creates it, and its folder, when there is none.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::open_by(path, File::lock).map_err(|e| Error::io(path, &e))
    }

    /// As [`Self::open`], within [`PATIENCE`]; none when another process held the file.
    pub(super) fn open_soon(path: &Path) -> Result<Option<Self>> {
        let until = Instant::now() + PATIENCE;
        let lock = |file: &File| loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
                outcome => return outcome.map_err(std::io::Error::from),
            }
        };
        match Self::open_by(path, lock) {
            Ok(locked) => Ok(Some(locked)),
            Err(e) if e.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(e) => Err(Error::io(path, &e)),
        }
    }

    fn open_by(path: &Path, lock: impl Fn(&File) -> std::io::Result<()>) -> std::io::Result<Self> {
        loop {
            let file = own_file::open_or_create(path)?;
            lock(&file)?;
            if still_named(&file, path) {
                return Ok(Self { file, path: path.to_owned() });
            }
            // Another process rotated the file between open and lock: take the new one.
        }
    }

    /// The last complete line.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn last_line(&mut self) -> Result<Option<String>> {
        self.run(|file, _| Ok(last_lines(file, 1)?.lines.pop()))
    }

    /// Appends one line (without its line feed). A torn last line, left by a crash in the middle of a write, is cut off
    /// first: it never was a complete entry.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when the file ends in something much longer than a line, see [`Self::or_new`]; [`Code::Io`],
    /// `MEM_DISK_FULL` or `MEM_READ_ONLY` when the file cannot be written.
    pub fn append(&mut self, line: &str) -> Result<()> {
        self.mend()?;
        self.run(|file, _| {
            file.seek(SeekFrom::End(0))?;
            let mut entry = Vec::with_capacity(line.len() + 1);
            entry.extend_from_slice(line.as_bytes());
            entry.push(b'\n');
            // One write, so that a reader sees the whole line or none of it.
            file.write_all(&entry)
        })
    }

    /// Takes all lines out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn clear(&mut self) -> Result<()> {
        self.run(|file, _| file.set_len(0))
    }

    /// This file, or a new one when nothing can be appended to it because its end is damaged. It is then set aside.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub(crate) fn or_new(mut self) -> Result<Self> {
        match self.mend() {
            Err(error) if error.code() == Code::Corrupt => {
                self.put_aside(&error.message)?;
                Self::open(&self.path)
            }
            mended => mended.map(|()| self),
        }
    }

    /// Sets the file aside as damaged, and says `why`.
    ///
    /// # Errors
    /// When it cannot be renamed.
    pub(in crate::capture) fn put_aside(&mut self, why: &str) -> Result<()> {
        let aside = self.run(|_, path| rename_free(path, &damaged_label()))?;
        notice(format!("{why}; it was set aside as {}", aside.display()));
        Ok(())
    }

    /// Makes the end of the file the end of a line.
    pub(super) fn mend(&mut self) -> Result<()> {
        let Some(Torn { start, tail }) = self.run(|file, _| torn_tail(file))? else {
            return Err(Error::new(Code::Corrupt, format!("{} ends in no line of ours", self.path.display()))
                .remedy("It must be damaged: move it away, or cut off its end"));
        };
        if tail.is_empty() {
            return Ok(());
        }
        let line = tail.strip_prefix(BYTE_ORDER_MARK).filter(|_| start == 0).unwrap_or(&tail);
        if serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok() {
            return self.run(|file, _| {
                file.seek(SeekFrom::End(0))?;
                file.write_all(b"\n")
            });
        }
        // The beginning of an entry is what a killed process leaves; everything else is damage.
        if !tail.starts_with(b"{") && !tail.starts_with(b"[") {
            let said = format!("{} bytes at the end of {} were no entry", tail.len(), self.path.display());
            if tail.iter().all(|byte| *byte == 0) {
                notice(format!("{said} and held nothing; they were cut off"));
            } else {
                let aside = self.run(|_, path| write_free(path, &damaged_label(), &tail))?;
                notice(format!("{said}; they were set aside as {}", aside.display()));
            }
        }
        self.run(|file, _| file.set_len(start))
    }

    /// Bytes of the file.
    ///
    /// # Errors
    /// When the file system does not say.
    pub fn size(&mut self) -> Result<u64> {
        self.run(|file, _| Ok(file.metadata()?.len()))
    }

    /// Its lines.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn count(&mut self) -> Result<usize> {
        self.run(|file, _| count_lines(file))
    }

    /// Renames the file to `<stem>-<date>.jsonl` (`-2`, `-3`, … when that exists) if it holds at least `max_lines` lines, or
    /// more bytes than are ever counted. Gives the new name when it did.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub(crate) fn rotate(&mut self, max_lines: usize, date: &str) -> Result<Option<PathBuf>> {
        self.run(|file, path| rotate_locked(file, path, max_lines, date))
    }

    pub(crate) fn lines(&mut self) -> Result<Vec<String>> {
        self.bytes().map(complete_lines)
    }

    /// See [`super::update`]. What is appended to this afterwards is lost, so it ends here.
    pub(in crate::capture) fn change(mut self, change: impl FnOnce(Vec<String>) -> Option<Vec<String>>) -> Result<()> {
        self.mend()?;
        let Some(lines) = change(self.lines()?) else { return Ok(()) };
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        self.run(|_, path| own_file::replace(path, text.as_bytes()))
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>> {
        self.run(|file, _| file.seek(SeekFrom::Start(0)))?;
        own_file::read_all(&mut self.file, &self.path)
    }

    pub(in crate::capture) fn run<T>(
        &mut self,
        work: impl FnOnce(&mut File, &Path) -> std::io::Result<T>,
    ) -> Result<T> {
        work(&mut self.file, &self.path).map_err(|e| Error::io(&self.path, &e))
    }
}

fn rotate_locked(file: &mut File, path: &Path, max_lines: usize, date: &str) -> std::io::Result<Option<PathBuf>> {
    if file.metadata()?.len() <= own_file::MAX_BYTES && count_lines(file)? < max_lines {
        return Ok(None);
    }
    rename_free(path, date).map(Some)
}

fn count_lines(file: &mut File) -> std::io::Result<usize> {
    file.seek(SeekFrom::Start(0))?;
    let mut block = vec![0; usize::try_from(BLOCK).unwrap_or(0)];
    let mut lines = 0;
    loop {
        let n = file.read(&mut block)?;
        if n == 0 {
            return Ok(lines);
        }
        lines += memchr_iter(b'\n', block.get(..n).unwrap_or_default()).count();
    }
}

/// Whether the name still means this open file.
#[cfg(unix)]
pub(in crate::capture) fn still_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.ino() == b.ino() && a.dev() == b.dev(),
        _ => false,
    }
}

/// Whether the name still means this open file.
#[cfg(not(unix))]
pub(in crate::capture) fn still_named(_: &File, path: &Path) -> bool {
    path.exists()
}

/// What follows the last line feed.
struct Torn {
    start: u64,
    tail: Vec<u8>,
}

/// None when it is longer than any line of ours: it is not looked at.
fn torn_tail(file: &mut File) -> std::io::Result<Option<Torn>> {
    let len = file.metadata()?.len();
    // Nearly always the first step, which finds a line feed at the very end, is the last.
    for step in [1, MAX_LINE] {
        let from = len.saturating_sub(step);
        let mut bytes = vec![0; usize::try_from(len - from).unwrap_or(0)];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(&mut bytes)?;
        let at = match memrchr(b'\n', &bytes) {
            Some(at) => at + 1,
            None if from == 0 => 0,
            None => continue,
        };
        return Ok(Some(Torn { start: from + at as u64, tail: bytes.split_off(at) }));
    }
    Ok(None)
}
