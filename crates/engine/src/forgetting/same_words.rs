//! Which texts of automatic memory say the same as lines that are forgotten.

use std::collections::HashSet;

use crate::{
    capture::{
        collect::fingerprint_of,
        erase::{BLANK, Places},
        facts::words_of_line,
        journal::Journal,
        log,
        queue::Job,
        short_term,
    },
    workspace::exclusions::TELLING,
};
use model::error::Result;
use text::{fold::fold, speaker::Speaker};

/// Letters and digits from which a fact that memory has written counts inside another text. A letter of a script that writes
/// few counts twice.
const TELLING_FACT: usize = 12;
/// What stands in the comment of a line that consolidation has written.
const CONSOLIDATED: &str = "<!-- mcrs:";

/// Lines that are forgotten, as far as they say something of their own, without what only notes put around them.
#[derive(Debug, Default)]
pub(crate) struct SameWords {
    lines: Vec<Line>,
    /// Fingerprints of the messages that they were captured of.
    messages: HashSet<String>,
}

/// What one says.
#[derive(Debug)]
struct Line {
    words: String,
    /// Whether memory has written it, as one fact.
    is_fact: bool,
}

impl SameWords {
    /// Those of some lines.
    pub(crate) fn of<'a>(lines: impl IntoIterator<Item = &'a String>) -> Self {
        let mut same = Self::default();
        for line in lines.into_iter().map(|line| line.trim()).filter(|line| !line.starts_with('#')) {
            let (words, is_labelled) = words_of_line(without_speaker(line));
            same.add(&words, is_labelled || line.contains(CONSOLIDATED));
        }
        same
    }

    /// With the captures that are meant: a turn says what was captured of it, whether or not this is all that stands in a line.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub(crate) fn with_captures(mut self, places: &Places, is_meant: impl Fn(&log::Entry) -> bool) -> Result<Self> {
        let journal = places.folder.as_deref().map(Journal::new).filter(Journal::exists);
        let captures = journal.map_or_else(|| Ok(Vec::new()), |journal| journal.captures())?;
        let is_told = |entry: &log::Entry| entry.text != BLANK && (is_meant(entry) || self.text(&entry.text));
        let told: Vec<log::Entry> = captures.into_iter().filter(is_told).collect();
        for entry in told {
            let is_fact = entry.status != log::Status::Skipped;
            self.add(&entry.text, is_fact);
            if is_fact {
                self.messages.insert(entry.message);
            }
        }
        Ok(self)
    }

    fn add(&mut self, text: &str, is_fact: bool) {
        let words = words(text);
        if is_fact && !words.is_empty() || letters(&words) >= TELLING {
            self.lines.push(Line { words, is_fact });
        }
    }

    /// Whether a text is a part of one, has one as a part, or is one.
    pub(crate) fn text(&self, text: &str) -> bool {
        let words = words(text);
        let is_telling = letters(&words) >= TELLING;
        self.lines.iter().any(|line| line.is_same(&words) || is_telling && line.words.contains(&words))
    }

    /// Whether a message of a waiting turn says the same.
    pub(crate) fn turn(&self, job: &Job) -> bool {
        job.messages.iter().any(|message| self.text(&message.text) || self.messages.contains(&fingerprint_of(message)))
    }

    /// Whether a record of the short-term memory does.
    pub(crate) fn record(&self, record: &short_term::Entry) -> bool {
        [&record.input, &record.output, &record.task].into_iter().any(|text| self.text(text))
    }
}

impl Line {
    fn is_same(&self, words: &str) -> bool {
        if self.is_fact && self.words == words {
            return true;
        }
        let is_enough = letters(&self.words) >= TELLING || self.is_fact && weight(&self.words) >= TELLING_FACT;
        is_enough && words.match_indices(&self.words).any(|(at, found)| stands_alone(words, at, at + found.len()))
    }
}

fn letters(words: &str) -> usize {
    words.chars().filter(|c| c.is_alphanumeric()).count()
}

fn weight(words: &str) -> usize {
    letters(words) + words.chars().filter(|c| *c >= '\u{2E80}').count()
}

/// Whether a part of a text begins and ends no letter within a word: a longer number is another one. Other scripts than Latin,
/// Greek and Cyrillic write small words together with the next.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_within = |at: usize| {
        let (before, after) = text.split_at_checked(at).unwrap_or_default();
        let of_word = |c: char| c.is_alphanumeric() && c < '\u{530}';
        before.chars().next_back().is_some_and(of_word) && after.chars().next().is_some_and(of_word)
    };
    !is_within(start) && !is_within(end)
}

fn without_speaker(line: &str) -> &str {
    let said = |speaker: Speaker| {
        let (label, rest) = line.split_at_checked(speaker.label().len())?;
        label.eq_ignore_ascii_case(speaker.label()).then_some(rest)
    };
    Speaker::ALL.into_iter().find_map(said).unwrap_or(line)
}

/// The words alone, one spelling each: neither signs nor comments.
fn words(text: &str) -> String {
    let mut rest = text;
    let mut shown = String::with_capacity(text.len());
    while let Some((before, comment)) = rest.split_once("<!--") {
        shown.push_str(before);
        shown.push(' ');
        rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    shown.push_str(rest);
    let folded = fold(&shown);
    text::words::words(&folded).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(line: &str, text: &str) -> bool {
        SameWords::of([&line.to_owned()]).text(text)
    }

    // The mark of the list, the kind and the comment of the line were compared too: the sentence stayed, and was shown.
    #[test]
    fn a_message_that_tells_a_forgotten_fact_says_the_same() {
        for (line, text) in [
            (
                "- [other] the safe in the attic opens with Wobbelkraut. <!-- mcrs: 0a1b 2026-11-20 -->",
                "Remember that the safe in the attic opens with Wobbelkraut!",
            ),
            (
                "- The safe in the attic opens with Wobbelkraut. <!-- trigger: safe -->",
                "the safe in the attic opens with wobbelkraut",
            ),
            ("- [entity] My cat is Mio Wagner (importance 0.9)", "Remember: my cat is Mio Wagner, please"),
            ("- [fact] Der Safe geht mit Wobbelkraut auf.", "Merk dir: der Safe geht mit Wobbelkraut auf"),
            ("- [fact] El código de la caja es Hinojo", "Recuerda que el codigo de la caja es hinojo."),
            ("- [fact] 我对花生过敏。", "请记住我对花生过敏，谢谢"),
            ("- [fact] 金庫の暗証番号は青い鯨です", "覚えておいて：金庫の暗証番号は青い鯨です。"),
            ("- [fact] 금고 비밀번호는 고래입니다", "기억해 줘: 금고 비밀번호는 고래입니다"),
            ("- [fact] तिजोरी का कोड नीली व्हेल है", "याद रखो कि तिजोरी का कोड नीली व्हेल है।"),
            ("- [fact] رمز الخزنة هو الحوت الأزرق", "تذكر أن رمز الخزنة هو الحوت الأزرق."),
            ("- [fact] Код сейфа — синий кит", "Запомни: код сейфа синий кит"),
            ("- [fact] I am in Porto.", "I am in Porto"),
            ("user: Remember that the safe opens with Wobbelkraut", "Remember that the safe opens with Wobbelkraut."),
        ] {
            assert!(says(line, text), "{line} / {text}");
        }
    }

    // A fact that a model has put into other words named no turn that waits, nor a capture that is too short to be found in a line.
    #[test]
    fn what_was_captured_of_a_message_names_the_message() {
        use crate::capture::queue::{Message, Role};
        let dir = tempfile::tempdir().unwrap();
        let places = Places { folder: Some(dir.path().to_owned()), short_term: None };
        let message = |text: &str| Message { role: Role::User, text: text.into(), at: Some(1.0) };
        let job = |text: &str| Job { id: text.into(), messages: vec![message(text)], ..Job::default() };
        let entry = |text: &str, of: &str| log::Entry {
            id: of.into(),
            ts: "2026-11-20T10:00:00Z".into(),
            status: log::Status::Stored,
            text: text.into(),
            reason: None,
            category: None,
            path: None,
            session_key: None,
            session_id: None,
            message: fingerprint_of(&message(of)),
            heard: Vec::new(),
        };
        let journal = Journal::new(dir.path());
        for (text, of) in [("User is in Porto", "porto it is, then"), ("User is in Rome", "rome it is, then")] {
            journal.add_capture(entry(text, of)).unwrap();
        }
        let same = SameWords::of([&"- [fact] User is in Porto".to_owned()]).with_captures(&places, |_| false).unwrap();
        assert!(same.turn(&job("porto it is, then")) && !same.turn(&job("rome it is, then")));
    }

    #[test]
    fn what_only_shares_some_words_does_not() {
        let safe = "- [other] the safe in the attic opens with Wobbelkraut. <!-- mcrs: 0a1b 2026-11-20 -->";
        for (line, text) in [
            (safe, "What is in the safe in the attic?"),
            (safe, "Remember that the safe in the cellar opens with Wobbelkraut."),
            (safe, "mcrs: 0a1b 2026-11-20, what may that be?"),
            (safe, "in the attic"),
            ("- [fact] I am in Porto.", "I am in Porto Alegre, is it far?"),
            ("- [entity] My number is 4711 0815", "My number is 4711 08155"),
            ("- buy milk for tea", "Remember to buy milk for tea and cake"),
            ("# The safe in the attic opens with Wobbelkraut", "The safe in the attic opens with Wobbelkraut"),
            ("- [other] …", "!"),
            ("- [fact] <!-- mcrs: 0a1b 2026-11-20 -->", ""),
        ] {
            assert!(!says(line, text), "{line} / {text}");
        }
    }
}
