//! When the next run is due: the five fields of cron, in a time zone, by the calendar of `jiff`.

use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};
use model::error::{Code, Error, Result};

/// How far ahead a due time is looked for: the 29th of February on a given weekday comes within 40 years.
const MOST_DAYS: i32 = 366 * 41;

/// A schedule: minutes, hours, days of the month, months and weekdays it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Both a day of the month and a weekday are named: then either is enough, as in every cron.
    either: bool,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Schedule {
    /// Reads the five fields, or one of the words `@hourly`, `@daily`, `@weekly`, `@monthly`.
    ///
    /// # Errors
    /// [`Code::Config`] when it is no schedule.
    pub fn parse(text: &str) -> Result<Self> {
        let text = match text.trim() {
            "@hourly" => "0 * * * *",
            "@daily" | "@midnight" => "0 0 * * *",
            "@weekly" => "0 0 * * 0",
            "@monthly" => "0 0 1 * *",
            other => other,
        };
        let wrong = || {
            Error::new(Code::Config, format!("\"{text}\" is no schedule"))
                .remedy("Set consolidation.schedule to five fields, such as \"0 3 * * *\"")
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.as_slice() else { return Err(wrong()) };
        let read = |field: &str, least, most, names: &[&str], first| {
            set_of(field, least, most, names, first).ok_or_else(wrong)
        };
        let weekday_set = read(weekdays, 0, 7, &WEEKDAYS, 0)?;
        Ok(Self {
            minutes: read(minutes, 0, 59, &[], 0)?,
            hours: read(hours, 0, 23, &[], 0)?,
            days: read(days, 1, 31, &[], 0)?,
            months: read(months, 1, 12, &MONTHS, 1)?,
            // 7 is Sunday too.
            weekdays: (weekday_set | weekday_set >> 7) & 0x7F,
            either: !days.starts_with('*') && !weekdays.starts_with('*'),
        })
    }

    /// The first time after a moment; none when there is no such day. An hour that a clock change leaves out is met when
    /// the clock goes on, one that comes twice is met once.
    #[must_use]
    pub fn next_after(&self, after_ms: i64, zone: &TimeZone) -> Option<i64> {
        let after = Timestamp::from_millisecond(after_ms).ok()?;
        let mut day = after.to_zoned(zone.clone()).date();
        for _ in 0..MOST_DAYS {
            if self.names_day(day) {
                let times = (0..24_i8).filter(|hour| has(self.hours, i64::from(*hour))).flat_map(|hour| {
                    (0..60_i8).filter(|minute| has(self.minutes, i64::from(*minute))).map(move |minute| (hour, minute))
                });
                for (hour, minute) in times {
                    let at = day.at(hour, minute, 0, 0).to_zoned(zone.clone()).ok()?.timestamp();
                    if at > after {
                        return Some(at.as_millisecond());
                    }
                }
            }
            day = day.checked_add(1.day()).ok()?;
        }
        None
    }

    fn names_day(&self, day: Date) -> bool {
        let in_month = has(self.days, i64::from(day.day()));
        let in_week = has(self.weekdays, i64::from(day.weekday().to_sunday_zero_offset()));
        has(self.months, i64::from(day.month())) && if self.either { in_month || in_week } else { in_month && in_week }
    }
}

/// Whether runs by themselves come as the settings say, from a moment on.
///
/// # Errors
/// [`Code::Config`] when the schedule cannot be read or names no day that comes, and when there is no such zone.
pub(super) fn check(text: &str, zone: &str, now_ms: i64) -> Result<()> {
    let schedule = Schedule::parse(text)?;
    let zone = TimeZone::get(zone).map_err(|_| {
        Error::new(Code::Config, format!("\"{zone}\" is no time zone, so runs go by UTC"))
            .remedy("Set consolidation.timeZone to a name such as \"Europe/Berlin\", or leave it out for yours")
    })?;
    if schedule.next_after(now_ms, &zone).is_none() {
        return Err(Error::new(Code::Config, format!("\"{text}\" names no day that ever comes"))
            .remedy("Set consolidation.schedule to one that does, such as \"0 3 * * *\""));
    }
    Ok(())
}

const fn has(set: u64, value: i64) -> bool {
    set & (1 << value) != 0
}

/// The values of a field: `*`, `5`, `1-5`, `*/10`, `1-30/2`, and lists of these.
fn set_of(field: &str, least: u32, most: u32, names: &[&str], first: u32) -> Option<u64> {
    let number = |text: &str| {
        let lower = text.to_ascii_lowercase();
        let named = names.iter().position(|name| *name == lower).and_then(|at| u32::try_from(at).ok());
        named.map(|at| at + first).or_else(|| text.parse().ok()).filter(|n| (least..=most).contains(n))
    };
    let mut set = 0;
    for part in field.split(',') {
        let (range, step) = part.split_once('/').map_or((part, None), |(range, step)| (range, Some(step)));
        let step: usize = step.map_or(Some(1), |step| step.parse().ok().filter(|n| *n > 0))?;
        let (from, to) = match range.split_once('-') {
            Some((from, to)) => (number(from)?, number(to)?),
            None if range == "*" => (least, most),
            None if part.contains('/') => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        if from > to {
            return None;
        }
        set |= (from..=to).step_by(step).fold(0, |set, value| set | 1_u64 << value);
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, after: &str, zone: &str) -> String {
        let zone = TimeZone::get(zone).unwrap();
        let after: Timestamp = after.parse().unwrap();
        let at = Schedule::parse(schedule).unwrap().next_after(after.as_millisecond(), &zone);
        at.map_or_else(|| "never".to_owned(), |ms| Timestamp::from_millisecond(ms).unwrap().to_string())
    }

    #[test]
    fn the_next_time_is_found_in_the_zone() {
        let utc = |schedule, after| next(schedule, after, "UTC");
        assert_eq!(utc("0 3 * * *", "2026-11-20T02:59:59Z"), "2026-11-20T03:00:00Z");
        assert_eq!(utc("0 3 * * *", "2026-11-20T03:00:00Z"), "2026-11-21T03:00:00Z");
        assert_eq!(utc("*/20 8-9 * * mon-fri", "2026-11-20T09:41:00Z"), "2026-11-23T08:00:00Z");
        assert_eq!(utc("0 0 13 * 5", "2026-11-20T00:00:00Z"), "2026-11-27T00:00:00Z");
        assert_eq!(utc("30 4 1,15 * 7", "2026-11-20T00:00:00Z"), "2026-11-22T04:30:00Z");
        assert_eq!(utc("0 0 29 2 *", "2026-11-20T00:00:00Z"), "2028-02-29T00:00:00Z");
        assert_eq!(utc("0 0 31 2 *", "2026-11-20T00:00:00Z"), "never");
        assert_eq!(next("0 3 * * *", "2026-11-20T02:00:00Z", "Asia/Tokyo"), "2026-11-20T18:00:00Z");
        assert_eq!(utc("@daily", "2026-11-20T02:00:00Z"), "2026-11-21T00:00:00Z");
    }

    // An hour left out by summer time came never, and the one that comes twice came twice.
    #[test]
    fn clock_changes_leave_no_night_out_and_double_none() {
        assert_eq!(next("30 2 * * *", "2026-03-28T12:00:00Z", "Europe/Berlin"), "2026-03-29T01:30:00Z");
        assert_eq!(next("30 2 * * *", "2026-10-24T12:00:00Z", "Europe/Berlin"), "2026-10-25T00:30:00Z");
        assert_eq!(next("30 2 * * *", "2026-10-25T00:30:00Z", "Europe/Berlin"), "2026-10-26T01:30:00Z");
    }

    #[test]
    fn what_is_no_schedule_is_said() {
        for text in [
            "",
            "0 3 * *",
            "60 3 * * *",
            "0 3 * * 8",
            "0 3 5-1 * *",
            "0/0 * * * *",
            "a b c d e",
            "0 3 * * * *",
            "-1 * * * *",
        ] {
            assert_eq!(Schedule::parse(text).unwrap_err().code(), Code::Config, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,40}", after in 0_i64..4_000_000_000_000) {
            if let Ok(schedule) = Schedule::parse(&text) {
                let next = schedule.next_after(after, &TimeZone::UTC);
                proptest::prop_assert!(next.is_none_or(|at| at > after));
            }
        }
    }
}
