//! Diversity (F8): maximal marginal relevance over the words of the snippets (Carbonell and Goldstein, 1998).

use std::collections::HashMap;

use serde::Serialize;

/// Why a result comes at its place.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diversity {
    /// The score on a scale from 0 (worst of the candidates) to 1 (best).
    pub(super) relevance: f64,
    /// Jaccard similarity to the most similar result before it.
    pub(super) max_similarity: f64,
    /// λ · relevance − (1 − λ) · similarity.
    pub(super) score: f64,
}

/// Candidates in the order of marginal relevance, made one at a time: the first few cost little.
pub(super) struct Mmr {
    lambda: f64,
    /// In order of score; a candidate leaves when it is taken.
    remaining: Vec<Remaining>,
}

struct Remaining {
    index: usize,
    /// As given.
    score: f64,
    /// From 0 to 1.
    relevance: f64,
    /// Ids of its words, ascending.
    words: Vec<u32>,
    max_similarity: f64,
}

impl Mmr {
    /// `candidates` are scores with texts, best first; `lambda` 1 = relevance only, 0 = diversity only.
    pub(super) fn new<'t>(candidates: impl Iterator<Item = (f64, &'t str)>, lambda: f64) -> Self {
        let mut ids = HashMap::new();
        let mut remaining: Vec<Remaining> = candidates
            .enumerate()
            .map(|(index, (score, text))| {
                let words = word_ids(text, &mut ids);
                Remaining { index, score, relevance: 1.0, words, max_similarity: 0.0 }
            })
            .collect();
        let worst = remaining.iter().map(|c| c.score).fold(f64::INFINITY, f64::min);
        let best = remaining.iter().map(|c| c.score).fold(f64::NEG_INFINITY, f64::max);
        if best > worst {
            for candidate in &mut remaining {
                candidate.relevance = (candidate.score - worst) / (best - worst);
            }
        }
        Self { lambda: lambda.clamp(0.0, 1.0), remaining }
    }

    fn marginal(&self, candidate: &Remaining) -> f64 {
        self.lambda * candidate.relevance - (1.0 - self.lambda) * candidate.max_similarity
    }
}

impl Iterator for Mmr {
    /// Index of the candidate, and why now.
    type Item = (usize, Diversity);

    fn next(&mut self) -> Option<Self::Item> {
        let marginal = |place: usize| self.remaining.get(place).map(|c| (self.marginal(c), c.score));
        let mut best = 0;
        for place in 1..self.remaining.len() {
            // The first wins a tie in both.
            if marginal(place) > marginal(best) {
                best = place;
            }
        }
        let score = marginal(best)?.0;
        let taken = self.remaining.remove(best);
        for candidate in &mut self.remaining {
            candidate.max_similarity = candidate.max_similarity.max(jaccard(&candidate.words, &taken.words));
        }
        let diversity = Diversity { relevance: taken.relevance, max_similarity: taken.max_similarity, score };
        Some((taken.index, diversity))
    }
}

/// Ids of the distinct words of a text, ascending: runs of `a-z0-9_` in lower case, single CJK characters, and pairs
/// of neighbouring ones.
fn word_ids(text: &str, ids: &mut HashMap<String, u32>) -> Vec<u32> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    let mut add = |word: &str| {
        let next = u32::try_from(ids.len()).unwrap_or(u32::MAX);
        found.push(match ids.get(word) {
            Some(&id) => id,
            None => *ids.entry(word.to_owned()).or_insert(next),
        });
    };
    for word in lower.split(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')) {
        if !word.is_empty() {
            add(word);
        }
    }
    let mut before = None;
    for (at, c) in lower.char_indices() {
        if !is_cjk(c) {
            before = None;
            continue;
        }
        let end = at + c.len_utf8();
        add(&lower[at..end]);
        if let Some(before) = before.replace(at) {
            add(&lower[before..end]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Kana, Han of the basic plane, Hangul.
const fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}')
}

/// Shared words by all words; two texts without words are the same.
fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    if a.is_empty() && b.is_empty() {
        return 1.0;
    }
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        i += usize::from(x <= y);
        j += usize::from(y <= x);
        shared += usize::from(x == y);
    }
    shared as f64 / (a.len() + b.len() - shared) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(candidates: &[(f64, &str)], lambda: f64) -> Vec<usize> {
        Mmr::new(candidates.iter().copied(), lambda).map(|(index, _)| index).collect()
    }

    #[test]
    fn a_repeat_comes_after_something_new() {
        let candidates = [(0.9, "the red car"), (0.85, "the red car"), (0.5, "a blue boat"), (0.1, "tea")];
        assert_eq!(order(&candidates, 0.5), [0, 2, 3, 1]);
        assert_eq!(order(&candidates, 1.0), [0, 1, 2, 3]);
    }

    #[test]
    fn words_are_latin_runs_and_cjk_pairs_that_touch() {
        let mut ids = HashMap::new();
        word_ids("Foo_1 日本x語 é", &mut ids);
        let mut words: Vec<_> = ids.keys().map(String::as_str).collect();
        words.sort_unstable();
        assert_eq!(words, ["foo_1", "x", "日", "日本", "本", "語"]);
    }

    #[test]
    fn similarity_is_shared_by_all() {
        assert!((jaccard(&[1, 2, 3], &[2, 3, 4]) - 0.5).abs() < 1e-12);
        assert!((jaccard(&[], &[]) - 1.0).abs() < 1e-12);
        assert!(jaccard(&[1], &[]).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_order_is_a_permutation(
            candidates in prop::collection::vec((0.0f64..1.0, "[a-c]{1,2}( [a-c]{1,2}){0,4}"), 0..20),
            lambda in 0.01f64..=1.0,
        ) {
            let mut candidates: Vec<_> = candidates.iter().map(|(score, text)| (*score, text.as_str())).collect();
            candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
            let order = order(&candidates, lambda);
            prop_assert_eq!(order.first().copied(), (!candidates.is_empty()).then_some(0));
            let mut sorted = order;
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..candidates.len()).collect::<Vec<_>>());
        }

        #[test]
        fn full_relevance_keeps_the_order(count in 0usize..20) {
            let candidates: Vec<_> = (0..count).map(|i| (1.0 / (i + 1) as f64, "same words")).collect();
            prop_assert_eq!(order(&candidates, 1.0), (0..count).collect::<Vec<_>>());
        }
    }
}
