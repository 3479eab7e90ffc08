//! Starting over, copying, and stopping paid work: what a user does with an index as a whole.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Serialize;

use super::{
    super::{context::Service, writer::NOT_GIVEN_BACK},
    Admin,
};
use crate::workspace::forgotten::list_path;
use model::{
    error::{Error, Result},
    own_file,
};
use store::{Kept, Store, backup};

/// Rows removed in one transaction.
const STEP: usize = 500;

/// What a reset removed, or an index held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cleared {
    /// Files that were indexed.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Vectors, which have to be made again.
    pub vectors: u64,
    /// Bytes given back to the file system.
    pub bytes: u64,
}

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
    /// Clears what can be made again: chunks, full text, vectors (unless they are kept), notes of skipped files. Your
    /// files, the list of what is forgotten and the record of costs stay.
    ///
    /// # Errors
    /// When the store cannot be written, or when another process indexes for too long.
    pub async fn reset(self: &Arc<Self>, keep_vectors: bool) -> Result<Cleared> {
        let held = self.writer.take_soon().await?;
        let wiped = self
            .blocking(move |admin, _| {
                let (store, shutdown) = (admin.context.store(), admin.context.shutdown());
                let before = totals(store)?;
                store.write_indexed(|tx| tx.begin_reset())?;
                while store.write_indexed(|tx| tx.retire_step(STEP))? {
                    shutdown.check()?;
                }
                while !keep_vectors && store.write_indexed(|tx| tx.wipe_step(STEP))? {
                    shutdown.check()?;
                }
                Ok(before)
            })
            .await;
        // A lease that is not given back runs out by itself.
        self.context.told(held.give_back().await, NOT_GIVEN_BACK);
        let before = wiped?;
        self.blocking(move |admin, _| {
            let (store, shutdown) = (admin.context.store(), admin.context.shutdown());
            if let Some(file) = store.admin() {
                file.scrub(shutdown)?;
            }
            let after = totals(store)?;
            admin.indexer.begin_anew();
            admin.telemetry.refresh(shutdown);
            Ok(Cleared {
                files: before.files,
                chunks: before.chunks,
                vectors: before.vectors - after.vectors,
                bytes: before.bytes.saturating_sub(after.bytes),
            })
        })
        .await
    }

    /// Writes a consistent copy of the index to a new file, and the list of what is forgotten beside it. Searches and
    /// syncs go on meanwhile, in this process and in others.
    ///
    /// # Errors
    /// [`Code::Argument`] when the target exists, and what the disk gives.
    pub async fn backup(self: &Arc<Self>, target: PathBuf) -> Result<Copied> {
        self.blocking(move |admin, _| {
            let store = admin.context.store();
            let list = store.kept(Kept::Forgotten);
            let list = list.exists().then(|| (list, list_path(&target)));
            if let Some((_, copy)) = list.as_ref().filter(|(_, copy)| copy.exists()) {
                return Err(backup::exists(copy));
            }
            store.file()?.backup(&target)?;
            let forgotten = list.map(|(list, to)| copy(&list, &to)).transpose().inspect_err(|_| {
                // Without the list what was forgotten would come back with the copy.
                let _ = fs::remove_file(&target);
            })?;
            let bytes = fs::metadata(&target).map_err(|e| Error::io(&target, &e))?.len();
            let totals = totals(store)?;
            Ok(Copied { path: target, bytes, files: totals.files, vectors: totals.vectors, forgotten })
        })
        .await
    }

    /// Stops the provider's batch jobs that have not finished; gives their number. What they have finished is paid for
    /// and fetched by the next sync.
    ///
    /// # Errors
    /// When the provider refuses.
    pub async fn cancel_batches(self: &Arc<Self>) -> Result<usize> {
        match self.context.provider().embedder()? {
            Some(embedder) => embedder.cancel_pending().await,
            None => Ok(0),
        }
    }
}

/// What an index holds.
pub(super) fn totals(store: &Store) -> Result<Cleared> {
    let sizes = store.sizes()?;
    let counts = store.read(|r| r.live()?.map_or(Ok(Vec::new()), |live| r.source_counts(live.id)))?;
    let (files, chunks) = counts.iter().fold((0, 0), |(f, c), source| (f + source.files, c + source.chunks));
    Ok(Cleared { files, chunks, vectors: sizes.embeddings, bytes: sizes.database + sizes.log })
}

/// Copies a small file to a name that nothing has yet.
fn copy(from: &Path, to: &Path) -> Result<PathBuf> {
    let content = own_file::read(from)?.unwrap_or_default();
    own_file::write_new(to, &content, true)
        .map_err(|error| Error::io(to, &error).context("the copy cannot be written"))?;
    Ok(to.to_path_buf())
}
