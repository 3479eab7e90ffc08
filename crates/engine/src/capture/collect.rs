//! From a finished turn to facts in the note of the day: judged, compared with what is known, capped, written, logged.

mod book;
mod correcting;
mod judged;
mod taking_back;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;
use serde::Serialize;

use self::book::Book;
pub(crate) use self::judged::fingerprint_of;
use self::judged::{Judged, fingerprint, last_of_user};
use super::{
    daily_note, envelope,
    erase::BLANK,
    extract,
    filter::{self, Reason},
    journal::{Journal, Record, State},
    log::{Entry, Status},
    not_said::Turn,
    queue::{Job, Role},
    rules::{self, Category},
    said::Said,
    similar::{Comparer, Fingerprint},
    taken_back,
};
use crate::workspace::{exclusions::Exclusions, notes::Notes};
use model::error::{Code, Error, Result};
use text::{
    marks::holds_mark,
    redact::{redact, was_redacted},
    shown::visible_text,
};

/// Longest fact in characters (M5).
pub(crate) const MAX_FACT_CHARS: usize = 500;
/// Shortest fact that a model may list, in characters.
const MIN_FACT_CHARS: usize = 4;
/// What stands there of one that asks not to be remembered.
const WITHHELD: &str = "…";

/// A fact that may be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// One line, without secrets.
    pub text: String,
    /// What kind of fact.
    pub category: Category,
    /// Fingerprint of the message it comes from.
    pub message: String,
    /// Texts of the index that resemble it; filled in by whoever can search.
    pub resembling: Vec<Resembling>,
}

/// A passage of the index that resembles a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resembling {
    /// The passage.
    pub text: String,
    /// Whether its vector is as near as that of a near duplicate.
    pub same_meaning: bool,
    /// When its first line was said, where that is known.
    pub(crate) said: Option<Said>,
}

/// Something that memory holds, or is not to hold again.
#[derive(Debug)]
struct Known {
    print: Fingerprint,
    place: Place,
}

/// Where something stands that memory holds.
#[derive(Debug)]
enum Place {
    /// It counts in any case.
    Always,
    /// There.
    At(Said),
    /// A line of a note, if it is there still.
    Line { path: String, line: String },
}

/// What was done with a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Facts written.
    pub stored: usize,
    /// Texts not kept.
    pub skipped: usize,
}

/// Collects the facts of one agent.
#[derive(Debug, Clone)]
pub(crate) struct Collector {
    /// The agent's folder below the state directory.
    pub folder: PathBuf,
    /// The agent's workspace.
    pub workspace: PathBuf,
    /// Size of the largest note that is read, in bytes.
    pub max_note_bytes: u64,
    /// Now, in the user's time zone.
    pub now: jiff::Zoned,
    /// Most facts from one turn.
    pub max_facts: usize,
}

impl Collector {
    /// What the user's messages of a turn state by themselves. Messages judged before are passed over; those that
    /// state nothing are logged with the reason.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub(crate) fn by_rules(&self, job: &Job) -> Result<Vec<Candidate>> {
        let mut book = Book::open(self, job)?;
        let captures = book.journal.captures()?;
        let (judged, mut here) = (Judged::of(&captures, job), HashSet::new());
        let last = last_of_user(job);
        let mut candidates = Vec::new();
        let texts: Vec<String> = job.messages.iter().map(|m| envelope::strip(&m.text)).collect();
        let withheld = taken_back::withheld(&job.messages, &texts);
        let mut before = None;
        for (at, ((message, text), withheld)) in job.messages.iter().zip(&texts).zip(withheld).enumerate() {
            if message.role != Role::User {
                continue;
            }
            let hash = fingerprint_of(message);
            let said_before = before;
            if !envelope::is_between(text) {
                before = Some(message);
            }
            // What was in a turn before was judged with it.
            if at < job.seen || judged.has(message, Some(at) == last) || !here.insert(hash.clone()) {
                continue;
            }
            let said = if withheld { Err(Reason::OffRecord) } else { filter::capturable(&message.text) };
            let corrected = match &said {
                Ok(text) => self.corrected(job, text, said_before, &candidates)?,
                Err(_) => None,
            };
            if let Some(found) = corrected {
                candidates.push(candidate(&found.text, found.category, &hash));
                continue;
            }
            match said.and_then(|text| rules::find(&text)) {
                Ok(found) => {
                    let found = found.into_iter().map(|fact| candidate(&fact.text, fact.category, &hash));
                    candidates.extend(found.filter(|fact| !fact.text.is_empty()));
                }
                Err(reason) => book.skip(&message.text, &hash, None, reason)?,
            }
        }
        Ok(candidates)
    }

    /// What a model listed for a turn, and how much of it was refused and logged. Its words are judged like everybody's: a
    /// conversation can talk it into things.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(crate) fn by_model(&self, job: &Job, answer: &str) -> Result<(Vec<Candidate>, usize)> {
        let mut book = Book::open(self, job)?;
        let hash = fingerprint(&job.id);
        let (mut candidates, mut refusals) = (Vec::new(), 0);
        let Some(facts) = extract::parse(answer) else {
            // What the model wrote is nobody's statement: the log shows what it was asked about.
            let asked = job.messages.iter().rev().find(|message| message.role == Role::User);
            let asked = asked.map_or("", |message| &message.text);
            let reason = filter::capturable(asked).err().filter(|reason| *reason == Reason::OffRecord);
            book.skip(asked, &hash, None, reason.unwrap_or(Reason::Unreadable))?;
            return Ok((candidates, 1));
        };
        let mut turn = (!facts.is_empty()).then(|| Turn::of(job));
        for (category, text) in facts {
            let chars = plain_line(&text).chars().count();
            let refused = if filter::is_injection(&text) {
                Some(Reason::Injection)
            } else if holds_mark(&text) {
                Some(Reason::Recalled)
            } else if chars < MIN_FACT_CHARS {
                Some(Reason::TooShort)
            } else {
                turn.as_mut().and_then(|turn| turn.refuses(&text))
            };
            match refused {
                Some(reason) => {
                    refusals += 1;
                    book.skip(&text, &hash, Some(category), reason)?;
                }
                None => candidates.push(candidate(&text, category, &hash)),
            }
        }
        Ok((candidates, refusals))
    }

    /// Whether a turn is reported once more that was done before. One that somebody took and did not finish is not.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(crate) fn is_done(&self, job: &Job) -> Result<bool> {
        let hash = fingerprint(&job.id);
        Ok(job.attempts <= 1 && self.journal().captures()?.iter().any(|entry| entry.message == hash))
    }

    /// Logs that a turn gives nothing: what a model is not asked about, and what it found nothing in.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(crate) fn pass_over(&self, job: &Job) -> Result<()> {
        let new = job.messages.get(job.seen..).unwrap_or_default();
        let Some(message) = new.iter().rev().find(|message| message.role == Role::User) else { return Ok(()) };
        let reason = filter::capturable(&message.text).err().unwrap_or(Reason::Nothing);
        Book::open(self, job)?.skip(&message.text, &fingerprint(&job.id), None, reason)
    }

    /// The candidates whose lines are not forgotten; the log does not show the others.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(crate) fn without_forgotten(
        &self,
        job: &Job,
        candidates: Vec<Candidate>,
        list: &Exclusions,
    ) -> Result<Vec<Candidate>> {
        let note = daily_note::relative_path(self.day_of(job));
        let (gone, kept): (Vec<Candidate>, Vec<Candidate>) = candidates.into_iter().partition(|candidate| {
            list.path(&note).is_some() || list.line(&note, &note_line(candidate.category, &candidate.text))
        });
        if !gone.is_empty() {
            let mut book = Book::open(self, job)?;
            for Candidate { category, message, .. } in gone {
                book.skip(BLANK, &message, Some(category), Reason::Forgotten)?;
            }
        }
        Ok(kept)
    }

    /// Writes the candidates that are new to the note of the day, and logs every one.
    ///
    /// # Errors
    /// When the note or the journal cannot be written.
    pub(crate) fn store(&self, job: &Job, candidates: Vec<Candidate>) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        if candidates.is_empty() {
            return Ok(outcome);
        }
        // Two processes with the same fact would each find it new.
        let held = self.journal().hold()?;
        let mut book = Book::of(self, job, held.state.captures());
        let note = daily_note::relative_path(self.day_of(job));
        let mut comparer = Comparer::default();
        let mut known = self.known(&held.state, &note, &mut comparer)?;
        let mut next_line = daily_note::read(&self.notes(), &note)?.lines().count();
        for candidate in candidates {
            let own = comparer.fingerprint(&candidate.text);
            let reason = if was_redacted(&candidate.text) {
                Some(Reason::Secret)
            } else if candidate.text.chars().count() > MAX_FACT_CHARS {
                Some(Reason::TooLong)
            } else if self.is_known(&known, &candidate, &own, &note, &mut comparer)? {
                Some(Reason::Duplicate)
            } else if outcome.stored >= job.max_facts.unwrap_or(self.max_facts) {
                Some(Reason::Cap)
            } else {
                None
            };
            if let Some(reason) = reason {
                outcome.skipped += 1;
                book.skip(&candidate.text, &candidate.message, Some(candidate.category), reason)?;
                continue;
            }
            // The note first: a fact that is in the note but not in the journal is found there and not written twice.
            daily_note::append(&self.notes(), &note, &[note_line(candidate.category, &candidate.text)])?;
            let entry = self.entry(job, Status::Stored, candidate.text, candidate.message);
            book.add(Entry { path: Some(note.clone()), category: Some(candidate.category), ..entry })?;
            let said = Said::in_note(&note, next_line);
            next_line += 1;
            known.push(Known { print: own, place: said.map_or(Place::Always, Place::At) });
            outcome.stored += 1;
        }
        Ok(outcome)
    }

    /// A captured fact that stands in a note.
    ///
    /// # Errors
    /// When there is no such capture, it was never stored, or the journal cannot be read.
    pub(crate) fn stored(&self, id: &str) -> Result<Entry> {
        stored(&self.journal().read()?, id)
    }

    /// Takes a captured fact out of its note; it will not be captured again. False when the note no longer has it.
    ///
    /// # Errors
    /// When there is no such capture, it was never stored, or its note cannot be written.
    pub(crate) fn undo(&self, id: &str) -> Result<bool> {
        let mut held = self.journal().hold()?;
        let entry = stored(&held.state, id)?;
        if entry.status == Status::Undone {
            return Ok(false);
        }
        let path = entry.path.as_deref().unwrap_or_default();
        let line = note_line(entry.category.unwrap_or(Category::Other), &entry.text);
        let removed = daily_note::remove_line(&self.notes(), path, &line)?;
        held.add(Record::Capture(Entry { status: Status::Undone, ts: self.timestamp(), ..entry }))?;
        Ok(removed)
    }

    /// What is in memory as far as it can be seen without the index: the captures, with what was taken back, and the note.
    fn known(&self, state: &State, note: &str, comparer: &mut Comparer) -> Result<Vec<Known>> {
        // Those of the note stand in it, in order.
        let is_there = |e: &&Entry| e.status == Status::Stored && e.path.as_deref() == Some(note);
        let entries = state.captures().filter(|e| e.status != Status::Skipped && !is_there(e));
        let mut known: Vec<Known> = entries
            .map(|e| {
                let path = e.path.as_ref().filter(|_| e.status == Status::Stored);
                let line = || note_line(e.category.unwrap_or(Category::Other), &e.text);
                let place = path.map_or(Place::Always, |path| Place::Line { path: path.clone(), line: line() });
                Known { print: comparer.fingerprint(&e.text), place }
            })
            .collect();
        let text = daily_note::read(&self.notes(), note)?;
        known.extend(text.lines().enumerate().map(|(at, line)| Known {
            print: comparer.fingerprint(line),
            place: Said::in_note(note, at).map_or(Place::Always, Place::At),
        }));
        Ok(known)
    }

    /// Whether memory holds a fact already, and nothing later says otherwise: who moves to Madrid and back to Lisbon says
    /// something new. What was written to a note counts while it stands there: somebody who deletes or corrects a line may
    /// say the old words again one day.
    fn is_known(
        &self,
        known: &[Known],
        candidate: &Candidate,
        own: &Fingerprint,
        note: &str,
        comparer: &mut Comparer,
    ) -> Result<bool> {
        let mut same = Vec::new();
        for there in known.iter().filter(|there| there.print.is_same(own)) {
            match self.said(&there.place)? {
                Some(None) => return Ok(true),
                Some(Some(said)) => same.push(said),
                None => {}
            }
        }
        let mut otherwise = Vec::new();
        for passage in &candidate.resembling {
            // The index may be behind the note of the day, whose lines are known.
            if !passage.same_meaning && passage.said.as_ref().is_some_and(|said| said.path == note) {
                continue;
            }
            let is_one_line = passage.text.trim().lines().count() == 1;
            for (at, line) in passage.text.lines().enumerate() {
                let line = comparer.fingerprint(line);
                let said = passage.said.clone().map(|said| Said { line: said.line + at, ..said });
                if line.is_same(own) || (passage.same_meaning && is_one_line && line.agrees(own)) {
                    let Some(said) = said else { return Ok(true) };
                    same.push(said);
                } else if line.differs_in_value(own) {
                    otherwise.extend(said);
                }
            }
        }
        if same.is_empty() {
            return Ok(false);
        }
        for there in known.iter().filter(|there| there.print.differs_in_value(own)) {
            otherwise.extend(self.said(&there.place)?.flatten());
        }
        Ok(!same.iter().all(|said| otherwise.iter().any(|other| other.is_after(said))))
    }

    /// When something that is known was said: none when it is gone, and nothing within where it counts in any case.
    fn said(&self, place: &Place) -> Result<Option<Option<Said>>> {
        match place {
            Place::Always => Ok(Some(None)),
            Place::At(said) => Ok(Some(Some(said.clone()))),
            Place::Line { path, line } => {
                let text = daily_note::read(&self.notes(), path)?;
                let at = text.lines().enumerate().filter(|(_, there)| there == line).last();
                Ok(at.map(|(at, _)| Said::in_note(path, at)))
            }
        }
    }

    fn entry(&self, job: &Job, status: Status, text: String, message: String) -> Entry {
        Entry {
            id: uuid::Uuid::new_v4().simple().to_string().chars().take(8).collect(),
            ts: self.timestamp(),
            status,
            text,
            reason: None,
            category: None,
            path: None,
            session_key: job.session_key.clone(),
            session_id: job.session_id.clone(),
            message,
            heard: Vec::new(),
        }
    }

    /// The day a turn was held on, which may be over when it is looked at.
    fn day_of(&self, job: &Job) -> jiff::civil::Date {
        let held = jiff::Timestamp::from_millisecond(job.created_ms).ok().filter(|_| job.created_ms > 0);
        held.map_or_else(|| self.now.date(), |at| at.to_zoned(self.now.time_zone().clone()).date())
    }

    fn notes(&self) -> Notes {
        Notes::new(&self.workspace, self.max_note_bytes)
    }

    fn timestamp(&self) -> String {
        timestamp(self.now.timestamp())
    }

    fn journal(&self) -> Journal {
        Journal::new(&self.folder)
    }
}

fn stored(state: &State, id: &str) -> Result<Entry> {
    let entry = state.captures().find(|entry| entry.id == id).ok_or_else(|| {
        Error::new(Code::NotFound, format!("there is no capture \"{id}\""))
            .remedy("`openclaw memory captures` lists them")
    })?;
    // One that is undone may be so once more: who was killed in between has left what consolidation made of it.
    if entry.status == Status::Skipped || entry.path.is_none() {
        return Err(Error::new(Code::Argument, format!("\"{id}\" was not stored, so there is nothing to undo")));
    }
    Ok(entry.clone())
}

/// Notes that a fact was taken out of memory: it will not be captured again.
///
/// # Errors
/// When the journal cannot be read or written.
pub(crate) fn forget_capture(folder: &Path, text: &str, now_ms: i64) -> Result<()> {
    let journal = Journal::new(folder);
    for entry in journal.captures()?.into_iter().filter(|entry| entry.status == Status::Stored && entry.text == text) {
        journal.add_capture(Entry {
            status: Status::Undone,
            ts: timestamp(jiff::Timestamp::from_millisecond(now_ms).unwrap_or_default()),
            ..entry
        })?;
    }
    Ok(())
}

/// How a fact stands in a note.
#[must_use]
pub(crate) fn note_line(category: Category, text: &str) -> String {
    format!("- [{}] {text}", category.as_str())
}

/// The time zone of the settings, or else of the machine.
#[must_use]
pub fn zone_of(name: Option<&str>) -> jiff::tz::TimeZone {
    name.and_then(|name| jiff::tz::TimeZone::get(name).ok()).unwrap_or_else(jiff::tz::TimeZone::system)
}

/// An instant (milliseconds since the epoch) in the time zone of the settings, or else of the machine.
#[must_use]
pub fn in_zone(ms: i64, zone: Option<&str>) -> jiff::Zoned {
    jiff::Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned(zone_of(zone))
}

fn candidate(text: &str, category: Category, message: &str) -> Candidate {
    Candidate {
        text: plain_line(&redact(&visible_text(text))),
        category,
        message: message.to_owned(),
        resembling: Vec::new(),
    }
}

/// A text as one plain line: without comments, which tell what a note means, and without what begins a heading, a list, a
/// quotation, a fence or front matter.
pub(crate) fn plain_line(text: &str) -> String {
    static COMMENT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?s)<!--.*?(?:-->|$)|```+\w*|~~~+\w*").ok());
    static BEGIN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:(?:#{1,6}|[>*+•|-]|\[[ xX]\]|-{3,}|\*{3,}|={3,})(?:\s+|$))+").ok());
    let (Some(comment), Some(begin)) = (COMMENT.as_ref(), BEGIN.as_ref()) else { return String::new() };
    let line = one_line(&comment.replace_all(text, " ").replace("-->", " "));
    begin.replace(&line, "").into_owned()
}

/// One line, so that a fact can start no heading, list or fence of its own.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    // A note is read in terminals as well, which obey them.
    line.retain(|c| !c.is_control());
    line
}

fn timestamp(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
