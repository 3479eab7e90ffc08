//! The line pass: a model in this process embeds each line of a chunk, so that a search can tell which line of a
//! similar chunk is meant. It costs nothing but time, comes last, and can be stopped and resumed at any chunk.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{Progress, Step, prepare::hashed_text};
use crate::upkeep::upkeep;
use embed::{Embedded, Embedder, Purpose};
use model::{cancel::Cancel, config::settings::RedactSecrets, error::Result};
use store::{Store, embeddings::MissingText, files::Hash, vectors::code};

/// Chunks embedded and written at a time.
const PAGE: usize = 48;

/// What a line pass needs.
pub(crate) struct LinePass {
    /// The store; its writer lease is held by this process.
    pub store: Arc<Store>,
    /// A model in this process.
    pub embedder: Arc<dyn Embedder>,
    /// Where texts lose their secrets.
    pub redact_secrets: RedactSecrets,
    /// Stops the pass between pages.
    pub cancel: Cancel,
    /// Listens.
    pub progress: Progress,
}

impl LinePass {
    /// Runs until every chunk of the live generation has line vectors; gives the number of chunks that got them.
    ///
    /// # Errors
    /// When the model or the store fails; what was written stays and counts at the next run.
    pub(crate) async fn run(&self) -> Result<usize> {
        let key = self.embedder.space().key();
        let space = self.blocking(move |store| store.write_indexed(move |tx| tx.get_or_create_space(&key))).await?;
        let mut after: Option<Hash> = None;
        let mut done = 0;
        while let Some(live) = self.blocking(|store| store.read(|r| r.live())).await? {
            self.cancel.check()?;
            let (generation, space_id) = (live.id, space.id);
            let page = self
                .blocking(move |store| {
                    store.read(|r| r.missing_line_vectors(generation, space_id, after.as_ref(), PAGE))
                })
                .await?;
            let Some(last) = page.last() else { break };
            after = Some(last.hash);
            done += page.len();
            let codes = self.codes(&page).await?;
            self.blocking(move |store| store.write_indexed(move |tx| tx.insert_line_vectors(space_id, &codes))).await?;
            (self.progress)(&Step { completed: done, total: 0, label: "Embedding lines".to_owned() });
        }
        Ok(done)
    }

    /// Codes of all lines of each text; a line without words, or one the model refuses, has a code of zeros.
    async fn codes(&self, page: &[MissingText]) -> Result<Vec<(Hash, Vec<u8>)>> {
        // Line breaks stay where they are.
        let texts: Vec<_> = page.iter().map(|missing| hashed_text(&missing.text, self.redact_secrets)).collect();
        let mut lines: Vec<String> = Vec::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for line in texts.iter().flat_map(|text| text.split('\n')).map(content) {
            if !line.is_empty() && !numbers.contains_key(line) {
                numbers.insert(line, lines.len());
                lines.push(line.to_owned());
            }
        }
        let vectors = self.embedder.embed(&lines, Purpose::Document, Duration::MAX).await?;
        let mut dims = 0;
        let codes: Vec<Option<Vec<u8>>> = vectors
            .iter()
            .map(|outcome| match outcome {
                Embedded::Vector(vector) => {
                    dims = vector.len();
                    Some(code(vector))
                }
                Embedded::Refused(_) => None,
            })
            .collect();
        let zeros = vec![0; dims];
        let of = |line: &str| numbers.get(line).and_then(|n| codes.get(*n)?.as_deref()).unwrap_or(&zeros);
        let codes_of = |text: &str| text.split('\n').flat_map(|line| of(content(line))).copied().collect();
        Ok(page.iter().zip(&texts).map(|(missing, text)| (missing.hash, codes_of(text))).collect())
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce(&Store) -> Result<T> + Send + 'static) -> Result<T> {
        let store = Arc::clone(&self.store);
        upkeep(move || work(&store)).await
    }
}

/// A line without list markers, quote marks and heading signs: what it says.
fn content(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*', '+', '>', '#', ' ', '\t'])
}
