//! Messages that were passed on by whoever sent them, as hosts tell while one comes in. From 2026.8 they write nothing of it down
//! with the words, which are somebody else's; so this is kept beside the journal, also over a restart.

use std::path::Path;

use serde::{Deserialize, Serialize};

use model::{
    error::{Error, Result},
    own_file,
};

/// Name of the file in an agent's folder.
const FILE: &str = "forwarded.json";
/// Messages that are remembered; a host hands over no more of a conversation.
const MAX_MESSAGES: usize = 500;

/// A message that was passed on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forwarded {
    /// Fingerprint of its words.
    pub print: String,
    /// Its id in its channel, where the host told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// When it was sent, in milliseconds since the epoch.
    pub at: f64,
}

/// Notes one. Waits for no other process, because a hook of the host waits for it.
///
/// # Errors
/// When the file cannot be read or written.
pub fn note(folder: &Path, message: Forwarded) -> Result<()> {
    let mut known = all(folder)?;
    if known.contains(&message) {
        return Ok(());
    }
    known.push(message);
    known.drain(..known.len().saturating_sub(MAX_MESSAGES));
    let path = folder.join(FILE);
    let write = || {
        own_file::create_folder(folder).and_then(|()| own_file::replace_at_once(&path, &serde_json::to_vec(&known)?))
    };
    write().map_err(|error| Error::io(&path, &error))
}

/// Those that are known, oldest first; none of a file that cannot be understood.
///
/// # Errors
/// When the file cannot be read.
pub fn all(folder: &Path) -> Result<Vec<Forwarded>> {
    let bytes = own_file::read(&folder.join(FILE))?.unwrap_or_default();
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_passed_on_is_known_after_a_restart_and_the_oldest_go() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("agent");
        assert_eq!(all(&folder).unwrap(), []);
        let message = |n: usize| Forwarded { print: format!("p{n}"), id: Some(n.to_string()), at: n as f64 };
        for n in 0..MAX_MESSAGES + 2 {
            note(&folder, message(n)).unwrap();
            note(&folder, message(n)).unwrap();
        }
        let known = all(&folder).unwrap();
        assert_eq!((known.len(), &known[0]), (MAX_MESSAGES, &message(2)));
        std::fs::write(folder.join(FILE), "{").unwrap();
        assert_eq!(all(&folder).unwrap(), []);
    }
}
