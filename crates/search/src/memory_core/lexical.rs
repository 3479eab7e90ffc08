//! The keyword leg (F3, F4, F13): all words of the query must occur, ordered by `bm25()`.

use super::{Scope, words::words};
use model::{config::settings::FtsTokenizer, error::Result};
use store::{Reader, ids::ChunkId};

/// A chunk with all words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct KeywordHit {
    pub(super) chunk_id: ChunkId,
    /// `bm25()`, lower is better; none where only substrings were asked.
    pub(super) rank: Option<f64>,
    /// 0–1.
    pub(super) score: f64,
}

/// What the full-text index is asked.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// FTS5 query.
    matched: Option<String>,
    /// Words that the tokenizer cannot index: every one must occur literally.
    substrings: Vec<String>,
}

/// The best `limit` chunks with all words of the query.
pub(super) fn search(
    reader: &Reader<'_>,
    scope: &Scope<'_>,
    sources: &[&str],
    query: &str,
    limit: usize,
) -> Result<Vec<KeywordHit>> {
    let plan = plan(query, scope.tokenizer);
    let hits = reader.compat_search(
        scope.generation,
        plan.matched.as_deref(),
        &plan.substrings,
        (sources, scope.within),
        limit,
    )?;
    Ok(hits
        .into_iter()
        .map(|hit| {
            let rank = plan.matched.is_some().then_some(hit.rank);
            KeywordHit { chunk_id: hit.chunk_id, rank, score: rank.map_or(1.0, text_score) }
        })
        .collect())
}

/// Turns a rank into a score from 0 to 1 (F4, as 2026.4.12 does it): `r / (1 + r)` of a relevance r = −rank.
fn text_score(rank: f64) -> f64 {
    if !rank.is_finite() {
        0.001
    } else if rank < 0.0 {
        -rank / (1.0 - rank)
    } else {
        1.0 / (1.0 + rank)
    }
}

fn plan(query: &str, tokenizer: FtsTokenizer) -> Plan {
    let (substrings, matched): (Vec<&str>, Vec<&str>) =
        words(query).partition(|word| tokenizer == FtsTokenizer::Trigram && is_short_cjk(word));
    let quoted: Vec<String> = matched.into_iter().map(|word| format!("\"{word}\"")).collect();
    Plan {
        matched: (!quoted.is_empty()).then(|| quoted.join(" AND ")),
        substrings: substrings.into_iter().map(str::to_owned).collect(),
    }
}

/// Whether a word is too short for trigrams, but says something nevertheless (F13).
fn is_short_cjk(word: &str) -> bool {
    let cjk = |c| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{3131}'..='\u{3163}');
    word.chars().count() < 3 && word.chars().any(cjk)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(query: &str, tokenizer: FtsTokenizer) -> (Option<String>, Vec<String>) {
        let plan = plan(query, tokenizer);
        (plan.matched, plan.substrings)
    }

    #[test]
    fn every_word_must_occur() {
        let unicode = FtsTokenizer::Unicode61;
        assert_eq!(
            planned("Deploy the \"app\", deploy!", unicode).0.as_deref(),
            Some(r#""Deploy" AND "the" AND "app" AND "deploy""#)
        );
        assert_eq!(planned("日本", unicode).0.as_deref(), Some(r#""日本""#));
        assert_eq!(planned("?!", unicode), (None, vec![]));
    }

    #[test]
    fn short_cjk_words_become_substrings_with_trigrams() {
        let trigram = FtsTokenizer::Trigram;
        assert_eq!(planned("日本 会議室 ab", trigram), (Some(r#""会議室" AND "ab""#.into()), vec!["日本".into()]));
        assert_eq!(planned("한국", trigram), (None, vec!["한국".into()]));
    }

    #[test]
    fn scores_follow_the_rank() {
        assert!((text_score(-3.0) - 0.75).abs() < 1e-12);
        assert!((text_score(0.0) - 1.0).abs() < 1e-12);
        assert!((text_score(1.0) - 0.5).abs() < 1e-12);
        assert!((text_score(f64::NAN) - 0.001).abs() < 1e-12);
    }
}
