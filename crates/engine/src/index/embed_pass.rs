//! The embedding pass: every text of a generation that has no vector yet gets one, and is never paid for again.

use std::{borrow::Cow, sync::Arc, time::Duration, vec::IntoIter};

use futures::future::join_all;

use super::{Progress, Step, media::read_media, rows::stored_text, sweep::Sweep};
use crate::{blocking::background, workspace::roots::Roots};
use embed::{Embedded, Embedder, Purpose, Storing, media::Media};
use model::{cancel::Cancel, config::settings::RedactSecrets, error::Result};
use store::{
    Reader, Store, Tx,
    embeddings::{Coverage, MissingText, NewEmbedding, SpaceRow},
    files::Hash,
    ids::SpaceId,
    media::MissingMedia,
    usage::Spent,
};

/// Pictures and sounds looked for at a time, sent at a time, and the bytes of those in memory, but for one more.
const MEDIA_PAGE: usize = 64;
const MEDIA_IN_FLIGHT: usize = 4;
const MEDIA_BYTES: usize = 8 << 20;

/// Texts handed to a model in this process at a time, so that new text passes and closing never wait long.
const LOCAL_PAGE: usize = 128;

/// What an embedding pass did.
#[derive(Debug, Clone, Default)]
pub(crate) struct EmbedReport {
    /// Texts that got a vector.
    pub embedded: usize,
    /// Texts the provider refused.
    pub refused: usize,
    /// Chunks that still have no vector.
    pub pending: usize,
}

/// Where the cost of a pass is booked: on the day it began.
#[derive(Debug, Clone)]
pub(crate) struct Booking {
    /// Date in the user's time zone, as `2026-11-20`.
    pub day: String,
    /// Provider of the space.
    pub provider: String,
    /// Model of the space.
    pub model: String,
}

impl Booking {
    /// Adds to what is booked.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub(crate) fn add(&self, tx: &Tx<'_>, spent: &Spent) -> Result<()> {
        tx.add_usage(&self.day, &self.provider, &self.model, spent)
    }
}

/// What an embedding pass needs.
pub(crate) struct EmbedPass {
    /// The store; its writer lease is held by this process.
    pub store: Arc<Store>,
    /// Makes the vectors.
    pub embedder: Arc<dyn Embedder>,
    /// Where pictures and sounds lie, where they are indexed.
    pub media: Option<Arc<Roots>>,
    /// Where texts lose their secrets.
    pub redact_secrets: RedactSecrets,
    /// Where its cost is booked.
    pub booking: Booking,
    /// Whether texts that the provider refused before are asked again, whenever that was.
    pub ask_refused: bool,
    /// Time limit of one request.
    pub timeout: Duration,
    /// Stops the pass between pages.
    pub cancel: Cancel,
    /// Listens.
    pub progress: Progress,
}

impl EmbedPass {
    /// Runs until nothing is missing. The space becomes the one that searches use as soon as it is complete, or at
    /// once when there is none yet.
    ///
    /// # Errors
    /// When the provider or the store fails; vectors that arrived before are stored and count at the next run.
    pub(crate) async fn run(&self) -> Result<EmbedReport> {
        let mut report = EmbedReport::default();
        let key = self.embedder.space().key();
        let ask_refused = self.ask_refused;
        let open = move |tx: &mut Tx<'_>| {
            if ask_refused {
                tx.ask_refused_again()?;
            }
            tx.get_or_create_space(&key)
        };
        let space = self.blocking(move |store| store.write_indexed(open)).await?;
        if let Some(dims) = space.dims {
            self.embedder.expect_dims(dims as usize);
        }
        let (wanted, cancel) = (space.clone(), self.cancel.clone());
        self.blocking(move |store| match store.read(|r| r.live())? {
            Some(live) => store.take_vectors_over(live.id, &wanted, &cancel),
            None => Ok(0),
        })
        .await?;
        let (embedder, space_id) = (Arc::clone(&self.embedder), space.id);
        let mut sweep = Sweep::new(&self.store, &self.cancel, move |r, generation, after| {
            let size = if embedder.is_local() { LOCAL_PAGE } else { embedder.run_size() };
            r.unembedded_texts(generation, space_id, after, size)
        });
        let mut total = None;
        while let Some(page) = sweep.next().await? {
            let is_first = total.is_none();
            let total = match total {
                Some(total) => total,
                None => *total.insert(self.pending(&space).await?),
            };
            self.embed(page, &space, total, &mut report).await?;
            if is_first {
                self.activate(&space).await?;
            }
        }
        self.embed_media(&space, total, &mut report).await?;
        report.pending = self.pending(&space).await?;
        self.activate(&space).await?;
        Ok(report)
    }

    async fn embed(
        &self,
        page: Vec<MissingText>,
        space: &SpaceRow,
        total: usize,
        report: &mut EmbedReport,
    ) -> Result<()> {
        let (hashes, texts): (Vec<_>, Vec<_>) = page
            .into_iter()
            .map(|missing| match stored_text(&missing.text, &missing.hash, self.redact_secrets) {
                Cow::Borrowed(_) => (missing.hash, missing.text),
                Cow::Owned(text) => (missing.hash, text),
            })
            .unzip();
        let mut sink = |finished: Vec<(usize, Embedded)>| -> Storing {
            let mut vectors = Vec::with_capacity(finished.len());
            let mut refused = Vec::new();
            for (position, outcome) in finished {
                let Some(hash) = hashes.get(position).copied() else { continue };
                match outcome {
                    Embedded::Vector(vector) => vectors.push(NewEmbedding { hash, vector }),
                    Embedded::Refused(reason) => refused.push((hash, reason)),
                }
            }
            let write = self.write(space, vectors, refused, report);
            let (tell, step, cancel) = (Arc::clone(&self.progress), step(report, total), self.cancel.clone());
            Box::pin(async move {
                write.await?;
                tell(&step);
                cancel.check()
            })
        };
        self.embedder.embed_each(&texts, Purpose::Document, self.timeout, &mut sink).await
    }

    /// Embeds the pictures and sounds, a few at a time: their files are read now and let go of as soon as they are sent.
    async fn embed_media(&self, space: &SpaceRow, total: Option<usize>, report: &mut EmbedReport) -> Result<()> {
        let Some(roots) = &self.media else { return Ok(()) };
        let (mut total, mut after, space_id) = (total, None, space.id);
        loop {
            let page = self
                .blocking(move |store| {
                    store.read(|r| match r.live()? {
                        Some(live) => r.missing_media(live.id, space_id, after.as_ref(), MEDIA_PAGE),
                        None => Ok(Vec::new()),
                    })
                })
                .await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.hash);
            let total = match total {
                Some(total) => total,
                None => *total.insert(self.pending(space).await?),
            };
            let mut page = page.into_iter();
            loop {
                self.cancel.check()?;
                let (roots, rest) = (Arc::clone(roots), page);
                let (some, rest) = background(move || Ok(some_media(&roots, rest))).await?;
                page = rest;
                if some.is_empty() {
                    break;
                }
                let made = join_all(some.iter().map(|(_, media)| self.embedder.embed_media(media, self.timeout))).await;
                let (mut vectors, mut refused, mut failure) = (Vec::new(), Vec::new(), None);
                for ((hash, _), outcome) in some.iter().zip(made) {
                    match outcome {
                        Ok(Embedded::Vector(vector)) => vectors.push(NewEmbedding { hash: *hash, vector }),
                        Ok(Embedded::Refused(reason)) => refused.push((*hash, reason)),
                        Err(error) => drop(failure.get_or_insert(error)),
                    }
                }
                drop(some);
                self.write(space, vectors, refused, report).await?;
                (self.progress)(&step(report, total));
                if let Some(error) = failure {
                    return Err(error);
                }
            }
        }
    }

    /// Stores what was made, with its cost, so that a kill loses neither.
    fn write(
        &self,
        space: &SpaceRow,
        vectors: Vec<NewEmbedding>,
        refused: Vec<(Hash, String)>,
        report: &mut EmbedReport,
    ) -> impl Future<Output = Result<()>> + Send + 'static {
        report.embedded += vectors.len();
        report.refused += refused.len();
        let spent = Spent { sent: self.embedder.take_usage(), needed: 0, embedded: vectors.len() as u64 };
        let (space_id, booking, store) = (space.id, self.booking.clone(), Arc::clone(&self.store));
        async move {
            store
                .write_indexed_async(move |tx: &mut Tx<'_>| {
                    tx.insert_embeddings(space_id, &vectors)?;
                    for (hash, reason) in &refused {
                        tx.refuse_text(space_id, hash, reason)?;
                    }
                    booking.add(tx, &spent)
                })
                .await
        }
    }

    /// Switches searches over to the space when it covers the live generation, or when they have none.
    async fn activate(&self, space: &SpaceRow) -> Result<()> {
        let space_id = space.id;
        self.blocking(move |store| {
            let (active, coverage, news) = store.read(|r| {
                let (active, coverage) = (r.active_space()?, live_coverage(r, space_id)?);
                let news = r.live()?.map_or(Ok(None), |live| r.covered_news(live.id, space_id))?;
                Ok((active, coverage, news))
            })?;
            let complete = coverage.embedded + coverage.refused >= coverage.chunks;
            let switch = coverage.embedded > 0 && active.is_none_or(|active| active.id != space_id && complete);
            if !switch && news.is_none() {
                return Ok(());
            }
            store.write_indexed(move |tx| {
                if switch {
                    tx.set_active_space(space_id)?;
                }
                news.as_ref().map_or(Ok(()), |news| tx.keep_covered(news))
            })
        })
        .await
    }

    async fn pending(&self, space: &SpaceRow) -> Result<usize> {
        let space_id = space.id;
        let coverage = self.blocking(move |store| store.read(|r| live_coverage(r, space_id))).await?;
        Ok(usize::try_from(coverage.chunks.saturating_sub(coverage.embedded + coverage.refused)).unwrap_or(usize::MAX))
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce(&Store) -> Result<T> + Send + 'static) -> Result<T> {
        let store = Arc::clone(&self.store);
        background(move || work(&store)).await
    }
}

/// The next few pictures and sounds that are still what the index knows; the next pass sees to the others.
fn some_media(roots: &Roots, mut page: IntoIter<MissingMedia>) -> (Vec<(Hash, Media)>, IntoIter<MissingMedia>) {
    let (mut some, mut bytes) = (Vec::new(), 0);
    while some.len() < MEDIA_IN_FLIGHT && bytes < MEDIA_BYTES {
        let Some(missing) = page.next() else { break };
        if let Some(media) = read_media(roots, &missing) {
            bytes += media.bytes.len();
            some.push((missing.hash, media));
        }
    }
    (some, page)
}

/// How far a pass is.
fn step(report: &EmbedReport, total: usize) -> Step {
    let completed = (report.embedded + report.refused).min(total);
    Step { completed, total, label: "Embedding".to_owned() }
}

/// How much of the live generation has vectors.
fn live_coverage(r: &Reader<'_>, space: SpaceId) -> Result<Coverage> {
    r.live()?.map_or(Ok(Coverage::default()), |live| r.coverage(live.id, space))
}
