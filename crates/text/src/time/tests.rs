use jiff::civil::date;
use proptest::prelude::*;

use super::*;

/// A Wednesday.
const TODAY: Date = date(2024, 5, 15);

fn range(query: &str) -> Option<String> {
    read(query, TODAY, "Europe/Lisbon").range.map(|r| format!("{}/{}", r.start, r.end))
}

// "12.10." in an English question found nothing, although there were notes of that day.
#[test]
fn a_day_with_both_full_stops_is_one_of_any_year() {
    let day = Some("2023-10-12/2023-10-12".to_owned());
    for query in [
        "what did we decide on 12.10.?",
        "what did we decide on 12.10.",
        "Was war am 12.10. mit Ana?",
        "12.10., what was that?",
        "the notes of the 12.10. about tea",
    ] {
        assert_eq!(range(query), day, "{query}");
        assert_eq!(named_days(query, TODAY, "UTC").map(|r| r.start), Some(date(2023, 10, 12)), "{query}");
    }
    assert_eq!(range("between 1.4. and 10.4."), Some("2024-04-01/2024-04-10".to_owned()));
    for query in [
        "we run Python 3.12. Which one is new?",
        "it costs 12.10.",
        "how much is 12.10",
        "the server 10.10.10.1.",
        "is v3.12. stable",
        "what was on 32.10.?",
    ] {
        assert_eq!(range(query), None, "{query}");
    }
}

#[test]
fn ranges_in_ten_languages() {
    let last_week = "2024-05-06/2024-05-12";
    let yesterday = "2024-05-14/2024-05-14";
    let april = "2024-04-01/2024-04-30";
    let last_year = "2023-01-01/2023-12-31";
    let three_days_ago = "2024-05-12/2024-05-12";
    let march_2023 = "2023-03-01/2023-03-31";
    let day = "2023-05-05/2023-05-05";
    let last_tuesday = "2024-05-14/2024-05-14";
    for (query, want) in [
        ("what did we do last week?", last_week),
        ("what happened yesterday", yesterday),
        ("the day before yesterday", "2024-05-13/2024-05-13"),
        ("the week before 27 March 2024", "2024-03-18/2024-03-26"),
        ("two weeks before March 27, 2024", "2024-03-10/2024-03-16"),
        ("the day before 27 March 2024", "2024-03-26/2024-03-26"),
        ("last month's budget", april),
        ("trips last year", last_year),
        ("3 days ago", three_days_ago),
        ("three days ago we met", three_days_ago),
        ("a couple of weeks ago", "2024-04-29/2024-05-05"),
        ("a few days ago", "2024-05-09/2024-05-13"),
        ("two months ago", "2024-03-01/2024-03-31"),
        ("in the last 3 weeks", "2024-04-24/2024-05-15"),
        ("in March", "2024-03-01/2024-03-31"),
        ("in December", "2023-12-01/2023-12-31"),
        ("in March 2023", march_2023),
        ("on 5 May 2023", day),
        ("on May 5th, 2023", day),
        ("the 5th of May 2023", day),
        ("May 5", "2024-05-05/2024-05-05"),
        ("2023-05-05 standup", day),
        ("notes of 05.05.2023", day),
        ("12/25/2023", "2023-12-25/2023-12-25"),
        ("last Tuesday", last_tuesday),
        ("on Friday", "2024-05-10/2024-05-10"),
        ("last summer", "2023-06-01/2023-08-31"),
        ("summer of 2022", "2022-06-01/2022-08-31"),
        ("last winter", "2023-12-01/2024-02-29"),
        ("in 2022", "2022-01-01/2022-12-31"),
        ("since March", "2024-03-01/2024-05-15"),
        ("between January and March 2023", "2023-01-01/2023-03-31"),
        ("lunch between 1 and 10 April 2023", "2023-04-01/2023-04-10"),
        ("entre 1 e 10 de abril de 2023", "2023-04-01/2023-04-10"),
        ("from 3rd to 5th of May 2023", "2023-05-03/2023-05-05"),
        ("zwischen dem 3. und 5. Mai 2023", "2023-05-03/2023-05-05"),
        ("Q3 2023 goals", "2023-07-01/2023-09-30"),
        ("last night", "2024-05-14/2024-05-15"),
        ("o que fizemos na semana passada", last_week),
        ("o que comi ontem", yesterday),
        ("no mês passado", april),
        ("ano passado", last_year),
        ("há 3 dias", three_days_ago),
        ("três dias atrás", three_days_ago),
        ("em março de 2023", march_2023),
        ("no dia 5 de maio de 2023", day),
        ("na última terça-feira", last_tuesday),
        ("terça-feira passada", last_tuesday),
        ("no verão de 2022", "2022-06-01/2022-08-31"),
        ("na terça passada", last_tuesday),
        ("na última terça", last_tuesday),
        ("o que fiz na terça?", last_tuesday),
        ("no fim de semana passado", "2024-05-11/2024-05-12"),
        ("nesta semana", "2024-05-13/2024-05-19"),
        ("esta manhã", "2024-05-15/2024-05-15"),
        ("el fin de semana pasado", "2024-05-11/2024-05-12"),
        ("le week-end dernier", "2024-05-11/2024-05-12"),
        ("l'altro ieri", "2024-05-13/2024-05-13"),
        ("в прошлую пятницу", "2024-05-10/2024-05-10"),
        ("суббота", "2024-05-11/2024-05-11"),
        ("上上周二", "2024-04-30/2024-04-30"),
        ("下周二", "2024-05-21/2024-05-21"),
        ("上个月三号", "2024-04-03/2024-04-03"),
        ("四月三十号", "2024-04-30/2024-04-30"),
        ("大前天", "2024-05-12/2024-05-12"),
        ("后天", "2024-05-17/2024-05-17"),
        ("la semana pasada", last_week),
        ("qué hice ayer", yesterday),
        ("el mes pasado", april),
        ("hace tres días", three_days_ago),
        ("en marzo de 2023", march_2023),
        ("el 5 de mayo de 2023", day),
        ("el martes pasado", last_tuesday),
        ("letzte Woche", last_week),
        ("was war gestern", yesterday),
        ("letzten Monat", april),
        ("im letzten Jahr", last_year),
        ("vor 3 Tagen", three_days_ago),
        ("vor drei Tagen", three_days_ago),
        ("im März 2023", march_2023),
        ("am 5. Mai 2023", day),
        ("letzten Dienstag", last_tuesday),
        ("letzten Sommer", "2023-06-01/2023-08-31"),
        ("la semaine dernière", last_week),
        ("qu'est-ce que j'ai fait hier", yesterday),
        ("le mois dernier", april),
        ("il y a 3 jours", three_days_ago),
        ("il y a trois jours", three_days_ago),
        ("en mars 2023", march_2023),
        ("le 5 mai 2023", day),
        ("mardi dernier", last_tuesday),
        ("la settimana scorsa", last_week),
        ("ieri sera", yesterday),
        ("il mese scorso", april),
        ("tre giorni fa", three_days_ago),
        ("a marzo 2023", march_2023),
        ("il 5 maggio 2023", day),
        ("vorige week", last_week),
        ("gisteren", yesterday),
        ("3 dagen geleden", three_days_ago),
        ("in maart 2023", march_2023),
        ("op 5 mei 2023", day),
        ("на прошлой неделе", last_week),
        ("вчера", yesterday),
        ("3 дня назад", three_days_ago),
        ("в марте 2023", march_2023),
        ("上周我们做了什么", last_week),
        ("昨天吃了什么", yesterday),
        ("上个月的预算", april),
        ("去年", last_year),
        ("3天前", three_days_ago),
        ("三天前", three_days_ago),
        ("2023年3月", march_2023),
        ("2023年5月5日", day),
        ("去年夏天去了哪里", "2023-06-01/2023-08-31"),
        ("上周二", "2024-05-07/2024-05-07"),
        ("三月", "2024-03-01/2024-03-31"),
        ("先週何をした", last_week),
        ("昨日の会議", yesterday),
        ("先月", april),
        ("3日前", three_days_ago),
        ("2023年3月の予算", march_2023),
        ("지난주에 뭐 했지", last_week),
        ("어제 회의", yesterday),
        ("지난달", april),
        ("3일 전", three_days_ago),
        ("2023년 3월", march_2023),
        ("2023년 5월 5일", day),
        ("작년", last_year),
        ("أمس", yesterday),
        ("الأسبوع الماضي", last_week),
    ] {
        assert_eq!(range(query).as_deref(), Some(want), "{query}");
    }
}

// "The coming Friday" was the last one, and of "next week Friday" the day was lost.
#[test]
fn what_is_to_come_is_not_taken_for_what_was() {
    let (friday, next_week) = ("2024-05-17/2024-05-17", "2024-05-20/2024-05-26");
    let (friday_of_next_week, in_three_days) = ("2024-05-24/2024-05-24", "2024-05-18/2024-05-18");
    for (query, want) in [
        ("coming Friday", friday),
        ("on the coming Friday", friday),
        ("this coming Friday", friday),
        ("am kommenden Freitag", friday),
        ("el viernes que viene", friday),
        ("vendredi qui vient", friday),
        ("sexta-feira que vem", friday),
        ("sexta que vem", friday),
        ("o que tenho na próxima sexta?", friday),
        ("esta sexta", friday),
        ("aanstaande vrijdag", friday),
        ("следующая пятница", friday),
        ("в следующую пятницу", friday),
        ("الجمعة القادمة", friday),
        ("次の金曜日の予定は？", friday),
        ("今度の金曜日", friday),
        ("다음 금요일", friday),
        ("下一个星期五", friday),
        ("semana que vem", next_week),
        ("la semana que viene", next_week),
        ("次の週", next_week),
        ("下一周", next_week),
        ("来週の金曜日", friday_of_next_week),
        ("来週金曜日", friday_of_next_week),
        ("다음 주 금요일", friday_of_next_week),
        ("volgende week vrijdag", friday_of_next_week),
        ("next week Friday", friday_of_next_week),
        ("Friday next week", friday_of_next_week),
        ("nächste Woche am Freitag", friday_of_next_week),
        ("Freitag nächster Woche", friday_of_next_week),
        ("sexta-feira da próxima semana", friday_of_next_week),
        ("viernes de la semana que viene", friday_of_next_week),
        ("vendredi de la semaine prochaine", friday_of_next_week),
        ("Friday of last week", "2024-05-10/2024-05-10"),
        ("今週の金曜日", friday),
        ("in three days", in_three_days),
        ("what is in 3 days?", in_three_days),
        ("in drei Tagen", in_three_days),
        ("dentro de tres días", in_three_days),
        ("en tres días", in_three_days),
        ("em três dias", in_three_days),
        ("daqui a três dias", in_three_days),
        ("dans trois jours", in_three_days),
        ("tra tre giorni", in_three_days),
        ("over drie dagen", in_three_days),
        ("через 3 дня", in_three_days),
        ("三日後", in_three_days),
        ("3天后", in_three_days),
        ("3일 후", in_three_days),
        ("in two weeks", "2024-05-27/2024-06-02"),
    ] {
        assert_eq!(range(query).as_deref(), Some(want), "{query}");
    }
}

#[test]
fn words_that_are_no_dates() {
    for query in [
        "may I have the recipe",
        "march on Rome",
        "error 2023",
        "room 12",
        "the second day",
        "Mars rover",
        "segunda opção",
        "esta segunda opção",
        "na quinta",
        "wer ist hier",
        "version 1.2.3",
        "10.0.0.1",
        "我的猫",
        "three cats",
        "how far did we walk in three days",
        "meetings over three days",
        "how much does he sleep in a day",
        "quem vem à festa",
        "a month of rain",
        "99999999999 days ago",
        "9999 years ago",
    ] {
        assert_eq!(range(query), None, "{query}");
    }
}

#[test]
fn what_is_recent_and_what_asks_for_a_date() {
    for (query, recent, when) in [
        ("what is the latest budget", true, false),
        ("our last meeting", true, false),
        ("recently watched films", true, false),
        ("qual é o endereço atual", true, false),
        ("最近看的电影", true, false),
        ("최근 회의", true, false),
        ("When did Ana move?", false, true),
        ("what day is the concert", false, true),
        ("quando foi a reunião", false, true),
        ("¿cuándo nos mudamos?", false, true),
        ("wann war das Treffen", false, true),
        ("quand avons-nous déménagé", false, true),
        ("什么时候搬家", false, true),
        ("いつ引っ越した", false, true),
        ("언제 이사했지", false, true),
        ("last week", false, false),
        ("I was happy when she came", false, false),
    ] {
        let words = read(query, TODAY, "UTC");
        assert_eq!((words.wants_recent, words.asks_when), (recent, when), "{query}");
    }
}

#[test]
fn spans_cover_the_words_read() {
    let query = "what did Ana say in março de 2023 about it";
    let words = read(query, TODAY, "UTC");
    let spans: Vec<&str> = words.spans.into_iter().map(|s| &query[s]).collect();
    assert_eq!(spans, ["março de 2023"]);
}

#[test]
fn the_zone_decides_the_day_and_the_season() {
    let late_utc = 1_715_815_800_000; // 2024-05-15T23:30Z
    assert_eq!(date_in(late_utc, "UTC"), TODAY);
    assert_eq!(date_in(late_utc, "Asia/Tokyo"), date(2024, 5, 16));
    assert_eq!(date_in(late_utc, "no/zone"), TODAY);
    let summer = read("last summer", TODAY, "America/Sao_Paulo").range;
    assert_eq!(summer, Some(DateRange { start: date(2023, 12, 1), end: date(2024, 2, 29) }));
}

/// Milliseconds since the epoch of an instant in RFC 3339.
fn at(instant: &str) -> i64 {
    instant.parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

/// What "yesterday" and "last week" are at an instant for a user in a zone.
fn yesterday_and_last_week(instant: &str, zone: &str) -> (String, String) {
    let today = date_in(at(instant), zone);
    let range = |query: &str| read(query, today, zone).range.map(|r| format!("{}/{}", r.start, r.end)).unwrap();
    (range("yesterday"), range("last week"))
}

#[test]
fn on_both_sides_of_the_date_line_yesterday_is_the_users_own() {
    // Still Sunday in Pago Pago, Monday in Lisbon and Auckland, Tuesday already on Kiritimati.
    let instant = "2024-05-13T10:30:00Z";
    for (zone, yesterday, last_week) in [
        ("Pacific/Pago_Pago", "2024-05-11/2024-05-11", "2024-04-29/2024-05-05"),
        ("Europe/Lisbon", "2024-05-12/2024-05-12", "2024-05-06/2024-05-12"),
        ("Pacific/Auckland", "2024-05-12/2024-05-12", "2024-05-06/2024-05-12"),
        ("Pacific/Kiritimati", "2024-05-13/2024-05-13", "2024-05-06/2024-05-12"),
    ] {
        let want = (yesterday.to_owned(), last_week.to_owned());
        assert_eq!(yesterday_and_last_week(instant, zone), want, "{zone}");
    }
    // Samoa crossed the line: after Thursday came Saturday.
    assert_eq!(date_in(at("2011-12-30T09:59:59Z"), "Pacific/Apia"), date(2011, 12, 29));
    assert_eq!(date_in(at("2011-12-30T10:00:00Z"), "Pacific/Apia"), date(2011, 12, 31));
    assert_eq!(yesterday_and_last_week("2011-12-30T10:00:00Z", "Pacific/Apia").0, "2011-12-30/2011-12-30");
}

#[test]
fn when_clocks_change_every_hour_still_has_its_day() {
    for (instant, zone, today) in [
        // One hour less: from 01:00 to 02:00.
        ("2024-03-31T00:59:59Z", "Europe/Lisbon", date(2024, 3, 31)),
        ("2024-03-31T23:00:00Z", "Europe/Lisbon", date(2024, 4, 1)),
        // One hour more: 00:30 in summer time, 23:59 in winter time.
        ("2024-10-26T23:30:00Z", "Europe/Lisbon", date(2024, 10, 27)),
        ("2024-10-27T23:59:59Z", "Europe/Lisbon", date(2024, 10, 27)),
        // The day has no midnight: 23:59:59 is followed by 01:00.
        ("2018-11-04T02:59:59Z", "America/Sao_Paulo", date(2018, 11, 3)),
        ("2018-11-04T03:00:00Z", "America/Sao_Paulo", date(2018, 11, 4)),
        // The day before has two hours from 23:00.
        ("2019-02-17T02:30:00Z", "America/Sao_Paulo", date(2019, 2, 16)),
        ("2019-02-17T03:00:00Z", "America/Sao_Paulo", date(2019, 2, 17)),
        // Half an hour.
        ("2024-04-06T13:00:00Z", "Australia/Lord_Howe", date(2024, 4, 7)),
    ] {
        assert_eq!(date_in(at(instant), zone), today, "{instant} {zone}");
        let yesterday = today.yesterday().unwrap();
        assert_eq!(yesterday_and_last_week(instant, zone).0, format!("{yesterday}/{yesterday}"), "{instant} {zone}");
    }
}

#[test]
fn a_clock_that_is_far_off_gives_a_day_and_no_failure() {
    for now_ms in [i64::MIN, -1, 0, i64::MAX] {
        for zone in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let today = date_in(now_ms, zone);
            for query in ["yesterday", "last week", "3 years ago", "last summer", "in March"] {
                assert!(read(query, today, zone).range.is_some_and(|r| r.start <= r.end), "{query} on {today}");
            }
        }
    }
    // At the ends of the calendar there is no day before or after.
    for today in [Date::MIN, Date::MAX] {
        let words = read("yesterday and next week", today, "UTC");
        assert!(words.range.is_none_or(|r| r.start <= r.end), "{today}");
    }
}

#[test]
fn dated_notes() {
    for (path, want) in [
        ("memory/2024-05-08.md", Some(date(2024, 5, 8))),
        ("memory/2024-05-08-standup.md", Some(date(2024, 5, 8))),
        ("memory/team/a/2024-05-08.md", Some(date(2024, 5, 8))),
        ("/home/x/memory/2024-05-08.md", Some(date(2024, 5, 8))),
        ("memory\\2024-05-08.md", Some(date(2024, 5, 8))),
        ("memory/2024-02-30.md", None),
        ("memory/2024-05-081.md", None),
        ("memory/notes.md", None),
        ("docs/2024-05-08.md", None),
        ("2024-05-08.md", None),
        ("memory/2024-05-08.txt", None),
        ("memory/会议会议会议.md", None),
    ] {
        assert_eq!(note_date(path), want, "{path}");
    }
}

proptest! {
    #[test]
    fn days_never_go_back_while_time_goes_on(
        from in 0_i64..2_000_000_000_000,
        minutes in 0_i64..3000,
        zone in "America/(Sao_Paulo|New_York)|Europe/Lisbon|Pacific/(Apia|Chatham|Kiritimati|Pago_Pago)|Australia/Lord_Howe",
    ) {
        let (before, after) = (date_in(from, &zone), date_in(from + minutes * 60_000, &zone));
        prop_assert!(before <= after);
        // A day that was left out where the date line was moved, and two days of the clock.
        prop_assert!(before.until(after).unwrap().get_days() <= 4);
    }

    #[test]
    fn any_query_is_read(query in "\\PC{0,40}") {
        let words = read(&query, TODAY, "UTC");
        for span in words.spans {
            prop_assert!(query.get(span).is_some());
        }
        prop_assert!(words.range.is_none_or(|r| r.start <= r.end));
    }

    #[test]
    fn any_numbers_are_read(a: u32, b in 0_u32..3000, day in 1_i8..=28, query in "(in|last|vor|há|since|between)? (march|days|年前|week) (ago|passada|2023)?") {
        let today = date(2024, 3, day);
        for query in [format!("{a} {query} {b}"), format!("{query} {b}-{a}"), format!("{b}{query}")] {
            let words = read(&query, today, "Australia/Sydney");
            prop_assert!(words.range.is_none_or(|r| r.start <= r.end));
        }
    }
}

// "Vorletzte Woche" found nothing, and "the first week of November" was all of November.
#[test]
fn the_one_before_the_last_and_weeks_of_a_month() {
    let week = "2024-04-29/2024-05-05";
    let first = "2023-11-01/2023-11-07";
    for (query, want) in [
        ("vorletzte Woche", week),
        ("was war in der vorletzten Woche", week),
        ("the week before last", week),
        ("what did we do the week before last?", week),
        ("la semana antepasada", week),
        ("la penúltima semana", week),
        ("na semana retrasada", week),
        ("l'avant-dernière semaine", week),
        ("la semaine avant la dernière", week),
        ("voorlaatste week", week),
        ("на позапрошлой неделе", week),
        ("vorletzten Monat", "2024-03-01/2024-03-31"),
        ("the year before last", "2022-01-01/2022-12-31"),
        ("vorletzten Freitag", "2024-05-03/2024-05-03"),
        ("the summer before last", "2022-06-01/2022-08-31"),
        ("übermorgen", "2024-05-17/2024-05-17"),
        ("pasado mañana", "2024-05-17/2024-05-17"),
        ("dopodomani", "2024-05-17/2024-05-17"),
        ("أول أمس", "2024-05-13/2024-05-13"),
        ("قبل أمس", "2024-05-13/2024-05-13"),
        ("the week before last Friday", "2024-05-01/2024-05-09"),
        ("what happened in the first week of November", first),
        ("in der ersten Novemberwoche", first),
        ("erste Woche im November", first),
        ("la primera semana de noviembre", first),
        ("na primeira semana de novembro", first),
        ("la première semaine de novembre", first),
        ("la prima settimana di novembre", first),
        ("de eerste week van november", first),
        ("первая неделя ноября", first),
        ("the 2nd week of November 2022", "2022-11-08/2022-11-14"),
        ("the last week of October", "2023-10-25/2023-10-31"),
        ("letzte Oktoberwoche", "2023-10-25/2023-10-31"),
        ("last week in Paris", "2024-05-06/2024-05-12"),
    ] {
        assert_eq!(range(query).as_deref(), Some(want), "{query}");
    }
    assert_eq!(range("the first week in the new office"), None);
}

// "Saturday 4 May 2024" was the last Saturday, and "the week of 6 May" that day alone: its notes were the last to be shown.
#[test]
fn a_weekday_before_its_date_and_the_week_of_a_day() {
    let day = "2024-05-04/2024-05-04";
    let week = "2024-05-03/2024-05-12";
    for (query, want) in [
        ("what was Tom up to on Saturday 4 May 2024?", day),
        ("what was on Saturday, May 4th?", day),
        ("Saturday the 4th of May", day),
        ("Saturday, 2024-05-04", day),
        ("was war am Samstag, dem 4. Mai 2024?", day),
        ("¿qué pasó el sábado 4 de mayo?", day),
        ("o que houve no sábado, 4 de maio de 2024", day),
        ("que s'est-il passé le samedi 4 mai ?", day),
        ("cosa è successo sabato 4 maggio", day),
        ("wat was er zaterdag 4 mei", day),
        ("что было в субботу 4 мая", day),
        ("what did Tom do in the week of 6 May 2024?", week),
        ("in the week of May 6", week),
        ("the week of 2024-05-06", week),
        ("in der Woche vom 6. Mai", week),
        ("la semana del 6 de mayo", week),
        ("na semana de 6 de maio", week),
        ("la semaine du 6 mai", week),
        ("nella settimana del 6 maggio", week),
        ("in de week van 6 mei", week),
        ("the weekend of 4 May", "2024-05-02/2024-05-07"),
        ("am Wochenende vom 4. Mai", "2024-05-02/2024-05-07"),
        // What else stands beside a weekday or a week stays what it was.
        ("Saturday", "2024-05-11/2024-05-11"),
        ("the week before 27 March 2024", "2024-03-18/2024-03-26"),
        ("last week of May", "2024-05-25/2024-05-31"),
        ("a week of May", "2024-05-01/2024-05-31"),
    ] {
        assert_eq!(range(query).as_deref(), Some(want), "{query}");
    }
    let spans = |query: &str| {
        let words = read(query, TODAY, "UTC");
        words.spans.into_iter().map(|span| query[span].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(spans("what was on Saturday, 4 May 2024?"), ["Saturday, 4 May 2024"]);
    assert_eq!(spans("who called in the week of 6 May?"), ["week of 6 May"]);
    assert_eq!(spans("the week of 2024-05-06 in Porto"), ["week of 2024-05-06"]);
}
