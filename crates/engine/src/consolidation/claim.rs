//! Claims: the sentences of a note, each with its line, and what tells one claim from another.

use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest, Sha256};

use crate::capture::{sentences::sentences, similar::without_list_mark};
use text::{fold::fold, injected, lines::LineKind, outline::Outline, session_header, words::words};

/// Bytes of a claim's fingerprint.
const ID_BYTES: usize = 8;
/// Characters of its id in a note.
pub(super) const MARK_CHARS: usize = 8;
/// Longest paragraph that is joined, in bytes; prose is shorter.
const LONGEST_PARAGRAPH: usize = 4_000;

/// A sentence of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// Its words, without list mark, time and emphasis.
    pub text: String,
    /// The line that it begins on, from 1.
    pub line: u32,
    /// The innermost heading above it.
    pub heading: Option<String>,
    /// Importance that the note declares, 1–10.
    pub importance: Option<u8>,
    /// Trigger phrases that the note declares.
    pub triggers: Option<String>,
}

/// What a claim is known by: its words in order, without case, accents and punctuation. None when there are no words.
pub(super) fn claim_id(text: &str) -> Option<String> {
    let words: Vec<String> = words(text).map(fold).collect();
    (!words.is_empty()).then(|| fingerprint(&words.join(" ")))
}

/// A short fingerprint of a text.
pub(super) fn fingerprint(text: &str) -> String {
    hex::encode(Sha256::digest(text).get(..ID_BYTES).unwrap_or_default())
}

/// The sentences of a note. Code, front matter, headings, blocks that a program put there and lines that promotion or
/// consolidation wrote are left out.
pub(super) fn sentences_of_note(note: &str) -> Vec<Sentence> {
    let blanked = injected::blanked(note);
    let blanked = session_header::blanked(&blanked);
    let outline = Outline::of(&blanked);
    let mut found = Vec::new();
    let mut paragraph: Option<Paragraph> = None;
    for (number, line) in (1_u32..).zip(blanked.split('\n')) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if outline.kind_of(number) != LineKind::Text || is_generated(line) {
            close(paragraph.take(), &outline, &mut found);
            continue;
        }
        let goes_on = paragraph.as_ref().is_some_and(|open| open.goes_on_with(line));
        match paragraph.as_mut().filter(|_| goes_on) {
            Some(open) => open.push(line),
            None => {
                close(paragraph.take(), &outline, &mut found);
                paragraph = Some(Paragraph::begin(number, line));
            }
        }
    }
    close(paragraph, &outline, &mut found);
    found
}

/// Lines that belong together: a list item with what is set in below it, or prose that was wrapped.
struct Paragraph {
    line: u32,
    text: String,
    /// A comment ends an entry of the host.
    ended: bool,
}

impl Paragraph {
    fn begin(line: u32, text: &str) -> Self {
        Self { line, text: text.trim().to_owned(), ended: text.trim_end().ends_with("-->") }
    }

    fn goes_on_with(&self, line: &str) -> bool {
        let next = line.trim_start();
        !self.ended && !begins_item(next) && !next.starts_with(['|', '>']) && self.text.len() < LONGEST_PARAGRAPH
    }

    fn push(&mut self, line: &str) {
        self.text.push(' ');
        self.text.push_str(line.trim());
        self.ended = line.trim_end().ends_with("-->");
    }
}

fn begins_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || (digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") ")))
}

fn close(paragraph: Option<Paragraph>, outline: &Outline, found: &mut Vec<Sentence>) {
    let Some(Paragraph { line, text, .. }) = paragraph else { return };
    let (text, annotations) = without_comments(&text);
    let heading =
        outline.section_of(line).and_then(|section| outline.path_of_section(section).last()).map(str::to_owned);
    for sentence in sentences(plain(&text).as_str()) {
        found.push(Sentence {
            text: sentence.to_owned(),
            line,
            heading: heading.clone(),
            importance: annotations.importance,
            triggers: annotations.triggers.clone(),
        });
    }
}

/// What the comments behind an entry declare.
#[derive(Debug, Default)]
struct Annotations {
    importance: Option<u8>,
    triggers: Option<String>,
}

fn without_comments(text: &str) -> (String, Annotations) {
    static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?s)<!--(.*?)-->").ok());
    let mut annotations = Annotations::default();
    let Some(comment) = COMMENT.as_ref() else { return (text.to_owned(), annotations) };
    for found in comment.captures_iter(text) {
        let Some((key, value)) = found.get(1).and_then(|body| body.as_str().split_once(':')) else { continue };
        match key.trim() {
            "importance" => {
                let value = value.trim().parse().ok().filter(|n| (1..=10).contains(n));
                annotations.importance = annotations.importance.max(value);
            }
            "trigger" => annotations.triggers = Some(value.trim().to_owned()).filter(|v| !v.is_empty()),
            _ => {}
        }
    }
    (comment.replace_all(text, "").trim().to_owned(), annotations)
}

/// An item without its mark, category, time of day and emphasis.
fn plain(text: &str) -> String {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\d{1,3}[.)] +").ok());
    static TIME: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[*_(\[]{0,3}\d{1,2}[:h]\d{2}( ?[ap]m)?( ?UTC)?[*_)\]]{0,3}\s*[-–—:]?\s+").ok());
    static EMPHASIS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*").ok());
    let item = ["- ", "* ", "+ "].iter().find_map(|mark| text.strip_prefix(mark)).unwrap_or(text);
    // A box to be ticked is no category.
    if ["[ ]", "[x]", "[X]"].iter().any(|tick| item.starts_with(tick)) {
        return item.to_owned();
    }
    let text = without_list_mark(text.strip_prefix("+ ").unwrap_or(text));
    let mut text = text.to_owned();
    for pattern in [&NUMBER, &TIME].into_iter().filter_map(|pattern| pattern.as_ref()) {
        text = pattern.replace(&text, "").into_owned();
    }
    if let Some(emphasis) = EMPHASIS.as_ref() {
        text = emphasis.replace_all(&text, "$1$2$3").into_owned();
    }
    text.trim().to_owned()
}

/// Lines of the host's promotion and of ours.
fn is_generated(line: &str) -> bool {
    line.contains("openclaw-memory-promotion") || line.contains("openclaw:dreaming") || line.contains("mcrs:")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(note: &str) -> Vec<(u32, String)> {
        sentences_of_note(note).into_iter().map(|s| (s.line, s.text)).collect()
    }

    #[test]
    fn a_note_is_cut_into_sentences_with_their_lines() {
        let note = "# Roof\n\n- **10:15** Mara owns the roof. It was\n  painted in May.\n- [fact] Invoices go out on the 5th <!-- importance: 8 --> <!-- trigger: invoices, billing -->\n\nProse that is wrapped\nends here. And goes on.\n```sh\nnpm install everything\n```\n1. First of all\n";
        assert_eq!(
            texts(note),
            [
                (3, "Mara owns the roof.".to_owned()),
                (3, "It was painted in May.".to_owned()),
                (5, "Invoices go out on the 5th".to_owned()),
                (7, "Prose that is wrapped ends here.".to_owned()),
                (7, "And goes on.".to_owned()),
                (12, "First of all".to_owned()),
            ]
        );
        let invoices = sentences_of_note(note).into_iter().find(|s| s.line == 5).unwrap();
        assert_eq!(invoices.importance, Some(8));
        assert_eq!(invoices.triggers.as_deref(), Some("invoices, billing"));
        assert_eq!(invoices.heading.as_deref(), Some("Roof"));
    }

    #[test]
    fn what_promotion_or_consolidation_wrote_is_left_out() {
        let note = "<!-- openclaw-memory-promotion:memory:x -->\n- Kept by somebody else <!-- mcrs: k3f9 2026-11-20 -->\n- Said by a person";
        assert_eq!(texts(note), [(3, "Said by a person".to_owned())]);
    }

    #[test]
    fn spelling_makes_no_other_claim() {
        assert_eq!(claim_id("Invoices go out on the 5th."), claim_id("invoices GO out, on the 5th"));
        assert_ne!(claim_id("Invoices go out on the 5th."), claim_id("Invoices go out on the 6th."));
        assert_eq!(claim_id(" … "), None);
    }

    proptest::proptest! {
        #[test]
        fn lines_are_lines_of_the_note(note in "(\\PC{0,30}\n){0,8}") {
            let lines = note.split('\n').count() as u32;
            for sentence in sentences_of_note(&note) {
                proptest::prop_assert!((1..=lines).contains(&sentence.line));
                proptest::prop_assert!(!sentence.text.contains('\n'));
            }
        }
    }
}
