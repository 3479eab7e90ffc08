//! When capture was on: what was said while it was off stays unheard once it is switched on, and so does what was said before
//! the plugin was there. Times alone tell, because a host hands over the whole conversation after each turn, and a process
//! that begins anew has seen none of it.
//!
//! Each process notes the spans in which it saw capture on. No span reaches over a time in which nobody looked: the plugin
//! may have been off then, in the same process where a host loads it anew. A file that is gone or cannot be read has heard
//! nothing.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};

use model::{
    error::{Error, Result},
    own_file,
};

/// Name of the file in an agent's folder.
const FILE: &str = "listening.json";
/// Spans that are remembered; what is older than all of them counts as unheard.
const MAX_SPANS: usize = 300;
/// Hosts write a message down so long before or after its turn is told of, in milliseconds, at most.
const AROUND_MS: i64 = 10_000;
/// A gateway looks so often, in milliseconds: what is said so soon after a look is said before the next, if one comes.
const LOOKED_EVERY_MS: i64 = 60_000;
/// Whoever has not looked for longer was asleep, or off without being told, in milliseconds.
const MAX_GAP_MS: i64 = 3 * LOOKED_EVERY_MS;

/// A time in which capture was on, in milliseconds since the epoch, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span(pub i64, pub i64);

/// When capture was on, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Listening {
    /// Of what was said then, facts are captured after each turn.
    pub turns: Vec<Span>,
    /// Of what was said then, facts are captured before a compaction.
    pub compactions: Vec<Span>,
}

/// What is captured by the settings of this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct On {
    /// Each turn.
    pub turns: bool,
    /// What a compaction takes away.
    pub compactions: bool,
}

/// What gives reason to look at the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Nothing but that time has passed, or that the gateway has begun.
    Now,
    /// A turn begins: its message is written down about now.
    Begin,
    /// A turn has ended whose message was said then, where the host tells.
    End(Option<i64>),
}

/// What this process has noted of an agent.
#[derive(Debug, Default)]
struct Noted {
    turns: Own,
    compactions: Own,
}

#[derive(Debug, Default)]
struct Own {
    /// Where the span begins that this process keeps open.
    from: Option<i64>,
    /// When it looked last.
    last: Option<i64>,
}

/// By the folders of the agents.
static NOTED: LazyLock<Mutex<HashMap<PathBuf, Noted>>> = LazyLock::new(Mutex::default);

/// Notes what is captured by the settings of this moment; gives when what was. Waits for no other process, because a hook of
/// the host waits: one that writes at the same time may lose a span of another, whose messages then stay unheard.
///
/// # Errors
/// When the file cannot be written.
pub fn note(folder: &Path, on: On, moment: Moment, now_ms: i64) -> Result<Listening> {
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    match note_of(noted.entry(folder.to_owned()).or_default(), folder, on, moment, now_ms) {
        // Who wants nothing captured need not hear of it.
        Err(_) if !on.turns && !on.compactions => Ok(Listening::default()),
        noted => noted,
    }
}

/// Capture is off from now on for all agents of this process: the plugin stops, and the process may keep its memory until the
/// host loads the plugin again.
pub fn stop(now_ms: i64) {
    let mut noted = NOTED.lock().unwrap_or_else(PoisonError::into_inner);
    for (folder, noted) in noted.iter_mut() {
        stop_of(noted, folder, now_ms);
    }
}

fn stop_of(noted: &mut Noted, folder: &Path, now_ms: i64) {
    // Where the file cannot be read or written, the spans end all the same: what is still in it reaches no further than now
    // and a few seconds.
    let _ = note_of(noted, folder, On { turns: false, compactions: false }, Moment::Now, now_ms);
    for own in [&mut noted.turns, &mut noted.compactions] {
        *own = Own { from: None, last: own.last.map(|_| now_ms) };
    }
}

fn note_of(noted: &mut Noted, folder: &Path, on: On, moment: Moment, now_ms: i64) -> Result<Listening> {
    let path = folder.join(FILE);
    let bytes = own_file::read(&path)?.unwrap_or_default();
    let before: Listening = serde_json::from_slice(&bytes).unwrap_or_default();
    let mut after = before.clone();
    noted.turns.look(&mut after.turns, on.turns, moment, now_ms);
    // What is captured after its turn may be so before a compaction as well.
    noted.compactions.look(&mut after.compactions, on.turns || on.compactions, moment, now_ms);
    if after != before {
        write(&path, &after).map_err(|e| Error::io(&path, &e))?;
    }
    Ok(after)
}

impl Own {
    fn look(&mut self, spans: &mut Vec<Span>, is_on: bool, moment: Moment, now: i64) {
        // A clock that was ahead has written what is not yet; nothing reaches further than its process has looked.
        spans.retain(|span| span.0 <= now);
        let latest = if is_on { now + AROUND_MS } else { now };
        for span in spans.iter_mut() {
            span.1 = span.1.min(latest);
        }
        let last = self.last.replace(now);
        if !is_on {
            self.from = None;
            return;
        }
        let unseen = last.filter(|last| self.from.is_some() && now - last > MAX_GAP_MS);
        if let Some(last) = unseen {
            // What was said just before the machine slept is heard.
            if let Some(span) = spans.iter_mut().find(|span| Some(span.0) == self.from) {
                span.1 = span.1.max(last + LOOKED_EVERY_MS);
            }
            self.from = None;
        }
        let until = if moment == Moment::Begin { now + AROUND_MS } else { now };
        let is_own = |span: &&mut Span| Some(span.0) == self.from;
        match spans.iter_mut().find(is_own) {
            Some(_) if moment == Moment::Now => {}
            Some(span) => span.1 = span.1.max(until),
            // None as yet, or somebody has taken all files away, and what was said before with them.
            None => {
                let from = match (moment, last) {
                    (Moment::Begin, _) => now - AROUND_MS,
                    // Some hosts do not tell of the beginning of each turn.
                    (Moment::End(said), None) => said.unwrap_or(now),
                    (Moment::End(Some(said)), _) if unseen.is_some() => said.max(now - MAX_GAP_MS),
                    (Moment::Now | Moment::End(_), _) => now,
                };
                let from = from.max(last.map_or(i64::MIN, |last| last + 1)).min(now);
                self.from = Some(from);
                spans.push(Span(from, until));
                spans.drain(..spans.len().saturating_sub(MAX_SPANS));
            }
        }
    }
}

/// In one step, but without waiting for the disk: after a power cut it may be gone, and nothing was heard then.
fn write(path: &Path, listening: &Listening) -> std::io::Result<()> {
    let text = serde_json::to_vec(listening)?;
    if let Some(folder) = path.parent() {
        own_file::create_folder(folder)?;
    }
    own_file::replace_at_once(path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: On = On { turns: true, compactions: false };
    const OFF: On = On { turns: false, compactions: false };
    const SECOND: i64 = 1000;

    /// Whether what was said then is heard.
    fn hears(spans: &[Span], at: i64) -> bool {
        spans.iter().any(|span| (span.0..=span.1).contains(&at))
    }

    /// The agent's folder, and a process that has seen nothing.
    fn begun() -> (tempfile::TempDir, Noted) {
        (tempfile::tempdir().unwrap(), Noted::default())
    }

    // All that was said while it was off was captured with the first message after it was switched on.
    #[test]
    fn what_is_said_while_it_is_off_stays_unheard() {
        let (dir, mut process) = begun();
        let mut note = |on, moment, at| note_of(&mut process, dir.path(), on, moment, at * SECOND).unwrap().turns;
        assert_eq!(note(OFF, Moment::Begin, 100), []);
        assert!(!dir.path().join(FILE).exists(), "nothing is written for those who want nothing");
        note(OFF, Moment::End(Some(100 * SECOND)), 101);
        // Switched on, and the next message follows at once.
        note(ON, Moment::Begin, 103);
        let heard = note(ON, Moment::End(Some(103 * SECOND)), 105);
        assert!(hears(&heard, 103 * SECOND) && !hears(&heard, 100 * SECOND + 500), "{heard:?}");
        // Off, and on again within the time that a host may take to write a message down.
        note(OFF, Moment::Begin, 107);
        note(OFF, Moment::End(Some(107 * SECOND + 1)), 108);
        note(ON, Moment::Begin, 110);
        let heard = note(ON, Moment::End(Some(110 * SECOND)), 111);
        assert!(hears(&heard, 104 * SECOND) && !hears(&heard, 107 * SECOND + 1) && hears(&heard, 110 * SECOND));
        // Switched on while the answer to what was said before was written.
        note(OFF, Moment::Begin, 120);
        let heard = note(ON, Moment::End(Some(120 * SECOND + 5)), 125);
        assert!(!hears(&heard, 120 * SECOND + 5), "{heard:?}");
    }

    #[test]
    fn what_was_said_before_a_restart_is_heard_and_what_was_said_without_the_plugin_is_not() {
        let (dir, mut first) = begun();
        let mut second = Noted::default();
        note_of(&mut first, dir.path(), ON, Moment::Now, 100 * SECOND).unwrap();
        // Killed before its turn ends.
        note_of(&mut first, dir.path(), ON, Moment::Begin, 200 * SECOND).unwrap();
        let heard = note_of(&mut second, dir.path(), ON, Moment::Now, 900 * SECOND).unwrap().turns;
        assert!(hears(&heard, 200 * SECOND + 50) && !hears(&heard, 500 * SECOND), "{heard:?}");
        // A process that saw no turn begin: hosts do not tell of each.
        let heard = note_of(&mut Noted::default(), dir.path(), ON, Moment::End(Some(950_000)), 960_000).unwrap().turns;
        assert!(hears(&heard, 950_000) && !hears(&heard, 949_999));
    }

    // Only the gateway's memory of it was left after `reset --everything`.
    #[test]
    fn after_all_files_are_gone_nothing_was_heard() {
        let (dir, mut process) = begun();
        note_of(&mut process, dir.path(), ON, Moment::Begin, 100 * SECOND).unwrap();
        note_of(&mut process, dir.path(), ON, Moment::End(None), 101 * SECOND).unwrap();
        std::fs::remove_file(dir.path().join(FILE)).unwrap();
        let heard = note_of(&mut process, dir.path(), ON, Moment::Begin, 105 * SECOND).unwrap().turns;
        assert_eq!(heard, [Span(101 * SECOND + 1, 115 * SECOND)]);
        std::fs::write(dir.path().join(FILE), "{").unwrap();
        assert!(!hears(
            &note_of(&mut process, dir.path(), ON, Moment::Begin, 200 * SECOND).unwrap().turns,
            105 * SECOND
        ));
    }

    #[test]
    fn a_clock_that_is_set_back_hears_what_is_said_then() {
        let (dir, mut process) = begun();
        note_of(&mut process, dir.path(), ON, Moment::Begin, 9000 * SECOND).unwrap();
        let heard = note_of(&mut process, dir.path(), ON, Moment::Begin, 100 * SECOND).unwrap().turns;
        assert!(hears(&heard, 100 * SECOND), "{heard:?}");
    }

    // A gateway that reloads its plugins keeps its memory: the span that was open before reached over all of the time off.
    #[test]
    fn what_is_said_while_the_plugin_is_disabled_stays_unheard_in_the_same_process() {
        let (dir, mut process) = begun();
        note_of(&mut process, dir.path(), ON, Moment::Begin, 100 * SECOND).unwrap();
        note_of(&mut process, dir.path(), ON, Moment::End(Some(100 * SECOND)), 104 * SECOND).unwrap();
        stop_of(&mut process, dir.path(), 106 * SECOND);
        let kept: Listening = serde_json::from_slice(&std::fs::read(dir.path().join(FILE)).unwrap()).unwrap();
        assert!(hears(&kept.turns, 100 * SECOND) && !hears(&kept.turns, 107 * SECOND), "{kept:?}");
        let heard = note_of(&mut process, dir.path(), ON, Moment::Begin, 160 * SECOND).unwrap();
        for spans in [heard.turns, heard.compactions] {
            assert!(hears(&spans, 100 * SECOND) && hears(&spans, 160 * SECOND), "{spans:?}");
            assert!(!hears(&spans, 107 * SECOND) && !hears(&spans, 149 * SECOND), "{spans:?}");
        }
        // Off for a moment, and a host that tells of no beginning.
        stop_of(&mut process, dir.path(), 170 * SECOND);
        let heard = note_of(&mut process, dir.path(), ON, Moment::End(Some(171 * SECOND)), 172 * SECOND).unwrap().turns;
        assert!(!hears(&heard, 171 * SECOND), "{heard:?}");
        // A file that cannot be read keeps no span open.
        std::fs::remove_file(dir.path().join(FILE)).unwrap();
        std::fs::create_dir(dir.path().join(FILE)).unwrap();
        stop_of(&mut process, dir.path(), 180 * SECOND);
        assert_eq!((process.turns.from, process.turns.last), (None, Some(180 * SECOND)));
    }

    #[test]
    fn stopping_reaches_every_agent_of_the_process() {
        let (dir, _) = begun();
        note(dir.path(), ON, Moment::Begin, 100 * SECOND).unwrap();
        stop(101 * SECOND);
        let heard = note(dir.path(), ON, Moment::Begin, 200 * SECOND).unwrap().turns;
        assert!(hears(&heard, 100 * SECOND) && !hears(&heard, 150 * SECOND), "{heard:?}");
    }

    // Nobody told that the plugin was off, or the machine slept.
    #[test]
    fn a_time_in_which_nobody_looked_is_unheard_and_what_was_said_just_before_it_is_not() {
        let (dir, mut process) = begun();
        let mut note = |moment, at| note_of(&mut process, dir.path(), ON, moment, at * SECOND).unwrap().turns;
        note(Moment::Now, 100);
        note(Moment::Now, 160);
        // Said at 200, and then it slept.
        let heard = note(Moment::Begin, 9000);
        assert!(
            hears(&heard, 150 * SECOND) && hears(&heard, 200 * SECOND) && hears(&heard, 8995 * SECOND),
            "{heard:?}"
        );
        assert!(!hears(&heard, 300 * SECOND) && !hears(&heard, 8900 * SECOND), "{heard:?}");
        // It is looked at each minute: one span.
        for at in 1..=10 {
            note(Moment::Now, 9000 + 60 * at);
        }
        let heard = note(Moment::Begin, 9610);
        assert!(hears(&heard, 9300 * SECOND), "{heard:?}");
        // A host that tells of no beginning, in a process that looks at no time of its own.
        let heard = note(Moment::End(Some(20_000 * SECOND)), 20_060);
        assert!(hears(&heard, 20_000 * SECOND) && !hears(&heard, 19_999 * SECOND), "{heard:?}");
        let heard = note(Moment::End(Some(25_000 * SECOND)), 30_000);
        assert!(!hears(&heard, 25_000 * SECOND), "{heard:?}");
    }

    #[test]
    fn turns_and_compactions_are_switched_by_themselves() {
        let (dir, mut process) = begun();
        let only = On { turns: false, compactions: true };
        let heard = note_of(&mut process, dir.path(), only, Moment::Begin, 100 * SECOND).unwrap();
        assert!(heard.turns.is_empty() && hears(&heard.compactions, 100 * SECOND));
        let heard = note_of(&mut process, dir.path(), ON, Moment::Begin, 200 * SECOND).unwrap();
        assert!(!hears(&heard.turns, 100 * SECOND) && hears(&heard.turns, 200 * SECOND));
        assert!(hears(&heard.compactions, 150 * SECOND), "it was on all the time");
    }

    #[test]
    fn old_spans_give_way() {
        let dir = tempfile::tempdir().unwrap();
        let many = MAX_SPANS as i64 + 20;
        for n in 1..=many {
            note_of(&mut Noted::default(), dir.path(), ON, Moment::Now, n * 100 * SECOND).unwrap();
        }
        let heard = note_of(&mut Noted::default(), dir.path(), ON, Moment::Now, many * 100 * SECOND + 1).unwrap();
        assert_eq!(heard.turns.len(), MAX_SPANS);
    }
}
