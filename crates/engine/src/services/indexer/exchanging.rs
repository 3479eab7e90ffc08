//! What gateways with one index in a database exchange before each text pass: what is forgotten, and the notes themselves;
//! and whether somebody else changed them.

use super::Indexer;
use crate::{
    exchange::{self, Exchange, Exchanged},
    forgetting::shared,
    index::{Progress, owner},
    workspace::exclusions::{Exclusions, FOLLOWED},
};
use model::{cancel::Cancel, config::settings::Settings, error::Result};

impl Indexer {
    /// Learns what was forgotten on other gateways, and tells them of it, where the index is of these notes; `is_ours` says
    /// that it is known to be. Gives which version of the list the index follows; none where it is a file.
    pub(super) fn follow_forgotten(&self, settings: &Settings, is_ours: bool) -> Result<Option<String>> {
        let (store, cancel) = (self.context.store(), self.context.shutdown());
        if store.admin().is_some() {
            return Ok(None);
        }
        let list = Exclusions::of(&settings.database_path);
        list.check()?;
        let followed = store.read_with(cancel, |reader| reader.meta(FOLLOWED))?.unwrap_or_default();
        if followed == list.version() || (!is_ours && self.is_foreign(settings, cancel)?) {
            return Ok(Some(followed));
        }
        shared::exchange(store, settings, None, self.context.now_ms())
    }

    /// Brings the lists of what is forgotten together, see [`shared::exchange`]; none where the index is of other notes.
    pub(in super::super) fn share_forgotten(&self, settings: &Settings, now: Option<&str>) -> Result<Option<String>> {
        let store = self.context.store();
        if store.admin().is_some() || self.is_foreign(settings, self.context.shutdown())? {
            return Ok(None);
        }
        shared::exchange(store, settings, now, self.context.now_ms())
    }

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
    pub(in super::super) fn is_foreign(&self, settings: &Settings, cancel: &Cancel) -> Result<bool> {
        let store = self.context.store();
        if exchange::is_wanted(settings) {
            // A new workspace gets its notes with the first update.
            exchange::ahead::is_refused(store, settings, cancel)
        } else {
            owner::is_foreign(store, settings, cancel)
        }
    }
}
