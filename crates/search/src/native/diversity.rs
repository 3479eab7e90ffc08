//! No two results that say the same: a note that repeats a transcript, a copied list, a quoted message.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use itertools::Itertools;

use super::{
    lines::{Line, Lines},
    passages::Passage,
};
use model::source::Source;

/// Share of the words of the shorter text that the other must hold to say the same.
const SAME: f64 = 0.85;
/// Fewer distinct words than this are compared as they are: short lines share words by chance.
const FEW: usize = 5;
/// Share of the words of the longer line that a line of another source must hold to be its copy: `user:` and `Ana:` may
/// stand before the same words.
const COPY: f64 = 0.8;

/// The distinct words of a text.
#[derive(Debug, Clone)]
struct Words {
    /// Ascending.
    terms: Vec<u32>,
    /// One bit per word, by its hash: tells that two texts differ without comparing them.
    bits: [u64; 16],
}

impl Words {
    fn of(terms: impl Iterator<Item = u32>) -> Self {
        let mut terms: Vec<u32> = terms.collect();
        terms.sort_unstable();
        terms.dedup();
        let mut bits = [0; 16];
        for term in &terms {
            bits[(term >> 6) as usize & 15] |= 1 << (term & 63);
        }
        Self { terms, bits }
    }

    /// Whether at least `least` of the words are in another text.
    fn shares(&self, other: &Self, least: f64) -> bool {
        // Every bit that the other lacks is a word, or more, that it lacks.
        let missing: u32 = self.bits.iter().zip(&other.bits).map(|(own, theirs)| (own & !theirs).count_ones()).sum();
        if ((self.terms.len() - missing as usize) as f64) < least {
            return false;
        }
        let mut rest = other.terms.as_slice();
        let shared = self.terms.iter().filter(|term| {
            rest = &rest[rest.partition_point(|known| known < term)..];
            rest.first() == Some(term)
        });
        shared.count() as f64 >= least
    }
}

/// What has been shown.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    passages: Vec<Words>,
    texts: HashSet<String, RandomState>,
    /// Whether the candidates come from several sources.
    is_mixed: bool,
    /// Source and words of each line; empty when there is one source.
    lines: Vec<(&'a str, Words)>,
}

impl<'a> Shown<'a> {
    /// Nothing yet, of these candidates.
    pub(crate) fn nothing_of(lines: &Lines<'a>) -> Self {
        let is_mixed = !lines.files.iter().map(|file| file.source).all_equal();
        Self { passages: Vec::new(), texts: HashSet::default(), is_mixed, lines: Vec::new() }
    }

    /// Whether an earlier result says the same as a passage; if none does, the passage counts as shown.
    pub(crate) fn repeats(&mut self, passage: &Passage, lines: &Lines<'a>) -> bool {
        // A picture is another thing than the line that shows it, and has that line as its caption.
        let file = &lines.files[lines.lines[passage.best].file];
        if is_media(file.source, file.path) {
            return false;
        }
        let members = || passage.lines.iter().map(|at| &lines.lines[*at]);
        let words = Words::of(members().flat_map(|line| line.terms.iter()));
        if words.terms.len() < FEW {
            let text: Vec<&str> = members().map(|line| line.text.trim()).collect();
            return !self.texts.insert(text.join("\n"));
        }
        let same = |other: &Words| words.shares(other, SAME * other.terms.len().min(words.terms.len()) as f64);
        if self.passages.iter().any(same) || self.copies(&lines.lines[passage.best], lines) {
            return true;
        }
        self.passages.push(words);
        if self.is_mixed {
            self.lines.extend(members().map(|line| (source_of(line, lines), Words::of(line.terms.iter()))));
        }
        false
    }

    /// Whether a line stands in a shown result of another source: a note and the transcript it was taken from are cut
    /// into passages differently.
    fn copies(&self, line: &Line<'_>, lines: &Lines<'_>) -> bool {
        let own = source_of(line, lines);
        let mut others = self.lines.iter().filter(|(source, _)| *source != own).peekable();
        if others.peek().is_none() {
            return false;
        }
        let words = Words::of(line.terms.iter());
        let is_copy = |other: &Words| words.shares(other, COPY * other.terms.len().max(words.terms.len()) as f64);
        words.terms.len() >= FEW && others.any(|(_, other)| is_copy(other))
    }
}

/// Whether a file is a picture or sound: of the notes all else is Markdown.
fn is_media(source: &str, path: &str) -> bool {
    Source::of(source) == Source::Memory && !path.to_ascii_lowercase().ends_with(".md")
}

fn source_of<'a>(line: &Line<'_>, lines: &Lines<'a>) -> &'a str {
    lines.files[line.file].source
}
