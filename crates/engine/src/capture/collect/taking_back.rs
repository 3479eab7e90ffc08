//! What a message takes back that was judged before.

use std::collections::HashSet;

use super::{
    super::{
        filter::Reason,
        log::{Entry, Status},
        queue::Job,
        taken_back,
    },
    Collector, WITHHELD, fingerprint, fingerprint_of,
};
use model::error::Result;

impl Collector {
    /// What was judged of a message where the next one of the turn says, alone, that it be not remembered, whatever became of it.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(crate) fn taken_back(&self, job: &Job) -> Result<Vec<Entry>> {
        let Some(wish) = taken_back::of_turn(job) else { return Ok(Vec::new()) };
        let is_of_conversation = |entry: &&Entry| entry.is_of(job.session_key.as_deref(), job.session_id.as_deref());
        let captures = self.journal().captures()?;
        let own = [fingerprint_of(wish.message), fingerprint(&job.id)];
        let is_said = |entry: &&Entry| entry.was_said() && !own.contains(&entry.message);
        let mut before = captures.iter().filter(is_of_conversation).filter(is_said);
        // Where a model listed the facts of a turn, they are known by the turn.
        let last = before.next().filter(|_| wish.is_of_before).map(|entry| entry.message.clone());
        let meant: Vec<String> = wish.meant.map(fingerprint_of).into_iter().chain(last).collect();
        let is_meant = |entry: &&Entry| meant.contains(&entry.message);
        Ok(captures.iter().filter(is_of_conversation).filter(is_meant).cloned().collect())
    }

    /// Ends the waiting of the turn that a turn takes back, of which nothing was captured yet: a disk or a model was away.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub(crate) fn end_waiting(&self, job: &Job) -> Result<()> {
        let Some(wish) = taken_back::of_turn(job) else { return Ok(()) };
        let is_meant = |other: &Job| match wish.meant {
            Some(meant) => other.new_words().any(|message| message.text == meant.text),
            None => true,
        };
        match self.journal().waiting_before(job)?.into_iter().find(is_meant) {
            Some(meant) => self.journal().finish(&meant.id),
            None => Ok(()),
        }
    }

    /// Takes the words of what was taken back out of the log where nothing of it was captured.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub(crate) fn withhold(&self, taken: &[Entry]) -> Result<()> {
        let meant = taken.iter().filter(|entry| entry.status == Status::Skipped && entry.text != WITHHELD);
        let ids: HashSet<&str> = meant.map(|entry| entry.id.as_str()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let withhold = |entry: &mut Entry| {
            let is_meant = ids.contains(entry.id.as_str());
            if is_meant {
                WITHHELD.clone_into(&mut entry.text);
                entry.reason = Some(Reason::OffRecord.as_str().to_owned());
            }
            is_meant
        };
        self.journal().change(false, |state| state.change_captures(withhold)).map(drop)
    }
}
