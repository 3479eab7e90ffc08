//! Where things live on disk: the agent's workspace, our database file, the seeds' database file.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use super::{agents::Roster, resolve::ResolveInput};
use crate::error::{Code, Error, Result};

/// Folder of our own files below the state directory.
pub const OWN_FOLDER: &str = "memory-core-rs";

/// The host's own database; a second copy of SQLite must never open it in the host's process.
pub(crate) const HOST_DATABASE_NAME: &str = "openclaw-agent.sqlite";

/// Replaces a leading `~` (alone or before a separator) with the home directory.
#[must_use]
pub(crate) fn expand_home(path: &str, home: &Path) -> PathBuf {
    match path.strip_prefix('~') {
        Some("") => home.to_path_buf(),
        Some(rest) if rest.starts_with(['/', '\\']) => home.join(rest.trim_start_matches(['/', '\\'])),
        _ => PathBuf::from(path),
    }
}

/// Resolves `.` and `..` without asking the file system. `..` at the root stays at the root.
#[must_use]
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Default place of our database: `<state>/memory-core-rs/<agentId>/index.sqlite`. Not the folder of the seeds,
/// because today's host migrates and renames whatever it finds there.
#[must_use]
pub fn default_database_path(state_dir: &Path, agent_id: &str) -> PathBuf {
    state_dir.join(OWN_FOLDER).join(agent_id).join("index.sqlite")
}

/// The agent's workspace (A4) and the configuration path it came from.
///
/// As in the host: the agent's own `workspace`; else `agents.defaults.workspace`, itself for the owner of the
/// defaults and a subfolder for every other agent; else `<state>/workspace` and `<state>/workspace-<id>`.
pub(super) fn workspace_dir(input: &ResolveInput<'_>, roster: &Roster<'_>, agent_id: &str) -> (PathBuf, String) {
    if let Some(known) = input.workspace_dir {
        return (absolute(known), "host".to_owned());
    }
    let configured = |value: Option<&Value>| {
        let text = value?.as_str()?.replace('\0', "");
        let text = text.trim();
        (!text.is_empty()).then(|| absolute(&expand_home(text, input.home_dir)))
    };
    if let Some(entry) = roster.get(agent_id)
        && let Some(path) = configured(entry.value.get("workspace"))
    {
        return (path, format!("{}.workspace", entry.path));
    }
    let owns_defaults = roster.owner() == Some(agent_id);
    let shared = input.config.pointer("/agents/defaults/workspace");
    if let Some(path) = configured(shared) {
        let path = if owns_defaults { path } else { path.join(agent_id) };
        return (path, "agents.defaults.workspace".to_owned());
    }
    if !owns_defaults {
        return (input.state_dir.join(format!("workspace-{agent_id}")), "default".to_owned());
    }
    match input.default_workspace_dir {
        Some(path) => (absolute(path), "OPENCLAW_WORKSPACE_DIR".to_owned()),
        None => (input.state_dir.join("workspace"), "default".to_owned()),
    }
}

/// The place that `store.path` names: every `{agentId}` replaced, `~` expanded, a relative path taken from the
/// state directory, so that gateway and command line agree whatever their working directory.
///
/// # Errors
/// `Config` for the host's own database, which must never be opened by a second copy of SQLite.
pub(super) fn configured_database_path(input: &ResolveInput<'_>, written: &str, agent_id: &str) -> Result<PathBuf> {
    let path = expand_home(&written.replace("{agentId}", agent_id), input.home_dir);
    let path = normalize(&input.state_dir.join(path));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.eq_ignore_ascii_case(HOST_DATABASE_NAME) {
        return Err(Error::new(Code::Config, format!("store.path names the host's own database {}", path.display()))
            .remedy("Choose another file name, or remove store.path to use the default"));
    }
    Ok(path)
}

/// Adds the agent's id in front of the extension, so that agents do not share a file.
pub(super) fn per_agent(path: &Path, agent_id: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match path.extension() {
        Some(extension) => path.with_file_name(format!("{stem}-{agent_id}.{}", extension.to_string_lossy())),
        None => path.with_file_name(format!("{stem}-{agent_id}")),
    }
}

fn absolute(path: &Path) -> PathBuf {
    normalize(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()))
}
