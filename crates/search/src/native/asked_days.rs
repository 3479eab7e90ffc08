//! How near each note and line is to the days that a query asks about. People tell of a day on it or some days later, plans
//! are told before; and a line may say itself which day it tells of ("yesterday", "last Friday", "on 3 June").

use std::collections::HashSet;

use jiff::{Span, ToSpan, civil::Date};

use super::{lines::Lines, plan::Plan};
use text::{
    fold::fold,
    time::{DateRange, named_days},
};

/// What a note of some days later counts for, and the days after which it is e times less.
const AFTER: (f64, f64) = (0.5, 10.0);
/// The same for a note of some days before.
const BEFORE: (f64, f64) = (0.3, 7.0);
/// Days next to the border that a query means which asks for all before or after a day.
const OPEN_DAYS: i64 = 14;
/// What the other days of such a query count for.
const FAR: f64 = 0.5;
/// Longest time that a line may tell of and be taken at its word, in days.
const LONGEST: i64 = 40;
/// Notes further away than this are not read for such words.
const READ_WITHIN: i64 = 120;
/// What days count where nothing but who did it is asked, too: the words of the date itself, and a name, are in notes of any day.
const ALL: f64 = 3.0;
/// What a line counts for beside one that tells of an asked day.
const NEIGHBOUR: f64 = 0.7;

/// How near notes and lines are to the asked days, 0–1.
#[derive(Debug)]
pub(super) struct AskedDays {
    /// Per file of [`Lines`].
    notes: Vec<f64>,
    /// Per file, whether it was written on one of them.
    is_asked: Vec<bool>,
    /// Per line of [`Lines`].
    lines: Vec<f64>,
    /// Whether nothing else is asked: "What did Ana do on 3 May?"
    is_all: bool,
}

impl AskedDays {
    /// Of the candidates of a query; none when it asks about no day. `zone` is the user's, `names` are words of the query that
    /// label lines.
    pub(super) fn of(plan: &Plan, lines: &Lines<'_>, names: &HashSet<String>, zone: &str) -> Option<Self> {
        let asked = plan.query.time.range?;
        let meant = without_open_end(asked);
        let notes = lines.files.iter().map(|file| file.date.map_or(0.0, |day| nearness(day, asked, meant)));
        let told = |line: &super::lines::Line<'_>| {
            let day = lines.files[line.file].date?;
            let (early, late) = (days_between(day, meant.start), days_between(meant.end, day));
            let told = if early.max(late) <= READ_WITHIN { named_days(line.text, day, zone)? } else { return None };
            let is_short = days_between(told.start, told.end) < LONGEST;
            (is_short && told.start <= asked.end && asked.start <= told.end).then_some(1.0)
        };
        let own: Vec<f64> = lines.lines.iter().map(|line| told(line).unwrap_or(0.0)).collect();
        let with_neighbours = |at: usize| {
            let (first, last) = lines.window(at, 1);
            (first..=last).map(|i| if i == at { own[i] } else { NEIGHBOUR * own[i] }).fold(0.0, f64::max)
        };
        Some(Self {
            notes: notes.collect(),
            is_asked: lines.files.iter().map(|file| file.date.is_some_and(|day| asked.contains(day))).collect(),
            lines: (0..own.len()).map(with_neighbours).collect(),
            is_all: !plan.query.terms.iter().any(|term| !term.in_time && !names.contains(&fold(&term.surface))),
        })
    }

    /// How near a note is.
    pub(super) fn of_note(&self, file: usize) -> f64 {
        self.notes[file]
    }

    /// What days count against all else.
    pub(super) fn weight(&self) -> f64 {
        if self.is_all { ALL } else { 1.0 }
    }

    /// Whether a note was written on an asked day.
    pub(super) fn is_asked(&self, file: usize) -> bool {
        self.is_asked[file]
    }

    /// Whether a line or its neighbour tells of an asked day.
    pub(super) fn of_line(&self, line: usize) -> f64 {
        self.lines[line]
    }
}

/// Days from one to another, negative when it lies before.
fn days_between(from: Date, to: Date) -> i64 {
    from.until(to).map_or(0, |span| i64::from(span.get_days()))
}

/// "Before May" means the weeks before it above all.
fn without_open_end(asked: DateRange) -> DateRange {
    let from = |day: Date, span: Span, or: Date| day.checked_add(span).unwrap_or(or);
    match (asked.start == Date::MIN, asked.end == Date::MAX) {
        (true, false) => DateRange { start: from(asked.end, -OPEN_DAYS.days(), asked.start), ..asked },
        (false, true) => DateRange { end: from(asked.start, OPEN_DAYS.days(), asked.end), ..asked },
        _ => asked,
    }
}

fn nearness(day: Date, asked: DateRange, meant: DateRange) -> f64 {
    let fading = |(most, days): (f64, f64), away: i64| most * (-(away as f64) / days).exp();
    if meant.contains(day) {
        1.0
    } else if asked.contains(day) {
        FAR
    } else if day > asked.end {
        fading(AFTER, days_between(asked.end, day))
    } else {
        fading(BEFORE, days_between(day, asked.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn notes_of_some_days_later_are_nearer_than_those_before() {
        let asked = DateRange { start: date(2024, 5, 3), end: date(2024, 5, 3) };
        let near = |day| nearness(date(2024, 5, day), asked, without_open_end(asked));
        assert_eq!(near(3), 1.0);
        assert!(near(4) > near(2) && near(4) > near(9) && near(9) > 0.0);
    }

    #[test]
    fn before_a_day_means_the_weeks_before_it() {
        let asked = DateRange { start: Date::MIN, end: date(2024, 5, 3) };
        let near = |day| nearness(day, asked, without_open_end(asked));
        assert_eq!(near(date(2024, 4, 25)), 1.0);
        assert_eq!(near(date(2023, 4, 25)), FAR);
    }
}
