//! Markdown to chunks (C1, C2, C4), as memory-core 2026.4.12 cuts it.
//!
//! Lines are gathered until the next one would not fit; the chunk after starts with the last lines of the one
//! before. Everything is measured in UTF-16 units, because the reference counts JavaScript strings, and a CJK
//! character weighs four of them: about one token, as four Latin letters do.
//!
//! The running time is linear in the text. The number of chunks is not bounded by its length alone: after a line
//! that fills a chunk, every short line gives a chunk of its own until the overlap is used up. Such chunks borrow
//! from the text, and [`chunks`] makes them one at a time.

use std::{borrow::Cow, collections::VecDeque};

use model::config::settings::Chunking;

/// UTF-16 units per token, the estimate behind every size here.
const UNITS_PER_TOKEN: usize = 4;
/// No chunk is planned smaller than this, in UTF-16 units.
const MIN_CHUNK_UNITS: usize = 32;

/// A piece of a text with the lines it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// The lines, joined by `\n`. Parts of one line that was too long are joined by `\n` as well; where such a cut
    /// fell between the two halves of a surrogate pair, each side has U+FFFD, which is what the reference stores.
    pub text: Cow<'a, str>,
}

impl Chunk<'_> {
    /// Whether there is nothing to find in it (C4): only what JavaScript's `trim` takes away.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        // Unlike Rust, JavaScript trims the byte order mark and keeps U+0085.
        self.text.chars().all(|c| c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}'))
    }
}

/// All chunks of a text, blank ones included.
#[must_use]
pub fn chunk(text: &str, chunking: Chunking) -> Vec<Chunk<'_>> {
    chunks(text, chunking).collect()
}

/// The chunks of a text, one at a time.
#[must_use]
pub fn chunks(text: &str, chunking: Chunking) -> Chunks<'_> {
    Chunks {
        segments: Segments {
            text,
            max_units: chunking.tokens.saturating_mul(UNITS_PER_TOKEN).max(MIN_CHUNK_UNITS),
            fine_units: chunking.tokens.max(1),
            line_start: Some(0),
            line: 0,
            coarse: None,
            fine: None,
        },
        overlap_units: chunking.overlap.saturating_mul(UNITS_PER_TOKEN),
        window: VecDeque::new(),
        window_start: 0,
        units: 0,
        waiting: None,
        last_continuation: None,
        last_halved: None,
    }
}

/// A chunk that is longer than an embedding input may be, cut by UTF-8 bytes (C3); every part keeps the line range.
///
/// `max_bytes` is the provider's limit of input tokens, counted pessimistically as one byte each.
pub fn split_to_bytes<'a>(chunk: &'a Chunk<'_>, max_bytes: usize) -> impl Iterator<Item = Chunk<'a>> {
    let mut rest = chunk.text.as_ref();
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let cut = rest.floor_char_boundary(max_bytes).max(first.len_utf8());
        let (part, tail) = rest.split_at(cut);
        rest = tail;
        Some(Chunk { start_line: chunk.start_line, end_line: chunk.end_line, text: Cow::Borrowed(part) })
    })
}

/// Iterator of [`chunks`].
#[derive(Debug, Clone)]
pub struct Chunks<'a> {
    segments: Segments<'a>,
    overlap_units: usize,
    /// The segments of the chunk being gathered.
    window: VecDeque<Segment>,
    /// How many segments came before the window.
    window_start: usize,
    /// Sum of the window's sizes.
    units: usize,
    /// The segment that did not fit any more.
    waiting: Option<Segment>,
    /// Number, counted as `window_start` is, of the latest segment that goes on with the line of the one before.
    last_continuation: Option<usize>,
    /// Number of the latest segment with half a surrogate pair.
    last_halved: Option<usize>,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(segment) = self.waiting.take() {
            self.keep_overlap();
            self.push(segment);
        }
        while let Some(segment) = self.segments.next() {
            if !self.window.is_empty() && self.units.saturating_add(segment.size) > self.segments.max_units {
                self.waiting = Some(segment);
                return self.gathered();
            }
            self.push(segment);
        }
        let last = self.gathered();
        self.window.clear();
        last
    }
}

impl<'a> Chunks<'a> {
    fn push(&mut self, segment: Segment) {
        let number = self.window_start + self.window.len();
        if segment.continues_line {
            self.last_continuation = Some(number);
        }
        if segment.piece.opens_mid_pair || segment.piece.closes_mid_pair {
            self.last_halved = Some(number);
        }
        self.units += segment.size;
        self.window.push_back(segment);
    }

    /// Keeps the fewest last segments that reach the overlap, or all.
    fn keep_overlap(&mut self) {
        while let Some(first) = self.window.front() {
            if self.units - first.size < self.overlap_units {
                break;
            }
            self.units -= first.size;
            self.window.pop_front();
            self.window_start += 1;
        }
    }

    fn gathered(&self) -> Option<Chunk<'a>> {
        let (first, last) = (self.window.front()?, self.window.back()?);
        let source = self.segments.text;
        let continues = self.last_continuation.is_some_and(|number| number > self.window_start);
        let halved = self.last_halved.is_some_and(|number| number >= self.window_start);
        let text = if continues || halved {
            let mut joined = String::new();
            for (i, segment) in self.window.iter().enumerate() {
                if i > 0 {
                    joined.push('\n');
                }
                segment.piece.write(source, &mut joined);
            }
            Cow::Owned(joined)
        } else {
            Cow::Borrowed(&source[first.piece.start..last.piece.end])
        };
        Some(Chunk { start_line: first.line, end_line: last.line, text })
    }
}

/// A line, or a part of one that is too long for a chunk.
#[derive(Debug, Clone, Copy)]
struct Segment {
    /// From 1.
    line: u32,
    piece: Piece,
    /// Weight in UTF-16 units, the line break included.
    size: usize,
    /// Whether the segment before is of the same line.
    continues_line: bool,
}

/// Bytes `start..end` of the text, with half a surrogate pair before or after them where a cut split one.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    opens_mid_pair: bool,
    closes_mid_pair: bool,
}

impl Piece {
    fn write(self, text: &str, out: &mut String) {
        if self.opens_mid_pair {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        out.push_str(&text[self.start..self.end]);
        if self.closes_mid_pair {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// The weight in UTF-16 units: CJK characters count four.
    fn weight(self, text: &str) -> usize {
        let halves = usize::from(self.opens_mid_pair) + usize::from(self.closes_mid_pair);
        let bytes = &text[self.start..self.end];
        if bytes.is_ascii() {
            return halves + bytes.len();
        }
        let (mut units, mut dense, mut dense_pairs) = (halves, 0, 0);
        for c in bytes.chars() {
            units += c.len_utf16();
            dense += usize::from(is_dense(c));
            dense_pairs += usize::from(has_dense_lead(c));
        }
        // The reference takes such pairs as one unit only where the text has a character that weighs four.
        if dense == 0 { units } else { units - dense_pairs + 3 * dense }
    }

    /// Cuts after `limit` (≥ 1) UTF-16 units. A pair on the cut goes to the first part where `keep_pairs`, else each
    /// part gets one half.
    fn split(self, text: &str, limit: usize, keep_pairs: bool) -> (Self, Option<Self>) {
        let mut left = limit - usize::from(self.opens_mid_pair);
        for (offset, c) in text[self.start..self.end].char_indices() {
            let at = self.start + offset;
            let width = c.len_utf16();
            if left == 0 || (width > left && !keep_pairs) {
                let halved = left > 0;
                let first = Self { end: at, closes_mid_pair: halved, ..self };
                let start = if halved { at + c.len_utf8() } else { at };
                return (first, Some(Self { start, opens_mid_pair: halved, ..self }));
            }
            left = left.saturating_sub(width);
        }
        if left == 0 && self.closes_mid_pair {
            let first = Self { closes_mid_pair: false, ..self };
            return (first, Some(Self { start: self.end, opens_mid_pair: false, ..self }));
        }
        (self, None)
    }
}

/// The lines of a text, those that are too long in parts.
#[derive(Debug, Clone)]
struct Segments<'a> {
    text: &'a str,
    /// Most UTF-16 units of a segment, and of a chunk where its lines allow it.
    max_units: usize,
    /// Units of the parts of a segment that is too heavy although it is not too long.
    fine_units: usize,
    /// Where the next line begins; none after the last.
    line_start: Option<usize>,
    /// Number of the current line, from 1.
    line: u32,
    /// What is left of the current line.
    coarse: Option<Piece>,
    /// What is left of the current heavy segment.
    fine: Option<Piece>,
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        if let Some(heavy) = self.fine {
            return Some(self.fine_part(heavy, true));
        }
        let (whole, continues_line) = match self.coarse {
            Some(rest) => (rest, true),
            None => (self.next_line()?, false),
        };
        let (piece, rest) = whole.split(self.text, self.max_units, false);
        self.coarse = rest;
        let weight = piece.weight(self.text);
        if weight > self.max_units {
            return Some(self.fine_part(piece, continues_line));
        }
        Some(Segment { line: self.line, piece, size: weight + 1, continues_line })
    }
}

impl Segments<'_> {
    fn next_line(&mut self) -> Option<Piece> {
        let start = self.line_start?;
        self.line = self.line.saturating_add(1);
        let end = self.text[start..].find('\n').map(|length| start + length);
        self.line_start = end.map(|end| end + 1);
        let end = end.unwrap_or(self.text.len());
        Some(Piece { start, end, opens_mid_pair: false, closes_mid_pair: false })
    }

    fn fine_part(&mut self, heavy: Piece, continues_line: bool) -> Segment {
        let (piece, rest) = heavy.split(self.text, self.fine_units, true);
        self.fine = rest;
        Segment { line: self.line, piece, size: piece.weight(self.text) + 1, continues_line }
    }
}

/// Characters of about one token each: CJK, kana, Hangul syllables, Yi and their neighbours.
const fn is_dense(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{a000}'..='\u{a4ff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2fa1f}')
}

/// Characters beyond the basic plane whose high surrogate is one of the dense ones (D840 to D87E).
const fn has_dense_lead(c: char) -> bool {
    matches!(c, '\u{20000}'..='\u{2fbff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DEFAULT: Chunking = Chunking { tokens: 400, overlap: 80 };

    fn shape(text: &str, chunking: Chunking) -> Vec<(u32, u32, String)> {
        chunk(text, chunking).into_iter().map(|c| (c.start_line, c.end_line, c.text.into_owned())).collect()
    }

    #[test]
    fn an_empty_text_is_one_blank_chunk() {
        assert_eq!(shape("", DEFAULT), [(1, 1, String::new())]);
        assert!(chunk("", DEFAULT)[0].is_blank());
    }

    #[test]
    fn blank_follows_the_trim_of_javascript() {
        let blank = |text: &'static str| Chunk { start_line: 1, end_line: 1, text: text.into() }.is_blank();
        assert!(blank("\u{feff} \t\r\n\u{3000}\u{2028}"));
        assert!(!blank("\u{85}"));
        assert!(!blank("\u{200b}"));
    }

    #[test]
    fn carries_whole_lines_until_the_overlap_is_reached() {
        // 32 units a chunk, 8 units of overlap; each line weighs 10.
        let chunking = Chunking { tokens: 8, overlap: 2 };
        let text = "aaaaaaaaa\nbbbbbbbbb\nccccccccc\nddddddddd\neeeeeeeee";
        assert_eq!(
            shape(text, chunking),
            [(1, 3, "aaaaaaaaa\nbbbbbbbbb\nccccccccc".into()), (3, 5, "ccccccccc\nddddddddd\neeeeeeeee".into())]
        );
    }

    #[test]
    fn a_long_line_comes_in_parts_and_a_split_pair_leaves_two_replacement_characters() {
        let chunking = Chunking { tokens: 8, overlap: 0 };
        let line = format!("{}\u{1f600}tail", "a".repeat(31));
        assert_eq!(
            shape(&line, chunking),
            [(1, 1, format!("{}\u{fffd}", "a".repeat(31))), (1, 1, "\u{fffd}tail".into())]
        );
    }

    #[test]
    fn a_heavy_line_is_cut_finely_without_splitting_pairs() {
        let chunking = Chunking { tokens: 3, overlap: 0 };
        // 9 CJK characters weigh 36 > 32: parts of 3 units, the emoji stays whole.
        let line = "漢漢😀漢漢漢漢漢漢漢";
        let parts: Vec<_> = shape(line, chunking).into_iter().map(|(_, _, text)| text).collect();
        assert_eq!(parts, ["漢漢😀\n漢漢漢", "漢漢漢\n漢"]);
    }

    #[test]
    fn a_long_line_before_many_short_ones_borrows() {
        let text = format!("{}\n{}", "x".repeat(1599), "\n".repeat(400));
        let all = chunk(&text, DEFAULT);
        assert!(all.len() > 300);
        assert!(all.iter().all(|c| matches!(c.text, Cow::Borrowed(_))));
    }

    #[test]
    fn splits_an_oversize_chunk_at_character_borders() {
        let chunk = Chunk { start_line: 3, end_line: 4, text: "ab漢c".into() };
        let parts: Vec<_> = split_to_bytes(&chunk, 4).map(|c| (c.start_line, c.end_line, c.text)).collect();
        assert_eq!(parts, [(3, 4, "ab".into()), (3, 4, "漢c".into())]);
        assert_eq!(split_to_bytes(&chunk, 100).count(), 1);
    }

    fn texts() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            4 => "[a-z ]{0,60}",
            2 => "[漢字かな한글 ]{0,40}",
            1 => "[😀a𠀀\u{2fa20}é\r]{0,50}",
            1 => "[a-z😀漢]{100,300}",
            2 => Just(String::new()),
        ];
        prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
    }

    fn chunkings() -> impl Strategy<Value = Chunking> {
        (1usize..60).prop_flat_map(|tokens| (0..tokens).prop_map(move |overlap| Chunking { tokens, overlap }))
    }

    /// Text without what cutting may add, so that pieces of a line can be compared with the line.
    fn bare(text: &str) -> String {
        text.chars().filter(|c| !matches!(c, '\n' | '😀' | '𠀀' | '\u{2fa20}' | '\u{fffd}')).collect()
    }

    proptest! {
        #[test]
        fn every_line_is_covered_in_order(text in texts(), chunking in chunkings()) {
            let lines: Vec<_> = text.split('\n').collect();
            let chunks = chunk(&text, chunking);
            prop_assert_eq!(chunks[0].start_line, 1);
            prop_assert_eq!(chunks.last().map(|c| c.end_line as usize), Some(lines.len()));
            for pair in chunks.windows(2) {
                prop_assert!(pair[0].start_line <= pair[1].start_line);
                prop_assert!(pair[0].end_line <= pair[1].end_line);
                prop_assert!(pair[1].start_line <= pair[0].end_line + 1, "a gap between chunks");
            }
            for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
                let number = u32::try_from(i).unwrap() + 1;
                let mut covering = chunks.iter().filter(|c| c.start_line <= number && number <= c.end_line).peekable();
                prop_assert!(covering.peek().is_some());
                let whole = covering.any(|c| bare(&c.text).contains(&bare(line)));
                let limit = chunking.tokens.saturating_mul(4).max(32);
                let weight =
                    Piece { start: 0, end: line.len(), opens_mid_pair: false, closes_mid_pair: false }.weight(line);
                // Lines are cut by UTF-16 units first; a character outside the basic plane has two and weighs less.
                let too_long = weight > limit || line.encode_utf16().count() > limit;
                prop_assert!(whole || too_long, "line {number} is in no chunk");
            }
        }

        #[test]
        fn overlap_stays_within_its_bound(text in texts(), chunking in chunkings()) {
            let weights: Vec<_> = text
                .split('\n')
                .map(|line| Piece { start: 0, end: line.len(), opens_mid_pair: false, closes_mid_pair: false }.weight(line))
                .collect();
            // A line that is cut has no one weight; such texts are the business of the oracle tests.
            let cut = weights.iter().any(|&weight| weight > (chunking.tokens * 4).max(32));
            for pair in chunk(&text, chunking).windows(2).filter(|_| !cut) {
                // Without its first line, what two neighbours share does not reach the overlap.
                let shared = pair[1].start_line as usize..pair[0].end_line as usize;
                let units: usize = shared.map(|line| weights[line] + 1).sum();
                prop_assert!(units < (chunking.overlap * 4).max(1));
            }
        }
    }
}
