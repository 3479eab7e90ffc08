//! Tests on a real PostgreSQL, which `npm run pg -- start` gives; skipped where `MEMORY_CORE_TEST_PG` names none.

mod connecting;

use std::{sync::LazyLock, time::Duration};

use tokio::runtime::Runtime;

use super::{
    config::Options,
    connect::{Database, Setting, WRITE},
};
use model::cancel::Cancel;

/// What drives the connections of all tests.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The address of the server; none, and one line that says so, where there is none.
fn server() -> Option<String> {
    let url = std::env::var("MEMORY_CORE_TEST_PG").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        println!("skipped: MEMORY_CORE_TEST_PG names no PostgreSQL; `npm run pg -- start` starts one");
    }
    url
}

/// Options that wait long enough for a busy machine.
fn options(url: &str) -> Options {
    Options { connect_timeout: Duration::from_secs(60), ..Options::new(url) }
}

fn database(options: &Options) -> Database {
    Database::new(options, RUNTIME.handle().clone()).unwrap()
}

/// Nobody's rows, in the schema that is always there.
const PLAIN: Setting<'static> = Setting { begin: WRITE, search_path: "public", agent: None };

/// Runs statements in a transaction.
fn run(database: &Database, sql: &str) -> model::error::Result<()> {
    database.transact(&Cancel::new(), PLAIN, async |tx| tx.batch(sql).await)
}
