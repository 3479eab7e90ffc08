//! Whose notes an index in a database is of. A file lies beside its workspace and remembers it (`store::place`); a database
//! is reached from anywhere. A container that comes up without its notes, or another gateway with an agent of the same
//! name, must not make the memory that of its own folder.

use std::collections::HashMap;

use serde::Serialize;

use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Code, Error, Result},
    own_file,
    source::Source,
};
use store::{Kept, Reader, Store, files::FileRow};

use super::holders::Holding;
use crate::workspace::{
    discover::{Discovery, discover},
    roots::Roots,
};

/// Key in `meta` of the id of the workspace that the index is of.
const KEY: &str = "workspace_id";

/// What a person is told when nothing was changed.
pub(crate) const FOREIGN: &str = "The index in the database is of other notes than those of this workspace: nothing of it \
    was changed, and searches answer from it. Run `openclaw memory store adopt` if it is to be of these notes: it shows first \
    what would leave the index";

/// How the notes on this disk compare with those that an index in a database knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Adoption {
    /// Whether the index is of this workspace, or of nobody, so that there is nothing to take over.
    pub ours: bool,
    /// Notes that the index knows.
    pub known: usize,
    /// Those of them that are here, at their size.
    pub same: usize,
    /// Those that are here at another size, and would be read anew.
    pub changed: usize,
    /// Those that are not here, and would leave the index.
    pub missing: usize,
    /// Notes that are here and that the index does not know.
    pub new: usize,
    /// Whether the database keeps the notes themselves: what is missing comes from there, and nothing leaves the index.
    pub kept: bool,
    /// Whether an update changes nothing before the index is taken over.
    pub foreign: bool,
}

/// Compares both, and changes nothing.
///
/// # Errors
/// [`Code::Config`] for an index in a file, and when the store or the id cannot be read.
pub(crate) fn compare(store: &Store, discovery: &Discovery, cancel: &Cancel) -> Result<Adoption> {
    if store.admin().is_some() {
        return Err(Error::new(Code::Config, "the index is in a file, which is that of its workspace")
            .remedy("Nothing has to be taken over; store.driver \"postgres\" is what keeps an index in a database"));
    }
    let (theirs, (known, holding)) =
        store.read_with(cancel, |reader| Ok((reader.meta(KEY)?, known_notes(store, reader)?)))?;
    let same = at_their_size(&known, discovery);
    let here = discovery.entries.iter().filter(|entry| !holding.is_held(&entry.path));
    let changed = here.clone().filter(|entry| known.contains_key(&entry.path)).count() - same;
    Ok(Adoption {
        ours: is_ours(store, theirs.as_deref())?,
        known: known.len(),
        same,
        changed,
        missing: known.len() - same - changed,
        new: here.count() - same - changed,
        kept: false,
        foreign: false,
    })
}

/// Whether a pass would change nothing, because an index in a database is of other notes.
///
/// # Errors
/// When the store or the id cannot be read.
pub(crate) fn is_foreign(store: &Store, settings: &Settings, cancel: &Cancel) -> Result<bool> {
    if store.admin().is_some() {
        return Ok(false);
    }
    let theirs = store.read_with(cancel, |reader| reader.meta(KEY))?;
    if is_ours(store, theirs.as_deref())? {
        return Ok(false);
    }
    let Adoption { known, same, .. } = compare(store, &discover(&Roots::of(settings)), cancel)?;
    Ok(!are_same(known, same))
}

/// Whether notes are those of an index that knows so many, of which so many are here.
const fn are_same(known: usize, here: usize) -> bool {
    known == 0 || here * 2 > known
}

/// Whether an index with this id of a workspace is that of ours, or of nobody.
fn is_ours(store: &Store, theirs: Option<&str>) -> Result<bool> {
    Ok(theirs.is_none() || theirs == id_of(store)?.as_deref())
}

/// The id of the workspace that is kept beside an index in a database; none before its first pass.
pub(super) fn id_of(store: &Store) -> Result<Option<String>> {
    known_id(&store.kept(Kept::WorkspaceId))
}

/// How many of the notes that an index knows are here, at their size.
fn at_their_size(known: &HashMap<String, FileRow>, discovery: &Discovery) -> usize {
    let is_here = |path: &str, size: u64| known.get(path).is_some_and(|row| row.size == size);
    discovery.entries.iter().filter(|entry| is_here(&entry.path, entry.stamp().size)).count()
}

/// The notes of the live index, but for those that single gateways have: they tell nothing of whose notes the others are. With
/// who has them.
fn known_notes(store: &Store, reader: &Reader<'_>) -> Result<(HashMap<String, FileRow>, Holding)> {
    let holding = Holding::of(store, reader, Source::Memory)?;
    let Some(live) = reader.live()? else { return Ok((HashMap::new(), holding)) };
    let mut known = reader.files(live.id, Source::Memory.as_str())?;
    known.retain(|path, _| !holding.is_held(path));
    Ok((known, holding))
}

/// Whether a pass may make the index that of the notes on this disk, and if so that it is theirs from now on. By an id that is
/// kept beside the index; where that is another one, by the notes: more than half of those that are known are here, at
/// their size, when a workspace was moved or its state was lost. `force`: whatever is here.
///
/// # Errors
/// When the store cannot be read or written, or the id can be neither read nor kept.
pub(super) fn claim(store: &Store, discovery: &Discovery, force: bool, cancel: &Cancel) -> Result<bool> {
    if store.admin().is_some() {
        return Ok(true);
    }
    let ours = own_id(store)?;
    let (theirs, known) = store.read_with(cancel, |reader| {
        let theirs = reader.meta(KEY)?;
        let known = if theirs.as_ref() == Some(&ours) { HashMap::new() } else { known_notes(store, reader)?.0 };
        Ok((theirs, known))
    })?;
    if theirs.as_ref() == Some(&ours) {
        return Ok(true);
    }
    let here = at_their_size(&known, discovery);
    if theirs.is_some() && !are_same(known.len(), here) && !force {
        return Ok(false);
    }
    store.write_indexed(move |tx| tx.set_meta(KEY, &ours))?;
    Ok(true)
}

/// By what a gateway is known to others with the same index, which is made when there is nothing yet; none where the index is a
/// file, which has no others.
///
/// # Errors
/// When it can be neither read nor kept.
pub(crate) fn gateway_of(store: &Store) -> Result<Option<String>> {
    if store.admin().is_some() { Ok(None) } else { own_id(store).map(Some) }
}

/// The id of the workspace, which is made when there is none.
fn own_id(store: &Store) -> Result<String> {
    let path = store.kept(Kept::WorkspaceId);
    if let Some(id) = known_id(&path)? {
        return Ok(id);
    }
    let made = uuid::Uuid::new_v4().to_string();
    if let Some(folder) = path.parent() {
        own_file::create_folder(folder).map_err(|error| Error::io(folder, &error))?;
    }
    match own_file::write_new(&path, made.as_bytes(), true) {
        Ok(()) => Ok(made),
        // Another process of the same state was quicker.
        Err(error) => known_id(&path)?.ok_or_else(|| Error::io(&path, &error)),
    }
}

fn known_id(path: &std::path::Path) -> Result<Option<String>> {
    let id = own_file::read(path)?.map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned());
    Ok(id.filter(|id| !id.is_empty()))
}
