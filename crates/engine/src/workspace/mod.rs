//! The Markdown of an agent: what belongs to it, finding it, reading it safely, noticing changes.
//!
//! No symbolic link below a root is ever followed. Indexing writes nothing; what automatic memory writes goes through
//! `notes`.

pub(crate) mod discover;
pub mod excerpt;
pub mod exclusions;
pub mod folders;
pub mod guard;
pub(crate) mod media;
#[cfg(test)]
pub(crate) mod media_samples;
pub(crate) mod note_names;
pub mod notes;
mod pending;
pub mod read;
pub mod roots;
pub mod skipped;
mod take_out;
pub mod unfinished;
pub(crate) mod walk;
pub mod watch;

/// Whether a path is that of a place or lies below it; both as results name them.
pub(crate) fn is_at_or_below(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
