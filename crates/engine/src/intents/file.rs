//! The intents of an agent on disk.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use serde::Serialize;
use uuid::Uuid;

use super::{
    block::{MOST_SHOWN, fits, rendered},
    intent::{IntentStatus, NewIntent, Speaker, StandingIntent, argument},
    known::{self, Lines, Waiting, parsed},
    matching::{Mention, Message},
    reservations::{Reservations, Shown, put_beside},
};
use crate::{blocking::blocking, capture::jsonl};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// The file, in the agent's folder.
const FILE: &str = "intents.jsonl";
/// Intents that are at work at a time, at most.
const MOST_LIVE: usize = 1000;
/// How long one is kept after it is over: 90 days.
const KEPT_MS: i64 = 90 * 24 * 3_600_000;

/// The standing intents of one agent.
#[derive(Debug, Clone)]
pub struct Intents {
    path: PathBuf,
    reservations: Reservations,
}

/// An intent beside a message.
#[derive(Debug, Clone, Serialize)]
pub struct Tested {
    /// The intent.
    pub intent: StandingIntent,
    /// What the message mentions of it.
    #[serde(flatten)]
    pub found: Mention,
    /// Whether it would come up now: it is armed and rested, and nothing of `unless` is mentioned.
    pub ready: bool,
}

/// Lines that are no intents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Their numbers, from 1.
    pub lines: Vec<usize>,
}

impl Intents {
    /// Those of an agent's folder.
    #[must_use]
    pub fn of(agent_folder: &Path) -> Self {
        Self { path: agent_folder.join(FILE), reservations: Reservations::of(agent_folder) }
    }

    /// Runs work with those of an agent's folder where files may be read.
    ///
    /// # Errors
    /// What the work says.
    pub async fn with<T: Send + 'static>(
        agent_folder: PathBuf,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        blocking(move || work(&Self::of(&agent_folder))).await
    }

    /// All of them, oldest first, as they are now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self, status: Option<IntentStatus>, now: i64) -> Result<Vec<StandingIntent>> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let (mut intents, _) = self.beside(&self.reservations.read()?, now)?;
        intents.retain(|intent| status.is_none_or(|status| intent.status == status));
        intents.sort_by(older);
        Ok(intents)
    }

    /// The lines of the file that are no intents; nothing changes them. None where all are.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn unreadable(&self) -> Result<Option<Unreadable>> {
        let Some(bytes) = own_file::read(&self.path)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let is_none = |line: &str| !line.trim().is_empty() && parsed(line).is_none();
        let lines: Vec<usize> = (1..)
            .zip(text.trim_start_matches('\u{feff}').lines())
            .filter(|(_, line)| is_none(line))
            .map(|(n, _)| n)
            .collect();
        Ok((!lines.is_empty()).then(|| Unreadable { path: self.path.clone(), lines }))
    }

    /// As they are now, with reservations that were read before them: one that has ended since then has counted.
    fn beside(&self, shown: &[Shown], now: i64) -> Result<(Vec<StandingIntent>, Vec<Waiting>)> {
        let Lines { mut intents, waiting, .. } = known::read(&self.path, jsonl::all(&self.path)?);
        bring_up_to(now, &mut intents, shown);
        Ok((intents, waiting))
    }

    /// Arms a new one.
    ///
    /// # Errors
    /// `MEM_ARGUMENT` when something of it cannot be used, or the same is armed already; `MEM_LIMIT` when there are too many; and when the file cannot be
    /// written.
    pub fn create(&self, given: NewIntent, by: &Speaker, now: i64) -> Result<StandingIntent> {
        let intent = StandingIntent::new(Uuid::new_v4().to_string(), given, by, now)?;
        self.change(now, |known| {
            if let Some(same) = known.iter().find(|other| intent.is_same(other)) {
                return Err(argument(format!("this standing intent exists already: {}", same.id))
                    .remedy("It needs nothing more; cancel that one first to arm it with other limits"));
            }
            if known.iter().filter(|other| is_live(other)).count() >= MOST_LIVE {
                return Err(argument(format!("there are {MOST_LIVE} standing intents already"))
                    .remedy("Cancel some: openclaw memory intents list"));
            }
            known.push(intent.clone());
            Ok(intent)
        })
    }

    /// Takes one back; none when there is none of that id that could come up.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn cancel(&self, id: &str, now: i64) -> Result<Option<StandingIntent>> {
        self.change_if_any(now, |known| {
            let found = known.iter_mut().find(|intent| intent.id == id);
            Ok(found.and_then(|intent| intent.cancel(now).then(|| intent.clone())))
        })
    }

    /// What a message brings up, as a block for the prompt with days of the user's `zone`; none when it brings up nothing.
    /// It is reserved for the turn, which must be settled. The same turn, asked again, is told the same.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn reserve(
        &self,
        turn: &str,
        message: &str,
        by: &Speaker,
        now: i64,
        zone: &TimeZone,
    ) -> Result<Option<String>> {
        let message = Message::new(message);
        // Most messages bring up nothing, and then nothing is locked and nothing written.
        let comes_up = |(intent, waiting): (&StandingIntent, &Waiting)| {
            intent.is_shown_by(turn)
                || intent.is_ready(now)
                    && intent.counts_for(by)
                    && message.mentions(intent, waiting.of(intent)).is_some_and(|found| found.unless.is_none())
        };
        if message.is_empty() || !self.path.exists() {
            return Ok(None);
        }
        let (known, waiting) = self.beside(&self.reservations.read()?, now)?;
        if !known.iter().zip(&waiting).any(comes_up) {
            return Ok(None);
        }
        let mut held = self.reservations.hold()?;
        let (mut known, waiting) = self.beside(held.shown(), now)?;
        let both = (0..).zip(known.iter().zip(&waiting));
        let mut order: Vec<usize> = both.filter(|(_, both)| comes_up(*both)).map(|(at, _)| at).collect();
        let key = |at: &usize| known.get(*at).map(|one| (!one.is_shown_by(turn), one.created_at, one.id.clone()));
        order.sort_by_key(key);
        let mut shown: Vec<usize> = Vec::new();
        for at in order {
            let with: Vec<&StandingIntent> = shown.iter().chain([&at]).filter_map(|at| known.get(*at)).collect();
            if fits(&with, zone) {
                shown.push(at);
            }
            if shown.len() == MOST_SHOWN {
                break;
            }
        }
        for at in &shown {
            if let Some(intent) = known.get_mut(*at).filter(|intent| !intent.is_shown_by(turn)) {
                let by = intent.reservation(turn, now);
                held.reserve(&intent.id, by.clone())?;
                intent.reserve(by);
            }
        }
        let shown: Vec<&StandingIntent> = shown.iter().filter_map(|at| known.get(*at)).collect();
        Ok((!shown.is_empty()).then(|| rendered(&shown, zone)))
    }

    /// The turn has ended: what it showed counts when it has its reply, and is given back when it has none. Gives how many
    /// there were.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn settle(&self, turn: &str, succeeded: bool, now: i64) -> Result<usize> {
        if !self.reservations.read()?.iter().any(|shown| shown.is_of(turn)) {
            return Ok(0);
        }
        let count = self.change_if_any(now, |known| {
            let mut count = 0;
            for intent in known.iter_mut().filter(|intent| intent.is_shown_by(turn)) {
                count += 1;
                if succeeded { intent.fire() } else { intent.give_back(now) }
            }
            Ok(Some(count))
        })?;
        // Killed before this, and it has counted: then this line says nothing any more.
        self.reservations.end(|shown| shown.is_of(turn))?;
        Ok(count.unwrap_or_default())
    }

    /// Which intents a message mentions, wherever they count, and whether they would come up.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn test(&self, message: &str, now: i64) -> Result<Vec<Tested>> {
        let message = Message::new(message);
        let tested = |(intent, waiting): (StandingIntent, Waiting)| {
            let found = message.mentions(&intent, waiting.of(&intent))?;
            let ready = intent.is_ready(now) && found.unless.is_none();
            Some(Tested { intent, found, ready })
        };
        let (intents, waiting) = self.beside(&self.reservations.read()?, now)?;
        let mut tested: Vec<Tested> = intents.into_iter().zip(waiting).filter_map(tested).collect();
        tested.sort_by(|a, b| older(&a.intent, &b.intent));
        Ok(tested)
    }

    /// Takes over intents of memory-core that can still come up, each once; gives how many are new.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn import(&self, intents: Vec<StandingIntent>, now: i64) -> Result<usize> {
        let wanted: Vec<StandingIntent> =
            intents.into_iter().filter(|intent| is_live(intent) && intent.expires_at > now).collect();
        if wanted.is_empty() {
            return Ok(0);
        }
        self.change(now, |known| {
            let mut count = 0;
            for mut intent in wanted {
                if !known.iter().any(|other| other.id == intent.id) {
                    intent.reserved = None;
                    intent.beside.clear();
                    intent.note("imported", now);
                    known.push(intent);
                    count += 1;
                }
            }
            Ok(count)
        })
    }

    /// Takes some out for good, by their ids; gives how many there were.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn remove(&self, ids: &[&str], now: i64) -> Result<usize> {
        let removed = self.change_if_any(now, |known| {
            let before = known.len();
            known.retain(|intent| !ids.contains(&intent.id.as_str()));
            Ok(Some(before - known.len()))
        })?;
        // What is taken out for good is not kept in memory either, and who reads the file now finds it no more.
        known::forget(&self.path);
        Ok(removed.unwrap_or_default())
    }

    /// Puts back what was taken out; what is there stays as it is.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn put_back(&self, intents: &[StandingIntent], now: i64) -> Result<()> {
        self.change(now, |known| {
            for intent in intents {
                if !known.iter().any(|other| other.id == intent.id) {
                    known.push(intent.clone());
                }
            }
            known.sort_by(older);
            Ok(())
        })
    }

    fn change_if_any<T>(
        &self,
        now: i64,
        change: impl FnOnce(&mut Vec<StandingIntent>) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        if self.path.exists() { self.change(now, change) } else { Ok(None) }
    }

    /// Changes the file while nobody else does. Lines that this version does not understand stay as they are.
    fn change<T>(&self, now: i64, change: impl FnOnce(&mut Vec<StandingIntent>) -> Result<T>) -> Result<T> {
        let mut outcome = Err(Error::new(Code::Internal, "intents were not changed"));
        let mut written = Vec::new();
        let shown = self.reservations.read()?;
        jsonl::update(&self.path, |before| {
            let Lines { mut intents, others: mut lines, .. } = known::read(&self.path, before);
            bring_up_to(now, &mut intents, &shown);
            outcome = change(&mut intents);
            if outcome.is_err() {
                return None;
            }
            intents.retain(|intent| intent.over_since().is_none_or(|over| over + KEPT_MS > now));
            for intent in &mut intents {
                intent.reserved = None;
            }
            lines.extend(intents.iter().filter_map(|intent| serde_json::to_string(intent).ok()));
            written = intents;
            Some(lines)
        })?;
        self.reservations.end(|shown| shown.is_spent(&written, now))?;
        outcome
    }
}

fn bring_up_to(now: i64, intents: &mut Vec<StandingIntent>, shown: &[Shown]) {
    intents.iter_mut().for_each(|intent| intent.drop_time_ahead(now));
    put_beside(intents, shown, now);
    for intent in intents {
        intent.pass(now);
    }
}

fn older(a: &StandingIntent, b: &StandingIntent) -> std::cmp::Ordering {
    (a.created_at, &a.id).cmp(&(b.created_at, &b.id))
}

fn is_live(intent: &StandingIntent) -> bool {
    intent.over_since().is_none()
}
