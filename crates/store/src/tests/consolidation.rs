//! Evidence adds up without counting anything twice, and goes when it is too old, too much, or taken back.

use super::{Backend, Fixture};
use crate::{
    consolidation::{Claim, Clock, Evidence, RunRow, Use},
    unsaid::Unsaid,
};

fn claim(id: &str, last_ms: i64) -> Claim {
    Claim {
        id: id.to_owned(),
        text: format!("The claim {id} holds."),
        path: "memory/2026-11-20.md".to_owned(),
        line: 3,
        origin: "agent".to_owned(),
        requested: false,
        importance: None,
        triggers: None,
        first_ms: last_ms,
        last_ms,
        withdrawn: false,
    }
}

fn used(kind: &str, mark: &str, day: &str) -> Use {
    Use { kind: kind.to_owned(), mark: mark.to_owned(), day: day.to_owned() }
}

fn add<B: Backend>(fixture: &Fixture<B>, claim: Claim, uses: &[Use], batch: &'static str) {
    let found = Evidence { claim, uses: uses.to_vec() };
    fixture.store.write(move |tx| tx.add_evidence(&found, batch)).unwrap();
}

fn run(id: &str, started_ms: i64, state: &str) -> RunRow {
    RunRow {
        id: id.to_owned(),
        state: state.to_owned(),
        started_ms,
        month: "2026-11".to_owned(),
        plan: "{\"add\":[]}".to_owned(),
        images: Some("{}".to_owned()),
        input_tokens: 10,
        output_tokens: 1,
    }
}

fn the_same_use_counts_once_and_the_owner_s_word_is_the_owner_s<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let question = used("query", "a1", "2026-11-20");
    add(&fixture, claim("one", 5), &[question.clone(), used("query", "b2", "2026-11-20")], "");
    add(&fixture, Claim { origin: "untrusted".into(), requested: true, ..claim("one", 9) }, &[question], "");
    let found = fixture.store.read(|r| r.evidence("2026-11-01")).unwrap();
    assert_eq!((found.len(), found[0].uses.len()), (1, 2));
    let Claim { origin, requested, first_ms, last_ms, .. } = &found[0].claim;
    assert_eq!((origin.as_str(), *requested, *first_ms, *last_ms), ("untrusted", true, 5, 9));
    add(&fixture, Claim { origin: "owner".into(), path: String::new(), ..claim("one", 10) }, &[], "");
    let found = fixture.store.read(|r| r.evidence("2026-11-21")).unwrap();
    assert_eq!(found[0].claim.origin, "owner");
    assert_eq!(found[0].claim.path, "memory/2026-11-20.md", "what was said keeps the note where it stands");
    assert!(found[0].uses.is_empty(), "uses before the day asked for are left out");
}

fn what_was_met_longest_ago_goes_first_and_what_was_taken_back_stays<B: Backend>() {
    let fixture = Fixture::<B>::new();
    for (id, at) in [("old", 1), ("withdrawn", 0), ("middle", 2), ("new", 3)] {
        add(&fixture, claim(id, at), &[used("said", id, "2026-11-20")], "");
    }
    fixture.store.write(|tx| tx.withdraw_claims(&["withdrawn".to_owned()], true)).unwrap();
    fixture.store.write(|tx| tx.trim_evidence("2026-11-01", 2)).unwrap();
    let found = fixture.store.read(|r| r.evidence("2026-11-01")).unwrap();
    let ids: Vec<_> = found.iter().map(|e| e.claim.id.as_str()).collect();
    assert_eq!(ids, ["middle", "new", "withdrawn"]);
    fixture.store.write(|tx| tx.trim_evidence("2026-11-21", 9)).unwrap();
    assert_eq!(fixture.store.read(|r| r.count_evidence()).unwrap(), (3, 0));
}

fn a_replay_is_taken_back_without_what_was_seen_otherwise<B: Backend>() {
    let fixture = Fixture::<B>::new();
    add(&fixture, claim("seen", 1), &[used("said", "a", "2026-11-20")], "");
    add(&fixture, claim("seen", 1), &[used("said", "b", "2026-08-01")], "r1");
    add(&fixture, claim("replayed", 1), &[used("said", "c", "2026-08-02")], "r1");
    assert_eq!(fixture.store.read(|r| r.last_batch()).unwrap().as_deref(), Some("r1"));
    assert_eq!(fixture.store.write(|tx| tx.drop_batch("r1")).unwrap(), 2);
    assert_eq!(fixture.store.read(|r| r.count_evidence()).unwrap(), (1, 1));
    assert_eq!(fixture.store.write(|tx| tx.drop_batch("")).unwrap(), 0, "what was seen is no replay");
}

fn old_runs_keep_what_they_cost_and_lose_what_they_changed<B: Backend>() {
    let fixture = Fixture::<B>::new();
    for (id, at, state) in [("a", 1, "applied"), ("b", 2, "applying"), ("c", 3, "undone"), ("d", 4, "planned")] {
        let row = run(id, at, state);
        fixture.store.write(move |tx| tx.save_run(&row)).unwrap();
    }
    fixture.store.write(|tx| tx.trim_runs(2)).unwrap();
    let runs = fixture.store.read(|r| r.runs(9)).unwrap();
    let kept: Vec<_> = runs.iter().map(|r| (r.id.as_str(), r.images.is_some())).collect();
    assert_eq!(kept, [("d", true), ("c", true), ("b", true), ("a", false)], "a run at work is never stripped");
    assert_eq!(fixture.store.read(|r| r.run_tokens()).unwrap(), [("2026-11".to_owned(), 40, 4)]);
    assert_eq!(fixture.store.read(|r| r.run("c")).unwrap(), Some(run("c", 3, "undone")));
}

fn what_was_said_and_taken_back_goes_and_the_same_of_another_day_stays<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let on = |day: &str| used("said", "talk", day);
    let plain = |id: &str| Claim { path: String::new(), requested: true, ..claim(id, 1) };
    add(&fixture, plain("once"), &[on("2026-11-20"), used("asked", "talk", "2026-11-20")], "");
    add(&fixture, plain("twice"), &[on("2026-11-19"), on("2026-11-20")], "");
    add(&fixture, claim("noted", 1), &[on("2026-11-20"), used("query", "q", "2026-11-21")], "");
    add(&fixture, claim("elsewhere", 1), &[on("2026-11-20"), used("query", "q", "2026-11-21")], "");
    add(&fixture, plain("undone"), &[on("2026-11-20")], "");
    for (name, state) in [("waiting", "planned"), ("done", "applied")] {
        let naming = RunRow { plan: "{\"claims\":[\"once\"]}".to_owned(), ..run(name, 1, state) };
        fixture.store.write(move |tx| tx.save_run(&naming)).unwrap();
    }
    let unsaid = |id: &str, note: &str, for_good| Unsaid {
        claim: id.to_owned(),
        mark: "talk".to_owned(),
        day: "2026-11-20".to_owned(),
        note: note.to_owned(),
        requested: true,
        for_good,
    };
    let note = "memory/2026-11-20.md";
    let all = [
        unsaid("once", "", false),
        unsaid("twice", note, false),
        unsaid("noted", note, false),
        unsaid("elsewhere", "", false),
        unsaid("undone", note, true),
    ];
    fixture.store.write(move |tx| tx.unsay(&all)).unwrap();
    let left = fixture.store.read(|r| r.evidence("2026-11-01")).unwrap();
    let left: Vec<_> = left
        .iter()
        .map(|e| (e.claim.id.as_str(), e.claim.text.is_empty(), e.claim.requested, e.claim.withdrawn, e.uses.len()))
        .collect();
    assert_eq!(
        left,
        [("elsewhere", false, false, false, 1), ("twice", false, false, false, 1), ("undone", true, false, true, 0)]
    );
    let plan_of = |name: &'static str| fixture.store.read(move |r| r.run(name)).unwrap().unwrap().plan;
    assert_eq!((plan_of("waiting").as_str(), plan_of("done").contains("once")), ("{}", true));
}

fn there_is_one_clock<B: Backend>() {
    let fixture = Fixture::<B>::new();
    assert_eq!(fixture.store.read(|r| r.consolidation_clock()).unwrap(), None);
    for due_ms in [1, 2] {
        let clock = Clock { schedule: "0 3 * * *".into(), due_ms, holder: "h".into(), until_ms: 7 };
        fixture.store.write(move |tx| tx.set_consolidation_clock(&clock)).unwrap();
    }
    assert_eq!(fixture.store.read(|r| r.consolidation_clock()).unwrap().map(|c| c.due_ms), Some(2));
}

fn what_is_forgotten_leaves_no_claim_and_no_image<B: Backend>() {
    let fixture = Fixture::<B>::new();
    add(&fixture, claim("line", 1), &[used("noted", "n", "2026-11-20")], "");
    add(
        &fixture,
        Claim { path: "memory/private/a.md".into(), ..claim("below", 1) },
        &[used("noted", "n", "2026-11-20")],
        "",
    );
    add(&fixture, Claim { path: String::new(), ..claim("said", 1) }, &[used("said", "talk", "2026-11-20")], "");
    add(
        &fixture,
        Claim { path: String::new(), ..claim("both", 1) },
        &[used("said", "talk", "2026-11-20"), used("said", "other", "2026-11-20")],
        "",
    );
    add(
        &fixture,
        Claim { path: "memory/privately.md".into(), ..claim("kept", 1) },
        &[used("noted", "n", "2026-11-20")],
        "",
    );
    let named = RunRow { plan: "{\"claims\":[\"line\"]}".to_owned(), ..run("a", 1, "applied") };
    fixture.store.write(move |tx| tx.save_run(&named)).unwrap();
    let (ids, paths, talks) = (vec!["line".to_owned()], vec!["memory/private".to_owned()], vec!["talk".to_owned()]);
    assert_eq!(fixture.store.write(move |tx| tx.forget_claims(&ids, &paths, &talks)).unwrap(), 3);
    let left = fixture.store.read(|r| r.evidence("2026-11-01")).unwrap();
    let left: Vec<_> = left.iter().map(|e| (e.claim.id.as_str(), e.uses.len())).collect();
    assert_eq!(left, [("both", 1), ("kept", 1)]);
    let kept = fixture.store.read(|r| r.run("a")).unwrap().unwrap();
    assert_eq!((kept.plan.as_str(), kept.images), ("{}", None));
}

for_every_backend!(
    the_same_use_counts_once_and_the_owner_s_word_is_the_owner_s,
    what_was_met_longest_ago_goes_first_and_what_was_taken_back_stays,
    a_replay_is_taken_back_without_what_was_seen_otherwise,
    old_runs_keep_what_they_cost_and_lose_what_they_changed,
    what_was_said_and_taken_back_goes_and_the_same_of_another_day_stays,
    there_is_one_clock,
    what_is_forgotten_leaves_no_claim_and_no_image,
);
