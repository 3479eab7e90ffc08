//! Which languages the embedded model understands: it was trained on English.

use std::collections::{BTreeMap, HashMap};

use whatlang::{Detector, Info, Lang, Script, detect};

/// Detections less certain than this say nothing (whatlang's own measure, 0 to 1).
const CONFIDENT: f64 = 0.8;
/// Fewer letters than this are too few to tell a language by its trigrams.
const ENOUGH_LETTERS: usize = 40;

/// Letters of languages in Cyrillic, but for those that all of them have.
const CYRILLIC: &[(Lang, &str)] = &[
    (Lang::Bul, "ийщъьюя"),
    (Lang::Rus, "ийщъыьэюяё"),
    (Lang::Ukr, "ийщьюяєіїґ"),
    (Lang::Bel, "йыьэюяёіў"),
    (Lang::Srp, "иђјљњћџ"),
    (Lang::Mkd, "иѓѕјљњќџ"),
];

/// One letter of so many that a language lacks is a word of another one in it.
const FOREIGN: usize = 200;

/// The language of a text. By trigrams alone Russian is often Bulgarian, which has no "ы".
fn language_of(text: &str) -> Option<Info> {
    let info = detect(text)?;
    if info.script() != Script::Cyrillic {
        return Some(info);
    }
    let lower = text.to_lowercase();
    let letters = lower.chars().filter(|c| c.is_alphabetic()).count();
    let is_of = |c: char, of: Lang| CYRILLIC.iter().any(|(lang, own)| *lang == of && own.contains(c));
    let is_told = |c: &char| CYRILLIC.iter().any(|(_, own)| own.contains(*c));
    let lacks = |of: Lang| lower.chars().filter(is_told).filter(|c| !is_of(*c, of)).count() * FOREIGN > letters;
    let denied: Vec<Lang> = CYRILLIC.iter().map(|(lang, _)| *lang).filter(|lang| lacks(*lang)).collect();
    if denied.len() == CYRILLIC.len() { Some(info) } else { Detector::with_denylist(denied).detect(text) }
}

/// Whether the trigrams of a text leave no doubt.
fn is_certain(info: &Info, text: &str) -> bool {
    info.confidence() >= CONFIDENT && text.chars().filter(|c| c.is_alphabetic()).count() >= ENOUGH_LETTERS
}

/// How many texts are in a language.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Those of which it can be told.
    pub told: usize,
    /// All of them, as far as can be told.
    pub likely: usize,
}

/// Languages that the embedded model does not know, among the texts of one memory: their English names, with how many texts
/// are in each. What is too short to tell is in Latin letters of the same languages as the other texts in them, English
/// included: of notes that were Spanish throughout a third was said to be. In other letters it is not English for certain, and
/// which language it is, is told of all such texts together: Russian notes were Ukrainian and Bulgarian one by one.
pub fn uncovered<'t>(texts: impl Iterator<Item = &'t str>) -> BTreeMap<&'static str, Count> {
    let mut others: HashMap<Lang, usize> = HashMap::new();
    let mut latin: HashMap<Lang, usize> = HashMap::new();
    let mut all_latin = 0;
    let mut unsure: HashMap<Script, (usize, String)> = HashMap::new();
    for text in texts {
        let Some(info) = language_of(text) else { continue };
        let is_latin = info.script() == Script::Latin;
        all_latin += usize::from(is_latin);
        if is_certain(&info, text) {
            *if is_latin { &mut latin } else { &mut others }.entry(info.lang()).or_default() += 1;
        } else if !is_latin {
            let (count, all) = unsure.entry(info.script()).or_default();
            *count += 1;
            all.push_str(text);
            all.push('\n');
        }
    }
    for (count, all) in unsure.into_values() {
        if let Some(info) = language_of(&all) {
            *others.entry(info.lang()).or_default() += count;
        }
    }
    let told_latin: usize = latin.values().sum();
    let likely = |told: usize| (told * all_latin + told_latin / 2) / told_latin;
    let latin = latin.into_iter().map(|(lang, told)| (lang, Count { told, likely: likely(told) }));
    let others = others.into_iter().map(|(lang, told)| (lang, Count { told, likely: told }));
    let mut languages = BTreeMap::<&str, Count>::new();
    for (lang, count) in latin.chain(others).filter(|(lang, _)| *lang != Lang::Eng) {
        let sum = languages.entry(lang.eng_name()).or_default();
        *sum = Count { told: sum.told + count.told, likely: sum.likely + count.likely };
    }
    languages
}

/// Whether the embedded model can be expected to understand `text`. What is too short or too mixed to tell has the benefit of the
/// doubt.
#[must_use]
pub fn knows(text: &str) -> bool {
    let Some(info) = detect(text) else { return true };
    // Another script is no English at once; Latin letters need a longer look.
    let certain = info.script() != Script::Latin || is_certain(&info, text);
    !certain || info.lang() == Lang::Eng
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_languages_it_does_not_know() {
        for (text, language) in [
            ("会議は来週の火曜日に延期されました。", "Japanese"),
            ("Мама просила купить хлеб и молоко, а ещё забрать посылку на почте до шести.", "Russian"),
            ("Der Keller war im November feucht, deshalb stehen die Kisten jetzt auf Paletten.", "German"),
            ("내일 아침 일곱 시에 출발한다.", "Korean"),
        ] {
            assert!(!knows(text), "{text}");
            assert_eq!(
                uncovered([text].into_iter()),
                BTreeMap::from([(language, Count { told: 1, likely: 1 })]),
                "{text}"
            );
        }
    }

    // Russian notes were told to be Ukrainian and Bulgarian, and Spanish ones to be Spanish to a third.
    #[test]
    fn what_is_too_short_to_tell_is_told_with_the_others_or_not_counted() {
        let russian = [
            "Пароль от сейфа у Ани.",
            "Код домофона 4711",
            "Врач: среда, 10:30",
            "Купить лампу",
            "Ключи у соседа",
            "Билеты на поезд у мамы",
            "Этот насос чинили зимой, а крышу ещё нет.",
        ];
        assert_eq!(uncovered(russian.into_iter()), BTreeMap::from([("Russian", Count { told: 7, likely: 7 })]));
        let spanish = [
            "Llaves: cajón",
            "Wifi casa",
            "- té verde",
            "El médico de la abuela atiende los martes por la tarde en la calle del puerto.",
        ];
        assert_eq!(uncovered(spanish.into_iter()), BTreeMap::from([("Spanish", Count { told: 1, likely: 4 })]));
        let english = "The boiler was serviced in February, and the pressure has to be topped up twice a year.";
        assert_eq!(uncovered([english].into_iter()), BTreeMap::new());
    }

    // 12 of 61 chunks were 46 %, because those of the English ones that are short were left out.
    #[test]
    fn short_texts_in_latin_letters_make_no_other_language_more() {
        let japanese = ["会議は来週の火曜日に延期されました。"; 2];
        let english = "The boiler was serviced in February, and the pressure has to be topped up twice a year.";
        let german = "Der Keller war im November feucht, deshalb stehen die Kisten jetzt auf Paletten.";
        let short = ["Buy tea", "Wifi: 4711", "Keys at Ana's", "Call the plumber", "Tickets", "Lamp"];
        let texts = || japanese.into_iter().chain([english]).chain(short);
        assert_eq!(uncovered(texts()), BTreeMap::from([("Japanese", Count { told: 2, likely: 2 })]));
        let mixed = uncovered(texts().chain([german]));
        assert_eq!(mixed["German"], Count { told: 1, likely: 4 }, "half of those that can be told");
        assert_eq!(mixed["Japanese"], Count { told: 2, likely: 2 });
        assert_eq!(uncovered(short.into_iter()), BTreeMap::new());
    }

    #[test]
    fn knows_english_and_gives_short_or_code_like_texts_the_benefit_of_the_doubt() {
        for text in [
            "The boiler was serviced in February, and the pressure has to be topped up twice a year.",
            "ok",
            "",
            "2026-07-01 12:30",
            "git rebase --onto main feature~3 feature",
            "wifi: hunter2",
        ] {
            assert!(knows(text), "{text}");
        }
    }
}
