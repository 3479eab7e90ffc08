//! A pooler between engines and the server: many clients take turns on few connections, which any of them may have had
//! before.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU32, Ordering},
};

use tokio_postgres::Client;

use super::{
    numbered::{stored, write},
    *,
};
use crate::lease::Lease;
use model::error::Code;

/// How many engines there are.
const ENGINES: u32 = 8;

/// What a session keeps that a transaction forgot to put back.
const LEFT: &str = "SELECT coalesce(current_setting('openclaw.agent', true), '') <> '', \
     coalesce(current_setting('openclaw.tenant', true), '') <> '', \
     EXISTS (SELECT 1 FROM pg_catalog.pg_settings WHERE name IN ('search_path', 'statement_timeout', 'lock_timeout', \
       'idle_in_transaction_session_timeout') AND setting <> reset_val), \
     EXISTS (SELECT 1 FROM pg_catalog.pg_prepared_statements WHERE name <> ''), \
     EXISTS (SELECT 1 FROM pg_catalog.pg_cursors WHERE name <> ''), EXISTS (SELECT 1 FROM pg_listening_channels()), \
     EXISTS (SELECT 1 FROM pg_catalog.pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'), pg_backend_pid()";

/// The address of a pooler, if there is one.
fn pooler() -> Option<String> {
    let url = std::env::var("MEMORY_CORE_TEST_PG_POOLER").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        println!(
            "skipped: no pooler; `npm run pg -- start --server pgbouncer` starts one (MEMORY_CORE_TEST_PG_POOLER)"
        );
    }
    url
}

#[test]
fn eight_engines_share_two_connections_of_a_pooler_and_leave_nothing_on_them() {
    let Some(url) = pooler() else { return };
    let place = Place::at(url);
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let engines: Vec<Arc<Database>> = std::iter::once(place.role())
        .chain((1..ENGINES).map(|_| database(&options(&place.url_of_role()))))
        .map(Arc::new)
        .collect();
    let leases = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for (n, database) in (0..).zip(&engines) {
            let (schema, leases) = (&schema, &leases);
            scope.spawn(move || {
                let own = open(database, schema, &format!("agent{n}"));
                assert!(matches!(own.acquire_lease().unwrap(), Lease::Held { .. }));
                // What all of them want, one gets.
                let shared = open(database, schema, "shared");
                if matches!(shared.acquire_lease().unwrap(), Lease::Held { .. }) {
                    leases.fetch_add(1, Ordering::SeqCst);
                } else {
                    assert_eq!(write(&shared, n).unwrap_err().code(), Code::Busy);
                }
                for round in 0..20 {
                    write(&own, n * 100 + round).unwrap();
                }
                let expected: BTreeMap<u32, u32> = (0..20).map(|round| n * 100 + round).map(|n| (n % 7, n)).collect();
                assert_eq!(stored(&own), expected, "of this agent, and of no other");
            });
        }
    });
    assert_eq!(leases.into_inner(), 1);
    // On both at once, so that each is looked at.
    let url = place.url_of_role();
    let sessions: BTreeSet<i32> = RUNTIME.block_on(async {
        let (first, second) = tokio::join!(session(&url), session(&url));
        let mut sessions = BTreeSet::new();
        for client in [&first, &second] {
            let row = client.query_typed(LEFT, &[]).await.unwrap().remove(0);
            for (at, what) in
                ["agent", "tenant", "setting", "statement", "cursor", "channel", "lock"].iter().enumerate()
            {
                assert!(!row.get::<_, bool>(at), "{what}");
            }
            sessions.insert(row.get(7));
        }
        sessions
    });
    assert_eq!(sessions.len(), 2);
}

/// A connection in a transaction, which keeps it at one connection of the server.
async fn session(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("BEGIN").await.unwrap();
    client
}

#[test]
fn what_a_pooler_refuses_is_told_apart_from_a_server_that_is_away() {
    let Some(url) = pooler() else { return };
    let (login, server) = url.rsplit_once('@').unwrap();
    for (address, says) in [
        (format!("postgresql://postgres:c4nary@{server}"), "refused user or password"),
        (format!("postgresql://c4nary:c4nary@{server}"), "refused user or password"),
        (format!("{login}@{server}?options=-c%20geqo%3Doff"), "does not take a parameter"),
    ] {
        let error = run(&database(&options(&address)), "SELECT 1").unwrap_err();
        assert!(error.code() == Code::Config && error.to_string().contains(says), "{says}: {error}");
        assert!(!format!("{error:?}").contains("c4nary"), "{error:?}");
    }
}
