//! The line pass: a model in this process embeds each line of a chunk, so that a search can tell which line of a
//! similar chunk is meant. It costs nothing but time, comes last, and can be stopped and resumed at any chunk.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{Progress, Step, rows::hashed_text, sweep::Sweep};
use crate::blocking::background;
use embed::{Embedded, Embedder, Purpose, pieces::PieceLine};
use model::{cancel::Cancel, config::settings::RedactSecrets, error::Result};
use store::{Store, embeddings::MissingText, line_vectors::LineData, vectors};

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
        let space_id = space.id;
        let mut sweep = Sweep::new(&self.store, &self.cancel, move |r, generation, after| {
            r.missing_line_vectors(generation, space_id, after, PAGE)
        });
        let total = move |store: &Store| {
            store.read(|r| r.live()?.map_or(Ok(0), |live| r.missing_line_count(live.id, space_id)))
        };
        let total = self.blocking(total).await?;
        let mut done = 0;
        while let Some(page) = sweep.next().await? {
            done += page.len();
            let lines = self.lines(&page).await?;
            self.blocking(move |store| store.write_indexed(move |tx| tx.insert_lines(space_id, &lines))).await?;
            (self.progress)(&Step { completed: done, total: total.max(done), label: "Embedding lines".to_owned() });
        }
        Ok(done)
    }

    /// Codes and pieces of all lines of each text; a line without words, or one the model refuses, has a code of zeros and
    /// no pieces.
    async fn lines(&self, page: &[MissingText]) -> Result<Vec<LineData>> {
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
        let made = self.embed(&lines).await?;
        let zeros = vec![0; made.iter().flatten().map(|line| line.code.len()).next().unwrap_or_default()];
        let of = |line: &str| numbers.get(line).and_then(|n| made.get(*n)?.as_ref());
        let data_of = |text: &str| {
            let (mut codes, mut signs) = (Vec::new(), Vec::new());
            for line in text.split('\n').map(content).map(of) {
                codes.extend_from_slice(line.map_or(&zeros, |line| &line.code));
                signs.push(line.map_or(0, |line| line.pieces));
                signs.extend_from_slice(line.map_or(&[], |line| &line.signs));
            }
            (codes, signs)
        };
        Ok(page
            .iter()
            .zip(&texts)
            .map(|(missing, text)| {
                let (codes, signs) = data_of(text);
                LineData { hash: missing.hash, codes, signs }
            })
            .collect())
    }

    /// What the model makes of lines; none of one that it refuses.
    async fn embed(&self, lines: &[String]) -> Result<Vec<Option<Made>>> {
        if let Some(model) = self.embedder.by_piece() {
            let made = model.lines(lines).await?.into_iter().map(|PieceLine { vector, signs }| {
                let code = vectors::code(&vector);
                let pieces = u8::try_from(8 * signs.len() / code.len().max(1)).unwrap_or_default();
                Some(Made { code, pieces, signs: if pieces == 0 { Vec::new() } else { signs } })
            });
            return Ok(made.collect());
        }
        let vectors = self.embedder.embed(lines, Purpose::Document, Duration::MAX).await?;
        let made = vectors.into_iter().map(|outcome| match outcome {
            Embedded::Vector(vector) => Some(Made { code: vectors::code(&vector), pieces: 0, signs: Vec::new() }),
            Embedded::Refused(_) => None,
        });
        Ok(made.collect())
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce(&Store) -> Result<T> + Send + 'static) -> Result<T> {
        let store = Arc::clone(&self.store);
        background(move || work(&store)).await
    }
}

/// What the model makes of a line.
struct Made {
    code: Vec<u8>,
    /// Pieces that carry meaning.
    pieces: u8,
    /// The signs of each.
    signs: Vec<u8>,
}

/// A line without list markers, quote marks and heading signs: what it says.
fn content(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*', '+', '>', '#', ' ', '\t'])
}
