//! What a search is asked and what it answers.

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{confine::Confine, provenance::Provenance};
use crate::factors::View;
use embed::pieces::PieceQuestion;
use model::{error::Error, source::Source};
use store::ids::SpaceId;
use text::{language::Language, query::QueryPlan};

/// One search.
#[derive(Debug, Clone)]
pub struct Request {
    /// What the user or model asks, as typed.
    pub query: String,
    /// The same, where whoever asks has understood it already; our own ranking would do that again.
    pub understood: Option<Arc<QueryPlan>>,
    /// Most results, ≥ 1.
    pub max_results: usize,
    /// Results that are left out because whoever asks has them: the continuation of a search, which only the native ranking
    /// knows.
    pub after: usize,
    /// Characters (UTF-16 units) of snippets that the results may take together; the native ranking then shows shorter
    /// passages. None = each may have its full length.
    pub budget: Option<usize>,
    /// Characters (UTF-16 units) of the [`Hit::excerpt`] of each result; 0 = its best line, however long; none = no result has
    /// one.
    pub excerpt: Option<usize>,
    /// Lowest score kept, 0–1; none = the ranking's default.
    pub min_score: Option<f64>,
    /// Which sources; empty = all that are indexed.
    pub sources: Vec<Source>,
    /// Which files; none = all that are indexed.
    pub confine: Option<Arc<Confine>>,
    /// Keyword leg only.
    pub lexical_only: bool,
    /// Whether each hit carries its explanation.
    pub explain: bool,
    /// What curated lines say about themselves.
    pub curated: Arc<View>,
    /// "Now" in milliseconds since the epoch, for time words and decay.
    pub now_ms: i64,
}

/// A query in the space of the line vectors.
#[derive(Debug, Clone, Copy)]
pub struct LineQuery<'a> {
    /// Id of the space in the store.
    pub space: SpaceId,
    /// The query.
    pub vector: &'a [f32],
    /// The same piece by piece, where the model hands that out.
    pub pieces: Option<&'a PieceQuestion>,
    /// The only language that its model knows; none when it may know any.
    pub language: Option<Language>,
}

/// What a second search should ask for, where the notes say more than was shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct More {
    /// The question.
    pub query: String,
    /// Results that are known by then.
    pub after: usize,
}

/// One result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// Workspace-relative path with `/`, or absolute for extra paths outside the workspace.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// 0–1, comparable between queries.
    pub score: f64,
    /// At most 700 UTF-16 units.
    pub snippet: String,
    /// The lines of it that answer best, for who has no room for all; only the native ranking has it, when asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub excerpt: Option<String>,
    /// Where it comes from.
    pub source: Source,
    /// Cosine similarity, where there is a vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector_score: Option<f64>,
    /// Score of the keyword leg, where it matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_score: Option<f64>,
    /// Whether a model that knows the language of the query took part in its score.
    #[serde(skip)]
    pub by_meaning: bool,
    /// What is known about it.
    #[serde(flatten)]
    pub about: About,
    /// Why it is there, when asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<serde_json::Value>,
}

impl Hit {
    /// Whether two passages share a line.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.start_line <= other.end_line && other.start_line <= self.end_line
    }
}

/// What is known about a passage: what its lines say about themselves, and where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// 1 to 10.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub importance: Option<u8>,
    /// Phrases that bring it back, with `; ` between them, as hosts read them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub triggers: Option<String>,
    /// Keys of its projects, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub project_key: Option<String>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub provenance: Option<Provenance>,
}

impl About {
    /// What lines say about themselves.
    pub fn of(importance: Option<u8>, triggers: &[String], projects: &[String]) -> Self {
        let joined = |all: &[String]| (!all.is_empty()).then(|| all.join("; "));
        Self { importance, triggers: joined(triggers), project_key: joined(projects), provenance: None }
    }
}

/// The answer to a search.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Best first; ties by path, then line.
    pub hits: Vec<Hit>,
    /// Whether the vector leg took part: `hybrid`, `vector` or `fts-only`.
    pub mode: &'static str,
    /// How to go on, where that is worth it: the question, without the results that are shown. No passage of them comes
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<More>,
    /// How sure the nearest passage is, 0–1, where none is as sure as was asked for: a lower least score shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<f64>,
    /// What a later note tells of a change of the first result, where that was asked for: the passage is none of the results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub later: Option<Hit>,
    /// Whether a leg was left out because the deadline came or the provider failed.
    pub partial: bool,
    /// Why it is partial or keyword-only, in a sentence for the user, with what helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// What helps by itself, when there is something to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Cow<'static, str>>,
    /// Stable code of the failure behind the warning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// That meaning was left out because the embedding provider fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degraded: Option<Degraded>,
}

/// An outage of the embedding provider, as an answer by words alone tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Degraded {
    /// The provider that is set.
    pub provider: String,
    /// What went wrong.
    pub reason: String,
    /// Since when it is known, ISO 8601 in UTC.
    pub since: String,
    /// What helps, when there is something to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Cow<'static, str>>,
}

impl Answer {
    /// An answer that nothing impaired.
    #[must_use]
    pub const fn of(hits: Vec<Hit>, mode: &'static str) -> Self {
        Self {
            hits,
            mode,
            more: None,
            nearest: None,
            later: None,
            partial: false,
            warning: None,
            remedy: None,
            code: None,
            degraded: None,
        }
    }

    /// Nothing found, and nothing that kept it from being found.
    #[must_use]
    pub const fn nothing() -> Self {
        Self::of(Vec::new(), "fts-only")
    }

    /// Adds what the user should know although everything that is known was searched.
    #[must_use]
    pub fn beside(mut self, warning: Option<String>) -> Self {
        self.warning = self.warning.or(warning);
        self
    }

    /// Marks it as partial because of a failure; the first one told stays.
    #[must_use]
    pub fn impaired(mut self, what: &str, error: &Error) -> Self {
        self.partial = true;
        // The whole answer has another order.
        self.more = None;
        if self.code.is_none() {
            let told = format!("{what}: {error}");
            self.warning = Some(self.warning.map_or_else(|| told.clone(), |first| format!("{first}. {told}")));
            self.remedy.clone_from(&error.remedy);
            self.code = Some(error.code().as_str());
        }
        self
    }
}
