use std::collections::HashSet;

use super::{table::TABLE, *};
use crate::{fold::compose, query::understand};

fn plan(question: &str) -> QueryPlan {
    understand(question, 1_795_176_000_000, "UTC")
}

/// What the words of a question may be called elsewhere.
fn found(question: &str) -> Vec<String> {
    let query = plan(question);
    let speech = Speech::of(&query);
    let words = query.terms.iter().filter(|term| term.kind == TermKind::Word).map(|term| term.surface.as_str());
    words.chain(runs(&query.text)).flat_map(|word| speech.translations(word, |_| true)).map(|new| new.term).collect()
}

fn gloss(question: &str) -> Option<String> {
    Speech::of(&plan(question)).gloss()
}

fn function_words(question: &str) -> Vec<&'static str> {
    Speech::of(&plan(question)).function_words().collect()
}

#[test]
fn the_table_is_in_form() {
    let mut english = HashSet::new();
    let mut counts = [0; COLUMNS.len()];
    for line in TABLE.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        assert_eq!(cells.len(), COLUMNS.len(), "{line}");
        assert!(english.insert(cells[0]), "{} twice", cells[0]);
        for (at, cell) in cells.iter().enumerate() {
            for word in words(cell) {
                let may_be_many = at == 0 && !word.starts_with(' ') && !word.ends_with(' ');
                let is_word = |c: char| c.is_alphabetic() || "'’-ー".contains(c) || script(c) == Script::Mark;
                assert!(
                    !word.is_empty() && word.chars().all(|c| is_word(c) || (may_be_many && c == ' ')),
                    "{line}: {word}"
                );
                assert_eq!(word, compose(word).to_lowercase(), "{line}");
                counts[at] += 1;
            }
        }
    }
    let header: Vec<&str> = TABLE.lines().next().unwrap_or_default().split('\t').collect();
    let codes = COLUMNS.map(|column| match column {
        Column::Of(language) => language.code(),
        Column::Chinese => "zh",
        Column::Japanese => "ja",
        Column::Korean => "ko",
    });
    assert_eq!(header, codes);
    assert!(counts.iter().all(|count| *count > 4_500), "{counts:?}");
}

#[test]
fn a_word_is_known_in_other_languages_however_it_is_inflected() {
    for (question, term) in [
        ("Wann bin ich beim Zahnarzt?", "dentist"),
        ("wo liegen die Schlüssel", "key"),
        ("¿dónde están las llaves?", "key"),
        ("onde estão as chaves?", "schlussel"),
        ("où sont les clés de la maison ?", "hous"),
        ("где ключи от машины", "car"),
        ("dişçi randevusu ne zaman", "dentist"),
        ("when is the dentist coming", "zahnarzt"),
        ("when is the dentist coming", "牙医"),
        ("歯医者の予約はいつですか", "dentist"),
        ("牙医预约在什么时候", "dentist"),
        ("치과 예약이 언제였지", "dentist"),
        ("أين مفتاح البيت", "key"),
    ] {
        let found = found(question);
        assert!(found.iter().any(|found| found == term), "{question} {term}: {found:?}");
    }
}

// "Reiseversicherung" is in no table.
#[test]
fn what_is_joined_is_known_by_its_parts() {
    for (question, terms) in [
        ("Wo ist die Reiseversicherung?", ["travel", "insur"]),
        ("waar is de reisverzekering", ["travel", "insur"]),
        ("var är reseförsäkringen", ["travel", "insur"]),
    ] {
        let found = found(question);
        for term in terms {
            assert!(found.iter().any(|found| found == term), "{question} {term}: {found:?}");
        }
    }
}

#[test]
fn a_word_of_another_language_is_no_other_word() {
    // Gift is poison in German only, and Spanish "talla" no tall.
    assert!(found("Wo ist das Gift gegen die Schnecken?").iter().any(|found| found == "poison"));
    assert!(!found("where is the gift for the party").iter().any(|found| found == "poison"));
    assert!(!found("¿qué talla usa mi hermana?").iter().any(|found| found == "alto"));
    assert!(found("xyzzy").is_empty());
}

#[test]
fn a_question_is_put_into_english_where_half_of_it_is_known() {
    for (question, words) in [
        ("Wo ist der Schlüssel für das Auto?", "key car"),
        ("歯医者の予約はいつですか", "dentist"),
        ("onde estão as chaves do Kowalczyk", "key"),
    ] {
        let found = gloss(question).unwrap_or_default();
        assert!(words.split(' ').all(|word| found.split(' ').any(|found| found == word)), "{question}: {found}");
    }
    assert_eq!(gloss("Kowalczyk Nowak Wiśniewski"), None);
    assert_eq!(gloss(""), None);
}

#[test]
fn the_language_of_a_question_is_told_by_its_script_or_its_words() {
    for (question, word) in [
        ("wo ist der Schlüssel", "und"),
        ("where is the key", "the"),
        ("ключ от машины", "и"),
        ("鍵はどこですか", "です"),
        ("钥匙在哪里", "的"),
        ("열쇠가 어디 있어", "니다"),
        ("Zahnarzttermin Versicherung", "und"),
        // Portuguese or Italian.
        ("quanto pesa", "uma"),
        ("quanto pesa", "della"),
    ] {
        assert!(function_words(question).contains(&word), "{question}");
    }
    assert!(function_words("Kowalczyk").is_empty());
}

// Hostile text: no panic at the borders of characters, and no long look.
#[test]
fn any_text_is_read() {
    for text in ["", "中", "中中中中中中中中中中中", "👩‍👩‍👧‍👦中文👩‍👩‍👧‍👦", "ーーーーーーーーーー", &"缓存多久".repeat(400)]
    {
        assert!(gloss(text).is_none_or(|gloss| !gloss.is_empty()));
        assert!(runs(text).iter().all(|word| text.contains(word)));
    }
}

// Outside English a word was looked for as it is typed and in no other words.
#[test]
fn words_of_similar_meaning_are_known_in_each_language() {
    for (question, word, other) in [
        ("Welches Medikament nimmt mein Vater?", "Medikament", "arznei"),
        ("¿qué medicina toma mi abuela?", "medicina", "farmac"),
        ("que remédio toma o meu pai", "remédio", "medicin"),
        ("quel médicament prend mon père ?", "père", "pap"),
        ("che medicina prende mio padre", "medicina", "farmac"),
        ("welke medicijnen neemt mijn vader", "medicijnen", "geneesmiddel"),
        ("vilken medicin tar min pappa", "medicin", "lakemedel"),
        ("какие лекарства принимает муж?", "лекарства", "препарат"),
        ("hangi ilacı alıyorum?", "ilacı", "hap"),
        ("ما الدواء الذي يأخذه أبي", "الدواء", "طبيب"),
        ("父亲吃什么药", "父亲", "爸爸"),
        ("아버지가 먹는 약이 뭐야", "약이", "의사"),
        ("旅行はいつですか", "旅行", "旅路"),
    ] {
        let query = plan(question);
        let found = Speech::of(&query).similar(word);
        assert!(found.iter().any(|found| found.term == other), "{word} {other}: {found:?}");
        assert!(found.is_sorted_by(|a, b| a.surely >= b.surely) && found.iter().all(|found| found.surely < 1.0));
    }
    // English has words of its own, and a name has none.
    assert!(Speech::of(&plan("where is the key")).similar("key").is_empty());
    assert!(Speech::of(&plan("wo ist Kowalczyk")).similar("Kowalczyk").is_empty());
}

#[test]
fn what_words_mean_is_compared_by_way_of_english() {
    for (question, word, near, far) in [
        ("Welche Krankheit hat sie?", "Krankheit", "erkalt", "zieg"),
        ("¿qué enfermedad tiene?", "enfermedad", "resfri", "cabr"),
        ("чем она болеет, какая болезнь", "болезнь", "простуд", "коз"),
        ("什么疾病", "疾病", "感冒", "山羊"),
    ] {
        let query = plan(question);
        let speech = Speech::of(&query);
        let (own, meanings) = (speech.meaning(word), speech.meanings(false));
        let alike = |term: &str| {
            let of_term: Vec<_> = meanings.of(crate::lexicon::term_hash(term)).collect();
            assert!(!of_term.is_empty(), "{term}");
            own.iter().flat_map(|own| of_term.iter().map(|of| own.similarity(*of))).fold(0.0, f32::max)
        };
        assert!(!own.is_empty() && alike(near) > alike(far), "{word}: {} {}", alike(near), alike(far));
    }
    let query = plan("wo ist der Schlüssel");
    let count = |is_english, term| Speech::of(&query).meanings(is_english).of(crate::lexicon::term_hash(term)).count();
    assert_eq!([count(false, "kowalczyk"), count(false, "lighthous"), count(true, "lighthous")], [0, 0, 1]);
}
