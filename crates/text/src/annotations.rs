//! What a curated note says about its own lines in comments: the words that bring a line back, how important it is, and
//! which projects it belongs to. `- Invoices go out on the 5th <!-- trigger: invoices --> <!-- importance: 8 -->`.
//!
//! The forms are the host's. They are read line by line: a line never borrows what stands behind another one.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use regex::Regex;

/// The beginning of such a comment.
static MARKER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)<!--\s*(trigger|importance|project)\s*:").ok());

const END: &str = "-->";

/// What a comment is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Phrases that bring the line back.
    Trigger,
    /// A number from 1 to 10.
    Importance,
    /// Keys of projects.
    Project,
}

/// A comment of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comment<'a> {
    place: Range<usize>,
    kind: Kind,
    /// None when the comment does not end on its line.
    value: Option<&'a str>,
}

/// What is wrong with a comment, for `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It does not end on its line.
    Open,
    /// It does not stand at the end of its line, where alone it counts.
    NotAtEnd,
    /// The importance is no whole number from 1 to 10.
    Importance,
    /// A trigger without a phrase.
    NoPhrase,
    /// A project without a key, or with a key that is none; the line is shown to nobody.
    Project,
}

impl Fault {
    /// In words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Open => "a comment that does not end on its line",
            Self::NotAtEnd => "trigger and importance count only at the end of a line",
            Self::Importance => "importance is a whole number from 1 to 10",
            Self::NoPhrase => "a trigger without a phrase",
            Self::Project => "a project without a valid key; the line is not shown",
        }
    }
}

/// What the comments of a line say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Phrases, each once, in their order.
    pub triggers: Vec<String>,
    /// 1 to 10; the highest that the line names.
    pub importance: Option<u8>,
    /// Keys of projects, each once, in their order.
    pub projects: Vec<String>,
    /// Whether the line names a project in a form that cannot be understood: then nobody knows whose it is.
    pub is_hidden: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

impl Annotations {
    /// Whether the line says nothing about itself.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads the comments of a line.
#[must_use]
pub fn of_line(line: &str) -> Annotations {
    let mut found = Annotations::default();
    let at_end = line.trim_end().ends_with(END);
    for comment in comments(line) {
        let Some(value) = comment.value else {
            found.faults.push(Fault::Open);
            found.is_hidden |= comment.kind == Kind::Project;
            continue;
        };
        match comment.kind {
            Kind::Project => projects(value, &mut found),
            _ if !at_end => found.faults.push(Fault::NotAtEnd),
            Kind::Trigger => triggers(value, &mut found),
            Kind::Importance => importance(value, &mut found),
        }
    }
    found
}

fn triggers(value: &str, found: &mut Annotations) {
    let mut phrases = value.split([',', ';']).map(str::trim).filter(|phrase| !phrase.is_empty()).peekable();
    if phrases.peek().is_none() {
        found.faults.push(Fault::NoPhrase);
    }
    for phrase in phrases {
        if !found.triggers.iter().any(|known| known == phrase) {
            found.triggers.push(phrase.to_owned());
        }
    }
}

fn importance(value: &str, found: &mut Annotations) {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse::<u64>().ok().filter(|number| digits && (1..=10).contains(number)) {
        Some(number) => found.importance = found.importance.max(u8::try_from(number).ok()),
        None => found.faults.push(Fault::Importance),
    }
}

fn projects(value: &str, found: &mut Annotations) {
    for raw in value.split(';') {
        match project_key(raw) {
            Some(key) if !found.projects.contains(&key) => found.projects.push(key),
            Some(_) => {}
            None => {
                found.is_hidden = true;
                found.faults.push(Fault::Project);
            }
        }
    }
}

/// A project's key as it is compared: the host's name of `host/owner/repository` in lower case, paths as they are.
#[must_use]
pub fn project_key(raw: &str) -> Option<String> {
    let key = raw.trim();
    if key.is_empty() || key.contains(['\r', '\n', '<', '>']) {
        return None;
    }
    match key.split_once('/').filter(|(host, _)| !host.is_empty() && !key.starts_with("path:")) {
        Some((host, rest)) => Some(format!("{}/{rest}", host.to_lowercase())),
        None => Some(key.to_owned()),
    }
}

/// The text without these comments, line for line; other comments stay. Importance stays where the index itself reads it:
/// on a line of its own, where it counts for a section, and in notes that are not curated.
#[must_use]
pub fn stripped(text: &str, is_curated: bool) -> Cow<'_, str> {
    if !text.contains("<!--") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut from = 0;
        let mut cut = String::new();
        let keeps_importance = !is_curated || line.trim_start().starts_with("<!--") && line.trim_end().ends_with(END);
        for Comment { place, kind, value } in comments(line) {
            if value.is_some() && !(kind == Kind::Importance && keeps_importance) {
                cut.push_str(line.get(from..place.start).unwrap_or_default());
                from = place.end;
            }
        }
        if from > 0 {
            let rest = line.get(from..).unwrap_or_default();
            cut.push_str(rest.trim_end_matches(['\n', '\r']));
            out.push_str(text.get(kept..start).unwrap_or_default());
            out.push_str(cut.trim_end_matches([' ', '\t']));
            out.push_str(if rest.ends_with("\r\n") {
                "\r\n"
            } else if rest.ends_with('\n') {
                "\n"
            } else {
                ""
            });
            kept = start + line.len();
        }
        start += line.len();
    }
    if kept == 0 {
        return text.into();
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    out.into()
}

/// The comments of a line, in their order. A marker inside another comment is part of that one.
fn comments(line: &str) -> Vec<Comment<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(captures) = line.get(from..).and_then(|rest| MARKER.as_ref()?.captures(rest)) {
        let (Some(whole), Some(name)) = (captures.get(0), captures.get(1)) else { break };
        let kind = match name.as_str().as_bytes().first().map(u8::to_ascii_lowercase) {
            Some(b't') => Kind::Trigger,
            Some(b'i') => Kind::Importance,
            _ => Kind::Project,
        };
        let (start, value_at) = (from + whole.start(), from + whole.end());
        let Some(length) = line.get(value_at..).and_then(|rest| rest.find(END)) else {
            found.push(Comment { place: start..line.len(), kind, value: None });
            break;
        };
        let end = value_at + length + END.len();
        let value = line.get(value_at..value_at + length).map(str::trim);
        found.push(Comment { place: start..end, kind, value });
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_forms_that_hosts_write() {
        let line = "- Invoices go out on the 5th Source: memory/2026-11-18.md#L7-L7 <!-- trigger: invoices, billing --> <!-- importance: 8 -->";
        let read = of_line(line);
        assert_eq!((read.triggers, read.importance), (vec!["invoices".to_owned(), "billing".to_owned()], Some(8)));
        assert_eq!(stripped(line, true), "- Invoices go out on the 5th Source: memory/2026-11-18.md#L7-L7");
        let many = of_line(
            "x <!--TRIGGER:a;b , a--><!-- importance: 3 --><!--importance:9--> <!-- project: GitHub.com/Acme/Roof; path:/A/b -->\t",
        );
        assert_eq!(many.triggers, ["a", "b"]);
        assert_eq!(many.importance, Some(9));
        assert_eq!(many.projects, ["github.com/Acme/Roof", "path:/A/b"]);
        assert!(many.faults.is_empty() && !many.is_hidden);
    }

    #[test]
    fn comments_inside_a_line_count_for_projects_only() {
        let read = of_line("x <!-- trigger: a --> <!-- importance: 8 --> <!-- project: a/b/c --> and more");
        assert_eq!((read.triggers.len(), read.importance), (0, None));
        assert_eq!(read.projects, ["a/b/c"]);
        assert_eq!(read.faults, [Fault::NotAtEnd, Fault::NotAtEnd]);
    }

    #[test]
    fn what_cannot_be_understood_is_a_fault_and_hides_only_by_project() {
        for (line, fault, hidden) in [
            ("x <!-- importance: 11 -->", Fault::Importance, false),
            ("x <!-- importance: 0 -->", Fault::Importance, false),
            ("x <!-- importance: +5 -->", Fault::Importance, false),
            ("x <!-- importance: high -->", Fault::Importance, false),
            ("x <!-- importance: 99999999999999999999999 -->", Fault::Importance, false),
            ("x <!-- trigger: , ; -->", Fault::NoPhrase, false),
            ("x <!-- trigger: a", Fault::Open, false),
            ("x <!-- project: -->", Fault::Project, true),
            ("x <!-- project: a/b; ; c -->", Fault::Project, true),
            ("x <!-- project: <b> -->", Fault::Project, true),
            ("x <!-- project: a/b", Fault::Open, true),
        ] {
            let read = of_line(line);
            assert_eq!((read.faults.as_slice(), read.is_hidden), ([fault].as_slice(), hidden), "{line}");
        }
        assert!(of_line("nothing <!-- of this --> kind -->").is_empty());
    }

    #[test]
    fn stripping_keeps_lines_and_other_comments() {
        let text =
            "# A\r\n- b <!-- trigger: x -->\r\n<!-- note -->  \n- c <!-- importance: 3 --> d\n<!-- trigger: e\n-->";
        assert_eq!(stripped(text, true), "# A\r\n- b\r\n<!-- note -->  \n- c  d\n<!-- trigger: e\n-->");
        assert!(matches!(stripped("plain <!-- note --> text", true), Cow::Borrowed(_)));
        let alone = "<!-- trigger: a --> <!-- importance: 9 -->\nx <!-- importance: 9 --><!-- project: a/b -->";
        assert_eq!(stripped(alone, true), " <!-- importance: 9 -->\nx");
        assert_eq!(stripped(alone, false), " <!-- importance: 9 -->\nx <!-- importance: 9 -->");
    }

    proptest! {
        #[test]
        fn no_text_is_a_crash_and_lines_stay(text in "(\\PC{0,12}|<!-- ?(trigger|importance|project): ?|-->|\\r?\\n|;|,|[0-9]){0,24}", curated in any::<bool>()) {
            let cut = stripped(&text, curated);
            prop_assert_eq!(cut.split('\n').count(), text.split('\n').count());
            prop_assert!(cut.len() <= text.len());
            for line in text.split('\n') {
                let read = of_line(line);
                prop_assert!(read.importance.is_none_or(|n| (1..=10).contains(&n)));
                prop_assert!(read.triggers.iter().all(|phrase| !phrase.contains("-->")));
            }
        }
    }
}
