//! The engine of memory-core-rs: what is on the disk becomes an index, and a question becomes the passages that answer.
//! Data flows one way: workspace → transcripts → index → search, what happens by itself around a conversation is
//! `capture`, and what was met again and again becomes a line of MEMORY.md in `consolidation`. `services` puts it
//! together, one [`services::Engine`] per database and process.

pub mod active_memory;
pub mod blocking;
pub mod capture;
pub mod consolidation;
pub mod curated;
#[cfg(all(test, unix))]
mod growth_tests;
pub mod host;
pub mod index;
pub mod intents;
pub mod log;
pub mod search;
pub mod services;
pub mod transcripts;
pub mod workspace;
