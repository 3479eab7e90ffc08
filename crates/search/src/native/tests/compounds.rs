//! Words made of words.

use super::*;

// "Termin", "Versicherung" and "Blutdruck" found nothing beside notes that say Zahnarzttermin, Autoversicherung and
// Blutdruckmedikament.
#[test]
fn a_word_is_found_in_words_that_are_made_of_it() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "Das Blutdruckmedikament heißt Ramipril, und ich nehme es am Morgen."),
        ("memory/b.md", "Die Autoversicherung ist bei der HUK, und der Vertrag läuft bis März."),
        ("memory/c.md", "Der Zahnarzttermin ist am 3. Dezember um 9 Uhr."),
        ("memory/d.md", "Der Wohnungsschlüssel liegt bei Frau Meier unter der Treppe."),
        ("memory/e.md", "De tandartsafspraak is op dinsdag en ik moet op tijd zijn."),
        ("memory/f.md", "Heute war ich im Garten und habe mit dem Autor gesprochen."),
        ("memory/g.md", "The understanding of the determination was a surprise to the author."),
    ]);
    for (query, path) in [
        ("Blutdruck", "memory/a.md"),
        ("Medikament", "memory/a.md"),
        ("Versicherung", "memory/b.md"),
        ("Bei welcher Versicherung ist das Auto?", "memory/b.md"),
        ("Termin", "memory/c.md"),
        ("Wann ist der Termin beim Zahnarzt?", "memory/c.md"),
        ("Schlüssel", "memory/d.md"),
        ("Wo ist der Schlüssel der Wohnung?", "memory/d.md"),
        ("wanneer is mijn afspraak", "memory/e.md"),
    ] {
        let first = workspace.search(query).first().map(|hit| hit.path.clone());
        assert_eq!(first.as_deref(), Some(path), "{query}");
    }
    // Neither in other languages, nor by an ending.
    for query in ["standing", "mination"] {
        assert!(workspace.search(query).is_empty(), "{query}");
    }
    let auto: Vec<String> = workspace.search("Auto").into_iter().map(|hit| hit.path).collect();
    assert_eq!(auto, ["memory/b.md"]);
}

#[test]
fn the_word_itself_comes_before_what_is_made_of_it() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "Der Zahnarzttermin ist am Montag um neun Uhr in der Stadt."),
        ("memory/b.md", "Der Termin ist am Freitag um zehn Uhr in der Stadt."),
    ]);
    let paths: Vec<String> = workspace.search("Termin").into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["memory/b.md", "memory/a.md"]);
}
