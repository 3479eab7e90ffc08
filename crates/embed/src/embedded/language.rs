//! Which languages the embedded model understands: it was trained on English.

/// Detections less certain than this say nothing (whatlang's own measure, 0 to 1).
const CONFIDENT: f64 = 0.8;
/// Fewer letters than this are too few to tell a language by its trigrams.
const ENOUGH_LETTERS: usize = 40;

/// The English name of the language of `text` if the embedded model does not know it, so that `status` can say that
/// keyword search carries it. None for English, and for texts too short or too mixed to tell.
#[must_use]
pub fn uncovered(text: &str) -> Option<&'static str> {
    let info = whatlang::detect(text)?;
    // A script of its own tells the language at once; Latin letters need a longer look.
    let certain = info.script() != whatlang::Script::Latin
        || (info.confidence() >= CONFIDENT && text.chars().filter(|c| c.is_alphabetic()).count() >= ENOUGH_LETTERS);
    (certain && info.lang() != whatlang::Lang::Eng).then(|| info.lang().eng_name())
}

/// Whether the embedded model can be expected to understand `text`.
#[must_use]
pub fn knows(text: &str) -> bool {
    uncovered(text).is_none()
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
            assert_eq!(uncovered(text), Some(language), "{text}");
        }
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
