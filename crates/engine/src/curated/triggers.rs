//! Which entries a message brings back by their triggers, scored as the host's active memory does it.

use std::collections::HashSet;

use ::search::types::Hit;

/// Score from which an entry is shown.
pub const STRONG: f64 = 0.65;
/// Most entries that a message brings back.
pub const SHOWN: usize = 3;
/// Of the score, what the phrase counts; the rest is how well the search finds the entry.
const OF_PHRASE: f64 = 0.8;
/// A phrase of one word.
const ONE_WORD: f64 = 0.85;

/// An entry and how strongly a message asks for it.
#[derive(Debug, Clone)]
pub struct Match {
    /// The entry.
    pub hit: Hit,
    /// 0–1; shown from [`STRONG`] on.
    pub score: f64,
}

/// The entries with a score above 0, the strongest first. `hits` may hold an entry twice; the first one counts.
#[must_use]
pub fn matches(message: &str, hits: Vec<Hit>) -> Vec<Match> {
    let words: HashSet<String> = words(message).collect();
    let mut seen = HashSet::new();
    let mut found: Vec<Match> = hits
        .into_iter()
        .filter(|hit| seen.insert((hit.path.clone(), hit.start_line, hit.end_line)))
        .map(|hit| Match { score: score(&words, &hit), hit })
        .filter(|found| found.score > 0.0)
        .collect();
    found.sort_by(|a, b| {
        let by_place = || (&a.hit.path, a.hit.start_line).cmp(&(&b.hit.path, b.hit.start_line));
        b.score.total_cmp(&a.score).then_with(by_place)
    });
    found
}

/// Whether a message has a word of any phrase, without which no entry has a score.
#[must_use]
pub fn names_any(message: &str, hits: &[Hit]) -> bool {
    let words: HashSet<String> = words(message).collect();
    hits.iter().any(|hit| best_phrase(&words, hit) > 0.0)
}

fn best_phrase(message: &HashSet<String>, hit: &Hit) -> f64 {
    let phrases = hit.about.triggers.as_deref().unwrap_or_default().split(['\n', ';', '|']);
    phrases.map(|phrase| of_phrase(message, phrase)).fold(0.0, f64::max)
}

fn score(message: &HashSet<String>, hit: &Hit) -> f64 {
    let best = best_phrase(message, hit);
    if best == 0.0 { 0.0 } else { best * OF_PHRASE + hit.score.clamp(0.0, 1.0) * (1.0 - OF_PHRASE) }
}

fn of_phrase(message: &HashSet<String>, phrase: &str) -> f64 {
    let asked: HashSet<String> = words(phrase).collect();
    let shared = asked.iter().filter(|word| message.contains(*word)).count();
    match (asked.len(), shared) {
        (_, 0) => 0.0,
        (1, _) => ONE_WORD,
        (all, shared) => shared as f64 / all as f64 * 0.8 + (shared as f64 / 2.0).min(1.0) * 0.2,
    }
}

/// Lower-case words of two characters and more.
fn words(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let words: Vec<String> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.encode_utf16().count() > 1)
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{curated::file::CuratedFile, sample_hits::hit};
    use ::search::types::About;

    fn entry(line: u32, triggers: &str, score: f64) -> Hit {
        let about = About { triggers: Some(triggers.to_owned()), ..About::default() };
        Hit { start_line: line, end_line: line, score, about, ..hit("MEMORY.md", "") }
    }

    // The figures of `trigger-recall` in 2026.9.6.
    #[test]
    fn phrases_score_as_in_the_host() {
        let score = |message: &str, triggers: &str, relevance: f64| {
            matches(message, vec![entry(1, triggers, relevance)]).first().map_or(0.0, |found| found.score)
        };
        let is = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
        is(score("When do the invoices go out?", "invoices", 0.0), 0.68);
        is(score("rollback owner please", "rollback owner", 0.5), 0.9);
        is(score("the owner", "rollback owner", 1.0), 0.8f64.mul_add(0.5, 0.2));
        is(score("nothing of it", "rollback owner; roof", 1.0), 0.0);
        is(score("das DACH", "dach; x", 0.0), 0.68);
    }

    // Every message was searched for a second time, whether it had anything to do with a trigger or not.
    #[test]
    fn a_message_without_a_word_of_a_phrase_has_no_match() {
        let entries = [entry(1, "rollback owner", 0.0), entry(2, "boiler; roof tiles", 0.0)];
        for message in ["Who owns the rollback?", "the ROOF leaks", "tell me of boiler", "Hello there", ""] {
            let found = matches(message, entries.to_vec());
            assert_eq!(names_any(message, &entries), !found.is_empty(), "{message}");
        }
        assert!(names_any("the roof", &entries) && !names_any("Hello there", &entries));
    }

    #[test]
    fn an_entry_found_twice_counts_once_and_the_strongest_is_first() {
        let found = matches(
            "roof and boiler",
            vec![entry(1, "roof", 0.0), entry(1, "roof", 0.9), entry(2, "roof boiler", 0.0)],
        );
        assert_eq!(found.iter().map(|f| f.hit.start_line).collect::<Vec<_>>(), [2, 1]);
        assert!((found[1].score - 0.68).abs() < 1e-9);
    }

    #[test]
    fn a_file_of_nothing_has_no_entries() {
        assert!(CuratedFile::read("", 0).entries.is_empty());
    }
}
