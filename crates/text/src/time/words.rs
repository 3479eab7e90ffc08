//! The vocabulary of time in spaced languages. Words are folded: lower case, no accents.

use std::{collections::HashMap, sync::LazyLock};

use foldhash::fast::RandomState;

/// A stretch of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Weekend,
    Month,
    Year,
}

/// Where a stretch lies as seen from now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Before the last one.
    BeforeLast,
    Last,
    This,
    Next,
}

/// What a word says about time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// 1–12.
    Month(i8),
    /// A month's name that is also another word, or short: needs a number or preposition beside it.
    WeakMonth(i8),
    /// 1 = Monday.
    Weekday(i8),
    /// A weekday's name that is also a number: needs `feira` after it.
    WeakWeekday(i8),
    Feira,
    Unit(Unit),
    Side(Side),
    /// Days from today.
    Day(i32),
    /// A part of the day; with "last" the night before.
    DayPart,
    Number(i32),
    /// An unclear small number.
    Few,
    Ago,
    /// Before an amount: so long from now.
    Ahead,
    /// "Que vem", "qui vient": behind a stretch, the next one.
    Coming,
    /// 0 = spring.
    Season(i8),
    Recent,
    When,
    /// "in", "on": makes a bare month, year or season a time.
    In,
    Since,
    Before,
    After,
    Between,
    /// Articles and such between the parts of a date.
    Filler,
}

pub(super) const WORDS: &[(Sense, &str)] = &[
    (Sense::Month(1), "january janeiro enero januar janvier gennaio januari январь января январе"),
    (Sense::Month(2), "february fevereiro febrero februar fevrier febbraio februari февраль февраля феврале"),
    (Sense::Month(3), "marco marzo marz maerz maart март марта марте"),
    (Sense::WeakMonth(3), "march mars"),
    (Sense::Month(4), "april abril avril aprile апрель апреля апреле"),
    (Sense::Month(5), "maio mayo maggio мая мае"),
    (Sense::WeakMonth(5), "may mai mei май"),
    (Sense::Month(6), "june junho junio juni juin giugno июнь июня июне"),
    (Sense::Month(7), "july julho julio juli juillet luglio июль июля июле"),
    (Sense::WeakMonth(8), "august"),
    (Sense::Month(8), "agosto aout augustus август августа августе"),
    (Sense::Month(9), "september setembro septiembre setiembre septembre settembre сентябрь сентября сентябре"),
    (Sense::Month(10), "october outubro octubre oktober octobre ottobre октябрь октября октябре"),
    (Sense::Month(11), "november novembro noviembre novembre ноябрь ноября ноябре"),
    (Sense::Month(12), "december dezembro diciembre dezember decembre dicembre декабрь декабря декабре"),
    (Sense::WeakMonth(1), "jan ene gen janv"),
    (Sense::WeakMonth(2), "feb fev fevr"),
    (Sense::WeakMonth(3), "mar mrt"),
    (Sense::WeakMonth(4), "apr abr avr"),
    (Sense::WeakMonth(5), "mag"),
    (Sense::WeakMonth(6), "jun giu"),
    (Sense::WeakMonth(7), "jul lug juil"),
    (Sense::WeakMonth(8), "aug ago"),
    (Sense::WeakMonth(9), "sep sept set"),
    (Sense::WeakMonth(10), "oct okt out ott"),
    (Sense::WeakMonth(11), "nov"),
    (Sense::WeakMonth(12), "dec dez dic"),
    (Sense::Weekday(1), "monday lunes montag lundi lunedi maandag понедельник понедельника الاثنين الإثنين"),
    (Sense::Weekday(2), "tuesday martes dienstag mardi martedi dinsdag вторник вторника الثلاثاء"),
    (Sense::Weekday(3), "wednesday miercoles mittwoch mercredi mercoledi woensdag среда среду среды الأربعاء"),
    (Sense::Weekday(4), "thursday jueves donnerstag jeudi giovedi donderdag четверг четверга الخميس"),
    (Sense::Weekday(5), "friday viernes freitag vendredi venerdi vrijdag пятница пятницу пятницы الجمعة"),
    (Sense::Weekday(6), "saturday sabado samstag sonnabend samedi sabato zaterdag суббота субботу субботы السبت"),
    (Sense::Weekday(7), "sunday domingo sonntag dimanche domenica zondag воскресенье воскресенья الأحد"),
    (Sense::WeakWeekday(1), "segunda"),
    (Sense::WeakWeekday(2), "terca"),
    (Sense::WeakWeekday(3), "quarta"),
    (Sense::WeakWeekday(4), "quinta"),
    (Sense::WeakWeekday(5), "sexta"),
    (Sense::Feira, "feira"),
    (
        Sense::Unit(Unit::Day),
        "day days dia dias tag tage tagen jour jours giorno giorni dag dagen день дня дней يوم ايام أيام",
    ),
    (
        Sense::Unit(Unit::Week),
        "week weeks semana semanas woche wochen semaine semaines settimana settimane weken неделя неделе неделю недели недель \
         أسبوع الأسبوع أسابيع",
    ),
    (Sense::Unit(Unit::Weekend), "weekend weekends wochenende выходные выходных"),
    (
        Sense::Unit(Unit::Month),
        "month months mes meses monat monate monaten monats mois mese mesi maand maanden месяц месяца месяце месяцев \
         شهر الشهر أشهر",
    ),
    (
        Sense::Unit(Unit::Year),
        "year years ano anos jahr jahre jahren jahres an ans annee annees anno anni jaar jaren год года году лет \
         سنة السنة العام سنوات",
    ),
    (
        Sense::Side(Side::Last),
        "last past previous passado passada passados passadas pasado pasada pasados pasadas ultimo ultima ultimos ultimas \
         letzte letzten letzter letztes letztem vergangene vergangenen vergangenes vorige vorigen voriges dernier derniere \
         derniers dernieres passe passee scorso scorsa scorsi ultimi ultime afgelopen laatste прошлой прошлом прошлый прошлую \
         прошлые прошлое последние последний последнюю الماضي الماضية",
    ),
    (
        Sense::Side(Side::BeforeLast),
        "vorletzte vorletzten vorletzter vorletztes vorletztem vorvergangene vorvergangenen penultima penultimo antepasada \
         antepasado retrasada retrasado atrasada voorlaatste eervorige voorvorige penultieme позапрошлая позапрошлой позапрошлую \
         позапрошлый позапрошлом позапрошлого позапрошлое",
    ),
    (
        Sense::Side(Side::This),
        "this este esta estes estas neste nesta nestes nestas deste desta esse essa nesse nessa diese diesen dieser dieses diesem ce cet cette questo questa deze dit этой этом эту \
         этот هذا هذه",
    ),
    (
        Sense::Side(Side::Next),
        "next upcoming coming proximo proxima proximos proximas nachste nachsten nachster nachstes kommende kommenden \
         kommender kommendes prochain prochaine prossimo prossima volgende komende aanstaande следующей следующем следующая \
         следующий следующую следующее القادم القادمة المقبل المقبلة",
    ),
    (Sense::Day(0), "today tonight hoje hoy heute aujourd oggi stamattina stasera vandaag сегодня اليوم"),
    (Sense::Day(-1), "yesterday ontem ayer gestern hier ieri gisteren вчера أمس"),
    (Sense::Day(-2), "anteontem anteayer antier vorgestern avantieri eergisteren позавчера"),
    (Sense::Day(1), "tomorrow amanha morgen demain domani завтра غدا"),
    (Sense::Day(2), "ubermorgen overmorgen dopodomani послезавтра"),
    (
        Sense::DayPart,
        "night morning afternoon evening noite noche nacht nuit soir notte sera manha tarde madrugada manana matin mattina pomeriggio ochtend avond",
    ),
    (Sense::Number(1), "one a an um uma un una ein eine einen einem einer une uno een один одну"),
    (Sense::Number(2), "two couple dois duas dos zwei deux due twee два две"),
    (Sense::Number(3), "three tres drei trois tre drie три"),
    (Sense::Number(4), "four quatro cuatro vier quatre quattro четыре"),
    (Sense::Number(5), "five cinco funf cinq cinque vijf пять"),
    (Sense::Number(6), "six seis sechs sei zes шесть"),
    (Sense::Number(7), "seven sete siete sieben sept sette zeven семь"),
    (Sense::Number(8), "eight oito ocho acht huit otto восемь"),
    (Sense::Number(9), "nine nove nueve neun neuf negen девять"),
    (Sense::Number(10), "ten dez diez zehn dix dieci tien десять"),
    (Sense::Number(12), "twelve doze doce zwolf douze dodici twaalf двенадцать"),
    (
        Sense::Few,
        "few several alguns algumas unos unas algunos algunas einige einigen ein-paar paar quelques qualche alcuni alcune \
         enkele несколько",
    ),
    (Sense::Ago, "ago earlier atras ha hace vor fa geleden назад قبل منذ"),
    (Sense::Ahead, "dentro daqui dans over через بعد"),
    (Sense::Coming, "vem viene vient"),
    (Sense::Season(0), "spring primavera fruhling fruhjahr printemps lente весной весна"),
    (Sense::Season(1), "summer verao verano sommer ete estate zomer летом лето"),
    (Sense::Season(2), "autumn outono otono herbst automne autunno herfst осенью осень"),
    (Sense::Season(3), "winter inverno invierno hiver зимой зима"),
    (
        Sense::Recent,
        "recent recently latest lately newest current currently nowadays recente recentes recentemente ultimamente atual \
         atualmente reciente recientes recientemente actualmente kurzlich neulich neueste neuesten neuester neuestes aktuell \
         aktuelle aktuellen recemment recents recente dernierement recenti onlangs nieuwste actuele недавно последнее",
    ),
    (Sense::When, "when quando cuando wann quand wanneer когда متى"),
    (
        Sense::In,
        "in on during of em no na nos nas durante en el im am le nel nella op au в во during pendant wahrend tijdens year ano \
         ano jahr annee anno jaar في",
    ),
    (Sense::Since, "since desde seit depuis dal dalla sinds с"),
    (Sense::Before, "before antes vor avant prima voor до"),
    (Sense::After, "after depois despues nach apres dopo после"),
    (Sense::Between, "between from entre zwischen tra fra tussen между"),
    (
        Sense::Filler,
        "the of de do da dos das del della dello la lo las los el le les l d der die das den dem des du o os a as i il e of \
         den van het on this im am st nd rd th year ano em",
    ),
];

static SENSES: LazyLock<HashMap<&'static str, Vec<Sense>, RandomState>> = LazyLock::new(|| {
    let mut map: HashMap<&str, Vec<Sense>, _> = HashMap::default();
    for (sense, words) in WORDS {
        for word in words.split_whitespace() {
            map.entry(word).or_default().push(*sense);
        }
    }
    map
});

/// Everything a folded word can mean.
pub(super) fn senses(word: &str) -> &'static [Sense] {
    SENSES.get(word).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;

    #[test]
    fn words_are_folded() {
        for (_, words) in WORDS {
            for word in words.split_whitespace() {
                assert_eq!(fold(word), word);
            }
        }
    }
}
