//! Tests of several parts together, on sets kept as files.

mod collect;
#[cfg(unix)]
mod foreign_writers;
mod handed_over;
mod injection;
mod labelled;

use crate::classifier::learn::labelled;

/// The lines of a set in `eval/sets/capture`.
pub(super) fn set<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    labelled(&format!("capture/{name}"))
}
