//! The journal of automatic memory: turns, what became of them and of their texts, and marks. One JSON record a line; what
//! waits and what was judged follows from the records in their order.
//!
//! Who adds a record waits for nobody, because a hook of the host waits for it. Who takes a turn, judges it or writes the
//! journal anew holds its lock.

mod former;
mod state;

use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use super::jsonl::{self, Locked};
use crate::blocking::blocking;
use model::{
    error::{Code, Error, Result},
    own_file,
};

pub(super) use former::{CAPTURES as FORMER_CAPTURES, TURN_LINES as FORMER_TURNS};
pub(crate) use state::FactSource;
#[cfg(test)]
pub(super) use state::MAX_TURNS;
pub(super) use state::{Claim, Record, State};

/// Name of the file in its folder.
const FILE: &str = "journal.jsonl";
/// The file whose lock it is. 0.1.0 holds it while it judges.
const LOCK: &str = "capture.lock";

/// The journal of one agent, or the one of all agents.
#[derive(Debug, Clone)]
pub struct Journal {
    folder: PathBuf,
    is_shared: bool,
}

impl Journal {
    /// The journal in an agent's folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_shared: false }
    }

    /// The journal of what concerns all agents, because several of them may share a workspace, in the folder above theirs.
    #[must_use]
    pub(crate) fn of_all_agents(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), is_shared: true }
    }

    /// Runs work with the one in an agent's folder where files may be read.
    ///
    /// # Errors
    /// What the work says.
    pub async fn with<T: Send + 'static>(
        agent_folder: PathBuf,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        blocking(move || work(&Self::new(&agent_folder))).await
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Whether there is one, or something to begin it with.
    #[must_use]
    pub(crate) fn exists(&self) -> bool {
        self.path().exists() || former::exists(self)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn add(&self, record: &Record) -> Result<()> {
        let path = self.path();
        // What a killed process left unfinished before it ends at the first line feed.
        let line = format!("\n{}\n", to_text(record)?);
        loop {
            let written = own_file::open_to_append(&path).and_then(|mut file| {
                // One write, so that records of several processes do not mix.
                file.write_all(line.as_bytes())?;
                Ok(jsonl::still_named(&file, &path))
            });
            // Who wrote the journal anew meanwhile may not have seen the record. Twice is as good as once.
            if written.map_err(|e| Error::io(&path, &e))? {
                return Ok(());
            }
        }
    }

    /// What the records say.
    ///
    /// # Errors
    /// When the file cannot be read, or written where it has to be mended or begun.
    pub(super) fn read(&self) -> Result<State> {
        if !former::exists(self) {
            let state = State::replay(&own_file::read(&self.path())?.unwrap_or_default());
            if state.damaged.is_empty() {
                return Ok(state);
            }
        }
        Ok(self.hold()?.state)
    }

    /// Changes what the records say; gives what `work` counts, also when it is only asked for. Nothing of what they said
    /// before stays, what is over included.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(super) fn change(&self, dry_run: bool, work: impl FnOnce(&mut State) -> usize) -> Result<usize> {
        if !self.exists() {
            return Ok(0);
        }
        if dry_run {
            return self.read().map(|mut state| work(&mut state));
        }
        let mut held = self.hold()?;
        let changed = work(&mut held.state);
        held.rewrite()?;
        Ok(changed)
    }

    /// Waits for the lock. Damage is then set aside, what 0.1.0 kept is taken over, and a file with much that is over is
    /// written anew.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(super) fn hold(&self) -> Result<Held> {
        let (path, lock) = (self.path(), self.folder.join(LOCK));
        let open = || own_file::open_or_create(&lock).and_then(|file| file.lock().map(|()| file));
        let mut lock = open().map_err(|e| Error::io(&lock, &e))?;
        loop {
            let mut file = own_file::open_or_create(&path).map_err(|e| Error::io(&path, &e))?;
            let bytes = match own_file::read_all(&mut file, &path) {
                Err(error) if error.code() == Code::Corrupt => {
                    Locked::open(&path)?.put_aside(&error.message)?;
                    continue;
                }
                bytes => bytes?,
            };
            let mut state = State::replay(&bytes);
            let removals = former::take(self, &mut state)?;
            let is_sound = removals.is_empty() && state.damaged.is_empty() && !state.is_wasteful();
            let held = Held { journal: self.clone(), file, state, lock };
            if is_sound {
                return Ok(held);
            }
            lock = held.rewrite()?;
            // Only now: a process that ends before it finds everything once more, and takes over what is not here yet.
            removals.into_iter().try_for_each(|removal| removal())?;
        }
    }
}

/// A journal whose lock this process holds, until it is dropped.
pub(super) struct Held {
    journal: Journal,
    file: File,
    pub(super) state: State,
    lock: File,
}

impl Held {
    pub(super) fn add(&mut self, record: Record) -> Result<()> {
        self.journal.add(&record)?;
        self.state.apply(record);
        Ok(())
    }

    /// Gives the file no other content than the state; gives the lock.
    pub(super) fn rewrite(mut self) -> Result<File> {
        let path = self.journal.path();
        if !self.state.damaged.is_empty() {
            jsonl::write_aside(&path, &self.state.damaged)?;
        }
        let lines: Vec<String> = self.state.records().map(|record| to_text(&record)).collect::<Result<_>>()?;
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let replaced = own_file::replace(&path, text.as_bytes());
        // What others added since the file was read went to the one that is no more.
        let late = replaced.and_then(|()| self.file.seek(SeekFrom::Start(self.state.end as u64)));
        late.map_err(|e| Error::io(&path, &e))?;
        let late = State::replay(&own_file::read_all(&mut self.file, &path)?);
        late.records().try_for_each(|record| self.journal.add(&record))?;
        Ok(self.lock)
    }
}

fn to_text(record: &Record) -> Result<String> {
    serde_json::to_string(record).map_err(|e| Error::new(Code::Internal, format!("journal: {e}")))
}

#[cfg(test)]
mod tests;
