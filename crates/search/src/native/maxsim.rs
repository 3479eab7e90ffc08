//! How well a line answers piece by piece: each piece of the question looks for the piece of the line that is most like it
//! (MaxSim, Khattab and Zaharia, "ColBERT", 2020). Finer than any vector of the line, for one word that fits is not lost
//! among the others, and wider than words, for a piece finds what is said otherwise.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::{candidates::Candidates, lines::Lines, plan::Plan, signs::SignQueries};
use crate::types::LineQuery;
use embed::pieces::{AskedPiece, PieceQuestion};
use model::error::Result;
use store::{Reader, ids::ChunkId, vectors::CodedQuery};
use text::fold::fold;

/// What a piece found in the line before or after counts for.
const NEIGHBOUR: f64 = 0.9;

/// How alike the question and each candidate line are.
#[derive(Debug, Default)]
pub(crate) struct MaxSim {
    /// Per line of [`Lines`], −1 to 1; none for lines whose pieces are not known.
    own: Vec<Option<f64>>,
    /// The same with the pieces of its neighbours.
    near: Vec<Option<f64>>,
    own_scale: Scale,
    near_scale: Scale,
}

/// What each candidate line holds of what a question looks for.
pub(super) struct Held<'a> {
    /// Share of the question of each thing that is looked for.
    pub weights: &'a [f64],
    /// Per line of [`Lines`], how well it holds each of them; none for lines of which that is not known.
    pub lines: Vec<Option<Vec<f32>>>,
}

/// A piece that is looked for.
struct Wanted {
    query: CodedQuery,
    /// Share of what the question asks for.
    weight: f64,
}

impl MaxSim {
    /// Compares the question with the stored pieces of the candidate lines; none where the model has no pieces, the
    /// question is made of function words and `names`, or most lines have none yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn read(
        reader: &Reader<'_>,
        query: Option<LineQuery<'_>>,
        (plan, candidates, lines): (&Plan, &Candidates, &Lines<'_>),
        names: &HashSet<String>,
    ) -> Result<Option<Self>> {
        let Some((query, question)) = query.and_then(|query| Some((query, query.pieces?))) else { return Ok(None) };
        let wanted = wanted(question, plan, candidates, names);
        if wanted.is_empty() {
            return Ok(None);
        }
        let ids: Vec<ChunkId> = candidates.rows.iter().map(|row| row.id).collect();
        let signs: HashMap<ChunkId, Vec<u8>, RandomState> = reader.line_signs(query.space, &ids)?.into_iter().collect();
        let mut found: Vec<Option<Vec<f32>>> = vec![None; lines.lines.len()];
        let (weights, queries): (Vec<f64>, Vec<CodedQuery>) =
            wanted.into_iter().map(|wanted| (wanted.weight, wanted.query)).unzip();
        let mut queries = SignQueries::new(&queries, question.mean.len());
        for (chunk, row) in candidates.rows.iter().enumerate() {
            let Some(signs) = signs.get(&row.id) else { continue };
            for (number, signs) in (row.start_line..).zip(by_line(signs, question.mean.len())) {
                let Some(at) = lines.numbered(chunk, number) else { continue };
                // A line cut over several chunks shares its number.
                queries.raise(signs, found[at].get_or_insert_with(|| vec![0.0; weights.len()]));
            }
        }
        if 2 * found.iter().flatten().count() < found.len() {
            return Ok(None);
        }
        Ok(Some(Self::of(&Held { weights: &weights, lines: found }, lines)))
    }

    /// Weighs what the lines hold.
    pub(super) fn of(held: &Held<'_>, lines: &Lines<'_>) -> Self {
        let Held { weights, lines: found } = held;
        let weighted = |of: &dyn Fn(usize) -> f64| (0..weights.len()).map(|t| weights[t] * of(t)).sum::<f64>();
        let own: Vec<Option<f64>> =
            found.iter().map(|best| best.as_ref().map(|b| weighted(&|t| f64::from(b[t])))).collect();
        let near = (0..found.len()).map(|at| {
            let line = found[at].as_ref()?;
            let (first, last) = lines.window(at, 1);
            let beside = || (first..=last).filter(|i| *i != at).filter_map(|i| found[i].as_ref());
            Some(weighted(&|t| beside().map(|b| NEIGHBOUR * f64::from(b[t])).fold(f64::from(line[t]), f64::max)))
        });
        let near: Vec<Option<f64>> = near.collect();
        Self { own_scale: Scale::of(&own), near_scale: Scale::of(&near), own, near }
    }

    /// How far a line rises from the mean of the candidate lines towards 1.
    #[must_use]
    pub(crate) fn rise(&self, at: usize) -> Option<f64> {
        let mean = self.own_scale.mean;
        self.own[at].map(|value| (value - mean) / (1.0 - mean).max(1e-6))
    }

    /// The line alone on a scale of 0 (the mean of the candidate lines) to 1 (the best).
    #[must_use]
    pub(crate) fn scaled(&self, at: usize) -> f64 {
        self.own[at].map_or(0.0, |value| self.own_scale.of_value(value))
    }

    /// The line with its neighbours on such a scale.
    #[must_use]
    pub(crate) fn near_scaled(&self, at: usize) -> f64 {
        self.near[at].map_or(0.0, |value| self.near_scale.of_value(value))
    }
}

/// Mean and best of some values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scale {
    /// Of all that are known.
    pub mean: f64,
    best: f64,
}

impl Scale {
    /// Of values, one per line.
    pub(crate) fn of(values: &[Option<f64>]) -> Self {
        let known = || values.iter().flatten().copied();
        let count = known().count().max(1) as f64;
        Self { mean: known().sum::<f64>() / count, best: known().fold(f64::NEG_INFINITY, f64::max) }
    }

    /// 0 for the mean, 1 for the best, −1 for what lies as far below.
    pub(crate) fn of_value(&self, value: f64) -> f64 {
        let span = self.best - self.mean;
        // A model that gives all texts the same vector says nothing.
        if span > 1e-6 { ((value - self.mean) / span).clamp(-1.0, 1.0) } else { 0.0 }
    }
}

/// The pieces of a question that are looked for, each with its share. Names that label lines are left out, as the labels
/// tell who speaks; without anything else they are kept.
fn wanted(question: &PieceQuestion, plan: &Plan, candidates: &Candidates, names: &HashSet<String>) -> Vec<Wanted> {
    let kept = |with_names: bool| {
        let pieces = question.pieces.iter().filter(|piece| !piece.is_empty);
        pieces.filter(|piece| with_names || !names.contains(&piece.word)).collect::<Vec<&AskedPiece>>()
    };
    let mut pieces = kept(false);
    if pieces.is_empty() {
        pieces = kept(true);
    }
    let rarity = Rarity::of(plan, candidates);
    let parts = |word: &str| pieces.iter().filter(|piece| piece.word == word).count().max(1) as f64;
    let weights: Vec<f64> = pieces.iter().map(|piece| rarity.of_word(&piece.word) / parts(&piece.word)).collect();
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let wanted = pieces.iter().zip(weights).map(|(piece, weight)| {
        let centred: Vec<f32> = piece.state.iter().zip(question.mean).map(|(value, mean)| value - mean).collect();
        Wanted { query: CodedQuery::new(&centred), weight: weight / total }
    });
    wanted.collect()
}

/// How rare the words of a question are among the chunks of the index.
struct Rarity {
    words: HashMap<String, f64>,
    mean: f64,
}

impl Rarity {
    fn of(plan: &Plan, candidates: &Candidates) -> Self {
        let mut words = HashMap::new();
        for (concept, idf) in plan.concepts.iter().zip(&candidates.idf) {
            let surface = fold(&concept.surface);
            for word in text::words::words(&surface) {
                let known = words.entry(word.to_owned()).or_insert(0.0_f64);
                *known = known.max(concept.weight * idf);
            }
        }
        let mut all: Vec<f64> = words.values().copied().collect();
        // A sum of floats depends on its order.
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        Self { words, mean: if mean > 0.0 { mean } else { 1.0 } }
    }

    fn of_word(&self, word: &str) -> f64 {
        self.words.get(word).copied().unwrap_or(self.mean)
    }
}

/// The signs of each line of a chunk, as they are stored: the number of pieces as a byte, then their signs.
fn by_line(stored: &[u8], dims: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = stored;
    std::iter::from_fn(move || {
        let (&pieces, after) = rest.split_first()?;
        let (signs, others) = after.split_at_checked(usize::from(pieces) * dims.div_ceil(8))?;
        rest = others;
        Some(signs)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_best_line_is_one_and_the_mean_is_nothing() {
        let scale = Scale::of(&[Some(0.2), None, Some(0.6), Some(0.1)]);
        assert_eq!(scale.of_value(0.6), 1.0);
        assert!(scale.of_value(0.3).abs() < 1e-9);
        assert_eq!(scale.of_value(-1.0), -1.0, "no line is worse than the mean by more than the best is better");
        assert_eq!(Scale::of(&[Some(0.3), Some(0.3)]).of_value(0.3), 0.0);
        assert_eq!(Scale::of(&[None]).of_value(0.3), 0.0);
    }

    proptest! {
        // A damaged row must not take a search down, nor shift the signs of one line to another.
        #[test]
        fn lines_are_read_as_they_were_written(lines in prop::collection::vec(0_u8..5, 0..20), cut in 0_usize..200) {
            let dims = 16;
            let stored: Vec<u8> = lines.iter().flat_map(|n| {
                std::iter::once(*n).chain(std::iter::repeat_n(*n, usize::from(*n) * dims / 8))
            }).collect();
            let read: Vec<usize> = by_line(&stored, dims).map(|signs| signs.len() * 8 / dims).collect();
            prop_assert_eq!(&read, &lines.iter().map(|n| usize::from(*n)).collect::<Vec<_>>());
            let short = &stored[..cut.min(stored.len())];
            prop_assert!(by_line(short, dims).zip(&read).all(|(signs, n)| signs.len() * 8 / dims == *n));
        }
    }
}
