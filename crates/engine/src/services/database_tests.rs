//! An engine whose index is in a PostgreSQL database, beside one with a file.

mod reaching;

use serde_json::{Value, json};

use super::testing::{Home, open_call};
use model::error::Code;

fn settings(schema: &str) -> Value {
    json!({
        "provider": "bedrock",
        "model": "titan",
        // What is found is found in the database, and not because a search has read the notes.
        "sync": { "onSearch": false, "onSessionStart": false, "watch": false },
        "store": { "driver": "postgres", "postgres": { "schema": schema, "statementTimeoutMs": 300_000 } },
    })
}

/// Why opening was refused.
async fn refusal(settings: &Value, url: Option<&str>) -> model::error::Error {
    let dir = tempfile::tempdir().unwrap();
    let mut call = open_call(dir.path(), settings);
    call.database_url = url.map(embed::secret::Secret::new);
    let refused = super::open(call).await.err().expect("it opened");
    assert!(refused.remedy.is_some(), "{refused}");
    assert!(!dir.path().join("memory-core-rs").exists(), "no file in its place");
    refused
}

#[tokio::test]
async fn a_database_without_address_is_no_reason_to_begin_a_file() {
    let refused = refusal(&settings("openclaw_memory"), None).await;
    assert_eq!(refused.code(), Code::Config);
    assert!(refused.message.contains("store.postgres.url"), "{refused}");
}

#[tokio::test]
async fn the_ranking_of_memory_core_is_refused_in_a_database() {
    let mut settings = settings("openclaw_memory");
    settings["query"] = json!({ "ranking": "memory-core" });
    let refused = refusal(&settings, Some("postgresql://localhost/none")).await;
    assert_eq!(refused.code(), Code::Config);
    assert!(refused.message.contains("query.ranking"), "{refused}");
}

#[cfg(not(feature = "postgres"))]
#[tokio::test]
async fn an_addon_that_is_built_without_databases_says_so() {
    let refused = refusal(&settings("openclaw_memory"), Some("postgresql://localhost/none")).await;
    assert_eq!(refused.code(), Code::Config);
    assert!(refused.message.contains("speaks with no PostgreSQL"), "{refused}");
}

#[cfg(feature = "postgres")]
mod with_server {
    use std::{
        collections::HashSet,
        path::Path,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    use super::{super::testing_database::Schema, *};
    use crate::{
        index::owner::Adoption,
        services::{
            Lease, OpenCall, Progress, SearchCall, SyncCall, copy_store,
            testing::{FakeHost, asking, sync},
        },
    };
    use ::search::types::Hit;
    use model::{cancel::Cancel, error::Error};
    use store::copying::VectorsCopied;

    mod waits;

    /// The names of all files below a folder.
    fn files(folder: &Path) -> Vec<String> {
        let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
        entries
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    const WORDS: &[&str] = &[
        "kettle", "harbour", "invoice", "lantern", "orchard", "passport", "quartz", "ribbon", "saddle", "teapot",
        "umbrella", "violin", "walnut", "yoghurt", "zeppelin", "anchor", "basket", "candle", "dolphin", "engine",
        "falcon", "garden", "hammer", "island", "jacket", "kitchen", "ladder", "mirror", "needle", "ocean", "pencil",
        "quiver", "rocket", "sandal", "tunnel", "uncle", "valley", "window", "yellow", "zebra",
    ];

    /// Some word of them, by a number: the same in every run, and some much more often than others.
    fn word(seed: usize) -> &'static str {
        let mixed = seed.wrapping_mul(2_654_435_761) >> 7;
        let (a, b) = (mixed % WORDS.len(), (mixed / 64) % WORDS.len());
        WORDS[a.min(b)]
    }

    fn sentence(seed: usize, words: usize) -> String {
        (0..words).map(|n| word(seed * 31 + n)).collect::<Vec<_>>().join(" ")
    }

    /// Notes of several parts, in folders, with words that are everywhere and some that stand in one only.
    fn notes() -> Vec<(String, String)> {
        let note = |n: usize| {
            let mut text = format!("# About {} {n}\n", word(n));
            for part in 0..1 + n % 4 {
                let seed = n * 7 + part;
                text += &format!("\n## {}\n\n{}. Code{n}x{part}.\n", sentence(seed, 2), sentence(seed, 8 + seed % 60));
            }
            (format!("memory/{}/note-{n}.md", word(n + 1)), text)
        };
        (0..150).map(note).collect()
    }

    fn queries() -> Vec<String> {
        let query = |n: usize| match n % 5 {
            0 => format!("what did we say about {}?", sentence(n, 3)),
            1 => sentence(n + 500, 2),
            2 => format!("code{}x0", n % 150),
            3 => format!("{} {}", word(n), "of the nothing-at-all"),
            _ => sentence(n + 900, 6),
        };
        (0..120).map(query).collect()
    }

    async fn ask(engine: &Lease, query: &str, lexical_only: bool) -> Vec<Hit> {
        let call = SearchCall { lexical_only, ..asking(query) };
        let answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
        assert_eq!(answer.warning, None);
        answer.hits
    }

    /// Where hits are, with their scores.
    fn places(hits: &[Hit]) -> Vec<(String, u32, u32, f64)> {
        let place = |hit: &Hit| (hit.path.clone(), hit.start_line, hit.end_line, hit.score);
        hits.iter().map(place).collect()
    }

    /// Whether hits are the same in the same order. Both add up a cosine in an order of their own, so that scores differ by
    /// what floats do.
    fn are_alike(ours: &[Hit], theirs: &[Hit]) -> bool {
        let is_alike = |(a, b): (&Hit, &Hit)| {
            (&a.path, a.start_line, a.end_line) == (&b.path, b.start_line, b.end_line)
                && (a.score - b.score).abs() < 1e-4
        };
        ours.len() == theirs.len() && ours.iter().zip(theirs).all(is_alike)
    }

    async fn finds(engine: &Lease, query: &str, path: &str) -> bool {
        ask(engine, query, false).await.first().is_some_and(|hit| hit.path == path)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn it_finds_what_one_with_a_file_finds_and_needs_no_file_to_go_on() {
        let Some(schema) = Schema::new() else { return };
        let notes = notes();
        let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let mut home = Home::new(&notes);
        home.database = Some(schema.url.clone());
        let beside = home.dir.path().join("beside");
        let in_file = home.open().await;
        sync(&in_file).await;
        let paid = home.embedded.load(Ordering::SeqCst);
        let engine = home.open_apart(settings(&schema.name), &beside).await;
        sync(&engine).await;
        assert_eq!(home.embedded.load(Ordering::SeqCst), 2 * paid, "each has its own vectors");
        let (mut found, mut same, mut by_words) = (0, 0, HashSet::new());
        let queries = queries();
        for query in &queries {
            let words = (ask(&in_file, query, true).await, ask(&engine, query, true).await);
            assert_eq!(places(&words.0), places(&words.1), "{query:?} by words alone");
            by_words.extend(words.0.iter().map(|hit| hit.path.clone()));
            let both = (ask(&in_file, query, false).await, ask(&engine, query, false).await);
            found += usize::from(!both.0.is_empty());
            same += usize::from(are_alike(&both.0, &both.1));
        }
        assert!(by_words.len() > 50 && found > queries.len() * 9 / 10, "{} {found}", by_words.len());
        assert!(same * 100 >= queries.len() * 99, "{same} of {} are the same", queries.len());
        // One that has vectors compared by the database finds the same first; in memory those of 26 numbers are coded roughly.
        home.database = Some(format!("{}?application_name=far", schema.url));
        let mut chosen = settings(&schema.name);
        chosen["store"]["postgres"]["search"] = json!("database");
        let far = home.open_apart(chosen, &home.dir.path().join("far")).await;
        assert_eq!(far.indexer.inspect().await.unwrap()["database"]["comparing"]["inDatabase"], json!(true));
        let checks = far.admin.doctor(false).await.unwrap();
        assert!(checks.iter().any(|check| check.found.starts_with("compared in the database")), "{checks:?}");
        let mut other = Vec::new();
        for query in &queries {
            let [here, there] = [ask(&engine, query, false).await, ask(&far, query, false).await];
            let first = |hits: &[Hit]| hits.first().map(|hit| hit.path.clone());
            other.extend((first(&here) != first(&there)).then_some(query));
        }
        assert!(other.len() * 20 <= queries.len(), "{other:?}");
        far.release().await;
        home.database = Some(schema.url.clone());
        home.write("memory/new.md", "# New\n\nThe xylophone is under the stairs.\n");
        sync(&engine).await;
        assert!(finds(&engine, "xylophone", "memory/new.md").await);
        // Nothing but the database remembers it.
        engine.release().await;
        assert_eq!(files(&beside), ["index.workspace-id"], "nothing else is kept on the disk");
        std::fs::remove_dir_all(&beside).unwrap();
        let paid = home.embedded.load(Ordering::SeqCst);
        let engine = home.open_apart(settings(&schema.name), &beside).await;
        assert!(finds(&engine, "xylophone", "memory/new.md").await);
        let report = sync(&engine).await;
        assert_eq!((report.changed, report.chunks, report.warning.clone()), (0, 0, None), "the notes are the same");
        // One question was embedded anew, as nothing of it was kept.
        assert!(home.embedded.load(Ordering::SeqCst) <= paid + 1);
        // A second engine of the same agent, with connections of its own as in another gateway.
        let mut other = Home::new(&notes);
        other.write("memory/new.md", "# New\n\nThe xylophone is under the stairs.\n");
        other.database = Some(format!("{}?application_name=second", schema.url));
        let elsewhere = other.dir.path().join("beside");
        let second = other.open_apart(settings(&schema.name), &elsewhere).await;
        assert!(finds(&second, "xylophone", "memory/new.md").await, "it need not index anything");
        home.write("memory/newer.md", "# Newer\n\nThe theremin is in the attic.\n");
        sync(&engine).await;
        assert!(finds(&second, "theremin", "memory/newer.md").await, "what one writes the other sees");
        engine.admin.reset(true).await.unwrap();
        assert_eq!(ask(&second, "xylophone", true).await.len(), 1, "what one clears the other makes anew");
        second.release().await;
        engine.release().await;
        in_file.release().await;
    }

    // Only tests and a bench made room of merged words usable again, and only they removed vectors that nobody used.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_pass_makes_room_usable_again_and_removes_vectors_beyond_the_limit() {
        let Some(schema) = Schema::new() else { return };
        let mut home = Home::new(&[("memory/a.md", "The kettle is new.\n"), ("memory/b.md", "The lantern is old.\n")]);
        home.database = Some(schema.url.clone());
        let mut settings = settings(&schema.name);
        settings["cache"] = json!({ "maxEntries": 1 });
        let engine = home.open_set(settings).await;
        sync(&engine).await;
        let count = || engine.context.store().read(|reader| reader.embedding_count()).unwrap();
        let vectors = || std::thread::scope(|scope| scope.spawn(count).join().unwrap());
        assert_eq!(vectors(), 2, "what is in use stays");
        schema.run(&format!(
            "INSERT INTO {0}.lex SELECT 0, 0, 0, n, '' FROM generate_series(1, 2000) n; DELETE FROM {0}.lex WHERE agent = 0",
            schema.name
        ));
        home.write("memory/a.md", "The kettle was sold.\n");
        let is_cleared = format!(
            "DO $$ BEGIN IF (SELECT vacuum_count FROM pg_stat_user_tables WHERE relid = '{}.lex'::regclass) = 0 THEN \
             RAISE EXCEPTION 'not yet'; END IF; END $$",
            schema.name
        );
        let began = std::time::Instant::now();
        assert!(schema.try_run(&is_cleared).is_err());
        sync(&engine).await;
        while schema.try_run(&is_cleared).is_err() || vectors() > 2 {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing was cleared, or {} vectors stay", vectors());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        engine.release().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_host_tells_the_password_of_each_connection_and_nothing_repeats_it() {
        let Some(schema) = Schema::new() else { return };
        let (login, server) = schema.url.split_once('@').unwrap();
        let (address, password) = login.rsplit_once(':').unwrap();
        let home = Home::new(&[("memory/a.md", "The kettle is new.\n")]);
        let told = Arc::new(parking_lot::Mutex::new(Err("the token is away".to_owned())));
        let asked = Arc::new(AtomicUsize::new(0));
        let call = || {
            let (told, asked) = (Arc::clone(&told), Arc::clone(&asked));
            let host = FakeHost::default().with_password(move || {
                asked.fetch_add(1, Ordering::SeqCst);
                told.lock().clone().map_err(|why| Error::new(Code::Config, why))
            });
            OpenCall {
                state_dir: home.state(),
                workspace_dir: Some(home.workspace()),
                // Connections of its own.
                database_url: Some(embed::secret::Secret::new(format!("{address}@{server}?application_name=told"))),
                host: Some(Arc::new(host)),
                ..open_call(home.dir.path(), &settings(&schema.name))
            }
        };
        let refused = crate::services::open(call()).await.err().expect("it opened");
        assert!(refused.message.contains("the token is away"), "{refused}");
        assert!(refused.remedy.as_ref().is_some_and(|remedy| remedy.contains("store.postgres.password")), "{refused}");
        *told.lock() = Ok("c4nary".to_owned());
        let refused = crate::services::open(call()).await.err().expect("it opened");
        assert!(refused.message.contains("refused user or password"), "{refused}");
        assert!(!format!("{refused} {refused:?}").contains("c4nary"), "{refused:?}");
        *told.lock() = Ok(password.to_owned());
        let engine = crate::services::open(call()).await.unwrap().unwrap();
        let before = asked.load(Ordering::SeqCst);
        let text_only = SyncCall { reason: "test".into(), force: false, text_only: true };
        engine.indexer.sync(text_only, Cancel::new(), None).await.unwrap();
        assert_eq!(ask(&engine, "kettle", true).await.len(), 1);
        assert!(asked.load(Ordering::SeqCst) <= before + 4, "once a connection, of which there are four at most");
        let status = serde_json::to_string(&engine.status()).unwrap();
        assert!(!status.contains(password), "{status}");
        engine.release().await;
    }

    // Whoever went over to a database would have paid for all texts once more.
    #[tokio::test(flavor = "multi_thread")]
    async fn vectors_of_the_file_that_the_index_was_are_taken_over() {
        let Some(schema) = Schema::new() else { return };
        let mut home =
            Home::new(&[("MEMORY.md", "# Tea\n\nGreen, and not too hot.\n"), ("memory/a.md", "The kettle is new.\n")]);
        home.database = Some(schema.url.clone());
        let in_file = home.open().await;
        sync(&in_file).await;
        in_file.release().await;
        let paid = home.embedded.load(Ordering::SeqCst);
        assert!(paid > 0);
        let engine = home.open_set(settings(&schema.name)).await;
        sync(&engine).await;
        assert_eq!(home.embedded.load(Ordering::SeqCst), paid);
        assert!(finds(&engine, "kettle", "memory/a.md").await);
        engine.release().await;
    }

    // What was paid for came along into a database by itself, and there was no way back.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_copy_takes_along_what_was_paid_for_both_ways() {
        let Some(schema) = Schema::new() else { return };
        let notes = notes();
        let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let mut home = Home::new(&notes);
        home.database = Some(schema.url.clone());
        let asked: Vec<String> = queries().into_iter().step_by(4).collect();
        let in_file = home.open().await;
        sync(&in_file).await;
        let paid = || home.embedded.load(Ordering::SeqCst);
        let of_notes = paid();
        let mut expected = Vec::new();
        for query in &asked {
            expected.push(ask(&in_file, query, false).await);
        }
        let cost = in_file.context.store().read(|r| r.usage_of("", "9")).unwrap().remove(0).spent;
        assert!(cost.embedded > 0);
        assert!(expected.iter().filter(|hits| !hits.is_empty()).count() * 10 > asked.len() * 9);
        in_file.release().await;
        // Whichever of both the settings choose.
        let mut chosen = settings(&schema.name);
        let steps = Arc::new(AtomicUsize::new(0));
        let mut copy = async |into_database: bool, driver: &str, most: usize| {
            chosen["store"]["driver"] = json!(driver);
            let call = OpenCall {
                state_dir: home.state(),
                workspace_dir: Some(home.workspace()),
                database_url: home.database.clone().map(embed::secret::Secret::new),
                ..open_call(home.dir.path(), &chosen)
            };
            let (counted, cancel) = (Arc::clone(&steps), Cancel::new());
            let stop = cancel.clone();
            let progress: Progress = Arc::new(move |step| {
                assert!(step.completed <= step.total);
                counted.fetch_add(1, Ordering::SeqCst);
                if step.completed >= most {
                    stop.cancel();
                }
            });
            copy_store(call, into_database, cancel, progress).await.map(|done| done.unwrap().copied)
        };
        assert_eq!(copy(true, "sqlite", 100).await.unwrap_err().code(), Code::Cancelled);
        let there = copy(true, "sqlite", usize::MAX).await.unwrap();
        assert!(there.known >= 100 && there.vectors > there.known, "it went on where it was stopped: {there:?}");
        let again = copy(true, "postgres", usize::MAX).await.unwrap();
        assert_eq!(again, VectorsCopied { known: there.vectors, ..there }, "nothing twice");
        let forget_file = || {
            for name in files(&home.state()).iter().filter(|name| name.starts_with("index.sqlite")) {
                std::fs::remove_file(home.state().join("memory-core-rs/main").join(name)).unwrap();
            }
        };
        // Nothing but the copy can have them.
        forget_file();
        let before = paid();
        let engine = home.open_set(settings(&schema.name)).await;
        let known = tokio::task::block_in_place(|| engine.context.store().read(|r| r.usage_of("", "9")));
        let known = known.unwrap().remove(0).spent;
        // What the searches sent is booked when the engine ends.
        assert!(known.sent.texts >= cost.sent.texts && known.embedded == cost.embedded, "{known:?} {cost:?}");
        let report = sync(&engine).await;
        assert_eq!((paid(), report.pending, report.changed), (before, 0, notes.len()));
        let mut same = 0;
        for (query, expected) in asked.iter().zip(&expected) {
            same += usize::from(are_alike(expected, &ask(&engine, query, false).await));
        }
        assert!(same * 100 >= asked.len() * 99, "{same} of {}", asked.len());
        engine.release().await;

        let back = copy(false, "postgres", usize::MAX).await.unwrap();
        assert_eq!(back, VectorsCopied { known: 0, ..there }, "and back, where nothing of it was left");
        schema.run(&format!("DROP SCHEMA {} CASCADE", schema.name));
        let before = paid();
        let in_file = home.open().await;
        let report = sync(&in_file).await;
        assert_eq!((paid(), report.pending), (before, 0));
        for (query, expected) in asked.iter().zip(&expected) {
            assert_eq!(places(&ask(&in_file, query, false).await), places(expected), "{query:?}");
        }
        in_file.release().await;
        assert!(steps.load(Ordering::SeqCst) > 5 && of_notes > 50);
    }

    // A container without a disk of its own comes up with an empty workspace: its first pass would have removed all there is.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_workspace_that_is_empty_or_another_one_changes_nothing_until_it_is_told_to() {
        let Some(schema) = Schema::new() else { return };
        let note = ("memory/tea.md", "The kettle is in the kitchen.\n");
        let mut home = Home::new(&[note, ("memory/a.md", "One.\n"), ("memory/b.md", "Two.\n")]);
        home.database = Some(schema.url.clone());
        let engine = home.open_set(settings(&schema.name)).await;
        sync(&engine).await;
        for (n, notes) in [&[][..], &[("memory/other.md", "A notebook of somebody else.\n")]].into_iter().enumerate() {
            let mut other = Home::new(notes);
            std::fs::create_dir_all(other.workspace()).unwrap();
            // Connections of its own, as those of another gateway.
            other.database = Some(format!("{}?application_name=other{n}", schema.url));
            engine.context.store().release_lease().unwrap();
            let foreign = other.open_set(settings(&schema.name)).await;
            let report = sync(&foreign).await;
            let warning = report.warning.clone().unwrap();
            assert!(warning.contains("of other notes"), "{warning}");
            assert_eq!((report.removed, report.changed), (0, 0));
            assert!(finds(&foreign, "kettle", note.0).await, "what is known is found");
            assert!(ask(&foreign, "notebook", true).await.is_empty(), "and nothing of its own is added");
            foreign.release().await;
        }
        assert_eq!(sync(&engine).await.warning, None);
        assert!(finds(&engine, "kettle", note.0).await);
        engine.release().await;

        // The state was lost with the container, and the notes came back from elsewhere: they are known by what they are.
        let mut again = Home::new(&[note, ("memory/a.md", "One.\n"), ("memory/c.md", "Three and more.\n")]);
        again.database = Some(schema.url.clone());
        let engine = again.open_set(settings(&schema.name)).await;
        let report = sync(&engine).await;
        assert_eq!((report.warning.as_deref(), report.removed), (None, 1));
        engine.release().await;

        // Said in so many words, it is made that of these notes.
        let mut other = Home::new(&[("memory/other.md", "A notebook of somebody else.\n")]);
        other.database = Some(schema.url.clone());
        let engine = other.open_set(settings(&schema.name)).await;
        let adoption = engine.admin.adoption().await.unwrap();
        assert_eq!(
            adoption,
            Adoption { ours: false, known: 3, same: 0, changed: 0, missing: 3, new: 1, kept: false, foreign: true }
        );
        let call = SyncCall { reason: "test".into(), force: true, text_only: false };
        engine.indexer.sync(call, Cancel::new(), None).await.unwrap();
        let adoption = engine.admin.adoption().await.unwrap();
        assert_eq!(
            adoption,
            Adoption { ours: true, known: 1, same: 1, changed: 0, missing: 0, new: 0, kept: false, foreign: false }
        );
        assert!(finds(&engine, "notebook", "memory/other.md").await);
        assert!(ask(&engine, "kettle", true).await.is_empty());
        engine.release().await;
    }
}
