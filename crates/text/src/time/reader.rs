//! Time words of spaced languages, word by word.

use std::ops::Range;

use jiff::{ToSpan, civil::Date};

use super::{
    TimeWords,
    calendar::{Calendar, DateRange},
    words::{Sense, Side, Unit, senses},
};
use crate::fold::fold;

/// A word of the query: where it stands, what it says.
pub(super) struct Word {
    pub(super) span: Range<usize>,
    pub(super) number: Option<i32>,
    pub(super) senses: &'static [Sense],
    pub(super) text: String,
}

impl Word {
    pub(super) fn is(&self, sense: Sense) -> bool {
        self.senses.contains(&sense)
    }

    fn find<T>(&self, pick: impl Fn(Sense) -> Option<T>) -> Option<T> {
        self.senses.iter().find_map(|s| pick(*s))
    }
}

/// Letters, digits and the accents behind them.
pub(super) fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c)
}

/// The number that a folded word is, of at most four digits, counting or ordinal.
pub(super) fn number_of(word: &str) -> Option<i32> {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    let ordinal = matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th" | "er" | "o" | "a" | "e");
    digits.parse().ok().filter(|_| ordinal && digits.len() <= 4)
}

pub(super) fn words_of(query: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in query.char_indices().chain([(query.len(), ' ')]) {
        match (is_of_a_word(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let text = fold(&query[from..at]);
                words.push(Word { span: from..at, number: number_of(&text), senses: senses(&text), text });
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Reads the words of a query one after another.
pub(super) struct Reader {
    pub(super) words: Vec<Word>,
    pub(super) calendar: Calendar,
}

/// A range read from the words before index `end`.
type Found = Option<(DateRange, usize)>;

impl Reader {
    pub(super) fn read(&self, ranges: &mut Vec<(Range<usize>, DateRange)>, found: &mut TimeWords) {
        let covered = |span: &Range<usize>, ranges: &[(Range<usize>, DateRange)]| {
            ranges.iter().any(|(r, _)| r.start < span.end && span.start < r.end)
        };
        let mut at = 0;
        while at < self.words.len() {
            let word = &self.words[at];
            if covered(&word.span, ranges) {
                at += 1;
                continue;
            }
            if let Some((span, range)) = self.beside_day(at, ranges) {
                let end = span.end;
                ranges.retain(|(inside, _)| inside.start < span.start || span.end < inside.end);
                ranges.push((span, self.bounded(at, range)));
                at = self.words.partition_point(|word| word.span.start < end);
                continue;
            }
            if let Some((range, end)) = self.range_at(at).filter(|(_, end)| *end > at) {
                let first = self.words[at].span.start;
                let last = self.words[end - 1].span.end;
                ranges.push((first..last, self.bounded(at, range)));
                at = end;
                continue;
            }
            // "last" with nothing to measure: the last meeting.
            let latest = word.is(Sense::Side(Side::Last)) && !matches!(word.text.as_str(), "passe" | "past");
            found.wants_recent |= word.is(Sense::Recent) || latest;
            // "When" asks in the first words of a question; later it only joins clauses.
            found.asks_when |= word.is(Sense::When) && at < 3;
            at += 1;
        }
        let asks =
            |a: &str, b: &[&str]| self.words.windows(2).any(|w| w[0].text == a && b.contains(&w[1].text.as_str()));
        found.asks_when |=
            asks("what", &["date", "day", "year", "month"]) || asks("which", &["date", "day", "year", "month"]);
    }

    /// "Since", "before", "after" in front of a range open it to one side.
    fn bounded(&self, at: usize, range: DateRange) -> DateRange {
        let is = |sense| {
            (1..=2).any(|back| at.checked_sub(back).is_some_and(|i| self.words[i].is(sense) && self.between(i, at)))
        };
        if is(Sense::Since) {
            DateRange { start: range.start, end: self.calendar.today.max(range.end) }
        } else if let Some(before) = self.counted_before(at, range) {
            before
        } else if is(Sense::Before) {
            DateRange { start: Date::MIN, end: range.start.yesterday().unwrap_or(Date::MIN) }
        } else if is(Sense::After) {
            DateRange { start: range.end.tomorrow().unwrap_or(Date::MAX), end: Date::MAX }
        } else {
            range
        }
    }

    /// "The week before 3 June", "two days before Christmas Eve": people count roughly.
    fn counted_before(&self, at: usize, range: DateRange) -> Option<DateRange> {
        let before = (1..=2).filter_map(|back| at.checked_sub(back)).find(|i| self.words[*i].is(Sense::Before))?;
        let counted = before.checked_sub(1).filter(|_| self.between(before, at))?;
        let unit = self.get(counted, |sense| if let Sense::Unit(unit) = sense { Some(unit) } else { None })?;
        let count = counted.checked_sub(1).map_or(1, |i| {
            let word = self.get(i, |sense| if let Sense::Number(n) = sense { Some(n) } else { None });
            self.words[i].number.or(word).unwrap_or(1)
        });
        let count = i64::from(count.clamp(1, 100));
        let (earliest, latest) = match (unit, count) {
            (Unit::Day, n) => (n, n),
            (Unit::Weekend, _) => (8, 1),
            (Unit::Week, 1) => (9, 1),
            (Unit::Week, n) => (7 * n + 3, 7 * n - 3),
            (Unit::Month, 1) => (40, 1),
            (Unit::Month, n) => (30 * n + 10, 30 * n - 10),
            (Unit::Year, _) => return None,
        };
        let ago = |days: i64| range.start.checked_sub(days.days()).ok();
        Some(DateRange { start: ago(earliest)?, end: ago(latest)? })
    }

    /// Whether only fillers stand between two words.
    fn between(&self, from: usize, to: usize) -> bool {
        self.words[from + 1..to].iter().all(|w| w.is(Sense::Filler) || w.is(Sense::In))
    }

    pub(super) fn get<T>(&self, at: usize, pick: impl Fn(Sense) -> Option<T>) -> Option<T> {
        self.words.get(at).and_then(|w| w.find(pick))
    }

    /// The index after up to two fillers.
    fn skip(&self, at: usize) -> usize {
        let fillers =
            self.words.get(at..).unwrap_or_default().iter().take(2).take_while(|w| w.is(Sense::Filler)).count();
        at + fillers
    }

    fn range_at(&self, at: usize) -> Found {
        self.relative_day(at)
            .or_else(|| self.week_of_month(at))
            .or_else(|| self.before_last(at))
            .or_else(|| self.ago(at))
            .or_else(|| self.ahead(at))
            .or_else(|| self.day_of_week(at))
            .or_else(|| self.sided(at))
            .or_else(|| self.date(at))
            .or_else(|| self.weekday_alone(at))
    }

    /// Yesterday; the day before yesterday; last night; this morning.
    fn relative_day(&self, at: usize) -> Found {
        let day = |i| self.get(i, |s| if let Sense::Day(d) = s { Some(d) } else { None });
        if let Some(offset) = day(at) {
            // `hier` is "here" in German and Dutch, `morgen` "morning": both only with a word of its own language,
            // which the query as a whole has; taking them as dates would empty the search.
            let foreign = |word: &str, others: &[&str]| {
                self.words[at].text == word && self.words.iter().any(|w| others.contains(&w.text.as_str()))
            };
            let german = [
                "ist", "sind", "wer", "was", "wo", "die", "der", "das", "is", "het", "zijn", "wat", "waar", "ich",
                "wir",
            ];
            if foreign("hier", &german) {
                return None;
            }
            return Some((self.calendar.days(offset, offset)?, at + 1));
        }
        if matches!(self.words[at].text.as_str(), "altro" | "اول" | "أول" | "قبل") && day(at + 1) == Some(-1) {
            return Some((self.calendar.days(-2, -2)?, at + 2));
        }
        // No "last morning".
        if self.words[at].text == "pasado" && self.words.get(at + 1).is_some_and(|word| word.text == "manana") {
            return Some((self.calendar.days(2, 2)?, at + 2));
        }
        // "the day before yesterday", "antes de ontem", "avant-hier", and the day after tomorrow.
        let unit = usize::from(self.get(at, unit) == Some(Unit::Day));
        let (before, after) = (self.is(at + unit, Sense::Before), self.is(at + unit, Sense::After));
        if before || after {
            let next = self.skip(at + unit + 1);
            match day(next) {
                Some(-1) if before => return Some((self.calendar.days(-2, -2)?, next + 1)),
                Some(1) if after => return Some((self.calendar.days(2, 2)?, next + 1)),
                _ => {}
            }
        }
        let side = self.get(at, side)?;
        if self.is(at + 1, Sense::DayPart) {
            let (from, to) = match side {
                Side::BeforeLast => (-2, -1),
                Side::Last => (-1, 0),
                Side::This => (0, 0),
                Side::Next => (1, 1),
            };
            return Some((self.calendar.days(from, to)?, at + 2));
        }
        None
    }

    fn is(&self, at: usize, sense: Sense) -> bool {
        self.words.get(at).is_some_and(|w| w.is(sense))
    }

    /// A number or "a few", and the index after it: (least, most).
    fn amount(&self, at: usize) -> Option<((i32, i32), usize)> {
        let word = self.words.get(at)?;
        if let Some(n) = word.number {
            // More is a year or an identifier.
            return (n < 1000).then_some(((n, n), at + 1));
        }
        if word.is(Sense::Few) {
            return Some(((2, 6), self.skip(at + 1)));
        }
        let n = word.find(|s| if let Sense::Number(n) = s { Some(n) } else { None })?;
        if self.is(at + 1, Sense::Few) {
            return Some(((2, 6), at + 2));
        }
        // "a couple of weeks"
        if let (1, Some(2)) = (n, self.get(at + 1, |s| if let Sense::Number(n) = s { Some(n) } else { None })) {
            return Some(((2, 2), self.skip(at + 2)));
        }
        Some(((n, n), at + 1))
    }

    /// 3 days ago; vor 3 Tagen; il y a 3 jours; 3 giorni fa.
    fn ago(&self, at: usize) -> Found {
        let il_y_a =
            self.words.get(at..at + 3).is_some_and(|w| w[0].text == "il" && w[1].text == "y" && w[2].text == "a");
        let before = if il_y_a { 3 } else { usize::from(self.is(at, Sense::Ago)) };
        let ((least, most), next) = self.amount(at + before)?;
        let unit = self.get(next, unit)?;
        let after = usize::from(self.is(next + 1, Sense::Ago));
        if before == 0 && after == 0 {
            return None;
        }
        Some((self.calendar.units_ago(unit, least, most)?, next + 1 + if before == 0 { after } else { 0 }))
    }

    /// In three days; in drei Tagen; dentro de tres días; daqui a três dias; dans trois jours; over drie dagen.
    fn ahead(&self, at: usize) -> Found {
        let word = self.words.get(at)?;
        let opens = matches!(word.text.as_str(), "in" | "en" | "em" | "tra" | "fra");
        let from = if word.is(Sense::Ahead) { self.skip(at + 1) } else { at + 1 };
        if !opens && !word.is(Sense::Ahead) || opens && self.tells_of_the_past() {
            return None;
        }
        let amount = self.words.get(from)?;
        let named = amount.find(|s| if let Sense::Number(n) = s { Some(n) } else { None });
        // One, which is an article too, counts how long something takes: "how often in a day".
        let count = amount.number.or(named).filter(|count| (2..1000).contains(count))?;
        let unit = self.get(from + 1, unit)?;
        // "Over three days" is how long it takes, and "over drie dagen" when it is.
        let is_dutch =
            || matches!(self.words[from + 1].text.as_str(), "dagen" | "weken" | "maanden" | "jaar" | "jaren");
        if word.text == "over" && !is_dutch() {
            return None;
        }
        Some((self.calendar.units_ahead(unit, count)?, from + 2))
    }

    /// Whether verbs tell of what is over: then "in three days" is how long it took.
    fn tells_of_the_past(&self) -> bool {
        const OVER: &[&str] = &[
            "did", "was", "were", "had", "has", "have", "ve", "habe", "haben", "hat", "hatte", "hatten", "war",
            "waren", "wurde", "fiz", "fizemos", "foi", "foram", "hice", "hicimos", "fue", "fueron", "ho", "abbiamo",
            "era",
        ];
        self.words.iter().any(|word| OVER.contains(&word.text.as_str()))
    }

    /// Next week Friday; Friday next week; volgende week vrijdag; sexta-feira da próxima semana.
    fn day_of_week(&self, at: usize) -> Found {
        if let Some((week, end)) = self.sided_week(at) {
            let (day, end) = self.weekday(self.skip(end))?;
            return Some((self.calendar.weekday_of_week(day, week)?, end));
        }
        let (day, next) = self.weekday(at)?;
        let joining = self
            .words
            .get(next..)
            .unwrap_or_default()
            .iter()
            .take(2)
            .take_while(|w| w.is(Sense::Filler) || w.is(Sense::In));
        let (week, end) = (0..=joining.count()).find_map(|skipped| self.sided_week(next + skipped))?;
        Some((self.calendar.weekday_of_week(day, week)?, end))
    }

    /// A week on one side of now, and the index after it.
    fn sided_week(&self, at: usize) -> Option<(Side, usize)> {
        let is_week = |at| self.get(at, unit) == Some(Unit::Week);
        if let Some(side) = self.get(at, side) {
            return is_week(at + 1).then_some((side, at + 2));
        }
        let (side, end) = self.side_behind(at + 1).filter(|_| is_week(at))?;
        Some((side, end))
    }

    /// What stands behind a stretch and says on which side it lies: passada, pasado, dernier, القادم; que vem, qui vient.
    fn side_behind(&self, at: usize) -> Option<(Side, usize)> {
        let joins = self.words.get(at).is_some_and(|word| matches!(word.text.as_str(), "que" | "qui"));
        if joins && self.is(at + 1, Sense::Coming) {
            return Some((Side::Next, at + 2));
        }
        let side = self.get(at, side).filter(|side| *side != Side::This)?;
        Some((side, at + 1))
    }

    /// Last week; semana passada; the last 3 months; next Tuesday; letzten Sommer.
    fn sided(&self, at: usize) -> Found {
        if let Some(side) = self.get(at, side) {
            if let Some((amount, next)) = self.amount(at + 1)
                && let Some(unit) = self.get(next, unit)
            {
                return match side {
                    Side::Last => Some((self.calendar.last_units(unit, amount.1)?, next + 1)),
                    Side::BeforeLast | Side::This | Side::Next => None,
                };
            }
            return self.stretch(at + 1, Some(side));
        }
        // Romance languages and Arabic put it behind: semana passada, martes pasado, الأسبوع الماضي.
        let named = self.stretch(at, Some(Side::This))?.1;
        let (side, end) = self.side_behind(named)?;
        let amount = self.amount(at).is_some();
        if amount { None } else { Some((self.stretch(at, Some(side))?.0, end)) }
    }

    /// The week before last; la semaine avant la dernière; l'avant-dernière semaine.
    fn before_last(&self, at: usize) -> Found {
        let is_last = |at: usize| self.is(at, Sense::Side(Side::Last));
        if self.words[at].text == "avant" && is_last(at + 1) {
            return self.stretch(at + 2, Some(Side::BeforeLast));
        }
        let (range, end) = self.stretch(at, Some(Side::BeforeLast))?;
        let last = self.skip(end + 1);
        // "The week before last Friday" is counted from that day.
        let is_meant = self.is(end, Sense::Before) && is_last(last) && self.stretch(last + 1, None).is_none();
        is_meant.then_some((range, last + 1))
    }

    /// The first week of November; die letzte Oktoberwoche; la primera semana de noviembre de 2023.
    fn week_of_month(&self, at: usize) -> Found {
        let word = self.words.get(at)?;
        let number = if word.is(Sense::Side(Side::Last)) { None } else { Some(nth(word)?) };
        let week = self.words.get(at + 1)?;
        let (month, end) = match week.text.strip_suffix("woche").filter(|name| !name.is_empty()) {
            Some(name) => (senses(name).iter().find_map(|sense| any_month(*sense))?, at + 2),
            None if week.is(Sense::Unit(Unit::Week)) => {
                let named = self
                    .words
                    .get(at + 2)
                    .filter(|word| word.text == "di")
                    .map_or_else(|| self.skip(at + 2), |_| at + 3);
                (self.get(named, any_month)?, named + 1)
            }
            None => return None,
        };
        let year_at = self.skip(end);
        let (month, end) = match self.year(year_at) {
            Some(year) => (self.calendar.month(year, month.into())?, year_at + 1),
            None => (self.calendar.month_on(month, Side::Last)?, end),
        };
        Some((self.calendar.week_of(month, number)?, end))
    }

    /// A week, month, year, weekday, month name or season on one side of now.
    fn stretch(&self, at: usize, side: Option<Side>) -> Found {
        let word = self.words.get(at)?;
        let side = side.unwrap_or(Side::Last);
        if let Some(end) = self.weekend(at) {
            return Some((self.calendar.unit(Unit::Weekend, side)?, end));
        }
        if let Some(unit) = word.find(unit) {
            return Some((self.calendar.unit(unit, side)?, at + 1));
        }
        if let Some(day) = self.weekday(at) {
            return Some((self.calendar.weekday(day.0, side)?, day.1));
        }
        if let Some(month) = word.find(any_month) {
            return Some((self.calendar.month_on(month, side)?, at + 1));
        }
        let season = word.find(|s| if let Sense::Season(n) = s { Some(n) } else { None })?;
        Some((self.calendar.season_on(season, side)?, at + 1))
    }

    /// The index after a weekend of several words: fim de semana, fin de semana, week-end.
    fn weekend(&self, at: usize) -> Option<usize> {
        let text = |at: usize| self.words.get(at).map(|word| word.text.as_str());
        match (text(at)?, text(at + 1)?) {
            ("fim" | "fin", "de") => (self.get(at + 2, unit)? == Unit::Week).then_some(at + 3),
            ("week", "end") => Some(at + 2),
            _ => None,
        }
    }

    /// A weekday's name and the index after it.
    pub(super) fn weekday(&self, at: usize) -> Option<(i8, usize)> {
        let word = self.words.get(at)?;
        let feira = self.is(at + 1, Sense::Feira);
        // Without it, "segunda" is the second and "quinta" a farm, unless a side stands behind, or the question ends.
        let is_sided = self.side_behind(at + 1).is_some();
        let before = at.checked_sub(1).and_then(|before| self.words.get(before));
        let is_last = at + 1 == self.words.len();
        let after_in = is_last && before.is_some_and(|w| w.text == "na");
        let after_side = is_last && before.is_some_and(|w| w.find(side).is_some());
        word.find(|s| match s {
            Sense::Weekday(d) => Some(d),
            Sense::WeakWeekday(d) if feira || is_sided || after_side || (after_in && d != 4) => Some(d),
            _ => None,
        })
        .map(|d| (d, at + 1 + usize::from(feira)))
    }

    fn weekday_alone(&self, at: usize) -> Found {
        let (day, next) = self.weekday(at)?;
        Some((self.calendar.weekday_to_now(day)?, next))
    }

    fn year(&self, at: usize) -> Option<i32> {
        self.words.get(at)?.number.filter(|n| (1900..=2199).contains(n))
    }

    fn month_day(&self, at: usize) -> Option<i32> {
        self.words.get(at)?.number.filter(|n| (1..=31).contains(n))
    }

    /// 5 May 2023; May 5th, 2023; 5 de março; March 2023; in March; in 2023; summer of 2023; Q3 2023.
    pub(super) fn date(&self, at: usize) -> Found {
        let calendar = &self.calendar;
        if let Some(days) = self.days_of_a_month(at) {
            return Some(days);
        }
        if let Some(day) = self.month_day(at) {
            let month_at = self.skip(at + 1);
            let month = self.get(month_at, any_month)?;
            let year_at = self.skip(month_at + 1);
            return match self.year(year_at) {
                Some(year) => Some((calendar.day(year, month.into(), day)?, year_at + 1)),
                None => Some((calendar.latest_day(month, day)?, month_at + 1)),
            };
        }
        let opened = (1..=2).any(|back| at.checked_sub(back).is_some_and(|i| self.opens(i) && self.between(i, at)));
        if let Some(month) = self.get(at, any_month) {
            if let Some(day) = self.month_day(self.skip(at + 1)) {
                let day_at = self.skip(at + 1);
                let year_at = self.skip(day_at + 1);
                return match self.year(year_at) {
                    Some(year) => Some((calendar.day(year, month.into(), day)?, year_at + 1)),
                    None => Some((calendar.latest_day(month, day)?, day_at + 1)),
                };
            }
            let year_at = self.skip(at + 1);
            if let Some(year) = self.year(year_at) {
                return Some((calendar.month(year, month.into())?, year_at + 1));
            }
            let strong = self.get(at, |s| if let Sense::Month(_) = s { Some(()) } else { None }).is_some();
            // "may I", "march on": a weak name needs "in" right before it and more than two letters.
            let short = self.words[at].text.len() <= 3;
            let weak = opened && (!short || matches!(self.words[at].text.as_str(), "may" | "mai" | "mei"));
            return if strong || weak { Some((calendar.month_on(month, Side::Last)?, at + 1)) } else { None };
        }
        if let Some(season) = self.get(at, |s| if let Sense::Season(n) = s { Some(n) } else { None }) {
            let year_at = self.skip(at + 1);
            if let Some(year) = self.year(year_at) {
                return Some((calendar.season(year, season)?, year_at + 1));
            }
            return if opened { Some((calendar.season_to_now(season)?, at + 1)) } else { None };
        }
        let quarter = self.words[at].text.strip_prefix(['q', 't']).and_then(|q| q.parse::<i32>().ok());
        if let Some(quarter @ 1..=4) = quarter {
            let year_at = self.skip(at + 1);
            let year = self.year(year_at)?;
            return Some((calendar.quarter(year, quarter)?, year_at + 1));
        }
        let year = self.year(at)?;
        if opened { Some((calendar.year(year)?, at + 1)) } else { None }
    }

    /// "Between 1 and 10 April", "zwischen dem 3. und 5. Mai": the month is said once, at the end.
    fn days_of_a_month(&self, at: usize) -> Found {
        let first = self.month_day(at)?;
        let opened =
            (1..=2).any(|back| at.checked_sub(back).is_some_and(|i| self.is(i, Sense::Between) && self.between(i, at)));
        if !opened {
            return None;
        }
        let to_day = |at: usize| self.month_day(at).and_then(|_| self.date(at));
        let (last, end) = (at + 2..=at + 4).find_map(to_day).filter(|(last, _)| last.start == last.end)?;
        let start = last.start.with().day(i8::try_from(first).ok()?).build().ok()?;
        (start <= last.end).then_some((DateRange { start, end: last.end }, end))
    }

    /// Whether a word makes a bare month, season or year behind it a time.
    fn opens(&self, at: usize) -> bool {
        [Sense::In, Sense::Since, Sense::Before, Sense::After, Sense::Between].iter().any(|s| self.is(at, *s))
    }
}

/// Which one of several a word counts, 1–4.
fn nth(word: &Word) -> Option<i32> {
    const NTH: [&str; 4] = [
        "first erste ersten erster primera primeira premiere prima eerste первая первую первой",
        "second zweite zweiten zweiter segunda seconde deuxieme seconda tweede вторая вторую второй",
        "third dritte dritten dritter tercera terceira troisieme terza derde третья третью третьей",
        "fourth vierte vierten vierter cuarta quarta quatrieme vierde четвертая четвертую четвертой",
    ];
    let counts = |words: &&str| words.split(' ').any(|known| known == word.text);
    let named = NTH.iter().position(counts).and_then(|at| i32::try_from(at + 1).ok());
    named.or(word.number).filter(|n| (1..=4).contains(n))
}

pub(super) const fn unit(sense: Sense) -> Option<Unit> {
    if let Sense::Unit(u) = sense { Some(u) } else { None }
}

const fn side(sense: Sense) -> Option<Side> {
    if let Sense::Side(s) = sense { Some(s) } else { None }
}

const fn any_month(sense: Sense) -> Option<i8> {
    match sense {
        Sense::Month(m) | Sense::WeakMonth(m) => Some(m),
        _ => None,
    }
}
