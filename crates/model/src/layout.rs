//! Where the notes lie in a workspace.

/// Files at the root of the workspace that are indexed (A3, A5, P7).
pub const ROOT_FILES: [&str; 3] = ["MEMORY.md", "memory.md", "USER.md"];

/// The folder whose Markdown is indexed, at any depth.
pub const MEMORY_FOLDER: &str = "memory";

/// Whether a file lies where the host keeps notes: at the root, or in the folder of notes and in no folder of its own there.
#[must_use]
pub fn is_own_note(path: &str) -> bool {
    is_curated(path) || path.rsplit_once('/').is_some_and(|(folder, _)| folder == MEMORY_FOLDER)
}

/// Whether the lines of a file may say something about themselves, by its path as in results.
#[must_use]
pub fn is_curated(path: &str) -> bool {
    ROOT_FILES.contains(&path)
}
