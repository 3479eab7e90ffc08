//! What calls are answered with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Plan, RunRow, state};
use crate::index::Failure;
use model::config::consolidation::Consolidation;
use store::consolidation::Evidence;

/// What a plan gives: the plan, and the question for a model when one is to be asked.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Planned {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// What the model is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
}

/// A question for a model.
#[derive(Debug, Clone, Serialize)]
pub struct Question {
    /// What it is told about its task.
    pub system: &'static str,
    /// The request.
    pub prompt: String,
}

/// The answer of a model.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// Its text; empty when it failed.
    pub text: String,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens answered.
    pub output_tokens: u64,
}

/// What a run is, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// Its id.
    pub run_id: String,
    /// planned, applying, applied, undone or failed.
    pub state: String,
    /// When it was planned.
    pub started_at: String,
    /// Entries it adds.
    pub added: usize,
    /// Entries it moves to the archive.
    pub moved: usize,
    /// What stayed out, by reason.
    pub refused: BTreeMap<String, usize>,
    /// Tokens sent to a model.
    pub input_tokens: u64,
    /// Tokens a model answered with.
    pub output_tokens: u64,
    /// Whether it can be taken back.
    pub undoable: bool,
}

/// What was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// The run.
    pub run_id: String,
    /// The file.
    pub path: String,
    /// Entries added.
    pub added: usize,
    /// Entries moved to the archive.
    pub moved: usize,
}

/// What was taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    /// The runs, latest first.
    pub runs: Vec<String>,
    /// Entries that somebody has edited since: they stay.
    pub kept: Vec<String>,
}

/// A claim, explained.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// The claim with its uses.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// Days it was met on.
    pub days: usize,
    /// How often.
    pub use_count: usize,
    /// Whether it would become an entry, but for what memory holds and the room there is: `ok`, or the reason.
    pub verdict: String,
}

/// The state of consolidation.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// The settings in force.
    pub settings: Consolidation,
    /// Claims kept.
    pub claims: u64,
    /// Uses of them.
    pub uses: u64,
    /// When the next run by itself is due.
    pub next_run_at: Option<String>,
    /// Why none comes as the settings say, where consolidation is on.
    pub problem: Option<Failure>,
    /// The latest run.
    pub last_run: Option<Listed>,
    /// Tokens by month, latest first.
    pub tokens: Vec<Tokens>,
    /// Most characters of MEMORY.md.
    pub max_chars: usize,
    /// Its characters now.
    pub chars: usize,
}

/// What runs of a month cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// `2026-11`.
    pub month: String,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens answered.
    pub output_tokens: u64,
}

/// A run as it is listed.
pub(super) fn listed(row: &RunRow) -> Listed {
    let plan: Plan = serde_json::from_str(&row.plan).unwrap_or_default();
    Listed {
        run_id: row.id.clone(),
        state: row.state.clone(),
        started_at: iso(row.started_ms),
        added: plan.add.len(),
        moved: plan.moved.len(),
        refused: plan.refused_counts,
        input_tokens: row.input_tokens,
        output_tokens: row.output_tokens,
        undoable: row.state == state::APPLIED && row.images.is_some(),
    }
}

/// A moment in ISO 8601.
pub(super) fn iso(at_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(at_ms)
        .unwrap_or_default()
        .round(jiff::Unit::Second)
        .unwrap_or_default()
        .to_string()
}
