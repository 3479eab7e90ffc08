//! Where an agent's memory lies on the disk: the workspace and extra paths, which files below them belong to it, and how
//! they are named.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{exclusions::Exclusions, note_names::is_note, skipped::SkipCode, skipped::Skipped};
use model::{
    config::extra_path::ExtraPath,
    config::multimodal::{Modality, Multimodal},
    config::settings::Settings,
    layout::{MEMORY_FOLDER, ROOT_FILES},
};

/// The diary of the host's dreaming: may be read (G2), is not indexed.
const DIARY_FILES: [&str; 2] = ["DREAMS.md", "dreams.md"];

/// Folders that are never entered (A7), plus the host's repair folder.
pub(crate) const IGNORED_FOLDERS: [&str; 8] =
    [".git", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", "__pycache__", ".openclaw-repair"];

/// Bounds of a walk, so that no folder, however hostile, takes unbounded time or memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file in bytes; default 16 MiB.
    pub file_bytes: u64,
    /// Levels of folders below a root; default 32.
    pub depth: usize,
    /// Markdown files in all; default 100,000.
    pub files: usize,
    /// Folder entries looked at in all; default 1,000,000.
    pub entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 16 * 1024 * 1024, depth: 32, files: 100_000, entries: 1_000_000 }
    }
}

/// The paths that belong to an agent's memory.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    /// Absolute, normalised.
    pub workspace_dir: PathBuf,
    /// Configured extra paths that were understood.
    pub extra: Vec<ExtraPath>,
    /// Which of them the user vouches for.
    pub curated: Vec<ExtraPath>,
    /// Configured paths that were not understood.
    pub refused: Vec<Skipped>,
    /// Bounds of walks and reads.
    pub limits: Limits,
    /// Whether notes are a source of the index at all; they can be read in any case.
    pub is_source: bool,
    /// What the user told the memory to forget.
    pub forgotten: Arc<Exclusions>,
    /// Which pictures and sounds below extra paths belong to the memory.
    pub media: Option<Multimodal>,
    /// Whether a database keeps the notes of the workspace, for other machines too.
    pub are_exchanged: bool,
}

/// A path below a root: a folder that may be reached through links, and what follows, which may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Trusted: chosen by the user or the host.
    pub base: PathBuf,
    /// Components below it, none of them `.` or `..`.
    pub below: PathBuf,
}

impl Located {
    /// The whole path.
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        self.base.join(&self.below)
    }
}

impl Roots {
    /// The roots that the settings describe.
    #[must_use]
    pub(crate) fn of(settings: &Settings) -> Self {
        let limits = Limits { file_bytes: settings.max_file_bytes, ..Limits::default() };
        let mut roots = Self {
            is_source: settings.sources.memory,
            media: settings.multimodal,
            forgotten: Arc::new(Exclusions::of(&settings.database_path)),
            are_exchanged: settings.database.as_ref().is_some_and(|database| database.notes),
            ..Self::new(&settings.workspace_dir, &settings.extra_paths, limits)
        };
        roots.curated = roots.parsed(&settings.curated_paths);
        roots
    }

    /// A workspace and extra paths, absolute or relative to it.
    #[must_use]
    pub(crate) fn new(workspace_dir: &Path, extra_paths: &[String], limits: Limits) -> Self {
        let mut roots = Self {
            workspace_dir: workspace_dir.to_path_buf(),
            extra: Vec::new(),
            curated: Vec::new(),
            refused: Vec::new(),
            limits,
            is_source: true,
            forgotten: Arc::default(),
            media: None,
            are_exchanged: false,
        };
        roots.extra = roots.parsed(extra_paths);
        roots
    }

    /// Whether a note has a name under which no database keeps it, where one keeps the notes: indexed by the gateway that has it, it
    /// would be taken out of the index by the next one.
    #[must_use]
    pub(crate) fn has_name_of_no_database(&self, absolute: &Path) -> bool {
        self.are_exchanged
            && is_markdown(absolute)
            && absolute.starts_with(self.workspace_dir.join(MEMORY_FOLDER))
            && !is_note(&self.display(absolute))
    }

    /// Paths of settings; what is not understood is noted.
    fn parsed(&mut self, written: &[String]) -> Vec<ExtraPath> {
        let mut parsed = Vec::new();
        for path in written {
            match ExtraPath::parse(path, &self.workspace_dir) {
                Ok(extra) => parsed.push(extra),
                Err(error) => self.refused.push(Skipped {
                    path: path.clone(),
                    code: SkipCode::InvalidPattern,
                    reason: error.message,
                }),
            }
        }
        parsed
    }

    /// Whether the user vouches for a file at this absolute path, if it says that it is curated.
    #[must_use]
    pub(crate) fn may_be_curated(&self, absolute: &Path) -> bool {
        let is_listed = self.curated.iter().any(|path| path.contains(absolute));
        is_listed && self.is_extra(absolute) && is_markdown(absolute) && self.is_indexed(absolute)
    }

    /// Whether a path belongs to the memory only because an extra path holds it.
    pub(crate) fn is_extra(&self, absolute: &Path) -> bool {
        let is_fixed = absolute.strip_prefix(&self.workspace_dir).is_ok_and(is_fixed);
        !is_fixed && self.extra.iter().any(|extra| extra.contains(absolute))
    }

    /// The name of a path in results: relative to the workspace with `/`, absolute when it lies outside.
    #[must_use]
    pub(crate) fn display(&self, absolute: &Path) -> String {
        let shown = match absolute.strip_prefix(&self.workspace_dir) {
            Ok(below) if !below.as_os_str().is_empty() => below,
            _ => absolute,
        };
        let text = shown.to_string_lossy();
        if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
    }

    /// Where a normalised absolute path lies, if it belongs to the memory. Says nothing about the file system.
    #[must_use]
    pub(crate) fn locate(&self, absolute: &Path) -> Option<Located> {
        let in_workspace = absolute.strip_prefix(&self.workspace_dir).ok();
        if !in_workspace.is_some_and(is_fixed) && !self.extra.iter().any(|extra| extra.contains(absolute)) {
            return None;
        }
        if let Some(below) = in_workspace.filter(|below| !below.as_os_str().is_empty()) {
            return Some(Located { base: self.workspace_dir.clone(), below: below.to_path_buf() });
        }
        // Below an extra path outside the workspace, only its own parent folder is trusted.
        let extra = self.extra.iter().find(|extra| extra.contains(absolute))?;
        let base = extra.root.parent().unwrap_or(&extra.root);
        let below = absolute.strip_prefix(base).ok()?;
        Some(Located { base: base.to_path_buf(), below: below.to_path_buf() })
    }
}

impl Roots {
    /// Whether a file at this absolute path would be indexed, as far as its path tells.
    #[must_use]
    pub(crate) fn is_indexed(&self, absolute: &Path) -> bool {
        let Some(located) = self.locate(absolute).filter(|_| self.is_source) else { return false };
        let is_diary = absolute.parent() == Some(&self.workspace_dir)
            && absolute.file_name().is_some_and(|name| DIARY_FILES.iter().any(|diary| name == *diary));
        let is_wanted = is_markdown(absolute) && !is_diary || self.media(absolute).is_some();
        is_wanted && !has_ignored_folder(&located.below)
    }

    /// Whether a file at this absolute path is a picture or sound of the memory, as far as its path tells: below an extra
    /// path, and never in the folder of notes, even where an extra path holds that too.
    #[must_use]
    pub(crate) fn media(&self, absolute: &Path) -> Option<Modality> {
        let modality = self.media?.modality_of(absolute.file_name()?.to_str()?)?;
        self.is_extra(absolute).then_some(modality)
    }

    /// Whether something that happens to a folder at this path can change what is indexed: it lies above or inside
    /// one of the indexed trees.
    #[must_use]
    pub(crate) fn concerns_folder(&self, absolute: &Path) -> bool {
        let memory = self.workspace_dir.join(MEMORY_FOLDER);
        let mut trees = std::iter::once(memory.as_path()).chain(self.extra.iter().map(|extra| extra.root.as_path()));
        trees.any(|tree| {
            tree.starts_with(absolute) || absolute.strip_prefix(tree).is_ok_and(|below| !has_ignored_folder(below))
        })
    }
}

fn has_ignored_folder(below: &Path) -> bool {
    below.components().any(|component| is_ignored_folder(component.as_os_str()))
}

/// Whether a workspace-relative path belongs to the fixed set: the root files, or anything below `memory`.
fn is_fixed(below: &Path) -> bool {
    let mut components = below.components();
    let (Some(Component::Normal(first)), next) = (components.next(), components.next()) else { return false };
    match next {
        Some(_) => first == MEMORY_FOLDER,
        None => first.to_str().is_some_and(|name| ROOT_FILES.contains(&name) || DIARY_FILES.contains(&name)),
    }
}

/// Whether a file name is Markdown. As in the host, only the lower-case ending counts, except on Windows.
#[must_use]
pub(crate) fn is_markdown(path: &Path) -> bool {
    let name = path.as_os_str().as_encoded_bytes();
    name.ends_with(b".md") || (cfg!(windows) && name.to_ascii_lowercase().ends_with(b".md"))
}

/// Whether a folder is on the ignore list.
#[must_use]
pub(crate) fn is_ignored_folder(name: &std::ffi::OsStr) -> bool {
    IGNORED_FOLDERS.iter().any(|ignored| name == *ignored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::config::multimodal::Takes;

    fn roots(extra: &[&str]) -> Roots {
        let extra: Vec<String> = extra.iter().map(|path| (*path).to_owned()).collect();
        Roots::new(Path::new("/ws"), &extra, Limits::default())
    }

    #[test]
    fn only_the_fixed_set_and_extra_paths_belong_to_the_memory() {
        let roots = roots(&["notes", "/srv/team", "/srv/one.md", "/g/*.md"]);
        for inside in [
            "/ws/MEMORY.md",
            "/ws/memory.md",
            "/ws/USER.md",
            "/ws/DREAMS.md",
            "/ws/memory/a.md",
            "/ws/memory/x/y.md",
            "/ws/notes/a.md",
            "/srv/team/deep/a.md",
            "/srv/one.md",
            "/g/a.md",
        ] {
            assert!(roots.locate(Path::new(inside)).is_some(), "{inside}");
        }
        for outside in [
            "/ws",
            "/ws/AGENTS.md",
            "/ws/memory",
            "/ws/memoryx/a.md",
            "/ws/x/MEMORY.md",
            "/srv/two.md",
            "/g/a/b.md",
            "/",
        ] {
            assert_eq!(roots.locate(Path::new(outside)), None, "{outside}");
        }
    }

    #[test]
    fn links_are_trusted_above_the_workspace_or_the_extra_path_only() {
        let roots = roots(&["notes", "/srv/team"]);
        let at = |path: &str| roots.locate(Path::new(path)).expect("inside");
        assert_eq!(at("/ws/notes/a.md"), Located { base: "/ws".into(), below: "notes/a.md".into() });
        assert_eq!(at("/srv/team/a.md"), Located { base: "/srv".into(), below: "team/a.md".into() });
    }

    #[test]
    fn the_diary_and_ignored_folders_are_not_indexed() {
        let roots = roots(&["notes"]);
        assert!(roots.is_indexed(Path::new("/ws/notes/a.md")) && roots.is_indexed(Path::new("/ws/MEMORY.md")));
        for path in ["/ws/DREAMS.md", "/ws/memory/.git/a.md", "/ws/notes/x/node_modules/a.md", "/ws/memory/a.txt"] {
            assert!(!roots.is_indexed(Path::new(path)), "{path}");
        }
        assert!(roots.is_indexed(Path::new("/ws/memory/DREAMS.md")));
    }

    #[test]
    fn pictures_are_indexed_below_extra_paths_and_never_beside_the_notes() {
        let mut roots = roots(&[".", "/srv/team", "/srv/one.png", "/g/*.jpg"]);
        assert!(!roots.is_indexed(Path::new("/srv/team/a.png")), "switched off");
        roots.media = Some(Multimodal { image: true, audio: false, max_file_bytes: 100, takes: Takes::Text });
        for path in ["/ws/pics/a.png", "/srv/team/deep/A.JPG", "/srv/one.png", "/g/a.jpg", "/ws/a.gif"] {
            assert!(roots.is_indexed(Path::new(path)), "{path}");
        }
        for path in [
            "/ws/memory/a.png",
            "/ws/memory/deep/a.png",
            "/srv/team/a.mp3",
            "/srv/two.png",
            "/g/a.png",
            "/srv/team/node_modules/a.png",
        ] {
            assert!(!roots.is_indexed(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn folders_above_and_inside_the_trees_concern_the_memory() {
        let roots = roots(&["/srv/team"]);
        for path in ["/", "/ws", "/ws/memory", "/ws/memory/a/b", "/srv", "/srv/team/x"] {
            assert!(roots.concerns_folder(Path::new(path)), "{path}");
        }
        for path in ["/ws/src", "/ws/memory/.git", "/ws/memory/.git/objects", "/srv/other", "/tmp"] {
            assert!(!roots.concerns_folder(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn names_are_relative_inside_and_absolute_outside() {
        let roots = roots(&[]);
        assert_eq!(roots.display(Path::new("/ws/memory/a.md")), "memory/a.md");
        assert_eq!(roots.display(Path::new("/srv/a.md")), "/srv/a.md");
        assert_eq!(roots.display(Path::new("/ws")), "/ws");
    }
}
