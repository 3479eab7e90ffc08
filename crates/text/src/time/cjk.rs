//! Time words of Chinese, Japanese and Korean, which words do not separate: patterns.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

use super::TimeWords;
use super::beside_day::{WEEK, WEEKEND, around_day};
use super::calendar::{Calendar, DateRange};
use super::words::{Side, Unit};

/// Turns a match into days.
type Read = fn(&Captures<'_>, &Calendar) -> Option<DateRange>;

/// One way to say a time.
struct Pattern {
    regex: Regex,
    read: Read,
}

/// A day of a month, mostly without its year.
macro_rules! day {
    () => {
        r"(?:(\d{4})\s*[年년]\s*)?(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号號일]"
    };
}

/// Longer before shorter: a match hides what lies inside it.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let table: &[(&str, Read)] = &[
        // Its weekday belongs to a day, and a week to the day that names it.
        (
            concat!(
                day!(),
                r"\s*(?:[,，、]?\s*[(（]?(?:(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]|[月火水木金土日]曜日?|[월화수목금토일]요일)[)）]?",
                r"|[(（](?:[一二三四五六日天]|[月火水木金土日]|[월화수목금토일])[)）])"
            ),
            day,
        ),
        (
            concat!(day!(), r"(?:的?那一?[个個]?周末|的?那一?[个個]?週末|の週末|(?:이|가)?\s*(?:낀|있는)?\s*주말)"),
            |c, k| around_day(day(c, k)?, WEEKEND),
        ),
        (
            concat!(
                day!(),
                r"(?:(?:所在|开始|開始)?的?那一?[个個]?(?:周|週|星期|礼拜|禮拜)|当周|當週|(?:から始まる|の)週",
                r"|(?:이|가)?\s*(?:있는|낀|시작하는|시작되는)?\s*주(?:에|엔|간|는|[\s,.?!]|$))"
            ),
            |c, k| around_day(day(c, k)?, WEEK),
        ),
        (day!(), day),
        (r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]", |c, k| k.month(number(c, 1)?, number(c, 2)?)),
        (r"(\d{4})\s*[年년]的?の?\s*(春|夏|秋|冬|봄|여름|가을|겨울)", |c, k| {
            k.season(number(c, 1)?, season(c, 2)?)
        }),
        (r"(\d{4})\s*[年년]", |c, k| k.year(number(c, 1)?)),
        (r"([0-9一二两兩三四五六七八九十几幾数數]+)\s*(?:天|日|일)(?:之?前|まえ|\s*전)", |c, k| ago(c, k, Unit::Day)),
        (
            r"([0-9一二两兩三四五六七八九十几幾数數]+)\s*(?:周|週|个星期|個星期|个礼拜|週間|주)(?:间|間)?(?:之?前|まえ|\s*전)",
            |c, k| ago(c, k, Unit::Week),
        ),
        (
            r"([0-9一二两兩三四五六七八九十几幾数數]+)\s*(?:个月|個月|か月|ヶ月|カ月|ケ月|개월|달)(?:之?前|まえ|\s*전)",
            |c, k| ago(c, k, Unit::Month),
        ),
        (r"([0-9一二两兩三四五六七八九十几幾数數]+)\s*(?:年|년)(?:之?前|まえ|\s*전)", |c, k| {
            ago(c, k, Unit::Year)
        }),
        (
            r"([0-9一二两兩三四五六七八九十]+)\s*(?:天|日|일)(?:之?[后後]|以[后後]|\s*[후뒤])",
            |c, k| ahead(c, k, Unit::Day),
        ),
        (
            r"([0-9一二两兩三四五六七八九十]+)\s*(?:周|週|个星期|個星期|个礼拜|週間|주)(?:间|間)?(?:之?[后後]|以[后後]|\s*[후뒤])",
            |c, k| ahead(c, k, Unit::Week),
        ),
        (
            r"([0-9一二两兩三四五六七八九十]+)\s*(?:个月|個月|か月|ヶ月|カ月|ケ月|개월|달)(?:之?[后後]|以[后後]|\s*[후뒤])",
            |c, k| ahead(c, k, Unit::Month),
        ),
        (
            r"([0-9一二两兩三四五六七八九十]+)\s*(?:年|년)(?:之?[后後]|以[后後]|\s*[후뒤])",
            |c, k| ahead(c, k, Unit::Year),
        ),
        (r"下一[个個]?(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])", |c, k| {
            weekday(c, k, Side::Next)
        }),
        (r"(?:上上个?個?(?:周|週|星期|礼拜|禮拜))([一二三四五六日天])", |c, k| {
            weekday_of(c, k, -2)
        }),
        (r"(?:下个?個?(?:周|週|星期|礼拜|禮拜))([一二三四五六日天])", |c, k| weekday_of(c, k, 1)),
        (r"(?:上个?個?(?:周|週|星期|礼拜|禮拜))([一二三四五六日天])", |c, k| {
            weekday(c, k, Side::Last)
        }),
        (r"(?:这个?|這個?|本)(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])", |c, k| {
            weekday(c, k, Side::This)
        }),
        (r"(?:周|週|星期|礼拜|禮拜)([一二三四五六日天])", |c, k| k.weekday_to_now(weekday_number(c)?)),
        (r"(?:先週の?|지난\s*주\s*)([月火水木金土日월화수목금토일])(?:曜日?|요일)", |c, k| {
            weekday_of_last_week(c, k)
        }),
        (r"(?:来週の?|다음\s*주\s*)([月火水木金土日월화수목금토일])(?:曜日?|요일)", |c, k| {
            weekday_of(c, k, 1)
        }),
        (r"(?:今週の?|이번\s*주?\s*)([月火水木金土日월화수목금토일])(?:曜日?|요일)", |c, k| {
            weekday_of(c, k, 0)
        }),
        (r"(?:次の|今度の|다음\s*)([月火水木金土日월화수목금토일])(?:曜日?|요일)", |c, k| {
            weekday(c, k, Side::Next)
        }),
        (r"(?:前の|この前の|지난\s*)([月火水木金土日월화수목금토일])(?:曜日?|요일)", |c, k| weekday(c, k, Side::Last)),
        (r"([月火水木金土日월화수목금토일])(?:曜日?|요일)", |c, k| {
            k.weekday_to_now(weekday_number(c)?)
        }),
        (r"上个?個?周末|上個?週末|先週末|지난\s*주말", |_, k| k.unit(Unit::Weekend, Side::Last)),
        (r"上上个?(?:周|星期)|先々週|지지난\s*주", |_, k| k.units_ago(Unit::Week, 2, 2)),
        (r"上个?個?(?:周|週|星期|礼拜|禮拜)|先週|지난\s*주|저번\s*주", |_, k| {
            k.unit(Unit::Week, Side::Last)
        }),
        (r"(?:这个?|這個?|本)(?:周|週|星期|礼拜|禮拜)|今週|이번\s*주", |_, k| {
            k.unit(Unit::Week, Side::This)
        }),
        (r"下一?个?個?(?:周|週|星期|礼拜|禮拜)|来週|次の週|다음\s*주", |_, k| {
            k.unit(Unit::Week, Side::Next)
        }),
        (r"上个?個?月([0-9]{1,2}|[一二三四五六七八九十]{1,3})[号號日]", |c, k| {
            let month = k.unit(Unit::Month, Side::Last)?.start;
            k.day(month.year().into(), month.month().into(), number(c, 1)?)
        }),
        (r"上个?個?月|先月|지난\s*달|저번\s*달", |_, k| k.unit(Unit::Month, Side::Last)),
        (r"这个?月|這個?月|本月|今月|이번\s*달", |_, k| k.unit(Unit::Month, Side::This)),
        (r"下个?個?月|来月|다음\s*달", |_, k| k.unit(Unit::Month, Side::Next)),
        (r"(?:去年|昨年|작년|지난해)的?の?\s*(\d{1,2})\s*[月월]", |c, k| {
            k.month(i32::from(k.today.year()) - 1, number(c, 1)?)
        }),
        (r"(?:去年|昨年|작년|지난해)的?の?\s*(春|夏|秋|冬|봄|여름|가을|겨울)", |c, k| {
            k.season(i32::from(k.today.year()) - 1, season(c, 1)?)
        }),
        (r"(?:今年|올해)的?の?\s*(\d{1,2})\s*[月월]", |c, k| k.month(k.today.year().into(), number(c, 1)?)),
        (r"(?:今年|올해)的?の?\s*(春|夏|秋|冬|봄|여름|가을|겨울)", |c, k| {
            k.season(k.today.year().into(), season(c, 1)?)
        }),
        (r"去年|昨年|작년|지난해", |_, k| k.unit(Unit::Year, Side::Last)),
        (r"今年|올해", |_, k| k.unit(Unit::Year, Side::This)),
        (r"前年|一昨年|재작년", |_, k| k.units_ago(Unit::Year, 2, 2)),
        (r"大前天|さきおととい", |_, k| k.days(-3, -3)),
        (r"前天|一昨日|おととい|그저께|그제", |_, k| k.days(-2, -2)),
        (r"昨天|昨日|昨晚|昨夜|昨晩|きのう|ゆうべ|어제", |_, k| k.days(-1, -1)),
        (r"今天|今日|今晚|今早|今晨|今朝|きょう|오늘", |_, k| k.days(0, 0)),
        (r"明天|明日|あした|내일", |_, k| k.days(1, 1)),
        (r"后天|後天|明後日|あさって|모레", |_, k| k.days(2, 2)),
        (r"([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})[日号號]", |c, k| {
            k.latest_day(number(c, 1)?.try_into().ok()?, number(c, 2)?)
        }),
        (r"(\d{1,2})\s*[月월]", |c, k| k.month_on(number(c, 1)?.try_into().ok()?, Side::Last)),
        (r"([一二三四五六七八九十]{1,2})月", |c, k| k.month_on(number(c, 1)?.try_into().ok()?, Side::Last)),
        (r"(春|夏|秋|冬)(?:天|季)|(봄|여름|가을|겨울)", |c, k| {
            k.season_to_now(season(c, 1).or_else(|| season(c, 2))?)
        }),
    ];
    table.iter().filter_map(|(regex, read)| Some(Pattern { regex: Regex::new(regex).ok()?, read: *read })).collect()
});

/// All patterns in one pass over a text: most of it holds none of them.
static ANY: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(PATTERNS.iter().map(|pattern| pattern.regex.as_str())).ok());

static RECENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("最近|上次|上回|前回|지난번|近来|近來|最新|目前|近頃|최근|요즘|최신|요새").ok());
static WHEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new("什么时候|什麼時候|甚麼時候|啥时候|何时|何時|哪天|哪一天|几号|幾號|几月|哪年|哪一年|いつ|何日|何月|何年|언제|며칠|몇\\s*월|몇\\s*년").ok()
});

/// Whether one of the patterns is in a text.
pub(super) fn names_days(text: &str) -> bool {
    ANY.as_ref().is_none_or(|any| any.is_match(text))
}

/// Adds what the patterns find.
pub(super) fn read(
    query: &str,
    calendar: &Calendar,
    ranges: &mut Vec<(Range<usize>, DateRange)>,
    found: &mut TimeWords,
) {
    let present = ANY.as_ref().map(|any| any.matches(query));
    let is_present = |at: &usize| present.as_ref().is_none_or(|present| present.matched(*at));
    for (_, pattern) in (0..).zip(PATTERNS.iter()).filter(|(at, _)| is_present(at)) {
        for captures in pattern.regex.captures_iter(query) {
            let Some(whole) = captures.get(0) else { continue };
            let overlaps = ranges.iter().any(|(r, _)| r.start < whole.end() && whole.start() < r.end);
            if !overlaps && let Some(range) = (pattern.read)(&captures, calendar) {
                ranges.push((whole.range(), range));
            }
        }
    }
    found.wants_recent |= RECENT.as_ref().is_some_and(|r| r.is_match(query));
    found.asks_when |= WHEN.as_ref().is_some_and(|r| r.is_match(query));
}

/// A number in ASCII or Chinese digits up to 99.
fn number(captures: &Captures<'_>, group: usize) -> Option<i32> {
    let text = captures.get(group)?.as_str();
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let digit = |c: char| match c {
        '一' => Some(1),
        '二' | '两' | '兩' => Some(2),
        '三' => Some(3),
        '四' => Some(4),
        '五' => Some(5),
        '六' => Some(6),
        '七' => Some(7),
        '八' => Some(8),
        '九' => Some(9),
        _ => None,
    };
    match text.split_once('十') {
        Some((tens, ones)) => {
            let tens = if tens.is_empty() { 1 } else { digit(tens.chars().next()?)? };
            let ones = if ones.is_empty() { 0 } else { digit(ones.chars().next()?)? };
            Some(10 * tens + ones)
        }
        None => digit(text.chars().next()?),
    }
}

/// The day of [`day!`].
fn day(captures: &Captures<'_>, calendar: &Calendar) -> Option<DateRange> {
    let (month, day) = (number(captures, 2)?, number(captures, 3)?);
    match number(captures, 1) {
        Some(year) => calendar.day(year, month, day),
        None => calendar.latest_day(month.try_into().ok()?, day),
    }
}

fn ago(captures: &Captures<'_>, calendar: &Calendar, unit: Unit) -> Option<DateRange> {
    match number(captures, 1) {
        Some(n) => calendar.units_ago(unit, n, n),
        // 几天前, 数日前: a few.
        None => calendar.units_ago(unit, 2, 6),
    }
}

fn ahead(captures: &Captures<'_>, calendar: &Calendar, unit: Unit) -> Option<DateRange> {
    calendar.units_ahead(unit, number(captures, 1)?)
}

fn weekday_number(captures: &Captures<'_>) -> Option<i8> {
    Some(match captures.get(1)?.as_str() {
        "一" | "月" | "월" => 1,
        "二" | "火" | "화" => 2,
        "三" | "水" | "수" => 3,
        "四" | "木" | "목" => 4,
        "五" | "金" | "금" => 5,
        "六" | "土" | "토" => 6,
        "日" | "天" | "일" => 7,
        _ => return None,
    })
}

fn weekday(captures: &Captures<'_>, calendar: &Calendar, side: Side) -> Option<DateRange> {
    match side {
        // 上周二 is the Tuesday of last week, not the latest Tuesday.
        Side::Last if captures.get(0)?.as_str().starts_with('上') => weekday_of_last_week(captures, calendar),
        _ => calendar.weekday(weekday_number(captures)?, side),
    }
}

fn weekday_of_last_week(captures: &Captures<'_>, calendar: &Calendar) -> Option<DateRange> {
    weekday_of(captures, calendar, -1)
}

/// The weekday of a week so many weeks from this one.
fn weekday_of(captures: &Captures<'_>, calendar: &Calendar, weeks: i64) -> Option<DateRange> {
    let day = calendar.weekday(weekday_number(captures)?, Side::This)?.start;
    let day = day.checked_add(jiff::Span::new().try_weeks(weeks).ok()?).ok()?;
    Some(DateRange { start: day, end: day })
}

fn season(captures: &Captures<'_>, group: usize) -> Option<i8> {
    Some(match captures.get(group)?.as_str() {
        "春" | "봄" => 0,
        "夏" | "여름" => 1,
        "秋" | "가을" => 2,
        "冬" | "겨울" => 3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    fn range(query: &str) -> Option<String> {
        super::super::read(query, date(2024, 5, 15), "UTC").range.map(|r| format!("{}/{}", r.start, r.end))
    }

    // "5月4日(土)" was the 4th and the last Saturday, and "5月6日の週" the 6th alone: its notes were the last to be shown.
    #[test]
    fn a_weekday_behind_its_date_and_the_week_of_a_day() {
        let (day, week, weekend) = ("2024-05-04/2024-05-04", "2024-05-03/2024-05-12", "2024-05-02/2024-05-07");
        for (query, want) in [
            ("5月4日(土)は何をした？", day),
            ("2024年5月4日（土曜日）に何があった", day),
            ("5月4日土曜日の予定", day),
            ("5月4日周六我们去了哪里", day),
            ("2024年5月4号，星期六，做了什么", day),
            ("5월 4일 토요일에 뭐 했지", day),
            ("5월 4일(토)에 뭐 했지", day),
            ("5月6日の週に何をしましたか", week),
            ("2024年5月6日から始まる週は？", week),
            ("5月6日那周我做了什么", week),
            ("5月6号那个星期发生了什么", week),
            ("5月6日所在的那一周", week),
            ("5월 6일 주에 뭐 했지?", week),
            ("5월 6일이 있는 주에 무슨 일이 있었지", week),
            ("5月4日の週末は何をした", weekend),
            ("5月4号那个周末去了哪里", weekend),
            ("5월 4일 주말에 뭐 했지", weekend),
            // Words that only begin like a week.
            ("5월 4일 주문 내역", day),
            ("5月4日から毎週何をする", day),
            ("5月4日周围的人", day),
        ] {
            assert_eq!(range(query).as_deref(), Some(want), "{query}");
        }
    }
}
