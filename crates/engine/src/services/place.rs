//! A new index beside others of the same agent: what was forgotten there stays forgotten.

use std::path::{Path, PathBuf};

use crate::{
    capture::jsonl,
    workspace::exclusions::{Entry, What, list_path},
};
use model::error::{Error, Result};

/// Begins the list of an index that has none with what the lists of the agent's other indexes say. Of an index whose workspace has
/// moved here all of it counts; of another workspace only what is forgotten of conversations, which belong to the agent.
///
/// # Errors
/// When a list cannot be read, or the new one cannot be written: what was forgotten must not come back.
pub(super) fn inherit(database: &Path, others: &[PathBuf], has_moved: impl Fn(&Path) -> bool) -> Result<()> {
    let mut lines: Vec<String> = Vec::new();
    for other in others {
        let list = list_path(other);
        if !list.exists() {
            continue;
        }
        let has_moved = has_moved(other);
        let text = std::fs::read_to_string(&list).map_err(|error| Error::io(&list, &error))?;
        for line in text.lines() {
            let counts = has_moved
                || serde_json::from_str::<Entry>(line).is_ok_and(|entry| matches!(entry.what, What::Session { .. }));
            if counts && !lines.iter().any(|known| known == line) {
                lines.push(line.to_owned());
            }
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    jsonl::update(&list_path(database), |known| Some(known.into_iter().chain(lines).collect()))
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
