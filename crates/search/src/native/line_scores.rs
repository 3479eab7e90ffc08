//! How well each line answers, by its words: BM25 of the line, of the line with its neighbours, of its chunk.

use super::{
    candidates::{Candidates, idf},
    coverage::QueryWords,
    lines::{Context, Count, Line, Lines, add_counts},
    plan::{FormKind, Plan},
    word_sim::{are_mostly_in, has_english, is_english},
};
use text::language::Language;

/// Saturation of repeated words (Robertson and Zaragoza, "The Probabilistic Relevance Framework").
const K1: f64 = 1.2;
/// How much length counts against a text.
const B: f64 = 0.75;
/// Neighbour lines on each side that a line is read with.
const REACH: usize = 2;
/// What words in its neighbours count for how sure a line is, against its own. 383 questions of the development set show
/// 0.6 points less of their answers with 0.8, and 0.2 more with 1; unanswered questions are shown less often the lower it is.
const NEIGHBOURS: f64 = 0.9;

/// Scores of each line, best possible values unknown: fusion scales them.
#[derive(Debug, Default)]
pub(crate) struct LineScores {
    /// The line alone, with its heading.
    pub line: Vec<f64>,
    /// The line with [`REACH`] neighbours on each side.
    pub window: Vec<f64>,
    /// The best chunk that holds the line.
    pub chunk: Vec<f64>,
    /// Share of what the query asks for, time aside, that the line and its neighbours hold, 0–1.
    pub coverage: Vec<f64>,
    /// The same, its neighbours counting for less.
    pub sure: Vec<f64>,
    /// Of a line that is not English, the share of what the query asks for that it holds as typed, where the query is in a language of
    /// hardly any notes, or has no English word while most lines are English; empty otherwise. A model of English is asked in English
    /// then, or does not understand.
    pub as_typed: Vec<f64>,
}

/// What a word of another language counts in the score, of its weight.
const TRANSLATED: f64 = 0.8;
/// How surely a word of similar meaning is meant that was found by way of English, of its weight in the score: an English word
/// means several things. Measured in docs/ranking.md.
const BY_WAY: f64 = 0.4;

/// Gives a text made of counts its BM25 score.
struct Scorer<'a> {
    plan: &'a Plan,
    owners: Vec<usize>,
    /// Whether each form is what was typed.
    is_own: Vec<bool>,
    /// How surely each form means its concept …
    surely: Vec<f64>,
    /// … and what it counts in the score.
    weights: Vec<f64>,
    idf: &'a [f64],
    words: QueryWords,
    mean_length: f64,
    /// Best value of each concept in the text at hand.
    best: Vec<f64>,
    held: Vec<f64>,
}

impl<'a> Scorer<'a> {
    fn new(plan: &'a Plan, candidates: &'a Candidates, lines: &Lines<'_>) -> Self {
        let owners = plan.owners();
        let mut frequency = vec![0_usize; owners.len()];
        for chunk in &lines.chunks {
            for (form, _) in &chunk.counts {
                frequency[usize::from(*form)] += 1;
            }
        }
        let meant: Vec<f64> = plan
            .forms()
            .map(|(number, form)| {
                let own = candidates.idf[owners[usize::from(number)]];
                // A rarer word of similar meaning says no more than the word that was asked for, a more common one
                // says less. Its frequency is known among the candidates only.
                let cap = if form.kind == FormKind::Similar {
                    (idf(candidates.total, frequency[usize::from(number)]) / own.max(f64::MIN_POSITIVE)).min(1.0)
                } else {
                    1.0
                };
                f64::from(form.weight) * cap
            })
            .collect();
        // What holds the word itself comes first.
        let counts = |kind| if kind == FormKind::Translation { TRANSLATED } else { 1.0 };
        let weights = plan.forms().zip(&meant).map(|((_, form), meant)| counts(form.kind) * meant).collect();
        let by_way = if plan.is_known(Some(Language::English)) { 1.0 } else { BY_WAY };
        let is_sure = |kind| if kind == FormKind::Similar { by_way } else { 1.0 };
        let surely = plan.forms().zip(&meant).map(|((_, form), meant)| is_sure(form.kind) * meant).collect();
        let concepts = plan.concepts.len();
        Self {
            plan,
            owners,
            is_own: plan.forms().map(|(_, form)| form.kind == FormKind::Own).collect(),
            surely,
            weights,
            idf: &candidates.idf,
            words: QueryWords::of(plan, candidates, lines),
            mean_length: 1.0,
            best: vec![0.0; concepts],
            held: vec![0.0; concepts],
        }
    }

    /// BM25 and the share of the query that is held. A concept counts by its best form.
    fn score(&mut self, counts: &[Count], length: f64) -> (f64, f64) {
        if counts.is_empty() {
            return (0.0, 0.0);
        }
        self.best.fill(0.0);
        self.held.fill(0.0);
        let norm = K1 * (1.0 - B + B * length / self.mean_length);
        for &(form, count) in counts {
            let (form, count) = (usize::from(form), f64::from(count));
            let owner = self.owners[form];
            let value = self.weights[form] * count * (K1 + 1.0) / (count + norm);
            self.best[owner] = self.best[owner].max(value);
            self.held[owner] = self.held[owner].max(self.surely[form]);
        }
        let concepts = self.plan.concepts.iter().zip(self.idf);
        let score = concepts.zip(&self.best).map(|((c, idf), best)| c.weight * idf * best).sum();
        (score, self.words.coverage(&self.held))
    }

    /// The share of the query that a line holds as typed; 0 of an English one.
    fn as_typed(&mut self, line: &Line<'_>, context: &Context) -> f64 {
        if is_english(line) {
            return 0.0;
        }
        self.held.fill(0.0);
        for (form, _) in line.counts.iter().chain(&context.counts) {
            let form = usize::from(*form);
            if self.is_own[form] {
                self.held[self.owners[form]] = self.held[self.owners[form]].max(self.surely[form]);
            }
        }
        self.words.coverage(&self.held)
    }
}

/// Scores all lines.
#[must_use]
pub(super) fn score(plan: &Plan, candidates: &Candidates, lines: &Lines<'_>) -> LineScores {
    let mut scorer = Scorer::new(plan, candidates, lines);
    let mut out = LineScores::default();
    let count = lines.lines.len().max(1) as f64;

    let context = |at: usize| &lines.contexts[lines.lines[at].context];
    let length = |at: usize| lines.lines[at].terms.len() as f64;
    scorer.mean_length =
        ((0..lines.lines.len()).map(|at| length(at) + f64::from(context(at).terms)).sum::<f64>() / count).max(1.0);
    let mut counts: Vec<Count> = Vec::new();
    for at in 0..lines.lines.len() {
        counts.clear();
        counts.extend_from_slice(&lines.lines[at].counts);
        add_counts(&mut counts, &context(at).counts);
        let (score, coverage) = scorer.score(&counts, length(at) + f64::from(context(at).terms));
        out.line.push(score);
        out.sure.push(coverage);
    }

    let windows: Vec<(usize, usize)> = (0..lines.lines.len()).map(|at| lines.window(at, REACH)).collect();
    let spans = |at: usize| (windows[at].0..=windows[at].1).map(length).sum::<f64>() + f64::from(context(at).terms);
    scorer.mean_length = ((0..lines.lines.len()).map(spans).sum::<f64>() / count).max(1.0);
    for (at, (first, last)) in windows.iter().enumerate() {
        counts.clear();
        for line in &lines.lines[*first..=*last] {
            add_counts(&mut counts, &line.counts);
        }
        add_counts(&mut counts, &context(at).counts);
        let (score, coverage) = scorer.score(&counts, spans(at));
        out.window.push(score);
        out.coverage.push(coverage);
        out.sure[at] = out.sure[at].max(NEIGHBOURS * coverage);
    }
    // Most of what is found by a question that is not English is found by words alone, of which a long one has more than it needs.
    if !plan.is_known(Some(Language::English)) {
        let length = scorer.words.length();
        out.sure.iter_mut().for_each(|sure| *sure = (*sure * length).min(1.0));
    }

    let is_not_understood = || !has_english(plan) && are_mostly_in(Language::English, lines);
    if plan.is_foreign == Some(true) || is_not_understood() {
        out.as_typed = (0..lines.lines.len()).map(|at| scorer.as_typed(&lines.lines[at], context(at))).collect();
    }

    let chunks = lines.chunks.len().max(1) as f64;
    scorer.mean_length = (lines.chunks.iter().map(|c| f64::from(c.terms)).sum::<f64>() / chunks).max(1.0);
    let by_chunk: Vec<f64> = lines.chunks.iter().map(|c| scorer.score(&c.counts, f64::from(c.terms)).0).collect();
    out.chunk = lines.lines.iter().map(|l| by_chunk[l.chunks.0].max(by_chunk[l.chunks.1])).collect();
    out
}
