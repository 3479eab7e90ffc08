//! The lines of all candidate chunks, once each, with the query's words in them.

use std::collections::HashMap;

use jiff::civil::Date;

use super::{
    passages::SNIPPET_UNITS,
    plan::Plan,
    snippet::{self, Snippet},
};
use model::error::Result;
use store::{chunks::ChunkRow, ids::ChunkId};
use text::{
    label::label,
    lines::{Hashes, LineBlob, LineKind, LineView},
    time::note_date,
};

/// How often a form of a query word occurs: index of the form in the plan, count.
pub(crate) type Count = (u16, u16);

/// A file with candidate chunks.
#[derive(Debug, Clone)]
pub(super) struct File<'r> {
    /// Path as shown in results.
    pub path: &'r str,
    /// Source, as stored.
    pub source: &'r str,
    /// Day of a dated note.
    pub date: Option<Date>,
    /// Importance that the head of the file declares, 1–10.
    pub importance: Option<u8>,
    /// All of it, where that fits a result.
    pub whole: Option<Snippet>,
}

/// A heading with what stands above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    /// The query's words in it, weighted like those of the text.
    pub counts: Vec<Count>,
    /// Number of its terms.
    pub terms: u32,
}

/// A line that can be evidence.
#[derive(Debug, Clone)]
pub(super) struct Line<'r> {
    /// Index of its file.
    pub file: usize,
    /// Line number in the file, from 1.
    pub number: u32,
    /// Lines of the same block follow each other without a heading or an unread line between them.
    pub block: u32,
    /// Whether it describes the page, in its front matter.
    pub is_front: bool,
    /// As in the file.
    pub text: &'r str,
    /// What labels it: who says it, or what it tells.
    pub label: Option<&'r str>,
    /// Length in UTF-16 units.
    pub units: u32,
    /// Its terms, for comparing lines with each other.
    pub terms: Hashes<'r>,
    /// The query's words in it.
    pub counts: Vec<Count>,
    /// Index of the context of its heading.
    pub context: usize,
    /// Indexes of the first and the last chunk that hold it.
    pub chunks: (usize, usize),
    /// The heading right above it, with its number.
    pub heading: Option<(u32, &'r str)>,
    /// Importance declared for its section, 1–10.
    pub importance: Option<u8>,
}

/// What one chunk holds of the query.
#[derive(Debug, Clone)]
pub(super) struct Chunk {
    /// Id in the store.
    pub id: ChunkId,
    /// Index of its file.
    pub file: usize,
    /// The query's words in its lines.
    pub counts: Vec<Count>,
    /// Number of terms of its lines.
    pub terms: u32,
}

/// All candidates, ready to be scored. Files in the order of source and path, lines in file order.
#[derive(Debug, Default)]
pub(super) struct Lines<'r> {
    /// Files with candidates.
    pub files: Vec<File<'r>>,
    /// Heading contexts; the first is empty.
    pub contexts: Vec<Context>,
    /// Candidate chunks.
    pub chunks: Vec<Chunk>,
    /// Lines, without blank ones and headings: what a heading says belongs to the lines below it.
    pub lines: Vec<Line<'r>>,
    /// Longest snippet in UTF-16 units.
    pub room: usize,
}

impl<'r> Lines<'r> {
    /// Reads candidate chunks for snippets of at most `room` UTF-16 units. `rows` in the order of source, path, first line
    /// and id.
    ///
    /// # Errors
    /// [`model::error::Code::Corrupt`] when the stored terms cannot be read.
    pub(super) fn read(rows: &'r [ChunkRow], plan: &Plan, room: usize) -> Result<Self> {
        let forms = FormIndex::of(plan);
        let mut out = Self { contexts: vec![Context::default()], room, ..Self::default() };
        let mut reader = FileReader::default();
        for row in rows {
            let known = out.files.last().is_some_and(|f| f.path == row.path && f.source == row.source);
            if !known {
                reader.end(&forms, &mut out);
                reader = FileReader { block: reader.block + 1, ..FileReader::default() };
                out.files.push(File {
                    path: &row.path,
                    source: &row.source,
                    date: note_date(&row.path),
                    importance: None,
                    whole: None,
                });
            }
            reader.chunk(row, &forms, &mut out)?;
        }
        reader.end(&forms, &mut out);
        Ok(out)
    }

    /// The line of this number in the file of a candidate chunk, by the chunk's index; of a line that is cut over several
    /// chunks the last part.
    #[must_use]
    pub(super) fn numbered(&self, chunk: usize, number: u32) -> Option<usize> {
        let place = (self.chunks[chunk].file, number);
        let at = self.lines.partition_point(|line| (line.file, line.number) <= place).checked_sub(1)?;
        ((self.lines[at].file, self.lines[at].number) == place).then_some(at)
    }

    /// The lines of the same block at most `reach` lines before and after a line: first and last index.
    #[must_use]
    pub(super) fn window(&self, at: usize, reach: usize) -> (usize, usize) {
        let block = self.lines[at].block;
        let same = |i: &usize| self.lines.get(*i).is_some_and(|l| l.block == block);
        let first = (at.saturating_sub(reach)..at).rev().take_while(same).last().unwrap_or(at);
        let last = (at + 1..=at + reach).take_while(same).last().unwrap_or(at);
        (first, last)
    }
}

/// Finds the query's words among term hashes.
struct FormIndex {
    forms: HashMap<u32, Vec<u16>, foldhash::fast::RandomState>,
    /// One bit per low byte and a half of a hash: most terms of a text are not in the query.
    filter: [u64; 64],
}

impl FormIndex {
    fn of(plan: &Plan) -> Self {
        let mut index = Self { forms: HashMap::default(), filter: [0; 64] };
        for (number, form) in plan.forms() {
            index.filter[(form.hash >> 6) as usize & 63] |= 1 << (form.hash & 63);
            index.forms.entry(form.hash).or_default().push(number);
        }
        index
    }

    fn count(&self, hashes: Hashes<'_>) -> Vec<Count> {
        let mut counts: Vec<Count> = Vec::new();
        for hash in hashes.iter() {
            if self.filter[(hash >> 6) as usize & 63] & (1 << (hash & 63)) == 0 {
                continue;
            }
            for &form in self.forms.get(&hash).map_or(&[][..], Vec::as_slice) {
                match counts.iter_mut().find(|(f, _)| *f == form) {
                    Some((_, n)) => *n = n.saturating_add(1),
                    None => counts.push((form, 1)),
                }
            }
        }
        counts
    }
}

/// Adds counts to others.
pub(crate) fn add_counts(to: &mut Vec<Count>, from: &[Count]) {
    for &(form, n) in from {
        match to.iter_mut().find(|(f, _)| *f == form) {
            Some((_, sum)) => *sum = sum.saturating_add(n),
            None => to.push((form, n)),
        }
    }
}

/// A line on its way from a chunk; a heading waits for the text below it.
struct Pending<'r> {
    view: LineView<'r>,
    text: &'r str,
    counts: Vec<Count>,
    chunk: usize,
    context: usize,
    /// Importance that its HTML comments declare, 1–10.
    importance: Option<u8>,
}

/// Reads the chunks of one file in order; chunks overlap, so their first lines may be known.
#[derive(Default)]
struct FileReader<'r> {
    block: u32,
    /// Number of the last line read; 0 before the first.
    last: u32,
    pending: Option<Pending<'r>>,
    /// Importance declared since the last heading.
    importance: Option<u8>,
    /// Headings without text below them.
    bare: Vec<Pending<'r>>,
    /// All lines with their numbers, while they may fit a result.
    all: Vec<(u32, &'r str)>,
    /// Bytes of these, without blank lines.
    bytes: usize,
    /// Whether lines between chunks were not read.
    has_gaps: bool,
    /// Whether the last line has been read.
    is_at_end: bool,
}

impl<'r> FileReader<'r> {
    fn chunk(&mut self, row: &'r ChunkRow, forms: &FormIndex, out: &mut Lines<'r>) -> Result<()> {
        let blob = LineBlob::parse(&row.line_terms)?;
        let file = out.files.len() - 1;
        let chunk = out.chunks.len();
        out.chunks.push(Chunk { id: row.id, file, counts: Vec::new(), terms: 0 });
        let contexts = out.contexts.len();
        for section in 0..blob.section_count() {
            let hashes = blob.section(section as u32);
            out.contexts.push(Context { counts: forms.count(hashes), terms: hashes.len() as u32 });
        }
        if row.start_line > self.last + 1 {
            // Lines between this chunk and the one before were not read.
            self.bare.extend(self.pending.take());
            self.block += 1;
            self.importance = None;
            self.has_gaps = true;
        }
        self.is_at_end = row.end_line >= row.file_lines;
        out.lines.reserve(blob.len());
        // Most chunks hold no comment, so their lines need no look for one.
        let may_comment = memchr::memmem::find(row.text.as_bytes(), b"<!--").is_some();
        for (view, text) in blob.iter().zip(split_lines(&row.text)) {
            let counts = forms.count(view.terms);
            let totals = &mut out.chunks[chunk];
            add_counts(&mut totals.counts, &counts);
            totals.terms += view.terms.len() as u32;
            if view.number < self.last || (view.number == self.last && known(&mut out.lines, file, &view, text, chunk))
            {
                known(&mut out.lines, file, &view, text, chunk);
                continue;
            }
            self.last = view.number;
            self.remember(view.number, text);
            let context = view.section.map_or(0, |s| contexts + s as usize);
            let notes = if may_comment { notes_in(text) } else { Notes::default() };
            let importance = notes.importance;
            match view.kind {
                LineKind::Blank => {}
                LineKind::Heading if is_underline(text) => {}
                LineKind::Heading => {
                    // The one that ends a chunk may begin the next.
                    self.bare.extend(self.pending.take().filter(|heading| heading.view.number != view.number));
                    self.block += 1;
                    self.importance = None;
                    self.pending = Some(Pending { view, text, counts, chunk, context, importance });
                }
                _ => {
                    if notes.are_alone {
                        self.annotate(importance, out);
                        continue;
                    }
                    let heading = self.pending.take().map(|p| (p.view.number, p.text));
                    self.push(Pending { view, text, counts, chunk, context, importance }, heading, out);
                }
            }
        }
        Ok(())
    }

    /// Ends a file. A heading without text below it is no result, but in a file of nothing else the headings are the
    /// text, those at least that say more than was asked.
    fn end(&mut self, forms: &FormIndex, out: &mut Lines<'r>) {
        self.bare.extend(self.pending.take());
        if !self.has_gaps
            && self.is_at_end
            && self.may_be_short()
            && let Some(file) = out.files.last_mut()
        {
            file.whole = snippet::whole(&self.all, |line| notes_in(line).are_alone);
        }
        let has_text = out.lines.last().is_some_and(|line| line.file + 1 == out.files.len());
        if has_text {
            return;
        }
        self.block += 1;
        for heading in std::mem::take(&mut self.bare) {
            if heading.view.terms.iter().any(|hash| !forms.forms.contains_key(&hash)) {
                self.push(heading, None, out);
            }
        }
    }

    /// Whether what was read may fit a result: a UTF-16 unit is at most three bytes.
    const fn may_be_short(&self) -> bool {
        self.bytes <= 3 * SNIPPET_UNITS
    }

    /// Keeps a line of a note that may be short.
    fn remember(&mut self, number: u32, text: &'r str) {
        if self.may_be_short() {
            self.bytes += text.trim().len();
            self.all.push((number, text));
        }
    }

    fn push(&self, from: Pending<'r>, heading: Option<(u32, &'r str)>, out: &mut Lines<'r>) {
        out.lines.push(Line {
            file: out.files.len() - 1,
            number: from.view.number,
            block: self.block,
            is_front: from.view.kind == LineKind::FrontMatter,
            text: from.text,
            label: label(from.text),
            units: from.view.units,
            terms: from.view.terms,
            counts: from.counts,
            context: from.context,
            chunks: (from.chunk, from.chunk),
            heading,
            importance: from.importance.or(self.importance),
        });
    }

    /// `<!-- importance: 8 -->` on a line of its own counts for the rest of its section, at the head of a file for
    /// the file.
    fn annotate(&mut self, importance: Option<u8>, out: &mut Lines<'r>) {
        let Some(importance) = importance else { return };
        let at_head = out.lines.last().is_none_or(|l| l.file + 1 != out.files.len());
        if at_head && let Some(file) = out.files.last_mut() {
            file.importance = Some(importance);
        }
        self.importance = Some(importance);
    }
}

/// The lines of a text, by a search for their ends that takes many bytes at a time.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes()).chain(std::iter::once(text.len())).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line
    })
}

/// Whether a line is known from the chunk before; then this chunk holds it, too.
fn known(lines: &mut [Line<'_>], file: usize, view: &LineView<'_>, text: &str, chunk: usize) -> bool {
    let same = lines
        .iter_mut()
        .rev()
        .take_while(|l| l.file == file && l.number >= view.number)
        .find(|l| l.number == view.number && l.text == text);
    same.map(|line| line.chunks.1 = chunk).is_some()
}

/// The line of `=` or `-` below a heading.
fn is_underline(text: &str) -> bool {
    !text.trim_start().starts_with('#') && text.trim().chars().all(|c| matches!(c, '=' | '-'))
}

/// What the HTML comments of a line say.
#[derive(Debug, Clone, Copy, Default)]
struct Notes {
    importance: Option<u8>,
    /// Whether the line holds nothing else.
    are_alone: bool,
}

/// Reads all comments of a line: the host writes several behind a text, in any order.
fn notes_in(mut text: &str) -> Notes {
    let mut notes = Notes { importance: None, are_alone: text.trim_start().starts_with("<!--") };
    while let Some((before, rest)) = text.split_once("<!--") {
        let Some((inside, after)) = rest.split_once("-->") else { break };
        notes.importance = notes.importance.or_else(|| importance_of(inside));
        notes.are_alone &= before.trim().is_empty();
        text = after;
    }
    notes.are_alone &= text.trim().is_empty();
    notes
}

/// The `N` of `importance: N`, 1–10, inside a comment (P4).
fn importance_of(comment: &str) -> Option<u8> {
    let (_, value) = comment.split_once("importance:")?;
    let digits = value.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok().filter(|n| (1..=10).contains(n))
}
