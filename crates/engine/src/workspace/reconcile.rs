//! Reconciliation: what differs between the disk and the index, by looking, without trusting events.

use std::collections::HashMap;

use model::stamp::Stamp;

use super::discover::{Discovery, Entry};

/// What the index would have to do to equal the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// On disk and not in the index.
    pub added: Vec<Entry>,
    /// In both, with another size or modification time.
    pub changed: Vec<Entry>,
    /// In the index and no longer on disk, sorted.
    pub removed: Vec<String>,
}

impl Difference {
    /// Whether the index equals the disk.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Compares a look at the disk with what the index holds. A path that could not be looked at is never removed.
#[must_use]
pub fn compare<S: std::hash::BuildHasher>(found: &Discovery, known: &HashMap<String, Stamp, S>) -> Difference {
    let mut difference = Difference::default();
    let mut seen = 0;
    for entry in &found.entries {
        match known.get(&entry.path) {
            None => difference.added.push(entry.clone()),
            Some(stamp) => {
                seen += 1;
                if *stamp != (Stamp { size: entry.size, mtime_ns: entry.mtime_ns }) {
                    difference.changed.push(entry.clone());
                }
            }
        }
    }
    // In the usual case nothing is gone, and the names need not be gone through again.
    if seen < known.len() {
        let is_found = |path: &str| found.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
        let gone = known.keys().filter(|path| !is_found(path) && !found.is_uncertain(path));
        difference.removed = gone.cloned().collect();
        difference.removed.sort_unstable();
    }
    difference
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn disk(files: &[(&str, u64, i64)]) -> Discovery {
        let mut entries: Vec<Entry> = files
            .iter()
            .map(|(path, size, mtime_ns)| Entry {
                path: (*path).to_owned(),
                absolute: path.into(),
                size: *size,
                mtime_ns: *mtime_ns,
            })
            .collect();
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Discovery { entries, ..Discovery::default() }
    }

    fn index(files: &[(&str, u64, i64)]) -> HashMap<String, Stamp> {
        files
            .iter()
            .map(|(path, size, mtime_ns)| ((*path).to_owned(), Stamp { size: *size, mtime_ns: *mtime_ns }))
            .collect()
    }

    #[test]
    fn added_changed_and_removed_files_are_told_apart() {
        let known = index(&[
            ("same", 1, 1),
            ("size", 1, 1),
            ("time", 1, 1),
            ("unsettled", 1, Stamp::UNSETTLED),
            ("gone", 1, 1),
        ]);
        let found = disk(&[("same", 1, 1), ("size", 2, 1), ("time", 1, 2), ("unsettled", 1, 1), ("new", 1, 1)]);
        let difference = compare(&found, &known);
        let paths = |entries: &[Entry]| entries.iter().map(|entry| entry.path.clone()).collect::<Vec<_>>();
        assert_eq!(paths(&difference.added), ["new"]);
        assert_eq!(paths(&difference.changed), ["size", "time", "unsettled"]);
        assert_eq!(difference.removed, ["gone"]);
        assert!(!difference.is_empty());
    }

    #[test]
    fn what_could_not_be_looked_at_is_kept() {
        let known = index(&[("memory/locked/a.md", 1, 1), ("memory/b.md", 1, 1)]);
        let found = Discovery { uncertain: vec!["memory/locked".into()], ..Discovery::default() };
        assert_eq!(compare(&found, &known).removed, ["memory/b.md"]);
    }

    proptest! {
        /// Applying the difference to the index gives the disk.
        #[test]
        fn applying_the_difference_gives_the_disk(
            on_disk in prop::collection::btree_map("[a-e]", (0_u64..3, 0_i64..3), 0..5),
            in_index in prop::collection::hash_map("[a-e]", (0_u64..3, 0_i64..3), 0..5),
        ) {
            let files: Vec<_> = on_disk.iter().map(|(path, (size, time))| (path.as_str(), *size, *time)).collect();
            let old: Vec<_> = in_index.iter().map(|(path, (size, time))| (path.as_str(), *size, *time)).collect();
            let mut known = index(&old);
            let difference = compare(&disk(&files), &known);
            for path in &difference.removed {
                prop_assert!(known.remove(path).is_some());
            }
            for entry in difference.added.iter().chain(&difference.changed) {
                known.insert(entry.path.clone(), Stamp { size: entry.size, mtime_ns: entry.mtime_ns });
            }
            prop_assert_eq!(&known, &index(&files));
            prop_assert!(compare(&disk(&files), &known).is_empty());
        }
    }
}
