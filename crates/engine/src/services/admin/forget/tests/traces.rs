//! All that a conversation leaves is planned, taken out and put back.

use super::*;

/// What a conversation leaves everywhere: in notes, the journal, the short-term memory, the intents, the evidence.
struct Traces {
    home: Home,
    engine: Lease,
    target: Target,
}

const DAY: &str = "memory/2026-11-20.md";
const KEY: &str = "agent:main:telegram:direct:4711";
const CAPTURED: &str = "My boat is called Quokka";

async fn traces() -> Traces {
    use crate::{
        capture::{journal::Journal, log, queue::Job},
        consolidation::evidence::Observed,
        intents::{Intents, NewIntent, Speaker},
        services::facts::Told,
    };
    let talk = format!(
        "# Session: now\n\n- **Session Key**: {KEY}\n- **Session ID**: s-1\n\n## Conversation Summary\n\nuser: {CAPTURED}\n"
    );
    let (home, engine) = indexed(&[
        (DAY, &format!("# 2026-11-20\n\n- mine\n- [entity] {CAPTURED}\n- bought milk for the evening\n")),
        ("memory/2026-11-20-talk.md", &talk),
        ("memory/other.md", "The Quokka of somebody else sleeps all day.\n"),
        ("MEMORY.md", "# Mine\n\nThe tea is sencha.\n"),
    ])
    .await;
    let folder = home.dir.path().join("agent");
    let short_term = folder.join("short-term.jsonl");
    crate::capture::short_term::record(&short_term, &Default::default(), CAPTURED, "ok", &jiff::Zoned::now()).unwrap();
    let journal = Journal::new(&folder);
    let capture = |id: &str, text: &str, session_id: &str| log::Entry {
        id: id.into(),
        ts: "2026-11-20T10:00:00Z".into(),
        status: log::Status::Stored,
        text: text.into(),
        reason: None,
        category: Some(Category::Entity),
        path: Some(DAY.into()),
        session_key: Some(KEY.into()),
        session_id: Some(session_id.into()),
        message: id.into(),
        heard: Vec::new(),
    };
    journal.add_capture(capture("a", CAPTURED, "s-1")).unwrap();
    journal.add_capture(capture("b", "My cat is called Mio", "s-2")).unwrap();
    let message =
        crate::capture::queue::Message { role: crate::capture::queue::Role::User, text: CAPTURED.into(), at: None };
    let job = Job {
        id: "run-1".into(),
        created_ms: 1,
        session_key: Some(KEY.into()),
        session_id: Some("s-1".into()),
        messages: vec![message],
        ..Job::default()
    };
    journal.push(&job).unwrap();
    let told = |id: &str| Told { folder: folder.clone(), session_key: Some(KEY.into()), session_id: Some(id.into()) };
    for (fact, id) in [("Quokka needs a new anchor by spring", "s-1"), ("Ana has a bicycle and a dog", "s-2")] {
        let stored = engine.facts.store(fact, Category::Fact, 0.7, Some(told(id))).await.unwrap();
        assert!(matches!(stored, Stored::Created { .. }), "{stored:?}");
    }
    let intent = NewIntent {
        description: "Ask about Quokka".into(),
        trigger_keywords: vec!["boat".into()],
        source_session_id: Some("s-1".into()),
        anyone: true,
        scope: Some(crate::intents::Scope::Anywhere),
        ..NewIntent::default()
    };
    Intents::of(&folder)
        .create(intent, &Speaker { session_key: Some(KEY.into()), ..Speaker::default() }, now_ms())
        .unwrap();
    let said =
        |session: &str, text: &str| Observed::Said { session: session.into(), texts: vec![text.into()], before: None };
    let observed = vec![
        said("s-1", "The Quokka lies in the harbour of Porto."),
        said("s-2", "The bicycle of Ana stands in the cellar."),
    ];
    let call = crate::services::ConsolidateCall::Observe { observed };
    let settings = model::config::consolidation::Consolidation::default();
    assert_eq!(engine.consolidator.call(call, settings, 0, now_ms()).await.unwrap(), serde_json::json!(2));
    sync(&engine).await;
    let conversation = crate::forgetting::selection::Conversation {
        session_id: "s-1".into(),
        session_key: Some(KEY.into()),
        ..Default::default()
    };
    let target = Target {
        selection: Selection { conversations: vec![conversation], ..Selection::default() },
        places: Places { folder: Some(folder.clone()), short_term: Some(short_term) },
        intents: Some(folder),
        ..Target::default()
    };
    Traces { home, engine, target }
}

/// Every file of a folder with its bytes.
fn files_of(folder: &Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut files = std::collections::BTreeMap::new();
    for entry in folder.read_dir().unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_of(&path));
        } else {
            files.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_changes_nothing_and_its_id_takes_a_conversation_out_of_everything() {
    let Traces { home, engine, target } = traces().await;
    let folder = home.dir.path().join("agent");
    let (notes, words) = (files_of(&home.workspace()), files_of(&folder));
    let preview = engine.admin.plan_forget(about(target.clone())).await.unwrap();
    assert_eq!((files_of(&home.workspace()), files_of(&folder)), (notes.clone(), words), "nothing is changed");
    assert!(preview.dry_run && !preview.id.is_empty());
    let lines: Vec<(&str, u32)> = preview.lines.iter().map(|line| (line.path.as_str(), line.start_line)).collect();
    assert_eq!(lines, [(DAY, 4), ("memory/facts.md", 5)], "{preview:?}");
    assert_eq!(preview.notes, ["memory/2026-11-20-talk.md"]);
    assert_eq!((preview.captures, preview.waiting, preview.short_term), (1, 1, 1), "{preview:?}");
    assert_eq!((preview.intents, preview.claims, preview.facts), (1, 1, 1), "{preview:?}");
    assert!(!hits(&engine, "quokka anchor").await.is_empty());

    let done = engine.admin.apply_forget(preview.id.clone(), false).await.unwrap();
    assert_eq!(done.lines, preview.lines);
    let again = engine.admin.apply_forget(preview.id.clone(), false).await.unwrap_err();
    assert_eq!(again.code(), Code::Argument, "{again:?}");
    assert!(!holds(&folder, "quokka"), "journal, short-term memory and intents");
    let left = hits(&engine, "quokka").await;
    assert_eq!(left.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["memory/other.md"]);
    let day = std::fs::read_to_string(home.workspace().join(DAY)).unwrap();
    assert!(day.contains("- mine") && day.contains("bought milk") && !day.contains("Quokka"), "{day}");
    // The other conversation of the same key keeps what it said.
    assert!(
        holds(&folder, "Mio") && engine.facts.all().await.unwrap().iter().any(|fact| fact.text.contains("bicycle"))
    );

    let restored = engine.admin.undo_forget(preview.id.clone()).await.unwrap();
    assert!(restored.complete && restored.kept.is_empty(), "{restored:?}");
    assert_eq!(files_of(&home.workspace()), notes, "byte for byte");
    assert!(hits(&engine, "quokka anchor").await.iter().any(|hit| hit.snippet.contains("anchor")));
    for word in ["quokka anchor", "harbour"] {
        assert!(holds(&home.state(), word.split(' ').next().unwrap()), "{word}");
    }
    assert_eq!(engine.admin.undo_forget(preview.id).await.unwrap_err().code(), Code::NotFound);
    assert!(engine.admin.forgotten().await.unwrap().is_empty());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_final_leaves_no_byte_comes_back_by_nothing_and_cannot_be_undone() {
    let Traces { home, engine, target } = traces().await;
    let folder = home.dir.path().join("agent");
    let file = home.dir.path().join("copy.sqlite");
    engine.admin.backup(file.clone()).await.unwrap();
    let other = home.workspace().join("memory/other.md");
    std::fs::remove_file(&other).unwrap();
    let call = ForgetCall { is_final: true, ..about(target) };
    let report = forget(&engine, call).await;
    assert!(report.is_final && report.undo_until.is_none());
    let everywhere = |word: &str| [home.state(), folder.clone(), home.workspace()].iter().any(|at| holds(at, word));
    for word in ["quokka", "harbour", "anchor"] {
        assert!(!everywhere(word), "{word}");
    }
    assert_eq!(engine.admin.undo_forget(report.id.clone()).await.unwrap_err().code(), Code::Argument);
    assert_eq!(engine.admin.apply_forget(report.id, true).await.unwrap_err().code(), Code::NotFound);
    engine.admin.reset(false).await.unwrap();
    sync(&engine).await;
    assert!(hits(&engine, "quokka").await.is_empty());
    // Neither with a copy of the index from before, whose evidence and images hold it.
    engine.admin.restore(file, false).await.unwrap();
    sync(&engine).await;
    assert!(hits(&engine, "quokka").await.is_empty());
    let evidence = engine.admin.context.store().read(|r| r.evidence("")).unwrap();
    assert_eq!(
        evidence.iter().map(|found| found.claim.text.as_str()).collect::<Vec<_>>(),
        ["The bicycle of Ana stands in the cellar."]
    );
    engine.release().await;
}

// Only its first line went.
#[tokio::test(flavor = "multi_thread")]
async fn a_fact_that_somebody_wrapped_goes_with_all_its_lines() {
    let Traces { home, engine, target } = traces().await;
    let file = home.workspace().join("memory/facts.md");
    let facts = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, facts.replace("needs a new", "needs a\n  new")).unwrap();
    sync(&engine).await;
    assert_eq!(forget(&engine, about(target)).await.facts, 1);
    let left = std::fs::read_to_string(&file).unwrap();
    assert!(!left.contains("anchor") && left.contains("bicycle"), "{left}");
    engine.release().await;
}

// A process that is killed in the middle leaves a plan that says how far it is.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_has_begun_is_finished() {
    let Traces { home, engine, target } = traces().await;
    let notes = files_of(&home.workspace());
    let plans = Plans::of(engine.admin.context.store());
    let preview = engine.admin.plan_forget(about(target)).await.unwrap();
    // It had begun: the list and the first note are done.
    let plan = Plan { state: State::Applying, applied_ms: now_ms(), ..plans.load(&preview.id).unwrap().unwrap() };
    plans.save(&plan).unwrap();
    plan.cuts[0].take(&crate::workspace::notes::Notes::of(&engine.settings().settings)).unwrap();
    let turn = plans.turn().unwrap();
    engine.admin.finish_forgetting().await.unwrap();
    assert_eq!(plans.load(&preview.id).unwrap().unwrap().state, State::Applying, "somebody else is at it");
    drop(turn);
    engine.admin.finish_forgetting().await.unwrap();
    assert_eq!(plans.load(&preview.id).unwrap().unwrap().state, State::Applied);
    assert!(!holds(&home.dir.path().join("agent"), "quokka"));
    assert!(!hits(&engine, "anchor").await.iter().any(|hit| hit.snippet.contains("Quokka needs")));
    // And it was to be undone: half of it is back.
    let plan = Plan { state: State::Undoing, ..plans.load(&preview.id).unwrap().unwrap() };
    plans.save(&plan).unwrap();
    plan.cuts[0].put_back(&crate::workspace::notes::Notes::of(&engine.settings().settings)).unwrap();
    engine.admin.finish_forgetting().await.unwrap();
    assert_eq!(files_of(&home.workspace()), notes);
    assert!(plans.load(&preview.id).unwrap().is_none());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_that_changed_since_the_preview_is_not_removed() {
    let Traces { home, engine, target } = traces().await;
    let preview = engine.admin.plan_forget(about(target)).await.unwrap();
    home.write(&preview.notes[0], "# Session: now\n\nA line of the user.\n");
    let notes = files_of(&home.workspace());
    assert_eq!(engine.admin.apply_forget(preview.id, false).await.unwrap_err().code(), Code::Argument);
    assert_eq!(files_of(&home.workspace()), notes);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_repeat_it_are_shown_and_go_only_when_that_is_wanted() {
    let Traces { home, engine, target } = traces().await;
    home.write("memory/mine.md", "I wrote that my boat is called quokka, for Ana.\nTea.\n");
    let preview = engine.admin.plan_forget(about(target.clone())).await.unwrap();
    assert_eq!(preview.quotes.iter().map(|line| line.path.as_str()).collect::<Vec<_>>(), ["memory/mine.md"]);
    engine.admin.apply_forget(preview.id.clone(), false).await.unwrap();
    assert!(home.workspace().join("memory/mine.md").metadata().unwrap().len() > 20, "the user's line stays");
    engine.admin.undo_forget(preview.id).await.unwrap();
    let report = forget(&engine, about(Target { quotes: true, ..target })).await;
    assert!(report.lines.iter().any(|line| line.path == "memory/mine.md"), "{report:?}");
    assert_eq!(std::fs::read_to_string(home.workspace().join("memory/mine.md")).unwrap(), "Tea.\n");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_and_a_time_mean_what_came_of_them() {
    let Traces { home: _home, engine, target } = traces().await;
    let of = async |selection: Selection| {
        let report = engine.admin.plan_forget(about(Target { selection, ..target.clone() })).await;
        report.map(|report| (report.captures, report.waiting, report.notes.len()))
    };
    let person = Selection { people: vec!["4711".into()], ..Selection::default() };
    assert_eq!(of(person).await.unwrap(), (2, 1, 1));
    let nobody = Selection { people: vec!["815".into()], ..Selection::default() };
    assert_eq!(of(nobody).await.unwrap_err().code(), Code::NotFound);
    let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    let range =
        |from: &str, to: &str| crate::forgetting::selection::Range { from_ms: Some(at(from)), to_ms: Some(at(to)) };
    let then = Selection { range: Some(range("2026-11-20T00:00:00Z", "2026-11-20T23:59:59Z")), ..Selection::default() };
    assert_eq!(of(then).await.unwrap(), (2, 0, 0));
    let before =
        Selection { range: Some(range("2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z")), ..Selection::default() };
    assert_eq!(of(before).await.unwrap_err().code(), Code::NotFound);
    engine.release().await;
}

// It planned to drop the log of all prompts and every short-term record, for a name that was mistyped.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_of_which_nothing_is_known_is_not_found() {
    let Traces { home, engine, target } = traces().await;
    let folder = home.dir.path().join("agent");
    let shown = crate::capture::prompts::ShownPrompt {
        at: now_ms(),
        id: String::new(),
        part: crate::capture::prompts::PromptPart::Recall,
        ms: 1.0,
        session_key: "agent:main:webchat:direct:9".into(),
        text: "the Axolotl is in the tank".into(),
    };
    crate::capture::prompts::PromptLog::of(&folder).add(shown, 30).unwrap();
    let of = async |name: &str| {
        let target = Target { selection: sessions(&[name]), ..target.clone() };
        engine.admin.plan_forget(about(target)).await
    };
    let unknown = of("nosuch").await.unwrap_err();
    assert_eq!((unknown.code(), unknown.message.contains("nosuch")), (Code::NotFound, true), "{unknown:?}");
    let known = of("s-2").await.unwrap();
    assert_eq!((known.captures, known.prompts, known.prompts_of_it), (1, 1, 0), "only the host knows it no more");
    let prompted = of("agent:main:webchat:direct:9").await.unwrap();
    assert_eq!((prompted.prompts, prompted.prompts_of_it), (1, 1));
    // What is forgotten already can be ended for good.
    let done = forget(&engine, about(Target { selection: sessions(&["s-2"]), ..target.clone() })).await;
    assert!(of("s-2").await.is_ok(), "{done:?}");
    engine.release().await;
}

// The second of two failed after its preview, and nothing said how to go on.
#[tokio::test(flavor = "multi_thread")]
async fn who_forgets_waits_for_another_and_is_told_how_to_go_on() {
    let Traces { home: _home, engine, target } = traces().await;
    let preview = engine.admin.plan_forget(about(target)).await.unwrap();
    let held = Plans::of(engine.context.store()).turn().unwrap().unwrap();
    let busy = engine.admin.apply_forget(preview.id.clone(), false).await.unwrap_err();
    let remedy = busy.remedy.clone().unwrap_or_default();
    assert_eq!(busy.code(), Code::Busy);
    assert!(remedy.contains(&format!("openclaw memory forget --apply {}", preview.id)), "{remedy}");
    let other = async {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        drop(held);
    };
    let (done, ()) = tokio::join!(engine.admin.apply_forget(preview.id, false), other);
    assert!(!done.unwrap().dry_run);
    engine.release().await;
}

// What automatic memory had written went line by line, and one that was edited stayed, without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_automatic_memory_that_was_edited_since_the_preview_stops_it() {
    let Traces { home, engine, target } = traces().await;
    let preview = engine.admin.plan_forget(about(target.clone())).await.unwrap();
    let day = std::fs::read_to_string(home.workspace().join(DAY)).unwrap();
    home.write(DAY, &day.replace(CAPTURED, "My boat is called Quokka and lies in Porto"));
    let notes = files_of(&home.workspace());
    let error = engine.admin.apply_forget(preview.id.clone(), false).await.unwrap_err();
    assert!(error.code() == Code::Argument && error.message.contains(DAY), "{error}");
    assert_eq!(files_of(&home.workspace()), notes);
    // One that only moved is the same.
    home.write(
        DAY,
        &format!(
            "{}- written since\n",
            day.replace("- mine\n", "").replace("# 2026-11-20\n", "# 2026-11-20\n\n- more\n")
        ),
    );
    engine.admin.apply_forget(preview.id, false).await.unwrap();
    assert!(!std::fs::read_to_string(home.workspace().join(DAY)).unwrap().contains("Quokka"));
    engine.release().await;
}
