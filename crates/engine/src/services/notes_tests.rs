//! Notes that a database keeps: gateways with workspaces of their own, and one agent.

#![cfg(feature = "postgres")]

mod ahead;
mod forgotten;
mod holders;
mod killed;
mod losses;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use super::{
    Lease, SyncCall,
    testing::{Home, hits, sync},
    testing_database::Schema,
};
use crate::{index::SyncReport, workspace::notes::Notes};
use model::cancel::Cancel;

/// A gateway: a workspace, a state and connections of its own.
struct Gateway {
    home: Home,
    settings: Value,
    engine: Option<Lease>,
}

type Files = BTreeMap<String, Vec<u8>>;

impl Gateway {
    async fn new(schema: &Schema, notes: &[(&str, &str)]) -> Self {
        let settings = json!({
            "provider": "bedrock",
            "model": "titan",
            "maxFileBytes": 100_000,
            "sync": { "onSearch": false, "onSessionStart": false, "watch": false },
            "store": { "driver": "postgres", "postgres": {
                "schema": schema.name, "statementTimeoutMs": 300_000, "notes": true,
            } },
        });
        let mut home = Home::new(notes);
        home.database = Some(format!("{}?application_name={}", schema.url, uuid::Uuid::new_v4().simple()));
        let mut gateway = Self { home, settings, engine: None };
        gateway.start().await;
        gateway
    }

    async fn start(&mut self) {
        self.engine = Some(self.home.open_set(self.settings.clone()).await);
    }

    async fn stop(&mut self) {
        self.engine.take().unwrap().release().await;
    }

    fn engine(&self) -> &Lease {
        self.engine.as_ref().unwrap()
    }

    /// A pass, which has nothing to warn of.
    async fn sync(&self) -> SyncReport {
        let report = self.sync_warned().await;
        assert_eq!(report.warning, None);
        report
    }

    async fn sync_warned(&self) -> SyncReport {
        (*sync(self.engine()).await).clone()
    }

    async fn force(&self) -> SyncReport {
        let call = SyncCall { reason: "test".into(), force: true, text_only: true };
        (*self.engine().indexer.sync(call, Cancel::new(), None).await.unwrap()).clone()
    }

    fn path(&self, note: &str) -> PathBuf {
        self.home.workspace().join(note)
    }

    fn put(&self, note: &str, body: &[u8]) {
        std::fs::create_dir_all(self.path(note).parent().unwrap()).unwrap();
        std::fs::write(self.path(note), body).unwrap();
    }

    fn remove(&self, note: &str) {
        std::fs::remove_file(self.path(note)).unwrap();
    }

    /// What was last exchanged, as it is kept beside the index.
    fn record(&self) -> PathBuf {
        self.home.state().join("memory-core-rs/main/index.notes.json")
    }

    /// All files of the workspace.
    fn files(&self) -> Files {
        files(&self.home.workspace())
    }

    async fn finds(&self, query: &str) -> bool {
        !hits(self.engine(), query).await.is_empty()
    }
}

fn files(folder: &Path) -> Files {
    let entries = walkdir::WalkDir::new(folder).into_iter().flatten();
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let name = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}

fn texts(files: &Files) -> Vec<(&str, String)> {
    files.iter().map(|(name, body)| (name.as_str(), String::from_utf8_lossy(body).into_owned())).collect()
}

fn conflicts(files: &Files) -> Vec<&String> {
    files.keys().filter(|name| name.contains(".conflict-")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_workspace_gets_all_notes_back_byte_for_byte() {
    let Some(schema) = Schema::new() else { return };
    let first = Gateway::new(&schema, &[("MEMORY.md", "# Tea\n\nThe kettle is in the kitchen.\n")]).await;
    let bodies: [(&str, &[u8]); 7] = [
        ("memory/2026-11-26.md", b"one\r\ntwo\r\n\r\nthree"),
        ("memory/日本/お茶 é.md", "# お茶\n\nxylophone\n".as_bytes()),
        ("memory/latin.md", b"caf\xe9 au lait\n\xff\xfe\0end"),
        ("memory/mark.md", b"\xef\xbb\xbf# Marked\n"),
        ("memory/empty.md", b""),
        ("memory/a/b/c/deep.md", b"deep"),
        ("memory/it's $1 % \\ ;--.md", b"'); DROP TABLE note; --"),
    ];
    for (path, body) in bodies {
        first.put(path, body);
    }
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let dated = std::fs::File::options().write(true).open(first.path("memory/latin.md")).unwrap();
    dated.set_modified(old).unwrap();
    first.put("AGENTS.md", b"not a note");
    first.put("memory/picture.txt", b"not a note");
    first.sync().await;
    let mut expected = first.files();
    assert!(expected.remove("AGENTS.md").is_some() && expected.remove("memory/picture.txt").is_some());
    assert_eq!(expected.len(), 8);

    let second = Gateway::new(&schema, &[]).await;
    assert!(!second.home.workspace().exists(), "not even a folder");
    let report = second.sync().await;
    assert_eq!(texts(&second.files()), texts(&expected));
    assert_eq!(second.files(), expected);
    assert_eq!(second.path("memory/latin.md").metadata().unwrap().modified().unwrap(), old);
    assert_eq!((report.changed, report.removed, report.chunks), (0, 0, 0), "the index has them already");
    assert!(second.finds("kettle").await && second.finds("xylophone").await);
    // And on: what one writes the other gets, and the index follows.
    second.put("memory/new.md", b"The theremin is in the attic.\n");
    second.sync().await;
    assert_eq!(first.sync().await.changed, 0);
    assert_eq!(first.files()["memory/new.md"], b"The theremin is in the attic.\n");
    assert!(first.finds("theremin").await);
    let before = std::fs::read(first.record()).unwrap();
    first.sync().await;
    first.sync().await;
    let after = std::fs::read(first.record()).unwrap();
    second.sync().await;
    assert_eq!(second.files().len(), 9);
    assert!(before.len() == after.len() && first.files().len() == 11);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_deletions_and_new_names_are_passed_on() {
    let Some(schema) = Schema::new() else { return };
    let notes = [("MEMORY.md", "m"), ("memory/a.md", "a"), ("memory/b.md", "b"), ("memory/c.md", "cherry pie")];
    let one = Gateway::new(&schema, &notes).await;
    one.sync().await;
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    one.put("memory/a.md", b"a, changed");
    one.remove("memory/b.md");
    std::fs::rename(one.path("memory/c.md"), one.path("memory/d.md")).unwrap();
    one.sync().await;
    two.sync().await;
    assert_eq!(one.files(), two.files());
    assert_eq!(
        texts(&two.files()),
        [
            ("MEMORY.md", "m".to_owned()),
            ("memory/a.md", "a, changed".to_owned()),
            ("memory/d.md", "cherry pie".to_owned()),
        ]
    );
    // Against a deletion a change is what stays, whichever came first.
    two.remove("memory/a.md");
    one.put("memory/a.md", b"a, once more");
    one.remove("memory/d.md");
    two.put("memory/d.md", b"cherry tart");
    two.sync().await;
    one.sync().await;
    two.sync().await;
    assert_eq!(one.files(), two.files());
    assert_eq!(one.files()["memory/a.md"], b"a, once more");
    assert_eq!(one.files()["memory/d.md"], b"cherry tart");
    // What was deleted may come again.
    two.put("memory/b.md", b"b, again");
    two.sync().await;
    one.sync().await;
    assert_eq!(one.files()["memory/b.md"], b"b, again");
    assert!(conflicts(&one.files()).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_changes_are_kept_side_by_side_and_said_once() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("MEMORY.md", "m"), ("memory/a.md", "common")]).await;
    one.sync().await;
    let mut two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    for note in ["MEMORY.md", "memory/a.md"] {
        one.put(note, b"The aubergine is ours.\n");
        two.put(note, b"The courgette is theirs.\n");
    }
    one.sync().await;
    let warning = two.sync_warned().await.warning.unwrap();
    assert!(warning.contains("2 notes were changed here and in the database"), "{warning}");
    assert!(!warning.contains("aubergine") && !warning.contains("MEMORY"), "{warning}");
    assert_eq!(two.files()["MEMORY.md"], b"The courgette is theirs.\n", "it keeps its own under the name");
    let kept = two.files();
    assert_eq!(conflicts(&kept).len(), 2);
    for name in conflicts(&kept) {
        assert_eq!(kept[name], b"The aubergine is ours.\n", "{name}");
        assert!(name.starts_with("memory/"), "where it is indexed: {name}");
    }
    two.sync().await;
    one.sync().await;
    assert_eq!(one.files(), kept, "both have both");
    assert!(one.finds("aubergine").await && one.finds("courgette").await);
    one.sync().await;
    two.sync().await;
    assert_eq!((one.files(), two.files()), (kept.clone(), kept.clone()), "and it ends there");
    // Whoever has looked at them deletes what is not needed.
    for name in conflicts(&kept) {
        one.remove(name);
    }
    one.sync().await;
    two.sync().await;
    assert!(conflicts(&two.files()).is_empty() && two.files().len() == 2);

    // A workspace whose state was lost has a text of its own, and nobody knows which came first: the database's keeps the name.
    two.stop().await;
    std::fs::remove_dir_all(two.home.state()).unwrap();
    two.put("memory/a.md", b"The pumpkin came from nowhere.\n");
    two.start().await;
    assert!(two.sync_warned().await.warning.unwrap().contains("1 notes were changed"));
    let kept = two.files();
    assert_eq!(kept["memory/a.md"], b"The courgette is theirs.\n");
    assert_eq!(kept[conflicts(&kept)[0]], b"The pumpkin came from nowhere.\n");
    one.sync().await;
    assert_eq!(one.files(), kept);
    // An older text that the database knows is no conflict.
    for name in conflicts(&kept) {
        one.remove(name);
    }
    one.put("memory/a.md", b"The courgette was sold.\n");
    one.sync().await;
    two.stop().await;
    std::fs::remove_dir_all(two.home.state()).unwrap();
    for name in conflicts(&kept) {
        two.remove(name);
    }
    two.start().await;
    two.sync().await;
    assert_eq!(two.files(), one.files());
}

// The templates that a host puts into each new workspace would have taken the place of the notes.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_workspace_with_a_few_files_is_restored_and_another_one_is_refused() {
    let Some(schema) = Schema::new() else { return };
    let notes: Vec<(String, String)> = (0..12).map(|n| (format!("memory/{n}.md"), format!("Number {n}."))).collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let one = Gateway::new(&schema, &notes).await;
    one.put("USER.md", b"The user likes sencha.\n");
    one.sync().await;
    let two = Gateway::new(&schema, &[("USER.md", "# USER.md - fill this in\n")]).await;
    assert!(two.sync_warned().await.warning.unwrap().contains("1 notes were changed"));
    assert_eq!(two.files()["USER.md"], b"The user likes sencha.\n");
    assert_eq!(two.files()[conflicts(&two.files())[0]], b"# USER.md - fill this in\n");
    assert_eq!(two.files().len(), 14);
    one.sync().await;

    let others: Vec<(String, String)> = (0..12).map(|n| (format!("memory/x{n}.md"), format!("Private {n}."))).collect();
    let others: Vec<(&str, &str)> = others.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let foreign = Gateway::new(&schema, &others).await;
    let (before, warning) = (foreign.files(), foreign.sync_warned().await.warning.unwrap());
    assert!(warning.contains("of other notes") && warning.contains("store adopt"), "{warning}");
    assert_eq!(foreign.files(), before);
    one.sync().await;
    assert_eq!(one.files().len(), 14, "nothing of it went to others");
    assert!(!one.finds("private").await);
    // Said in so many words, both are one memory from then on.
    foreign.force().await;
    assert_eq!(foreign.files().len(), 26);
    one.sync().await;
    assert_eq!(one.files(), foreign.files());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_that_lost_most_notes_passes_no_deletion_on() {
    let Some(schema) = Schema::new() else { return };
    let notes: Vec<(String, String)> = (0..12).map(|n| (format!("memory/{n}.md"), format!("Number {n}."))).collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let one = Gateway::new(&schema, &notes).await;
    one.sync().await;
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    for n in 0..8 {
        one.remove(&format!("memory/{n}.md"));
    }
    let warning = one.sync_warned().await.warning.unwrap();
    assert!(warning.contains("8 of 12 notes vanished") && warning.contains("index.notes.json"), "{warning}");
    let health = one.engine().status()["custom"]["health"].clone();
    assert_eq!(health["state"], "lost");
    assert!(health["reason"].as_str().is_some_and(|reason| reason.contains("8 of 12 notes vanished")), "{health}");
    let report = two.sync().await;
    assert_eq!(two.files().len(), 12, "nothing was deleted elsewhere");
    assert_eq!(report.changed, 0, "nor from the index");
    // As the warning says.
    std::fs::remove_file(one.record()).unwrap();
    one.sync().await;
    assert_eq!(one.files(), two.files());
    assert_eq!(one.engine().status()["custom"]["health"]["state"], "ready");
    // All of them: a workspace that is empty is filled, whatever is known of it.
    std::fs::remove_dir_all(one.home.workspace()).unwrap();
    one.sync().await;
    assert_eq!(one.files(), two.files());
    // On purpose.
    for n in 0..8 {
        one.remove(&format!("memory/{n}.md"));
    }
    assert!(one.sync_warned().await.warning.is_some());
    one.force().await;
    two.sync_warned().await;
    assert_eq!(two.files().len(), 4);
    assert_eq!(one.files(), two.files());
}

// With one small question a pass in which nothing changed is told from others, however many notes there are.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_in_which_nothing_changed_asks_once_more_than_one_without_notes() {
    let Some(schema) = Schema::new() else { return };
    let number = std::env::var("MEMORY_CORE_TEST_NOTES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let notes: Vec<(String, String)> =
        (0..number).map(|n| (format!("memory/{}/{n}.md", n % 50), format!("Number {n}."))).collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut one = Gateway::new(&schema, &notes).await;
    let pass = async |gateway: &Gateway| {
        let (before, began) = (gateway.engine().context.store().waits(), std::time::Instant::now());
        let call = SyncCall { reason: "test".into(), force: false, text_only: true };
        let report = gateway.engine().indexer.sync(call, Cancel::new(), None).await.unwrap();
        assert_eq!(report.warning, None);
        (gateway.engine().context.store().waits() - before, began.elapsed())
    };
    println!("{number} notes, the first pass: {:?}", pass(&one).await);
    let two = Gateway::new(&schema, &[]).await;
    println!("{number} notes restored: {:?}", pass(&two).await);
    assert_eq!(two.files(), one.files());
    // A lease that is renewed meanwhile asks as well.
    let least = async |gateway: &Gateway| {
        let mut least = pass(gateway).await;
        for _ in 0..5 {
            least = least.min(pass(gateway).await);
        }
        least
    };
    let settled = least(&one).await;
    println!("{number} notes, nothing changed: {settled:?}");
    one.stop().await;
    one.settings["store"]["postgres"]["notes"] = json!(false);
    one.start().await;
    let without = least(&one).await;
    println!("{number} notes, without: {without:?}");
    assert_eq!(settled.0, without.0 + 1);
}

/// Some texts for some notes, one after the other with a pass after each; gives what was written, and what it replaced.
async fn edit_and_sync(gateway: &Gateway, name: &str) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let notes = Notes::at(&gateway.home.workspace());
    let (mut written, mut replaced) = (Vec::new(), Vec::new());
    for n in 0..12 {
        for k in 0..3 {
            let note = format!("memory/{}.md", (n * 7 + k * 5) % 4);
            let text = format!("Text {n}-{k} of {name}.\n").into_bytes();
            let before = notes.bytes(&note).unwrap();
            // As an editor that looks before it saves.
            if notes.replace(&note, before.as_deref(), Some(&text)).unwrap() {
                written.push(text);
                replaced.extend(before);
            }
        }
        gateway.sync_warned().await;
    }
    (written, replaced)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_write_the_same_notes_at_once_lose_no_text() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/0.md", "zero"), ("memory/1.md", "one")]).await;
    one.sync().await;
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    let (of_one, of_two) = tokio::join!(edit_and_sync(&one, "one"), edit_and_sync(&two, "two"));
    let mut rounds = 0;
    while one.files() != two.files() {
        rounds += 1;
        assert!(rounds < 6, "they come to no end");
        one.sync_warned().await;
        two.sync_warned().await;
    }
    one.sync().await;
    two.sync().await;
    let files = one.files();
    assert_eq!(files, two.files());
    let (written, replaced) = ([of_one.0, of_two.0].concat(), [of_one.1, of_two.1].concat());
    assert!(written.len() > 60);
    let lost = written.iter().filter(|text| !replaced.contains(text) && !files.values().any(|body| body == *text));
    assert_eq!(lost.map(|text| String::from_utf8_lossy(text)).collect::<Vec<_>>(), Vec::<String>::new());
    println!("{} texts written, {} kept beside others", written.len(), conflicts(&files).len());
}

// Nothing happens on its own disk: only the database can tell it.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_is_up_notices_what_another_one_wrote() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/a.md", "The kettle is new.")]).await;
    one.sync().await;
    let mut two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    two.stop().await;
    two.settings["sync"]["watch"] = json!(true);
    two.settings["sync"]["reconcileSeconds"] = json!(1);
    two.start().await;
    two.engine().indexer.start_background();
    one.put("memory/b.md", b"The lantern is old.");
    one.remove("memory/a.md");
    one.sync().await;
    let expected = one.files();
    let follows = async {
        while two.files() != expected {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), follows).await.expect("it did not notice");
    // And what it then writes by itself goes the other way.
    two.put("memory/c.md", b"The anchor is ours.");
    let follows = async {
        while !one.files().contains_key("memory/c.md") {
            tokio::time::sleep(Duration::from_millis(200)).await;
            one.sync().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), follows).await.expect("it did not give it");
    two.stop().await;
    one.sync().await;
    assert_eq!(one.files(), two.files());
}
