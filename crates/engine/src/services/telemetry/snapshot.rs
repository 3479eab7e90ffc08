//! What `status` is told from: what the store held when it was last asked, and what went wrong since.

use std::collections::BTreeMap;

use super::{
    failure::{self, EmbeddingFailure},
    warnings,
};
use crate::{
    curated::{Malformed, marked},
    exchange::{self, NotesStatus},
    index::{
        Failure, line_pass,
        lost::{Folders, LostFolder},
    },
    log::Warning,
    workspace::skipped::SkipCode,
};
use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Code, Error, Result},
    source::Source,
};
use store::{
    Store, embeddings,
    refusals::RefusedText,
    stats::{Sizes, SourceCounts},
};

/// Kind of work: reading notes and conversations.
pub(crate) const TEXT: &str = "text";
/// Kind of work: making vectors.
pub(crate) const EMBEDDING: &str = "embedding";

/// Kind of work: finding out what a query means.
pub(crate) const QUERY: &str = "query";

/// Kind of work: reading conversations that the host keeps.
pub(crate) const SESSIONS: &str = "sessions";

/// What the store held when it was last asked, and what went wrong since.
#[derive(Default)]
pub(super) struct Snapshot {
    pub(super) counts: Vec<SourceCounts>,
    pub(super) coverage: embeddings::Coverage,
    pub(super) dims: Option<u32>,
    /// Distinct texts whose lines have no vectors yet, beside a hosted provider; none where nobody counts.
    pub(super) pending_lines: Option<u64>,
    pub(super) sizes: Sizes,
    /// Whether there is an index: none before the first pass, and after it was cleared.
    pub(super) is_made: bool,
    pub(super) skipped: usize,
    /// Why vectors are missing, as the last process to try has left it.
    pub(super) failure: Option<EmbeddingFailure>,
    /// The last warnings, as whichever process left them.
    pub(super) warnings: Vec<Warning>,
    /// The folders of notes, and which of them are lost.
    pub(super) folders: Folders,
    /// Which were lost at a glance since.
    pub(super) glanced: Option<Vec<LostFolder>>,
    /// The notes that the database keeps; none where it keeps none.
    pub(super) notes: Option<NotesStatus>,
    /// The latest of the texts that the provider refused.
    pub(super) refusal: Option<RefusedText>,
    /// Extra files that said they are curated.
    pub(super) marked: Vec<String>,
    /// Comments of curated files that cannot be understood.
    pub(super) malformed: Vec<Malformed>,
    /// By kind of work, so that a success of one does not hide the failure of the other.
    pub(super) errors: BTreeMap<&'static str, Noted>,
}

/// A failure and when it was.
pub(super) struct Noted {
    pub(super) error: Error,
    pub(super) at_ms: i64,
    /// When the work began to fail.
    pub(super) since_ms: i64,
}

/// How long a provider that refused for good (key, quota) is left alone by background work.
const REFUSED_WAIT_MS: i64 = 15 * 60_000;

impl Snapshot {
    /// Remembers how a kind of work ended. What was given up has not ended, and says nothing of how it goes.
    pub(super) fn note(&mut self, what: &'static str, error: Option<&Error>, at_ms: i64) {
        match error {
            Some(error) if matches!(error.code(), Code::Cancelled | Code::Closed) => None,
            Some(error) => {
                let since_ms = self.errors.get(what).map_or(at_ms, |before| before.since_ms);
                self.errors.insert(what, Noted { error: error.clone(), at_ms, since_ms })
            }
            None => self.errors.remove(what),
        };
    }

    /// How long background work should wait before it asks the provider again; none when no vector is missing.
    pub(super) fn vectors_wait_ms(&self, now_ms: i64) -> Option<i64> {
        let covered = self.coverage.embedded + self.coverage.refused;
        if covered >= self.coverage.chunks {
            return None;
        }
        let ago_ms = match self.errors.get(EMBEDDING) {
            Some(noted) if !noted.error.is_retryable() => now_ms.saturating_sub(noted.at_ms),
            _ => REFUSED_WAIT_MS,
        };
        // A refusal in the future: the clock was set back since, and nobody knows how long ago it was.
        Some(if ago_ms < 0 { 0 } else { (REFUSED_WAIT_MS - ago_ms).max(0) })
    }

    /// Chunks that still have no vector, as far as the provider in use makes some.
    pub(super) const fn pending(&self) -> u64 {
        self.coverage.chunks.saturating_sub(self.coverage.embedded + self.coverage.refused)
    }

    /// Chunks of the index.
    pub(super) const fn chunks(&self) -> u64 {
        self.coverage.chunks
    }

    /// Chunks whose text the provider refused.
    pub(super) const fn refused(&self) -> u64 {
        self.coverage.refused
    }

    /// Folders of notes that are lost, as far as anybody has looked.
    pub(super) fn lost(&self) -> &[LostFolder] {
        self.glanced.as_ref().unwrap_or(&self.folders.lost)
    }

    /// Why no notes are exchanged with the database; none when all is well.
    pub(super) fn notes_stopped(&self) -> Option<&str> {
        self.notes.as_ref()?.stopped.as_deref()
    }

    /// The latest refusal.
    pub(super) const fn refusal(&self) -> Option<&RefusedText> {
        self.refusal.as_ref()
    }

    /// What is stored of the last warnings.
    pub(super) fn stored_warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What is stored of the provider's failure.
    pub(super) const fn stored_failure(&self) -> Option<&EmbeddingFailure> {
        self.failure.as_ref()
    }

    /// Why vectors are missing and since when, whichever process met it; none when all went well.
    pub(super) fn embedding_failure(&self) -> Option<(Failure, i64)> {
        match (self.errors.get(EMBEDDING), &self.failure) {
            (Some(noted), _) => Some((noted.error.clone().into(), noted.at_ms)),
            (None, Some(stored)) if self.pending() > 0 => Some((stored.failure.clone(), stored.since_ms)),
            _ => None,
        }
    }

    /// How a kind of work failed in this process.
    pub(super) fn error_of(&self, what: &str) -> Option<&Error> {
        self.errors.get(what).map(|noted| &noted.error)
    }

    /// What failed apart from the provider.
    pub(super) fn update_error(&self) -> Option<String> {
        let errors = self.errors.values().filter(|noted| !noted.error.is_of_provider());
        let told: Vec<String> = errors.map(|noted| noted.error.to_string()).collect();
        (!told.is_empty()).then(|| told.join(" "))
    }

    pub(super) fn last_error(&self) -> Option<String> {
        let provider = self.embedding_failure().map(|(failure, _)| failure.message);
        let mut told: Vec<String> = self.update_error().into_iter().collect();
        told.extend(provider.filter(|message| !told.contains(message)));
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// `space_key` is the space of the provider, none when vectors are not wanted. Of a provider that cannot be used the
/// space is not known: the one that was searched so far counts. `line_key` is the space of lines beside a hosted
/// provider.
pub(super) fn read_snapshot(
    store: &Store,
    settings: &Settings,
    space_key: std::result::Result<Option<String>, ()>,
    line_key: Option<String>,
    cancel: &Cancel,
) -> Result<Snapshot> {
    let mut snapshot = store.read_with(cancel, |r| {
        let skipped = r.skipped()?;
        let mut snapshot = Snapshot {
            skipped: skipped.len() + r.more_skipped()?,
            failure: failure::of(r, &settings.provider.id)?,
            warnings: warnings::stored(r)?,
            folders: Folders::stored(r)?,
            marked: marked(r)?,
            ..Snapshot::default()
        };
        let Some(live) = r.live()? else { return Ok(snapshot) };
        snapshot.is_made = true;
        snapshot.counts = r.source_counts(live.id)?;
        // They have a row, so that they are not read again and again, and nothing of them is indexed.
        let refused = skipped.iter().filter(|skipped| skipped.code == SkipCode::WrongContent.as_str()).count() as u64;
        for counts in snapshot.counts.iter_mut().filter(|counts| Source::of(&counts.source) == Source::Memory) {
            counts.files = counts.files.saturating_sub(refused);
        }
        let chunks = snapshot.counts.iter().map(|s| s.chunks).sum();
        snapshot.coverage = embeddings::Coverage { chunks, ..Default::default() };
        let space = match &space_key {
            Ok(Some(key)) => r.space(key)?,
            Ok(None) => None,
            Err(()) => r.active_space()?,
        };
        if let Some(space) = space {
            snapshot.coverage = r.coverage(live.id, space.id)?;
            snapshot.dims = space.dims;
            if snapshot.coverage.refused > 0 {
                snapshot.refusal = r.latest_refusal(live.id, space.id)?;
            }
        }
        if let Some(key) = &line_key
            && chunks <= line_pass::BESIDE_HOSTED
        {
            snapshot.pending_lines = Some(r.pending_lines(live.id, r.space(key)?.map(|space| space.id))?);
        }
        Ok(snapshot)
    })?;
    snapshot.sizes = store.sizes()?;
    snapshot.notes = exchange::is_wanted(settings).then(|| exchange::status(store)).transpose()?;
    Ok(snapshot)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    // A search that nobody waited for any more was told as "failing: the call was cancelled" until the next one.
    #[test]
    fn what_was_given_up_is_no_failure_and_takes_none_away() {
        let mut snapshot = Snapshot::default();
        for code in [Code::Cancelled, Code::Closed] {
            snapshot.note(QUERY, Some(&Error::new(code, "the call was cancelled")), NOW);
            assert_eq!(snapshot.update_error(), None);
        }
        snapshot.note(QUERY, Some(&Error::new(Code::Io, "broken")), NOW);
        snapshot.note(QUERY, Some(&Error::new(Code::Cancelled, "the call was cancelled")), NOW);
        assert_eq!(snapshot.update_error().as_deref(), Some("broken"));
    }

    #[test]
    fn a_refusal_is_respected_for_its_time_but_not_until_a_clock_that_was_set_back_gets_there() {
        const YEAR_MS: i64 = 365 * 86_400_000;
        let mut snapshot =
            Snapshot { coverage: embeddings::Coverage { chunks: 1, ..Default::default() }, ..Snapshot::default() };
        assert_eq!(snapshot.vectors_wait_ms(NOW), Some(0));
        snapshot.note(EMBEDDING, Some(&Error::new(Code::ProviderAuth, "no such key")), NOW);
        let at_ms = snapshot.errors[EMBEDDING].at_ms;
        for (now_ms, wait_ms) in [
            (at_ms, REFUSED_WAIT_MS),
            (at_ms + 1000, REFUSED_WAIT_MS - 1000),
            (at_ms + REFUSED_WAIT_MS, 0),
            (at_ms + YEAR_MS, 0),
            (at_ms - YEAR_MS, 0),
        ] {
            assert_eq!(snapshot.vectors_wait_ms(now_ms), Some(wait_ms), "{}", now_ms - at_ms);
        }
        snapshot.note(EMBEDDING, None, NOW);
        snapshot.coverage.embedded = 1;
        assert_eq!(snapshot.vectors_wait_ms(at_ms), None);
    }
}
