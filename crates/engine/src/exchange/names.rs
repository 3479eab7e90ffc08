//! How a note is called that is kept beside another.

use model::layout::MEMORY_FOLDER;
use store::files::Hash;

use crate::workspace::note_names::{ENDING, LONGEST_PART};

/// What stands before the hash in the name of a note that is kept beside another.
const MARK: &str = ".conflict-";

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
    use crate::workspace::note_names::is_note;

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
