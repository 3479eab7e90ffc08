//! Consolidation for callers that wait: each call is one operation on the workspace of this engine.

use std::{sync::Arc, time::Duration};

use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::Handle;

use super::context::{Context, Service};
use crate::consolidation::{
    evidence::Observed,
    runs::{Answer, Replay, Runs},
};
use embed::{Embedded, Embedder, Purpose, embedded::language};
use model::{
    config::consolidation::Consolidation,
    error::{Code, Error, Result},
};
use store::consolidation::Evidence;

/// Longest that the model in this process may take for the sentences of a run.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is to be done.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ConsolidateCall {
    /// Note what happened.
    Observe {
        /// What happened.
        observed: Vec<Observed>,
    },
    /// What this agent knows, for the run of another agent of the workspace.
    Evidence,
    /// Plan a run.
    Plan {
        /// What other agents of the workspace know.
        #[serde(default)]
        others: Vec<Evidence>,
    },
    /// What a model is to be asked for a plan that was made before.
    Question {
        /// The plan.
        run: String,
    },
    /// Carry a plan out.
    Apply {
        /// The plan; default the latest.
        run: Option<String>,
        /// Only these additions; default all.
        #[serde(default)]
        only: Vec<String>,
        /// What a model answered.
        answer: Option<Answer>,
    },
    /// Take runs back.
    Undo {
        /// The run; default the latest.
        run: Option<String>,
        /// All of them.
        #[serde(default)]
        all: bool,
    },
    /// List runs.
    Runs,
    /// Show a run with its plan.
    Run {
        /// Its id.
        run: String,
    },
    /// Say what is known of claims.
    Explain {
        /// An id, a path or words.
        what: String,
    },
    /// Keep what days before speak for, or only say what that would be.
    Replay(Replay),
    /// Take the latest replay back.
    RollBack,
    /// How things stand.
    Status,
    /// Whether a run by itself is due for this holder.
    Due {
        /// What tells processes apart.
        holder: String,
    },
}

/// Plans and carries out what becomes of past days.
pub struct Consolidator {
    context: Arc<Context>,
}

impl Service for Consolidator {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Consolidator {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }

    /// Does one operation of consolidation at a moment. `bootstrap_chars` is the smallest bootstrap limit of the agents of
    /// the workspace.
    ///
    /// # Errors
    /// As the methods of [`Runs`].
    pub async fn call(
        self: &Arc<Self>,
        call: ConsolidateCall,
        consolidation: Consolidation,
        bootstrap_chars: usize,
        now_ms: i64,
    ) -> Result<Value> {
        // Free and on this machine, whatever embeds the notes.
        let model = self.context.provider().line_embedder();
        let runtime = Handle::current();
        self.blocking(move |service, settings| {
            let mut runs =
                Runs::new(Arc::clone(service.context.store()), settings, consolidation, bootstrap_chars, now_ms);
            if let Some(model) = model {
                runs = runs.with_meaning(Box::new(move |texts| runtime.block_on(meanings(&*model, texts))));
            }
            match call {
                ConsolidateCall::Observe { observed } => {
                    let noted = observed.iter().map(|observed| runs.observe(observed));
                    to_value(noted.sum::<Result<usize>>()?)
                }
                ConsolidateCall::Evidence => to_value(runs.evidence()?),
                ConsolidateCall::Plan { others } => to_value(runs.plan(others)?),
                ConsolidateCall::Question { run } => to_value(runs.question_of(&run)?),
                ConsolidateCall::Apply { run, only, answer } => {
                    to_value(runs.apply(run.as_deref(), &only, answer.as_ref())?)
                }
                ConsolidateCall::Undo { run, all } => to_value(runs.undo(run.as_deref(), all)?),
                ConsolidateCall::Runs => to_value(runs.runs()?),
                ConsolidateCall::Run { run } => to_value(runs.run(&run)?),
                ConsolidateCall::Explain { what } => to_value(runs.explain(&what)?),
                ConsolidateCall::Replay(wanted) => to_value(runs.replay(&wanted)?),
                ConsolidateCall::RollBack => to_value(runs.roll_back()?),
                ConsolidateCall::Status => to_value(runs.status()?),
                ConsolidateCall::Due { holder } => to_value(runs.take_due(&holder)?),
            }
        })
        .await
    }
}

/// The vectors of sentences in a language that the model knows. Without them words decide.
async fn meanings(model: &dyn Embedder, texts: &[String]) -> Vec<Option<Vec<f32>>> {
    let Ok(answers) = model.embed(texts, Purpose::Document, PATIENCE).await else { return vec![None; texts.len()] };
    let is_understood = |text: &str| model.language().is_none() || language::knows(text);
    let of = |(text, answer): (&String, Embedded)| match answer {
        Embedded::Vector(vector) if is_understood(text) => Some(vector),
        _ => None,
    };
    texts.iter().zip(answers).map(of).collect()
}

fn to_value(value: impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|error| Error::new(Code::Internal, format!("consolidation: {error}")))
}
