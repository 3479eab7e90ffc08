//! Curated entries as a host asks for them: those with triggers, and those of a project.

use super::{Curated, file::without_bullet};
use ::search::{
    factors::Entry,
    provenance::{self, Provenance},
    types::{About, Hit},
};
use model::source::Source;

/// Most candidates of a call, as in memory-core.
pub(crate) const MOST: usize = 512;
/// The file whose entries introduce a project.
const PROJECT_FILE: &str = "MEMORY.md";

impl Curated {
    /// Entries with triggers whose projects, if they name any, are all active.
    #[must_use]
    pub(crate) fn with_triggers(&self, active: &[String], limit: usize) -> Vec<Hit> {
        let is_wanted = |entry: &Entry| !entry.says.triggers.is_empty() && are_active(entry, active);
        let found = self.paths().flat_map(|path| self.hits(path, is_wanted));
        found.take(limit.clamp(1, MOST)).collect()
    }

    /// Entries with triggers of projects that are not all active: only a search brings them back.
    #[must_use]
    pub(crate) fn with_triggers_of_others(&self, active: &[String]) -> Vec<Hit> {
        let is_wanted = |entry: &Entry| !entry.says.triggers.is_empty() && !are_active(entry, active);
        self.paths().flat_map(|path| self.hits(path, is_wanted)).collect()
    }

    /// Entries of `MEMORY.md` that belong to active projects, the most important first. The host makes a list of them, and
    /// puts a dash of its own before each.
    #[must_use]
    pub(crate) fn of_projects(&self, active: &[String], limit: usize) -> Vec<Hit> {
        let is_wanted = |entry: &Entry| !entry.says.projects.is_empty() && are_active(entry, active);
        let mut found: Vec<Hit> = self.hits(PROJECT_FILE, is_wanted).collect();
        found.sort_by_key(|hit| std::cmp::Reverse(hit.about.importance.unwrap_or(0)));
        found.truncate(limit.clamp(1, MOST));
        for hit in &mut found {
            if let Some(text) = without_bullet(&hit.snippet) {
                hit.snippet = text.to_owned();
            }
        }
        found
    }

    fn hits<'a>(&'a self, path: &'a str, is_wanted: impl Fn(&Entry) -> bool + 'a) -> impl Iterator<Item = Hit> + 'a {
        let file = self.files.get(path);
        let observed_at = file.map_or(0, |file| file.modified_ms);
        let entries = file.map_or(&[][..], |file| &file.entries).iter();
        entries
            .filter(move |entry| !entry.says.is_hidden && !entry.text.is_empty() && is_wanted(entry))
            .map(move |entry| hit(path, entry, observed_at))
    }
}

fn are_active(entry: &Entry, active: &[String]) -> bool {
    entry.says.projects.iter().all(|project| active.contains(project))
}

fn hit(path: &str, entry: &Entry, observed_at: i64) -> Hit {
    let mut about = About::of(entry.says.importance, &entry.says.triggers, &entry.says.projects);
    about.provenance = Some(Provenance { observed_at, ..provenance::of_curated() });
    Hit {
        path: path.to_owned(),
        start_line: entry.start_line,
        end_line: entry.end_line,
        score: 0.0,
        snippet: entry.text.clone(),
        source: Source::Memory,
        vector_score: None,
        text_score: None,
        excerpt: None,
        by_meaning: false,
        about,
        explain: None,
    }
}
