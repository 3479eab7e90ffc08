//! What is known of claims: by the store, by other agents of the workspace, and by the notes as they are now.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap, HashSet},
};

use super::{LISTED_RUNS, Runs, parsed, state};
use crate::consolidation::{
    claim::sentences_of_note,
    evidence,
    plan::{Addition, Embed, Plan},
};
use model::error::Result;
use store::consolidation::Evidence;

impl Runs {
    /// The same with a model that says what sentences mean.
    #[must_use]
    pub(crate) fn with_meaning(self, embed: Box<Embed<'static>>) -> Self {
        Self { embed, ..self }
    }

    /// The marks of the entries that the runs which are kept have written of claims: a model may have joined several claims to one.
    pub(super) fn written(&self) -> Result<HashMap<String, String>> {
        let rows = self.store.read(|reader| reader.runs(LISTED_RUNS))?;
        let mut written = HashMap::new();
        for row in rows.iter().filter(|row| row.state == state::APPLIED) {
            let plan: Plan = parsed(&row.plan)?;
            let of = |addition: Addition| addition.claims.into_iter().map(move |claim| (claim, addition.id.clone()));
            written.extend(plan.add.into_iter().flat_map(of));
        }
        Ok(written)
    }

    /// What the dated notes of the last days speak for. They are read again at every run, and say the same every time.
    pub(super) fn noted(&self) -> Result<Vec<Evidence>> {
        let (since, today) = (self.since(), self.today());
        self.noted_on(None, |day| day.to_string() >= since && day <= today)
    }

    /// Whether a claim still stands in its note. What was said stands for good.
    pub(super) fn stands(&self, path: &str, id: &str, known: &RefCell<HashMap<String, HashSet<String>>>) -> bool {
        if path.is_empty() {
            return true;
        }
        let mut known = known.borrow_mut();
        let claims = known.entry(path.to_owned()).or_insert_with(|| {
            let note = self.notes.read(path).ok().flatten().unwrap_or_default();
            let note = self.roots.forgotten.keep(path, &note);
            let sentences = sentences_of_note(&note).into_iter();
            sentences.filter_map(|s| evidence::of_sentence(&s, path, "", 0).map(|claim| claim.id)).collect()
        });
        claims.contains(id)
    }
}

/// Evidence of several agents and of the notes, one entry a claim.
pub(super) fn merged(evidence: Vec<Evidence>) -> Vec<Evidence> {
    let mut by_id: BTreeMap<String, Evidence> = BTreeMap::new();
    for found in evidence {
        let Some(known) = by_id.get_mut(&found.claim.id) else {
            by_id.insert(found.claim.id.clone(), found);
            continue;
        };
        let Evidence { claim, uses } = found;
        for used in uses {
            if !known.uses.contains(&used) {
                known.uses.push(used);
            }
        }
        let own = &mut known.claim;
        own.origin = match (own.origin.as_str(), claim.origin.as_str()) {
            ("owner", _) | (_, "owner") => "owner",
            ("untrusted", _) | (_, "untrusted") => "untrusted",
            ("system", _) | (_, "system") => "system",
            _ => "agent",
        }
        .to_owned();
        if claim.last_ms >= own.last_ms || own.path.is_empty() {
            own.text.clone_from(&claim.text);
            if !claim.path.is_empty() {
                (own.path, own.line) = (claim.path, claim.line);
            }
        }
        own.requested |= claim.requested;
        own.withdrawn |= claim.withdrawn;
        own.importance = own.importance.max(claim.importance);
        own.triggers = own.triggers.take().or(claim.triggers);
        own.first_ms = own.first_ms.min(claim.first_ms);
        own.last_ms = own.last_ms.max(claim.last_ms);
    }
    by_id.into_values().collect()
}
