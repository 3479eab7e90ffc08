//! Conversations in which active memory is paused. What a user chose is no part of the index, which may be deleted at any
//! time: it is a small file of our own, of hashes only.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::capture::jsonl;
use model::error::Result;

/// Conversations that are remembered; the oldest go first.
const MOST: usize = 10_000;
/// The file, in the agent's folder.
const FILE: &str = "active-memory-off.jsonl";

/// Where the paused conversations of an agent are.
#[must_use]
pub fn file(agent_folder: &Path) -> PathBuf {
    agent_folder.join(FILE)
}

/// What a conversation is remembered by.
#[must_use]
pub fn key(session_key: &str) -> String {
    hex::encode(Sha256::digest(session_key.as_bytes()))
}

/// Whether a conversation is paused.
///
/// # Errors
/// When the file cannot be read.
pub fn is_off(file: &Path, session_key: &str) -> Result<bool> {
    let key = entry(&key(session_key));
    Ok(file.exists() && jsonl::all(file)?.contains(&key))
}

/// Pauses conversations, or goes on with them.
///
/// # Errors
/// When the file cannot be written.
pub fn set(file: &Path, keys: &[String], off: bool) -> Result<()> {
    if !off && !file.exists() {
        return Ok(());
    }
    jsonl::update(file, |mut lines| {
        let entries: Vec<String> = keys.iter().map(|key| entry(key)).collect();
        lines.retain(|line| !entries.contains(line));
        if off {
            lines.extend(entries);
        }
        let surplus = lines.len().saturating_sub(MOST);
        Some(lines.split_off(surplus))
    })
}

fn entry(key: &str) -> String {
    format!("{{\"key\":\"{key}\"}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_outlives_the_process_and_ends() {
        let dir = tempfile::tempdir().unwrap();
        let file = file(dir.path());
        assert!(!is_off(&file, "agent:main:main").unwrap());
        set(&file, &[key("agent:main:main")], false).unwrap();
        assert!(!file.exists());
        for _ in 0..2 {
            set(&file, &[key("agent:main:main"), key("agent:main:direct:ana")], true).unwrap();
        }
        assert!(is_off(&file, "agent:main:main").unwrap() && is_off(&file, "agent:main:direct:ana").unwrap());
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.lines().count() == 2 && !text.contains("ana"));
        set(&file, &[key("agent:main:main")], false).unwrap();
        assert!(!is_off(&file, "agent:main:main").unwrap() && is_off(&file, "agent:main:direct:ana").unwrap());
        let many: Vec<String> = (0..MOST).map(|n| n.to_string()).collect();
        set(&file, &many, true).unwrap();
        assert!(!is_off(&file, "agent:main:direct:ana").unwrap());
    }
}
