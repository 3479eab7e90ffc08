//! What is told of notes before they are exchanged, and of those that never are.

use super::*;
use crate::index::owner::Adoption;

/// So many notes, with their texts.
fn numbered(folder: &str, number: usize) -> Vec<(String, String)> {
    (0..number).map(|n| (format!("memory/{folder}{n}.md"), format!("Number {n} of {folder}."))).collect()
}

impl Gateway {
    async fn of(schema: &Schema, notes: &[(String, String)]) -> Self {
        let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        Self::new(schema, &notes).await
    }

    /// A pass, and another gateway may make the next one.
    async fn hand_over(&self) {
        self.sync_warned().await;
        self.engine().context.store().release_lease().unwrap();
    }

    /// The state as `status` names it, and what an update would do.
    async fn looked(&self) -> (String, Value) {
        let seen = self.engine().indexer.inspect().await.unwrap();
        let state = seen["status"]["custom"]["health"]["state"].as_str().unwrap().to_owned();
        (state, seen["plan"].clone())
    }
}

// The notes that another gateway had added counted as vanished from a workspace that never had them.
#[tokio::test(flavor = "multi_thread")]
async fn notes_that_another_gateway_added_are_not_lost_here() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::of(&schema, &numbered("a", 12)).await;
    one.hand_over().await;
    let two = Gateway::new(&schema, &[]).await;
    two.hand_over().await;
    for (path, text) in numbered("b", 20) {
        one.put(&path, text.as_bytes());
    }
    one.hand_over().await;
    let (state, plan) = two.looked().await;
    assert_eq!(state, "outdated");
    assert_eq!((plan["restored"].as_array().unwrap().len(), &plan["removed"]), (20, &json!([])));
    two.hand_over().await;
    assert_eq!(two.files(), one.files());
    let (state, plan) = two.looked().await;
    assert_eq!((state.as_str(), plan.get("restored")), ("ready", None));
    // What it had and has no more is.
    for n in 0..20 {
        two.remove(&format!("memory/b{n}.md"));
    }
    let (state, plan) = two.looked().await;
    assert_eq!((state.as_str(), plan.get("restored")), ("lost", None));
}

// Doctor said "0 files changed and 0 gone", and status that the disk has changed.
#[tokio::test(flavor = "multi_thread")]
async fn notes_that_only_the_database_has_are_named_as_such() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::of(&schema, &numbered("a", 2)).await;
    one.hand_over().await;
    let two = Gateway::new(&schema, &[]).await;
    let seen = two.engine().indexer.inspect().await.unwrap();
    let reason = seen["status"]["custom"]["health"]["reason"].as_str().unwrap();
    assert_eq!(reason, "the database has notes that this workspace did not get yet");
    let disk = async |repair| {
        let checks = two.engine().admin.doctor(repair).await.unwrap();
        checks.into_iter().find(|check| check.name == "disk").unwrap()
    };
    let (found, repaired) = (disk(false).await, disk(true).await);
    assert_eq!(found.found, "2 notes in the database that this workspace gets");
    assert!(!found.ok && repaired.ok && repaired.did.as_deref() == Some("exchanged the notes"), "{repaired:?}");
    assert!(disk(false).await.ok);
    // Both at once, and what is on the disk alone.
    one.put("memory/more.md", b"More of it.");
    one.hand_over().await;
    two.put("memory/here.md", b"Only here.");
    let told = disk(false).await.found;
    assert_eq!(
        told,
        "1 files changed and 0 gone since the last update, and 1 notes in the database that this workspace gets"
    );
    let seen = two.engine().indexer.inspect().await.unwrap();
    assert_eq!(seen["status"]["custom"]["health"]["reason"], "the disk has changed since the last update");
}

// A new container was told that the index is of other notes, and that taking it over would cost it those.
#[tokio::test(flavor = "multi_thread")]
async fn an_empty_workspace_is_told_that_it_gets_its_notes_and_another_one_is_foreign() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::of(&schema, &numbered("a", 13)).await;
    one.hand_over().await;
    let fresh = Gateway::new(&schema, &[]).await;
    let (state, plan) = fresh.looked().await;
    assert_eq!((state.as_str(), plan["restored"].as_array().unwrap().len()), ("outdated", 13));
    let expected =
        Adoption { ours: false, known: 13, same: 0, changed: 0, missing: 13, new: 0, kept: true, foreign: false };
    assert_eq!(fresh.engine().admin.adoption().await.unwrap(), expected);
    fresh.hand_over().await;
    assert_eq!(fresh.files(), one.files());
    let other = Gateway::of(&schema, &numbered("x", 12)).await;
    assert_eq!(other.looked().await.0, "foreign");
    let expected =
        Adoption { ours: false, known: 13, same: 0, changed: 0, missing: 13, new: 12, kept: true, foreign: true };
    assert_eq!(other.engine().admin.adoption().await.unwrap(), expected);
}

// They stopped being found, and neither an update nor `doctor` said so.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn notes_whose_names_no_database_keeps_are_told() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/a.md", "a"), ("memory/tab\tname.md", "The kettle.")]).await;
    let disk = async || {
        let checks = one.engine().admin.doctor(false).await.unwrap();
        checks.into_iter().find(|check| check.name == "disk").unwrap()
    };
    for _ in 0..2 {
        let warning = one.sync_warned().await.warning.unwrap();
        assert!(warning.contains("1 notes have names that no database keeps"), "{warning}");
    }
    let check = disk().await;
    assert!(!check.ok && check.found.contains("1 notes are not indexed") && check.remedy.is_some(), "{check:?}");
    std::fs::rename(one.path("memory/tab\tname.md"), one.path("memory/name.md")).unwrap();
    one.sync().await;
    assert!(disk().await.ok && one.finds("kettle").await);
}
