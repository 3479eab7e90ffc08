//! The store on PostgreSQL, in the making: nobody can choose it yet (docs/fleet.md).
//!
//! - [`blocks`] – which chunks hold a term, in sorted blocks that the engine reads by itself. A text search of the
//!   database would cut words and score in its own way, and row-level security keeps it from using its index.
//! - [`config`], [`connect`] – how the database is reached, and transactions on it. Nothing outlives a transaction, so that
//!   a pooler may stand in between: no session settings, no named statements, no session locks.
//! - [`schema`] – the tables, and who may still use them when a newer engine has changed them.
//! - [`agent`] – the memory of one agent; its reads and writes are in one file per topic, as in the rest of the crate.

pub mod agent;
mod batch_jobs;
pub mod blocks;
mod candidates;
mod chunks;
mod codes;
pub mod config;
pub mod connect;
mod embeddings;
mod error;
mod evidence;
mod files;
mod forget;
mod generations;
mod lease;
mod line_vectors;
mod media;
mod merging;
mod meta;
mod order;
mod refusals;
mod runs;
pub mod schema;
mod skipped;
mod stats;
#[cfg(test)]
mod tests;
mod tls;
mod transcripts;
mod usage;
mod vacuum;
mod vectors;
mod within;
mod words;
