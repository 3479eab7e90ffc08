//! What 0.1.0 kept in files of their own: a folder of turns, a log of captures, marks, each with a lock. A process of that
//! version may still add some, so they are looked for each time.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::de::DeserializeOwned;

use super::{
    super::{
        jsonl::{self, Locked},
        log,
    },
    Journal, Record, State,
    state::MAX_CAPTURES,
};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// One file for each turn, and a lock.
pub(super) const TURNS: &str = "capture-queue";
/// Where still earlier versions kept them: one line each.
pub(in crate::capture) const TURN_LINES: &str = "capture-queue.jsonl";
/// What became of texts. Rotated by date.
pub(in crate::capture) const CAPTURES: &str = "captures.jsonl";
/// Marks of all agents.
pub(super) const MARKS: &str = "group-words.jsonl";

/// A file without a complete turn that is older than this belongs to a process that ended.
const ABANDONED: Duration = Duration::from_hours(1);

/// Takes away what has been taken over.
type Removal = Box<dyn FnOnce() -> Result<()>>;

/// Whether there is something to take over.
pub(super) fn exists(journal: &Journal) -> bool {
    names(journal).iter().any(|name| journal.folder.join(name).exists())
}

const fn names(journal: &Journal) -> &'static [&'static str] {
    if journal.is_shared { &[MARKS] } else { &[CAPTURES, TURN_LINES, TURNS] }
}

/// Adds to the state what is not in it yet. Who works with these files waits until the removals are done or dropped.
pub(super) fn take(journal: &Journal, state: &mut State) -> Result<Vec<Removal>> {
    let mut removals: Vec<Removal> = Vec::new();
    for &name in names(journal) {
        let path = journal.folder.join(name);
        if !path.exists() {
            continue;
        }
        if name == TURNS {
            removals.extend(take_folder(path, state)?);
            continue;
        }
        let Some(mut file) = open(&path)? else { continue };
        let lines = file.lines()?;
        let mut is_remembered = true;
        match name {
            CAPTURES => {
                let captures: Vec<log::Entry> = entries(&lines).collect();
                is_remembered = captures.len() == lines.len() && lines.len() <= MAX_CAPTURES;
                state.add_former(captures);
            }
            MARKS => entries(&lines).for_each(|marks| state.apply(Record::Marks(marks))),
            _ => entries(&lines).for_each(|job| state.apply(Record::Turn(job))),
        }
        removals.push(Box::new(move || match is_remembered {
            true => file.run(|_, path| std::fs::remove_file(path)),
            // The rest stays, as what rotation made of the file.
            false => file.rotate(0, &jiff::Zoned::now().date().to_string()).map(drop),
        }));
    }
    Ok(removals)
}

/// A file whose lines are entries, held; none when it is far too large to be read, and set aside.
fn open(path: &Path) -> Result<Option<Locked>> {
    match jsonl::mend(path) {
        Err(error) if error.code() == Code::Corrupt => Locked::open(path)?.put_aside(&error.message).map(|_| None),
        mended => mended.and_then(|_| Locked::open(path)?.or_new().map(Some)),
    }
}

fn entries<T: DeserializeOwned>(lines: &[String]) -> impl Iterator<Item = T> {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok())
}

/// The same of a folder with one file for each turn; nothing while somebody only begins to add one.
fn take_folder(folder: PathBuf, state: &mut State) -> Result<Option<Removal>> {
    let lock = folder.join("lock");
    let open = || own_file::open_or_create(&lock).and_then(|file| file.lock().map(|()| file));
    let held = open().map_err(|e| Error::io(&lock, &e))?;
    let mut files: Vec<PathBuf> =
        folder.read_dir().map_err(|e| Error::io(&folder, &e))?.flatten().map(|entry| entry.path()).collect();
    // Their names begin with when they were made.
    files.sort_unstable();
    files.retain(|file| *file != lock);
    let is_empty = files.is_empty();
    files.retain(|file| file.extension().is_some_and(|e| e == "json") || is_abandoned(file));
    if files.is_empty() && !is_empty {
        return Ok(None);
    }
    for file in &files {
        let bytes = match own_file::read(file) {
            // Made by nobody we know.
            Err(error) if matches!(error.code(), Code::Path | Code::Corrupt) => None,
            bytes => bytes?,
        };
        if let Ok(job) = serde_json::from_slice(&bytes.unwrap_or_default()) {
            state.apply(Record::Turn(job));
        }
    }
    Ok(Some(Box::new(move || {
        for file in files.iter().chain([&lock]) {
            std::fs::remove_file(file).map_err(|e| Error::io(file, &e))?;
        }
        drop(held);
        match std::fs::remove_dir(&folder) {
            // Somebody of that version adds a turn: it is looked at once more.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            removed => removed.map_err(|e| Error::io(&folder, &e)),
        }
    })))
}

/// Whether a file is what a process left behind that ended while it wrote.
fn is_abandoned(file: &Path) -> bool {
    let is_unfinished = file.extension().is_some_and(|e| e == "new");
    let age = file.metadata().and_then(|data| data.modified()).map(|at| at.elapsed().unwrap_or_default());
    is_unfinished && age.is_ok_and(|age| age > ABANDONED)
}
