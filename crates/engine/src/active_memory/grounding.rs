//! Whether a line says nothing that its passages do not hold. Names, numbers and quotations are what models invent, and
//! what a reader believes; a line with one that no passage has is not shown at all.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;
use text::{
    analyze::Analyzer,
    fold::{bare, compose, plain_apostrophes},
};

/// Least share of a line's words that the passages hold.
const LEAST_SHARE: f64 = 0.5;

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

/// Whether everything that a line could have made up stands in the passages.
#[must_use]
pub fn is_grounded(line: &str, passages: &[&str]) -> bool {
    let source = folded(&passages.join("\n"));
    let words: HashSet<&str> = source.split(is_border).filter(|word| !word.is_empty()).collect();
    let quoted = QUOTED.as_ref().is_none_or(|quoted| {
        quoted.captures_iter(line).filter_map(|found| found.get(1)).all(|text| source.contains(&folded(text.as_str())))
    });
    quoted && line.split_whitespace().all(|token| is_held(token, &source, &words)) && shares_words(line, passages)
}

/// Whether a token is plain speech, or stands in the source.
fn is_held(token: &str, source: &str, words: &HashSet<&str>) -> bool {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    if token.is_empty() {
        return true;
    }
    let low = folded(token);
    if low.contains("://") || low.contains('@') || low.starts_with("www.") {
        return source.contains(&low);
    }
    // A number counts as a whole: 17 does not stand in 2017.
    if token.chars().any(char::is_numeric) {
        return low.split(is_border).filter(|part| part.chars().any(char::is_numeric)).all(|part| words.contains(part));
    }
    let is_name = token.chars().any(char::is_uppercase);
    let is_id = token.contains(['_', '/', '\\']);
    if !is_name && !is_id {
        return true;
    }
    let parts = low.split(is_border).filter(|part| !part.is_empty());
    OPENERS.contains(&low.as_str())
        || parts.into_iter().all(|part| words.contains(part) || part == "s" || OPENERS.contains(&part))
}

/// Whether the passages hold the words of a line, in scripts without capitals too.
fn shares_words(line: &str, passages: &[&str]) -> bool {
    let mut analyzer = Analyzer::new();
    let source: HashSet<String> = passages.iter().flat_map(|passage| analyzer.terms(passage)).collect();
    let terms: HashSet<String> = analyzer.terms(line).into_iter().collect();
    let held = terms.iter().filter(|term| source.contains(*term)).count();
    #[expect(clippy::cast_precision_loss, reason = "a line has few words")]
    let share = held as f64 / terms.len().max(1) as f64;
    share >= LEAST_SHARE
}

fn folded(text: &str) -> String {
    bare(&plain_apostrophes(&compose(text)).to_lowercase()).into_owned()
}

fn is_border(c: char) -> bool {
    !c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTES: &[&str] = &[
        "- Ana prefers aisle seats and books Flight TP1234 at 09:15 on 2026-03-14.",
        "- The gate code is \"blue heron 4711\"; see https://wiki.example/gate",
        "- 她喜欢绿茶，不喝咖啡。",
    ];

    #[test]
    fn what_the_notes_say_may_be_said() {
        for line in [
            "User's contact Ana prefers aisle seats.",
            "Ana books flight TP1234 at 09:15 on 2026-03-14.",
            "The gate code is \"Blue Heron 4711\".",
            "Gate code: see https://wiki.example/gate.",
            "她喜欢绿茶",
        ] {
            assert!(is_grounded(line, NOTES), "{line}");
        }
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
        ] {
            assert!(!is_grounded(line, NOTES), "{line}");
        }
    }
}
