//! What a hostile database says, what one has lost, kills, and what is forgotten.

use super::*;

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_hostile_database_write_nothing_outside_the_notes() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/a.md", "The kettle is new."), ("memory/b.md", "b")]).await;
    one.sync().await;
    let two = Gateway::new(&schema, &[]).await;
    let outside = two.home.dir.path().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::create_dir_all(two.path("memory")).unwrap();
    std::os::unix::fs::symlink(&outside, two.path("memory/link")).unwrap();
    std::os::unix::fs::symlink(outside.join("target.md"), two.path("memory/file-link.md")).unwrap();
    let absolute = outside.join("absolute.md");
    let hostile = [
        "../evil.md",
        "memory/../../evil.md",
        "memory/../evil.md",
        "AGENTS.md",
        "memory/.git/config.md",
        "memory/x.sh",
        "",
        "memory/link/evil.md",
        "memory/file-link.md",
        absolute.to_str().unwrap(),
        "memory/line\nfeed.md",
        "/etc/evil.md",
    ];
    let row = |path: &str, hash: &str, body: &str, modified: i64| {
        let path = path.replace('\'', "''");
        format!(
            "INSERT INTO {0}.note (agent, path, hash, body, former, modified_ns, changed_ms) \
             SELECT id, '{path}', {hash}, {body}, '\\x00'::bytea, {modified}, 0 FROM {0}.agent;",
            schema.name
        )
    };
    let body = "convert_to('evil', 'UTF8')";
    let mut sql: String = hostile.iter().map(|path| row(path, "sha256('evil')", body, 0)).collect();
    sql += &row(&format!("memory/{}.md", "x".repeat(5000)), "sha256('evil')", body, 0);
    sql += &row("memory/other-text.md", "sha256('something else')", body, 0);
    sql += &row("memory/cut.md", "'\\x0011'::bytea", body, 0);
    sql += &row(
        "memory/large.md",
        "sha256(decode(repeat('00', 200000), 'hex'))",
        "decode(repeat('00', 200000), 'hex')",
        0,
    );
    sql += &row("memory/future.md", "sha256('evil')", body, i64::MAX);
    sql += &format!("UPDATE {}.meta SET value = 'hostile' WHERE key = 'notes_mark'", schema.name);
    schema.run(&format!("SET LOCAL row_security = off; {sql}"));
    let warning = two.sync_warned().await.warning.unwrap();
    assert!(warning.contains("16 notes were not exchanged"), "{warning}");
    assert_eq!(files(&outside), Files::new());
    let written: Vec<String> = files(two.home.dir.path())
        .into_keys()
        .filter(|name| !name.starts_with("memory-core-rs/") && !name.starts_with("state/"))
        .collect();
    assert_eq!(written, ["workspace/memory/a.md", "workspace/memory/b.md", "workspace/memory/future.md"]);
    assert!(two.finds("kettle").await);
    let modified = two.path("memory/future.md").metadata().unwrap().modified().unwrap();
    assert!(modified <= SystemTime::now());
    // Its own changes still go there.
    two.put("memory/a.md", b"The kettle was sold.");
    two.sync_warned().await;
    one.sync_warned().await;
    assert_eq!(one.files()["memory/a.md"], b"The kettle was sold.");
}

// What was written, here or there, and not noted down: a kill at that moment must not look like a change.
#[tokio::test(flavor = "multi_thread")]
async fn a_pass_that_was_killed_before_it_noted_what_it_did_is_done_again_without_harm() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/a.md", "a"), ("memory/b.md", "b"), ("memory/c.md", "c")]).await;
    one.sync().await;
    let mut two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    one.put("memory/a.md", b"a changed");
    one.remove("memory/b.md");
    one.put("memory/d.md", b"d");
    for gateway in [&one, &two] {
        let before = std::fs::read(gateway.record()).unwrap();
        gateway.sync().await;
        let done = gateway.files();
        std::fs::write(gateway.record(), before).unwrap();
        gateway.sync().await;
        assert_eq!(gateway.files(), done);
        assert_eq!(gateway.files().len(), 3);
    }
    assert_eq!(one.files(), two.files());
    // Half a record is none, and what both have is the same.
    two.stop().await;
    let whole = std::fs::read(two.record()).unwrap();
    std::fs::write(two.record(), &whole[..whole.len() / 2]).unwrap();
    two.start().await;
    two.sync().await;
    assert_eq!(one.files(), two.files());
}

// A standby that takes over without the last writes, or an older backup: notes that it never had would have been deleted.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_lost_writes_gets_them_again() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/a.md", "first"), ("memory/b.md", "b")]).await;
    one.sync().await;
    let copy = |from: &str, to: &str| {
        format!("DROP TABLE IF EXISTS {0}.{to}; CREATE TABLE {0}.{to} AS SELECT * FROM {0}.{from};", schema.name)
    };
    schema.run(&format!("SET LOCAL row_security = off; {}{}", copy("note", "old_note"), copy("meta", "old_meta")));
    one.put("memory/a.md", b"second");
    one.put("memory/c.md", b"only in the lost writes");
    one.sync().await;
    schema.run(&format!(
        "SET LOCAL row_security = off; DELETE FROM {0}.note; INSERT INTO {0}.note SELECT * FROM {0}.old_note; \
         DELETE FROM {0}.meta WHERE key = 'notes_mark'; INSERT INTO {0}.meta SELECT * FROM {0}.old_meta WHERE key = 'notes_mark'",
        schema.name
    ));
    one.sync_warned().await;
    assert_eq!(one.files()["memory/a.md"], b"second");
    assert_eq!(one.files()["memory/c.md"], b"only in the lost writes");
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    assert_eq!(two.files(), one.files());
    assert_eq!(one.files()[conflicts(&one.files())[0]], b"first", "which came first nobody can know");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_leaves_the_database_and_without_the_setting_there_is_nothing() {
    let Some(schema) = Schema::new() else { return };
    let mut one = Gateway::new(&schema, &[("memory/a.md", "The kettle is new."), ("memory/secret.md", "hush")]).await;
    one.settings["store"]["postgres"]["notes"] = json!(false);
    one.stop().await;
    one.start().await;
    one.sync().await;
    let is_empty = format!(
        "SET LOCAL row_security = off; DO $$ BEGIN IF EXISTS (SELECT 1 FROM {0}.note) OR EXISTS \
         (SELECT 1 FROM {0}.meta WHERE key = 'notes_mark') THEN RAISE EXCEPTION 'rows'; END IF; END $$",
        schema.name
    );
    schema.run(&is_empty);
    assert!(!one.record().exists());
    one.stop().await;
    one.settings["store"]["postgres"]["notes"] = json!(true);
    one.start().await;
    one.sync().await;
    assert!(schema.try_run(&is_empty).is_err());
    let list = one.home.state().join("memory-core-rs/main/index.forgotten.jsonl");
    std::fs::write(
        list,
        "{\"id\":\"f1\",\"at\":\"2026-11-26T00:00:00Z\",\"kind\":\"path\",\"path\":\"memory/secret.md\"}\n",
    )
    .unwrap();
    one.sync().await;
    assert!(one.files().contains_key("memory/secret.md"), "the file is the user's");
    schema.run(&format!(
        "SET LOCAL row_security = off; DO $$ BEGIN IF EXISTS (SELECT 1 FROM {0}.note WHERE path = 'memory/secret.md' \
         AND (body IS NOT NULL OR hash IS NOT NULL)) THEN RAISE EXCEPTION 'it is there'; END IF; END $$",
        schema.name
    ));
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    assert_eq!(texts(&two.files()), [("memory/a.md", "The kettle is new.".to_owned())]);
}

// Each name that was tried counted as a note that was refused.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_cannot_be_kept_beside_another_is_refused_once() {
    let Some(schema) = Schema::new() else { return };
    let one = Gateway::new(&schema, &[("memory/a.md", "a")]).await;
    one.sync().await;
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    one.put("memory/a.md", b"a of one");
    one.sync().await;
    two.put("memory/a.md", b"a of two");
    let hash = hex::encode(crate::index::rows::hash(b"a of one"));
    let names = [8, 16, 64].map(|digits| format!("memory/a.conflict-{}.md", &hash[..digits]));
    for name in &names {
        std::fs::create_dir(two.path(name)).unwrap();
    }
    let warning = two.sync_warned().await.warning.unwrap();
    assert!(warning.contains("1 notes were not exchanged"), "{warning}");
    assert_eq!(two.files()["memory/a.md"], b"a of two");
    // Under a longer name there is room, and nothing is refused.
    std::fs::remove_dir(two.path(&names[1])).unwrap();
    let warning = two.sync_warned().await.warning.unwrap();
    assert!(!warning.contains("not exchanged"), "{warning}");
    assert_eq!(two.files()[&names[1]], b"a of one");
    one.sync().await;
    assert_eq!(one.files(), two.files());
}

// Doctor said for ever that nothing was exchanged yet, and hid the texts that are kept beside another.
#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_was_lost_is_exchanged_as_soon_as_both_sides_were_found_the_same() {
    let Some(schema) = Schema::new() else { return };
    let beside = "memory/a.conflict-1a2b3c4d.md";
    let mut gateway = Gateway::new(&schema, &[("memory/a.md", "a"), (beside, "another a")]).await;
    gateway.sync_warned().await;
    gateway.stop().await;
    std::fs::remove_dir_all(gateway.home.state().join("memory-core-rs")).unwrap();
    gateway.start().await;
    gateway.sync_warned().await;
    let checks = gateway.engine().admin.doctor(false).await.unwrap();
    let notes = checks.iter().find(|check| check.name == "notes").unwrap();
    assert!(notes.found.starts_with("2 notes are here and in the database, exchanged last at "), "{notes:?}");
    assert!(!notes.ok && notes.found.contains(beside), "{notes:?}");
    let before = std::fs::read(gateway.record()).unwrap();
    gateway.sync_warned().await;
    assert_eq!(std::fs::read(gateway.record()).unwrap(), before, "nothing is written where nothing changed");
}

// Gateways that ran when the agent left the database had no memory until they were started again.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_runs_when_all_is_removed_from_the_database_goes_on_by_itself() {
    let Some(schema) = Schema::new() else { return };
    let one =
        Gateway::new(&schema, &[("memory/a.md", "The kettle is new."), ("memory/b.md", "The zither is old.")]).await;
    one.sync().await;
    let two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    assert!(one.finds("kettle").await && two.finds("zither").await);
    let context = std::sync::Arc::clone(&one.engine().context);
    let removing = move || context.store().write(|tx| tx.remove_agent());
    tokio::task::spawn_blocking(removing).await.unwrap().unwrap();
    for gateway in [&one, &two] {
        let context = std::sync::Arc::clone(&gateway.engine().context);
        let look = move || crate::index::plan::is_stale(context.store(), &context.settings().settings, &Cancel::new());
        assert!(tokio::task::spawn_blocking(look).await.unwrap().unwrap(), "noticed as after a reset");
        hits(gateway.engine(), "kettle").await;
    }
    two.sync().await;
    one.sync().await;
    two.put("memory/c.md", b"The submarine museum opens at nine.");
    two.sync().await;
    one.sync().await;
    for gateway in [&one, &two] {
        assert_eq!(gateway.files().len(), 3, "{:?}", texts(&gateway.files()));
        assert!(gateway.finds("kettle").await && gateway.finds("zither").await && gateway.finds("submarine").await);
    }
}
