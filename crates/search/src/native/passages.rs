//! Results from scored lines: each is grown around a good line, up to the length of a snippet, by the best lines
//! near it. It may leave out lines between them.

use std::{cmp::Ordering, collections::BinaryHeap};

use super::lines::Lines;

/// Longest snippet in UTF-16 units, where a number of results is asked for, and of a note that is shown whole.
pub(crate) const SNIPPET_UNITS: usize = 700;
/// Longest snippet where a budget is to be filled: ten of these show more of what answers than six of those.
pub(crate) const SHORT_UNITS: usize = 420;
/// What stands for lines that are left out of a snippet, on a line of its own.
pub(crate) const GAP: &str = "…";

/// How a passage is grown around its first line.
#[derive(Debug, Clone, Copy)]
pub(super) struct PassageShape {
    /// Lines on each side of the first that it may take in.
    pub reach: usize,
    /// Most runs of neighbouring lines: more would be a list of quotations.
    runs: usize,
    /// Difference in score by which a line counts e times less: how far a passage of many fair lines may beat one with a
    /// single good line.
    softness: f64,
    /// How often it may count its first line at most: better ones around it are passages of their own.
    most_gain: f64,
    /// How far below the first line's score a line may be that joins it; none = it needs half of its relevance. What merely
    /// stands nearby costs room that the next result could use.
    within: Option<f64>,
}

impl PassageShape {
    /// Where lines are known piece by piece: these scores are good enough to take any line of a note.
    pub(super) const BY_PIECES: Self = Self { reach: 40, runs: 9, softness: 0.4, most_gain: 6.0, within: Some(1.67) };
    /// Where they are known by what their words mean.
    pub(super) const BY_WORDS: Self = Self { reach: 6, runs: 4, softness: 0.25, most_gain: 13.0, within: None };
    /// Where they are known by their words, or by one vector each.
    pub(super) const WITHOUT_PIECES: Self = Self { reach: 6, runs: 4, softness: 0.125, most_gain: 13.0, within: None };
}

/// Share of the first line's relevance that a line needs to join it.
const JOIN_SHARE: f64 = 0.5;
/// A block of at most so many lines is one result: whoever wrote four lines under one heading meant them together.
const SHORT_BLOCK: usize = 4;
/// Lines that may start a passage, the best first.
const SEEDS: usize = 200;
/// Gains added in another order may differ in their last digits.
const ROUNDING: f64 = 1.0 + 1e-12;

/// A result to be: lines of one block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Passage {
    /// Its lines, ascending.
    pub lines: Vec<usize>,
    /// Its best line.
    pub best: usize,
    /// What it is ranked by: the softened maximum of the scores of its lines.
    pub score: f64,
}

/// Forms passages one by one, the best of what is left first; so a longer list begins with a shorter one.
pub(super) struct Passages<'a> {
    lines: &'a Lines<'a>,
    scores: &'a [f64],
    /// Scores without what was found as typed.
    relevance: &'a [f64],
    shape: PassageShape,
    top: f64,
    /// Exponential of each score, relative to the best.
    gains: Vec<f64>,
    /// Lines that may start a passage, the best passage on top.
    waiting: BinaryHeap<Waiting>,
    /// Whether a passage took each line.
    taken: Vec<bool>,
}

/// A line that may start a passage.
#[derive(Debug, PartialEq)]
struct Waiting {
    seed: usize,
    /// Its place among those lines, the best first.
    rank: usize,
    /// The score of its passage, or what that has at most while it is not grown.
    score: f64,
    /// Its passage, of the lines that are free now.
    grown: Option<Passage>,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        // What may turn out to be as good is grown first.
        by_score.then(other.grown.is_some().cmp(&self.grown.is_some())).then(other.rank.cmp(&self.rank))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Passages<'a> {
    /// Passages over lines with these scores. Lines that `eligible` leaves out start none.
    #[must_use]
    pub(super) fn new(
        lines: &'a Lines<'a>,
        (scores, relevance): (&'a [f64], &'a [f64]),
        shape: PassageShape,
        eligible: impl Fn(usize) -> bool,
    ) -> Self {
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut seeds: Vec<usize> = (0..scores.len()).filter(|at| eligible(*at)).collect();
        // Lines are in the order of source, path and number, so ties fall that way.
        let better = |a: &usize, b: &usize| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b));
        if seeds.len() > SEEDS {
            seeds.select_nth_unstable_by(SEEDS, better);
            seeds.truncate(SEEDS);
        }
        seeds.sort_unstable_by(better);
        let gains = scores.iter().map(|score| ((score - top) / shape.softness).exp()).collect();
        let taken = vec![false; scores.len()];
        let mut all = Self { lines, scores, relevance, shape, top, gains, waiting: BinaryHeap::new(), taken };
        all.waiting = seeds.into_iter().enumerate().map(|(rank, seed)| all.ungrown(seed, rank)).collect();
        all
    }

    /// A line whose passage is not grown yet: all that it could take in says how good that is at most.
    fn ungrown(&self, seed: usize, rank: usize) -> Waiting {
        let gain: f64 = self.gains[seed] + self.near(seed).map(|at| self.gains[at]).sum::<f64>();
        Waiting { seed, rank, score: self.score(seed, gain * ROUNDING), grown: None }
    }

    /// The score of a passage around a line from the gains of its lines.
    fn score(&self, seed: usize, gain: f64) -> f64 {
        self.top + self.shape.softness * gain.min(self.gains[seed] * self.shape.most_gain).ln()
    }

    /// Whether a passage took a line.
    #[must_use]
    pub(super) fn has_taken(&self, at: usize) -> bool {
        self.taken[at]
    }

    /// The passage around a line that none has taken, whatever its place among the others.
    pub(super) fn around(&mut self, seed: usize) -> Passage {
        let mut passage = self.grow(seed);
        self.complete(&mut passage);
        self.take(&passage);
        passage
    }

    fn units(&self, at: usize) -> usize {
        self.lines.lines[at].units as usize
    }

    /// The lines that a passage around a line may take in.
    fn near(&self, seed: usize) -> impl Iterator<Item = usize> {
        let (first, last) = self.lines.window(seed, self.shape.reach);
        let (values, least) = match self.shape.within {
            Some(within) => (self.scores, self.scores[seed] - within),
            None => (self.relevance, JOIN_SHARE * self.relevance[seed]),
        };
        let least = if self.is_short(seed) { f64::NEG_INFINITY } else { least };
        (first..=last).filter(move |at| *at != seed && !self.taken[*at] && values[*at] >= least)
    }

    /// Whether a line stands in a block of few lines.
    fn is_short(&self, at: usize) -> bool {
        let (first, last) = self.lines.window(at, SHORT_BLOCK);
        last - first < SHORT_BLOCK
    }

    /// Grows a passage around a line.
    fn grow(&self, seed: usize) -> Passage {
        let mut near: Vec<usize> = self.near(seed).collect();
        near.sort_by(|a, b| self.scores[*b].total_cmp(&self.scores[*a]).then(a.cmp(b)));
        let mut chosen = vec![seed];
        let mut units = self.units(seed);
        let mut gain = self.gains[seed];
        // Each line taken may make another one a neighbour, so start again from the best.
        while let Some(next) = near.iter().position(|at| {
            let joins = joins(&chosen, *at);
            units + self.cost(*at, joins) <= self.lines.room && (joins || runs(&chosen) < self.shape.runs)
        }) {
            let at = near.remove(next);
            units += self.cost(at, joins(&chosen, at));
            gain += self.gains[at];
            chosen.push(at);
        }
        chosen.sort_unstable();
        Passage { lines: chosen, best: seed, score: self.score(seed, gain) }
    }

    /// What a line adds to a snippet at most: itself, its line break with an empty line, or a gap if it stands apart.
    fn cost(&self, at: usize, joins: bool) -> usize {
        self.units(at) + if joins { 2 } else { 4 }
    }

    /// Whether one of `values`, one per line, `is_wanted` among those of the lines that no passage has taken.
    #[must_use]
    pub(crate) fn has_left(&self, values: &[f64], is_wanted: impl Fn(f64) -> bool) -> bool {
        values.iter().zip(&self.taken).any(|(value, taken)| !taken && is_wanted(*value))
    }

    /// A note that fits a result is shown as it is: whoever wrote so little meant it together, headings or not.
    fn complete(&self, passage: &mut Passage) {
        let file = self.lines.lines[passage.best].file;
        if self.lines.files[file].whole.is_some() {
            let first = self.lines.lines.partition_point(|line| line.file < file);
            let end = self.lines.lines.partition_point(|line| line.file <= file);
            passage.lines = (first..end).collect();
        }
    }

    /// A passage of some lines.
    #[must_use]
    pub(super) fn of_lines(&self, lines: Vec<usize>) -> Passage {
        let gain = lines.iter().map(|at| self.gains[*at]).sum();
        let best = lines.iter().copied().min_by(|a, b| self.gains[*b].total_cmp(&self.gains[*a])).unwrap_or_default();
        Passage { best, score: self.score(best, gain), lines }
    }

    /// How passages are grown.
    pub(super) const fn shape(&self) -> PassageShape {
        self.shape
    }

    /// What each line counts for in a passage.
    #[must_use]
    pub(super) fn gains(&self) -> &[f64] {
        &self.gains
    }

    /// Takes the lines of a passage. What was grown near them is grown again when its turn comes: without them it may even
    /// be better, where one of them was long and left no room for others.
    fn take(&mut self, passage: &Passage) {
        for at in &passage.lines {
            self.taken[*at] = true;
        }
        let reach = passage.lines[0].saturating_sub(self.shape.reach)
            ..=passage.lines[passage.lines.len() - 1] + self.shape.reach;
        let is_stale = |waiting: &Waiting| waiting.grown.is_some() && reach.contains(&waiting.seed);
        if self.waiting.iter().any(is_stale) {
            let waiting = std::mem::take(&mut self.waiting).into_iter();
            let renewed = waiting.map(|w| if is_stale(&w) { self.ungrown(w.seed, w.rank) } else { w });
            self.waiting = renewed.collect();
        }
    }
}

impl Iterator for Passages<'_> {
    type Item = Passage;

    fn next(&mut self) -> Option<Passage> {
        while let Some(Waiting { seed, rank, grown, .. }) = self.waiting.pop() {
            if self.taken[seed] {
                continue;
            }
            if let Some(mut passage) = grown {
                self.complete(&mut passage);
                self.take(&passage);
                return Some(passage);
            }
            let passage = self.grow(seed);
            self.waiting.push(Waiting { seed, rank, score: passage.score, grown: Some(passage) });
        }
        None
    }
}

/// Whether a line stands next to one that is chosen.
fn joins(chosen: &[usize], at: usize) -> bool {
    chosen.contains(&(at + 1)) || (at > 0 && chosen.contains(&(at - 1)))
}

/// Runs of neighbouring lines.
fn runs(chosen: &[usize]) -> usize {
    chosen.iter().filter(|at| **at == 0 || !chosen.contains(&(**at - 1))).count()
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::{
        super::lines::{Context, File, Line},
        *,
    };
    use text::lines::Hashes;

    /// Lines of one file, by the number of their block and their length.
    pub(crate) fn lines(of: &[(u32, u32)]) -> Lines<'static> {
        let line = |(number, (block, units)): (u32, &(u32, u32))| Line {
            file: 0,
            number,
            block: *block,
            is_front: false,
            text: "",
            label: None,
            units: *units,
            terms: Hashes::default(),
            counts: Vec::new(),
            context: 0,
            chunks: (0, 0),
            heading: None,
            importance: None,
        };
        let mut blocks = of.to_vec();
        blocks.sort_by_key(|(block, _)| *block);
        Lines {
            files: vec![File { path: "", source: "", date: None, importance: None, whole: None }],
            contexts: vec![Context::default()],
            chunks: Vec::new(),
            lines: (1..).zip(&blocks).map(line).collect(),
            room: SNIPPET_UNITS,
        }
    }

    proptest! {
        // What is not grown because it cannot be the best would not have been the best. What had been grown with a long
        // line that another passage then took was thought to be no better without it.
        #[test]
        fn the_next_passage_is_the_best_of_all_that_could_be_grown(
            of in proptest::collection::vec((0_u32..4, 1_u32..400, 0_u32..40), 1..80),
            shape in prop_oneof![Just(PassageShape::BY_PIECES), Just(PassageShape::BY_WORDS), Just(PassageShape::WITHOUT_PIECES)],
        ) {
            let blocks: Vec<(u32, u32)> = of.iter().map(|(block, units, _)| (*block, *units)).collect();
            let lines = lines(&blocks);
            // Few different scores, so that there are ties.
            let scores: Vec<f64> = of.iter().map(|(_, _, score)| f64::from(*score) / 20.0).collect();
            let mut passages = Passages::new(&lines, (&scores, &scores), shape, |at| scores[at] > 0.0);
            let mut seeds: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] > 0.0).collect();
            seeds.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
            loop {
                let free = seeds.iter().filter(|at| !passages.taken[**at]);
                let all: Vec<Passage> = free.map(|at| passages.grow(*at)).collect();
                // The first of the best, as seeds are in order.
                let best = all.into_iter().rev().max_by(|a, b| a.score.total_cmp(&b.score));
                let next = passages.next();
                prop_assert_eq!(&next, &best);
                if next.is_none() {
                    break;
                }
            }
        }
    }
}
