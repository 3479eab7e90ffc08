//! Whether the model behind a provider's name is still the one that made the vectors. A server may swap it without a word
//! ("default" of a llama-server, an alias that moves on), and two models' vectors cannot be compared.
//!
//! What tells them apart is how they answer: some texts of the index are embedded again and compared with the vectors that
//! are stored for them. That needs no text of its own, and holds for vectors that were made before anybody looked. It
//! happens after a change of address and once a day, so that a server that only moved costs three texts and nothing more.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    context::{Context, Service},
    indexer::Indexer,
};
use crate::index::rows::hashed_text;
use ::search::vector::cosine;
use embed::{Embedded, Embedder, Purpose};
use model::{
    config::settings::{Rebuild, Settings},
    error::{Code, Error, Result},
};
use store::{Reader, Tx, embeddings::Sample};

/// Key in `meta`, before the key of the space.
const KEY: &str = "model_check:";

/// Texts that are embedded again.
const SAMPLES: usize = 3;

/// Longest of them, in characters.
const SAMPLE_CHARS: usize = 2000;

/// From this cosine on two vectors of a text are of one model: what rounding and batching change is far less.
const SAME: f64 = 0.999;

/// How long an answer counts.
const FRESH_MS: i64 = 86_400_000;

/// How long it counts that the model is another one: it may be put right any moment.
const CHANGED_MS: i64 = 60_000;

/// What is known of the model behind a space, as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    /// How often the vectors were begun anew.
    pub revision: u32,
    /// Hash of the address that answered.
    endpoint: String,
    /// When it was last looked at, in milliseconds since the epoch.
    pub checked_ms: i64,
    /// The least cosine of the last look; none when vectors have other lengths, or nothing was compared yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// Whether it is another model than the one that made the vectors.
    pub changed: bool,
}

impl Record {
    /// Of a space, by its key without revision; none when nobody has looked.
    fn of(reader: &Reader<'_>, key: &str) -> Result<Option<Self>> {
        let stored = reader.meta(&format!("{KEY}{key}"))?;
        Ok(stored.and_then(|text| serde_json::from_str(&text).ok()))
    }

    fn is_fresh(&self, endpoint: &str, now_ms: i64) -> bool {
        let age = now_ms.saturating_sub(self.checked_ms);
        let counts = if self.changed { CHANGED_MS } else { FRESH_MS };
        self.endpoint == endpoint && (0..counts).contains(&age)
    }

    /// The vectors are begun anew.
    fn anew(&self, endpoint: &str, checked_ms: i64) -> Self {
        Self {
            revision: self.revision.saturating_add(1),
            endpoint: endpoint.to_owned(),
            checked_ms,
            cosine: None,
            changed: false,
        }
    }

    /// The model was looked at.
    fn seen(&self, endpoint: &str, seen: &Seen, checked_ms: i64) -> Self {
        Self {
            revision: self.revision,
            endpoint: endpoint.to_owned(),
            checked_ms,
            cosine: seen.cosine,
            changed: seen.changed,
        }
    }

    /// Whether its vectors were compared with those that are stored.
    pub(super) fn is_compared(&self) -> bool {
        self.changed || self.cosine.is_some()
    }

    /// Why nothing can be compared; none when it can.
    pub(super) fn refusal(&self) -> Option<Error> {
        let how =
            self.cosine.map_or_else(|| "vectors of another length".to_owned(), |cosine| format!("cosine {cosine:.3}"));
        self.changed.then(|| {
            Error::new(
                Code::ProviderResponse,
                format!("the embedding model answers otherwise than when the notes were embedded ({how})"),
            )
            .remedy(
                "`openclaw memory index --rebuild --dry-run` says what embedding them anew costs, and without --dry-run it is done",
            )
        })
    }
}

/// Lets the provider follow what the store knows of its model: another process may have begun its vectors anew. Gives that.
pub(super) fn follow(context: &Context, reader: &Reader<'_>) -> Result<Option<Record>> {
    let provider = context.provider();
    let Some(key) = provider.model_key() else { return Ok(None) };
    let record = Record::of(reader, &key)?.unwrap_or_default();
    provider.set_model(key, record.clone());
    Ok(Some(record))
}

/// What the store knows of the model in use now.
pub(super) fn known(context: &Context, reader: &Reader<'_>) -> Result<Option<Record>> {
    follow(context, reader)?;
    Ok(context.provider().model())
}

/// Whether vectors were begun anew and searches do not have them yet, as far as nobody knows the model to be another one
/// again. A rebuild goes on with them.
pub(super) fn is_under_way(context: &Context, reader: &Reader<'_>) -> Result<bool> {
    let provider = context.provider();
    let is_begun = provider.model().is_some_and(|record| record.revision > 0 && !record.changed);
    let Some(embedder) = provider.embedder()?.filter(|_| is_begun) else { return Ok(false) };
    let key = embedder.space().key();
    Ok(reader.active_space()?.is_none_or(|active| active.key != key))
}

/// What a look at the store gave.
struct Look {
    key: String,
    record: Record,
    is_new: bool,
    /// Whether the vectors were begun anew and searches do not have them yet.
    is_under_way: bool,
    samples: Vec<Sample>,
}

/// What a comparison gave.
struct Seen {
    /// The least cosine; none when vectors have other lengths.
    cosine: Option<f64>,
    changed: bool,
}

impl Indexer {
    /// Makes sure that new vectors can be compared with those that are there. With `rebuild: "auto"` another model's get a
    /// space of their own.
    ///
    /// # Errors
    /// That the model is another one, while the user was not asked; and when the store fails. A provider that does not
    /// answer now says nothing about its model.
    pub(super) async fn check_model(self: &Arc<Self>, settings: &Settings) -> Result<()> {
        let provider = self.context().provider();
        let Some(embedder) = provider.embedder()?.filter(|embedder| !embedder.is_local()) else { return Ok(()) };
        let endpoint = endpoint_of(&provider.endpoint(settings));
        let record =
            self.background(|indexer, _| indexer.context().store().read(|r| known(indexer.context(), r))).await?;
        if record.is_some_and(|record| !record.changed && record.is_fresh(&endpoint, self.context().now_ms())) {
            return Ok(());
        }
        let Some(look) = self.background(|indexer, _| indexer.look_at_model()).await? else { return Ok(()) };
        if look.is_new || look.samples.is_empty() {
            // Nothing to compare with: whatever answers now makes the vectors.
            let record =
                Record { endpoint, checked_ms: self.context().now_ms(), cosine: None, changed: false, ..look.record };
            return self.keep(look.key, record).await.map(drop);
        }
        if look.record.is_fresh(&endpoint, self.context().now_ms()) {
            return look.record.refusal().map_or(Ok(()), Err);
        }
        let Ok(Some(seen)) = self.compare(&*embedder, &look, settings).await else {
            return look.record.refusal().map_or(Ok(()), Err);
        };
        let record = if seen.changed && settings.rebuild == Rebuild::Auto {
            // What the former model still works on must not be taken for the new one's.
            self.context()
                .told(embedder.cancel_pending().await.map(drop), "batch jobs of the former model were not stopped");
            look.record.anew(&endpoint, self.context().now_ms())
        } else {
            look.record.seen(&endpoint, &seen, self.context().now_ms())
        };
        self.keep(look.key, record).await?.refusal().map_or(Ok(()), Err)
    }

    /// Asks the model now, whenever that was done last, and gives what is known then; none without a provider of vectors,
    /// and while there is nothing to compare with. Begins nothing anew, whatever `rebuild` says.
    ///
    /// # Errors
    /// When the provider does not answer, or the store fails.
    pub(super) async fn ask_model(self: &Arc<Self>) -> Result<Option<Record>> {
        let settings = self.context().settings();
        let provider = self.context().provider();
        let Some(embedder) = provider.embedder()?.filter(|embedder| !embedder.is_local()) else { return Ok(None) };
        let Some(look) = self.background(|indexer, _| indexer.look_at_model()).await? else { return Ok(None) };
        if look.samples.is_empty() {
            return Ok(None);
        }
        let Some(seen) = self.compare(&*embedder, &look, &settings.settings).await? else { return Ok(None) };
        let record =
            look.record.seen(&endpoint_of(&provider.endpoint(&settings.settings)), &seen, self.context().now_ms());
        self.keep(look.key, record).await.map(Some)
    }

    /// Embeds some texts of the index again and compares them with their vectors; none when all of them are refused.
    async fn compare(
        self: &Arc<Self>,
        embedder: &dyn Embedder,
        look: &Look,
        settings: &Settings,
    ) -> Result<Option<Seen>> {
        let timeout = Duration::from_millis(settings.provider.document_timeout_ms);
        let texts: Vec<String> = look
            .samples
            .iter()
            .map(|sample| hashed_text(&sample.text, settings.provider.redact_secrets).into_owned())
            .collect();
        // A revision has limits and lengths of its own: what is asked is how the model answers, whatever is expected.
        let outcome = embedder.embed(&texts, Purpose::Document, timeout).await;
        self.telemetry().book_usage(embedder, 0).await;
        let answers = outcome?;
        let compared: Vec<Option<f64>> = look
            .samples
            .iter()
            .zip(&answers)
            .filter_map(|(sample, answer)| match answer {
                Embedded::Vector(vector) => Some(cosine(&sample.vector, vector)),
                Embedded::Refused(_) => None,
            })
            .collect();
        if compared.is_empty() {
            return Ok(None);
        }
        let cosine = compared.into_iter().reduce(|a, b| Some(a?.min(b?))).flatten();
        Ok(Some(Seen { cosine, changed: cosine.is_none_or(|cosine| cosine < SAME) }))
    }

    /// Begins the vectors anew beside those that are there; the next embedding pass makes them. Searches use them when all
    /// are there, and words until then. A rebuild that was cut off, or that another process is at, goes on instead: what it
    /// stored is paid for. Gives whether there is a provider with vectors of its own.
    ///
    /// # Errors
    /// When the provider cannot be used, or the store cannot be written.
    pub async fn rebuild_vectors(self: &Arc<Self>) -> Result<bool> {
        let settings = self.context().settings();
        let provider = self.context().provider();
        let Some(embedder) = provider.embedder()?.filter(|embedder| !embedder.is_local()) else { return Ok(false) };
        let Some(look) = self.background(|indexer, _| indexer.look_at_model()).await? else { return Ok(false) };
        if look.is_under_way {
            let is_another = match self.compare(&*embedder, &look, &settings.settings).await {
                Ok(seen) => seen.is_some_and(|seen| seen.changed),
                // The pass that follows says what is wrong.
                Err(_) => false,
            };
            if !is_another {
                return Ok(true);
            }
        }
        self.context()
            .told(embedder.cancel_pending().await.map(drop), "batch jobs of the former model were not stopped");
        let endpoint = endpoint_of(&provider.endpoint(&settings.settings));
        self.keep(look.key, look.record.anew(&endpoint, self.context().now_ms())).await?;
        Ok(true)
    }

    fn look_at_model(&self) -> Result<Option<Look>> {
        let provider = self.context().provider();
        let Some(key) = provider.model_key() else { return Ok(None) };
        self.context().store().read(|r| {
            follow(self.context(), r)?;
            let record = Record::of(r, &key)?;
            let (live, space) = match provider.embedder()? {
                Some(embedder) => (r.live()?, r.space(&embedder.space().key())?),
                None => (None, None),
            };
            let is_under_way = is_under_way(self.context(), r)?;
            let samples = match (live, space) {
                (Some(live), Some(space)) => r.samples(live.id, space.id, SAMPLE_CHARS, SAMPLES)?,
                _ => Vec::new(),
            };
            Ok(Some(Look {
                key: key.clone(),
                is_new: record.is_none(),
                is_under_way,
                record: record.unwrap_or_default(),
                samples,
            }))
        })
    }

    /// Stores what is known now, unless another process has begun the vectors anew meanwhile; gives what is known then.
    async fn keep(self: &Arc<Self>, key: String, record: Record) -> Result<Record> {
        let of_key = key.clone();
        let kept = move |tx: &mut Tx<'_>| {
            if let Some(now) = Record::of(tx, &of_key)?.filter(|now| now.revision > record.revision) {
                return Ok(now);
            }
            tx.set_meta(&format!("{KEY}{of_key}"), &serde_json::to_string(&record).unwrap_or_default())?;
            Ok(record)
        };
        let record = self.context().store().write_async(kept).await?;
        self.context().provider().set_model(key, record.clone());
        Ok(record)
    }
}

/// What is kept of an address: enough to see that it is another one.
fn endpoint_of(endpoint: &serde_json::Value) -> String {
    let address = endpoint.get("address").and_then(|address| address.as_str()).unwrap_or_default();
    hex::encode(&Sha256::digest(address)[..8])
}

#[cfg(test)]
#[path = "model_check_tests.rs"]
mod tests;
