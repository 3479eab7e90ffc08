//! A JSON-lines file that several processes append to: locked appends, cheap tails, rotation that overwrites nothing.
//!
//! A host waits for some of this, whatever has become of the file: nothing is read without a bound, and what is damaged is
//! set aside as `<name>-damaged-<date>.jsonl`.

use std::{
    fs::{File, TryLockError},
    io::{ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use memchr::{memchr_iter, memrchr};
use parking_lot::Mutex;

use crate::{
    error::{Code, Error, Result},
    own_file,
};

/// Bytes read at a time from the end of the file.
const BLOCK: u64 = 16 * 1024;

/// Longest line that a tail shows, in bytes. No record of ours is as long, however its fields are written.
const MAX_LINE: u64 = 128 * 1024;

/// Most bytes read for a tail.
const MAX_TAIL: u64 = 16 << 20;

/// What the name of a damaged file has more.
const DAMAGED: &str = "damaged";

/// How long [`soon`] tries to get a file that another process holds: as long as an append usually takes, several times
/// over.
const PATIENCE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_micros(100);

/// Lines that [`soon`] has left to a thread and that are not written yet.
static LATER: AtomicUsize = AtomicUsize::new(0);

/// What happened to files and was not told yet.
static NOTICES: Mutex<Vec<String>> = Mutex::new(Vec::new());
const MAX_NOTICES: usize = 100;

/// A file that this process holds, until it is dropped.
#[derive(Debug)]
pub struct Locked {
    file: File,
    path: PathBuf,
}

impl Locked {
    /// Waits until no other process holds the file. Creates it, and its folder, when there is none.
    fn open(path: &Path) -> Result<Self> {
        Self::open_by(path, File::lock).map_err(|e| Error::io(path, &e))
    }

    /// As [`Self::open`], within [`PATIENCE`]; none when another process held the file.
    fn open_soon(path: &Path) -> Result<Option<Self>> {
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
    pub fn last_line(&mut self) -> Result<Option<String>> {
        self.run(|file, _| Ok(last_lines(file, 1)?.pop()))
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

    /// This file, or a new one when nothing can be appended to it because its end is damaged. It is then set aside.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn or_new(mut self) -> Result<Self> {
        match self.mend() {
            Err(error) if error.code == Code::Corrupt => {
                let aside = self.run(|_, path| rename_free(path, &damaged_label()))?;
                notice(format!("{}; it was set aside as {}", error.message, aside.display()));
                Self::open(&self.path)
            }
            mended => mended.map(|()| self),
        }
    }

    /// Makes the end of the file the end of a line.
    fn mend(&mut self) -> Result<()> {
        let Some(Torn { start, tail }) = self.run(|file, _| torn_tail(file))? else {
            return Err(Error::new(Code::Corrupt, format!("{} ends in no line of ours", self.path.display()))
                .remedy("It must be damaged: move it away, or cut off its end"));
        };
        if tail.is_empty() {
            return Ok(());
        }
        if serde_json::from_slice::<serde::de::IgnoredAny>(&tail).is_ok() {
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

    /// Renames the file to `<stem>-<date>.jsonl` (`-2`, `-3`, … when that exists) if it holds at least `max_lines` lines, or
    /// more bytes than are ever counted. Gives the new name when it did.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn rotate(&mut self, max_lines: usize, date: &str) -> Result<Option<PathBuf>> {
        self.run(|file, path| rotate_locked(file, path, max_lines, date))
    }

    fn lines(&mut self) -> Result<Vec<String>> {
        self.run(|file, _| file.seek(SeekFrom::Start(0)))?;
        own_file::read_all(&mut self.file, &self.path).map(complete_lines)
    }

    fn run<T>(&mut self, work: impl FnOnce(&mut File, &Path) -> std::io::Result<T>) -> Result<T> {
        work(&mut self.file, &self.path).map_err(|e| Error::io(&self.path, &e))
    }
}

/// Appends one line; see [`Locked::append`]. Concurrent processes lose no line.
///
/// # Errors
/// As [`Locked::append`].
pub fn append(path: &Path, line: &str) -> Result<()> {
    Locked::open(path)?.append(line)
}

/// Appends one line, to a new file when this one is damaged; see [`Locked::or_new`].
///
/// # Errors
/// As [`Locked::append`].
pub fn append_or_begin(path: &Path, line: &str) -> Result<()> {
    Locked::open(path)?.or_new()?.append(line)
}

/// Rotates the file when it is full; see [`Locked::rotate`].
///
/// # Errors
/// As [`Locked::append`].
pub fn rotate(path: &Path, max_lines: usize, date: &str) -> Result<Option<PathBuf>> {
    Locked::open(path)?.rotate(max_lines, date)
}

/// Does `work` on the file for a caller that must not wait: while another process holds it, a thread of its own does.
///
/// # Errors
/// What `work` says, and when the file cannot be opened; what goes wrong on that thread is logged.
pub fn soon(path: &Path, work: impl FnOnce(Locked) -> Result<()> + Send + 'static) -> Result<()> {
    if let Some(locked) = Locked::open_soon(path)? {
        return work(locked);
    }
    let owned = path.to_owned();
    let pending = Pending::new();
    let later = move || {
        if let Err(error) = Locked::open(&owned).and_then(work) {
            notice(format!("a line was not written: {error}"));
        }
        drop(pending);
    };
    let waits = std::thread::Builder::new().name("memory-append".to_owned()).spawn(later);
    waits.map(drop).map_err(|e| Error::io(path, &e))
}

/// Waits until what [`soon`] left to threads is written, at most `limit`: a process that ends takes its threads along.
/// Whether all of it was written.
pub fn settle(limit: Duration) -> bool {
    let until = Instant::now() + limit;
    while LATER.load(Ordering::Acquire) > 0 {
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    true
}

/// One line in [`LATER`], counted until it is dropped, however its thread ends.
struct Pending;

impl Pending {
    fn new() -> Self {
        LATER.fetch_add(1, Ordering::AcqRel);
        Self
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        LATER.fetch_sub(1, Ordering::AcqRel);
    }
}

/// What happened to files since this was called last: damage that was set aside, lines that could not be written later.
#[must_use]
pub fn take_notices() -> Vec<String> {
    std::mem::take(&mut *NOTICES.lock())
}

fn notice(text: String) {
    let mut notices = NOTICES.lock();
    if notices.len() < MAX_NOTICES {
        notices.push(text);
    }
}

fn rotate_locked(file: &mut File, path: &Path, max_lines: usize, date: &str) -> std::io::Result<Option<PathBuf>> {
    if file.metadata()?.len() <= own_file::MAX_BYTES && count_lines(file)? < max_lines {
        return Ok(None);
    }
    rename_free(path, date).map(Some)
}

fn damaged_label() -> String {
    format!("{DAMAGED}-{}", jiff::Zoned::now().date())
}

/// Renames a file to `<stem>-<label>.jsonl`, with a number when there is one already.
fn rename_free(path: &Path, label: &str) -> std::io::Result<PathBuf> {
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
fn write_free(path: &Path, label: &str, content: &[u8]) -> std::io::Result<PathBuf> {
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
pub fn set_aside(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = beside(path, |suffix| suffix.starts_with(DAMAGED).then_some(()))?;
    found.sort();
    Ok(found.into_iter().map(|((), path)| path).collect())
}

/// Whether a file is what was set aside of another.
#[must_use]
pub fn is_set_aside(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem.to_string_lossy().contains(&format!("-{DAMAGED}-")))
}

/// What rotation made of a file, oldest first.
///
/// # Errors
/// When its folder cannot be read.
pub fn rotated(path: &Path) -> Result<Vec<PathBuf>> {
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

/// As [`tail`], going on in the last rotated file where this one has fewer lines.
///
/// # Errors
/// As [`tail`] and [`rotated`].
pub fn tail_over_rotation(path: &Path, n: usize) -> Result<Vec<String>> {
    let mut lines = tail(path, n)?;
    if lines.len() < n
        && let Some(before) = rotated(path)?.last()
    {
        lines.splice(0..0, tail(before, n - lines.len())?);
    }
    Ok(lines)
}

/// The last `n` complete lines, oldest first. Reads only the end of the file, and passes over what is too long to be an
/// entry.
///
/// # Errors
/// When the file exists but cannot be read.
pub fn tail(path: &Path, n: usize) -> Result<Vec<String>> {
    let read = || match own_file::open(path)? {
        Some(mut file) => last_lines(&mut file, n),
        None => Ok(Vec::new()),
    };
    read().map_err(|e| Error::io(path, &e))
}

fn last_lines(file: &mut File, n: usize) -> std::io::Result<Vec<String>> {
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
    if start > 0 && !lines.is_empty() {
        // It began before what was read.
        lines.remove(0);
    }
    let wanted = lines.split_off(lines.len().saturating_sub(n));
    let entries = wanted.into_iter().filter(|line| line.len() as u64 <= MAX_LINE);
    Ok(entries.map(|line| String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()).collect())
}

/// All complete lines; none when there is no file.
///
/// # Errors
/// When the file exists but cannot be read, or is far too large.
pub fn all(path: &Path) -> Result<Vec<String>> {
    Ok(complete_lines(own_file::read(path)?.unwrap_or_default()))
}

/// Changes the file as a whole: `change` gets its complete lines and gives the new ones, or none to leave it alone.
///
/// The new content gets its name in one step, so that a crash leaves the old file or the new one.
///
/// # Errors
/// As [`append`], and [`Code::Corrupt`] when the file is far too large.
pub fn update(path: &Path, change: impl FnOnce(Vec<String>) -> Option<Vec<String>>) -> Result<()> {
    let mut locked = Locked::open(path)?;
    let lines = locked.lines()?;
    let Some(lines) = change(lines) else { return Ok(()) };
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    locked.run(|_, path| own_file::replace(path, text.as_bytes()))
}

/// Gives `keep` the complete lines and removes the file when it has kept them.
///
/// # Errors
/// As [`append`], and what `keep` says.
pub fn take(path: &Path, keep: impl FnOnce(Vec<String>) -> Result<()>) -> Result<()> {
    let mut locked = Locked::open(path)?;
    keep(locked.lines()?)?;
    locked.run(|_, path| std::fs::remove_file(path))
}

fn complete_lines(mut bytes: Vec<u8>) -> Vec<String> {
    bytes.truncate(memrchr(b'\n', &bytes).map_or(0, |at| at + 1));
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// Whether the name still means this open file.
#[cfg(unix)]
pub(super) fn still_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.ino() == b.ino() && a.dev() == b.dev(),
        _ => false,
    }
}

/// Whether the name still means this open file.
#[cfg(not(unix))]
pub(super) fn still_named(_: &File, path: &Path) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Path) -> Vec<String> {
        std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn concurrent_writers_lose_no_line_over_a_rotation() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for n in 0..100 {
                        append(path, &format!("[{writer},{n}]")).unwrap();
                        rotate(path, 50, "2026-01-02").unwrap();
                    }
                });
            }
        });
        let mut all: Vec<String> =
            std::fs::read_dir(dir.path()).unwrap().flat_map(|entry| lines(&entry.unwrap().path())).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 400);
        assert!(dir.path().join("x-2026-01-02.jsonl").exists());
        assert!(dir.path().join("x-2026-01-02-2.jsonl").exists());
    }

    #[test]
    fn the_tail_goes_on_in_the_last_rotated_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        let days = ["-2026-01-02", "-2026-01-02-2", "-2026-01-02-10", "-notes"];
        for (n, day) in days.iter().enumerate() {
            std::fs::write(dir.path().join(format!("x{day}.jsonl")), format!("[{n},0]\n[{n},1]\n")).unwrap();
        }
        assert_eq!(rotated(&path).unwrap().len(), 3);
        assert_eq!(tail_over_rotation(&path, 3).unwrap(), ["[2,0]", "[2,1]"]);
        append(&path, "[9,0]").unwrap();
        assert_eq!(tail_over_rotation(&path, 2).unwrap(), ["[2,1]", "[9,0]"]);
        assert_eq!(tail_over_rotation(&path, 1).unwrap(), ["[9,0]"]);
    }

    // A command of one turn ended while another process held the file, and its line was lost.
    #[test]
    fn who_ends_waits_for_the_lines_that_are_still_to_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        let held = Locked::open(&path).unwrap();
        soon(&path, |mut file| file.append("[1]")).unwrap();
        assert!(!settle(Duration::from_millis(20)));
        drop(held);
        assert!(settle(Duration::from_secs(60)));
        assert_eq!(lines(&path), ["[1]"]);
    }

    #[test]
    fn a_torn_last_line_is_cut_and_a_complete_one_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        std::fs::write(&path, "{\"a\":1}\n{\"a\":2").unwrap();
        append(&path, "{\"a\":3}").unwrap();
        assert_eq!(lines(&path), ["{\"a\":1}", "{\"a\":3}"]);
        std::fs::write(&path, "{\"a\":1}\n{\"a\":2}").unwrap();
        append(&path, "{\"a\":3}").unwrap();
        assert_eq!(lines(&path), ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
    }

    /// The names in a folder, in order.
    fn names(dir: &tempfile::TempDir) -> Vec<String> {
        let entries = std::fs::read_dir(dir.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    // A block of zeros of some hundred megabytes at the end of a file, or a line of that length, held the event loop for
    // half a minute at each turn: with each step back all of it was copied and counted again.
    #[test]
    fn an_end_that_is_no_line_is_set_aside_unread() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        std::fs::write(&path, "[1]\n").unwrap();
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(tail(&path, 20).unwrap(), [""; 0]);
        let refused = append(&path, "[2]").unwrap_err();
        assert!(refused.code == Code::Corrupt && refused.remedy.is_some(), "{refused:?}");
        append_or_begin(&path, "[2]").unwrap();
        assert_eq!(lines(&path), ["[2]"]);
        let aside = set_aside(&path).unwrap();
        assert_eq!((aside.len(), aside[0].metadata().unwrap().len()), (1, 1 << 40));
        assert!(is_set_aside(&aside[0]) && !is_set_aside(&path));
        assert!(rotated(&path).unwrap().is_empty());
        assert!(take_notices().iter().any(|notice| notice.contains("set aside") && notice.contains("x.jsonl")));
    }

    #[test]
    fn damage_behind_good_lines_costs_none_of_them() {
        for (damage, is_kept) in [(vec![0; 5000], false), (b"\0\0{\"a\":\xff\xff#####".to_vec(), true)] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("x.jsonl");
            std::fs::write(&path, [b"[1]\n[2]\n".as_slice(), &damage].concat()).unwrap();
            append(&path, "[3]").unwrap();
            assert_eq!(lines(&path), ["[1]", "[2]", "[3]"]);
            let aside = set_aside(&path).unwrap();
            assert_eq!(aside.len(), usize::from(is_kept));
            assert!(aside.iter().all(|file| std::fs::read(file).unwrap() == damage));
        }
    }

    #[test]
    fn a_line_too_long_to_be_an_entry_is_passed_over_and_its_file_rotated_without_counting() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        let long = format!("[\"{}\"]", "y".repeat(200_000));
        std::fs::write(&path, format!("[1]\n{long}\n[2]\n")).unwrap();
        assert_eq!(tail(&path, 3).unwrap(), ["[1]", "[2]"]);
        assert_eq!(tail(&path, 2).unwrap(), ["[2]"]);
        File::options().write(true).open(&path).unwrap().set_len(own_file::MAX_BYTES + 1).unwrap();
        assert!(update(&path, |_| None).is_err());
        rotate(&path, usize::MAX, "2026-01-02").unwrap().unwrap();
        assert_eq!(names(&dir), ["x-2026-01-02.jsonl"]);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_is_the_owners_whatever_the_umask_says() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/er/x.jsonl");
        let is_private = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o077 == 0;
        append(&path, "[1]").unwrap();
        // As an earlier version left it.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        append(&path, "[2]").unwrap();
        update(&path, Some).unwrap();
        assert!([dir.path().join("deep"), dir.path().join("deep/er"), path].iter().all(|path| is_private(path)));
    }

    #[test]
    fn the_tail_skips_a_torn_line_and_reads_over_block_borders() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        let long = "y".repeat(50_000);
        let text: String = (0..10).map(|n| format!("[{n},\"{long}\"]\n")).collect();
        std::fs::write(&path, text + "[10,").unwrap();
        let last = tail(&path, 3).unwrap();
        assert_eq!(last.len(), 3);
        assert!(last[0].starts_with("[7,") && last[2].starts_with("[9,"));
        assert!(tail(&dir.path().join("none.jsonl"), 3).unwrap().is_empty());
    }
}
