//! What a search may see: what is only indexed is searched for nobody who does not name the conversations that are open
//! to them.

use std::collections::HashSet;

use super::SearchCall;
use crate::search::types::Hit;
use model::{config::settings::Settings, source::Source};

/// Results that are looked at where only those of some conversations may be shown.
pub(super) const LOOKED_AT: usize = 200;

/// The sources of a search, empty for all of them; none when nothing that it asks for is open to it.
pub(super) fn sources(call: &SearchCall, settings: &Settings) -> Option<Vec<Source>> {
    if call.conversations.is_some() || settings.searches_sessions || !settings.sources.sessions {
        return Some(call.sources.clone());
    }
    let asked = if call.sources.is_empty() { vec![Source::Memory] } else { call.sources.clone() };
    let open: Vec<Source> = asked.into_iter().filter(|source| *source == Source::Memory).collect();
    (!open.is_empty()).then_some(open)
}

/// Conversations that are open to whoever asks.
pub(super) struct Conversations(HashSet<String>);

impl Conversations {
    /// By their ids.
    pub(super) fn of(ids: Vec<String>) -> Self {
        Self(ids.into_iter().collect())
    }

    /// Whether a result may be shown: a passage of a file, or of one of the conversations.
    pub(super) fn allow(&self, hit: &Hit) -> bool {
        match hit.source {
            Source::Memory => true,
            Source::Sessions => {
                let name = hit.path.rsplit('/').next().unwrap_or_default();
                name.strip_suffix(".jsonl").is_some_and(|id| self.0.contains(id))
            }
        }
    }
}
