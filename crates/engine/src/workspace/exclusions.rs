//! What the user told the memory to forget: a list of its own beside the index, because the index may be deleted and
//! made again, and must not bring back what was forgotten. The Markdown itself is never touched.
//!
//! - A forgotten *path* (file or folder) stays out whatever is written to it. What it holds stays out under any other name:
//!   each of its files as it was, and its lines as if they were forgotten one by one.
//! - Forgotten *lines* stay out wherever they move inside their file, and, when they are long enough to be nobody
//!   else's, in every other file. A line that is rewritten is a new line.
//! - A forgotten *session* stays out with everything the host names by its id or key.
//!
//! The list holds hashes of lines, never their text.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::is_at_or_below;
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// Letters and digits from which a line is taken for one that only says one thing, so that it is left out of every
/// file; shorter ones ("- done", "# Notes") only of their own.
pub(crate) const TELLING: usize = 20;

/// Bytes of a hash in the list.
const HASH_BYTES: usize = 16;

/// Key in `meta` of the version of the list that the live generation follows.
pub(crate) const FOLLOWED: &str = "forgotten";

/// What one entry of the list is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum What {
    /// A file, or a folder with all that lies below it.
    Path {
        /// As in results.
        path: String,
        /// Hash of the file's content, so that a rename does not bring it back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// Lines of a file.
    Lines {
        /// As in results.
        path: String,
        /// Hashes of lines that are left out of this file.
        here: Vec<String>,
        /// Hashes of lines that are left out of every file.
        everywhere: Vec<String>,
    },
    /// A conversation.
    Session {
        /// Its id or key.
        session: String,
    },
}

impl What {
    /// Whether what another is about is a part of this: a file or a folder is all that lies in it.
    #[must_use]
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let place = match other {
            Self::Path { path, .. } | Self::Lines { path, .. } => Some(path),
            Self::Session { .. } => None,
        };
        let is_below = |wide: &String| place.is_some_and(|place| is_at_or_below(place, wide));
        self == other || matches!(self, Self::Path { path, .. } if is_below(path))
    }
}

/// One line of the list. Those of one act of forgetting have one id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Name of the entry, to take it back.
    pub id: String,
    /// When, ISO 8601 in UTC.
    pub at: String,
    /// Whether it is never to be taken back.
    #[serde(default, rename = "final", skip_serializing_if = "std::ops::Not::not")]
    pub is_final: bool,
    /// The gateway that forgot it, whose files stay where they are; none where the index is a file, or that was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What is forgotten.
    #[serde(flatten)]
    pub what: What,
}

impl Entry {
    /// Understands a line of the list; none where it is no entry.
    #[must_use]
    pub(crate) fn of(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }
}

/// No part of a text, and yet in lists of what was forgotten.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The list, ready to be asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Exclusions {
    paths: HashMap<String, String>,
    /// By path those who forgot it; none among them = nobody knows who.
    forgot: HashMap<String, HashSet<Option<String>>>,
    contents: HashSet<String>,
    here: HashMap<String, HashSet<String>>,
    everywhere: HashSet<String>,
    /// With when they were forgotten, in milliseconds since the epoch.
    sessions: HashMap<String, i64>,
    version: String,
    unreadable: usize,
    problem: Option<Error>,
}

/// The list that belongs to a database.
#[must_use]
pub(crate) fn list_path(database: &Path) -> PathBuf {
    store::kept_beside(database, store::Kept::Forgotten)
}

/// Hash of a line in the list. White space around it does not count: it changes with indentation and line ends.
#[must_use]
pub(crate) fn line_hash(line: &str) -> String {
    short_hash(line.trim().as_bytes())
}

/// Hash of a whole file in the list.
#[must_use]
pub(crate) fn content_hash(bytes: &[u8]) -> String {
    short_hash(bytes)
}

/// Whether a line is left out of every file, not only of its own.
#[must_use]
pub(crate) fn is_telling(line: &str) -> bool {
    !line.trim_start().starts_with('#') && line.chars().filter(|c| c.is_alphanumeric()).take(TELLING).count() == TELLING
}

/// The ids that the file of a transcript may stand for: ids may have points themselves.
pub(crate) fn ids_in(path: &str) -> impl Iterator<Item = &str> {
    let name = path.rsplit('/').next().unwrap_or_default();
    [name.split('.').next(), name.split(".jsonl").next()].into_iter().flatten()
}

/// The folders above a path, as results name them.
pub(crate) fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(..at))
}

fn short_hash(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..HASH_BYTES])
}

impl Exclusions {
    /// Reads the list of a database. A list that cannot be read is remembered as a problem: see [`Self::check`].
    #[must_use]
    pub(crate) fn of(database: &Path) -> Self {
        let path = list_path(database);
        let text = own_file::read(&path).and_then(|bytes| {
            let not_text = |_| Error::new(Code::Corrupt, format!("{} is not text", path.display()));
            String::from_utf8(bytes.unwrap_or_default()).map_err(not_text)
        });
        match text {
            Ok(text) => Self::parse(&text),
            Err(error) => {
                let problem = error
                    .context("the list of what is forgotten cannot be read")
                    .remedy("Make it readable; until then nothing is indexed, so that nothing forgotten comes back");
                Self { problem: Some(problem), ..Self::default() }
            }
        }
    }

    /// Understands a list. Lines that are no entry are counted.
    #[must_use]
    pub(crate) fn parse(text: &str) -> Self {
        let mut list = Self::default();
        // What is no entry changes nothing: gateways that have one index would never agree on its version.
        let mut entries = String::new();
        for line in text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty()) {
            if let Some(entry) = Entry::of(line) {
                list.add(entry);
                entries.extend([line, "\n"]);
            } else {
                list.unreadable += 1;
            }
        }
        if !list.is_empty() {
            list.version = short_hash(entries.as_bytes());
        }
        list
    }

    /// A list of nothing but these.
    #[must_use]
    pub(crate) fn of_these(whats: &[What]) -> Self {
        let mut list = Self::default();
        for what in whats {
            list.add(Entry { id: String::new(), at: String::new(), is_final: false, by: None, what: what.clone() });
        }
        list
    }

    fn add(&mut self, Entry { id, at, by, what, .. }: Entry) {
        match what {
            What::Path { path, content } => {
                self.contents.extend(content);
                self.forgot.entry(path.clone()).or_default().insert(by);
                self.paths.insert(path, id);
            }
            What::Lines { path, here, everywhere } => {
                self.here.entry(path).or_default().extend(here);
                self.everywhere.extend(everywhere);
            }
            What::Session { session } => {
                // Where nobody knows when, all that is said is forgotten.
                let at = at.parse::<jiff::Timestamp>().map_or(i64::MAX, jiff::Timestamp::as_millisecond);
                let known = self.sessions.entry(session).or_insert(at);
                *known = at.max(*known);
            }
        }
    }

    /// Whether the list can be relied on.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn check(&self) -> Result<()> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    /// Changes with every change of the list; empty while nothing is forgotten.
    #[must_use]
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// Lines of the list that are no entry.
    #[must_use]
    pub(crate) const fn unreadable(&self) -> usize {
        self.unreadable
    }

    fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.here.is_empty() && self.everywhere.is_empty() && self.sessions.is_empty()
    }

    /// The entry that keeps a path out, or a folder above it.
    #[must_use]
    pub(crate) fn path(&self, path: &str) -> Option<&str> {
        if self.paths.is_empty() {
            return None;
        }
        std::iter::once(path).chain(above(path)).find_map(|name| self.paths.get(name)).map(String::as_str)
    }

    /// Whether a path is kept out because of what others forgot, and nobody else: not this gateway, and nobody unknown.
    #[must_use]
    pub(crate) fn is_forgotten_elsewhere(&self, path: &str, gateway: Option<&str>) -> bool {
        let here = |by: &Option<String>| by.is_none() || by.as_deref() == gateway;
        let mut who =
            std::iter::once(path).chain(above(path)).filter_map(|name| self.forgot.get(name)).flatten().peekable();
        who.peek().is_some() && !who.any(here)
    }

    /// Whether this is the content of a forgotten file, whatever its name is now.
    #[must_use]
    pub(crate) fn content(&self, bytes: &[u8]) -> bool {
        !self.contents.is_empty() && self.contents.contains(&content_hash(bytes))
    }

    /// The conversations that are kept out, by their ids or keys.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &str> {
        self.sessions.keys().map(String::as_str)
    }

    /// The files and folders that are kept out, without those in a folder that is.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        let is_kept = |path: &str| self.paths.contains_key(path);
        self.paths.keys().map(String::as_str).filter(move |path| !above(path).any(is_kept))
    }

    /// Whether a conversation is kept out, by its id or its key.
    #[must_use]
    pub(crate) fn session(&self, id_or_key: &str) -> bool {
        self.sessions.contains_key(id_or_key)
    }

    /// Whether what was said in a conversation at a time is forgotten with it: a conversation goes on under its id and its key.
    #[must_use]
    pub(crate) fn said(&self, id_or_key: &str, at_ms: i64) -> bool {
        self.sessions.get(id_or_key).is_some_and(|forgotten| at_ms <= *forgotten)
    }

    /// Whether a transcript is kept out: by its path, by the id in it, or by the key of its conversation.
    #[must_use]
    pub(crate) fn conversation(&self, path: &str, key: Option<&str>) -> bool {
        if self.is_empty() {
            return false;
        }
        self.path(path).is_some() || key.is_some_and(|key| self.session(key)) || ids_in(path).any(|id| self.session(id))
    }

    /// Whether a line of a file is kept out.
    #[must_use]
    pub(crate) fn line(&self, path: &str, line: &str) -> bool {
        let here = self.here.get(path);
        if here.is_none() && self.everywhere.is_empty() || line.trim().is_empty() {
            return false;
        }
        let hash = line_hash(line);
        self.everywhere.contains(&hash) || here.is_some_and(|lines| lines.contains(&hash))
    }

    /// What is left of a file's text: forgotten lines are empty, so that all others keep their numbers.
    #[must_use]
    pub(crate) fn keep<'a>(&self, path: &str, text: &'a str) -> Cow<'a, str> {
        // Where something was forgotten with the mark, it may have been of the file's beginning.
        let marked = |beginning: &str| [BYTE_ORDER_MARK, beginning].concat();
        let is_content = || self.content(text.as_bytes()) || self.content(marked(text).as_bytes());
        if !self.contents.is_empty() && is_content() {
            return Cow::Owned("\n".repeat(text.matches('\n').count()));
        }
        if self.everywhere.is_empty() && !self.here.contains_key(path) {
            return Cow::Borrowed(text);
        }
        let mut found = false;
        let lines = text.split('\n').enumerate().map(|(at, line)| {
            let forgotten = self.line(path, line) || at == 0 && self.line(path, &marked(line));
            found |= forgotten;
            if forgotten { "" } else { line }
        });
        let kept = lines.collect::<Vec<_>>().join("\n");
        if found { Cow::Owned(kept) } else { Cow::Borrowed(text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TELLING_LINE: &str = "The door code of the office is 4711 since May.";

    fn list(whats: &[What]) -> Exclusions {
        let lines: Vec<String> = whats
            .iter()
            .enumerate()
            .map(|(n, what)| {
                let entry =
                    Entry { id: format!("e{n}"), at: String::new(), is_final: false, by: None, what: what.clone() };
                serde_json::to_string(&entry).unwrap()
            })
            .collect();
        Exclusions::parse(&lines.join("\n"))
    }

    // A list may name a file, or its first line, with the byte order mark that is no part of its text any more.
    #[test]
    fn what_was_forgotten_with_a_byte_order_mark_stays_out() {
        let text = "# Diary\nThe walrus came.\n# Diary\n";
        let content = What::Path {
            path: "memory/a.md".into(),
            content: Some(content_hash(format!("\u{feff}{text}").as_bytes())),
        };
        assert_eq!(list(&[content]).keep("memory/renamed.md", text), "\n\n\n");
        let line =
            What::Lines { path: "memory/a.md".into(), here: vec![line_hash("\u{feff}# Diary")], everywhere: vec![] };
        assert_eq!(list(&[line]).keep("memory/a.md", text), "\nThe walrus came.\n# Diary\n");
    }

    #[test]
    fn a_path_keeps_out_itself_and_what_lies_below_and_its_content_under_another_name() {
        let text = "# Diary\nprivate\n";
        let list = list(&[
            What::Path { path: "memory/private".into(), content: None },
            What::Path { path: "memory/a.md".into(), content: Some(content_hash(text.as_bytes())) },
        ]);
        assert_eq!(list.path("memory/private/x/y.md"), Some("e0"));
        assert_eq!(list.path("memory/a.md"), Some("e1"));
        for other in ["memory/private2.md", "memory/b.md", "memory", "private/x.md"] {
            assert_eq!(list.path(other), None, "{other}");
        }
        assert_eq!(list.keep("memory/renamed.md", text), "\n\n");
        assert_eq!(list.keep("memory/renamed.md", "# Diary\nsomething else\n"), "# Diary\nsomething else\n");
    }

    #[test]
    fn who_forgot_a_path_or_may_have_is_not_elsewhere() {
        let line = |path: &str, by: Option<&str>| {
            let what = What::Path { path: path.into(), content: None };
            let by = by.map(str::to_owned);
            serde_json::to_string(&Entry { id: "a".into(), at: String::new(), is_final: false, by, what }).unwrap()
        };
        let list = Exclusions::parse(
            &[
                line("memory/a.md", Some("one")),
                line("memory/both", Some("one")),
                line("memory/both/b.md", Some("two")),
                line("memory/old", None),
                line("memory/old/c.md", Some("one")),
            ]
            .join("\n"),
        );
        for (path, one, two, three) in [
            ("memory/a.md", false, true, true),
            ("memory/both/b.md", false, false, true),
            ("memory/old/c.md", false, false, false),
        ] {
            let elsewhere = ["one", "two", "three"].map(|gateway| list.is_forgotten_elsewhere(path, Some(gateway)));
            assert_eq!(elsewhere, [one, two, three], "{path}");
        }
        assert!(list.is_forgotten_elsewhere("memory/a.md", None) && !list.is_forgotten_elsewhere("memory/d.md", None));
    }

    #[test]
    fn lines_stay_out_wherever_they_move_and_come_back_when_rewritten() {
        let list = list(&[What::Lines {
            path: "memory/a.md".into(),
            here: vec![line_hash("# Work"), line_hash("- ok")],
            everywhere: vec![line_hash(TELLING_LINE)],
        }]);
        let text = format!("# Work\r\nnew above\n  - ok\n{TELLING_LINE}\n\nend");
        assert_eq!(list.keep("memory/a.md", &text), "\nnew above\n\n\n\nend");
        assert_eq!(list.keep("memory/b.md", &text), format!("# Work\r\nnew above\n  - ok\n\n\nend"));
        let rewritten = "The door code of the office is 4712 since May.";
        assert!(matches!(list.keep("memory/a.md", rewritten), Cow::Borrowed(text) if text == rewritten));
    }

    #[test]
    fn only_lines_that_say_something_of_their_own_count_everywhere() {
        assert!(is_telling(TELLING_LINE));
        for line in ["- done", "## A heading, however long it may be", "----------------------------", ""] {
            assert!(!is_telling(line), "{line}");
        }
        assert!(
            !list(&[What::Lines { path: "a".into(), here: vec![line_hash("")], everywhere: vec![] }]).line("a", " ")
        );
    }

    // Nothing was captured in the main chat any more, for ever and without a word, since it was forgotten once.
    #[test]
    fn what_is_said_after_a_conversation_was_forgotten_is_not() {
        let session = |at: &str, name: &str| Entry {
            id: "1".into(),
            at: at.into(),
            is_final: false,
            by: None,
            what: What::Session { session: name.into() },
        };
        let entries =
            [session("2026-11-20T10:00:00Z", "main"), session("2026-11-21T10:00:00Z", "main"), session("", "old")];
        let lines: Vec<String> = entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        let list = Exclusions::parse(&lines.join("\n"));
        let at = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
        assert!(list.said("main", at("2026-11-21T09:59:59Z")) && !list.said("main", at("2026-11-21T10:00:01Z")));
        assert!(list.said("main", 0) && list.said("old", at("2030-01-01T00:00:00Z")) && !list.said("other", 0));
        assert!(list.session("main"));
    }

    #[test]
    fn sessions_versions_and_broken_lines() {
        let one = list(&[What::Session { session: "agent:main:main".into() }]);
        assert!(one.session("agent:main:main") && !one.session("agent:main"));
        assert!(one.conversation("sessions/main/s-1.jsonl", Some("agent:main:main")));
        assert!(!one.conversation("sessions/main/s-1.jsonl", None));
        let by_id = list(&[What::Session { session: "s-1".into() }]);
        assert!(
            by_id.conversation("sessions/main/s-1.jsonl", None)
                && !by_id.conversation("sessions/main/s-12.jsonl", None)
        );
        // Every conversation of an agent was kept out by the name of the agent.
        let of_folders = list(&["sessions", "main", "jsonl"].map(|name| What::Session { session: name.into() }));
        assert!(!of_folders.conversation("sessions/main/s-1.jsonl", None));
        let pointed = list(&[What::Session { session: "s.1".into() }]);
        assert!(pointed.conversation("sessions/main/s.1.jsonl.reset.2026-11-20T10-00-00Z", None));
        assert!(Exclusions::parse("").version().is_empty() && Exclusions::parse("\n{\n").version().is_empty());
        assert_eq!(Exclusions::parse("nonsense\n{}\n").unreadable(), 2);
        let marked = "\u{feff}{\"id\":\"1\",\"at\":\"\",\"kind\":\"session\",\"session\":\"a\"}";
        assert!(Exclusions::parse(marked).session("a"), "a byte order mark");
        let two = list(&[What::Session { session: "a".into() }]);
        assert_ne!(one.version(), two.version());
    }

    #[test]
    fn a_list_that_cannot_be_read_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let database = dir.path().join("index.sqlite");
        assert!(Exclusions::of(&database).check().is_ok(), "no list, nothing forgotten");
        std::fs::create_dir(dir.path().join("index.forgotten.jsonl")).unwrap();
        assert!(Exclusions::of(&database).check().is_err());
    }
}
