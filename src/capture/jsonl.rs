//! A JSON-lines file that several processes append to: locked appends, cheap tails, rotation that overwrites nothing.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{ErrorKind, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use crate::error::{Error, Result};

/// Bytes read at a time from the end of the file.
const BLOCK: u64 = 16 * 1024;

/// How long [`soon`] tries to get a file that another process holds: as long as an append usually takes, several times
/// over.
const PATIENCE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_micros(100);

/// Lines that [`soon`] has left to a thread and that are not written yet.
static LATER: AtomicUsize = AtomicUsize::new(0);

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
            let file = open_or_create(path)?;
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
    /// [`crate::error::Code::Io`], `MEM_DISK_FULL` or `MEM_READ_ONLY` when the file cannot be written.
    pub fn append(&mut self, line: &str) -> Result<()> {
        self.run(|file, _| {
            repair_torn_tail(file)?;
            file.seek(SeekFrom::End(0))?;
            let mut entry = Vec::with_capacity(line.len() + 1);
            entry.extend_from_slice(line.as_bytes());
            entry.push(b'\n');
            // One write, so that a reader sees the whole line or none of it.
            file.write_all(&entry)
        })
    }

    /// Bytes of the file.
    ///
    /// # Errors
    /// When the file system does not say.
    pub fn size(&mut self) -> Result<u64> {
        self.run(|file, _| Ok(file.metadata()?.len()))
    }

    /// Renames the file to `<stem>-<date>.jsonl` (`-2`, `-3`, … when that exists) if it holds at least `max_lines` lines.
    /// Gives the new name when it did.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn rotate(&mut self, max_lines: usize, date: &str) -> Result<Option<PathBuf>> {
        self.run(|file, path| rotate_locked(file, path, max_lines, date))
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
            tracing::warn!(path = %owned.display(), %error, "a line was not written");
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

fn open_or_create(path: &Path) -> std::io::Result<File> {
    let open = || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    match (open(), path.parent()) {
        (Err(e), Some(folder)) if e.kind() == ErrorKind::NotFound => {
            std::fs::create_dir_all(folder)?;
            open()
        }
        (opened, _) => opened,
    }
}

fn rotate_locked(file: &mut File, path: &Path, max_lines: usize, date: &str) -> std::io::Result<Option<PathBuf>> {
    if count_lines(file)? < max_lines {
        return Ok(None);
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    for n in 1_u32.. {
        let suffix = if n == 1 { String::new() } else { format!("-{n}") };
        let target = path.with_file_name(format!("{stem}-{date}{suffix}.jsonl"));
        // A hard link fails when the target exists, unlike a rename, so nothing can be overwritten.
        match std::fs::hard_link(path, &target) {
            Ok(()) => {
                std::fs::remove_file(path)?;
                return Ok(Some(target));
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(_) if !target.exists() => {
                // File systems without hard links.
                std::fs::rename(path, &target)?;
                return Ok(Some(target));
            }
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

/// What rotation made of a file, oldest first.
///
/// # Errors
/// When its folder cannot be read.
pub fn rotated(path: &Path) -> Result<Vec<PathBuf>> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem().and_then(|stem| stem.to_str())) else {
        return Ok(Vec::new());
    };
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(Error::io(folder, &e)),
    };
    // `-2026-01-02`, `-2026-01-02-2`, …: the second of a day comes before its tenth.
    let order = |name: &str| {
        let suffix = name.strip_suffix(".jsonl")?.strip_prefix(stem)?.strip_prefix('-')?;
        let (date, number) = suffix.split_at_checked("2026-01-02".len())?;
        let number = if number.is_empty() { 1 } else { number.strip_prefix('-')?.parse::<u32>().ok()? };
        date.starts_with(|c: char| c.is_ascii_digit()).then(|| (date.to_owned(), number))
    };
    let mut found: Vec<_> =
        entries.flatten().filter_map(|entry| Some((order(entry.file_name().to_str()?)?, entry.path()))).collect();
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
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

/// The last `n` complete lines, oldest first. Reads only the end of the file.
///
/// # Errors
/// When the file exists but cannot be read.
pub fn tail(path: &Path, n: usize) -> Result<Vec<String>> {
    match File::open(path) {
        Ok(mut file) => last_lines(&mut file, n).map_err(|e| Error::io(path, &e)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(Error::io(path, &e)),
    }
}

fn last_lines(file: &mut File, n: usize) -> std::io::Result<Vec<String>> {
    let mut start = file.metadata()?.len();
    let mut bytes: Vec<u8> = Vec::new();
    // One line feed more than lines: the one before the first line wanted.
    while start > 0 && bytes.iter().filter(|b| **b == b'\n').count() <= n {
        let step = BLOCK.min(start);
        start -= step;
        file.seek(SeekFrom::Start(start))?;
        let mut block = vec![0; usize::try_from(step).unwrap_or(0)];
        file.read_exact(&mut block)?;
        block.append(&mut bytes);
        bytes = block;
    }
    let end = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    bytes.truncate(end);
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines.iter().skip(lines.len().saturating_sub(n)).map(|l| (*l).to_owned()).collect())
}

/// Changes the file as a whole: `change` gets its complete lines and gives the new ones, or none to leave it alone.
///
/// The new content gets its name in one step, so that a crash leaves the old file or the new one.
///
/// # Errors
/// As [`append`].
pub fn update(path: &Path, change: impl FnOnce(Vec<String>) -> Option<Vec<String>>) -> Result<()> {
    Locked::open(path)?.run(|file, path| {
        let Some(lines) = change(complete_lines(file)?) else { return Ok(()) };
        let beside = path.with_extension("jsonl.new");
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        std::fs::write(&beside, text)?;
        std::fs::rename(&beside, path)
    })
}

/// Gives `keep` the complete lines and removes the file when it has kept them.
///
/// # Errors
/// As [`append`], and what `keep` says.
pub fn take(path: &Path, keep: impl FnOnce(Vec<String>) -> Result<()>) -> Result<()> {
    let mut kept = Ok(());
    Locked::open(path)?.run(|file, path| {
        kept = keep(complete_lines(file)?);
        if kept.is_ok() { std::fs::remove_file(path) } else { Ok(()) }
    })?;
    kept
}

fn complete_lines(file: &mut File) -> std::io::Result<Vec<String>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    bytes.truncate(end);
    Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
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

/// Cuts off what follows the last line feed, unless it is complete JSON that only misses it.
fn repair_torn_tail(file: &mut File) -> std::io::Result<()> {
    let len = file.metadata()?.len();
    let mut start = len;
    let mut tail: Vec<u8> = Vec::new();
    while start > 0 {
        let step = BLOCK.min(start);
        file.seek(SeekFrom::Start(start - step))?;
        let mut block = vec![0; usize::try_from(step).unwrap_or(0)];
        file.read_exact(&mut block)?;
        if let Some(at) = block.iter().rposition(|b| *b == b'\n') {
            let mut rest = block.split_off(at + 1);
            rest.append(&mut tail);
            tail = rest;
            start = start - step + at as u64 + 1;
            break;
        }
        block.append(&mut tail);
        tail = block;
        start -= step;
    }
    if tail.is_empty() {
        return Ok(());
    }
    if serde_json::from_slice::<serde::de::IgnoredAny>(&tail).is_ok() {
        file.seek(SeekFrom::End(0))?;
        return file.write_all(b"\n");
    }
    file.set_len(start)
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
        lines += block.get(..n).unwrap_or_default().iter().filter(|b| **b == b'\n').count();
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
