//! The store on PostgreSQL (docs/fleet.md).
//!
//! - [`blocks`] – which chunks hold a term, in sorted blocks that the engine reads by itself. A text search of the
//!   database would cut words and score in its own way, and row-level security keeps it from using its index.
//! - [`config`], [`connect`] – how the database is reached, and transactions on it. Nothing outlives a transaction, so that
//!   a pooler may stand in between: no session settings, no named statements, no session locks.
//! - [`schema`] – the tables, and who may still use them when a newer engine has changed them.
//! - [`agent`] – the memory of one agent; its reads and writes are in one file per topic, as in the rest of the crate.
//! - [`served`] – an agent's memory behind [`Store`](crate::Store): what is shared by all agents of the process, and what
//!   goes on while it is open.

pub mod agent;
mod all_vectors;
mod batch_jobs;
pub mod blocks;
mod books;
mod cache;
mod candidates;
mod checks;
mod chunks;
mod codes;
pub mod config;
pub mod connect;
mod copying;
mod covered;
mod embeddings;
mod error;
mod evidence;
mod far;
mod fence;
mod files;
mod forget;
mod forgotten;
mod generations;
mod holders;
mod kept;
mod lease;
mod leaving;
mod line_vectors;
mod media;
mod merging;
mod meta;
mod moment;
mod notes;
mod order;
mod own_row;
mod refusals;
mod reset;
mod rows;
mod runs;
pub mod schema;
mod served;
mod server;
mod skipped;
mod state;
mod stats;
#[cfg(test)]
pub(crate) mod tests;
mod tls;
mod transaction;
mod transcripts;
mod usage;
mod vacuum;
mod vectors;
mod within;
mod words;

pub(crate) use self::{
    agent::{Reader, Tx},
    far::{Far, Remote},
    served::Served,
};
