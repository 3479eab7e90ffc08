//! A consistent copy while everything runs.

use std::{fs, path::Path};

use super::{Store, open, recover::with_suffix};
use crate::error::{Code, Error, Result};

impl Store {
    /// Writes a compact, consistent copy of the index to a new file. Neither searches nor writes wait for it.
    ///
    /// # Errors
    /// [`Code::Argument`] when the target exists; [`Code::DiskFull`] and others when it cannot be written, in which
    /// case nothing is left behind.
    pub fn backup(&self, target: &Path) -> Result<()> {
        if fs::symlink_metadata(target).is_ok() {
            return Err(Error::new(Code::Argument, format!("{} exists already", target.display()))
                .remedy("Choose another name for the copy"));
        }
        let part = with_suffix(target, ".part");
        let copied =
            self.copy_to(&part).and_then(|()| fs::rename(&part, target).map_err(|error| Error::io(target, &error)));
        if copied.is_err() {
            // What was written so far is not a backup; if it cannot be removed either, the error below says enough.
            let _ = fs::remove_file(&part);
        }
        copied.map_err(|error| error.context("the copy cannot be written"))
    }

    /// `VACUUM INTO`, on a connection of its own: it may take seconds.
    fn copy_to(&self, target: &Path) -> Result<()> {
        let conn = open::connect_reader(self.path())?;
        conn.pragma_update(None, "query_only", false)?;
        // Private like the index, from its first byte on; SQLite fills an empty file as it finds it.
        private_file(target)?;
        let name = target.to_str().ok_or_else(|| Error::new(Code::Argument, "the name of the copy is not text"))?;
        conn.execute("VACUUM INTO ?1", [name])?;
        Ok(())
    }
}

/// Creates an empty file that nobody else can read.
fn private_file(path: &Path) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| Error::io(path, &error))
}
