//! Entries of what somebody took back: they leave the memory file as a run that is undone leaves it.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use serde::Serialize;

use super::{Runs, merged, state};
use crate::consolidation::{
    edit::Other,
    evidence::{self, ARCHIVE, is_memory_file},
    lineage::Written,
    plan::{Addition, Plan},
    report::DIARY,
};
use model::{
    config::{consolidation::Consolidation, settings::Settings},
    error::Result,
};
use store::{Store, consolidation::Evidence};

/// What became of the entries of claims that were taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Unlearned {
    /// Entries that were taken out of the memory file or its archive.
    pub learned: usize,
    /// Runs whose entries still stand there: something else speaks for them, or somebody has changed them, unless `failed` says
    /// otherwise.
    pub left: Vec<String>,
    /// Why nothing could be taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Why the diary, DREAMS.md, still tells of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diary: Option<String>,
}

impl Runs {
    /// The same with the settings that nobody has changed, for what has no others at hand.
    pub(crate) fn to_unlearn(store: &Arc<Store>, settings: &Settings, now_ms: i64) -> Self {
        Self::new(Arc::clone(store), settings, Consolidation::default(), 0, now_ms)
    }

    /// Takes the entries out that speak for these claims, which were taken back, where nothing else speaks for them: each
    /// whole line that is as a run has written it. What cannot be done now is told, and fails nothing.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(crate) fn unlearn(&self, claims: &HashSet<String>) -> Result<Unlearned> {
        let additions = self.additions_of(claims)?;
        let mut done = if additions.is_empty() { Ok(Unlearned::default()) } else { self.take_out(&additions) }
            .unwrap_or_else(|error| {
                let failed = error.message;
                tracing::warn!(error = failed.as_str(), "entries of what was taken back stay in MEMORY.md");
                let left = additions.into_iter().map(|(run, ..)| run).collect();
                Unlearned { left, failed: Some(failed), ..Unlearned::default() }
            });
        done.left.sort_unstable();
        done.left.dedup();
        if !done.left.is_empty() {
            let runs = done.left.join(", ");
            tracing::info!(runs, "MEMORY.md still holds what consolidation made of something taken back");
        }
        Ok(done)
    }

    fn take_out(&self, additions: &[(String, String, Addition)]) -> Result<Unlearned> {
        let _turn = self.turn()?;
        self.finish_killed()?;
        let spoken = self.spoken_for()?;
        let mut done = Unlearned::default();
        let is_spoken_for = |addition: &Addition| addition.claims.iter().any(|claim| spoken.contains(claim));
        // A diary that cannot be written keeps nothing else from going.
        if let Err(error) = self.untell(additions.iter().filter(|(.., addition)| !is_spoken_for(addition))) {
            tracing::warn!(error = error.message.as_str(), "DREAMS.md still tells of something taken back");
            done.diary = Some(error.message);
        }
        for (run, path, addition) in additions {
            if !self.stands_somewhere(addition)? {
                continue;
            }
            if is_spoken_for(addition) || !self.take_line(path, addition)? {
                done.left.push(run.clone());
            } else {
                done.learned += 1;
            }
        }
        Ok(done)
    }

    /// Takes what the diary tells of entries out of it.
    fn untell<'a>(&self, additions: impl Iterator<Item = &'a (String, String, Addition)>) -> Result<()> {
        let Some(diary) = self.text(DIARY)? else { return Ok(()) };
        let mut written = Written::default();
        for (run, _, addition) in additions {
            written.add(run, addition.clone());
        }
        let gone = written.lines_of(DIARY, &diary);
        if gone.is_empty() {
            return Ok(());
        }
        let lines = (1_u32..).zip(diary.split_inclusive('\n'));
        let kept: String = lines.filter(|(number, _)| !gone.contains(number)).map(|(_, line)| line).collect();
        self.write(DIARY, Some(&diary), Some(&kept))
    }

    /// What runs that stand have added of claims, with the run and the file.
    fn additions_of(&self, claims: &HashSet<String>) -> Result<Vec<(String, String, Addition)>> {
        let rows = self.store.read(|reader| reader.runs(usize::from(u16::MAX)))?;
        let mut found = Vec::new();
        for row in rows.into_iter().filter(|row| row.state == state::APPLIED) {
            // One that cannot be read is told of where runs are listed.
            let Ok(Plan { add, path, .. }) = serde_json::from_str(&row.plan) else { continue };
            let is_of = |addition: &Addition| addition.claims.iter().any(|claim| claims.contains(claim));
            found.extend(add.into_iter().filter(is_of).map(|addition| (row.id.clone(), path.clone(), addition)));
        }
        Ok(found)
    }

    /// The claims that somebody said, or that stand in a note; that they were looked at says nothing once they are gone.
    fn spoken_for(&self) -> Result<BTreeSet<String>> {
        let notes = RefCell::new(HashMap::new());
        let mut known = self.store.read(|reader| reader.evidence(""))?;
        let noted: HashSet<String> = self.noted_on(None, |_| true)?.into_iter().map(|found| found.claim.id).collect();
        known.retain(|Evidence { claim, uses }| {
            let is_said =
                || uses.iter().any(|used| matches!(used.kind.as_str(), evidence::kind::SAID | evidence::kind::ASKED));
            let is_note = !claim.path.is_empty() && !is_memory_file(&claim.path) && claim.path != ARCHIVE;
            !claim.withdrawn && (is_said() || (is_note && self.stands(&claim.path, &claim.id, &notes)))
        });
        Ok(merged(known).into_iter().map(|found| found.claim.id).chain(noted).collect())
    }

    /// Whether the entry is in the memory file or its archive, whatever its words are by now.
    fn stands_somewhere(&self, addition: &Addition) -> Result<bool> {
        let mark = format!("<!-- mcrs: {} ", addition.id);
        for path in ["MEMORY.md", "memory.md", ARCHIVE] {
            if self.text(path)?.is_some_and(|text| text.contains(&mark)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes the line of an entry out of where it stands; false where somebody has changed it.
    fn take_line(&self, path: &str, addition: &Addition) -> Result<bool> {
        let plan = Plan { path: path.to_owned(), add: vec![addition.clone()], ..Plan::default() };
        self.take_lines_back(&plan)?;
        self.take_added_from_archive(&addition.line)?;
        Ok(!self.stands_somewhere(addition)?)
    }

    fn take_added_from_archive(&self, line: &str) -> Result<()> {
        self.rewrite(ARCHIVE, |now| {
            let Some(text) = now else { return Ok(Other::Already) };
            let kept: String = text.split_inclusive('\n').filter(|there| there.trim_end() != line).collect();
            Ok(if kept == text { Other::Already } else { Other::Text(Some(kept)) })
        })
    }
}
