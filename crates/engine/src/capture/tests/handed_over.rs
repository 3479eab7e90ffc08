//! Messages that a host hands over once more, with another time than they had in their own turn.

use super::{
    super::{
        collect::Collector,
        journal::Journal,
        queue::{Job, Message, Role},
    },
    collector_at,
};

/// The clock of the run that answers a message, and what the channel says of it: whole seconds.
const RUN: f64 = 1_796_025_612_474.0;
const CHANNEL: f64 = 1_796_025_611_000.0;
const MINUTE: f64 = 60_000.0;

fn collector(dir: &std::path::Path) -> Collector {
    collector_at(dir, "2026-11-20T09:30:00[UTC]")
}

fn turn(id: &str, session: &str, said: &[(&str, f64)]) -> Job {
    let message = |(text, at): &(&str, f64)| Message { role: Role::User, text: (*text).to_owned(), at: Some(*at) };
    Job {
        id: id.to_owned(),
        attempts: 1,
        session_key: Some("agent:main:telegram:direct:7".to_owned()),
        session_id: Some(session.to_owned()),
        messages: said.iter().map(message).collect(),
        ..Job::default()
    }
}

/// What a process does with a turn that it has seen nothing before of.
fn run(c: &Collector, turn: Job) -> usize {
    let turn = c.looked_at(turn).unwrap();
    let candidates = c.by_rules(&turn).unwrap();
    c.store(&turn, candidates).unwrap().stored
}

fn note(c: &Collector) -> String {
    std::fs::read_to_string(c.workspace.join("memory/2026-11-20.md")).unwrap_or_default()
}

const AUNT: &str = "My aunt lives in Bonn.";
const BARBER: &str = "My barber is called Rico.";

// Lines that had been taken out of the note by hand were written again after a restart.
#[test]
fn a_message_with_another_time_is_not_judged_again() {
    let dir = tempfile::tempdir().unwrap();
    let c = collector(dir.path());
    assert_eq!(run(&c, turn("1", "s", &[(AUNT, RUN)])), 1);
    // It waited for an hour while the machine was off.
    assert_eq!(run(&c, turn("2", "s", &[(AUNT, RUN), (BARBER, RUN + 60.0 * MINUTE)])), 1);
    std::fs::write(c.workspace.join("memory/2026-11-20.md"), "# 2026-11-20\n\n").unwrap();
    for (id, aunt, barber) in
        [("How late is it?", CHANNEL, CHANNEL + MINUTE), ("And now?", RUN + 1500.0, RUN + 61.0 * MINUTE)]
    {
        let said = [(AUNT, aunt), (BARBER, barber), (id, RUN + 90.0 * MINUTE)];
        let again = c.looked_at(turn(id, "s", &said)).unwrap();
        assert_eq!(again.seen, 2, "a model that lists facts is told that it looked at them before");
        assert_eq!(c.by_rules(&turn(id, "s", &said)).unwrap(), [], "{id}");
    }
    // The turn before could not be finished.
    let said = [(AUNT, CHANNEL), ("I live in Porto.", RUN + 90.0 * MINUTE)];
    let now = c.now.timestamp().as_millisecond();
    let again = Job { attempts: 2, created_ms: now + 1, ..turn("5", "s", &said) };
    assert_eq!(c.by_rules(&again).unwrap().len(), 1);
    // On another day, and in another conversation, the same words are another message.
    assert_eq!(run(&c, turn("6", "s", &[(AUNT, RUN + 1440.0 * MINUTE)])), 1);
    std::fs::write(c.workspace.join("memory/2026-11-20.md"), "# 2026-11-20\n\n").unwrap();
    assert_eq!(run(&c, turn("7", "t", &[(AUNT, CHANNEL), ("Nice, isn't it?", RUN + 1441.0 * MINUTE)])), 1);
}

#[test]
fn what_a_model_looked_at_is_looked_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let c = collector(dir.path());
    let first = turn("1", "s", &[(AUNT, RUN), (BARBER, RUN + MINUTE)]);
    let (listed, _) = c.by_model(&first, "- [fact] The user's aunt lives in Bonn").unwrap();
    c.store(&first, listed).unwrap();
    c.pass_over(&turn("2", "s", &[("Which day is it today?", RUN + 2.0 * MINUTE)])).unwrap();
    let said = [(AUNT, CHANNEL), (BARBER, CHANNEL), ("Which day is it today?", RUN), ("And now?", RUN + 9.0 * MINUTE)];
    assert_eq!(c.looked_at(turn("3", "s", &said)).unwrap().seen, 3);
    let words = Journal::new(&c.folder).captures().unwrap().into_iter().map(|entry| entry.heard.len());
    assert_eq!(words.collect::<Vec<_>>(), [1, 2]);
}

// Journals of before know fingerprints alone.
#[test]
fn a_journal_of_before_is_read() {
    let entry = r#"{"id":"a","ts":"2026-11-20T09:00:00.000Z","status":"stored","text":"x","message":"f"}"#;
    let entry: super::super::log::Entry = serde_json::from_str(entry).unwrap();
    assert!(entry.heard.is_empty() && !serde_json::to_string(&entry).unwrap().contains("heard"));
}

// The correction said what nothing stood before, as far as the times told, and was lost.
#[test]
fn a_correction_knows_what_it_corrects_by_its_words() {
    let (said, correction) = ("My meeting with Priya is on Thursday at 9.", "no, it's Friday not Thursday");
    for time in [CHANNEL, RUN + 40.0] {
        let dir = tempfile::tempdir().unwrap();
        let c = collector(dir.path());
        assert_eq!(run(&c, turn("1", "s", &[(said, RUN)])), 1);
        assert_eq!(run(&c, turn("2", "s", &[(said, time), (correction, RUN + MINUTE)])), 1);
        assert!(note(&c).contains(&format!("{said} – {correction}\n")), "{}", note(&c));
    }
}

// "Don't save that", said after a restart, found nothing; a wish of before took back what was said last.
#[test]
fn a_wish_after_a_restart_takes_back_what_it_means() {
    let dir = tempfile::tempdir().unwrap();
    let c = collector(dir.path());
    let wish = "Please don't save that.";
    assert_eq!(run(&c, turn("1", "s", &[(AUNT, RUN)])), 1);
    let taken = |said: &[(&str, f64)]| {
        let turn = c.looked_at(turn("2", "s", said)).unwrap();
        c.taken_back(&turn).unwrap().into_iter().map(|entry| entry.text).collect::<Vec<_>>()
    };
    let said = [(AUNT, CHANNEL), (wish, RUN + MINUTE)];
    assert_eq!(taken(&said), [AUNT]);
    assert_eq!(run(&c, turn("2", "s", &said)), 0);
    assert_eq!(run(&c, turn("3", "s", &[(BARBER, RUN + 2.0 * MINUTE)])), 1);
    assert!(taken(&[(wish, CHANNEL + MINUTE), (BARBER, RUN + MINUTE), ("Thanks!", RUN + 3.0 * MINUTE)]).is_empty());
}
