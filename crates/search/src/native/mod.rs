//! `ranking: native`, the default: candidates by words, meaning and days; their lines scored on one scale; passages
//! grown around the best lines. docs/ranking.md has the method and what each part gained.

mod apart;
mod asked_days;
mod candidates;
mod compounds;
mod confidence;
mod coverage;
mod days;
mod diversity;
mod explain;
mod fusion;
mod labels;
mod line_cosines;
mod line_scores;
mod lines;
mod maxsim;
mod misspelt;
mod more;
mod name_free;
mod names;
mod own_notes;
mod passages;
mod plan;
mod signs;
mod snippet;
mod translations;
mod transliterations;
mod word_sim;

use std::sync::Arc;

use asked_days::AskedDays;
use candidates::{Candidates, Scope, Similarities};
pub(crate) use confidence::DEFAULT_MIN_SCORE;
use confidence::Evidence;
use diversity::Shown;
use labels::LabelWords;
use line_cosines::LineCosines;
use lines::Lines;
use maxsim::MaxSim;
use passages::{Passage, PassageShape, Passages, SHORT_UNITS, SNIPPET_UNITS};
use plan::Plan;
pub use translations::{is_beside_english, is_foreign};

use crate::{
    types::{About, Answer, Hit, LineQuery, More, Request},
    vector::VectorQuery,
};
use model::{config::settings::QuerySettings, error::Result, source::Source};
use store::{Reader, generations::GenerationId, within::Within};
use text::{cut::utf16_len, query::understand, translations::Speech};

/// Results whose scores are made to fall with rank; a fixed number, so that they do not depend on how many are asked.
const SETTLED: usize = 50;
/// How much surer than the first result one must be to stand before it, whatever its rank.
const FAR: f64 = 0.5;

/// Answers one search from a snapshot, out of the chunks `within` where it is confined. `zone` is the user's time zone (IANA).
///
/// # Errors
/// When the database cannot be read, the call was cancelled, or the query vector is not of the index's length.
pub fn search(
    reader: &Reader<'_>,
    (generation, within): (GenerationId, Option<&Within>),
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
    let query = understood.unwrap_or_else(|| understand(&request.query, request.now_ms, zone).into());
    if query.small_talk {
        return Ok(Answer::of(Vec::new(), mode));
    }
    let speech = Speech::told(&query);
    let mut plan = Plan::of(Arc::clone(&query), speech.as_ref());
    let scope = Scope { reader, generation, vector, lexical, within, lines: line.map(|line| line.space) };
    if lexical {
        candidates::expect(&scope, &plan, speech.as_ref())?;
        misspelt::correct(&mut plan, &scope)?;
        transliterations::add(&mut plan, &scope)?;
        translations::add(&mut plan, &scope, speech.as_ref())?;
        compounds::join(&mut plan, &scope)?;
    }
    let candidates = candidates::collect(&scope, &plan, request)?;
    let room = if request.budget.is_some() { SHORT_UNITS } else { SNIPPET_UNITS };
    let lines = Lines::read(&candidates.rows, &plan, room)?;
    let names = LabelWords::of(&plan).that_label(&lines);
    let meaning = LineCosines::read(reader, line, &candidates, &lines, &names)?;
    // As if there were no model for lines, as long as it has not come to all of them.
    let line = line.filter(|_| meaning.is_some());
    let pieces = MaxSim::read(reader, line, (&plan, &candidates, &lines), &names)?;
    let known = Known {
        chunks: vector.is_some_and(|vector| plan.is_known(vector.language)),
        lines: line.is_some_and(|line| plan.is_known(line.language)),
        among_others: line
            .and_then(|line| line.language)
            .is_some_and(|language| !word_sim::are_mostly_in(language, &lines)),
    };
    let days = AskedDays::of(&plan, &lines, &names, zone);
    // Beside vectors that know the language and say more, lines that share nothing with the question's words would be left out.
    let pieces = pieces.filter(|_| known.lines);
    let words = if vector.is_none() || !known.chunks {
        word_sim::of((&plan, speech.as_ref()), &candidates, &lines, &names)
    } else {
        None
    };
    let meant =
        Meant { lines: meaning.as_ref(), pieces: pieces.as_ref(), words: words.as_ref(), days: days.as_ref(), known };
    let Ranked { hits, more, nearest } = ranked(&plan, &candidates, &lines, &meant, settings, request)?;
    Ok(Answer { more, nearest, ..Answer::of(hits, mode) })
}

/// Which models know the language of the query: what others make of it is no reason to be sure of anything.
#[derive(Debug, Clone, Copy)]
struct Known {
    chunks: bool,
    lines: bool,
    /// Whether most lines are in a language that the model of the lines does not know.
    among_others: bool,
}

/// What the candidate lines mean, beside their words.
struct Meant<'a> {
    lines: Option<&'a LineCosines>,
    pieces: Option<&'a MaxSim>,
    /// By what words mean alone, where `pieces` are not known.
    words: Option<&'a MaxSim>,
    days: Option<&'a AskedDays>,
    known: Known,
}

/// Results, and what may be asked next.
struct Ranked {
    hits: Vec<Hit>,
    more: Option<More>,
    nearest: Option<f64>,
}

/// Ranks candidates and writes the results.
fn ranked(
    plan: &Plan,
    candidates: &Candidates,
    lines: &Lines<'_>,
    meant: &Meant<'_>,
    settings: &QuerySettings,
    request: &Request,
) -> Result<Ranked> {
    let Meant { lines: meaning, pieces, known, .. } = *meant;
    let scores = line_scores::score(plan, candidates, lines);
    let parts = fusion::fuse(plan, candidates, lines, &scores, meant, settings);
    let shape = match (pieces, meant.words) {
        (Some(_), _) => PassageShape::BY_PIECES,
        (None, Some(_)) => PassageShape::BY_WORDS,
        (None, None) => PassageShape::WITHOUT_PIECES,
    };
    let relevance: Vec<f64> = parts.iter().map(|parts| parts.sum() - parts.exact).collect();
    let is_any_curated = !request.curated.is_empty();
    let factor = |line: &lines::Line<'_>| {
        let path = lines.files[line.file].path;
        if is_any_curated { request.curated.factor(path, line.number, line.number) } else { 1.0 }
    };
    let sums: Vec<f64> = parts.iter().zip(&lines.lines).map(|(parts, line)| parts.sum() * factor(line)).collect();
    let evidence = |at: usize| {
        let cosine = fusion::cosine_of(&lines.lines[at], lines, candidates);
        let rise = candidates.similarities.as_ref().zip(cosine).map(|(s, cosine)| s.rise(cosine));
        let rise = rise.filter(|_| known.chunks);
        let line_rise = meaning.and_then(|m| m.rise(at)).filter(|_| known.lines);
        let piece_rise = pieces.and_then(|pieces| pieces.rise(at));
        Evidence {
            coverage: scores.sure[at],
            rise,
            line_rise,
            piece_rise,
            among_others: known.among_others,
            parts: parts[at],
        }
    };

    let sureness: Vec<f64> = (0..lines.lines.len()).map(|at| confidence::score(&evidence(at))).collect();
    let least = request.min_score.or(settings.min_score).unwrap_or(DEFAULT_MIN_SCORE);
    let mut shown = Shown::nothing_of(lines);
    // A line that has nothing of the query in any way starts no result.
    let mut passages = Passages::new(lines, (&sums, &relevance), shape, |at| sums[at] > 0.0);
    let mut found: Vec<Found> = Vec::new();
    let pages = Pages::of(request);
    // Whether no line that is left can be shown, or raise the scores of the results asked for (see `settle`).
    let is_settled = |passages: &Passages<'_>, found: &[Found]| {
        let left_far_behind = found.first().map(|first| first.score + FAR);
        if found.len() < SETTLED
            && left_far_behind.is_some_and(|least| passages.has_left(&sureness, |sure| sure >= least))
        {
            return false;
        }
        let last = found.get(pages.end - 1..).unwrap_or_default();
        let surest = last.iter().map(|found| found.score).reduce(f64::max);
        !passages.has_left(&sureness, |sure| sure >= least && surest.is_none_or(|surest| sure > surest))
    };
    // Before scores are settled: a passage that is not sure enough is not lifted by a surer one below it.
    let mut next = |passages: &mut Passages<'_>| {
        passages
            .map(|passage| Found { score: sureness_of(&passage, &sureness), passage })
            .find(|found| found.score >= least && !shown.repeats(&found.passage, lines))
    };
    while found.len() < pages.end.max(SETTLED)
        && !is_settled(&passages, &found)
        && let Some(passage) = next(&mut passages)
    {
        found.push(passage);
    }
    surest_first(&mut found);
    let bests: Vec<usize> = found.iter().map(|found| found.passage.best).collect();
    if let Some(placed) = own_notes::place((plan, candidates, lines), &bests, &mut passages, &evidence, least) {
        let passage = match placed.origin {
            own_notes::Origin::Below(at) => found.remove(at).passage,
            own_notes::Origin::New(passage) => passage,
        };
        found.insert(placed.place, Found { passage, score: placed.score });
    }
    // Whether there is one more is not known yet where those that are asked for are settled.
    if found.len() == pages.end {
        found.extend(next(&mut passages));
    }
    for page in found[..].chunks_mut(pages.size).take(pages.end / pages.size) {
        part(page, lines, &passages, &sureness, least);
    }
    settle(&mut found);
    let rest = found.get(request.after..).unwrap_or_default();
    let hits = rest.iter().take(pages.size);
    let hits = hits.map(|found| hit(found, plan, (candidates, lines), &evidence(found.passage.best), &sums, request));
    let hits = within(hits, request.budget);
    let after = request.after + hits.len();
    let more = more::is_worth_it(&found, after).then(|| More { query: request.query.clone(), after });
    // Nothing that is sure enough: what an agent that asks itself may still want to see.
    let lines = (0..sums.len()).filter(|at| found.is_empty() && sums[*at] > 0.0);
    let nearest = lines.max_by(|a, b| sums[*a].total_cmp(&sums[*b])).map(|at| sureness[at].min(least));
    Ok(Ranked { hits, more, nearest })
}

/// Which part of all results is asked for. Results of one file are cut apart in pages of as many as are asked for at a time,
/// so that a continuation goes on in the list that its beginning was taken from.
#[derive(Debug, Clone, Copy)]
struct Pages {
    size: usize,
    /// The end of the page with the last result that may be shown.
    end: usize,
}

impl Pages {
    const fn of(request: &Request) -> Self {
        let size = request.max_results;
        Self { size, end: request.after.saturating_add(size).div_ceil(size).saturating_mul(size) }
    }
}

/// The results that a budget of snippet characters has room for, the first always. A longer budget only adds.
fn within(hits: impl Iterator<Item = Hit>, budget: Option<usize>) -> Vec<Hit> {
    let Some(budget) = budget else { return hits.collect() };
    let mut used = 0;
    let fits = |hit: &Hit| {
        let is_first = used == 0;
        used += utf16_len(&hit.snippet);
        is_first || used <= budget
    };
    hits.take_while(fits).collect()
}

/// A passage that is sure enough to be shown.
struct Found {
    passage: Passage,
    score: f64,
}

/// How sure the surest line of a passage is.
fn sureness_of(passage: &Passage, sureness: &[f64]) -> f64 {
    passage.lines.iter().map(|at| sureness[*at]).fold(0.0, f64::max)
}

/// What leaves no doubt stands before what is only nearest. A model that is asked the English words of a question ranks what
/// these remind it of, and a word like "bureau", which English has too, tells it nothing of the note that holds it.
fn surest_first(found: &mut [Found]) {
    let head = found.len().min(SETTLED);
    let Some(least) = found.first().map(|first| first.score + FAR) else { return };
    found[..head].sort_by_key(|found| found.score < least);
}

/// Scores that never rise with rank: a result is at least as sure as those ranked below it.
fn settle(found: &mut [Found]) {
    let head = found.len().min(SETTLED);
    for at in (1..head).rev() {
        found[at - 1].score = found[at - 1].score.max(found[at].score);
    }
    for at in head.max(1)..found.len() {
        found[at].score = found[at].score.min(found[at - 1].score);
    }
}

/// Lets none of the results of a page reach into another, see [`apart`]. Those that change take their places anew.
fn part(found: &mut [Found], lines: &Lines<'_>, passages: &Passages<'_>, sureness: &[f64], least: f64) {
    let mut parts: Vec<&mut Passage> = found.iter_mut().map(|found| &mut found.passage).collect();
    if !apart::cut(&mut parts, lines, passages) {
        return;
    }
    for found in &mut *found {
        // It was sure enough with the lines that it was found with.
        found.score = sureness_of(&found.passage, sureness).max(least);
    }
    found.sort_by(|a, b| b.passage.score.total_cmp(&a.passage.score));
    surest_first(found);
}

fn hit(
    found: &Found,
    plan: &Plan,
    (candidates, lines): (&Candidates, &Lines<'_>),
    best: &Evidence,
    worth: &[f64],
    request: &Request,
) -> Hit {
    let Found { passage, score } = found;
    let file = &lines.files[lines.lines[passage.best].file];
    let snippet = snippet::of(passage, lines, plan, &candidates.idf);
    let excerpt = |room| snippet::excerpt(passage, &snippet, lines, (plan, &candidates.idf), worth, room);
    let excerpt = request.excerpt.map(excerpt);
    Hit {
        path: file.path.to_owned(),
        start_line: snippet.start_line,
        end_line: snippet.end_line,
        score: *score,
        snippet: snippet.text,
        excerpt,
        source: Source::of(file.source),
        vector_score: fusion::cosine_of(&lines.lines[passage.best], lines, candidates),
        text_score: (best.coverage > 0.0).then_some(best.coverage),
        by_meaning: best.rise.is_some() || best.line_rise.is_some(),
        about: About::default(),
        explain: request.explain.then(|| explain::of(passage, plan, candidates, lines, best)),
    }
}

impl Similarities {
    /// How far a cosine rises from the mean of the index towards 1.
    fn rise(&self, cosine: f64) -> f64 {
        (cosine - self.mean) / (1.0 - self.mean).max(1e-6)
    }
}

#[cfg(feature = "testing")]
pub mod testing;
#[cfg(test)]
mod tests;
