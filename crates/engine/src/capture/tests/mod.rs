//! Tests of several parts together, on sets kept as files.

mod collect;
#[cfg(unix)]
mod foreign_writers;
mod injection;
mod labelled;

/// The lines of a set in `eval/sets/capture`.
pub(super) fn set<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval/sets/capture").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}
