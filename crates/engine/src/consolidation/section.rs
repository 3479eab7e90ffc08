//! Our section of MEMORY.md. Everything outside its two marks, and every line inside that we did not write, stays as it is,
//! byte for byte.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;

use model::error::{Code, Error, Result};

pub(super) const HEADING: &str = "## Learned";
pub(super) const BEGIN: &str = "<!-- mcrs:learned v1 -->";
pub(super) const END: &str = "<!-- /mcrs:learned -->";

/// An entry as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its id, as in its mark.
    pub id: String,
    /// The day it was written.
    pub date: String,
    /// The statement.
    pub text: String,
    /// The whole line without its end.
    pub line: String,
}

/// A line for an entry.
pub(super) fn entry_line(id: &str, text: &str, date: Date, triggers: Option<&str>, importance: Option<u8>) -> String {
    let mut line = format!("- {text} <!-- mcrs: {id} {date} -->");
    if let Some(triggers) = triggers {
        line.push_str(&format!(" <!-- trigger: {triggers} -->"));
    }
    if let Some(importance) = importance {
        line.push_str(&format!(" <!-- importance: {importance} -->"));
    }
    line
}

/// The entry that a line is; none when it is no line of ours.
pub(super) fn entry_of(line: &str) -> Option<Entry> {
    static MARK: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^- (.+?) <!-- mcrs: ([0-9a-f]{4,16}) (\d{4}-\d{2}-\d{2})[^<>]* -->").ok());
    let found = MARK.as_ref()?.captures(line)?;
    let part = |at| found.get(at).map(|m: regex::Match<'_>| m.as_str().to_owned());
    Some(Entry { text: part(1)?, id: part(2)?, date: part(3)?, line: line.to_owned() })
}

/// A file with the place of our section.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    /// Bytes between the two marks, from the line after the first to the line of the second.
    inside: Option<std::ops::Range<usize>>,
    newline: &'static str,
}

impl<'a> Document<'a> {
    /// Finds our section.
    ///
    /// # Errors
    /// [`Code::Argument`] when its marks are damaged: then nobody knows what is ours.
    pub(super) fn parse(text: &'a str) -> Result<Self> {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut begins = Vec::new();
        let mut ends = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            match line.trim() {
                BEGIN => begins.push(at + line.len()),
                END => ends.push(at),
                _ => {}
            }
            at += line.len();
        }
        let inside = match (begins.as_slice(), ends.as_slice()) {
            ([], []) => None,
            (&[from], &[to]) if from <= to => Some(from..to),
            _ => {
                return Err(Error::new(Code::Argument, "the marks of the section \"Learned\" are damaged")
                    .remedy(format!("Leave one line \"{BEGIN}\" and after it one line \"{END}\", or remove both")));
            }
        };
        Ok(Self { text, inside, newline })
    }

    /// The entries of the section, in their order.
    pub(super) fn entries(&self) -> Vec<Entry> {
        self.lines().filter_map(|line| entry_of(line.trim_end_matches(['\r', '\n']))).collect()
    }

    /// What stands outside the section.
    pub(super) fn outside(&self) -> String {
        let Some(inside) = &self.inside else { return self.text.to_owned() };
        let part = |range| self.text.get(range).unwrap_or_default();
        format!("{}{}", part(0..inside.start), part(inside.end..self.text.len()))
    }

    /// The text with entries taken out (whole lines, as they stand) and others added at the end of the section, which is
    /// made when it is needed.
    pub(super) fn with(&self, remove: &[String], add: &[String]) -> String {
        let newline = self.newline;
        let added: String = add.iter().map(|line| format!("{line}{newline}")).collect();
        let Some(inside) = &self.inside else {
            if add.is_empty() {
                return self.text.to_owned();
            }
            let gap = match self.text {
                "" => String::new(),
                text if text.ends_with("\n\n") || text.ends_with("\r\n\r\n") => String::new(),
                text if text.ends_with('\n') => newline.to_owned(),
                _ => format!("{newline}{newline}"),
            };
            return format!("{}{gap}{HEADING}{newline}{BEGIN}{newline}{added}{END}{newline}", self.text);
        };
        let mut gone: Vec<&String> = remove.iter().collect();
        let kept: String = self
            .lines()
            .filter(|line| {
                let bare = line.trim_end_matches(['\r', '\n']);
                let at = gone.iter().position(|remove| remove.as_str() == bare);
                at.map(|at| gone.swap_remove(at)).is_none()
            })
            .collect();
        let part = |range| self.text.get(range).unwrap_or_default();
        format!("{}{kept}{added}{}", part(0..inside.start), part(inside.end..self.text.len()))
    }

    fn lines(&self) -> impl Iterator<Item = &'a str> {
        let inside = self.inside.clone().unwrap_or(0..0);
        self.text.get(inside).unwrap_or_default().split_inclusive('\n')
    }
}

/// Length as the host counts it against its limit.
pub(super) fn chars_of(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, text: &str) -> String {
        entry_line(id, text, jiff::civil::date(2026, 11, 20), None, None)
    }

    #[test]
    fn a_section_is_made_changed_and_leaves_everything_else() {
        let user = "# Me\n\nI like tea.";
        let made = Document::parse(user).unwrap().with(&[], &[line("aaaa0001", "One is true.")]);
        assert_eq!(
            made,
            format!(
                "# Me\n\nI like tea.\n\n{HEADING}\n{BEGIN}\n- One is true. <!-- mcrs: aaaa0001 2026-11-20 -->\n{END}\n"
            )
        );
        let edited = made.replace(END, &format!("my own line\n{END}"));
        let document = Document::parse(&edited).unwrap();
        assert_eq!(document.entries().len(), 1);
        let changed = document.with(&[line("aaaa0001", "One is true.")], &[line("aaaa0002", "Two is true.")]);
        let again = Document::parse(&changed).unwrap();
        assert!(changed.contains("my own line\n") && !changed.contains("One is true"));
        assert_eq!(again.entries()[0].text, "Two is true.");
        assert_eq!(again.outside(), document.outside());
    }

    #[test]
    fn annotations_are_read_back() {
        let line = entry_line(
            "k3f9".replace('k', "a").as_str(),
            "Two (2) are true.",
            jiff::civil::date(2026, 11, 20),
            Some("two"),
            Some(7),
        );
        assert_eq!(
            line,
            "- Two (2) are true. <!-- mcrs: a3f9 2026-11-20 --> <!-- trigger: two --> <!-- importance: 7 -->"
        );
        let entry = entry_of(&line).unwrap();
        assert_eq!((entry.id.as_str(), entry.text.as_str()), ("a3f9", "Two (2) are true."));
        assert_eq!(entry_of("- a user's line"), None);
    }

    #[test]
    fn damaged_marks_are_refused() {
        for text in
            [BEGIN.to_owned(), END.to_owned(), format!("{END}\n{BEGIN}\n"), format!("{BEGIN}\n{BEGIN}\n{END}\n")]
        {
            assert!(Document::parse(&text).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn taking_back_what_was_added_gives_the_same_bytes(text in "(\\PC{0,20}(\n|\r\n)){0,6}\\PC{0,9}") {
            let first = Document::parse(&text).unwrap().with(&[], &[line("aaaa0001", "One is true.")]);
            let document = Document::parse(&first).unwrap();
            let second = document.with(&[], &[line("aaaa0002", "Two is true.")]);
            let back = Document::parse(&second).unwrap().with(&[line("aaaa0002", "Two is true.")], &[]);
            proptest::prop_assert_eq!(&back, &first);
            proptest::prop_assert!(first.starts_with(&text));
        }
    }
}
