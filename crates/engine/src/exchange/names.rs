//! Which files of a workspace are exchanged, by their names: those that a database gives are anybody's.

use model::layout::{MEMORY_FOLDER, ROOT_FILES};
use store::files::Hash;

use crate::workspace::roots::{IGNORED_FOLDERS, Limits};

/// Longest name of a note and of one part of it, in bytes: what the usual file systems take.
pub(super) const LONGEST: usize = 1024;
const LONGEST_PART: usize = 255;

/// What stands before the hash in the name of a note that is kept beside another.
const MARK: &str = ".conflict-";
const ENDING: &str = ".md";

/// What Windows takes for a device, whatever follows after a dot.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// Whether a path is that of a note in the workspace: one of the files at its root, or Markdown in the folder of notes, and
/// nothing that leads elsewhere or that this system could not have made.
pub(super) fn is_note(path: &str) -> bool {
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

/// Where a text is kept that two have for one note: in the folder of notes, where it is indexed, under a name that its content
/// makes, so that whoever meets the same conflict makes the same file. `digits` of its hash tell it from others.
pub(super) fn beside(path: &str, hash: &Hash, digits: usize) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or((MEMORY_FOLDER, path));
    let stem = name.strip_suffix(ENDING).unwrap_or(name);
    // What was kept beside another has no conflict of its own to tell of.
    let stem = if is_conflict(path) { stem.rsplit_once(MARK).map_or(stem, |(stem, _)| stem) } else { stem };
    let hash = hex::encode(hash);
    let rest = MARK.len() + digits.min(hash.len()) + ENDING.len();
    let stem = &stem[..stem.floor_char_boundary(LONGEST_PART - rest)];
    format!("{folder}/{stem}{MARK}{}{ENDING}", &hash[..digits.min(hash.len())])
}

/// Whether a note was kept beside another.
pub(super) fn is_conflict(path: &str) -> bool {
    let tail = path.strip_suffix(ENDING).and_then(|stem| stem.rsplit_once(MARK));
    tail.is_some_and(|(_, hash)| hash.len() >= 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
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

    #[test]
    fn what_is_kept_beside_a_note_is_one_and_its_name_does_not_grow() {
        let hash = [0xab; 32];
        assert_eq!(beside("memory/a.md", &hash, 8), "memory/a.conflict-abababab.md");
        assert_eq!(beside("MEMORY.md", &hash, 8), "memory/MEMORY.conflict-abababab.md", "where it is indexed");
        assert_eq!(beside("memory/a.conflict-01234567.md", &hash, 8), "memory/a.conflict-abababab.md");
        let long = format!("memory/x/{}.md", "日".repeat(84));
        for path in ["memory/a.md", "MEMORY.md", &long] {
            for digits in [8, 16, 64] {
                let name = beside(path, &hash, digits);
                assert!(is_note(&name) && is_conflict(&name) && !is_conflict(path), "{name}");
            }
        }
        assert!(!is_conflict("memory/the.conflict-of-1914.md"));
    }
}
