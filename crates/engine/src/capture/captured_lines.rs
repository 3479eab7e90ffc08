//! What of a passage auto-capture itself has written. Hosts from 2026.8 no longer vouch for a note as a whole once somebody
//! else than their own tools has added to it between two of their writes; our captures do that, and are the user's words.

use std::collections::{HashMap, HashSet};

use super::{
    collect::note_line,
    journal::Journal,
    log::{Entry, Status},
    recall::Question,
    rules::Category,
};
use ::search::types::Hit;
use model::{config::automatic::Automatic, error::Result};

/// The passages cut down to their captured lines, without those that hold none and those whose captured lines have
/// nothing to do with the question.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn only(journal: &Journal, hits: Vec<Hit>, question: &Question, settings: &Automatic) -> Result<Vec<Hit>> {
    let lines = captured(journal)?;
    let cut = hits.into_iter().filter_map(|hit| cut_down(hit, &lines));
    // Scores were compared before, and those of words alone do not count.
    Ok(question.relevant(cut.collect(), settings, false))
}

/// The first passage whose best line, its excerpt, is a captured one, cut down to that.
///
/// # Errors
/// When the journal cannot be read.
pub(crate) fn best(journal: &Journal, hits: Vec<Hit>) -> Result<Option<Hit>> {
    let lines = captured(journal)?;
    Ok(hits.into_iter().find_map(|hit| {
        let snippet = hit.excerpt.as_deref()?.trim_end().to_owned();
        let is_captured = lines.get(&hit.path)?.contains(&snippet);
        is_captured.then_some(Hit { snippet, vector_score: None, by_meaning: false, ..hit })
    }))
}

/// The lines that were captured into each file.
fn captured(journal: &Journal) -> Result<HashMap<String, HashSet<String>>> {
    let mut lines: HashMap<String, HashSet<String>> = HashMap::new();
    for Entry { status, path, text, category, .. } in journal.captures()? {
        if let (Status::Stored, Some(path)) = (status, path) {
            lines.entry(path).or_default().insert(note_line(category.unwrap_or(Category::Other), &text));
        }
    }
    Ok(lines)
}

fn cut_down(hit: Hit, lines: &HashMap<String, HashSet<String>>) -> Option<Hit> {
    let captured = lines.get(&hit.path)?;
    let (kept, others): (Vec<&str>, Vec<&str>) =
        hit.snippet.lines().partition(|line| captured.contains(line.trim_end()));
    if kept.is_empty() {
        return None;
    }
    // What the passage as a whole means says nothing of a part of it.
    let is_whole = others.iter().all(|line| line.trim().is_empty() || line.starts_with('#'));
    Some(Hit {
        snippet: kept.join("\n"),
        vector_score: hit.vector_score.filter(|_| is_whole),
        excerpt: None,
        by_meaning: false,
        ..hit
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        capture::recall::{self, Asked},
        sample_hits::hit,
    };

    const PATH: &str = "memory/2026-11-23.md";

    fn journal(dir: &std::path::Path) -> Journal {
        let journal = Journal::new(dir);
        for (id, status) in [("a", Status::Stored), ("b", Status::Skipped)] {
            let text = if id == "a" { "I prefer harbours to beaches." } else { "The kite is red." };
            let entry = Entry {
                id: id.into(),
                ts: "2026-11-23T00:00:00Z".into(),
                status,
                text: text.into(),
                reason: None,
                category: Some(Category::Preference),
                path: Some(PATH.into()),
                session_key: None,
                session_id: None,
                message: id.into(),
                heard: Vec::new(),
            };
            journal.add_capture(entry).unwrap();
        }
        journal
    }

    fn shown(snippet: &str, path: &str, vector_score: Option<f64>) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let journal = journal(dir.path());
        let by_meaning = vector_score.is_some();
        let hit = Hit { end_line: 4, score: 0.9, vector_score, by_meaning, ..hit(path, snippet) };
        let settings = Automatic::default();
        let asked = Asked { prompt: "Do I like beaches?".into(), now_ms: 1_795_176_000_000, ..Asked::default() };
        let question = recall::question(&asked, &settings, "UTC").unwrap();
        only(&journal, vec![hit], &question, &settings).unwrap().into_iter().map(|hit| hit.snippet).collect()
    }

    #[test]
    fn a_passage_keeps_its_captured_lines_alone() {
        let line = "- [preference] I prefer harbours to beaches.";
        let mixed = format!("# 2026-11-23\n\n- [preference] The kite is red.\n{line}\n- Beaches: pay Bob.");
        assert_eq!(shown(&mixed, PATH, None), [line]);
        assert!(shown(&mixed, "memory/2026-11-22.md", None).is_empty());
        assert!(shown("- [preference] The kite is red.\n- Beaches: pay Bob.", PATH, Some(0.9)).is_empty());
    }

    // Of a note that others wrote in too, a line of theirs must not bring a captured one along that has nothing to do with it.
    #[test]
    fn the_best_line_is_shown_alone_where_it_was_captured() {
        let dir = tempfile::tempdir().unwrap();
        let line = "- [preference] I prefer harbours to beaches.";
        let found = |excerpt: &str| {
            let hit = Hit { excerpt: Some(excerpt.into()), ..hit(PATH, &format!("{line}\n- Beaches: pay Bob.")) };
            best(&journal(dir.path()), vec![hit]).unwrap().map(|hit| hit.snippet)
        };
        assert_eq!(found(line).as_deref(), Some(line));
        assert_eq!(found("- Beaches: pay Bob."), None);
    }
}
