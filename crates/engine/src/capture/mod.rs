//! Automatic memory: what is remembered and recalled without anyone asking.
//!
//! Everything here is logic and own files; which hook calls it is the plugin glue's business.

mod addressed;
pub(crate) mod captured_lines;
pub(crate) mod changes;
pub mod collect;
pub mod command;
pub(crate) mod daily_note;
pub mod erase;
pub(crate) mod extract;
pub mod facts;
pub mod filter;
pub(crate) mod follow_up;
pub mod forwarded;
pub(crate) mod given;
pub(crate) mod grounding;
pub mod group_words;
pub mod journal;
pub mod jsonl;
pub mod listening;
pub mod log;
pub(crate) mod not_said;
mod off_record;
pub(crate) mod pattern;
pub mod prompts;
pub mod queue;
pub(crate) mod reactions;
pub mod recall;
pub(crate) mod reported;
pub mod rules;
pub(crate) mod said;
pub(crate) mod sentences;
pub mod session_note;
mod shared_words;
pub mod short_term;
pub mod similar;
pub(crate) mod taken_back;
mod to_forget;

use text::{envelope, recall_block};

/// Makes ready what the hooks of a host need at once: compiling the patterns of the first turn would hold its event loop.
pub(crate) fn warm_up() {
    let message = queue::Message { role: queue::Role::User, text: "I prefer tea".to_owned(), at: None }.cleaned();
    // Only the compiling counts.
    let _ = filter::capturable(&message.text).and_then(|text| rules::find(&text));
    let _ = reactions::is_reaction(&message.text);
}

#[cfg(test)]
mod tests;
