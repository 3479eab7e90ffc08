//! The notes themselves in a database: what is exchanged before each text pass, and whether somebody else changed them.

use super::Indexer;
use crate::{
    exchange::{self, Exchange, Exchanged},
    index::{Progress, owner},
};
use model::{cancel::Cancel, config::settings::Settings, error::Result};

impl Indexer {
    /// Exchanges the notes with the database; none where that keeps none.
    pub(super) fn exchange(&self, settings: &Settings, force: bool, progress: &Progress) -> Result<Option<Exchanged>> {
        if !exchange::is_wanted(settings) {
            return Ok(None);
        }
        let (store, now_ms) = (self.context.store(), self.context.now_ms());
        let cancel = self.context.shutdown();
        Exchange { store, settings, force, now_ms, cancel, progress }.run().map(Some)
    }

    /// Whether somebody else has changed notes in the database since.
    pub(super) fn notes_are_behind(&self, settings: &Settings, cancel: &Cancel) -> Result<bool> {
        Ok(exchange::is_wanted(settings) && exchange::is_behind(self.context.store(), cancel)?)
    }

    /// Whether the index is of other notes. Those that are exchanged are its own, whoever has indexed them last.
    pub(super) fn is_foreign(&self, settings: &Settings, cancel: &Cancel) -> Result<bool> {
        let store = self.context.store();
        if exchange::is_wanted(settings) && exchange::status(store)?.notes > 0 {
            return Ok(false);
        }
        owner::is_foreign(store, settings, cancel)
    }
}
