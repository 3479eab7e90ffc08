//! Conversations from files and from a host, through a whole engine: found, followed, left out, gone.

use std::{
    fs,
    io::Write,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value, json};

use crate::forgetting::selection::{Selection, Target};
use crate::services::{
    Engine, ForgetCall, Lease, OpenCall, SearchCall, SyncCall, open,
    testing::{FakeHost, asking, hits, open_call},
};
use crate::{host::Host, transcripts::host::AskHost};
use model::{cancel::Cancel, error::Code, source::Source};

fn call(dir: &Path, sessions: Option<AskHost>, sync: &Value) -> OpenCall {
    let search = json!({
        "provider": "none", "sources": ["memory", "sessions"], "experimental": { "sessionMemory": true }, "sync": sync,
    });
    let host = sessions.map(|ask| Arc::new(FakeHost::default().with_conversations(ask)) as Arc<dyn Host>);
    OpenCall { host, ..open_call(dir, &search) }
}

async fn engine(dir: &Path) -> Lease {
    open(call(dir, None, &json!({}))).await.unwrap().unwrap()
}

async fn sync(engine: &Arc<Engine>, force: bool) -> usize {
    let call = SyncCall { reason: "test".to_owned(), force, text_only: true };
    engine.indexer.sync(call, Cancel::new(), None).await.unwrap().changed
}

async fn paths(engine: &Arc<Engine>, query: &str) -> Vec<String> {
    hits(engine, query).await.into_iter().map(|hit| hit.path).collect()
}

fn said(role: &str, text: &str) -> String {
    json!({ "type": "message", "message": { "role": role, "content": [{ "type": "text", "text": text }] } }).to_string()
}

fn append(dir: &Path, name: &str, lines: &[String]) {
    let folder = dir.join("agents/main/sessions");
    fs::create_dir_all(&folder).unwrap();
    let mut file = fs::OpenOptions::new().create(true).append(true).open(folder.join(name)).unwrap();
    file.write_all(lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes()).unwrap();
}

const A: &str = "sessions/main/a.jsonl";

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_is_found_with_its_line_and_followed() {
    let dir = tempfile::tempdir().unwrap();
    append(
        dir.path(),
        "a.jsonl",
        &[
            r#"{"type":"session","version":3,"id":"a"}"#.to_owned(),
            said("user", "My sister Lena moved to Porto last week."),
            said("toolResult", "a calendar full of weather"),
            said("assistant", "I will remember that Lena lives in Porto now."),
        ],
    );
    let engine = engine(dir.path()).await;
    assert_eq!(sync(&engine, false).await, 1);
    let found = hits(&engine, "Where did my sister Lena move to?").await;
    assert_eq!((found[0].path.as_str(), found[0].source, found[0].start_line), (A, Source::Sessions, 2));
    assert!(found[0].snippet.contains("User: My sister Lena moved to Porto"), "{}", found[0].snippet);
    assert!(paths(&engine, "calendar weather").await.is_empty(), "tools say nothing");

    append(dir.path(), "a.jsonl", &[said("user", "Her dog is called Biscuit.")]);
    assert_eq!(sync(&engine, false).await, 1);
    let found = hits(&engine, "dog Biscuit").await;
    assert_eq!((found[0].path.as_str(), found[0].end_line), (A, 5));
    assert_eq!(sync(&engine, false).await, 0);

    let status = engine.indexer.inspect().await.unwrap();
    assert_eq!(status["status"]["sourceCounts"], json!([{ "source": "sessions", "files": 1, "chunks": 1 }]));
    assert_eq!(status["plan"]["changed"], json!([]));
    assert!(
        engine
            .searcher
            .read_file(crate::workspace::excerpt::ExcerptRequest { path: A.into(), from: None, lines: None })
            .await
            .is_err()
    );
}

// One called as its agent took all of that agent's along, and one with a point in its id was not found.
#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_session_takes_its_own_transcripts_along_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a.jsonl", "v1.2.jsonl"] {
        append(dir.path(), name, &[said("user", "The boiler code is E17.")]);
    }
    let engine = engine(dir.path()).await;
    assert_eq!(sync(&engine, false).await, 2);
    for (session, files) in [("main", None), ("a", Some(A)), ("v1.2", Some("sessions/main/v1.2.jsonl"))] {
        let selection = Selection { sessions: vec![session.to_owned()], ..Selection::default() };
        let target = Target { selection, ..Target::default() };
        let told = engine.admin.forget(ForgetCall { target, dry_run: true, ..ForgetCall::default() }).await;
        match files {
            Some(file) => assert_eq!(told.unwrap().files, [file], "{session}"),
            None => assert_eq!(told.unwrap_err().code(), Code::NotFound, "the agent is no conversation"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_a_shortening_and_a_deletion_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("agents/main/sessions");
    append(dir.path(), "a.jsonl", &[said("user", "The boiler code is E17."), said("user", "The attic is wet.")]);
    let engine = engine(dir.path()).await;
    sync(&engine, false).await;
    fs::rename(folder.join("a.jsonl"), folder.join("a.jsonl.reset.2026-11-20T10-11-12.345Z")).unwrap();
    append(dir.path(), "a.jsonl", &[said("user", "The attic is dry again.")]);
    sync(&engine, false).await;
    assert_eq!(paths(&engine, "boiler code").await, ["sessions/main/a.jsonl.reset.2026-11-20T10-11-12.345Z"]);
    assert!(paths(&engine, "attic dry again").await.contains(&A.to_owned()));
    fs::remove_file(folder.join("a.jsonl.reset.2026-11-20T10-11-12.345Z")).unwrap();
    sync(&engine, false).await;
    assert!(paths(&engine, "boiler code").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_only_indexed_is_found_by_nobody_who_does_not_name_it() {
    let dir = tempfile::tempdir().unwrap();
    append(dir.path(), "a.jsonl", &[said("user", "The canary of Ana is called Pip.")]);
    append(dir.path(), "b.jsonl", &[said("user", "The canary of Berg is called Zip.")]);
    for ranking in ["native", "memory-core"] {
        let search = json!({ "provider": "none", "query": { "ranking": ranking, "minScore": 0.01 } });
        let mut open_it = open_call(dir.path(), &search);
        open_it.config["remembersConversations"] = json!(true);
        let engine = open(open_it).await.unwrap().unwrap();
        sync(&engine, false).await;
        assert_eq!(engine.status()["sources"], json!(["memory", "sessions"]));
        let ask = async |sources: Vec<Source>, conversations: Option<&[&str]>| {
            let conversations = conversations.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
            let call = SearchCall { sources, conversations, ..asking("canary called") };
            let answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
            let mut paths: Vec<String> = answer.hits.into_iter().map(|hit| hit.path).collect();
            paths.sort();
            paths.dedup();
            paths
        };
        for sources in [vec![], vec![Source::Memory], vec![Source::Sessions], vec![Source::Memory, Source::Sessions]] {
            assert!(ask(sources.clone(), None).await.is_empty(), "{ranking} {sources:?}");
            assert!(ask(sources, Some(&[])).await.is_empty());
        }
        assert_eq!(ask(vec![Source::Sessions], Some(&["a"])).await, [A], "{ranking}");
        assert_eq!(ask(vec![], Some(&["a", "b"])).await.len(), 2, "{ranking}");
        engine.release().await;
    }
}

// Whoever switched it off was still shown other people's conversations until the next pass had taken them out.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_indexed_no_more_is_found_by_nobody_also_before_it_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    append(dir.path(), "a.jsonl", &[said("user", "The canary of Ana is called Pip.")]);
    fs::create_dir_all(dir.path().join("workspace")).unwrap();
    fs::write(dir.path().join("workspace/MEMORY.md"), "A canary called Zip.").unwrap();
    let settings = |sessions: bool| {
        let sources = if sessions { json!(["memory", "sessions"]) } else { json!(["memory"]) };
        let sync = json!({ "onSearch": false });
        json!({
            "provider": "none", "sources": sources, "experimental": { "sessionMemory": sessions }, "sync": sync,
            "query": { "minScore": 0.01 },
        })
    };
    let first = open(open_call(dir.path(), &settings(true))).await.unwrap().unwrap();
    sync(&first, false).await;
    assert_eq!(paths(&first, "canary called").await.len(), 2);
    first.release().await;
    let engine = open(open_call(dir.path(), &settings(false))).await.unwrap().unwrap();
    for (sources, conversations, wanted) in [
        (vec![], None, vec!["MEMORY.md"]),
        (vec![Source::Sessions], None, vec![]),
        (vec![Source::Sessions], Some(vec!["a".to_owned()]), vec![]),
        (vec![], Some(vec!["a".to_owned()]), vec!["MEMORY.md"]),
    ] {
        let call = SearchCall { sources, conversations, ..asking("canary called") };
        let answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
        assert_eq!(answer.hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), wanted);
    }
    engine.release().await;
}

// The setting was read and used by nothing.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_compaction_the_conversation_is_taken_up_unless_that_is_switched_off() {
    for wanted in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let settings = json!({ "sessions": { "postCompactionForce": wanted } });
        let engine = open(call(dir.path(), None, &settings)).await.unwrap().unwrap();
        // An index that is empty would be filled by the search.
        fs::create_dir_all(dir.path().join("workspace")).unwrap();
        fs::write(dir.path().join("workspace/MEMORY.md"), "The boiler code is E17.").unwrap();
        sync(&engine, false).await;
        // Far less than what starts a sync by itself.
        append(dir.path(), "a.jsonl", &[said("user", "My sister Lena moved to Porto.")]);
        let compacted = SyncCall { reason: "post-compaction".to_owned(), force: false, text_only: false };
        let report = engine.indexer.sync(compacted, Cancel::new(), None).await.unwrap();
        assert_eq!(report.changed, usize::from(wanted));
        assert_eq!(paths(&engine, "sister Lena").await.len(), usize::from(wanted));
        // Any other sync takes it up all the same.
        assert_eq!(sync(&engine, false).await, usize::from(!wanted));
        engine.release().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn machines_and_secrets_stay_out() {
    let dir = tempfile::tempdir().unwrap();
    let key = ["sk-proj-", "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"].concat();
    append(dir.path(), "a.jsonl", &[said("user", &format!("The zebra key is {key}"))]);
    append(dir.path(), "cron.jsonl", &[said("assistant", "The zebra backup ran.")]);
    append(
        dir.path(),
        "old.jsonl",
        &[said("user", "[cron:backup] run the zebra backup"), said("assistant", "zebra done")],
    );
    append(dir.path(), "sub.jsonl", &[said("assistant", "The zebra report.")]);
    fs::write(
        dir.path().join("agents/main/sessions/sessions.json"),
        r#"{"agent:main:main":{"sessionId":"a"},"agent:main:cron:backup":{"sessionId":"cron"},
            "agent:main:helper":{"sessionId":"sub","spawnedBy":"agent:main:main"}}"#,
    )
    .unwrap();
    let engine = engine(dir.path()).await;
    sync(&engine, false).await;
    let found = hits(&engine, "zebra").await;
    assert_eq!(found.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), [A]);
    assert!(found[0].snippet.contains("[redacted:openai-key]") && !found[0].snippet.contains(&key));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_and_other_sources_keep_what_they_should() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("workspace")).unwrap();
    fs::write(dir.path().join("workspace/MEMORY.md"), "# Memory\n\nThe favourite tea is sencha.\n").unwrap();
    append(dir.path(), "a.jsonl", &[said("user", "My sister Lena moved to Porto.")]);
    let lease = engine(dir.path()).await;
    sync(&lease, false).await;
    sync(&lease, true).await;
    assert_eq!(paths(&lease, "Lena Porto").await, [A]);
    let only = |sources: Value| {
        let mut call = call(dir.path(), None, &json!({}));
        call.config["memory"]["search"]["sources"] = sources;
        call
    };
    let lease = open(only(json!(["sessions"]))).await.unwrap().unwrap();
    sync(&lease, false).await;
    assert!(paths(&lease, "favourite tea").await.is_empty());
    assert_eq!(paths(&lease, "Lena Porto").await, [A]);
    let lease = open(only(json!(["memory"]))).await.unwrap().unwrap();
    sync(&lease, false).await;
    assert_eq!(paths(&lease, "favourite tea").await, ["MEMORY.md"]);
    assert!(paths(&lease, "Lena Porto").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_that_repeats_a_conversation_is_one_result() {
    let dir = tempfile::tempdir().unwrap();
    let notes = dir.path().join("workspace/memory");
    fs::create_dir_all(&notes).unwrap();
    let words = "The landlord agreed to replace the kitchen boiler before the first frost in December.";
    let note = format!(
        "# Session: 2026-11-20 10:00:00 UTC\n\n- **Session Key**: agent:main:main\n\n## Conversation Summary\n\nuser: {words}\n"
    );
    fs::write(notes.join("2026-11-20-1000.md"), note).unwrap();
    append(dir.path(), "a.jsonl", &[said("user", words)]);
    for ranking in ["native", "memory-core"] {
        let mut call = call(dir.path(), None, &json!({}));
        call.config["memory"]["search"]["query"] = json!({ "ranking": ranking });
        let lease = open(call).await.unwrap().unwrap();
        sync(&lease, false).await;
        let found = paths(&lease, "landlord kitchen boiler frost").await;
        assert_eq!(found.len(), 1, "{ranking}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn little_news_waits_and_enough_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let lease = engine(dir.path()).await;
    sync(&lease, false).await;
    append(dir.path(), "a.jsonl", &[said("user", "The gate opens at nine.")]);
    let due = |engine: &Arc<Engine>| engine.indexer.sessions_due(&engine.settings().settings);
    assert!(!due(&lease).unwrap(), "one fresh message is not enough");
    append(dir.path(), "a.jsonl", &vec![said("user", "and more"); 50]);
    assert!(due(&lease).unwrap(), "fifty are");
    sync(&lease, false).await;
    assert!(!due(&lease).unwrap());
    append(dir.path(), "a.jsonl", &[said("user", "The gate closes at ten.")]);
    assert!(!due(&lease).unwrap());
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let path = dir.path().join("agents/main/sessions/a.jsonl");
    fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    assert!(due(&lease).unwrap(), "a conversation at rest is read to its end");
    sync(&lease, false).await;
    let lease = open(call(dir.path(), None, &json!({ "sessions": { "deltaMessages": 0 } }))).await.unwrap().unwrap();
    append(dir.path(), "a.jsonl", &[said("user", "The gate is green.")]);
    assert!(due(&lease).unwrap(), "with 0, anything is enough");
}

/// A host with one conversation of numbered messages.
fn host(messages: &'static [&'static str], reads: Arc<AtomicUsize>, present: Arc<AtomicUsize>) -> AskHost {
    Arc::new(move |request| {
        let count = present.load(Ordering::SeqCst);
        let answer = match request["kind"].as_str() {
            Some("list") => json!({ "complete": true, "sessions": [
                { "sessionKey": "agent:main:main", "sessionId": "s1", "updatedAtMs": 1_000 + count, "hookSource": "gmail" },
                { "sessionKey": "agent:main:cron:j", "sessionId": "s2", "updatedAtMs": 5 },
            ]}),
            _ => {
                reads.fetch_add(1, Ordering::SeqCst);
                let from: usize = request["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap_or(usize::MAX));
                if count == 0 {
                    json!({ "kind": "missing" })
                } else if from > count {
                    json!({ "kind": "reset" })
                } else {
                    // Two at a time.
                    let to = (from + 2).min(count);
                    let page: Vec<Value> =
                        (from..to).map(|n| json!({ "line": n + 1, "role": "user", "text": messages[n] })).collect();
                    json!({ "kind": "page", "cursor": to.to_string(), "more": to < count, "messages": page })
                }
            }
        };
        Box::pin(async move { Ok(answer) })
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_keeps_conversations_itself_is_asked_for_what_is_new() {
    const SAID: &[&str] = &["Lena moved to Porto.", "She has a dog.", "The dog is Biscuit.", "It barks."];
    let dir = tempfile::tempdir().unwrap();
    // A file of the same conversation from before the host had a database.
    append(dir.path(), "s1.jsonl", &[said("user", "Lena moved to Porto.")]);
    let (reads, present) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(3)));
    let asked = host(SAID, Arc::clone(&reads), Arc::clone(&present));
    let lease = open(call(dir.path(), Some(asked), &json!({}))).await.unwrap().unwrap();
    sync(&lease, false).await;
    assert_eq!(reads.load(Ordering::SeqCst), 2, "two pages");
    let found = hits(&lease, "Biscuit").await;
    assert_eq!((found[0].path.as_str(), found[0].end_line), ("sessions/main/s1.jsonl", 3));
    assert_eq!(paths(&lease, "Lena Porto").await.len(), 1);

    sync(&lease, false).await;
    assert_eq!(reads.load(Ordering::SeqCst), 2, "nothing new, nothing read");
    present.store(4, Ordering::SeqCst);
    sync(&lease, false).await;
    assert_eq!(reads.load(Ordering::SeqCst), 3, "only what is new");
    assert_eq!(hits(&lease, "barks").await[0].end_line, 4);

    present.store(1, Ordering::SeqCst);
    sync(&lease, false).await;
    assert!(hits(&lease, "barks").await.is_empty(), "the host rewrote the conversation");
    assert_eq!(paths(&lease, "Lena Porto").await.len(), 1);
    sync(&lease, true).await;
    assert_eq!(paths(&lease, "Lena Porto").await.len(), 1, "a rebuild asks from the beginning");
    present.store(0, Ordering::SeqCst);
    sync(&lease, false).await;
    assert!(paths(&lease, "Lena Porto").await.is_empty());
}

// A policy that is set later takes out what is indexed already, on hosts with files and on those without.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_the_policy_leaves_out_is_not_indexed_and_leaves_the_index() {
    let with_policy = |mut call: OpenCall, policy: Value| {
        call.config["plugins"]["entries"]["memory-core-rs"]["config"]["memoryPolicy"] =
            json!({ "excludeSessions": policy });
        call
    };
    let dir = tempfile::tempdir().unwrap();
    append(dir.path(), "a.jsonl", &[said("user", "Lena moved to Porto.")]);
    append(dir.path(), "b.jsonl", &[said("user", "Biscuit is the dog of Lena.")]);
    let list = r#"{"agent:main:main":{"sessionId":"a","lastChannel":"telegram","chatType":"direct"},
        "agent:main:discord:direct:7":{"sessionId":"b"}}"#;
    fs::write(dir.path().join("agents/main/sessions/sessions.json"), list).unwrap();
    let lease = open(call(dir.path(), None, &json!({}))).await.unwrap().unwrap();
    sync(&lease, false).await;
    assert_eq!((paths(&lease, "Porto").await.len(), paths(&lease, "Biscuit").await.len()), (1, 1));
    for (policy, left) in [
        (json!({ "channels": ["telegram"] }), (0, 1)),
        (json!({ "channels": ["discord"] }), (1, 0)),
        (json!({ "chatTypes": ["direct"] }), (0, 0)),
        (json!({ "chatTypes": ["group"] }), (1, 1)),
    ] {
        let lease = open(with_policy(call(dir.path(), None, &json!({})), policy.clone())).await.unwrap().unwrap();
        sync(&lease, false).await;
        assert_eq!((paths(&lease, "Porto").await.len(), paths(&lease, "Biscuit").await.len()), left, "{policy}");
    }

    const SAID: &[&str] = &["The ferry leaves at nine."];
    let dir = tempfile::tempdir().unwrap();
    let asked = || host(SAID, Arc::default(), Arc::new(AtomicUsize::new(1)));
    let lease = open(call(dir.path(), Some(asked()), &json!({}))).await.unwrap().unwrap();
    sync(&lease, false).await;
    assert_eq!(paths(&lease, "ferry").await.len(), 1);
    let policy = json!({ "hookExternalContentSources": ["gmail"] });
    let lease = open(with_policy(call(dir.path(), Some(asked()), &json!({})), policy)).await.unwrap().unwrap();
    sync(&lease, false).await;
    assert!(paths(&lease, "ferry").await.is_empty());
}
