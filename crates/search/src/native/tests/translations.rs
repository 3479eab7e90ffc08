//! Notes in one language, questions in another.

use super::*;

/// Notes of one person, with enough function words to tell their language.
const ENGLISH: [(&str, &str); 6] = [
    ("memory/a.md", "- The spare key of the house hangs behind the clock in the kitchen."),
    ("memory/b.md", "- The dentist appointment is on the third of December with Dr Weiss."),
    ("memory/c.md", "- Travel insurance for all of us is with Aviva, and the policy is in the green folder."),
    ("memory/d.md", "- The backup of the database runs every night at two and is kept for thirty days."),
    ("memory/e.md", "- My sister moved to Leeds with the children and works at the hospital."),
    ("memory/f.md", "- The boiler is serviced in September, and the plumber is Mr Hall."),
];
const GERMAN: [(&str, &str); 5] = [
    ("memory/a.md", "- Der Ersatzschlüssel hängt hinter der Uhr in der Küche und ist rot."),
    ("memory/b.md", "- Der Zahnarzttermin ist am dritten Dezember mit Dr. Weiss."),
    ("memory/c.md", "- Die Reiseversicherung für alle ist bei der Allianz, und die Police liegt im grünen Ordner."),
    ("memory/d.md", "- Die Sicherung der Datenbank läuft jede Nacht um zwei und wird dreißig Tage behalten."),
    ("memory/e.md", "- Meine Schwester ist mit den Kindern nach Leipzig gezogen und arbeitet im Krankenhaus."),
];

fn first(workspace: &Workspace, question: &str) -> Option<String> {
    workspace.search(question).first().map(|hit| hit.path.clone())
}

// A question in another language than the notes found nothing.
#[test]
fn a_note_is_found_by_a_question_in_another_language() {
    let english = Workspace::of(&ENGLISH);
    for (question, path) in [
        ("Wo hängt der Ersatzschlüssel?", "memory/a.md"),
        ("¿Cuándo es la cita con el dentista?", "memory/b.md"),
        ("歯医者の予約はいつですか", "memory/b.md"),
        ("Bei wem ist die Reiseversicherung?", "memory/c.md"),
        ("onde está o seguro de viagem?", "memory/c.md"),
        ("когда делается резервная копия ночью?", "memory/d.md"),
        ("où travaille ma sœur à l'hôpital ?", "memory/e.md"),
        ("수도 배관공 이름이 뭐였지", "memory/f.md"),
    ] {
        assert_eq!(first(&english, question).as_deref(), Some(path), "{question}");
    }
    let german = Workspace::of(&GERMAN);
    for (question, path) in [
        ("where is the spare key?", "memory/a.md"),
        ("when is the dentist appointment?", "memory/b.md"),
        ("who is our travel insurance with?", "memory/c.md"),
        ("how long is the database backup kept?", "memory/d.md"),
        ("which hospital does my sister work at?", "memory/e.md"),
    ] {
        assert_eq!(first(&german, question).as_deref(), Some(path), "{question}");
    }
}

#[test]
fn what_is_about_something_else_is_not_found() {
    let english = Workspace::of(&ENGLISH);
    for question in
        ["Wie hoch ist der Berg bei Zermatt?", "¿quién ganó el partido de fútbol?", "昨日の夕食は何でしたか"]
    {
        assert_eq!(first(&english, question), None, "{question}");
    }
}

/// Notes of several people, each in a folder.
fn beside(notes: &[(&str, &[(&str, &str)])]) -> Workspace {
    let all = notes.iter().flat_map(|(folder, notes)| notes.iter().map(move |note| (folder, note)));
    let all: Vec<(String, &str)> =
        all.map(|(folder, (path, text))| (path.replace("memory/", &format!("memory/{folder}/")), *text)).collect();
    Workspace::of(&all.iter().map(|(path, text)| (path.as_str(), *text)).collect::<Vec<_>>())
}

// What stood in another language was not found once any notes were in that of the question.
#[test]
fn notes_in_other_languages_answer_beside_those_in_that_of_the_question() {
    let workspace = beside(&[("en", &ENGLISH), ("de", &GERMAN[1..])]);
    assert_eq!(first(&workspace, "when is the dentist appointment?").as_deref(), Some("memory/en/b.md"));
    assert_eq!(first(&workspace, "Wann ist der Zahnarzttermin?").as_deref(), Some("memory/de/b.md"));
    assert_eq!(first(&workspace, "Wo ist der Ersatzschlüssel?").as_deref(), Some("memory/en/a.md"));
    assert_eq!(first(&workspace, "Wie hoch ist der Berg bei Zermatt?"), None);
}

#[test]
fn among_notes_in_many_languages_those_in_that_of_the_question_answer_alone() {
    let said = |language: &'static [&'static str]| -> Vec<(&str, &str)> {
        ["memory/a.md", "memory/b.md"].into_iter().zip(language.iter().copied()).collect()
    };
    let spanish = said(&[
        "- El seguro del coche y las llaves del piso están con una vecina.",
        "- Los viernes llegan las cajas del mercado.",
    ]);
    let french = said(&[
        "- Les voisins gardent une plante pour les vacances des enfants.",
        "- La chaudière est révisée pour une saison.",
    ]);
    let italian = said(&[
        "- Il gatto della vicina dorme per gli scalini che portano in soffitta.",
        "- Il corso della sera, per gli adulti.",
    ]);
    let dutch = said(&[
        "- Het feest van een buurman is voor de zomer met muziek.",
        "- Een lamp voor het bureau van het kantoor.",
    ]);
    let workspace = beside(&[
        ("en", &ENGLISH),
        ("de", &GERMAN[1..]),
        ("es", &spanish),
        ("fr", &french),
        ("it", &italian),
        ("nl", &dutch),
    ]);
    assert_eq!(first(&workspace, "Wann ist der Zahnarzttermin?").as_deref(), Some("memory/de/b.md"));
    assert_eq!(first(&workspace, "Wo ist der Ersatzschlüssel?"), None);
}
