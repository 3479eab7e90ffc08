//! A schema on the server of the tests, for engines whose index is in a PostgreSQL database.

#![cfg(feature = "postgres")]

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;

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

/// A line to a server that can be made to lead nowhere: it takes what comes, and nothing goes back.
pub(super) struct Line {
    pub url: String,
    is_dead: Arc<AtomicBool>,
    has_lost: Arc<AtomicBool>,
    servers: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    pub(super) fn to(url: &str) -> Self {
        let (login, server) = url.rsplit_once('@').unwrap();
        let (server, database) = server.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{login}@{}/{database}", listener.local_addr().unwrap());
        let (is_dead, has_lost) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let (server, dead, lost) = (server.to_owned(), Arc::clone(&is_dead), Arc::clone(&has_lost));
        let servers = Arc::<Mutex<Vec<TcpStream>>>::default();
        let known = Arc::clone(&servers);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(&server).unwrap();
                known.lock().push(server.try_clone().unwrap());
                pass(client.try_clone().unwrap(), server.try_clone().unwrap(), &dead, Some(&lost));
                pass(server, client, &dead, None);
            }
        });
        Self { url, is_dead, has_lost, servers }
    }

    pub(super) fn goes_dead(&self) {
        self.is_dead.store(true, Ordering::SeqCst);
    }

    /// Waits until somebody has asked into the void.
    pub(super) async fn a_question(&self) {
        while !self.has_lost.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Drop for Line {
    /// The server is told that the clients are gone: it would hold what they had locked.
    fn drop(&mut self) {
        self.servers.lock().iter().for_each(|server| drop(server.shutdown(Shutdown::Both)));
    }
}

/// Passes on what comes, until the line is dead; then it is noted that something came.
fn pass(mut from: TcpStream, mut to: TcpStream, is_dead: &Arc<AtomicBool>, lost: Option<&Arc<AtomicBool>>) {
    let (is_dead, lost) = (Arc::clone(is_dead), lost.map(Arc::clone));
    std::thread::spawn(move || {
        let mut bytes = [0; 16_384];
        while let Ok(read) = from.read(&mut bytes).map(|read| &bytes[..read])
            && !read.is_empty()
        {
            if is_dead.load(Ordering::SeqCst) {
                lost.iter().for_each(|lost| lost.store(true, Ordering::SeqCst));
            } else if to.write_all(read).is_err() {
                return;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}

impl Drop for Schema {
    fn drop(&mut self) {
        self.run(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name));
    }
}
