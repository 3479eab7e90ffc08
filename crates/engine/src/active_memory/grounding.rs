//! Whether a model's line stands in the passages: each of its sentences in one sentence of one passage, for of two that are
//! woven into one nobody can say any more which of the two it is true of.

use std::{
    collections::{BTreeSet, HashSet},
    sync::LazyLock,
};

use regex::Regex;
use text::{
    fold::{bare, compose, plain_apostrophes},
    words::words,
};

use crate::capture::{
    grounding::Grounds,
    sentences::sentences,
    similar::{Comparer, Fingerprint},
};

/// Words that begin a note and name nobody.
const OPENERS: &[&str] = &[
    "user",
    "users",
    "contact",
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

/// A line whose sentences the passages hold, each of them; none when one of them is held by none: what is left of two would
/// pass for all there is. Of a line that was cut, the sentence that was goes where it cannot be told.
#[must_use]
pub fn grounded(line: &str, passages: &[&str]) -> Option<String> {
    let mut comparer = Comparer::default();
    let sources: Vec<Source> = passages.iter().flat_map(|passage| Source::all_of(passage, &mut comparer)).collect();
    let mut stands = |sentence: &str| {
        let text = without_openers(sentence);
        let said = Said::of(&text, sentence, &mut comparer);
        !text.is_empty() && sources.iter().any(|source| source.says(&said, &mut comparer))
    };
    let mut kept: Vec<&str> = sentences(line).collect();
    if line.ends_with('…') && kept.len() > 1 && kept.last().is_some_and(|last| !stands(last)) {
        kept.pop();
    }
    (!kept.is_empty() && kept.iter().all(|sentence| stands(sentence))).then(|| kept.join(" "))
}

/// The passages that a line is about: each of its sentences has its names and numbers and most of its words from a sentence of
/// one of them. A model that puts notes in other words is answered with the notes.
#[must_use]
pub fn told_of(line: &str, passages: &[&str]) -> Vec<usize> {
    let mut comparer = Comparer::default();
    let sources: Vec<Vec<Source>> = passages.iter().map(|passage| Source::all_of(passage, &mut comparer)).collect();
    let mut told = BTreeSet::new();
    for sentence in sentences(line) {
        let (text, print) = (without_openers(sentence), comparer.fingerprint(sentence));
        let mut is_about = |source: &Source| source.whole.hold_nearly(&text, &print, &mut comparer);
        let about: Vec<usize> =
            sources.iter().enumerate().filter(|(_, own)| own.iter().any(&mut is_about)).map(|(at, _)| at).collect();
        if text.is_empty() || about.is_empty() {
            return Vec::new();
        }
        told.extend(about);
    }
    told.into_iter().collect()
}

/// A sentence of a passage.
struct Source {
    text: String,
    /// Its words, in order.
    words: Vec<String>,
    whole: Grounds,
    /// Where it denies something: the clauses that deny nothing, together, and the words of each that does.
    denying: Option<(Grounds, Vec<Fingerprint>)>,
}

impl Source {
    fn all_of(passage: &str, comparer: &mut Comparer) -> Vec<Self> {
        statements(passage).iter().map(|text| Self::of(text, comparer)).collect()
    }

    fn of(text: &str, comparer: &mut Comparer) -> Self {
        let denying = comparer.fingerprint(text).is_negated().then(|| {
            let prints = clauses(text).map(|clause| (clause, comparer.fingerprint(clause)));
            let (denied, told): (Vec<_>, Vec<_>) = prints.partition(|(_, print)| print.is_negated());
            let told: Vec<&str> = told.iter().map(|(clause, _)| *clause).collect();
            let denied: Vec<Fingerprint> = denied.into_iter().map(|(_, print)| print).collect();
            (told, denied)
        });
        let folded = folded(text);
        Self {
            words: words(&folded).map(str::to_owned).collect(),
            whole: Grounds::of(&[text], comparer),
            denying: denying.map(|(told, denied)| (Grounds::of(&told, comparer), denied)),
            text: folded,
        }
    }

    /// Whether it says what was said: its words, its names in the same order, and denied what it denies.
    fn says(&self, said: &Said<'_>, comparer: &mut Comparer) -> bool {
        if !said.quotations.iter().all(|quoted| self.text.contains(quoted)) || !self.has_in_order(&said.names) {
            return false;
        }
        let Some((told, denied)) = &self.denying else { return self.whole.hold(said.text, &said.print, comparer) };
        said.clauses.iter().all(|(clause, print)| {
            if !print.is_negated() {
                return told.hold(clause, print, comparer);
            }
            // What is denied is said to be denied: most words of such a clause are there.
            let own: HashSet<&str> = print.terms().collect();
            let names = |one: &Fingerprint| {
                let shared = one.terms().filter(|term| own.contains(term)).count();
                2 * shared > one.terms().count()
            };
            denied.iter().any(names) && self.whole.hold(clause, print, comparer)
        })
    }

    /// Whether names and numbers come in the same order: who does what to whom is told by it.
    fn has_in_order(&self, names: &[String]) -> bool {
        names.iter().filter_map(|name| self.words.iter().position(|word| word == name)).is_sorted()
    }
}

/// What a model said in a sentence.
struct Said<'a> {
    /// Without words that name nobody.
    text: &'a str,
    print: Fingerprint,
    clauses: Vec<(&'a str, Fingerprint)>,
    /// Words with a capital or a digit, in order.
    names: Vec<String>,
    quotations: Vec<String>,
}

impl<'a> Said<'a> {
    fn of(text: &'a str, sentence: &str, comparer: &mut Comparer) -> Self {
        let is_name = |word: &&str| word.chars().any(|c| c.is_uppercase() || c.is_numeric());
        let quoted = QUOTED.iter().flat_map(|quoted| quoted.captures_iter(sentence)).filter_map(|found| found.get(1));
        Self {
            text,
            print: comparer.fingerprint(text),
            clauses: clauses(text).map(|clause| (clause, comparer.fingerprint(clause))).collect(),
            names: words(text).filter(is_name).map(folded).collect(),
            quotations: quoted.map(|text| folded(text.as_str())).collect(),
        }
    }
}

/// The clauses of a sentence, by the signs between them.
fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let is_sign = |c: char| matches!(c, ';' | '–' | '—' | '(' | ')' | '，' | '、' | '；' | '：');
    // A comma inside of a number ends nothing.
    sentence.split(is_sign).flat_map(|part| part.split(", ")).filter(|part| part.contains(char::is_alphanumeric))
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

/// A sentence without the words that name nobody: "User's contact Ana" is "Ana". The sign that it was cut is nothing it says.
fn without_openers(sentence: &str) -> String {
    let is_opener = |token: &&str| {
        let word = folded(token.trim_matches(|c: char| !c.is_alphanumeric()));
        OPENERS.contains(&word.strip_suffix("'s").unwrap_or(&word))
    };
    let whole = sentence.trim_end_matches('…');
    whole.split_whitespace().filter(|token| !is_opener(token)).collect::<Vec<_>>().join(" ")
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
        "- Falcon releases happen on Tuesdays, never on Fridays.\n- Mara is in charge of the Falcon budget of 12,000 EUR.",
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
            "她喜欢绿茶",
            "Falcon releases happen on Tuesdays.",
            "Falcon releases happen on Tuesdays, never on Fridays.",
            "Falcon releases never happen on Fridays.",
            "Mara is in charge of the Falcon budget of 12,000 EUR.",
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
            "Falcon releases happen on Fridays, never on Tuesdays.",
            "Falcon releases never happen on Tuesdays.",
            "Falcon releases happen on Fridays.",
            "Falcon is in charge of the Mara budget of 12,000 EUR.",
            "她喜欢咖啡",
        ] {
            assert_eq!(grounded(line, NOTES), None, "{line}");
        }
        // What was left of two sentences was shown as if it were all.
        assert_eq!(grounded("Ben runs the backups on Fridays. Zoe runs them on Mondays.", NOTES), None);
        let both = "Ben runs the backups on Fridays. Ana prefers aisle seats.";
        assert_eq!(grounded(both, NOTES).as_deref(), Some(both));
        let cut = "Ben runs the backups on Fridays. Ana prefers aisle seats and books Flight TP12…";
        assert_eq!(grounded(cut, NOTES).as_deref(), Some("Ben runs the backups on Fridays."));
    }

    // "The odd lighthouse ladder is stolen." was shown as memory: three of four words stood in a note.
    #[test]
    fn a_verb_or_adjective_that_no_note_has_is_made_up_and_the_note_is_told_of() {
        let notes = [
            "The lighthouse ladder has an odd rung.",
            "The lighthouse keeper is Wendelin Kraus, who sails.",
            "Meine Schwester Marta wohnt in Hull.",
            "Green tea is in the upper cupboard.",
        ];
        for (line, at) in [
            ("The odd lighthouse ladder is stolen.", 0),
            ("The lighthouse keeper Wendelin Kraus is dead.", 1),
            ("Meine Schwester Marta starb in Hull.", 2),
        ] {
            assert_eq!(grounded(line, &notes), None, "{line}");
            assert_eq!(told_of(line, &notes), [at], "{line}");
        }
        assert_eq!(
            grounded("The ladder of the lighthouse has an odd rung.", &notes).as_deref(),
            Some("The ladder of the lighthouse has an odd rung.")
        );
        assert_eq!(grounded("Marta wohnt in Hull.", &notes).as_deref(), Some("Marta wohnt in Hull."));
        assert!(told_of("Quillfeather keeps the ladder in Zanzibar.", &notes).is_empty());
        assert!(told_of("", &notes).is_empty());
    }
}
