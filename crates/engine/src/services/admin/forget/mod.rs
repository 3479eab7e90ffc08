//! `memory forget`: what the user no longer wants to be remembered leaves the index and stays out of it; of a conversation, a
//! person or a time also what automatic memory has written into notes. First a plan is made and shown ([`find`]), then it
//! is carried out, and it can be undone ([`carry_out`]).

mod begun;
mod carry_out;
mod check;
mod find;
mod taken_over;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use super::{
    super::{context::Service, iso, searcher::SearchCall},
    Admin,
};
use crate::{
    capture::jsonl,
    forgetting::{
        plan::{Plan, Plans, State, UNDO_MS},
        selection::Target,
    },
    index::Failure,
    workspace::exclusions::{Entry, What, above},
};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};
use store::Kept;

pub use carry_out::ForgetUndone;
pub use taken_over::{ForgottenBefore, ForgottenTaken};

/// What is to be forgotten.
#[derive(Debug, Clone, Default)]
pub struct ForgetCall {
    /// What it is about.
    pub target: Target,
    /// The passages that this search shows, as well.
    pub search: Option<SearchCall>,
    /// Whether to report only.
    pub dry_run: bool,
    /// Whether it is never to be undone.
    pub is_final: bool,
}

/// A passage that is forgotten.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// The file.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// How it begins.
    pub text: String,
}

/// What was forgotten, or would be.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgetReport {
    /// Whether nothing was done.
    pub dry_run: bool,
    /// The id under which it is carried out, and undone; empty when it was only asked for.
    pub id: String,
    /// Whether it cannot be undone.
    #[serde(rename = "final")]
    pub is_final: bool,
    /// Until when it can be undone, ISO 8601 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_until: Option<String>,
    /// Files that are out of the index as a whole.
    pub files: Vec<String>,
    /// Passages that are out of the index.
    pub passages: Vec<Passage>,
    /// Passages that hold most of the words of the search as well and stay: it shows the best, and of those that say nearly the same
    /// one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
    /// Of the files, the notes of conversations that are removed from the workspace.
    pub notes: Vec<String>,
    /// Lines that are taken out of files of the workspace: only such as memory has written, unless quotes go too.
    pub lines: Vec<Passage>,
    /// Of these lines, how many consolidation has written.
    pub entries: usize,
    /// Ids of the entries of consolidation among them that others speak for as well.
    pub mixed: Vec<String>,
    /// Lines of the user's files that repeat what is forgotten; they stay unless quotes go too.
    pub quotes: Vec<Passage>,
    /// Chunks that were removed; what is left of them was indexed anew.
    pub chunks: usize,
    /// Vectors that were removed.
    pub vectors: u64,
    /// Stored facts that are not recalled any more.
    pub facts: usize,
    /// Captures whose text was blanked.
    pub captures: usize,
    /// Waiting turns that were removed.
    pub waiting: usize,
    /// Records of the short-term memory that were removed.
    pub short_term: usize,
    /// Blocks in the log of prompts, which goes as a whole because they may quote anything; this is not undone.
    #[serde(default)]
    pub prompts: usize,
    /// Of them, those in prompts of the conversations, people or time that are forgotten.
    #[serde(default)]
    pub prompts_of_it: usize,
    /// Damaged files of automatic memory that were removed; this is not undone.
    pub damaged: usize,
    /// Standing intents that were removed.
    pub intents: usize,
    /// Claims of consolidation that were removed.
    pub claims: usize,
    /// Runs of consolidation of which the plan and the images of files were removed.
    pub runs: usize,
    /// Whether other gateways may have the same index: each erases what it can tell by hashes with its next update.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// Whether another process was busy indexing; it removes the rest within a minute.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
    /// Why the rest of the changed files could not be embedded; they are found by keywords meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_error: Option<Failure>,
}

/// One thing that is forgotten, for people.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remembered {
    /// The id of the act; it may have forgotten several things.
    pub id: String,
    /// When, ISO 8601 in UTC.
    pub at: String,
    /// `path`, `lines`, `session`, or `words` where nothing but automatic memory held it.
    pub kind: &'static str,
    /// The path or the session.
    pub name: String,
    /// Number of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// Until when all that was taken out can be put back; none when it is too late, or nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo_until: Option<String>,
    /// Whether it cannot be undone.
    #[serde(rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub is_final: bool,
}

impl Admin {
    /// Forgets at once, or tells what would be forgotten.
    ///
    /// # Errors
    /// [`Code::NotFound`] when there is nothing of that name, [`Code::Argument`] for a call that makes no sense, and
    /// what the list, the disk or the store give.
    pub async fn forget(self: &Arc<Self>, call: ForgetCall) -> Result<ForgetReport> {
        let (dry_run, is_final) = (call.dry_run, call.is_final);
        if dry_run {
            return Ok(ForgetReport { dry_run, id: String::new(), ..self.planned(call, false).await? });
        }
        let report = self.planned(call, true).await?;
        self.apply_forget(report.id, is_final).await
    }

    /// Makes a plan and keeps it for a day under the id that the report names. Nothing is changed.
    ///
    /// # Errors
    /// As [`Self::forget`].
    pub async fn plan_forget(self: &Arc<Self>, call: ForgetCall) -> Result<ForgetReport> {
        Ok(ForgetReport { dry_run: true, ..self.planned(call, true).await? })
    }

    async fn planned(self: &Arc<Self>, call: ForgetCall, keep: bool) -> Result<ForgetReport> {
        // What else cannot be finished hinders nothing that has to do with something else.
        let _ = self.try_to_finish().await;
        let (hits, warning) = match &call.search {
            Some(search) => {
                let answer =
                    self.searcher.search(SearchCall { excerpt: Some(0), ..search.clone() }, Cancel::new()).await?;
                (answer.hits, answer.warning)
            }
            None => (Vec::new(), None),
        };
        if call.target.paths.is_empty() && call.target.selection.is_empty() && hits.is_empty() {
            let why = warning.map(|warning| format!(": {warning}")).unwrap_or_default();
            return Err(Error::new(Code::NotFound, format!("nothing was found that could be forgotten{why}"))
                .remedy("Name a path, a session, or words that `openclaw memory search` finds"));
        }
        self.blocking(move |admin, settings| {
            let plan = find::plan(admin.context.store(), &call, &hits, settings, admin.context.now_ms())?;
            if keep {
                Plans::of(admin.context.store()).save(&plan)?;
            }
            report_of(&plan)
        })
        .await
    }

    /// What is forgotten, oldest first.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn forgotten(self: &Arc<Self>) -> Result<Vec<Remembered>> {
        self.blocking(|admin, _| {
            let plans = Plans::of(admin.context.store());
            plans.tend(admin.context.now_ms())?;
            let lines = jsonl::all(&admin.context.store().kept(Kept::Forgotten))?;
            let mut found = remembered_of(lines.iter().filter_map(|line| Entry::of(line)).collect());
            for plan in plans.all()?.into_iter().filter(|plan| plan.state == State::Applied) {
                let until = undo_until(&plan);
                let mut of_plan = found.iter_mut().filter(|one| one.id == plan.id).peekable();
                if of_plan.peek().is_none() {
                    found.push(Remembered {
                        id: plan.id,
                        at: iso(plan.applied_ms),
                        kind: "words",
                        name: "what automatic memory kept".to_owned(),
                        lines: None,
                        undo_until: until,
                        is_final: false,
                    });
                } else {
                    of_plan.for_each(|one| one.undo_until.clone_from(&until));
                }
            }
            found.sort_by(|a, b| a.at.cmp(&b.at));
            Ok(found)
        })
        .await
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// What is shown of a plan.
fn report_of(plan: &Plan) -> Result<ForgetReport> {
    serde_json::from_value(plan.report.clone())
        .map_err(|error| Error::new(Code::Internal, format!("report of forgetting: {error}")))
}

fn undo_until(plan: &Plan) -> Option<String> {
    (!plan.is_final).then(|| iso(plan.applied_ms.saturating_add(UNDO_MS)))
}

/// The entries as a person named them: what a file or folder holds is not told file by file.
fn remembered_of(entries: Vec<Entry>) -> Vec<Remembered> {
    let mut places: HashMap<String, HashSet<String>> = HashMap::new();
    for Entry { id, what, .. } in &entries {
        if let What::Path { path, .. } = what {
            places.entry(id.clone()).or_default().insert(path.clone());
        }
    }
    let is_told = |Entry { id, what, .. }: &Entry| {
        let is_place = |path: &str| places.get(id).is_some_and(|places| places.contains(path));
        match what {
            What::Path { path, .. } => !above(path).any(is_place),
            What::Lines { path, .. } => !is_place(path) && !above(path).any(is_place),
            What::Session { .. } => true,
        }
    };
    entries.into_iter().filter(is_told).map(remembered).collect()
}

fn remembered(Entry { id, at, is_final, by: _, what }: Entry) -> Remembered {
    let (kind, name, lines) = match what {
        What::Path { path, .. } => ("path", path, None),
        What::Lines { path, here, everywhere } => ("lines", path, Some(here.len() + everywhere.len())),
        What::Session { session } => ("session", session, None),
    };
    Remembered { id, at, kind, name, lines, undo_until: None, is_final }
}

#[cfg(test)]
mod tests;
