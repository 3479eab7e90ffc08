//! Tests of several parts together, on sets kept as files.

mod collect;
#[cfg(unix)]
mod foreign_writers;
mod handed_over;
mod injection;
mod labelled;

use super::collect::Collector;
use crate::classifier::learn::labelled;

/// The lines of a set in `eval/sets/capture`.
pub(super) fn set<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    labelled(&format!("capture/{name}"))
}

/// A collector in a folder, at a time.
fn collector_at(dir: &std::path::Path, now: &str) -> Collector {
    std::fs::create_dir_all(dir.join("workspace")).unwrap();
    Collector {
        folder: dir.join("state"),
        workspace: dir.join("workspace"),
        max_note_bytes: 1 << 20,
        now: now.parse().unwrap(),
        max_facts: 3,
    }
}
