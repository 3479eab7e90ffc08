//! What a result looks like: no bare headings, no borrowed scores, whole notes.

use proptest::prelude::*;

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
    assert!(
        shown.contains(&("memory/a.md", "# Garden\n\n## Plants in the garden\n\n- Tomatoes stand beside the fence."))
    );
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

// Each heading of it was a result.
#[test]
fn a_short_note_with_headings_is_one_result() {
    let note = "# Ana\n\n## Dentist\n\n- Dr Costa, Rua das Flores.\n\n<!-- importance: 7 -->\n## Car\n\n\n- The dentist repaired \
                it, not the garage.\n\n## Later\n";
    let long = format!("{note}\n{}", "- Nothing to do with any of that was said on this day, either.\n".repeat(12));
    let workspace = Workspace::of(&[("memory/ana.md", note), ("memory/x.md", "The tea house is in Porto.")]);
    let shown = "# Ana\n\n## Dentist\n\n- Dr Costa, Rua das Flores.\n\n## Car\n\n- The dentist repaired it, not the \
                 garage.\n\n## Later";
    for query in ["dentist", "dentist garage", "Costa", "where is the dentist"] {
        let hits = workspace.search(query);
        let found: Vec<(u32, u32, &str)> =
            hits.iter().map(|hit| (hit.start_line, hit.end_line, hit.snippet.as_str())).collect();
        assert_eq!(found, [(1, 13, shown)], "{query}");
    }
    // What does not fit is shown in parts.
    let workspace = Workspace::of(&[("memory/ana.md", &long), ("memory/x.md", "The tea house is in Porto.")]);
    assert_eq!(workspace.search("dentist").len(), 2);
}

/// A line of a few words, some of which are asked for.
fn remark() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("garden"),
        Just("fence"),
        Just("gate"),
        Just("kitchen"),
        Just("window"),
        Just("tomorrow"),
        Just("painted"),
        Just("庭の柵"),
        Just("забор"),
    ];
    let words = proptest::collection::vec(word, 1..30);
    prop_oneof![
        12 => words.prop_map(|words| format!("- {}", words.join(" "))),
        1 => Just(String::new()),
        1 => Just("## Fence".to_owned()),
        1 => Just("<!-- importance: 8 -->".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 5))]

    // Results of one file cited the same lines: one of them had left out what the other showed.
    #[test]
    fn results_of_one_file_do_not_overlap(
        notes in proptest::collection::vec(proptest::collection::vec(remark(), 1..70), 1..4),
        most in 1_usize..20,
    ) {
        let texts: Vec<String> = notes.iter().map(|lines| lines.join("\n")).collect();
        let paths: Vec<String> = (0..texts.len()).map(|n| format!("memory/{n}.md")).collect();
        let files: Vec<(&str, &str)> = paths.iter().zip(&texts).map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let embed = |text: &str| ["garden", "fence", "gate", "kitchen"].map(|word| 0.1 + text.matches(word).count() as f32).to_vec();
        let workspace = Workspace::of(&files).with_vectors(embed);
        for query in ["garden fence", "who painted the gate", "庭の柵", "kitchen window tomorrow"] {
            let vector = embed(query);
            for (vector, hybrid) in [(None, true), (Some(vector.as_slice()), true), (Some(vector.as_slice()), false)] {
                let settings = QuerySettings { hybrid_enabled: hybrid, min_score: Some(0.0), ..settings() };
                let hits = workspace.ask(&request(query, most), &settings, vector).hits;
                for (at, hit) in hits.iter().enumerate() {
                    let note = &texts[paths.iter().position(|path| *path == hit.path).unwrap()];
                    let cited: Vec<&str> = note.split('\n').take(hit.end_line as usize).skip(hit.start_line as usize - 1).collect();
                    prop_assert!(hit.snippet.encode_utf16().count() <= 700);
                    prop_assert!(hit.snippet.lines().all(|line| line.is_empty() || line == "…" || cited.contains(&line)));
                    for other in hits[..at].iter().filter(|other| other.path == hit.path) {
                        prop_assert!(
                            other.end_line < hit.start_line || hit.end_line < other.start_line,
                            "{}: {}-{} and {}-{}", query, other.start_line, other.end_line, hit.start_line, hit.end_line
                        );
                    }
                }
                prop_assert!(hits.is_sorted_by(|a, b| a.score >= b.score));
            }
        }
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
    let memory = "# Memory\n\n## 2024-06-14\n\n- The plumber came.\n\n## Other\n\n- Yesterday never comes.";
    let asked = [memory, "14.06.2024: the car must be inspected.", "Lunch with Bruno"];
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

// Whoever has no room for a whole passage was shown its beginning, whatever it was found for.
#[test]
fn an_excerpt_is_of_the_lines_that_answer() {
    let lines: Vec<String> = (0..9).map(|n| format!("- Shelf {n} of the cellar holds jars and old papers.")).collect();
    let note = format!("# Home\n\n{}\n- Ana's dentist is Dr Costa in Rua das Flores.", lines.join("\n"));
    let workspace = Workspace::of(&[("memory/home.md", &note), ("memory/x.md", "The tea house is in Porto.")]);
    let asked = |query: &str, excerpt| {
        let request = Request { excerpt, ..request(query, 6) };
        workspace.ask(&request, &settings(), None).hits.remove(0)
    };
    assert_eq!(asked("who is my dentist", None).excerpt, None);
    for room in [60, 120, 200] {
        let hit = asked("who is my dentist", Some(room));
        let excerpt = hit.excerpt.unwrap();
        assert!(excerpt.contains("Dr Costa") && excerpt.len() <= room && hit.snippet == note, "{room}: {excerpt}");
    }
    // All of it, where there is room.
    let whole = asked("dentist", Some(700)).excerpt.unwrap();
    assert!(whole.contains("Shelf 0") && whole.contains("Dr Costa"), "{whole}");
}

proptest! {
    // Pieces of a line were cut for the length of snippets, and one of them was longer than a short excerpt.
    #[test]
    fn no_excerpt_is_longer_than_its_room(words in proptest::collection::vec(1_usize..400, 1..40), room in 40_usize..700) {
        let text: Vec<String> = words.iter().map(|length| format!("tea{}", "é".repeat(*length))).collect();
        let workspace = Workspace::of(&[("memory/a.md", &format!("The green tea stands here. {}", text.join(" ")))]);
        let request = Request { excerpt: Some(room), ..request("green tea", 6) };
        for hit in workspace.ask(&request, &settings(), None).hits {
            let excerpt = hit.excerpt.unwrap();
            prop_assert!(text::cut::utf16_len(&excerpt) <= room, "{}: {}", room, excerpt);
        }
    }
}

// A heading for which the snippet had no room, or another part of a long line: nobody had looked whether it gives orders.
#[test]
fn an_excerpt_shows_nothing_that_its_snippet_does_not() {
    let heading = format!("# {}", "Cellar and attic ".repeat(6));
    let shelf = |what: &str| format!("- Green tea {what} {}", "and jars of many kinds ".repeat(13));
    let below_a_heading = format!("{heading}\n\n{}\n{}\n{}\n", shelf("here"), shelf("there"), "- Soap.\n".repeat(30));
    let sentence = |n: usize| format!("Jar {n} holds {}tea of that year. ", if n % 7 == 3 { "green " } else { "" });
    let long_line: String = (0..80).map(sentence).collect();
    for note in [below_a_heading, long_line] {
        let workspace = Workspace::of(&[("memory/a.md", &note)]);
        for room in (60..600).step_by(20) {
            let request = Request { excerpt: Some(room), ..request("green tea here", 6) };
            for hit in workspace.ask(&request, &settings(), None).hits {
                for line in hit.excerpt.unwrap().lines().map(|line| line.trim_matches('…')) {
                    assert!(hit.snippet.contains(line), "{room}: {line:?} in {:?}", hit.snippet);
                }
            }
        }
    }
}
