//! The voice of the engine: what any crate says with `tracing` reaches the host's logger, not too often and without
//! private text, and the last warnings are kept for `status`.

mod outline;
mod subscriber;

use std::{
    collections::VecDeque,
    sync::{Arc, Once},
};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tracing::Level;

use model::clock::now_ms;
use subscriber::Event;

/// How long the same message about the same agent with the same code is not told again, in milliseconds.
const SILENCE_MS: i64 = 10 * 60_000;

/// Most messages that are remembered.
const REMEMBERED: usize = 64;

/// How long `status` shows a warning, in milliseconds: a week.
const KEPT_MS: i64 = 7 * 24 * 3_600_000;

/// Most warnings that `status` shows.
const SHOWN: usize = 10;

/// What the host's logger is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// `error`, `warn`, `info` or `debug`.
    pub level: &'static str,
    /// Whose memory it is about; none when it is about all.
    pub agent: Option<String>,
    /// What happened, why, and what to do about it.
    pub text: String,
}

/// Gives a line to a logger; false when that is gone.
pub type Sink = Arc<dyn Fn(Line) -> bool + Send + Sync>;

/// A warning as `status` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// `error` or `warn`.
    pub level: String,
    /// What happened, why, and what to do about it.
    pub message: String,
    /// How often.
    pub count: u32,
    /// When it was first said, in milliseconds since the epoch.
    pub since_ms: i64,
    /// When it was last said.
    pub at_ms: i64,
}

/// What was said, and how often.
struct Said {
    event: Event,
    count: u32,
    since_ms: i64,
    at_ms: i64,
    /// When the host's logger was last told.
    told_ms: i64,
    /// How often it was said since.
    untold: u32,
}

/// Where lines go, and what was said.
#[derive(Default)]
struct Voice {
    /// Of which thread, and its logger; the first that lives is told.
    sinks: Vec<(u64, Sink)>,
    /// What was said last is at the end.
    said: VecDeque<Said>,
}

static VOICE: Mutex<Voice> = Mutex::new(Voice { sinks: Vec::new(), said: VecDeque::new() });

/// Makes what is said be heard, once in a process.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails when somebody else in the process listens already; that one hears it then.
        let _ = tracing::subscriber::set_global_default(subscriber::Subscriber::new(hear));
    });
}

/// Tells everything from now on to the logger of a thread, in place of the one that the thread gave before.
pub fn tell(thread: u64, sink: Sink) {
    listen();
    let mut voice = VOICE.lock();
    voice.sinks.retain(|(known, _)| *known != thread);
    voice.sinks.push((thread, sink));
}

/// The last warnings about an agent and about all, the latest first.
pub(crate) fn warnings(agent: &str) -> Vec<Warning> {
    VOICE.lock().warnings(agent)
}

/// Two lists of warnings as one, without old ones: of the same warning the later knowledge counts.
pub(crate) fn merged(mut own: Vec<Warning>, stored: &[Warning], now_ms: i64) -> Vec<Warning> {
    for other in stored {
        match own.iter_mut().find(|known| known.message == other.message && known.level == other.level) {
            Some(known) if known.at_ms < other.at_ms => *known = other.clone(),
            Some(_) => {}
            None => own.push(other.clone()),
        }
    }
    own.retain(|warning| now_ms.saturating_sub(warning.at_ms) < KEPT_MS);
    own.sort_by_key(|warning| std::cmp::Reverse(warning.at_ms));
    own.truncate(SHOWN);
    own
}

fn hear(event: Event) {
    let (line, sinks) = {
        let mut voice = VOICE.lock();
        let Some(line) = voice.note(event, now_ms()) else { return };
        (line, voice.sinks.clone())
    };
    // Not under the lock: a logger may ask for the status.
    let gone: Vec<u64> =
        sinks.into_iter().take_while(|(_, sink)| !sink(line.clone())).map(|(thread, _)| thread).collect();
    if !gone.is_empty() {
        VOICE.lock().sinks.retain(|(thread, _)| !gone.contains(thread));
    }
}

impl Voice {
    /// Remembers an event; gives the line to tell, unless it was told a short while ago.
    fn note(&mut self, event: Event, now_ms: i64) -> Option<Line> {
        let known = self.said.iter().position(|said| said.event.is_like(&event)).and_then(|at| self.said.remove(at));
        let mut said = known.unwrap_or_else(|| Said {
            event: event.clone(),
            count: 0,
            since_ms: now_ms,
            at_ms: now_ms,
            told_ms: i64::MIN,
            untold: 0,
        });
        said.count = said.count.saturating_add(1);
        said.at_ms = now_ms;
        said.event = event;
        // A clock that was set back must not silence it for long.
        let rests = said.told_ms <= now_ms && now_ms.saturating_sub(said.told_ms) < SILENCE_MS;
        let line = if rests {
            said.untold += 1;
            None
        } else {
            let more = match std::mem::take(&mut said.untold) {
                0 => String::new(),
                times => format!(" (and {times} times since it was last said)"),
            };
            said.told_ms = now_ms;
            let Event { agent, text, .. } = &said.event;
            Some(Line { level: said.event.level_name(), agent: agent.clone(), text: format!("{text}{more}") })
        };
        self.said.push_back(said);
        if self.said.len() > REMEMBERED {
            self.said.pop_front();
        }
        line
    }

    fn warnings(&self, agent: &str) -> Vec<Warning> {
        let concerns = |said: &&Said| {
            said.event.level <= Level::WARN && said.event.agent.as_deref().is_none_or(|whose| whose == agent)
        };
        let shown = |said: &Said| Warning {
            level: said.event.level_name().to_owned(),
            message: said.event.text.clone(),
            count: said.count,
            since_ms: said.since_ms,
            at_ms: said.at_ms,
        };
        self.said.iter().rev().filter(concerns).take(SHOWN).map(shown).collect()
    }
}

#[cfg(test)]
mod tests;
