use std::{fs, sync::atomic::Ordering, time::Duration};

use super::*;
use crate::forgetting::selection::Target;
use crate::services::{
    Engine, ForgetCall, Lease,
    testing::{Home, asking, hits, indexed, sync},
};
use model::cancel::Cancel;
use store::lease;

async fn copied(home: &Home, engine: &Lease, name: &str) -> PathBuf {
    engine.admin.backup(home.dir.path().join(name)).await.unwrap().path
}

fn names(engine: &Engine) -> Vec<String> {
    let entries = fs::read_dir(engine.context.store().path().parent().unwrap()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

async fn found(engine: &Lease, query: &str) -> bool {
    !hits(engine, query).await.is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_takes_the_place_of_the_index_and_the_next_sync_brings_it_up_to_date() {
    let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17."), ("memory/a.md", "A zebra.")]).await;
    let copy = copied(&home, &engine, "copy.sqlite").await;
    home.write("memory/late.md", "The lighthouse has three lamps.");
    sync(&engine).await;

    let plan = engine.admin.restore(copy.clone(), true).await.unwrap();
    assert_eq!((plan.files, plan.vectors, plan.replaced.files, plan.kept), (2, 2, 3, None));
    assert!(plan.dry_run && found(&engine, "lighthouse").await);

    let report = engine.admin.restore(copy.clone(), false).await.unwrap();
    assert_eq!((report.files, report.replaced.files, report.forgotten), (2, 3, 0));
    // A search would start the sync by itself.
    assert_eq!(engine.status()["files"], 2);
    let sent = home.embedded.load(Ordering::SeqCst);
    let synced = sync(&engine).await;
    assert_eq!((synced.changed, synced.removed, synced.pending), (1, 0, 0));
    assert_eq!(home.embedded.load(Ordering::SeqCst), sent, "what was paid for since the copy is not paid again");
    assert!(found(&engine, "zebra").await && found(&engine, "lighthouse").await);
    assert!(engine.admin.doctor(false).await.unwrap().iter().all(|check| check.ok));

    // What was replaced can be restored as well, and only the last two stay.
    fs::remove_file(home.workspace().join("memory/late.md")).unwrap();
    sync(&engine).await;
    let back = engine.admin.restore(report.kept.unwrap(), false).await.unwrap();
    assert_eq!((back.files, engine.status()["files"].as_u64()), (3, Some(3)));
    for _ in 0..2 {
        engine.admin.restore(copy.clone(), false).await.unwrap();
    }
    // A reset took them along, and how to go back to them had been printed.
    engine.admin.reset(true).await.unwrap();
    assert_eq!(engine.context.store().file().unwrap().replaced().len(), 2);
    let strange = names(&engine).into_iter().filter(|name| name.starts_with('.')).count();
    assert_eq!(strange, 0);
    engine.release().await;
}

// Ids of rows mean something else in another copy: a process that holds the vectors in memory must read them anew.
#[tokio::test(flavor = "multi_thread")]
async fn vectors_in_the_memory_of_another_process_are_read_anew() {
    let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17."), ("memory/a.md", "A zebra.")]).await;
    let copy = copied(&home, &engine, "copy.sqlite").await;
    home.write("memory/a.md", "A quokka sleeps in the kitchen.");
    home.write("memory/b.md", "Some more.");
    sync(&engine).await;
    let other = Store::open(engine.context.store().path(), OpenOptions::default()).unwrap();
    let vectors = async |store: &Store| store.vector_turn().await.current(store).unwrap().unwrap().len();
    let before = vectors(&other).await;
    engine.admin.restore(copy, false).await.unwrap();
    let again = Store::open(engine.context.store().path(), OpenOptions::default()).unwrap();
    assert_eq!((before, vectors(&other).await, vectors(&again).await), (3, 2, 2));
    again.close();
    other.close();
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_forgotten_since_the_copy_or_before_it_does_not_come_back() {
    let (home, engine) = indexed(&[
        ("MEMORY.md", "The boiler code is E17."),
        ("memory/a.md", "The zebra sleeps in the kitchen.\nThe harbour pilot is called Ines Quintela."),
        ("memory/b.md", "The lighthouse has three lamps."),
    ])
    .await;
    let forget = |path: &str, lines| ForgetCall {
        target: Target { paths: vec![path.to_owned()], lines, ..Target::default() },
        ..ForgetCall::default()
    };
    engine.admin.forget(forget("memory/b.md", None)).await.unwrap();
    let copy = copied(&home, &engine, "copy.sqlite").await;
    engine.admin.forget(forget("memory/a.md", Some((2, 2)))).await.unwrap();
    assert!(engine.admin.restore(copy.clone(), false).await.unwrap().kept.is_some());
    let holds = |text: &str| {
        let bytes = fs::read(engine.context.store().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    assert!(found(&engine, "zebra").await && holds("zebra"));
    assert!(!found(&engine, "Quintela").await && !holds("Quintela"));
    // Nor where the present list is lost.
    fs::remove_file(list_path(engine.context.store().path())).unwrap();
    assert_eq!(engine.admin.restore(copy, false).await.unwrap().forgotten, 1);
    sync(&engine).await;
    assert!(!found(&engine, "lighthouse").await);
    // What is forgotten later leaves what was replaced, too.
    engine.admin.forget(forget("MEMORY.md", None)).await.unwrap();
    assert_eq!(engine.context.store().file().unwrap().replaced(), Vec::<PathBuf>::new());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_index_is_replaced_as_well() {
    let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17."), ("memory/a.md", "A zebra.")]).await;
    let copy = copied(&home, &engine, "copy.sqlite").await;
    let path = engine.context.store().path().to_path_buf();
    engine.release().await;
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(5).position(|window| window == b"zebra").unwrap() / 4096 * 4096;
    bytes[at..at + 100].fill(0xA5);
    fs::write(&path, bytes).unwrap();
    let engine = home.open().await;
    let report = engine.admin.restore(copy, false).await.unwrap();
    assert!(report.kept.is_some_and(|kept| kept.exists()));
    assert!(found(&engine, "zebra").await);
    assert!(engine.context.store().file().unwrap().verify(&Cancel::new()).is_ok());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_of_another_workspace_is_refused() {
    let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
    let elsewhere = home.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let other = home.open_workspace(&elsewhere).await;
    let copy = copied(&home, &other, "other.sqlite").await;
    let error = engine.admin.restore(copy, false).await.unwrap_err();
    assert!(error.code() == Code::Argument && error.message.contains("elsewhere"), "{error:?}");
    assert!(error.remedy.is_some() && found(&engine, "boiler").await);
    other.release().await;
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_goes_with_a_workspace_that_has_moved() {
    let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17."), ("memory/a.md", "A zebra.")]).await;
    let copy = copied(&home, &engine, "copy.sqlite").await;
    engine.release().await;
    let elsewhere = home.dir.path().join("elsewhere");
    fs::rename(home.workspace(), &elsewhere).unwrap();
    let engine = home.open_workspace(&elsewhere).await;
    assert_eq!(engine.admin.restore(copy, false).await.unwrap().files, 2);
    let synced = sync(&engine).await;
    assert_eq!((synced.changed, synced.removed, synced.embedded), (0, 0, 0));
    engine.release().await;
    let engine = home.open_workspace(&elsewhere).await;
    assert!(found(&engine, "zebra").await);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_indexes_is_named_and_waited_for() {
    let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
    let other = Store::open(engine.context.store().path(), OpenOptions::default()).unwrap();
    assert!(matches!(tokio::task::block_in_place(|| other.acquire_lease()).unwrap(), lease::Lease::Held { .. }));
    let error = engine.indexer.writer().alone(Duration::from_millis(300)).await.unwrap_err();
    assert!(error.code() == Code::Busy && error.message.contains("process") && error.remedy.is_some(), "{error:?}");
    tokio::task::block_in_place(|| other.release_lease()).unwrap();
    let quiet: Progress = Arc::new(|_| {});
    let pass = engine.indexer.writer().take(&quiet).await.unwrap();
    let error = engine.indexer.writer().alone(Duration::from_millis(300)).await.unwrap_err();
    assert!(error.message.starts_with("this process"), "{error:?}");
    pass.give_back().await.unwrap();
    let copy = copied(&home, &engine, "copy.sqlite").await;
    engine.admin.restore(copy, false).await.unwrap();
    // The lease was given back.
    assert!(matches!(tokio::task::block_in_place(|| other.acquire_lease()).unwrap(), lease::Lease::Held { .. }));
    other.close();
    assert!(!engine.searcher.search(asking("boiler"), Cancel::new()).await.unwrap().hits.is_empty());
    engine.release().await;
}
