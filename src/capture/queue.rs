//! Turns waiting to be captured: one JSON line each, on disk before the hook returns, so that a process that ends early
//! loses nothing. Whoever works on a turn takes it for a while; when it does not come back, the next one may.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{envelope, filter::MAX_CHARS, jsonl};
use crate::{
    error::{Code, Error, Result},
    text::redact::redact,
};

/// Name of the file in the agent's folder.
pub(super) const FILE: &str = "capture-queue.jsonl";

/// Turns kept; beyond it the oldest are given up, so that a gateway without a model does not fill the disk.
const MAX_JOBS: usize = 500;

/// Characters of a message that secrets are looked for in; a host waits meanwhile.
const LOOKED_AT: usize = 2 * MAX_CHARS;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// The words, still with whatever the host put around them.
    pub text: String,
}

impl Message {
    /// The message as it may lie on the disk: its words without what the host put around them, without secrets, and no
    /// more of them than anybody looks at.
    #[must_use]
    pub fn cleaned(&self) -> Self {
        let begin: String = envelope::strip(&self.text).chars().take(LOOKED_AT).collect();
        // Redacted before it is cut again: half a secret has no known shape.
        let text = redact(&begin).chars().take(MAX_CHARS + 1).collect();
        Self { role: self.role, text }
    }
}

/// A finished turn with the messages before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Oldest first.
    pub messages: Vec<Message>,
}

/// The queue of one agent.
#[derive(Debug, Clone)]
pub struct Queue {
    path: PathBuf,
}

impl Queue {
    /// The queue in an agent's folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE) }
    }

    /// Adds a turn, cleaned. Costs the same however many wait, because a hook of the host waits for it; what is there twice or
    /// is too much goes when somebody takes a turn.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&self, job: &Job) -> Result<()> {
        let messages = job.messages.iter().map(Message::cleaned).collect();
        jsonl::append(&self.path, &to_line(&Job { messages, ..job.clone() })?)
    }

    /// Takes the oldest turn that nobody works on, for `lease_ms`.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn claim(&self, now_ms: i64, lease_ms: i64) -> Result<Option<Job>> {
        if !self.path.exists() {
            return Ok(None);
        }
        let mut claimed = None;
        jsonl::update(&self.path, |lines| {
            let mut all = tidy(&lines);
            let job = all.iter_mut().find(|job| job.not_before_ms <= now_ms)?;
            job.attempts += 1;
            job.not_before_ms = now_ms.saturating_add(lease_ms);
            claimed = Some(job.clone());
            to_lines(&all)
        })?;
        Ok(claimed)
    }

    /// A waiting turn by its id.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<Job>> {
        Ok(self.waiting()?.into_iter().find(|job| job.id == id))
    }

    /// Takes a turn off the queue: it is done.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn complete(&self, id: &str) -> Result<()> {
        jsonl::update(&self.path, |lines| to_lines(&jobs(&lines).filter(|job| job.id != id).collect::<Vec<_>>()))
    }

    /// How many turns wait.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn len(&self) -> Result<usize> {
        Ok(self.waiting()?.len())
    }

    fn waiting(&self) -> Result<Vec<Job>> {
        Ok(tidy(&jsonl::tail(&self.path, 2 * MAX_JOBS)?))
    }

    /// Whether no turn waits.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// The newest turns, each once.
fn tidy(lines: &[String]) -> Vec<Job> {
    let mut seen = HashSet::new();
    let all: Vec<Job> = jobs(lines).filter(|job| seen.insert(job.id.clone())).collect();
    let surplus = all.len().saturating_sub(MAX_JOBS);
    all.into_iter().skip(surplus).collect()
}

/// The jobs of the lines that can be read; others were written by nobody we know.
fn jobs(lines: &[String]) -> impl Iterator<Item = Job> + '_ {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok())
}

fn to_lines(jobs: &[Job]) -> Option<Vec<String>> {
    jobs.iter().map(|job| to_line(job).ok()).collect()
}

fn to_line(job: &Job) -> Result<String> {
    serde_json::to_string(job).map_err(|e| Error::new(Code::Internal, format!("capture job: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str) -> Job {
        let messages = vec![Message { role: Role::User, text: "I prefer tea".to_owned() }];
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
        let messages = vec![Message { role: Role::User, text: said }];
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
        queue.complete("a").unwrap();
        queue.complete("b").unwrap();
        assert!(queue.is_empty().unwrap());
    }

    #[test]
    fn the_oldest_give_way_when_nobody_works() {
        let dir = tempfile::tempdir().unwrap();
        let queue = Queue::new(dir.path());
        let lines: String = (0..MAX_JOBS).map(|n| to_line(&job(&n.to_string())).unwrap() + "\n").collect();
        std::fs::write(dir.path().join(FILE), lines).unwrap();
        queue.push(&job("new")).unwrap();
        assert_eq!(queue.len().unwrap(), MAX_JOBS);
        assert!(queue.get("0").unwrap().is_none() && queue.get("new").unwrap().is_some());
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
