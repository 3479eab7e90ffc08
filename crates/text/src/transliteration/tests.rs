use std::collections::HashSet;

use proptest::prelude::*;

use super::{letters::*, *};
use crate::{analyze::Analyzer, outline::Outline};

/// Whether an index of a text has a term for the spellings of a word in its script.
fn finds(word: &str, text: &str) -> bool {
    let chunk = Analyzer::new().chunk("memory/n.md", &Outline::default(), &[(1, text)]);
    let stored: HashSet<&str> = chunk.fts.split(' ').collect();
    of(word).iter().any(|term| stored.contains(term.as_str()))
}

fn of(word: &str) -> Vec<String> {
    spellings(word, &[Alphabet::Latin, Alphabet::Cyrillic, Alphabet::Greek, Alphabet::Ideographs])
}

#[test]
fn names_are_found_in_the_letters_of_other_scripts() {
    for (word, text) in [
        ("Sergei", "Меня зовут Сергей Волков, живу в Риге."),
        ("Sergey", "Сергею нужно позвонить завтра, а потом и в банк."),
        ("Ekaterina", "Звонила Екатерина, она в Таллине."),
        ("Dmitry", "Звонил Дмитрий, ключи от дачи у соседа."),
        ("Natalia", "Обед с Натальей, она переезжает в Краков."),
        ("Yuri", "Я встретил Юрия в зале."),
        ("Olga", "Ольга сказала, что собака не кусается."),
        ("Tchaikovsky", "Слушали Чайковского в филармонии."),
        ("Zelenskyy", "Зеленский выступал вчера."),
        ("Oleksandr", "Олександр приїде у четвер, і він привезе мед."),
        ("Giorgos", "Ο Γιώργος μου έδωσε το λάδι."),
        ("Yannis", "Ο Γιάννης θα έρθει την Τρίτη."),
        ("Papadopoulos", "Το σπίτι του κυρίου Παπαδόπουλου είναι στο κέντρο."),
        ("tanaka", "田中さんは大家さんです。"),
        ("Сергей", "Sergei lives in Riga."),
        ("Екатерина", "My sister is Ekaterina, she lives in Tallinn."),
        ("Юрия", "Met Yuri at the climbing gym, he lent me his rope."),
        ("Дмитрию", "Dmitry has the keys of the house."),
        ("Наталья", "Lunch with Natalia."),
        ("Ольгой", "Met Olga in the park."),
        ("Шмидт", "Frau Schmidt schickt die Rechnung im November."),
        ("Хуан", "Comida con Khuan."),
        ("Γιώργος", "Giorgos gave me the oil."),
        ("Γιάννη", "Giannis is coming on Tuesday."),
        ("Μαρία", "A Maria deixou as chaves em casa da minha mãe."),
        ("田中", "Met Keiko Tanaka in the office."),
    ] {
        assert!(finds(word, text), "{word} in {text}: {:?}", of(word));
    }
}

#[test]
fn what_is_another_name_is_not_found() {
    for (word, text) in [
        ("Sergei", "Меня зовут Семён."),
        ("Anna", "Инна и Нина."),
        ("Сергей", "Seth lives in Riga."),
        ("田中", "Met Keiko Suzuki."),
        ("ERR_QUOTA_4012", "Ошибка квоты."),
        ("", "Ошибка квоты."),
    ] {
        assert!(!finds(word, text), "{word} in {text}: {:?}", of(word));
    }
}

#[test]
fn the_usual_spelling_is_the_first() {
    for (word, latin) in
        [("Сергей", "sergey"), ("Ольга", "olga"), ("Юлия", "yulia"), ("Γιώργος", "giorgos"), ("佐藤", "sato")]
    {
        assert_eq!(in_latin(word).as_deref(), Some(latin), "{word}");
    }
    for word in ["Olga", "ジョン", "김민수", "4012", ""] {
        assert_eq!(in_latin(word), None, "{word}");
    }
}

#[test]
fn tables_hold_each_letter_once_and_are_as_terms_are() {
    for table in [FROM_CYRILLIC, TO_CYRILLIC, FROM_GREEK, TO_GREEK] {
        let mut known = HashSet::new();
        for (from, to) in table {
            assert!(known.insert(from), "{from} twice");
            assert!(!to.is_empty() && !from.is_empty(), "{from}");
            for spelling in *to {
                assert_eq!(*spelling, fold(spelling), "{from}");
            }
        }
    }
    let mut known = HashSet::new();
    for line in FAMILY_NAMES.lines() {
        let (latin, name) = line.split_once('\t').unwrap();
        assert!(known.insert(line) && latin.bytes().all(|b| b.is_ascii_lowercase()), "{line}");
        assert_eq!(name.chars().count(), 2, "{line}");
    }
}

proptest! {
    // Of whatever length and in whatever letters, few are looked for.
    #[test]
    fn any_word_has_few_spellings(word in "[a-zA-Zа-яА-ЯёіїєґÀ-ÿα-ωά-ώ田中佐藤々]{0,60}|\\PC{0,40}") {
        for alphabet in [Alphabet::Latin, Alphabet::Cyrillic, Alphabet::Greek, Alphabet::Ideographs] {
            let terms = spellings(&word, &[alphabet]);
            prop_assert!(terms.len() <= 2 * MOST * (1 + LATIN.len()));
            prop_assert_eq!(terms.iter().collect::<HashSet<_>>().len(), terms.len());
        }
    }
}
