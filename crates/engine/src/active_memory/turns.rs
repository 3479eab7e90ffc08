//! The turns of a process: what each is shown, which calls are under way, and what becomes of their answers. Nothing
//! here waits; the clock is handed in. Whoever calls asks the model, and stops waiting at the deadline.

use std::{collections::HashMap, num::NonZeroUsize};

use lru::LruCache;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use text::recall_block::{self, Item};

use super::{
    answer::{self, Pick, Summary},
    block,
    breaker::{self, Breaker, Gate, Suspended},
    cache::{Cache, Key},
    grounding,
    intent::Intent,
    lane::{Lane, lane, stands_out},
    prompt,
};
use crate::capture::queue::Message;
use ::search::types::Hit;
use model::config::{active_memory::Answer, automatic::Automatic};

/// Most calls under way in a process, and most of them that missed their limit.
const MOST_CALLS: usize = 4;
const MOST_LATE: usize = 2;
/// How long a late answer may be used, in milliseconds.
const LATE_MS: i64 = 120_000;
/// Sessions with a late answer, and runs whose outcome is remembered.
const MOST_SESSIONS: NonZeroUsize = NonZeroUsize::new(1000).unwrap();
/// A call of which nothing was heard for this long after its time is gone, in milliseconds.
const GONE_MS: u64 = 5000;
/// Most of the passages that a pick shows, in characters.
const MOST_SHOWN: usize = 700;

/// A turn, after everything that may not be shown in it was taken out.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Whose.
    pub agent_id: String,
    /// In which conversation.
    pub session: String,
    /// The same for every time that this prompt is built.
    #[serde(default)]
    pub run: Option<String>,
    /// The user's words.
    pub message: String,
    /// What was said before them, oldest first.
    #[serde(default)]
    pub before: Vec<Message>,
    /// What the message asks memory for.
    pub intent: Option<Intent>,
    /// Passages that may be shown, best first.
    pub candidates: Vec<Hit>,
    /// Those of them that the search itself finds fitting.
    pub fitting: Vec<Hit>,
    /// Which model answers, by which way.
    pub model: String,
    /// What the configuration says about asking it.
    pub policy: String,
    /// The tools with which it searches by itself; none where it is asked once over the passages.
    #[serde(default)]
    pub tools: Vec<String>,
}

/// What a turn is shown, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// Its name.
    pub status: &'static str,
    /// How it was served.
    pub lane: Lane,
    /// For the prompt.
    pub block: Option<String>,
    /// Whether the answer was known already.
    pub cached: bool,
    /// Characters of what is shown.
    pub chars: usize,
    /// What is shown, on one line, for a person who traces.
    pub shown: String,
}

/// A model to ask.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    /// For what is told of it later.
    pub ticket: u32,
    /// The task.
    pub system: String,
    /// The data.
    pub prompt: String,
    /// Longest answer.
    pub max_tokens: u32,
    /// Whether the reply goes on at once, without waiting.
    pub beside: bool,
    /// What the turn is shown without an answer.
    pub fallback: Outcome,
}

/// What to do for a turn.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Step {
    /// Nothing more.
    Done(Outcome),
    /// Ask, within the time limit.
    Ask(Box<Ask>),
}

/// How a call ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The model or the way to it failed.
    Failed,
    /// The host does not let us.
    NotAuthorized,
    /// It was given up after its time.
    GivenUp,
}

/// What an answer comes to.
#[derive(Debug, Clone)]
enum Known {
    Nothing,
    Passages(Vec<Hit>),
    Line(String),
}

#[derive(Debug)]
struct Call {
    session: String,
    run: Option<String>,
    key: Key,
    breaker: String,
    policy: String,
    passages: Vec<Hit>,
    fallback: Outcome,
    settings: Automatic,
    until_ms: i64,
    /// Whether the reply no longer waits.
    is_late: bool,
    is_beside: bool,
    /// Whether it searches by itself.
    is_agent: bool,
}

#[derive(Debug)]
struct Late {
    known: Known,
    passages: Vec<Hit>,
    at_ms: i64,
}

/// The turns of a process.
#[derive(Debug)]
pub struct Turns {
    cache: Cache<Known>,
    breaker: Breaker,
    calls: HashMap<u32, Call>,
    late: LruCache<String, Late>,
    runs: LruCache<String, Outcome>,
    next: u32,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            cache: Cache::default(),
            breaker: Breaker::default(),
            calls: HashMap::new(),
            late: LruCache::new(MOST_SESSIONS),
            runs: LruCache::new(MOST_SESSIONS),
            next: 0,
        }
    }
}

impl Turns {
    /// A turn begins.
    pub fn begin(&mut self, settings: &Automatic, turn: Turn, now_ms: i64) -> Step {
        self.calls.retain(|_, call| now_ms < call.until_ms);
        let run = turn.run.as_ref().map(|run| format!("{}\n{run}", turn.session));
        if let Some(known) = run.as_ref().and_then(|run| self.runs.get(run)) {
            return Step::Done(Outcome { cached: true, ..known.clone() });
        }
        let step = self.serve(settings, turn, run.clone(), now_ms);
        if let (Some(run), Step::Done(outcome)) = (run, &step) {
            self.runs.put(run, outcome.clone());
        }
        step
    }

    /// The models of an agent that are not asked now.
    #[must_use]
    pub fn suspended(&self, agent: &str, now_ms: i64) -> Vec<Suspended> {
        self.breaker.suspended(agent, now_ms)
    }

    fn serve(&mut self, settings: &Automatic, turn: Turn, run: Option<String>, now_ms: i64) -> Step {
        let own = &settings.active_memory;
        let late = self.late.pop(&turn.session).filter(|late| now_ms - late.at_ms <= LATE_MS);
        if let Some(late) = late.filter(|late| follows_up(late, &turn.candidates)) {
            return Step::Done(Outcome { cached: true, ..outcome(&late.known, "late", Lane::Model) });
        }
        let native = native(settings, &turn.fitting);
        let best = turn.candidates.first().map(|hit| hit.score);
        let fits = |hit: &Hit| turn.fitting.iter().any(|fitting| fitting.overlaps(hit));
        let stands_out = stands_out(turn.candidates.iter().map(|hit| (hit.score, fits(hit))));
        match lane(own, best, turn.intent, stands_out) {
            Lane::None => return Step::Done(outcome(&Known::Nothing, NOTHING_FOUND, Lane::None)),
            Lane::Native => return Step::Done(native),
            Lane::Model => {}
        }
        let is_agent = !turn.tools.is_empty();
        let request = if is_agent {
            prompt::of_agent(own, &turn.tools, &turn.message, &turn.before)
        } else {
            prompt::request(own, &turn.candidates, &turn.message, &turn.before)
        };
        let key = key(&turn, &request, own.answer);
        if let Some(known) = self.cache.get(&key, now_ms) {
            return Step::Done(Outcome { cached: true, ..answered(&known) });
        }
        let with = |status: &'static str| Outcome { status, ..native.clone() };
        let breaker = breaker::key(&turn.agent_id, &turn.model);
        let gate = self.breaker.gate(&breaker, &turn.policy, now_ms);
        match gate {
            Gate::Open => return Step::Done(with("circuit-breaker")),
            Gate::Refused => return Step::Done(with("not-authorized")),
            Gate::Closed | Gate::Probe => {}
        }
        if self.is_busy(&turn.session) {
            return Step::Done(with("busy"));
        }
        self.next = self.next.wrapping_add(1);
        let ticket = self.next;
        let beside = gate == Gate::Probe;
        let time = own.timeout_ms + own.late_ms + GONE_MS;
        // An agent that finds what the search has found may say so.
        let most = if is_agent { own.max_passages } else { request.passages };
        let passages: Vec<Hit> = turn.candidates.into_iter().take(most).collect();
        let call = Call {
            session: turn.session,
            run,
            key,
            breaker,
            policy: turn.policy,
            passages,
            fallback: native.clone(),
            settings: settings.clone(),
            until_ms: now_ms.saturating_add_unsigned(time),
            is_late: false,
            is_beside: beside,
            is_agent,
        };
        self.calls.insert(ticket, call);
        let fallback = if beside { with("circuit-breaker") } else { native };
        let prompt::Request { system, prompt, max_tokens, .. } = request;
        Step::Ask(Box::new(Ask { ticket, system, prompt, max_tokens, beside, fallback }))
    }

    fn is_busy(&self, session: &str) -> bool {
        let late = self.calls.values().filter(|call| call.is_late).count();
        self.calls.len() >= MOST_CALLS || late >= MOST_LATE || self.calls.values().any(|call| call.session == session)
    }

    /// The reply no longer waits for a call: what the turn is shown instead, and whether the call may run on.
    pub fn timed_out(&mut self, ticket: u32, now_ms: i64) -> Option<(Outcome, bool)> {
        let late = self.calls.values().filter(|call| call.is_late).count();
        let call = self.calls.get_mut(&ticket)?;
        call.is_late = true;
        let outcome = Outcome { status: "timeout", ..call.fallback.clone() };
        let runs_on = late < MOST_LATE && call.settings.active_memory.late_ms > 0;
        if let Some(run) = &call.run {
            self.runs.put(run.clone(), outcome.clone());
        }
        let own = call.settings.active_memory.clone();
        let key = call.breaker.clone();
        self.breaker.timed_out(&key, &own, now_ms);
        if !runs_on {
            self.calls.remove(&ticket);
        }
        Some((outcome, runs_on))
    }

    /// A call answered. What the turn is shown, when its reply still waits. `seen`: what an agent's tools gave it.
    pub fn answered(&mut self, ticket: u32, text: &str, seen: &[String], now_ms: i64) -> Option<Outcome> {
        let call = self.calls.remove(&ticket)?;
        let own = &call.settings.active_memory;
        let read = read(&call, text, seen);
        // What is no answer is a failure too; one that says more than the notes came from a model that works.
        match &read {
            _ if call.is_late => {}
            Err(UNUSABLE) => self.breaker.failed(&call.breaker, own, now_ms),
            _ => self.breaker.succeeded(&call.breaker),
        }
        let known = match read {
            Ok(known) => known,
            Err(status) => {
                return (!call.is_late && !call.is_beside)
                    .then(|| self.remember(&call, Outcome { status, ..call.fallback.clone() }));
            }
        };
        let bytes = size(&known);
        self.cache.put(call.key, known.clone(), bytes, now_ms.saturating_add_unsigned(own.cache_ttl_ms));
        if call.is_late || call.is_beside {
            if !matches!(known, Known::Nothing) {
                self.late.put(call.session, Late { known, passages: call.passages, at_ms: now_ms });
            }
            return None;
        }
        Some(self.remember(&call, answered(&known)))
    }

    /// A call ended without an answer. What the turn is shown, when its reply still waits.
    pub fn failed(&mut self, ticket: u32, failure: Failure, now_ms: i64) -> Option<Outcome> {
        let call = self.calls.remove(&ticket)?;
        match failure {
            Failure::NotAuthorized => self.breaker.refused(&call.breaker, &call.policy),
            // Its time-out counted already; a probe has none.
            Failure::GivenUp | Failure::Failed if call.is_late => {}
            Failure::GivenUp => self.breaker.timed_out(&call.breaker, &call.settings.active_memory, now_ms),
            Failure::Failed => self.breaker.failed(&call.breaker, &call.settings.active_memory, now_ms),
        }
        if call.is_late || call.is_beside {
            return None;
        }
        let status = if failure == Failure::NotAuthorized { "not-authorized" } else { "failed" };
        Some(self.remember(&call, Outcome { status, ..call.fallback.clone() }))
    }

    fn remember(&mut self, call: &Call, outcome: Outcome) -> Outcome {
        if let Some(run) = &call.run {
            self.runs.put(run.clone(), outcome.clone());
        }
        outcome
    }

    /// Calls under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.calls.len()
    }
}

/// The status of a turn whose model answered with something else than it was asked for.
const UNUSABLE: &str = "unusable";

/// The status of a turn whose model said more than what it had before it.
const UNGROUNDED: &str = "ungrounded";

/// The status of a turn for which there was nothing.
const NOTHING_FOUND: &str = "no_relevant_memory";

/// What an answer comes to, or the status of one that is of no use.
fn read(call: &Call, text: &str, seen: &[String]) -> Result<Known, &'static str> {
    let own = &call.settings.active_memory;
    // Who has looked nothing up remembers nothing, and does not know that there is nothing.
    if call.is_agent && seen.is_empty() {
        return Err(UNGROUNDED);
    }
    let form = if call.is_agent { Answer::Summary } else { own.answer };
    match form {
        Answer::Pick => match answer::pick(text, call.passages.len()) {
            Pick::None => Ok(Known::Nothing),
            Pick::Passages(picked) => Ok(Known::Passages(shown(&call.passages, &picked))),
            Pick::Unusable => Err(UNUSABLE),
        },
        Answer::Summary => match answer::summary(text, own.max_summary_chars) {
            Summary::None => Ok(Known::Nothing),
            Summary::Unusable => Err(UNUSABLE),
            Summary::Line(line) => {
                let found = call.passages.iter().map(|hit| hit.snippet.as_str());
                let passages: Vec<&str> = found.clone().chain(seen.iter().map(String::as_str)).collect();
                if let Some(line) = grounding::grounded(&line, &passages) {
                    return Ok(Known::Line(line));
                }
                // What the model put in other words is told by the passages themselves.
                let told = shown(&call.passages, &grounding::told_of(&line, &found.collect::<Vec<_>>()));
                if told.is_empty() { Err(UNGROUNDED) } else { Ok(Known::Passages(told)) }
            }
        },
    }
}

/// Picked passages, as many as there is room for, and the first whatever its length.
fn shown(passages: &[Hit], picked: &[usize]) -> Vec<Hit> {
    let mut left = MOST_SHOWN;
    let mut hits: Vec<Hit> = Vec::new();
    for hit in picked.iter().filter_map(|at| passages.get(*at)) {
        let length = hit.snippet.chars().count();
        if length > left && !hits.is_empty() {
            break;
        }
        left = left.saturating_sub(length);
        hits.push(hit.clone());
    }
    hits
}

/// Whether a turn goes on where a late answer belongs: the search finds one of its passages, unchanged.
fn follows_up(late: &Late, candidates: &[Hit]) -> bool {
    let passages = match &late.known {
        Known::Passages(hits) => hits,
        Known::Line(_) => &late.passages,
        Known::Nothing => return false,
    };
    passages.iter().any(|hit| candidates.iter().any(|found| found.path == hit.path && found.snippet == hit.snippet))
}

fn native(settings: &Automatic, fitting: &[Hit]) -> Outcome {
    let places: Vec<String> =
        fitting.iter().map(|hit| format!("{}#L{}-L{}", hit.path, hit.start_line, hit.end_line)).collect();
    let items: Vec<Item<'_>> =
        fitting.iter().zip(&places).map(|(hit, place)| Item { place, text: &hit.snippet, score: hit.score }).collect();
    let block = recall_block::render(&items, settings.auto_recall_max_chars);
    let status = if block.is_some() { "ok" } else { NOTHING_FOUND };
    let texts = || fitting.iter().map(|hit| hit.snippet.as_str());
    Outcome { status, lane: Lane::Native, block, cached: false, chars: chars(texts()), shown: line(texts()) }
}

fn answered(known: &Known) -> Outcome {
    let status = if matches!(known, Known::Nothing) { NOTHING_FOUND } else { "ok" };
    outcome(known, status, Lane::Model)
}

fn outcome(known: &Known, status: &'static str, lane: Lane) -> Outcome {
    let (block, texts) = match known {
        Known::Nothing => (None, Vec::new()),
        Known::Passages(hits) => {
            (block::passages(&hits.iter().collect::<Vec<_>>()), hits.iter().map(|hit| hit.snippet.as_str()).collect())
        }
        Known::Line(text) => (Some(block::summary(text)), vec![text.as_str()]),
    };
    let chars = chars(texts.iter().copied());
    Outcome { status, lane, block, cached: false, chars, shown: line(texts.into_iter()) }
}

fn chars<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).sum()
}

fn line<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    text::shown::as_line(&texts.collect::<Vec<_>>().join(" | "))
}

fn size(known: &Known) -> usize {
    match known {
        Known::Nothing => 64,
        Known::Passages(hits) => hits.iter().map(|hit| hit.snippet.len() + hit.path.len() + 128).sum(),
        Known::Line(text) => text.len() + 64,
    }
}

fn key(turn: &Turn, request: &prompt::Request, answer: Answer) -> Key {
    let mut hash = Sha256::new();
    for part in [&turn.agent_id, &turn.session, &turn.model, &request.system, &request.prompt] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    // Only a part of a long passage is sent; what is shown is all of it. An agent is sent none, and finds what is there.
    let most = if turn.tools.is_empty() { request.passages } else { usize::MAX };
    for hit in turn.candidates.iter().take(most) {
        hash.update(hit.snippet.as_bytes());
        hash.update(hit.start_line.to_le_bytes());
    }
    hash.update([u8::from(answer == Answer::Summary)]);
    hash.finalize().into()
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
