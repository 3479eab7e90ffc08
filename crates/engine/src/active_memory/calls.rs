//! The calls that a user wants to see afterwards: what was asked and answered, a line each, without secrets. Only its owner
//! can read them, nothing indexes them, and they go after a week.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use text::redact::redact;

use crate::capture::jsonl;
use model::{
    config::{active_memory::ActiveMemory, automatic::own_folder},
    error::{Code, Error, Result},
};

/// How long a day's calls are kept, and most bytes of them.
const KEPT: Duration = Duration::from_hours(7 * 24);
const MOST_BYTES: u64 = 20 << 20;

/// A call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// When, in the user's words.
    pub at: String,
    /// How the turn was served.
    pub lane: String,
    /// The style in force.
    pub style: String,
    /// Which model.
    pub model: String,
    /// What was asked.
    pub prompt: String,
    /// What was answered.
    pub answer: String,
    /// What was shown of it.
    pub shown: String,
    /// How long the turn waited, in milliseconds.
    pub ms: u64,
    /// How it ended.
    pub status: String,
}

/// Where the calls of an agent are kept.
#[must_use]
pub fn folder(state_dir: &Path, agent_id: &str, settings: &ActiveMemory) -> PathBuf {
    own_folder(state_dir).join("active-memory").join(agent_id).join(&settings.transcript_dir)
}

/// Keeps a call in the file of its day, and lets go of what is old. `day` is its date.
///
/// # Errors
/// When the file cannot be written.
pub fn keep(folder: &Path, day: &str, mut call: Kept) -> Result<()> {
    for text in [&mut call.prompt, &mut call.answer, &mut call.shown] {
        *text = redact(text).into_owned();
    }
    let line = serde_json::to_string(&call).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
    jsonl::append(&folder.join(format!("{day}.jsonl")), &line)?;
    prune(folder, SystemTime::now()).map_err(|error| Error::io(folder, &error))
}

/// Removes our files that are older than a week, and the oldest while all are too large.
fn prune(folder: &Path, now: SystemTime) -> std::io::Result<()> {
    let mut files: Vec<(PathBuf, SystemTime, u64)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let data = entry.metadata()?;
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit()) && name.ends_with(".jsonl"));
        if data.is_file() && is_ours {
            files.push((entry.path(), data.modified()?, data.len()));
        }
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    let mut total: u64 = files.iter().map(|(_, _, bytes)| bytes).sum();
    for (path, modified, bytes) in files {
        let is_old = now.duration_since(modified).is_ok_and(|age| age > KEPT);
        if is_old || total > MOST_BYTES {
            std::fs::remove_file(path)?;
            total -= bytes;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_kept_without_secrets_and_goes_after_a_week() {
        let dir = tempfile::tempdir().unwrap();
        let folder = folder(dir.path(), "main", &ActiveMemory::default());
        assert!(folder.ends_with("memory-core-rs/active-memory/main/active-memory"));
        let call = Kept {
            at: "2026-11-20T09:00".into(),
            lane: "model".into(),
            style: "balanced".into(),
            model: "fake/chat".into(),
            prompt: "my key is AKIAIOSFODNN7EXAMPLE".into(),
            answer: "1".into(),
            shown: "tea".into(),
            ms: 42,
            status: "ok".into(),
        };
        keep(&folder, "2026-11-20", call).unwrap();
        let file = folder.join("2026-11-20.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains("[redacted:") && !text.contains("AKIAIOSFODNN7EXAMPLE"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        std::fs::write(folder.join("notes.jsonl"), "not ours").unwrap();
        prune(&folder, SystemTime::now() + KEPT + Duration::from_secs(60)).unwrap();
        assert!(!file.exists() && folder.join("notes.jsonl").exists());
    }
}
