//! What differs between the disk and the index, by looking: what a pass does, what it would do, and whether there is
//! anything to do are all asked here.

use std::collections::HashMap;

use store::files::FileRow;

use crate::workspace::discover::{Discovery, Entry};

/// What the index would have to do to equal the disk.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Difference<'a> {
    /// On disk, and not in the index or there with another size or modification time; in the order of the discovery.
    pub stale: Vec<&'a Entry>,
    /// In the index and no longer on disk, sorted.
    pub removed: Vec<&'a str>,
}

/// Compares a look at the disk with what the index holds. A path that could not be looked at is never removed. With
/// `reread` every file on disk counts as stale.
pub(super) fn difference<'a>(
    found: &'a Discovery,
    known: &'a HashMap<String, FileRow>,
    reread: bool,
) -> Difference<'a> {
    let mut still_there = 0;
    let mut stale = Vec::new();
    for entry in &found.entries {
        let row = known.get(&entry.path);
        still_there += usize::from(row.is_some());
        if reread || row.is_none_or(|row| row.stamp() != entry.stamp()) {
            stale.push(entry);
        }
    }
    // Mostly nothing is gone, and then none of them is looked for.
    if still_there == known.len() {
        return Difference { stale, removed: Vec::new() };
    }
    let is_found = |path: &str| found.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok();
    let gone = known.keys().map(String::as_str).filter(|path| !is_found(path) && !found.is_uncertain(path));
    let mut removed: Vec<&str> = gone.collect();
    removed.sort_unstable();
    Difference { stale, removed }
}

#[cfg(test)]
mod tests {
    use model::stamp::Stamp;
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
                media: None,
            })
            .collect();
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Discovery { entries, ..Discovery::default() }
    }

    fn row(stamp: Stamp) -> FileRow {
        FileRow {
            id: store::ids::FileId::new(1),
            hash: [0; 32],
            mtime_ns: stamp.mtime_ns,
            size: stamp.size,
            lines: 1,
            terms: 1,
        }
    }

    fn index(files: &[(&str, u64, i64)]) -> HashMap<String, FileRow> {
        let entry = |(path, size, mtime_ns): &(&str, u64, i64)| {
            ((*path).to_owned(), row(Stamp { size: *size, mtime_ns: *mtime_ns }))
        };
        files.iter().map(entry).collect()
    }

    fn paths<'a>(entries: &[&'a Entry]) -> Vec<&'a str> {
        entries.iter().map(|entry| entry.path.as_str()).collect()
    }

    #[test]
    fn stale_and_removed_files_are_told_apart() {
        let known = index(&[
            ("same", 1, 1),
            ("size", 1, 1),
            ("time", 1, 1),
            ("unsettled", 1, Stamp::UNSETTLED),
            ("gone", 1, 1),
        ]);
        let found = disk(&[("same", 1, 1), ("size", 2, 1), ("time", 1, 2), ("unsettled", 1, 1), ("new", 1, 1)]);
        let seen = difference(&found, &known, false);
        assert_eq!(paths(&seen.stale), ["new", "size", "time", "unsettled"]);
        assert_eq!(seen.removed, ["gone"]);
        let again = difference(&found, &known, true);
        assert_eq!(paths(&again.stale), ["new", "same", "size", "time", "unsettled"]);
        assert_eq!(again.removed, ["gone"]);
    }

    #[test]
    fn what_could_not_be_looked_at_is_kept() {
        let known = index(&[("memory/locked/a.md", 1, 1), ("memory/b.md", 1, 1)]);
        let found = Discovery { uncertain: vec!["memory/locked".into()], ..Discovery::default() };
        assert_eq!(difference(&found, &known, false).removed, ["memory/b.md"]);
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
            let found = disk(&files);
            let before = known.clone();
            let Difference { stale, removed } = difference(&found, &before, false);
            for path in removed {
                prop_assert!(known.remove(path).is_some());
            }
            for entry in stale {
                prop_assert_ne!(known.insert(entry.path.clone(), row(entry.stamp())), Some(row(entry.stamp())));
            }
            prop_assert_eq!(&known, &index(&files));
            let nothing = Difference { stale: Vec::new(), removed: Vec::new() };
            prop_assert_eq!(difference(&found, &known, false), nothing);
        }
    }
}
