//! The line blob: what ranking needs of a chunk's lines at query time, without the text.
//!
//! ```text
//! version u8
//! sections: count, then per section: n, n × term hash (u32 LE)          heading path, outermost first
//! lines:    count, then per line: number − previous number, kind u8, section + 1 (0 = none), UTF-16 length,
//!                                 n, n × term hash (u32 LE)
//! ```
//! Numbers are LEB128 unless noted.

use model::error::{Code, Error, Result};

const VERSION: u8 = 1;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum LineKind {
    /// Prose, list items, tables.
    #[default]
    Text = 0,
    /// Nothing but white space.
    Blank = 1,
    /// A heading, or the underline of one.
    Heading = 2,
    /// The first or last line of a fenced code block.
    Fence = 3,
    /// Inside a fenced code block.
    Code = 4,
    /// Front matter at the head of a file, with its borders.
    FrontMatter = 5,
}

impl LineKind {
    const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Text,
            1 => Self::Blank,
            2 => Self::Heading,
            3 => Self::Fence,
            4 => Self::Code,
            5 => Self::FrontMatter,
            _ => return None,
        })
    }
}

/// One line, to be encoded.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Line number in the file, from 1.
    pub number: u32,
    /// What it is.
    pub kind: LineKind,
    /// Index of its section; none before the first heading. A heading belongs to the section around it.
    pub section: Option<u32>,
    /// Length of its text in UTF-16 units.
    pub units: u32,
    /// Term hashes in text order, repeated as often as the term occurs, stop words left out.
    pub terms: &'a [u32],
}

/// Encodes lines (ascending numbers) and the term hashes of the sections they refer to.
#[must_use]
pub fn encode<S: AsRef<[u32]>>(sections: &[S], lines: &[Line<'_>]) -> Vec<u8> {
    let terms: usize = lines.iter().map(|l| l.terms.len()).sum::<usize>();
    let mut out = Vec::with_capacity(16 + 8 * lines.len() + 4 * terms);
    out.push(VERSION);
    put(&mut out, sections.len() as u32);
    for section in sections {
        put_hashes(&mut out, section.as_ref());
    }
    put(&mut out, lines.len() as u32);
    let mut previous = 0;
    for line in lines {
        put(&mut out, line.number.saturating_sub(previous));
        previous = line.number;
        out.push(line.kind as u8);
        put(&mut out, line.section.map_or(0, |s| s + 1));
        put(&mut out, line.units);
        put_hashes(&mut out, line.terms);
    }
    out
}

fn put(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_hashes(out: &mut Vec<u8>, hashes: &[u32]) {
    put(out, hashes.len() as u32);
    for hash in hashes {
        out.extend_from_slice(&hash.to_le_bytes());
    }
}

/// Term hashes inside a blob.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hashes<'b>(&'b [u8]);

impl<'b> Hashes<'b> {
    /// How many.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.len() / 4
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The hashes in text order.
    pub fn iter(self) -> impl Iterator<Item = u32> + 'b {
        self.0.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b))
    }
}

/// One line of a blob.
#[derive(Debug, Clone, Copy)]
pub struct LineView<'b> {
    /// Line number in the file, from 1.
    pub number: u32,
    /// What it is.
    pub kind: LineKind,
    /// Index of its section, for [`LineBlob::section`].
    pub section: Option<u32>,
    /// Length of its text in UTF-16 units.
    pub units: u32,
    /// Its terms.
    pub terms: Hashes<'b>,
}

/// A checked blob, read in place.
#[derive(Debug, Clone)]
pub struct LineBlob<'b> {
    sections: Vec<Hashes<'b>>,
    lines: &'b [u8],
    count: u32,
}

impl<'b> LineBlob<'b> {
    /// Checks a blob from end to end, so that reading it afterwards cannot fail.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when the bytes are not what [`encode`] writes.
    pub fn parse(blob: &'b [u8]) -> Result<Self> {
        Self::check(blob).ok_or_else(|| {
            Error::new(Code::Corrupt, "the stored line terms of a chunk cannot be read")
                .remedy("Rebuild the index with `openclaw memory index --force`")
        })
    }

    fn check(blob: &'b [u8]) -> Option<Self> {
        let mut cursor = Cursor(blob);
        if cursor.byte()? != VERSION {
            return None;
        }
        let section_count = cursor.count()?;
        let mut sections = Vec::with_capacity(section_count);
        for _ in 0..section_count {
            sections.push(cursor.hashes()?);
        }
        let count = cursor.count()?;
        let lines = cursor.0;
        let mut number = 0;
        for _ in 0..count {
            let line = cursor.line(&mut number)?;
            if line.section.is_some_and(|s| s as usize >= sections.len()) {
                return None;
            }
        }
        cursor.0.is_empty().then_some(Self { sections, lines, count: count as u32 })
    }

    /// How many lines.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Terms of a section's heading path, outermost heading first.
    #[must_use]
    pub fn section(&self, index: u32) -> Hashes<'b> {
        self.sections.get(index as usize).copied().unwrap_or_default()
    }

    /// How many sections.
    #[must_use]
    pub const fn section_count(&self) -> usize {
        self.sections.len()
    }

    /// The lines in file order.
    pub fn iter(&self) -> impl Iterator<Item = LineView<'b>> + use<'b> {
        let mut cursor = Cursor(self.lines);
        let mut number = 0;
        (0..self.count).map_while(move |_| cursor.line(&mut number))
    }
}

struct Cursor<'b>(&'b [u8]);

impl<'b> Cursor<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            let bits = u32::from(byte & 0x7F);
            if bits != 0 && bits.leading_zeros() < shift {
                return None;
            }
            value |= bits.checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number of things that take at least one byte each: never more than there are bytes.
    fn count(&mut self) -> Option<usize> {
        let n = self.number()? as usize;
        (n <= self.0.len()).then_some(n)
    }

    fn hashes(&mut self) -> Option<Hashes<'b>> {
        let bytes = (self.number()? as usize).checked_mul(4)?;
        let (hashes, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(Hashes(hashes))
    }

    fn line(&mut self, number: &mut u32) -> Option<LineView<'b>> {
        *number = number.checked_add(self.number()?)?;
        Some(LineView {
            number: *number,
            kind: LineKind::from_byte(self.byte()?)?,
            section: self.number()?.checked_sub(1),
            units: self.number()?,
            terms: self.hashes()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_goes_in_comes_out() -> Result<()> {
        let lines = [
            Line { number: 7, kind: LineKind::Heading, section: None, units: 12, terms: &[1, u32::MAX] },
            Line { number: 8, kind: LineKind::Blank, section: Some(0), units: 0, terms: &[] },
            Line { number: 100_000, kind: LineKind::Code, section: Some(1), units: 700, terms: &[5, 5, 6] },
        ];
        let blob = encode(&[vec![1, 2], vec![]], &lines);
        let read = LineBlob::parse(&blob)?;
        assert_eq!((read.len(), read.section_count()), (3, 2));
        assert_eq!(read.section(0).iter().collect::<Vec<_>>(), [1, 2]);
        assert!(read.section(1).is_empty() && read.section(9).is_empty());
        for (view, line) in read.iter().zip(&lines) {
            assert_eq!(
                (view.number, view.kind, view.section, view.units),
                (line.number, line.kind, line.section, line.units)
            );
            assert_eq!(view.terms.iter().collect::<Vec<_>>(), line.terms);
        }
        Ok(())
    }

    #[test]
    fn every_cut_of_a_blob_is_an_error() {
        let blob =
            encode(&[[9_u32]], &[Line { number: 1, kind: LineKind::Text, section: Some(0), units: 3, terms: &[1, 2] }]);
        assert!(LineBlob::parse(&blob).is_ok());
        for end in 0..blob.len() {
            assert_eq!(
                LineBlob::parse(&blob[..end]).map(|b| b.len()).map_err(|e| e.code()),
                Err(Code::Corrupt),
                "{end}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), versioned: bool) {
            let mut bytes = bytes;
            if versioned && let Some(first) = bytes.first_mut() {
                *first = VERSION;
            }
            if let Ok(blob) = LineBlob::parse(&bytes) {
                prop_assert_eq!(blob.iter().count(), blob.len());
            }
        }

        #[test]
        fn any_lines_survive(numbers in proptest::collection::btree_set(any::<u32>(), 0..20), terms in proptest::collection::vec(any::<u32>(), 0..30)) {
            let lines: Vec<Line<'_>> = numbers
                .iter()
                .map(|&number| Line { number, kind: LineKind::Text, section: None, units: number / 2, terms: &terms })
                .collect();
            let blob = encode::<[u32; 0]>(&[], &lines);
            let read = LineBlob::parse(&blob).map_err(|e| TestCaseError::fail(e.message))?;
            prop_assert_eq!(read.iter().map(|l| l.number).collect::<Vec<_>>(), numbers.into_iter().collect::<Vec<_>>());
        }
    }
}
