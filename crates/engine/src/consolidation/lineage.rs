//! What consolidation knows from somewhere, and the lines it has written of that: for forgetting.

use std::collections::{BTreeSet, HashSet};

use super::{
    claim::claim_id,
    evidence::{ARCHIVE, kind},
    plan::{Addition, Plan},
    report::{self, DIARY},
    section::entry_of,
};
use crate::workspace::is_at_or_below;
use store::consolidation::{Evidence, RunRow};

/// The files that consolidation writes.
pub(crate) const FILES: [&str; 4] = ["MEMORY.md", "memory.md", ARCHIVE, DIARY];

/// Where claims come from that are to go.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// Claims that go by themselves.
    pub claims: HashSet<String>,
    /// Notes, or folders of notes.
    pub paths: Vec<String>,
    /// Marks of conversations.
    pub conversations: HashSet<String>,
    /// The first and the last day of a time, `2026-11-20`.
    pub days: Option<(String, String)>,
}

impl Source {
    /// The claims that nothing speaks for any more without this source, and all that it touches, as it is now.
    pub(crate) fn touched(&self, all: Vec<Evidence>) -> (Vec<String>, Vec<Evidence>) {
        let (mut gone, mut touched) = (Vec::new(), Vec::new());
        for found in all {
            let is_of = |mark: &str, name: &str| name == kind::SAID && self.conversations.contains(mark);
            let said_here = found.uses.iter().any(|used| is_of(&used.mark, &used.kind));
            let in_days =
                |day: &str| self.days.as_ref().is_some_and(|(from, to)| (from.as_str()..=to.as_str()).contains(&day));
            let only_here = found.claim.path.is_empty()
                && !found.uses.is_empty()
                && found.uses.iter().all(|used| is_of(&used.mark, &used.kind) || in_days(&used.day));
            let from_there = self.paths.iter().any(|place| is_at_or_below(&found.claim.path, place));
            let is_gone = self.claims.contains(&found.claim.id) || from_there || only_here;
            if is_gone {
                gone.push(found.claim.id.clone());
            }
            if is_gone || said_here {
                touched.push(found);
            }
        }
        (gone, touched)
    }
}

/// The lines that consolidation has written of claims.
#[derive(Debug, Default)]
pub(crate) struct Written {
    claims: HashSet<String>,
    ids: HashSet<String>,
    lines: HashSet<String>,
    texts: HashSet<String>,
    runs: Vec<String>,
    /// Ids of entries that other claims speak for as well. They go as a whole: nobody can say which words are whose.
    pub mixed: BTreeSet<String>,
}

impl Written {
    /// What runs have written of claims. Of a run that is too old to be kept the claims alone know.
    pub(crate) fn of(claims: &[String], runs: &[RunRow]) -> Self {
        let mut written = Self { claims: claims.iter().cloned().collect(), ..Self::default() };
        for run in runs {
            // Also what was planned: the images of a run hold the plan that was carried out, and this is the same.
            let Ok(plan) = serde_json::from_str::<Plan>(&run.plan) else { continue };
            for addition in plan.add {
                let gone = addition.claims.iter().filter(|claim| written.claims.contains(*claim)).count();
                if gone == 0 {
                    continue;
                }
                if gone < addition.claims.len() {
                    written.mixed.insert(addition.id.clone());
                }
                written.add(&run.id, addition);
            }
        }
        written
    }

    /// One entry that a run has written.
    pub(crate) fn add(&mut self, run_id: &str, addition: Addition) {
        self.ids.insert(addition.id);
        self.lines.insert(addition.line);
        self.texts.insert(addition.text);
        self.runs.push(report::mark(run_id));
    }

    /// The lines of one of [`FILES`] that go, by their numbers from 1.
    pub(crate) fn lines_of(&self, path: &str, text: &str) -> HashSet<u32> {
        let numbered = (1_u32..).zip(text.lines());
        if path != DIARY {
            return numbered.filter(|(_, line)| self.is_entry(line)).map(|(number, _)| number).collect();
        }
        let lines: Vec<&str> = text.lines().collect();
        let sentence = |at: usize| self.sentence_below(at, &lines);
        numbered
            .filter(|(_, line)| self.tells(line))
            .map(|(number, _)| number)
            .chain((0..lines.len()).filter_map(sentence))
            .collect()
    }

    /// Whether a line of the diary is as a run writes it of one of the entries; one that somebody has added to is theirs.
    fn tells(&self, line: &str) -> bool {
        let (rest, end) = match line.strip_prefix("- Archived: ") {
            Some(rest) => (Some(rest), ")"),
            None => (line.strip_prefix("- "), " uses)"),
        };
        let is_of = |text: &String| {
            let behind = rest.and_then(|rest| rest.strip_prefix(text.as_str()));
            behind.is_some_and(|behind| behind.starts_with(" (") && behind.ends_with(end))
        };
        self.texts.iter().any(is_of)
    }

    /// The number of the line of a few sentences that a model has told of a run, below the run's mark and above what it counts.
    /// Where somebody has written between them, nobody can say which words are whose.
    fn sentence_below(&self, mark: usize, lines: &[&str]) -> Option<u32> {
        let [of, before, told, after, count] = *lines.get(mark..mark + 5)? else { return None };
        let is_as_written = self.runs.iter().any(|run| run == of) && before.is_empty() && after.is_empty();
        let is_told = !told.is_empty() && !told.starts_with("<!--") && count.starts_with("Learned ");
        (is_as_written && is_told).then(|| u32::try_from(mark + 3).ok()).flatten()
    }

    fn is_entry(&self, line: &str) -> bool {
        self.lines.contains(line)
            || entry_of(line).is_some_and(|entry| {
                self.ids.contains(&entry.id) || claim_id(&entry.text).is_some_and(|id| self.claims.contains(&id))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidation::evidence::claim_of;
    use store::consolidation::Use;

    fn evidence(id: &str, path: &str, uses: &[(&str, &str, &str)]) -> Evidence {
        let claim = claim_of(id, id, path, 1, "owner", 0);
        let used = |(kind, mark, day): &(&str, &str, &str)| Use {
            kind: (*kind).to_owned(),
            mark: (*mark).to_owned(),
            day: (*day).to_owned(),
        };
        Evidence { claim, uses: uses.iter().map(used).collect() }
    }

    #[test]
    fn a_claim_goes_when_nothing_else_speaks_for_it() {
        let all = || {
            vec![
                evidence("here", "", &[("said", "s1", "2026-11-20")]),
                evidence("both", "", &[("said", "s1", "2026-11-20"), ("said", "s2", "2026-11-22")]),
                evidence("noted", "memory/a.md", &[("said", "s1", "2026-11-20")]),
                evidence("there", "memory/ab.md", &[("noted", "m", "2026-11-20")]),
            ]
        };
        let of = |source: Source| {
            let (gone, touched) = source.touched(all());
            (gone, touched.into_iter().map(|found| found.claim.id).collect::<Vec<_>>())
        };
        let s1 = Source { conversations: ["s1".to_owned()].into(), ..Source::default() };
        assert_eq!(of(s1), (vec!["here".into()], vec!["here".into(), "both".into(), "noted".into()]));
        let path = Source { paths: vec!["memory/a.md".into()], ..Source::default() };
        assert_eq!(of(path), (vec!["noted".into()], vec!["noted".into()]));
        let days = Source { days: Some(("2026-11-20".into(), "2026-11-21".into())), ..Source::default() };
        assert_eq!(of(days).0, ["here"]);
    }

    #[test]
    fn what_runs_have_written_is_known_by_its_line_its_id_or_its_words() {
        let text = "The boat lies in Porto.";
        let id = claim_id(text).unwrap();
        let written = Written::of(&[id], &[]);
        let memory = format!(
            "# Mine\n- The boat lies in Porto.\n- {text} <!-- mcrs: abcd0001 2026-11-20 -->\n\
             - Tea is sencha here. <!-- mcrs: abcd0002 2026-11-20 -->\n"
        );
        assert_eq!(written.lines_of("MEMORY.md", &memory), [3].into(), "the line of the user stays");
    }

    // All that stood between a run's mark and what it counts was taken for the run's, and a line for ours that somebody had added to.
    #[test]
    fn what_somebody_writes_into_the_diary_stays() {
        let text = "The boat lies in Porto.";
        let mut written = Written::default();
        let addition = serde_json::json!({ "id": "abcd0001", "text": text, "line": "-", "claims": [], "sources": [],
            "days": 1, "uses": 1, "origin": "owner", "replaces": [] });
        let addition: Addition = serde_json::from_value(addition).unwrap();
        written.add("r1", addition);
        let ours = format!("- {text} (said; 1 days, 1 uses)");
        let mark = report::mark("r1");
        let gone = |lines: &[&str]| {
            let mut gone: Vec<u32> = written.lines_of(DIARY, &lines.join("\n")).into_iter().collect();
            gone.sort_unstable();
            gone
        };
        let learned = "Learned 1, moved 0 to the archive.";
        assert_eq!(gone(&[&mark, "", "I found a boat.", "", learned, "", &ours]), [3, 7]);
        assert_eq!(gone(&[&mark, "My own thought.", "", "I found a boat.", "", learned, "", &ours]), [8]);
        assert_eq!(gone(&[&mark, "", "Mine.", "## My own year", "I flew over the sea."]), Vec::<u32>::new());
        assert_eq!(gone(&[&mark, "", learned, "", &format!("{ours} -- ask Ines")]), Vec::<u32>::new());
        assert_eq!(gone(&[&format!("- {text} (I should ask the vet)")]), Vec::<u32>::new());
        assert_eq!(gone(&["", &format!("- Archived: {text} (replaced)")]), [2]);
    }
}
