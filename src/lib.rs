//! Native memory engine for OpenClaw. Data flows one way:
//! workspace → text → transcripts → embed → store → search, driven by the engine and shown to JavaScript by the binding.
#![warn(missing_docs)]

pub mod binding;
pub mod callers;
pub mod cancel;
pub mod capture;
pub mod config;
pub mod embed;
pub mod engine;
pub mod error;
#[cfg(all(test, unix))]
mod growth_tests;
pub mod index;
pub mod own_file;
mod priority;
pub mod search;
pub mod store;
pub mod text;
pub mod transcripts;
pub mod upkeep;
pub mod workspace;
