use std::fs;

use super::*;
use crate::services::{
    SyncCall,
    testing::{FAILING, Home, REFUSED, hits, sync},
};

fn check<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|check| check.name == name).unwrap()
}

fn home() -> Home {
    Home::new(&[("memory/a.md", "The zebra sleeps in the kitchen."), ("MEMORY.md", "The tea is sencha.")])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_index_is_said_to_be_sound_and_left_alone() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    let checks = engine.admin.doctor(true).await.unwrap();
    assert!(checks.iter().all(|check| check.ok && check.did.is_none()), "{checks:#?}");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_named_without_repair_and_mended_with_it() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    home.write("memory/new.md", "Not indexed yet.");
    let aside = home.state().join("memory-core-rs/main/index.sqlite.corrupt-1");
    fs::write(&aside, "old").unwrap();
    // It holds all that the index held, and was in no list.
    let killed = home.state().join("memory-core-rs/main/.memory-restore-killed");
    fs::create_dir(&killed).unwrap();
    fs::write(killed.join("copy.sqlite"), "a copy").unwrap();
    let keeping = home.state().join("memory-core-rs/main/.memory-backup-killed");
    fs::write(&keeping, "half a copy").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3 * 24 * 3600);
    fs::File::options().write(true).open(&aside).unwrap().set_modified(long_ago).unwrap();
    fs::File::open(&killed).unwrap().set_modified(long_ago).unwrap();
    fs::File::options().write(true).open(&keeping).unwrap().set_modified(long_ago).unwrap();
    fs::write(list_path(engine.context.store().path()), "no entry\n").unwrap();
    engine.context.store().write_async(|tx| tx.break_rows()).await.unwrap();

    let found = engine.admin.doctor(false).await.unwrap();
    for name in ["disk", "leftovers", "rows", "forgotten"] {
        let check = check(&found, name);
        assert!(!check.ok && check.did.is_none() && check.remedy.is_some(), "{check:?}");
    }
    assert!(aside.exists() && killed.exists() && keeping.exists());
    for left in [".memory-restore-killed", ".memory-backup-killed"] {
        assert!(check(&found, "leftovers").found.contains(left));
    }

    let sent = home.embedded.load(std::sync::atomic::Ordering::SeqCst);
    let mended = engine.admin.doctor(true).await.unwrap();
    for name in ["disk", "leftovers", "rows"] {
        let check = check(&mended, name);
        assert!(check.ok && check.did.is_some(), "{check:?}");
    }
    #[cfg(unix)]
    assert!(check(&mended, "permissions").did.is_some(), "{mended:?}");
    assert!(!check(&mended, "forgotten").ok, "only the user knows what a broken entry named");
    assert!(!aside.exists() && !killed.exists() && !keeping.exists());
    assert_eq!(hits(&engine, "zebra").await.len(), 1);
    let looked_at = 3;
    let embedded = home.embedded.load(std::sync::atomic::Ordering::SeqCst) - sent;
    assert_eq!(embedded, 1 + looked_at, "the new note, and texts that show whether the model is the same");
    fs::remove_file(list_path(engine.context.store().path())).unwrap();
    let again = engine.admin.doctor(true).await.unwrap();
    assert!(again.iter().all(|check| check.ok && check.did.is_none()), "{again:#?}");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_file_is_set_aside_and_its_vectors_are_saved() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    let path = engine.context.store().path().to_path_buf();
    engine.release().await;
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(5).position(|window| window == b"zebra").unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 100].fill(0xA5);
    fs::write(&path, bytes).unwrap();
    let engine = home.open().await;
    let checks = engine.admin.doctor(true).await.unwrap();
    let integrity = check(&checks, "integrity");
    assert!(integrity.ok && integrity.did.as_deref().is_some_and(|did| did.contains("saved 2 vectors")), "{checks:#?}");
    assert_eq!(hits(&engine, "zebra").await.len(), 1);
    let looked_at = 2;
    let embedded = home.embedded.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(embedded, 2 + looked_at, "nothing was paid for twice but what shows whether the model is the same");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_private_whole_and_refuses_to_overwrite() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    let target = home.dir.path().join("copy.sqlite");
    let copied = engine.admin.backup(target.clone()).await.unwrap();
    assert_eq!((copied.files, copied.vectors, copied.forgotten), (2, 2, None));
    assert!(open_to_others(&target).is_empty(), "the copy is private");
    assert_eq!(engine.admin.backup(target.clone()).await.unwrap_err().code(), Code::Argument);
    let opened = store::Store::open(&target, Default::default()).unwrap();
    assert_eq!(opened.sizes().unwrap().embeddings, 2);
    opened.close();
    let cleared = engine.admin.reset(true).await.unwrap();
    assert_eq!((cleared.files, cleared.vectors), (2, 0));
    sync(&engine).await;
    assert_eq!(home.embedded.load(std::sync::atomic::Ordering::SeqCst), 2, "kept vectors are used again");
    assert_eq!(engine.admin.reset(false).await.unwrap().vectors, 2);
    assert_eq!(engine.context.store().sizes().unwrap().embeddings, 0);
    engine.release().await;
}

// The index was counted after it was copied: a copy of 272 vectors was said to hold 672.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_is_made_while_notes_are_read_says_what_it_holds() {
    let home = Home::new(&[]);
    for n in 0..1500 {
        home.write(&format!("memory/{n}.md"), &format!("The code of boiler {n} is E{n}."));
    }
    let engine = home.open().await;
    let reading = {
        let (engine, call) = (Arc::clone(&engine), SyncCall { reason: "test".into(), force: false, text_only: false });
        tokio::spawn(async move { engine.indexer.sync(call, Cancel::new(), None).await })
    };
    let mut said = Vec::new();
    while !reading.is_finished() {
        let target = home.dir.path().join(format!("copy-{}.sqlite", said.len()));
        let copied = engine.admin.backup(target.clone()).await.unwrap();
        let opened = store::Store::open(&target, Default::default()).unwrap();
        let held = super::super::reset::totals(&opened).unwrap();
        opened.close();
        assert_eq!((copied.files, copied.vectors), (held.files, held.vectors), "{target:?}");
        said.push(copied.files);
    }
    reading.await.unwrap().unwrap();
    assert!(said.first() < said.last(), "it was read meanwhile: {said:?}");
    engine.release().await;
}

// They held all that was cleared, and stayed until a gateway started.
#[tokio::test(flavor = "multi_thread")]
async fn a_reset_takes_half_written_copies_along() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    let folder = engine.context.store().path().parent().unwrap().to_owned();
    let [old, fresh] = [".memory-backup-old", ".memory-backup-fresh"].map(|name| folder.join(name));
    for path in [&old, &fresh] {
        fs::write(path, "The zebra sleeps.").unwrap();
    }
    let yesterday = std::time::SystemTime::now() - std::time::Duration::from_secs(24 * 3600);
    fs::File::options().write(true).open(&old).unwrap().set_modified(yesterday).unwrap();
    engine.admin.reset(false).await.unwrap();
    assert_eq!((old.exists(), fresh.exists()), (false, true), "somebody may be writing the other");
    engine.release().await;
}

// Nothing but a new index ever asked again, and doctor found every chunk embedded.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_text_is_named_and_asked_again() {
    let odd = format!("The {REFUSED} zebra sleeps.");
    let home = Home::new(&[("memory/a.md", &odd), ("MEMORY.md", "The tea is sencha.")]);
    let engine = home.open().await;
    let report = sync(&engine).await;
    assert_eq!((report.embedded, report.refused, report.pending), (1, 1, 0));
    assert_eq!(engine.status()["custom"]["refusedTexts"], 1);
    assert_eq!(engine.status()["custom"]["latestRefusal"]["path"], "memory/a.md");
    let sent = || home.embedded.load(std::sync::atomic::Ordering::SeqCst);
    let before = sent();
    assert_eq!(sync(&engine).await.refused, 0);
    assert_eq!(sent(), before, "not again at once");
    let found = engine.admin.doctor(false).await.unwrap();
    let embeddings = check(&found, "embeddings");
    assert!(!embeddings.ok && embeddings.found.contains("memory/a.md for one: "), "{embeddings:?}");
    assert_eq!(sent(), before);
    let found = engine.admin.doctor(true).await.unwrap();
    assert!(!check(&found, "embeddings").ok && sent() > before, "asked, and still refused");
    home.strict.store(false, std::sync::atomic::Ordering::SeqCst);
    let mended = engine.admin.doctor(true).await.unwrap();
    assert!(check(&mended, "embeddings").did.as_deref().is_some_and(|did| did.contains("asked again")), "{mended:?}");
    assert_eq!(engine.status()["custom"]["refusedTexts"], 0);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forced_index_and_a_reset_ask_refused_texts_again() {
    let odd = format!("The {REFUSED} zebra sleeps.");
    let home = Home::new(&[("memory/a.md", &odd), ("MEMORY.md", "The tea is sencha.")]);
    let engine = home.open().await;
    assert_eq!(sync(&engine).await.refused, 1);
    let forced = SyncCall { reason: "test".into(), force: true, text_only: false };
    assert_eq!(engine.indexer.sync(forced, Cancel::new(), None).await.unwrap().refused, 1, "asked, and refused again");
    engine.admin.reset(true).await.unwrap();
    home.strict.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(sync(&engine).await.embedded, 1);
    engine.release().await;
}

// A process that had not met the failure itself knew nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_fails_is_named_by_the_next_process() {
    let home = Home::new(&[("memory/a.md", &format!("The zebra sleeps. {FAILING}"))]);
    let engine = home.open().await;
    let report = sync(&engine).await;
    assert_eq!((report.embedded, report.pending), (0, 1));
    assert_eq!(report.embedding_error.as_ref().unwrap().code, "MEM_PROVIDER_AUTH");
    engine.release().await;
    let engine = home.open().await;
    let status = engine.indexer.inspect().await.unwrap()["status"].clone();
    assert_eq!(status["custom"]["embeddingError"]["code"], "MEM_PROVIDER_AUTH", "{status}");
    assert_eq!(status["custom"]["pendingEmbeddings"], 1);
    assert_eq!(status["custom"]["health"]["state"], "keywords");
    assert!(status["custom"]["health"]["reason"].as_str().unwrap().contains("no such key"));
    let checks = engine.admin.doctor(true).await.unwrap();
    assert!(check(&checks, "embeddings").found.contains("no such key"), "{checks:?}");
    home.strict.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(sync(&engine).await.embedded, 1);
    engine.release().await;
    let engine = home.open().await;
    let status = engine.indexer.inspect().await.unwrap()["status"].clone();
    assert_eq!(status["custom"]["health"]["state"], "ready", "{status}");
    engine.release().await;
}

// After a repair that a search had begun, text was indexed and nobody made its vectors: doctor only named them.
#[tokio::test(flavor = "multi_thread")]
async fn vectors_that_nobody_made_yet_are_made() {
    let home = home();
    let engine = home.open().await;
    let call = SyncCall { reason: "test".into(), force: false, text_only: true };
    engine.indexer.sync(call, Cancel::new(), None).await.unwrap();
    let found = engine.admin.doctor(false).await.unwrap();
    assert!(check(&found, "embeddings").found.contains("2 chunks have no vector yet"), "{found:?}");
    let mended = engine.admin.doctor(true).await.unwrap();
    assert!(check(&mended, "embeddings").did.as_deref() == Some("made them"), "{mended:?}");
    assert!(engine.admin.doctor(false).await.unwrap().iter().all(|check| check.ok));
    engine.release().await;
}

// The count stopped at the length of the list: of 2,500 notes that were forgotten, 1,000 were said to be left out.
#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_left_out_is_counted() {
    let home = home();
    for n in 0..1003 {
        home.write(&format!("memory/{n}.MD"), "The zebra sleeps.");
    }
    let engine = home.open().await;
    assert_eq!(sync(&engine).await.skipped, 1003);
    let inspected = engine.indexer.inspect().await.unwrap();
    assert_eq!(
        (&inspected["plan"]["moreSkipped"], &inspected["status"]["custom"]["skippedFiles"]),
        (&3.into(), &1003.into())
    );
    assert_eq!(inspected["plan"]["skipped"].as_array().unwrap().len(), 1000, "the list stays bounded");
    let checks = engine.admin.doctor(false).await.unwrap();
    assert_eq!(check(&checks, "disk").found, "the index shows all 2 files; 1003 are left out");
    engine.admin.reset(true).await.unwrap();
    engine.telemetry.refresh(engine.context.shutdown());
    assert_eq!(engine.status()["custom"]["skippedFiles"], 0, "until the next look");
    for n in 0..3 {
        std::fs::remove_file(home.workspace().join(format!("memory/{n}.MD"))).unwrap();
    }
    assert_eq!(sync(&engine).await.skipped, 1000);
    assert_eq!(engine.status()["custom"]["skippedFiles"], 1000);
    engine.release().await;
}

// Status said "lost", and doctor twelve times that all is well.
#[tokio::test(flavor = "multi_thread")]
async fn notes_that_are_gone_are_a_problem() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    let elsewhere = home.state().join("elsewhere");
    fs::rename(home.workspace(), &elsewhere).unwrap();
    for repair in [false, true] {
        let checks = engine.admin.doctor(repair).await.unwrap();
        let disk = check(&checks, "disk");
        assert!(!disk.ok && disk.found.contains("is not there") && disk.remedy.is_some(), "{disk:?}");
    }
    fs::rename(&elsewhere, home.workspace()).unwrap();
    let checks = engine.admin.doctor(false).await.unwrap();
    assert!(check(&checks, "disk").ok, "{checks:?}");
    engine.release().await;
}

// They were counted as left out on purpose.
#[test]
fn notes_that_cannot_be_read_are_named() {
    let skipped = |path: &str, code| Skipped { path: path.to_owned(), code, reason: String::new() };
    let mut all = vec![skipped("memory/a.MD", SkipCode::NotMarkdown)];
    assert_eq!(named(&all, SkipCode::Unreadable), None);
    all.extend(["a", "b\nc", "d", "e"].map(|name| skipped(&format!("memory/{name}.md"), SkipCode::Unreadable)));
    let (count, told) = named(&all, SkipCode::Unreadable).unwrap();
    assert_eq!((count, told.lines().count()), (4, 1));
    assert!(told.starts_with("memory/a.md, ") && told.ends_with(" and 1 more"), "{told}");
}
