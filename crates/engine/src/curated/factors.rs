//! What a line says about itself, as a factor of its score. The constants are memory-core's.

use super::Curated;

/// Of a line whose projects are all active.
const ACTIVE: f64 = 1.15;
/// Of a line of another project, while one is active.
const OTHER: f64 = 0.9;

/// Curated lines as one search sees them.
#[derive(Debug, Clone, Default)]
pub struct View {
    curated: Curated,
    active: Vec<String>,
}

impl View {
    /// The lines, and the keys of the projects that are worked on.
    #[must_use]
    pub fn new(curated: Curated, active: &[String]) -> Self {
        Self { curated, active: active.to_vec() }
    }

    /// The same projects with the lines as they are now.
    #[must_use]
    pub(crate) fn with(&self, curated: Curated) -> Self {
        Self { curated, active: self.active.clone() }
    }

    /// What the score of some lines is multiplied with.
    pub(crate) fn factor(&self, path: &str, start_line: u32, end_line: u32) -> f64 {
        let Said { importance, projects, .. } = self.said(path, start_line, end_line);
        of_importance(importance) * self.of_projects(&projects)
    }

    /// Whether no line says anything, so that no score changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.curated.is_empty()
    }

    /// Whether all of some projects are worked on.
    pub(crate) fn are_active(&self, projects: &[String]) -> bool {
        projects.iter().all(|project| self.active.contains(project))
    }

    fn of_projects(&self, projects: &[String]) -> f64 {
        match (projects.is_empty() || self.active.is_empty(), self.are_active(projects)) {
            (true, _) => 1.0,
            (false, true) => ACTIVE,
            (false, false) => OTHER,
        }
    }

    /// What some lines say together.
    pub(crate) fn said(&self, path: &str, start_line: u32, end_line: u32) -> Said {
        let mut all = Said::default();
        let shown = self.curated.within(path, start_line, end_line).filter(|entry| !entry.says.is_hidden);
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
pub(crate) struct Said {
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
pub(crate) fn of_importance(importance: Option<u8>) -> f64 {
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
        let view = View::new(Curated::default(), &active);
        let of = |keys: &[&str]| view.of_projects(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            [of(&[]), of(&["a/b/c"]), of(&["a/b/c", "path:/x"]), of(&["a/b/c", "d"]), of(&["d"])],
            [1.0, 1.15, 1.15, 0.9, 0.9]
        );
        assert!((View::default().of_projects(&["d".to_owned()]) - 1.0).abs() < f64::EPSILON);
    }
}
