//! Calendar arithmetic around today.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use super::words::{Side, Unit};

/// Days from `start` to `end`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    /// First day.
    pub start: Date,
    /// Last day.
    pub end: Date,
}

impl DateRange {
    /// Whether a day is in the range.
    #[must_use]
    pub fn contains(&self, day: Date) -> bool {
        self.start <= day && day <= self.end
    }
}

/// Today, and what lies around it. Every method gives none for days outside the calendar.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calendar {
    pub(super) today: Date,
    southern: bool,
}

/// Zones of the southern temperate countries, where summer starts in December.
const SOUTHERN: &[&str] = &[
    "Australia/",
    "Antarctica/",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "America/Sao_Paulo",
    "America/Argentina/",
    "America/Buenos_Aires",
    "America/Santiago",
    "America/Montevideo",
    "America/Asuncion",
    "America/Campo_Grande",
    "America/Cuiaba",
    "Africa/Johannesburg",
    "Africa/Maputo",
    "Africa/Harare",
    "Africa/Windhoek",
    "Africa/Gaborone",
    "Africa/Lusaka",
    "Brazil/East",
    "Chile/",
];

impl Calendar {
    pub(super) fn new(today: Date, zone: &str) -> Self {
        Self { today, southern: SOUTHERN.iter().any(|prefix| zone.starts_with(prefix)) }
    }

    fn moved(&self, unit: Unit, by: i32) -> Option<Date> {
        let by = i64::from(by);
        let span = match unit {
            Unit::Day => Span::new().try_days(by),
            Unit::Week | Unit::Weekend => Span::new().try_weeks(by),
            Unit::Month => Span::new().try_months(by),
            Unit::Year => Span::new().try_years(by),
        };
        self.today.checked_add(span.ok()?).ok()
    }

    /// Days counted from today.
    pub(super) fn days(&self, from: i32, to: i32) -> Option<DateRange> {
        Some(DateRange { start: self.moved(Unit::Day, from)?, end: self.moved(Unit::Day, to)? })
    }

    pub(super) fn day(&self, year: i32, month: i32, day: i32) -> Option<DateRange> {
        let day = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
        Some(DateRange { start: day, end: day })
    }

    pub(super) fn month(&self, year: i32, month: i32) -> Option<DateRange> {
        let first = self.day(year, month, 1)?.start;
        Some(DateRange { start: first, end: first.last_of_month() })
    }

    pub(super) fn year(&self, year: i32) -> Option<DateRange> {
        let first = self.day(year, 1, 1)?.start;
        Some(DateRange { start: first, end: first.last_of_year() })
    }

    pub(super) fn quarter(&self, year: i32, quarter: i32) -> Option<DateRange> {
        let first = self.month(year, 3 * quarter - 2)?;
        Some(DateRange { start: first.start, end: self.month(year, 3 * quarter)?.end })
    }

    /// The week, month … that a day lies in.
    fn around(&self, unit: Unit, day: Date) -> Option<DateRange> {
        let monday = day.checked_sub(i32::from(day.weekday().to_monday_zero_offset()).days()).ok()?;
        Some(match unit {
            Unit::Day => DateRange { start: day, end: day },
            Unit::Week => DateRange { start: monday, end: monday.checked_add(6.days()).ok()? },
            Unit::Weekend => {
                DateRange { start: monday.checked_add(5.days()).ok()?, end: monday.checked_add(6.days()).ok()? }
            }
            Unit::Month => DateRange { start: day.first_of_month(), end: day.last_of_month() },
            Unit::Year => DateRange { start: day.first_of_year(), end: day.last_of_year() },
        })
    }

    /// Last week, this month, next year.
    pub(super) fn unit(&self, unit: Unit, side: Side) -> Option<DateRange> {
        let by = match side {
            Side::BeforeLast => -2,
            Side::Last => -1,
            Side::This => 0,
            Side::Next => 1,
        };
        self.around(unit, self.moved(unit, by)?)
    }

    /// The last `count` days, weeks …, today included.
    pub(super) fn last_units(&self, unit: Unit, count: i32) -> Option<DateRange> {
        Some(DateRange { start: self.moved(unit, count.checked_neg()?)?, end: self.today })
    }

    /// Three days ago is a day, three weeks ago a week, three months ago a month.
    pub(super) fn units_ago(&self, unit: Unit, least: i32, most: i32) -> Option<DateRange> {
        let early = self.around(unit, self.moved(unit, most.checked_neg()?)?)?;
        let late = self.around(unit, self.moved(unit, least.checked_neg()?)?)?;
        Some(DateRange { start: early.start, end: late.end })
    }

    /// In three days is a day, in three weeks a week, in three months a month.
    pub(super) fn units_ahead(&self, unit: Unit, count: i32) -> Option<DateRange> {
        self.around(unit, self.moved(unit, count)?)
    }

    /// A week of a month counted by sevens, from 1; none = its last seven days.
    pub(super) fn week_of(&self, month: DateRange, number: Option<i32>) -> Option<DateRange> {
        let start = match number {
            Some(number) => month.start.checked_add((7 * (number - 1)).days()).ok()?,
            None => month.end.checked_sub(6.days()).ok()?,
        };
        Some(DateRange { start, end: start.checked_add(6.days()).ok()?.min(month.end) })
    }

    /// The weekday of last, this or next week. 1 = Monday.
    pub(super) fn weekday_of_week(&self, day: i8, week: Side) -> Option<DateRange> {
        let monday = self.unit(Unit::Week, week)?.start;
        let day = monday.checked_add((i32::from(day) - 1).days()).ok()?;
        Some(DateRange { start: day, end: day })
    }

    /// A weekday before, in or after this week. 1 = Monday.
    pub(super) fn weekday(&self, day: i8, side: Side) -> Option<DateRange> {
        let today = self.today.weekday().to_monday_one_offset();
        let ahead = i32::from((day - today).rem_euclid(7));
        let by = match side {
            Side::BeforeLast if ahead == 0 => -14,
            Side::BeforeLast => ahead - 14,
            Side::Last if ahead == 0 => -7,
            Side::Last => ahead - 7,
            Side::This => i32::from(day - today),
            Side::Next if ahead == 0 => 7,
            Side::Next => ahead,
        };
        self.days(by, by)
    }

    /// The latest such weekday, today included.
    pub(super) fn weekday_to_now(&self, day: i8) -> Option<DateRange> {
        let back = i32::from((self.today.weekday().to_monday_one_offset() - day).rem_euclid(7));
        self.days(-back, -back)
    }

    /// The latest such month that has begun, or the next one.
    pub(super) fn month_on(&self, month: i8, side: Side) -> Option<DateRange> {
        let year = i32::from(self.today.year());
        let year = match side {
            Side::BeforeLast if month > self.today.month() => year - 2,
            Side::BeforeLast => year - 1,
            Side::Last if month > self.today.month() => year - 1,
            Side::Next if month <= self.today.month() => year + 1,
            _ => year,
        };
        self.month(year, month.into())
    }

    /// The latest such day of a year that is not in the future.
    pub(super) fn latest_day(&self, month: i8, day: i32) -> Option<DateRange> {
        let year = i32::from(self.today.year());
        // 29 February: back to the last leap year.
        (0..8).filter_map(|back| self.day(year - back, month.into(), day)).find(|d| d.start <= self.today)
    }

    /// The season that begins in a year. 0 = spring.
    pub(super) fn season(&self, year: i32, season: i8) -> Option<DateRange> {
        let first = (3 + 3 * i32::from(season) + if self.southern { 6 } else { 0 } - 1).rem_euclid(12) + 1;
        let start = self.month(year, first)?.start;
        Some(DateRange { start, end: start.checked_add(2.months()).ok()?.last_of_month() })
    }

    fn seasons(&self, season: i8) -> impl DoubleEndedIterator<Item = DateRange> {
        let calendar = *self;
        let year = i32::from(self.today.year());
        (year - 2..=year + 2).filter_map(move |year| calendar.season(year, season))
    }

    /// The season that is over, that is on or comes first, or that comes next.
    pub(super) fn season_on(&self, season: i8, side: Side) -> Option<DateRange> {
        match side {
            Side::BeforeLast => self.seasons(season).filter(|s| s.end < self.today).nth_back(1),
            // "Last summer" said in summer is last year's.
            Side::Last => self.seasons(season).rfind(|s| s.end < self.today),
            Side::This => self.seasons(season).find(|s| s.end >= self.today),
            Side::Next => self.seasons(season).find(|s| s.start > self.today),
        }
    }

    /// The latest such season that has begun.
    pub(super) fn season_to_now(&self, season: i8) -> Option<DateRange> {
        self.seasons(season).rfind(|s| s.start <= self.today)
    }
}
