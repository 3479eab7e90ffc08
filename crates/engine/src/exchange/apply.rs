//! Carrying out what was decided: texts of the database into the workspace first, then those of the workspace into it.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime},
};

use super::{
    Exchange, Exchanged, Plan,
    decide::Step,
    local::{Local, Note},
    names::beside,
    record::{Known, Record},
};
use crate::{
    index::{self, rows::hash},
    workspace::notes::Notes,
};
use model::{
    error::{Code, Error, Result},
    stamp::Stamp,
};
use store::{
    files::Hash,
    notes::{NewNote, NoteChange, NoteText},
};

/// Notes that are read or written in one transaction.
const NOTES_AT_ONCE: usize = 200;
/// Bytes of them, but for one that is larger.
const BYTES_AT_ONCE: u64 = 4 << 20;
/// Digits of a hash that tell texts beside a note from each other; more of them where that name has another text.
const DIGITS: [usize; 3] = [8, 16, 64];

/// What is done in one round.
pub(super) struct Work<'a> {
    exchange: &'a Exchange<'a>,
    notes: Notes,
    local: &'a Local,
    exchanged: &'a mut Exchanged,
    record: Record,
    /// What the database is known by.
    mark: Option<String>,
    /// Whether it was changed by nobody else meanwhile, and all of it could be exchanged.
    is_complete: bool,
    /// Whether another round is due.
    again: bool,
    /// Whether anything was exchanged.
    changed: bool,
}

/// A text of the database that is to be in the workspace.
struct Wanted<'p> {
    path: &'p str,
    hash: Hash,
    size: u64,
    step: Step,
}

/// What the database is to have of a note; none = it is deleted.
struct Given<'p> {
    path: &'p str,
    before: Option<Hash>,
    after: Option<&'p Note>,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        exchange: &'a Exchange<'a>,
        local: &'a Local,
        record: Record,
        mark: Option<String>,
        exchanged: &'a mut Exchanged,
    ) -> Self {
        let notes = Notes::of(exchange.settings);
        Self { exchange, notes, local, exchanged, record, mark, is_complete: true, again: false, changed: false }
    }

    /// What is known by now, and whether another round is due.
    pub(super) fn end(self) -> (Record, bool) {
        let mut record = self.record;
        record.mark = self.mark.filter(|_| self.is_complete && !self.again);
        record.refused = self.exchanged.refused;
        record.vanished = None;
        // After a state that was lost both may have the same already: they have been compared, which is all that is to be known.
        let is_first = record.exchanged_ms == 0 && !self.again && !record.notes.is_empty();
        if self.changed || is_first {
            record.exchanged_ms = self.exchange.now_ms;
        }
        (record, self.again)
    }

    /// Of so many notes nothing can be done.
    fn refuse(&mut self, notes: usize) {
        self.exchanged.refused += notes;
        self.is_complete &= notes == 0;
    }

    /// Counts a note that cannot be read or written. What nothing could be written after is an error.
    fn refuse_for(&mut self, error: Error) -> Result<()> {
        if ends_all(&error) {
            return Err(error);
        }
        self.refuse(1);
        Ok(())
    }

    /// Carries out a plan.
    ///
    /// # Errors
    /// As [`Exchange::run`].
    pub(super) fn carry_out(&mut self, plan: &'a Plan) -> Result<()> {
        self.refuse(plan.refused);
        let (mut wanted, mut given) = (Vec::new(), Vec::new());
        for (path, planned) in &plan.steps {
            let note = self.local.notes.get(path);
            match planned.step {
                Step::Nothing => {}
                Step::Same => {
                    if let Some(note) = note {
                        self.remember(path, note.hash, note.stamp);
                    }
                }
                Step::Drop => drop(self.record.notes.remove(path)),
                Step::Give(before) => given.push(Given { path, before, after: note }),
                Step::GiveDeletion(before) => given.push(Given { path, before: Some(before), after: None }),
                Step::TakeDeletion => {
                    if let Some(note) = note {
                        self.again |= self.delete(path, note.hash)? == Some(false);
                    }
                }
                Step::Forget(known) => {
                    // A text of its own stays: it was never exchanged.
                    if self.delete(path, known)? == Some(false) {
                        self.record.notes.remove(path);
                    }
                    // In the database last, which tells what may be deleted here.
                    let before = planned.theirs.map(|(hash, _)| hash);
                    if before.is_some() && !self.record.notes.contains_key(path) {
                        given.push(Given { path, before, after: None });
                    }
                }
                step @ (Step::Take | Step::KeepOurs(_) | Step::KeepTheirs) => {
                    wanted.extend(planned.theirs.map(|(hash, size)| Wanted { path, hash, size, step }));
                }
            }
        }
        let total = wanted.len() + given.len();
        let mut completed = 0;
        for batch in batches(&wanted, |wanted| wanted.size) {
            self.tell(completed, total);
            self.take_all(batch, &mut given)?;
            completed += batch.len();
        }
        for batch in batches(&given, |given| given.after.map_or(0, |note| note.stamp.size)) {
            self.tell(completed, total);
            self.give_all(batch)?;
            completed += batch.len();
        }
        Ok(())
    }

    fn tell(&self, completed: usize, total: usize) {
        let label = "Exchanging notes with the database".to_owned();
        (self.exchange.progress)(&index::Step { completed, total, label });
    }

    fn remember(&mut self, path: &str, hash: Hash, stamp: Stamp) {
        self.record.notes.insert(path.to_owned(), Known { hash, stamp });
    }

    /// Brings texts of the database into the workspace.
    fn take_all(&mut self, wanted: &[Wanted<'a>], given: &mut Vec<Given<'a>>) -> Result<()> {
        self.exchange.cancel.check()?;
        let paths: Vec<&str> = wanted.iter().map(|wanted| wanted.path).collect();
        let most = self.exchange.settings.max_file_bytes;
        let texts = self.exchange.store.read_with(self.exchange.cancel, |reader| reader.note_texts(&paths, most))?;
        let mut texts: HashMap<String, NoteText> = texts.into_iter().map(|text| (text.path.clone(), text)).collect();
        for Wanted { path, hash: theirs, step, .. } in wanted {
            // One that is not what its row says is nobody's text.
            let Some(text) = texts.remove(*path).filter(|text| hash(&text.body) == *theirs) else {
                self.refuse(1);
                continue;
            };
            let note = self.local.notes.get(*path);
            match *step {
                Step::KeepOurs(before) => {
                    if self.put_beside(path, &text.body, *theirs, text.modified_ns)? {
                        given.push(Given { path, before: Some(before), after: note });
                    }
                }
                Step::KeepTheirs => {
                    let Some(note) = note else { continue };
                    let ours = match self.notes.bytes(path) {
                        Ok(ours) => ours.filter(|ours| hash(ours) == note.hash),
                        Err(error) => {
                            self.refuse_for(error)?;
                            continue;
                        }
                    };
                    let Some(ours) = ours else {
                        self.again = true;
                        continue;
                    };
                    if self.put_beside(path, &ours, note.hash, note.modified_ns)? {
                        self.write(path, Some(note), &text, *theirs)?;
                    }
                }
                _ => self.write(path, note, &text, *theirs)?,
            }
        }
        Ok(())
    }

    /// Writes a note in the place of the one that was looked at, if it is still that.
    fn write(&mut self, path: &str, before: Option<&Note>, text: &NoteText, theirs: Hash) -> Result<()> {
        let modified = Some(time_of(text.modified_ns));
        let write = |before: Option<&[u8]>| self.notes.replace_dated(path, before, Some(&text.body), modified);
        let written = match before {
            None => write(None),
            Some(note) => match self.notes.bytes(path) {
                Ok(Some(bytes)) if hash(&bytes) == note.hash => write(Some(&bytes)),
                Ok(_) => Ok(false),
                Err(error) => Err(error),
            },
        };
        match written {
            Ok(true) => {
                self.exchanged.taken += 1;
                self.changed = true;
                let stamp = Stamp { size: text.body.len() as u64, mtime_ns: text.modified_ns };
                self.remember(path, theirs, stamp);
            }
            Ok(false) => self.again = true,
            Err(error) => self.refuse_for(error)?,
        }
        Ok(())
    }

    /// Deletes a note that is to be gone, if it is still this text. Whether it was; none when it could not be told or deleted.
    fn delete(&mut self, path: &str, expected: Hash) -> Result<Option<bool>> {
        let deleted = match self.notes.bytes(path) {
            Ok(Some(bytes)) if hash(&bytes) == expected => self.notes.replace(path, Some(&bytes), None),
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        };
        match deleted {
            Ok(true) => {
                self.exchanged.taken += 1;
                self.changed = true;
                self.record.notes.remove(path);
                Ok(Some(true))
            }
            Ok(false) => Ok(Some(false)),
            Err(error) => self.refuse_for(error).map(|()| None),
        }
    }

    /// Keeps a text beside a note. Whether it is there by then; the next round gives it to the database.
    fn put_beside(&mut self, path: &str, body: &[u8], content: Hash, modified_ns: i64) -> Result<bool> {
        self.again = true;
        let mut failed = None;
        for digits in DIGITS {
            let name = beside(path, &content, digits);
            let put = self.notes.replace_dated(&name, None, Some(body), Some(time_of(modified_ns)));
            let there = match put {
                Ok(true) => {
                    self.exchanged.conflicts += 1;
                    return Ok(true);
                }
                Ok(false) => self.notes.bytes(&name),
                Err(error) => Err(error),
            };
            match there {
                Ok(Some(there)) if there == body => return Ok(true),
                Ok(_) => {}
                Err(error) if ends_all(&error) => return Err(error),
                // Something else may have that name, and not the next one.
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(()), |error| self.refuse_for(error)).map(|()| false)
    }

    /// Gives notes of the workspace to the database, where that still has what it had.
    fn give_all(&mut self, given: &[Given<'_>]) -> Result<()> {
        self.exchange.cancel.check()?;
        let mut changes = Vec::with_capacity(given.len());
        for Given { path, before, after } in given {
            let after = match after {
                None => None,
                Some(note) => match self.notes.bytes(path) {
                    Ok(Some(body)) if hash(&body) == note.hash => {
                        Some(NewNote { hash: note.hash, body, modified_ns: note.modified_ns })
                    }
                    Ok(_) => {
                        self.again = true;
                        continue;
                    }
                    Err(error) => {
                        self.refuse_for(error)?;
                        continue;
                    }
                },
            };
            changes.push(NoteChange { path: (*path).to_owned(), before: *before, after });
        }
        if changes.is_empty() {
            return Ok(());
        }
        let (expected, number) = (self.mark.clone(), changes.len());
        let (is_as_expected, done, mark) = self.exchange.store.write_indexed(move |tx| {
            let is_as_expected = tx.notes_mark()? == expected;
            Ok((is_as_expected, tx.change_notes(&changes)?, tx.notes_mark()?))
        })?;
        self.mark = mark;
        self.again |= !is_as_expected || done.len() < number;
        self.changed |= !done.is_empty();
        self.exchanged.given += done.len();
        for path in done {
            match given.iter().find(|given| given.path == path).and_then(|given| given.after) {
                Some(note) => self.remember(&path, note.hash, note.stamp),
                None => drop(self.record.notes.remove(&path)),
            }
        }
        Ok(())
    }
}

/// Whether nothing can be written after an error.
fn ends_all(error: &Error) -> bool {
    error.code() == Code::DiskFull || error.is_out_of_files()
}

/// Parts of a list, none of them with too many or too large items for one transaction.
fn batches<T>(items: &[T], size: impl Fn(&T) -> u64) -> Vec<&[T]> {
    let (mut batches, mut rest, mut bytes, mut number) = (Vec::new(), items, 0_u64, 0);
    for item in items {
        let next = size(item);
        if number == NOTES_AT_ONCE || number > 0 && bytes.saturating_add(next) > BYTES_AT_ONCE {
            let (batch, others) = rest.split_at(number);
            batches.push(batch);
            (rest, bytes, number) = (others, 0, 0);
        }
        bytes = bytes.saturating_add(next);
        number += 1;
    }
    if !rest.is_empty() {
        batches.push(rest);
    }
    batches
}

/// A time of a database, which may say anything: none in the future.
fn time_of(modified_ns: i64) -> SystemTime {
    let apart = Duration::from_nanos(modified_ns.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    let time = if modified_ns < 0 { epoch.checked_sub(apart) } else { epoch.checked_add(apart) };
    time.unwrap_or(epoch).min(SystemTime::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_batch_is_too_large_and_nothing_is_left_out() {
        let sizes: Vec<u64> = (0..1000).map(|n| if n % 100 == 7 { 5 << 20 } else { n * 100 }).collect();
        let batches = batches(&sizes, |size| *size);
        assert_eq!(batches.concat(), sizes);
        assert!(batches.iter().all(|batch| !batch.is_empty() && batch.len() <= NOTES_AT_ONCE));
        assert!(batches.iter().all(|batch| batch.len() == 1 || batch.iter().sum::<u64>() <= BYTES_AT_ONCE));
        assert!(super::batches(&[0_u64; 0], |size| *size).is_empty());
    }

    #[test]
    fn a_time_may_be_any_number() {
        for ns in [i64::MIN, -1, 0, i64::MAX] {
            assert!(time_of(ns) <= SystemTime::now(), "{ns}");
        }
        assert_eq!(time_of(1_500_000_000), SystemTime::UNIX_EPOCH + Duration::from_millis(1500));
    }
}
