//! A copy of the index.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::{super::context::Service, Admin, reset::totals};
use crate::workspace::exclusions::list_path;
use model::{
    error::{Error, Result},
    own_file,
};
use store::{Kept, OpenOptions, Store, backup};

/// A copy of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Copied {
    /// The copy.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Indexed files in it.
    pub files: u64,
    /// Vectors in it.
    pub vectors: u64,
    /// The copy of the list of what is forgotten, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forgotten: Option<PathBuf>,
}

impl Admin {
    /// Writes a consistent copy of the index to a new file, and the list of what is forgotten beside it. Searches and
    /// syncs go on meanwhile, in this process and in others.
    ///
    /// # Errors
    /// [`Code::Argument`] when the target exists, and what the disk gives.
    pub async fn backup(self: &Arc<Self>, target: PathBuf) -> Result<Copied> {
        self.blocking(move |admin, settings| {
            let store = admin.context.store();
            let list = store.kept(Kept::Forgotten);
            let list = list.exists().then(|| (list, list_path(&target)));
            if let Some((_, copy)) = list.as_ref().filter(|(_, copy)| copy.exists()) {
                return Err(backup::exists(copy));
            }
            store.file()?.backup(&target, Some(&settings.agent_id))?;
            let forgotten = list.map(|(list, to)| copy(&list, &to)).transpose().inspect_err(|_| {
                // Without the list what was forgotten would come back with the copy.
                let _ = fs::remove_file(&target);
            })?;
            // Not in the index, which may have grown since.
            let copied = Store::open(&target, OpenOptions::default())?;
            let totals = totals(&copied);
            copied.close();
            let totals = totals?;
            let bytes = fs::metadata(&target).map_err(|e| Error::io(&target, &e))?.len();
            Ok(Copied { path: target, bytes, files: totals.files, vectors: totals.vectors, forgotten })
        })
        .await
    }
}

/// Copies a small file to a name that nothing has yet.
fn copy(from: &Path, to: &Path) -> Result<PathBuf> {
    let content = own_file::read(from)?.unwrap_or_default();
    own_file::write_new(to, &content, true)
        .map_err(|error| Error::io(to, &error).context("the copy cannot be written"))?;
    Ok(to.to_path_buf())
}
