//! Journals that several processes write, that end in the middle of a record, and that begin with what 0.1.0 left.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::Mutex,
};

use super::{
    super::{
        log::{Entry, Status},
        queue::{Job, Message, Role},
    },
    *,
};

fn job(id: &str) -> Job {
    let messages = vec![Message { role: Role::User, text: format!("I prefer tea {id}"), at: None }];
    Job { id: id.to_owned(), messages, ..serde_json::from_str(r#"{"id":"","messages":[]}"#).unwrap() }
}

fn capture(id: &str, status: Status) -> Entry {
    Entry {
        id: id.to_owned(),
        ts: "2026-11-20T09:15:00.000Z".to_owned(),
        status,
        text: format!("I prefer tea {id}"),
        reason: None,
        category: None,
        path: Some("memory/2026-11-20.md".to_owned()),
        session_key: None,
        session_id: None,
        message: format!("print of {id}"),
        heard: Vec::new(),
    }
}

/// The ids of the turns that wait, in their order.
fn waiting(journal: &Journal) -> Vec<String> {
    journal.read().unwrap().turns().0.into_iter().map(|job| job.id.clone()).collect()
}

/// Captures as they are now, oldest first.
fn captured(journal: &Journal) -> Vec<(String, Status)> {
    let mut captures: Vec<_> = journal.captures().unwrap().into_iter().map(|e| (e.id, e.status)).collect();
    captures.reverse();
    captures
}

fn text(journal: &Journal) -> String {
    std::fs::read_to_string(journal.path()).unwrap()
}

#[test]
fn writers_takers_and_rewriters_lose_nothing_and_take_nothing_twice() {
    const WRITERS: usize = 3;
    const EACH: usize = 60;
    let dir = tempfile::tempdir().unwrap();
    let taken = Mutex::new(Vec::new());
    let journal = || Journal::new(dir.path());
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for n in 0..EACH {
                    journal().push(&job(&format!("{writer}-{n}"))).unwrap();
                    journal().add_capture(capture(&format!("{writer}-{n}"), Status::Skipped)).unwrap();
                }
            });
        }
        let taken = &taken;
        scope.spawn(move || {
            while taken.lock().unwrap().len() < WRITERS * EACH {
                journal().change(false, |_| 0).unwrap();
            }
        });
        for _ in 0..2 {
            scope.spawn(move || {
                while taken.lock().unwrap().len() < WRITERS * EACH {
                    if let Some(job) = journal().claim(1, i64::MAX).unwrap() {
                        taken.lock().unwrap().push(job.id.clone());
                        journal().finish(&job.id).unwrap();
                    }
                }
            });
        }
    });
    let taken = taken.into_inner().unwrap();
    assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), taken.len(), "a turn was taken twice");
    assert!(waiting(&journal()).is_empty());
    assert_eq!(captured(&journal()).len(), WRITERS * EACH);
}

/// Set for the process that [`another_process`] starts: the folder it writes to.
const FOLDER: &str = "MEMORY_JOURNAL_TEST_FOLDER";

/// Adds turns until somebody kills it, and says which.
#[test]
fn another_process() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    // Together fewer than are given up.
    for n in 0..100 {
        let id = format!("{}-{n}", std::process::id());
        Journal::new(folder.as_ref()).push(&job(&id)).unwrap();
        println!("added {id}");
    }
    std::thread::sleep(std::time::Duration::from_secs(600));
}

fn start(folder: &Path) -> Child {
    let name = "capture::journal::tests::another_process";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]).env(FOLDER, folder).stdout(Stdio::piped()).spawn().unwrap()
}

#[test]
fn what_a_killed_process_has_added_is_there_once() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path());
    let (mut added, mut taken) = (BTreeSet::new(), Vec::new());
    let mut take = || {
        let job = journal.claim(1, i64::MAX).unwrap();
        taken.extend(job.iter().map(|job| job.id.clone()));
        job.map(|job| journal.finish(&job.id).unwrap())
    };
    for _ in 0..4 {
        let mut child = start(dir.path());
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(|line| line.ok());
        for line in lines.by_ref().filter_map(|line| Some(line.split_once("added ")?.1.to_owned())).take(40) {
            added.insert(line);
            // Meanwhile this process takes turns and writes the journal anew.
            take();
            journal.change(false, |_| 0).unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        added.extend(lines.filter_map(|line| Some(line.split_once("added ")?.1.to_owned())));
    }
    while take().is_some() {}
    let once: BTreeSet<String> = taken.iter().cloned().collect();
    assert_eq!(once.len(), taken.len(), "a turn was taken twice");
    assert!(added.is_subset(&once), "lost: {:?}", added.difference(&once).collect::<Vec<_>>());
}

// Whoever is killed in the middle of a record leaves its beginning; what is added after it must not hang on it.
#[test]
fn a_record_that_ends_anywhere_costs_no_other() {
    let marks = ["00000000000000ff".to_owned()].to_vec();
    let last = [
        Record::Turn(job("ç")),
        Record::Claim(Claim { turn: "a".to_owned(), attempts: 7, until_ms: 9 }),
        Record::Done("a".to_owned()),
        Record::Capture(capture("c", Status::Undone)),
        Record::Marks(marks),
    ];
    for record in last {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        journal.push(&job("a")).unwrap();
        journal.add_capture(capture("c", Status::Stored)).unwrap();
        let before = text(&journal).len();
        journal.add(&record).unwrap();
        let whole = text(&journal).into_bytes();
        journal.push(&job("next")).unwrap();
        let next = text(&journal).into_bytes().split_off(whole.len());
        let records = |bytes: &[u8]| format!("{:?}", State::replay(bytes).records().collect::<Vec<_>>());
        for len in before..=whole.len() {
            let cut = &whole[..len];
            let is_complete = len + 1 >= whole.len();
            let expected = if is_complete { &whole[..] } else { &whole[..before] };
            assert_eq!(records(cut), records(expected), "{len}");
            assert!(State::replay(cut).damaged.is_empty(), "it may still be written");
            assert_eq!(records(&[cut, &next].concat()), records(&[expected, &next].concat()), "{len}");
            let damaged = State::replay(&[cut, &next].concat()).damaged;
            assert_eq!(damaged.is_empty(), is_complete || cut.ends_with(b"\n"), "{len}");
        }
    }
}

#[test]
fn damage_is_set_aside_and_costs_no_record() {
    for damage in [&b"\0\0 nonsense"[..], b"{\"turn\":{\"id\":1}}", b"[\"\xff\"]", b"{\"capture\":"] {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        journal.push(&job("a")).unwrap();
        let torn = [text(&journal).as_bytes(), damage].concat();
        std::fs::write(journal.path(), torn).unwrap();
        journal.push(&job("b")).unwrap();
        assert_eq!(waiting(&journal), ["a", "b"]);
        let aside = jsonl::set_aside(&journal.path()).unwrap();
        assert_eq!(std::fs::read(&aside[0]).unwrap(), [damage, b"\n"].concat());
        assert!(State::replay(text(&journal).as_bytes()).damaged.is_empty());
    }
}

#[test]
fn a_journal_that_is_far_too_large_is_set_aside_unread() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path());
    journal.push(&job("a")).unwrap();
    File::options().write(true).open(journal.path()).unwrap().set_len(1 << 40).unwrap();
    journal.push(&job("b")).unwrap();
    assert_eq!(journal.read().unwrap_err().code(), Code::Corrupt);
    assert_eq!(journal.claim(1, 1).unwrap(), None);
    journal.push(&job("c")).unwrap();
    assert_eq!(waiting(&journal), ["c"]);
    assert_eq!(jsonl::set_aside(&journal.path()).unwrap()[0].metadata().unwrap().len() >> 40, 1);
}

#[test]
fn a_journal_stays_small_and_keeps_what_has_no_verdict_and_every_verdict_that_is_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path());
    journal.push(&job("first")).unwrap();
    for n in 0..2 * state::MAX_CAPTURES {
        journal.add_capture(capture(&n.to_string(), Status::Stored)).unwrap();
    }
    for n in 0..1000 {
        let id = n.to_string();
        journal.push(&job(&id)).unwrap();
        journal.add(&Record::Done(id)).unwrap();
    }
    journal.add_capture(capture(&state::MAX_CAPTURES.to_string(), Status::Undone)).unwrap();
    let before = text(&journal).len();
    assert_eq!(journal.claim(1, 1).unwrap().unwrap().id, "first");
    assert!(text(&journal).len() * 2 < before);
    let captures = captured(&journal);
    assert_eq!(captures.len(), state::MAX_CAPTURES);
    assert_eq!(captures[0], ((state::MAX_CAPTURES + 1).to_string(), Status::Stored));
    assert_eq!(captures[captures.len() - 1], (state::MAX_CAPTURES.to_string(), Status::Undone));
    assert_eq!(waiting(&journal), ["first"]);
    let settled = std::fs::read(journal.path()).unwrap();
    drop(journal.hold().unwrap());
    assert_eq!(std::fs::read(journal.path()).unwrap(), settled, "nothing more to gain");
}

// Words that somebody took back lay there in every turn that showed them, until a hundred records were over.
#[test]
fn the_words_of_a_turn_go_once_it_is_done_whoever_is_killed_then() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path());
    journal.push(&job("private")).unwrap();
    journal.push(&job("next")).unwrap();
    let taken = journal.claim(1, i64::MAX).unwrap().unwrap();
    journal.finish(&taken.id).unwrap();
    assert!(text(&journal).contains("tea private"), "nobody has come by since");
    journal.push(&job("private")).unwrap();
    assert_eq!(journal.claim(1, i64::MAX).unwrap().unwrap().id, "next");
    assert!(!text(&journal).contains("tea private"), "{}", text(&journal));
    assert!(text(&journal).contains("tea next") && waiting(&journal) == ["next"]);
    journal.push(&job("private")).unwrap();
    assert_eq!(journal.claim(1, i64::MAX).unwrap(), None);
    assert!(!text(&journal).contains("tea private"), "reported once more");
}

// What grows with the square of the lines would take hours for a million.
#[test]
fn a_million_lines_are_read_once_and_become_few() {
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(dir.path());
    let mut elapsed = [100_000, 1_000_000].into_iter().map(|lines| {
        let lines: String = (0..lines)
            .map(|n| match n % 4 {
                0 => format!("{{\"turn\":{{\"id\":\"{n}\",\"messages\":[]}}}}\n"),
                1 => format!("{{\"marks\":[\"{:x}\"]}}\n", n % 64),
                2 => format!("{{\"claim\":{{\"turn\":\"{}\",\"attempts\":1,\"untilMs\":9}}}}\n", n - 2),
                _ => format!("{{\"done\":\"{}\"}}\n", n - 3),
            })
            .collect();
        std::fs::write(journal.path(), lines).unwrap();
        let start = std::time::Instant::now();
        assert_eq!(journal.claim(1, 1).unwrap(), None);
        assert!(text(&journal).len() < 50_000, "{}", text(&journal).len());
        start.elapsed()
    });
    let (few, many) = (elapsed.next().unwrap(), elapsed.next().unwrap());
    assert!(many < few * 40, "{few:?} for 100,000 lines, {many:?} for ten times as many");
}

#[cfg(unix)]
#[test]
fn a_journal_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let journal = Journal::new(&dir.path().join("own"));
    let mode = || journal.path().metadata().unwrap().permissions().mode() & 0o777;
    journal.push(&job("a")).unwrap();
    assert_eq!(mode(), 0o600);
    journal.change(false, |_| 0).unwrap();
    assert_eq!(mode(), 0o600);
}

mod takeover;
