//! Which notes of a workspace can be anybody's, by their names: those that a database keeps are written on other machines.

use super::roots::{IGNORED_FOLDERS, Limits};
use model::layout::{MEMORY_FOLDER, ROOT_FILES};

/// Longest name of a note and of one part of it, in bytes: what the usual file systems take.
pub(crate) const LONGEST: usize = 1024;
pub(crate) const LONGEST_PART: usize = 255;

/// How the name of a note ends.
pub(crate) const ENDING: &str = ".md";

/// What Windows takes for a device, whatever follows after a dot.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Whether a path is that of a note in the workspace: one of the files at its root, or Markdown in the folder of notes, and
/// nothing that leads elsewhere or that this system could not have made.
pub(crate) fn is_note(path: &str) -> bool {
    is_note_on(path, cfg!(windows))
}

fn is_note_on(path: &str, windows: bool) -> bool {
    if ROOT_FILES.contains(&path) {
        return true;
    }
    let Some(below) = path.strip_prefix(MEMORY_FOLDER).and_then(|rest| rest.strip_prefix('/')) else { return false };
    path.len() <= LONGEST
        && below.ends_with(ENDING)
        && below.split('/').count() <= Limits::default().depth
        && below.split('/').all(|part| is_plain(part, windows))
}

fn is_plain(part: &str, windows: bool) -> bool {
    let is_somewhere = !matches!(part, "" | "." | "..") && !IGNORED_FOLDERS.contains(&part);
    let fits = part.len() <= LONGEST_PART && !part.chars().any(char::is_control);
    is_somewhere && fits && (!windows || is_plain_on_windows(part))
}

fn is_plain_on_windows(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let is_numbered = NUMBERED_DEVICES
        .iter()
        .any(|device| stem.strip_prefix(device).is_some_and(|number| number.chars().count() == 1 && number != "0"));
    let is_device = DEVICES.contains(&stem.as_str()) || is_numbered;
    !is_device && !part.contains(['<', '>', ':', '"', '|', '?', '*', '\\']) && !part.ends_with(['.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_elsewhere_is_no_note() {
        for path in
            ["MEMORY.md", "USER.md", "memory/a.md", "memory/x/y/é 日本.md", "memory/a:b.md", "memory/.hidden.md"]
        {
            assert!(is_note_on(path, false), "{path}");
        }
        let long = format!("memory/{}.md", "a".repeat(256));
        let deep = format!("memory/{}a.md", "x/".repeat(40));
        for path in [
            "",
            "AGENTS.md",
            "memory",
            "memory/",
            "memory/a.txt",
            "memory/../a.md",
            "memory/./a.md",
            "memory//a.md",
            "/etc/a.md",
            "../memory/a.md",
            "memory/../../a.md",
            "memory/.git/a.md",
            "memory/a\0.md",
            "memory/a\n.md",
            "memory/node_modules/a.md",
            "C:/memory/a.md",
            "memory/a.md/",
            "Memory/a.md",
            &long,
            &deep,
        ] {
            assert!(!is_note_on(path, false), "{path:?}");
            assert!(!is_note_on(path, true), "{path:?}");
        }
        for path in [
            "memory/..\\..\\a.md",
            "memory/a:b.md",
            "memory/con.md",
            "memory/COM1.x.md",
            "memory/nul /a.md",
            "memory/x./a.md",
            "memory/lpt9.md",
            "memory/\\\\server\\a.md",
        ] {
            assert!(!is_note_on(path, true), "{path:?}");
        }
        assert!(is_note_on("memory/console.md", true) && is_note_on("memory/com.md", true));
    }
}
