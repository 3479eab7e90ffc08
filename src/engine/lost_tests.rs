use std::fs;

use proptest::prelude::*;

use crate::{
    cancel::Cancel,
    engine::{
        Lease, SyncCall,
        testing::{Home, asking, hits, indexed, sync},
    },
    index::SyncReport,
};

fn notes(count: usize) -> Vec<(String, String)> {
    (0..count).map(|n| (format!("memory/{n}.md"), format!("The boiler number{n} hums."))).collect()
}

async fn home(count: usize) -> (Home, Lease) {
    let notes = notes(count);
    indexed(&notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>()).await
}

async fn force(engine: &Lease) -> std::sync::Arc<SyncReport> {
    let call = SyncCall { reason: "test".into(), force: true, text_only: true };
    engine.sync(call, Cancel::new(), None).await.unwrap()
}

async fn warning(engine: &Lease) -> Option<String> {
    engine.search(asking("boiler"), Cancel::new()).await.unwrap().warning
}

// A mount that went away emptied the index without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_vanished_keeps_its_notes_until_it_is_back_or_forced() {
    let (home, engine) = home(3).await;
    let aside = home.dir.path().join("aside");
    fs::rename(home.workspace(), &aside).unwrap();
    // Told before any pass has noticed.
    assert!(warning(&engine).await.is_some_and(|told| told.contains("is not there") && told.contains("--force")));
    let inspected = engine.inspect().await.unwrap();
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

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
