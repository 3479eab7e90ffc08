use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::*;
use crate::services::{
    ForgetCall,
    testing::{Home, hits, open_call, sync},
};
use model::{
    clock::{TestClock, now_ms},
    unfinished,
};

const SECRET: &str = "The wombat knows the way.";

/// Files as a killed process leaves them: one beside each kind of text that we write.
fn left_behind(home: &Home) -> Vec<PathBuf> {
    let of_agent = home.state().join("memory-core-rs/main");
    let folders = [
        home.workspace(),
        home.workspace().join("memory"),
        home.workspace().join("memory/people/anna"),
        home.workspace().join("handbook"),
        of_agent.clone(),
        of_agent.join("short-term"),
        home.state().join("memory"),
    ];
    folders.iter().map(|folder| write(folder, &unfinished::name())).collect()
}

/// What is like them, and is none.
fn of_others(home: &Home) -> Vec<PathBuf> {
    let memory = home.workspace().join("memory");
    let name = unfinished::name();
    let mut paths = vec![
        write(&memory, ".notes.md.tmp"),
        write(&memory, name.trim_start_matches('.')),
        write(&memory, &format!("{name}.md")),
        write(&memory.join("node_modules"), &name),
        write(&home.dir.path().join("elsewhere"), &name),
    ];
    fs::create_dir_all(memory.join(unfinished::name())).unwrap();
    #[cfg(unix)]
    for (name, target) in [(unfinished::name(), "target.md"), (unfinished::name(), "elsewhere")] {
        let link = memory.join(name);
        std::os::unix::fs::symlink(write(&home.dir.path().join("elsewhere"), target), &link).unwrap();
        paths.push(link);
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.dir.path().join("elsewhere"), memory.join("away")).unwrap();
    paths
}

fn write(folder: &Path, name: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, SECRET).unwrap();
    path
}

fn there(paths: &[PathBuf]) -> usize {
    paths.iter().filter(|path| path.symlink_metadata().is_ok()).count()
}

/// A home with notes, at a time that a test moves.
fn home() -> (Home, std::sync::Arc<TestClock>) {
    let mut home =
        Home::new(&[("memory/a.md", "The zebra sleeps in the kitchen."), ("handbook/b.md", "Tea is at four.")]);
    let clock = TestClock::at(now_ms());
    home.clock = std::sync::Arc::<TestClock>::clone(&clock);
    (home, clock)
}

fn settings() -> serde_json::Value {
    serde_json::json!({ "provider": "none", "extraPaths": ["handbook"] })
}

/// What opens an engine of the home.
fn opening(home: &Home) -> OpenCall {
    let clock = std::sync::Arc::clone(&home.clock);
    OpenCall { state_dir: home.state(), clock, ..open_call(home.dir.path(), &settings()) }
}

async fn unfinished_check(engine: &crate::services::Lease, repair: bool) -> Check {
    let checks = engine.admin.doctor(repair).await.unwrap();
    checks.into_iter().find(|check| check.name == "unfinished").unwrap()
}

// A gateway that is killed in the middle of writing a note left its text in the folder, and nobody ever looked there.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_names_what_a_killed_process_was_writing_and_removes_it_once_nobody_can_be_at_it() {
    let (home, clock) = home();
    let engine = home.open_set(settings()).await;
    let (ours, others) = (left_behind(&home), of_others(&home));
    let young = unfinished_check(&engine, true).await;
    assert!(young.ok && young.did.is_none(), "{young:?}");
    assert_eq!(there(&ours), ours.len(), "somebody may be writing them");
    sync(&engine).await;
    assert!(
        hits(&engine, "wombat").await.iter().all(|hit| hit.path.ends_with(".tmp.md")),
        "no unfinished file is indexed"
    );

    clock.advance(unfinished::ABANDONED_AFTER + Duration::from_secs(2));
    let found = unfinished_check(&engine, false).await;
    assert!(!found.ok && found.remedy.is_some(), "{found:?}");
    for folder in ours.iter().map(|path| path.parent().unwrap().display()) {
        assert!(found.found.contains(&format!("1 in {folder}")), "{folder}: {found:?}");
    }
    assert!(!found.found.contains("wombat"), "{found:?}");
    assert_eq!(there(&ours), ours.len(), "without repair nothing is changed");
    let mended = unfinished_check(&engine, true).await;
    assert!(mended.ok && mended.did.is_some(), "{mended:?}");
    assert_eq!((there(&ours), there(&others)), (0, others.len()), "ours alone go");
    assert!(home.dir.path().join("elsewhere/target.md").exists(), "no link is followed");
    assert!(unfinished_check(&engine, true).await.did.is_none());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_start_removes_what_a_killed_process_was_writing() {
    let (home, clock) = home();
    let (ours, others) = (left_behind(&home), of_others(&home));
    // A restore goes by the time of the machine.
    let restoring = home.state().join("memory-core-rs/main/.memory-restore-killed");
    std::fs::create_dir(&restoring).unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(2 * 3600);
    std::fs::File::open(&restoring).unwrap().set_modified(long_ago).unwrap();
    let start = async || crate::services::open(OpenCall { background: true, ..opening(&home) }).await.unwrap().unwrap();
    start().await.release().await;
    assert_eq!(there(&ours), ours.len(), "somebody may be writing them");
    clock.advance(unfinished::ABANDONED_AFTER + Duration::from_secs(2));
    let engine = start().await;
    let gone = async {
        while there(&ours) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), gone).await.expect("they stay");
    assert_eq!(there(&others), others.len(), "ours alone go");
    assert!(!restoring.exists(), "it holds all that the index held");
    engine.release().await;
}

// What was forgotten could still be read there.
#[tokio::test(flavor = "multi_thread")]
async fn forgetting_takes_what_a_killed_process_was_writing_however_young() {
    let (home, _) = home();
    let engine = home.open_set(settings()).await;
    let (ours, others) = (left_behind(&home), of_others(&home));
    sync(&engine).await;
    let call = |is_dry| ForgetCall {
        target: crate::forgetting::selection::Target { paths: vec!["memory/a.md".into()], ..Default::default() },
        dry_run: is_dry,
        ..ForgetCall::default()
    };
    engine.admin.forget(call(true)).await.unwrap();
    assert_eq!(there(&ours), ours.len(), "a dry run changes nothing");
    engine.admin.forget(call(false)).await.unwrap();
    assert_eq!((there(&ours), there(&others)), (0, others.len()), "ours alone go");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn on_leaving_they_are_told_and_removed() {
    let (home, _) = home();
    let (ours, others) = (left_behind(&home), of_others(&home));
    let found = unfinished_texts(opening(&home), false).await.unwrap();
    assert_eq!((count(&found), there(&ours)), (ours.len(), ours.len()), "{found:?}");
    assert!(found.iter().all(|found| found.bytes == SECRET.len() as u64), "{found:?}");
    unfinished_texts(opening(&home), true).await.unwrap();
    assert_eq!((there(&ours), there(&others)), (0, others.len()), "ours alone go");
}
