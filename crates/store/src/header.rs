//! The first 100 bytes of a database file. Most of them are the same in every file of ours, so that damage there can be
//! seen, and be undone in a copy. <https://www.sqlite.org/fileformat.html#the_database_header>

use std::{
    fs::File,
    io::{BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use super::{
    recover::with_suffix,
    schema::{APPLICATION_ID, VERSION},
};

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// 4096 bytes.
const PAGE_SIZE: [u8; 2] = [0x10, 0];
const PAGE_BYTES: i64 = 4096;
/// Bytes of a log before its first frame.
const LOG_HEADER: i64 = 32;
/// Write-ahead log, for writing and reading.
const WAL: [u8; 2] = [2, 2];
/// No reserved bytes in a page, and the only payload fractions there are.
const LAYOUT: [u8; 4] = [0, 64, 32, 32];

/// The header as it lies on disk, which a log beside the file may replace.
pub(super) struct Header([u8; 100]);

impl Header {
    /// The header of a file; none when it cannot be read or is too short.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut bytes = [0; 100];
        File::open(path).ok()?.read_exact(&mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The latest header that the log beside a file holds of it; none when there is none. Only the frames that can be
    /// told apart are looked at: whether they count is for SQLite to say.
    /// <https://www.sqlite.org/fileformat.html#the_write_ahead_log>
    pub(super) fn of_log(path: &Path) -> Option<Self> {
        let mut log = BufReader::new(File::open(with_suffix(path, "-wal")).ok()?);
        let mut latest = None;
        log.seek_relative(LOG_HEADER).ok()?;
        let mut frame = [0; 24];
        while log.read_exact(&mut frame).is_ok() {
            let mut skip = PAGE_BYTES;
            if frame[..4] == 1u32.to_be_bytes() {
                let mut bytes = [0; 100];
                log.read_exact(&mut bytes).ok()?;
                skip -= 100;
                latest = Some(Self(bytes));
            }
            log.seek_relative(skip).ok()?;
        }
        latest
    }

    /// Whether it says that the file is a database of ours.
    pub(super) fn is_ours(&self) -> bool {
        self.0.starts_with(MAGIC) && self.number(68) == APPLICATION_ID
    }

    /// The `user_version`.
    pub(super) fn version(&self) -> i32 {
        self.number(60)
    }

    /// The size of the file that it names, in bytes.
    pub(super) fn size(&self) -> u64 {
        u64::from(self.number(28).cast_unsigned()) * 4096
    }

    /// Whether the bytes that are the same in every file of ours are whole.
    pub(super) fn is_whole(&self) -> bool {
        let modes = self.0[18..20].iter().all(|mode| [1, 2].contains(mode));
        self.0.starts_with(MAGIC) && self.0[16..18] == PAGE_SIZE && modes && self.0[20..24] == LAYOUT
    }

    /// Puts what is known of every file of ours in its place; false when it was there, as far as reading needs it.
    pub(super) fn repair(&mut self) -> bool {
        let before = self.0;
        let mut set = |at: usize, bytes: &[u8]| self.0[at..at + bytes.len()].copy_from_slice(bytes);
        set(0, MAGIC);
        set(16, &PAGE_SIZE);
        set(18, &WAL);
        set(20, &LAYOUT);
        // Schema format and UTF-8.
        set(44, &4u32.to_be_bytes());
        set(56, &1u32.to_be_bytes());
        set(60, &VERSION.to_be_bytes());
        set(68, &APPLICATION_ID.to_be_bytes());
        // The number of pages is then taken from the size of the file.
        set(28, &[0; 4]);
        self.0[..28] != before[..28] || self.0[32..] != before[32..]
    }

    /// Writes it to a file.
    pub(super) fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut file = File::options().write(true).open(path)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&self.0)
    }

    fn number(&self, at: usize) -> i32 {
        i32::from_be_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }
}
