//! What leaving takes of an index that the settings put outside of our own folder.

use super::super::OpenCall;
use crate::blocking::blocking;
use model::{config::resolve::index_file, error::Result};
use store::footprint::Footprint;

/// The files of an agent's index where the settings put it, whether or not memory search is switched on for it.
///
/// # Errors
/// When `store.path` cannot be used.
pub async fn index_files(call: OpenCall) -> Result<Footprint> {
    blocking(move || Ok(Footprint::of(&index_file(&call.resolve_input())?))).await
}
