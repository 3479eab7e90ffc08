//! What single lines mean, by a model in this process: finer than the vectors of whole chunks.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use super::{candidates::Candidates, lines::Lines, name_free::NameFree};
use crate::types::LineQuery;
use model::error::Result;
use store::{Reader, ids::ChunkId, vectors::CodedQuery};

/// Cosines of the candidate lines with the query, and how they are spread.
#[derive(Debug, Default)]
pub(crate) struct LineCosines {
    /// Per line of [`Lines`]; none for lines without vector.
    pub cosines: Vec<Option<f64>>,
    /// Mean over the candidate lines.
    pub mean: f64,
    /// The best one.
    pub best: f64,
    /// The same without names, from a model that hands out pieces.
    pub name_free: Option<NameFree>,
}

impl LineCosines {
    /// Compares the query with the stored lines of the candidates; none when lines of some have no vectors yet. Those that
    /// have would be measured otherwise than the rest, by what the model has come to so far.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(super) fn read(
        reader: &Reader<'_>,
        query: Option<LineQuery<'_>>,
        candidates: &Candidates,
        lines: &Lines<'_>,
        names: &HashSet<String>,
    ) -> Result<Option<Self>> {
        let Some(query) = query else { return Ok(None) };
        let coded = CodedQuery::new(query.vector);
        let ids: Vec<ChunkId> = candidates.rows.iter().map(|row| row.id).collect();
        let stored = reader.line_codes(query.space, &ids)?.into_iter();
        let codes: Option<HashMap<ChunkId, Vec<u8>, RandomState>> =
            stored.map(|(id, codes)| Some((id, codes?))).collect();
        let Some(codes) = codes else { return Ok(None) };
        let mut best: Vec<Option<(f64, &[u8])>> = vec![None; lines.lines.len()];
        for (chunk, row) in candidates.rows.iter().enumerate() {
            let Some(codes) = codes.get(&row.id) else { continue };
            // A line cut over several chunks shares its number; the parts of one chunk do not occur in line-true ones.
            for (number, code) in (row.start_line..).zip(codes.chunks_exact(coded.dims())) {
                let (Some(at), Some(cosine)) = (lines.numbered(chunk, number), coded.cosine(code)) else { continue };
                let cosine = f64::from(cosine);
                if best[at].is_none_or(|(best, _)| cosine > best) {
                    best[at] = Some((cosine, code));
                }
            }
        }
        for at in (1..best.len()).rev() {
            let [part, last] = [at - 1, at].map(|at| (lines.lines[at].file, lines.lines[at].number));
            if part == last {
                best[at - 1] = best[at];
            }
        }
        let cosines: Vec<Option<f64>> = best.iter().map(|best| best.map(|(cosine, _)| cosine)).collect();
        let known: Vec<f64> = cosines.iter().flatten().copied().collect();
        if known.is_empty() {
            return Ok(None);
        }
        let count = known.len() as f64;
        let mean = known.iter().sum::<f64>() / count;
        let codes: Vec<Option<&[u8]>> = best.iter().map(|best| best.map(|(_, code)| code)).collect();
        let name_free = query.pieces.and_then(|question| NameFree::of(question, names, &codes, lines));
        let best = known.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Ok(Some(Self { cosines, mean, best, name_free }))
    }

    /// How far the cosine of a line rises from the mean of the candidate lines towards 1.
    #[must_use]
    pub(crate) fn rise(&self, at: usize) -> Option<f64> {
        let cosine = self.cosines.get(at).copied().flatten()?;
        Some((cosine - self.mean) / (1.0 - self.mean).max(1e-6))
    }

    /// The cosine of a line on a scale of 0 (the mean) to 1 (the best).
    #[must_use]
    pub(crate) fn scaled(&self, at: usize) -> f64 {
        let span = self.best - self.mean;
        let Some(cosine) = self.cosines.get(at).copied().flatten() else { return 0.0 };
        if span > 1e-6 { ((cosine - self.mean) / span).clamp(-1.0, 1.0) } else { 0.0 }
    }

    /// The best of a line and its neighbours, each neighbour counting for less.
    #[must_use]
    pub(crate) fn near(&self, at: usize, lines: &Lines<'_>) -> f64 {
        let (first, last) = lines.window(at, 1);
        let all: Vec<f64> = (first..=last).map(|i| self.scaled(i)).collect();
        all.iter().sum::<f64>() / all.len() as f64
    }
}
