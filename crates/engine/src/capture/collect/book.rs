//! The log of a turn that is worked on.

use std::collections::{HashMap, HashSet};

use super::{
    super::{
        filter::Reason,
        journal::Journal,
        log::{Entry, Heard, Status},
        queue::Job,
        rules::Category,
    },
    Collector, WITHHELD, fingerprint, fingerprint_of, judged, one_line,
};
use model::error::Result;
use text::{redact::redact, shown::decoded};

/// Characters of a text that was not kept that go into the journal.
const LOGGED_CHARS: usize = 120;

/// The journal while one turn is worked on: a text of a message is listed once, however often the turn is taken up again.
pub(super) struct Book<'a> {
    collector: &'a Collector,
    job: &'a Job,
    pub(super) journal: Journal,
    /// Message and text of the entries.
    listed: HashSet<(String, String)>,
    /// What is noted of the messages, by their fingerprints, and of all of the turn by that of its id.
    heard: HashMap<String, Vec<Heard>>,
}

impl<'a> Book<'a> {
    pub(super) fn open(collector: &'a Collector, job: &'a Job) -> Result<Self> {
        let earlier = if job.attempts > 1 { collector.journal().captures()? } else { Vec::new() };
        Ok(Self::of(collector, job, earlier.iter()))
    }

    pub(super) fn of<'b>(collector: &'a Collector, job: &'a Job, earlier: impl Iterator<Item = &'b Entry>) -> Self {
        let listed = earlier.filter(|_| job.attempts > 1).map(key_of).collect();
        let new = job.messages.get(job.seen..).unwrap_or_default();
        let mut heard: HashMap<_, _> =
            new.iter().map(|message| (fingerprint_of(message), judged::heard([message]))).collect();
        heard.insert(fingerprint(&job.id), judged::heard(new));
        Self { collector, job, journal: collector.journal(), listed, heard }
    }

    pub(super) fn skip(&mut self, text: &str, message: &str, category: Option<Category>, reason: Reason) -> Result<()> {
        // The log is a memory too.
        let shown = match reason {
            Reason::OffRecord => WITHHELD.to_owned(),
            _ => logged(&one_line(&redact(&decoded(text)))),
        };
        let entry = self.collector.entry(self.job, Status::Skipped, shown, message.to_owned());
        if self.listed.contains(&key_of(&entry)) {
            return Ok(());
        }
        self.add(Entry { reason: Some(reason.as_str().to_owned()), category, ..entry })
    }

    pub(super) fn add(&mut self, entry: Entry) -> Result<()> {
        self.listed.insert(key_of(&entry));
        // Those of a whole turn may be many: once is enough.
        let is_of_turn = entry.message == fingerprint(&self.job.id);
        let heard =
            if is_of_turn { self.heard.remove(&entry.message) } else { self.heard.get(&entry.message).cloned() };
        let heard = heard.unwrap_or_default();
        self.journal.add_capture(Entry { heard, ..entry })
    }
}

/// The message of an entry, and its text as far as every entry has it.
fn key_of(entry: &Entry) -> (String, String) {
    (entry.message.clone(), logged(&entry.text))
}

fn logged(text: &str) -> String {
    text.chars().take(LOGGED_CHARS).collect()
}
