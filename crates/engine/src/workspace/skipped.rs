//! What is left out, and why: every file that a user may expect in the index has a reason when it is not there.

use serde::Serialize;

/// Why something was left out. The text form is stored and shown in `status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipCode {
    /// A symbolic link; links are never followed.
    Link,
    /// The operating system refused to list or stat it.
    Unreadable,
    /// A folder, pipe, socket or device where a file is expected.
    NotRegular,
    /// Larger than the limit.
    TooLarge,
    /// Deeper than the limit.
    TooDeep,
    /// Beyond the limit of files or folder entries.
    TooMany,
    /// A folder on the ignore list.
    Ignored,
    /// A configured path that does not exist.
    Missing,
    /// A name that is not valid Unicode.
    InvalidName,
    /// A glob that cannot be understood.
    InvalidPattern,
    /// A configured file that is not Markdown.
    NotMarkdown,
    /// The user told the memory to forget it.
    Forgotten,
    /// A picture, a sound or a note by its name, and something else by its content.
    WrongContent,
    /// Neither UTF-8 nor UTF-16: indexed, but for the letters that cannot be read.
    OtherEncoding,
}

impl SkipCode {
    /// The stable text of the code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Unreadable => "unreadable",
            Self::NotRegular => "not-regular",
            Self::TooLarge => "too-large",
            Self::TooDeep => "too-deep",
            Self::TooMany => "too-many",
            Self::Ignored => "ignored",
            Self::Missing => "missing",
            Self::InvalidName => "invalid-name",
            Self::InvalidPattern => "invalid-pattern",
            Self::NotMarkdown => "not-markdown",
            Self::Forgotten => "forgotten",
            Self::WrongContent => "wrong-content",
            Self::OtherEncoding => "other-encoding",
        }
    }
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The path in the form that results use.
    pub path: String,
    /// Why.
    pub code: SkipCode,
    /// Why, for people.
    pub reason: String,
}

/// Records kept at most; the rest is only counted, so that a hostile folder cannot fill the memory.
pub(crate) const MAX_RECORDS: usize = 1000;

/// A bounded list of what was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct SkippedList {
    /// At most 1,000 records, in order of discovery.
    pub records: Vec<Skipped>,
    /// How many more there were.
    pub more: usize,
}

impl SkippedList {
    /// Adds a record, or counts it when the list is full.
    pub(crate) fn push(&mut self, path: impl Into<String>, code: SkipCode, reason: impl Into<String>) {
        if self.records.len() < MAX_RECORDS {
            self.records.push(Skipped { path: path.into(), code, reason: reason.into() });
        } else {
            self.more += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_bounded_and_counts_the_rest() {
        let mut list = SkippedList::default();
        for at in 0..MAX_RECORDS + 5 {
            list.push(format!("memory/{at}.md"), SkipCode::Link, "a symbolic link");
        }
        assert_eq!((list.records.len(), list.more), (MAX_RECORDS, 5));
    }

    #[test]
    fn the_stored_text_of_a_code_is_the_shown_one() {
        for code in [SkipCode::NotRegular, SkipCode::Forgotten, SkipCode::TooMany] {
            assert_eq!(serde_json::to_value(code).expect("plain"), code.as_str());
        }
    }
}
