//! What of a model's line stands in the passages. A sentence is only shown when one sentence of one passage holds it: of
//! two that are woven into one nobody can say any more which of the two it is true of.

use std::sync::LazyLock;

use regex::Regex;
use text::fold::{bare, compose, plain_apostrophes};

use crate::capture::{grounding::Grounds, sentences::sentences, similar::Comparer};

/// Words that begin a note and name nobody.
const OPENERS: &[&str] = &[
    "user",
    "users",
    "the",
    "a",
    "an",
    "their",
    "they",
    "he",
    "she",
    "it",
    "its",
    "his",
    "her",
    "this",
    "that",
    "there",
    "in",
    "on",
    "at",
    "for",
    "from",
    "with",
    "also",
    "both",
    "one",
    "i",
    "we",
    "our",
    "my",
    "der",
    "die",
    "das",
    "ein",
    "eine",
    "er",
    "sie",
    "es",
    "nutzer",
    "benutzer",
    "el",
    "la",
    "los",
    "las",
    "un",
    "una",
    "usuario",
    "usuaria",
    "le",
    "les",
    "une",
    "l'utilisateur",
    "utilisateur",
    "il",
    "lo",
    "gli",
    "utente",
    "o",
    "os",
    "as",
    "um",
    "uma",
    "utilizador",
    "usuário",
    "пользователь",
    "de",
    "het",
    "een",
    "gebruiker",
];

/// What is quoted: `"…"`, `“…”`, `«…»`, `„…“`, `「…」`.
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("[\"“«„「]([^\"“”«»„「」]{2,200})[\"”»“」]").ok());

/// The sentences of a line that the passages hold; none when there is none.
#[must_use]
pub fn grounded(line: &str, passages: &[&str]) -> Option<String> {
    let mut comparer = Comparer::default();
    let sources: Vec<(String, Grounds)> = passages
        .iter()
        .flat_map(|passage| statements(passage))
        .map(|source| (folded(&source), Grounds::of(&[&source], &mut comparer)))
        .collect();
    let mut stands = |sentence: &&str| {
        // The sign that it was cut is nothing it says.
        let said = without_openers(sentence.trim_end_matches('…'));
        let quotes = |source: &str| {
            QUOTED.as_ref().is_none_or(|quoted| {
                let mut quotations = quoted.captures_iter(sentence).filter_map(|found| found.get(1));
                quotations.all(|text| source.contains(&folded(text.as_str())))
            })
        };
        !said.is_empty() && sources.iter().any(|(text, grounds)| quotes(text) && grounds.hold(&said, &mut comparer))
    };
    let kept: Vec<&str> = sentences(line).filter(|sentence| stands(sentence)).collect();
    (!kept.is_empty()).then(|| kept.join(" "))
}

/// The sentences of a passage; of what a tool gave in JSON, those of its texts.
fn statements(passage: &str) -> Vec<String> {
    let mut found = Vec::new();
    match serde_json::from_str(passage) {
        Ok(value @ (serde_json::Value::Object(_) | serde_json::Value::Array(_))) => collect(&value, &mut found),
        _ => add(passage, &mut found),
    }
    found
}

fn collect(value: &serde_json::Value, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => add(text, found),
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        serde_json::Value::Object(fields) => fields.values().for_each(|value| collect(value, found)),
        _ => {}
    }
}

fn add(text: &str, found: &mut Vec<String>) {
    let mut lines = String::new();
    for line in text.lines() {
        let words = line.trim().trim_start_matches(['>', ' ']);
        // What is wrapped goes on in the next line, which is set in below an item.
        let goes_on = words.starts_with(char::is_lowercase)
            || line.starts_with([' ', '\t']) && words.starts_with(char::is_alphabetic);
        lines.push(if goes_on { ' ' } else { '\n' });
        lines.push_str(words);
    }
    found.extend(sentences(&lines).map(str::to_owned));
}

/// A sentence without the words that name nobody: "User's contact Ana" is "contact Ana".
fn without_openers(sentence: &str) -> String {
    let is_opener = |token: &&str| {
        let word = folded(token.trim_matches(|c: char| !c.is_alphanumeric()));
        OPENERS.contains(&word.strip_suffix("'s").unwrap_or(&word))
    };
    sentence.split_whitespace().filter(|token| !is_opener(token)).collect::<Vec<_>>().join(" ")
}

fn folded(text: &str) -> String {
    bare(&plain_apostrophes(&compose(text)).to_lowercase()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: &[&str] = &[
        "- Ana prefers aisle seats and books Flight TP1234 at 09:15 on 2026-03-14.\n- The server stores its data in\n  PostgreSQL 17. Ben runs the backups on Fridays.",
        "- The gate code is \"blue heron 4711\"; see https://wiki.example/gate",
        "- 她喜欢绿茶，不喝咖啡。\n- Zoe no longer drinks coffee.",
    ];

    #[test]
    fn what_the_notes_say_may_be_said() {
        for line in [
            "User's contact Ana prefers aisle seats.",
            "Ana books flight TP1234 at 09:15 on 2026-03-14.",
            "The gate code is \"Blue Heron 4711\".",
            "Gate code: see https://wiki.example/gate.",
            "The server's data is stored in PostgreSQL 17.",
            "Zoe does not drink coffee any longer…",
            "她不喝咖啡",
        ] {
            assert_eq!(grounded(line, NOTES).as_deref(), Some(line), "{line}");
        }
        let found = ["{\"results\":[{\"text\":\"- Ana likes tea\\n- Ben drinks mate\"}]}"];
        assert_eq!(grounded("Ben drinks mate.", &found).as_deref(), Some("Ben drinks mate."));
        assert_eq!(grounded("Ana drinks mate.", &found), None);
    }

    // The bundled plugin let a model make up identifiers, and the reply repeated them.
    #[test]
    fn nothing_is_made_up() {
        for line in [
            "Marta prefers aisle seats.",
            "Ana prefers aisle seats on Lufthansa.",
            "Ana books flight TP9999 at 09:15.",
            "Ana books a flight at 10:15 on 2026-03-14.",
            "The gate code is 471.",
            "The gate code is \"red heron\".",
            "Gate code: see https://evil.example/gate",
            "Ana's ticket is ticket_id/abc for the flight",
            "他住在里斯本，每天跑步",
            "the person enjoys swimming in cold water during winter months",
            "",
        ] {
            assert_eq!(grounded(line, NOTES), None, "{line}");
        }
    }

    // Only words were counted: what denies a note, and what mixes two, was shown as memory.
    #[test]
    fn a_sentence_says_what_one_sentence_says_and_denies_nothing() {
        for line in [
            "The server no longer stores its data in PostgreSQL 17.",
            "The server doesn’t store its data in PostgreSQL 17.",
            "Zoe drinks coffee.",
            "Ben stores the data of the server in PostgreSQL 17.",
            "Ana runs the backups on Fridays.",
            "Zoe prefers aisle seats, Ana no longer drinks coffee.",
        ] {
            assert_eq!(grounded(line, NOTES), None, "{line}");
        }
        let mixed = "Ben runs the backups on Fridays. Zoe runs them on Mondays. Ana prefers aisle seats.";
        let kept = "Ben runs the backups on Fridays. Ana prefers aisle seats.";
        assert_eq!(grounded(mixed, NOTES).as_deref(), Some(kept));
    }
}
