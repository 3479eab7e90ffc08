//! A quick look whether a text can name days at all. Most lines of notes do not, and a question about a day has thousands
//! of them read: reading every word of each took more than the rest of the search.

use std::{collections::HashMap, sync::LazyLock};

use foldhash::fast::RandomState;

use super::{
    cjk,
    reader::{is_of_a_word, number_of},
    words::{Sense, WORDS},
};
use crate::fold::fold;

/// What a word can be part of, a bit for each.
type Kinds = u16;

/// Names a day by itself.
const DAY: Kinds = 1;
/// A number of four digits: a year, alone or in a date in digits.
const YEAR: Kinds = 1 << 1;
/// A shorter one: a day or a month.
const NUMBER: Kinds = 1 << 2;
/// Either.
const ANY_NUMBER: Kinds = YEAR | NUMBER;
/// "Last", "ago": makes days of a unit, and of a part of the day.
const SIDE: Kinds = 1 << 3;
/// "In", "since": makes days of a month's weak name, and of a season.
const OPENING: Kinds = 1 << 4;
/// A unit, or a part of the day.
const UNIT: Kinds = 1 << 5;
/// A season, or a month's weak name.
const SEASON: Kinds = 1 << 6;
/// A month's weak name that is too short for an opening word alone.
const SHORT_MONTH: Kinds = 1 << 7;
/// May stand between an opening word and what it opens.
const FILLER: Kinds = 1 << 8;

/// A number in letters.
const COUNT: Kinds = 1 << 9;

/// Bytes of the longest word that is looked up as it is.
const LONGEST: usize = 16;

static KINDS: LazyLock<HashMap<&'static str, Kinds, RandomState>> = LazyLock::new(|| {
    let mut kinds: HashMap<_, _, RandomState> = HashMap::default();
    for (sense, words) in WORDS {
        for word in words.split_whitespace() {
            *kinds.entry(word).or_default() |= of_sense(*sense, word);
        }
    }
    kinds.retain(|_, kinds| *kinds != 0);
    kinds
});

/// Whether [`super::read`] may find days in a text: never no where it would find some.
pub(super) fn may_name_days(text: &str) -> bool {
    if !text.is_ascii() && cjk::names_days(text) {
        return true;
    }
    let mut seen = 0;
    // Of the two words before, and whether a sign of dates in digits is all that parts the last one from the next.
    let (mut last, mut before, mut is_joined) = (0, 0, false);
    text.split_inclusive(|c| !is_of_a_word(c)).any(|piece| {
        let word = piece.trim_end_matches(|c| !is_of_a_word(c));
        let joined = is_joined;
        is_joined = piece.ends_with(['-', '/', '.']) && !word.is_empty();
        if word.is_empty() {
            return false;
        }
        let mut kinds = of(word);
        let is_open = last & OPENING != 0 || (last & FILLER != 0 && before & OPENING != 0);
        let can_be_opened = kinds & SEASON != 0 || (kinds & YEAR != 0 && may_be_now(word));
        let is_whole = (kinds | last) & YEAR != 0 || piece.ends_with('.');
        let is_date = joined && kinds & ANY_NUMBER != 0 && last & ANY_NUMBER != 0 && is_whole;
        // "In three days".
        let is_ahead = kinds & UNIT != 0 && last & (COUNT | NUMBER) != 0 && before & OPENING != 0;
        if (is_open && can_be_opened) || is_date || is_ahead {
            kinds |= DAY;
        }
        (last, before) = (kinds, last);
        seen |= kinds;
        is_enough(seen)
    })
}

/// Whether a number of four digits is of these centuries, as years without a month are.
fn may_be_now(number: &str) -> bool {
    !number.is_ascii() || ["19", "20", "21"].iter().any(|century| number.starts_with(century))
}

/// Whether words of these kinds can name days together.
fn is_enough(seen: Kinds) -> bool {
    let has = |kinds: Kinds| seen & kinds != 0;
    has(DAY) || (has(UNIT) && has(SIDE)) || (has(SEASON | SHORT_MONTH) && has(SIDE | ANY_NUMBER))
}

const fn of_sense(sense: Sense, word: &str) -> Kinds {
    match sense {
        Sense::Month(_) | Sense::Weekday(_) | Sense::WeakWeekday(_) | Sense::Day(_) => DAY,
        Sense::WeakMonth(5) | Sense::Season(_) => SEASON,
        Sense::WeakMonth(_) if word.len() > 3 => SEASON,
        Sense::WeakMonth(_) => SHORT_MONTH,
        Sense::Unit(_) | Sense::DayPart => UNIT,
        Sense::Side(_) | Sense::Ago | Sense::Ahead | Sense::Coming => SIDE,
        Sense::In => OPENING | FILLER,
        Sense::Since | Sense::Before | Sense::After | Sense::Between => OPENING,
        Sense::Filler => FILLER,
        Sense::Number(_) => COUNT,
        Sense::Feira | Sense::Few | Sense::Recent | Sense::When => 0,
    }
}

fn of(word: &str) -> Kinds {
    let mut lower = [0; LONGEST];
    match lower.get_mut(..word.len()) {
        _ if !word.is_ascii() => of_folded(&fold(word)),
        Some(lower) => {
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            str::from_utf8(lower).map_or(0, of_folded)
        }
        None => 0,
    }
}

fn of_folded(word: &str) -> Kinds {
    match word.as_bytes() {
        [b'0'..=b'9', ..] if number_of(word).is_none() => 0,
        [b'0'..=b'9', _, _, b'0'..=b'9', ..] => YEAR,
        [b'0'..=b'9', ..] => NUMBER,
        // A quarter: Q3.
        [b'q' | b't', b'0'..=b'9', ..] => DAY,
        // Il y a 3 jours.
        b"y" => SIDE,
        _ => KINDS.get(word).copied().unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::{super::read, *};

    /// Words of time in all languages, in any case, and what stands between them.
    fn piece() -> impl Strategy<Value = String> {
        let words: Vec<&str> = WORDS.iter().flat_map(|(_, words)| words.split_whitespace()).collect();
        let cjk = [
            "上周三",
            "先週の金曜日",
            "3天前",
            "去年夏天",
            "3日後",
            "来週の金曜日",
            "2023年5月",
            "지난주",
            "어제",
            "十二月",
            "春",
            "之",
            "会议",
            "天",
            "月",
        ];
        let others = [
            "5",
            "31st",
            "3.",
            "2023",
            "2023-05-08",
            "08.05.2023",
            "1999/12",
            "q3",
            "T2",
            "12a",
            "20245",
            "fim de semana",
            "il y a",
            "il y a 3 jours",
            "in three days",
            "daqui a 2 semanas",
            "que vem",
            "qui vient",
            "week-end",
            "٢٠٢٣",
            "ａｐｒｉｌ",
            "１２",
            "compose",
            "na",
            "altro",
            "Grüße",
            "e\u{301}te\u{301}",
            "_",
            "-",
            ",",
        ];
        prop_oneof![
            8 => proptest::sample::select(words).prop_map(str::to_owned),
            1 => proptest::sample::select(cjk.to_vec()).prop_map(str::to_owned),
            3 => proptest::sample::select(others.to_vec()).prop_map(str::to_owned),
        ]
        .prop_flat_map(|word| prop_oneof![Just(word.clone()), Just(word.to_uppercase())])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases * 16))]

        #[test]
        fn whatever_names_days_is_seen(pieces in proptest::collection::vec((piece(), "[ _.]{0,2}"), 1..6)) {
            let text: String = pieces.iter().flat_map(|(word, gap)| [word.as_str(), gap]).collect();
            let days = read(&text, date(2024, 5, 15), "Europe/Lisbon").range;
            prop_assert!(days.is_none() || may_name_days(&text), "{text:?} names {days:?}");
        }
    }

    #[test]
    fn ordinary_lines_are_told_apart() {
        for line in [
            "Tokio spawns a task an hour, as the docs on scheduling say",
            "the set of options may be null, and those are out",
            "A reunião ficou na sala; o servidor não respondeu",
            "服务器的内存不足",
            "port 65535, build 20240",
        ] {
            assert!(!may_name_days(line), "{line}");
        }
        for line in [
            "in may",
            "5 may",
            "last week",
            "il y a 3 jours",
            "上周三开会",
            "release of 2023-05-08",
            "на прошлой неделе",
        ] {
            assert!(may_name_days(line), "{line}");
        }
    }
}
