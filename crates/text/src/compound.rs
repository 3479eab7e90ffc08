//! Words made of words, as German, Dutch, the Nordic languages, Finnish and Hungarian make them: "Zahnarzttermin" is a "Termin".
//! Beside a long word the full-text index has its first letters and its last ones; whoever looks for a shorter word finds the long
//! ones by these, and reads which of them hold it. No dictionary says where words end.

use crate::{
    fold::fold,
    language::{Language, stem},
};

/// Letters of an end.
const END: usize = 4;
/// Letters that stand before the word that a compound ends with, at least …
const BEFORE: usize = 3;
/// … and behind the one that it begins with: fewer are an ending.
const BEHIND: usize = 4;

impl Language {
    /// Whether it writes words that are made of words without a space.
    #[must_use]
    pub const fn joins_words(self) -> bool {
        matches!(
            self,
            Self::German
                | Self::Dutch
                | Self::Danish
                | Self::Norwegian
                | Self::Swedish
                | Self::Finnish
                | Self::Hungarian
        )
    }
}

/// The terms by which the compounds are found that begin or end with a word; none for a word that is too short.
#[must_use]
pub fn ends(term: &str) -> Option<[String; 2]> {
    let first = term.char_indices().nth(END).map_or(term.len(), |(at, _)| at);
    let (last, _) = term.char_indices().rev().nth(END - 1)?;
    Some([format!("<{}", term.get(..first)?), format!(">{}", term.get(last..)?)])
}

/// Whether a term is long enough to be made of two words.
pub(crate) fn may_be_compound(term: &str) -> bool {
    term.chars().nth(END + BEFORE - 1).is_some()
}

/// The terms that a word of a text may stand in the index as, where it is a compound that begins or ends with any of `parts`; none
/// where it is not. Each part is a term.
#[must_use]
pub fn terms_of(word: &str, parts: &[&str], languages: &[Language]) -> Vec<String> {
    // Stemming is slow, and most words do not even hold the beginning of a part; its end may be written otherwise than the stem.
    let folded = fold(word);
    let may_hold = |part: &&str| {
        let begins = part.char_indices().nth(END).map_or(*part, |(at, _)| part.get(..at).unwrap_or(part));
        word.len() > part.len() && folded.contains(begins)
    };
    let parts: Vec<&str> = parts.iter().copied().filter(|part| may_hold(part)).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let lower = word.to_lowercase();
    let mut terms: Vec<String> = languages.iter().map(|language| stem(&lower, *language)).collect();
    terms.sort_unstable();
    terms.dedup();
    let more = |rest: &str, least: usize| rest.chars().nth(least - 1).is_some();
    let holds = |term: &str, part: &str| {
        term.strip_suffix(part).is_some_and(|rest| more(rest, BEFORE))
            || term.strip_prefix(part).is_some_and(|rest| more(rest, BEHIND))
    };
    terms.retain(|term| parts.iter().any(|part| holds(term, part)));
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compound_is_found_by_its_first_and_its_last_letters() {
        let ends_of = |term: &str| ends(term).map(|[first, last]| format!("{first} {last}"));
        assert_eq!(ends_of("zahnarzttermin").as_deref(), Some("<zahn >rmin"));
        assert_eq!(ends_of("auto").as_deref(), Some("<auto >auto"));
        assert_eq!(ends_of("öäüß").as_deref(), Some("<öäüß >öäüß"));
        assert_eq!(ends_of("ohr"), None);
        assert!(may_be_compound("hausarzt") && may_be_compound("erdbeer") && !may_be_compound("garten"));
    }

    #[test]
    fn a_word_is_told_from_an_ending() {
        for (word, part, language, is_one) in [
            ("Zahnarzttermin", "termin", Language::German, true),
            ("Wohnungsschlüssel", "schlussel", Language::German, true),
            ("Blutdruckmedikament", "blutdruck", Language::German, true),
            ("Hausärzte", "arzt", Language::German, true),
            ("Termine", "termin", Language::German, false),
            ("Autor", "auto", Language::German, false),
            ("tandartsafspraak", "afsprak", Language::Dutch, true),
            ("tandläkartid", "tandlakar", Language::Swedish, false),
            ("puhelinnumero", "numero", Language::Finnish, true),
        ] {
            assert_eq!(!terms_of(word, &[part], &[language]).is_empty(), is_one, "{word} {part}");
        }
        assert_eq!(terms_of("Hausärzte", &["arzt"], &[Language::German]), [stem("hausärzte", Language::German)]);
    }
}
