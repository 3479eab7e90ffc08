//! Looking after the file that an index is. A store that is no file of ours has nobody to ask for that here.

use std::path::{Path, PathBuf};

use super::{Backend, Store, recover::Recovery, restore::Staged, sqlite::Sqlite};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};

/// What can be done to the file of an index.
#[derive(Clone, Copy)]
pub struct Admin<'s>(&'s Sqlite);

/// The refusal of what only a file can be asked for.
pub(crate) fn not_a_file() -> Error {
    Error::new(Code::Argument, "this index is not a file")
        .remedy("Use the tools of the database that the memory is kept in")
}

impl Store {
    /// Those who look after the file of the index; none where it is no file, and whoever runs the database does it.
    #[must_use]
    pub const fn admin(&self) -> Option<Admin<'_>> {
        match &self.backend {
            Backend::Sqlite(file) => Some(Admin(file)),
            #[cfg(feature = "postgres")]
            Backend::Postgres(_) => None,
        }
    }

    /// [`Self::admin`], for what cannot go on without.
    ///
    /// # Errors
    /// [`Code::Argument`] where there is none.
    pub fn file(&self) -> Result<Admin<'_>> {
        self.admin().ok_or_else(not_a_file)
    }
}

impl Admin<'_> {
    /// Reads the whole file and looks for damage.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when there is some, and when cancelled.
    pub fn verify(self, cancel: &Cancel) -> Result<()> {
        self.0.verify(cancel)
    }

    /// Sets a damaged file aside and begins a new one with the vectors that can be read.
    ///
    /// # Errors
    /// What the disk gives, and [`Code::Busy`] when another process is at work.
    pub fn recover(self) -> Result<Recovery> {
        self.0.recover()
    }

    /// Overwrites what was deleted, so that no copy of the disk shows it.
    ///
    /// # Errors
    /// What the disk gives, and when cancelled.
    pub fn scrub(self, cancel: &Cancel) -> Result<()> {
        self.0.scrub(cancel)
    }

    /// Writes a consistent copy to a new file, which says whose it is where an `agent` is named.
    ///
    /// # Errors
    /// [`Code::Argument`] when the target exists, and what the disk gives.
    pub fn backup(self, target: &Path, agent: Option<&str>) -> Result<()> {
        self.0.backup(target, agent)
    }

    /// Puts a copy in the place of the index.
    ///
    /// # Errors
    /// What the disk gives: the index is then as it was.
    pub fn restore(self, staged: Staged) -> Result<()> {
        self.0.restore(staged)
    }

    /// Keeps a copy of what is there now; gives its path.
    ///
    /// # Errors
    /// What the disk gives.
    pub fn keep_present(self) -> Result<PathBuf> {
        self.0.keep_present()
    }

    /// Indexes that a copy has replaced, the newest first.
    #[must_use]
    pub fn replaced(self) -> Vec<PathBuf> {
        self.0.replaced()
    }

    /// Removes all but the newest of them.
    pub fn thin_replaced(self) {
        self.0.thin_replaced();
    }

    /// Damaged files that were set aside.
    #[must_use]
    pub fn set_aside(self) -> Vec<PathBuf> {
        self.0.set_aside()
    }

    /// Removes all other files that hold what the index held: damaged ones that were set aside, what copies have replaced,
    /// and copies that are taken aside or half written.
    pub fn remove_copies(self) {
        self.0.remove_copies();
    }

    /// Copies beside the index that processes were making which were killed meanwhile, files and folders.
    #[must_use]
    pub fn abandoned(self) -> Vec<PathBuf> {
        self.0.abandoned()
    }

    /// Removes them.
    pub fn remove_abandoned(self) {
        self.0.remove_abandoned();
    }
}
