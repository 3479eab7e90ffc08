//! How memory is, in one word and a sentence: it never says `ready` when it is not.

use std::sync::atomic::Ordering;

use serde::Serialize;

use super::{
    Telemetry,
    snapshot::{QUERY, Snapshot},
    status::Activity,
};
use crate::index::{lost, owner};
use embed::{Embedder, embedded::language::uncovered};
use model::error::Result;
use text::language::Language;

/// Chunks whose language is looked at, spread over the index.
const SAMPLE: usize = 400;
/// Languages in fewer chunks than this share are not worth a line.
const SHARE_TOLD: f64 = 0.02;

/// How memory is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Health {
    /// `ready`, `indexing`, `embedding`, `foreign`, `lost`, `outdated`, `unknown`, `keywords`, `failing`, `read-only` or `damaged`.
    pub state: &'static str,
    /// What keeps it from being ready, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long ago the disk was compared with the index, in milliseconds; none = not yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared_ago_ms: Option<i64>,
}

/// A language that the embedded model does not know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnknownLanguage {
    /// Its English name.
    pub language: &'static str,
    /// Share (0–1) of all chunks that are written in it, estimated.
    pub share: f64,
}

impl Telemetry {
    /// How memory is. `provider_error` is why the provider that was asked for cannot be used.
    pub(super) fn health(&self, snapshot: &Snapshot, activity: &Activity, provider_error: Option<String>) -> Health {
        let compared = activity.compared_ms;
        let (state, reason) = self.state(snapshot, activity, provider_error);
        Health { state, reason, compared_ago_ms: (compared > 0).then(|| (self.context.now_ms() - compared).max(0)) }
    }

    fn state(
        &self,
        snapshot: &Snapshot,
        activity: &Activity,
        provider_error: Option<String>,
    ) -> (&'static str, Option<String>) {
        let told = |text: &str| Some(text.to_owned());
        if self.context.store().is_corrupt() {
            return ("damaged", told("the index is damaged; `openclaw memory doctor` repairs it"));
        }
        if let Some(refusal) = self.context.store().refusal() {
            return ("read-only", Some(refusal.to_string()));
        }
        if activity.reading {
            return ("indexing", told("what changed on disk is being read"));
        }
        if let Some(error) = snapshot.update_error() {
            return ("failing", Some(error));
        }
        if self.foreign.load(Ordering::Acquire) {
            return ("foreign", told(owner::FOREIGN));
        }
        if let Some(stopped) = snapshot.notes_stopped() {
            return ("lost", told(stopped));
        }
        if let Some(warning) = lost::warning(snapshot.lost()) {
            return ("lost", Some(warning));
        }
        if activity.dirty {
            let reason = match snapshot.is_made {
                true if activity.behind => "the database has notes that this workspace did not get yet",
                true => "the disk has changed since the last update",
                false => "the index was cleared or never made; the next search or sync reads the notes",
            };
            return ("outdated", told(reason));
        }
        if activity.compared_ms == 0 {
            return ("unknown", told("the disk was not compared with the index yet"));
        }
        if let Some(error) = provider_error {
            return ("keywords", Some(error));
        }
        if !self.context.settings().settings.vector_enabled
            || self.context.provider().embedder().is_ok_and(|e| e.is_none())
        {
            return ("ready", None);
        }
        if let Some(refusal) = self.context.provider().model().and_then(|model| model.refusal()) {
            return ("keywords", Some(refusal.to_string()));
        }
        let (pending, chunks) = (snapshot.pending(), snapshot.chunks());
        if let Some((failure, _)) = snapshot.embedding_failure() {
            let state = if pending < chunks { "embedding" } else { "keywords" };
            return (state, Some(format!("{pending} of {chunks} chunks have no vector: {}", failure.message)));
        }
        if let Some(error) = snapshot.error_of(QUERY) {
            return ("keywords", Some(error.to_string()));
        }
        if pending > 0 {
            return ("embedding", Some(format!("{pending} of {chunks} chunks have no vector yet")));
        }
        ("ready", None)
    }

    /// Languages of the indexed text that the embedded model does not know, when it is the one in use: search by
    /// meaning says little about them, and keywords carry them. Blocks.
    pub(crate) fn unknown_languages(&self, embedder: Option<&dyn Embedder>) -> Result<Vec<UnknownLanguage>> {
        if embedder.is_none_or(|embedder| embedder.language() != Some(Language::English)) {
            return Ok(Vec::new());
        }
        let texts = self.context.store().read(|r| {
            let Some(live) = r.live()? else { return Ok(Vec::new()) };
            let ids = r.chunk_ids(live.id)?;
            let step = ids.len().div_ceil(SAMPLE).max(1);
            r.chunks(&ids.into_iter().step_by(step).collect::<Vec<_>>())
        })?;
        #[expect(clippy::cast_precision_loss, reason = "a share needs no exact counts")]
        let share = |count: usize| count as f64 / texts.len() as f64;
        let mut languages: Vec<UnknownLanguage> = uncovered(texts.iter().map(|chunk| &*chunk.text))
            .into_iter()
            .filter(|(_, count)| share(count.told) >= SHARE_TOLD)
            .map(|(language, count)| UnknownLanguage { language, share: share(count.likely) })
            .collect();
        languages.sort_by(|a, b| b.share.total_cmp(&a.share));
        Ok(languages)
    }
}

#[cfg(test)]
mod tests {
    use crate::services::testing::{Home, sync};

    #[tokio::test(flavor = "multi_thread")]
    async fn ready_is_said_only_after_a_comparison_that_found_nothing_to_do() {
        let home = Home::new(&[("memory/a.md", "The zebra sleeps."), ("MEMORY.md", "The tea is sencha.")]);
        let engine = home.open().await;
        let state = |status: &serde_json::Value| status["custom"]["health"]["state"].as_str().unwrap().to_owned();
        assert_eq!(state(&engine.status()), "unknown");
        let inspected = engine.indexer.inspect().await.unwrap();
        assert_eq!(state(&inspected["status"]), "outdated");
        assert_eq!(inspected["status"]["vector"]["available"], false, "nothing can be found by meaning yet");
        sync(&engine).await;
        let ready = engine.status();
        assert_eq!((state(&ready).as_str(), &ready["vector"]["available"]), ("ready", &true.into()));
        assert!(ready["custom"]["health"]["comparedAgoMs"].as_i64().is_some_and(|ago| (0..60_000).contains(&ago)));
        assert!(ready["custom"]["sizes"]["database"].as_u64().is_some_and(|bytes| bytes > 0));

        home.write("memory/new.md", "Another note.");
        assert_eq!(state(&engine.indexer.inspect().await.unwrap()["status"]), "outdated");
        std::fs::remove_file(home.workspace().join("memory/new.md")).unwrap();
        assert_eq!(
            state(&engine.indexer.inspect().await.unwrap()["status"]),
            "ready",
            "the disk is as the index has it again"
        );

        home.write("memory/bad.md", "A note the provider fails on: outage.");
        let report = engine
            .indexer
            .sync(
                crate::services::SyncCall { reason: "t".into(), force: false, text_only: true },
                model::cancel::Cancel::new(),
                None,
            )
            .await
            .unwrap();
        assert_eq!(report.changed, 1);
        let status = engine.status();
        assert_eq!(state(&status), "embedding", "{status}");
        assert_eq!(status["custom"]["health"]["reason"], "1 of 3 chunks have no vector yet");
        engine.release().await;
    }
}
