//! What a message corrects that was captured before.

use super::{
    super::{
        log::{Entry, Status},
        queue::{Job, Message},
        rules::{
            Found,
            correction::{correction, with_correction},
        },
    },
    Candidate, Collector, fingerprint_of,
    judged::is_of,
};
use model::error::Result;

impl Collector {
    /// What was captured of the message before, with the message that corrects it and has no subject of its own; none of
    /// most messages. `before` is the message before where the turn holds it.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(super) fn corrected(
        &self,
        job: &Job,
        text: &str,
        before: Option<&Message>,
        candidates: &[Candidate],
    ) -> Result<Option<Found>> {
        let Some(correction) = correction(text) else { return Ok(None) };
        let with = |said: &str, category| Found { text: with_correction(said, correction), category };
        let is_before = |said: &&Candidate| before.is_none_or(|before| fingerprint_of(before) == said.message);
        if let Some(said) = candidates.last().filter(is_before) {
            return Ok(Some(with(&said.text, said.category)));
        }
        let is_here =
            |entry: &&Entry| entry.was_said() && entry.is_of(job.session_key.as_deref(), job.session_id.as_deref());
        let captures = self.journal().captures()?;
        let is_said_before = before.map(is_of);
        let last =
            captures.iter().filter(is_here).find(|entry| is_said_before.as_ref().is_none_or(|is_of| is_of(entry)));
        let last = last.filter(|entry| entry.status == Status::Stored);
        Ok(last.and_then(|entry| Some(with(&entry.text, entry.category?))))
    }
}
