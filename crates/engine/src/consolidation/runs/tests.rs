//! Runs on a real workspace and a real store, with the clock in the hand.

use std::{collections::BTreeMap, fs};

use model::config::resolve::{ResolveInput, resolve};
use serde_json::json;
use store::OpenOptions;

use super::*;
use crate::consolidation::evidence::{Before, Shown};

/// Noon of 2026-11-20.
pub(crate) const NOW: i64 = 1_795_176_000_000;
pub(crate) const DAY_MS: i64 = 86_400_000;

/// A workspace, and the time.
pub(crate) struct World {
    dir: tempfile::TempDir,
    store: Arc<Store>,
    pub settings: Consolidation,
    pub time_zone: &'static str,
    pub now_ms: i64,
    pub bootstrap_chars: usize,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("workspace/memory")).unwrap();
        let store = Store::open(&dir.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        Self { dir, store, settings: Consolidation::default(), time_zone: "UTC", now_ms: NOW, bootstrap_chars: 20_000 }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("workspace").join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    /// Every file with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let all =
            walkdir::WalkDir::new(self.path("")).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        all.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap())).collect()
    }

    pub(crate) fn runs(&self) -> Runs {
        let (workspace, state) = (self.path(""), self.dir.path().join("state"));
        let input = ResolveInput {
            config: &json!({ "agents": { "defaults": { "userTimezone": "UTC" } } }),
            agent_id: "main",
            state_dir: &state,
            home_dir: self.dir.path(),
            workspace_dir: Some(&workspace),
            default_workspace_dir: None,
        };
        let settings = resolve(&input).unwrap().unwrap().settings;
        let consolidation = Consolidation { time_zone: self.time_zone.to_owned(), ..self.settings.clone() };
        Runs::new(Arc::clone(&self.store), &settings, consolidation, self.bootstrap_chars, self.now_ms)
    }

    /// The model searches and is shown lines of a note.
    pub(crate) fn query(&self, query: &str, path: &str, lines: (u32, u32)) {
        let shown = vec![Shown { path: path.to_owned(), start_line: lines.0, end_line: lines.1 }];
        self.runs().observe(&Observed::Query { query: query.to_owned(), shown }).unwrap();
    }

    pub(crate) fn said(&self, session: &str, text: &str) {
        self.runs()
            .observe(&Observed::Said { session: session.to_owned(), texts: vec![text.to_owned()], before: None })
            .unwrap();
    }

    /// The next message of a conversation, after one that was said then.
    pub(crate) fn said_after(&self, session: &str, before: &str, at_ms: i64, text: &str) {
        let before = Some(Before { text: before.to_owned(), at: Some(at_ms as f64) });
        let said = Observed::Said { session: session.to_owned(), texts: vec![text.to_owned()], before };
        self.runs().observe(&said).unwrap();
    }

    fn apply(&self) -> Applied {
        let runs = self.runs();
        let planned = runs.plan(Vec::new()).unwrap();
        runs.apply(Some(&planned.plan.run_id), &[], None).unwrap()
    }

    /// What was kept of the runs, as a process that was killed leaves it.
    fn set_state(&self, run: &str, state: &str) {
        let mut row = self.store.read(|reader| reader.run(run)).unwrap().unwrap();
        row.state = state.to_owned();
        self.store.write(move |tx| tx.save_run(&row)).unwrap();
    }
}

const NOTE: &str = "# Friday\n\n- Invoices go out on the 5th of the month.\n- Mara owns the repair of the roof.\n- npm install left-pad\n";

/// A note whose first two items are proven.
fn proven() -> World {
    let mut world = World::new();
    world.write("MEMORY.md", "# Me\r\n\r\nI like tea.  \n\n\nno newline at the end");
    world.write("memory/2026-11-18.md", NOTE);
    for (question, ago) in [("when do invoices go out", 2), ("invoice day", 1), ("who repairs the roof", 0)] {
        world.now_ms = NOW - ago * DAY_MS;
        world.query(question, "memory/2026-11-18.md", (3, 5));
    }
    world
}

#[test]
fn a_plan_writes_nothing_and_a_run_only_what_it_planned() {
    let world = proven();
    let before = world.files();
    let planned = world.runs().plan(Vec::new()).unwrap().plan;
    assert_eq!(world.files(), before, "a plan changes no file");
    assert_eq!(planned.add.len(), 2, "{planned:?}");
    let applied = world.runs().apply(None, &[], None).unwrap();
    assert_eq!((applied.added, applied.moved), (2, 0));
    let memory = world.read("MEMORY.md").unwrap();
    assert!(memory.starts_with("# Me\r\n\r\nI like tea.  \n\n\nno newline at the end"));
    assert!(memory.contains("- Invoices go out on the 5th of the month. <!-- mcrs: "));
    assert!(world.read("DREAMS.md").unwrap().contains(&crate::consolidation::report::mark(&applied.run_id)));
    let listed = world.runs().runs().unwrap();
    assert_eq!((listed[0].state.as_str(), listed[0].added, listed[0].undoable), ("applied", 2, true));
}

#[test]
fn a_run_is_taken_back_byte_for_byte_and_does_not_come_again() {
    let world = proven();
    let before = world.files();
    world.apply();
    assert_ne!(world.files(), before);
    let undone = world.runs().undo(None, false).unwrap();
    assert_eq!((undone.runs.len(), undone.kept.len()), (1, 0));
    assert_eq!(world.files(), before);
    let again = world.runs().plan(Vec::new()).unwrap().plan;
    assert!(again.is_empty());
    assert_eq!(again.refused_counts.get("withdrawn"), Some(&2));
}

#[test]
fn only_what_is_named_is_added() {
    let world = proven();
    let planned = world.runs().plan(Vec::new()).unwrap().plan;
    let one = planned.add[0].id.clone();
    assert_eq!(world.runs().apply(Some(&planned.run_id), &[one], None).unwrap().added, 1);
}

#[test]
fn a_plan_whose_files_have_changed_is_stale() {
    let world = proven();
    for change in ["MEMORY.md", "memory/2026-11-18.md"] {
        let planned = world.runs().plan(Vec::new()).unwrap().plan;
        let old = world.read(change).unwrap();
        world.write(change, "something else");
        let error = world.runs().apply(Some(&planned.run_id), &[], None).unwrap_err();
        assert!(error.message.contains("stale"), "{error:?}");
        world.write(change, &old);
    }
}

#[test]
fn what_somebody_has_changed_since_stays_and_is_named() {
    let world = proven();
    world.apply();
    let memory = world.read("MEMORY.md").unwrap();
    let edited = memory
        .replace("Mara owns the repair of the roof.", "Mara and Jonas own the repair of the roof.")
        .replace("I like tea.", "I like coffee.");
    world.write("MEMORY.md", &edited);
    let undone = world.runs().undo(None, false).unwrap();
    assert_eq!(undone.kept, ["Mara owns the repair of the roof."]);
    let memory = world.read("MEMORY.md").unwrap();
    assert!(
        memory.contains("I like coffee.")
            && memory.contains("Mara and Jonas own")
            && !memory.contains("Invoices go out")
    );
}

#[test]
fn unchanged_notes_give_nothing_more_night_after_night() {
    let mut world = proven();
    world.apply();
    let first = world.files();
    for night in 1..30 {
        world.now_ms = NOW + night * DAY_MS;
        assert_eq!(world.apply().added, 0);
        assert_eq!(world.files(), first, "night {night}");
    }
}

#[test]
fn a_run_that_was_killed_anywhere_is_whole_or_not_there() {
    for files in 0..3 {
        let world = proven();
        let before = world.files();
        let applied = world.apply();
        let after = world.files();
        // As if the process had been killed after so many files, of MEMORY.md and DREAMS.md.
        world.set_state(&applied.run_id, state::APPLYING);
        let order = [world.path("MEMORY.md"), world.path("DREAMS.md")];
        for path in order.iter().skip(files) {
            match before.get(path) {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::remove_file(path).unwrap(),
            }
        }
        world.runs().finish_killed().unwrap();
        let (now, state) = (world.files(), world.runs().runs().unwrap()[0].state.clone());
        if files == 0 {
            assert_eq!((now == before, state.as_str()), (true, "failed"));
        } else {
            assert_eq!((now == after, state.as_str()), (true, "applied"), "{files}");
        }
    }
}

#[test]
fn of_two_at_the_same_time_one_waits_its_turn() {
    let world = proven();
    let runs = world.runs();
    let _turn = runs.turn().unwrap();
    assert_eq!(world.runs().plan(Vec::new()).unwrap_err().code(), Code::Busy);
}

#[test]
fn a_link_is_not_written_through_and_text_that_is_none_is_left_alone() {
    let world = proven();
    fs::write(world.path("MEMORY.md"), b"caf\xe9").unwrap();
    assert_eq!(world.runs().plan(Vec::new()).unwrap_err().code(), Code::Argument);
    #[cfg(unix)]
    {
        fs::remove_file(world.path("MEMORY.md")).unwrap();
        std::os::unix::fs::symlink(world.path("memory/2026-11-18.md"), world.path("MEMORY.md")).unwrap();
        assert_eq!(world.runs().plan(Vec::new()).unwrap_err().code(), Code::Path);
        assert_eq!(world.read("memory/2026-11-18.md").unwrap(), NOTE);
    }
}

#[test]
fn the_words_of_a_model_are_checked_and_counted() {
    let mut world = proven();
    world.settings.writer = Writer::Abstractive;
    let planned = world.runs().plan(Vec::new()).unwrap();
    assert_eq!(planned.plan.model_calls, 1);
    let id = |part: &str| planned.plan.add.iter().find(|a| a.text.contains(part)).unwrap().id.clone();
    let text = json!({ "entries": [
        { "ids": [id("Invoices")], "text": "Invoices go out on the 6th of the month." },
        { "ids": [id("Mara")], "text": "The repair of the roof is owned by Mara." },
    ] });
    let answer = Answer { text: text.to_string(), input_tokens: 400, output_tokens: 60 };
    world.runs().apply(Some(&planned.plan.run_id), &[], Some(&answer)).unwrap();
    let memory = world.read("MEMORY.md").unwrap();
    assert!(
        memory.contains("- Invoices go out on the 5th of the month. <!--"),
        "an invented number is refused: {memory}"
    );
    assert!(memory.contains("- The repair of the roof is owned by Mara. <!--"));
    let status = world.runs().status().unwrap();
    assert_eq!(status.tokens, [Tokens { month: "2026-11".into(), input_tokens: 400, output_tokens: 60 }]);
}

// The sentence that a model had put in other words was planned again, and written beside them under the same mark.
#[test]
fn what_stands_in_other_words_is_known() {
    let joined = "Invoices go out on the 5th of the month; the roof and its repair are owned by Mara.";
    for ends in [0, 1] {
        let mut world = proven();
        world.settings.writer = Writer::Abstractive;
        let planned = world.runs().plan(Vec::new()).unwrap();
        let mut ids: Vec<String> = planned.plan.add.iter().map(|addition| addition.id.clone()).collect();
        assert_eq!(ids.len(), 2);
        ids.rotate_left(ends);
        let text = json!({ "entries": [{ "ids": ids, "text": joined }] }).to_string();
        let answer = Answer { text, ..Answer::default() };
        world.runs().apply(Some(&planned.plan.run_id), &[], Some(&answer)).unwrap();
        assert!(world.read("MEMORY.md").unwrap().contains(joined));
        let again = world.runs().plan(Vec::new()).unwrap().plan;
        assert!(again.is_empty() && again.strengthen.len() == 2, "{again:?}");
    }
}

#[test]
fn evidence_of_another_agent_of_the_workspace_counts() {
    let other = proven();
    let empty = World::new();
    empty.write("memory/2026-11-18.md", NOTE);
    assert!(empty.runs().plan(Vec::new()).unwrap().plan.is_empty());
    let shared = empty.runs().plan(other.runs().evidence().unwrap()).unwrap().plan;
    assert_eq!(shared.add.len(), 2);
}

#[test]
fn a_run_is_due_once_a_night_and_once_after_a_time_away() {
    let mut world = World::new();
    let due = |world: &World, holder: &str| world.runs().take_due(holder).unwrap();
    assert!(!due(&world, "a"), "the first look only sets the clock");
    world.now_ms = NOW + DAY_MS;
    assert!(due(&world, "a"));
    assert!(!due(&world, "a") && !due(&world, "b"), "once a night, whoever asks");
    world.now_ms = NOW + 9 * DAY_MS;
    assert!(due(&world, "b"));
    assert!(!due(&world, "a"), "one for all the nights that were missed");
    world.settings.schedule = "nonsense".to_owned();
    assert_eq!(world.runs().take_due("a").unwrap_err().code(), Code::Config);
}

// Nothing ran until the date that the clock had once shown, and `doctor` was content.
#[test]
fn a_clock_that_was_ahead_holds_up_no_run_for_longer_than_a_night() {
    let mut world = World::new();
    let due = |world: &World, holder: &str| world.runs().take_due(holder).unwrap();
    world.now_ms = NOW + 400 * DAY_MS;
    due(&world, "a");
    world.now_ms += DAY_MS;
    assert!(due(&world, "a"), "it has a turn then, too");
    world.now_ms = NOW;
    assert!(!due(&world, "b"), "noted anew");
    assert_eq!(world.runs().status().unwrap().next_run_at.unwrap(), "2026-11-21T03:00:00Z");
    world.now_ms = NOW + DAY_MS;
    assert!(due(&world, "b"));
    assert!(!due(&world, "a"), "once a night");
    world.now_ms = NOW + DAY_MS + 15 * 3_600_000;
    assert!(due(&world, "a"));
    world.now_ms -= 60_000;
    assert!(!due(&world, "a"));
    world.now_ms += 2 * 60_000;
    assert!(!due(&world, "a"), "a clock that is set back by a minute");
}

// The state was shown as good, with the next run by the schedule before, and no run ever came.
#[test]
fn a_schedule_or_zone_that_cannot_be_read_is_told_with_the_remedy() {
    let mut world = World::new();
    world.settings.mode = Mode::Plan;
    world.runs().take_due("a").unwrap();
    let status = world.runs().status().unwrap();
    assert!(status.problem.is_none() && status.next_run_at.is_some());
    for (schedule, zone, setting) in [
        ("nonsense", "UTC", "consolidation.schedule"),
        ("0 0 31 2 *", "UTC", "consolidation.schedule"),
        ("0 3 * * *", "Mars/Phobos", "consolidation.timeZone"),
    ] {
        world.settings.schedule = schedule.to_owned();
        world.time_zone = zone;
        let status = world.runs().status().unwrap();
        let problem = status.problem.unwrap();
        assert_eq!(problem.code, Code::Config.as_str());
        assert!(problem.remedy.unwrap().contains(setting), "{schedule} {zone}");
        assert_eq!(status.next_run_at, None, "{schedule} {zone}");
    }
    world.settings.mode = Mode::Off;
    assert!(world.runs().status().unwrap().problem.is_none(), "nothing is to come");
}

#[test]
fn a_claim_is_explained() {
    let world = proven();
    let found = world.runs().explain("invoices go out").unwrap();
    assert_eq!((found.len(), found[0].verdict.as_str(), found[0].days), (1, "ok", 3));
    assert!(world.runs().explain("nothing of the kind").unwrap().is_empty());
}

// What was taken back was gone from the note of the day, and the next night wrote it into MEMORY.md.
#[test]
fn what_a_message_takes_back_is_no_evidence_and_other_days_still_count() {
    const HUGO: &str = "Remember that my nephew Hugo has epilepsy.";
    let mut world = World::new();
    world.write("MEMORY.md", "# Me\n");
    world.now_ms = NOW - DAY_MS;
    world.said("a", HUGO);
    let waiting = world.runs().plan(Vec::new()).unwrap().plan;
    assert_eq!(waiting.add.len(), 1);
    world.now_ms = NOW;
    world.said_after("a", HUGO, NOW - DAY_MS, "Forget what I just said.");
    assert!(world.runs().evidence().unwrap().is_empty());
    assert!(world.runs().explain("epilepsy").unwrap().is_empty());
    assert!(world.runs().plan(Vec::new()).unwrap().plan.add.is_empty());
    assert!(world.runs().apply(Some(&waiting.run_id), &[], None).is_err());
    // Said on two days, one of them is taken back; and a message that says more takes nothing back.
    for ago in [2, 1] {
        world.now_ms = NOW - ago * DAY_MS;
        world.said("b", "Mara owns the repair of the roof.");
    }
    world.said_after("b", "Mara owns the repair of the roof.", world.now_ms, "Vergiss, was ich gerade gesagt habe.");
    let left = world.runs().evidence().unwrap();
    assert_eq!((left.len(), left[0].uses.len(), left[0].uses[0].day.as_str()), (1, 1, "2026-11-18"));
    world.said_after("b", "Mara owns the repair of the roof.", NOW - 2 * DAY_MS, "Forget the roof, I live in Porto.");
    assert!(world.runs().evidence().unwrap().iter().any(|found| found.claim.text.contains("Mara")));
}

#[cfg(target_os = "linux")]
mod busy_files;
