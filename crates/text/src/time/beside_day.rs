//! What stands beside a day and belongs to it: its weekday ("Saturday, 4 May"), or a week or weekend that is named by it ("the week of
//! 6 May").

use std::ops::Range;

use jiff::ToSpan;

use super::{
    calendar::DateRange,
    reader::{Reader, unit},
    words::{Sense, Unit},
};

/// Words between, at most: "the week of the", "Samstag, dem".
const MOST_BETWEEN: usize = 3;
/// What joins a week to its day and is no filler elsewhere.
const JOINING: [&str; 4] = ["vom", "von", "beginning", "starting"];
/// Days before and after the day that "the week of" it means: some count from it, others mean the one that holds it.
pub(super) const WEEK: (i64, i64) = (3, 6);
/// The same of a weekend, of which the day is one.
pub(super) const WEEKEND: (i64, i64) = (2, 3);

impl Reader {
    /// A weekday, week or weekend at a word with its day behind it: where both stand in the query, and what they mean. `known` are the
    /// dates in digits.
    pub(super) fn beside_day(
        &self,
        at: usize,
        known: &[(Range<usize>, DateRange)],
    ) -> Option<(Range<usize>, DateRange)> {
        let (around, next) = match (self.weekday(at), self.get(at, unit)) {
            (Some((_, next)), _) => ((0, 0), next),
            (None, Some(Unit::Week)) => (WEEK, at + 1),
            (None, Some(Unit::Weekend)) => (WEEKEND, at + 1),
            _ => return None,
        };
        let joins = |at: &usize| {
            self.words.get(*at).is_some_and(|word| {
                word.is(Sense::Filler) || word.is(Sense::In) || JOINING.contains(&word.text.as_str())
            })
        };
        let day_at = next + (next..next + MOST_BETWEEN).take_while(joins).count();
        let begins = self.words.get(day_at)?.span.start;
        let (day, ends) = match known.iter().find(|(span, _)| span.start == begins) {
            Some((span, day)) => (*day, span.end),
            None => self.date(day_at).map(|(day, end)| (day, self.words[end - 1].span.end))?,
        };
        if day.start != day.end {
            return None;
        }
        Some((self.words[at].span.start..ends, around_day(day, around)?))
    }
}

/// A day with so many before and after it.
pub(super) fn around_day(day: DateRange, (before, after): (i64, i64)) -> Option<DateRange> {
    let start = day.start.checked_sub(before.days()).ok()?;
    let end = day.end.checked_add(after.days()).ok()?;
    Some(DateRange { start, end })
}
