//! Whether a question is worth a second search: the next result is nearly as good as the first, so the evidence is spread.

use super::Found;

/// Share of the score of the first result that the next one has where it is worth looking at. Measured in docs/ranking.md.
const NEARLY: f64 = 0.66;

/// Whether it is worth going on after the first `shown` results of all that were found.
pub(super) fn is_worth_it(found: &[Found], shown: usize) -> bool {
    match (found.first(), found.get(shown)) {
        (Some(first), Some(next)) => next.passage.score >= NEARLY * first.passage.score,
        _ => false,
    }
}
