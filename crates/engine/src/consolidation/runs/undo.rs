//! Taking runs back, and finishing those of processes that were killed.

use std::collections::HashSet;

use super::{Images, Runs, Undone, files::whatever_of_the_diary, parsed, state};
use crate::consolidation::{
    edit::Other,
    evidence::ARCHIVE,
    plan::{Addition, Plan},
    section::{Document, entry_of},
};
use model::error::Result;
use store::consolidation::{Claim, Evidence};

impl Runs {
    pub(super) fn take_back(&self, images: &Images, undone: &mut Undone) -> Result<()> {
        for edit in images.edits.iter().rev() {
            let mut kept = Vec::new();
            whatever_of_the_diary(edit, (), || {
                self.rewrite(&edit.path, |now| match edit.undone(now) {
                    Other::Lost if edit.path == images.plan.path => {
                        let (without, edited) = without_lines(&images.plan, now)?;
                        kept = edited;
                        Ok(without)
                    }
                    Other::Lost if edit.path == ARCHIVE => Ok(without_moved(&images.plan, now)),
                    other => Ok(other),
                })
            })?;
            undone.kept.extend(kept);
        }
        Ok(())
    }

    /// Line by line, where the file has changed around them: entries that are as we wrote them go, moved ones come back. Gives those
    /// that somebody has edited.
    pub(super) fn take_lines_back(&self, plan: &Plan) -> Result<Vec<String>> {
        let mut kept = Vec::new();
        self.rewrite(&plan.path, |now| {
            let (without, edited) = without_lines(plan, now)?;
            kept = edited;
            Ok(without)
        })?;
        Ok(kept)
    }

    /// Finishes runs of processes that were killed, or takes them back.
    pub(super) fn finish_killed(&self) -> Result<()> {
        let rows = self.store.read(|reader| reader.runs(usize::from(u16::MAX)))?;
        for mut row in rows.into_iter().filter(|row| row.state == state::APPLYING) {
            let images: Images = parsed(row.images.as_deref().unwrap_or_default())?;
            let memory = self.text(&images.plan.path)?;
            let edit = images.edits.iter().find(|edit| edit.path == images.plan.path);
            let written = edit.is_none_or(|edit| edit.done(memory.as_deref()) == Other::Already) || {
                let text = memory.unwrap_or_default();
                let entries: HashSet<String> = text.lines().filter_map(entry_of).map(|entry| entry.line).collect();
                images.plan.add.iter().any(|addition| entries.contains(&addition.line))
            };
            if written {
                // Only what stands beside MEMORY.md can be missing.
                for edit in images.edits.iter().filter(|edit| edit.path != images.plan.path) {
                    self.does(edit)?;
                }
                row.state = state::APPLIED.to_owned();
            } else {
                self.take_back(&images, &mut Undone::default())?;
                row.state = state::FAILED.to_owned();
            }
            self.save(&row)?;
        }
        Ok(())
    }
}

/// The memory file without the entries that are as a plan has written them, and with those that it has moved; and the texts of
/// those that somebody has edited.
fn without_lines(plan: &Plan, now: Option<&str>) -> Result<(Other, Vec<String>)> {
    let text = now.unwrap_or_default();
    let document = Document::parse(text)?;
    let entries = document.entries();
    let lines: HashSet<&str> = entries.iter().map(|entry| entry.line.as_str()).collect();
    let here = plan.add.iter().filter(|addition| lines.contains(addition.line.as_str()));
    let remove: Vec<String> = here.map(|addition| addition.line.clone()).collect();
    let edited = plan.add.iter().filter(|addition| {
        !lines.contains(addition.line.as_str()) && entries.iter().any(|entry| entry.id == addition.id)
    });
    let kept = edited.map(|addition| addition.text.clone()).collect();
    let back: Vec<String> =
        plan.moved.iter().filter(|moved| !lines.contains(moved.line.as_str())).map(|m| m.line.clone()).collect();
    let after = document.with(&remove, &back);
    Ok((if after == text { Other::Already } else { Other::Text(Some(after)) }, kept))
}

/// The archive without what a plan has moved there.
fn without_moved(plan: &Plan, now: Option<&str>) -> Other {
    let Some(text) = now else { return Other::Already };
    let mut gone = plan.removed();
    let kept: String = text
        .split_inclusive('\n')
        .filter(|line| {
            let at = gone.iter().position(|gone| gone == line.trim_end());
            at.map(|at| gone.swap_remove(at)).is_none()
        })
        .collect();
    if kept == text { Other::Already } else { Other::Text(Some(kept)) }
}

/// The claims of an addition as rows, so that they are known to be withdrawn even when they came from a note alone.
pub(super) fn withdrawn_of(addition: &Addition, now_ms: i64) -> Vec<Evidence> {
    let claim = |id: &String| Claim {
        id: id.clone(),
        text: addition.text.clone(),
        path: addition.sources.first().map(|source| source.path.clone()).unwrap_or_default(),
        line: addition.sources.first().map_or(0, |source| source.line),
        origin: addition.origin.clone(),
        requested: false,
        importance: None,
        triggers: None,
        first_ms: now_ms,
        last_ms: now_ms,
        withdrawn: true,
    };
    addition.claims.iter().map(|id| Evidence { claim: claim(id), uses: Vec::new() }).collect()
}
