//! What a process that was killed in the middle of writing has left: a file with the text of a note, or of what automatic
//! memory keeps, under a name that nobody reads ([`model::unfinished`]). Where it is looked for, and taken away.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::Serialize;
use walkdir::WalkDir;

use super::{
    guard::{Folder, Refusal},
    roots::{Located, Roots, is_ignored_folder},
};
use model::{
    config::{
        automatic::{agent_folder, own_folder, people_folder, short_term_folder},
        settings::Settings,
    },
    error::Result,
    layout::MEMORY_FOLDER,
    unfinished::{ABANDONED_AFTER, touched},
};

/// What lies in one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unfinished {
    /// The folder.
    pub folder: PathBuf,
    /// How many such files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Which of them are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of which it is known that nobody writes them any more at this time.
    Abandoned(SystemTime),
    /// All: whoever is writing one of them does so once more.
    All,
}

impl Which {
    /// Those that were abandoned by a time of day, in milliseconds since the epoch.
    #[must_use]
    pub fn abandoned_at(now_ms: i64) -> Self {
        Self::Abandoned(SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms).unwrap_or_default()))
    }

    fn holds(self, touched: Option<SystemTime>) -> bool {
        match self {
            Self::All => true,
            Self::Abandoned(now) => {
                touched.and_then(|touched| now.duration_since(touched).ok()).is_some_and(|age| age >= ABANDONED_AFTER)
            }
        }
    }
}

/// What the settings' workspace holds of them, and our own folders; `more` are folders of ours that the settings do not name.
/// No file is read. A folder that cannot be looked at holds none.
#[must_use]
pub fn find(settings: &Settings, more: &[PathBuf], which: Which) -> Vec<Unfinished> {
    visit(settings, more, which, |_, _| Ok(())).unwrap_or_default()
}

/// As [`find`], and removes them; gives what was there.
///
/// # Errors
/// When the operating system does not let one be removed.
pub fn remove(settings: &Settings, more: &[PathBuf], which: Which) -> Result<Vec<Unfinished>> {
    visit(settings, more, which, |folder, name| match folder.remove(name.as_ref()) {
        // Its writer was faster.
        Err(Refusal::Missing) => Ok(()),
        removed => removed,
    })
}

fn visit(
    settings: &Settings,
    more: &[PathBuf],
    which: Which,
    each: impl Fn(&Folder, &str) -> Result<(), Refusal>,
) -> Result<Vec<Unfinished>> {
    let mut all = Vec::new();
    for located in folders(settings, more) {
        let Ok(folder) = Folder::open(&located.base, &located.below) else { continue };
        // An empty end would be shown as a slash.
        let path = if located.below.as_os_str().is_empty() { located.base } else { located.absolute() };
        let mut found = Unfinished { folder: path.clone(), files: 0, bytes: 0 };
        for (name, metadata) in folder.unfinished().unwrap_or_default() {
            if which.holds(touched(&metadata)) {
                each(&folder, &name).map_err(|refusal| refusal.into_error(&path.join(&name)))?;
                found.files += 1;
                found.bytes += metadata.len();
            }
        }
        if found.files > 0 {
            all.push(found);
        }
    }
    Ok(all)
}

/// Every folder in which we write, once: those of the workspace that hold notes, and our own by themselves.
fn folders(settings: &Settings, more: &[PathBuf]) -> Vec<Located> {
    let roots = Roots::of(settings);
    let workspace = &roots.workspace_dir;
    // How deep folders of files that count may be.
    let deepest = |depth: Option<usize>| depth.unwrap_or(roots.limits.depth).min(roots.limits.depth).saturating_sub(1);
    let extra = roots.extra.iter().filter_map(|extra| match extra.root.is_dir() {
        true => Some((extra.root.clone(), deepest(extra.depth()))),
        false => Some((extra.root.parent()?.to_path_buf(), 0)),
    });
    let trees = [(workspace.clone(), 0), (workspace.join(MEMORY_FOLDER), deepest(None))].into_iter().chain(extra);
    let mut below = BTreeSet::new();
    for (tree, depth) in trees.filter(|(tree, _)| tree.starts_with(workspace)) {
        let entries = WalkDir::new(&tree)
            .follow_links(false)
            // The workspace may be reached through a link.
            .follow_root_links(&tree == workspace)
            .max_depth(depth)
            .into_iter()
            .filter_entry(|entry| {
                entry.depth() == 0 || (entry.file_type().is_dir() && !is_ignored_folder(entry.file_name()))
            });
        let found = entries.take(roots.limits.entries).filter_map(Result::ok);
        below.extend(found.filter_map(|folder| folder.path().strip_prefix(workspace).map(Path::to_path_buf).ok()));
    }
    let agent = agent_folder(&settings.state_dir, &settings.agent_id);
    let mut own = BTreeSet::from([
        own_folder(&settings.state_dir),
        short_term_folder(&settings.state_dir),
        people_folder(&agent),
        agent,
    ]);
    own.extend(settings.database_path.parent().map(Path::to_path_buf));
    own.extend(more.iter().cloned());
    let in_workspace = below.into_iter().map(|below| Located { base: workspace.clone(), below });
    in_workspace.chain(own.into_iter().map(|base| Located { base, below: PathBuf::new() })).collect()
}
