use std::{sync::atomic::Ordering, time::Instant};

use super::*;
use crate::services::testing::{FAILING, Home, UNANSWERED, asking, hits, indexed, sync};
use crate::services::{Engine, SyncCall};

const LIMIT: Duration = Duration::from_millis(400);
/// The promise is 50 ms; tests share the machine. What is held up in these tests is held up for longer, or for good.
const LATE: Duration = Duration::from_secs(2);

async fn timed(engine: &Arc<Engine>, query: &str) -> Answer {
    let call = SearchCall { lexical_only: false, deadline_ms: Some(LIMIT.as_millis() as u64), ..asking(query) };
    let started = Instant::now();
    let answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
    assert!(started.elapsed() < LIMIT + LATE, "{:?}", started.elapsed());
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_hangs_costs_the_meaning_and_not_the_answer() {
    let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
    let answer = timed(&engine, &format!("boiler code {UNANSWERED}")).await;
    assert_eq!((answer.hits.len(), answer.mode, answer.partial), (1, "fts-only", true));
    assert!(answer.warning.unwrap().starts_with("Meaning was not searched"));
    assert!(!engine.context.store().vector_turn().await.is_cold(), "vectors are read while the provider is asked");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_the_vectors_does_not_hold_up_the_words() {
    let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
    let loading = engine.context.store().vector_turn().await;
    let answer = timed(&engine, "boiler code").await;
    assert_eq!((answer.hits.len(), answer.mode, answer.partial), (1, "fts-only", true));
    assert!(answer.warning.unwrap().contains("the time limit of 400 ms passed"));
    // Where only words are asked for, or there is no provider, nobody waits at all.
    let call = SearchCall { lexical_only: true, deadline_ms: Some(60_000), ..asking("boiler code") };
    let words = tokio::time::timeout(LATE, engine.searcher.search(call, Cancel::new())).await.expect("it waits");
    let words = words.unwrap();
    assert_eq!((words.hits.len(), words.partial, words.warning), (1, false, None));
    drop(loading);
    let answer = timed(&engine, "boiler code").await;
    assert_eq!((answer.mode, answer.partial, answer.warning), ("hybrid", false, None));
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_found_no_reader_says_that_nothing_was_searched() {
    let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
    let (done, wait) = crossbeam_channel::bounded::<()>(0);
    let held: Vec<_> = std::iter::repeat_with(|| {
        let (engine, wait) = (Arc::clone(&engine), wait.clone());
        tokio::task::spawn_blocking(move || engine.context.store().read(|_| Ok(wait.recv().is_err())))
    })
    .take(3)
    .collect();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let answer = timed(&engine, "boiler code").await;
    assert_eq!((answer.hits.len(), answer.partial), (0, true));
    assert!(answer.warning.unwrap().starts_with("Memory was not searched"));
    drop(done);
    for reader in held {
        assert!(reader.await.unwrap().unwrap());
    }
    engine.release().await;
}

#[test]
fn background_work_leaves_threads_to_searches() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).max_blocking_threads(3).enable_all().build();
    runtime.unwrap().block_on(async {
        let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
        let (done, wait) = crossbeam_channel::bounded::<()>(0);
        let busy: Vec<_> = std::iter::repeat_with(|| {
            let wait = wait.clone();
            tokio::spawn(crate::blocking::background(move || Ok(wait.recv().is_err())))
        })
        .take(6)
        .collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let answer = timed(&engine, "boiler code").await;
        assert_eq!((answer.mode, answer.partial, answer.warning), ("hybrid", false, None));
        drop(done);
        for task in busy {
            assert!(task.await.unwrap().unwrap());
        }
        engine.release().await;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_pass_that_takes_too_long_is_said() {
    let home = Home::new(&[("MEMORY.md", "The boiler code is E17.")]);
    let engine = home.open().await;
    // Somebody else indexes: this search cannot wait for it.
    let other =
        store::Store::open(&home.state().join("memory-core-rs/main/index.sqlite"), store::OpenOptions::default())
            .unwrap();
    tokio::task::block_in_place(|| other.acquire_lease()).unwrap();
    let answer = timed(&engine, "boiler code").await;
    assert_eq!((answer.hits.len(), answer.partial), (0, true));
    assert!(answer.warning.unwrap().contains("being read for the first time"));
    tokio::task::block_in_place(|| other.close());
    // On a busy machine one search does not wait long enough for the pass that is possible now.
    let mut answer = timed(&engine, "boiler code").await;
    for _ in 0..100 {
        if !answer.hits.is_empty() {
            break;
        }
        answer = timed(&engine, "boiler code").await;
    }
    assert_eq!((answer.hits.len(), answer.mode), (1, "fts-only"));
    assert!(answer.warning.unwrap().contains("still being embedded"));
    sync(&engine).await;
    let answer = timed(&engine, "boiler code").await;
    assert_eq!((answer.hits.len(), answer.mode, answer.partial), (1, "hybrid", false));
    engine.release().await;
}

// After `openclaw memory reset` the gateway found nothing for up to a minute, and told nobody why.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_another_process_has_cleared_is_made_anew_by_the_next_search() {
    let (_home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
    assert_eq!(hits(&engine, "boiler code").await.len(), 1);
    let other = store::Store::open(engine.context.store().path(), store::OpenOptions::default()).unwrap();
    let clear = || {
        tokio::task::block_in_place(|| {
            // The engine gives it back once its pass is done.
            while matches!(other.acquire_lease().unwrap(), store::lease::Lease::HeldBy(_)) {
                std::thread::sleep(Duration::from_millis(5));
            }
            other.write_indexed(|tx| tx.begin_reset()).unwrap();
            while other.write_indexed(|tx| tx.retire_step(100)).unwrap() {}
            other.release_lease().unwrap();
        });
    };
    clear();
    assert_eq!(hits(&engine, "boiler code").await.len(), 1);
    assert!(hits(&engine, "zebra").await.is_empty(), "what no note says");
    // A pass that one of the searches started would make it anew before anybody is told.
    sync(&engine).await;
    clear();
    let health = &engine.indexer.inspect().await.unwrap()["status"]["custom"]["health"];
    assert!(health["reason"].as_str().unwrap().starts_with("the index was cleared"), "{health}");
    assert_eq!(hits(&engine, "boiler code").await.len(), 1);
    other.close();
    engine.release().await;
}

// A fresh index with a wrong address, a refused key or an unknown provider answered as if all were well.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_is_named_on_a_fresh_index_too() {
    let home = Home::new(&[("MEMORY.md", &format!("The boiler code is E17. {FAILING}"))]);
    let engine = home.open().await;
    let answer = timed(&engine, "boiler code").await;
    assert_eq!((answer.hits.len(), answer.mode, answer.partial), (1, "fts-only", true));
    let answer = timed(&engine, &format!("boiler code {FAILING}")).await;
    let warning = answer.warning.unwrap();
    assert!(
        warning.starts_with("Meaning was not searched, only words: ") && warning.contains("no such key"),
        "{warning}"
    );
    assert_eq!(answer.code, Some("MEM_PROVIDER_AUTH"));
    let report = sync(&engine).await;
    assert_eq!((report.embedded, report.pending), (0, 1));
    // The query by itself would be answered; the notes were not.
    let answer = timed(&engine, "boiler code").await;
    assert_eq!(answer.code, Some("MEM_PROVIDER_AUTH"));
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_provider_is_named_by_every_search() {
    let home = Home::new(&[("MEMORY.md", "The boiler code is E17.")]);
    let engine = home.open_set(serde_json::json!({ "provider": "nonsense", "fallback": "none" })).await;
    for _ in 0..2 {
        let answer = timed(&engine, "boiler code").await;
        assert_eq!((answer.hits.len(), answer.partial, answer.code), (1, true, Some("MEM_CONFIG")));
        assert!(answer.remedy.is_some());
        let report = sync(&engine).await;
        assert_eq!((report.pending, report.embedding_error.as_ref().unwrap().code.as_ref()), (1, "MEM_CONFIG"));
    }
    assert_eq!(engine.status()["custom"]["pendingEmbeddings"], 1);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fallback_takes_over_from_a_provider_that_fails_in_the_middle() {
    let home = Home::new(&[("MEMORY.md", "The boiler code is E17.")]);
    let engine = home.open_set(serde_json::json!({ "provider": "bedrock", "fallback": "spare" })).await;
    assert_eq!((sync(&engine).await.pending, engine.status()["fallback"].is_null()), (0, true));
    let before = home.embedded.load(Ordering::SeqCst);
    assert!(before > 0);
    home.write("memory/new.md", &format!("The zebra sleeps. {FAILING}"));
    let report = sync(&engine).await;
    // The vectors of two providers cannot be compared: the old note is embedded by the new one, too.
    assert_eq!((report.embedded, report.pending, report.embedding_error.is_none()), (2, 0, true));
    let status = engine.status();
    assert_eq!(status["fallback"]["from"], "bedrock", "{status}");
    assert!(status["fallback"]["reason"].as_str().unwrap().contains("no such key"));
    let asked = home.embedded.load(Ordering::SeqCst);
    // The query, too, goes to the provider that made the vectors.
    let answer = timed(&engine, &format!("boiler code {FAILING}")).await;
    assert_eq!((answer.mode, answer.partial, answer.warning), ("hybrid", false, None));
    assert_eq!(home.embedded.load(Ordering::SeqCst), asked);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_takes_up_known_changes_unless_that_is_switched_off() {
    for on_search in [true, false] {
        let home = Home::new(&[("MEMORY.md", "The boiler code is E17.")]);
        let settings = serde_json::json!({ "provider": "none", "sync": { "watch": false, "onSearch": on_search } });
        let engine = home.open_set(settings).await;
        sync(&engine).await;
        home.write("memory/new.md", "The zebra sleeps.");
        engine.indexer.mark_dirty();
        let found = async {
            while hits(&engine, "zebra").await.is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let wait = Duration::from_secs(if on_search { 60 } else { 1 });
        assert_eq!(tokio::time::timeout(wait, found).await.is_ok(), on_search);
        assert_eq!(engine.indexer.is_behind(), !on_search);
        engine.release().await;
    }
}

// An index that could not take up a single note answered "no matches".
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_found_because_of_a_fault_is_an_error() {
    let home = Home::new(&[("MEMORY.md", "The boiler code is E17.")]);
    let engine = home.open().await;
    // Nothing can be listed as forgotten or not: a pass must not begin.
    let list = crate::workspace::exclusions::list_path(engine.context.store().path());
    std::fs::create_dir_all(&list).unwrap();
    let error = engine.searcher.search(asking("boiler code"), Cancel::new()).await.unwrap_err();
    assert!(error.to_string().contains("the notes could not be read"), "{error}");
    std::fs::remove_dir(&list).unwrap();
    assert_eq!(engine.searcher.search(asking("boiler code"), Cancel::new()).await.unwrap().hits.len(), 1);
    // The pass that the first answer leaves to the background would find what is written next.
    sync(&engine).await;
    // Later, what is found is shown and the fault is said beside it.
    std::fs::create_dir_all(&list).unwrap();
    home.write("memory/new.md", "The zebra sleeps.");
    let call = SyncCall { reason: "test".into(), force: false, text_only: true };
    engine.indexer.sync(call, Cancel::new(), None).await.unwrap_err();
    let answer = engine.searcher.search(asking("boiler code"), Cancel::new()).await.unwrap();
    assert_eq!((answer.hits.len(), answer.partial), (1, true));
    assert!(engine.searcher.search(asking("zebra"), Cancel::new()).await.is_err());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_index_here_holds_what_notes_hold_unless_it_is_told_not_to() {
    let home = Home::new(&[("MEMORY.md", "The WiFi password is Sunflower!42"), ("memory/tea.md", "Tea at five.")]);
    let searching = |redact: serde_json::Value| serde_json::json!({ "provider": "bedrock", "model": "titan", "index": { "redactSecrets": redact } });
    for (redact, kept) in [("remote".into(), true), (true.into(), false), (false.into(), true)] {
        let engine = home.open_set(searching(redact)).await;
        sync(&engine).await;
        let found = hits(&engine, "WiFi password").await;
        assert_eq!(found[0].snippet.contains("Sunflower!42"), kept, "{}", found[0].snippet);
        engine.release().await;
    }
    // Without the secret for the first two, with it for the last; the other note once.
    assert_eq!(home.embedded.load(std::sync::atomic::Ordering::SeqCst), 3);
}

// A filter that comes after the ranking finds nothing where hundreds of other notes rank higher.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_search_is_confined_to_is_found_however_many_others_are_better() {
    let mut files: Vec<(String, String)> = (0..400)
        .map(|at| (format!("memory/other/{at}.md"), format!("The boiler code of house {at} is E{at}, boiler code.\n")))
        .collect();
    files.push(("memory/projects/heating.md".to_owned(), "Somebody asked for a boiler and much else.\n".to_owned()));
    files.push(("memory/2024-06-10.md".to_owned(), "They spoke of the boiler, among other things.\n".to_owned()));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let home = Home::new(&files);
    let day = |day: &str| (Some(day.to_owned()), Some(day.to_owned()));
    for ranking in ["native", "memory-core"] {
        for provider in ["none", "bedrock"] {
            let query = serde_json::json!({ "ranking": ranking, "minScore": 0.0 });
            let search = serde_json::json!({ "provider": provider, "model": "titan", "query": query });
            let engine = home.open_set(search).await;
            sync(&engine).await;
            let ask = async |(since, until), paths: &[&str]| {
                let paths = paths.iter().map(|path| (*path).to_owned()).collect();
                let wish = Wish { since, until, paths };
                let call = SearchCall { lexical_only: false, wish, max_results: Some(3), ..asking("boiler code") };
                let answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
                let found: Vec<String> = answer.hits.into_iter().map(|hit| hit.path).collect();
                (found, answer.warning)
            };
            let here = format!("{ranking} {provider}");
            let whole = ask((None, None), &[]).await;
            // The one note that lies beside the folders has a place in the native ranking.
            let others = whole.0.iter().filter(|path| path.starts_with("memory/other/")).count();
            assert_eq!((others, whole.0.len()), (if ranking == "native" { 2 } else { 3 }, 3), "{here} {whole:?}");
            assert_eq!(ask((None, None), &["projects"]).await.0, ["memory/projects/heating.md"], "{here}");
            assert_eq!(ask(day("2024-06-10"), &["memory/*.md"]).await.0, ["memory/2024-06-10.md"], "{here}");
            let (none, warning) = ask(day("2024-06-10"), &["projects"]).await;
            assert!(none.is_empty(), "{here}");
            assert_eq!(warning.as_deref(), Some("No indexed file has this path and is of these days"), "{here}");
            engine.release().await;
        }
    }
    let engine = home.open().await;
    let wish = Wish { since: Some("someday".to_owned()), ..Wish::default() };
    let error = engine.searcher.search(SearchCall { wish, ..asking("boiler") }, Cancel::new()).await.unwrap_err();
    assert_eq!(error.code(), Code::Argument);
    engine.release().await;
}

// A name from a Mac, whose letters are decomposed, was not the one that a keyboard writes: nothing was found in that file.
#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_the_same_however_its_letters_are_composed() {
    let (apart, composed, other) = ("memory/Cafe\u{301}/a\u{308}.md", "memory/Tee/\u{fc}.md", "memory/b.md");
    let text = "The zebra sleeps.";
    let (_home, engine) =
        indexed(&[(apart, text), (composed, text), (other, "Hay is what a zebra in the garden eats.")]).await;
    let ask = async |paths: &[&str]| {
        let wish = Wish { paths: paths.iter().map(|path| (*path).to_owned()).collect(), ..Wish::default() };
        let answer = engine.searcher.search(SearchCall { wish, ..asking("zebra") }, Cancel::new()).await.unwrap();
        let mut found: Vec<String> = answer.hits.into_iter().map(|hit| hit.path).collect();
        found.sort_unstable();
        found
    };
    for wanted in
        [apart, "memory/Caf\u{e9}/\u{e4}.md", "memory/Caf\u{e9}", "Caf\u{e9}", "memory/C*\u{e9}/*.md", "\u{e4}.md"]
    {
        assert_eq!(ask(&[wanted]).await, [apart], "{wanted}");
    }
    assert_eq!(ask(&["memory/Tee/u\u{308}.md"]).await, [composed]);
    assert_eq!(ask(&["Caf\u{e9}", "b.md"]).await, [apart, other]);
    assert!(ask(&["Cafe", "\u{e9}.md"]).await.is_empty());
    engine.release().await;
}

// Two files whose names differ in nothing else: where the one is named as it is written, the other is not meant.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_path_as_it_is_written_is_no_other() {
    let names = ["memory/Cafe\u{301}.md", "memory/Caf\u{e9}.md"];
    let (_home, engine) = indexed(&[(names[0], "The zebra sleeps."), (names[1], "The zebra eats.")]).await;
    for name in names {
        let wish = Wish { paths: vec![name.to_owned()], ..Wish::default() };
        let answer = engine.searcher.search(SearchCall { wish, ..asking("zebra") }, Cancel::new()).await.unwrap();
        assert_eq!(answer.hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>(), [name]);
    }
    engine.release().await;
}
