//! Notes that are neither UTF-8 nor UTF-16: what of them can be read is indexed, and the rest is told.

use std::collections::HashSet;

use crate::workspace::{
    discover::Entry,
    skipped::{MAX_RECORDS, SkipCode, Skipped},
};
use store::skipped::Skipped as SkippedRow;

/// The record of such a note.
pub(super) fn other_encoding(path: String) -> Skipped {
    let reason = "not in UTF-8: letters that cannot be read are left out; save it as UTF-8".to_owned();
    Skipped { path, code: SkipCode::OtherEncoding, reason }
}

/// Those of the last pass that this one does not read again: they are what they were.
pub(super) fn not_read_again(before: &[SkippedRow], entries: &[Entry], stale: &[&Entry]) -> Vec<Skipped> {
    let code = SkipCode::OtherEncoding.as_str();
    let mut paths: HashSet<&str> = before.iter().filter(|row| row.code == code).map(|row| row.path.as_str()).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    for entry in stale {
        paths.remove(entry.path.as_str());
    }
    let found = entries.iter().filter(|entry| paths.contains(entry.path.as_str()));
    found.take(MAX_RECORDS).map(|entry| other_encoding(entry.path.clone())).collect()
}
