//! Asked days as notes write them, so that what stands below `## 2024-06-14` is found like a note of that day.

use jiff::{ToSpan, civil::Date};

use super::plan::{Concept, Form, FormKind};
use text::{lexicon::term_hash, query::QueryPlan};

/// Most days that are looked for by name: a month. A longer time is told by the dates of the notes.
const MOST_DAYS: usize = 31;
/// What the name of a day weighs against a word.
const WEIGHT: f64 = 0.5;

/// The days that a query asks for as something to look for; none when it asks for no day, or for too many.
#[must_use]
pub(crate) fn concept(query: &QueryPlan) -> Option<Concept> {
    let range = query.time.range?;
    let days: Vec<Date> = range.start.series(1.day()).take_while(|day| *day <= range.end).take(MOST_DAYS + 1).collect();
    let surface = query.time.spans.first().and_then(|span| query.text.get(span.clone())).unwrap_or_default();
    (days.len() <= MOST_DAYS).then(|| Concept {
        surface: surface.to_owned(),
        weight: WEIGHT,
        is_exact: false,
        is_translated: false,
        similar_forms: 0,
        in_time: true,
        forms: days.into_iter().flat_map(forms).collect(),
    })
}

/// 2024-06-14 and 14.06.2024 as terms.
fn forms(day: Date) -> [Form; 2] {
    ["%Y_%m_%d", "%d_%m_%Y"].map(|format| {
        let term = day.strftime(format).to_string();
        Form { hash: term_hash(&term), term, weight: 1.0, kind: FormKind::Day }
    })
}
