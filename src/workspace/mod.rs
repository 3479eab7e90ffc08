//! The Markdown of an agent: what belongs to it, finding it, reading it safely, noticing changes.
//!
//! Nothing here writes. No symbolic link below a root is ever followed.

pub mod area;
pub mod discover;
pub mod excerpt;
mod extra;
mod folders;
pub mod forgotten;
pub mod guard;
mod pending;
pub mod read;
pub mod reconcile;
pub mod skipped;
pub(crate) mod walk;
pub mod watch;
