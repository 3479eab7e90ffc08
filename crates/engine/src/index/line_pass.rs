//! The line pass: a model in this process embeds each line of a chunk, so that a search can tell which line of a
//! similar chunk is meant. It costs nothing but time, comes last, and can be stopped and resumed at any chunk.

use std::{
    collections::{HashMap, HashSet},
    num::NonZeroUsize,
    pin::pin,
    sync::Arc,
    time::Duration,
};

use lru::LruCache;
use parking_lot::Mutex;

use super::{rows::stored_text, sweep::Sweep};
use crate::blocking::background;
use embed::{Embedded, Embedder, Purpose, pieces::PieceLine};
use model::{cancel::Cancel, config::settings::RedactSecrets, error::Result};
use store::{
    Reader, Store, Tx, embeddings::MissingText, files::Hash, generations::GenerationId, line_vectors::LineData, vectors,
};

/// Chunks up to which single lines are embedded as well, when the chunks are embedded by the model in this process:
/// beyond it a Raspberry Pi would compute for days.
const BESIDE_LOCAL: u64 = 20_000;
/// The same beside a hosted provider, where nobody expects this machine to compute: a minute or two of one core, in the
/// background.
pub(crate) const BESIDE_HOSTED: u64 = 1_000;

/// Chunks up to which single lines have a meaning of their own beside what an embedder makes of the chunks.
pub(crate) fn most_chunks(embedder: &dyn Embedder) -> u64 {
    if embedder.is_local() { BESIDE_LOCAL } else { BESIDE_HOSTED }
}

/// Chunks whose lines are embedded and written at a time: what a kill or an end costs.
const PAGE: usize = 16;

/// How often it is asked while a page is embedded whether the engine was closed.
const TICK: Duration = Duration::from_millis(50);

/// Lines of which it is kept what the model made of them, a quarter of a megabyte: those of a chunk or two, as long as they
/// may be.
const RECENT: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// What a model made of the latest lines. A note that grows costs its new lines, and so does a chunk that begins with what the one
/// before it ended with.
#[derive(Default)]
pub(crate) struct RecentLines(Mutex<Option<OfSpace>>);

/// The latest lines in one space.
struct OfSpace {
    key: String,
    lines: LruCache<String, Arc<Made>>,
}

impl RecentLines {
    /// What is known of lines in the space of `key`; those of another model are forgotten.
    fn known<'l>(&self, key: &str, lines: &[&'l str]) -> HashMap<&'l str, Arc<Made>> {
        let mut recent = self.0.lock();
        match &mut *recent {
            Some(recent) if recent.key == key => {
                lines.iter().filter_map(|line| Some((*line, Arc::clone(recent.lines.get(*line)?)))).collect()
            }
            other => {
                *other = Some(OfSpace { key: key.to_owned(), lines: LruCache::new(RECENT) });
                HashMap::new()
            }
        }
    }

    fn keep(&self, key: &str, line: String, made: &Arc<Made>) {
        if let Some(recent) = self.0.lock().as_mut().filter(|recent| recent.key == key) {
            recent.lines.put(line, Arc::clone(made));
        }
    }
}

/// The page of what is missing in a generation that comes after a hash.
pub(crate) trait Missing:
    Fn(&Reader<'_>, GenerationId, Option<&Hash>) -> Result<Vec<MissingText>> + Clone + Send + 'static
{
}

impl<F> Missing for F where
    F: Fn(&Reader<'_>, GenerationId, Option<&Hash>) -> Result<Vec<MissingText>> + Clone + Send + 'static
{
}

/// A walk over the texts of the live generation whose lines have no vectors. Embedding needs no lease; who walks takes it
/// for each page that is written, so that nobody else who wants to write waits for the model.
pub(crate) struct LinePass<F> {
    sweep: Sweep<F>,
    embedder: Arc<dyn Embedder>,
    recent: Arc<RecentLines>,
    /// Where texts lose their secrets.
    redact_secrets: RedactSecrets,
    /// Ends it at any time.
    cancel: Cancel,
}

/// A walk of the lines of `store` for `embedder`, a model in this process; [`open`] comes before it.
pub(crate) fn pass(
    store: &Arc<Store>,
    embedder: Arc<dyn Embedder>,
    recent: &Arc<RecentLines>,
    redact_secrets: RedactSecrets,
    cancel: &Cancel,
) -> LinePass<impl Missing> {
    let key = embedder.space().key();
    // By name each time: another index may have been put in the place of this one meanwhile.
    let missing = move |r: &Reader<'_>, generation, after: Option<&Hash>| match r.space(&key)? {
        Some(space) => r.missing_line_vectors(generation, space.id, after, PAGE),
        None => Ok(Vec::new()),
    };
    let (sweep, recent) = (Sweep::new(store, cancel, missing), Arc::clone(recent));
    LinePass { sweep, embedder, recent, redact_secrets, cancel: cancel.clone() }
}

/// Has a place for what `embedder` makes. The writer lease is held by this process.
///
/// # Errors
/// When the store cannot be written.
pub(crate) async fn open(store: &Arc<Store>, embedder: &dyn Embedder) -> Result<()> {
    let key = embedder.space().key();
    write(store, move |tx| tx.get_or_create_space(&key).map(drop)).await
}

/// Keeps what a pass made. The writer lease is held by this process.
///
/// # Errors
/// When the store cannot be written.
pub(crate) async fn keep(store: &Arc<Store>, embedder: &dyn Embedder, lines: Arc<Vec<LineData>>) -> Result<()> {
    let key = embedder.space().key();
    write(store, move |tx| tx.insert_lines(tx.get_or_create_space(&key)?.id, &lines)).await
}

async fn write(store: &Arc<Store>, work: impl FnOnce(&Tx<'_>) -> Result<()> + Send + 'static) -> Result<()> {
    let store = Arc::clone(store);
    background(move || store.write_indexed(move |tx| work(tx))).await
}

impl<F: Missing> LinePass<F> {
    /// The lines of the next texts, which are to be kept before more is asked for; none when every text has them.
    ///
    /// # Errors
    /// When the model or the store fails, or when cancelled; what was kept stays and counts at the next pass.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<LineData>>> {
        let Some(page) = self.sweep.next().await? else { return Ok(None) };
        let mut lines = pin!(self.lines(&page));
        loop {
            if let Ok(lines) = tokio::time::timeout(TICK, &mut lines).await {
                return lines.map(Some);
            }
            // What is under way is dropped, and the model stops.
            self.cancel.check()?;
        }
    }

    /// Codes and pieces of all lines of each text; a line without words, or one the model refuses, has a code of zeros and
    /// no pieces.
    async fn lines(&self, page: &[MissingText]) -> Result<Vec<LineData>> {
        // Line breaks stay where they are.
        let texts: Vec<_> =
            page.iter().map(|missing| stored_text(&missing.text, &missing.hash, self.redact_secrets)).collect();
        let mut seen = HashSet::new();
        let lines = texts.iter().flat_map(|text| text.split('\n')).map(content);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && seen.insert(*line)).collect();
        let key = self.embedder.space().key();
        let mut made = self.recent.known(&key, &lines);
        let new: Vec<&str> = lines.into_iter().filter(|line| !made.contains_key(line)).collect();
        let texts_of_new: Vec<String> = new.iter().map(|line| (*line).to_owned()).collect();
        let made_of_new = self.embed(&texts_of_new).await?;
        for ((line, text), of_line) in new.into_iter().zip(texts_of_new).zip(made_of_new) {
            if let Some(of_line) = of_line.map(Arc::new) {
                self.recent.keep(&key, text, &of_line);
                made.insert(line, of_line);
            }
        }
        let zeros = vec![0; made.values().map(|line| line.code.len()).next().unwrap_or_default()];
        let of = |line: &str| made.get(line);
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
        if lines.is_empty() {
            return Ok(Vec::new());
        }
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
