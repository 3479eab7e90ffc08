//! Which texts of automatic memory say the same as lines that are forgotten.

use crate::{
    capture::{queue::Job, short_term},
    workspace::exclusions::is_telling,
};

/// Lines that are forgotten, as far as they say something of their own.
pub(crate) struct SameWords<'a>(Vec<&'a str>);

impl<'a> SameWords<'a> {
    /// Those of some lines.
    pub(crate) fn of(lines: impl IntoIterator<Item = &'a String>) -> Self {
        Self(lines.into_iter().map(|line| line.trim()).filter(|line| is_telling(line)).collect())
    }

    /// Whether a text is a part of one, or has one as a part.
    pub(crate) fn text(&self, text: &str) -> bool {
        is_telling(text) && self.0.iter().any(|line| line.contains(text.trim()) || text.contains(line))
    }

    /// Whether a message of a waiting turn says the same.
    pub(crate) fn turn(&self, job: &Job) -> bool {
        job.messages.iter().any(|message| self.text(&message.text))
    }

    /// Whether a record of the short-term memory does.
    pub(crate) fn record(&self, record: &short_term::Entry) -> bool {
        [&record.input, &record.output, &record.task].into_iter().any(|text| self.text(text))
    }
}
