//! Names that notes and questions write in other scripts.

use super::*;

const NOTES: [(&str, &str); 6] = [
    ("memory/a.md", "- Сергей живёт в Риге, и с ним собака."),
    ("memory/b.md", "- Обед с Натальей, она переезжает в Краков в декабре."),
    ("memory/c.md", "- Met Yuri at the climbing gym, he lent me his rope."),
    ("memory/d.md", "- Ο Γιώργος μου έδωσε το λάδι και το ψωμί."),
    ("memory/e.md", "- 田中さんは大家さんです。"),
    ("memory/f.md", "- The son of the baker sings in the choir, and the mark on the wall is his."),
];

fn paths(workspace: &Workspace, question: &str) -> Vec<String> {
    workspace.search(question).iter().map(|hit| hit.path.clone()).collect()
}

// Each found nothing, or another note first.
#[test]
fn a_name_is_found_in_another_script() {
    let notes = Workspace::of(&NOTES);
    for (question, path) in [
        ("where does Sergei live?", "memory/a.md"),
        ("sergey", "memory/a.md"),
        ("What is Natalia doing?", "memory/b.md"),
        ("Что одолжил Юрий?", "memory/c.md"),
        ("Кто такой Юрий", "memory/c.md"),
        ("What did Giorgos bring?", "memory/d.md"),
        ("who is Tanaka?", "memory/e.md"),
    ] {
        assert_eq!(paths(&notes, question).first().map(String::as_str), Some(path), "{question}");
    }
}

#[test]
fn a_word_is_no_name_because_it_sounds_like_one() {
    let notes = Workspace::of(&NOTES);
    // Сон is a dream and no son, марк would be a name.
    for question in ["какой сон мне снился", "марк"] {
        assert_eq!(paths(&notes, question), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn what_stands_for_a_name_is_told() {
    let notes = Workspace::of(&NOTES);
    let request = Request { explain: true, ..request("where does Sergei live?", 6) };
    let told = notes.ask(&request, &settings(), None).hits.remove(0).explain.unwrap().to_string();
    assert!(told.contains(r#""as":"серг"#), "{told}");
}
