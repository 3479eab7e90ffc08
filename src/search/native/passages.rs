//! Results from scored lines: each is grown around a good line, up to the length of a snippet, by the best lines
//! near it. It may leave out lines between them.

use super::lines::Lines;

/// Longest snippet in UTF-16 units.
pub const SNIPPET_UNITS: usize = 700;
/// What stands for lines that are left out of a snippet, on a line of its own.
pub const GAP: &str = "…";

/// Lines on each side of the first that a passage may take in.
const REACH: usize = 6;
/// Share of the first line's relevance that a line needs to join it: what merely stands nearby costs room that the next
/// result could use.
const JOIN_SHARE: f64 = 0.5;
/// Most runs of neighbouring lines in a passage: more would be a list of quotations.
const RUNS: usize = 4;
/// Lines that may start a passage, the best first.
const SEEDS: usize = 200;
/// Difference in score by which a line counts e times less: how far a passage of many fair lines may beat one with a
/// single good line.
const SOFTNESS: f64 = 0.125;

/// A result to be: lines of one block.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its lines, ascending.
    pub lines: Vec<usize>,
    /// Its best line.
    pub best: usize,
    /// What it is ranked by: the softened maximum of the scores of its lines.
    pub score: f64,
}

/// Forms passages one by one, the best of what is left first; so a longer list begins with a shorter one.
pub struct Passages<'a> {
    lines: &'a Lines<'a>,
    scores: &'a [f64],
    /// Scores without what was found as typed.
    relevance: &'a [f64],
    top: f64,
    /// Exponential of each score, relative to the best.
    gains: Vec<f64>,
    /// Lines that may start a passage, the best first, each with the score that its passage has at most.
    seeds: Vec<(usize, f64)>,
    used: Vec<bool>,
    /// Per seed its passage, while the lines around it are free.
    grown: Vec<Option<Passage>>,
}

impl<'a> Passages<'a> {
    /// Passages over lines with these scores. Lines that `eligible` leaves out start none.
    #[must_use]
    pub fn new(
        lines: &'a Lines<'a>,
        scores: &'a [f64],
        relevance: &'a [f64],
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
        let gains: Vec<f64> = scores.iter().map(|score| ((score - top) / SOFTNESS).exp()).collect();
        let most = |at: usize| top + SOFTNESS * (gains[at] * (2 * REACH + 1) as f64).ln();
        let seeds: Vec<(usize, f64)> = seeds.into_iter().map(|at| (at, most(at))).collect();
        let (used, grown) = (vec![false; scores.len()], vec![None; seeds.len()]);
        Self { lines, scores, relevance, top, gains, seeds, used, grown }
    }

    fn units(&self, at: usize) -> usize {
        self.lines.lines[at].units as usize
    }

    /// Grows a passage around a line.
    fn grow(&self, seed: usize) -> Passage {
        let (first, last) = self.lines.window(seed, REACH);
        let least = JOIN_SHARE * self.relevance[seed];
        let mut near: Vec<usize> =
            (first..=last).filter(|at| *at != seed && !self.used[*at] && self.relevance[*at] >= least).collect();
        near.sort_by(|a, b| self.scores[*b].total_cmp(&self.scores[*a]).then(a.cmp(b)));
        let mut chosen = vec![seed];
        let mut units = self.units(seed);
        let mut gain = self.gains[seed];
        // Each line taken may make another one a neighbour, so start again from the best.
        while let Some(next) = near.iter().position(|at| {
            let joins = joins(&chosen, *at);
            units + self.cost(*at, joins) <= SNIPPET_UNITS && (joins || runs(&chosen) < RUNS)
        }) {
            let at = near.remove(next);
            units += self.cost(at, joins(&chosen, at));
            gain += self.gains[at];
            chosen.push(at);
        }
        chosen.sort_unstable();
        Passage { lines: chosen, best: seed, score: self.top + SOFTNESS * gain.ln() }
    }

    /// What a line adds to a snippet at most: itself, its line break with an empty line, or a gap if it stands apart.
    fn cost(&self, at: usize, joins: bool) -> usize {
        self.units(at) + if joins { 2 } else { 4 }
    }
}

impl Iterator for Passages<'_> {
    type Item = Passage;

    fn next(&mut self) -> Option<Passage> {
        let mut best: Option<(usize, f64)> = None;
        for at in 0..self.seeds.len() {
            let (seed, most) = self.seeds[at];
            if self.used[seed] {
                continue;
            }
            // No passage of this seed or a later one can be better: they are in the order of their lines' gain.
            if best.is_some_and(|(_, known)| most < known) {
                break;
            }
            let score = match &self.grown[at] {
                Some(passage) => passage.score,
                None => {
                    let passage = self.grow(seed);
                    self.grown[at].insert(passage).score
                }
            };
            if best.is_none_or(|(_, known)| score > known) {
                best = Some((at, score));
            }
        }
        let passage = self.grown[best?.0].take()?;
        for at in &passage.lines {
            self.used[*at] = true;
        }
        let (first, last) = (passage.lines[0], passage.lines[passage.lines.len() - 1]);
        for ((seed, _), grown) in self.seeds.iter().zip(&mut self.grown) {
            if seed + 2 * REACH >= first && *seed <= last + 2 * REACH {
                *grown = None;
            }
        }
        Some(passage)
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
