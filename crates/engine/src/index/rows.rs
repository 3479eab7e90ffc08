//! One file's text to rows: chunks, their hashes, their terms.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::curated::file::indexed;
use model::config::multimodal::Takes;
use model::config::settings::{Chunking, RedactSecrets, Settings};
use model::layout::is_curated;
use store::files::{Hash, NewChunk};
use text::{
    analyze::Analyzer,
    annotations,
    chunk::{self, Chunk},
    injected,
    outline::Outline,
    redact::redact,
    session_header,
};

/// Longest embedding input in bytes (C3). Hosted models take 8,191 tokens and more, each counted pessimistically as one
/// byte; memory-core never sends more than this in one request, and so cuts there.
const HOSTED_INPUT_BYTES: usize = 8000;
/// The same for a local GGUF model and for Gemini's text models.
const SMALL_INPUT_BYTES: usize = 2048;
/// The one Gemini model with the input of other hosted ones.
const LARGE_GEMINI: &str = "gemini-embedding-2-preview";

/// The rows of one file, without what the store knows by itself.
#[derive(Debug, Default)]
pub struct Rows {
    /// Chunks in order; blank ones are left out (C4).
    pub chunks: Vec<NewChunk>,
    /// Lines of the text.
    pub lines: u32,
    /// Terms of the text, each line counted once.
    pub terms: u32,
    /// Whether it is an extra file that says it is curated; none where the user vouches for no such file.
    pub is_marked: Option<bool>,
    /// Of a picture or sound whose bytes are embedded, the tokens that this is likely to cost.
    pub media_tokens: Option<usize>,
}

/// What chunk rows depend on beside the text; part of the identity of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Chunk sizes.
    pub chunking: Chunking,
    /// Longest embedding input in bytes.
    pub input_bytes: usize,
    /// Where the text loses its secrets.
    pub redact_secrets: RedactSecrets,
    /// What of pictures and sounds the provider takes.
    pub takes: Takes,
}

impl Shape {
    /// The shape that the settings ask for.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let provider = &settings.provider;
        let small = match provider.id.as_str() {
            "local" => true,
            "gemini" => provider.model.as_deref() != Some(LARGE_GEMINI),
            _ => false,
        };
        Self {
            chunking: settings.chunking,
            input_bytes: if small { SMALL_INPUT_BYTES } else { HOSTED_INPUT_BYTES },
            redact_secrets: provider.redact_secrets,
            takes: settings.multimodal.map_or(Takes::Text, |multimodal| multimodal.takes),
        }
    }
}

/// SHA-256 of a text, which vectors are found by.
#[must_use]
pub fn hash(text: &[u8]) -> Hash {
    Sha256::digest(text).into()
}

/// What of a text its vector is found by, and made of: the text as a provider elsewhere gets it. So what holds no secret
/// has the same vector whatever the settings, and texts that differ in a secret share one whoever was first.
#[must_use]
pub(crate) fn hashed_text(text: &str, redact_secrets: RedactSecrets) -> Cow<'_, str> {
    match redact_secrets {
        RedactSecrets::Never => text.into(),
        RedactSecrets::Remote | RedactSecrets::Always => redact(text),
    }
}

/// [`hashed_text`] of a stored text whose hash is known. Where that is the hash of the text as it stands, there was nothing to
/// take out, which is told in a fraction of the time that looking for secrets takes. Whatever leaves this machine is looked
/// through once more on its way.
pub(crate) fn stored_text<'a>(text: &'a str, known: &Hash, redact_secrets: RedactSecrets) -> Cow<'a, str> {
    if hash(text.as_bytes()) == *known { text.into() } else { hashed_text(text, redact_secrets) }
}

/// Cuts a text into chunks and analyses them; `curated` where the user vouches for it.
pub fn rows_of(analyzer: &mut Analyzer, path: &str, text: &str, curated: bool, shape: Shape) -> Rows {
    let text = if curated || is_curated(path) { indexed(text) } else { annotations::stripped(text, false) };
    let text = session_header::blanked(&text);
    let text = injected::blanked(&text);
    let always = shape.redact_secrets == RedactSecrets::Always;
    let text = if always { redact(&text) } else { text.as_ref().into() };
    rows_numbered(analyzer, path, &text, shape, |line| line)
}

/// [`prepare`] for a text whose lines have other numbers than their place in it; `number_of` must never fall.
pub(crate) fn rows_numbered(
    analyzer: &mut Analyzer,
    path: &str,
    text: &str,
    shape: Shape,
    number_of: impl Fn(u32) -> u32,
) -> Rows {
    let outline = Outline::of(text);
    let file_lines: Vec<&str> = text.split('\n').collect();
    let mut rows = Rows { lines: u32::try_from(file_lines.len()).unwrap_or(u32::MAX), ..Rows::default() };
    let mut counted_to = 0;
    for whole in chunk::chunks(text, shape.chunking).filter(|c| !c.is_blank()) {
        for part in chunk::split_to_bytes(&whole, shape.input_bytes) {
            let mut lines = numbered_lines(&part, &file_lines);
            // Overlapping lines count once: the share of this chunk's lines that no chunk before it had.
            let fresh = lines.iter().filter(|(n, _)| *n > counted_to).count();
            for (number, _) in &mut lines {
                *number = number_of(*number);
            }
            let terms = analyzer.chunk(path, &outline, &lines);
            rows.terms +=
                terms.count * u32::try_from(fresh).unwrap_or(0) / u32::try_from(lines.len()).unwrap_or(1).max(1);
            counted_to = counted_to.max(part.end_line);
            rows.chunks.push(NewChunk {
                start_line: number_of(part.start_line),
                end_line: number_of(part.end_line),
                hash: hash(hashed_text(&part.text, shape.redact_secrets).as_bytes()),
                line_terms: terms.lines,
                fts_terms: terms.fts,
                text: part.text.into_owned(),
            });
        }
    }
    rows
}

/// The lines of a chunk with their numbers in the file. A line that was too long for one chunk comes in parts that
/// share its number.
fn numbered_lines<'a>(chunk: &'a Chunk<'_>, file_lines: &[&str]) -> Vec<(u32, &'a str)> {
    let parts: Vec<&str> = chunk.text.split('\n').collect();
    let whole = u64::from(chunk.end_line - chunk.start_line) + 1 == parts.len() as u64;
    let mut number = chunk.start_line;
    let last = parts.len().saturating_sub(1);
    parts
        .iter()
        .enumerate()
        .map(|(at, part)| {
            let numbered = (number, *part);
            let line = file_lines.get(number as usize - 1).copied().unwrap_or_default();
            if at < last && number < chunk.end_line && (whole || line.ends_with(part)) {
                number += 1;
            }
            numbered
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD as BASE64;

    use super::*;

    fn shape(tokens: usize, overlap: usize) -> Shape {
        Shape {
            chunking: Chunking { tokens, overlap },
            input_bytes: HOSTED_INPUT_BYTES,
            redact_secrets: RedactSecrets::Remote,
            takes: Takes::Text,
        }
    }

    #[test]
    fn parts_of_a_long_line_share_its_number() {
        let long = "x".repeat(100);
        let text = format!("first\n{long}\nlast");
        let file_lines: Vec<&str> = text.split('\n').collect();
        let mut seen = Vec::new();
        for chunk in chunk::chunks(&text, Chunking { tokens: 16, overlap: 0 }) {
            seen.extend(numbered_lines(&chunk, &file_lines).iter().map(|(n, part)| (*n, part.len())));
        }
        assert_eq!(seen, [(1, 5), (2, 64), (2, 36), (3, 4)]);
    }

    #[test]
    fn lines_carried_over_count_once() {
        let text = (0..40).map(|n| format!("alpha{n} beta{n} gamma{n}")).collect::<Vec<_>>().join("\n");
        let plain = rows_of(&mut Analyzer::new(), "memory/a.md", &text, false, shape(60, 0));
        let overlapping = rows_of(&mut Analyzer::new(), "memory/a.md", &text, false, shape(60, 20));
        assert!(overlapping.chunks.len() > plain.chunks.len());
        let difference = plain.terms.abs_diff(overlapping.terms);
        assert!(difference * 10 < plain.terms, "{} against {}", overlapping.terms, plain.terms);
    }

    // Keys that stand in notes were sent to whoever embeds them.
    #[test]
    fn a_text_with_a_secret_has_the_hash_of_what_a_provider_gets_and_others_keep_theirs() {
        let of = |text: &str, redact_secrets| {
            let shape = Shape { redact_secrets, ..shape(400, 80) };
            rows_of(&mut Analyzer::new(), "MEMORY.md", text, false, shape).chunks.remove(0)
        };
        let secret = "The WiFi password is Sunflower!42\nTea";
        let clean = redact(secret).into_owned();
        for mode in [RedactSecrets::Never, RedactSecrets::Remote, RedactSecrets::Always] {
            assert_eq!(of("Tea at five", mode).hash, hash(b"Tea at five"));
            let chunk = of(secret, mode);
            assert_eq!(chunk.text == secret, mode != RedactSecrets::Always);
            assert_eq!(chunk.hash, hash(if mode == RedactSecrets::Never { secret } else { &clean }.as_bytes()));
            assert_eq!((chunk.start_line, chunk.end_line), (1, 2));
        }
    }

    // Of a key that is longer than a passage only the first part was known by its armour; the others were sent.
    #[test]
    fn no_passage_of_a_long_private_key_keeps_any_of_it() {
        let digest = |n: u32| Sha256::digest(n.to_le_bytes());
        let body: String = (0..100).map(|n| base64::Engine::encode(&BASE64, digest(n)).replace('=', "A")).collect();
        let wrapped = |width: usize, feed: &str| {
            let chars: Vec<char> = body.chars().collect();
            chars.chunks(width).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join(feed)
        };
        // Made of pieces, so that no scanner takes this file for a leak.
        let armour = |end: &str| format!("-----{end} RSA {} KEY-----", "PRIVATE");
        let (begin, end) = (armour("BEGIN"), armour("END"));
        let notes = [
            format!("# Server\n\n{begin}\n{}\n{end}\n\nTea at five.", wrapped(64, "\n")),
            format!("- key: |\n    {begin}\n    {}\n    {end}\n\nTea at five.", wrapped(70, "\n    ")),
            format!("{{\"private_key\": \"{begin}\\n{}\\n{end}\\n\", \"a\": 1}}\nTea at five.", wrapped(64, "\\n")),
            format!("{begin}\n{}\n{end}\nTea at five.", wrapped(usize::MAX, "\n")),
        ];
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
        for (note, text) in notes.iter().enumerate() {
            for (tokens, overlap) in [(400, 80), (100, 20), (60, 0)] {
                let chunks = rows_of(&mut Analyzer::new(), "MEMORY.md", text, false, shape(tokens, overlap)).chunks;
                assert!(chunks.len() > 2);
                for chunk in &chunks {
                    let sent = redact(&chunk.text).into_owned();
                    let left = sent.split(|c: char| !is_base64(c)).find(|run| run.len() >= 24 && body.contains(run));
                    assert_eq!(left, None, "{note} {tokens}: {}", chunk.text);
                }
                assert!(chunks.iter().any(|chunk| redact(&chunk.text).contains("Tea at five.")));
            }
        }
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(rows_of(&mut Analyzer::new(), "MEMORY.md", " \n\n\t", false, shape(400, 80)).chunks.is_empty());
    }
}
