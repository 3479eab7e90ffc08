//! Passes over what the watcher names end as a pass over the whole disk would.

use std::{fs, path::PathBuf, sync::Arc};

use proptest::prelude::*;

use super::TextCall;
use crate::{
    index::{index_text::TextReport, session_pass::Scope},
    services::{
        Lease, SyncCall,
        testing::{Home, hits, indexed, sync},
    },
};
use model::cancel::Cancel;

/// What the watcher does when it names notes.
async fn named(home: &Home, engine: &Lease, paths: &[&str]) -> Arc<TextReport> {
    let paths = paths.iter().map(|path| home.workspace().join(path)).collect();
    engine.indexer.mark_named();
    let call = TextCall { named: Some(paths), ..TextCall::whole(false, Scope::Due) };
    engine.indexer.sync_text(call, &Cancel::new(), None).await.unwrap()
}

/// What a pass over the whole disk still finds to do: files written and removed.
async fn left_over(engine: &Lease) -> (usize, usize) {
    let call = SyncCall { reason: "test".into(), force: false, text_only: true };
    let report = engine.indexer.sync(call, Cancel::new(), None).await.unwrap();
    (report.changed, report.removed)
}

const NOTES: [(&str, &str); 3] = [
    ("MEMORY.md", "The boiler is in Leipzig."),
    ("memory/tea.md", "The favourite tea is sencha."),
    ("memory/sub/car.md", "The car is red."),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_named_is_looked_at_and_nothing_else() {
    let (home, engine) = indexed(&NOTES).await;
    home.write("memory/tea.md", "The favourite tea is gyokuro now.");
    home.write("memory/sub/car.md", "The car is green.");
    home.write("memory/new.md", "The lighthouse has three lamps.");
    let report = named(&home, &engine, &["memory/tea.md", "memory/new.md"]).await;
    assert_eq!((report.is_whole, report.files, report.changed), (cfg!(not(target_os = "linux")), 2, 2));
    assert!(!hits(&engine, "gyokuro").await.is_empty() && !hits(&engine, "lighthouse").await.is_empty());
    assert!(hits(&engine, "green").await.is_empty(), "nobody named it");
    assert!(!engine.indexer.is_behind());
    assert_eq!(left_over(&engine).await, (1, 0));
    assert!(!hits(&engine, "green").await.is_empty());
    engine.release().await;
}

// Each of these says something about more than the note that is named.
#[tokio::test(flavor = "multi_thread")]
async fn the_whole_disk_is_looked_at_where_one_note_does_not_tell() {
    let (home, engine) = indexed(&NOTES).await;
    let path = |path: &str| home.workspace().join(path);
    let is_whole = async |paths: &[&str]| named(&home, &engine, paths).await.is_whole;
    assert!(!is_whole(&["memory/tea.md"]).await);
    // Gone, and it is not found any more.
    fs::remove_file(path("memory/sub/car.md")).unwrap();
    assert!(is_whole(&["memory/sub/car.md"]).await);
    assert!(hits(&engine, "red car").await.is_empty());
    // Events were lost, or the engine itself changed something.
    engine.indexer.mark_dirty();
    assert!(is_whole(&["memory/tea.md"]).await && !is_whole(&["memory/tea.md"]).await);
    assert!(is_whole(&["memory/tea.md", "memory/TEA.md"]).await, "they may be one file");
    assert!(is_whole(&["elsewhere.md"]).await);
    // Left out once, it may be taken now.
    home.write("memory/odd.md", &"x".repeat(17 * 1024 * 1024));
    assert!(is_whole(&["memory/odd.md"]).await);
    home.write("memory/odd.md", "The windmill turns.");
    assert!(is_whole(&["memory/odd.md"]).await && !is_whole(&["memory/odd.md"]).await);
    assert!(!hits(&engine, "windmill").await.is_empty());
    // A folder that is lost, and everything after it until it is back.
    let aside = home.dir.path().join("aside");
    fs::rename(home.workspace(), &aside).unwrap();
    assert!(is_whole(&["memory/tea.md"]).await);
    home.write("memory/tea.md", "The favourite tea is mint.");
    assert!(is_whole(&["memory/tea.md"]).await);
    assert!(!hits(&engine, "windmill").await.is_empty(), "it is kept");
    fs::remove_dir_all(home.workspace()).unwrap();
    fs::rename(&aside, home.workspace()).unwrap();
    assert!(is_whole(&["memory/tea.md"]).await);
    // Another folder with the same notes: the next loss is measured by it.
    fs::create_dir(&aside).unwrap();
    for name in ["tea.md", "odd.md"] {
        fs::copy(path("memory").join(name), aside.join(name)).unwrap();
    }
    fs::remove_dir_all(path("memory")).unwrap();
    fs::rename(&aside, path("memory")).unwrap();
    assert!(is_whole(&["memory/tea.md"]).await && !is_whole(&["memory/tea.md"]).await);
    engine.release().await;
}

// Its bytes were indexed as passages of garbage, and nothing named it.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_text_is_left_out_and_told_until_it_is_a_note() {
    let home = Home::new(&NOTES);
    let program = [b"\x7fELF\x02\x01 gyokuro \0\0".as_slice(), &[0, 0, 9, 0].repeat(90), b"\x01"].concat();
    fs::write(home.workspace().join("memory/program.md"), program).unwrap();
    let engine = home.open().await;
    let told = async |engine: &Lease| {
        let inspected = engine.indexer.inspect().await.unwrap();
        let left_out = inspected["plan"]["skipped"].as_array().unwrap().clone();
        let text = |left: &serde_json::Value| format!("{} {} {}", left["path"], left["code"], left["reason"]);
        left_out.iter().map(text).collect::<Vec<_>>().join("\n")
    };
    for pass in ["first", "next"] {
        sync(&engine).await;
        let told = told(&engine).await;
        assert!(told.starts_with(r#""memory/program.md" "wrong-content" "no text by its content"#), "{pass}: {told}");
        assert!(hits(&engine, "gyokuro").await.is_empty(), "{pass}");
    }
    let checks = engine.admin.doctor(false).await.unwrap();
    let disk = checks.iter().find(|check| check.name == "disk").unwrap();
    assert!(disk.ok && disk.found.ends_with("of them 1 by what they hold: memory/program.md"), "{disk:?}");
    home.write("memory/program.md", "The favourite tea is gyokuro now.");
    sync(&engine).await;
    assert_eq!(told(&engine).await, "");
    assert!(!hits(&engine, "gyokuro").await.is_empty());
    engine.release().await;
}

// Such a note was indexed with replaced letters, and nothing said why "café" is not found.
#[tokio::test(flavor = "multi_thread")]
async fn a_note_in_another_encoding_is_told_until_it_is_saved_anew() {
    let latin_1 =
        |path: &str, home: &Home| fs::write(home.workspace().join(path), b"The caf\xe9 has a terrace.\n").unwrap();
    let home = Home::new(&NOTES);
    latin_1("memory/cafe.md", &home);
    let engine = home.open().await;
    let told = async |engine: &Lease| {
        let inspected = engine.indexer.inspect().await.unwrap();
        let paths = |of: &serde_json::Value| {
            let left_out = of["skipped"].as_array().unwrap().iter();
            let told = left_out.filter(|left| left["code"] == "other-encoding");
            told.map(|left| left["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        (paths(&inspected["plan"]), paths(&inspected))
    };
    let cafe = vec!["memory/cafe.md".to_owned()];
    assert_eq!(told(&engine).await, (cafe.clone(), vec![]), "before anything is indexed");
    sync(&engine).await;
    assert_eq!(told(&engine).await, (cafe.clone(), cafe.clone()));
    assert!(!hits(&engine, "terrace").await.is_empty());
    // Nobody reads it again, and it is what it was: after other passes, in another process, and touched.
    sync(&engine).await;
    engine.release().await;
    let engine = home.open().await;
    home.write("memory/tea.md", "The favourite tea is gyokuro now.");
    sync(&engine).await;
    assert_eq!(told(&engine).await, (cafe.clone(), cafe.clone()));
    latin_1("memory/cafe.md", &home);
    sync(&engine).await;
    assert_eq!(told(&engine).await, (cafe.clone(), cafe.clone()));
    // One more, of which the watcher tells.
    latin_1("memory/bar.md", &home);
    named(&home, &engine, &["memory/bar.md"]).await;
    let both = vec!["memory/bar.md".to_owned(), "memory/cafe.md".to_owned()];
    assert_eq!(told(&engine).await, (both.clone(), both));
    home.write("memory/bar.md", "The café has a terrace.");
    named(&home, &engine, &["memory/bar.md"]).await;
    assert_eq!(told(&engine).await, (cafe.clone(), cafe));
    home.write("memory/cafe.md", "The café has a terrace.");
    sync(&engine).await;
    assert_eq!(told(&engine).await, (vec![], vec![]));
    assert!(!hits(&engine, "café").await.is_empty());
    engine.release().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn no_link_is_followed_because_something_behind_it_is_named() {
    let (home, engine) = indexed(&NOTES).await;
    let outside = home.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.md"), "The password is swordfish.").unwrap();
    std::os::unix::fs::symlink(&outside, home.workspace().join("memory/linked")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret.md"), home.workspace().join("memory/note.md")).unwrap();
    for path in ["memory/linked/secret.md", "memory/note.md"] {
        assert!(named(&home, &engine, &[path]).await.is_whole);
        assert!(hits(&engine, "password swordfish").await.is_empty());
    }
    engine.release().await;
}

// The first signal of an engine that has just been opened.
#[tokio::test(flavor = "multi_thread")]
async fn what_happened_before_the_watch_is_not_passed_over() {
    let (home, engine) = indexed(&NOTES).await;
    engine.release().await;
    home.write("memory/sub/car.md", "The car is green.");
    let engine = home.open().await;
    assert!(named(&home, &engine, &["memory/tea.md"]).await.is_whole);
    assert!(!hits(&engine, "green").await.is_empty());
    engine.release().await;
}

/// What happens to the notes.
#[derive(Debug, Clone)]
enum Change {
    Write(usize, u8),
    Remove(usize),
    Rename(usize, usize),
    Link(usize, usize),
    Folder(usize),
}

const PATHS: [&str; 8] = [
    "MEMORY.md",
    "memory/a.md",
    "memory/b.md",
    "memory/c.md",
    "memory/sub/a.md",
    "memory/sub/b.md",
    "vault/a.md",
    "vault/sub/a.md",
];

fn change() -> impl Strategy<Value = Change> {
    let path = || 0..PATHS.len();
    prop_oneof![
        6 => (path(), any::<u8>()).prop_map(|(at, text)| Change::Write(at, text)),
        2 => path().prop_map(Change::Remove),
        2 => (path(), path()).prop_map(|(from, to)| Change::Rename(from, to)),
        1 => (path(), path()).prop_map(|(to, at)| Change::Link(to, at)),
        1 => path().prop_map(Change::Folder),
    ]
}

/// Does it; what the watcher would name. What fails has not happened.
fn apply(home: &Home, change: &Change) -> Vec<&'static str> {
    let path = |at: usize| home.workspace().join(PATHS[at]);
    let clear = |path: &PathBuf| drop(fs::remove_dir_all(path).or_else(|_| fs::remove_file(path)));
    match *change {
        Change::Write(at, text) => {
            if path(at).is_dir() || path(at).is_symlink() {
                clear(&path(at));
            }
            home.write(PATHS[at], &format!("Note {at} tells of the number {text}."));
            vec![PATHS[at]]
        }
        Change::Remove(at) => {
            clear(&path(at));
            vec![PATHS[at]]
        }
        Change::Rename(from, to) => {
            drop(fs::rename(path(from), path(to)));
            vec![PATHS[from], PATHS[to]]
        }
        Change::Link(to, at) => {
            clear(&path(at));
            #[cfg(unix)]
            drop(std::os::unix::fs::symlink(path(to), path(at)));
            vec![PATHS[to], PATHS[at]]
        }
        Change::Folder(at) => {
            clear(&path(at));
            drop(fs::create_dir_all(path(at)));
            vec![PATHS[at]]
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 10))]

    // Notes, renames, links and folders in the place of notes, in the workspace and in a folder of extra paths.
    #[test]
    fn after_what_was_named_a_look_at_the_whole_disk_finds_nothing_to_do(
        rounds in proptest::collection::vec(proptest::collection::vec(change(), 1..4), 1..8),
        with_extra in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let home = Home::new(&[("memory/a.md", "The boiler hums."), ("vault/a.md", "A vault.")]);
            let extra: &[&str] = if with_extra { &["vault"] } else { &[] };
            let engine = home.open_set(serde_json::json!({ "provider": "none", "extraPaths": extra })).await;
            sync(&engine).await;
            for changes in &rounds {
                let touched: Vec<&str> = changes.iter().flat_map(|change| apply(&home, change)).collect();
                named(&home, &engine, &touched).await;
                let skipped = engine.context.store().read(|r| r.skipped()).unwrap().len();
                assert_eq!(left_over(&engine).await, (0, 0), "{changes:?}");
                assert_eq!(engine.context.store().read(|r| r.skipped()).unwrap().len(), skipped, "{changes:?}");
            }
            engine.release().await;
        });
    }
}
