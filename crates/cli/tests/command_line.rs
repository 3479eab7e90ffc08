//! The program from outside: what it prints, and how it ends.
#![expect(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_memory-core")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// What it answers as JSON; it must end well.
fn answer(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Why it fails.
fn failure(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "{arguments:?}");
    text(&output.stderr).to_owned()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn notes_are_indexed_and_found() {
    let dir = tempfile::tempdir().unwrap();
    let (notes, state) = (dir.path().join("notes"), dir.path().join("state"));
    write(&notes.join("MEMORY.md"), "# Sailing\n\nThe boat lies in Lagos.\n");
    write(&notes.join("memory/kite.md"), "The kite is red.\n");
    let (notes, state) = (notes.to_str().unwrap(), state.to_str().unwrap());
    let place = [notes, "--state", state, "--provider", "none"];
    let search = |query| [&["search"], &place[..], &[query]].concat();
    assert!(failure(&search("boat")).contains("memory-core index"), "it says what to do first");
    let report = answer(&[&["index"], &place[..]].concat());
    assert_eq!((&report["files"], &report["changed"]), (&json!(2), &json!(2)));
    assert_eq!(answer(&[&["index"], &place[..]].concat())["changed"], 0);
    let found = answer(&search("where is the boat"));
    assert_eq!(found["hits"][0]["path"], "MEMORY.md", "{found}");
    let shown = run(&search("kite"));
    assert!(text(&shown.stdout).contains("memory/kite.md:1-1"), "{}", text(&shown.stdout));
    assert_eq!(text(&run(&search("zebra")).stdout), "nothing found\n");
    let asked = dir.path().join("asked.jsonl");
    write(&asked, "{\"id\": \"b\", \"query\": \"where is the boat\"}\n{\"id\": \"z\", \"query\": \"zebra\"}\n");
    let answers = answer(&[&["ask"], &place[..], &[asked.to_str().unwrap()]].concat());
    assert_eq!((&answers[0]["id"], &answers[0]["hits"][0]["path"]), (&json!("b"), &json!("MEMORY.md")));
    assert_eq!(answers[1], json!({ "id": "z", "hits": [] }));
}

#[test]
fn a_set_is_scored_by_the_lines_that_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("pets");
    write(&set.join("ws/memory/pets.md"), "Rex is the dog of Ana.\n");
    write(&set.join("meta.json"), "{\"now\": 1718452800}");
    let asked = "{\"id\": \"1\", \"category\": \"c\", \"query\": \"dog of Ana\", \"evidence\": [[\"memory/pets.md\", 1]]}\n\
                 {\"id\": \"2\", \"category\": \"c\", \"query\": \"submarine\", \"evidence\": []}\n";
    write(&set.join("queries.jsonl"), asked);
    let set = set.to_str().unwrap();
    let scored = answer(&["eval", set, "--provider", "none"]);
    assert_eq!(scored["pets"]["count"], 2);
    for measure in ["seen@6", "seen+6", "hit@6", "rank1", "mrr", "b2000", "shown", "shown2000"] {
        assert_eq!(scored["pets"]["means"][measure], 100.0, "{measure}");
    }
    assert_eq!(scored["pets"]["means"]["none"], 50.0, "of two questions one has no answer, and shows none");
    let table = run(&["eval", set, "--provider", "none"]);
    assert!(
        text(&table.stdout)
            .contains("| none | 100.0 | 100.0 | 0.0 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 50.0 | 0.0 |")
    );
    write(&dir.path().join("pets/meta.json"), "{\"now\": 1, \"kind\": \"recall\"}");
    assert!(failure(&["eval", set]).contains("only `npm run eval`"));
}

#[test]
fn a_bench_searches_what_it_made_up() {
    let report = answer(&["bench", "--files", "3", "--searches", "5", "--provider", "none"]);
    assert_eq!((&report["files"], &report["searches"]), (&json!(3), &json!(5)));
    assert!(report["answered"].as_u64().unwrap() > 0 && report["p50Ms"].as_f64().unwrap() > 0.0, "{report}");
    assert!(report["p50Ms"].as_f64() <= report["p99Ms"].as_f64());
}

#[test]
fn wrong_usage_and_missing_folders_are_told_apart() {
    for wrong in [&["search"][..], &["eval"], &["bench", "--files", "0"], &["index", "x"], &["dance"]] {
        let output = run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(text(&output.stderr).contains("--help"), "{}", text(&output.stderr));
    }
    let state = std::env::temp_dir();
    assert!(failure(&["index", "/no/such/folder", "--state", state.to_str().unwrap()]).contains("/no/such/folder"));
    assert!(failure(&["eval", "/no/such/set"]).contains("/no/such/set"));
    let help = run(&["--help"]);
    assert!(help.status.success());
    for command in ["index", "search", "eval", "bench"] {
        assert!(text(&help.stdout).contains(command), "{command}");
    }
}
