//! What a search showed of the lines that answer, by the rules of `eval/metrics.mjs`: its figures and these are to be
//! the same to the digit, so lengths are those of JavaScript, in UTF-16 units.

use std::{collections::BTreeMap, fs, path::Path};

use search::types::Hit;
use serde::Deserialize;

use crate::Failure;

/// Units of snippets read for `b2000` and `shown2000`.
const BUDGET: usize = 2000;

/// The measures, in the order in which they are shown.
pub(crate) const MEASURES: [&str; 11] =
    ["seen@6", "seen+6", "more", "hit@6", "rank1", "mrr", "b2000", "shown", "shown2000", "none", "overlap"];

/// A labelled question. No evidence means that nothing should be found.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    /// What is asked.
    pub(crate) query: String,
    /// The lines that answer: file and line, from 1.
    evidence: Vec<(String, u32)>,
}

/// The measures of one question.
pub(crate) type Values = BTreeMap<&'static str, f64>;

/// What searches for a question found.
pub(crate) struct Found<'a> {
    /// The first six results.
    pub(crate) six: &'a [Hit],
    /// What a second search shows, where the one for six says that it is worth it.
    pub(crate) more: &'a [Hit],
    /// The first twenty.
    pub(crate) twenty: &'a [Hit],
    /// What a search shows that names no number of results.
    pub(crate) budget: &'a [Hit],
}

/// Scores one question by what was found.
pub(crate) fn score(question: &Question, found: &Found<'_>, workspace: &Path) -> Result<Values, Failure> {
    let Found { six, more, twenty, budget } = *found;
    let none = if six.is_empty() { 1.0 } else { 0.0 };
    if question.evidence.is_empty() {
        return Ok(Values::from([("none", none)]));
    }
    let lines = question.evidence.iter().map(|(file, line)| line_of(&workspace.join(file), *line));
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let visible = |shown: &[(&str, Vec<u16>)]| {
        let evidence = question.evidence.iter().zip(&lines);
        let seen = |((file, _), line): &(&(String, u32), &Vec<u16>)| {
            shown.iter().any(|(path, snippet)| path == file && shows(line, &plain(snippet)))
        };
        evidence.filter(seen).count() as f64
    };
    let count = lines.len() as f64;
    let whole: Vec<_> = six.iter().map(|hit| (hit.path.as_str(), units(&hit.snippet))).collect();
    let seen = visible(&whole);
    let rest = more.iter().map(|hit| (hit.path.as_str(), units(&hit.snippet)));
    let both: Vec<_> = whole.iter().cloned().chain(rest).collect();
    let holds = |hit: &Hit| {
        let inside = |(file, line): &(String, u32)| hit.path == *file && (hit.start_line..=hit.end_line).contains(line);
        question.evidence.iter().any(inside)
    };
    let first = twenty.iter().take(10).position(holds);
    Ok(Values::from([
        ("seen@6", seen / count),
        ("seen+6", visible(&both) / count),
        ("more", if more.is_empty() { 0.0 } else { 1.0 }),
        ("hit@6", if seen > 0.0 { 1.0 } else { 0.0 }),
        ("rank1", if visible(&whole[..whole.len().min(1)]) > 0.0 { 1.0 } else { 0.0 }),
        ("mrr", first.map_or(0.0, |first| 1.0 / (first + 1) as f64)),
        ("b2000", visible(&within_budget(twenty, BUDGET)) / count),
        ("shown", visible(&within_budget(budget, usize::MAX)) / count),
        ("shown2000", visible(&within_budget(budget, BUDGET)) / count),
        ("none", none),
        ("overlap", if overlap(six) || overlap(budget) { 1.0 } else { 0.0 }),
    ]))
}

/// Whether two results of one file cite the same line.
fn overlap(hits: &[Hit]) -> bool {
    let meets = |a: &Hit, b: &Hit| a.path == b.path && a.start_line <= b.end_line && b.start_line <= a.end_line;
    hits.iter().enumerate().any(|(at, hit)| hits[..at].iter().any(|other| meets(hit, other)))
}

/// Means in percent of what the questions have.
pub(crate) fn means(scores: &[Values]) -> Values {
    let mean = |measure: &'static str| {
        let values: Vec<f64> = scores.iter().filter_map(|values| values.get(measure)).copied().collect();
        let sum = values.iter().fold(0.0, |sum, value| sum + value);
        (!values.is_empty()).then(|| (measure, 100.0 * sum / values.len() as f64))
    };
    MEASURES.into_iter().filter_map(mean).collect()
}

/// One digit after the point, halves up, as JavaScript's `toFixed` has them.
pub(crate) fn one_digit(value: f64) -> String {
    let is_half = (value * 4.0) % 2.0 == 1.0 && value.fract() != 0.0;
    if is_half { format!("{:.1}", value + 0.05) } else { format!("{value:.1}") }
}

/// The snippets that fit into the budget, the last one cut.
fn within_budget(hits: &[Hit], budget: usize) -> Vec<(&str, Vec<u16>)> {
    let mut left = budget;
    let mut read = Vec::new();
    for hit in hits {
        if left == 0 {
            break;
        }
        let mut snippet = units(&hit.snippet);
        snippet.truncate(left);
        left -= snippet.len();
        read.push((hit.path.as_str(), snippet));
    }
    read
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Whether a unit is white space to JavaScript's `\s`.
fn is_space(unit: u16) -> bool {
    unit == 0xFEFF || unit != 0x85 && char::from_u32(u32::from(unit)).is_some_and(char::is_whitespace)
}

/// Words with one space between them.
fn plain(text: &[u16]) -> Vec<u16> {
    text.split(|unit| is_space(*unit)).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(&u16::from(b' '))
}

fn line_of(path: &Path, line: u32) -> Result<Vec<u16>, Failure> {
    let text = fs::read_to_string(path).map_err(Failure::at(path))?;
    let index = (line as usize).saturating_sub(1);
    Ok(plain(&units(text.split('\n').nth(index).unwrap_or_default())))
}

/// Whether a line can be read in a snippet: all of it, or its first or last 60 %.
fn shows(line: &[u16], snippet: &[u16]) -> bool {
    let part = ((0.6 * line.len() as f64).ceil() as usize).clamp(1, line.len().max(1)).min(line.len());
    let has = |wanted: &[u16]| wanted.is_empty() || snippet.windows(wanted.len()).any(|window| window == wanted);
    has(line) || has(&line[..part]) || has(&line[line.len() - part..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(path: &str, lines: (u32, u32), snippet: &str) -> Hit {
        let hit = serde_json::json!({
            "path": path, "startLine": lines.0, "endLine": lines.1, "score": 0.5, "snippet": snippet, "source": "memory",
        });
        serde_json::from_value(hit).unwrap()
    }

    fn question(evidence: &[(&str, u32)]) -> Question {
        let evidence = evidence.iter().map(|(file, line)| ((*file).to_owned(), *line)).collect();
        Question { query: "q".to_owned(), evidence }
    }

    #[test]
    fn a_line_counts_when_most_of_it_is_shown() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.md"), "first\nthe quick  brown fox jumps\n").unwrap();
        let scored = |snippet: &str| {
            let hits = [hit("a.md", (1, 1), "other"), hit("a.md", (2, 2), snippet)];
            score(&question(&[("a.md", 2)]), &Found { six: &hits, more: &[], twenty: &hits, budget: &hits }, dir.path())
                .unwrap()
        };
        let whole = scored("- the quick brown\n fox jumps");
        assert_eq!((whole["seen@6"], whole["rank1"], whole["mrr"], whole["none"]), (1.0, 0.0, 0.5, 0.0));
        assert_eq!(whole["overlap"], 0.0);
        assert_eq!((whole["seen+6"], whole["more"]), (1.0, 0.0));
        let (six, more) = ([hit("a.md", (1, 1), "other")], [hit("a.md", (2, 2), "the quick brown fox")]);
        let found = Found { six: &six, more: &more, twenty: &six, budget: &six };
        let on = score(&question(&[("a.md", 2)]), &found, dir.path()).unwrap();
        assert_eq!((on["seen@6"], on["seen+6"], on["more"]), (0.0, 1.0, 1.0));
        assert_eq!(scored("the quick brown")["seen@6"], 1.0, "15 of 25 characters");
        assert_eq!(scored("the quick brow")["seen@6"], 0.0);
        assert_eq!(scored("ck brown fox jumps")["hit@6"], 1.0, "the end counts as the beginning does");
        assert_eq!(scored(&format!("{} the quick brown fox jumps", "x ".repeat(1000)))["b2000"], 0.0);
    }

    #[test]
    fn a_question_without_an_answer_asks_for_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let found = [hit("a.md", (1, 1), "x")];
        assert_eq!(
            score(&question(&[]), &Found { six: &found, more: &[], twenty: &found, budget: &found }, dir.path())
                .unwrap(),
            Values::from([("none", 0.0)])
        );
        assert_eq!(
            score(&question(&[]), &Found { six: &[], more: &[], twenty: &[], budget: &[] }, dir.path()).unwrap(),
            Values::from([("none", 1.0)])
        );
    }

    #[test]
    fn halves_are_rounded_up_as_in_javascript() {
        for (value, shown) in
            [(12.25, "12.3"), (12.75, "12.8"), (0.25, "0.3"), (87.5, "87.5"), (33.333, "33.3"), (100.0, "100.0")]
        {
            assert_eq!(one_digit(value), shown);
        }
    }
}
