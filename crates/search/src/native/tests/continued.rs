//! Searches that go on where another ended.

use proptest::prelude::*;

use super::*;

/// Where each result is, and what it shows.
fn shown(hits: &[Hit]) -> Vec<(&str, u32, u32, &str)> {
    hits.iter().map(|hit| (hit.path.as_str(), hit.start_line, hit.end_line, hit.snippet.as_str())).collect()
}

fn after(first: &Request, after: usize) -> Request {
    Request { after, ..first.clone() }
}

#[test]
fn a_question_whose_evidence_is_spread_is_worth_a_second_search() {
    let names = ["Nile", "Rhine", "Douro", "Tagus", "Loire", "Volga", "Ebro", "Oder"];
    let notes: Vec<(String, String)> = names
        .iter()
        .map(|name| (format!("memory/{name}.md"), format!("Ana went kayaking on the {name} with her cousins.")))
        .collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let workspace = Workspace::of(&notes);
    let asked = request("Where has Ana been kayaking?", 3);
    let mut seen = Vec::new();
    let mut next = Some(More { query: asked.query.clone(), after: 0 });
    while let Some(more) = next {
        assert_eq!((more.query.as_str(), more.after), (asked.query.as_str(), seen.len()));
        let answer = workspace.ask(&after(&asked, more.after), &settings(), None);
        assert!(!answer.hits.is_empty(), "something was promised");
        seen.extend(answer.hits.into_iter().map(|hit| hit.path));
        next = answer.more;
    }
    seen.sort();
    let mut all: Vec<&str> = notes.iter().map(|(path, _)| *path).collect();
    all.sort_unstable();
    assert_eq!(seen, all, "each of them, once");
}

#[test]
fn a_question_with_one_answer_is_not() {
    let workspace = Workspace::of(&[
        ("memory/house.md", "The spare key of the garage is under the blue flower pot."),
        ("memory/b.md", "Ana painted the garage."),
        ("memory/c.md", "A garage sale in Porto."),
        ("memory/d.md", "The music of the garage scene."),
    ]);
    let answer = workspace.ask(&request("where is the spare key of the garage?", 1), &settings(), None);
    assert_eq!((answer.hits[0].path.as_str(), answer.more), ("memory/house.md", None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 10))]

    // Whatever is asked for at a time, and wherever it goes on: parts of one list, in which nothing is shown twice.
    #[test]
    fn continuations_are_parts_of_one_list(
        // Of each line how many of the words it holds, and how long it is.
        files in proptest::collection::vec(proptest::collection::vec((0_usize..4, 1_usize..30), 1..40), 1..8),
        most in 1_usize..9,
        budget in prop_oneof![Just(None), (300_usize..3_000).prop_map(Some)],
        skipped in 0_usize..20,
    ) {
        const WORDS: [&str; 3] = ["boiler", "winter", "Porto"];
        let line = |file: usize, (number, (words, length)): (usize, &(usize, usize))| {
            format!("f{file}n{number} {} {}", WORDS[..*words].join(" "), "lorem ".repeat(*length))
        };
        let notes: Vec<(String, String)> = files.iter().enumerate().map(|(at, lines)| {
            let lines: Vec<String> = lines.iter().enumerate().map(|one| line(at, one)).collect();
            (format!("memory/{at}.md"), lines.join("\n"))
        }).collect();
        let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let workspace = Workspace::of(&notes);
        let asked = Request { budget, min_score: Some(0.0), ..request("boiler in winter in Porto", most) };
        let ask = |after_: usize| workspace.ask(&after(&asked, after_), &settings(), None);
        let mut list: Vec<Hit> = Vec::new();
        loop {
            let answer = ask(list.len());
            let end = answer.hits.is_empty();
            prop_assert!(answer.hits.len() <= most);
            list.extend(answer.hits);
            prop_assert!(answer.more.is_none_or(|more| more.after == list.len() && !end));
            if end {
                break;
            }
        }
        let part = ask(skipped).hits;
        let rest = &list[skipped.min(list.len())..];
        prop_assert_eq!(shown(&part), shown(&rest[..part.len()]));
        prop_assert_eq!(part.is_empty(), rest.is_empty());
        let of_lines = list.iter().flat_map(|hit| hit.snippet.lines()).filter(|line| line.starts_with('f'));
        let mut labels: Vec<&str> = of_lines.filter_map(|line| line.split(' ').next()).collect();
        let count = labels.len();
        labels.sort_unstable();
        labels.dedup();
        prop_assert_eq!(labels.len(), count, "a line is shown once");
    }
}
