//! How near a text is to stored facts.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{
    super::{context::Service, searcher::MAX_QUERY_CHARS},
    Facts,
};
use crate::{
    capture::{facts::Fact, similar::Comparer},
    index::rows::hash,
};
use ::search::vector;
use embed::{Embedded, Embedder, Purpose};
use model::{
    cancel::Cancel,
    error::{Code, Error, Result},
};
use store::{embeddings::NewEmbedding, files::Hash};

/// How near a text is to each of some facts.
pub(super) struct Nearness {
    /// Cosine, one a fact.
    pub(super) cosines: Vec<f64>,
    /// Whether vectors were compared, not words.
    pub(super) by_meaning: bool,
    /// Why words were compared where there is a provider.
    pub(super) warning: Option<String>,
}

impl Facts {
    /// How near a text is to each fact: by vectors where there is a provider, else by words.
    pub(super) async fn nearness(self: &Arc<Self>, text: &str, purpose: Purpose, facts: &[Fact]) -> Nearness {
        // A reply may wait for it, as it waits for a search.
        let limit = Duration::from_millis(self.context.settings().settings.query.deadline_ms);
        let late = || Err(Error::new(Code::Deadline, format!("it took longer than {} ms", limit.as_millis())));
        let compared = tokio::time::timeout(limit, self.vector_cosines(text, purpose, facts)).await;
        let warning = match compared.unwrap_or_else(|_| late()) {
            Ok(Some(cosines)) => return Nearness { cosines, by_meaning: true, warning: None },
            Ok(None) => None,
            Err(error) => Some(format!("Meaning was not compared, only words: {error}")),
        };
        let mut comparer = Comparer::default();
        let own = comparer.fingerprint(text);
        let cosines = facts.iter().map(|fact| comparer.fingerprint(&fact.text).similarity(&own)).collect();
        Nearness { cosines, by_meaning: false, warning }
    }

    /// Cosines of a text's vector with those of the facts; none without a provider.
    async fn vector_cosines(
        self: &Arc<Self>,
        text: &str,
        purpose: Purpose,
        facts: &[Fact],
    ) -> Result<Option<Vec<f64>>> {
        let settings = self.context.settings();
        let embedder = self.context.provider().embedder()?.filter(|_| settings.settings.vector_enabled);
        let Some(embedder) = embedder.filter(|_| !facts.is_empty()) else { return Ok(None) };
        let mut texts: Vec<String> = facts.iter().map(|fact| fact.text.clone()).collect();
        let asked = match purpose {
            Purpose::Query => {
                let limit = Duration::from_millis(settings.settings.provider.query_timeout_ms);
                let text = text.chars().take(MAX_QUERY_CHARS).collect();
                let cancel = Cancel::new().within(limit);
                Some(self.queries.get(embedder.space().key(), text, &embedder, &cancel).await?.vector)
            }
            Purpose::Document => {
                texts.push(text.to_owned());
                None
            }
        };
        let vectors = self.document_vectors(&embedder, texts).await?;
        let own = match &asked {
            Some(vector) => Some(vector.as_slice()),
            None => vectors.get(&hash(text.as_bytes())).map(Vec::as_slice),
        };
        // A provider that refuses the text itself leaves its words.
        let Some(own) = own else { return Ok(None) };
        let of = |fact: &Fact| vectors.get(&hash(fact.text.as_bytes()));
        Ok(Some(facts.iter().map(|fact| of(fact).map_or(-1.0, |vector| cosine(own, vector))).collect()))
    }

    /// The vectors of texts by the hash of each, made where the store has none yet, and stored like those of notes.
    async fn document_vectors(
        self: &Arc<Self>,
        embedder: &Arc<dyn Embedder>,
        texts: Vec<String>,
    ) -> Result<HashMap<Hash, Vec<f32>>> {
        let key = embedder.space().key();
        let space = self.context.store().write_async(move |tx| tx.get_or_create_space(&key)).await?;
        if let Some(dims) = space.dims {
            embedder.expect_dims(dims as usize);
        }
        let hashes: Vec<Hash> = texts.iter().map(|text| hash(text.as_bytes())).collect();
        let wanted = hashes.clone();
        let mut vectors =
            self.blocking(move |e, _| e.context.store().read(|r| r.vectors_of(space.id, &wanted))).await?;
        let missing: Vec<(Hash, String)> =
            hashes.into_iter().zip(texts).filter(|(hash, _)| !vectors.contains_key(hash)).collect();
        let timeout = Duration::from_millis(self.context.settings().settings.provider.document_timeout_ms);
        for page in missing.chunks(embedder.run_size().max(1)) {
            let texts: Vec<String> = page.iter().map(|(_, text)| text.clone()).collect();
            let outcomes = embedder.embed(&texts, Purpose::Document, timeout).await?;
            let fresh: Vec<NewEmbedding> = page
                .iter()
                .zip(outcomes)
                .filter_map(|((hash, _), outcome)| match outcome {
                    Embedded::Vector(vector) => Some(NewEmbedding { hash: *hash, vector }),
                    Embedded::Refused(_) => None,
                })
                .collect();
            vectors.extend(fresh.iter().map(|new| (new.hash, new.vector.clone())));
            self.context.store().write_async(move |tx| tx.insert_embeddings(space.id, &fresh)).await?;
        }
        if !missing.is_empty() {
            self.telemetry.book_usage(&**embedder, missing.len() as u64).await;
        }
        Ok(vectors)
    }
}

/// The score of a fact by its cosine: LanceDB's distance is the squared one (M2).
pub(super) fn score(cosine: f64) -> f64 {
    1.0 / (3.0 - 2.0 * cosine.clamp(-1.0, 1.0))
}

/// Cosine of two vectors; that of opposites when it has none.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    vector::cosine(a, b).unwrap_or(-1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_squared_distances() {
        let at = |cosine: f64| (score(cosine) * 1000.0).round() / 1000.0;
        assert_eq!([at(1.0), at(0.0), at(-1.0)], [1.0, 0.333, 0.2]);
        assert!((cosine(&[3.0, 4.0], &[6.0, 8.0]) - 1.0).abs() < 1e-9);
        assert!((cosine(&[0.0, 0.0], &[6.0, 8.0]) + 1.0).abs() < 1e-9);
    }
}
