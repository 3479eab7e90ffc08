//! Gateways that share an agent, and have conversations and extra paths of their own.

use serde_json::json;

use super::*;
use crate::{
    forgetting::selection::Target,
    index::plan::is_stale,
    services::{Check, ForgetCall},
};

/// A gateway with a folder of its own beside its notes, and its conversations.
async fn gateway(schema: &Schema, notes: bool, extra: &str) -> Gateway {
    let mut gateway = Gateway::new(schema, &[("MEMORY.md", "The kettle is in the kitchen.")]).await;
    gateway.stop().await;
    gateway.settings["extraPaths"] = json!([extra]);
    gateway.settings["sources"] = json!(["memory", "sessions"]);
    gateway.settings["experimental"] = json!({ "sessionMemory": true });
    gateway.settings["store"]["postgres"]["notes"] = json!(notes);
    gateway.start().await;
    gateway
}

impl Gateway {
    fn said(&self, name: &str, text: &str) {
        let folder = self.home.state().join("agents/main/sessions");
        std::fs::create_dir_all(&folder).unwrap();
        let said =
            json!({ "type": "message", "message": { "role": "user", "content": [{ "type": "text", "text": text }] } });
        std::fs::write(folder.join(name), format!("{said}\n")).unwrap();
    }

    fn unsaid(&self, name: &str) {
        std::fs::remove_file(self.home.state().join("agents/main/sessions").join(name)).unwrap();
    }

    /// A pass, and another gateway may make the next one.
    async fn pass(&self) {
        self.sync().await;
        self.engine().context.store().release_lease().unwrap();
    }

    /// Which of these words it finds.
    async fn found(&self, words: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for word in words {
            if self.finds(word).await {
                found.push((*word).to_owned());
            }
        }
        found
    }

    async fn gateways(&self) -> Check {
        let checks = self.engine().admin.doctor(false).await.unwrap();
        checks.into_iter().find(|check| check.name == "gateways").unwrap()
    }
}

/// Makes all signs but that of one gateway so old.
fn silence(schema: &Schema, but: &Gateway, days: i64) {
    let id = std::fs::read_to_string(but.home.state().join("memory-core-rs/main/index.workspace-id")).unwrap();
    let long_ago = days * 86_400_000;
    schema.run(&format!("UPDATE {}.holder SET seen_ms = seen_ms - {long_ago} WHERE id <> '{id}'", schema.name));
}

const WORDS: [&str; 5] = ["walrus", "quokka", "lighthouse", "windmill", "kettle"];

/// Two gateways, each with a conversation and a file of an extra path.
async fn two(schema: &Schema, notes: bool) -> [Gateway; 2] {
    let one = gateway(schema, notes, "handbook").await;
    let two = gateway(schema, notes, "manual").await;
    one.put("handbook/a.md", b"The walrus keeps the keys.");
    one.said("a.jsonl", "Where is the quokka tonight?");
    two.put("manual/b.md", b"The lighthouse is painted red.");
    two.said("b.jsonl", "When does the windmill turn?");
    [one, two]
}

// Each pass took out of the index what the other one had, and nothing of it was found until that one's next pass.
#[tokio::test(flavor = "multi_thread")]
async fn gateways_with_conversations_and_extra_paths_of_their_own_do_not_take_each_others_out() {
    let Some(schema) = Schema::new() else { return };
    for notes in [false, true] {
        schema.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", schema.name));
        let [one, two] = two(&schema, notes).await;
        for gateway in [&one, &two, &one, &one, &two, &two, &one] {
            gateway.pass().await;
        }
        for gateway in [&one, &two] {
            assert_eq!(gateway.found(&WORDS).await, WORDS, "notes: {notes}");
            let checks = gateway.engine().admin.doctor(false).await.unwrap();
            let disk = checks.iter().find(|check| check.name == "disk").unwrap();
            assert!(disk.ok, "{disk:?}");
        }
        let embedded = [&one, &two].map(|gateway| gateway.home.embedded.load(std::sync::atomic::Ordering::SeqCst));
        assert_eq!(embedded.iter().sum::<usize>(), WORDS.len(), "nothing was paid for twice");
        assert!(one.gateways().await.found.contains("2 files"), "{:?}", one.gateways().await);

        // What is deleted where it was leaves the index, and nothing else does.
        one.remove("handbook/a.md");
        two.unsaid("b.jsonl");
        for gateway in [&two, &one, &two] {
            gateway.pass().await;
        }
        assert_eq!(two.found(&WORDS).await, ["quokka", "lighthouse", "kettle"], "notes: {notes}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_two_have_leaves_the_index_with_the_last_of_them() {
    let Some(schema) = Schema::new() else { return };
    let shared = tempfile::tempdir().unwrap();
    let folder = shared.path().to_str().unwrap();
    let file = shared.path().join("team.md");
    std::fs::write(&file, "The walrus keeps the keys.").unwrap();
    let one = gateway(&schema, true, folder).await;
    let mut two = gateway(&schema, true, folder).await;
    for gateway in [&one, &two] {
        gateway.pass().await;
    }
    // To the second gateway the folder is another one from now on, as if it were its own.
    two.stop().await;
    two.settings["extraPaths"] = json!([]);
    two.start().await;
    for gateway in [&two, &one] {
        gateway.pass().await;
        assert!(gateway.finds("walrus").await);
    }
    std::fs::remove_file(&file).unwrap();
    two.pass().await;
    assert!(two.finds("walrus").await, "the one that has it was not asked yet");
    one.pass().await;
    assert!(!two.finds("walrus").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_gateway_has_that_is_gone_leaves_after_thirty_days_or_at_once_when_it_is_asked_for() {
    let Some(schema) = Schema::new() else { return };
    let [one, mut two] = two(&schema, true).await;
    for gateway in [&one, &two] {
        gateway.pass().await;
    }
    two.stop().await;
    silence(&schema, &one, 29);
    one.pass().await;
    assert_eq!(one.found(&WORDS).await, WORDS);
    assert!(one.gateways().await.found.contains("29 days"), "{:?}", one.gateways().await);
    silence(&schema, &one, 2);
    one.pass().await;
    assert_eq!(one.found(&WORDS).await, ["walrus", "quokka", "kettle"]);
    assert_eq!(one.gateways().await.found.matches("(2 files").count(), 1, "{:?}", one.gateways().await);

    // It comes back with all it had.
    two.start().await;
    two.pass().await;
    one.pass().await;
    assert_eq!(one.found(&WORDS).await, WORDS);
    one.force().await;
    assert_eq!(one.found(&WORDS).await, ["walrus", "quokka", "kettle"], "asked for");
    one.engine().context.store().release_lease().unwrap();
    two.pass().await;
    one.pass().await;
    assert_eq!(one.found(&WORDS).await, WORDS, "and those that are there are back with their next pass");
    one.engine().admin.reset(true).await.unwrap();
    one.engine().context.store().release_lease().unwrap();
    one.pass().await;
    assert_eq!(one.found(&WORDS).await, ["walrus", "quokka", "kettle"]);
}

// A gateway in which nothing happens gave no sign, and after a month its files were those of nobody.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_in_which_nothing_changes_still_gives_a_sign() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema, true).await;
    // It gets the other one's, with its time.
    two.remove("MEMORY.md");
    // What was written this moment is read once more.
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    for file in [one.path("MEMORY.md"), one.path("handbook/a.md"), two.path("manual/b.md")] {
        std::fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    }
    for gateway in [&one, &two] {
        gateway.pass().await;
    }
    let is_stale = async |gateway: &Gateway| {
        let context = std::sync::Arc::clone(&gateway.engine().context);
        let look = move || is_stale(context.store(), &context.settings().settings, &Cancel::new());
        tokio::task::spawn_blocking(look).await.unwrap().unwrap()
    };
    assert!(!is_stale(&two).await);
    silence(&schema, &one, 2);
    assert!(!is_stale(&one).await, "its own sign is young");
    assert!(is_stale(&two).await, "its sign is due");
    two.pass().await;
    assert!(!is_stale(&two).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_files_of_one_name_the_one_modified_last_is_indexed_and_stays() {
    let Some(schema) = Schema::new() else { return };
    let one = gateway(&schema, true, "handbook").await;
    let two = gateway(&schema, true, "handbook").await;
    one.put("handbook/a.md", b"The walrus keeps the keys.");
    two.put("handbook/a.md", b"The quokka keeps the keys, and the lamp.");
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    let earlier = |gateway: &Gateway, by: u64| {
        let file = std::fs::File::options().write(true).open(gateway.path("handbook/a.md")).unwrap();
        file.set_modified(long_ago - Duration::from_secs(by)).unwrap();
    };
    earlier(&one, 60);
    earlier(&two, 0);
    for gateway in [&one, &two, &one, &two] {
        gateway.pass().await;
    }
    assert_eq!(one.sync().await.changed, 0, "it is not written again and again");
    one.engine().context.store().release_lease().unwrap();
    assert_eq!(one.found(&["walrus", "quokka"]).await, ["quokka"]);
    two.remove("handbook/a.md");
    for gateway in [&two, &one] {
        gateway.pass().await;
    }
    assert_eq!(one.found(&["walrus", "quokka"]).await, ["walrus"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_leaves_whoever_has_it() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema, true).await;
    for gateway in [&one, &two] {
        gateway.pass().await;
    }
    let paths = ["manual/b.md", "sessions/main/b.jsonl"].map(str::to_owned).to_vec();
    let call = ForgetCall { target: Target { paths, ..Target::default() }, ..ForgetCall::default() };
    let report = one.engine().admin.forget(call).await.unwrap();
    assert_eq!(report.files.len(), 2, "{report:?}");
    for gateway in [&one, &two] {
        assert_eq!(gateway.found(&WORDS).await, ["walrus", "quokka", "kettle"]);
    }
}

// Rows of before have no owner: whoever sees a file first has it, and what nobody sees leaves, as it did.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_nobody_is_known_to_have_are_taken_over_or_leave() {
    let Some(schema) = Schema::new() else { return };
    let [one, two] = two(&schema, true).await;
    for gateway in [&one, &two] {
        gateway.pass().await;
    }
    schema.run(&format!("DELETE FROM {0}.held; DELETE FROM {0}.holder", schema.name));
    one.pass().await;
    assert_eq!(one.found(&WORDS).await, ["walrus", "quokka", "kettle"]);
    for gateway in [&two, &one] {
        gateway.pass().await;
    }
    assert_eq!(one.found(&WORDS).await, WORDS);
}
