//! What a search may see: what is only indexed is searched for nobody who does not name the conversations that are open
//! to them.

use super::SearchCall;
use model::{config::settings::Settings, source::Source};

/// The sources of a search, empty for all of them; none when nothing that it asks for is open to it.
pub(super) fn sources(call: &SearchCall, settings: &Settings) -> Option<Vec<Source>> {
    if call.conversations.is_some() || settings.searches_sessions || !settings.sources.sessions {
        return Some(call.sources.clone());
    }
    let asked = if call.sources.is_empty() { vec![Source::Memory] } else { call.sources.clone() };
    let open: Vec<Source> = asked.into_iter().filter(|source| *source == Source::Memory).collect();
    (!open.is_empty()).then_some(open)
}
