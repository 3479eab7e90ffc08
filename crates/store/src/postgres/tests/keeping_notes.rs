//! The notes themselves: changed only from what they are, and one agent's.

use super::*;
use crate::notes::{FORMER, NewNote, NoteChange, NoteState, SHORT};

fn text(n: u8, body: &[u8]) -> NewNote {
    NewNote { hash: [n; 32], body: body.to_vec(), modified_ns: i64::from(n) }
}

fn change(path: &str, before: Option<u8>, after: Option<NewNote>) -> NoteChange {
    NoteChange { path: path.to_owned(), before: before.map(|n| [n; 32]), after }
}

#[test]
fn a_note_is_changed_only_from_what_it_is() {
    let Some((_place, schema, database)) = prepared() else { return };
    let agent = open(&database, &schema, "main");
    let cancel = Cancel::new();
    let write = |changes: &[NoteChange]| agent.write(|tx| tx.change_notes(changes)).unwrap();
    let mark = || agent.read(&cancel, |r| r.notes_mark()).unwrap();
    let row = |path: &str| {
        let rows = agent.read(&cancel, |r| r.notes(10, 100)).unwrap();
        rows.into_iter().find(|row| row.path == path)
    };
    assert_eq!((mark(), row("a.md")), (None, None));
    assert_eq!(write(&[change("a.md", Some(1), Some(text(2, b"two")))]), Vec::<String>::new(), "there is none");
    assert_eq!(mark(), None, "nothing changed");
    assert_eq!(
        write(&[change("a.md", None, Some(text(1, b"\0\xff\r\n"))), change("b.md", None, Some(text(9, b"")))]).len(),
        2
    );
    let first = mark();
    assert!(first.is_some());
    assert!(write(&[change("a.md", None, Some(text(3, b"three")))]).is_empty(), "somebody was quicker");
    assert!(write(&[change("a.md", Some(7), None)]).is_empty());
    assert_eq!(mark(), first);
    let texts = agent.read(&cancel, |r| r.note_texts(&["a.md", "b.md", "c.md"], 100)).unwrap();
    let body = |path: &str| texts.iter().find(|text| text.path == path).map(|text| text.body.as_slice());
    assert_eq!((texts.len(), body("a.md"), body("b.md")), (2, Some(&b"\0\xff\r\n"[..]), Some(&b""[..])));
    assert!(agent.read(&cancel, |r| r.note_texts(&["a.md"], 3)).unwrap().is_empty(), "larger than asked for");

    assert_eq!(write(&[change("a.md", Some(1), Some(text(2, b"two"))), change("b.md", Some(9), None)]).len(), 2);
    assert_ne!(mark(), first);
    let a = row("a.md").unwrap();
    assert_eq!((a.state, a.former), (NoteState::Kept { hash: [2; 32], size: 3 }, vec![1; SHORT]));
    let b = row("b.md").unwrap();
    assert_eq!((b.state, b.had(&[9; 32]), b.had(&[2; 32])), (NoteState::Deleted, true, false));
    assert_eq!(write(&[change("b.md", None, Some(text(4, b"back")))]), ["b.md"], "what was deleted comes again");
    assert!(row("b.md").unwrap().had(&[9; 32]));

    // What it was is known for a while, the latest first.
    for n in 10..60 {
        let before = if n == 10 { 2 } else { n - 1 };
        assert_eq!(write(&[change("a.md", Some(before), Some(text(n, b"x")))]), ["a.md"]);
    }
    let a = row("a.md").unwrap();
    assert_eq!(a.former.len(), SHORT * FORMER);
    assert!(a.had(&[58; 32]) && a.had(&[27; 32]) && !a.had(&[26; 32]));

    // Nobody else's, and not without saying whose.
    let other = open(&database, &schema, "other");
    assert!(other.read(&cancel, |r| r.notes(10, 100)).unwrap().is_empty());
    assert_eq!(other.read(&cancel, |r| r.notes_mark()).unwrap(), None);
    assert_eq!(agent.read(&cancel, |r| r.notes(1, 100)).unwrap().len(), 1, "no more than asked for");
    assert_eq!(agent.read(&cancel, |r| r.notes(10, 2)).unwrap()[0].path.len(), 3, "a long path comes cut");
}
