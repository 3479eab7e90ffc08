//! Turns waiting to be captured: one file each, on disk before the hook returns, so that a process that ends early loses
//! nothing. Whoever works on a turn takes it for a while; when it does not come back, the next one may.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{envelope, filter::MAX_CHARS, jsonl, spool::Spool};
use model::error::{Code, Error, Result};
use text::redact::redact;

/// Name of the folder of waiting turns in the agent's folder.
const FOLDER: &str = "capture-queue";
/// Where versions before kept them: one line each.
pub(super) const FORMER_FILE: &str = "capture-queue.jsonl";

/// Turns kept; beyond it the oldest are given up, so that a gateway without a model does not fill the disk.
const MAX_JOBS: usize = 500;

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
        let begin: String = envelope::strip(&self.text).chars().take(LOOKED_AT).collect();
        // Redacted before it is cut again: half a secret has no known shape.
        let text = redact(&begin).chars().take(MAX_CHARS + 1).collect();
        Self { role: self.role, text, at: self.at }
    }
}

/// A finished turn with the messages before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// The queue of one agent.
#[derive(Debug, Clone)]
pub struct Queue {
    spool: Spool,
    former: PathBuf,
}

impl Queue {
    /// The queue in an agent's folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { spool: Spool::new(folder.join(FOLDER)), former: folder.join(FORMER_FILE) }
    }

    /// Adds a turn, cleaned. Waits for nobody and costs the same however many turns wait, because a hook of the host
    /// waits for it; what is there twice or is too much goes when somebody takes a turn.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&self, job: &Job) -> Result<()> {
        let messages = job.messages.iter().map(Message::cleaned).collect();
        self.spool.put(&name_of(job), &to_text(&Job { messages, ..job.clone() })?)
    }

    /// Takes the oldest turn that nobody works on, for `lease_ms`; for four times as long each time that whoever took it did
    /// not finish it.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn claim(&self, now_ms: i64, lease_ms: i64) -> Result<Option<Job>> {
        if !self.spool.exists() && !self.former.exists() {
            return Ok(None);
        }
        self.spool.locked(|| {
            self.take_over_former()?;
            self.spool.sweep()?;
            let (waiting, surplus) = tidy(self.spool.names()?);
            for name in &surplus {
                self.spool.remove(name)?;
            }
            for name in &waiting {
                let Some(mut job) = self.read(name)? else {
                    // Written by nobody we know.
                    self.spool.remove(name)?;
                    continue;
                };
                let until = |attempts| now_ms.saturating_add(lease_of(attempts, lease_ms));
                // Nobody takes a turn for longer: the clock was set back since, and this one would wait until then.
                let is_free = job.not_before_ms <= now_ms || job.not_before_ms > until(MAX_GROWTH);
                if is_free {
                    job.attempts += 1;
                    job.not_before_ms = until(job.attempts);
                    self.spool.put(name, &to_text(&job)?)?;
                    return Ok(Some(job));
                }
            }
            Ok(None)
        })
    }

    /// A waiting turn by its id.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<Job>> {
        match self.waiting()?.iter().find(|name| is_of(name, id)) {
            Some(name) => self.read(name),
            None => Ok(None),
        }
    }

    /// Takes a turn off the queue: it is done.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub(crate) fn complete(&self, id: &str) -> Result<()> {
        self.spool.locked(|| {
            for name in self.spool.names()?.iter().filter(|name| is_of(name, id)) {
                self.spool.remove(name)?;
            }
            Ok(())
        })
    }

    /// Removes the turns that `concerns` names; gives their number, also when it is only asked for.
    ///
    /// # Errors
    /// When a file cannot be read or removed.
    pub fn erase(&self, dry_run: bool, concerns: impl Fn(&Job) -> bool) -> Result<usize> {
        if !self.spool.exists() && !self.former.exists() {
            return Ok(0);
        }
        self.spool.locked(|| {
            self.take_over_former()?;
            let mut erased = 0;
            for name in self.spool.names()? {
                if self.read(&name)?.is_some_and(|job| concerns(&job)) {
                    erased += 1;
                    if !dry_run {
                        self.spool.remove(&name)?;
                    }
                }
            }
            Ok(erased)
        })
    }

    /// How many turns wait.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn len(&self) -> Result<usize> {
        Ok(self.waiting()?.len())
    }

    /// Whether no turn waits.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// The names of the waiting turns, oldest first.
    fn waiting(&self) -> Result<Vec<String>> {
        if self.former.exists() {
            self.spool.locked(|| self.take_over_former())?;
        }
        Ok(tidy(self.spool.names()?).0)
    }

    fn read(&self, name: &str) -> Result<Option<Job>> {
        Ok(self.spool.read(name)?.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Takes over the turns of a version before. A process of that version may still add some.
    fn take_over_former(&self) -> Result<()> {
        if !self.former.exists() {
            return Ok(());
        }
        jsonl::mend(&self.former)?;
        jsonl::take(&self.former, |lines| {
            for line in lines {
                if let Ok(job) = serde_json::from_str::<Job>(&line) {
                    self.spool.put(&name_of(&job), &line)?;
                }
            }
            Ok(())
        })
    }
}

/// The name of a turn's file: ordered by when it was queued, and the same in its last part for the same turn.
fn name_of(job: &Job) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:015}-{next:010}-{:016x}", job.created_ms.max(0), xxh3_64(job.id.as_bytes()))
}

/// Whether a name is that of a turn.
fn is_of(name: &str, id: &str) -> bool {
    name.ends_with(&format!("-{:016x}", xxh3_64(id.as_bytes())))
}

/// The newest turns, each once, and what goes: turns that are there twice, and the oldest when there are too many.
fn tidy(names: Vec<String>) -> (Vec<String>, Vec<String>) {
    let mut seen = HashSet::new();
    let last_part = |name: &str| name.rsplit('-').next().unwrap_or_default().to_owned();
    let (mut waiting, mut surplus): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| seen.insert(last_part(name)));
    surplus.extend(waiting.drain(..waiting.len().saturating_sub(MAX_JOBS)));
    (waiting, surplus)
}

fn to_text(job: &Job) -> Result<String> {
    serde_json::to_string(job).map_err(|e| Error::new(Code::Internal, format!("capture job: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str) -> Job {
        let messages = vec![Message { role: Role::User, text: "I prefer tea".to_owned(), at: None }];
        let created_ms = 1;
        Job {
            id: id.to_owned(),
            created_ms,
            attempts: 0,
            not_before_ms: 0,
            session_key: None,
            provider: None,
            model: None,
            max_facts: None,
            seen: 0,
            messages,
        }
    }

    #[test]
    fn a_waiting_turn_holds_words_and_no_secret() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        let said = format!(
            "<relevant-memories>old</relevant-memories>\n[Thu 2026-11-20 09:15 UTC] my key AKIAABCDEFGHIJKLMNOP {}",
            "x".repeat(1 << 20)
        );
        let messages = vec![Message { role: Role::User, text: said, at: None }];
        queue.push(&Job { messages, ..job("a") }).unwrap();
        let waiting = queue.get("a").unwrap().unwrap();
        assert!(waiting.messages[0].text.starts_with("my key [redacted:aws-key] xx"));
        assert_eq!(waiting.messages[0].text.chars().count(), MAX_CHARS + 1);
    }

    #[test]
    fn a_turn_is_taken_once_and_comes_back_when_its_taker_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        assert_eq!(queue.claim(0, 10).unwrap(), None);
        for id in ["a", "b", "a"] {
            queue.push(&job(id)).unwrap();
        }
        assert_eq!(queue.len().unwrap(), 2);
        assert_eq!(queue.claim(100, 10).unwrap().unwrap().id, "a");
        assert_eq!(queue.claim(101, 10).unwrap().unwrap().id, "b");
        assert_eq!(queue.claim(102, 10).unwrap(), None);
        let again = queue.claim(110, 10).unwrap().unwrap();
        assert_eq!((again.id.as_str(), again.attempts), ("a", 2));
        queue.complete("b").unwrap();
        // A model that is away for an hour is not asked every minute.
        assert_eq!(queue.claim(149, 10).unwrap(), None);
        assert_eq!(queue.claim(150, 10).unwrap().unwrap().attempts, 3);
        assert_eq!(queue.claim(309, 10).unwrap(), None);
        assert_eq!(queue.claim(310, 10).unwrap().unwrap().attempts, 4);
        queue.complete("a").unwrap();
        assert!(queue.is_empty().unwrap());
    }

    // A machine that began with a clock ahead by a year kept the turn it had taken waiting for a year.
    #[test]
    fn a_clock_that_is_set_back_does_not_keep_a_turn_waiting() {
        const YEAR_MS: i64 = 365 * 86_400_000;
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        queue.push(&job("a")).unwrap();
        queue.claim(YEAR_MS, 10).unwrap().unwrap();
        assert_eq!(queue.claim(100, 10).unwrap().map(|job| job.id).as_deref(), Some("a"));
        assert_eq!(queue.claim(109, 10).unwrap(), None);
        assert!(queue.claim(YEAR_MS, 10).unwrap().is_some());
    }

    #[test]
    fn the_oldest_give_way_when_nobody_works() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        for n in 0..MAX_JOBS {
            queue.push(&job(&n.to_string())).unwrap();
        }
        queue.push(&job("new")).unwrap();
        assert_eq!(queue.len().unwrap(), MAX_JOBS);
        assert!(queue.get("0").unwrap().is_none() && queue.get("new").unwrap().is_some());
    }

    #[test]
    fn turns_of_a_version_before_are_taken_over_while_it_still_adds_some() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        let former = dir.path().join(FORMER_FILE);
        let line = |id: &str| to_text(&job(id)).unwrap();
        std::fs::write(&former, format!("{}\n{}\n{{\"id\":\"torn", line("a"), line("b"))).unwrap();
        assert_eq!(queue.len().unwrap(), 2);
        assert!(!former.exists());
        jsonl::append(&former, &line("b")).unwrap();
        jsonl::append(&former, &line("c")).unwrap();
        let taken: Vec<String> = std::iter::from_fn(|| queue.claim(1, i64::MAX).unwrap()).map(|job| job.id).collect();
        assert_eq!(taken, ["a", "b", "c"]);
        jsonl::append(&former, &line("d")).unwrap();
        assert_eq!(queue.erase(true, |job| job.id == "d").unwrap(), 1);
        assert_eq!(queue.erase(false, |job| job.id == "d").unwrap(), 1);
        assert_eq!(queue.len().unwrap(), 3);
    }

    #[test]
    fn a_turn_is_queued_while_another_process_holds_the_queue() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        queue.spool.locked(|| queue.push(&job("a"))).unwrap();
        assert_eq!(queue.claim(1, 1).unwrap().unwrap().id, "a");
    }

    #[test]
    fn an_entry_that_cannot_be_read_stops_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        queue.push(&job("a")).unwrap();
        queue.spool.put("000-of-a-power-cut", "").unwrap();
        assert_eq!(queue.claim(1, 1).unwrap().unwrap().id, "a");
        assert_eq!(queue.len().unwrap(), 1);
    }

    #[test]
    fn concurrent_processes_lose_no_turn_and_take_none_twice() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        let taken = std::sync::Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let (queue, taken) = (&queue, &taken);
                scope.spawn(move || {
                    for n in 0..15 {
                        queue.push(&job(&format!("{writer}-{n}"))).unwrap();
                        if let Some(job) = queue.claim(1, i64::MAX).unwrap() {
                            taken.lock().unwrap().push(job.id);
                        }
                    }
                });
            }
        });
        while let Some(job) = queue.claim(1, i64::MAX).unwrap() {
            taken.lock().unwrap().push(job.id);
        }
        let mut taken = taken.into_inner().unwrap();
        taken.sort();
        taken.dedup();
        assert_eq!(taken.len(), 45);
    }
}
