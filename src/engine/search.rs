//! A search from the outside: the query's vector within the time limit, then the ranking on a worker thread.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use lru::LruCache;
use parking_lot::Mutex;

use super::Engine;
use crate::{
    cancel::Cancel,
    config::settings::{Ranking, Settings},
    embed::{Embedded, Embedder, Purpose},
    error::{Code, Error, Result},
    index::session_pass::Scope,
    search::{
        Vectors, search,
        types::{Answer, Request, Source},
    },
};

/// Query vectors kept, so that a repeated question costs nothing.
const KEPT_QUERIES: std::num::NonZeroUsize = std::num::NonZeroUsize::new(64).unwrap();

/// Of the time limit, what is kept for the keyword leg when the provider is slow: a quarter, at most this.
const RESERVE: Duration = Duration::from_secs(2);

/// Longest query that is embedded, in characters; a longer one says nothing more.
pub(super) const MAX_QUERY_CHARS: usize = 2000;

/// What a search is asked; absent values come from the settings.
#[derive(Debug, Clone)]
pub struct SearchCall {
    /// The question.
    pub query: String,
    /// Most results.
    pub max_results: Option<usize>,
    /// Lowest score.
    pub min_score: Option<f64>,
    /// Which sources; empty = all.
    pub sources: Vec<Source>,
    /// Keyword leg only.
    pub lexical_only: bool,
    /// Whether hits say why they are there.
    pub explain: bool,
    /// Time limit in milliseconds.
    pub deadline_ms: Option<u64>,
    /// "Now" in milliseconds since the epoch.
    pub now_ms: i64,
    /// The conversation in which it is asked; the first search of each brings the index up to date (E3).
    pub session_key: Option<String>,
}

/// Vectors of recent queries, by space and text.
pub(super) type QueryVectors = Mutex<LruCache<(String, String), Arc<Vec<f32>>>>;

/// An empty cache.
pub(super) fn query_vectors() -> QueryVectors {
    Mutex::new(LruCache::new(KEPT_QUERIES))
}

impl Engine {
    /// Searches. Never starts a scan and never waits for one, but for the very first text pass of an empty index.
    ///
    /// # Errors
    /// When cancelled, closed, or when the store cannot be read. A provider that fails or is slow is no error: the
    /// answer is then marked as partial and says why.
    pub async fn search(self: &Arc<Self>, call: SearchCall, cancel: Cancel) -> Result<Answer> {
        let resolved = self.settings();
        let query = &resolved.settings.query;
        let cancel = cancel.within(Duration::from_millis(call.deadline_ms.unwrap_or(query.deadline_ms)));
        let text = call.query.trim().to_owned();
        if text.is_empty() {
            return Ok(Answer { hits: Vec::new(), mode: "fts-only", partial: false, warning: None });
        }
        self.first_sync(&cancel).await;
        self.warm_up(call.session_key.as_deref());
        if resolved.settings.sync.on_search && self.dirty.load(Ordering::Acquire) && !self.texts.is_running() {
            self.sync_in_background();
        }
        let (vector, warning) = if call.lexical_only || !resolved.settings.vector_enabled {
            (None, None)
        } else {
            match self.query_vector(&text, &cancel).await {
                Ok(vector) => (vector, None),
                Err(error) if error.code == Code::Cancelled => return Err(error),
                Err(error) => (None, Some(error)),
            }
        };
        let line = if vector.is_some() && query.ranking == Ranking::Native {
            self.line_vector(&text, &cancel).await
        } else {
            None
        };
        let request = Request {
            query: text,
            max_results: call.max_results.unwrap_or(query.max_results).max(1),
            min_score: call.min_score.or(query.min_score),
            sources: call.sources,
            lexical_only: call.lexical_only,
            explain: call.explain,
            now_ms: call.now_ms,
        };
        let answer = self
            .blocking(move |engine, settings| {
                let arena = if vector.is_some() { engine.arena.get(&engine.store)? } else { None };
                let vector = vector.as_ref().map(|v| v.as_slice()).filter(|_| arena.is_some());
                let vectors = Vectors {
                    arena: arena.as_deref(),
                    query: vector,
                    line: line.as_ref().map(|(key, vector)| (key.as_str(), vector.as_slice())),
                };
                search(&engine.store, vectors, settings, &request, &cancel)
            })
            .await;
        if answer.is_err() {
            self.check_soundness();
        }
        let mut answer = answer?;
        if let Some(error) = warning {
            answer.partial = true;
            answer.warning = Some(format!("Meaning was not searched, only words: {error}"));
        }
        Ok(answer)
    }

    /// The first text pass of an index that never had one, within the time limit of the search.
    async fn first_sync(self: &Arc<Self>, cancel: &Cancel) {
        if self.indexed.load(Ordering::Acquire) {
            return;
        }
        let holds_something = |engine: &Arc<Self>, _: &Settings| {
            engine.store.read(|r| r.live()?.map_or(Ok(false), |live| Ok(r.chunk_count(live.id)? > 0)))
        };
        if self.blocking(holds_something).await.unwrap_or(false) {
            self.indexed.store(true, Ordering::Release);
            return;
        }
        // A failure is kept for `status`; the search then answers from what there is.
        if self.sync_text(false, Scope::None, cancel, None).await.is_ok() {
            self.indexed.store(true, Ordering::Release);
            // Vectors, and years of conversations, come after the answer.
            self.sync_sessions_in_background(Scope::All);
        }
    }

    /// The vector of a query in the space that is searched; none when there is nothing to compare it with.
    async fn query_vector(self: &Arc<Self>, text: &str, cancel: &Cancel) -> Result<Option<Arc<Vec<f32>>>> {
        let active = self.blocking(|engine, _| engine.store.read(|r| r.active_space())).await?;
        let embedder = self.provider().embedder()?;
        let (Some(active), Some(embedder)) = (active, embedder) else { return Ok(None) };
        let key = embedder.space().key();
        if active.key != key {
            return Err(Error::new(Code::ProviderUnavailable, "the notes are still being embedded with the new model")
                .remedy("Nothing to do: searches by meaning come back when it is done"));
        }
        let text: String = text.chars().take(MAX_QUERY_CHARS).collect();
        self.remembered(key, text, &embedder, cancel).await.map(Some)
    }

    /// The vector of a query in the space of the line vectors, with the key of that space; none when there are none.
    async fn line_vector(self: &Arc<Self>, text: &str, cancel: &Cancel) -> Option<(String, Arc<Vec<f32>>)> {
        let embedder = self.provider().line_embedder()?;
        let key = embedder.space().key();
        let wanted = key.clone();
        let has_lines = move |engine: &Arc<Self>, _: &Settings| {
            engine.store.read(|r| r.space(&wanted)?.map_or(Ok(false), |space| r.has_line_vectors(space.id)))
        };
        if !self.blocking(has_lines).await.ok()? {
            return None;
        }
        let text: String = text.chars().take(MAX_QUERY_CHARS).collect();
        // Finer evidence only: without it the chunk's meaning and the words decide.
        let vector = self.remembered(key.clone(), text, &embedder, cancel).await.ok()?;
        Some((key, vector))
    }

    /// The vector of a query in the space of `key`, asked for once.
    pub(super) async fn remembered(
        self: &Arc<Self>,
        key: String,
        text: String,
        embedder: &Arc<dyn Embedder>,
        cancel: &Cancel,
    ) -> Result<Arc<Vec<f32>>> {
        if let Some(vector) = self.queries.lock().get(&(key.clone(), text.clone())) {
            return Ok(Arc::clone(vector));
        }
        let vector = Arc::new(self.embed_query(embedder, &text, cancel).await?);
        self.queries.lock().put((key, text), Arc::clone(&vector));
        Ok(vector)
    }

    async fn embed_query(
        self: &Arc<Self>,
        embedder: &Arc<dyn Embedder>,
        text: &str,
        cancel: &Cancel,
    ) -> Result<Vec<f32>> {
        let own = Duration::from_millis(self.settings().settings.provider.query_timeout_ms);
        let limit = cancel.remaining().map_or(own, |left| own.min(left.saturating_sub((left / 4).min(RESERVE))));
        let texts = [text.to_owned()];
        let asked = tokio::time::timeout(limit, embedder.embed(&texts, Purpose::Query, limit));
        let outcome = tokio::select! {
            outcome = asked => outcome,
            () = cancelled(cancel) => return Err(Error::new(Code::Cancelled, "the call was cancelled")),
        };
        let (engine, spent) = (Arc::clone(self), Arc::clone(embedder));
        // The answer does not wait for the writer.
        tokio::spawn(async move { engine.book_usage(&*spent, 0).await });
        match outcome {
            Err(_) => Err(Error::new(Code::ProviderUnavailable, "the embedding provider did not answer in time")
                .remedy("Check the provider, or raise `query.deadlineMs`")),
            Ok(Err(error)) => Err(error),
            Ok(Ok(mut vectors)) => match vectors.pop() {
                Some(Embedded::Vector(vector)) => Ok(vector),
                Some(Embedded::Refused(reason)) => Err(Error::new(Code::ProviderInput, reason)),
                None => Err(Error::new(Code::ProviderResponse, "the embedding provider gave no vector")),
            },
        }
    }
}

/// Ends when the caller cancels; the deadline does not count.
async fn cancelled(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
