//! The records of a journal, and what follows from them.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::super::{log, queue::Job};

/// Captures that are remembered; older ones go when the journal is written anew.
pub(super) const MAX_CAPTURES: usize = 5000;
/// Stored facts whose source is remembered; the oldest go as above.
const MAX_FACTS: usize = 5000;
/// Turns that wait, and the bytes of their words; beyond it the oldest are given up, so that a gateway without a model does
/// not fill the disk.
pub(in crate::capture) const MAX_TURNS: usize = 500;
const MAX_TURN_BYTES: usize = 16 << 20;
/// Turns that are known to be done; of those that are reported once more later, the captures say so.
const MAX_DONE: usize = 1000;
/// Records that are over for which no journal is written anew; with an eighth of the others.
const MAX_SPARE: usize = 100;
/// One in so many waiting turns is done before the journal is written anew without their words.
const TURNS_PER_REWRITE: usize = 8;
/// Marks in one record.
const MARKS_PER_RECORD: usize = 1000;

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::capture) enum Record {
    /// A turn begins to wait.
    Turn(Job),
    /// Somebody works on a turn.
    Claim(Claim),
    /// The turn of this id waits no more.
    Done(String),
    /// What became of a text.
    Capture(log::Entry),
    /// A fact was stored on the word of the model.
    Fact(FactSource),
    /// Fingerprints of lines that were written in conversations of several people, in hexadecimal digits.
    Marks(Vec<String>),
}

/// In which conversation a fact was stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FactSource {
    /// Its id.
    pub fact: String,
    /// When, ISO 8601 in UTC.
    pub ts: String,
    /// The key of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The id of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// Who takes a turn has it for some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::capture) struct Claim {
    /// Id of the turn.
    pub turn: String,
    /// How often somebody took it.
    pub attempts: u32,
    /// Nobody else takes it before this instant, in milliseconds since the epoch.
    pub until_ms: i64,
}

/// What the records of a journal say together.
#[derive(Debug, Default)]
pub(in crate::capture) struct State {
    /// The turns that wait by their ids, each with the number of its record.
    turns: HashMap<String, (usize, Job)>,
    /// The same of turns that are done.
    done: HashMap<String, usize>,
    /// Turns that are done and whose words are in the file still.
    over: usize,
    /// Every record of a capture, oldest first.
    captures: Vec<log::Entry>,
    /// Where stored facts come from, oldest first.
    pub facts: Vec<FactSource>,
    /// Fingerprints of the marks.
    pub marks: HashSet<u64>,
    /// Lines that are no records.
    pub damaged: Vec<u8>,
    /// Where the last record ends.
    pub(super) end: usize,
    /// Number of records.
    count: usize,
}

impl State {
    /// What the records in a file say.
    pub(super) fn replay(bytes: &[u8]) -> Self {
        let mut state = Self::default();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            match serde_json::from_slice(line) {
                Ok(record) => state.apply(record),
                Err(_) if line.trim_ascii().is_empty() => {}
                // Somebody writes it, or was killed.
                Err(_) if line.starts_with(b"{") && !line.ends_with(b"\n") => break,
                Err(_) => state.damaged.extend_from_slice(line),
            }
            state.end += line.len();
        }
        state
    }

    pub(super) fn apply(&mut self, record: Record) {
        self.count += 1;
        match record {
            // Reported twice, it is one.
            Record::Turn(job) if self.done.contains_key(&job.id) => self.over += 1,
            Record::Turn(job) => {
                self.turns.entry(job.id.clone()).or_insert((self.count, job));
            }
            Record::Claim(Claim { turn, attempts, until_ms }) => {
                if let Some((_, job)) = self.turns.get_mut(&turn) {
                    (job.attempts, job.not_before_ms) = (attempts, until_ms);
                }
            }
            Record::Done(turn) => {
                self.over += usize::from(self.turns.remove(&turn).is_some());
                self.done.insert(turn, self.count);
            }
            Record::Capture(entry) => self.captures.push(entry),
            Record::Fact(source) => self.facts.push(source),
            Record::Marks(marks) => {
                self.marks.extend(marks.iter().filter_map(|mark| u64::from_str_radix(mark, 16).ok()));
            }
        }
    }

    /// Adds captures that are older than all others, as far as they are not there yet.
    pub(super) fn add_former(&mut self, mut entries: Vec<log::Entry>) {
        let known: HashSet<(&str, log::Status)> =
            self.captures.iter().map(|entry| (entry.id.as_str(), entry.status)).collect();
        entries.retain(|entry| !known.contains(&(entry.id.as_str(), entry.status)));
        self.captures.splice(0..0, entries);
    }

    /// The turns that wait, oldest first, and those that are too many.
    pub(in crate::capture) fn turns(&self) -> (Vec<&Job>, Vec<&Job>) {
        let mut surplus = self.by_age();
        let mut bytes = 0;
        let newest = surplus.iter().rev().take(MAX_TURNS).take_while(|job| {
            bytes += job.messages.iter().map(|message| message.text.len()).sum::<usize>();
            bytes <= MAX_TURN_BYTES
        });
        let too_many = surplus.len() - newest.count();
        let waiting = surplus.split_off(too_many);
        (waiting, surplus)
    }

    fn by_age(&self) -> Vec<&Job> {
        let mut turns: Vec<_> = self.turns.values().collect();
        turns.sort_unstable_by_key(|(number, job)| (job.created_ms, *number));
        turns.into_iter().map(|(_, job)| job).collect()
    }

    /// Takes turns out; gives their number.
    pub(in crate::capture) fn remove_turns(&mut self, concerns: impl Fn(&Job) -> bool) -> usize {
        let before = self.turns.len();
        self.turns.retain(|_, (_, job)| !concerns(job));
        before - self.turns.len()
    }

    /// The captures as they are now, newest first.
    pub(in crate::capture) fn captures(&self) -> impl DoubleEndedIterator<Item = &log::Entry> {
        let mut seen = HashSet::new();
        let newest = self.captures.iter().rev().filter(|entry| seen.insert(&entry.id)).take(MAX_CAPTURES);
        newest.collect::<Vec<_>>().into_iter()
    }

    /// Changes captures; gives the number of those that `change` says it has changed.
    pub(in crate::capture) fn change_captures(&mut self, mut change: impl FnMut(&mut log::Entry) -> bool) -> usize {
        self.captures = self.captures().rev().cloned().collect();
        self.captures.iter_mut().map(|entry| usize::from(change(entry))).sum()
    }

    /// Whether much of the file is over, or words that wait no more lie in it: somebody may have taken them back. Where many
    /// turns wait, some of them are done first, so that the file is not written once for each.
    pub(super) fn is_wasteful(&self) -> bool {
        if self.over > self.turns.len() / TURNS_PER_REWRITE {
            return true;
        }
        let marks = self.marks.len().div_ceil(MARKS_PER_RECORD);
        let facts = self.facts.len().min(MAX_FACTS);
        let live = self.turns.len() + self.captures().count() + facts + self.done.len().min(MAX_DONE) + marks;
        self.count > live + live / 8 + MAX_SPARE
    }

    /// The fewest records that say the same.
    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        let mut marks: Vec<String> = self.marks.iter().map(|mark| format!("{mark:016x}")).collect();
        marks.sort_unstable();
        let marks: Vec<Record> = marks.chunks(MARKS_PER_RECORD).map(|marks| Record::Marks(marks.to_vec())).collect();
        let mut done: Vec<(&String, &usize)> = self.done.iter().collect();
        done.sort_unstable_by_key(|(_, number)| *number);
        let done = done.split_off(done.len().saturating_sub(MAX_DONE)).into_iter();
        let captures = self.captures().rev().cloned().map(Record::Capture);
        let old = self.facts.len().saturating_sub(MAX_FACTS);
        let facts = self.facts.iter().skip(old).cloned().map(Record::Fact);
        let turns = self.by_age().into_iter().cloned().map(Record::Turn);
        marks.into_iter().chain(captures).chain(facts).chain(done.map(|(id, _)| Record::Done(id.clone()))).chain(turns)
    }
}
