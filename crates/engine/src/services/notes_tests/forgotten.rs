//! Gateways that share an agent and its notes, and what the user had forgotten on one of them.

use super::*;
use crate::{
    forgetting::selection::Target,
    index::Progress,
    services::{ForgetCall, ForgetReport},
};
use futures::{FutureExt, future::BoxFuture};
use model::error::Code;

const WORDS: [&str; 3] = ["walrus", "quokka", "kettle"];

impl Gateway {
    /// A pass, and another gateway may make the next one.
    async fn turn(&self) -> SyncReport {
        let report = self.sync().await;
        self.engine().context.store().release_lease().unwrap();
        report
    }

    async fn forget(&self, path: &str) -> ForgetReport {
        let call =
            ForgetCall { target: Target { paths: vec![path.into()], ..Target::default() }, ..ForgetCall::default() };
        let report = self.engine().admin.forget(call).await.unwrap();
        self.engine().context.store().release_lease().unwrap();
        report
    }

    async fn known(&self) -> Vec<&'static str> {
        let mut found = Vec::new();
        for word in WORDS {
            if self.finds(word).await {
                found.push(word);
            }
        }
        found
    }

    fn list(&self) -> PathBuf {
        self.home.state().join("memory-core-rs/main/index.forgotten.jsonl")
    }
}

/// Two gateways with the same notes.
async fn two(schema: &Schema) -> [Gateway; 2] {
    let notes = [
        ("MEMORY.md", "The kettle is in the kitchen."),
        ("memory/keys.md", "The walrus keeps the keys."),
        ("memory/lamp.md", "The quokka keeps the lamp."),
    ];
    let both = [Gateway::new(schema, &notes).await, Gateway::new(schema, &notes).await];
    for gateway in &both {
        gateway.turn().await;
    }
    both
}

// Each gateway followed a list of its own: one that has the same notes put back what was forgotten on another.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_on_one_gateway_is_so_on_all() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    one.forget("memory/keys.md").await;
    two.forget("memory/lamp.md").await;
    for gateway in [&two, &one, &two, &one] {
        gateway.turn().await;
        assert_eq!(gateway.known().await, ["kettle"]);
    }
    assert_eq!(std::fs::read_to_string(one.list()).unwrap(), std::fs::read_to_string(two.list()).unwrap());
    for gateway in [&one, &two] {
        assert_eq!(gateway.turn().await.changed, 0, "both follow one list");
    }
    assert!(
        one.path("memory/keys.md").exists() && two.path("memory/lamp.md").exists(),
        "who forgets it keeps the file"
    );
    assert!(!two.path("memory/keys.md").exists() && !one.path("memory/lamp.md").exists(), "and the others do not");
}

// The text stayed on the disks of all others for good, although it was said to leave them.
#[tokio::test(flavor = "multi_thread")]
async fn a_note_that_is_forgotten_leaves_other_workspaces_but_not_what_was_written_there() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    one.put("memory/private/code.md", b"The badger knows the code.\n");
    for gateway in [&one, &two] {
        gateway.turn().await;
    }
    two.put("memory/lamp.md", b"The quokka sold the lamp.\n");
    // The other one has the list first, as while who forgot it waits for who indexes.
    let id = "f0f0f0f0";
    let by = std::fs::read_to_string(one.home.state().join("memory-core-rs/main/index.workspace-id")).unwrap();
    let line = |path: &str| {
        let at = "2026-11-26T00:00:00Z";
        format!("{}\n", json!({ "id": id, "at": at, "by": by.trim(), "kind": "path", "path": path }))
    };
    let list = ["memory/keys.md", "memory/lamp.md", "memory/private"].map(line).concat();
    std::fs::write(two.list(), &list).unwrap();
    std::fs::write(one.list(), &list).unwrap();
    for gateway in [&two, &one, &two] {
        gateway.turn().await;
    }
    let names = |gateway: &Gateway| gateway.files().into_keys().collect::<Vec<_>>();
    assert_eq!(names(&two), ["MEMORY.md", "memory/lamp.md"]);
    assert_eq!(two.files()["memory/lamp.md"], b"The quokka sold the lamp.\n", "nobody else has that");
    assert_eq!(names(&one), ["MEMORY.md", "memory/keys.md", "memory/lamp.md", "memory/private/code.md"]);
    // Taken back, it is everywhere again.
    two.engine().admin.undo_forget(id.to_owned()).await.unwrap();
    two.engine().context.store().release_lease().unwrap();
    for gateway in [&one, &two] {
        gateway.sync_warned().await;
        gateway.engine().context.store().release_lease().unwrap();
    }
    assert_eq!(two.files()["memory/keys.md"], one.files()["memory/keys.md"]);
    assert_eq!(two.files()["memory/private/code.md"], one.files()["memory/private/code.md"]);
}

// A container's disk is empty when it comes up: the notes came back from the database, and what was forgotten with them.
#[tokio::test(flavor = "multi_thread")]
async fn an_empty_disk_does_not_bring_back_what_was_forgotten() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    one.put(
        "memory/both.md",
        b"The badger sleeps in the shed.\n\nThe falcon nests on the tower of the old town hall.\n",
    );
    one.turn().await;
    let lines = Target { paths: vec!["memory/both.md".into()], lines: Some((1, 1)), ..Target::default() };
    one.engine().admin.forget(ForgetCall { target: lines, ..ForgetCall::default() }).await.unwrap();
    one.engine().context.store().release_lease().unwrap();
    one.forget("memory/keys.md").await;
    let fresh = Gateway::new(&schema, &[]).await;
    for gateway in [&fresh, &two] {
        gateway.turn().await;
        assert!(fresh.path("memory/both.md").exists(), "its notes are back");
        assert_eq!(std::fs::read_to_string(gateway.list()).unwrap(), std::fs::read_to_string(one.list()).unwrap());
        assert_eq!(gateway.known().await, ["quokka", "kettle"]);
        assert!(gateway.finds("falcon").await && !gateway.finds("badger").await);
    }
    assert_eq!(one.turn().await.changed, 0, "nobody follows another list");
}

// The preview of an update counted a forgotten note among the texts to send, as the list came only with the update.
#[tokio::test(flavor = "multi_thread")]
async fn a_preview_leaves_out_what_the_database_knows_to_be_forgotten() {
    let Some(schema) = Schema::new() else { return };
    let [mut one, _] = two(&schema).await;
    one.forget("memory/keys.md").await;
    assert!(one.path("memory/keys.md").exists());
    one.stop().await;
    std::fs::remove_dir_all(one.home.state().join("memory-core-rs")).unwrap();
    one.start().await;
    let planned = one.engine().indexer.plan(true, false).await.unwrap();
    assert_eq!(planned["plan"]["changed"], json!(["MEMORY.md", "memory/lamp.md"]));
    assert!(!one.list().exists(), "nothing is done");
    one.turn().await;
    assert_eq!(one.known().await, ["quokka", "kettle"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn any_gateway_can_take_it_back_but_not_what_is_final() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    let ids = [one.forget("memory/keys.md").await.id, one.forget("memory/lamp.md").await.id];
    one.engine().admin.apply_forget(ids[1].clone(), true).await.unwrap();
    one.engine().context.store().release_lease().unwrap();
    // The other one made no pass since.
    let refused = two.engine().admin.undo_forget(ids[1].clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::Argument, "{refused}");
    two.engine().admin.undo_forget(ids[0].clone()).await.unwrap();
    two.engine().context.store().release_lease().unwrap();
    for gateway in [&one, &two, &one] {
        gateway.turn().await;
        assert_eq!(gateway.known().await, ["walrus", "kettle"]);
    }
    assert!(two.path("memory/keys.md").exists(), "it comes back from who kept the file");
}

// It "failed" without an id to undo it, was on the list of what is forgotten, and happened when the database could be written again.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_database_cannot_be_told_of_is_not_begun() {
    let Some(schema) = Schema::new() else { return };
    let [mut one, two] = two(&schema).await;
    one.stop().await;
    two.engine().context.store().release_lease().unwrap();
    let role = format!("r_{}", schema.name);
    let (_, server) = schema.url.rsplit_once('@').unwrap();
    schema.run(&format!("CREATE ROLE {role} LOGIN SUPERUSER PASSWORD 'ordinary'"));
    one.home.database = Some(format!("postgresql://{role}:ordinary@{server}"));
    one.start().await;
    let done = one.forget("memory/lamp.md").await.id;
    one.turn().await;
    let sessions = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{role}'");
    schema.run(&format!("ALTER ROLE {role} SET default_transaction_read_only = on; {sessions}"));
    let keys = Target { paths: vec!["memory/keys.md".into()], ..Target::default() };
    let call = ForgetCall { target: keys, ..ForgetCall::default() };
    let list = std::fs::read(one.list()).unwrap();
    // A session that was just ended may be the first one that is tried.
    let refused = async |asked: &dyn Fn() -> BoxFuture<'static, model::error::Error>| loop {
        let error = asked().await;
        if error.code() != Code::Io {
            break error;
        }
    };
    let admin = std::sync::Arc::clone(&one.engine().admin);
    let forgets = || {
        let (admin, call) = (std::sync::Arc::clone(&admin), call.clone());
        async move { admin.forget(call).await.unwrap_err() }.boxed()
    };
    let undoes = || {
        let (admin, done) = (std::sync::Arc::clone(&admin), done.clone());
        async move { admin.undo_forget(done).await.unwrap_err() }.boxed()
    };
    for error in [refused(&forgets).await, refused(&undoes).await] {
        assert_eq!(error.code(), Code::ReadOnly, "{error}");
    }
    assert_eq!(std::fs::read(one.list()).unwrap(), list, "nothing was begun");
    schema.run(&format!("ALTER ROLE {role} RESET default_transaction_read_only; {sessions}"));
    while one.engine().admin.finish_forgetting().await.is_err() {}
    one.sync_warned().await;
    assert_eq!(one.known().await, ["walrus", "kettle"]);
    one.stop().await;
    schema.run(&format!("DROP ROLE {role}"));
}

// As after a kill between both, or from the time when the index was a file.
#[tokio::test(flavor = "multi_thread")]
async fn what_only_one_disk_knows_is_told_with_its_next_pass() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    one.forget("memory/keys.md").await;
    schema.run(&format!("DELETE FROM {}.forgotten", schema.name));
    for gateway in [&one, &two] {
        gateway.turn().await;
    }
    let of_before = std::fs::read_to_string(one.list()).unwrap().replace("memory/keys.md", "memory/lamp.md");
    std::fs::write(one.list(), of_before.replace("\"id\":\"", "\"id\":\"x")).unwrap();
    for gateway in [&one, &two, &one] {
        gateway.turn().await;
        assert_eq!(gateway.known().await, ["kettle"]);
    }
}

// The one that indexes took what the other one had told for what it followed itself.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_told_in_the_middle_of_a_pass_asks_with_the_next() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    one.forget("memory/keys.md").await;
    let line = std::fs::read_to_string(one.list()).unwrap();
    let told = line.replace("memory/keys.md", "memory/lamp.md").replace("\"id\":\"", "\"id\":\"y");
    let sql = "INSERT INTO SCHEMA.forgotten SELECT agent, 'y', $told$TOLD$told$, false, false FROM SCHEMA.forgotten LIMIT 1; \
               UPDATE SCHEMA.meta SET value = 'changed by somebody' WHERE key = 'forgotten'";
    let sql = std::sync::Mutex::new(Some(sql.replace("SCHEMA", &schema.name).replace("TOLD", &told)));
    let (schema, left) = (std::sync::Arc::new(schema), std::sync::Arc::new(sql));
    let progress: Progress = {
        let (schema, left) = (std::sync::Arc::clone(&schema), std::sync::Arc::clone(&left));
        std::sync::Arc::new(move |_| {
            if let Some(sql) = left.lock().unwrap().take() {
                schema.run(&sql);
            }
        })
    };
    // As where the one that forgets it waits for the one that indexes.
    let waits = "UPDATE SCHEMA.meta SET value = 'changed' WHERE key = 'forgotten'";
    schema.run(&waits.replace("SCHEMA", &schema.name));
    let call = SyncCall { reason: "test".into(), force: false, text_only: true };
    two.engine().indexer.sync(call, Cancel::new(), Some(progress)).await.unwrap();
    two.engine().context.store().release_lease().unwrap();
    assert!(left.lock().unwrap().is_none(), "it was told");
    assert_eq!(two.known().await, ["quokka", "kettle"]);
    for gateway in [&two, &one] {
        gateway.turn().await;
        assert_eq!(gateway.known().await, ["kettle"]);
    }
}

// Its log of prompts, its captures, its queue and its last turns had the words for good, and showed them to the model.
#[tokio::test(flavor = "multi_thread")]
async fn what_automatic_memory_keeps_of_it_on_other_gateways_goes_too() {
    use crate::capture::{journal::Journal, log, prompts::*, rules::Category, short_term};
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema).await;
    let fact = "The walrus has the code of the safe in the hall";
    let settings = std::sync::Arc::clone(&two.engine().settings());
    let folder = two.home.state().join("memory-core-rs/main");
    let capture = log::Entry {
        id: "a".into(),
        ts: "2026-11-20T10:00:00Z".into(),
        status: log::Status::Stored,
        text: fact.into(),
        reason: None,
        category: Some(Category::Fact),
        path: Some("memory/2026-11-20.md".into()),
        session_key: None,
        session_id: None,
        message: "a".into(),
        heard: Vec::new(),
    };
    Journal::new(&folder).add_capture(capture).unwrap();
    two.put("memory/2026-11-20.md", format!("- [fact] {fact}\n").as_bytes());
    let file = &settings.settings.short_term_file;
    short_term::record(file, &Default::default(), fact, "I see.", &jiff::Zoned::now()).unwrap();
    let at = model::clock::now_ms();
    let [id, session_key] = [String::new(), "agent:main:main".to_owned()];
    let shown = ShownPrompt { at, id, part: PromptPart::Recall, ms: 1.0, session_key, text: fact.into() };
    PromptLog::of(&folder).add(shown, 30).unwrap();
    for gateway in [&two, &one] {
        gateway.turn().await;
    }
    let kept = || {
        let files = files(&two.home.state());
        files.values().filter(|bytes| String::from_utf8_lossy(bytes).contains("walrus has the code")).count()
    };
    assert_eq!(kept(), 3, "the test would prove nothing otherwise");
    let target = Target { paths: vec!["memory/2026-11-20.md".into()], lines: Some((1, 1)), ..Target::default() };
    let call = ForgetCall { target, is_final: true, ..ForgetCall::default() };
    let report = one.engine().admin.forget(call).await.unwrap();
    assert!(report.shared, "who forgets it is told of the others");
    one.engine().context.store().release_lease().unwrap();
    two.turn().await;
    assert_eq!(kept(), 0);
}
