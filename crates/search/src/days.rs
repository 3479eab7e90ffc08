//! Days as people name them to a command: `2026-11-01`, "yesterday", "last week", `7d`.

use std::ops::Range;

use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};

use model::error::{Code, Error, Result};
use text::{
    fold::fold,
    language::stop_word_of,
    time::{self, DateRange},
    words::words,
};

/// The days that somebody names at `now_ms` in the time zone `zone`, as instants in milliseconds since the epoch: the first
/// of the first day and the last of the last.
///
/// # Errors
/// `Argument` when the text names no day; `name` is what the error calls it.
pub fn instants(name: &str, written: &str, now_ms: i64, zone: &str) -> Result<(i64, i64)> {
    let days = read(name, written, time::date_in(now_ms, zone), zone)?;
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let begin = |day: Date| zone.to_zoned(day.at(0, 0, 0, 0)).map(|at| at.timestamp().as_millisecond());
    let of_range = || Ok::<_, jiff::Error>((begin(days.start)?, begin(days.end.checked_add(1.day())?)? - 1));
    of_range().map_err(|_| Error::new(Code::Argument, format!("{name} lies outside the calendar")))
}

/// Short forms such as `7d`, as other tools take them.
const UNITS: [(char, &str); 4] = [('d', "days"), ('w', "weeks"), ('m', "months"), ('y', "years")];

/// The days that somebody names: `2026-11-01`, `last week`, `7d`, `3 days`.
///
/// # Errors
/// `Argument` when it names none; `name` is what the error calls it, and the text itself is not repeated.
pub(crate) fn read(name: &str, written: &str, today: Date, zone: &str) -> Result<DateRange> {
    let written = written.trim();
    let at_once = || written.parse::<Timestamp>().ok().map(|at| at.in_tz(zone).map_or_else(|_| today, |at| at.date()));
    let exact = || at_once().or_else(|| written.parse().ok()).map(|day| DateRange { start: day, end: day });
    let of_words = |text: &str| {
        let found = time::read(text, today, zone);
        let days = found.range.filter(|days| days.start > Date::MIN && days.end < Date::MAX)?;
        is_of_time_alone(text, &found.spans).then_some(days)
    };
    let short = || {
        let unit = written.chars().last()?.to_ascii_lowercase();
        let (_, unit) = UNITS.iter().find(|(letter, _)| *letter == unit)?;
        let count: u32 = written.get(..written.len() - 1)?.trim().parse().ok()?;
        of_words(&format!("{count} {unit} ago"))
    };
    let counted = || written.starts_with(|c: char| c.is_ascii_digit()).then(|| of_words(&format!("{written} ago")))?;
    // A bare "march" is a month, and "12.10." a day, only where somebody asks for a time, as here.
    let is_words = written.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.'));
    let named = || (is_words && !written.is_empty()).then(|| of_words(&format!("in {written}")))?;
    exact().or_else(|| of_words(written)).or_else(short).or_else(counted).or_else(named).ok_or_else(|| {
        Error::new(Code::Argument, format!("{name} names no day"))
            .remedy("Write a day such as 2026-11-01 or 12.10., or \"yesterday\", \"last week\" or 7d")
    })
}

/// Whether a text says nothing beside its time words but "on", "the" and the like. Of a question a part may be about time; of
/// `2026-13-01` a part names a day that nobody means.
fn is_of_time_alone(text: &str, time_words: &[Range<usize>]) -> bool {
    let is_of_time = |at: usize| time_words.iter().any(|span| span.contains(&at));
    let rest: String = text.char_indices().map(|(at, c)| if is_of_time(at) { ' ' } else { c }).collect();
    words(&rest).all(|word| !stop_word_of(&fold(word)).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saturday 2024-06-15 12:00 UTC.
    const NOW_MS: i64 = 1_718_452_800_000;

    fn of(written: &str) -> Result<DateRange> {
        read("since", written, time::date_in(NOW_MS, "UTC"), "UTC")
    }

    #[test]
    fn days_as_people_write_them() {
        for (written, day) in [
            ("2024-06-01", "2024-06-01"),
            (" 2024-06-01 ", "2024-06-01"),
            ("2024-06-01T10:00:00", "2024-06-01"),
            ("2024-06-01T23:00:00-05:00", "2024-06-02"),
            ("2024-06-01T10:00Z", "2024-06-01"),
            ("01.06.2024", "2024-06-01"),
            ("12.10.", "2023-10-12"),
            ("2024-05", "2024-05-01"),
            ("yesterday", "2024-06-14"),
            ("today", "2024-06-15"),
            ("monday", "2024-06-10"),
            ("last week", "2024-06-03"),
            ("letzte Woche", "2024-06-03"),
            ("上周", "2024-06-03"),
            ("3 days ago", "2024-06-12"),
            ("3 days", "2024-06-12"),
            ("3d", "2024-06-12"),
            ("march", "2024-03-01"),
            ("2023", "2023-01-01"),
            ("on last monday", "2024-06-10"),
            ("am Montag", "2024-06-10"),
            ("el lunes", "2024-06-10"),
            ("the 3rd of March", "2024-03-03"),
            ("в понедельник", "2024-06-10"),
            ("昨日", "2024-06-14"),
        ] {
            let found = of(written).map(|days| days.start.to_string());
            assert_eq!(found.ok().as_deref(), Some(day), "{written}");
        }
    }

    #[test]
    fn what_is_no_day_is_told_without_repeating_it() {
        let no_days = ["", "soon", "2024-13-45", "99999999999d", "since ever", "d", "é", "before may"];
        // Of these a part names a day, and the rest was passed over.
        let in_part = [
            "2024-13-01",
            "2024-02-30",
            "2024-05-32",
            "tomorrow-ish",
            "31.02.2024",
            "31.02.",
            "2024-05 x",
            "yesterday noon tea",
            "7d 3w",
        ];
        for written in no_days.into_iter().chain(in_part) {
            let error = of(written).expect_err(written);
            assert_eq!(error.code(), Code::Argument);
            assert!(written.len() < 2 || !error.to_string().contains(written), "{error}");
        }
    }

    #[test]
    fn a_day_lasts_from_midnight_to_midnight_where_its_user_lives() {
        let hours = |written, zone| {
            let (from, to) = instants("since", written, NOW_MS, zone).unwrap();
            let at = |ms| jiff::Timestamp::from_millisecond(ms).unwrap().to_string();
            (at(from), at(to))
        };
        let tokyo = ("2024-06-13T15:00:00Z".to_owned(), "2024-06-14T14:59:59.999Z".to_owned());
        assert_eq!(hours("yesterday", "Asia/Tokyo"), tokyo);
        // Clocks were put forward.
        let berlin = ("2024-03-30T23:00:00Z".to_owned(), "2024-03-31T21:59:59.999Z".to_owned());
        assert_eq!(hours("2024-03-31", "Europe/Berlin"), berlin);
        assert!(instants("since", "9999-12-31", NOW_MS, "UTC").is_err());
    }
}
