//! Taking over vectors that another index of the same notes has paid for. Who reads that index, and how, is not our
//! matter here: its rows come as texts with vectors.

use std::{collections::HashSet, sync::Arc};

use serde::Serialize;
use serde_json::Value;

use super::{super::context::Service, Admin};
use crate::index::rows::hash;
use embed::{Space, provider::Provider};
use model::error::{Code, Error, Result};
use store::{Reader, embeddings::NewEmbedding, ids::SpaceId};

/// Key in `meta` of the report of the last import.
const LAST_IMPORT: &str = "last_import";

/// Some rows of another index.
pub struct ImportCall {
    /// Provider id that made the vectors, as the other index names it.
    pub provider: String,
    /// Model that made them.
    pub model: String,
    /// Texts as they were sent.
    pub texts: Vec<String>,
    /// Their vectors, one a text.
    pub vectors: Vec<Vec<f32>>,
    /// Whether to count only.
    pub dry_run: bool,
}

/// What became of the rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportOutcome {
    /// Vectors stored (or that would be).
    pub taken: usize,
    /// Vectors that were there already.
    pub known: usize,
    /// Vectors of another length than those of the space.
    pub other_length: usize,
    /// Blank texts, and vectors that are empty, zero or not finite.
    pub unusable: usize,
    /// Where they are only counted: the texts that need no vector any more, for a plan of what is left to pay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub would_take: Vec<String>,
}

impl Admin {
    /// Whether vectors of this provider and model are those that the settings ask for.
    pub fn accepts_vectors(&self, provider: &str, model: &str) -> bool {
        let Ok(Some(embedder)) = self.context.provider().embedder() else { return false };
        self.context.settings().settings.vector_enabled && is_same_model(embedder.space(), provider, model)
    }

    /// Stores vectors of another index under the hash of their texts. What is there already stays as it is.
    ///
    /// # Errors
    /// [`Code::Argument`] when the model is not the one in use, or when texts and vectors are not as many; else when
    /// the store fails.
    pub async fn import_vectors(self: &Arc<Self>, call: ImportCall) -> Result<ImportOutcome> {
        let embedder =
            self.context.provider().embedder()?.filter(|_| self.accepts_vectors(&call.provider, &call.model));
        let (Some(embedder), true) = (embedder, call.texts.len() == call.vectors.len()) else {
            return Err(Error::new(Code::Argument, "these vectors are not of the model in use, or not one a text"));
        };
        let space = embedder.space().clone();
        self.background(move |admin, _| admin.import_blocking(call, &space)).await
    }

    fn import_blocking(&self, call: ImportCall, space: &Space) -> Result<ImportOutcome> {
        let rows = call.texts.len();
        let usable: Vec<NewEmbedding> = call
            .texts
            .iter()
            .zip(call.vectors)
            .filter(|(text, vector)| !text.trim().is_empty() && is_usable(vector))
            .map(|(text, vector)| NewEmbedding { hash: hash(text.as_bytes()), vector })
            .collect();
        let unusable = rows - usable.len();
        let (key, asked) = (space.key(), space.dimensions);
        let outcome = if call.dry_run {
            self.context.store().read(|reader| {
                let (fresh, outcome) = sift(reader, &key, asked, usable)?;
                let would_take = fresh.iter().map(|row| hex::encode(row.hash)).collect();
                Ok(ImportOutcome { would_take, ..outcome })
            })
        } else {
            self.context.store().write(move |tx| {
                let id = tx.get_or_create_space(&key)?.id;
                let (fresh, outcome) = sift(tx, &key, asked, usable)?;
                tx.insert_embeddings(id, &fresh)?;
                Ok(outcome)
            })
        }?;
        Ok(ImportOutcome { unusable, ..outcome })
    }

    /// The report of the last import; none when there never was one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn last_import(self: &Arc<Self>) -> Result<Option<Value>> {
        let report = self.blocking(|admin, _| admin.context.store().read(|r| r.meta(LAST_IMPORT))).await?;
        Ok(report.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Keeps the report of an import.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn note_import(self: &Arc<Self>, report: Value) -> Result<()> {
        let text = report.to_string();
        self.context.store().write_async(move |tx| tx.set_meta(LAST_IMPORT, &text)).await
    }
}

/// Keeps what is not stored yet and of the right length, and counts the rest.
fn sift(
    reader: &Reader<'_>,
    key: &str,
    asked: Option<u32>,
    rows: Vec<NewEmbedding>,
) -> Result<(Vec<NewEmbedding>, ImportOutcome)> {
    let space = reader.space(key)?;
    let dims = space.as_ref().and_then(|space| space.dims).or(asked).map(|dims| dims as usize);
    let Some(dims) = dims.or_else(|| rows.first().map(|row| row.vector.len())) else { return Ok(Default::default()) };
    let mut outcome = ImportOutcome::default();
    let mut seen = HashSet::new();
    let mut fresh = Vec::with_capacity(rows.len());
    for row in rows {
        if row.vector.len() != dims {
            outcome.other_length += 1;
        } else if !seen.insert(row.hash) || stored(reader, space.as_ref().map(|s| s.id), &row)? {
            outcome.known += 1;
        } else {
            outcome.taken += 1;
            fresh.push(row);
        }
    }
    Ok((fresh, outcome))
}

fn stored(reader: &Reader<'_>, space: Option<SpaceId>, row: &NewEmbedding) -> Result<bool> {
    space.map_or(Ok(false), |space| reader.has_embedding(space, &row.hash))
}

/// Whether a cosine with the vector means something.
fn is_usable(vector: &[f32]) -> bool {
    vector.iter().all(|number| number.is_finite()) && vector.iter().any(|number| *number != 0.0)
}

/// Whether the other index means our space. Addresses do not count: a server that moved has the same model.
fn is_same_model(space: &Space, provider: &str, model: &str) -> bool {
    let name = Provider::from_id(provider).map_or(provider, |known| known.space_name());
    let unprefixed = model.strip_prefix(name).and_then(|rest| rest.strip_prefix('/'));
    name == space.provider && (model == space.model || unprefixed == Some(space.model.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::{
        OpenCall, SyncCall, open,
        testing::{FakeHost, open_call},
    };
    use embed::BoxFuture;
    use model::cancel::Cancel;

    fn space() -> Space {
        Space {
            provider: "openai".into(),
            model: "m".into(),
            dimensions: None,
            query_input_type: None,
            document_input_type: None,
            revision: None,
        }
    }

    #[test]
    fn provider_names_of_one_wire_format_are_one_space() {
        for (provider, model, same) in [
            ("openai", "m", true),
            ("openai-compatible", "m", true),
            ("openai", "openai/m", true),
            ("openai", "n", false),
            ("gemini", "m", false),
            ("bedrock", "m", false),
        ] {
            assert_eq!(is_same_model(&space(), provider, model), same, "{provider} {model}");
        }
    }

    /// An engine of the provider `bedrock`, whose adapter fails the test when it is asked.
    async fn engine(dir: &std::path::Path) -> crate::services::Lease {
        let call = OpenCall {
            host: Some(Arc::new(FakeHost::default().with_embed(
                "",
                embed::callback::of_texts(|texts, _| -> BoxFuture<'static, _> {
                    Box::pin(async move { panic!("{} texts were sent", texts.len()) })
                }),
            ))),
            ..open_call(dir, &serde_json::json!({ "provider": "bedrock", "model": "titan" }))
        };
        open(call).await.unwrap().unwrap()
    }

    fn call(texts: &[&str], vectors: &[&[f32]]) -> ImportCall {
        ImportCall {
            provider: "bedrock".into(),
            model: "titan".into(),
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
            vectors: vectors.iter().map(|vector| vector.to_vec()).collect(),
            dry_run: false,
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn imported_vectors_are_not_paid_again() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("workspace")).unwrap();
        std::fs::write(dir.path().join("workspace/MEMORY.md"), "Tea: sencha.").unwrap();
        let engine = engine(dir.path()).await;
        let texts = ["Tea: sencha.", "Tea: sencha.", " ", "zero", "short", "nan"];
        let vectors: [&[f32]; 6] = [&[1.0, 2.0], &[1.0, 2.0], &[1.0, 2.0], &[0.0, 0.0], &[1.0], &[f32::NAN, 1.0]];
        let expected = ImportOutcome { taken: 1, known: 1, other_length: 1, unusable: 3, would_take: Vec::new() };
        let dry = ImportCall { dry_run: true, ..call(&texts, &vectors) };
        let dry = engine.admin.import_vectors(dry).await.unwrap();
        assert_eq!(dry.would_take.len(), 1);
        assert_eq!(ImportOutcome { would_take: Vec::new(), ..dry.clone() }, expected);
        assert_eq!(engine.admin.import_vectors(call(&texts, &vectors)).await.unwrap(), expected);
        let again = engine.admin.import_vectors(call(&texts, &vectors)).await.unwrap();
        assert_eq!((again.taken, again.known), (0, 2));
        let sync = SyncCall { reason: "test".into(), force: false, text_only: false };
        let report = engine.indexer.sync(sync, Cancel::new(), None).await.unwrap();
        assert_eq!((report.chunks, report.embedded, report.pending), (1, 0, 0), "{report:?}");
        let usage = engine.telemetry.usage_today(&engine.settings().settings).unwrap();
        assert_eq!((&usage["needed"], &usage["hitRate"]), (&1.into(), &1.0.into()));
        engine.release().await;
    }

    #[tokio::test]
    async fn vectors_of_another_model_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let engine = engine(dir.path()).await;
        let other = ImportCall { model: "other".into(), ..call(&["a"], &[&[1.0]]) };
        assert_eq!(engine.admin.import_vectors(other).await.unwrap_err().code(), Code::Argument);
        let uneven = call(&["a", "b"], &[&[1.0]]);
        assert_eq!(engine.admin.import_vectors(uneven).await.unwrap_err().code(), Code::Argument);
        engine.release().await;
    }
}
