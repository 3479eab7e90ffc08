use model::clock::now_ms;
use std::path::Path;

use super::*;
use crate::{
    capture::{erase::Places, rules::Category},
    forgetting::selection::Selection,
    services::{
        Lease,
        facts::Stored,
        mapper,
        testing::{Home, asking, hits, indexed, sync},
    },
    workspace::{exclusions::line_hash, roots::Roots},
};

const SECRET: &str = "The safe behind the zebra picture opens with quokka and then walrus.";

fn note(extra: &str) -> String {
    let filler = |from: u32| {
        (from..from + 30).map(|n| format!("- Ordinary remark number {n} about gardening.\n")).collect::<String>()
    };
    format!("# Safe\n\n{}{extra}{SECRET}\n{}", filler(0), filler(30))
}

/// Everything that lies in the folder of the index, as bytes.
fn bytes_of(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in folder.read_dir().unwrap().flatten() {
        let path = entry.path();
        bytes.extend(if path.is_dir() { bytes_of(&path) } else { std::fs::read(path).unwrap() });
    }
    bytes
}

fn holds(folder: &Path, word: &str) -> bool {
    bytes_of(folder).windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}

async fn forget(engine: &Lease, call: ForgetCall) -> ForgetReport {
    engine.admin.forget(call).await.unwrap()
}

fn about(target: Target) -> ForgetCall {
    ForgetCall { target, ..ForgetCall::default() }
}

fn sessions(sessions: &[&str]) -> Selection {
    Selection { sessions: sessions.iter().map(|name| (*name).to_owned()).collect(), ..Selection::default() }
}

fn paths(paths: &[&str]) -> ForgetCall {
    about(Target { paths: paths.iter().map(|path| (*path).to_owned()).collect(), ..Target::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_passage_leaves_no_byte_and_stays_out_through_edits_renames_and_a_new_index() {
    let (home, engine) = indexed(&[("memory/a.md", &note("")), ("MEMORY.md", "The tea is sencha.")]).await;
    assert!(holds(&home.state(), "quokka"), "the test would prove nothing otherwise");
    assert!(!engine.mapper.map().await.unwrap().points.is_empty());
    let is_laid_out = || engine.context.store().read(|reader| reader.meta(mapper::KEY)).unwrap().is_some();
    assert!(is_laid_out());

    let call = ForgetCall { search: Some(asking("zebra quokka")), ..ForgetCall::default() };
    let dry = forget(&engine, ForgetCall { dry_run: true, ..call.clone() }).await;
    assert_eq!((dry.dry_run, dry.passages.len(), dry.id.as_str()), (true, 1, ""), "{dry:?}");
    assert_eq!((dry.passages[0].start_line, dry.passages[0].end_line), (33, 33), "the line, not what stands around it");
    assert!(!hits(&engine, "quokka").await.is_empty(), "a dry run changes nothing");

    let report = forget(&engine, call).await;
    assert_eq!(report.passages, dry.passages);
    assert!(report.chunks >= 1 && report.vectors >= 1, "{report:?}");
    assert!(!is_laid_out(), "a landmark of the map may be the vector of what was forgotten");
    assert!(hits(&engine, "quokka").await.is_empty());
    for word in ["quokka", "walrus", "zebra"] {
        assert!(!holds(&home.state(), word), "{word} is still in a file");
    }
    assert_eq!(
        std::fs::read_to_string(home.workspace().join("memory/a.md")).unwrap(),
        note(""),
        "Markdown is the user's"
    );
    assert!(!hits(&engine, "gardening remark").await.is_empty(), "the rest of the note stays");
    let excerpt = engine.searcher.read_file(crate::workspace::excerpt::ExcerptRequest {
        path: "memory/a.md".into(),
        lines: Some(99),
        from: None,
    });
    assert!(!excerpt.await.unwrap().to_string().contains("quokka"));

    // Edited above it, moved to another file, and indexed anew from nothing.
    home.write("memory/a.md", &note("Something new stands here now.\n"));
    home.write("memory/b.md", &format!("Moved:\n  {SECRET}\n"));
    let moved = home.workspace().join("memory/c.md");
    std::fs::write(&moved, note("")).unwrap();
    sync(&engine).await;
    assert!(hits(&engine, "quokka").await.is_empty());
    engine.admin.reset(false).await.unwrap();
    sync(&engine).await;
    assert!(hits(&engine, "quokka").await.is_empty());
    assert!(!hits(&engine, "something new stands").await.is_empty());

    // A rewritten line is a new one.
    home.write("memory/b.md", "The safe opens with quokka and then badger.\n");
    sync(&engine).await;
    assert_eq!(hits(&engine, "quokka").await.len(), 1);

    engine.admin.undo_forget(report.id.clone()).await.unwrap();
    assert!(!hits(&engine, "walrus").await.is_empty(), "taken back");
    assert_eq!(engine.admin.undo_forget("none".to_owned()).await.unwrap_err().code(), Code::NotFound);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_path_stays_out_when_it_is_edited_renamed_or_lies_below_a_folder() {
    let (home, engine) = indexed(&[
        ("memory/private/x.md", "The zebra sleeps in the kitchen."),
        ("memory/private/deep/y.md", "The zebra eats in the hall."),
        ("memory/diary.md", "# Diary\nThe walrus came to dinner yesterday.\n"),
        ("memory/open.md", "The tea is sencha."),
    ])
    .await;
    let report = forget(&engine, paths(&["memory/private/", "./memory/diary.md"])).await;
    assert_eq!(
        report.files,
        ["memory/private/deep/y.md", "memory/private/x.md", "memory/diary.md"].map(str::to_owned),
        "{report:?}"
    );
    assert!(!holds(&home.state(), "zebra") && !holds(&home.state(), "walrus"));

    home.write("memory/private/x.md", "The zebra moved to the garden.");
    home.write("memory/private/new.md", "Another zebra.");
    std::fs::rename(home.workspace().join("memory/diary.md"), home.workspace().join("memory/renamed.md")).unwrap();
    let synced = sync(&engine).await;
    assert_eq!(synced.files, 2, "{synced:?}");
    for word in ["zebra", "walrus"] {
        assert!(hits(&engine, word).await.is_empty(), "{word}");
    }
    let inspected = engine.indexer.inspect().await.unwrap();
    let skipped = inspected["skipped"].to_string();
    assert!(skipped.contains("memory/private/new.md") && skipped.contains("--undo"), "{skipped}");
    assert_eq!(inspected["plan"]["changed"], serde_json::json!([]), "kept out is not pending");
    assert_eq!(engine.admin.forgotten().await.unwrap().iter().map(|e| e.kind).collect::<Vec<_>>(), ["path", "path"]);
    assert_eq!(engine.admin.forget(paths(&["memory/nowhere.md"])).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(engine.admin.forget(ForgetCall::default()).await.unwrap_err().code(), Code::NotFound);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_changed_by_another_process_takes_effect_with_the_next_sync() {
    let (_home, engine) =
        indexed(&[("memory/a.md", "The zebra sleeps in the kitchen of the house.\nThe tea is sencha.\n")]).await;
    let what = What::Lines {
        path: "memory/a.md".into(),
        here: vec![],
        everywhere: vec![line_hash("The zebra sleeps in the kitchen of the house.")],
    };
    let entry = Entry { id: "a".into(), at: String::new(), is_final: false, what };
    let list = crate::workspace::exclusions::list_path(&engine.settings().settings.database_path);
    jsonl::append(&list, &serde_json::to_string(&entry).unwrap()).unwrap();
    let plan = engine.indexer.plan(false, false).await.unwrap();
    assert_eq!(plan["plan"]["changed"], serde_json::json!(["memory/a.md"]));
    sync(&engine).await;
    assert!(hits(&engine, "zebra").await.is_empty());
    assert_eq!(hits(&engine, "sencha").await[0].start_line, 2, "lines keep their numbers");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_session_takes_its_notes_captures_and_short_term_records_along() {
    let header = "# Session: now\n\n- **Session Key**: agent:main:telegram:direct:7\n- **Session ID**: s-1\n\nThe zebra came up.\n";
    let (home, engine) = indexed(&[("memory/2026-11-20-talk.md", header), ("MEMORY.md", "The tea is sencha.")]).await;
    let folder = home.dir.path().join("agent");
    let short_term = folder.join("short-term.jsonl");
    let now = jiff::Zoned::now();
    let of_a_person = model::config::automatic::people_folder(&folder).join("a.jsonl");
    for path in [&short_term, &of_a_person] {
        crate::capture::short_term::record(path, &Default::default(), "zebra?", "yes", &now).unwrap();
    }
    crate::capture::journal::Journal::new(&folder)
        .add_capture(crate::capture::log::Entry {
            id: "c".into(),
            ts: "2026-11-20T00:00:00Z".into(),
            status: crate::capture::log::Status::Stored,
            text: "The user owns a zebra.".into(),
            reason: None,
            category: None,
            path: None,
            session_key: Some("agent:main:telegram:direct:7".into()),
            session_id: None,
            message: "m".into(),
        })
        .unwrap();
    let call = about(Target {
        selection: sessions(&["agent:main:telegram:direct:7"]),
        places: Places { folder: Some(folder.clone()), short_term: Some(short_term) },
        ..Target::default()
    });
    let dry = forget(&engine, ForgetCall { dry_run: true, ..call.clone() }).await;
    let report = forget(&engine, call).await;
    for report in [&dry, &report] {
        assert_eq!((report.files.len(), report.captures, report.short_term), (1, 1, 2), "{report:?}");
    }
    assert_eq!(report.notes, ["memory/2026-11-20-talk.md"]);
    assert!(!home.workspace().join(&report.notes[0]).exists());
    assert!(!holds(&folder, "zebra"));
    assert!(holds(&home.state(), "zebra"), "what undoes it");
    let last = engine.admin.apply_forget(report.id, true).await.unwrap();
    assert!(last.is_final && last.undo_until.is_none());
    assert!(!holds(&home.state(), "zebra"));
    assert!(Roots::of(&engine.settings().settings).forgotten.session("agent:main:telegram:direct:7"));
    engine.release().await;
}

// A note was read once for each session that is forgotten, and listed for each name of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_with_two_names_is_forgotten_once() {
    let header = "# Session: now\n\n- **Session Key**: agent:main:telegram:direct:7\n- **Session ID**: s-1\n\nThe zebra came up.\n";
    let (home, engine) = indexed(&[("memory/2026-11-20-talk.md", header), ("MEMORY.md", "The tea is sencha.")]).await;
    let selection = sessions(&["agent:main:telegram:direct:7", "s-1", "another"]);
    let call = ForgetCall { is_final: true, ..about(Target { selection, ..Target::default() }) };
    let report = forget(&engine, call).await;
    assert_eq!((report.files.len(), &report.notes), (1, &vec!["memory/2026-11-20-talk.md".to_owned()]));
    assert!(!holds(&home.state(), "zebra"));
    assert_eq!(engine.admin.forgotten().await.unwrap().len(), 3, "three names");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_fact_is_not_recalled_nor_kept_again_until_it_is_taken_back() {
    let home = Home::new(&[("MEMORY.md", "The tea is sencha.")]);
    let engine = home.open().await;
    let (boat, cat) = ("The boat of Ana is called Quokka and lies in Porto", "Ana has a cat");
    for text in [boat, cat] {
        let stored = engine.facts.store(text, Category::Fact, 0.9).await.unwrap();
        assert!(matches!(stored, Stored::Created { .. }), "{stored:?}");
    }
    sync(&engine).await;
    let recalled = async |query: &str| {
        let found = engine.facts.search(query, 5, 0.0).await.unwrap();
        found.matches.into_iter().map(|found| found.fact.text).collect::<Vec<_>>()
    };
    assert_eq!(recalled("quokka boat").await.len(), 2);
    assert!(holds(&home.state(), "quokka"));

    let call = ForgetCall { search: Some(asking("quokka boat")), ..ForgetCall::default() };
    let dry = forget(&engine, ForgetCall { dry_run: true, ..call.clone() }).await;
    assert_eq!((dry.facts, recalled("quokka boat").await.len()), (1, 2));
    let report = forget(&engine, call).await;
    assert_eq!((report.facts, report.vectors), (1, dry.vectors));
    assert!(report.vectors >= 2, "that of the chunk and that of the fact: {report:?}");
    assert_eq!(recalled("quokka boat").await, [cat]);
    assert_eq!(engine.facts.all().await.unwrap().len(), 1);
    assert!(!holds(&home.state(), "quokka"));
    let again = engine.facts.store(boat, Category::Fact, 0.9).await.unwrap();
    assert_eq!(again, Stored::Rejected { reason: "forgotten" });

    engine.admin.undo_forget(report.id.clone()).await.unwrap();
    assert_eq!(recalled("quokka boat").await.len(), 2);
    let whole = forget(&engine, paths(&["memory/facts.md"])).await;
    assert_eq!((whole.facts, engine.facts.all().await.unwrap().len()), (2, 0));
    engine.release().await;
}

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
    };
    journal.add_capture(capture("a", CAPTURED, "s-1")).unwrap();
    journal.add_capture(capture("b", "My cat is called Mio", "s-2")).unwrap();
    let message =
        crate::capture::queue::Message { role: crate::capture::queue::Role::User, text: CAPTURED.into(), at: None };
    let job = Job {
        id: "run-1".into(),
        created_ms: 1,
        attempts: 0,
        not_before_ms: 0,
        session_key: Some(KEY.into()),
        session_id: Some("s-1".into()),
        provider: None,
        model: None,
        max_facts: None,
        seen: 0,
        messages: vec![message],
    };
    journal.push(&job).unwrap();
    let told = |id: &str| Told { folder: folder.clone(), session_key: Some(KEY.into()), session_id: Some(id.into()) };
    for (fact, id) in [("Quokka needs a new anchor by spring", "s-1"), ("Ana has a bicycle and a dog", "s-2")] {
        let stored = engine.facts.store_told(fact, Category::Fact, 0.7, Some(told(id))).await.unwrap();
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
    let said = |session: &str, text: &str| Observed::Said { session: session.into(), texts: vec![text.into()] };
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
