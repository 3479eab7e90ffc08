//! A dated note that repeats a conversation is one result, not two. Everything else keeps the documented order.

use std::collections::HashSet;

use super::Scored;
use model::source::Source;

/// Share of the words of the shorter text that the other must hold to say the same.
const SAME: f64 = 0.85;
/// Texts with fewer distinct words share them by chance.
const FEW: usize = 5;

/// Sorted candidates without those that repeat a better one of the other source.
pub(super) fn without_repeats(candidates: Vec<Scored<'_>>) -> Vec<Scored<'_>> {
    let is_session = |candidate: &Scored<'_>| Source::of(&candidate.row.source) == Source::Sessions;
    let sessions = candidates.iter().filter(|candidate| is_session(candidate)).count();
    if sessions == 0 || sessions == candidates.len() {
        return candidates;
    }
    let mut shown: Vec<(bool, HashSet<String>)> = Vec::new();
    candidates
        .into_iter()
        .filter(|candidate| {
            let own = (is_session(candidate), words(&candidate.row.text));
            let repeats = shown.iter().any(|(session, other)| *session != own.0 && say_the_same(&own.1, other));
            if !repeats {
                shown.push(own);
            }
            !repeats
        })
        .collect()
}

fn words(text: &str) -> HashSet<String> {
    text::words::words(text).map(str::to_lowercase).collect()
}

fn say_the_same(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    let (shorter, longer) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let shared = shorter.iter().filter(|word| longer.contains(*word)).count();
    shorter.len() >= FEW && shared as f64 >= SAME * shorter.len() as f64
}
