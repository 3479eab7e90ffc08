//! Time words of a query, resolved to calendar dates without a model.
//!
//! Spaced languages are read word by word ([`reader`], [`words`]), Chinese, Japanese and Korean by patterns ([`cjk`]),
//! numeric dates by patterns. A bare month, weekday or season means the latest one: memories lie in the past.

mod beside_day;
mod calendar;
mod cjk;
mod glance;
mod reader;
mod words;

use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use regex::Regex;

use super::fold::fold;
use calendar::Calendar;
pub use calendar::DateRange;
use reader::{Reader, is_of_a_word, words_of};
use words::{Sense, senses};

/// What a query says about time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimeWords {
    /// The days it asks about.
    pub range: Option<DateRange>,
    /// Whether newer is better: "latest", "recently", 最近.
    pub wants_recent: bool,
    /// Whether it asks for a date: "when did …", 什么时候.
    pub asks_when: bool,
    /// Byte ranges of the query that the date range was read from, ascending.
    pub spans: Vec<Range<usize>>,
}

/// The civil date of an instant (milliseconds since the epoch) in an IANA time zone; UTC when it is unknown.
#[must_use]
pub fn date_in(now_ms: i64, zone: &str) -> Date {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let now = jiff::Timestamp::from_millisecond(now_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    zone.to_datetime(now).date()
}

/// Whether a word names a month in one of the languages known here, or may do so: "Mai", "August", "Sept".
#[must_use]
pub fn is_month(word: &str) -> bool {
    senses(&fold(word)).iter().any(|sense| matches!(sense, Sense::Month(_) | Sense::WeakMonth(_)))
}

/// Whether words name days of every year or week, and not days counted from today: "14 March", "Monday", "in spring".
#[must_use]
pub(crate) fn names_calendar_only(text: &str) -> bool {
    words_of(text).iter().all(|word| {
        word.number.is_some()
            || word.senses.iter().any(|sense| {
                matches!(
                    sense,
                    Sense::Month(_)
                        | Sense::WeakMonth(_)
                        | Sense::Weekday(_)
                        | Sense::WeakWeekday(_)
                        | Sense::Feira
                        | Sense::Season(_)
                        | Sense::In
                        | Sense::Filler
                )
            })
    })
}

/// Whether words name a weekday and no month.
#[must_use]
pub(crate) fn is_weekday_only(text: &str) -> bool {
    let words = words_of(text);
    let any = |is: fn(&Sense) -> bool| words.iter().any(|word| word.senses.iter().any(is));
    any(|sense| matches!(sense, Sense::Weekday(_) | Sense::WeakWeekday(_)))
        && !any(|sense| matches!(sense, Sense::Month(_) | Sense::WeakMonth(_)))
}

/// The date of a dated note: `YYYY-MM-DD` at the start of the file name of a Markdown file below a folder
/// named `memory`, at any depth. None for other files and for days that do not exist.
#[must_use]
pub fn note_date(path: &str) -> Option<Date> {
    let (folders, name) = path.rsplit_once(['/', '\\'])?;
    let is_note = folders.split(['/', '\\']).any(|f| f == "memory");
    let stem = name.strip_suffix(".md").filter(|_| is_note)?;
    let head = stem.get(..10)?;
    let bordered = stem.get(10..).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    let shaped = head.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
    if bordered && shaped { head.parse().ok() } else { None }
}

/// Longest query that is looked at in bytes; time words are compared with each other.
const MAX_BYTES: usize = 8_000;

/// Reads the time words of a query. `today` is the user's date, `zone` their IANA time zone (for the
/// hemisphere of "last summer").
#[must_use]
pub fn read(query: &str, today: Date, zone: &str) -> TimeWords {
    let query = query.get(..query.floor_char_boundary(MAX_BYTES)).unwrap_or_default();
    let calendar = Calendar::new(today, zone);
    let mut found = TimeWords::default();
    let mut ranges: Vec<(Range<usize>, DateRange)> = Vec::new();
    numeric_dates(query, &calendar, &mut ranges);
    days_with_full_stops(query, &calendar, &mut ranges);
    if !query.is_ascii() {
        cjk::read(query, &calendar, &mut ranges, &mut found);
    }
    let reader = Reader { words: words_of(query), calendar };
    reader.read(&mut ranges, &mut found);
    ranges.sort_by_key(|(span, _)| span.start);
    if let Some((_, first)) = ranges.first() {
        let between = reader.words.iter().any(|w| w.is(Sense::Between));
        found.range = Some(match ranges.get(1) {
            Some((_, last)) if between => hull(*first, *last),
            _ => *first,
        });
        let used = if between { 2 } else { 1 };
        found.spans = ranges.into_iter().take(used).map(|(span, _)| span).collect();
    }
    found
}

/// The days that a line names, as [`read`] finds them; quick where it names none.
#[must_use]
pub fn named_days(line: &str, today: Date, zone: &str) -> Option<DateRange> {
    if glance::may_name_days(line) { read(line, today, zone).range } else { None }
}

/// From the start of one range to the end of another. "Between January and March 2023" names the year once,
/// at the end.
fn hull(first: DateRange, last: DateRange) -> DateRange {
    let start = if first.start <= last.end {
        first.start
    } else {
        first.start.with().year(last.start.year()).build().ok().filter(|s| *s <= last.end).unwrap_or(last.start)
    };
    DateRange { start, end: last.end }
}

static ISO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?\b|\b(\d{1,2})[./-](\d{1,2})[./-](\d{4})\b").ok()
});

/// Whether a text holds a date in digits, such as 2023-05-08.
#[must_use]
pub(crate) fn looks_numeric_date(text: &str) -> bool {
    ISO.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// 2023-05-08, 2023/05, 08.05.2023 (day first unless that is no date).
fn numeric_dates(query: &str, calendar: &Calendar, ranges: &mut Vec<(Range<usize>, DateRange)>) {
    // Most texts hold no year, and the pattern is slow to say so.
    let has_year = query.as_bytes().windows(4).any(|bytes| bytes.iter().all(u8::is_ascii_digit));
    let Some(pattern) = ISO.as_ref().filter(|_| has_year) else { return };
    for found in pattern.captures_iter(query) {
        let number = |i: usize| found.get(i).and_then(|m| m.as_str().parse::<i32>().ok());
        let range = match (number(1), number(2), number(3), number(4), number(5), number(6)) {
            (Some(y), Some(m), Some(d), ..) => calendar.day(y, m, d),
            (Some(y), Some(m), ..) => calendar.month(y, m),
            (_, _, _, Some(d), Some(m), Some(y)) => calendar.day(y, m, d).or_else(|| calendar.day(y, d, m)),
            _ => None,
        };
        if let (Some(range), Some(whole)) = (range, found.get(0)) {
            ranges.push((whole.range(), range));
        }
    }
}

static DAY_AND_MONTH: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b([0-9]{1,2})\.([0-9]{1,2})\.").ok());

/// Bytes between two days of one range: " and the ", " bis zum ".
const BETWEEN_DAYS: usize = 12;

/// 12.10., with both full stops, as most of Europe writes a day of any year. The second one may also end a sentence: then a
/// word must stand before it that a date follows, because "Python 3.12." is none.
fn days_with_full_stops(query: &str, calendar: &Calendar, ranges: &mut Vec<(Range<usize>, DateRange)>) {
    let may_be = |bytes: &[u8]| matches!(bytes, [a, b'.', b] if a.is_ascii_digit() && b.is_ascii_digit());
    let Some(pattern) = DAY_AND_MONTH.as_ref().filter(|_| query.as_bytes().windows(3).any(may_be)) else { return };
    for found in pattern.captures_iter(query) {
        let (Some(whole), Some(day), Some(month)) = (found.get(0), found.get(1), found.get(2)) else { continue };
        let (before, behind) = (&query[..whole.start()], &query[whole.end()..]);
        if before.ends_with(['.', ',', '/', '-']) || behind.starts_with(is_of_a_word) {
            continue;
        }
        let next = behind.trim_start();
        let goes_on = if next.len() < behind.len() {
            next.starts_with(|c: char| c.is_lowercase() || c.is_numeric())
        } else {
            next.starts_with(['?', ',', ';', ':', ')', '-', '–', '—'])
        };
        let opens = |sense: &Sense| {
            use Sense::{After, Before, Between, Filler, In, Since};
            matches!(sense, In | Since | Before | After | Between | Filler)
        };
        let is_opened = || words_of(before).last().is_some_and(|word| word.senses.iter().any(opens));
        // "Between 1.4. and 10.4."
        let ends_range = ranges.last().is_some_and(|(first, _)| whole.start() - first.end <= BETWEEN_DAYS);
        let range = || calendar.latest_day(month.as_str().parse().ok()?, day.as_str().parse().ok()?);
        if let Some(range) = range().filter(|_| goes_on || ends_range || is_opened()) {
            ranges.push((whole.range(), range));
        }
    }
}

#[cfg(test)]
mod tests;
