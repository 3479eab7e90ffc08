//! Which database is meant, and an end to waiting for one that no longer answers.

use super::*;
use store::database::Parts;

// Which of both was meant is not guessed: a memory would be split in two.
#[tokio::test]
async fn an_address_and_its_parts_besides_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut call = open_call(dir.path(), &settings("openclaw_memory"));
    call.database_url = Some(embed::secret::Secret::new("postgresql://localhost/none"));
    call.database_parts = Some(Parts { user: Some("ana".to_owned()), beside_url: true, ..Parts::default() });
    let refused = crate::services::open(call).await.err().expect("it opened");
    assert_eq!(refused.code(), Code::Config);
    assert!(refused.message.contains("twice (url, user)"), "{refused}");
    assert!(!dir.path().join("memory-core-rs").exists(), "no file in its place");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_in_a_file_is_nobodys_to_take_over() {
    let engine = Home::new(&[]).open().await;
    let refused = engine.admin.adoption().await.unwrap_err();
    assert!(refused.code() == Code::Config && refused.message.contains("in a file"), "{refused}");
    engine.release().await;
}

#[cfg(feature = "postgres")]
mod postgres {
    use std::{sync::Arc, time::Duration};

    use super::*;
    use crate::services::{
        OpenCall, SearchCall,
        testing::{FakeHost, asking, hits, sync},
        testing_database::{Line, Schema},
    };
    use model::cancel::Cancel;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_database_is_found_by_the_parts_of_its_address() {
        let Some(schema) = Schema::new() else { return };
        let (login, server) = schema.url.split_once('@').unwrap();
        let (user, password) = login.split_once("//").unwrap().1.split_once(':').unwrap();
        let (server, database) = server.split_once('/').unwrap();
        let (host, port) = server.rsplit_once(':').unwrap();
        let given = |text: &str| Some(text.to_owned());
        let home = Home::new(&[("memory/a.md", "The kettle is new.\n")]);
        let password = password.to_owned();
        let call = OpenCall {
            state_dir: home.state(),
            workspace_dir: Some(home.workspace()),
            database_parts: Some(Parts {
                host: given(host),
                port: given(port),
                database: given(database),
                user: given(user),
                beside_url: false,
            }),
            host: Some(Arc::new(FakeHost::default().with_password(move || Ok(password.clone())))),
            ..open_call(home.dir.path(), &settings(&schema.name))
        };
        let engine = crate::services::open(call).await.unwrap().unwrap();
        let text_only = crate::services::SyncCall { reason: "test".into(), force: false, text_only: true };
        engine.indexer.sync(text_only, Cancel::new(), None).await.unwrap();
        let found = engine.searcher.search(SearchCall { lexical_only: true, ..asking("kettle") }, Cancel::new()).await;
        assert_eq!(found.unwrap().hits.len(), 1);
        let status = serde_json::to_string(&engine.status()).unwrap();
        assert!(!status.contains(user) && !status.contains(server), "{status}");
        engine.release().await;
    }

    // It ended after as long as a statement may take, and an answer of nothing would have said that there is nothing.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_search_that_waits_for_a_dead_server_ends_with_its_engine() {
        let Some(schema) = Schema::new() else { return };
        let line = Line::to(&schema.url);
        let mut home = Home::new(&[("memory/a.md", "The kettle is new.\n")]);
        home.database = Some(line.url.clone());
        let engine = home.open_set(settings(&schema.name)).await;
        sync(&engine).await;
        assert_eq!(hits(&engine, "kettle").await.len(), 1);
        // The word that ends a read is not waited for, and is not the question that is meant.
        tokio::time::sleep(Duration::from_millis(200)).await;
        line.goes_dead();
        let searcher = Arc::clone(&engine.searcher);
        let call = SearchCall { deadline_ms: Some(3_600_000), ..asking("theremin") };
        let search = tokio::spawn(async move { searcher.search(call, Cancel::new()).await });
        line.a_question().await;
        let closing = tokio::time::timeout(Duration::from_secs(120), engine.release());
        closing.await.expect("closing waits for the server");
        let search = tokio::time::timeout(Duration::from_secs(120), search);
        let error = search.await.expect("the search goes on waiting").unwrap().unwrap_err();
        assert!(matches!(error.code(), Code::Closed | Code::Cancelled), "{error}");
    }
}
