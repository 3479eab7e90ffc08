//! Hybrid search (F6) and the threshold of every kind of search (F9).

use std::collections::{HashMap, HashSet};

use super::{explain::Explain, lexical::KeywordHit, vector::VectorHit};
use store::{chunks::ChunkRow, ids::FileId};

/// A chunk with its score so far.
#[derive(Debug, Clone)]
pub(super) struct Scored<'r> {
    pub(super) row: &'r ChunkRow,
    pub(super) score: f64,
    pub(super) explain: Explain,
}

/// Places in a file: what tells results apart.
pub(super) type Place = (FileId, u32, u32);

/// Lines of a chunk.
pub(super) const fn place(row: &ChunkRow) -> Place {
    (row.file_id, row.start_line, row.end_line)
}

/// What the reference takes for one and the same chunk: lines and content.
pub(super) fn identity(row: &ChunkRow) -> (Place, &str) {
    (place(row), &row.text)
}

/// The union of both legs; a leg that did not find a chunk counts as 0. `weights` are those of the vector and of the
/// keyword leg.
pub(super) fn fuse<'r>(
    vector: &[(&'r ChunkRow, VectorHit)],
    keyword: &[(&'r ChunkRow, KeywordHit)],
    weights: (f64, f64),
) -> Vec<Scored<'r>> {
    let mut fused: Vec<Scored<'r>> = Vec::with_capacity(vector.len() + keyword.len());
    let mut known = HashMap::new();
    for (rank, (row, hit)) in (1..).zip(vector) {
        known.insert(identity(row), fused.len());
        fused.push(Scored { row, score: 0.0, explain: Explain::default().vector(rank, hit.score) });
    }
    for (rank, (row, hit)) in (1..).zip(keyword) {
        let index = *known.entry(identity(row)).or_insert_with(|| {
            fused.push(Scored { row, score: 0.0, explain: Explain::default() });
            fused.len() - 1
        });
        // A text that was stored twice is found twice; the last one counts.
        fused[index].explain = std::mem::take(&mut fused[index].explain).text(rank, hit.rank, hit.score);
    }
    for scored in &mut fused {
        scored.score = weights.0 * scored.explain.vector_score().unwrap_or(0.0)
            + weights.1 * scored.explain.text_score().unwrap_or(0.0);
    }
    fused
}

/// Which scores are good enough (F9).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Threshold {
    /// Lowest score.
    pub(super) min_score: f64,
    /// Whether only keyword hits pass.
    pub(super) keyword_hits_only: bool,
}

/// The threshold for hybrid candidates: when nothing reaches `min_score`, keyword hits pass from the weight of their
/// leg on.
pub(super) fn hybrid_threshold(candidates: &[Scored<'_>], min_score: f64, text_weight: f64) -> Threshold {
    let strict = Threshold { min_score, keyword_hits_only: false };
    let any_keyword = candidates.iter().any(|c| c.explain.text_score().is_some());
    if !any_keyword || candidates.iter().any(|c| c.score >= min_score) {
        return strict;
    }
    Threshold { min_score: min_score.min(text_weight), keyword_hits_only: true }
}

/// The threshold for keyword-only candidates: when nothing reaches `min_score`, everything passes.
pub(super) fn keyword_threshold(candidates: &[Scored<'_>], min_score: f64) -> Threshold {
    let any = candidates.iter().any(|c| c.score >= min_score);
    Threshold { min_score: if any { min_score } else { 0.0 }, keyword_hits_only: false }
}

/// Lines that the keyword leg found. A part of a long line shares them with its other parts.
pub(super) fn keyword_places(candidates: &[Scored<'_>]) -> HashSet<Place> {
    candidates.iter().filter(|c| c.explain.text_score().is_some()).map(|c| place(c.row)).collect()
}
