//! Texts that were cut for one chunk of a file and stand at the next one again: lines that both have, titles and paths.

use std::{borrow::Cow, collections::HashMap};

use foldhash::fast::RandomState;

use super::Cut;

/// Most titles and paths that are kept: those of a file, and not of one that is nothing but titles.
const MOST: usize = 64;

/// What was cut last. Whoever asks gets it back as it was, or not at all: a cut depends on nothing but its text.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The lines of the last chunk, in order.
    lines: Vec<Cut<'static>>,
    /// Titles and paths, by their text.
    above: HashMap<Box<str>, Cut<'static>, RandomState>,
}

impl Kept {
    /// Cuts the lines of a chunk with `cut`, but for those that the last chunk ended with.
    pub(super) fn lines<'t>(
        &mut self,
        lines: &[(u32, &'t str)],
        mut cut: impl FnMut(&'t str) -> Cut<'t>,
    ) -> Vec<Cut<'t>> {
        let first = lines.first().map_or("", |(_, text)| *text);
        let mut last = std::mem::take(&mut self.lines).into_iter().skip_while(|cut| cut.text != first).peekable();
        let of = |(_, text): &(u32, &'t str)| last.next_if(|cut| cut.text == *text).unwrap_or_else(|| cut(text));
        lines.iter().map(of).collect()
    }

    /// Keeps the lines of a chunk for the next one.
    pub(super) fn keep_lines(&mut self, lines: Vec<Cut<'_>>) {
        self.lines = lines.into_iter().map(Cut::into_owned).collect();
    }

    /// A title or a path with its cut, if it is kept; to be given back by [`Self::keep_above`].
    pub(super) fn take_above(&mut self, text: &str) -> Option<(Box<str>, Cut<'static>)> {
        self.above.remove_entry(text)
    }

    /// Keeps the cut of a title or a path.
    pub(super) fn keep_above(&mut self, text: Box<str>, cut: Cut<'static>) {
        if self.above.len() >= MOST {
            self.above.clear();
        }
        self.above.insert(text, cut);
    }
}

impl Cut<'_> {
    pub(super) fn into_owned(self) -> Cut<'static> {
        Cut { text: Cow::Owned(self.text.into_owned()), pieces: self.pieces, words: self.words, votes: self.votes }
    }
}
