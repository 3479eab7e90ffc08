//! Whether a text that a model wrote stands in its sources: names and numbers are what models invent, a negation what they
//! lose, and all three what a reader believes.

use std::collections::{BTreeSet, HashSet};

use text::{
    fold::{fold, plain_apostrophes},
    words::words,
};

use super::similar::{Comparer, Fingerprint, is_negation};

/// Least share of the words of a text that its sources nearly hold, in quarters.
const LEAST_QUARTERS: usize = 3;

/// What texts are held against.
#[derive(Debug, Default)]
pub(crate) struct Grounds {
    /// Without case and accents.
    text: String,
    /// Its words, and where one has digits their parts: `20km` is `20` and `km` too.
    words: HashSet<String>,
    terms: HashSet<String>,
    /// The terms of each word by itself: what language a few words are in may not be told, and then their endings stay.
    alone: HashSet<String>,
    /// See [`Fingerprint::fixed`].
    fixed: BTreeSet<String>,
}

impl Grounds {
    /// Of all sources together.
    pub(crate) fn of(sources: &[&str], comparer: &mut Comparer) -> Self {
        let mut grounds = Self::default();
        for source in sources {
            let folded = folded(source);
            for token in folded.split_whitespace() {
                for word in words(token) {
                    grounds.alone.extend(comparer.fingerprint(word).terms().map(str::to_owned));
                    grounds.words.insert(word.to_owned());
                    grounds.words.extend(runs(word).map(str::to_owned));
                }
                // 1,000 is 1000.
                grounds.words.insert(words(token).collect());
            }
            let print = comparer.fingerprint(source);
            grounds.terms.extend(print.terms().map(str::to_owned));
            grounds.fixed.extend(print.fixed().map(str::to_owned));
            grounds.text.push_str(&folded);
            grounds.text.push('\n');
        }
        grounds
    }

    /// Their numbers and negations, in alphabetical order.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = &str> {
        self.fixed.iter().map(String::as_str)
    }

    /// Whether a text, whose fingerprint is `own`, says nothing that the sources do not say: all its words are theirs but those
    /// without a meaning of their own, and it denies exactly where they do. One verb is enough to make "lives" into "died".
    pub(crate) fn hold(&self, text: &str, own: &Fingerprint, comparer: &mut Comparer) -> bool {
        let has_words = own.terms().all(|term| self.has_term(term, own))
            || words(&folded(text))
                .all(|word| self.has(word) || comparer.fingerprint(word).terms().all(|term| self.alone.contains(term)));
        has_words && self.hold_nearly(text, own, comparer)
    }

    /// The same where most words are theirs, names and numbers among them: they are about the same, and what it says of it need
    /// not be true.
    pub(crate) fn hold_nearly(&self, text: &str, own: &Fingerprint, comparer: &mut Comparer) -> bool {
        let shared = own.terms().filter(|term| self.terms.contains(*term)).count();
        let is_mostly_theirs = shared * 4 >= own.terms().count() * LEAST_QUARTERS;
        own.is_negated() == self.fixed().any(is_negation) && is_mostly_theirs && self.name_all_of(text, comparer)
    }

    /// Whether a term of a text is the sources'. Where words are cut into pairs of characters, the pairs at their borders are of
    /// the sentence and not of a word: Chinese characters are terms by themselves too, and a Korean word comes without its
    /// particle besides.
    fn has_term(&self, term: &str, own: &Fingerprint) -> bool {
        if self.terms.contains(term) || term.chars().count() > 1 && term.chars().all(is_han) {
            return true;
        }
        term.chars().all(is_hangul)
            && own.terms().any(|other| {
                let is_without_particle = term.len() > other.len() && term.starts_with(other);
                let is_part = other.len() > term.len() && other.chars().all(is_hangul) && other.contains(term);
                is_part || is_without_particle && self.terms.contains(other)
            })
    }

    /// Whether most words of a text are the sources'.
    pub(crate) fn share_most_of(&self, own: &Fingerprint) -> bool {
        own.terms().filter(|term| self.terms.contains(*term)).count() * 2 > own.terms().count()
    }

    /// Whether the sources have every name of a text: words with a capital or a digit, and addresses. The first word of a
    /// sentence may also be one without a meaning of its own.
    pub(crate) fn name_all_of(&self, text: &str, comparer: &mut Comparer) -> bool {
        let text = plain_apostrophes(text);
        let mut starts = true;
        for token in text.split_whitespace() {
            if !self.names(token, starts, comparer) {
                return false;
            }
            starts = token.ends_with(['.', '!', '?', ':']);
        }
        true
    }

    fn names(&self, token: &str, starts: bool, comparer: &mut Comparer) -> bool {
        let token = token.trim_matches(|c: char| !c.is_alphanumeric());
        if token.contains("://") || token.contains(['@', '_', '\\']) || token.starts_with("www.") {
            return self.text.contains(&folded(token));
        }
        words(token).all(|part| {
            let has_digits = part.chars().any(char::is_numeric);
            if !has_digits && !part.chars().any(char::is_uppercase) {
                return true;
            }
            self.has(&fold(part)) || !has_digits && self.has_word(part, starts, comparer)
        }) || self.words.contains(&words(token).map(fold).collect::<String>())
    }

    /// Whether a word stands in the sources, or its letters and digits do.
    fn has(&self, folded: &str) -> bool {
        self.words.contains(folded)
            || folded.chars().any(char::is_numeric) && runs(folded).all(|run| self.words.contains(run))
    }

    /// Whether a word stands there with another ending, or needs not to.
    fn has_word(&self, word: &str, starts: bool, comparer: &mut Comparer) -> bool {
        let print = comparer.fingerprint(word);
        let mut terms = print.terms().peekable();
        if terms.peek().is_none() { starts } else { terms.all(|term| self.terms.contains(term)) }
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7A3}')
}

fn folded(text: &str) -> String {
    fold(&plain_apostrophes(text))
}

/// The stretches of digits and those of letters of a word.
fn runs(word: &str) -> impl Iterator<Item = &str> {
    word.char_indices()
        .zip(word.chars().skip(1))
        .filter(|((_, this), next)| this.is_numeric() != next.is_numeric())
        .map(|((at, this), _)| at + this.len_utf8())
        .chain([word.len()])
        .scan(0, |from, to| Some(word.get(std::mem::replace(from, to)..to).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_found_however_they_are_written() {
        let mut comparer = Comparer::default();
        let grounds = Grounds::of(
            &["Ana’s loft in São Paulo costs 1,250 EUR, is 20km away, see https://wiki.example/gate"],
            &mut comparer,
        );
        for text in [
            "Ana's loft costs 1250 EUR",
            "The loft is 20 km from Sao Paulo",
            "It costs 1,250 EUR: https://wiki.example/gate.",
            "Lofts in SÃO PAULO",
        ] {
            assert!(grounds.name_all_of(text, &mut comparer), "{text}");
        }
        for text in ["Zoe's loft", "It costs 1251 EUR", "It is 2 km away", "see https://wiki.example/gates"] {
            assert!(!grounds.name_all_of(text, &mut comparer), "{text}");
        }
    }

    // "My sister Marta died in Hull." was written to MEMORY.md: three of four words were those of a sentence that says "lives".
    #[test]
    fn one_word_that_no_source_has_is_an_invention() {
        let mut comparer = Comparer::default();
        let mut hold = |source: &str, text: &str| {
            let own = comparer.fingerprint(text);
            Grounds::of(&[source], &mut comparer).hold(text, &own, &mut comparer)
        };
        for (source, same, invented) in [
            ("My sister Marta lives in Hull.", "Sister Marta is living in Hull.", "My sister Marta died in Hull."),
            (
                "My brother Piet owns the bakery in Ghent.",
                "The bakery in Ghent is owned by my brother Piet.",
                "My brother Piet robbed the bakery in Ghent.",
            ),
            (
                "Meine Schwester Marta wohnt in Hull.",
                "In Hull wohnt meine Schwester Marta.",
                "Meine Schwester Marta starb in Hull.",
            ),
            ("Ma soeur Marta habite à Hull.", "Marta, ma soeur, habite à Hull.", "Ma soeur Marta déteste Hull."),
            ("Mi hermana Marta vive en Hull.", "En Hull vive mi hermana Marta.", "Mi hermana Marta muere en Hull."),
            (
                "Минна сестра Марта живёт в Праге.",
                "Марта, сестра Минны, живёт в Праге.",
                "Минна сестра Марта умерла в Праге.",
            ),
            ("我的姐姐住在赫尔。", "姐姐住在赫尔。", "我的姐姐死在赫尔。"),
            ("姉のマルタはハルに住んでいる。", "マルタはハルに住んでいる。", "姉のマルタはハルで死んでいる。"),
            ("언니는 부산에 살아요.", "언니가 부산에 살아요.", "언니는 부산에서 죽었어요."),
        ] {
            assert!(hold(source, same), "{same}");
            assert!(!hold(source, invented), "{invented}");
        }
    }

    #[test]
    fn a_negation_that_comes_or_goes_is_no_small_word() {
        let mut comparer = Comparer::default();
        let hold = |grounds: &Grounds, text: &str, comparer: &mut Comparer| {
            let own = comparer.fingerprint(text);
            grounds.hold(text, &own, comparer)
        };
        let says = Grounds::of(&["Mara stores the data in PostgreSQL"], &mut comparer);
        assert!(hold(&says, "The data is stored in PostgreSQL", &mut comparer));
        for text in ["The data is no longer stored in PostgreSQL", "The data isn’t stored in PostgreSQL"] {
            assert!(!hold(&says, text, &mut comparer), "{text}");
            let denies = Grounds::of(&[text], &mut comparer);
            assert!(!hold(&denies, "The data is stored in PostgreSQL", &mut comparer), "{text}");
            assert!(hold(&denies, "The data is not stored in PostgreSQL", &mut comparer), "{text}");
        }
    }
}
