//! Other programs write to a note while lines of ours come and go. They are real processes that know nothing of our locks.

use std::{
    path::Path,
    process::{Child, Command},
};

use jiff::tz::TimeZone;

use super::super::{
    daily_note,
    facts::{self, NewFact},
    rules::Category,
};
use crate::workspace::notes::Notes;

/// Lines that a program appends.
const LINES: usize = 3000;

/// A program that appends lines to a file. `keeps` says whether it opens the file once or for each line.
fn writer(file: &Path, keeps: bool) -> Child {
    let count = format!("i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo \"- foreign $i\"");
    let script = if keeps { format!("exec >> \"$0\"; {count}; done") } else { format!("{count} >> \"$0\"; done") };
    Command::new("sh").arg("-c").arg(script).arg(file).spawn().unwrap()
}

fn is_running(child: &mut Child) -> bool {
    child.try_wait().unwrap().is_none()
}

/// What the other program has written, in its order.
fn foreign(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("foreign")).collect()
}

fn all_lines() -> Vec<String> {
    (1..=LINES).map(|n| format!("- foreign {n}")).collect()
}

// Removing a line replaced the note by a copy: of 3,000 lines that another program appended meanwhile, 425 were lost.
#[test]
fn no_line_of_another_program_is_lost_while_captures_are_undone() {
    for keeps in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::at(dir.path());
        let path = "memory/2026-11-20.md";
        daily_note::append(&notes, path, &["- first".to_owned()]).unwrap();
        let mut other = writer(&dir.path().join(path), keeps);
        let mut removed = 0;
        while is_running(&mut other) || removed == 0 {
            let line = format!("- [fact] ours {removed}");
            daily_note::append(&notes, path, std::slice::from_ref(&line)).unwrap();
            assert!(daily_note::remove_line(&notes, path, &line).unwrap());
            removed += 1;
        }
        let text = daily_note::read(&notes, path).unwrap();
        assert_eq!(foreign(&text), all_lines(), "keeps the file open: {keeps}, {removed} lines removed");
        assert!(text.starts_with("# 2026-11-20\n\n- first\n") && !text.contains("ours"));
    }
}

#[test]
fn no_line_of_another_program_is_lost_while_facts_are_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let notes = Notes::at(dir.path());
    let fact = |n: usize| NewFact {
        text: format!("Fact number {n}"),
        category: Category::Fact,
        importance: 0.7,
        day: jiff::civil::date(2026, 11, 20),
    };
    facts::append(&notes, &[fact(0)]).unwrap();
    let mut other = writer(&dir.path().join(facts::FILE), false);
    let mut n = 0;
    while is_running(&mut other) || n == 0 {
        n += 1;
        let ids = facts::append(&notes, &[fact(n)]).unwrap();
        assert!(facts::remove(&notes, &TimeZone::UTC, &ids[0]).unwrap());
    }
    let text = daily_note::read(&notes, facts::FILE).unwrap();
    assert_eq!(foreign(&text), all_lines(), "{n} facts forgotten");
    let kept = facts::all(&notes, &TimeZone::UTC).unwrap();
    assert_eq!(kept.iter().filter(|fact| fact.text.starts_with("Fact")).count(), 1);
}
