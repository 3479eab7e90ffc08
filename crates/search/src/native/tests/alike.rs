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

#[test]
fn pieces_tell_a_line_that_answers_from_one_that_is_merely_near() {
    let near = Evidence { rise: Some(0.15), line_rise: Some(0.3), ..Evidence::default() };
    let with = |piece_rise| confidence::score(&Evidence { piece_rise: Some(piece_rise), ..near });
    assert!(with(0.05) < DEFAULT_MIN_SCORE && DEFAULT_MIN_SCORE < with(0.2));
    assert!(with(0.05) < confidence::score(&near) && confidence::score(&near) < with(0.2));
}
