//! Conversations as a source: which transcripts an agent has, reading what is new in one, and what was said in it.
//!
//! Hosts up to 2026.7 keep a transcript as a file of JSON lines, which is read here; newer ones hand messages over
//! ([`host`]). Both become the same lines, `User: …` and `Assistant: …`, without anything a machine put there.

pub mod files;
pub mod host;
pub mod kind;
pub mod read;
pub mod record;
pub mod render;
pub mod tail;
