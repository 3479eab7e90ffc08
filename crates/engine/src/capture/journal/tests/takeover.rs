//! Folders as 0.1.0 leaves them, byte by byte, and a takeover that is interrupted at each of its steps.

use super::*;
use crate::capture::erase;

/// What 0.1.0 writes for a turn: one that nobody took, one that somebody took once.
const TURNS: [(&str, &str); 2] = [
    (
        "001795166100000-0000000000-4d1f4aa5ac2ee0ee.json",
        r#"{"id":"run-1","createdMs":1795166100000,"attempts":0,"notBeforeMs":0,"sessionKey":"agent:main:main","provider":"anthropic","model":null,"messages":[{"role":"user","text":"I prefer tea","at":1795166099000.0},{"role":"assistant","text":"Noted."}]}"#,
    ),
    (
        "001795166200000-0000000001-9d1f4aa5ac2ee0aa.json",
        r#"{"id":"run-2","createdMs":1795166200000,"attempts":1,"notBeforeMs":1795166320000,"sessionKey":null,"provider":null,"model":null,"maxFacts":10,"seen":1,"messages":[{"role":"user","text":"Hello"},{"role":"user","text":"I live in Porto"}]}"#,
    ),
];

/// A line of its queue in one file, as versions before it wrote it.
const TURN_LINE: &str = r#"{"id":"run-0","createdMs":1795166000000,"attempts":0,"notBeforeMs":0,"sessionKey":null,"provider":null,"model":null,"messages":[{"role":"user","text":"My dog is called Rex"}]}"#;

/// Its log: what was stored, what was not, what was taken back.
const CAPTURES: [&str; 4] = [
    r#"{"id":"0a1b2c3d","ts":"2026-11-20T09:15:00.000Z","status":"stored","text":"I like green tea","category":"preference","path":"memory/2026-11-20.md","sessionKey":"agent:main:main","message":"9f86d081884c7d65"}"#,
    r#"{"id":"1a1b2c3d","ts":"2026-11-20T09:16:00.000Z","status":"skipped","text":"What time is it?","reason":"question","sessionKey":"agent:main:main","message":"60303ae22b998861"}"#,
    r#"{"id":"2a1b2c3d","ts":"2026-11-20T09:17:00.000Z","status":"stored","text":"I live in Lisbon","category":"entity","path":"memory/2026-11-20.md","message":"fd61a03af4f77d87"}"#,
    r#"{"id":"2a1b2c3d","ts":"2026-11-20T09:18:00.000Z","status":"undone","text":"I live in Lisbon","category":"entity","path":"memory/2026-11-20.md","message":"fd61a03af4f77d87"}"#,
];

/// Its marks, in the folder of all agents.
const MARKS: [&str; 2] = [r#"["00000000000000ff","a1b2c3d4e5f60718"]"#, r#"["00000000000000ff","1111111111111111"]"#];

/// A folder as 0.1.0 leaves it: the agent's, and the one above it.
fn former() -> (tempfile::TempDir, Journal, Journal) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("main");
    std::fs::create_dir_all(folder.join("capture-queue")).unwrap();
    for (name, turn) in TURNS {
        std::fs::write(folder.join("capture-queue").join(name), turn).unwrap();
    }
    std::fs::write(folder.join("capture-queue/lock"), "").unwrap();
    std::fs::write(folder.join("capture.lock"), "").unwrap();
    std::fs::write(folder.join("capture-queue.jsonl"), format!("{TURN_LINE}\n{{\"id\":\"torn")).unwrap();
    // The last line was complete when the process was killed before its line feed.
    std::fs::write(folder.join("captures.jsonl"), CAPTURES.join("\n")).unwrap();
    std::fs::write(dir.path().join("group-words.jsonl"), MARKS.join("\n") + "\n").unwrap();
    let (own, shared) = (Journal::new(&folder), Journal::of_all_agents(dir.path()));
    (dir, own, shared)
}

/// That everything is there once, and that nothing of it is left where it was.
fn check(own: &Journal, shared: &Journal, step: &str) {
    let state = own.read().unwrap();
    let turns: Vec<Job> = state.turns().0.into_iter().cloned().collect();
    let expected: Vec<Job> =
        [TURN_LINE, TURNS[0].1, TURNS[1].1].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(turns, expected, "{step}");
    let mut captures = own.captures().unwrap();
    captures.reverse();
    let expected: Vec<Entry> =
        [CAPTURES[0], CAPTURES[1], CAPTURES[3]].iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(captures, expected, "{step}");
    assert_eq!(shared.read().unwrap().marks, [0xff, 0xa1b2_c3d4_e5f6_0718, 0x1111_1111_1111_1111].into(), "{step}");
    let (own_text, shared_text) = (text(own), text(shared));
    for id in ["run-0", "run-1", "run-2", "0a1b2c3d", "1a1b2c3d", "2a1b2c3d"] {
        assert_eq!(own_text.matches(&format!("\"id\":\"{id}\"")).count(), 1, "{step}: {id}");
    }
    assert_eq!(shared_text.matches("ff\"").count(), 1, "{step}");
    let mut left: Vec<String> = [&own.folder, &shared.folder]
        .iter()
        .flat_map(|folder| folder.read_dir().unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, ["capture.lock", "capture.lock", "journal.jsonl", "journal.jsonl", "main"], "{step}");
}

#[test]
fn a_folder_of_0_1_0_is_taken_over_as_a_whole_and_once() {
    let (_dir, own, shared) = former();
    check(&own, &shared, "at first");
    check(&own, &shared, "and again");
    // A turn that somebody had taken stays his until his time is over, and the next to take it knows that he did.
    let taken: Vec<_> = std::iter::from_fn(|| own.claim(1_795_166_300_000, 120_000).unwrap()).collect();
    assert_eq!(taken.iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), ["run-0", "run-1"]);
    let late = own.claim(1_795_166_320_000, 120_000).unwrap().unwrap();
    assert_eq!((late.id.as_str(), late.attempts), ("run-2", 2));
}

// Before the journal is written, after it, and after each removal; of the folder with a file for each turn also halfway.
#[test]
fn a_takeover_that_is_interrupted_anywhere_is_finished_by_the_next() {
    for step in 0..=5_usize {
        let (_dir, own, shared) = former();
        for journal in [&own, &shared] {
            let mut state = State::default();
            let removals = former::take(journal, &mut state).unwrap();
            let [file, lock] = [journal.path(), journal.folder.join(LOCK)].map(|path| own_file::open_or_create(&path));
            if step > 0 {
                Held { journal: journal.clone(), file: file.unwrap(), state, lock: lock.unwrap() }.rewrite().unwrap();
            }
            removals.into_iter().take(step.saturating_sub(1)).for_each(|removal| removal().unwrap());
        }
        if step == 3 {
            std::fs::remove_file(own.folder.join("capture-queue").join(TURNS[0].0)).unwrap();
        }
        check(&own, &shared, &format!("after step {step}"));
    }
}

// Two gateways of which one is still the old version.
#[test]
fn what_a_process_of_0_1_0_adds_afterwards_is_taken_over_too() {
    let (_dir, own, shared) = former();
    check(&own, &shared, "before");
    let folder = own.folder.join("capture-queue");
    std::fs::create_dir(&folder).unwrap();
    let [unfinished, another] = ["unfinished.new", "9.json"].map(|name| folder.join(name));
    std::fs::write(&unfinished, "{").unwrap();
    std::fs::write(&another, TURN_LINE.replace("run-0", "run-9")).unwrap();
    std::fs::write(folder.join("000-of-a-power-cut.json"), "").unwrap();
    std::fs::write(own.folder.join("captures.jsonl"), CAPTURES[0].replace("0a1b", "9a1b") + "\n").unwrap();
    assert_eq!(own.waiting().unwrap(), 4);
    assert!(captured(&own).contains(&("9a1b2c3d".to_owned(), Status::Stored)));
    assert!(unfinished.exists() && !another.exists(), "what is being written is left to its writer");
    std::fs::rename(&unfinished, folder.join("8.json")).unwrap();
    std::fs::write(folder.join("8.json"), TURN_LINE.replace("run-0", "run-8")).unwrap();
    assert_eq!(own.waiting().unwrap(), 5);
    assert!(!folder.exists());
}

#[test]
fn of_a_long_log_the_rest_stays_where_forget_finds_it() {
    let (dir, own, _) = former();
    let lines: String =
        (0..=state::MAX_CAPTURES).map(|n| format!("{}\n", CAPTURES[0].replace("0a1b2c3d", &n.to_string()))).collect();
    std::fs::write(own.folder.join("captures.jsonl"), &lines).unwrap();
    assert_eq!(own.captures().unwrap().len(), state::MAX_CAPTURES);
    let rotated = jsonl::rotated(&own.folder.join("captures.jsonl")).unwrap();
    assert_eq!(std::fs::read_to_string(&rotated[0]).unwrap(), lines);
    let places = erase::Places { folder: Some(own.folder.clone()), short_term: None };
    let wanted =
        erase::Wanted { capture: &|entry| entry.text.contains("green tea"), turn: &|_| false, record: &|_| false };
    let words = erase::find(&places, &wanted).unwrap();
    assert_eq!(words.captures.len() + words.records(), 2 * state::MAX_CAPTURES + 1);
    erase::take(&places, &words).unwrap();
    assert!(!std::fs::read_to_string(&rotated[0]).unwrap().contains("green tea") && !text(&own).contains("green tea"));
    drop(dir);
}

#[test]
fn damage_in_what_0_1_0_left_is_set_aside() {
    let (_dir, own, _) = former();
    let log = own.folder.join("captures.jsonl");
    std::fs::write(&log, format!("{}\n\0\0 nonsense\n{}\n", CAPTURES[0], CAPTURES[1])).unwrap();
    File::options()
        .append(true)
        .create(true)
        .open(own.folder.join("capture-queue.jsonl"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    assert_eq!(captured(&own).len(), 2);
    assert_eq!(jsonl::set_aside(&log).unwrap().len(), 1);
    assert_eq!(waiting(&own), ["run-1", "run-2"]);
    assert_eq!(jsonl::set_aside(&own.folder.join("capture-queue.jsonl")).unwrap().len(), 1);
}

// Whoever holds the journal and reads it once more would wait for himself.
#[test]
fn a_turn_is_stored_while_a_process_of_0_1_0_adds_to_its_log() {
    use crate::capture::collect::Collector;
    let (dir, own, _) = former();
    let workspace = dir.path().join("workspace");
    std::fs::create_dir(&workspace).unwrap();
    let now = "2026-11-20T23:30:00Z[UTC]".parse().unwrap();
    let folder = own.folder.clone();
    let collector = Collector { folder, workspace, max_note_bytes: 1 << 20, now, max_facts: 3 };
    let turn = own.claim(i64::MAX / 2, 1).unwrap().unwrap();
    let again = Job { attempts: 2, ..turn };
    let candidates = collector.by_rules(&again).unwrap();
    let log = own.folder.join("captures.jsonl");
    let stored = std::thread::scope(|scope| {
        let adding = scope.spawn(|| (0..200).for_each(|_| jsonl::append(&log, CAPTURES[0]).unwrap()));
        let stored = (0..20).map(|_| collector.store(&again, candidates.clone()).unwrap().stored).sum::<usize>();
        adding.join().unwrap();
        stored
    });
    assert_eq!((stored, own.captures().unwrap().iter().filter(|entry| entry.id == "0a1b2c3d").count()), (1, 1));
}
