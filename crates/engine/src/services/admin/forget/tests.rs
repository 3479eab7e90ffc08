mod changed;
mod more;
mod traces;
mod unfinished;

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

// Of a folder only its name was on the list, and of a file one hash of all of it, if it had a long line.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_forgotten_folder_or_file_holds_stays_out_under_any_other_name() {
    let long = "The zebra of the neighbours sleeps in the kitchen.";
    let (home, engine) = indexed(&[
        ("memory/private/x.md", &format!("# X\n{long}\n")),
        ("memory/private/deep/y.md", "The walrus of the neighbours eats in the hall.\n"),
        ("memory/private/deep/empty.md", "\n"),
        (
            "memory/diary.md",
            "# Diary\nThe quokka came to dinner yesterday evening.\nIt rained all day long, until late.\n",
        ),
        ("memory/short.md", "- axolotl\n- ok\n"),
        ("memory/copy.md", &format!("{long}\nThe tea is sencha.\n")),
    ])
    .await;
    // As a process did that was killed a moment after it wrote this: on the disk and not in the index yet.
    home.write("memory/private/late.md", "The ocelot of the neighbours came by yesterday.\n");
    let report = forget(&engine, paths(&["memory/private", "memory/diary.md", "memory/short.md"])).await;
    let listed = engine.admin.forgotten().await.unwrap();
    let named: Vec<_> = listed.iter().map(|one| (one.kind, one.name.as_str())).collect();
    assert_eq!(named, [("path", "memory/private"), ("path", "memory/diary.md"), ("path", "memory/short.md")]);
    assert!(hits(&engine, "zebra").await.is_empty(), "the same line in another note");
    assert_eq!(hits(&engine, "sencha").await.len(), 1);

    let at = |path: &str| home.workspace().join(path);
    std::fs::rename(at("memory/private"), at("memory/other")).unwrap();
    std::fs::rename(at("memory/short.md"), at("memory/brief.md")).unwrap();
    std::fs::remove_file(at("memory/diary.md")).unwrap();
    home.write(
        "memory/days.md",
        "# Diary\nThe quokka came to dinner yesterday evening.\nIt snowed all day long, until late.\n",
    );
    home.write("memory/blank.md", "\n");
    sync(&engine).await;
    for word in ["zebra", "walrus", "quokka", "axolotl", "ocelot"] {
        assert!(hits(&engine, word).await.is_empty(), "{word} came back");
    }
    assert_eq!(hits(&engine, "snowed").await.len(), 1, "what was written since");

    engine.admin.undo_forget(report.id).await.unwrap();
    assert!(engine.admin.forgotten().await.unwrap().is_empty());
    for word in ["zebra", "walrus", "quokka", "axolotl", "ocelot"] {
        assert!(!hits(&engine, word).await.is_empty(), "{word} is not back");
    }
    engine.release().await;
}

// What undid the first act stayed, as the second was about more.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_forgotten_for_good_ends_what_undoes_its_parts() {
    let (home, engine) = indexed(&[
        ("memory/private/x.md", "The zebra of the neighbours sleeps in the kitchen.\n"),
        ("MEMORY.md", "The tea is sencha."),
    ])
    .await;
    let first = forget(&engine, ForgetCall { search: Some(asking("zebra")), ..ForgetCall::default() }).await;
    home.write("memory/private/x.md", "Nothing of that is left here, and this is another text.\n");
    sync(&engine).await;
    forget(&engine, ForgetCall { is_final: true, ..paths(&["memory/private"]) }).await;
    assert_eq!(engine.admin.undo_forget(first.id).await.unwrap_err().code(), Code::Argument, "it is final now");
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
    let entry = Entry { id: "a".into(), at: String::new(), is_final: false, by: None, what };
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
            heard: Vec::new(),
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

// The sentence stayed in the last turns, and every other conversation was shown it: only the line of the note has a mark, a kind
// and a comment, and only the turn begins with "Remember that".
#[tokio::test(flavor = "multi_thread")]
async fn words_that_are_forgotten_leave_the_last_turns_and_those_that_wait() {
    use crate::capture::{
        jsonl,
        queue::{Job, Message, Role},
        short_term,
    };
    let line = "- [other] the safe in the attic opens with Wobbelkraut. <!-- mcrs: 0a1b 2026-11-20 -->";
    let (home, engine) = indexed(&[("memory/2026-11-20.md", &format!("# 2026-11-20\n\n{line}\n"))]).await;
    let folder = home.dir.path().join("agent");
    let short_term = folder.join("short-term.jsonl");
    let said = "Remember that the safe in the attic opens with Wobbelkraut.";
    for text in [said, "What opens with a key in the attic?"] {
        short_term::record(&short_term, &Default::default(), text, "ok", &jiff::Zoned::now()).unwrap();
        let message = Message { role: Role::User, text: text.into(), at: None };
        let job = Job { id: text.into(), messages: vec![message], ..Job::default() };
        crate::capture::journal::Journal::new(&folder).push(&job).unwrap();
    }
    let places = Places { folder: Some(folder.clone()), short_term: Some(short_term.clone()) };
    let target = Target { places, ..Target::default() };
    let call = ForgetCall { search: Some(asking("safe attic Wobbelkraut")), ..about(target) };
    let dry = forget(&engine, ForgetCall { dry_run: true, ..call.clone() }).await;
    let report = forget(&engine, call).await;
    for report in [&dry, &report] {
        assert_eq!((report.short_term, report.waiting), (1, 1), "{report:?}");
    }
    assert!(!holds(&folder, "Wobbelkraut") && holds(&folder, "with a key"));
    engine.admin.undo_forget(report.id).await.unwrap();
    assert_eq!(jsonl::all(&short_term).unwrap().len(), 2);
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
        let stored = engine.facts.store(text, Category::Fact, 0.9, None).await.unwrap();
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
    let again = engine.facts.store(boat, Category::Fact, 0.9, None).await.unwrap();
    assert_eq!(again, Stored::Rejected { reason: "forgotten" });

    engine.admin.undo_forget(report.id.clone()).await.unwrap();
    assert_eq!(recalled("quokka boat").await.len(), 2);
    let whole = forget(&engine, paths(&["memory/facts.md"])).await;
    assert_eq!((whole.facts, engine.facts.all().await.unwrap().len()), (2, 0));
    engine.release().await;
}

// Words were what stands between spaces: a sentence without any held none, and the whole passage was forgotten, heading and all.
#[tokio::test(flavor = "multi_thread")]
async fn words_of_a_script_without_spaces_and_inflected_ones_take_their_line_alone() {
    let note =
        "# 2026-11-05\n\n- 合鍵は植木鉢の下にあります。\n- 税理士の佐藤さんに書類を送った。\n- 昼は蕎麦を食べた。\n";
    let keys = "# Keys\n\n- Der Schlüssel liegt unter der Matte.\n- Das Auto steht im Hof.\n- Die Milch ist alle.\n";
    let (_home, engine) = indexed(&[("memory/2026-11-05.md", note), ("memory/keys.md", keys)]).await;
    for (query, path, line, left) in
        [("合鍵", "memory/2026-11-05.md", 3, "税理士"), ("Schlüsseln", "memory/keys.md", 3, "Auto")]
    {
        let report = forget(&engine, ForgetCall { search: Some(asking(query)), ..ForgetCall::default() }).await;
        let found: Vec<_> =
            report.passages.iter().map(|one| (one.path.as_str(), one.start_line, one.end_line)).collect();
        assert_eq!(found, [(path, line, line)], "{query}");
        assert_eq!(hits(&engine, left).await.len(), 1, "{left}");
        assert_eq!(hits(&engine, query).await.len(), 0, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_forgotten_however_its_letters_are_composed() {
    let (apart, folder) = ("memory/Cafe\u{301}.md", "memory/Tee\u{308}/a.md");
    let (home, engine) =
        indexed(&[(apart, "# Café\nThe zebra sleeps.\n"), (folder, "The walrus eats."), ("memory/b.md", "Tea.")]).await;
    let lines = Target { paths: vec!["memory/Caf\u{e9}.md".to_owned()], lines: Some((2, 2)), ..Target::default() };
    assert_eq!(forget(&engine, about(lines)).await.passages[0].path, apart);
    assert!(hits(&engine, "zebra").await.is_empty());
    let report = forget(&engine, paths(&["memory/Caf\u{e9}.md", "memory/Te\u{eb}"])).await;
    assert_eq!(report.files, [apart, folder].map(str::to_owned));
    assert!(hits(&engine, "walrus").await.is_empty());
    // On the disk and not in the index.
    home.write("memory/new/e\u{301}.md", "A quokka.");
    forget(&engine, paths(&["memory/new/\u{e9}.md"])).await;
    assert_eq!(sync(&engine).await.files, 1);
    let error = engine.admin.forget(paths(&["memory/\u{f6}.md"])).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    engine.release().await;
}

// A second window of the page said that there was no text in lines that it showed.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_already_is_said_to_be() {
    let (_home, engine) =
        indexed(&[("memory/a.md", "# Safe\n\nThe walrus has the code.\n\nThe tea is sencha.\n")]).await;
    let lines = |first, last| {
        about(Target { paths: vec!["memory/a.md".to_owned()], lines: Some((first, last)), ..Target::default() })
    };
    forget(&engine, lines(3, 3)).await;
    for (range, said) in [((3, 3), "is forgotten already"), ((2, 4), "is forgotten already"), ((2, 2), "has no text")] {
        let error = engine.admin.forget(lines(range.0, range.1)).await.unwrap_err();
        assert!(error.code() == Code::NotFound && error.message.contains(said), "{error}");
    }
    forget(&engine, paths(&["memory/a.md"])).await;
    let error = engine.admin.forget(lines(5, 5)).await.unwrap_err();
    assert!(error.message.contains("is forgotten already"), "{error}");
    engine.release().await;
}
