//! What a run has paid for and its caller has not stored yet.

use std::future::ready;

use parking_lot::Mutex;
use tokio::{sync::Semaphore, task::JoinHandle};

use super::*;
use crate::Storing;
use model::error::Code;

/// What was handed over, and how much of it is stored.
#[derive(Default)]
struct Store {
    handed: Vec<usize>,
    stored: Vec<usize>,
}

/// A sink that stores one answer for each permit.
fn slow(
    store: &Arc<Mutex<Store>>,
    permits: &Arc<Semaphore>,
) -> impl FnMut(Vec<(usize, Embedded)>) -> Storing + Send + use<> {
    let (store, permits) = (Arc::clone(store), Arc::clone(permits));
    move |finished| {
        store.lock().handed.push(finished.len());
        let (store, permits) = (Arc::clone(&store), Arc::clone(&permits));
        Box::pin(async move {
            permits.acquire().await.unwrap().forget();
            store.lock().stored.push(finished.len());
            Ok(())
        })
    }
}

async fn server() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(super::Vectors).mount(&server).await;
    server
}

/// Embeds 500 texts, sixteen a request.
fn run(
    server: &MockServer,
    mut sink: impl FnMut(Vec<(usize, Embedded)>) -> Storing + Send + 'static,
) -> JoinHandle<Result<()>> {
    let (embedder, _) = openai(server);
    tokio::spawn(async move { embedder.embed_each(&texts(500), Purpose::Document, TIMEOUT, &mut sink).await })
}

/// Waits until a server was asked so often and for some time no more.
async fn asked_at_last(server: &MockServer, times: usize) -> usize {
    while requests(server).await < times {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::sleep(Duration::from_millis(60)).await;
    requests(server).await
}

// A kill loses what is under way, which may be one part in a hundred: answers count until they are stored.
#[tokio::test]
async fn however_slow_the_store_no_more_is_under_way() {
    let server = server().await;
    let (store, permits) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let run = run(&server, slow(&store, &permits));
    assert_eq!(asked_at_last(&server, 5).await, 5, "four requests, and the answer of one");
    assert!(store.lock().handed.len() <= 2, "two are stored at a time");
    let first = store.lock().handed[0];
    permits.add_permits(1);
    let most = 5 + first.div_ceil(16);
    assert_eq!(asked_at_last(&server, most).await, most, "as many as are stored now");
    permits.add_permits(1_000);
    run.await.unwrap().unwrap();
    assert_eq!(store.lock().stored.iter().sum::<usize>(), 500, "all is stored when the run ends");
}

// A database that is a millisecond away was waited for once an answer, however many were there already.
#[tokio::test]
async fn what_comes_while_others_are_stored_goes_together() {
    let server = server().await;
    let (store, permits) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let run = run(&server, slow(&store, &permits));
    asked_at_last(&server, 5).await;
    permits.add_permits(2);
    asked_at_last(&server, 6).await;
    let handed = store.lock().handed.clone();
    assert!(handed.iter().any(|texts| *texts > 16), "some hold several answers: {handed:?}");
    permits.add_permits(1_000);
    run.await.unwrap().unwrap();
    assert_eq!(store.lock().stored.iter().sum::<usize>(), 500);
}

#[tokio::test]
async fn what_is_being_stored_is_stored_when_something_else_cannot_be() {
    let server = server().await;
    let (store, permits): (Arc<Mutex<Store>>, _) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let (mut first, called) = (slow(&store, &permits), Arc::new(Semaphore::new(0)));
    let (told, mut is_first) = (Arc::clone(&called), true);
    let run = run(&server, move |finished| {
        if std::mem::take(&mut is_first) {
            return first(finished);
        }
        told.add_permits(1);
        Box::pin(ready(Err(Error::new(Code::DiskFull, "full"))))
    });
    called.acquire().await.unwrap().forget();
    assert!(store.lock().stored.is_empty());
    permits.add_permits(1);
    assert_eq!(run.await.unwrap().unwrap_err().code(), Code::DiskFull);
    assert_eq!(store.lock().stored.len(), 1, "what came before");
}
