//! Which file holds the index of a workspace. The first workspace of an agent has the configured name; every other one
//! has a file of its own beside it, so that no search ever meets the notes of another workspace.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use sha2::{Digest, Sha256};

use super::{open, reader::Reader};
use crate::error::SqlResult;
use model::error::{Error, ErrorKind, Result};
use model::{
    layout::{MEMORY_FOLDER, ROOT_FILES},
    source::Source,
    stamp::{Stamp, mtime_ns},
};

/// Key in `meta` of the path of the workspace that an index belongs to.
const WORKSPACE: &str = "workspace";
/// The same with links resolved, as far as it was known.
const REAL_WORKSPACE: &str = "workspace_real";

/// Comes before the extension in the name of a file of its own.
const MARK: &str = ".ws-";
/// Bytes of the hash of the workspace in that name.
const MARK_BYTES: usize = 8;

/// Indexed files that are compared with the disk to find out whose an index without a name is.
const SAMPLE: usize = 200;

/// A workspace, as an index remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Absolute and normalised.
    pub path: PathBuf,
    /// With links resolved; none when it does not exist now.
    real: Option<PathBuf>,
}

/// Whose an index is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Nobody's: there is no file, or nothing of a workspace in it.
    Nobody,
    /// Of before indexes knew whose they are: some of its files, relative to its workspace, with size and time.
    Unnamed(Vec<(String, Stamp)>),
    /// Of this workspace.
    Ours,
    /// Of the workspace with this path.
    Other(PathBuf),
}

impl Workspace {
    /// The workspace at a path. Looks where links lead.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_path_buf(), real: path.canonicalize().ok() }
    }

    /// Whether both are the same folder.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path || self.real.is_some() && self.real == other.real
    }

    /// Whether the two paths that an index remembers name this workspace.
    fn is(&self, path: &str, real: Option<&str>) -> bool {
        Path::new(path) == self.path || real.is_some_and(|real| self.real.as_deref() == Some(Path::new(real)))
    }
}

/// The file of a workspace that does not have the configured name.
#[must_use]
pub fn own_path(configured: &Path, workspace: &Workspace) -> PathBuf {
    let hash = hex::encode(&Sha256::digest(workspace.path.as_os_str().as_encoded_bytes())[..MARK_BYTES]);
    let stem = configured.file_stem().unwrap_or_default().to_string_lossy();
    let extension = configured.extension().map(|e| format!(".{}", e.to_string_lossy())).unwrap_or_default();
    configured.with_file_name(format!("{stem}{MARK}{hash}{extension}"))
}

/// The indexes of the same agent's other workspaces, beside one of them.
#[must_use]
pub fn others(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(stem)) = (path.parent(), path.file_stem()) else { return Vec::new() };
    let stem = stem.to_string_lossy();
    let first = stem.split_once(MARK).map_or(&*stem, |(first, _)| first);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let is_ours = |other: &Path| {
        let name = other.file_stem().unwrap_or_default().to_string_lossy();
        let own = name.strip_prefix(first).is_some_and(|rest| {
            rest.is_empty() || rest.strip_prefix(MARK).is_some_and(|hash| hash.len() == 2 * MARK_BYTES)
        });
        own && other.extension() == path.extension() && other != path
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|other| is_ours(other)).collect();
    found.sort_unstable();
    found
}

/// Whose the index at a path is. Nothing is written; a file that cannot be read is nobody's, and opening it repairs it.
#[must_use]
pub fn owner(path: &Path, workspace: &Workspace) -> Owner {
    let look = |reader: &Reader<'_>| {
        if let Some(path) = reader.meta(WORKSPACE)? {
            let real = reader.meta(REAL_WORKSPACE)?;
            return Ok(if workspace.is(&path, real.as_deref()) { Owner::Ours } else { Owner::Other(path.into()) });
        }
        let sample = sample(reader)?;
        Ok(if sample.is_empty() { Owner::Nobody } else { Owner::Unnamed(sample) })
    };
    look_into(path, look).unwrap_or(Owner::Nobody)
}

/// The path of the workspace that an index belongs to; none when it does not say so or cannot be read.
#[must_use]
pub(crate) fn workspace_of(index: &Path) -> Option<PathBuf> {
    look_into(index, |reader| reader.meta(WORKSPACE)).flatten().map(PathBuf::from)
}

/// Whether the folder of an index was moved to this workspace: it is gone from its place, and most of its files are here
/// with their sizes. Times do not count, as not every way to copy a folder keeps them.
#[must_use]
pub fn has_moved_to(index: &Path, workspace: &Workspace) -> bool {
    if workspace_of(index).is_none_or(|former| former.symlink_metadata().is_ok()) {
        return false;
    }
    let files = look_into(index, sample).unwrap_or_default();
    let is_here = |path: &String, stamp: Stamp| {
        workspace.path.join(path).symlink_metadata().is_ok_and(|found| found.len() == stamp.size)
    };
    files.iter().filter(|(path, stamp)| is_here(path, *stamp)).count() * 2 > files.len()
}

/// Asks an index without writing into it; none when there is no file or it cannot be read.
fn look_into<T>(index: &Path, ask: impl FnOnce(&Reader<'_>) -> Result<T>) -> Option<T> {
    if !index.exists() {
        return None;
    }
    let conn = open::connect_reader(index).ok()?;
    ask(&Reader::over(&conn)).ok()
}

/// Some of the files of an index, relative to its workspace, with size and time.
fn sample(reader: &Reader<'_>) -> Result<Vec<(String, Stamp)>> {
    let Some(live) = reader.live()? else { return Ok(Vec::new()) };
    let files = reader.files(live.id, Source::Memory.as_str())?;
    let relative = files.into_iter().filter(|(path, _)| !Path::new(path).is_absolute());
    Ok(relative.take(SAMPLE).map(|(path, row)| (path, Stamp { size: row.size, mtime_ns: row.mtime_ns })).collect())
}

/// The file that holds the index of a workspace, when the settings name `configured`. `is_only`: whether the agent has no
/// other workspace, as in a host.
#[must_use]
pub fn locate(configured: &Path, workspace: &Workspace, is_only: bool) -> PathBuf {
    let ours = match owner(configured, workspace) {
        Owner::Nobody | Owner::Ours => true,
        Owner::Other(_) => false,
        // Most of its files have to be there as they were: some look the same in every workspace.
        Owner::Unnamed(files) => {
            let same = files.iter().filter(|(path, stamp)| is_as_indexed(&workspace.path.join(path), *stamp)).count();
            // A mount that is lost shows no note at all, and an empty index in its place would know nothing.
            same * 2 > files.len() || is_only && shows_no_note(&workspace.path)
        }
    };
    if ours { configured.to_path_buf() } else { own_path(configured, workspace) }
}

/// Whether a workspace is not there, cannot be read or holds no note.
fn shows_no_note(workspace: &Path) -> bool {
    let has_root_file = || ROOT_FILES.iter().any(|name| workspace.join(name).symlink_metadata().is_ok());
    let has_notes = || workspace.join(MEMORY_FOLDER).read_dir().is_ok_and(|mut entries| entries.next().is_some());
    !has_root_file() && !has_notes()
}

/// Whether a file is there with the size and, where the index trusts it, the time that the index has.
fn is_as_indexed(file: &Path, stamp: Stamp) -> bool {
    file.symlink_metadata().is_ok_and(|found| {
        found.len() == stamp.size && (stamp.mtime_ns == Stamp::UNSETTLED || mtime_ns(&found) == stamp.mtime_ns)
    })
}

/// The refusal of an index of another workspace. As after closing, opening again finds the right file.
#[must_use]
pub fn not_ours(path: &Path) -> Error {
    Error::new(ErrorKind::OtherWorkspace, format!("{} is the index of another workspace", path.display()))
}

/// Whether an error is [`not_ours`].
#[must_use]
pub fn is_not_ours(error: &Error) -> bool {
    error.kind == ErrorKind::OtherWorkspace
}

/// Refuses a connection to the index of another workspace.
pub(super) fn check(conn: &Connection, path: &Path, workspace: Option<&Workspace>) -> Result<()> {
    let Some(workspace) = workspace else { return Ok(()) };
    let reader = Reader::over(conn);
    match reader.meta(WORKSPACE)? {
        Some(known) if !workspace.is(&known, reader.meta(REAL_WORKSPACE)?.as_deref()) => Err(not_ours(path)),
        _ => Ok(()),
    }
}

/// Takes out of an index whose it is, so that it can be claimed anew.
pub(super) fn disown(conn: &Connection) -> Result<()> {
    conn.execute("DELETE FROM meta WHERE key IN (?1, ?2)", [WORKSPACE, REAL_WORKSPACE]).sql()?;
    Ok(())
}

/// Writes into an index whose it is, if nothing says so yet. Of two that come at once one is refused.
pub(super) fn claim(conn: &mut Connection, path: &Path, workspace: Option<&Workspace>) -> Result<()> {
    let Some(workspace) = workspace else { return Ok(()) };
    check(conn, path, Some(workspace))?;
    if Reader::over(conn).meta(WORKSPACE)?.is_some() {
        return Ok(());
    }
    let tx = conn.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).sql()?;
    check(&tx, path, Some(workspace))?;
    for (key, known) in [(WORKSPACE, Some(&workspace.path)), (REAL_WORKSPACE, workspace.real.as_ref())] {
        if let Some(known) = known {
            tx.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", (key, known.to_string_lossy()))
                .sql()?;
        }
    }
    tx.commit().sql()
}
