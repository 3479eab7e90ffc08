//! Stored facts (M1–M7): one line of Markdown each, so that a person can read and edit them.
//!
//! A fact is a list item of `memory/facts.md`, or one with a category in a note of a day, where auto-capture writes.
//! Its id follows from its words: nothing but the words has to be in the file, and a line edited by hand is a new fact.

mod items;

use std::{collections::HashSet, sync::LazyLock};

use jiff::{civil::Date, tz::TimeZone};
use regex::Regex;
use serde::Serialize;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use super::{
    collect::one_line,
    daily_note,
    rules::{self, Category},
    said::Said,
    similar::Comparer,
};
use crate::workspace::{exclusions::Exclusions, notes::Notes};
use items::{Item, items, last_day};
use model::error::{Code, Result};
use text::shown::decoded;

/// The note of stored facts, relative to the workspace.
pub(crate) const FILE: &str = "memory/facts.md";
/// Its first line.
const TITLE: &str = "Facts";
/// Importance of a fact that says nothing about it (M1).
pub const DEFAULT_IMPORTANCE: f64 = 0.7;

/// `(importance 0.9)` at the end of a line.
static IMPORTANCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s*\(importance ([01](?:\.\d{1,4})?)\)$").ok());

/// A fact as it stands in a note.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fact {
    /// UUID that follows from the words.
    pub id: String,
    /// The words.
    pub text: String,
    /// 0–1.
    pub importance: f64,
    /// What kind of fact.
    pub category: Category,
    /// Begin of the day it was stored, in milliseconds since the epoch; 0 = unknown.
    pub created_at: i64,
    /// The note, relative to the workspace.
    pub path: String,
    /// Its first line in the note.
    #[serde(skip)]
    pub(crate) line: String,
    /// The lines below that it goes on in.
    #[serde(skip)]
    pub(crate) more: Vec<String>,
    /// When it was said, where that is known.
    #[serde(skip)]
    pub(crate) said: Option<Said>,
}

impl Fact {
    /// Whether the user had it forgotten: one of its lines or its note.
    #[must_use]
    pub(crate) fn is_forgotten(&self, list: &Exclusions) -> bool {
        is_left_out(list, &self.path, &self.line) || self.more.iter().any(|line| list.line(&self.path, line))
    }

    fn stands_in(&self, item: &Item<'_>) -> bool {
        item.lines.iter().copied().eq(std::iter::once(self.line.as_str()).chain(self.more.iter().map(String::as_str)))
    }
}

/// A fact to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewFact {
    /// One line, without secrets.
    pub text: String,
    /// What kind of fact.
    pub category: Category,
    /// 0–1.
    pub importance: f64,
    /// The day it is stored under.
    pub day: Date,
}

impl NewFact {
    /// Whether the user had forgotten what would be written.
    #[must_use]
    pub(crate) fn is_forgotten(&self, list: &Exclusions) -> bool {
        is_left_out(list, FILE, &line_of(self))
    }
}

fn is_left_out(list: &Exclusions, path: &str, line: &str) -> bool {
    list.path(path).is_some() || list.line(path, line)
}

/// The id of a fact.
#[must_use]
pub fn id_of(text: &str) -> String {
    let plain: String = one_line(text).nfc().collect();
    let digest: [u8; 32] = Sha256::digest(plain).into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(digest.split_at(16).0);
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

/// Every fact, oldest note first; of several lines with the same words, the last.
///
/// Notes of days that the index leaves out too (links, special files, oversized ones) are passed over; `status` names them.
///
/// # Errors
/// [`Code::Path`] when `memory/facts.md` is such a file, and when a note exists but cannot be read.
pub fn all(notes: &Notes, zone: &TimeZone) -> Result<Vec<Fact>> {
    let mut facts = of_days(notes, zone)?;
    facts.extend(in_file(&daily_note::read(notes, FILE)?, zone));
    let mut seen = HashSet::new();
    facts.reverse();
    facts.retain(|fact| seen.insert(fact.id.clone()));
    facts.reverse();
    Ok(facts)
}

/// The facts in notes of days, oldest first.
fn of_days(notes: &Notes, zone: &TimeZone) -> Result<Vec<Fact>> {
    let mut facts = Vec::new();
    for (path, day) in day_notes(notes)? {
        let text = match daily_note::read(notes, &path) {
            Err(error) if error.code() == Code::Path => continue,
            text => text?,
        };
        let created_at = milliseconds(day, zone);
        facts.extend(items(&text).iter().filter_map(|item| {
            Some(Fact { said: Said::in_note(&path, item.at), ..parse(item, true, &path, created_at)? })
        }));
    }
    Ok(facts)
}

/// Whether something later says otherwise than a fact: then it is news when it is said again.
#[must_use]
pub(crate) fn is_outdated(fact: &Fact, all: &[Fact], comparer: &mut Comparer) -> bool {
    let Some(said) = &fact.said else { return false };
    let own = comparer.fingerprint(&fact.text);
    let mut later = all.iter().filter(|other| other.said.as_ref().is_some_and(|other| other.is_after(said)));
    later.any(|other| own.differs_in_value(&comparer.fingerprint(&other.text)))
}

/// Adds facts at the end of the note, each under the heading of its day. What is there already is passed over, unless
/// something later says otherwise; gives the ids of those that were written.
///
/// # Errors
/// As [`daily_note::append`].
pub fn append(notes: &Notes, facts: &[NewFact]) -> Result<Vec<String>> {
    let mut written = Vec::new();
    let mut known = of_days(notes, &TimeZone::UTC)?;
    let mut comparer = Comparer::default();
    daily_note::append_with(notes, FILE, Some(TITLE), |before| {
        known.extend(in_file(before, &TimeZone::UTC));
        let mut day = last_day(before);
        let mut lines = Vec::new();
        for fact in facts {
            let id = id_of(&fact.text);
            let there = known.iter().rev().find(|known| known.path == FILE && known.id == id);
            if there.is_some_and(|there| !is_outdated(there, &known, &mut comparer)) {
                continue;
            }
            if day != Some(fact.day) {
                day = Some(fact.day);
                if !before.is_empty() || !lines.is_empty() {
                    lines.push(String::new());
                }
                lines.extend([format!("## {}", fact.day), String::new()]);
            }
            let line = line_of(fact);
            let said = Said { day: fact.day, path: FILE.to_owned(), line: before.lines().count() + lines.len() + 1 };
            let parsed = items(&line).first().and_then(|item| parse(item, false, FILE, 0));
            known.extend(parsed.map(|parsed| Fact { said: Some(said), ..parsed }));
            lines.push(line);
            written.push(id);
        }
        lines
    })?;
    Ok(written)
}

/// Takes every item with a fact's words out of the notes, with all its lines; false when there is none any more.
///
/// # Errors
/// As [`daily_note::remove_lines`].
pub fn remove(notes: &Notes, zone: &TimeZone, id: &str) -> Result<bool> {
    let mut removed = false;
    while let Some(fact) = all(notes, zone)?.into_iter().find(|fact| fact.id == id) {
        let place = |text: &str| items(text).iter().rev().find(|item| fact.stands_in(item)).map(Item::place);
        if !daily_note::remove_lines(notes, &fact.path, place)? {
            break;
        }
        removed = true;
    }
    Ok(removed)
}

/// What a line of a note says, without the mark of a list, its kind and how important it is; and whether it names a kind, as the
/// lines do that memory writes.
pub(crate) fn words_of_line(line: &str) -> (String, bool) {
    let items = items(line);
    let Some(item) = items.first() else { return (line.to_owned(), false) };
    parse(item, true, FILE, 0).map_or_else(|| (item.words(), false), |fact| (fact.text, true))
}

fn in_file(text: &str, zone: &TimeZone) -> Vec<Fact> {
    let fact = |item: &Item<'_>| {
        let created_at = item.under.map_or(0, |day| milliseconds(day, zone));
        let said = item.under.map(|day| Said { day, path: FILE.to_owned(), line: item.at });
        Some(Fact { said, ..parse(item, false, FILE, created_at)? })
    };
    items(text).iter().filter_map(fact).collect()
}

/// A list item as a fact; `labelled` says whether only a category makes it one.
fn parse(item: &Item<'_>, labelled: bool, path: &str, created_at: i64) -> Option<Fact> {
    let words = item.words();
    let label = words.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let category = label.and_then(|(label, text)| Some((Category::parse(&label.to_lowercase())?, text)));
    let (category, text) = match category {
        Some(found) => found,
        None if labelled || is_task(&words) => return None,
        None => (rules::categorize(&words), words.as_str()),
    };
    let found = IMPORTANCE.as_ref().and_then(|pattern| pattern.captures(text));
    let (text, importance) = match found.as_ref().and_then(|c| Some((c.get(0)?.start(), c.get(1)?.as_str()))) {
        Some((end, number)) => (text.get(..end)?, number.parse().unwrap_or(DEFAULT_IMPORTANCE)),
        None => (text, DEFAULT_IMPORTANCE),
    };
    // Versions before stored what a model repeated of an escaped text.
    let text = one_line(&decoded(text));
    (!text.is_empty()).then(|| Fact {
        id: id_of(&text),
        text,
        importance: f64::clamp(importance, 0.0, 1.0),
        category,
        created_at,
        path: path.to_owned(),
        line: item.lines.first().map_or_else(String::new, |line| (*line).to_owned()),
        more: item.lines.iter().skip(1).map(|line| (*line).to_owned()).collect(),
        said: None,
    })
}

/// Whether a list item is something to do, with its box: that is no fact.
fn is_task(words: &str) -> bool {
    let inside = words.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    inside.is_some_and(|(mark, _)| matches!(mark, " " | "" | "x" | "X" | "-"))
}

fn line_of(fact: &NewFact) -> String {
    let text = one_line(&fact.text);
    let rounded = (fact.importance.clamp(0.0, 1.0) * 100.0).round() / 100.0;
    // Words that end like an importance would be read as one.
    let misread = IMPORTANCE.as_ref().is_some_and(|pattern| pattern.is_match(&text));
    let usual = (rounded - DEFAULT_IMPORTANCE).abs() < f64::EPSILON && !misread;
    let importance = if usual { String::new() } else { format!(" (importance {rounded})") };
    format!("- [{}] {text}{importance}", fact.category.as_str())
}

/// Begin of a day; 0 when the calendar has none.
fn milliseconds(day: Date, zone: &TimeZone) -> i64 {
    day.to_zoned(zone.clone()).map_or(0, |begin| begin.timestamp().as_millisecond())
}

/// The notes of days, `memory/YYYY-MM-DD.md`, oldest first.
fn day_notes(notes: &Notes) -> Result<Vec<(String, Date)>> {
    let day = |name: &str| name.strip_suffix(".md")?.parse().ok().filter(|_| name.len() == "2026-01-02.md".len());
    let names = notes.names("memory")?.into_iter();
    let mut days: Vec<_> = names.filter_map(|name| Some((format!("memory/{name}"), day(&name)?))).collect();
    days.sort();
    Ok(days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::exclusions::{Entry, What, line_hash};

    const DAY: Date = jiff::civil::date(2026, 11, 21);

    fn fact(text: &str, category: Category, importance: f64, day: Date) -> NewFact {
        NewFact { text: text.to_owned(), category, importance, day }
    }

    #[test]
    fn facts_are_lines_under_the_heading_of_their_day() {
        let dir = tempfile::tempdir().unwrap();
        let facts = [
            fact("Prefers green tea", Category::Preference, 0.7, DAY),
            fact("Releases are on\nTuesdays", Category::Decision, 0.95, DAY),
        ];
        let ids = append(&Notes::at(dir.path()), &facts).unwrap();
        let next = fact("Ana lives in Porto", Category::Entity, 0.7, DAY.tomorrow().unwrap());
        assert_eq!(append(&Notes::at(dir.path()), &[next, facts[0].clone()]).unwrap().len(), 1);
        let text = std::fs::read_to_string(dir.path().join(FILE)).unwrap();
        assert_eq!(
            text,
            "# Facts\n\n## 2026-11-21\n\n- [preference] Prefers green tea\n- [decision] Releases are on Tuesdays \
             (importance 0.95)\n\n## 2026-11-22\n\n- [entity] Ana lives in Porto\n"
        );
        let found = all(&Notes::at(dir.path()), &TimeZone::UTC).unwrap();
        assert_eq!(found.iter().map(|f| &f.id).take(2).collect::<Vec<_>>(), ids.iter().collect::<Vec<_>>());
        assert_eq!((found[1].importance, found[1].category), (0.95, Category::Decision));
        assert_eq!(found[1].text, "Releases are on Tuesdays");
        assert_eq!(found[2].created_at - found[1].created_at, 86_400_000);
    }

    #[test]
    fn what_a_person_writes_counts_and_notes_of_days_count_where_they_are_labelled() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("memory")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join("memory").join(name), text).unwrap();
        write("facts.md", "My notes\n\n* I prefer tea over coffee\n- [ ] not done\n- [x] done\n");
        write("2026-11-20.md", "- [entity] Ana lives in Porto\n- bought milk\n- [todo] call the bank\n");
        write("2026-11-20-lamps.md", "- [fact] of a session note\n");
        let found = all(&Notes::at(dir.path()), &TimeZone::UTC).unwrap();
        let texts: Vec<&str> = found.iter().map(|f| f.text.as_str()).collect();
        assert_eq!(texts, ["Ana lives in Porto", "I prefer tea over coffee"]);
        assert_eq!(found[1].category, Category::Preference);
    }

    #[test]
    fn a_fact_is_taken_out_wherever_it_stands_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let kept = fact("Keep me", Category::Fact, 0.7, DAY);
        append(&Notes::at(dir.path()), &[fact("Ana lives in Porto", Category::Entity, 0.9, DAY), kept]).unwrap();
        daily_note::append(
            &Notes::at(dir.path()),
            "memory/2026-11-20.md",
            &["- [entity] Ana  lives in Porto".to_owned()],
        )
        .unwrap();
        let id = id_of("Ana lives in Porto");
        assert!(remove(&Notes::at(dir.path()), &TimeZone::UTC, &id).unwrap());
        assert!(!remove(&Notes::at(dir.path()), &TimeZone::UTC, &id).unwrap());
        let left = all(&Notes::at(dir.path()), &TimeZone::UTC).unwrap();
        assert_eq!(left.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), ["Keep me"]);
        assert_eq!(daily_note::read(&Notes::at(dir.path()), "memory/2026-11-20.md").unwrap(), "# 2026-11-20\n\n");
    }

    // Forgetting took the first line of a wrapped fact, and the others were found as part of the item before.
    #[test]
    fn a_fact_that_goes_on_is_one_and_is_taken_out_with_all_its_lines() {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::at(dir.path());
        std::fs::create_dir(dir.path().join("memory")).unwrap();
        let path = dir.path().join(FILE);
        let wrapped = "- [FACT] wrapped fact that goes on\n  in the next line about the cello\n";
        let text = format!("- [fact] before\n{wrapped}- [fact] wrapped fact that goes on\n```\n{wrapped}```\n");
        std::fs::write(&path, &text).unwrap();
        let found = all(&notes, &TimeZone::UTC).unwrap();
        let texts: Vec<&str> = found.iter().map(|f| f.text.as_str()).collect();
        let whole = "wrapped fact that goes on in the next line about the cello";
        assert_eq!(texts, ["before", whole, "wrapped fact that goes on"], "a label in capitals is one");
        let list = |line: &str| {
            let what = What::Lines { path: FILE.to_owned(), here: vec![line_hash(line)], everywhere: Vec::new() };
            let entry = Entry { id: String::new(), at: String::new(), is_final: false, by: None, what };
            Exclusions::parse(&serde_json::to_string(&entry).unwrap())
        };
        assert!(found[1].is_forgotten(&list("  in the next line about the cello")));
        assert!(!found[0].is_forgotten(&list("  in the next line about the cello")));
        // The shorter one's line is the beginning of the longer, too.
        assert!(remove(&notes, &TimeZone::UTC, &id_of("wrapped fact that goes on")).unwrap());
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            text.replacen("- [fact] wrapped fact that goes on\n", "", 1)
        );
        assert!(remove(&notes, &TimeZone::UTC, &id_of(whole)).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("- [fact] before\n```\n{wrapped}```\n"));
    }

    // It got the day of the last heading that had one.
    #[test]
    fn a_fact_below_another_heading_is_of_no_day_and_a_new_one_gets_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::at(dir.path());
        append(&notes, &[fact("Ana lives in Porto", Category::Entity, 0.7, DAY)]).unwrap();
        daily_note::append(&notes, FILE, &["## Things".to_owned(), "- The boat is red".to_owned()]).unwrap();
        append(&notes, &[fact("Ana rows on Sundays", Category::Fact, 0.7, DAY)]).unwrap();
        let days: Vec<i64> = all(&notes, &TimeZone::UTC).unwrap().iter().map(|fact| fact.created_at).collect();
        assert!(days[0] > 0 && days[1] == 0 && days[2] == days[0], "{days:?}");
    }

    // Porto, Braga and Porto again: the last was passed over, and Braga stayed the newest.
    #[test]
    fn what_is_true_again_is_added_again_and_is_of_its_last_day() {
        let dir = tempfile::tempdir().unwrap();
        let notes = Notes::at(dir.path());
        let lives = |place: &str, day| fact(&format!("Ana lives in {place}"), Category::Entity, 0.7, day);
        let next = DAY.tomorrow().unwrap();
        for (place, day, written) in
            [("Porto", DAY, 1), ("Porto", next, 0), ("Braga", next, 1), ("Porto", next, 1), ("Porto", next, 0)]
        {
            assert_eq!(append(&notes, &[lives(place, day)]).unwrap().len(), written, "{place}");
        }
        let found = all(&notes, &TimeZone::UTC).unwrap();
        assert_eq!(
            found.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(),
            ["Ana lives in Braga", "Ana lives in Porto"]
        );
        assert_eq!(found[0].created_at, found[1].created_at);
        assert!(!is_outdated(&found[1], &found, &mut Comparer::default()));
    }

    #[test]
    fn ids_are_uuids_that_spelling_of_space_does_not_change() {
        assert_eq!(id_of("  caf\u{e9}  au lait"), id_of("cafe\u{301} au lait"));
        assert!(uuid::Uuid::parse_str(&id_of("x")).is_ok());
    }
}
