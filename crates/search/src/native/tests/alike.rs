//! Words that mean nearly the same, and what pieces add to how sure a line is.

use super::*;

// An illness and a cold are too far apart to be looked for in the index, but nearer than an illness and a goat.
#[test]
fn of_two_lines_the_one_with_the_nearer_word_comes_first() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "Marta has a goat since Tuesday."),
        ("memory/b.md", "Marta has a cold since Tuesday."),
        ("memory/c.md", "The printer is out of toner."),
    ]);
    let first = |query: &str| workspace.search(query).first().map(|hit| hit.path.clone());
    assert_eq!(first("which illness does Marta have").as_deref(), Some("memory/b.md"));
    assert_eq!(first("which animal does Marta have").as_deref(), Some("memory/a.md"));
}

// The same in other languages, where nothing but the word itself was compared.
#[test]
fn of_two_lines_the_nearer_one_comes_first_in_any_language() {
    for (far, near, query) in [
        (
            "Marta hat seit Dienstag eine Ziege.",
            "Marta hat seit Dienstag eine Erkältung.",
            "Welche Krankheit hat Marta?",
        ),
        (
            "Marta tiene una cabra desde el martes.",
            "Marta tiene un resfriado desde el martes.",
            "¿qué enfermedad tiene Marta?",
        ),
        ("У Марты с вторника коза.", "У Марты с вторника простуда.", "Какая болезнь у Марты?"),
    ] {
        let other = "Der Drucker hat keinen Toner. La impresora no tiene tinta. В принтере нет бумаги.";
        let workspace = Workspace::of(&[("memory/a.md", far), ("memory/b.md", near), ("memory/c.md", other)]);
        assert_eq!(workspace.search(query).first().map(|hit| hit.path.as_str()), Some("memory/b.md"), "{query}");
    }
}

// A German, Spanish or Russian note was found by its own words only.
#[test]
fn another_word_of_the_same_meaning_is_found_in_any_language() {
    for (answer, query, asked, held) in [
        ("Papa bekommt jeden Morgen seine Arznei.", "Wann bekommt Papa das Medikament?", "Medikament", "arznei"),
        (
            "Mi abuela compra sus medicamentos en la esquina.",
            "¿dónde compra mi abuela la medicina?",
            "medicina",
            "medicament",
        ),
        ("Супруг уехал на дачу.", "куда уехал муж?", "муж", "супруг"),
    ] {
        let other = "Die Katze schläft. El gato duerme en casa. Кот спит на окне.";
        let workspace = Workspace::of(&[("memory/a.md", answer), ("memory/b.md", other)]);
        let hits = workspace.ask(&Request { explain: true, ..request(query, 6) }, &settings(), None).hits;
        let first = hits.first().unwrap_or_else(|| panic!("nothing: {query}"));
        let matched = first.explain.as_ref().unwrap()["matched"].as_array().unwrap().clone();
        let is_found = matched.iter().any(|m| m["word"] == asked && m["as"] == held);
        assert!(first.path == "memory/a.md" && is_found, "{query}: {matched:?}");
    }
}

#[test]
fn nothing_sure_says_how_sure_the_nearest_is() {
    let workspace = Workspace::of(&[("memory/a.md", "Papa bekommt jeden Morgen seine Arznei.")]);
    let answer = |min_score| {
        let request = Request { min_score, ..request("Wann kriegt er das Medikament?", 6) };
        workspace.ask(&request, &settings(), None)
    };
    let unsure = answer(None);
    assert!(unsure.hits.is_empty() && unsure.nearest.is_some_and(|sure| sure < DEFAULT_MIN_SCORE), "{unsure:?}");
    let shown = answer(unsure.nearest);
    assert!(shown.hits.len() == 1 && shown.nearest.is_none(), "{shown:?}");
    // Small talk asks for nothing.
    assert_eq!(workspace.ask(&request("hello, how are you?", 6), &settings(), None).nearest, None);
}

#[test]
fn pieces_tell_a_line_that_answers_from_one_that_is_merely_near() {
    let near = Evidence { rise: Some(0.15), line_rise: Some(0.3), ..Evidence::default() };
    let with = |piece_rise| confidence::score(&Evidence { piece_rise: Some(piece_rise), ..near });
    assert!(with(0.05) < DEFAULT_MIN_SCORE && DEFAULT_MIN_SCORE < with(0.2));
    assert!(with(0.05) < confidence::score(&near) && confidence::score(&near) < with(0.2));
}
