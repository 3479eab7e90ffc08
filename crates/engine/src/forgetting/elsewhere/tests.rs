//! One gateway's folder, and entries that came from another one.

use std::{fs, path::Path};

use serde_json::json;

use super::*;
use crate::{
    capture::{
        journal::Journal,
        prompts::{PromptPart, ShownPrompt},
        queue::{Message, Role},
    },
    workspace::exclusions::line_hash,
};
use model::{
    clock::now_ms,
    config::resolve::{ResolveInput, resolve},
};

const DAY: &str = "memory/2026-11-20.md";
const KEY: &str = "agent:main:main";
const BOAT: &str = "My boat is called Quokka and lies in Porto";
const CAT: &str = "My cat is called Mio and sleeps all day";

struct Gateway {
    dir: tempfile::TempDir,
    settings: Settings,
}

impl Gateway {
    /// Two facts were told and captured, recorded and shown, and both wait once more.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let [state, workspace] = ["state", "workspace"].map(|name| dir.path().join(name));
        let input = ResolveInput {
            config: &json!({ "isDefaultAgent": true }),
            agent_id: "main",
            state_dir: &state,
            home_dir: dir.path(),
            workspace_dir: Some(&workspace),
            default_workspace_dir: None,
        };
        let settings = resolve(&input).unwrap().unwrap().settings;
        fs::create_dir_all(workspace.join("memory")).unwrap();
        let folder = agent_folder(&state, "main");
        let journal = Journal::new(&folder);
        for (id, text) in [("s-1", BOAT), ("s-2", CAT)] {
            let capture = log::Entry {
                id: id.into(),
                ts: "2026-11-20T10:00:00Z".into(),
                status: log::Status::Stored,
                text: text.into(),
                reason: None,
                category: Some(Category::Entity),
                path: Some(DAY.into()),
                session_key: Some(KEY.into()),
                session_id: Some(id.into()),
                message: id.into(),
                heard: Vec::new(),
            };
            journal.add_capture(capture).unwrap();
            let message = Message { role: Role::User, text: format!("Hello there. {text}"), at: None };
            let job = Job { id: id.into(), session_id: Some(id.into()), messages: vec![message], ..Job::default() };
            journal.push(&job).unwrap();
            let limits = Default::default();
            short_term::record(&settings.short_term_file, &limits, text, "I see.", &jiff::Zoned::now()).unwrap();
        }
        let shown = ShownPrompt {
            at: now_ms(),
            id: String::new(),
            part: PromptPart::Recall,
            ms: 1.0,
            session_key: KEY.into(),
            text: format!("{BOAT}. {CAT}."),
        };
        PromptLog::of(&folder).add(shown, 30).unwrap();
        Self { dir, settings }
    }

    fn erase(&self, at: &str, what: What) {
        let entry = Entry { id: "1".into(), at: at.into(), is_final: true, by: Some("other".into()), what };
        // Once more, as after a kill in the middle.
        for _ in 0..2 {
            erase(&self.settings, std::slice::from_ref(&entry), now_ms()).unwrap();
        }
    }

    /// In how many of the files of automatic memory a word stands: journal, last turns, log of prompts.
    fn kept(&self, word: &str) -> usize {
        files_with(&self.settings.state_dir, word)
    }
}

fn files_with(folder: &Path, word: &str) -> usize {
    let files = walkdir::WalkDir::new(folder).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    files.filter(|entry| String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).contains(word)).count()
}

fn line(text: &str) -> What {
    What::Lines { path: "memory/elsewhere.md".into(), here: Vec::new(), everywhere: vec![line_hash(text)] }
}

const LATER: &str = "2100-01-01T00:00:00Z";

// The other gateway kept the words in its log, its captures, its queue, and showed them in every new conversation.
#[test]
fn what_the_hashes_of_lines_tell_goes_and_the_rest_stays() {
    for forgotten in [format!("- [entity] {BOAT}"), format!("User: {BOAT}"), BOAT.to_owned()] {
        let gateway = Gateway::new();
        assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (3, 3));
        gateway.erase(LATER, line(&forgotten));
        assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (0, 2), "{forgotten}; the log of prompts goes whole");
    }
}

#[test]
fn what_says_the_words_of_a_note_on_this_disk_goes_too() {
    let gateway = Gateway::new();
    let told = format!("Told on Monday: {BOAT}, and it is blue.");
    gateway.erase(LATER, line(&told));
    assert_eq!(gateway.kept("Quokka"), 2, "nobody can tell that these are the words");
    fs::write(gateway.dir.path().join("workspace/memory/boat.md"), format!("# Boat\n\n{told}\n")).unwrap();
    gateway.erase(LATER, line(&told));
    assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (0, 2));
    // A file as a whole, of which only the name is known.
    let gateway = Gateway::new();
    fs::write(gateway.dir.path().join("workspace/memory/boat.md"), format!("# Boat\n\n{told}\n")).unwrap();
    gateway.erase(LATER, What::Path { path: "memory/boat.md".into(), content: None });
    assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (0, 2));
}

#[test]
fn of_a_file_and_of_a_conversation_goes_what_was_there_before() {
    let path = || What::Path { path: "memory".into(), content: None };
    let session = || What::Session { session: "s-1".into() };
    let gateway = Gateway::new();
    for what in [path(), session()] {
        gateway.erase("2026-11-01T00:00:00Z", what);
    }
    assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (2, 2), "all of it was said later");
    gateway.erase(LATER, session());
    assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (0, 1), "the last turns do not say whose they are");
    let gateway = Gateway::new();
    gateway.erase(LATER, path());
    assert_eq!((gateway.kept("Quokka"), gateway.kept("Mio")), (0, 0));
}

#[test]
fn what_another_memory_had_forgotten_before_takes_nothing_along() {
    let gateway = Gateway::new();
    let what = What::Session { session: "s-1".into() };
    let entry = Entry { id: TAKEN_OVER.into(), at: LATER.into(), is_final: false, by: None, what };
    erase(&gateway.settings, &[entry], now_ms()).unwrap();
    assert_eq!(gateway.kept("Quokka"), 3);
}

#[test]
fn a_gateway_that_keeps_nothing_gets_no_files() {
    let gateway = Gateway::new();
    fs::remove_dir_all(&gateway.settings.state_dir).unwrap();
    gateway.erase(LATER, line(BOAT));
    assert!(!gateway.settings.state_dir.exists());
}
