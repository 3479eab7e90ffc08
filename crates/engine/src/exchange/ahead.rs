//! What the next exchange is going to do, for those who only look: status, `doctor` and the preview of an update.

use std::collections::HashSet;

use super::{is_wanted, local::Local, record::Record, refuses, rows_of};
use crate::workspace::{
    discover::{Discovery, discover},
    note_names::is_note,
    roots::Roots,
    skipped::{SkipCode, Skipped},
};
use model::{cancel::Cancel, config::settings::Settings, error::Result, layout::MEMORY_FOLDER};
use store::Store;

/// Whether nothing would be exchanged, as the workspace is another one than that of the database's notes.
///
/// # Errors
/// When the database or the record cannot be read.
pub(crate) fn is_refused(store: &Store, settings: &Settings, cancel: &Cancel) -> Result<bool> {
    let record = Record::load(store)?;
    if !record.notes.is_empty() {
        return Ok(false);
    }
    let roots = Roots::of(settings);
    let local = Local::look(&roots, &discover(&roots), &record, cancel)?;
    refuses(store, settings, cancel, &local, &rows_of(store, &roots, cancel)?)
}

/// Which of these notes of the index, which the workspace has not, it never had and gets from the database: they are not lost.
///
/// # Errors
/// When the database or the record cannot be read.
pub(crate) fn to_come(
    store: &Store,
    settings: &Settings,
    (roots, discovery): (&Roots, &Discovery),
    absent: &[&str],
    cancel: &Cancel,
) -> Result<HashSet<String>> {
    if !is_wanted(settings) {
        return Ok(HashSet::new());
    }
    let record = Record::load(store)?;
    let is_new = |path: &str| {
        is_note(path)
            && !record.notes.contains_key(path)
            && roots.forgotten.path(path).is_none()
            && !discovery.is_uncertain(path)
            && roots.workspace_dir.join(path).symlink_metadata().is_err()
    };
    let mut new: HashSet<String> = absent.iter().filter(|path| is_new(path)).map(|path| (*path).to_owned()).collect();
    if !new.is_empty() {
        let rows = rows_of(store, roots, cancel)?;
        new.retain(|path| rows.get(path).is_some_and(|row| row.hash().is_some()));
    }
    Ok(new)
}

/// How many notes have a name under which no database keeps them, and so are in nobody's index.
pub(crate) fn nameless(settings: &Settings, skipped: &[Skipped]) -> usize {
    if !is_wanted(settings) {
        return 0;
    }
    let is_below = |path: &str| path.strip_prefix(MEMORY_FOLDER).is_some_and(|rest| rest.starts_with('/'));
    skipped.iter().filter(|skipped| skipped.code == SkipCode::InvalidName && is_below(&skipped.path)).count()
}
