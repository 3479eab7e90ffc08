//! `ranking: native`, the default: candidates by words, meaning and days; their lines scored on one scale; passages
//! grown around the best lines. docs/ranking.md has the method and what each part gained.

mod candidates;
mod confidence;
mod diversity;
mod explain;
mod fusion;
mod line_meaning;
mod line_scores;
mod lines;
mod passages;
mod plan;
mod snippet;

use candidates::{Candidates, Scope, Similarities};
pub use confidence::DEFAULT_MIN_SCORE;
use confidence::Evidence;
use diversity::Shown;
use line_meaning::LineMeaning;
use lines::Lines;
use passages::{Passage, Passages};
use plan::Plan;

use crate::{
    config::settings::QuerySettings,
    error::Result,
    search::{
        types::{Answer, Hit, LineQuery, Request, Source},
        vector::VectorQuery,
    },
    store::{Reader, generations::GenerationId},
    text::query::understand,
};

/// Results whose scores are made to fall with rank; a fixed number, so that they do not depend on how many are asked.
const SETTLED: usize = 50;

/// Answers one search from a snapshot. `zone` is the user's time zone (IANA).
///
/// # Errors
/// When the database cannot be read, the call was cancelled, or the query vector is not of the index's length.
pub fn search(
    reader: &Reader<'_>,
    generation: GenerationId,
    (vector, line): (Option<VectorQuery<'_>>, Option<LineQuery<'_>>),
    settings: &QuerySettings,
    request: &Request,
    zone: &str,
) -> Result<Answer> {
    let vector = vector.filter(|_| !request.lexical_only);
    let line = line.filter(|_| !request.lexical_only);
    let lexical = settings.hybrid_enabled || vector.is_none();
    let mode = match (vector.is_some(), lexical) {
        (true, true) => "hybrid",
        (true, false) => "vector",
        (false, _) => "fts-only",
    };
    let understood = request.understood.clone();
    let plan = Plan::of(understood.unwrap_or_else(|| understand(&request.query, request.now_ms, zone).into()));
    let hits = if plan.query.small_talk {
        Vec::new()
    } else {
        let scope = Scope { reader, generation, vector, lexical };
        let candidates = candidates::collect(&scope, &plan, request)?;
        let lines = Lines::read(&candidates.rows, &plan)?;
        let meaning = LineMeaning::read(reader, line, &candidates, &lines)?;
        ranked(&plan, &candidates, &lines, meaning.as_ref(), settings, request)?
    };
    Ok(Answer::of(hits, mode))
}

/// Ranks candidates and writes the results.
fn ranked(
    plan: &Plan,
    candidates: &Candidates,
    lines: &Lines<'_>,
    meaning: Option<&LineMeaning>,
    settings: &QuerySettings,
    request: &Request,
) -> Result<Vec<Hit>> {
    let scores = line_scores::score(plan, candidates, lines);
    let parts = fusion::fuse(plan, candidates, lines, (&scores, meaning), settings);
    let sums: Vec<f64> = parts.iter().map(fusion::Parts::sum).collect();
    let relevance: Vec<f64> = parts.iter().map(fusion::Parts::relevance).collect();
    let evidence = |at: usize| {
        let cosine = fusion::cosine_of(&lines.lines[at], lines, candidates);
        let rise = candidates.similarities.as_ref().zip(cosine).map(|(s, cosine)| s.rise(cosine));
        let line_rise = meaning.and_then(|m| m.rise(at));
        Evidence { coverage: scores.coverage[at], rise, line_rise, parts: parts[at] }
    };

    let sureness: Vec<f64> = (0..lines.lines.len()).map(|at| confidence::score(&evidence(at))).collect();
    let mut shown = Shown::nothing_of(lines);
    // A line that has nothing of the query in any way starts no result.
    let mut passages = Passages::new(lines, &sums, &relevance, |at| sums[at] > 0.0);
    let mut found: Vec<(Passage, f64)> = Vec::new();
    // Whether no line that is left can raise the scores of the results asked for (see `settle`).
    let is_settled = |passages: &Passages<'_>, found: &[(Passage, f64)]| {
        let last = found.get(request.max_results.saturating_sub(1)..).unwrap_or_default();
        let surest = last.iter().map(|(_, score)| *score).reduce(f64::max);
        surest.is_some_and(|surest| surest >= passages.highest_left(&sureness))
    };
    while found.len() < request.max_results.max(SETTLED)
        && !is_settled(&passages, &found)
        && let Some(passage) = passages.next()
    {
        if !shown.repeats(&passage, lines) {
            let score = passage.lines.iter().map(|at| sureness[*at]).fold(0.0, f64::max);
            found.push((passage, score));
        }
    }
    let settled = settle(&found);

    let least = request.min_score.or(settings.min_score).unwrap_or(DEFAULT_MIN_SCORE);
    let kept = found.iter().zip(settled).take_while(|(_, score)| *score >= least).take(request.max_results);
    Ok(kept.map(|((passage, _), score)| hit(passage, score, plan, candidates, lines, &evidence, request)).collect())
}

/// Scores that never rise with rank: a result is at least as sure as those ranked below it.
fn settle(found: &[(Passage, f64)]) -> Vec<f64> {
    let mut scores: Vec<f64> = found.iter().map(|(_, score)| *score).collect();
    let head = scores.len().min(SETTLED);
    for at in (1..head).rev() {
        scores[at - 1] = scores[at - 1].max(scores[at]);
    }
    for at in head.max(1)..scores.len() {
        scores[at] = scores[at].min(scores[at - 1]);
    }
    scores
}

fn hit(
    passage: &Passage,
    score: f64,
    plan: &Plan,
    candidates: &Candidates,
    lines: &Lines<'_>,
    evidence: &dyn Fn(usize) -> Evidence,
    request: &Request,
) -> Hit {
    let file = &lines.files[lines.lines[passage.best].file];
    let snippet = snippet::of(passage, lines, plan, &candidates.idf);
    let best = evidence(passage.best);
    Hit {
        path: file.path.to_owned(),
        start_line: snippet.start_line,
        end_line: snippet.end_line,
        score,
        snippet: snippet.text,
        source: Source::of(file.source),
        vector_score: fusion::cosine_of(&lines.lines[passage.best], lines, candidates),
        text_score: (best.coverage > 0.0).then_some(best.coverage),
        word_share: Some(word_share(passage, plan, lines)),
        explain: request.explain.then(|| explain::of(passage, plan, candidates, lines, &best)),
    }
}

/// Share of the query's words, time aside, that a passage and its headings hold, each by its weight in the query.
fn word_share(passage: &Passage, plan: &Plan, lines: &Lines<'_>) -> f64 {
    let owners = plan.owners();
    let own: Vec<bool> = plan.forms().map(|(_, form)| !form.is_similar).collect();
    let mut holds = vec![false; plan.concepts.len()];
    for line in passage.lines.iter().map(|at| &lines.lines[*at]) {
        for (form, _) in line.counts.iter().chain(&lines.contexts[line.context].counts) {
            holds[owners[usize::from(*form)]] |= own[usize::from(*form)];
        }
    }
    let asked = || plan.concepts.iter().zip(&holds).filter(|(concept, _)| !concept.in_time);
    let sum = |held_only: bool| asked().filter(|(_, held)| **held || !held_only).map(|(c, _)| c.weight).sum::<f64>();
    sum(true) / sum(false).max(f64::MIN_POSITIVE)
}

impl Similarities {
    /// How far a cosine rises from the mean of the index towards 1.
    fn rise(&self, cosine: f64) -> f64 {
        (cosine - self.mean) / (1.0 - self.mean).max(1e-6)
    }
}

#[cfg(test)]
mod tests;
