use std::fs;

use proptest::prelude::*;

use crate::{
    index::SyncReport,
    services::{
        Lease, SyncCall,
        testing::{Home, asking, hits, indexed, sync},
    },
};
use model::cancel::Cancel;

fn notes(count: usize) -> Vec<(String, String)> {
    (0..count).map(|n| (format!("memory/{n}.md"), format!("The boiler number{n} hums."))).collect()
}

async fn home(count: usize) -> (Home, Lease) {
    let notes = notes(count);
    indexed(&notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>()).await
}

async fn force(engine: &Lease) -> std::sync::Arc<SyncReport> {
    let call = SyncCall { reason: "test".into(), force: true, text_only: true };
    engine.indexer.sync(call, Cancel::new(), None).await.unwrap()
}

async fn warning(engine: &Lease) -> Option<String> {
    engine.searcher.search(asking("boiler"), Cancel::new()).await.unwrap().warning
}

// A mount that went away emptied the index without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_vanished_keeps_its_notes_until_it_is_back_or_forced() {
    let (home, engine) = home(3).await;
    let aside = home.dir.path().join("aside");
    fs::rename(home.workspace(), &aside).unwrap();
    // Told before any pass has noticed.
    assert!(warning(&engine).await.is_some_and(|told| told.contains("is not there") && told.contains("--force")));
    let inspected = engine.indexer.inspect().await.unwrap();
    assert_eq!(inspected["status"]["custom"]["health"]["state"], "lost");
    assert_eq!(inspected["plan"]["removed"], serde_json::json!([]));
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (0, 1));
    assert!(report.warning.as_ref().is_some_and(|told| told.contains("--force")));
    assert_eq!(hits(&engine, "boiler number1").await.len().min(1), 1);

    // Somebody writes into an empty folder that has its place: still the notes of the former one stay.
    home.write("memory/new.md", "The lighthouse has three lamps.");
    let report = sync(&engine).await;
    assert_eq!((report.changed, report.removed, report.lost_folders.len()), (1, 0, 1));
    assert!(!hits(&engine, "lighthouse").await.is_empty());
    fs::remove_dir_all(home.workspace()).unwrap();

    fs::rename(&aside, home.workspace()).unwrap();
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (1, 0), "only what was written meanwhile is gone");
    assert_eq!(warning(&engine).await, None);

    fs::remove_dir_all(home.workspace()).unwrap();
    sync(&engine).await;
    assert_eq!(force(&engine).await.lost_folders, []);
    assert!(hits(&engine, "boiler").await.is_empty());
    assert_eq!(warning(&engine).await, None);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_folder_in_the_place_of_a_mount_is_a_loss_and_three_deleted_notes_are_none() {
    let (home, engine) = home(3).await;
    let memory = home.workspace().join("memory");
    fs::rename(&memory, home.workspace().join("aside")).unwrap();
    fs::create_dir(&memory).unwrap();
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (0, 1));
    fs::remove_dir(&memory).unwrap();
    fs::rename(home.workspace().join("aside"), &memory).unwrap();
    assert_eq!(sync(&engine).await.lost_folders, []);
    for n in 0..3 {
        fs::remove_file(memory.join(format!("{n}.md"))).unwrap();
    }
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (3, 0));
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn renamed_notes_are_no_loss_and_a_missing_workspace_that_held_none_is_no_fault() {
    let (home, engine) = home(12).await;
    let memory = home.workspace().join("memory");
    fs::create_dir(memory.join("old")).unwrap();
    for n in 0..12 {
        fs::rename(memory.join(format!("{n}.md")), memory.join(format!("old/{n}.md"))).unwrap();
    }
    let report = sync(&engine).await;
    assert_eq!((report.changed, report.removed, report.lost_folders.len()), (12, 12, 0));
    engine.release().await;

    let empty = Home::new(&[]);
    let engine = empty.open().await;
    let report = sync(&engine).await;
    assert_eq!((report.lost_folders.len(), &report.warning), (0, &None));
    assert_eq!(warning(&engine).await, None);
    engine.release().await;
}

// From half of them on what was not back yet counted as deleted, and had to be indexed once more.
#[tokio::test(flavor = "multi_thread")]
async fn notes_that_come_back_one_by_one_are_awaited_to_the_last_one() {
    let (home, engine) = home(12).await;
    let memory = home.workspace().join("memory");
    let aside = home.dir.path().join("aside");
    let moved = |from: &std::path::Path, to: &std::path::Path, numbers: std::ops::Range<usize>| {
        for n in numbers {
            fs::rename(from.join(format!("{n}.md")), to.join(format!("{n}.md"))).unwrap();
        }
    };
    fs::create_dir(&aside).unwrap();
    moved(&memory, &aside, 0..12);
    home.write("memory/new.md", "The lighthouse has three lamps.");
    let lost =
        |report: &SyncReport| (report.removed, report.lost_folders.iter().map(|lost| lost.missing).sum::<usize>());
    assert_eq!(lost(&*sync(&engine).await), (0, 12));
    for back in 0..12 {
        moved(&aside, &memory, back..back + 1);
        assert_eq!(lost(&*sync(&engine).await), (0, 11 - back));
        assert_eq!(engine.status()["files"], 13);
    }
    assert_eq!(warning(&engine).await, None);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_written_and_deleted_during_a_loss_is_not_part_of_it() {
    let (home, engine) = home(12).await;
    let memory = home.workspace().join("memory");
    let aside = home.dir.path().join("aside");
    fs::rename(&memory, &aside).unwrap();
    home.write("memory/new.md", "The lighthouse has three lamps.");
    sync(&engine).await;
    for n in 0..8 {
        fs::rename(aside.join(format!("{n}.md")), memory.join(format!("{n}.md"))).unwrap();
    }
    sync(&engine).await;
    fs::remove_file(memory.join("new.md")).unwrap();
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (1, 1));
    assert_eq!(engine.status()["files"], 12);
    // One that has come back is a note as any other.
    fs::remove_file(memory.join("0.md")).unwrap();
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (1, 1));
    assert!(warning(&engine).await.is_some_and(|told| told.contains("4 have not come back")));
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extra_folder_that_is_lost_keeps_its_notes_and_a_deleted_extra_file_does_not() {
    let home = Home::new(&[("memory/own.md", "The boiler number0 hums.")]);
    let team = home.dir.path().join("team");
    let single = home.dir.path().join("single");
    for folder in [&team, &single] {
        fs::create_dir(folder).unwrap();
        for n in 1..4 {
            fs::write(folder.join(format!("{n}.md")), format!("The boiler number{n} hums in {}.", folder.display()))
                .unwrap();
        }
    }
    let search = serde_json::json!({
        "provider": "none",
        "extraPaths": [team, single.join("1.md"), single.join("2.md")],
    });
    let engine = home.open_set(search).await;
    sync(&engine).await;
    assert_eq!(engine.status()["files"], 6);
    let aside = home.dir.path().join("aside");
    for folder in [&team, &single] {
        fs::rename(folder, &aside).unwrap();
        let told = warning(&engine).await.unwrap();
        assert!(told.contains(folder.to_str().unwrap()) && told.contains("is not there"), "{told}");
        let report = sync(&engine).await;
        assert_eq!((report.removed, report.lost_folders.len()), (0, 1), "{folder:?}");
        assert_eq!(report.lost_folders[0].path, *folder);
        assert_eq!(engine.status()["files"], 6);
        fs::rename(&aside, folder).unwrap();
        assert_eq!(sync(&engine).await.lost_folders, []);
    }
    fs::remove_file(single.join("1.md")).unwrap();
    let report = sync(&engine).await;
    assert_eq!((report.removed, report.lost_folders.len()), (1, 0), "somebody deleted one file");
    engine.release().await;
}

// What cannot be looked at (no permission, a device that fails, a mount whose server is gone) is not gone. A link that
// leads to itself is such a thing for everybody, root included.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_read_keeps_its_notes() {
    let (home, engine) = home(12).await;
    let aside = home.dir.path().join("aside");
    fs::rename(home.workspace(), &aside).unwrap();
    std::os::unix::fs::symlink(home.workspace(), home.workspace()).unwrap();
    for _ in 0..2 {
        let report = sync(&engine).await;
        assert_eq!((report.removed, report.lost_folders.len()), (0, 1));
        assert!(report.warning.as_ref().is_some_and(|told| told.contains("cannot be read")), "{report:?}");
        assert!(!hits(&engine, "boiler number1").await.is_empty());
    }
    fs::remove_file(home.workspace()).unwrap();
    fs::rename(&aside, home.workspace()).unwrap();
    let report = sync(&engine).await;
    assert_eq!((report.changed, report.removed, report.lost_folders.len()), (0, 0, 0));
    assert_eq!(warning(&engine).await, None);
    engine.release().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 20))]

    #[test]
    fn more_than_half_of_many_is_kept_less_is_removed_and_force_makes_it_right(gone in prop::collection::vec(any::<bool>(), 10..16)) {
        tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
            let (home, engine) = home(gone.len()).await;
            for (n, _) in gone.iter().enumerate().filter(|(_, gone)| **gone) {
                fs::remove_file(home.workspace().join(format!("memory/{n}.md"))).unwrap();
            }
            let missing = gone.iter().filter(|gone| **gone).count();
            let is_lost = missing * 2 > gone.len();
            let expected = if is_lost { (0, 1) } else { (missing, 0) };
            let report = sync(&engine).await;
            assert_eq!((report.removed, report.lost_folders.len()), expected);
            assert_eq!(sync(&engine).await.lost_folders.len(), expected.1);
            let files = |engine: &Lease| engine.status()["files"].as_u64().unwrap();
            assert_eq!(files(&engine), (gone.len() - expected.0) as u64);
            force(&engine).await;
            assert_eq!(files(&engine), (gone.len() - missing) as u64);
            assert_eq!(sync(&engine).await.lost_folders, []);
            engine.release().await;
        });
    }
}
