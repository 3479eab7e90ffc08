//! A schema on the server of the tests, for engines whose index is in a PostgreSQL database.

#![cfg(feature = "postgres")]

use std::time::Duration;

use model::cancel::Cancel;
use store::postgres::{
    config::Options,
    connect::{Database, Setting, WRITE},
};

/// A schema of its own on the server of the tests; gone when dropped.
pub(super) struct Schema {
    pub name: String,
    pub url: String,
}

impl Schema {
    pub(super) fn new() -> Option<Self> {
        let Some(url) = std::env::var("MEMORY_CORE_TEST_PG").ok().filter(|url| !url.is_empty()) else {
            println!("skipped: MEMORY_CORE_TEST_PG names no PostgreSQL; `npm run pg -- start` starts one");
            return None;
        };
        let schema = Self { name: format!("e_{}", uuid::Uuid::new_v4().simple()), url };
        // Two at once would both find none.
        schema.run("SELECT pg_advisory_xact_lock(20261125); CREATE EXTENSION IF NOT EXISTS vector SCHEMA public");
        Some(schema)
    }

    pub(super) fn run(&self, sql: &str) {
        self.try_run(sql).unwrap();
    }

    pub(super) fn try_run(&self, sql: &str) -> model::error::Result<()> {
        let (url, sql) = (self.url.clone(), sql.to_owned());
        // On a thread and a runtime of its own: this one may drive the test's.
        let ran = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let options = Options { connect_timeout: Duration::from_secs(60), ..Options::new(url) };
            let database = Database::new(&options, runtime.handle().clone()).unwrap();
            let setting = Setting { begin: WRITE, search_path: "public", tenant: "", agent: None };
            database.transact(&Cancel::new(), &setting, |tx| tx.batch(&sql))
        });
        ran.join().unwrap()
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        self.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name));
    }
}
