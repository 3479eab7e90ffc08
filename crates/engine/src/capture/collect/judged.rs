//! Which messages were judged before. A host hands over the last messages of a conversation with each turn, and a process that
//! begins anew has seen none of them.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};

use super::{
    super::{
        log::{Entry, Heard},
        queue::{Job, Message, Role},
    },
    Collector,
};
use model::error::Result;

/// Bytes of a fingerprint of a message in the journal.
const MESSAGE_HASH_BYTES: usize = 8;
/// A message that is handed over once more may have a time so much after the one it had in its own turn, in milliseconds: the
/// host wrote it down then. An earlier time is no sign of another message: it waited, or its channel counts whole seconds.
const LATER_MS: i64 = 5 * 60 * 1000;

/// What was judged of the conversation of a turn.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    messages: HashSet<&'a str>,
    /// By the words, when they were heard last.
    words: HashMap<&'a str, i64>,
}

impl<'a> Judged<'a> {
    pub(super) fn of(captures: &'a [Entry], job: &Job) -> Self {
        let mut judged = Self { messages: HashSet::new(), words: HashMap::new() };
        // Of a turn that somebody took and did not finish nobody knows how far he came; what was judged before it was queued
        // is of other turns.
        let is_earlier = |entry: &&Entry| job.attempts <= 1 || entry.is_before(job.created_ms);
        for entry in captures.iter().filter(is_earlier) {
            judged.messages.insert(&entry.message);
            if entry.is_of(job.session_key.as_deref(), job.session_id.as_deref()) {
                for heard in &entry.heard {
                    let last = judged.words.entry(&heard.words).or_insert(heard.at);
                    *last = heard.at.max(*last);
                }
            }
        }
        judged
    }

    /// Whether a message of the turn was; `is_last` where no other of the user's follows.
    pub(super) fn has(&self, message: &Message, is_last: bool) -> bool {
        let was_heard = || self.words.get(words_of(&message.text).as_str()).copied();
        self.messages.contains(fingerprint_of(message).as_str())
            || message.at.is_some_and(|at| was_heard().is_some_and(|heard| is_same_time(heard, at, is_last)))
    }
}

/// Whether the same words are of the same message: what follows the last time they were heard was said again. Of messages with
/// others behind them most are handed over once more.
fn is_same_time(heard: i64, at: f64, is_last: bool) -> bool {
    at.round() as i64 <= heard + if is_last { 0 } else { LATER_MS }
}

impl Collector {
    /// A turn that knows how many of its messages, counted from the first, were judged before.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(crate) fn looked_at(&self, job: Job) -> Result<Job> {
        let captures = self.journal().captures()?;
        let judged = Judged::of(&captures, &job);
        let last = last_of_user(&job);
        let users = job.messages.iter().enumerate().filter(|(_, message)| message.role == Role::User);
        // Without a time the same words are one message, which may have been said long before the others.
        let known = users.take_while(|(at, message)| message.at.is_some() && judged.has(message, Some(*at) == last));
        let known = known.last().map_or(0, |(at, _)| at + 1);
        Ok(Job { seen: job.seen.max(known), ..job })
    }
}

/// The place of the user's last message.
pub(super) fn last_of_user(job: &Job) -> Option<usize> {
    job.messages.iter().rposition(|message| message.role == Role::User)
}

/// Which entries are of a message that stands before others in a turn of their conversation.
pub(super) fn is_of(message: &Message) -> impl Fn(&Entry) -> bool {
    let (print, words, at) = (fingerprint_of(message), words_of(&message.text), message.at);
    let is_same = move |heard: &Heard| heard.words == words && at.is_some_and(|at| is_same_time(heard.at, at, false));
    move |entry| entry.message == print || entry.heard.iter().any(&is_same)
}

/// What is noted of messages beside their fingerprints.
pub(super) fn heard<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Vec<Heard> {
    let heard = |message: &Message| Some(Heard { words: words_of(&message.text), at: message.at?.round() as i64 });
    messages.into_iter().filter(|message| message.role == Role::User).filter_map(heard).collect()
}

/// The fingerprint of a message: of its words, and of when it was said where that is known.
pub(crate) fn fingerprint_of(Message { text, at, .. }: &Message) -> String {
    at.map_or_else(|| fingerprint(text), |at| fingerprint(&format!("{}\u{0}{at}", text.trim())))
}

fn words_of(text: &str) -> String {
    fingerprint(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

pub(super) fn fingerprint(text: &str) -> String {
    hex::encode(Sha256::digest(text.trim()).get(..MESSAGE_HASH_BYTES).unwrap_or_default())
}
