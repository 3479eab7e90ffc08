//! One engine per database and process. Managers are leases on it.
//!
//! Each service owns what only it may touch, and depends on those above it: telemetry, the writer lease, the indexer, the
//! searcher, facts, remembering, consolidation, administration.

mod admin;
mod carried;
mod consolidator;
mod context;
mod copy;
#[cfg(test)]
mod database_tests;
#[cfg(test)]
mod encoder_tests;
pub mod facts;
mod indexer;
mod mapper;
mod model_check;
#[cfg(test)]
mod notes_tests;
mod open;
mod passwords;
mod place;
#[cfg(test)]
mod properties_tests;
mod provider;
mod registry;
mod remember;
mod searcher;
mod telemetry;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod testing_database;
mod writer;

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use futures::FutureExt;
use serde_json::Value;

pub use self::{
    admin::{
        Admin, Check, Cleared, Copied, DatabaseRows, ForgetCall, ForgetReport, ForgetUndone, ForgottenBefore,
        ForgottenTaken, ImportCall, ImportOutcome, Restored, database_rows, index_files, unfinished_texts,
    },
    consolidator::{ConsolidateCall, Consolidator},
    copy::{StoreCopied, copy_store},
    facts::Facts,
    indexer::{Indexer, SyncCall},
    mapper::{Map, Mapper, Region},
    open::{OpenCall, examine_database, open},
    registry::{Lease, close_all},
    remember::{Recall, RecallFiles, Remember},
    searcher::{SearchCall, Searcher},
    telemetry::Telemetry,
};
use self::{context::Context, provider::Provider, writer::WriterLease};
use crate::host::Host;
pub use crate::index::{Progress, Step, SyncReport};
use model::{clock::Clock, config::settings::Resolved};
use store::Store;
/// What settings may name of a database instead of its address.
pub use store::database::Parts;
/// The SQL that an administrator runs where an engine's role may make no tables.
pub use store::database::tables::script as database_script;

/// The engine of one database: its services, and their end.
pub struct Engine {
    context: Arc<Context>,
    /// What it tells about itself, and what it costs.
    pub telemetry: Arc<Telemetry>,
    /// Disk to index.
    pub indexer: Arc<Indexer>,
    /// Questions to passages.
    pub searcher: Arc<Searcher>,
    /// Stored facts.
    pub facts: Arc<Facts>,
    /// What memory does by itself around a conversation.
    pub remember: Arc<Remember>,
    /// What was met again and again becomes an entry of MEMORY.md.
    pub consolidator: Arc<Consolidator>,
    /// The notes as a map.
    pub mapper: Arc<Mapper>,
    /// What a user does with an index as a whole.
    pub admin: Arc<Admin>,
    closed: AtomicBool,
}

impl Engine {
    fn new(store: Arc<Store>, resolved: Arc<Resolved>, provider: Provider, clock: Arc<dyn Clock>) -> Self {
        let context = Arc::new(Context::new(store, resolved, provider, clock));
        let telemetry = Arc::new(Telemetry::new(&context));
        let writer = Arc::new(WriterLease::new(&context));
        let indexer = Arc::new(Indexer::new(&context, &telemetry, &writer));
        let searcher = Arc::new(Searcher::new(&context, &telemetry, &indexer));
        let facts = Arc::new(Facts::new(&context, &telemetry, &indexer, searcher.queries()));
        let remember = Arc::new(Remember::new(&context, &indexer, &searcher, &facts));
        let consolidator = Arc::new(Consolidator::new(&context));
        let mapper = Arc::new(Mapper::new(&context));
        let admin = Arc::new(Admin::new(&context, &telemetry, &writer, &indexer, &searcher));
        Self {
            context,
            telemetry,
            indexer,
            searcher,
            facts,
            remember,
            consolidator,
            mapper,
            admin,
            closed: AtomicBool::new(false),
        }
    }

    /// A thread offers the host.
    fn join(&self, thread: u64, host: Arc<dyn Host>) {
        self.context.hosts().join(thread, host);
    }

    /// Takes over settings and credentials of a newer configuration.
    fn reconfigure(&self, resolved: Arc<Resolved>, provider: Provider) {
        if self.context.reconfigure(resolved, provider) {
            self.telemetry.forget_probe();
        }
    }

    /// The host's `MemoryProviderStatus`. Synchronous, from memory.
    pub fn status(&self) -> Value {
        self.indexer.status()
    }

    /// The settings in force now.
    pub fn settings(&self) -> Arc<Resolved> {
        self.context.settings()
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Stops background work and closes the store. Blocks for less than a second.
    fn close(&self) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        self.context.shutdown().cancel();
        self.indexer.stop_background();
        // Handed to the writer, which finishes what waits.
        let _ = self.telemetry.book_all().now_or_never();
        self.context.store().close();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.close();
    }
}

/// A time in milliseconds since the epoch as ISO 8601 in UTC, to the second.
fn iso(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).unwrap_or_default().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
