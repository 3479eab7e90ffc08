//! Turns waiting to be captured, in the journal before the hook returns, so that a process that ends early loses nothing.
//! Whoever works on a turn takes it for a while; when it does not come back, the next one may.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    envelope,
    filter::{MAX_CHARS, requests},
    journal::{Claim, Journal, Record},
    rules::correction::correction,
};
use model::error::Result;
use text::redact::redact;

/// Characters of a message that secrets are looked for in; a host waits meanwhile.
const LOOKED_AT: usize = 2 * MAX_CHARS;

/// Attempts at a turn after which the time between them grows no more.
const MAX_GROWTH: u32 = 4;

/// How long somebody who takes a turn may work on it.
fn lease_of(attempts: u32, lease_ms: i64) -> i64 {
    lease_ms.saturating_mul(4_i64.pow(attempts.clamp(1, MAX_GROWTH) - 1))
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// The words, still with whatever the host put around them.
    pub text: String,
    /// When it was said, in milliseconds since the epoch, where the host tells: the same words said again are another
    /// message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

impl Message {
    /// The message as it may lie on the disk: its words without what the host put around them, without secrets, and no
    /// more of them than anybody looks at.
    #[must_use]
    pub(crate) fn cleaned(&self) -> Self {
        let text = envelope::strip(&self.text);
        // What somebody asks to remember stands behind what he shows as well.
        let is_long = self.role == Role::User && text.chars().nth(MAX_CHARS).is_some();
        let asked = if is_long { requests(&text) } else { None };
        let begin: String = asked.unwrap_or(text).chars().take(LOOKED_AT).collect();
        // Redacted before it is cut again: half a secret has no known shape.
        let text = redact(&begin).chars().take(MAX_CHARS + 1).collect();
        Self { role: self.role, text, at: self.at }
    }
}

/// A finished turn with the messages before it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Idempotency key: the same turn reported twice is one job.
    pub id: String,
    /// When it was queued, in milliseconds since the epoch.
    #[serde(default)]
    pub created_ms: i64,
    /// How often somebody took it.
    #[serde(default)]
    pub attempts: u32,
    /// Nobody takes it before this instant, in milliseconds since the epoch.
    #[serde(default)]
    pub not_before_ms: i64,
    /// The conversation.
    #[serde(default)]
    pub session_key: Option<String>,
    /// The id of the conversation, where the host told it: one key has many of them, one after another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The model provider of the turn, for hosts that assume a wrong one.
    #[serde(default)]
    pub provider: Option<String>,
    /// The model of the turn.
    #[serde(default)]
    pub model: Option<String>,
    /// Most facts to keep, where it is not the usual number: a compaction is many turns at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_facts: Option<usize>,
    /// How many of the messages, counted from the first, were in a turn before: they only help to understand the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seen: usize,
    /// Oldest first.
    pub messages: Vec<Message>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Longest id that is kept as it is.
const ID_CHARS: usize = 200;

/// An id that tells nothing of what was said, whatever a host makes its ids of; those of hosts stay as they are.
fn opaque(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let is_token = || redact(id) != id;
    if id.len() <= ID_CHARS && id.chars().all(is_plain) && !is_token() {
        return id.to_owned();
    }
    hex::encode(Sha256::digest(id.as_bytes()))
}

impl Journal {
    /// Adds a turn, cleaned. Waits for nobody and costs the same however many turns wait, because a hook of the host
    /// waits for it; what is there twice or is too much goes when somebody takes a turn.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&self, job: &Job) -> Result<()> {
        let messages = job.messages.iter().map(Message::cleaned).collect();
        self.add(&Record::Turn(Job { messages, id: opaque(&job.id), ..job.clone() }))
    }

    /// Takes the oldest turn that nobody works on, for `lease_ms`; for four times as long each time that whoever took it did
    /// not finish it. One that corrects something waits behind the earlier ones of its conversation: that may stand there.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn claim(&self, now_ms: i64, lease_ms: i64) -> Result<Option<Job>> {
        if !self.exists() {
            return Ok(None);
        }
        let mut held = self.hold()?;
        let (waiting, surplus) = held.state.turns();
        let given_up: Vec<Record> = surplus.into_iter().map(|job| Record::Done(job.id.clone())).collect();
        let until = |attempts| now_ms.saturating_add(lease_of(attempts, lease_ms));
        // Nobody takes a turn for longer: the clock was set back since, and this one would wait until then.
        let is_free = |job: &&Job| job.not_before_ms <= now_ms || job.not_before_ms > until(MAX_GROWTH);
        let (mut next, mut held_up) = (None, HashSet::new());
        for job in waiting {
            let names = || [&job.session_key, &job.session_id].into_iter().flatten();
            if is_free(&job) && !(names().any(|name| held_up.contains(name)) && corrects(job)) {
                next = Some(job);
                break;
            }
            held_up.extend(names());
        }
        let taken = next.map(|job| {
            let attempts = job.attempts + 1;
            Job { attempts, not_before_ms: until(attempts), ..job.clone() }
        });
        given_up.into_iter().try_for_each(|record| held.add(record))?;
        if let Some(Job { id, attempts, not_before_ms, .. }) = &taken {
            held.add(Record::Claim(Claim { turn: id.clone(), attempts: *attempts, until_ms: *not_before_ms }))?;
        }
        Ok(taken)
    }

    /// Gives a turn back that was taken, as if nobody had.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn give_back(&self, id: &str, attempts: u32) -> Result<()> {
        let attempts = attempts.saturating_sub(1);
        self.add(&Record::Claim(Claim { turn: id.to_owned(), attempts, until_ms: 0 }))
    }

    /// The turns that wait, of the conversation of one of them and before it, the newest first.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn waiting_before(&self, job: &Job) -> Result<Vec<Job>> {
        let state = self.read()?;
        let before = state.turns().0.into_iter().take_while(|other| other.id != job.id);
        let mut before: Vec<Job> = before.filter(|other| other.is_of_conversation_of(job)).cloned().collect();
        before.reverse();
        Ok(before)
    }

    /// A waiting turn by its id.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn turn(&self, id: &str) -> Result<Option<Job>> {
        Ok(self.read()?.turns().0.into_iter().find(|job| job.id == id).cloned())
    }

    /// Ends the waiting of a turn: it is done.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn finish(&self, id: &str) -> Result<()> {
        self.add(&Record::Done(id.to_owned()))
    }

    /// How many turns wait.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn waiting(&self) -> Result<usize> {
        Ok(self.read()?.turns().0.len())
    }
}

impl Job {
    /// Whether it is of the same conversation as another.
    fn is_of_conversation_of(&self, other: &Self) -> bool {
        let is_same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
        is_same(&self.session_id, &other.session_id) || is_same(&self.session_key, &other.session_key)
    }

    /// The user's messages that were in no turn before.
    pub(crate) fn new_words(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().skip(self.seen).filter(|message| message.role == Role::User)
    }
}

/// Whether a turn corrects what was said before it.
fn corrects(job: &Job) -> bool {
    job.new_words().any(|message| correction(&message.text).is_some())
}

#[cfg(test)]
mod tests {
    use super::{super::journal::MAX_TURNS, *};

    fn job(id: &str) -> Job {
        let messages = vec![Message { role: Role::User, text: "I prefer tea".to_owned(), at: None }];
        Job { id: id.to_owned(), created_ms: 1, messages, ..Job::default() }
    }

    #[test]
    fn a_waiting_turn_holds_words_and_no_secret() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        let said = format!(
            "<relevant-memories>old</relevant-memories>\n[Thu 2026-11-20 09:15 UTC] my key AKIAABCDEFGHIJKLMNOP {}",
            "x".repeat(1 << 20)
        );
        let messages = vec![Message { role: Role::User, text: said, at: None }];
        journal.push(&Job { messages, ..job("a") }).unwrap();
        let waiting = journal.turn("a").unwrap().unwrap();
        assert!(waiting.messages[0].text.starts_with("my key [redacted:aws-key] xx"));
        assert_eq!(waiting.messages[0].text.chars().count(), MAX_CHARS + 1);
    }

    // The end of a long message was cut off before anybody looked for what it asks.
    #[test]
    fn what_a_long_message_asks_at_its_end_is_queued() {
        let long = "It rained, and nothing much happened there. ".repeat(200);
        let text = format!("{long}\n\nRemember that my doctor is called Dr Weiss.");
        let said = |role| Message { role, text: text.clone(), at: None }.cleaned().text;
        assert_eq!(said(Role::User), "Remember that my doctor is called Dr Weiss.");
        assert!(said(Role::Assistant).starts_with("It rained"));
    }

    #[test]
    fn a_turn_is_taken_once_and_comes_back_when_its_taker_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        assert_eq!(journal.claim(0, 10).unwrap(), None);
        for id in ["a", "b", "a"] {
            journal.push(&job(id)).unwrap();
        }
        assert_eq!(journal.waiting().unwrap(), 2);
        assert_eq!(journal.claim(100, 10).unwrap().unwrap().id, "a");
        assert_eq!(journal.claim(101, 10).unwrap().unwrap().id, "b");
        assert_eq!(journal.claim(102, 10).unwrap(), None);
        let again = journal.claim(110, 10).unwrap().unwrap();
        assert_eq!((again.id.as_str(), again.attempts), ("a", 2));
        journal.finish("b").unwrap();
        // A model that is away for an hour is not asked every minute.
        assert_eq!(journal.claim(149, 10).unwrap(), None);
        assert_eq!(journal.claim(150, 10).unwrap().unwrap().attempts, 3);
        assert_eq!(journal.claim(309, 10).unwrap(), None);
        assert_eq!(journal.claim(310, 10).unwrap().unwrap().attempts, 4);
        journal.finish("a").unwrap();
        assert_eq!(journal.waiting().unwrap(), 0);
    }

    // The correction of what had to wait stated nothing by itself, and the old day was written after it.
    #[test]
    fn a_correction_waits_behind_the_turns_of_its_conversation() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        let of = |id: &str, key: &str, text: &str| {
            let messages = vec![Message { role: Role::User, text: text.to_owned(), at: None }];
            Job { session_key: Some(key.to_owned()), messages, ..job(id) }
        };
        let correction = "No, sorry, it's the 10th.";
        for (id, key, text) in [
            ("a1", "a", "The flight is on the 9th."),
            ("a2", "a", correction),
            ("b1", "b", correction),
            ("a3", "a", "I live in Bonn."),
        ] {
            journal.push(&of(id, key, text)).unwrap();
        }
        let next = |now| journal.claim(now, 10).unwrap().map(|job| job.id);
        assert_eq!([100, 101, 102, 103].map(next), [Some("a1".into()), Some("b1".into()), Some("a3".into()), None]);
        let before: Vec<String> =
            journal.waiting_before(&of("a3", "a", "")).unwrap().into_iter().map(|job| job.id).collect();
        assert_eq!(before, ["a2", "a1"]);
        journal.finish("a1").unwrap();
        assert_eq!(next(104).as_deref(), Some("a2"));
        // Given back, it is the next one at once, and nobody has tried.
        journal.give_back("a2", 1).unwrap();
        let again = journal.claim(105, 10).unwrap().unwrap();
        assert_eq!((again.id.as_str(), again.attempts), ("a2", 1));
    }

    // A machine that began with a clock ahead by a year kept the turn it had taken waiting for a year.
    #[test]
    fn a_clock_that_is_set_back_does_not_keep_a_turn_waiting() {
        const YEAR_MS: i64 = 365 * 86_400_000;
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        journal.push(&job("a")).unwrap();
        journal.claim(YEAR_MS, 10).unwrap().unwrap();
        assert_eq!(journal.claim(100, 10).unwrap().map(|job| job.id).as_deref(), Some("a"));
        assert_eq!(journal.claim(109, 10).unwrap(), None);
        assert!(journal.claim(YEAR_MS, 10).unwrap().is_some());
    }

    #[test]
    fn the_oldest_give_way_when_nobody_works() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        for n in 0..MAX_TURNS {
            journal.push(&job(&n.to_string())).unwrap();
        }
        journal.push(&job("new")).unwrap();
        assert_eq!(journal.waiting().unwrap(), MAX_TURNS);
        assert!(journal.turn("0").unwrap().is_none() && journal.turn("new").unwrap().is_some());
    }

    #[test]
    fn a_turn_is_queued_while_another_process_holds_the_journal() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        let held = journal.hold().unwrap();
        journal.push(&job("a")).unwrap();
        drop(held);
        assert_eq!(journal.claim(1, 1).unwrap().unwrap().id, "a");
    }

    #[test]
    fn concurrent_processes_lose_no_turn_and_take_none_twice() {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::new(dir.path());
        let taken = std::sync::Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let (journal, taken) = (&journal, &taken);
                scope.spawn(move || {
                    for n in 0..15 {
                        journal.push(&job(&format!("{writer}-{n}"))).unwrap();
                        if let Some(job) = journal.claim(1, i64::MAX).unwrap() {
                            taken.lock().unwrap().push(job.id);
                        }
                    }
                });
            }
        });
        while let Some(job) = journal.claim(1, i64::MAX).unwrap() {
            taken.lock().unwrap().push(job.id);
        }
        let mut taken = taken.into_inner().unwrap();
        taken.sort();
        taken.dedup();
        assert_eq!(taken.len(), 45);
    }
}
