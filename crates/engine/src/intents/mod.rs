//! Standing intents: what the user wants to be reminded of when something comes up ("whenever I mention the boat, ask
//! about the anchor"). An agent arms one with the tool `intent`, and the message that mentions it brings it into the prompt.
//!
//! They are no part of the index, which may be deleted at any time: they are `intents.jsonl` in the agent's folder, one
//! intent a line. A message **reserves** what it brings up, the end of its turn **settles** that: it counts when the reply
//! succeeded, and is given back when it did not. Nobody else is given an intent that is reserved, in this process or
//! another. What counted is written through to the disk; a reservation, for which a reply waits, is not, and stands in
//! `intents-shown.jsonl`. Names, limits and shapes are those of memory-core 2026.9.6.

mod block;
mod file;
mod intent;
mod known;
mod matching;
mod reservations;
#[cfg(test)]
mod tests;

pub use block::{MOST_SHOWN, TAG};
pub use file::{Intents, Tested, Unreadable};
pub use intent::{IntentStatus, NewIntent, Scope, Speaker, StandingIntent};
pub use matching::Mention;
