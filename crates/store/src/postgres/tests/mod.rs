//! Tests on a real PostgreSQL, which `npm run pg -- start` gives; skipped where `MEMORY_CORE_TEST_PG` names none.

mod backend;
mod books;
mod closing;
#[cfg(unix)]
mod cluster;
mod connecting;
mod consolidation;
mod copying;
#[cfg(unix)]
mod copying_killed;
mod far;
mod faults;
mod forgetting;
mod fresh;
mod keeping;
mod keeping_notes;
#[cfg(unix)]
mod killing;
mod leaving;
mod media;
mod merging;
mod nearest;
mod numbered;
mod parity;
mod pooler;
#[cfg(unix)]
mod restoring;
mod round_trips;
mod schema;
#[cfg(unix)]
mod standby;
mod tenants;
#[cfg(unix)]
mod tls;
mod upkeep;
mod vectors;
mod writing;

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::Duration,
};

pub(crate) use backend::Backend;
use proptest::prelude::ProptestConfig;
use tempfile::TempDir;
use tokio::{
    net::{TcpListener, TcpStream},
    runtime::Runtime,
};
use uuid::Uuid;

use super::{
    agent::{Agent, AgentOptions},
    config::Options,
    connect::{Database, Setting, WRITE},
    schema::{Schema, prepare},
};
use crate::{OpenOptions, Store, database::tables::grants, lease::Owner};
use model::{cancel::Cancel, clock::SystemClock};

/// What drives the connections of all tests.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The address of the server; none, and one line that says so, where there is none.
pub(crate) fn server() -> Option<String> {
    let url = std::env::var("MEMORY_CORE_TEST_PG").ok().filter(|url| !url.is_empty());
    if url.is_none() {
        println!("skipped: MEMORY_CORE_TEST_PG names no PostgreSQL; `npm run pg -- start` starts one");
    }
    url
}

/// The address of a server that speaks TLS; none, and one line that says so, where there is none.
fn server_with_tls() -> Option<String> {
    let named = |name| std::env::var(name).ok().filter(|url| !url.is_empty());
    let url = named("MEMORY_CORE_TEST_PG_TLS").or_else(|| named("MEMORY_CORE_TEST_PG"));
    let speaks_tls = |url: &String| {
        let sql = "SELECT 1 FROM pg_catalog.pg_config WHERE name = 'CONFIGURE' AND setting ~ 'with-(openssl|ssl)'";
        database(&options(url)).transact(&Cancel::new(), &PLAIN, |tx| tx.row(sql, &[])).unwrap().is_some()
    };
    let url = url.filter(speaks_tls);
    if url.is_none() {
        println!(
            "skipped: no server speaks TLS; `npm run pg -- start --server debian15` starts one (MEMORY_CORE_TEST_PG_TLS)"
        );
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

/// A port of this machine at which `serve` speaks with each who comes.
fn listen<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    RUNTIME.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    address
}

/// The address of a server behind a line: `carry` carries what is said between a client, which comes first, and the server,
/// until one of them or the line ends.
fn behind<F>(url: &str, carry: impl Fn(TcpStream, TcpStream) -> F + Clone + Send + Sync + 'static) -> String
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let (login, server) = url.rsplit_once('@').unwrap();
    let (server, database) = server.split_once('/').unwrap();
    let server = server.to_owned();
    let address = listen(move |client| {
        let (server, carry) = (server.clone(), carry.clone());
        async move { carry(client, TcpStream::connect(server).await?).await }
    });
    format!("{login}@{address}/{database}")
}

/// A schema of its own on the server of the tests, which has the extension; gone when dropped.
struct Place {
    url: String,
    schema: String,
    database: Database,
}

impl Place {
    fn new() -> Option<Self> {
        Some(Self::at(server()?))
    }

    fn at(url: String) -> Self {
        let schema = format!("t_{}", Uuid::new_v4().simple());
        let database = database(&options(&url));
        // Two at once would both find none.
        let sql = "SELECT pg_advisory_xact_lock(20261125); CREATE EXTENSION IF NOT EXISTS vector SCHEMA public";
        run(&database, sql).unwrap();
        Self { url, schema, database }
    }

    /// The numbers in the first row of a statement.
    fn numbers(&self, sql: &str) -> Vec<i64> {
        let setting = Setting { search_path: &self.schema, ..PLAIN };
        let row = self.database.transact(&Cancel::new(), &setting, |tx| tx.row(sql, &[])).unwrap().unwrap();
        (0..row.len()).map(|at| row.get(at)).collect()
    }

    /// The address for a role whose transactions are read-only; a pooler takes no such parameter in the address.
    fn url_of_reader(&self) -> String {
        let role = format!("app_{}", self.schema);
        let login = format!("CREATE ROLE {role} LOGIN PASSWORD 'ordinary'");
        let reads = format!("ALTER ROLE {role} SET default_transaction_read_only = on");
        run(&self.database, &format!("{login}; {reads}")).unwrap();
        self.url_of_role()
    }

    /// Changes rows behind everybody's back.
    fn change(&self, sql: &str) {
        let setting = Setting { search_path: &self.schema, ..PLAIN };
        self.database.transact(&Cancel::new(), &setting, |tx| tx.batch(sql)).unwrap();
    }

    /// The database as a role sees it that may read and write rows, and nothing else.
    fn role(&self) -> Database {
        let (schema, role) = (&self.schema, format!("app_{}", self.schema));
        let [usage, rows] = grants(schema, &role);
        run(&self.database, &format!("CREATE ROLE {role} LOGIN PASSWORD 'ordinary'; {usage}; {rows}")).unwrap();
        database(&options(&self.url_of_role()))
    }

    /// The address for that role.
    fn url_of_role(&self) -> String {
        let (_, server) = self.url.rsplit_once('@').unwrap();
        format!("postgresql://app_{}:ordinary@{server}", self.schema)
    }

    fn drop_database(&self, name: &str) {
        RUNTIME.block_on(outside_of_transactions(&self.url, &format!("DROP DATABASE {name} WITH (FORCE)")));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (schema, role) = (&self.schema, format!("app_{}", self.schema));
        let sql = format!(
            "DROP SCHEMA IF EXISTS {schema} CASCADE; \
             DO $$ BEGIN IF to_regrole('{role}') IS NOT NULL THEN DROP OWNED BY {role}; DROP ROLE {role}; END IF; END $$"
        );
        let dropped = run(&self.database, &sql);
        assert!(dropped.is_ok() || std::thread::panicking(), "{dropped:?}");
    }
}

/// A place with its tables, and the database as an ordinary role sees it; none where there is no server.
fn prepared() -> Option<(Place, Schema, Arc<Database>)> {
    let place = Place::new()?;
    let schema = prepare(&place.database, &place.schema, true).unwrap();
    let database = Arc::new(place.role());
    Some((place, schema, database))
}

/// A store on SQLite, to compare with, in a folder that goes when it is dropped.
fn sqlite_beside() -> (TempDir, Arc<Store>) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Store::open(&folder.path().join("index.sqlite"), OpenOptions::default()).unwrap();
    (folder, sqlite)
}

/// How often what is done by chance is done: so often, or as `MEMORY_CORE_TEST_ROUNDS` says.
fn rounds(usually: u64) -> u64 {
    std::env::var("MEMORY_CORE_TEST_ROUNDS").ok().and_then(|number| number.parse().ok()).unwrap_or(usually)
}

/// So many cases of the properties in a file, or as many times more as `PROPTEST_CASES` is more than 256.
fn cases(count: u32, file: &'static str) -> ProptestConfig {
    ProptestConfig {
        cases: ProptestConfig::default().cases * count / 256,
        source_file: Some(file),
        ..ProptestConfig::default()
    }
}

/// An agent's memory, opened by this process.
fn open(database: &Arc<Database>, schema: &Schema, name: &str) -> Agent {
    open_as(database, schema, name, Owner::this_process())
}

fn open_in(database: &Arc<Database>, schema: &Schema, tenant: &str, name: &str) -> Agent {
    open_with(database, schema, (tenant, name), Owner::this_process())
}

fn open_as(database: &Arc<Database>, schema: &Schema, name: &str, owner: Owner) -> Agent {
    open_with(database, schema, ("t", name), owner)
}

fn open_with(database: &Arc<Database>, schema: &Schema, (tenant, name): (&str, &str), owner: Owner) -> Agent {
    let (tenant, name) = (tenant.to_owned(), name.to_owned());
    let options = AgentOptions { tenant, name, owner, clock: Arc::new(SystemClock) };
    Agent::open(Arc::clone(database), schema.clone(), options).unwrap()
}

/// Runs what no transaction may hold.
async fn outside_of_transactions(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

/// Nobody's rows, in the schema that is always there.
const PLAIN: Setting<'static> = Setting { begin: WRITE, search_path: "public", tenant: "", agent: None };

/// Runs statements in a transaction.
fn run(database: &Database, sql: &str) -> model::error::Result<()> {
    database.transact(&Cancel::new(), &PLAIN, |tx| tx.batch(sql))
}
