//! Why a result is there.

use serde::Serialize;

use super::{decay::Decay, keyword_only::Boost, mmr::Diversity};

/// The legs that found a chunk and what changed its score afterwards, in this order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Explain {
    /// Place among the vector hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) vector: Option<VectorLeg>,
    /// Place among the keyword hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<TextLeg>,
    /// What keyword-only search adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) boost: Option<Boost>,
    /// The weights of the vector and of the keyword leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) weights: Option<(f64, f64)>,
    /// What age took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decay: Option<Decay>,
    /// What the lines say about their importance and project, as a factor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) curated: Option<f64>,
    /// Why diversity put it here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) diversity: Option<Diversity>,
    /// The lowest score that passed.
    pub(super) min_score: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct VectorLeg {
    /// From 1.
    rank: usize,
    /// Cosine similarity.
    score: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct TextLeg {
    /// From 1.
    rank: usize,
    /// Negative, lower is better; none for substrings.
    #[serde(skip_serializing_if = "Option::is_none")]
    bm25: Option<f64>,
    /// 0–1.
    score: f64,
}

impl Explain {
    pub(super) const fn vector(mut self, rank: usize, score: f64) -> Self {
        self.vector = Some(VectorLeg { rank, score });
        self
    }

    pub(super) const fn text(mut self, rank: usize, bm25: Option<f64>, score: f64) -> Self {
        self.text = Some(TextLeg { rank, bm25, score });
        self
    }

    pub(super) fn vector_score(&self) -> Option<f64> {
        self.vector.map(|leg| leg.score)
    }

    pub(super) fn text_score(&self) -> Option<f64> {
        self.text.map(|leg| leg.score)
    }
}
