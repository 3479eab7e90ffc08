//! Lines beside a hosted provider, with the embedded model of this repository.

use std::{path::Path, time::Duration};

use embed::embedded::artifact::IN_PACKAGE;
use model::{cancel::Cancel, error::Code};

use crate::services::{
    Lease, SearchCall,
    testing::{Home, asking, sync},
};
use ::search::types::Hit;

const QUESTIONS: [&str; 3] = ["Which code has boiler 17?", "Who looks after the heating?", "Where is the ladder kept?"];

/// The model gives way to everybody, and a machine that tests has much to do.
const PATIENCE: Duration = Duration::from_secs(900);

/// Notes whose lines take the model a while.
fn home() -> Home {
    let mut home = Home::new(&[]);
    for n in 0..80 {
        let text = format!(
            "# House {n}\n\n- The code of boiler {n} is E{n}.\n- Maria repairs the radiators of house {n} in autumn.\n\
             - The ladder of house {n} stands behind the shed, next to the bicycles.\n"
        );
        home.write(&format!("memory/house-{n}.md"), &text);
    }
    home.models.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(IN_PACKAGE));
    home
}

async fn found(engine: &Lease) -> Vec<(String, u32, u32, String)> {
    let mut found = Vec::new();
    for question in QUESTIONS {
        let call = SearchCall { lexical_only: false, ..asking(question) };
        let answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
        assert_eq!((answer.partial, answer.warning.as_deref()), (false, None));
        let brief = |hit: Hit| (hit.path, hit.start_line, hit.end_line, format!("{:.6} {}", hit.score, hit.snippet));
        found.extend(answer.hits.into_iter().map(brief));
    }
    found
}

/// Texts whose lines wait.
fn pending(engine: &Lease) -> u64 {
    engine.status()["custom"]["lines"]["pending"].as_u64().unwrap()
}

async fn filled(engine: &Lease) {
    let all = async {
        while pending(engine) > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, all).await.expect("lines are not filled");
}

/// The writer lease between two batches of lines. Whoever asks with patience looks four times a second, and a quick
/// machine is done with all lines meanwhile.
async fn between_writes(engine: &Lease) -> tokio::sync::MutexGuard<'_, ()> {
    let soon = async {
        loop {
            match engine.indexer.writer().alone(Duration::ZERO).await {
                Ok(turn) => return turn,
                Err(error) => assert_eq!(error.code(), Code::Busy, "{error}"),
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, soon).await.expect("never alone")
}

// A small index of a hosted provider waited for vectors of its lines: 21 seconds for 300 chunks, where memory-core
// needed nine.
#[tokio::test(flavor = "multi_thread")]
async fn a_sync_with_a_hosted_provider_does_not_wait_for_lines() {
    let mut home = home();
    let engine = home.open().await;
    let report = sync(&engine).await;
    assert_eq!((report.pending, report.embedding_error.is_none()), (0, true));
    // Nothing is written any more: what is missing stays so.
    let turn = between_writes(&engine).await;
    let status = engine.status();
    assert!(pending(&engine) > 0, "{status}");
    assert_eq!((&status["custom"]["lines"]["filling"], &status["custom"]["syncing"]), (&true.into(), &false.into()));
    assert_eq!(status["custom"]["health"]["state"], "ready");
    let during = found(&engine).await;
    drop(turn);
    engine.indexer.writer().give_back().await.unwrap();
    filled(&engine).await;
    let after = found(&engine).await;
    assert_ne!(after, during, "lines change nothing");

    // A note comes and goes: in between its lines are missing, and in the end all is as it was.
    home.write("memory/new.md", "The lighthouse has three lamps.\n");
    sync(&engine).await;
    std::fs::remove_file(home.workspace().join("memory/new.md")).unwrap();
    sync(&engine).await;
    filled(&engine).await;
    assert_eq!(found(&engine).await, after);
    engine.release().await;

    // Some lines are no better than none, and no worse.
    home.models.clear();
    let without = home.open_in(&home.dir.path().join("other")).await;
    sync(&without).await;
    assert!(without.status()["custom"]["lines"].is_null());
    assert_eq!(found(&without).await, during);
    without.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_go_on_where_an_engine_was_closed() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    let all = pending(&engine);
    let first = async {
        while pending(&engine) == all {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, first).await.expect("no lines are filled");
    let left = pending(&engine);
    assert!(left > 0, "all were filled at once");
    engine.release().await;

    let engine = home.open().await;
    engine.indexer.inspect().await.unwrap();
    assert!(pending(&engine) <= left, "{} of {left} again", pending(&engine));
    let texts = home.embedded.load(std::sync::atomic::Ordering::SeqCst);
    sync(&engine).await;
    filled(&engine).await;
    assert_eq!(home.embedded.load(std::sync::atomic::Ordering::SeqCst), texts, "the provider is asked nothing");
    engine.release().await;
}

// A line was added to a note, and the model read all lines of the chunk again.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_note_that_grows_the_model_reads_what_is_new() {
    let home = home();
    let engine = home.open().await;
    sync(&engine).await;
    filled(&engine).await;
    let note = "# Bees\n\n- The hive stands behind the shed.\n- Lena feeds them sugar in autumn.\n";
    home.write("memory/bees.md", note);
    sync(&engine).await;
    filled(&engine).await;
    let model = engine.indexer.context.provider().line_embedder().unwrap();
    let before = model.usage().texts;
    home.write("memory/bees.md", &format!("{note}- The queen is two years old.\n"));
    sync(&engine).await;
    filled(&engine).await;
    assert_eq!(model.usage().texts - before, 1);
    engine.release().await;
}
