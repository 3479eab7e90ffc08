//! Filling what texts of the live generation lack, page by page in an order that the store has.

use std::sync::Arc;

use crate::blocking::background;
use model::{cancel::Cancel, error::Result};
use store::{Reader, Store, embeddings::MissingText, files::Hash, generations::GenerationId};

/// A sweep over what is missing.
pub(super) struct Sweep<F> {
    store: Arc<Store>,
    cancel: Cancel,
    /// The next page after a hash.
    missing: F,
    after: Option<Hash>,
    found: bool,
}

impl<F> Sweep<F>
where
    F: Fn(&Reader<'_>, GenerationId, Option<&Hash>) -> Result<Vec<MissingText>> + Clone + Send + 'static,
{
    /// A sweep from the beginning.
    pub(super) fn new(store: &Arc<Store>, cancel: &Cancel, missing: F) -> Self {
        Self { store: Arc::clone(store), cancel: cancel.clone(), missing, after: None, found: false }
    }

    /// The next texts; none when nothing is missing, or when there is no live generation. Who takes a page has to fill it
    /// before the next one.
    ///
    /// # Errors
    /// When the store cannot be read, or when cancelled.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<MissingText>>> {
        loop {
            self.cancel.check()?;
            let (store, missing, after) = (Arc::clone(&self.store), self.missing.clone(), self.after);
            let page = background(move || {
                store.read(|r| match r.live()? {
                    Some(live) => missing(r, live.id, after.as_ref()),
                    None => Ok(Vec::new()),
                })
            })
            .await?;
            if let Some(last) = page.last() {
                (self.after, self.found) = (Some(last.hash), true);
                return Ok(Some(page));
            }
            if !std::mem::take(&mut self.found) {
                return Ok(None);
            }
            // Texts written meanwhile may have hashes that the sweep had passed already.
            self.after = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::{
        OpenOptions,
        files::{NewChunk, NewFile},
        generations::GenerationState,
    };

    /// Writes a note of one chunk; the hash of its text is the number, again and again.
    fn put(store: &Store, number: u8) {
        let chunk = NewChunk {
            start_line: 1,
            end_line: 1,
            hash: [number; 32],
            text: format!("text {number}"),
            line_terms: Vec::new(),
            fts_terms: String::new(),
        };
        store
            .write(move |tx| {
                let generation = tx.begin_building("test")?;
                let path = format!("memory/{number}.md");
                let hash = [number; 32];
                let file = NewFile { source: "memory", path: &path, hash, mtime_ns: 1, size: 1, lines: 1, terms: 1 };
                tx.replace_file(generation.id, &file, &[chunk])?;
                if generation.state == GenerationState::Building { tx.flip(generation.id) } else { Ok(()) }
            })
            .unwrap();
    }

    #[test]
    fn what_is_written_behind_the_place_of_a_sweep_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        put(&store, 5);
        put(&store, 7);
        let space = store.write(|tx| tx.get_or_create_space("k")).unwrap().id;
        let cancel = Cancel::new();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let mut sweep = Sweep::new(&store, &cancel, move |r, g, after| r.missing_embeddings(g, space, after, 1));
        let mut texts = Vec::new();
        while let Some(page) = runtime.block_on(sweep.next()).unwrap() {
            if texts.is_empty() {
                put(&store, 1);
            }
            for text in page {
                texts.push(text.text);
                let vector = store::embeddings::NewEmbedding { hash: text.hash, vector: vec![1.0, 0.0] };
                store.write(move |tx| tx.insert_embeddings(space, &[vector])).unwrap();
            }
        }
        assert_eq!(texts, ["text 5", "text 7", "text 1"]);
        cancel.cancel();
        assert!(runtime.block_on(sweep.next()).is_err());
    }
}
