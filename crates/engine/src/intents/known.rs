//! The lines of a file as they were read: a reply waits while all are, and nearly all are those of the message before.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, OnceLock},
};

use foldhash::fast::RandomState;
use parking_lot::Mutex;

use super::{intent::StandingIntent, matching::Watched};

/// What the lines of a file say.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The intents.
    pub intents: Vec<StandingIntent>,
    /// What each of them waits for.
    pub waiting: Vec<Waiting>,
    /// Lines that are none.
    pub others: Vec<String>,
}

/// What an intent waits for, taken apart when a message is first held against it: one that is over never is.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<OnceLock<Watched>>);

impl Waiting {
    pub(super) fn of(&self, intent: &StandingIntent) -> &Watched {
        self.0.get_or_init(|| Watched::of(intent))
    }
}

type Known = HashMap<String, (StandingIntent, Waiting), RandomState>;

/// Of each file the lines that it had, however many: what were too many for it would be read anew with each message.
static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);
/// Files of which they are remembered; an agent has one.
const MOST_FILES: usize = 100;

/// Reads the lines of a file. Of two intents with one id, as an editor or a merge may leave them, the later counts: cancelling
/// the one would leave the other armed.
pub(super) fn read(path: &Path, lines: Vec<String>) -> Lines {
    let mut files = KNOWN.lock();
    if files.len() >= MOST_FILES && !files.contains_key(path) {
        files.clear();
    }
    let mut before = files.remove(path).unwrap_or_default();
    let mut known = Known::default();
    let mut out = Lines::default();
    let mut places: HashMap<String, usize, RandomState> = HashMap::default();
    for line in lines {
        let read = known.remove(&line).or_else(|| before.remove(&line));
        let Some((intent, waiting)) = read.or_else(|| Some((parsed(&line)?, Waiting::default()))) else {
            out.others.push(line);
            continue;
        };
        known.insert(line, (intent.clone(), waiting.clone()));
        if let Some(&at) = places.get(&intent.id) {
            (out.intents[at], out.waiting[at]) = (intent, waiting);
        } else {
            places.insert(intent.id.clone(), out.intents.len());
            out.intents.push(intent);
            out.waiting.push(waiting);
        }
    }
    files.insert(path.to_owned(), known);
    out
}

/// Keeps nothing in memory of a file.
pub(super) fn forget(path: &Path) {
    KNOWN.lock().remove(path);
}

/// The intent of a line.
pub(super) fn parsed(line: &str) -> Option<StandingIntent> {
    serde_json::from_str(line).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line(id: usize) -> String {
        let mut intent = json!({
            "id": id.to_string(), "description": "", "triggerKeywords": ["boat"], "status": "armed", "expiresAt": 1,
            "maxFires": 3, "fireCount": 0, "cooldownSeconds": 0, "createdAt": 0,
        });
        for absent in ["channelScope", "senderScope", "creatorSender", "lastFiredAt", "sourceSessionId"] {
            intent[absent] = serde_json::Value::Null;
        }
        intent.to_string()
    }

    // Above five thousand lines all were parsed anew with every message, above 20,000 keywords all were taken apart anew, and
    // a reply that had waited for a second was shown nothing.
    #[test]
    fn what_is_read_again_is_known_however_much_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let lines = || (0..6000).map(line).chain(["# no intent".to_owned()]).collect::<Vec<_>>();
        let first = read(dir.path(), lines());
        assert_eq!((first.intents.len(), first.others.len()), (6000, 1));
        let second = read(dir.path(), lines());
        let is_same = |(a, b): (&Waiting, &Waiting)| Arc::ptr_eq(&a.0, &b.0);
        assert!(first.waiting.iter().zip(&second.waiting).all(is_same));
        // What the file has no more is not kept.
        read(dir.path(), vec![line(1)]);
        assert_eq!(KNOWN.lock()[dir.path()].len(), 1);
        forget(dir.path());
        assert!(!KNOWN.lock().contains_key(dir.path()));
    }
}
