//! The very first pass of an index, which a search may wait for, and notes that could not be read.

use std::sync::{Arc, atomic::Ordering};

use super::{super::context::Service, Indexer, sync::TextCall};
use crate::{index::session_pass::Scope, workspace::skipped::SkipCode};
use model::{
    cancel::Cancel,
    error::{Code, Error, RAISE_LIMIT, Result},
};
use store::skipped::Skipped;

impl Indexer {
    /// The first text pass of an index that never had one.
    ///
    /// # Errors
    /// [`Code::Deadline`] when it did not end in time, and why it failed.
    pub(crate) async fn ensure_indexed(self: &Arc<Self>, cancel: &Cancel) -> Result<()> {
        if self.indexed.load(Ordering::Acquire) {
            return Ok(());
        }
        if self.blocking(|indexer, _| indexer.holds_nothing()).await? {
            let report = self.sync_text(TextCall::whole(false, Scope::None), cancel, None).await?;
            if report.chunks == 0 && report.skipped > 0 {
                self.blocking(|indexer, _| indexer.nothing_readable()).await?;
            }
            // Vectors, and years of conversations, come after the answer.
            self.sync_sessions_in_background(Scope::All);
        }
        self.indexed.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether another process has cleared the index since it was last searched here; it is made anew then as the first was.
    /// Blocks.
    pub(crate) fn was_cleared(&self) -> Result<bool> {
        let cleared = self.indexed.load(Ordering::Acquire) && self.context.store().read(|r| r.live())?.is_none();
        if cleared {
            self.begin_anew();
        }
        Ok(cleared)
    }

    /// Whether a search would find more after a pass that nobody makes yet.
    pub(crate) fn is_behind(&self) -> bool {
        self.dirty.load(Ordering::Acquire) && !self.texts.is_running()
    }

    /// An index that is empty because the operating system refused the notes is no empty memory.
    fn nothing_readable(&self) -> Result<()> {
        self.unreadable_note()?.map_or(Ok(()), Err)
    }

    /// Why one of the notes could not be read in the last pass of whichever process; none when all could. Blocks.
    pub(crate) fn unreadable_note(&self) -> Result<Option<Error>> {
        let unreadable = SkipCode::Unreadable.as_str();
        let skipped = self.context.store().read(|r| r.skipped())?;
        let refused = skipped.into_iter().find(|skipped| skipped.code == unreadable);
        Ok(refused.map(|Skipped { path, reason, .. }| match reason.strip_suffix(RAISE_LIMIT) {
            Some(cause) => {
                Error::new(Code::Io, format!("{path}: {}", cause.trim_end_matches(". "))).remedy(RAISE_LIMIT)
            }
            None => Error::new(Code::Io, format!("{path}: {reason}"))
                .remedy("Make the notes readable for this user; `openclaw memory status` lists what is left out"),
        }))
    }
}
