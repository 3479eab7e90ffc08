//! What is named by hand: files and folders, lines, and the passages that a search shows.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    super::{ForgetCall, Passage},
    Found,
    chosen::{Asked, Choice},
    shown_text,
};
use crate::workspace::{
    excerpt::composed_otherwise,
    exclusions::{What, above, is_telling, line_hash},
    is_at_or_below,
    read::read_text,
    roots::Roots,
};
use ::search::types::Hit;
use model::{
    config::paths::normalize,
    error::{Code, Error, Result},
    source::Source,
};
use store::{Reader, generations::GenerationId};
use unicode_normalization::UnicodeNormalization;

impl Found {
    /// Files, lines, and what a search has shown.
    pub(super) fn passages(
        &mut self,
        r: &Reader<'_>,
        live: GenerationId,
        roots: &Roots,
        call: &ForgetCall,
        hits: &[Hit],
    ) -> Result<()> {
        // What is said of a picture is made of its name and of its captions: it has no lines that could stay out.
        let is_media = |source: Source, path: &str| {
            source == Source::Memory && roots.media(&roots.workspace_dir.join(path)).is_some()
        };
        match (call.target.lines, call.target.paths.as_slice()) {
            (Some(_), [path]) if is_media(Source::Memory, path) => self.path(r, live, roots, path)?,
            (None, paths) => paths.iter().try_for_each(|path| self.path(r, live, roots, path))?,
            (Some((first, last)), [path]) => {
                let path = known_as(r, live, roots, path)?;
                self.passage(r, (live, roots), (Source::Memory, &path), (first, last), Choice::default())?;
            }
            (Some(_), _) => return Err(Error::new(Code::Argument, "lines are lines of one file: name one path")),
        }
        let asked = call.search.as_ref().map(|search| Asked::of(&search.query));
        let shares = |hit: &Hit| asked.as_ref().is_some_and(|asked| asked.is_held(&hit.snippet));
        let (sharing, others): (Vec<&Hit>, Vec<&Hit>) = hits.iter().partition(|hit| shares(hit));
        // Where one holds the words, what is only like them is not meant.
        for hit in if sharing.is_empty() { others } else { sharing } {
            if is_media(hit.source, &hit.path) {
                self.path(r, live, roots, &hit.path)?;
                continue;
            }
            let choice = Choice {
                asked: asked.as_ref(),
                // Lines of a conversation are numbered by message: the words that are shown say which are meant.
                shown: (hit.source == Source::Sessions).then_some(hit.snippet.as_str()),
                best: hit.excerpt.as_deref(),
            };
            self.passage(r, (live, roots), (hit.source, &hit.path), (hit.start_line, hit.end_line), choice)?;
        }
        Ok(())
    }

    /// Lines of a file, as the index has them.
    pub(super) fn passage(
        &mut self,
        r: &Reader<'_>,
        (live, roots): (GenerationId, &Roots),
        (source, path): (Source, &str),
        (first, last): (u32, u32),
        Choice { shown, asked, best }: Choice<'_>,
    ) -> Result<()> {
        let file = r.files(live, source.as_str())?.get(path).copied();
        let Some(file) = file else {
            check_not_forgotten(roots, path, (first, last))?;
            return Err(Error::new(Code::NotFound, format!("\"{path}\" is not in the index"))
                .remedy("Run `openclaw memory index`, then name a path as `openclaw memory search` shows it"));
        };
        // A chunk may hold a piece of a very long line: the list keeps out whole lines.
        let text = match (source, shown) {
            (Source::Memory, None) => read_text(roots, &roots.workspace_dir.join(path)).map(|file| file.text).ok(),
            _ => None,
        };
        let of_file: Vec<&str> = text.as_deref().unwrap_or_default().split('\n').collect();
        let whole = |number: u32, piece: &str| {
            let line = usize::try_from(number).ok().and_then(|number| of_file.get(number.checked_sub(1)?));
            // What is forgotten already is empty in a chunk.
            let is_piece = |line: &&&str| !piece.trim().is_empty() && line.contains(piece.trim());
            line.filter(is_piece).map_or_else(|| piece.to_owned(), |line| (*line).to_owned())
        };
        let is_shown = |line: &str| shown.is_none_or(|shown| shown.lines().any(|one| one.trim() == line.trim()));
        let wanted = first..=last.max(first);
        let mut lines: BTreeMap<(u32, usize), String> = BTreeMap::new();
        for chunk in r.chunks_of_file(file.id)? {
            if chunk.end_line < *wanted.start() || chunk.start_line > *wanted.end() {
                continue;
            }
            self.report.chunks += 1;
            self.hashes.extend(chunk.hash);
            for (at, line) in chunk.text.split('\n').enumerate() {
                // Chunks overlap: a line of a file has one number, one of a conversation its place in the chunk.
                let number = chunk.start_line.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
                let key = if shown.is_some() { (chunk.start_line, at) } else { (number, 0) };
                if shown.is_some() && is_shown(line) || shown.is_none() && wanted.contains(&number) {
                    lines.insert(key, whole(number, line));
                }
            }
        }
        lines.retain(|_, line| !line.trim().is_empty());
        if let Some(asked) = asked {
            asked.keep_best(&mut lines, best);
        }
        if lines.is_empty() {
            check_not_forgotten(roots, path, (first, last))?;
            return Err(Error::new(Code::NotFound, format!("\"{path}\" has no text in these lines")));
        }
        let place = |start_line, end_line, text: &str| Passage {
            path: path.to_owned(),
            start_line,
            end_line,
            text: shown_text(text),
        };
        let mut numbered = lines.iter().map(|((number, _), line)| (*number, line.as_str()));
        match (asked, shown) {
            // Each that goes is shown: between two of them stands what stays.
            (Some(_), None) => self.report.passages.extend(numbered.map(|(number, line)| place(number, number, line))),
            (Some(_), Some(_)) => {
                let of_shown = numbered.map(|(_, line)| place(*wanted.start(), *wanted.end(), line));
                self.report.passages.extend(of_shown);
            }
            (None, _) => {
                let first = numbered.next();
                let last = numbered.next_back().or(first);
                self.report.passages.extend(first.zip(last).map(|(first, last)| place(first.0, last.0, first.1)));
            }
        }
        let (everywhere, here): (Vec<_>, Vec<_>) = lines.values().partition(|line| is_telling(line));
        let hashes = |lines: Vec<&String>| lines.into_iter().map(|line| line_hash(line)).collect();
        self.whats.push(What::Lines { path: path.to_owned(), here: hashes(here), everywhere: hashes(everywhere) });
        self.lines.extend(lines.into_values());
        Ok(())
    }
}

/// Refuses lines of a file of which each is forgotten already: they are there for whoever looks at the file, or has looked at it
/// before.
fn check_not_forgotten(roots: &Roots, path: &str, (first, last): (u32, u32)) -> Result<()> {
    let list = &roots.forgotten;
    // Of what the list keeps out nothing is read, unless by who does not go by it.
    let all = Roots { forgotten: Arc::default(), ..roots.clone() };
    let is_forgotten = || {
        let Ok(file) = read_text(&all, &roots.workspace_dir.join(path)) else { return false };
        let lines = (1..).zip(file.text.lines()).filter(|(number, _)| (first..=last.max(first)).contains(number));
        let mut told = lines.map(|(_, line)| line).filter(|line| !line.trim().is_empty()).peekable();
        told.peek().is_some() && told.all(|line| list.line(path, line))
    };
    if list.path(path).is_some() || is_forgotten() {
        return Err(Error::new(Code::NotFound, format!("\"{path}\" is forgotten already, as far as these lines go"))
            .remedy("`openclaw memory forget --list` shows what is forgotten"));
    }
    Ok(())
}

/// A path as the index or the disk has it: as it is written, else one whose letters are only composed otherwise.
pub(super) fn known_as(r: &Reader<'_>, live: GenerationId, roots: &Roots, written: &str) -> Result<String> {
    let path = named(roots, written);
    let absolute = roots.workspace_dir.join(&path);
    if path.is_ascii() || absolute.symlink_metadata().is_ok() {
        return Ok(path);
    }
    let files = r.file_paths(live)?;
    if files.iter().any(|(_, _, name)| is_at_or_below(name, &path)) {
        return Ok(path);
    }
    let indexed = files
        .iter()
        .flat_map(|(_, _, name)| above(name).chain(std::iter::once(name.as_str())))
        .find(|name| name.nfc().eq(path.nfc()))
        .map(str::to_owned);
    let on_disk = || Some(roots.display(&composed_otherwise(&roots.locate(&absolute)?)?.absolute()));
    Ok(indexed.or_else(on_disk).unwrap_or(path))
}

/// A path as results name it.
fn named(roots: &Roots, written: &str) -> String {
    let written = written.trim().trim_end_matches('/');
    // What the index names that is no path in the file system, as a transcript, stays as it is.
    if written.contains("://") {
        written.to_owned()
    } else {
        roots.display(&normalize(&roots.workspace_dir.join(written)))
    }
}
