//! Folders of notes that are lost: a mount that went away looks like somebody who deleted everything. What is known of
//! such a folder stays in the index until it comes back or the user says that it is gone.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::workspace::{
    discover::Discovery,
    folders::{exists, identity},
    roots::{Roots, is_markdown},
};
use model::{error::Result, layout::MEMORY_FOLDER};
use store::{
    Reader, Tx,
    files::{FileRow, Hash},
};

/// The content of each known note, by path.
pub(super) type Contents<'a> = HashMap<&'a str, Hash>;

/// What the rows of an index say of it.
pub(super) fn contents(files: &HashMap<String, FileRow>) -> Contents<'_> {
    files.iter().map(|(path, row)| (path.as_str(), row.hash)).collect()
}

/// What a person is told about lost folders, and [`REMEDY`]; none when there are none.
#[must_use]
pub fn warning(lost: &[LostFolder]) -> Option<String> {
    told(lost).map(|told| format!("Notes are missing: {told}. {REMEDY}"))
}

/// Which folders are lost, and why; none when there are none.
#[must_use]
pub fn told(lost: &[LostFolder]) -> Option<String> {
    let told: Vec<String> = lost.iter().map(ToString::to_string).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Key in `meta` of what is known about the folders.
const KEY: &str = "note_folders";
/// From this many notes on, more than half of them vanishing at once is no everyday tidying.
const MANY: usize = 10;
/// What ends it.
pub const REMEDY: &str =
    "Bring it back (is it mounted?), or run `openclaw memory index --force` if this was done on purpose";

/// Why a folder counts as lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// It is not there.
    Missing,
    /// It cannot be listed.
    Unreadable,
    /// Another folder has its place, without any of the notes.
    Replaced,
    /// It is there, but most notes are not.
    Emptied,
}

/// A lost folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LostFolder {
    /// The workspace, or what an extra path names.
    pub path: PathBuf,
    /// Why it counts as lost.
    pub loss: Loss,
    /// Notes that were known there when it was lost.
    pub notes: usize,
    /// Notes that are kept although they are not found.
    pub missing: usize,
}

impl fmt::Display for LostFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, loss, notes, missing } = self;
        let path = path.display();
        match loss {
            Loss::Missing => write!(f, "the folder {path} is not there"),
            Loss::Unreadable => write!(f, "the folder {path} cannot be read"),
            Loss::Replaced => write!(f, "another folder has taken the place of {path}"),
            Loss::Emptied if missing * 2 > *notes => write!(f, "{missing} of {notes} notes in {path} vanished at once"),
            Loss::Emptied => {
                write!(f, "of {notes} notes in {path} that vanished at once, {missing} have not come back")
            }
        }?;
        f.write_str(", and memory answers from what it knew of it")
    }
}

/// What is kept about the folders of notes between two passes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Folders {
    /// Which folder it was when notes were last found there.
    identities: BTreeMap<PathBuf, String>,
    /// What was lost in the last pass.
    pub lost: Vec<LostFolder>,
    /// Of each lost folder the notes that went with it: it is back with the last of them, not with half of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    awaited: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Folders {
    /// What the last pass kept.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn stored(reader: &Reader<'_>) -> Result<Self> {
        Ok(reader.meta(KEY)?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Keeps it for the next pass.
    pub(super) fn store(&self, tx: &Tx<'_>) -> Result<()> {
        let text = serde_json::to_string(self).unwrap_or_default();
        if tx.meta(KEY)?.as_deref() == Some(text.as_str()) { Ok(()) } else { tx.set_meta(KEY, &text) }
    }

    /// Whether nothing is lost, and the folders that hold a note are those in which notes were last found: whatever happened
    /// to this note says nothing about others.
    pub(super) fn are_settled(&self, roots: &Roots, note: &Path) -> bool {
        let folders = note_folders(roots).into_iter().flat_map(|root| root.folders);
        let is_known = |folder: &PathBuf| self.identities.get(folder).cloned() == identity(folder);
        self.lost.is_empty() && folders.filter(|folder| note.starts_with(folder)).all(|folder| is_known(&folder))
    }

    /// The lost folders, with those that a glance shows to be gone since the last pass. Asks the operating system once
    /// per folder.
    #[must_use]
    pub(crate) fn glance(&self, roots: &Roots) -> Vec<LostFolder> {
        let mut lost = self.lost.clone();
        for root in note_folders(roots) {
            let known = root.folders.iter().any(|folder| self.identities.contains_key(folder));
            if known && !exists(&root.path) && !lost.iter().any(|lost| lost.path == root.path) {
                lost.push(LostFolder { path: root.path, loss: Loss::Missing, notes: 0, missing: 0 });
            }
        }
        lost
    }
}

/// What a look at the disk says about the folders.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    /// To be kept for the next pass.
    pub folders: Folders,
    /// Paths of notes that are not on disk and stay in the index all the same.
    pub kept: HashSet<String>,
}

/// What a look at the disk says that finds all known notes: no folder is lost, and none was before.
pub(super) fn all_found(roots: &Roots, discovery: &Discovery, before: &Folders) -> Option<Judgement> {
    if !before.lost.is_empty() || !discovery.uncertain.is_empty() {
        return None;
    }
    let mut judgement = Judgement::default();
    for root in note_folders(roots) {
        judgement.folders.identify(&root, discovery, before);
    }
    Some(judgement)
}

/// A folder of notes that can be lost as a whole.
struct NoteFolder {
    path: PathBuf,
    /// The folders whose identity is looked at: what is mounted may be the workspace or the folder of notes in it.
    folders: Vec<PathBuf>,
}

impl Folders {
    /// Keeps which folders these are where notes are found in them, else which they were.
    fn identify(&mut self, root: &NoteFolder, discovery: &Discovery, before: &Self) {
        self.identities.extend(former(root, before));
        for folder in &root.folders {
            if discovery.entries.iter().any(|entry| entry.absolute.starts_with(folder)) {
                self.identities.extend(identity(folder).map(|identity| (folder.clone(), identity)));
            }
        }
    }
}

/// Which folders these were.
fn former(root: &NoteFolder, before: &Folders) -> impl Iterator<Item = (PathBuf, String)> {
    root.folders
        .iter()
        .filter_map(|folder| before.identities.get_key_value(folder))
        .map(|(a, b)| (a.clone(), b.clone()))
}

fn note_folders(roots: &Roots) -> Vec<NoteFolder> {
    let workspace = roots.workspace_dir.clone();
    let memory = workspace.join(MEMORY_FOLDER);
    let mut folders = vec![NoteFolder { folders: vec![workspace.clone(), memory], path: workspace }];
    for extra in &roots.extra {
        // Of a single file only the folder can be lost; without the file itself it was deleted.
        let may_be_file = is_markdown(&extra.root) || roots.media(&extra.root).is_some();
        let is_file = !extra.is_glob() && may_be_file && !extra.root.is_dir();
        let path = if is_file { extra.root.parent().unwrap_or(&extra.root) } else { &extra.root }.to_path_buf();
        if !folders.iter().any(|root| root.path == path) {
            folders.push(NoteFolder { folders: vec![path.clone()], path });
        }
    }
    folders
}

/// A known note, as it is judged.
struct Note<'a> {
    path: &'a str,
    absolute: PathBuf,
    is_uncertain: bool,
    is_gone: bool,
}

/// Judges the known notes against a look at the disk. `found` holds the contents that were found under new names, so
/// that a rename is no loss.
pub(super) fn judge(
    roots: &Roots,
    discovery: &Discovery,
    known: &Contents<'_>,
    found: &HashSet<Hash>,
    before: &Folders,
) -> Judgement {
    let present: HashSet<&str> = discovery.entries.iter().map(|e| e.path.as_str()).collect();
    let here: HashSet<&Hash> =
        known.iter().filter(|(path, _)| present.contains(**path)).map(|(_, hash)| hash).collect();
    let folders = note_folders(roots);
    let mut notes: Vec<Vec<Note<'_>>> = folders.iter().map(|_| Vec::new()).collect();
    for (path, hash) in known {
        let absolute = roots.workspace_dir.join(path);
        // The user took these out of the index.
        if !roots.is_indexed(&absolute) || roots.forgotten.path(path).is_some() {
            continue;
        }
        // The innermost folder: an extra path may lie in the workspace.
        let holds = |(_, root): &(usize, &NoteFolder)| absolute.starts_with(&root.path);
        let depth = |(_, root): &(usize, &NoteFolder)| root.path.components().count();
        let Some((at, _)) = folders.iter().enumerate().filter(holds).max_by_key(depth) else { continue };
        let is_uncertain = discovery.is_uncertain(path);
        let is_gone = !present.contains(path)
            && !is_uncertain
            && !here.contains(hash)
            && !found.contains(hash)
            // What is there but left out (a link, too large) did not vanish.
            && absolute.symlink_metadata().is_err();
        notes[at].push(Note { path, absolute, is_uncertain, is_gone });
    }
    let mut judgement = Judgement::default();
    for (root, notes) in folders.iter().zip(&notes) {
        let loss = loss(root, notes, roots, discovery, before);
        if let Some(loss) = loss {
            // What was written since the loss and is deleted again is not part of it.
            let mut awaited = before.awaited.get(&root.path).cloned().unwrap_or_default();
            let is_first = awaited.is_empty();
            // What has come back and is deleted then is deleted.
            awaited.retain(|path| !present.contains(path.as_str()));
            if is_first || loss != Loss::Emptied || is_emptied(notes) {
                let missing = notes.iter().filter(|note| note.is_gone || note.is_uncertain);
                awaited.extend(missing.map(|note| note.path.to_owned()));
            }
            let kept = notes.iter().filter(|note| note.is_gone && awaited.contains(note.path));
            let lost = before.lost.iter().find(|lost| lost.path == root.path);
            let unread = notes.iter().filter(|note| note.is_uncertain).count();
            judgement.folders.lost.push(LostFolder {
                path: root.path.clone(),
                loss,
                notes: lost.map_or(notes.len(), |lost| lost.notes),
                missing: kept.clone().count() + unread,
            });
            judgement.kept.extend(kept.map(|note| note.path.to_owned()));
            judgement.folders.awaited.insert(root.path.clone(), awaited);
        }
        if loss.is_none() {
            judgement.folders.identify(root, discovery, before);
        } else {
            judgement.folders.identities.extend(former(root, before));
        }
    }
    judgement
}

fn loss(root: &NoteFolder, notes: &[Note<'_>], roots: &Roots, discovery: &Discovery, before: &Folders) -> Option<Loss> {
    let unlisted = |folder: &PathBuf| discovery.is_uncertain(&roots.display(folder));
    if notes.iter().any(|note| note.is_uncertain) && root.folders.iter().any(unlisted) {
        return Some(Loss::Unreadable);
    }
    let gone = notes.iter().filter(|note| note.is_gone).count();
    if gone == 0 {
        return None;
    }
    if !exists(&root.path) {
        return Some(Loss::Missing);
    }
    if root.folders.iter().any(|folder| is_replaced(folder, notes, before)) {
        return Some(Loss::Replaced);
    }
    // While files come back one by one, those that are not back yet are no deleted ones.
    let is_awaited = || {
        let awaited = before.awaited.get(&root.path);
        awaited.is_some_and(|awaited| notes.iter().any(|note| note.is_gone && awaited.contains(note.path)))
    };
    (is_emptied(notes) || is_awaited()).then_some(Loss::Emptied)
}

/// Whether more notes are gone at once than anybody tidies away.
fn is_emptied(notes: &[Note<'_>]) -> bool {
    notes.len() >= MANY && notes.iter().filter(|note| note.is_gone).count() * 2 > notes.len()
}

/// Whether a folder is another one than when notes were last found in it, and none of them is in it now.
fn is_replaced(folder: &Path, notes: &[Note<'_>], before: &Folders) -> bool {
    let mut below = notes.iter().filter(|note| note.absolute.starts_with(folder)).peekable();
    let Some(former) = before.identities.get(folder).filter(|_| below.peek().is_some()) else { return false };
    below.all(|note| note.is_gone) && identity(folder).is_some_and(|now| now != *former)
}
