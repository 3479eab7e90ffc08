use std::sync::{Arc, atomic::Ordering};

use super::*;
use crate::services::{
    Engine, Lease,
    testing::{Home, hits, sync},
};
use store::{
    OpenOptions, Store,
    place::{Workspace, is_not_ours, own_path},
    recover::with_suffix,
};

const A: &str = "The zebra sleeps in the kitchen of Ana.";
const B: &str = "The boiler code of Ben is E17.";

/// An engine on the home's state, for the workspace in a folder of the home.
async fn open(home: &Home, folder: &str) -> Lease {
    home.open_workspace(&home.dir.path().join(folder)).await
}

fn write(home: &Home, path: &str, text: &str) {
    let path = home.dir.path().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

async fn finds(engine: &Arc<Engine>, query: &str) -> bool {
    !hits(engine, query).await.is_empty()
}

// One file for whatever workspace: opening B removed what A had indexed, and A's search gave B's text.
#[tokio::test(flavor = "multi_thread")]
async fn two_workspaces_of_one_agent_never_see_each_other() {
    let home = Home::new(&[]);
    write(&home, "a/memory/a.md", A);
    write(&home, "b/memory/b.md", B);
    let (a, b) = tokio::join!(open(&home, "a"), open(&home, "b"));
    assert_ne!(a.context.store().path(), b.context.store().path());
    sync(&a).await;
    assert!(!finds(&b, "zebra").await);
    sync(&b).await;
    sync(&a).await;
    assert!(finds(&a, "zebra").await && !finds(&a, "boiler").await);
    assert!(finds(&b, "boiler").await && !finds(&b, "zebra").await);
    let (path_a, path_b) = (a.context.store().path().to_path_buf(), b.context.store().path().to_path_buf());
    a.release().await;
    b.release().await;
    let (b, a) = (open(&home, "b").await, open(&home, "a").await);
    assert_eq!((a.context.store().path(), b.context.store().path()), (path_a.as_path(), path_b.as_path()));
    assert!(finds(&a, "zebra").await && finds(&b, "boiler").await);
    a.release().await;
    b.release().await;
}

// The name is free again when somebody deletes the file, and another workspace takes it: readers that were opened
// before must not follow it there.
#[cfg(unix)]
#[test]
fn a_file_whose_name_another_workspace_took_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index.sqlite");
    let open = |workspace: &str| {
        let workspace = Some(Workspace::at(&dir.path().join(workspace)));
        Store::open(&path, OpenOptions { workspace, ..OpenOptions::default() })
    };
    let a = open("a").unwrap();
    a.read(|r| r.live()).unwrap();
    assert!(is_not_ours(&open("b").unwrap_err()));
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(with_suffix(&path, end));
    }
    let b = open("b").unwrap();
    b.read(|r| r.live()).unwrap();
    assert!(a.read(|r| r.live()).is_err());
    assert!(a.write(|tx| tx.set_meta("k", "v")).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_moved_pays_nothing_twice_and_remembers_what_was_forgotten() {
    let home = Home::new(&[]);
    write(&home, "a/memory/a.md", A);
    let a = open(&home, "a").await;
    sync(&a).await;
    assert_eq!(home.embedded.load(Ordering::SeqCst), 1);
    std::fs::write(
        list_path(a.context.store().path()),
        "{\"id\":\"1\",\"at\":\"\",\"kind\":\"path\",\"path\":\"memory/x.md\"}\n",
    )
    .unwrap();
    a.release().await;
    std::fs::rename(home.dir.path().join("a"), home.dir.path().join("moved")).unwrap();
    let moved = open(&home, "moved").await;
    // The dry run counted as a cost what the sync takes over. Before any search: the first one has the notes read.
    write(&home, "moved/memory/b.md", B);
    let plan = moved.indexer.plan(false, false).await.unwrap()["plan"].take();
    assert_eq!((&plan["files"], &plan["texts"]), (&2.into(), &1.into()), "{plan}");
    std::fs::remove_file(home.dir.path().join("moved/memory/b.md")).unwrap();
    assert!(!finds(&moved, "boiler").await);
    sync(&moved).await;
    assert!(finds(&moved, "zebra").await);
    assert_eq!(home.embedded.load(Ordering::SeqCst), 1, "the vector was taken over");
    let list = std::fs::read_to_string(list_path(moved.context.store().path())).unwrap();
    assert!(list.contains("memory/x.md"));
    moved.release().await;
}

// An index of 0.1.0 does not say whose it is. Its place and vectors stay with the workspace whose files it has.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_without_a_name_stays_with_the_workspace_whose_files_it_has() {
    let home = Home::new(&[]);
    write(&home, "a/memory/a.md", A);
    write(&home, "b/memory/b.md", B);
    let a = open(&home, "a").await;
    sync(&a).await;
    a.context.store().write_async(|tx| tx.delete_meta("workspace")).await.unwrap();
    let first = a.context.store().path().to_path_buf();
    a.release().await;
    let b = open(&home, "b").await;
    assert_eq!(b.context.store().path(), own_path(&first, &Workspace::at(&home.dir.path().join("b"))));
    assert!(!finds(&b, "zebra").await);
    b.release().await;
    let a = open(&home, "a").await;
    assert_eq!(a.context.store().path(), first);
    assert!(finds(&a, "zebra").await);
    a.release().await;
}

// Nothing told of them: an index of a workspace that is long gone stayed for ever.
#[tokio::test(flavor = "multi_thread")]
async fn doctor_and_status_name_the_indexes_of_other_workspaces() {
    let home = Home::new(&[]);
    write(&home, "a/memory/a.md", A);
    write(&home, "b/memory/b.md", B);
    let a = open(&home, "a").await;
    sync(&a).await;
    let told = |checks: Vec<crate::services::Check>| {
        checks.into_iter().find(|check| check.name == "other workspaces").unwrap()
    };
    assert_eq!(told(a.admin.doctor(false).await.unwrap()).found, "no index of another workspace of this agent");
    let path = a.context.store().path().to_path_buf();
    a.release().await;
    let b = open(&home, "b").await;
    for is_gone in [false, true] {
        let check = told(b.admin.doctor(false).await.unwrap());
        assert!(check.ok, "{check:?}");
        for part in [path.to_str().unwrap(), home.dir.path().join("a").to_str().unwrap(), " MB", "-wal"] {
            assert!(check.found.contains(part), "{part}: {check:?}");
        }
        assert_eq!(check.found.contains("not there any more"), is_gone, "{check:?}");
        let others = b.indexer.inspect().await.unwrap()["otherWorkspaces"].take();
        assert_eq!(others[0]["isGone"], is_gone, "{others}");
        assert!(others[0]["bytes"].as_u64().is_some_and(|bytes| bytes > 10_000), "{others}");
        let _ = std::fs::remove_dir_all(home.dir.path().join("a"));
    }
    b.release().await;
}

// With its mount lost none of its files could be compared, and the agent began an empty index beside it.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_without_a_name_is_still_that_of_an_agent_whose_mount_is_lost() {
    let home = Home::new(&[]);
    write(&home, "a/memory/a.md", A);
    let a = open(&home, "a").await;
    sync(&a).await;
    a.context.store().write_async(|tx| tx.delete_meta("workspace")).await.unwrap();
    let first = a.context.store().path().to_path_buf();
    a.release().await;
    let aside = home.dir.path().join("aside");
    std::fs::rename(home.dir.path().join("a"), &aside).unwrap();
    for left in [None, Some("a/memory")] {
        if let Some(folder) = left {
            std::fs::create_dir_all(home.dir.path().join(folder)).unwrap();
        }
        let a = open(&home, "a").await;
        assert_eq!(a.context.store().path(), first, "{left:?}");
        sync(&a).await;
        assert!(finds(&a, "zebra").await, "{left:?}");
        a.context.store().write_async(|tx| tx.delete_meta("workspace")).await.unwrap();
        a.release().await;
    }
    // Notes of its own make it another workspace.
    write(&home, "a/memory/b.md", B);
    let other = open(&home, "a").await;
    assert_ne!(other.context.store().path(), first);
    other.release().await;
}
