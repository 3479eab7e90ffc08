//! A search from the outside: the query's vector within the time limit, then the ranking on a worker thread.

use std::{
    pin::pin,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;

use super::{
    super::{
        context::Service,
        iso,
        telemetry::{QUERY, TEXT},
    },
    Searcher,
    meaning::{English, InEnglish, Meaning, Understood},
    queries::without_reserve,
    scope,
};
use crate::{
    index::lost::{self, LostFolder},
    workspace::roots::Roots,
};
use ::search::{
    Vectors,
    confine::{Confine, Wish},
    factors::View,
    search_in,
    types::{Answer, Degraded, Request},
};
use model::{
    cancel::Cancel,
    clock::now_ms,
    config::settings::{OnOutage, Ranking, Settings},
    error::{Code, Error, Result},
    source::Source,
};
use text::query::QueryPlan;

/// After this long, or a quarter of the time limit, the words are searched beside the rest, so that there is something
/// to answer with when the limit comes.
const SLOW: Duration = Duration::from_millis(500);

/// Score of what is found in English beside notes in the language of the question, at least: that those say nothing speaks
/// for there being nothing. Measured in docs/ranking.md.
const SURE_IN_ENGLISH: f64 = 0.6;

/// Longest wait for a look at the folders of notes.
const GLANCE: Duration = Duration::from_millis(200);

/// What is said when a search goes without meaning.
const ONLY_WORDS: &str = "Meaning was not searched, only words";
/// What is said when nothing, or not all, was found because the operating system refused notes.
const UNREAD: &str = "The notes could not all be read";
/// What is said when the first pass over the notes takes longer than a search.
const STILL_READING: &str = "The notes are still being read for the first time: more is found in a while";

/// Rankings at a time, over all engines of the process: one core is left to the event loop. With one more, 32 searches
/// at once on two cores delay it by 4.9 ms instead of 1.9 at p99.
static TURNS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Semaphore::new(cores.saturating_sub(1).max(1))
});

/// What a search is asked; absent values come from the settings.
#[derive(Debug, Clone)]
pub struct SearchCall {
    /// The question.
    pub query: String,
    /// The question, understood already.
    pub understood: Option<Arc<QueryPlan>>,
    /// Most results.
    pub max_results: Option<usize>,
    /// Results that are left out because whoever asks has them, the first of all; only the native ranking can.
    pub after: usize,
    /// Characters of what each result says best, beside its snippet; only the native ranking tells.
    pub excerpt: Option<usize>,
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
    /// Keys of the projects that are worked on.
    pub active_projects: Vec<String>,
    /// Ids of the conversations that the asker may see; none = those that the settings let anybody search.
    pub conversations: Option<Vec<String>>,
    /// Days and paths that it is confined to.
    pub wish: Wish,
}

impl SearchCall {
    /// A search of the notes with the settings' values. Conversations hold every fact before it is captured, and what
    /// strangers said.
    #[must_use]
    pub fn of_notes() -> Self {
        Self {
            query: String::new(),
            understood: None,
            max_results: None,
            after: 0,
            excerpt: None,
            min_score: None,
            sources: vec![Source::Memory],
            lexical_only: false,
            explain: false,
            deadline_ms: None,
            now_ms: now_ms(),
            session_key: None,
            active_projects: Vec::new(),
            conversations: None,
            wish: Wish::default(),
        }
    }
}

impl Searcher {
    /// Searches. Never starts a scan and never waits for one, but for the very first text pass of an empty index. When
    /// the time limit comes first the answer is what was found until then, marked as partial.
    ///
    /// # Errors
    /// When cancelled, closed, or when the store cannot be read. A provider that fails or is slow is no error: the
    /// answer is then marked as partial and says why.
    pub async fn search(self: &Arc<Self>, call: SearchCall, cancel: Cancel) -> Result<Answer> {
        let since = Instant::now();
        let resolved = self.context.settings();
        let query = &resolved.settings.query;
        let limit = Duration::from_millis(call.deadline_ms.unwrap_or(query.deadline_ms));
        let cancel = cancel.within(limit);
        let text = call.query.trim().to_owned();
        let Some(sources) = scope::sources(&call, &resolved.settings).filter(|_| !text.is_empty()) else {
            return Ok(Answer::nothing());
        };
        if call.after > 0 && query.ranking != Ranking::Native {
            return Err(Error::new(
                Code::Argument,
                "only the ranking \"native\" can go on after results that are known",
            )
            .remedy("Leave `after` out, and ask for more results instead"));
        }
        let clock = (call.now_ms, &*resolved.settings.zone_name());
        let confine = Confine::of(&call.wish, call.conversations, &resolved.settings.workspace_dir, clock)?;
        let request = Request {
            query: text,
            understood: call.understood,
            max_results: call.max_results.unwrap_or_else(|| query.most_results()).max(1),
            after: call.after,
            budget: query.budget().filter(|_| call.max_results.is_none()),
            excerpt: call.excerpt,
            min_score: call.min_score.or(query.min_score),
            sources,
            confine: confine.map(Arc::new),
            lexical_only: call.lexical_only || !resolved.settings.vector_enabled,
            explain: call.explain,
            now_ms: call.now_ms,
            curated: Arc::new(View::of(&call.active_projects)),
        };
        let whole = self.search_all(&request, call.session_key.as_deref(), since, &cancel);
        let words = self.words_when_slow(&request, limit, since, &cancel);
        let mut answer = within(limit, whole, words).await;
        if self.fails_without_meaning() && answer.as_ref().is_ok_and(|a| a.code == Some(Code::Deadline.as_str())) {
            answer = Err(late(limit));
        }
        if answer.as_ref().is_err_and(|error| !matches!(error.code(), Code::Cancelled | Code::Closed)) {
            self.indexer.check_soundness();
        }
        answer
    }

    /// The whole search: meaning within most of the time limit, then the ranking.
    async fn search_all(
        self: &Arc<Self>,
        request: &Request,
        session_key: Option<&str>,
        since: Instant,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let mut first = self.indexer.ensure_indexed(&without_reserve(cancel)).await;
        if let Err(error) = &first
            && matches!(error.code(), Code::Cancelled | Code::Closed)
        {
            return Err(error.clone());
        }
        let _searching = self.indexer.searching();
        self.indexer.warm_up(session_key);
        if self.context.settings().settings.sync.on_search && self.indexer.is_behind() {
            self.indexer.sync_in_background();
        }
        let (answer, lost) = tokio::join!(self.meant_and_ranked(request, since, cancel), self.lost_folders());
        let (mut answer, mut failure) = answer?;
        if answer.hits.is_empty() && self.blocking(|searcher, _| searcher.indexer.was_cleared()).await? {
            first = self.indexer.ensure_indexed(&without_reserve(cancel)).await;
            (answer, failure) = self.meant_and_ranked(request, Instant::now(), cancel).await?;
        }
        let mut answer = answer.beside(lost::warning(&lost));
        if let Some(fault) = first.err().or_else(|| self.reading_fault()) {
            if fault.code() != Code::Deadline && answer.hits.is_empty() {
                return Err(fault.context("nothing was found, because the notes could not be read"));
            }
            answer = if fault.code() == Code::Deadline {
                Answer {
                    partial: true,
                    warning: Some(STILL_READING.to_owned()),
                    code: Some(fault.code().as_str()),
                    ..answer
                }
            } else {
                answer.impaired(UNREAD, &fault)
            };
        }
        if answer.hits.is_empty()
            && let Some(fault) = self.blocking(|searcher, _| searcher.indexer.unreadable_note()).await?
        {
            answer = answer.impaired(UNREAD, &fault);
        }
        match failure {
            Some(error) if self.fails_without_meaning() => Err(error),
            Some(error) => Ok(Answer { degraded: Some(self.degraded(&error)), ..answer.impaired(ONLY_WORDS, &error) }),
            None => Ok(answer),
        }
    }

    /// The ranking by words and meaning, and why meaning takes no part where it should.
    async fn meant_and_ranked(
        self: &Arc<Self>,
        request: &Request,
        since: Instant,
        cancel: &Cancel,
    ) -> Result<(Answer, Option<Error>)> {
        if !request.lexical_only {
            self.read_vectors_meanwhile();
        }
        // As the index is known first. Where it is another one by now, the question means something else.
        for of in [None, Some(Instant::now())] {
            let (meaning, failure) = match request.lexical_only {
                true => (None, None),
                false => match self.meaning(&request.query, InEnglish::WhenForeign, of, cancel).await {
                    Ok(meaning) => (meaning, None),
                    Err(error) if error.code() == Code::Cancelled => return Err(error),
                    Err(error) => (None, Some(error)),
                },
            };
            let may_ask = request.after == 0 && meaning.as_ref().is_some_and(|m| m.english == English::NotAsked);
            if let Some(mut answer) = self.rank(request, meaning, Some(&TURNS), since, cancel).await? {
                if may_ask && answer.hits.is_empty() {
                    answer = self.asked_in_english(request, since, cancel).await?.unwrap_or(answer);
                }
                return Ok((answer, failure));
            }
        }
        Err(Error::new(Code::Busy, "the index was replaced again and again").remedy("Ask again"))
    }

    /// What answers a question that no note in its own language does, where notes in English stand beside those and the
    /// model knows nothing else; none where that cannot be told.
    async fn asked_in_english(
        self: &Arc<Self>,
        request: &Request,
        since: Instant,
        cancel: &Cancel,
    ) -> Result<Option<Answer>> {
        let asked = async {
            let meaning = self.meaning(&request.query, InEnglish::WhenBeside, None, cancel).await?;
            let Some(meaning) = meaning.filter(|meaning| meaning.english == English::Asked) else { return Ok(None) };
            let least = request.min_score.map_or(SURE_IN_ENGLISH, |least| least.max(SURE_IN_ENGLISH));
            let request = Request { min_score: Some(least), ..request.clone() };
            self.rank(&request, Some(meaning), Some(&TURNS), since, cancel).await
        };
        match asked.await {
            Err(error) if error.code() == Code::Cancelled => Err(error),
            // What was found before, or was not, is the answer then.
            Err(_) => Ok(None),
            Ok(answer) => Ok(answer.filter(|answer| !answer.hits.is_empty())),
        }
    }

    /// Whether an answer by words alone is none.
    fn fails_without_meaning(&self) -> bool {
        self.context.settings().settings.on_outage == OnOutage::Fail
    }

    /// What an answer by words alone says about it.
    fn degraded(&self, error: &Error) -> Degraded {
        let since_ms = self.telemetry.since(QUERY).unwrap_or_else(now_ms);
        Degraded {
            provider: self.context.settings().settings.provider.id.clone(),
            reason: error.message.clone(),
            since: iso(since_ms),
            action: error.remedy.clone(),
        }
    }

    /// Folders of notes that are lost, as far as the last pass and a glance tell. A file system that does not answer
    /// holds up no search.
    async fn lost_folders(self: &Arc<Self>) -> Vec<LostFolder> {
        let folders = self.telemetry.folders();
        let known = folders.lost.clone();
        let look = self.blocking(move |_, settings| Ok(folders.glance(&Roots::of(settings))));
        match tokio::time::timeout(GLANCE, look).await {
            Ok(Ok(lost)) => {
                // Whoever asks for the state after this answer hears the same.
                self.telemetry.note_lost(lost.clone());
                lost
            }
            _ => known,
        }
    }

    /// The first time all vectors are read: while the provider is asked what the query means. Whoever answers by words waits
    /// for neither.
    fn read_vectors_meanwhile(self: &Arc<Self>) {
        if !matches!(self.context.provider().embedder(), Ok(Some(_))) {
            return;
        }
        if let Some(mut cold) = self.context.store().cold_vector_turn() {
            let searcher = Arc::clone(self);
            tokio::spawn(async move {
                let load = move |searcher: &Arc<Self>, _: &Settings| cold.current(searcher.context.store()).map(drop);
                // Whoever needs them reads them again, and says why that fails.
                drop(searcher.blocking(load).await);
            });
        }
    }

    /// What kept the last pass over the disk from ending well.
    fn reading_fault(&self) -> Option<Error> {
        self.telemetry.error_of(TEXT)
    }

    /// The answer by words alone, once a search takes long enough that it may be needed.
    async fn words_when_slow(
        self: &Arc<Self>,
        request: &Request,
        limit: Duration,
        since: Instant,
        cancel: &Cancel,
    ) -> Result<Answer> {
        if request.lexical_only || self.fails_without_meaning() {
            // The whole search does just that, or words alone are no answer.
            return std::future::pending().await;
        }
        tokio::time::sleep(SLOW.min(limit / 4)).await;
        // Not behind what is slow.
        Ok(self.rank(request, None, None, since, cancel).await?.unwrap_or_else(Answer::nothing))
    }

    /// Ranks on a worker thread, in its turn, the index as it was after `since`. Those who wait for the vectors in memory take
    /// no turn. None where what the question means was found out for an index that is another one by now.
    async fn rank(
        self: &Arc<Self>,
        request: &Request,
        meaning: Option<Meaning>,
        turns: Option<&'static Semaphore>,
        since: Instant,
        cancel: &Cancel,
    ) -> Result<Option<Answer>> {
        let mut vectors = match meaning {
            Some(_) => Some(self.context.store().vector_turn().await),
            None => None,
        };
        // The first time all vectors are read, which takes a second or two with 100,000 of them: not in a turn.
        if let Some(mut cold) = vectors.take_if(|vectors| vectors.is_cold()) {
            let load = move |searcher: &Arc<Self>, _: &Settings| cold.current(searcher.context.store()).map(|_| cold);
            vectors = Some(self.blocking(load).await?);
        }
        let turn = match turns {
            Some(turns) => turns.acquire().await.ok(),
            None => None,
        };
        let (request, cancel) = (request.clone(), cancel.clone());
        self.blocking(move |searcher, settings| {
            let _turn = turn;
            let store = searcher.context.store();
            let is_by_meaning = meaning.is_some();
            let (query, line, of) = meaning.map_or((None, None, None), |m| (Some(m.query), m.line, m.of));
            store.look(&cancel, Some(since), |look| {
                if let Some(of) = of.as_ref().filter(|_| look.is_of_one_moment())
                    && !look.read(|reader| of.holds(&searcher.context, reader))?
                {
                    return Ok(None);
                }
                let Some(sources) = look.read(|r| scope::still_indexed(&request.sources, settings, r))? else {
                    return Ok(Some(Answer::nothing()));
                };
                let index = if is_by_meaning { look.vectors(vectors.take())? } else { None };
                let vectors = Vectors {
                    query: query.as_ref().map(Understood::as_query).filter(|_| index.is_some()),
                    index: index.as_ref(),
                    line: line.as_ref().map(|(key, query)| (key.as_str(), query.as_query())),
                };
                let curated = request.curated.with(searcher.curated_files_in(look, settings)?.entries());
                let request = Request { sources, curated: Arc::new(curated), ..request.clone() };
                let mut answer = look.read(|reader| search_in(reader, vectors, settings, &request))?;
                searcher.describe(look, &mut answer.hits, &request.curated)?;
                Ok(Some(answer))
            })
        })
        .await
    }
}

fn late(limit: Duration) -> Error {
    Error::new(Code::Deadline, format!("the time limit of {} ms passed first", limit.as_millis()))
}

/// The whole answer; when the time limit comes first, that by words, or none at all, marked as partial.
async fn within(
    limit: Duration,
    whole: impl Future<Output = Result<Answer>>,
    words: impl Future<Output = Result<Answer>>,
) -> Result<Answer> {
    let passed = tokio::time::sleep(limit);
    let (mut whole, mut words, mut passed) = (pin!(whole), pin!(words), pin!(passed));
    let mut by_words = None;
    loop {
        tokio::select! {
            biased;
            answer = &mut whole => match answer {
                Err(error) if error.code() == Code::Deadline => break,
                answer => return answer,
            },
            answer = &mut words, if by_words.is_none() => by_words = Some(answer),
            () = &mut passed => break,
        }
    }
    let late = late(limit);
    match by_words {
        Some(Ok(answer)) => Ok(answer.impaired(ONLY_WORDS, &late)),
        // Not a limit: the words cannot be searched at all.
        Some(Err(error)) if error.code() != Code::Deadline => Err(error),
        _ => {
            let late = late.remedy("Nothing found says nothing here; ask again");
            Ok(Answer::nothing().impaired("Memory was not searched", &late))
        }
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
