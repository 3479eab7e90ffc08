//! One that cannot be finished.

use super::*;
use crate::{
    forgetting::{notes::Cut, plan::State},
    workspace::notes::Notes,
};

const OURS: &str = "- [fact] The boat Quokka lies in the harbour of Porto.";

/// As it was begun and cannot be finished: a folder has the name of the second note by now.
async fn stuck() -> (Home, Lease, Plans) {
    let note = format!("# Day\n\n{OURS}\n");
    let (home, engine) =
        indexed(&[("memory/a.md", &note), ("memory/b.md", &note), ("memory/c.md", "The tea is sencha from Uji.\n")])
            .await;
    let cuts = ["memory/a.md", "memory/b.md"].map(|path| Cut::of_lines(path, &note, |_, line| line == OURS).unwrap());
    let what = What::Lines { path: "memory/a.md".into(), here: Vec::new(), everywhere: vec![line_hash(OURS)] };
    let plans = Plans::of(engine.context.store());
    let plan = Plan {
        id: "a1".into(),
        state: State::Applying,
        applied_ms: now_ms(),
        cuts: cuts.to_vec(),
        whats: vec![what],
        report: serde_json::to_value(ForgetReport::default()).unwrap(),
        ..Plan::default()
    };
    plans.save(&plan).unwrap();
    std::fs::rename(home.workspace().join("memory/b.md"), home.workspace().join("memory/kept")).unwrap();
    std::fs::create_dir(home.workspace().join("memory/b.md")).unwrap();
    (home, engine, plans)
}

fn tea() -> ForgetCall {
    ForgetCall { search: Some(asking("sencha")), ..ForgetCall::default() }
}

// Every other command failed with the error of this one, its preview included.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_finished_keeps_no_other_command_from_its_work() {
    let (_home, engine, plans) = stuck().await;
    let preview = engine.admin.plan_forget(tea()).await.unwrap();
    let done = engine.admin.apply_forget(preview.id, false).await.unwrap();
    assert!(hits(&engine, "sencha").await.is_empty());
    engine.admin.undo_forget(done.id).await.unwrap();
    assert_eq!(hits(&engine, "sencha").await.len(), 1);
    assert_eq!(plans.load("a1").unwrap().unwrap().state, State::Applying, "it is tried again");
    engine.release().await;
}

// It was said to be killed, and that `index` finishes it.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_finished_is_told_with_its_reason() {
    let (_home, engine, _plans) = stuck().await;
    let error = engine.admin.apply_forget("a1".into(), false).await.unwrap_err();
    assert!(error.message.contains("was begun and is not finished") && error.message.contains("b.md"), "{error}");
    let inspected = engine.indexer.inspect().await.unwrap();
    assert!(inspected["forgettingProblem"].as_str().unwrap().contains("b.md"), "{inspected}");
    let checks = engine.admin.doctor(false).await.unwrap();
    let check = checks.into_iter().find(|check| check.name == "forgetting").unwrap();
    assert!(!check.ok && check.found.contains("b.md") && !check.found.contains("killed"), "{}", check.found);
    engine.release().await;
}

// There was no way back: whoever took it back met the same error.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_finished_can_be_undone_or_goes_on_once_it_can() {
    let (home, engine, plans) = stuck().await;
    let at = |path: &str| home.workspace().join(path);
    assert!(engine.admin.finish_forgetting().await.is_err());
    assert!(!std::fs::read_to_string(at("memory/a.md")).unwrap().contains("Quokka"));
    std::fs::remove_dir(at("memory/b.md")).unwrap();
    std::fs::rename(at("memory/kept"), at("memory/b.md")).unwrap();
    engine.admin.finish_forgetting().await.unwrap();
    let plan = plans.load("a1").unwrap().unwrap();
    assert_eq!((plan.state, plan.problem.clone()), (State::Applied, None));
    // Begun, with the first note done, and taken back while nobody could finish it.
    plan.cuts[1].put_back(&Notes::of(&engine.settings().settings)).unwrap();
    let damaged = Plan { places: Places { folder: Some(at("memory/c.md")), short_term: None }, ..plan };
    plans.save(&Plan { state: State::Applying, ..damaged }).unwrap();
    assert!(engine.admin.finish_forgetting().await.is_err(), "the test would prove nothing otherwise");
    let undone = engine.admin.undo_forget("a1".into()).await.unwrap();
    assert!(undone.complete, "{undone:?}");
    for path in ["memory/a.md", "memory/b.md"] {
        assert!(std::fs::read_to_string(at(path)).unwrap().contains(OURS), "{path}");
    }
    assert!(plans.load("a1").unwrap().is_none() && engine.admin.forgotten().await.unwrap().is_empty());
    engine.release().await;
}
