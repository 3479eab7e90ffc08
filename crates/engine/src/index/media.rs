//! A picture or sound as rows: one chunk of one line, with the lines of notes that link it as its captions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

use super::rows::{Rows, Shape, hash, hashed_text};
use crate::workspace::{
    media::check,
    read::{FileBytes, read_bytes},
    roots::Roots,
};
use embed::media::Media;
use model::{
    cancel::Cancel,
    config::{multimodal::Modality, paths::normalize, settings::RedactSecrets},
    error::Result,
    source::Source,
};
use store::{
    Store, Tx,
    files::{Hash, NewChunk, NewFile},
    generations::GenerationId,
    media::{MediaFile, MissingMedia, is_media, media_hash},
};
use text::{analyze::Analyzer, outline::Outline, redact::redact};

/// Key in `meta`: what was written since the captions were looked for.
const CAPTIONS: &str = "captions";
const STALE: &str = "stale";
/// Longest caption in characters, and most of them of one file.
const CAPTION_CHARS: usize = 240;
const MAX_CAPTIONS: usize = 3;

/// The hash of a file's content, by which its vector is found: whatever its name is, and whoever links it.
pub(super) fn content_hash(mime: &str, bytes: &[u8]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(mime.as_bytes());
    hasher.update([0]);
    hasher.update(bytes);
    media_hash(&hasher.finalize().into())
}

/// What is said of a file: its name, as memory-core says it, and its captions.
fn said(path: &str, modality: Modality, captions: &[String]) -> String {
    let kind = match modality {
        Modality::Image => "Image file",
        Modality::Audio => "Audio file",
    };
    // A name may hold anything but a line break may not be in one line.
    let path: String = path.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = format!("{kind}: {path}");
    for (at, caption) in captions.iter().enumerate() {
        text.push_str(if at == 0 { " — " } else { " · " });
        text.push_str(caption);
    }
    text
}

/// The rows of a file. `content` is the hash of its bytes where they are embedded; otherwise what is said of it is.
pub(super) fn media_rows(
    analyzer: &mut Analyzer,
    path: &str,
    modality: Modality,
    content: Option<Hash>,
    captions: &[String],
    shape: Shape,
) -> Rows {
    let text = said(path, modality, captions);
    let text = if shape.redact_secrets == RedactSecrets::Always { redact(&text).into_owned() } else { text };
    let terms = analyzer.chunk(path, &Outline::of(&text), &[(1, text.as_str())]);
    let of_text = || hash(hashed_text(&text, shape.redact_secrets).as_bytes());
    let chunk = NewChunk {
        start_line: 1,
        end_line: 1,
        hash: content.unwrap_or_else(of_text),
        line_terms: terms.lines,
        fts_terms: terms.fts,
        text,
    };
    Rows { chunks: vec![chunk], lines: 1, terms: terms.count, ..Rows::default() }
}

/// A picture or sound that has no vector, read anew. None when it is no longer what the index knows, or no longer to be
/// seen: then nothing of it is sent.
pub(super) fn read_media(roots: &Roots, missing: &MissingMedia) -> Option<Media> {
    let absolute = roots.workspace_dir.join(&missing.path);
    let (modality, media) = roots.media(&absolute).zip(roots.media)?;
    if !roots.is_indexed(&absolute) || roots.forgotten.path(&missing.path).is_some() {
        return None;
    }
    let FileBytes { bytes, .. } = read_bytes(roots, &absolute, media.max_file_bytes).ok()?;
    let mime = check(&bytes, modality).ok()?;
    let is_same = media.sends(mime) && content_hash(mime, &bytes) == missing.hash;
    // Not the captions: the vector is that of the file, whoever links it.
    is_same.then(|| Media { text: said(&missing.path, modality, &[]), mime: mime.to_owned(), bytes })
}

/// Notes that captions have to be looked for again: with what is written, so that a kill forgets nothing.
pub(super) fn captions_are_stale(tx: &Tx<'_>) -> Result<()> {
    tx.set_meta(CAPTIONS, STALE)
}

/// Gives the pictures and sounds of a generation the captions that its notes have for them, where something was written
/// since the last time. Their vectors stay: they are of the bytes.
///
/// # Errors
/// When the store cannot be read or written, or when cancelled.
pub(super) fn write_captions(
    store: &Store,
    roots: &Roots,
    shape: Shape,
    generation: GenerationId,
    cancel: &Cancel,
) -> Result<()> {
    let source = Source::Memory.as_str();
    let Some(media) = roots.media else { return Ok(()) };
    let looked = store.read_with(cancel, |r| {
        if r.meta(CAPTIONS)?.as_deref() != Some(STALE) {
            return Ok(None);
        }
        let files = r.media_files(generation, source)?;
        let mut captions = Captions::of(roots, &files);
        if !files.is_empty() {
            r.for_each_linking_text(generation, source, |path, text| captions.read(path, text))?;
        }
        let found = captions.found();
        Ok(Some((files, found)))
    })?;
    let Some((files, found)) = looked else { return Ok(()) };
    let mut analyzer = Analyzer::new();
    let none = Vec::new();
    let mut changed = Vec::new();
    for file in files {
        let Some(modality) = media.modality_of(&file.path) else { continue };
        let content = is_media(&file.hash).then_some(file.hash);
        let captions = found.get(&file.path).unwrap_or(&none);
        let rows = media_rows(&mut analyzer, &file.path, modality, content, captions, shape);
        if rows.chunks.first().is_some_and(|chunk| chunk.text != file.text) {
            changed.push((file, rows));
        }
    }
    store.write_indexed(move |tx| {
        for (file, rows) in &changed {
            let of_text = if is_media(&file.hash) { Vec::new() } else { vec![file.hash] };
            let row = NewFile {
                source,
                path: &file.path,
                hash: file.row.hash,
                mtime_ns: file.row.mtime_ns,
                size: file.row.size,
                lines: rows.lines,
                terms: rows.terms,
            };
            tx.replace_file(generation, &row, &rows.chunks)?;
            // A caption may be gone because it was forgotten.
            tx.purge_texts(&of_text)?;
        }
        tx.set_meta(CAPTIONS, "")
    })
}

/// The lines of notes that link pictures and sounds.
struct Captions<'a> {
    roots: &'a Roots,
    /// Pictures and sounds by their absolute path, and by their name alone, as wikis link them.
    by_path: HashMap<String, &'a str>,
    by_name: HashMap<&'a str, Vec<&'a str>>,
    found: BTreeMap<&'a str, BTreeSet<(String, String)>>,
}

impl<'a> Captions<'a> {
    fn of(roots: &'a Roots, files: &'a [MediaFile]) -> Self {
        let mut captions = Self { roots, by_path: HashMap::new(), by_name: HashMap::new(), found: BTreeMap::new() };
        for file in files {
            let absolute = roots.workspace_dir.join(&file.path);
            captions.by_path.insert(absolute.to_string_lossy().replace('\\', "/"), &file.path);
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            captions.by_name.entry(name).or_default().push(&file.path);
        }
        captions
    }

    /// Takes in the links of a part of a note.
    fn read(&mut self, note: &str, text: &str) {
        for line in text.lines() {
            for link in links(line) {
                if let Some(path) = self.target(note, &link.target)
                    && let Some(caption) = caption(line, &link)
                {
                    self.found.entry(path).or_default().insert((note.to_owned(), caption));
                }
            }
        }
    }

    /// The picture or sound that a link in a note means.
    fn target(&self, note: &str, target: &str) -> Option<&'a str> {
        let folder = self.roots.workspace_dir.join(note);
        let at = |path: &str| {
            let absolute = normalize(&folder.parent()?.join(path));
            self.by_path.get(&absolute.to_string_lossy().replace('\\', "/")).copied()
        };
        // What is no text when it is decoded was not encoded.
        let decoded = percent_decode_str(target).decode_utf8().unwrap_or_else(|_| target.into());
        let by_path = || at(target).or_else(|| at(&decoded)).or_else(|| at(decoded.split(['#', '?']).next()?));
        // Wikis find a file by its name, or the end of its path, wherever it lies; of several nobody can tell which.
        let by_name = || {
            let named = self.by_name.get(decoded.rsplit('/').next()?)?;
            let mut fitting = named.iter().filter(|path| {
                path.strip_suffix(&*decoded).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            });
            let first = fitting.next()?;
            fitting.next().is_none().then_some(*first)
        };
        by_path().or_else(by_name)
    }

    /// Captions by file; the first notes have the word.
    fn found(self) -> HashMap<String, Vec<String>> {
        let first = |captions: BTreeSet<(String, String)>| {
            let mut kept: Vec<String> = Vec::new();
            for (_, caption) in captions {
                if kept.len() < MAX_CAPTIONS && !kept.contains(&caption) {
                    kept.push(caption);
                }
            }
            kept
        };
        self.found.into_iter().map(|(path, captions)| (path.to_owned(), first(captions))).collect()
    }
}

/// A link in a line.
struct Link {
    target: String,
    /// What is shown in its place.
    shown: String,
    /// Where it stands, with its brackets.
    place: std::ops::Range<usize>,
}

/// Links of a line: `[shown](target "title")`, `![shown](<target>)`, `[[target|shown]]`, `![[target]]`.
fn links(line: &str) -> Vec<Link> {
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(open) = line[at..].find('[').map(|open| at + open) {
        let start = if line[..open].ends_with('!') { open - 1 } else { open };
        let link = if line[open..].starts_with("[[") { wiki_link(line, open) } else { inline_link(line, open) };
        match link {
            Some((target, shown, end)) if !target.is_empty() => {
                links.push(Link { target: target.to_owned(), shown: shown.to_owned(), place: start..end });
                at = end;
            }
            _ => at = open + 1,
        }
    }
    links
}

fn wiki_link(line: &str, open: usize) -> Option<(&str, &str, usize)> {
    let end = open + line[open..].find("]]")?;
    let inner = &line[open + 2..end];
    let (target, shown) = inner.split_once('|').unwrap_or((inner, ""));
    // Behind the bar may stand a width instead of words.
    let shown = if shown.chars().all(|c| c.is_ascii_digit() || c == 'x') { "" } else { shown };
    Some((target.split('#').next()?.trim(), shown.trim(), end + 2))
}

fn inline_link(line: &str, open: usize) -> Option<(&str, &str, usize)> {
    let close = open + line[open..].find("](")?;
    let rest = &line[close + 2..];
    if let Some(bracketed) = rest.strip_prefix('<') {
        let end = bracketed.find('>')?;
        let closing = bracketed[end..].find(')')?;
        return Some((&bracketed[..end], &line[open + 1..close], close + 3 + end + closing + 1));
    }
    // Parentheses of a target come in pairs.
    let mut depth = 0;
    let end = rest.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    })?;
    let target = rest[..end].split([' ', '\t']).next()?;
    Some((target, &line[open + 1..close], close + 2 + end + 1))
}

/// What a line says of what it links; none when it says nothing.
fn caption(line: &str, link: &Link) -> Option<String> {
    let before = line.get(..link.place.start)?.trim_start().trim_start_matches(['-', '*', '+', '>', '#']);
    let words = [before, &link.shown, line.get(link.place.end..)?];
    let words: Vec<&str> = words.iter().flat_map(|part| part.split_whitespace()).collect();
    let caption: String = words.join(" ").chars().filter(|c| !c.is_control()).take(CAPTION_CHARS).collect();
    caption.chars().any(char::is_alphanumeric).then_some(caption)
}

#[cfg(test)]
#[path = "media_tests.rs"]
mod tests;
