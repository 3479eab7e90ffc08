//! The embedded model: all-MiniLM-L6-v2 with int8 weights, on the CPU, without key, server or network.
//!
//! [`artifact`] puts the weights file in place, [`brought`] makes one of an encoder that the user brings, [`InProcess`] embeds with either, by the encoder of the crate [`minilm`] over
//! the mapped weights of a [`source`]: [`queries`] on the threads of searches, [`documents`] in the background. How the
//! file is made: `scripts/model/`; what was measured: `docs/embedded-model.md`.

pub mod artifact;
pub mod brought;
pub mod language;

mod documents;
mod queries;
mod reserve;
mod source;
mod states;

#[cfg(test)]
mod tests;

use std::{borrow::Cow, path::PathBuf, sync::Arc, time::Duration};

use minilm::MAX_PIECES;

pub use self::states::mean_state;

use self::{
    brought::{Prefixes, Ready},
    documents::{Documents, Reply},
    queries::Queries,
    reserve::Reserve,
    source::{Kind, Source},
};
use super::{
    BoxFuture, Embedded, Embedder, Limits, Purpose, Sink, Space,
    pieces::{ByPiece, PieceLine, PieceQuestion},
};
use model::{error::Result, usage::Usage};
use text::language::Language;

/// Provider id of the embedded model.
pub const PROVIDER: &str = "embedded";
/// Its model name.
pub(crate) const MODEL: &str = "all-minilm-l6-v2";

/// Memory is given back after so long without work.
const IDLE: Duration = Duration::from_secs(60);
/// Texts of one job at most.
const JOB_TEXTS: usize = 64;
/// Bytes of text in one job, about a tenth of a second of work: how long a cancelled call still runs.
const JOB_BYTES: usize = 8 << 10;

/// A model in this process. Cheap while nothing is embedded: no threads, and the weights not mapped.
pub struct InProcess {
    space: Space,
    /// What an encoder of the user's gets before texts; none for the bundled model.
    prefixes: Option<Prefixes>,
    /// Word pieces of one input.
    most_pieces: usize,
    source: Arc<Source>,
    queries: Queries,
    documents: Arc<Documents>,
}

impl InProcess {
    /// The bundled model from a weights file that [`artifact::locate`] found.
    ///
    /// # Errors
    /// When the file cannot be read or is not a weights file of this version.
    pub fn open(weights: PathBuf) -> Result<Self> {
        Self::open_with(weights, IDLE)
    }

    /// As [`InProcess::open`], with another time until memory is given back.
    fn open_with(weights: PathBuf, idle: Duration) -> Result<Self> {
        let source = Source::new(weights, Kind::Bundled);
        source.check()?;
        let space = Space {
            provider: PROVIDER.to_owned(),
            model: MODEL.to_owned(),
            dimensions: None,
            query_input_type: None,
            document_input_type: None,
            revision: None,
        };
        Ok(Self::over(source, space, None, MAX_PIECES, idle))
    }

    /// An encoder of the user's, converted, with what stands before its texts.
    ///
    /// # Errors
    /// As [`InProcess::open`].
    pub fn open_brought(ready: &Ready, prefixes: Prefixes) -> Result<Self> {
        let source = Source::new(ready.file.clone(), Kind::Brought);
        let shape = source.check()?;
        let space = Space {
            provider: PROVIDER.to_owned(),
            model: ready.space.clone(),
            dimensions: u32::try_from(shape.hidden).ok(),
            query_input_type: Some(prefixes.query.clone()).filter(|prefix| !prefix.is_empty()),
            document_input_type: Some(prefixes.document.clone()).filter(|prefix| !prefix.is_empty()),
            revision: None,
        };
        Ok(Self::over(source, space, Some(prefixes), shape.positions, IDLE))
    }

    fn over(source: Source, space: Space, prefixes: Option<Prefixes>, most_pieces: usize, idle: Duration) -> Self {
        let source = Arc::new(source);
        // One for each: a query finds what it needs whatever documents are at work.
        let reserve = || Arc::new(Reserve::new(Arc::clone(&source), idle));
        let (documents, queries) = (Documents::new(reserve()), Queries::new(reserve()));
        Self { space, prefixes, most_pieces, queries, documents, source }
    }

    /// Texts with what stands before them.
    fn prefixed<'a>(&self, texts: &'a [String], purpose: Purpose) -> Cow<'a, [String]> {
        let prefix = self.prefixes.as_ref().map(|prefixes| match purpose {
            Purpose::Query => &prefixes.query,
            Purpose::Document => &prefixes.document,
        });
        match prefix.filter(|prefix| !prefix.is_empty()) {
            Some(prefix) => texts.iter().map(|text| format!("{prefix}{text}")).collect(),
            None => Cow::Borrowed(texts),
        }
    }

    /// Queues documents; every reply comes with the position of its first text.
    fn submit(&self, texts: &[String]) -> Result<Vec<(usize, Reply<Vec<f32>>)>> {
        let mut first = 0;
        let submit = |job: &[String]| {
            let reply = self.documents.submit(job.to_vec())?;
            first += job.len();
            Ok((first - job.len(), reply))
        };
        jobs(texts).map(submit).collect()
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        self.documents.close();
    }
}

/// Cuts texts into jobs of [`JOB_TEXTS`] and [`JOB_BYTES`].
fn jobs(mut texts: &[String]) -> impl Iterator<Item = &[String]> {
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = texts.iter().take(JOB_TEXTS).take_while(|text| {
            bytes += text.len();
            bytes <= JOB_BYTES
        });
        let (job, rest) = texts.split_at_checked(fits.count().max(1))?;
        texts = rest;
        Some(job)
    })
}

impl Embedder for InProcess {
    fn space(&self) -> &Space {
        &self.space
    }

    fn limits(&self) -> Limits {
        Limits { items: JOB_TEXTS, tokens: JOB_BYTES / 4, bytes: JOB_BYTES, input_tokens: self.most_pieces }
    }

    fn is_local(&self) -> bool {
        true
    }

    fn language(&self) -> Option<Language> {
        // What an encoder of the user's knows, its files do not say.
        self.prefixes.is_none().then_some(Language::English)
    }

    fn by_piece(&self) -> Option<&dyn ByPiece> {
        // The mean that signs are measured from, and the words that say nothing, are those of the bundled model.
        self.prefixes.is_none().then_some(self as &dyn ByPiece)
    }

    fn usage(&self) -> Usage {
        let (requests, texts, tokens) = self.source.spent();
        Usage { requests, texts, tokens }
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if purpose == Purpose::Query {
                let vectors = self.queries.embed(&self.prefixed(texts, purpose), timeout).await?;
                return sink(vectors.into_iter().map(Embedded::Vector).enumerate().collect()).await;
            }
            let mut failure = None;
            // Documents wait for their turn however long that takes.
            for (first, reply) in self.submit(&self.prefixed(texts, purpose))? {
                match reply.await.unwrap_or_else(|_| Err(source::closed())) {
                    Ok(vectors) => sink((first..).zip(vectors.into_iter().map(Embedded::Vector)).collect()).await?,
                    Err(error) => failure = failure.or(Some(error)),
                }
            }
            failure.map_or(Ok(()), Err)
        })
    }
}

impl ByPiece for InProcess {
    fn lines<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<PieceLine>>> {
        Box::pin(async move {
            let submit = |job: &[String]| self.documents.submit_pieces(job.to_vec());
            let replies = jobs(texts).map(submit).collect::<Result<Vec<_>>>()?;
            let mut lines = Vec::with_capacity(texts.len());
            for reply in replies {
                lines.extend(reply.await.unwrap_or_else(|_| Err(source::closed()))?);
            }
            Ok(lines)
        })
    }

    fn question<'a>(&'a self, text: &'a str, timeout: Duration) -> BoxFuture<'a, Result<PieceQuestion>> {
        Box::pin(self.queries.question(text, timeout))
    }
}
