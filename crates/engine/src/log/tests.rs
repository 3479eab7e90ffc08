use std::sync::OnceLock;

use tracing::subscriber::with_default;

use super::*;
use model::error::{Code, Error, ErrorKind};

/// What a subscriber of its own hears while something runs on this thread.
fn heard(work: impl FnOnce()) -> Vec<Event> {
    static HEARD: Mutex<Vec<Event>> = Mutex::new(Vec::new());
    static ONE_AT_A_TIME: OnceLock<Mutex<()>> = OnceLock::new();
    let _turn = ONE_AT_A_TIME.get_or_init(Mutex::default).lock();
    with_default(subscriber::Subscriber::new(|event| HEARD.lock().push(event)), work);
    std::mem::take(&mut *HEARD.lock())
}

fn warn(agent: &str, error: &Error) {
    tracing::warn!(agent, error = error as &dyn std::error::Error, "notes were not read");
}

fn full() -> Error {
    let kind = ErrorKind::Sqlite { fault: model::error::SqliteFault::Full, extended: 13 };
    Error::new(kind, "no space").remedy("Free some space")
}

#[test]
fn an_event_says_what_happened_to_whom_why_and_what_to_do() {
    let event = &heard(|| warn("main", &full()))[0];
    assert_eq!(event.agent.as_deref(), Some("main"));
    assert_eq!(event.text, "notes were not read: MEM_DISK_FULL, SQLite 13. Free some space");
    assert_eq!(event.level_name(), "warn");
    let counted = &heard(|| tracing::error!(files = 3_u64, path = "memory/a.md", "lost"))[0];
    assert_eq!((counted.level_name(), counted.text.as_str()), ("error", "lost (files 3, path memory/a.md)"));
}

/// Providers, parsers and SQLite quote what they were given.
#[test]
fn no_private_text_passes_whichever_way_it_is_said() {
    const CANARY: &str = "sk-proj-canary of a note";
    let owned = || CANARY.to_owned();
    let host = ErrorKind::Host { code: Some(CANARY.into()), status: None, retry_after_ms: None };
    let parser = serde_json::from_str::<u8>(&format!("\"{CANARY}\"")).unwrap_err();
    assert!(parser.to_string().contains(CANARY), "the parser quotes");
    let events = heard(|| {
        for code in Code::ALL {
            warn("main", &Error::new(code, CANARY).remedy(owned()).caused_by(std::io::Error::other(CANARY)));
        }
        warn("main", &Error::new(host.clone(), CANARY));
        warn("main", &Error::io("/notes".as_ref(), &std::io::Error::other(CANARY)));
        tracing::warn!(error = &parser as &dyn std::error::Error, "said");
        tracing::warn!(text = CANARY, shown = %CANARY, debugged = ?CANARY, "said");
    });
    assert_eq!(events.len(), Code::ALL.len() + 4);
    assert!(events.iter().all(|event| !event.text.contains("canary")), "{events:?}");
}

#[test]
fn other_crates_are_not_listened_to() {
    let events = heard(|| {
        tracing::warn!(target: "hyper::proto", "request of a note");
        tracing::warn!(target: "embed::driver", "ours");
        tracing::trace!("too fine");
    });
    let texts: Vec<&str> = events.iter().map(|event| event.text.as_str()).collect();
    assert_eq!(texts, ["ours"]);
}

#[test]
fn the_same_message_is_told_once_in_a_while_and_counted() {
    let mut voice = Voice::default();
    let say = |voice: &mut Voice, agent: &str, error: &Error, at: i64| {
        let event = heard(|| warn(agent, error)).remove(0);
        voice.note(event, at).map(|line| line.text)
    };
    assert!(say(&mut voice, "main", &full(), 0).is_some());
    for at in 1..50 {
        assert_eq!(say(&mut voice, "main", &full(), at), None);
    }
    // Another agent or another failure is another message.
    assert!(say(&mut voice, "ana", &full(), 60).is_some());
    assert!(say(&mut voice, "main", &Error::new(Code::Busy, "x"), 60).is_some());
    let again = say(&mut voice, "main", &full(), SILENCE_MS).unwrap();
    assert!(again.ends_with("(and 49 times since it was last said)"), "{again}");
    // A clock that was set back does not silence it.
    assert!(say(&mut voice, "main", &full(), 5).is_some());

    let warnings = voice.warnings("main");
    let told: Vec<(u32, i64)> = warnings.iter().map(|warning| (warning.count, warning.at_ms)).collect();
    assert_eq!(told, [(52, 5), (1, 60)]);
}

#[test]
fn what_is_remembered_is_bounded() {
    let mut voice = Voice::default();
    for n in 0..500 {
        let event = heard(|| warn(&format!("agent {n}"), &full())).remove(0);
        voice.note(event, n);
    }
    assert_eq!(voice.said.len(), REMEMBERED);
    assert_eq!((voice.warnings("agent 499").len(), voice.warnings("agent 1").len()), (1, 0));
}

#[test]
fn of_the_same_warning_the_later_knowledge_counts() {
    let warning = |message: &str, count, at_ms| Warning {
        level: "warn".to_owned(),
        message: message.to_owned(),
        count,
        since_ms: 0,
        at_ms,
    };
    let both = merged(vec![warning("a", 1, 5), warning("b", 2, 9)], &[warning("a", 7, 8), warning("c", 1, 1)], 10);
    let told: Vec<_> = both.iter().map(|w| (w.message.as_str(), w.count)).collect();
    assert_eq!(told, [("b", 2), ("a", 7), ("c", 1)]);
    assert_eq!(merged(both, &[], 5 + KEPT_MS).len(), 2, "what is a week old goes");
}

/// A message goes through as it is: nothing that was read or said may be put into one.
#[test]
fn every_message_is_a_sentence_of_this_program() {
    let crates = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut found = 0;
    for entry in walkdir::WalkDir::new(crates).into_iter().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "rs") || path.ends_with("engine/src/log/tests.rs") {
            continue;
        }
        let source = std::fs::read_to_string(path).unwrap();
        for said in source.split("tracing::").skip(1) {
            if !["error!(", "warn!(", "info!(", "debug!("].iter().any(|level| said.starts_with(level)) {
                continue;
            }
            found += 1;
            let said = said.split_once(");").map_or(said, |(said, _)| said);
            let mut texts = said.split('"').skip(1).step_by(2);
            assert!(texts.all(|text| text == "{happened}" || !text.contains('{')), "{}: {said}", path.display());
        }
    }
    assert!(found > 8, "{found}");
}
