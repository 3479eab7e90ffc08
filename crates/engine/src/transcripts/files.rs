//! The transcript files of an agent, and which conversations they belong to. Stat only, but for the host's small index.

use std::{
    collections::HashMap,
    fs,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;
use serde::Deserialize;

use super::kind;
use crate::workspace::{
    guard,
    roots::Located,
    skipped::{SkipCode, Skipped},
};
use model::{config::memory_policy::SessionFacts, stamp::mtime_ns};

/// First part of the paths of transcripts in results, as in memory-core.
pub(crate) const ROOT: &str = "sessions";

/// The host's list of conversations, beside the transcripts.
const INDEX_NAME: &str = "sessions.json";

/// Largest such list that is read, in bytes.
const MAX_INDEX_BYTES: u64 = 128 * 1024 * 1024;

/// A transcript that a reset or a deletion has set aside; hosts from 2026.8 on pack it.
static ARCHIVED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<live>.+\.jsonl)\.(?:reset|deleted)\.\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d{3})?Z(?:\.[0-9a-f]{32})?(?:\.zst)?$").ok()
});

/// A transcript file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TranscriptFile {
    /// `sessions/<agent>/<name>`.
    pub path: String,
    /// Where it is, with the folder trusted and the name not.
    pub located: Located,
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since the epoch.
    pub mtime_ns: i64,
    /// Name that it had while the conversation went on, for one that was set aside.
    pub archived_from: Option<String>,
}

impl TranscriptFile {
    /// Its own name.
    #[must_use]
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// What a look at an agent's transcripts gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Transcripts {
    /// Sorted by path.
    pub files: Vec<TranscriptFile>,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
    /// The folder could not be looked at, so that a missing file says nothing.
    pub uncertain: bool,
}

/// The path of a session of an agent in results.
#[must_use]
pub fn display(agent_id: &str, name: &str) -> String {
    format!("{ROOT}/{agent_id}/{name}")
}

/// The folder of an agent's transcripts.
#[must_use]
pub fn folder(state_dir: &Path, agent_id: &str) -> PathBuf {
    state_dir.join("agents").join(agent_id).join("sessions")
}

/// Looks at an agent's transcripts. A missing folder is an empty one.
#[must_use]
pub(crate) fn discover(state_dir: &Path, agent_id: &str) -> Transcripts {
    let base = folder(state_dir, agent_id);
    let mut found = Transcripts::default();
    let entries = match fs::read_dir(&base) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return found,
        Err(error) => {
            found.uncertain = true;
            let path = format!("{ROOT}/{agent_id}");
            found.skipped.push(Skipped { path, code: SkipCode::Unreadable, reason: error.to_string() });
            return found;
        }
    };
    for entry in entries {
        let Ok(entry) = entry else {
            found.uncertain = true;
            continue;
        };
        let name = entry.file_name();
        let Some((name, archived_from)) = name.to_str().and_then(|n| Some((n, transcript_name(n)?))) else { continue };
        let path = display(agent_id, name);
        match entry.path().symlink_metadata() {
            Ok(metadata) if metadata.is_file() => found.files.push(TranscriptFile {
                path,
                located: Located { base: base.clone(), below: name.into() },
                size: metadata.len(),
                mtime_ns: mtime_ns(&metadata),
                archived_from: archived_from.map(str::to_owned),
            }),
            Ok(metadata) if metadata.is_symlink() => {
                let reason = "a symbolic link; links are not followed".to_owned();
                found.skipped.push(Skipped { path, code: SkipCode::Link, reason });
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                found.uncertain = true;
                found.skipped.push(Skipped { path, code: SkipCode::Unreadable, reason: error.to_string() });
            }
        }
    }
    found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Whether a name is that of a transcript, and from which name it was set aside. Snapshots of a running conversation,
/// recordings of runs and backups hold nothing that a transcript does not.
fn transcript_name(name: &str) -> Option<Option<&str>> {
    if let Some(found) = ARCHIVED.as_ref()?.captures(name) {
        let live = found.name("live")?.as_str();
        return transcript_name(live).map(|_| Some(live));
    }
    let copy = name.contains(".checkpoint.") || name.contains(".trajectory.") || name.contains(".pre-doctor-");
    (name.ends_with(".jsonl") && name.len() > ".jsonl".len() && !copy).then_some(None)
}

/// What the host's list says about a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Key of the conversation.
    pub key: String,
    /// Why it is left out, when it is no conversation of a person.
    pub machine: Option<&'static str>,
    /// Its channel, where the list says it.
    pub channel: Option<String>,
    /// Its kind, where the list says it.
    pub chat_type: Option<String>,
    /// The source of the hook that began it, where the list says it.
    pub hook_source: Option<String>,
}

impl Owner {
    /// What the user's policy compares.
    #[must_use]
    pub fn facts(&self) -> SessionFacts<'_> {
        SessionFacts {
            key: Some(&self.key),
            hook_source: self.hook_source.as_deref(),
            channel: self.channel.as_deref(),
            chat_type: self.chat_type.as_deref(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    session_id: Option<String>,
    session_file: Option<String>,
    spawned_by: Option<String>,
    heartbeat_isolated_base_session_key: Option<String>,
    chat_type: Option<String>,
    channel: Option<String>,
    last_channel: Option<String>,
    hook_external_content_source: Option<String>,
}

/// Conversations by the name of their transcript. A list that cannot be read is an empty one: transcripts are then
/// judged by what they hold.
#[must_use]
pub(crate) fn owners(state_dir: &Path, agent_id: &str) -> HashMap<String, Owner> {
    let located = Located { base: folder(state_dir, agent_id), below: INDEX_NAME.into() };
    let mut bytes = Vec::new();
    let read = guard::open(&located).is_ok_and(|file| file.take(MAX_INDEX_BYTES).read_to_end(&mut bytes).is_ok());
    let entries: HashMap<String, serde_json::Value> =
        if read { serde_json::from_slice(&bytes).unwrap_or_default() } else { HashMap::new() };
    let mut owners = HashMap::with_capacity(entries.len());
    for (key, value) in entries {
        let Ok(entry) = Entry::deserialize(value) else { continue };
        let name = match (&entry.session_file, &entry.session_id) {
            (Some(file), _) if !file.trim().is_empty() => file.rsplit(['/', '\\']).next().map(str::to_owned),
            (_, Some(id)) => Some(format!("{}.jsonl", id.trim())),
            _ => None,
        };
        let Some(name) = name else { continue };
        let machine = kind::machine_session(&key)
            .or_else(|| entry.spawned_by.filter(|by| !by.trim().is_empty()).map(|_| "a sub-agent"))
            .or_else(|| entry.heartbeat_isolated_base_session_key.map(|_| "a heartbeat"));
        // Several keys may lead to one transcript; when one of them is a person's, so is the conversation.
        let keep = owners.get(&name).is_some_and(|known: &Owner| known.machine.is_none());
        if !keep {
            let channel = entry.channel.or(entry.last_channel);
            let (chat_type, hook_source) = (entry.chat_type, entry.hook_external_content_source);
            owners.insert(name, Owner { key, machine, channel, chat_type, hook_source });
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcripts_are_told_from_everything_else_in_their_folder() {
        assert_eq!(transcript_name("a.jsonl"), Some(None));
        assert_eq!(transcript_name("a-topic-7.jsonl"), Some(None));
        assert_eq!(transcript_name("a.jsonl.reset.2026-11-20T10-11-12.345Z"), Some(Some("a.jsonl")));
        assert_eq!(transcript_name("a.jsonl.deleted.2026-11-20T10-11-12Z"), Some(Some("a.jsonl")));
        assert_eq!(transcript_name("a.jsonl.deleted.2026-11-20T10-11-12.345Z.zst"), Some(Some("a.jsonl")));
        for name in [
            "sessions.json",
            ".jsonl",
            "a.jsonl.bak.2026-11-20T10-11-12.345Z",
            "a.jsonl.reset.yesterday",
            "a.jsonl.tmp",
            "a.trajectory.jsonl",
            "a.checkpoint.0b6a6c1e-0000-4000-8000-000000000000.jsonl",
            "a.jsonl.zst",
        ] {
            assert_eq!(transcript_name(name), None, "{name}");
        }
    }

    #[test]
    fn only_regular_files_count_and_a_missing_folder_is_empty() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(discover(state.path(), "main"), Transcripts::default());
        let folder = folder(state.path(), "main");
        fs::create_dir_all(folder.join("folder.jsonl")).unwrap();
        fs::write(folder.join("b.jsonl"), "x").unwrap();
        fs::write(folder.join("a.jsonl.reset.2026-11-20T10-11-12.345Z"), "x").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.join("b.jsonl"), folder.join("link.jsonl")).unwrap();
        let found = discover(state.path(), "main");
        let paths: Vec<&str> = found.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["sessions/main/a.jsonl.reset.2026-11-20T10-11-12.345Z", "sessions/main/b.jsonl"]);
        assert!(!found.uncertain && found.skipped.len() == usize::from(cfg!(unix)));
    }

    #[test]
    fn the_hosts_list_names_the_conversations_of_machines() {
        let state = tempfile::tempdir().unwrap();
        let folder = folder(state.path(), "main");
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join(INDEX_NAME),
            r#"{"agent:main:main":{"sessionId":"a","skills":{"x":[1]}},
                "agent:main:cron:job":{"sessionId":"b"},
                "agent:main:helper":{"sessionFile":"/x/y/c.jsonl","spawnedBy":"agent:main:main"},
                "broken":7}"#,
        )
        .unwrap();
        let owners = owners(state.path(), "main");
        let machine = |name: &str| owners.get(name).and_then(|owner| owner.machine);
        assert_eq!(owners.get("a.jsonl").map(|o| o.key.as_str()), Some("agent:main:main"));
        assert_eq!(
            (machine("a.jsonl"), machine("b.jsonl"), machine("c.jsonl")),
            (None, Some("a scheduled run"), Some("a sub-agent"))
        );
    }
}
