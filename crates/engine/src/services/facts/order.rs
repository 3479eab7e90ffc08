//! In which order facts answer a question.

use super::Match;
use crate::capture::similar::{Comparer, Fingerprint};

/// What share of the best score is about as near: a fact that ends another one says more words than that.
const NEAR_SHARE: f64 = 0.75;

/// How many of the first facts of an answer are compared with each other.
const MOST_COMPARED: usize = 50;

/// A match with its place among others.
pub(super) struct Ranked {
    /// The match.
    pub(super) found: Match,
    /// Higher comes first.
    pub(super) rank: f64,
    /// The numbers and names of the question that it holds.
    pub(super) held: u32,
}

/// The first `limit` of some matches.
pub(super) fn in_order(mut matches: Vec<Ranked>, limit: usize) -> Vec<Match> {
    newer_first_of_near(&mut matches);
    matches.truncate(limit.max(MOST_COMPARED));
    let mut matches = later_first_of_one_day(matches);
    matches.truncate(limit);
    matches
}

/// Nearest first, and the newer before the older where both are about as near and hold the same of what was asked for: what
/// holds now is what was said last.
fn newer_first_of_near(matches: &mut [Ranked]) {
    // Those of one day stand in the order they were stored in.
    matches.reverse();
    matches.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    let mut rest = matches;
    while let Some((least, held)) = rest.first().map(|best| (best.rank * NEAR_SHARE, best.held)) {
        let is_near = |ranked: &Ranked| ranked.rank >= least && ranked.held == held;
        let near = rest.iter().position(|ranked| !is_near(ranked)).unwrap_or(rest.len());
        let (group, after) = rest.split_at_mut(near);
        group.sort_by_key(|ranked| std::cmp::Reverse(ranked.found.fact.created_at));
        rest = after;
    }
}

/// Of two facts of one day that contradict each other, the later comes first.
fn later_first_of_one_day(matches: Vec<Ranked>) -> Vec<Match> {
    let mut comparer = Comparer::default();
    let mut ordered: Vec<(Ranked, Fingerprint)> = Vec::with_capacity(matches.len());
    for ranked in matches {
        let print = comparer.fingerprint(&ranked.found.fact.text);
        let is_out_of_date = |(before, other): &(Ranked, Fingerprint)| {
            let (Some(first), Some(then)) = (&before.found.fact.said, &ranked.found.fact.said) else { return false };
            let is_near = before.held == ranked.held && ranked.rank >= before.rank * NEAR_SHARE;
            is_near && first.day == then.day && then.is_after(first) && other.differs_in_value(&print)
        };
        let place = ordered.iter().position(is_out_of_date).unwrap_or(ordered.len());
        ordered.insert(place, (ranked, print));
    }
    ordered.into_iter().map(|(ranked, _)| ranked.found).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::exact::Exact, *};
    use crate::capture::{
        facts::{FILE, Fact},
        rules::Category,
        said::Said,
    };

    fn found(text: &str, score: f64, day: i64) -> Ranked {
        let fact = Fact {
            id: text.to_owned(),
            text: text.to_owned(),
            importance: 0.7,
            category: Category::Fact,
            created_at: day,
            path: FILE.to_owned(),
            line: text.to_owned(),
            more: Vec::new(),
            said: None,
        };
        Ranked { found: Match { fact, score }, rank: score, held: 0 }
    }

    // "The user lives in Faro" stood before "no longer lives in Faro but in Tavira", and neither had its day.
    #[test]
    fn of_facts_about_as_near_the_newer_comes_first() {
        let mut matches = vec![
            found("old", 0.59, 1),
            found("far", 0.2, 9),
            found("new", 0.51, 3),
            found("later that day", 0.5, 3),
            found("near", 0.9, 1),
        ];
        newer_first_of_near(&mut matches);
        let order: Vec<&str> = matches.iter().map(|ranked| ranked.found.fact.text.as_str()).collect();
        assert_eq!(order, ["near", "new", "later that day", "old", "far"]);
    }

    /// The order of an answer to a question.
    fn asked(query: &str, facts: &[(&str, f64, i64)]) -> Vec<String> {
        let of_facts: Vec<Fact> = facts.iter().map(|(text, _, day)| found(text, 0.0, *day).found.fact).collect();
        let exact = Exact::of(query, &of_facts);
        let matches: Vec<Ranked> = facts
            .iter()
            .enumerate()
            .map(|(at, (text, score, day))| {
                let mut ranked = found(text, *score, *day);
                (ranked.rank, ranked.held) = exact.rank(at, *score);
                let said = Said { day: jiff::civil::date(2026, 11, 28), path: FILE.to_owned(), line: at };
                ranked.found.fact.said = Some(said).filter(|_| *day == 28);
                ranked
            })
            .collect();
        in_order(matches, 10).into_iter().map(|found| found.fact.text).collect()
    }

    // Vectors of "1234" and "1197" are about the same: others of them were nearer, and any newer fact came first.
    #[test]
    fn a_fact_with_the_number_or_name_that_was_asked_for_comes_first() {
        let facts = [
            ("Bulk fact number 1197: crate 9 holds tiles", 0.63, 3),
            ("Bulk fact number 1234: crate 46 holds tiles", 0.55, 1),
            ("Bulk fact number 1: crate 1919 holds nails", 0.40, 1),
            ("Helena rows on the lake", 0.36, 1),
            ("Bulk fact number 5: crate 1595 holds nails", 0.51, 9),
        ];
        assert_eq!(asked("Bulk fact number 1234", &facts)[0], facts[1].0);
        assert_eq!(asked("what does crate 1919 hold", &facts)[0], facts[2].0);
        assert_eq!(asked("And Helena?", &facts)[0], facts[3].0);
        // What many hold, or none, and what is no name says nothing.
        let usual = asked("which facts are there", &facts);
        for query in ["Bulk fact", "What about crate 7777", "holds"] {
            assert_eq!(asked(query, &facts), usual, "{query}");
        }
    }

    // 12 euros came before 14, which was said later that day.
    #[test]
    fn of_two_that_contradict_each_other_the_later_of_the_day_comes_first() {
        let facts = [
            ("The sauna costs 12 euros.", 0.76, 28),
            ("The sauna has a cold pool.", 0.75, 28),
            ("The sauna costs 14 euros.", 0.74, 28),
        ];
        assert_eq!(asked("what does the sauna cost", &facts), [facts[2].0, facts[0].0, facts[1].0]);
    }
}
