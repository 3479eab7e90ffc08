//! What a line of a note shares with a message in words, and whether that is reason enough to show it beside.

use ::search::types::Hit;
use text::{
    analyze::Analyzer,
    fold::fold,
    query::{QueryTerm, TermKind},
    words::words,
};

/// Words of a message that one line must hold, with its heading, when only words speak for it; and their share.
const SHARED_WORDS: usize = 2;
const SHARED_WEIGHT: f64 = 0.3;
/// The same share for a message of few words, in which each counts.
const FEW_WORDS: usize = 3;
const SHARED_WEIGHT_OF_FEW: f64 = 0.6;
/// Weight of a pair of characters or syllables that counts as a word; below, one of the two only shapes the sentence.
const LEAST_OF_PAIR: f32 = 0.5;
/// Where the only word of a message must stand in a line, among those with a meaning of their own: a line says
/// something about what it begins with. "What is my size?" is not answered by files over a size of 2 GB.
const FIRST_WORDS: usize = 3;
/// A line of no more of them is about each.
const SHORT_LINE: usize = 4;

/// Words of liking, folded: a note that answers says it in another one, so only those that it does hold count.
const LIKING: &[&str] = &[
    "like",
    "likes",
    "liked",
    "love",
    "loves",
    "prefer",
    "prefers",
    "enjoy",
    "enjoys",
    "gosto",
    "gosta",
    "prefiro",
    "gusta",
    "gustan",
    "prefiero",
    "mag",
    "mogen",
    "liebe",
    "aime",
    "aimes",
    "prefere",
    "piace",
    "piacciono",
    "喜欢",
    "喜歡",
    "好き",
];

/// Words before what belongs to somebody, folded.
const WHOSE: &[&str] = &[
    "my", "our", "the", "new", "user", "s", "mein", "meine", "unser", "unsere", "der", "die", "das", "mi", "mis",
    "nuestro", "nuestra", "el", "la", "mon", "ma", "mes", "notre", "le", "meu", "minha", "nosso", "nossa", "o", "a",
    "mio", "mia", "il", "mijn", "ons", "onze", "de", "het", "moj", "moja", "moje", "мой", "моя", "мое", "наш", "наша",
];
/// Words that may stand before those.
const NOW: &[&str] = &["now", "jetzt", "ahora", "maintenant", "agora", "ora", "adesso", "nu", "teraz", "теперь"];
/// Words after it where it is said what it is.
const SAYING_WHAT: &[&str] = &[
    "is",
    "are",
    "was",
    "ist",
    "sind",
    "war",
    "heisst",
    "heißt",
    "betragt",
    "es",
    "son",
    "era",
    "est",
    "sont",
    "e",
    "sao",
    "sono",
    "zijn",
    "to",
    "jest",
    "это",
    "зовут",
    "costs",
    "kostet",
    "cuesta",
    "custa",
    "costa",
    "coute",
    "kost",
];

/// What a line shares with a message.
#[derive(Debug, Clone, Default)]
pub(super) struct Shared {
    /// The line.
    pub(super) line: String,
    /// Words of the message that it holds, with its headings.
    pub(super) words: usize,
    /// Words that count.
    asked: usize,
    /// Their share of the message's weight, 0–1.
    pub(super) weight: f64,
    /// Whether an identifier or a file name is among them.
    pub(super) exact: bool,
    /// Whether one of them is among the first words of the line, its headings or its file's name.
    leads: bool,
    /// Whether the line says what the only one of them is: "my dentist is …", "Rent: …".
    states: bool,
}

impl Shared {
    pub(super) fn speaks(&self, is_rare: bool) -> bool {
        if self.asked == 1 {
            return self.words == 1 && self.leads && (is_rare || self.states);
        }
        let least = if self.asked <= FEW_WORDS { SHARED_WEIGHT_OF_FEW } else { SHARED_WEIGHT };
        self.words >= SHARED_WORDS && self.weight >= least
    }
}

/// Whether a term is a word by itself, and no part of a longer one.
pub(super) fn is_whole(term: &QueryTerm) -> bool {
    term.weight >= 0.9 || term.shapes_question || (term.kind == TermKind::Pair && term.weight >= LEAST_OF_PAIR)
}

/// Whether a term says only that something is liked.
pub(super) fn is_liking(term: &QueryTerm) -> bool {
    LIKING.contains(&fold(&term.surface).as_str())
}

/// What a line says something about, where that is one word at its beginning, whoever's it is: "dentist" of "My dentist is Dr Costa".
fn subject(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
    let line = line.strip_prefix('[').and_then(|tagged| tagged.split_once(']')).map_or(line, |(_, text)| text);
    let mut words = words(line).skip_while(|word| WHOSE.contains(&fold(word).as_str()));
    let subject = words.next()?;
    let (_, after) = line.split_once(subject)?;
    let next = words.map(fold).find(|next| !NOW.contains(&next.as_str()));
    let is_named = after.starts_with(':') || next.is_some_and(|next| SAYING_WHAT.contains(&next.as_str()));
    is_named.then_some(subject)
}

/// What the line of a passage shares that shares most, with its headings and its file's name.
pub(super) fn best_line(asked: &[&QueryTerm], hit: &Hit, analyzer: &mut Analyzer) -> Shared {
    let name = hit.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let mut context = analyzer.terms(name);
    // A short note is shown with all its headings: those above a line are what it is about.
    let mut headings: Vec<&str> = Vec::new();
    let level = |heading: &str| heading.chars().take_while(|c| *c == '#').count();
    let mut best = Shared::default();
    for line in hit.snippet.lines() {
        if line.starts_with('#') {
            headings.retain(|above| level(above) < level(line));
            headings.push(line);
            context = analyzer.terms(&format!("{name}\n{}", headings.join("\n")));
            continue;
        }
        let terms = analyzer.terms(line);
        let leading = if terms.len() <= SHORT_LINE { SHORT_LINE } else { FIRST_WORDS };
        let first = terms.get(..leading).unwrap_or(&terms);
        let is_in = |terms: &[String], term: &QueryTerm| term.alternatives.iter().any(|a| terms.contains(&a.term));
        let own: Vec<&&QueryTerm> = asked.iter().filter(|term| is_in(&terms, term)).collect();
        if own.is_empty() {
            continue;
        }
        let is_held = |term: &QueryTerm| is_in(&terms, term) || is_in(&context, term);
        let counts = |term: &QueryTerm| is_held(term) || !is_liking(term);
        // Pairs of characters are parts of words: no line begins with so few of them that it would tell.
        let leads = |term: &QueryTerm| term.kind == TermKind::Pair || is_in(first, term) || is_in(&context, term);
        let (mut shared, mut all) =
            (Shared { leads: own.iter().any(|term| leads(term)), line: line.to_owned(), ..Shared::default() }, 0.0);
        for term in asked.iter().filter(|term| counts(term)) {
            let weight = f64::from(term.weight);
            shared.asked += 1;
            all += weight;
            if is_held(term) {
                shared.words += 1;
                shared.weight += weight;
            }
        }
        shared.weight /= all.max(f64::MIN_POSITIVE);
        // Of several words it does not matter.
        if shared.asked == 1 {
            let subject = subject(line).map(|subject| analyzer.terms(subject)).unwrap_or_default();
            shared.states = own.iter().any(|term| is_in(&subject, term));
        }
        let exact = own.iter().any(|term| matches!(term.kind, TermKind::Name | TermKind::File));
        shared.exact = exact || best.exact;
        if (shared.words, shared.weight) > (best.words, best.weight) {
            best = shared;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_it_says_something_about() {
        for (line, expected) in [
            ("- [fact] My dentist is Dr. Almeida.", Some("dentist")),
            ("Rent: 820 euros", Some("Rent")),
            ("A minha dentista agora é a doutora Sofia.", Some("dentista")),
            ("Mein neuer Hausarzt ist Dr. Weiss.", None),
            ("The dentist of Tom is on holiday.", None),
            ("Bought bread.", None),
            ("", None),
        ] {
            assert_eq!(subject(line), expected, "{line}");
        }
    }
}
