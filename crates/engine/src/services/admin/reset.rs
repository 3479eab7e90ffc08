//! Starting over.

use std::sync::Arc;

use serde::Serialize;

use super::{
    super::{context::Service, mapper, writer::NOT_GIVEN_BACK},
    Admin,
};
use model::error::Result;
use store::Store;

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
    /// Bytes given back to the file system; none in a database, which uses the room again by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl Admin {
    /// Clears what can be made again: chunks, full text, vectors (unless they are kept), notes of skipped files. Your
    /// files, the list of what is forgotten and the record of costs stay.
    ///
    /// # Errors
    /// When the store cannot be written, or when another process indexes for too long.
    pub async fn reset(self: &Arc<Self>, keep_vectors: bool) -> Result<Cleared> {
        let lease = self.writer.take_soon().await?;
        let wiped = self
            .blocking(move |admin, _| {
                let (store, shutdown) = (admin.context.store(), admin.context.shutdown());
                let before = totals(store)?;
                store.write_indexed(|tx| {
                    tx.delete_meta(mapper::KEY)?;
                    tx.begin_reset()
                })?;
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
        self.context.told(lease.give_back().await, NOT_GIVEN_BACK);
        let before = wiped?;
        self.blocking(move |admin, _| {
            let (store, shutdown) = (admin.context.store(), admin.context.shutdown());
            if let Some(file) = store.admin() {
                file.scrub(shutdown)?;
                // They hold what was cleared, and nothing else.
                file.remove_abandoned();
            }
            let after = totals(store)?;
            admin.indexer.begin_anew();
            admin.telemetry.refresh(shutdown);
            Ok(Cleared {
                files: before.files,
                chunks: before.chunks,
                vectors: before.vectors - after.vectors,
                bytes: before.bytes.zip(after.bytes).map(|(before, after)| before.saturating_sub(after)),
            })
        })
        .await
    }
}

/// What an index holds.
pub(super) fn totals(store: &Store) -> Result<Cleared> {
    let sizes = store.sizes()?;
    let counts = store.read(|r| r.live()?.map_or(Ok(Vec::new()), |live| r.source_counts(live.id)))?;
    let (files, chunks) = counts.iter().fold((0, 0), |(f, c), source| (f + source.files, c + source.chunks));
    let bytes = store.admin().map(|_| sizes.database + sizes.log);
    Ok(Cleared { files, chunks, vectors: sizes.embeddings, bytes })
}
