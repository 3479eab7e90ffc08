//! Putting a copy in the place of the index. The copy is taken aside and checked there; then it is written over the
//! index in one transaction. Whoever is killed leaves the old index or the new one, and connections of other processes
//! stay good: they see the new one with their next read.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use rusqlite::{
    Connection,
    backup::{Backup, StepResult},
    params,
};
use tempfile::TempDir;

use super::{
    backup::{self, half_written},
    header::Header,
    lease::{Held, VALID_MS, not_held},
    open::{self, FileIdentity},
    place::{self, Owner, Workspace},
    pool::closed,
    reader::Reader,
    recover::{SALVAGE, earlier_copies, with_suffix},
    schema,
    sqlite::Sqlite,
    writer::{Shared, Tx},
};
use crate::{
    error::SqlResult,
    unfinished::{abandoned, folder_of},
};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// How the names of folders begin in which copies are checked.
const UNFINISHED: &str = ".memory-restore-";
/// Name of the copy in such a folder.
const COPY: &str = "copy.sqlite";
/// A folder of that name that is so old was left by a process that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Comes before the time in the names of what was replaced.
pub(super) const REPLACED: &str = ".before-restore-";
/// How many of those are kept.
const KEPT: usize = 2;

/// Key in `meta` of a value that changes with every restored copy: ids of rows mean something else from then on.
const RESTORED: &str = "restored";

/// Pages written between two looks whether to stop.
const PAGES: i32 = 1000;
/// How long a writer of another process is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two attempts to become the writer.
const PAUSE: Duration = Duration::from_millis(50);

/// What to do when a file is no copy that can be used.
const ANOTHER: &str = "Name a file that `openclaw memory backup` has written; the index was not touched";

/// What to do when a copy is newer than this version.
const OLDER: &str = "Update memory-core-rs, or name an older copy; the index was not touched";

/// A copy that was found fit to take the place of the index.
#[derive(Debug)]
pub struct Staged {
    /// Goes with this value.
    folder: TempDir,
}

impl Reader<'_> {
    /// Changes with every restored copy; none before the first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn restored(&self) -> Result<Option<String>> {
        self.meta(RESTORED)
    }
}

impl Tx<'_> {
    /// Rows may be gone that were never to go: what anybody has in memory of this index holds no more.
    pub(super) fn mark_restored(&self) -> Result<()> {
        self.set_meta(RESTORED, &uuid::Uuid::new_v4().to_string())
    }
}

impl Staged {
    /// Takes a copy of a file aside, beside the index, and checks it there. The file itself is only read.
    ///
    /// # Errors
    /// [`Code::NotFound`], [`Code::Path`] for links and special files, [`Code::ForeignDatabase`] when it is no index,
    /// [`Code::NewerSchema`], [`Code::Corrupt`], [`Code::Argument`] when it is in use or belongs to another workspace,
    /// and what the disk gives.
    pub fn take(source: &Path, index: &Path, workspace: Option<&Workspace>) -> Result<Self> {
        let mut file = open_source(source, index)?;
        let folder = folder_of(index);
        remove_all(taken_aside(index, ABANDONED));
        let staged = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(folder);
        let staged = Self { folder: staged.map_err(|error| Error::io(folder, &error.kind().into()))? };
        let copy = staged.path();
        own_file::options()
            .write(true)
            .create_new(true)
            .open(&copy)
            .and_then(|mut target| io::copy(&mut file, &mut target))
            .map_err(|error| Error::io(&copy, &error).context("the copy cannot be taken aside"))?;
        staged.check(source, workspace)?;
        Ok(staged)
    }

    /// Where the copy is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join(COPY)
    }

    fn check(&self, source: &Path, workspace: Option<&Workspace>) -> Result<()> {
        let copy = self.path();
        let told = |error: Error| match error.code() {
            Code::Corrupt => damaged(source, &error.message),
            _ => error,
        };
        // Before anything is written to it, which would run what is in it.
        let strange = open::open_immutable(&copy).and_then(|conn| schema::first_strange(&conn)).map_err(told)?;
        if let Some(name) = strange {
            return Err(no_index(source, &format!("it holds {name}, which no index has")));
        }
        let mut has_moved = false;
        if let Some(workspace) = workspace {
            match place::owner(&copy, workspace) {
                Owner::Other(path) => {
                    has_moved = place::has_moved_to(&copy, workspace);
                    if !has_moved {
                        return Err(of_another(source, &path));
                    }
                }
                Owner::Unnamed(_) if place::locate(&copy, workspace, false) != copy => {
                    return Err(of_another(source, Path::new("another folder")));
                }
                _ => {}
            }
        }
        let mut conn = open::connect_writer(&copy).map_err(told)?;
        match Reader::over(&conn).find_damage() {
            Ok(None) => {}
            Ok(Some(finding)) => return Err(damaged(source, &finding)),
            Err(error) => return Err(told(error)),
        }
        if has_moved {
            place::disown(&conn)?;
        }
        place::claim(&mut conn, &copy, workspace)
    }

    /// Makes the copy the index of this moment: what was paid for since it was written stays, and nobody but the holder
    /// of the lease may write to it.
    fn prepare(&self, index: &Path, held: &Held, now_ms: i64) -> Result<Connection> {
        let copy = open::connect_writer(&self.path())?;
        copy.execute("ATTACH ?1 AS present", [index.to_string_lossy()]).sql()?;
        // A batch of statements cannot be given parameters.
        copy.execute_batch(
            "BEGIN IMMEDIATE;
             INSERT OR REPLACE INTO usage SELECT * FROM present.usage;
             DELETE FROM batch_job;
             INSERT INTO batch_job SELECT * FROM present.batch_job;
             INSERT OR IGNORE INTO space (key, dims) SELECT key, dims FROM present.space WHERE dims IS NOT NULL;
             INSERT OR IGNORE INTO embedding (space_id, hash, used_ms, code, vector)
                 SELECT s.id, e.hash, e.used_ms, e.code, e.vector FROM present.space p
                 CROSS JOIN space s ON s.key = p.key AND s.dims = p.dims
                 CROSS JOIN present.embedding e ON e.space_id = p.id;",
        )
        .sql()?;
        let Held { owner, token, .. } = held;
        copy.execute(
            "INSERT OR REPLACE INTO lease (id, owner, pid, host, boot_id, token, expires_ms) \
             VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)",
            params![owner.uuid, owner.pid, owner.host, owner.boot_id, token, now_ms + VALID_MS],
        )
        .sql()?;
        copy.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)",
            (RESTORED, uuid::Uuid::new_v4().to_string()),
        )
        .sql()?;
        copy.execute_batch("COMMIT; DETACH present;").sql()?;
        Ok(copy)
    }
}

impl Sqlite {
    /// Writes a checked copy over the index. Needs the writer lease, and no pass of this store beside it.
    ///
    /// # Errors
    /// [`Code::Busy`] when the lease is not held, or another process writes for too long, and what the disk gives: the
    /// index is then as it was.
    pub(crate) fn restore(&self, staged: Staged) -> Result<()> {
        self.pool.forget_idle();
        self.wait(self.submit(move |writer| {
            let shared = std::sync::Arc::clone(writer.shared());
            let held = writer.lease.as_ref().ok_or_else(not_held)?;
            let copy = staged.prepare(&shared.path, held, shared.clock.now_ms())?;
            let token = held.token;
            // What its connection remembers of tables and statements is of the former index.
            writer.disconnect();
            overwrite(&copy, &shared, token)?;
            drop(copy);
            shared.corrupt.store(false, Ordering::Release);
            shared.suspect.store(false, Ordering::Release);
            Ok(())
        })?)
    }

    /// Copies the index to a file beside it, before another takes its place; gives its name.
    ///
    /// # Errors
    /// As [`Self::backup`].
    pub(crate) fn keep_present(&self) -> Result<PathBuf> {
        let at = jiff::Timestamp::from_millisecond(self.shared.clock.now_ms()).unwrap_or_default();
        let name = with_suffix(self.path(), &format!("{REPLACED}{}", at.strftime("%Y%m%dT%H%M%SZ")));
        let names = (1..100).map(|n| if n == 1 { name.clone() } else { with_suffix(&name, &format!("-{n}")) });
        let name = names.into_iter().find(|name| fs::symlink_metadata(name).is_err()).unwrap_or(name);
        self.backup(&name, None)?;
        Ok(name)
    }

    /// What restored copies took the place of, oldest first.
    #[must_use]
    pub(crate) fn replaced(&self) -> Vec<PathBuf> {
        let mut found = earlier_copies(&with_suffix(self.path(), REPLACED));
        found.sort_by_cached_key(|path| fs::metadata(path).and_then(|meta| meta.modified()).ok());
        found
    }

    /// Copies beside the index that processes were making which were killed meanwhile, files and folders: they hold everything.
    #[must_use]
    pub(crate) fn abandoned(&self) -> Vec<PathBuf> {
        let mut left = taken_aside(self.path(), ABANDONED);
        left.extend(half_written(folder_of(self.path()), backup::ABANDONED));
        left
    }

    /// Removes them.
    pub(crate) fn remove_abandoned(&self) {
        remove_all(self.abandoned());
    }

    /// Removes all other files that hold what the index held: damaged ones that were set aside, what restored copies took the
    /// place of, and copies that are taken aside or half written, whoever may be at work there.
    pub(crate) fn remove_copies(&self) {
        remove_all(self.set_aside().into_iter().chain(self.replaced()));
        remove_all(taken_aside(self.path(), Duration::ZERO));
        remove_all(half_written(folder_of(self.path()), Duration::ZERO));
    }

    /// Removes all but the newest of what restored copies took the place of.
    pub(crate) fn thin_replaced(&self) {
        let replaced = self.replaced();
        for old in &replaced[..replaced.len().saturating_sub(KEPT)] {
            // One that cannot be removed costs disk space only.
            let _ = fs::remove_file(old);
        }
    }
}

/// Folders with copies beside an index, taken aside to be checked or to save vectors from, to which nobody has written for so
/// long.
pub(super) fn taken_aside(index: &Path, after: Duration) -> Vec<PathBuf> {
    [UNFINISHED, SALVAGE].into_iter().flat_map(|prefix| abandoned(folder_of(index), prefix, after)).collect()
}

/// Removes files and folders. One may be gone already; what cannot be removed is named by `doctor`.
fn remove_all(left: impl IntoIterator<Item = PathBuf>) {
    for path in left {
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

/// Writes all pages of a copy over the index, in one transaction.
fn overwrite(copy: &Connection, shared: &Shared, token: i64) -> Result<()> {
    let mut target = open::connect_writer(&shared.path)?;
    let _ = target.busy_timeout(PAUSE);
    {
        let backup = Backup::new(copy, &mut target).sql()?;
        let started = Instant::now();
        let mut pages = 1;
        loop {
            if shared.abandon.load(Ordering::Acquire) {
                return Err(closed());
            }
            match backup.step(pages).sql()? {
                StepResult::Done => break,
                StepResult::More if pages == 1 => {
                    // From here on nobody else writes. Whoever has taken the lease over until now may be indexing.
                    let conn = open::connect_reader(&shared.path)?;
                    if Reader::over(&conn).lease()?.is_none_or(|row| row.token != token) {
                        return Err(not_held());
                    }
                    pages = PAGES;
                }
                StepResult::More => {}
                _ if started.elapsed() > PATIENCE => {
                    return Err(Error::new(Code::Busy, "another process is writing to the index"));
                }
                _ => std::thread::sleep(PAUSE),
            }
        }
    }
    // Readers may hold it up; then the writer does it when it is idle.
    let _ = target.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    Ok(())
}

/// Opens the file that is to be restored, as far as its kind and its first bytes allow.
fn open_source(source: &Path, index: &Path) -> Result<File> {
    let shown = source.display();
    let meta = fs::symlink_metadata(source).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::new(Code::NotFound, format!("{shown} does not exist")).remedy(ANOTHER),
        _ => Error::io(source, &error),
    })?;
    if meta.is_symlink() {
        return Err(Error::new(Code::Path, format!("{shown} is a symbolic link")).remedy("Name the file it leads to"));
    }
    if !meta.is_file() {
        return Err(Error::new(Code::Path, format!("{shown} is not a regular file")).remedy(ANOTHER));
    }
    let identity = FileIdentity::of(source);
    if identity.is_some() && identity == FileIdentity::of(index) {
        return Err(Error::new(Code::Argument, format!("{shown} is the index itself")).remedy(ANOTHER));
    }
    if fs::metadata(with_suffix(source, "-wal")).is_ok_and(|log| log.len() > 0) {
        let message = format!("{shown} has a log beside it: it is in use, or its last user was killed");
        return Err(Error::new(Code::Argument, message).remedy("Make a copy of it with `openclaw memory backup` first"));
    }
    let header = Header::read(source).filter(Header::is_ours);
    let header = header.ok_or_else(|| no_index(source, "it is no copy of a memory index"))?;
    schema::check_version(header.version()).map_err(|error| error.remedy(OLDER))?;
    if !header.is_whole() || header.size() != meta.len() {
        return Err(damaged(source, "its header does not fit its content"));
    }
    own_file::open(source)
        .map_err(|error| Error::io(source, &error))?
        .ok_or_else(|| Error::new(Code::NotFound, format!("{shown} does not exist")).remedy(ANOTHER))
}

fn damaged(source: &Path, finding: &str) -> Error {
    Error::new(Code::Corrupt, format!("{} is damaged ({finding})", source.display())).remedy(ANOTHER)
}

fn no_index(source: &Path, why: &str) -> Error {
    Error::new(Code::ForeignDatabase, format!("{} cannot be restored: {why}", source.display())).remedy(ANOTHER)
}

fn of_another(source: &Path, workspace: &Path) -> Error {
    let message = format!("{} is a copy of the index of another workspace ({})", source.display(), workspace.display());
    Error::new(Code::Argument, message)
        .remedy("Restore it for the agent with that workspace; an index never answers for another one")
}

#[cfg(test)]
#[path = "restore_tests.rs"]
mod tests;
