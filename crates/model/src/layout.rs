//! Where the notes lie in a workspace.

/// Files at the root of the workspace that are indexed (A3, A5, P7).
pub const ROOT_FILES: [&str; 3] = ["MEMORY.md", "memory.md", "USER.md"];

/// The folder whose Markdown is indexed, at any depth.
pub const MEMORY_FOLDER: &str = "memory";

/// Whether the lines of a file may say something about themselves, by its path as in results.
#[must_use]
pub fn is_curated(path: &str) -> bool {
    ROOT_FILES.contains(&path)
}
