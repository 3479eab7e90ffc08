//! `ranking: memory-core`: the documented scoring (F1–F13), exactly as memory-core 2026.4.12 does it.
//!
//! Two legs of candidates, at most 200 each: keywords that must all occur, ordered by `bm25()`, and vectors by cosine.
//! Their weighted sum, recency and diversity give the order; a threshold decides what is shown.

mod decay;
mod explain;
mod fuse;
mod keyword_only;
mod keywords;
mod lexical;
mod mmr;
mod repeats;
mod snippet;
mod stop_words;
mod vector;
mod words;

use std::collections::HashMap;

use fuse::{Scored, Threshold};

use crate::{
    types::{About, Answer, Hit, Request},
    vector::VectorQuery,
};
use model::{
    config::settings::{FtsTokenizer, QuerySettings},
    error::Result,
    source::Source,
};
use store::{Reader, chunks::ChunkRow, generations::GenerationId, ids::ChunkId, within::Within};

/// `query.minScore` of this ranking where none is set (F1).
pub(crate) const DEFAULT_MIN_SCORE: f64 = 0.35;

/// Most candidates of a leg (F2).
const MAX_CANDIDATES: usize = 200;

/// What is searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The index that answers.
    pub generation: GenerationId,
    /// Tokenizer of the keyword leg (B8).
    pub tokenizer: FtsTokenizer,
    /// The vector leg; none = keywords only (F10).
    pub vector: Option<VectorQuery<'a>>,
    /// The only chunks that can be found; none = all.
    pub within: Option<&'a Within>,
}

/// Answers one search.
///
/// # Errors
/// When the database cannot be read, the call was cancelled, or the query vector is not of the index's length.
pub(crate) fn search(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    settings: &QuerySettings,
    request: &Request,
) -> Result<Answer> {
    let search = Search::new(reader, scope, settings, request)?;
    let mut answer = match scope.vector.as_ref().filter(|_| !request.lexical_only) {
        Some(vector) if settings.hybrid_enabled => search.hybrid(vector)?,
        Some(vector) => search.vector_only(vector)?,
        None => search.keyword_only()?,
    };
    if !search.keywords_ready && answer.mode != "vector" {
        answer.partial = true;
        answer.warning = Some("The keyword index of the memory-core ranking is still being built.".to_owned());
    }
    Ok(answer)
}

/// One search with everything its steps need.
struct Search<'a> {
    reader: &'a Reader<'a>,
    scope: &'a Scope<'a>,
    settings: &'a QuerySettings,
    request: &'a Request,
    query: &'a str,
    sources: Vec<&'static str>,
    /// Candidates of each leg.
    limit: usize,
    min_score: f64,
    /// Whether the keyword index can be asked.
    keywords_ready: bool,
}

impl<'a> Search<'a> {
    fn new(
        reader: &'a Reader<'a>,
        scope: &'a Scope<'a>,
        settings: &'a QuerySettings,
        request: &'a Request,
    ) -> Result<Self> {
        let limit = request.max_results.saturating_mul(settings.candidate_multiplier).clamp(1, MAX_CANDIDATES);
        Ok(Self {
            reader,
            scope,
            settings,
            request,
            query: request.query.trim(),
            sources: request.sources.iter().map(|source| source.as_str()).collect(),
            limit,
            min_score: request.min_score.or(settings.min_score).unwrap_or(DEFAULT_MIN_SCORE),
            keywords_ready: reader.compat_is_ready(scope.generation, scope.tokenizer)?,
        })
    }

    /// Both legs, fused and reranked (F6–F9).
    fn hybrid(&self, query: &VectorQuery<'_>) -> Result<Answer> {
        let keyword_hits = if self.keywords_ready {
            lexical::search(self.reader, self.scope, &self.sources, self.query, self.limit)?
        } else {
            Vec::new()
        };
        let vector_hits = self.vector_hits(query)?;
        let rows = self
            .rows(keyword_hits.iter().map(|hit| hit.chunk_id).chain(vector_hits.iter().map(|(_, hit)| hit.chunk_id)))?;
        let vector: Vec<_> = vector_hits.iter().map(|(row, hit)| (row, *hit)).collect();
        let keyword: Vec<_> = keyword_hits.iter().filter_map(|hit| Some((rows.get(&hit.chunk_id)?, *hit))).collect();
        let weights = (self.settings.vector_weight, self.settings.text_weight);
        let mut candidates = fuse::fuse(&vector, &keyword, weights);
        for candidate in &mut candidates {
            candidate.explain.weights = Some(weights);
        }
        self.decay(&mut candidates);
        self.curated(&mut candidates);
        sort(&mut candidates);
        let threshold = fuse::hybrid_threshold(&candidates, self.min_score, self.settings.text_weight);
        Ok(self.answer("hybrid", candidates, threshold, self.settings.mmr_enabled == Some(true)))
    }

    /// The vector leg by itself, where hybrid search is off (F11).
    fn vector_only(&self, query: &VectorQuery<'_>) -> Result<Answer> {
        let hits = self.vector_hits(query)?;
        let mut candidates: Vec<Scored<'_>> = (1..)
            .zip(&hits)
            .map(|(rank, (row, hit))| Scored {
                row,
                score: hit.score,
                explain: explain::Explain::default().vector(rank, hit.score),
            })
            .collect();
        self.curated(&mut candidates);
        sort(&mut candidates);
        let threshold = Threshold { min_score: self.min_score, keyword_hits_only: false };
        Ok(self.answer("vector", candidates, threshold, false))
    }

    /// All words, else each keyword, where there are no vectors (F10).
    fn keyword_only(&self) -> Result<Answer> {
        let nothing = Threshold { min_score: self.min_score, keyword_hits_only: false };
        if !self.keywords_ready {
            return Ok(self.answer("fts-only", Vec::new(), nothing, false));
        }
        let found = keyword_only::search(self.reader, self.scope, &self.sources, self.query, self.limit)?;
        let rows = self.rows(found.chunk_ids())?;
        let mut candidates = found.score(&rows);
        self.decay(&mut candidates);
        self.curated(&mut candidates);
        sort(&mut candidates);
        let threshold = fuse::keyword_threshold(&candidates, self.min_score);
        Ok(self.answer("fts-only", candidates, threshold, false))
    }

    /// The best chunks by cosine, each text once for its lines.
    fn vector_hits(&self, query: &VectorQuery<'_>) -> Result<Vec<(ChunkRow, vector::VectorHit)>> {
        if self.query.is_empty() {
            return Ok(Vec::new());
        }
        let hits = vector::search(self.reader, query, (&self.request.sources, self.scope.within), self.limit)?;
        let mut found: Vec<(ChunkRow, vector::VectorHit)> = Vec::with_capacity(self.limit);
        for batch in hits.chunks(self.limit) {
            let mut rows = self.rows(batch.iter().map(|hit| hit.chunk_id))?;
            for hit in batch {
                let Some(row) = rows.remove(&hit.chunk_id) else { continue };
                if found.len() < self.limit
                    && !found.iter().any(|(known, _)| fuse::identity(known) == fuse::identity(&row))
                {
                    found.push((row, *hit));
                }
            }
            if found.len() == self.limit {
                break;
            }
        }
        Ok(found)
    }

    /// Chunk rows by id.
    fn rows(&self, ids: impl Iterator<Item = ChunkId>) -> Result<HashMap<ChunkId, ChunkRow>> {
        let mut ids: Vec<ChunkId> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        Ok(self.reader.chunks(&ids)?.into_iter().map(|row| (row.id, row)).collect())
    }

    /// Lowers what is old, where it is switched on (F7).
    fn decay(&self, candidates: &mut [Scored<'_>]) {
        if self.settings.decay_enabled != Some(true) {
            return;
        }
        for candidate in candidates {
            let row = candidate.row;
            let decay = decay::decay(
                &row.path,
                Source::of(&row.source),
                row.mtime_ns,
                self.request.now_ms,
                self.settings.half_life_days,
            );
            candidate.score *= decay.map_or(1.0, |decay| decay.multiplier);
            candidate.explain.decay = decay;
        }
    }

    /// What curated chunks say about themselves, as memory-core 2026.9.6 counts it: after recency, importance and then
    /// the project.
    fn curated(&self, candidates: &mut [Scored<'_>]) {
        let view = &self.request.curated;
        if view.is_empty() {
            return;
        }
        for candidate in candidates {
            let row = candidate.row;
            let factor = view.factor(&row.path, row.start_line, row.end_line);
            candidate.score *= factor;
            candidate.explain.curated = Some(factor).filter(|factor| (factor - 1.0).abs() > f64::EPSILON);
        }
    }

    /// Applies diversity (F8), the threshold (F9) and the number of results to sorted candidates.
    fn answer(&self, mode: &'static str, candidates: Vec<Scored<'_>>, threshold: Threshold, diverse: bool) -> Answer {
        let places = fuse::keyword_places(&candidates);
        let candidates = repeats::without_repeats(candidates);
        let passes = |candidate: &Scored<'_>| {
            candidate.score >= threshold.min_score
                && (!threshold.keyword_hits_only || places.contains(&fuse::place(candidate.row)))
        };
        let hit = |candidate: &Scored<'_>, diversity| {
            let explain = explain::Explain { diversity, min_score: threshold.min_score, ..candidate.explain.clone() };
            Hit {
                path: candidate.row.path.clone(),
                start_line: candidate.row.start_line,
                end_line: candidate.row.end_line,
                score: candidate.score,
                snippet: snippet::snippet(&candidate.row.text).to_owned(),
                source: Source::of(&candidate.row.source),
                vector_score: explain.vector_score(),
                text_score: explain.text_score(),
                excerpt: None,
                by_meaning: explain.vector_score().is_some(),
                about: About::default(),
                explain: self.request.explain.then(|| serde_json::to_value(&explain).unwrap_or_default()),
            }
        };
        let hits = if diverse {
            let scored = candidates.iter().map(|c| (c.score, snippet::snippet(&c.row.text)));
            let ordered = mmr::Mmr::new(scored, self.settings.mmr_lambda);
            let hits = ordered.filter_map(|(index, diversity)| Some((candidates.get(index)?, diversity)));
            let passing = hits.filter(|(candidate, _)| passes(candidate)).take(self.request.max_results);
            passing.map(|(candidate, diversity)| hit(candidate, Some(diversity))).collect()
        } else {
            let passing = candidates.iter().filter(|candidate| passes(candidate)).take(self.request.max_results);
            passing.map(|candidate| hit(candidate, None)).collect()
        };
        Answer::of(hits, mode)
    }
}

/// Best first. The sort is stable: ties stay as the legs found them, vectors first. Scores that reached the cap of
/// keyword-only search are so ordered by `bm25()`.
fn sort(candidates: &mut [Scored<'_>]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
}

#[cfg(test)]
mod tests;
