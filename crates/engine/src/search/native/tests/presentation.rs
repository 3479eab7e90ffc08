//! What a result looks like: no bare headings, no borrowed scores, whole notes.

use super::*;

// A heading with nothing below it was a result of its own.
#[test]
fn a_bare_heading_is_no_result() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "# Garden\n\n## Plants in the garden\n\n- Tomatoes stand beside the fence.\n"),
        ("memory/b.md", "# House\n\nThe roof is new.\n\n## Garden ideas\n\n## Kitchen\n\nThe stove is old.\n"),
        ("memory/c.md", "Garden\n======\n"),
        ("memory/d.md", "# The garden gate has a code\n\n## It is 4711\n"),
    ]);
    let hits = workspace.search("garden");
    let shown: Vec<(&str, &str)> = hits.iter().map(|hit| (hit.path.as_str(), hit.snippet.as_str())).collect();
    assert_eq!(hits.len(), 2, "{shown:?}");
    assert!(shown.contains(&("memory/a.md", "## Plants in the garden\n\n- Tomatoes stand beside the fence.")));
    // A note of headings only: they are its text.
    assert!(shown.contains(&("memory/d.md", "# The garden gate has a code\n\n## It is 4711")));
}

// A result below the threshold was shown when one ranked behind it was above: scores never rise with rank.
#[test]
fn a_result_below_the_threshold_is_not_lifted_by_the_next() {
    let found = |score| Found { passage: Passage { lines: vec![0], best: 0, score: 1.0 }, score };
    let mut all = [found(0.4), found(0.9), found(0.5)];
    settle(&mut all);
    assert_eq!(all.map(|found| found.score), [0.9, 0.9, 0.5]);

    let notes: Vec<(String, String)> = (0..40)
        .map(|n| (format!("memory/n{n:02}.md"), format!("Day {n}: the boiler of house {n} was repaired by Mr Olsen.")))
        .collect();
    let mut files: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("memory/2024-06-14.md", "A quiet day without visitors."));
    files.push(("memory/z.md", "He said yesterday that yesterday was yesterday."));
    let workspace = Workspace::of(&files);
    let hits = workspace.search("what happened yesterday");
    let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["memory/2024-06-14.md"]);
}

// Its lines were shown as several results, or without those that hold no word of the question.
#[test]
fn a_note_of_four_lines_is_one_result() {
    let note = "Ana's dentist is Dr Costa.\nThe appointment is on Monday at nine.\nThe clinic is in Rua das Flores.\n\
                Bring the insurance card.";
    let workspace = Workspace::of(&[("memory/ana.md", note), ("memory/x.md", "The tea house is in Porto.")]);
    for query in ["when is the dentist appointment", "dentist insurance", "dentist"] {
        let shown: Vec<String> = workspace.search(query).into_iter().map(|hit| hit.snippet).collect();
        assert_eq!(shown, [note], "{query}");
    }
}

// "Yesterday" found what says that word and not the day, and nothing below a heading with its date.
#[test]
fn a_day_is_found_by_its_name_alone() {
    let workspace = Workspace::of(&[
        ("MEMORY.md", "# Memory\n\n## 2024-06-14\n\n- The plumber came.\n\n## Other\n\n- Yesterday never comes."),
        ("memory/2024-06-14.md", "Lunch with Bruno"),
        ("memory/2024-06-13.md", "14.06.2024: the car must be inspected."),
        ("memory/2024-06-12.md", "Nothing happened."),
    ]);
    let mut found: Vec<String> = workspace.search("yesterday").into_iter().map(|hit| hit.snippet).collect();
    found.sort();
    let asked = ["## 2024-06-14\n\n- The plumber came.", "14.06.2024: the car must be inspected.", "Lunch with Bruno"];
    assert_eq!(found, asked);
}

// A word with one wrong letter found nothing, whatever else was asked.
#[test]
fn a_name_with_one_wrong_letter_is_found() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "Priya Raman: colleague. Priya's phone is 555 0199."),
        ("memory/b.md", "Jan Kowalczyk fixes bicycles, and Prija plays the violin."),
        ("memory/c.md", "The boat of Alice lies in the yard; Сергей едет домой."),
    ]);
    for (query, path) in [
        ("Prya", "memory/a.md"),
        ("what is Prya's phone number", "memory/a.md"),
        ("Kowalczik", "memory/b.md"),
        ("кто такой Сергий", "memory/c.md"),
        // As it is written, before what is one letter away.
        ("Prija", "memory/b.md"),
    ] {
        assert_eq!(workspace.search(query).first().map(|hit| hit.path.as_str()), Some(path), "{query}");
    }
    // No names, two letters away, or a word of the language.
    for query in ["yart", "Kowalcik", "coat", "Raymon"] {
        assert!(workspace.search(query).is_empty(), "{query}");
    }
}
