//! `memory_get` (G2, P11): a range of lines of one file of the memory, bounded, with a way to go on.

use std::path::{Component, PathBuf};

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use super::{
    guard::{self, Refusal},
    read::{decode, read_bounded},
    roots::{Located, Roots, is_markdown},
};
use model::{
    config::{paths::normalize, settings::ExcerptSettings},
    error::{Code, Error, Result},
};

/// What `memory_get` is asked.
#[derive(Debug, Clone, Default)]
pub struct ExcerptRequest {
    /// Relative to the workspace, or absolute.
    pub path: String,
    /// First line, from 1; none and 0 mean 1.
    pub from: Option<u64>,
    /// Number of lines, at least 1; none = the configured number.
    pub lines: Option<u64>,
}

/// Whether there was a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExcerptStatus {
    /// The file was read.
    Ok,
    /// There is no such file; the text is empty.
    NotFound,
}

/// What `memory_get` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Excerpt {
    /// Whether there was a file.
    pub status: ExcerptStatus,
    /// The lines, joined by `\n`, without the last line break.
    pub text: String,
    /// Relative to the workspace with `/`, absolute outside.
    pub path: String,
    /// First line of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Number of lines in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// Whether something after the text was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Where to go on; none at the end of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_from: Option<u64>,
    /// How many lines the file has, where the first line asked for is after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
}

/// Reads a range of lines.
///
/// # Errors
/// `Path` with the message that users of memory-core know, `path required`, for everything outside the memory, links
/// and special files; `Io`. A missing file is none.
pub(crate) fn read_excerpt(roots: &Roots, request: &ExcerptRequest, settings: ExcerptSettings) -> Result<Excerpt> {
    let located = locate(roots, &request.path)?;
    let (opened, located) = match guard::open(&located) {
        Err(Refusal::Missing) => match composed_otherwise(&located) {
            Some(twin) => (guard::open(&twin), twin),
            None => (Err(Refusal::Missing), located),
        },
        opened => (opened, located),
    };
    let absolute = located.absolute();
    let path = roots.display(&absolute);
    let mut file = match opened {
        Ok(file) => file,
        Err(Refusal::Missing) => return Ok(not_found(path)),
        Err(Refusal::Link) => return Err(refused(format!("\"{path}\" leads through a symbolic link"))),
        Err(Refusal::NotRegular) => return Err(refused(format!("\"{path}\" is not a regular file"))),
        Err(Refusal::Io(error)) => return Err(Error::io(&absolute, &error)),
    };
    let metadata = file.metadata().map_err(|error| Error::io(&absolute, &error))?;
    let bytes = read_bounded(&mut file, &metadata, roots.limits.file_bytes, &absolute)?;
    let text = decode(bytes).0;
    if roots.forgotten.path(&path).is_some() {
        return Ok(not_found(path));
    }
    let kept = roots.forgotten.keep(&path, &text);
    Ok(cut(&kept, path, request, settings))
}

/// Where a requested path lies. Decides on the text alone; the file system is asked by [`guard::open`].
fn locate(roots: &Roots, written: &str) -> Result<Located> {
    let written = written.trim();
    if written.is_empty() {
        return Err(refused("the path is empty".to_owned()));
    }
    if written.contains('\0') {
        return Err(refused("the path holds a NUL character".to_owned()));
    }
    let absolute = normalize(&roots.workspace_dir.join(written));
    if !is_markdown(&absolute) {
        return Err(refused(format!("\"{}\" does not end in .md", shown(written))));
    }
    if cfg!(windows) && absolute.components().any(is_ambiguous_on_windows) {
        return Err(refused(format!("\"{}\" has a name that Windows changes", shown(written))));
    }
    roots.locate(&absolute).ok_or_else(|| refused(format!("\"{}\" is outside the memory area", shown(written))))
}

/// Windows drops dots and spaces at the end of a name, and reads a colon as a hidden stream of a file.
fn is_ambiguous_on_windows(component: Component<'_>) -> bool {
    let Component::Normal(name) = component else { return false };
    let name = name.to_string_lossy();
    name.ends_with(['.', ' ']) || name.contains(':')
}

fn refused(cause: String) -> Error {
    Error::new(Code::Path, "path required").remedy(format!(
        "{cause}; memory_get reads the Markdown files MEMORY.md, USER.md, DREAMS.md, memory/** and the configured extraPaths"
    ))
}

/// A path as a message may repeat it: bounded, one line.
fn shown(written: &str) -> String {
    written.chars().take(120).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn not_found(path: String) -> Excerpt {
    Excerpt {
        status: ExcerptStatus::NotFound,
        text: String::new(),
        path,
        from: None,
        lines: None,
        truncated: false,
        next_from: None,
        total_lines: None,
    }
}

/// The same path with names as they are on disk, when they differ only in how accents are composed: models write
/// composed characters, some systems store decomposed ones.
pub(crate) fn composed_otherwise(located: &Located) -> Option<Located> {
    if located.below.to_str()?.is_ascii() {
        return None;
    }
    let mut below = PathBuf::new();
    for component in located.below.components() {
        let folder = located.base.join(&below);
        let wanted = component.as_os_str();
        if folder.join(wanted).symlink_metadata().is_ok() {
            below.push(wanted);
            continue;
        }
        let wanted = wanted.to_str()?;
        let mut names = folder.read_dir().ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        below.push(names.find(|name| name.nfc().eq(wanted.nfc()))?);
    }
    Some(Located { base: located.base.clone(), below })
}

/// Cuts the asked lines out of a text. A line break at the end of the file starts no further line.
fn cut(text: &str, path: String, request: &ExcerptRequest, settings: ExcerptSettings) -> Excerpt {
    let from = request.from.unwrap_or(1).max(1);
    let wanted = request.lines.map_or(settings.lines as u64, |lines| lines.max(1));
    let body = text.strip_suffix('\n').unwrap_or(text);
    let skip = usize::try_from(from - 1).unwrap_or(usize::MAX);
    let mut rest = body.split('\n').skip(if text.is_empty() { usize::MAX } else { skip }).peekable();

    let mut out = String::new();
    let (mut units, mut taken, mut is_cut) = (0_usize, 0_u64, false);
    while taken < wanted
        && let Some(line) = rest.peek()
    {
        let line_units = line.encode_utf16().count();
        let separator = usize::from(taken > 0);
        if units + separator + line_units > settings.chars {
            if taken > 0 {
                break;
            }
            // Not even one line fits: its beginning is better than nothing.
            out.push_str(prefix_of_units(line, settings.chars));
            is_cut = true;
        } else {
            if taken > 0 {
                out.push('\n');
            }
            out.push_str(line);
            units += separator + line_units;
        }
        rest.next();
        taken += 1;
        if is_cut {
            break;
        }
    }
    let has_more = rest.peek().is_some();
    Excerpt {
        status: ExcerptStatus::Ok,
        text: out,
        path,
        from: Some(from),
        lines: Some(taken),
        truncated: is_cut || has_more,
        next_from: has_more.then(|| from + taken),
        total_lines: (taken == 0 && from > 1)
            .then(|| if text.is_empty() { 0 } else { body.split('\n').count() as u64 }),
    }
}

/// The longest beginning of at most so many UTF-16 units that splits no character.
fn prefix_of_units(line: &str, units: usize) -> &str {
    let mut used = 0;
    for (at, c) in line.char_indices() {
        used += c.len_utf16();
        if used > units {
            return &line[..at];
        }
    }
    line
}

#[cfg(test)]
#[path = "excerpt_tests.rs"]
mod tests;
