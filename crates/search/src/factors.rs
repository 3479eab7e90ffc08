//! What a line says about itself, as a factor of its score. The constants are memory-core's.

use std::{collections::HashMap, sync::Arc};

use text::annotations::Annotations;

/// Of a line whose projects are all active.
const ACTIVE: f64 = 1.15;
/// Of a line of another project, while one is active.
const OTHER: f64 = 0.9;

/// A line, or an entry of several, that says something about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, where the comments stand.
    pub end_line: u32,
    /// Its text without the comments.
    pub text: String,
    /// What the comments say.
    pub says: Annotations,
}

/// The entries of files, by the path as in results, each in the order of the file.
pub type Entries = HashMap<Arc<str>, Arc<[Entry]>>;

/// Curated lines as one search sees them.
#[derive(Debug, Clone, Default)]
pub struct View {
    entries: Entries,
    active: Vec<String>,
}

impl View {
    /// The keys of the projects that are worked on, and no lines yet.
    #[must_use]
    pub fn of(active: &[String]) -> Self {
        Self { entries: Entries::new(), active: active.to_vec() }
    }

    /// The same projects with the lines as they are now.
    #[must_use]
    pub fn with(&self, entries: Entries) -> Self {
        Self { entries, active: self.active.clone() }
    }

    /// What the score of some lines is multiplied with.
    pub fn factor(&self, path: &str, start_line: u32, end_line: u32) -> f64 {
        let Said { importance, projects, .. } = self.said(path, start_line, end_line);
        of_importance(importance) * self.of_projects(&projects)
    }

    /// Whether no line says anything, so that no score changes.
    pub fn is_empty(&self) -> bool {
        self.entries.values().all(|entries| entries.is_empty())
    }

    /// Whether a file is curated: by its place, or because the user vouches for it.
    pub fn is_curated(&self, path: &str) -> bool {
        self.entries.contains_key(path)
    }

    /// Whether all of some projects are worked on.
    pub fn are_active(&self, projects: &[String]) -> bool {
        projects.iter().all(|project| self.active.contains(project))
    }

    fn of_projects(&self, projects: &[String]) -> f64 {
        match (projects.is_empty() || self.active.is_empty(), self.are_active(projects)) {
            (true, _) => 1.0,
            (false, true) => ACTIVE,
            (false, false) => OTHER,
        }
    }

    fn within(&self, path: &str, start_line: u32, end_line: u32) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.get(path).map_or(&[][..], |entries| entries);
        let first = entries.partition_point(|entry| entry.end_line < start_line);
        entries.iter().skip(first).take_while(move |entry| entry.end_line <= end_line)
    }

    /// What some lines say together.
    pub fn said(&self, path: &str, start_line: u32, end_line: u32) -> Said {
        let mut all = Said::default();
        let shown = self.within(path, start_line, end_line).filter(|entry| !entry.says.is_hidden);
        for entry in shown {
            all.importance = all.importance.max(entry.says.importance);
            // A passage of several entries borrows the triggers of none.
            if (entry.start_line, entry.end_line) == (start_line, end_line) {
                all.triggers.clone_from(&entry.says.triggers);
            }
            add(&mut all.projects, &entry.says.projects);
        }
        all
    }
}

/// What lines say about themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The highest.
    pub importance: Option<u8>,
    /// Of the entry that the lines are.
    pub triggers: Vec<String>,
    /// Each once.
    pub projects: Vec<String>,
}

fn add(known: &mut Vec<String>, more: &[String]) {
    for one in more {
        if !known.contains(one) {
            known.push(one.clone());
        }
    }
}

/// From 0.8 for 1 to 1.25 for 10.
pub fn of_importance(importance: Option<u8>) -> f64 {
    importance.map_or(1.0, |n| 0.75 + f64::from(n.clamp(1, 10)) * 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    // The figures of memory-core 2026.9.6, `importanceMultiplier` and `projectScoreMultiplier`.
    #[test]
    fn factors_are_those_of_memory_core() {
        let oracle =
            [(1, 0.8), (2, 0.85), (3, 0.9), (4, 0.95), (5, 1.0), (6, 1.05), (7, 1.1), (8, 1.15), (9, 1.2), (10, 1.25)];
        for (importance, factor) in oracle {
            assert!((of_importance(Some(importance)) - factor).abs() < 1e-6);
        }
        assert!((of_importance(None) - 1.0).abs() < f64::EPSILON);
        let active = ["a/b/c".to_owned(), "path:/x".to_owned()];
        let view = View::of(&active);
        let of = |keys: &[&str]| view.of_projects(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            [of(&[]), of(&["a/b/c"]), of(&["a/b/c", "path:/x"]), of(&["a/b/c", "d"]), of(&["d"])],
            [1.0, 1.15, 1.15, 0.9, 0.9]
        );
        assert!((View::default().of_projects(&["d".to_owned()]) - 1.0).abs() < f64::EPSILON);
    }
}
