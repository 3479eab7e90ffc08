//! Files and folders that are named by hand: themselves, and what they hold, so that it stays out under any other name.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use super::{Found, passages::known_as};
use crate::workspace::{
    discover::discover,
    exclusions::{What, content_hash, is_telling, line_hash},
    is_at_or_below,
    read::{read_bytes, read_text},
    roots::Roots,
};
use model::{
    error::{Code, Error, Result},
    layout::MEMORY_FOLDER,
};
use store::{Reader, generations::GenerationId};

/// Hashes in one entry of the list: a line of it stays far below what a line of ours may have.
const MOST_HASHES: usize = 1000;

/// What is known of the files that are named.
#[derive(Default)]
pub(super) struct Named {
    /// Files and folders, as results name them.
    paths: Vec<String>,
    /// By file, the hashes of its lines that stay out of every file.
    telling: BTreeMap<String, BTreeSet<String>>,
}

impl Named {
    fn lines<'a>(&mut self, path: &str, lines: impl Iterator<Item = &'a str>) {
        let hashes = lines.filter(|line| is_telling(line)).map(line_hash);
        self.telling.entry(path.to_owned()).or_default().extend(hashes);
    }
}

impl Found {
    /// A file or folder, as the index has it.
    pub(super) fn path(&mut self, r: &Reader<'_>, live: GenerationId, roots: &Roots, written: &str) -> Result<()> {
        let path = known_as(r, live, roots, written)?;
        let mut found = false;
        for (id, _, name) in r.file_paths(live)? {
            if is_at_or_below(&name, &path) {
                found = true;
                let known = self.lines.len();
                self.file(r, id, name.clone())?;
                // What is said of a picture is made of its name and of its captions: it has no lines of its own.
                if roots.media(&roots.workspace_dir.join(&name)).is_none() {
                    self.named.lines(&name, self.lines.iter().skip(known).map(String::as_str));
                }
            }
        }
        let absolute = roots.workspace_dir.join(&path);
        let missing = |what: &str| {
            Err(Error::new(Code::NotFound, format!("\"{written}\" is {what}"))
                .remedy("Name a path as `openclaw memory search` shows it, such as memory or MEMORY.md"))
        };
        // What holds the memory is none of it: nothing would be kept out, and nobody would be told.
        if !found && path != MEMORY_FOLDER && roots.locate(&absolute).is_none() {
            return missing("no file or folder of the memory");
        }
        if !found && absolute.symlink_metadata().is_err() {
            return missing("neither in the index nor on disk");
        }
        self.named.paths.push(path);
        Ok(())
    }

    /// Puts the named files and folders on the list, with what lies on the disk: renamed, or edited by a line, it would
    /// come back by any other name.
    pub(super) fn contents(&mut self, roots: &Roots) {
        let Named { paths, mut telling } = std::mem::take(&mut self.named);
        // What was forgotten before by its name alone is named once more to keep it out as it is.
        let all = Roots { forgotten: Arc::default(), ..roots.clone() };
        let on_disk = paths.iter().any(|path| roots.workspace_dir.join(path).is_dir()).then(|| discover(&all).entries);
        for path in paths {
            let absolute = roots.workspace_dir.join(&path);
            let mut known = Named::default();
            let content = content_of(&all, &path, &absolute, &mut known);
            self.whats.push(What::Path { path: path.clone(), content });
            let below = |name: &str| name != path && is_at_or_below(name, &path);
            for entry in on_disk.iter().flatten().filter(|entry| below(&entry.path)) {
                let content = content_of(&all, &entry.path, &entry.absolute, &mut known);
                if content.is_some() {
                    self.whats.push(What::Path { path: entry.path.clone(), content });
                }
            }
            for (name, hashes) in known.telling {
                telling.entry(name).or_default().extend(hashes);
            }
        }
        for (path, hashes) in telling {
            let hashes: Vec<String> = hashes.into_iter().collect();
            let lines =
                |some: &[String]| What::Lines { path: path.clone(), here: Vec::new(), everywhere: some.to_vec() };
            self.whats.extend(hashes.chunks(MOST_HASHES).map(lines));
        }
    }
}

/// The hash of a file; none where it cannot be read, or has no text: as empty as it are many. Its telling lines become known.
fn content_of(roots: &Roots, name: &str, absolute: &Path, known: &mut Named) -> Option<String> {
    let media = roots.media.filter(|_| roots.media(absolute).is_some());
    let bytes = match media {
        Some(media) => read_bytes(roots, absolute, media.max_file_bytes).ok()?.bytes,
        None => {
            let text = read_text(roots, absolute).ok()?.text;
            known.lines(name, text.lines());
            if text.trim().is_empty() {
                return None;
            }
            text.into_bytes()
        }
    };
    Some(content_hash(&bytes))
}
