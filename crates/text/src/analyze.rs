//! Text to terms, the same way for chunks and for queries.
//!
//! A term is a lower-case string of letters, digits, marks and `_`:
//! - words: the Snowball stem in the line's language, without accents;
//! - Chinese and Japanese: overlapping pairs of characters, and single Chinese characters;
//! - Korean: pairs of syllables, the word, and the word without its particle;
//! - Thai, Lao, Khmer, Myanmar: overlapping pairs of grapheme clusters;
//! - names (`a.b_c`, `src/foo.rs`, `10.0.0.1`, `a::b`, `v1.2.3`, `#1234`, `me@host.io`): the whole with `_`
//!   for punctuation, its parts, the last levels of a path, the host of an address.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use unicode_segmentation::UnicodeSegmentation;

use self::kept::Kept;
use super::fold::compose;
use super::hangul::strip_particle;
use super::language::{Language, Votes};
use super::lexicon::{Lexicon, TermId, WordId};
use super::lines::{Line, encode};
use super::outline::Outline;
use super::script::Script;
use super::token::{Glue, Piece, pieces};
use model::layout::{MEMORY_FOLDER, is_own_note};

mod kept;

pub use super::lexicon::term_hash;

/// Raised when the same text gives other terms or another blob: part of the identity of an index.
pub const ANALYZER_VERSION: u32 = 5;

/// Levels of a path that are terms of their own, from the end.
const PATH_LEVELS: usize = 4;
/// Pieces of one name that are looked at: the rest of a long URL only repeats what its parts say.
pub(super) const NAME_PIECES: usize = 16;
/// Characters of one grapheme cluster: more are decoration.
const CLUSTER_CHARS: usize = 8;

/// Stands in the full-text index for a note that lies where the host keeps them, in no folder of its own.
pub const OWN_NOTE: &str = "=/";

/// Stands in the full-text index for a term that the title, the headings or the path above a chunk hold.
#[must_use]
pub fn context_term(term: &str) -> String {
    format!("={term}")
}

/// What the store keeps of a chunk for keyword search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkTerms {
    /// Distinct terms of text, headings and path, joined by spaces, for `chunk_fts`. Holds stop words too, those above the
    /// text once more as [`context_term`], and [`OWN_NOTE`].
    pub fts: String,
    /// The line blob, for [`super::lines::LineBlob::parse`].
    pub lines: Vec<u8>,
    /// Number of content terms in the text, with repetitions: the length that BM25 normalises by.
    pub count: u32,
}

/// A term where it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Occurrence {
    term: TermId,
    stop: bool,
}

/// Turns text into terms; remembers words, so keep one per thread and reuse it.
#[derive(Debug, Default)]
pub struct Analyzer {
    pub(super) lexicon: Lexicon,
    /// Per term, the chunk that last had it: makes terms distinct without a set.
    seen: Vec<u32>,
    epoch: u32,
    kept: Kept,
}

/// A text cut into pieces, its words looked up.
#[derive(Debug)]
pub(super) struct Cut<'t> {
    pub(super) text: std::borrow::Cow<'t, str>,
    pub(super) pieces: Vec<Piece>,
    /// Parallel to `pieces`: the word of a spaced piece.
    pub(super) words: Vec<Option<WordId>>,
    pub(super) votes: Votes,
}

/// The language of the text around a line: settles what the line alone does not.
#[derive(Debug, Default)]
struct Ambient {
    /// Scaled to one word's worth, so that a line with stop words of its own decides for itself.
    votes: Votes,
    language: Option<Language>,
}

impl Ambient {
    fn of(mut votes: Votes) -> Self {
        let language = votes.winner();
        votes.limit(1.0);
        Self { votes, language }
    }
}

impl Analyzer {
    /// An analyzer that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The terms of one chunk: `lines` are its lines with their numbers in the file (a line too long for one
    /// chunk comes in segments of the same number), `outline` is the file's, `path` the file's path.
    pub fn chunk(&mut self, path: &str, outline: &Outline, lines: &[(u32, &str)]) -> ChunkTerms {
        if self.lexicon.trim() {
            self.seen.clear();
            self.kept = Kept::default();
        }
        self.epoch += 1;
        let mut kept = std::mem::take(&mut self.kept);
        let cuts = kept.lines(lines, |text| self.cut(text));
        self.kept = kept;
        let mut ambient = Votes::default();
        for cut in &cuts {
            ambient.add_votes(&cut.votes, 1.0);
        }
        let ambient = Ambient::of(ambient);

        let mut sections: Vec<Vec<u32>> = Vec::new();
        let mut known: HashMap<u32, u32, RandomState> = HashMap::default();
        let mut fts = String::with_capacity(lines.iter().map(|(_, t)| t.len()).sum::<usize>() / 2);
        let mut hashes: Vec<u32> = Vec::new();
        let mut spans: Vec<(usize, usize, Option<u32>)> = Vec::with_capacity(lines.len());
        let mut found: Vec<Occurrence> = Vec::new();
        for ((number, _), cut) in lines.iter().zip(&cuts) {
            let section = outline.section_of(*number).map(|id| {
                if let Some(known) = known.get(&id) {
                    return *known;
                }
                let mut terms = Vec::new();
                for title in outline.path_of_section(id) {
                    self.emit_above(title, &ambient, &mut found);
                    self.collect(&found, &mut fts, &mut terms);
                    self.mark(&found, &mut fts);
                }
                let section = sections.len() as u32;
                known.insert(id, section);
                sections.push(terms);
                section
            });
            found.clear();
            self.emit(cut, &ambient, &mut found);
            let start = hashes.len();
            self.collect(&found, &mut fts, &mut hashes);
            spans.push((start, hashes.len(), section));
        }
        self.emit_above(path, &ambient, &mut found);
        self.collect(&found, &mut fts, &mut Vec::new());
        // All notes are in that folder.
        let below = path.strip_prefix(MEMORY_FOLDER).and_then(|below| below.strip_prefix('/'));
        self.emit_above(below.unwrap_or(path), &ambient, &mut found);
        self.mark(&found, &mut fts);
        if is_own_note(path) {
            push_term(&mut fts, OWN_NOTE);
        }

        let encoded: Vec<Line<'_>> = lines
            .iter()
            .zip(&spans)
            .map(|((number, text), (start, end, section))| Line {
                number: *number,
                kind: outline.kind_of(*number),
                section: *section,
                units: super::cut::utf16_len(text) as u32,
                terms: hashes.get(*start..*end).unwrap_or_default(),
            })
            .collect();
        self.kept.keep_lines(cuts);
        let section_terms: Vec<&[u32]> = sections.iter().map(Vec::as_slice).collect();
        ChunkTerms { fts, lines: encode(&section_terms, &encoded), count: hashes.len() as u32 }
    }

    /// The content terms of a text in order, stop words left out: for comparing texts with each other.
    pub fn terms(&mut self, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        for line in text.lines() {
            let cut = self.cut(line);
            let mut found = Vec::new();
            self.emit(&cut, &Ambient::default(), &mut found);
            out.extend(found.iter().filter(|o| !o.stop).map(|o| self.lexicon.text(o.term).to_owned()));
        }
        out
    }

    pub(super) fn cut<'t>(&mut self, text: &'t str) -> Cut<'t> {
        let text = compose(text);
        let mut cut = Vec::with_capacity(text.len() / 5);
        pieces(&text, 0, &mut cut);
        let mut votes = Votes::default();
        let is_joint = |glue: Glue| !matches!(glue, Glue::Border | Glue::Apostrophe);
        let words = cut
            .iter()
            .enumerate()
            .map(|(i, piece)| {
                (piece.script == Script::Spaced).then(|| {
                    let id = self.lexicon.word_id(piece.of(&text));
                    let word = self.lexicon.word(id);
                    // The parts of names say nothing about the language around them: `com`, `de`, `is`.
                    if !is_joint(piece.glue) && !cut.get(i + 1).is_some_and(|next| is_joint(next.glue)) {
                        votes.add(word.stop, 1.0);
                        votes.add(word.letters, 0.5);
                    }
                    id
                })
            })
            .collect();
        Cut { text, pieces: cut, words, votes }
    }

    /// Adds what is new to the FTS string, and the hashes of content terms to `hashes`.
    fn collect(&mut self, found: &[Occurrence], fts: &mut String, hashes: &mut Vec<u32>) {
        self.seen.resize(self.lexicon.term_count(), 0);
        for occurrence in found {
            if !occurrence.stop {
                hashes.push(self.lexicon.hash(occurrence.term));
            }
            let seen = &mut self.seen[occurrence.term as usize];
            if *seen != self.epoch {
                *seen = self.epoch;
                push_term(fts, self.lexicon.text(occurrence.term));
            }
        }
    }

    /// Adds to the FTS string, as what stands above a chunk, the content terms that are new there.
    fn mark(&mut self, found: &[Occurrence], fts: &mut String) {
        for occurrence in found.iter().filter(|occurrence| !occurrence.stop) {
            let term = self.lexicon.above(occurrence.term);
            self.collect(&[Occurrence { term, stop: true }], fts, &mut Vec::new());
        }
    }

    /// Every term of a title or a path, in place of what `out` held.
    fn emit_above(&mut self, text: &str, ambient: &Ambient, out: &mut Vec<Occurrence>) {
        let (text, cut) = self.kept.take_above(text).unwrap_or_else(|| (text.into(), self.cut(text).into_owned()));
        out.clear();
        self.emit(&cut, ambient, out);
        self.kept.keep_above(text, cut);
    }

    /// Every term of a cut text.
    fn emit(&mut self, cut: &Cut<'_>, ambient: &Ambient, out: &mut Vec<Occurrence>) {
        let mut votes = cut.votes;
        votes.add_votes(&ambient.votes, 1.0);
        let language = votes.winner().or(ambient.language).unwrap_or(Language::English);
        let mut start = 0;
        while start < cut.pieces.len() {
            let glued = cut.pieces[start + 1..].iter().take_while(|p| p.glue != Glue::Border).count();
            let end = start + 1 + glued;
            if glued == 0 {
                self.emit_piece(cut, start, language, out);
            } else if cut.pieces[start + 1..end].iter().all(|p| p.glue == Glue::Apostrophe) {
                self.emit_elided(cut, start, end, language, out);
            } else {
                self.emit_name(cut, start, end, language, out);
            }
            if cut.pieces[start].tagged {
                let whole = format!("_{}", self.whole(cut, start, end));
                self.push(&whole, out);
            }
            start = end;
        }
    }

    fn emit_piece(&mut self, cut: &Cut<'_>, at: usize, language: Language, out: &mut Vec<Occurrence>) {
        let Some(piece) = cut.pieces.get(at) else { return };
        let text = piece.of(&cut.text);
        match piece.script {
            Script::Spaced => {
                if let Some(id) = cut.words[at] {
                    if let Some(name) = language_name(&cut.text, piece) {
                        out.push(Occurrence { term: self.lexicon.intern(&name), stop: false });
                    }
                    self.emit_word(id, language, out);
                }
            }
            Script::Ideographic => run_terms(text, |term| self.push(term, out)),
            Script::Hangul => hangul_terms(text, |term| self.push(term, out)),
            Script::Unspaced => cluster_terms(text, |term| self.push(term, out)),
            Script::None | Script::Mark => {}
        }
    }

    fn push(&mut self, term: &str, out: &mut Vec<Occurrence>) {
        out.push(Occurrence { term: self.lexicon.intern(term), stop: false });
    }

    fn emit_word(&mut self, id: WordId, language: Language, out: &mut Vec<Occurrence>) {
        let meant = self.lexicon.meant(id, language);
        if meant.empty {
            return;
        }
        out.push(Occurrence { term: meant.term, stop: meant.stop });
        // Found by, and no word of a line.
        if language.joins_words()
            && !meant.stop
            && let Some(ends) = self.lexicon.ends(meant.term)
        {
            out.extend(ends.map(|term| Occurrence { term, stop: true }));
        }
        for i in 0..self.lexicon.word(id).parts.len() {
            let part = self.lexicon.word(id).parts[i];
            self.emit_word(part, language, out);
        }
    }

    /// `l'amour` → amour; `Ana's` → ana; `O'Brien` → obrien, brien.
    fn emit_elided(&mut self, cut: &Cut<'_>, start: usize, end: usize, language: Language, out: &mut Vec<Occurrence>) {
        let text = |i: usize| cut.pieces[i].of(&cut.text);
        if text(start).len() == 1 && text(start + 1).starts_with(char::is_uppercase) {
            let joined: String = (start..end).map(text).collect();
            let id = self.lexicon.word_id(&joined.to_lowercase());
            self.emit_word(id, language, out);
        }
        for i in start..end {
            let is_last = i + 1 == end;
            // Articles and pronouns in front (l', qu', dell'), verb endings and genitives behind ('s, 've).
            let clitic = if is_last { text(i).len() <= 2 } else { text(i).len() <= 2 || is_elided(text(i)) };
            if !clitic {
                self.emit_piece(cut, i, language, out);
            }
        }
    }

    /// The whole name, its notable ends, and its parts.
    fn emit_name(&mut self, cut: &Cut<'_>, start: usize, end: usize, language: Language, out: &mut Vec<Occurrence>) {
        let glue_at = |i: usize| cut.pieces[i].glue;
        let scheme = (start + 1..end).find(|i| glue_at(*i) == Glue::Scheme);
        let mut first = scheme.unwrap_or(start);
        if first + 2 < end && cut.pieces[first].of(&cut.text).eq_ignore_ascii_case("www") {
            first += 1;
        }
        let end_of_name = end.min(first + NAME_PIECES);
        for name in self.names(cut, first, end_of_name, scheme.is_some()) {
            self.push(&name, out);
        }
        let pieces = &cut.pieces[first..end];
        let numeric = (first..end).all(|i| cut.words[i].is_some_and(|id| self.lexicon.word(id).numeric));
        // 3.5 and 10:30 are numbers, 2024-05-08 and 10.0.0.1 are made of numbers.
        if numeric && pieces.len() == 2 && !matches!(pieces[1].glue, Glue::Slash) {
            return;
        }
        for i in first..end {
            if cut.pieces[i].script != Script::Spaced {
                self.emit_piece(cut, i, language, out);
            } else if let Some(id) = cut.words[i].filter(|id| self.lexicon.lower(*id).len() > 1) {
                self.emit_word(id, language, out);
            }
        }
    }

    /// The terms that stand for a name as a whole, and for its ends that people use alone.
    pub(super) fn names(&mut self, cut: &Cut<'_>, first: usize, end: usize, is_url: bool) -> Vec<String> {
        let mut names = vec![self.whole(cut, first, end)];
        let pieces = &cut.pieces;
        let slashes: Vec<usize> = (first + 1..end).filter(|i| pieces[*i].glue == Glue::Slash).collect();
        if is_url {
            // The host is the name of a site; the levels of its paths are not files.
            if let Some(&path) = slashes.first() {
                names.push(self.whole(cut, first, path));
            }
        } else {
            let levels = slashes.iter().rev().take(PATH_LEVELS).filter(|i| **i + 1 < end);
            names.extend(levels.map(|&i| self.whole(cut, i, end)));
        }
        if let Some(domain) = (first + 1..end).find(|i| pieces[*i].glue == Glue::At) {
            names.push(self.whole(cut, domain, end));
        }
        let head = pieces[first].of(&cut.text);
        if let Some(number) = names[0].strip_prefix('v').filter(|n| n.starts_with(|c: char| c.is_ascii_digit())) {
            names.push(number.to_string());
        }
        let parts: Vec<&str> = pieces[first..end].iter().map(|p| p.of(&cut.text)).collect();
        let grouped =
            parts.iter().skip(1).all(|p| p.len() == 3) && pieces[first + 1..end].iter().all(|p| p.glue == Glue::Dot);
        let digits = parts.iter().all(|p| p.bytes().all(|b| b.is_ascii_digit()));
        // 1.500.000 in most of Europe is 1500000; e-mail and T-shirt are also written as one word.
        if (digits && grouped && parts[0].len() <= 3) || (parts.len() == 2 && head.len() == 1 && !digits) {
            names.push(names[0].replace('_', ""));
        }
        names
    }

    /// Pieces joined to one term.
    pub(super) fn whole(&mut self, cut: &Cut<'_>, start: usize, end: usize) -> String {
        let mut whole = String::new();
        for i in start..end {
            let piece = &cut.pieces[i];
            if i > start && !matches!(piece.glue, Glue::Comma | Glue::Border) {
                whole.push('_');
            }
            match cut.words[i] {
                Some(id) => {
                    let folded = self.lexicon.word(id).folded;
                    whole.push_str(self.lexicon.text(folded));
                }
                None => whole.push_str(piece.of(&cut.text)),
            }
        }
        whole
    }
}

fn push_term(fts: &mut String, term: &str) {
    if !fts.is_empty() {
        fts.push(' ');
    }
    fts.push_str(term);
}

/// `C++`, `C#`, `F#` … by the name that people also write.
pub(super) fn language_name(text: &str, piece: &Piece) -> Option<String> {
    let letter = piece.of(text);
    let after = text.get(piece.end as usize..)?;
    if letter.len() != 1 || !letter.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let ending = if after.starts_with("++") {
        "pp"
    } else if after.starts_with('#') {
        "sharp"
    } else {
        return None;
    };
    Some(format!("{}{ending}", letter.to_ascii_lowercase()))
}

/// Articles and prepositions that lose their vowel in French and Italian, beyond one or two letters.
pub(super) fn is_elided(word: &str) -> bool {
    ["dell", "nell", "all", "dall", "sull", "coll", "quell", "quest", "jusqu", "lorsqu", "puisqu", "quoiqu", "quelqu"]
        .iter()
        .any(|e| word.eq_ignore_ascii_case(e))
}

/// Chinese and Japanese: pairs, and Chinese characters alone (most are a word).
pub(super) fn run_terms(run: &str, mut push: impl FnMut(&str)) {
    let mut previous: Option<usize> = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        if is_han(c) || (previous.is_none() && end == run.len()) {
            push(&run[at..end]);
        }
        if let Some(before) = previous {
            push(&run[before..end]);
        }
        previous = Some(at);
    }
}

/// Whether a character is a Chinese character, as opposed to kana and bopomofo.
pub(super) const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Korean: pairs of syllables, the word, the word without its particle.
pub(super) fn hangul_terms(run: &str, mut push: impl FnMut(&str)) {
    /// Longer runs are sentences without spaces, not words.
    const WORD: usize = 8;
    run_terms(run, &mut push);
    let syllables = run.chars().count();
    if (2..=WORD).contains(&syllables) {
        let bare = strip_particle(run);
        if syllables > 2 {
            push(run);
        }
        if bare.len() != run.len() && bare.chars().count() != 2 {
            push(bare);
        }
    }
}

/// Thai and its neighbours: pairs of grapheme clusters; one cluster alone stays itself.
pub(super) fn cluster_terms(run: &str, mut push: impl FnMut(&str)) {
    let mut pair = String::new();
    let mut before = 0;
    let mut clusters = 0;
    for cluster in run.graphemes(true) {
        pair.drain(..before);
        before = pair.len();
        pair.extend(cluster.chars().take(CLUSTER_CHARS));
        clusters += 1;
        if clusters > 1 {
            push(&pair);
        }
    }
    if clusters == 1 && !pair.is_empty() {
        push(&pair);
    }
}

#[cfg(test)]
mod tests;
