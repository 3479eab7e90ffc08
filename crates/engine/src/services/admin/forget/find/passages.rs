//! What is named by hand: files and folders, lines, and the passages that a search shows.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{ForgetCall, Passage},
    Found, shown_text,
};
use crate::workspace::{
    excerpt::composed_otherwise,
    exclusions::{What, above, is_telling, line_hash},
    is_at_or_below,
    roots::Roots,
};
use ::search::types::Hit;
use model::{
    config::paths::normalize,
    error::{Code, Error, Result},
    source::Source,
};
use store::{Reader, generations::GenerationId};
use text::{analyze::Analyzer, fold::fold, words};
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
                self.passage(r, live, (Source::Memory, &path), (first, last), Choice::default())?;
            }
            (Some(_), _) => return Err(Error::new(Code::Argument, "lines are lines of one file: name one path")),
        }
        for hit in hits {
            if is_media(hit.source, &hit.path) {
                self.path(r, live, roots, &hit.path)?;
                continue;
            }
            let choice = Choice {
                query: call.search.as_ref().map(|search| search.query.as_str()),
                // Lines of a conversation are numbered by message: the words that are shown say which are meant.
                shown: (hit.source == Source::Sessions).then_some(hit.snippet.as_str()),
                best: hit.excerpt.as_deref(),
            };
            self.passage(r, live, (hit.source, &hit.path), (hit.start_line, hit.end_line), choice)?;
        }
        Ok(())
    }

    /// Lines of a file, as the index has them.
    fn passage(
        &mut self,
        r: &Reader<'_>,
        live: GenerationId,
        (source, path): (Source, &str),
        (first, last): (u32, u32),
        Choice { shown, query, best }: Choice<'_>,
    ) -> Result<()> {
        let file = r.files(live, source.as_str())?.get(path).copied();
        let Some(file) = file else {
            return Err(Error::new(Code::NotFound, format!("\"{path}\" is not in the index"))
                .remedy("Run `openclaw memory index`, then name a path as `openclaw memory search` shows it"));
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
                    lines.insert(key, line.to_owned());
                }
            }
        }
        lines.retain(|_, line| !line.trim().is_empty());
        if let Some(query) = query {
            keep_best(&mut lines, query, best);
        }
        let numbers = lines.keys().map(|(number, _)| *number).filter(|_| shown.is_none());
        let (start_line, end_line) = numbers.fold((None, None), |(start, _), n| (start.or(Some(n)), Some(n)));
        let Some(text) = lines.values().next() else {
            return Err(Error::new(Code::NotFound, format!("\"{path}\" has no text in these lines")));
        };
        let text = shown_text(text);
        self.report.passages.push(Passage {
            path: path.to_owned(),
            start_line: start_line.unwrap_or_else(|| *wanted.start()),
            end_line: end_line.unwrap_or_else(|| *wanted.end()),
            text,
        });
        let (everywhere, here): (Vec<_>, Vec<_>) = lines.values().partition(|line| is_telling(line));
        let hashes = |lines: Vec<&String>| lines.into_iter().map(|line| line_hash(line)).collect();
        self.whats.push(What::Lines { path: path.to_owned(), here: hashes(here), everywhere: hashes(everywhere) });
        self.lines.extend(lines.into_values());
        Ok(())
    }
}

/// Which lines of a passage are meant.
#[derive(Clone, Copy, Default)]
struct Choice<'a> {
    /// Those that a search showed.
    shown: Option<&'a str>,
    /// Those that a search was about: a passage of a note says more than what was asked for.
    query: Option<&'a str>,
    /// The line that the search finds best in it.
    best: Option<&'a str>,
}

/// Keeps the lines that hold most of the words of a query, the one that the search finds `best` when none holds any, as when only
/// the meaning was the same, and all of them where it does not tell.
fn keep_best<K: Ord>(lines: &mut BTreeMap<K, String>, query: &str, best: Option<&str>) {
    let mut analyzer = Analyzer::new();
    // Words as they are written, and as a search compares them: inflected, or without spaces between them.
    let mut words = |text: &str| -> BTreeSet<String> {
        let plain = words::words(text).filter(|word| word.chars().count() > 1).map(fold);
        plain.chain(analyzer.terms(text)).collect()
    };
    let asked = words(query);
    let held: Vec<usize> = lines.values().map(|line| words(line).intersection(&asked).count()).collect();
    let most = held.iter().copied().max().unwrap_or(0);
    if most > 0 {
        let mut held = held.into_iter();
        lines.retain(|_, _| held.next().is_some_and(|count| count * 2 > most));
        return;
    }
    let is_best = |line: &str| best.is_some_and(|best| best.trim() == line.trim());
    if lines.values().any(|line| is_best(line)) {
        lines.retain(|_, line| is_best(line));
    }
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
