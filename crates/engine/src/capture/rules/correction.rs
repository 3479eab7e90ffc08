//! Corrections that have no subject of their own ("No, sorry, it's the 10th."): they say something only behind what they
//! correct.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;
use text::time::is_month;

use super::super::{pattern::as_written, sentences::sentences};

/// Most words behind the beginning, and characters of one: Chinese and Japanese have no spaces.
const MOST_WORDS: usize = 8;
const MOST_CHARS: usize = 14;

/// What may stand before.
const WEAK: &str = r"(?:oh|ah|ach|oha|ay|ops|oj|hm+|well|ok(?:ay)?|and|but|und|aber|also|mas|pero|mais|ma|maar|ой|а|あ|あっ|えっと|啊|哦|아)";
/// Denials, which are an answer to many things: they want a comma, or an apology behind them.
const DENIALS: &str = r"(?:no|nope|nah|nein|nee|non|não|nao|ne|nie|нет|hayır|لا|नहीं|いや|いえ|いいえ|不对|不是|不對|不|아니(?:요|야|에요)?)";
const CORRECTIONS: &str = concat!(
    r"(?:sorry|apologies|my (?:mistake|bad)|pardon(?: me)?|excuse me|correction|actually|w?oops|wait|i (?:mean|meant)|or rather|rather|entschuldigung|entschuldige|tut mir leid|verzeihung|korrektur|quatsch|moment|ich (?:meine|meinte)|besser gesagt",
    r"|perd[óo]n(?:a|e)?|disculpa|disculpe|lo siento|quise decir|quería decir|mejor dicho|corrijo|corrección|desculpa|desculpe|perdão|quer(?:o|ia)? dizer|quis dizer|aliás|digo|correção",
    r"|désolée?|excuse-moi|excusez-moi|je (?:voulais|veux) dire|plutôt|erreur|scusa(?:mi)?|mi dispiace|volevo dire|intendevo|anzi|correzione|ik bedoel(?:de)?|correctie|promiň(?:te)?|przepraszam|özür dilerim|yani",
    r"|извини(?:те)?|прости(?:те)?|я имела? в виду|точнее|вернее|ошибся|ошиблась|آسفة?|عفوا|عفوًا|معذرة|أقصد|माफ़ करना|माफ करना|सॉरी|मेरा मतलब",
    r"|すみません|ごめん(?:なさい)?|失礼(?:しました)?|訂正|抱歉|对不起|對不起|我是说|我是說|미안(?:해|해요)?|죄송(?:해요|합니다)?)"
);

/// Words that hold a correction together and name nothing.
const BETWEEN: &str = "\
    it's it is its was that's that i mean meant on at in of the for by not but and a from until till to around \
    about am pm a.m p.m o'clock called named es ist war um im der die das den dem erst nicht sondern ich meine \
    meinte vom bis ab gegen uhr und heißt bitte el la las los en de del no sino era fue y día al a se llama son \
    é o os as na em do da dia não mas foi às ao chama chama-se são c'est c'était le les au à du pas mais vers il \
    elle s'appelle è lo alle nel di non ma giorno si chiama sono het op om een niet maar van bij heet uur это \
    был было была в во на не а числа года с до je to v dne w jest nie ale o değil هو هي في يوم الساعة كان ليس بل \
    है को में यह तारीख नहीं बल्कि था बजे です でした は 是";
/// Of these those that say of a name that it is the right one: a name alone may be whom somebody speaks to.
const NAMING: &str = "\
    it's is that's was meant mean not called named ist war heißt meine meinte sondern es era llama sino é foi \
    chama chama-se c'est c'était s'appelle è chiama het heet это in at on en em à a на в bei mit with";
/// Of these those behind a subject: "der Kardiologe ist am 11." says something by itself, and its subject looks like a name.
const VERBS: &str =
    "is was ist war heißt es era é foi est è heet chama chama-se llama s'appelle это był jest je है था هو";
/// What is counted.
const UNITS: &str = "\
    euro euros eur dollar dollars usd pounds chf kg g mg ml km m cm percent prozent years year old days weeks \
    months hours minutes jahre tage wochen años días anos dias ans jours anni giorni jaar dagen лет дней h";
/// Days of the week and numbers in words.
const VALUES: &str = "\
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag \
    sonntag lunes martes miércoles jueves viernes sábado domingo segunda terça quarta quinta sexta segunda-feira \
    terça-feira quarta-feira quinta-feira sexta-feira lundi mardi mercredi jeudi vendredi samedi dimanche lunedì \
    martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag donderdag vrijdag zaterdag zondag \
    понедельник вторник среда среду четверг пятница пятницу суббота субботу воскресенье one two three four five \
    six seven eight nine ten eleven twelve zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dos tres \
    cuatro cinco seis siete ocho nueve diez dois duas três quatro sete oito nove dez deux trois quatre cinq sept \
    huit neuf dix due tre quattro cinque sette otto dieci tomorrow morgen mañana amanhã demain domani";

static BEGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let gap = r"[\s,.!:;、，。！،–—-]";
    let word = format!("(?:{WEAK}|{DENIALS}|{CORRECTIONS})");
    as_written(&format!(
        r"^(?:{WEAK}{gap}+)*(?:(?:{DENIALS}{gap}+)*{CORRECTIONS}{gap}+|{DENIALS}[ ]?[,.!:;、，。！،–—-]+\s*)(?:{word}{gap}+)*"
    ))
});

static WORDS: LazyLock<[HashSet<&str>; 5]> =
    LazyLock::new(|| [BETWEEN, NAMING, UNITS, VALUES, VERBS].map(|words| words.split_whitespace().collect()));

/// The sentence that a message is, where it corrects what was said right before it and has no subject of its own.
pub(crate) fn correction(message: &str) -> Option<&str> {
    let mut all = sentences(message);
    let sentence = all.next()?;
    (all.next().is_none() && corrects(sentence)).then_some(sentence)
}

/// Whether a sentence says nothing but what it corrects.
pub(super) fn only_corrects(sentence: &str) -> bool {
    corrects(sentence) && !has_subject(sentence)
}

/// Whether a name stands before the verb of a sentence that begins as a correction.
fn has_subject(sentence: &str) -> bool {
    let [between, _, _, values, verbs] = &*WORDS;
    let begin = BEGIN.as_ref().and_then(|begin| begin.find(sentence)).map_or(0, |begin| begin.end());
    let words = sentence.get(begin..).unwrap_or_default().split_whitespace();
    let mut is_named = false;
    for bare in words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())) {
        let lower = bare.to_lowercase();
        if is_named && verbs.contains(lower.as_str()) {
            return true;
        }
        let is_other = between.contains(lower.as_str()) || values.contains(lower.as_str()) || is_month(bare);
        is_named |= bare.starts_with(char::is_uppercase) && !is_other;
    }
    false
}

/// Whether a sentence is such a correction: begins as one, and has nothing behind that but a day, a number or a name.
pub(super) fn corrects(sentence: &str) -> bool {
    let [between, naming, units, values, _] = &*WORDS;
    let Some(begin) = BEGIN.as_ref().and_then(|begin| begin.find(sentence)) else { return false };
    let rest = sentence.get(begin.end()..).unwrap_or_default();
    if sentence.ends_with(['?', '？', '؟']) || rest.split_whitespace().count() > MOST_WORDS {
        return false;
    }
    // "I meant Costa" says with its beginning that the name is the right one.
    let mut is_named = begin.as_str().to_lowercase().contains("mean");
    let (mut holds_value, mut holds_name) = (false, false);
    for word in rest.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase().replace('\u{2019}', "'");
        let plain = lower.strip_prefix("l'").unwrap_or(&lower);
        if plain.is_empty() {
            continue;
        }
        is_named |= naming.contains(plain);
        if bare.chars().any(char::is_numeric) {
            if bare.chars().count() > MOST_CHARS {
                return false;
            }
            holds_value = true;
        } else if values.contains(plain) || (is_month(bare) && !between.contains(plain)) {
            holds_value = true;
        } else if !(between.contains(plain) || holds_value && units.contains(plain)) {
            // What else begins with a small letter is a subject, or something to do.
            if !bare.starts_with(char::is_uppercase) {
                return false;
            }
            holds_name = true;
        }
    }
    holds_value || (holds_name && is_named)
}

/// What was said with its correction: the later day stands last.
pub(in crate::capture) fn with_correction(said: &str, correction: &str) -> String {
    format!("{said} – {correction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corrections_without_a_subject_are_known() {
        let texts = [
            "No, sorry, it's the 10th.",
            "No, sorry, it’s the 10th of December",
            "Sorry, I meant the 10th of December",
            "I meant Thursday.",
            "Oops, at 5 pm",
            "Actually, it's Dr Costa.",
            "No, not Anna, I meant Hannah.",
            "Wait, no: 40 euros",
            "Nein, Entschuldigung, am 10.",
            "Ich meinte den 10. Dezember",
            "No, perdón, es el 10",
            "Não, desculpa, é no dia 10",
            "Non, pardon, c'est le 10",
            "No, scusa, è il 10 dicembre",
            "Nee, sorry, het is de 10e",
            "Нет, извини, 10 декабря",
            "لا، آسف، يوم 10",
            "नहीं, माफ़ करना, 10 तारीख को",
            "いや、すみません、10日です",
            "不对，是10号",
            "아니, 미안, 10일이야",
        ];
        let unknown: Vec<&str> = texts.into_iter().filter(|text| correction(text).is_none()).collect();
        assert!(BEGIN.is_some() && unknown.is_empty(), "{unknown:#?}");
    }

    #[test]
    fn what_has_a_subject_or_nothing_to_correct_is_none() {
        let texts = [
            "No, sorry, my dentist is Dr Costa.",
            "Nein, der Kardiologe wohnt in Graz",
            "No, thanks.",
            "No, 10 is fine for me",
            "Sorry, Claude.",
            "No, Claude!",
            "No, use 10 workers",
            "No 10 Downing Street",
            "Sorry, is it the 10th?",
            "Actually, let's talk about 1984",
            "Wait, I need 5 minutes",
            "Sorry, it's late",
            "It's the 10th.",
            "No, it's the 10th. And buy milk.",
            "不，我10岁的儿子每天早上都喜欢喝热茶",
            "",
        ];
        let taken: Vec<&str> = texts.into_iter().filter(|text| correction(text).is_some()).collect();
        assert!(taken.is_empty(), "{taken:#?}");
    }
}
