use std::sync::atomic::Ordering;

use super::*;
use crate::services::{
    Lease,
    testing::{Home, asking, sync},
};
use model::{
    cancel::Cancel,
    clock::{TestClock, now_ms},
};

const NOTES: [(&str, &str); 4] = [
    ("MEMORY.md", "The favourite tea is sencha."),
    ("memory/a.md", "The boat lies in Porto until spring."),
    ("memory/b.md", "Mara has the key of the shed."),
    ("memory/c.md", "The dentist is in the second house on the left."),
];

async fn record(engine: &Lease) -> Record {
    let key = engine.context.provider().model_key().unwrap();
    tokio::task::block_in_place(|| engine.context.store().read(|r| Record::of(r, &key))).unwrap().unwrap()
}

/// As if a day had passed, or the server had moved.
async fn age(engine: &Lease) {
    let key = engine.context.provider().model_key().unwrap();
    engine.indexer.keep(key, Record { checked_ms: 0, ..record(engine).await }).await.unwrap();
}

async fn by_meaning(engine: &Lease, query: &str) -> ::search::types::Answer {
    let call = crate::services::SearchCall { lexical_only: false, ..asking(query) };
    engine.searcher.search(call, Cancel::new()).await.unwrap()
}

async fn home(rebuild: &str) -> (Home, Lease) {
    let home = Home::new(&NOTES);
    let search = serde_json::json!({ "provider": "bedrock", "model": "titan", "rebuild": rebuild });
    let engine = home.open_set(search).await;
    assert_eq!(sync(&engine).await.embedded, 4);
    assert_eq!(home.embedded.swap(0, Ordering::SeqCst), 4, "the first vectors are compared with nothing");
    (home, engine)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_model_costs_three_texts_a_day() {
    let (home, engine) = home("ask").await;
    sync(&engine).await;
    assert_eq!(home.embedded.load(Ordering::SeqCst), 0, "it was looked at today");
    age(&engine).await;
    let report = sync(&engine).await;
    assert_eq!((report.embedded, home.embedded.load(Ordering::SeqCst)), (0, 3));
    let now = record(&engine).await;
    assert!(!now.changed && now.revision == 0 && now.cosine.is_some_and(|cosine| cosine > SAME), "{now:?}");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_swapped_behind_its_name_is_said_and_nothing_is_compared_until_the_user_decides() {
    let (home, engine) = home("ask").await;
    home.swapped.store(true, Ordering::SeqCst);
    age(&engine).await;
    let report = sync(&engine).await;
    let failure = report.embedding_error.as_ref().unwrap();
    assert!(failure.message.contains("answers otherwise than when the notes were embedded (cosine"), "{failure:?}");
    assert!(record(&engine).await.changed);
    home.write("memory/d.md", "A note that is written meanwhile.");
    assert_eq!(sync(&engine).await.embedded, 0, "no vector of another model among those of the first");
    let answer = by_meaning(&engine, "favourite tea").await;
    assert!(answer.partial && answer.warning.as_ref().is_some_and(|w| w.contains("answers otherwise")), "{answer:?}");
    assert_eq!(answer.hits[0].path, "MEMORY.md", "words are searched all the same");
    let status = engine.status();
    assert_eq!(status["custom"]["health"]["state"], "keywords", "{status}");
    assert_eq!(status["custom"]["model"]["changed"], true);
    // The right model is put back: nothing is to be paid.
    home.swapped.store(false, Ordering::SeqCst);
    age(&engine).await;
    assert_eq!(sync(&engine).await.embedded, 1, "the note that waited");
    assert!(!by_meaning(&engine, "favourite tea").await.partial);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_embeds_anew_beside_the_old_vectors_and_goes_on_after_an_end() {
    let (home, engine) = home("ask").await;
    home.swapped.store(true, Ordering::SeqCst);
    let plan = engine.indexer.plan(false, true).await.unwrap();
    assert_eq!(plan["plan"]["texts"], 4, "{plan}");
    assert_eq!(engine.indexer.plan(false, false).await.unwrap()["plan"]["texts"], 0);
    assert!(engine.indexer.rebuild_vectors().await.unwrap());
    // It fails in the middle: a note that the provider refuses for now.
    home.write("memory/z.md", "A note with failing in it.");
    assert!(sync(&engine).await.embedding_error.is_some());
    engine.release().await;
    home.strict.store(false, Ordering::SeqCst);
    let engine = home.open().await;
    let report = sync(&engine).await;
    assert_eq!((report.pending, record(&engine).await.revision), (0, 1));
    assert!(!by_meaning(&engine, "favourite tea").await.partial);
    home.embedded.store(0, Ordering::SeqCst);
    assert_eq!(sync(&engine).await.embedded, 0);
    assert_eq!(home.embedded.load(Ordering::SeqCst), 0, "paid once");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_asks_the_model_at_once_and_its_dry_run_sends_nothing() {
    let (home, engine) = home("ask").await;
    home.swapped.store(true, Ordering::SeqCst);
    let model = async |repair: bool| {
        let checks = engine.admin.doctor(repair).await.unwrap();
        checks.into_iter().find(|check| check.name == "model")
    };
    assert!(model(false).await.is_none() && home.embedded.load(Ordering::SeqCst) == 0);
    let found = model(true).await.unwrap();
    assert!(!found.ok && found.found.contains("answers otherwise") && found.remedy.is_some(), "{found:?}");
    assert!(!model(false).await.unwrap().ok, "what was seen last");
    assert_eq!(home.embedded.load(Ordering::SeqCst), 3);
    home.swapped.store(false, Ordering::SeqCst);
    assert!(model(true).await.unwrap().ok);
    engine.release().await;
}

// Each of two processes that rebuilt at once began anew what the other had made.
#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_that_is_under_way_is_joined_unless_the_model_has_changed_once_more() {
    let (home, engine) = home("ask").await;
    home.write("memory/z.md", "A note with failing in it.");
    assert!(engine.indexer.rebuild_vectors().await.unwrap());
    assert!(sync(&engine).await.embedding_error.is_some());
    assert!(engine.indexer.rebuild_vectors().await.unwrap());
    assert_eq!(record(&engine).await.revision, 1, "joined");
    home.strict.store(false, Ordering::SeqCst);
    assert_eq!(sync(&engine).await.pending, 0);
    // Complete: who asks again means it.
    assert!(engine.indexer.rebuild_vectors().await.unwrap());
    assert_eq!(record(&engine).await.revision, 2);
    engine.release().await;
}

// A process that had looked at the model before another one began the vectors anew put the old state back.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_seen_of_an_earlier_revision_takes_nothing_back() {
    let (_home, engine) = home("ask").await;
    let key = engine.context.provider().model_key().unwrap();
    let before = record(&engine).await;
    engine.indexer.rebuild_vectors().await.unwrap();
    let kept = engine.indexer.keep(key, Record { cosine: Some(1.0), ..before }).await.unwrap();
    assert_eq!((kept.revision, record(&engine).await.revision), (1, 1));
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn auto_rebuilds_by_itself_also_when_vectors_have_another_length() {
    let (home, engine) = home("auto").await;
    engine.release().await;
    home.shorter.store(true, Ordering::SeqCst);
    let engine = home.open_set(serde_json::json!({ "provider": "bedrock", "model": "titan", "rebuild": "auto" })).await;
    age(&engine).await;
    let report = sync(&engine).await;
    assert!(report.embedding_error.is_none(), "{report:?}");
    assert_eq!((report.embedded, record(&engine).await.revision), (4, 1));
    assert!(!by_meaning(&engine, "favourite tea").await.partial);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_does_not_answer_says_nothing_about_its_model() {
    let (home, engine) = home("auto").await;
    for broken in [&home.nan, &home.down] {
        broken.store(true, Ordering::SeqCst);
        age(&engine).await;
        sync(&engine).await;
        let now = record(&engine).await;
        assert!(!now.changed && now.revision == 0 && now.checked_ms == 0, "{now:?}");
        broken.store(false, Ordering::SeqCst);
    }
    sync(&engine).await;
    assert_ne!(record(&engine).await.checked_ms, 0);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_on_outage_fail_a_search_is_refused_instead_of_answered_by_words_alone() {
    let clock = TestClock::at(now_ms());
    let home = Home { clock: Arc::clone(&clock) as _, ..Home::new(&NOTES) };
    let open = async |on_outage: &str| {
        home.open_set(serde_json::json!({ "provider": "bedrock", "model": "titan", "onOutage": on_outage })).await
    };
    let engine = open("keywords").await;
    sync(&engine).await;
    home.down.store(true, Ordering::SeqCst);
    let answer = by_meaning(&engine, "favourite tea").await;
    let degraded = answer.degraded.as_ref().unwrap();
    assert_eq!((degraded.provider.as_str(), answer.hits[0].path.as_str()), ("bedrock", "MEMORY.md"));
    let first = degraded.since.clone();
    clock.advance(Duration::from_secs(2));
    let later = by_meaning(&engine, "where the boat lies").await;
    assert_eq!(later.degraded.unwrap().since, first, "since when, not when last");
    engine.release().await;
    let engine = open("fail").await;
    let call = crate::services::SearchCall { lexical_only: false, ..asking("favourite tea") };
    let refused = engine.searcher.search(call.clone(), Cancel::new()).await.unwrap_err();
    assert!(refused.is_of_provider(), "{refused}");
    let words = engine.searcher.search(asking("favourite tea"), Cancel::new()).await.unwrap();
    assert_eq!(words.hits.len(), 1, "who asks for words gets them");
    home.down.store(false, Ordering::SeqCst);
    let fine =
        engine.searcher.search(crate::services::SearchCall { query: "sencha tea".into(), ..call }, Cancel::new());
    assert!(fine.await.unwrap().degraded.is_none(), "without a restart");
    engine.release().await;
}

#[test]
fn cosines() {
    assert_eq!(cosine(&[1.0, 0.0], &[2.0, 0.0]), Some(1.0));
    assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), Some(0.0));
    assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
    assert_eq!(cosine(&[0.0], &[1.0]), None);
}
