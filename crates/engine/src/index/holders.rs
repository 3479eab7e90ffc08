//! Which files of an index that several gateways share are on this disk, and which on others: conversations, and what extra
//! paths name. The agent's notes are all of theirs. A pass takes out only what nobody else has, so that gateways with other
//! conversations and other extra paths do not take each other's out. An index in a file knows nothing of it.

use std::collections::{HashMap, HashSet};

use super::owner;
use crate::workspace::{
    discover::{Discovery, Entry},
    roots::Roots,
};
use model::{error::Result, source::Source};
use store::{Reader, Store, Tx, files::FileRow};

/// Who has the files of a source.
#[derive(Debug, Clone)]
pub(super) struct Holding {
    source: Source,
    /// The id of this gateway; none where the index is a file, and before the first pass.
    own: Option<String>,
    /// What it is known to have.
    ours: HashSet<String>,
    /// What others have.
    others: HashSet<String>,
    /// Whether it is time for a sign of this gateway.
    is_due: bool,
    /// Whether others gave none for so long that they are to be forgotten.
    has_gone: bool,
}

impl Holding {
    /// What is known of a source.
    ///
    /// # Errors
    /// When the store or the id of this gateway cannot be read.
    pub(super) fn of(store: &Store, reader: &Reader<'_>, source: Source) -> Result<Self> {
        let mut holding =
            Self { source, own: None, ours: HashSet::new(), others: HashSet::new(), is_due: false, has_gone: false };
        if store.admin().is_some() {
            return Ok(holding);
        }
        holding.own = owner::id_of(store)?;
        for held in reader.held(source.as_str())? {
            let is_own = holding.own.as_ref() == Some(&held.holder);
            if is_own { &mut holding.ours } else { &mut holding.others }.insert(held.path);
        }
        for holder in reader.holders()? {
            let is_own = holding.own.as_ref() == Some(&holder.id);
            holding.is_due |= is_own && holder.is_due;
            holding.has_gone |= holder.is_gone && !is_own;
        }
        Ok(holding)
    }

    /// Whether another gateway has a file.
    pub(super) fn is_others(&self, path: &str) -> bool {
        self.others.contains(path)
    }

    /// Whether anybody is known to have a file.
    pub(super) fn is_held(&self, path: &str) -> bool {
        self.ours.contains(path) || self.others.contains(path)
    }

    /// Whether a pass has to be made even if nothing changed: for a sign of this gateway.
    pub(super) fn needs_pass(&self) -> bool {
        self.is_due
    }

    /// Leaves out what others have and this disk has not: for this pass it is not there.
    pub(super) fn leave_others(&self, known: &mut HashMap<String, FileRow>, discovery: &Discovery) {
        if !self.others.is_empty() {
            known.retain(|path, _| !self.is_others(path) || is_found(discovery, path));
        }
    }

    /// Leaves out of what differs from the index what another gateway has of the same name and modified later: else both
    /// would write theirs again and again.
    pub(super) fn leave_newer(&self, stale: &mut Vec<&Entry>, known: &HashMap<String, FileRow>) {
        if !self.others.is_empty() {
            let is_newer = |entry: &Entry| known.get(&entry.path).is_some_and(|row| row.mtime_ns > entry.mtime_ns);
            stale.retain(|entry| !self.is_others(&entry.path) || !is_newer(entry));
        }
    }

    /// What was found of extra paths and is not known to be ours yet.
    pub(super) fn new_extra(&self, roots: &Roots, discovery: &Discovery) -> Vec<String> {
        if self.own.is_none() {
            return Vec::new();
        }
        let extra = discovery.entries.iter().filter(|entry| roots.is_extra(&entry.absolute));
        extra.map(|entry| &entry.path).filter(|path| !self.ours.contains(*path)).cloned().collect()
    }

    /// What we had and have no more. `stays`: what is not found, and stays in the index all the same.
    pub(super) fn lost_extra(&self, discovery: &Discovery, stays: impl Fn(&str) -> bool) -> Vec<String> {
        let is_lost = |path: &&String| !is_found(discovery, path) && !discovery.is_uncertain(path) && !stays(path);
        self.ours.iter().filter(is_lost).cloned().collect()
    }

    /// What we were not known to have, of what was found.
    pub(super) fn new_of(&self, found: &HashSet<String>) -> Vec<String> {
        found.difference(&self.ours).cloned().collect()
    }

    /// What we had, where it is not found.
    pub(super) fn lost_of(&self, is_lost: impl Fn(&str) -> bool) -> Vec<String> {
        self.ours.iter().filter(|path| is_lost(path)).cloned().collect()
    }

    /// Whether anything is known at all, so that what is found has to be remembered.
    pub(super) const fn is_shared(&self) -> bool {
        self.own.is_some()
    }

    /// Writes down a file that is written for the first time.
    pub(super) fn first_of(&self, path: &str) -> Option<First> {
        let own = self.own.as_ref().filter(|_| !self.ours.contains(path))?;
        Some(First { holder: own.clone(), source: self.source, path: path.to_owned() })
    }

    /// Notes what is new, and gives a sign where it is time.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(super) fn hold(&self, store: &Store, new: Vec<String>) -> Result<()> {
        let Some(own) = self.own.clone().filter(|_| !new.is_empty() || self.is_due) else { return Ok(()) };
        let source = self.source.as_str();
        store.write_indexed(move |tx| match new.is_empty() {
            true => tx.give_sign(&own),
            false => tx.hold(&own, source, &paths(&new)),
        })
    }

    /// Notes what is here no more. `force`: what others have counts no more until they say so again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(super) fn let_go(&self, store: &Store, lost: Vec<String>, force: bool) -> Result<()> {
        let is_needed = !lost.is_empty() || self.has_gone || force;
        let Some(own) = self.own.clone().filter(|_| is_needed) else { return Ok(()) };
        let (source, has_gone) = (self.source.as_str(), self.has_gone);
        store.write_indexed(move |tx| {
            if force {
                tx.forget_other_holders(&own)?;
            } else if has_gone {
                tx.forget_gone_holders()?;
            }
            if lost.is_empty() { Ok(()) } else { tx.let_go(&own, source, &paths(&lost)) }
        })
    }
}

/// A file that this gateway has, and that is written for the first time.
#[derive(Debug, Clone)]
pub(super) struct First {
    holder: String,
    source: Source,
    path: String,
}

impl First {
    /// With the write that brings its rows: whoever takes over from a killed process must not find it without an owner.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(super) fn write(&self, tx: &Tx<'_>) -> Result<()> {
        tx.hold(&self.holder, self.source.as_str(), &[&self.path])
    }
}

fn paths(paths: &[String]) -> Vec<&str> {
    paths.iter().map(String::as_str).collect()
}

fn is_found(discovery: &Discovery, path: &str) -> bool {
    discovery.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_ok()
}
