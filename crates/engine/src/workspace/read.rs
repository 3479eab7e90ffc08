//! Reading one whole file of the memory for the index.

use std::{
    fs::Metadata,
    io::{self, Read},
    path::Path,
    time::SystemTime,
};

use super::{guard, roots::Roots};
use model::error::{Code, Error, Result};
use model::stamp::{Stamp, mtime_ns};

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 3;

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileText {
    /// As it is in the file, `\r` and NUL included, but for a byte order mark. Bytes that are neither UTF-8 nor UTF-16 became
    /// U+FFFD.
    pub text: String,
    /// Whether there were such bytes; worth a note to the user, the file is indexed all the same.
    pub is_lossy: bool,
    /// Whether it is no text in any encoding, whatever its name says.
    pub is_binary: bool,
    /// What the index should remember of the file, see [`Stamp::UNSETTLED`].
    pub stamp: Stamp,
}

/// Reads a file that discovery found.
///
/// # Errors
/// `NotFound` when it is gone, `Path` when it is outside the memory, a link, no regular file or too large, `Io`.
pub(crate) fn read_text(roots: &Roots, absolute: &Path) -> Result<FileText> {
    let FileBytes { bytes, stamp } = read_bytes(roots, absolute, roots.limits.file_bytes)?;
    let is_binary = is_binary(&bytes);
    let (text, is_lossy) = decode(bytes);
    Ok(FileText { text, is_lossy, is_binary, stamp })
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileBytes {
    /// All of it.
    pub bytes: Vec<u8>,
    /// What the index should remember of the file, see [`Stamp::UNSETTLED`].
    pub stamp: Stamp,
}

/// Reads a file of at most `limit` bytes that discovery found.
///
/// # Errors
/// As [`read_text`].
pub(crate) fn read_bytes(roots: &Roots, absolute: &Path, limit: u64) -> Result<FileBytes> {
    let located = roots
        .locate(absolute)
        .ok_or_else(|| Error::new(Code::Path, format!("{} is outside the memory area", absolute.display())))?;
    let mut attempt = 1;
    loop {
        let mut file = guard::open(&located).map_err(|refusal| refusal.into_error(absolute))?;
        let before = file.metadata().map_err(|error| Error::io(absolute, &error))?;
        let bytes = read_bounded(&mut file, &before, limit, absolute)?;
        let after = file.metadata().map_err(|error| Error::io(absolute, &error))?;
        let is_stable = stamp(&before) == stamp(&after) && bytes.len() as u64 == after.len();
        // A file that never rests, such as a log, is taken as it was: the next look finds it changed.
        if is_stable || attempt == ATTEMPTS {
            let mut stamp = stamp(&after);
            if !is_stable || is_recent(&after) {
                stamp.mtime_ns = Stamp::UNSETTLED;
            }
            return Ok(FileBytes { bytes, stamp });
        }
        attempt += 1;
    }
}

/// Reads at most `limit` bytes; a file that grew beyond it is refused like one that was too large before.
pub(super) fn read_bounded(file: &mut impl Read, metadata: &Metadata, limit: u64, path: &Path) -> Result<Vec<u8>> {
    let expected = usize::try_from(metadata.len().min(limit)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(expected + 1);
    let read: io::Result<usize> = file.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| Error::io(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(Error::new(Code::Path, format!("{} is larger than {limit} bytes", path.display()))
            .remedy("Split the file, or raise plugins.entries.memory-core-rs.config.maxFileBytes"));
    }
    Ok(bytes)
}

/// The byte order mark of UTF-8.
const UTF8_MARK: &[u8] = "\u{feff}".as_bytes();

/// Of this many bytes of a text in UTF-8 not one is NUL; a text with more of them is in another encoding.
const BYTES_FOR_A_NUL: usize = 20;

/// One control character in so many bytes is more than a text in any encoding with letters of one byte or several has; of
/// what is packed or compiled one byte in ten is one.
const BYTES_FOR_A_CONTROL: usize = 20;

/// Whether bytes are no text: a picture, an archive, a program. What a crash left of a note, with NULs to its end, is one, and so
/// is a text in UTF-8 with some NULs in it.
fn is_binary(bytes: &[u8]) -> bool {
    if utf16(bytes).is_some() {
        return false;
    }
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1);
    let body = &bytes[..end];
    // A text may have form feeds, escapes of ISO 2022, and the end mark of DOS.
    let is_control = |byte: &&u8| byte.is_ascii_control() && !matches!(byte, b'\t'..=b'\r' | 0x1A | 0x1B);
    let controls = body.iter().filter(is_control).count();
    let most = if std::str::from_utf8(body).is_ok() { body.len() / 2 } else { body.len() / BYTES_FOR_A_CONTROL };
    controls > most && body.contains(&0)
}

/// Text of bytes, and whether some of it cannot be read.
pub(super) fn decode(mut bytes: Vec<u8>) -> (String, bool) {
    if let Some((read, body)) = utf16(&bytes) {
        let (units, rest) = body.as_chunks::<2>();
        let units: Vec<u16> = units.iter().map(|&unit| read(unit)).collect();
        let text = String::from_utf16(&units);
        let is_lossy = text.is_err() || !rest.is_empty();
        return (text.unwrap_or_else(|_| String::from_utf16_lossy(&units)), is_lossy);
    }
    if bytes.starts_with(UTF8_MARK) {
        bytes.drain(..UTF8_MARK.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let is_other = text.matches('\0').count() * BYTES_FOR_A_NUL > text.len();
            (text, is_other)
        }
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

/// How a unit of UTF-16 is read.
type ReadUnit = fn([u8; 2]) -> u16;

/// How a text in UTF-16 is read, which editors for Windows call Unicode, and where it begins; none of any other text.
pub(crate) fn utf16(bytes: &[u8]) -> Option<(ReadUnit, &[u8])> {
    match bytes {
        [0xFF, 0xFE, body @ ..] => Some((u16::from_le_bytes, body)),
        [0xFE, 0xFF, body @ ..] => Some((u16::from_be_bytes, body)),
        _ => unmarked_utf16(bytes).map(|read| (read, bytes)),
    }
}

/// The same where no mark tells. One of the two bytes of most letters is a control character that no text holds: 0 of
/// Latin, 3 of Greek, 4 of Cyrillic. Spaces and line ends say by their NUL which of the two it is. Other scripts, such as
/// Chinese, are not known so, and are no UTF-8 either.
fn unmarked_utf16(bytes: &[u8]) -> Option<ReadUnit> {
    if !bytes.contains(&0) {
        return None;
    }
    let (units, _) = bytes.as_chunks::<2>();
    let count = |is_meant: fn(u8) -> bool| {
        units.iter().fold((0, 0), |(first, second), unit| {
            (first + usize::from(is_meant(unit[0])), second + usize::from(is_meant(unit[1])))
        })
    };
    let (controls, nuls) = (count(|byte| byte < b' '), count(|byte| byte == 0));
    let is_high = |controls, nuls, other_nuls| controls * 4 >= units.len() * 3 && nuls > 1 && other_nuls * 10 <= nuls;
    if is_high(controls.1, nuls.1, nuls.0) {
        Some(u16::from_le_bytes)
    } else if is_high(controls.0, nuls.0, nuls.1) {
        Some(u16::from_be_bytes)
    } else {
        None
    }
}

fn stamp(metadata: &Metadata) -> Stamp {
    Stamp { size: metadata.len(), mtime_ns: mtime_ns(metadata) }
}

/// Whether a further change could still get the same modification time. File systems count it in steps: mostly a
/// few milliseconds, on some two seconds, which then shows as a whole second.
fn is_recent(metadata: &Metadata) -> bool {
    const FINE_STEP_NS: i64 = 50_000_000;
    const COARSE_STEP_NS: i64 = 2_000_000_000;
    let modified = mtime_ns(metadata);
    let step = if modified % 1_000_000_000 == 0 { COARSE_STEP_NS } else { FINE_STEP_NS };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_nanos());
    // A time in the future comes from a clock that was moved; it says nothing about how fresh the change is.
    let age = i64::try_from(now).unwrap_or(i64::MAX).saturating_sub(modified);
    (0..step).contains(&age)
}

#[cfg(test)]
mod tests {
    use std::{fs, time::Duration};

    use super::*;
    use crate::workspace::roots::Limits;

    fn roots(folder: &Path) -> Roots {
        fs::create_dir_all(folder.join("memory")).expect("folder");
        Roots::new(folder, &[], Limits { file_bytes: 100, ..Limits::default() })
    }

    fn write_old(path: &Path, bytes: &[u8]) {
        fs::write(path, bytes).expect("written");
        let old = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(old)).expect("dated");
    }

    #[test]
    fn text_is_kept_as_it_is() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let roots = roots(folder.path());
        let path = folder.path().join("memory/a.md");
        write_old(&path, b"\xef\xbb\xbf# A\r\nThe zebra is\0 called Konrad.\n");
        let read = read_text(&roots, &path).expect("read");
        // The mark stood before the heading in what a search showed.
        assert_eq!(read.text, "# A\r\nThe zebra is\0 called Konrad.\n");
        assert!(!read.is_lossy);
        assert_eq!(read.stamp.size, 37);
        let metadata = fs::metadata(&path).expect("there");
        assert_eq!(read.stamp.mtime_ns, mtime_ns(&metadata));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced_and_said() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let roots = roots(folder.path());
        let path = folder.path().join("memory/a.md");
        write_old(&path, b"caf\xe9 ok");
        let read = read_text(&roots, &path).expect("read");
        assert_eq!((read.text.as_str(), read.is_lossy), ("caf\u{fffd} ok", true));
        assert_eq!(decode(b"\xef\xbb\xbfcaf\xe9".to_vec()), ("caf\u{fffd}".to_owned(), true));
    }

    // A note that Windows calls Unicode was indexed letter by letter with NUL between, found by nobody, and named nowhere.
    #[test]
    fn utf16_is_read_by_its_mark() {
        let text = "Das Zebra heißt Konrad \u{1F993}\r\n";
        let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
        for (mark, bytes) in [([0xFF, 0xFE], units(u16::to_le_bytes)), ([0xFE, 0xFF], units(u16::to_be_bytes))] {
            let whole = [&mark[..], &bytes].concat();
            assert_eq!(decode(whole.clone()), (text.to_owned(), false));
            let (cut, is_lossy) = decode(whole[..whole.len() - 1].to_vec());
            assert!(is_lossy && cut.starts_with("Das Zebra"), "{cut}");
            assert_eq!(decode(mark.to_vec()), (String::new(), false));
        }
        assert_eq!(decode(vec![0xFF, 0xFE, 0x00, 0xD8]), ("\u{FFFD}".to_owned(), true), "half a pair");
    }

    // Without its mark it was taken for UTF-8 with a NUL after each letter: found by nobody, and named nowhere.
    #[test]
    fn utf16_is_read_without_its_mark() {
        for text in [
            "# Pets\r\nThe zebra is called Konrad.\r\n",
            "Das Zebra heißt Konrad \u{1F993}, “sagt” Jörg\n\n",
            "Зебру зовут Конрад\nОна живёт в саду\n",
            "Η ζέβρα λέγεται Κόνραντ\n",
            "ม้าลาย\r\nชื่อคอนราด\r\n",
        ] {
            for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
                let bytes: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
                assert_eq!(decode(bytes.clone()), (text.to_owned(), false));
                let (cut, is_lossy) = decode(bytes[..bytes.len() - 1].to_vec());
                assert!(is_lossy && text.starts_with(&cut) && cut.len() > 9, "{cut}");
            }
        }
    }

    // What holds many NULs and is no UTF-16 passed for a text in UTF-8 as well.
    #[test]
    fn a_text_with_many_nuls_is_in_another_encoding() {
        let utf32: Vec<u8> = "The zebra\n".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        let torn = [b"# Pets\nThe zebra\n".as_slice(), &[0; 64]].concat();
        for bytes in [utf32, torn, vec![0; 64]] {
            assert_eq!(decode(bytes.clone()), (String::from_utf8(bytes).expect("it is"), true));
        }
        for text in ["The zebra is called Konrad, and sleeps\0 in the kitchen.\n", "\u{1}\u{2}\u{3}\u{4}", ""] {
            assert_eq!(decode(text.into()), (text.to_owned(), false));
        }
        let chinese: Vec<u8> = "斑马叫康拉德。它睡在厨房里。\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(decode(chinese).1);
    }

    // A picture that was called a note gave passages of garbage.
    #[test]
    fn what_is_no_text_is_known_and_every_text_is_one() {
        let compiled: Vec<u8> = (0..4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let picture =
            [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x02\0\0\0".as_slice(), &compiled].concat();
        let library =
            [b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0".as_slice(), &[0, 0, 9, 0].repeat(90)].concat();
        for bytes in [&compiled, &picture, &library] {
            assert!(is_binary(bytes));
        }
        let note = "# Pets\r\nThe zebra\x0c is called Konrad.\n";
        let texts: [&[u8]; 9] = [
            note.as_bytes(),
            b"",
            b"caf\xe9 au lait\n",
            // Shift JIS, EUC-KR, ISO 2022.
            b"\x83V\x83}\x83E\x83}\x82\xcd\x83R\x83\x93\x83\x89\x81[\x83h\n",
            b"\xbe\xf3\xb7\xe8\xb8\xbb\n",
            b"\x1b$B%7%^%&%^\x1b(B\n",
            b"The zebra\0 is called\0 Konrad.\n",
            &[note.as_bytes(), &[0; 4096]].concat(),
            &[b"caf\xe9\n".as_slice(), &[0; 4096]].concat(),
        ];
        for bytes in texts {
            assert!(!is_binary(bytes), "{bytes:?}");
        }
        for text in [note, "Зебру зовут Конрад\nОна живёт в саду\n"] {
            for unit in [u16::to_le_bytes, u16::to_be_bytes] {
                assert!(!is_binary(&text.encode_utf16().flat_map(unit).collect::<Vec<u8>>()), "{text}");
            }
        }
    }

    #[test]
    fn a_stamp_that_a_further_change_could_share_is_not_trusted() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let roots = roots(folder.path());
        let path = folder.path().join("memory/a.md");
        fs::write(&path, "now").expect("written");
        let now = SystemTime::now();
        let set = |time| fs::File::options().write(true).open(&path).and_then(|f| f.set_modified(time)).expect("dated");
        let whole_second = now.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
        set(SystemTime::UNIX_EPOCH + Duration::from_secs(whole_second));
        assert_eq!(read_text(&roots, &path).expect("read").stamp.mtime_ns, Stamp::UNSETTLED);
        set(now + Duration::from_secs(86_400));
        assert_ne!(read_text(&roots, &path).expect("read").stamp.mtime_ns, Stamp::UNSETTLED);
    }

    #[test]
    fn missing_outside_and_too_large_files_have_their_codes() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let roots = roots(folder.path());
        let code = |path: &str| read_text(&roots, &folder.path().join(path)).expect_err("refused").code();
        fs::write(folder.path().join("memory/big.md"), vec![b'x'; 101]).expect("written");
        fs::write(folder.path().join("other.md"), "x").expect("written");
        assert_eq!(code("memory/none.md"), Code::NotFound);
        assert_eq!(code("memory/big.md"), Code::Path);
        assert_eq!(code("other.md"), Code::Path);
        assert_eq!(code("memory"), Code::Path);
    }
}
