//! Reading on in a transcript file from where the last reading ended. Memory does not grow with the file.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    ops::ControlFlow,
    str::FromStr,
};

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use sha2::{Digest, Sha256};

use crate::workspace::{guard, roots::Located};
use model::error::{Code, Error, Result};

/// Bytes before the cursor that must be the same for the file to count as continued.
const CHECKED_BYTES: u64 = 1024;

/// Longest line that is looked at, in bytes; longer ones hold pictures or the output of tools.
const MAX_LINE_BYTES: u64 = 8 * 1024 * 1024;

/// Where reading goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Bytes read.
    pub offset: u64,
    /// Lines read.
    pub line: u32,
    /// Fingerprint of what stands before.
    check: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{:016x}", self.offset, self.line, self.check)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let mut parts = text.split(':');
        let mut next = || parts.next().ok_or(());
        let offset = next()?.parse().map_err(drop)?;
        let line = next()?.parse().map_err(drop)?;
        let check = u64::from_str_radix(next()?, 16).map_err(drop)?;
        Ok(Self { offset, line, check })
    }
}

/// End of the name of a transcript that the host packed when it set it aside.
pub(crate) const PACKED: &str = ".zst";

/// Bytes read at a time.
const BUFFER: usize = 256 * 1024;

/// What is read.
enum Body {
    Plain(BufReader<File>),
    /// Written once and never continued: read from its beginning to its end.
    Packed(Box<BufReader<StreamingDecoder<File, FrameDecoder>>>),
}

/// A transcript file, open at a cursor.
pub struct Reader {
    body: Body,
    cursor: Cursor,
    /// Whether the file is not the one that the cursor was made for, so that reading began anew.
    pub restarted: bool,
    /// Whether the last line counts although it has no end: nothing is added to a file that was set aside.
    finished: bool,
}

impl Reader {
    /// Opens a file where a cursor points, or at its beginning when it was shortened or written anew.
    ///
    /// # Errors
    /// `NotFound`, `Path` for links and special files, `Io`.
    pub fn open(located: &Located, cursor: Cursor, finished: bool) -> Result<Self> {
        let path = located.absolute();
        let mut file = guard::open(located).map_err(|refusal| refusal.into_error(&path))?;
        if path.extension().is_some_and(|end| PACKED.strip_prefix('.').is_some_and(|packed| end == packed)) {
            let decoder = StreamingDecoder::new(file)
                .map_err(|error| Error::new(Code::Io, format!("{}: {error}", path.display())))?;
            let body = Body::Packed(Box::new(BufReader::with_capacity(BUFFER, decoder)));
            return Ok(Self {
                body,
                cursor: Cursor::default(),
                restarted: cursor != Cursor::default(),
                finished: true,
            });
        }
        let continued = is_continued(&mut file, cursor).map_err(|error| Error::io(&path, &error))?;
        let cursor = if continued { cursor } else { Cursor::default() };
        file.seek(SeekFrom::Start(cursor.offset)).map_err(|error| Error::io(&path, &error))?;
        let body = Body::Plain(BufReader::with_capacity(BUFFER, file));
        Ok(Self { body, cursor, restarted: !continued, finished })
    }

    /// Reads complete lines to the end of the file, or until told to stop. A line at the end that is still being
    /// written is left for the next time.
    ///
    /// # Errors
    /// `Io`, and what the caller gives.
    pub(crate) fn each_line(&mut self, mut each: impl FnMut(u32, &[u8]) -> Result<ControlFlow<()>>) -> Result<()> {
        let failed = |error: io::Error| Error::new(Code::Io, format!("a transcript: {error}"));
        let body: &mut dyn BufRead = match &mut self.body {
            Body::Plain(body) => body,
            Body::Packed(body) => &mut **body,
        };
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut length = (&mut *body).take(MAX_LINE_BYTES).read_until(b'\n', &mut line).map_err(failed)? as u64;
            let mut complete = line.last() == Some(&b'\n');
            if !complete && length == MAX_LINE_BYTES {
                let (skipped, ended) = skip_line(body).map_err(failed)?;
                line.clear();
                (length, complete) = (length + skipped, ended);
            }
            if length == 0 || !(complete || self.finished) {
                return Ok(());
            }
            self.cursor.offset += length;
            self.cursor.line = self.cursor.line.saturating_add(1);
            if each(self.cursor.line, line.trim_ascii())?.is_break() {
                return Ok(());
            }
        }
    }

    /// Where reading goes on next time.
    ///
    /// # Errors
    /// `Io`.
    pub fn cursor(&mut self) -> Result<Cursor> {
        let Body::Plain(body) = &self.body else { return Ok(self.cursor) };
        // Through a second handle, because the buffer of the first one must stay where it is.
        let check = body.get_ref().try_clone().and_then(|mut file| {
            let position = file.stream_position()?;
            let check = fingerprint(&mut file, self.cursor.offset);
            file.seek(SeekFrom::Start(position))?;
            check
        });
        let check = check.map_err(|error| Error::new(Code::Io, format!("a transcript: {error}")))?;
        self.cursor.check = check;
        Ok(self.cursor)
    }
}

/// Leaves out the rest of a line: how long it was, and whether it ended.
fn skip_line(file: &mut dyn BufRead) -> io::Result<(u64, bool)> {
    let mut skipped = 0;
    loop {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            return Ok((skipped, false));
        }
        let (used, ended) =
            buffer.iter().position(|byte| *byte == b'\n').map_or((buffer.len(), false), |at| (at + 1, true));
        file.consume(used);
        skipped += used as u64;
        if ended {
            return Ok((skipped, true));
        }
    }
}

fn is_continued(file: &mut File, cursor: Cursor) -> io::Result<bool> {
    if cursor.offset == 0 {
        return Ok(true);
    }
    Ok(file.metadata()?.len() >= cursor.offset && fingerprint(file, cursor.offset)? == cursor.check)
}

/// Fingerprint of the bytes right before an offset, and of where they stand.
fn fingerprint(file: &mut File, offset: u64) -> io::Result<u64> {
    let start = offset.saturating_sub(CHECKED_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut hash = Sha256::new();
    hash.update(offset.to_le_bytes());
    let mut before = Vec::new();
    file.take(offset - start).read_to_end(&mut before)?;
    hash.update(&before);
    let digest = hash.finalize();
    Ok(digest.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use proptest::prelude::*;

    use super::*;

    struct Fixture {
        folder: tempfile::TempDir,
    }

    impl Fixture {
        fn new(text: &str) -> Self {
            let fixture = Self { folder: tempfile::tempdir().unwrap() };
            fs::write(fixture.folder.path().join("a.jsonl"), text).unwrap();
            fixture
        }

        fn append(&self, text: &str) {
            let mut file = fs::OpenOptions::new().append(true).open(self.folder.path().join("a.jsonl")).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }

        fn read(&self, cursor: Cursor, finished: bool) -> (Vec<(u32, String)>, Cursor, bool) {
            let located = Located { base: self.folder.path().to_owned(), below: "a.jsonl".into() };
            let mut reader = Reader::open(&located, cursor, finished).unwrap();
            let mut lines = Vec::new();
            let collect = |number, line: &[u8]| {
                lines.push((number, String::from_utf8_lossy(line).into_owned()));
                Ok(ControlFlow::Continue(()))
            };
            reader.each_line(collect).unwrap();
            let cursor = reader.cursor().unwrap();
            (lines, cursor, reader.restarted)
        }
    }

    fn numbered(lines: &[(u32, &str)]) -> Vec<(u32, String)> {
        lines.iter().map(|(n, text)| (*n, (*text).to_owned())).collect()
    }

    #[test]
    fn reading_goes_on_where_it_ended_and_waits_for_the_end_of_a_line() {
        let file = Fixture::new("one\n\ntwo");
        let (lines, cursor, _) = file.read(Cursor::default(), false);
        assert_eq!(lines, numbered(&[(1, "one"), (2, "")]));
        file.append(" and a half\r\nthree\n");
        let cursor: Cursor = cursor.to_string().parse().unwrap();
        let (lines, cursor, restarted) = file.read(cursor, false);
        assert_eq!((lines, restarted), (numbered(&[(3, "two and a half"), (4, "three")]), false));
        assert_eq!(file.read(cursor, false).0, numbered(&[]));
    }

    #[test]
    fn a_file_that_was_set_aside_is_read_to_its_last_byte() {
        assert_eq!(Fixture::new("one\ntwo").read(Cursor::default(), true).0, numbered(&[(1, "one"), (2, "two")]));
    }

    #[test]
    fn a_shortened_or_rewritten_file_is_read_anew() {
        let file = Fixture::new("one\ntwo\n");
        let (_, cursor, _) = file.read(Cursor::default(), false);
        for text in ["one\n", "eins\nzwei\ndrei\n"] {
            fs::write(file.folder.path().join("a.jsonl"), text).unwrap();
            let (lines, _, restarted) = file.read(cursor, false);
            assert!(restarted);
            assert_eq!(lines.len(), text.lines().count());
        }
    }

    #[test]
    fn a_packed_transcript_is_read_as_a_whole_and_a_broken_one_is_told() {
        let text = "one\n".repeat(20_000) + "two";
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.deleted.2026-11-20T10-11-12.345Z.zst");
        let located = Located { base: folder.path().to_owned(), below: path.file_name().unwrap().to_owned().into() };
        let packed = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
        assert!(packed.len() < text.len() / 10, "the test would prove nothing otherwise");
        fs::write(&path, &packed).unwrap();
        let read = |cursor: Cursor| {
            let mut reader = Reader::open(&located, cursor, true)?;
            let (mut lines, mut last) = (0, Vec::new());
            reader.each_line(|_, line| {
                (lines, last) = (lines + 1, line.to_vec());
                Ok(ControlFlow::Continue(()))
            })?;
            Ok::<_, Error>((lines, last, reader.restarted, reader.cursor()?))
        };
        let (lines, last, restarted, cursor) = read(Cursor::default()).unwrap();
        assert_eq!((lines, last.as_slice(), restarted), (20_001, b"two".as_slice(), false));
        assert_eq!(cursor.offset, text.len() as u64);
        let (lines, _, restarted, _) = read(cursor).unwrap();
        assert_eq!((lines, restarted), (20_001, true), "it has changed, so nothing of before counts");
        for broken in [&packed[..packed.len() / 2], b"no frame at all"] {
            fs::write(&path, broken).unwrap();
            assert_eq!(read(Cursor::default()).unwrap_err().code(), Code::Io);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = "x".repeat(usize::try_from(MAX_LINE_BYTES).unwrap() + 10);
        let (lines, cursor, _) = Fixture::new(&format!("one\n{long}\nthree\n")).read(Cursor::default(), false);
        assert_eq!(lines, numbered(&[(1, "one"), (2, ""), (3, "three")]));
        assert_eq!(cursor.offset, long.len() as u64 + 11);
    }

    /// The parts of a transcript as they reach the disk: anything at all, with line ends among it.
    fn parts() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = prop_oneof![3 => any::<u8>(), 1 => Just(b'\n'), 1 => Just(b'\r'), 1 => Just(b'"')];
        prop::collection::vec(prop::collection::vec(byte, 0..40), 1..8)
    }

    proptest! {
        #[test]
        fn reading_bit_by_bit_gives_what_reading_at_once_gives(parts in parts(), finished in any::<bool>()) {
            let file = Fixture::new("");
            let path = file.folder.path().join("a.jsonl");
            let mut cursor = Cursor::default();
            let mut followed = Vec::new();
            for (n, part) in parts.iter().enumerate() {
                fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(part).unwrap();
                let is_last = n + 1 == parts.len();
                let (lines, next, restarted) = file.read(cursor, finished && is_last);
                prop_assert!(!restarted);
                followed.extend(lines);
                cursor = next.to_string().parse().unwrap();
            }
            let (at_once, end, _) = file.read(Cursor::default(), finished);
            prop_assert_eq!(&followed, &at_once);
            prop_assert_eq!(cursor, end);
            let bytes: Vec<u8> = parts.concat();
            let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
            let rest = usize::from(finished && bytes.last().is_some_and(|byte| *byte != b'\n'));
            prop_assert_eq!(at_once.len(), ends + rest);
        }

        #[test]
        fn any_cursor_is_none_or_leads_into_the_file(text in "\\PC{0,20}|[0-9]{1,20}:[0-9]{1,10}:[0-9a-f]{1,16}", bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let file = Fixture::new("");
            fs::write(file.folder.path().join("a.jsonl"), &bytes).unwrap();
            if let Ok(cursor) = text.parse() {
                let (_, end, _) = file.read(cursor, true);
                prop_assert_eq!(end.offset, bytes.len() as u64);
            }
        }
    }
}
