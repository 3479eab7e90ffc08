//! What a search may see: what is only indexed is searched for nobody who does not name the conversations that are open
//! to them.

use super::SearchCall;
use model::{config::settings::Settings, error::Result, source::Source};
use store::Reader;

/// The sources of a search, empty for all of them; none when nothing that it asks for is open to it.
pub(in super::super) fn sources(call: &SearchCall, settings: &Settings) -> Option<Vec<Source>> {
    if call.conversations.is_some() || settings.searches_sessions || !settings.sources.sessions {
        return Some(call.sources.clone());
    }
    let asked = if call.sources.is_empty() { vec![Source::Memory] } else { call.sources.clone() };
    let open: Vec<Source> = asked.into_iter().filter(|source| *source == Source::Memory).collect();
    (!open.is_empty()).then_some(open)
}

/// The same without what the settings do not index any more: it is there until the next pass, and searched for nobody. None
/// when nothing is left.
///
/// # Errors
/// When the store cannot be read.
pub(super) fn still_indexed(asked: &[Source], settings: &Settings, reader: &Reader<'_>) -> Result<Option<Vec<Source>>> {
    let Some(live) = reader.live()? else { return Ok(Some(asked.to_vec())) };
    let kept = [(Source::Memory, settings.sources.memory), (Source::Sessions, settings.sources.sessions)];
    let mut is_whole = true;
    for (source, is_indexed) in kept {
        is_whole &= is_indexed || !reader.has_files(live.id, source.as_str())?;
    }
    if is_whole {
        return Ok(Some(asked.to_vec()));
    }
    let open =
        kept.into_iter().filter(|(source, is_indexed)| *is_indexed && (asked.is_empty() || asked.contains(source)));
    let open: Vec<Source> = open.map(|(source, _)| source).collect();
    Ok((!open.is_empty()).then_some(open))
}
