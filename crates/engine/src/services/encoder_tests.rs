//! An encoder of the user's, from the settings to the index.

use std::{path::Path, sync::Arc};

use serde_json::json;

use super::{
    Engine, SearchCall,
    testing::{Home, asking, sync},
};
use model::{cancel::Cancel, error::Code};

fn encoder(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../minilm/testdata/encoders").join(name);
    path.canonicalize().unwrap().display().to_string()
}

fn home() -> Home {
    let notes = [
        ("memory/haus.md", "# Haus\n\nDer Keller war im November feucht.\n\nDie Heizung wird im Mai gewartet."),
        ("memory/hafen.md", "# Hafen\n\nDer Anker ist aus Stahl und hängt an dreissig Metern Kette."),
    ];
    Home::new(&notes)
}

fn model_of(engine: &Arc<Engine>) -> String {
    engine.status()["model"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_pass_prepares_it_and_another_prefix_is_another_index() {
    let home = home();
    let search = json!({ "provider": "embedded", "model": encoder("xlm-roberta") });
    let engine = home.open_set(search.clone()).await;
    let error = engine.context.provider().embedder().err().unwrap();
    assert_eq!(error.code(), Code::ProviderUnavailable, "nothing is converted by opening");
    assert!(error.message.contains("not prepared"), "{error}");
    let report = sync(&engine).await;
    assert_eq!((report.embedding_error.as_ref(), report.pending), (None, 0));
    assert!(report.embedded > 0);
    assert!(model_of(&engine).starts_with("xlm-roberta@"), "{}", engine.status());
    let answer =
        engine.searcher.search(SearchCall { lexical_only: false, ..asking("Keller") }, Cancel::new()).await.unwrap();
    assert!(answer.hits[0].path.ends_with("haus.md") && answer.warning.is_none(), "{:?}", answer.warning);
    drop(engine);

    // Prepared once: the next engine has it from the start, and its vectors.
    let engine = home.open_set(search).await;
    assert!(engine.context.provider().embedder().is_ok());
    assert_eq!(sync(&engine).await.embedded, 0);
    drop(engine);

    let local = json!({ "documentPrefix": "" });
    let engine =
        home.open_set(json!({ "provider": "embedded", "model": encoder("xlm-roberta"), "local": local })).await;
    let again = sync(&engine).await;
    assert!(again.embedded > 0 && again.pending == 0, "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_cannot_run_here_is_told_and_words_are_searched() {
    let home = home();
    let engine =
        home.open_set(json!({ "provider": "embedded", "model": home.workspace().display().to_string() })).await;
    let report = sync(&engine).await;
    let error = report.embedding_error.clone().unwrap();
    assert!(error.message.contains("config.json") && error.remedy.is_some(), "{error:?}");
    let answer = engine.searcher.search(asking("Keller"), Cancel::new()).await.unwrap();
    assert!(!answer.hits.is_empty());

    let engine = home.open_set(json!({ "provider": "embedded", "model": "models/e5" })).await;
    assert_eq!(engine.context.provider().embedder().err().unwrap().code(), Code::Config);
}
